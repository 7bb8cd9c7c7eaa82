//! Questions, bound to a system.

use std::fmt;

use sweepline_core::{ActionId, Word};
use sweepline_logic::Enabled;

/// A question about the reachable states of a system.
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
}

/// What is asked: a truth value over all reachable states, or the largest value.
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

/// A test of a state.
pub struct Test {
    /// Tests; an error says why there is no answer (an overflow, a division by zero).
    pub eval: Eval<bool>,
    /// Whether it looks at [`Seen::enabled`].
    pub needs_enabled: bool,
}

impl Test {
    /// A test that does not look at the set of enabled actions.
    pub fn of_state(
        test: impl Fn(Seen<'_>) -> Result<bool, String> + Send + Sync + 'static,
    ) -> Self {
        Self {
            eval: Box::new(test),
            needs_enabled: false,
        }
    }
}

/// A value of a state; an error says why it has none.
pub type Value = Eval<i64>;

/// Something that is computed from a state; an error says why it cannot be.
pub type Eval<T> = Box<dyn Fn(Seen<'_>) -> Result<T, String> + Send + Sync>;

impl Question {
    /// Is there no deadlock?
    pub fn no_deadlock() -> Self {
        Self {
            name: "deadlock".into(),
            kind: QuestionKind::Deadlock,
            text: "AG (not deadlock)".into(),
            truth: Truth::Invariant(Test::of_state(|seen| Ok(!seen.deadlock))),
        }
    }

    /// Do all reachable states pass the test?
    pub fn invariant(
        name: impl Into<String>,
        text: impl Into<String>,
        test: impl Fn(Seen<'_>) -> Result<bool, String> + Send + Sync + 'static,
    ) -> Self {
        let truth = Truth::Invariant(Test::of_state(test));
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
        let truth = Truth::Reachable(Test::of_state(test));
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
        })
    }
}
