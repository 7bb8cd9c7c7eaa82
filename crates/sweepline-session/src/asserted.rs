//! Formulas over fluents that FSP models state, bound to their networks.

use std::sync::Arc;

use sweepline_check::ltl::{FairChoice, FairFormula, FluentClaim};
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
    assertion: Assertion,
    /// Why it cannot be checked, if it cannot.
    refused: Option<&'static str>,
}

impl Asserted {
    /// A formula that can be checked unless there is a reason why not.
    pub(crate) fn new(assertion: Assertion, refused: Option<&'static str>) -> Self {
        Self { assertion, refused }
    }

    /// What it is called.
    pub fn name(&self) -> &str {
        &self.assertion.name
    }

    /// Whether somebody who writes this means it: its name, or the name of its family.
    pub(crate) fn is_called(&self, name: &str) -> bool {
        is_of_family(&self.assertion.name, name)
    }

    /// Whether all runs satisfy it that count under fair choice.
    pub(crate) fn under_fair_choice(&self, system: &dyn Describe) -> Question {
        let formula = self.claim(system).and_then(FairFormula::new);
        self.question(match formula {
            Ok(formula) => Truth::FairChoice(Box::new(FairChoice::Formula(formula))),
            Err(why) => Truth::Unknown(StopReason::Other(why)),
        })
    }

    /// What it says of a system, or why that cannot be checked.
    fn claim(&self, system: &dyn Describe) -> Result<FluentClaim, String> {
        if let Some(why) = self.refused {
            return Err(why.to_owned());
        }
        let fluents = self.assertion.fluents.iter().map(|fluent| Fluent {
            name: fluent.name.clone(),
            initially: fluent.initially,
            starts: actions_called(&fluent.starts, system),
            ends: actions_called(&fluent.ends, system),
        });
        FluentClaim::new(fluents.collect(), self.assertion.formula.clone())
    }

    fn question(&self, truth: Truth) -> Question {
        let Assertion {
            word, name, text, ..
        } = &self.assertion;
        Question {
            name: name.clone(),
            kind: QuestionKind::Ltl,
            text: format!("{word} {name} = {text}"),
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
    asserted: &'q Asserted,
    /// What is claimed, or why that cannot be checked.
    claim: Result<FluentClaim, String>,
    /// What is assumed of runs.
    questions: &'q Questions,
}

impl<'q> WithFluents<'q> {
    /// A formula of the model with this system, with what the questions assume.
    pub(crate) fn new(
        asserted: &'q Asserted,
        questions: &'q Questions,
        system: &dyn Describe,
    ) -> Self {
        Self {
            claim: asserted.claim(system),
            asserted,
            questions,
        }
    }
}

fn observed(claim: &FluentClaim, system: &Arc<dyn AnySystem>) -> Observed<Arc<dyn AnySystem>> {
    Observed::new(Arc::clone(system), claim.fluents().clone())
}

impl Adapter for WithFluents<'_> {
    fn adapt(&self, system: &Arc<dyn AnySystem>) -> Result<Adapted, Error> {
        let claim = match &self.claim {
            Ok(claim) => claim,
            Err(why) => {
                let unknown = Truth::Unknown(StopReason::Other(why.clone()));
                return Ok(Adapted {
                    system: Arc::clone(system),
                    questions: vec![self.asserted.question(unknown)],
                });
            }
        };
        let observed = Arc::new(observed(claim, system));
        let name = &self.asserted.assertion.name;
        let property = Property {
            name: name.clone(),
            kind: PropertyKind::AllRuns(claim.of_states()),
        };
        let source = Source::new(name.as_str(), "");
        let bound = {
            let scope = Scope::of(&observed).with(&observed.definitions())?;
            Question::bind(&property, &scope, &source)?
        };
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
        let Ok(claim) = &self.claim else {
            return Ok(trace);
        };
        let projected = observed(claim, system).project_trace(&trace);
        Ok(replay_projected(system, &projected, |state| state)?)
    }

    /// The formula is evaluated on the run of the model, by its definition.
    fn confirms(&self, _: &Arc<dyn AnySystem>, trace: &Trace) -> Result<bool, Error> {
        let claim = self.claim.as_ref();
        Ok(claim.is_ok_and(|claim| !claim.is_satisfied_by(trace)))
    }

    /// All states are seen, but perhaps several times.
    fn covers_model(&self) -> bool {
        true
    }
}
