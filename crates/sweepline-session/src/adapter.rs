//! What is explored instead of a model, so that a question about the model can be answered.

use std::sync::Arc;

use sweepline_check::{Question, QuestionKind, Test, Truth};
use sweepline_core::{AnySystem, Trace};
use sweepline_explore::replay_projected;
use sweepline_logic::{Product, SafetyAutomaton};

use crate::error::Error;
use crate::questions::{NEVER_ACCEPTED, Questions};
use crate::reduction::Preserved;

/// How the system of a model is adapted to what is asked.
///
/// The slots of the model keep their ids and places in the adapted system, so that a measure of the model is one of the
/// adapted system, and the actions are those of the model. A wider encoding of the model is adapted again.
pub trait Adapter {
    /// The adapted system and the questions put to it.
    fn adapt(&self, system: &Arc<dyn AnySystem>) -> Result<Adapted, Error>;

    /// A path of the adapted system as one of the system, looked up there step by step.
    fn project(&self, system: &Arc<dyn AnySystem>, trace: Trace) -> Result<Trace, Error>;

    /// Whether a projected path really shows what the path of the adapted system showed, as far as that can be told without
    /// the adapted system.
    fn confirms(&self, system: &Arc<dyn AnySystem>, trace: &Trace) -> Result<bool, Error>;

    /// Whether all states of the model are seen when everything is explored.
    fn covers_model(&self) -> bool;

    /// What is preserved, if steps of the model are left out.
    fn preserves(&self) -> Option<Preserved> {
        None
    }
}

/// An adapted system and the questions put to it.
pub struct Adapted {
    /// The system.
    pub system: Arc<dyn AnySystem>,
    /// The questions, bound to it.
    pub questions: Vec<Question>,
}

/// No adaptation: questions about the states of the model.
pub struct Plain<'q>(pub &'q Questions);

impl Adapter for Plain<'_> {
    fn adapt(&self, system: &Arc<dyn AnySystem>) -> Result<Adapted, Error> {
        Ok(Adapted {
            questions: self.0.bind(system)?,
            system: Arc::clone(system),
        })
    }

    fn project(&self, _: &Arc<dyn AnySystem>, trace: Trace) -> Result<Trace, Error> {
        Ok(trace)
    }

    /// The last state was asked again when the path was replayed.
    fn confirms(&self, _: &Arc<dyn AnySystem>, _: &Trace) -> Result<bool, Error> {
        Ok(true)
    }

    fn covers_model(&self) -> bool {
        true
    }
}

/// The product with a safety automaton, which is asked whether the automaton ever accepts. The automaton may end a path before
/// the model does.
pub struct Watched<'q> {
    /// The automaton.
    pub automaton: &'q SafetyAutomaton,
    /// Where its guards find their propositions.
    pub questions: &'q Questions,
}

impl Watched<'_> {
    fn product(&self, system: &Arc<dyn AnySystem>) -> Result<Product<Arc<dyn AnySystem>>, Error> {
        let definitions = &self.questions.definitions;
        Ok(Product::new(
            Arc::clone(system),
            self.automaton,
            definitions,
        )?)
    }
}

impl Adapter for Watched<'_> {
    fn adapt(&self, system: &Arc<dyn AnySystem>) -> Result<Adapted, Error> {
        let product = Arc::new(self.product(system)?);
        let question = Question {
            name: self.automaton.text().name().to_owned(),
            kind: QuestionKind::SafetyAutomaton,
            text: NEVER_ACCEPTED.to_owned(),
            truth: Truth::Invariant(Test::Rejected(product.acceptor().clone())),
        };
        Ok(Adapted {
            system: product,
            questions: vec![question],
        })
    }

    fn project(&self, system: &Arc<dyn AnySystem>, trace: Trace) -> Result<Trace, Error> {
        let projected = self.product(system)?.project_trace(&trace);
        Ok(replay_projected(system, &projected, |state| state)?)
    }

    /// The automaton reads the path from the beginning.
    fn confirms(&self, system: &Arc<dyn AnySystem>, trace: &Trace) -> Result<bool, Error> {
        let states = trace.steps.iter().map(|step| &*step.state);
        let read = std::iter::once(&*trace.initial).chain(states);
        Ok(self.product(system)?.accepts(read))
    }

    fn covers_model(&self) -> bool {
        false
    }
}
