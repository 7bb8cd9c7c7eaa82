//! States of processes that no chain of transitions leads to.

use std::collections::{BTreeMap, BTreeSet};

use sweepline_text::Source;

use crate::ast::{Model, Process};
use crate::errors::DveWarning;

/// A warning for every state that cannot be entered, whatever the guards say.
pub(crate) fn unreachable_states(model: &Model, source: &Source) -> Vec<DveWarning> {
    let mut warnings = Vec::new();
    for process in &model.processes {
        let reachable = reachable(process);
        let states = process.states.iter();
        for state in states.filter(|state| !reachable.contains(state.text.as_str())) {
            warnings.push(DveWarning::UnreachableState {
                process: process.name.text.clone(),
                state: state.text.clone(),
                text: source.named(),
                at: state.span.clone().into(),
            });
        }
    }
    warnings
}

fn reachable(process: &Process) -> BTreeSet<&str> {
    let mut targets: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for transition in &process.transitions {
        let source = targets.entry(&transition.source.text).or_default();
        source.push(&transition.target.text);
    }
    let mut reached = BTreeSet::new();
    let mut open: Vec<&str> = process.initial.iter().map(|s| s.text.as_str()).collect();
    while let Some(state) = open.pop() {
        if reached.insert(state) {
            open.extend(targets.get(state).into_iter().flatten());
        }
    }
    reached
}
