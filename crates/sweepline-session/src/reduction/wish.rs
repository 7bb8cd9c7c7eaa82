//! What questions allow to be left out.

use sweepline_logic::{Formula, Pred, Property, PropertyKind};

use crate::questions::Questions;

/// What a question allows.
pub(super) enum Wish {
    /// Nothing but deadlocks matters.
    Deadlocks,
    /// These predicates with these values can be reached or not.
    Goals(Vec<(Pred, bool)>),
    /// It is about runs and these atoms, and cannot tell how often a state is repeated.
    Runs(Vec<Pred>),
    /// It is about more than stubborn sets preserve.
    Refused(String),
}

/// The first question that is not about states alone, and why it is in the way.
pub(super) fn about_more(questions: &Questions) -> Option<(String, String)> {
    let bound = questions
        .bound
        .first()
        .map(|question| question.name.clone());
    let asserted = questions.assertions.first().map(|it| it.name().to_owned());
    let fair = questions.fairness.first().map(|_| "fairness".to_owned());
    let what = bound.or(asserted).or(fair)?;
    Some((what, AUTOMATA.to_owned()))
}

/// Why automata on infinite words and whatever else watches single steps are explored in full.
const AUTOMATA: &str = "automata on runs, fluents and fairness see every single step";

/// What there is to know of one question.
pub(super) fn wish(property: &Property) -> Wish {
    match &property.kind {
        PropertyKind::Formula(formula) => {
            let (mut goals, mut deadlocks) = (Vec::new(), 0);
            gather(formula, &mut goals, &mut deadlocks);
            match (deadlocks, goals.is_empty()) {
                (0, _) => Wish::Goals(goals),
                (_, true) => Wish::Deadlocks,
                _ => Wish::Refused("it is about deadlocks and about other states too".into()),
            }
        }
        PropertyKind::Bound(_) => Wish::Refused("it asks for the largest value of all".into()),
        PropertyKind::AllRuns(ltl) | PropertyKind::SomeRun(ltl) => {
            if matches!(ltl.is_stutter_invariant(), Ok(true)) {
                Wish::Runs(ltl.atoms.clone())
            } else {
                Wish::Refused("it can tell how often a state is repeated".into())
            }
        }
        PropertyKind::NoRun(_) => Wish::Refused(AUTOMATA.into()),
        PropertyKind::Ctl(_) | PropertyKind::Live(_) => {
            Wish::Refused("branching time is not preserved by stubborn sets".into())
        }
    }
}

/// The predicates that states are looked for by, with the value they are to have, and how many of them are deadlocks.
fn gather(formula: &Formula, goals: &mut Vec<(Pred, bool)>, deadlocks: &mut usize) {
    match formula {
        // It is decided before anything is left out, but it must not ask for steps.
        Formula::Initially(pred) => goals.push((pred.clone(), true)),
        Formula::Reachable(pred) | Formula::Invariant(pred) => {
            let truth = matches!(formula, Formula::Reachable(_));
            let mut inner = pred;
            while let Pred::Not(operand) = inner {
                inner = operand;
            }
            if *inner == Pred::Deadlock {
                *deadlocks += 1;
            } else {
                goals.push((pred.clone(), truth));
            }
        }
        Formula::Not(inner) => gather(inner, goals, deadlocks),
        Formula::And(parts) | Formula::Or(parts) => {
            for part in parts {
                gather(part, goals, deadlocks);
            }
        }
    }
}
