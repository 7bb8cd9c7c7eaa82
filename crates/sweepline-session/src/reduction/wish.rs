//! What questions allow to be left out.

use sweepline_logic::{Definition, Formula, Pred, Property, PropertyKind};
use sweepline_reduce::is_total;

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

/// What there is to know of one question that may use these definitions.
pub(super) fn wish(property: &Property, definitions: &[Definition]) -> Wish {
    match &property.kind {
        PropertyKind::Formula(formula) => {
            let mut gathered = Gathered {
                total: definitions.iter().all(|it| is_total(&it.pred)),
                ..Gathered::default()
            };
            gathered.add(formula);
            match (gathered.deadlocks, gathered.goals.is_empty()) {
                (0, _) => Wish::Goals(gathered.goals),
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
        PropertyKind::Ctl(_) | PropertyKind::Live(_) | PropertyKind::HomeState => {
            Wish::Refused("branching time is not preserved by stubborn sets".into())
        }
    }
}

/// What states are looked for.
#[derive(Default)]
struct Gathered {
    /// Predicates with the value they are to have.
    goals: Vec<(Pred, bool)>,
    /// How many others only deadlocks can satisfy.
    deadlocks: usize,
    /// Whether whatever names stand for has a value in every state.
    total: bool,
}

impl Gathered {
    fn add(&mut self, formula: &Formula) {
        match formula {
            // It is decided before anything is left out, but it must not ask for steps.
            Formula::Initially(pred) => self.goals.push((pred.clone(), true)),
            Formula::Reachable(pred) | Formula::Invariant(pred) => {
                let truth = matches!(formula, Formula::Reachable(_));
                // States in which it has no value must not be missed.
                if self.total && is_total(pred) && only_deadlocks(pred, truth) {
                    self.deadlocks += 1;
                } else {
                    self.goals.push((pred.clone(), truth));
                }
            }
            Formula::Not(inner) => self.add(inner),
            Formula::And(parts) | Formula::Or(parts) => {
                for part in parts {
                    self.add(part);
                }
            }
        }
    }
}

/// Whether nothing but deadlocks can give a predicate this value, as far as its shape tells: `EF (deadlock and p)`, `AG (deadlock -> p)`.
fn only_deadlocks(pred: &Pred, truth: bool) -> bool {
    match pred {
        Pred::Deadlock => truth,
        Pred::Constant(value) => *value != truth,
        Pred::Not(operand) => only_deadlocks(operand, !truth),
        // All of its parts have the value then, or one of them has, and it may be any.
        Pred::And(parts) if truth => parts.iter().any(|part| only_deadlocks(part, true)),
        Pred::Or(parts) if !truth => parts.iter().any(|part| only_deadlocks(part, false)),
        Pred::And(parts) | Pred::Or(parts) => parts.iter().all(|part| only_deadlocks(part, truth)),
        Pred::Implies(a, b) if truth => only_deadlocks(a, false) && only_deadlocks(b, true),
        Pred::Implies(a, b) => only_deadlocks(a, true) || only_deadlocks(b, false),
        Pred::Iff(..) | Pred::Holds(_) | Pred::Fireable(_) | Pred::Compare(..) => false,
    }
}
