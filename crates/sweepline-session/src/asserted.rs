//! Formulas over fluents that FSP models state, bound to their networks.

use std::sync::Arc;

use sweepline_check::ltl::{FairChoice, FluentClaim};
use sweepline_check::{Question, QuestionKind, Truth};
use sweepline_core::{AnySystem, Describe, StopReason, Trace};
use sweepline_explore::replay_projected;
use sweepline_fsp::Assertion;
use sweepline_logic::{Fluent, Observed, Property, PropertyKind, Scope, Source};

use crate::adapter::{Adapted, Adapter};
use crate::error::Error;
use crate::fair_choice::actions_called;
use crate::fairness::assume;
use crate::questions::Questions;

/// A formula over fluents that all runs of a model satisfy.
#[derive(Clone, Debug)]
pub struct Asserted {
    /// What it is called.
    pub name: String,
    /// How it is written.
    pub text: String,
    /// What is claimed, or why that cannot be checked.
    claim: Result<FluentClaim, String>,
}

impl Asserted {
    /// A formula of a model with this system.
    pub(crate) fn new(assertion: &Assertion, system: &dyn Describe) -> Self {
        let fluents = assertion.fluents.iter().map(|fluent| Fluent {
            name: fluent.name.clone(),
            initially: fluent.initially,
            starts: actions_called(&fluent.starts, system),
            ends: actions_called(&fluent.ends, system),
        });
        Self {
            name: assertion.name.clone(),
            text: format!("{} {} = {}", assertion.word, assertion.name, assertion.text),
            claim: FluentClaim::new(fluents.collect(), assertion.formula.clone()),
        }
    }

    /// The same, which cannot be checked because of this.
    pub(crate) fn refused(self, why: &str) -> Self {
        Self {
            claim: Err(why.to_owned()),
            ..self
        }
    }

    /// Whether somebody who writes this means it: its name, or the name of its family.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        is_of_family(&self.name, name)
    }

    /// Whether all runs satisfy it that count under fair choice.
    pub(crate) fn under_fair_choice(&self) -> Question {
        self.question(match &self.claim {
            Ok(claim) => Truth::FairChoice(Box::new(FairChoice::Formula(claim.clone()))),
            Err(why) => Truth::Unknown(StopReason::Other(why.clone())),
        })
    }

    fn question(&self, truth: Truth) -> Question {
        Question {
            name: self.name.clone(),
            kind: QuestionKind::Ltl,
            text: self.text.clone(),
            truth,
        }
    }
}

/// Whether a name is this one, or this one with indices.
pub(crate) fn is_of_family(name: &str, family: &str) -> bool {
    let rest = name.strip_prefix(family);
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('['))
}

/// The model with the fluents of a formula, which is asked whether all runs satisfy it.
pub(crate) struct WithFluents<'q> {
    pub(crate) asserted: &'q Asserted,
    /// What is assumed of runs.
    pub(crate) questions: &'q Questions,
}

impl WithFluents<'_> {
    fn observed(&self, system: &Arc<dyn AnySystem>) -> Option<Observed<Arc<dyn AnySystem>>> {
        let claim = self.asserted.claim.as_ref().ok()?;
        Some(Observed::new(Arc::clone(system), claim.fluents().clone()))
    }
}

impl Adapter for WithFluents<'_> {
    fn adapt(&self, system: &Arc<dyn AnySystem>) -> Result<Adapted, Error> {
        let (claim, observed) = match (&self.asserted.claim, self.observed(system)) {
            (Ok(claim), Some(observed)) => (claim, Arc::new(observed)),
            (Err(why), _) => {
                let unknown = Truth::Unknown(StopReason::Other(why.clone()));
                return Ok(Adapted {
                    system: Arc::clone(system),
                    questions: vec![self.asserted.question(unknown)],
                });
            }
            (Ok(_), None) => unreachable!("what can be checked can be observed"),
        };
        let property = Property {
            name: self.asserted.name.clone(),
            kind: PropertyKind::AllRuns(claim.of_states()),
        };
        let source = Source::new(self.asserted.name.as_str(), "");
        let scope = Scope::of(&observed).with(&observed.definitions())?;
        let bound = Question::bind(&property, &scope, &source)?;
        let mut questions = [self.asserted.question(bound.truth)];
        // What is assumed speaks of the model: fluents are hidden from it.
        let scope = Scope::of(system).with(&self.questions.definitions)?;
        assume(&self.questions.fairness, system, &scope, &mut questions)?;
        Ok(Adapted {
            system: observed,
            questions: questions.into(),
        })
    }

    fn project(&self, system: &Arc<dyn AnySystem>, trace: Trace) -> Result<Trace, Error> {
        let Some(observed) = self.observed(system) else {
            return Ok(trace);
        };
        let projected = observed.project_trace(&trace);
        Ok(replay_projected(system, &projected, |state| state)?)
    }

    /// The formula is evaluated on the run of the model, by its definition.
    fn confirms(&self, _: &Arc<dyn AnySystem>, trace: &Trace) -> Result<bool, Error> {
        let claim = self.asserted.claim.as_ref();
        Ok(claim.is_ok_and(|claim| !claim.is_satisfied_by(trace)))
    }

    /// All states are seen, but perhaps several times.
    fn covers_model(&self) -> bool {
        true
    }
}
