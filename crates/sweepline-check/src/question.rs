//! Questions, bound to a system.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use sweepline_core::{ActionId, StopReason, Word};
use sweepline_logic::{Acceptor, Enabled, IntExpr, Predicate};

use crate::ctl::Branches;
use crate::ltl::FairChoice;
use crate::runs::Runs;

/// A question about the reachable states of a system.
#[derive(Clone)]
pub struct Question {
    /// The name it is reported under.
    pub name: String,
    /// What sort of question it is, for reports.
    pub kind: QuestionKind,
    /// How it is written, for reports.
    pub text: String,
    /// What is asked.
    pub truth: Truth,
}

/// What sort of question it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuestionKind {
    /// Is there no deadlock?
    Deadlock,
    /// Do all states satisfy something?
    Invariant,
    /// Does some state satisfy something?
    Reach,
    /// A truth value built from such.
    Formula,
    /// The largest value of an expression.
    Bound,
    /// Is no accepting state of a safety automaton reached?
    SafetyAutomaton,
    /// A formula of linear temporal logic.
    Ltl,
    /// A formula of computation tree logic.
    Ctl,
    /// Does something happen again and again in every fair run?
    Progress,
    /// Is no run accepted by an automaton on infinite words?
    BuchiAutomaton,
    /// Does a condition hold that the model states itself?
    Assertion,
    /// Can every step be taken that the model describes?
    ModelError,
}

/// What is asked: a truth value over all reachable states, or the largest value.
#[derive(Clone, Debug)]
pub enum Truth {
    /// All initial states pass the test.
    Initially(Test),
    /// Some reachable state passes the test.
    Reachable(Test),
    /// All reachable states pass the test.
    Invariant(Test),
    /// Some reachable state enables one of these actions. The same as a test, but cheaper for many actions.
    Enabled(Vec<ActionId>),
    /// Not.
    Not(Box<Truth>),
    /// All of them.
    And(Vec<Truth>),
    /// At least one of them.
    Or(Vec<Truth>),
    /// The largest value in any reachable state; stands alone.
    Largest(Value),
    /// Something about infinite runs; stands alone.
    Runs(Box<Runs>),
    /// Something about the runs that count under fair choice; stands alone.
    FairChoice(Box<FairChoice>),
    /// A formula of branching time; stands alone.
    Branches(Box<Branches>),
    /// Nobody can tell, and this is why; stands alone.
    Unknown(StopReason),
}

/// A state with what is known of it when it has been expanded.
#[derive(Clone, Copy, Debug)]
pub struct Seen<'a> {
    /// The state.
    pub state: &'a [Word],
    /// The actions of its steps, one per step.
    pub actions: &'a [ActionId],
    /// The same as a set; empty if no test needs it.
    pub enabled: &'a Enabled,
    /// Whether the state is a deadlock: it has no steps, and the system does not call it an end.
    pub deadlock: bool,
}

/// A test of a state. It keeps what is asked, so that others can see which slots and actions it is about.
#[derive(Clone, Debug)]
pub enum Test {
    /// A predicate whose names have been looked up.
    Predicate(Predicate),
    /// The state is a deadlock. The same as the predicate, but cheaper.
    Deadlock,
    /// The state is no deadlock.
    NoDeadlock,
    /// The state enables one of these actions.
    Enables(Arc<BTreeSet<ActionId>>),
    /// The automaton beside the model does not accept.
    Rejected(Acceptor),
    /// Whatever a model in Rust asks; nothing is known of it.
    Custom(Eval<bool>),
}

impl Test {
    /// A test of which nothing is known. It looks at [`Seen::state`] and nothing else: states whose steps cannot be known
    /// are asked too.
    pub fn custom(test: impl Fn(Seen<'_>) -> Result<bool, String> + Send + Sync + 'static) -> Self {
        Self::Custom(Eval(Arc::new(test)))
    }

    /// The predicate, where there is one.
    pub fn predicate(&self) -> Option<&Predicate> {
        match self {
            Self::Predicate(predicate) => Some(predicate),
            Self::Deadlock
            | Self::NoDeadlock
            | Self::Enables(_)
            | Self::Rejected(_)
            | Self::Custom(_) => None,
        }
    }

    /// Whether it looks at [`Seen::enabled`].
    pub fn needs_enabled(&self) -> bool {
        self.predicate().is_some_and(Predicate::needs_enabled)
    }

    /// Whether it looks at what the state enables, or at whether it is a deadlock.
    pub(crate) fn is_about_steps(&self) -> bool {
        match self {
            Self::Predicate(predicate) => predicate.needs_enabled(),
            Self::Deadlock | Self::NoDeadlock | Self::Enables(_) => true,
            Self::Rejected(_) | Self::Custom(_) => false,
        }
    }

    /// Whether the state passes; an error says why there is no answer (an overflow, a division by zero).
    #[inline]
    pub fn eval(&self, seen: Seen<'_>) -> Result<bool, String> {
        match self {
            Self::Predicate(predicate) => predicate
                .eval(seen.state, seen.enabled)
                .map_err(|error| error.to_string()),
            Self::Deadlock => Ok(seen.deadlock),
            Self::NoDeadlock => Ok(!seen.deadlock),
            Self::Enables(actions) => {
                let mut enabled = seen.actions.iter();
                Ok(enabled.any(|action| actions.contains(action)))
            }
            Self::Rejected(acceptor) => Ok(!acceptor.accepts(seen.state)),
            Self::Custom(test) => (test.0)(seen),
        }
    }
}

/// A value of a state.
#[derive(Clone, Debug)]
pub enum Value {
    /// An expression whose names have been looked up.
    Expression(IntExpr),
    /// Whatever a model in Rust asks for; nothing is known of it.
    Custom(Eval<i64>),
}

impl Value {
    /// A value of which nothing is known. It does not see [`Seen::enabled`].
    pub fn custom(value: impl Fn(Seen<'_>) -> Result<i64, String> + Send + Sync + 'static) -> Self {
        Self::Custom(Eval(Arc::new(value)))
    }

    /// The expression, where there is one.
    pub fn expression(&self) -> Option<&IntExpr> {
        match self {
            Self::Expression(expression) => Some(expression),
            Self::Custom(_) => None,
        }
    }

    /// The value; an error says why there is none.
    #[inline]
    pub fn eval(&self, seen: Seen<'_>) -> Result<i64, String> {
        match self {
            Self::Expression(expression) => expression
                .eval(seen.state)
                .map_err(|error| error.to_string()),
            Self::Custom(value) => (value.0)(seen),
        }
    }
}

/// Something that is computed from a state; an error says why it cannot be.
pub struct Eval<T>(Arc<Computed<T>>);

type Computed<T> = dyn Fn(Seen<'_>) -> Result<T, String> + Send + Sync;

impl<T> Clone for Eval<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> fmt::Debug for Eval<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a function")
    }
}

impl Question {
    /// Is there no deadlock?
    pub fn no_deadlock() -> Self {
        Self {
            name: "deadlock".into(),
            kind: QuestionKind::Deadlock,
            text: "AG (not deadlock)".into(),
            truth: Truth::Invariant(Test::NoDeadlock),
        }
    }

    /// A question that is asked and that nobody can answer.
    pub fn unanswered(
        name: impl Into<String>,
        kind: QuestionKind,
        text: impl Into<String>,
        why: StopReason,
    ) -> Self {
        Self {
            name: name.into(),
            kind,
            text: text.into(),
            truth: Truth::Unknown(why),
        }
    }

    /// Do all reachable states pass the test?
    pub fn invariant(
        name: impl Into<String>,
        text: impl Into<String>,
        test: impl Fn(Seen<'_>) -> Result<bool, String> + Send + Sync + 'static,
    ) -> Self {
        let truth = Truth::Invariant(Test::custom(test));
        Self {
            name: name.into(),
            kind: QuestionKind::Invariant,
            text: text.into(),
            truth,
        }
    }

    /// Does some reachable state pass the test?
    pub fn reachable(
        name: impl Into<String>,
        text: impl Into<String>,
        test: impl Fn(Seen<'_>) -> Result<bool, String> + Send + Sync + 'static,
    ) -> Self {
        let truth = Truth::Reachable(Test::custom(test));
        Self {
            name: name.into(),
            kind: QuestionKind::Reach,
            text: text.into(),
            truth,
        }
    }
}

impl fmt::Debug for Question {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Question")
            .field("name", &self.name)
            .field("text", &self.text)
            .finish_non_exhaustive()
    }
}

impl fmt::Display for QuestionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Deadlock => "deadlock",
            Self::Invariant => "invariant",
            Self::Reach => "reach",
            Self::Formula => "formula",
            Self::Bound => "bound",
            Self::SafetyAutomaton => "safety-automaton",
            Self::Ltl => "ltl",
            Self::Ctl => "ctl",
            Self::Progress => "progress",
            Self::BuchiAutomaton => "automaton",
            Self::Assertion => "assertion",
            Self::ModelError => "error",
        })
    }
}
