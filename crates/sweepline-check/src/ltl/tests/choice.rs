//! Fair choice by brute force.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sweepline_core::ActionId;
use sweepline_logic::Fluent;
use sweepline_logic::ltl::{Binary, Temporal, Unary, holds_on};
use sweepline_logic::omega::Letter;

use super::model::Model;
use crate::ltl::choice::{FairChoice, Recurrence};
use crate::ltl::fluents::{FairFormula, FluentClaim};

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

/// Terminal components that can be reached and have no state that cannot be expanded; nothing more is known if such a state can be.
pub fn terminal_components(model: &Model) -> BTreeSet<BTreeSet<usize>> {
    let roots = model.initial.iter().copied();
    let resorts = reached(model, roots).into_iter().filter_map(|state| {
        let resort = reached(model, [state]);
        let comes_back = |other: &usize| reached(model, [*other]).contains(&state);
        let known = |other: &usize| model.faulty != Some(*other);
        (resort.iter().all(known) && resort.iter().all(comes_back)).then_some(resort)
    });
    resorts.collect()
}

/// Whether a state that cannot be expanded can be reached.
pub fn reaches_fault(model: &Model) -> bool {
    let reached = reached(model, model.initial.iter().copied());
    model.faulty.is_some_and(|faulty| reached.contains(&faulty))
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

/// A formula over two fluents, and what it is made of.
#[derive(Clone, Debug)]
pub struct Said {
    fluents: Vec<Fluent>,
    formula: Temporal,
}

impl Said {
    pub fn claim(&self) -> FairChoice {
        FairChoice::Formula(FairFormula::new(self.fluent_claim()).expect("it is small"))
    }

    pub fn fluent_claim(&self) -> FluentClaim {
        let claim = FluentClaim::new(self.fluents.clone(), self.formula.clone());
        claim.expect("it is small")
    }
}

pub fn said() -> impl Strategy<Value = Said> {
    let actions = || prop::collection::btree_set((0..3_u32).prop_map(ActionId), 0..3);
    let fluent = (any::<bool>(), actions(), actions());
    let fluent = fluent.prop_map(|(initially, starts, ends)| Fluent {
        name: String::new(),
        initially,
        starts,
        ends,
    });
    let atom = (0..2_u32).prop_map(Temporal::Atom);
    let formula = atom.prop_recursive(3, 8, 2, |inner| {
        let unary = prop::sample::select(vec![Unary::Next, Unary::Finally, Unary::Globally]);
        let binary = prop::sample::select(vec![Binary::Until, Binary::WeakUntil]);
        prop_oneof![
            inner.clone().prop_map(Temporal::negated),
            (unary, inner.clone()).prop_map(|(op, of)| of.under(op)),
            (binary, inner.clone(), inner.clone()).prop_map(|(op, a, b)| a.with(op, b)),
            (inner.clone(), inner).prop_map(|(a, b)| a.implies(b)),
        ]
    });
    (prop::collection::vec(fluent, 2), formula).prop_map(|(mut fluents, formula)| {
        for (fluent, name) in fluents.iter_mut().zip(["A", "B"]) {
            fluent.name = name.into();
        }
        Said { fluents, formula }
    })
}

/// Whether some of many random runs that count does not satisfy a formula, by definition.
pub fn refuted(model: &Model, said: &Said, mut seed: u64) -> bool {
    let mut dice = |sides: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (seed >> 33) as usize % sides
    };
    (0..20).any(|_| {
        let mut at = model.initial[dice(model.initial.len())];
        let mut stem = Vec::new();
        // Long enough to get into a terminal component, nearly always.
        for _ in 0..dice(80) {
            if let Some(step) = step(model, at, &mut dice) {
                stem.push(step.0);
                at = step.1;
            }
        }
        let resort = reached(model, [at]);
        let comes_back = |other: &usize| reached(model, [*other]).contains(&at);
        if model.faulty.is_some_and(|faulty| resort.contains(&faulty))
            || !resort.iter().all(comes_back)
        {
            return false;
        }
        let mut missing: BTreeSet<(usize, usize)> = BTreeSet::new();
        for &state in &resort {
            missing.extend((0..model.edges[state].len()).map(|ordinal| (state, ordinal)));
        }
        let (start, mut cycle) = (at, Vec::new());
        while !missing.is_empty() || at != start {
            let ordinal = dice(model.edges[at].len());
            missing.remove(&(at, ordinal));
            let (action, target) = model.edges[at][ordinal];
            cycle.push(action);
            at = target;
        }
        !said.holds(&stem, &cycle)
    })
}

fn step(model: &Model, at: usize, dice: &mut impl FnMut(usize) -> usize) -> Option<(u32, usize)> {
    let steps = &model.edges[at];
    (!steps.is_empty() && model.faulty != Some(at)).then(|| steps[dice(steps.len())])
}

impl Said {
    /// By the definitions: a fluent holds if the last action that is about it started it.
    pub fn holds(&self, stem: &[u32], cycle: &[u32]) -> bool {
        let done: Vec<u32> = [stem, cycle, cycle].concat();
        let value = |fluent: &Fluent, so_far: &[u32]| {
            let about = |action: &&u32| {
                let action = ActionId(**action);
                fluent.starts.contains(&action) || fluent.ends.contains(&action)
            };
            let last = so_far.iter().rev().find(about);
            last.map_or(fluent.initially, |action| {
                fluent.starts.contains(&ActionId(*action))
            })
        };
        let letter = |count: usize| {
            let bit = |at: usize| Letter::from(value(&self.fluents[at], &done[..count])) << at;
            bit(0) | bit(1)
        };
        let word: Vec<Letter> = (1..=done.len()).map(letter).collect();
        let (first, again) = word.split_at(stem.len() + cycle.len());
        let stays = [letter(done.len())];
        holds_on(
            &self.formula,
            first,
            if again.is_empty() { &stays } else { again },
        )
    }
}
