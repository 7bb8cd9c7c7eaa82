//! Fair choice by brute force.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_core::ActionId;

use super::model::Model;
use crate::ltl::choice::Recurrence;

/// Claims about the actions of random models.
pub fn recurrences() -> impl Strategy<Value = Recurrence> {
    let actions = || prop::collection::btree_set((0..3_u32).prop_map(ActionId), 0..3);
    (prop::option::of(actions()), actions())
        .prop_map(|(condition, actions)| Recurrence { condition, actions })
}

/// Whether some terminal component does not do what is claimed: a state that can be reached, and that can be reached again from
/// everything it leads to. A state that cannot be expanded leads anywhere.
pub fn violates_progress(model: &Model, claim: &Recurrence) -> bool {
    let roots = model.initial.iter().copied();
    reached(model, roots).into_iter().any(|state| {
        let resort = reached(model, [state]);
        let comes_back = |other: &usize| reached(model, [*other]).contains(&state);
        let known = |other: &usize| model.faulty != Some(*other);
        let taken: BTreeSet<ActionId> = resort
            .iter()
            .flat_map(|&other| &model.edges[other])
            .map(|&(action, _)| ActionId(action))
            .collect();
        let counts = claim
            .condition
            .as_ref()
            .is_none_or(|condition| condition.iter().any(|action| taken.contains(action)));
        let done = claim.actions.iter().any(|action| taken.contains(action));
        resort.iter().all(known) && resort.iter().all(comes_back) && counts && !done
    })
}

fn reached(model: &Model, from: impl IntoIterator<Item = usize>) -> BTreeSet<usize> {
    let mut reached: BTreeSet<usize> = from.into_iter().collect();
    let mut waiting: Vec<usize> = reached.iter().copied().collect();
    while let Some(state) = waiting.pop() {
        if model.faulty == Some(state) {
            continue;
        }
        let targets = model.edges[state].iter().map(|&(_, target)| target);
        waiting.extend(targets.filter(|target| reached.insert(*target)));
    }
    reached
}
