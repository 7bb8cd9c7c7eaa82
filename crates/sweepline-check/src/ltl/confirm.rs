//! Judging a run under fair choice on the model itself, and saying in words what it is like.

use std::collections::BTreeSet;

use sweepline_core::{ActionId, Describe, Trace};
use sweepline_explore::{Path, replay};

use super::choice::FairChoice;
use super::lasso::{Lasso, LassoStep};
use super::resort::{Beyond, MOST};

/// A run that was followed in the model, and what is to be said of where it ends up.
pub type Confirmed = (Trace, String);

/// Names that are listed.
const LISTED: usize = 12;

/// Follows a run through the model and looks again at the terminal component it ends up in.
pub fn confirm<S: Describe>(
    system: &S,
    claim: &FairChoice,
    lasso: &Lasso,
) -> Result<Confirmed, String> {
    let ordinals = |steps: &[LassoStep]| -> Vec<usize> {
        steps.iter().filter_map(|step| step.ordinal).collect()
    };
    let stem = Path {
        initial: lasso.initial,
        steps: ordinals(&lasso.stem),
        loop_start: None,
    };
    let path = stem.repeating(ordinals(&lasso.cycle));
    let trace = replay(system, &path).map_err(|error| error.to_string())?;
    let before = trace.loop_start.unwrap_or(0);
    let entry = match before.checked_sub(1) {
        None => &trace.initial,
        Some(last) => &trace.steps[last].state,
    };
    let repeated = trace.steps[before..].iter().map(|step| step.action);
    let beyond = Beyond::of(system, entry)?;
    let taken = if beyond.is_whole {
        beyond.taken()
    } else {
        repeated.collect()
    };
    if beyond.is_whole && beyond.components().len() > 1 {
        return Err("there is a way out of the component".into());
    }
    match claim {
        FairChoice::Progress(_) | FairChoice::Live(_) if !claim.is_violated_by(&taken) => {
            return Err("the component does what is claimed".into());
        }
        FairChoice::Formula(formula) if formula.claim().is_satisfied_by(&trace) => {
            return Err("the run satisfies the formula".into());
        }
        FairChoice::Progress(_) | FairChoice::Live(_) | FairChoice::Formula(_) => {}
    }
    let states = beyond.is_whole.then(|| beyond.states());
    let words = words(system, states, &taken);
    Ok((trace, words))
}

/// What goes on in a terminal component.
fn words<S: Describe>(system: &S, states: Option<usize>, taken: &BTreeSet<ActionId>) -> String {
    if taken.is_empty() {
        return "nothing can happen any more".into();
    }
    let mut names: Vec<&str> = taken
        .iter()
        .filter(|action| !system.is_internal(**action))
        .filter_map(|action| system.actions().get(action.0 as usize))
        .map(String::as_str)
        .collect();
    names.sort_unstable();
    names.dedup();
    let left_out = names.len().saturating_sub(LISTED);
    names.truncate(LISTED);
    let more = match left_out {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    let listed = format!("{{{}}}{more}", names.join(", "));
    match (states, names.is_empty()) {
        (_, true) => "from there on only internal steps are possible".into(),
        (Some(1), _) => format!("the only state of the terminal component does {listed}"),
        (Some(states), _) => {
            format!("the {states} states of the terminal component do {listed}")
        }
        (None, _) => format!(
            "the terminal component has more than {MOST} states; those that are shown do {listed}"
        ),
    }
}
