//! Binding properties, as they are written, to a system.

use std::sync::Arc;

use sweepline_core::StopReason;
use sweepline_logic::ctl::Ctl;
use sweepline_logic::ltl::{Ltl, translate};
use sweepline_logic::omega::OmegaAutomaton;
use sweepline_logic::{
    Errors, Formula, IntExpr, Name, Pred, Predicate, Property, PropertyKind, ResolveError, Scope,
    Source,
};

use crate::ctl::Branches;
use crate::ltl::FairChoice;
use crate::question::{Question, QuestionKind, Test, Truth, Value};
use crate::runs::{Accepted, Runs};
use crate::vacuous::Claimed;

impl Question {
    /// Looks up the names of a property; `source` is the text they stand in.
    pub fn bind(
        property: &Property,
        scope: &Scope<'_>,
        source: &Source,
    ) -> Result<Self, Errors<ResolveError>> {
        Self::bind_knowing(property, scope, source, &|_| None)
    }

    /// The same where some predicates are known to have the same value in all states, which questions about runs make use of. Of
    /// formulas of branching time, all runs must count then.
    pub fn bind_knowing(
        property: &Property,
        scope: &Scope<'_>,
        source: &Source,
        known: &dyn Fn(&Pred) -> Option<bool>,
    ) -> Result<Self, Errors<ResolveError>> {
        let binder = Binder { scope, source };
        let (kind, truth, text) = match &property.kind {
            PropertyKind::Formula(formula) => {
                let truth = binder.truth(formula)?;
                (kind_of(formula), truth, formula.to_string())
            }
            PropertyKind::Bound(expr) => {
                let value = Value::Expression(IntExpr::resolve(expr, scope, source)?);
                let text = format!("bound({expr})");
                (QuestionKind::Bound, Truth::Largest(value), text)
            }
            PropertyKind::AllRuns(ltl) | PropertyKind::SomeRun(ltl) => {
                let accepted = match property.kind {
                    PropertyKind::AllRuns(_) => Accepted::Violates,
                    _ => Accepted::Shows,
                };
                let truth = binder.runs(ltl, accepted, known)?;
                (QuestionKind::Ltl, truth, property.kind.to_string())
            }
            PropertyKind::Ctl(ctl) => {
                let truth = binder.branches(&ctl.knowing(known))?;
                (QuestionKind::Ctl, truth, ctl.to_string())
            }
            PropertyKind::Live(groups) => {
                let truth = Binder { scope, source }.live(groups)?;
                (QuestionKind::Ctl, truth, property.kind.to_string())
            }
            PropertyKind::HomeState => {
                let truth = Truth::FairChoice(Box::new(FairChoice::Home));
                (QuestionKind::Ctl, truth, property.kind.to_string())
            }
            PropertyKind::NoRun(automaton) => {
                let automaton = OmegaAutomaton::clone(automaton);
                let truth = binder.accepted_runs(automaton, Accepted::Violates, None)?;
                let kind = QuestionKind::BuchiAutomaton;
                (kind, truth, property.kind.to_string())
            }
        };
        Ok(Self {
            name: property.name.clone(),
            kind,
            text,
            truth,
        })
    }
}

fn kind_of(formula: &Formula) -> QuestionKind {
    match formula {
        Formula::Invariant(Pred::Not(inner)) if **inner == Pred::Deadlock => QuestionKind::Deadlock,
        Formula::Invariant(_) => QuestionKind::Invariant,
        Formula::Reachable(_) => QuestionKind::Reach,
        _ => QuestionKind::Formula,
    }
}

struct Binder<'a, 's> {
    scope: &'a Scope<'s>,
    source: &'a Source,
}

impl Binder<'_, '_> {
    fn truth(&self, formula: &Formula) -> Result<Truth, Errors<ResolveError>> {
        Ok(match formula {
            Formula::Initially(pred) => Truth::Initially(self.test(pred)?),
            Formula::Reachable(pred) => self.reachable(pred)?,
            Formula::Invariant(pred) => Truth::Invariant(self.test(pred)?),
            Formula::Not(inner) => Truth::Not(Box::new(self.truth(inner)?)),
            Formula::And(parts) => Truth::And(self.all(parts)?),
            Formula::Or(parts) => Truth::Or(self.all(parts)?),
        })
    }

    /// Waiting for an action to be enabled is cheaper than testing for it in every state, and examinations ask for
    /// thousands of actions.
    fn reachable(&self, pred: &Pred) -> Result<Truth, Errors<ResolveError>> {
        let test = self.test(pred)?;
        Ok(match pred {
            Pred::Fireable(names) => {
                let actions = names
                    .iter()
                    .flat_map(|name| self.scope.actions_named(&name.text))
                    .copied();
                Truth::Enabled(actions.collect())
            }
            _ => Truth::Reachable(test),
        })
    }

    /// A question about runs, unless its automaton would be too large.
    fn runs(
        &self,
        ltl: &Ltl,
        accepted: Accepted,
        known: &dyn Fn(&Pred) -> Option<bool>,
    ) -> Result<Truth, Errors<ResolveError>> {
        let known: Vec<_> = ltl.atoms.iter().map(known).collect();
        let valued = ltl.with_values(&known);
        let (translated, claimed) = match accepted {
            Accepted::Violates => {
                let ltl = ltl.clone();
                (translate(&valued.negated()), Some(Claimed { ltl, known }))
            }
            Accepted::Shows => (translate(&valued), None),
        };
        match translated {
            Ok(automaton) => self.accepted_runs(automaton, accepted, claimed.map(Arc::new)),
            Err(error) => Ok(Truth::Unknown(StopReason::Other(error.to_string()))),
        }
    }

    /// Whether a run is accepted by an automaton.
    fn accepted_runs(
        &self,
        automaton: OmegaAutomaton,
        accepted: Accepted,
        formula: Option<Arc<Claimed>>,
    ) -> Result<Truth, Errors<ResolveError>> {
        let (mut atoms, mut errors) = (Vec::new(), Vec::new());
        for atom in &automaton.atoms {
            match self.test(atom) {
                Ok(test) => atoms.push(test),
                Err(found) => errors.extend(found.into_vec()),
            }
        }
        let runs = Runs {
            automaton: Arc::new(automaton),
            atoms,
            accepted,
            formula,
            fairness: Vec::new(),
        };
        Errors::unless_none(Truth::Runs(Box::new(runs)), errors)
    }

    /// A formula of branching time. If it is about reachable states only, that is asked instead where it means the same.
    fn branches(&self, ctl: &Ctl) -> Result<Truth, Errors<ResolveError>> {
        let (mut atoms, mut errors) = (Vec::new(), Vec::new());
        for atom in &ctl.atoms {
            match self.test(atom) {
                Ok(test) => atoms.push(test),
                Err(found) => errors.extend(found.into_vec()),
            }
        }
        Errors::unless_none((), errors)?;
        let reachability = match ctl.as_formula() {
            Some(formula) => Some(self.truth(&formula)?),
            None => None,
        };
        Ok(Truth::Branches(Box::new(Branches {
            ctl: Arc::new(ctl.clone()),
            atoms,
            reachability,
            fairness: Vec::new(),
            certify: false,
        })))
    }

    /// An action of each group can be taken in every terminal component.
    fn live(&self, groups: &[Vec<Name>]) -> Result<Truth, Errors<ResolveError>> {
        // Names that are not there are reported.
        self.test(&Pred::Fireable(groups.concat()))?;
        let groups = groups.iter().map(|names| {
            let actions = names.iter();
            let actions = actions.flat_map(|name| self.scope.actions_named(&name.text));
            actions.copied().collect()
        });
        let live = FairChoice::Live(groups.collect());
        Ok(Truth::FairChoice(Box::new(live)))
    }

    fn all(&self, parts: &[Formula]) -> Result<Vec<Truth>, Errors<ResolveError>> {
        let (mut truths, mut errors) = (Vec::new(), Vec::new());
        for part in parts {
            match self.truth(part) {
                Ok(truth) => truths.push(truth),
                Err(found) => errors.extend(found.into_vec()),
            }
        }
        Errors::unless_none(truths, errors)
    }

    fn test(&self, pred: &Pred) -> Result<Test, Errors<ResolveError>> {
        let is_deadlock = |pred: &Pred| *pred == Pred::Deadlock;
        Ok(match pred {
            Pred::Deadlock => Test::Deadlock,
            Pred::Not(inner) if is_deadlock(inner) => Test::NoDeadlock,
            pred => Test::Predicate(Predicate::resolve(pred, self.scope, self.source)?),
        })
    }
}
