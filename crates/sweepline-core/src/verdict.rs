//! Answers.

use crate::StopReason;

/// The answer to a question about a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// True. Unless a witness comes with it, the whole state space was covered.
    Holds,
    /// False. Unless a counterexample comes with it, the whole state space was covered.
    Violated,
    /// The search ended early; nothing is claimed.
    Inconclusive(StopReason),
}

impl Verdict {
    /// The verdict for a question that is decided.
    pub fn of(truth: bool) -> Self {
        if truth { Self::Holds } else { Self::Violated }
    }
}
