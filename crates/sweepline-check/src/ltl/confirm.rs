//! Judging a run under fair choice on the model itself, and saying in words what it is like.

use std::collections::BTreeSet;

use sweepline_core::{ActionId, Describe, Trace, Word};
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
    let Followed {
        trace,
        resort,
        taken,
        ..
    } = Followed::of(system, lasso)?;
    match claim {
        FairChoice::Progress(_) | FairChoice::Live(_) if !claim.is_violated_by(&taken) => {
            return Err("the component does what is claimed".into());
        }
        FairChoice::Formula(formula) if formula.claim().is_satisfied_by(&trace) => {
            return Err("the run satisfies the formula".into());
        }
        FairChoice::Progress(_)
        | FairChoice::Live(_)
        | FairChoice::Formula(_)
        | FairChoice::Home => {}
    }
    let words = words(system, resort.map(|resort| resort.states()), &taken);
    Ok((trace, words))
}

/// Follows runs into terminal components. If all end up in the same states, these are the home states; otherwise there is none. Nothing if
/// that cannot be told, because a component is large.
pub fn confirm_homes<S: Describe>(
    system: &S,
    lassos: &[Lasso],
) -> Result<Option<(bool, Confirmed)>, String> {
    let mut all = lassos.iter().map(|lasso| Followed::of(system, lasso));
    let first = all.next().ok_or("there is no run")??;
    if first.resort.is_none() && lassos.len() > 1 {
        return Ok(None);
    }
    let mut other = None;
    for followed in all {
        let followed = followed?;
        if !first.reaches(&followed) {
            other = Some(followed);
            break;
        }
    }
    let home = other.is_none();
    let words = match (first.states(), other) {
        (Some(1), None) => "its last state is the only home state".into(),
        (Some(states), None) => format!("its last state is one of {states} home states"),
        (None, None) => format!("its last state is one of more than {MOST} home states"),
        (_, Some(other)) => {
            let there = differences(system, &other.entry, &first.entry);
            let [here, size] = [&first, &other].map(Followed::size);
            format!(
                "its last state is in a terminal component of {here}; another one, of {size}, has a state with {there}"
            )
        }
    };
    Ok(Some((home, (first.into_stem(), words))))
}

/// What is different in a state from another one.
fn differences<S: Describe>(system: &S, state: &[Word], from: &[Word]) -> String {
    let values = system.show(state).into_iter().zip(system.show(from));
    let mut differ: Vec<String> = values
        .filter(|(here, there)| here != there)
        .map(|((name, value), _)| format!("{name} = {value}"))
        .collect();
    if differ.len() > LISTED {
        differ.truncate(LISTED);
        differ.push("…".into());
    }
    differ.join(", ")
}

/// A run that was followed.
struct Followed {
    trace: Trace,
    /// Where the part that repeats begins.
    entry: Box<[Word]>,
    /// The terminal component, unless it is large.
    resort: Option<Beyond>,
    /// The actions of the component, or of the part that is shown.
    taken: BTreeSet<ActionId>,
}

impl Followed {
    fn of<S: Describe>(system: &S, lasso: &Lasso) -> Result<Self, String> {
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
        let entry: Box<[Word]> = entry[..].into();
        let repeated = trace.steps[before..].iter().map(|step| step.action);
        let beyond = Beyond::of(system, &entry)?;
        let resort = beyond.is_whole.then_some(beyond);
        let taken = match &resort {
            Some(resort) => resort.taken(),
            None => repeated.collect(),
        };
        if resort
            .as_ref()
            .is_some_and(|all| all.components().len() > 1)
        {
            return Err("there is a way out of the component".into());
        }
        Ok(Self {
            trace,
            entry,
            resort,
            taken,
        })
    }

    /// How many states the component has, unless it is large.
    fn states(&self) -> Option<usize> {
        self.resort.as_ref().map(Beyond::states)
    }

    fn size(&self) -> String {
        match self.states() {
            Some(1) => "one state".into(),
            Some(states) => format!("{states} states"),
            None => format!("more than {MOST} states"),
        }
    }

    /// Whether another component can be reached from this one, as far as that was looked at.
    fn reaches(&self, other: &Self) -> bool {
        let resort = self.resort.as_ref();
        resort.is_some_and(|resort| resort.contains(&other.entry))
    }

    /// The way into the component.
    fn into_stem(mut self) -> Trace {
        let stem = self.trace.loop_start.take();
        self.trace.steps.truncate(stem.unwrap_or(usize::MAX));
        self.trace
    }
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
