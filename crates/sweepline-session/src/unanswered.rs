//! Questions that are asked but that this version cannot answer. They are listed as inconclusive, with the reason, while the
//! others are answered.
//!
//! Whoever teaches the checker to answer one kind of them takes that kind out of [`Asked`]; what is needed for it is kept
//! there.

use sweepline_check::{Question, QuestionKind};
use sweepline_core::StopReason;
use sweepline_dve::PropertyAutomaton;
use sweepline_net::Refusal;

/// A question without an answer.
#[derive(Clone, Debug)]
pub struct Unanswered {
    /// What it is called.
    pub name: String,
    /// What is asked, and so why there is no answer.
    pub asked: Asked,
    /// How many of the properties are asked before it.
    pub(crate) after: usize,
}

/// What is asked.
#[derive(Clone, Debug)]
pub enum Asked {
    /// A formula of the contest, as it is written.
    Contest {
        /// Its XML.
        text: String,
    },
    /// The property process of a DVE model, and why it cannot be used.
    PropertyProcess(PropertyAutomaton, &'static str),
    /// A property of a file that is wrong, while others of the file are not.
    Wrong {
        /// The property, as far as it is known.
        text: String,
        /// What is wrong with it.
        message: String,
    },
}

impl Unanswered {
    /// A question that comes with a model.
    pub(crate) fn of_model(name: impl Into<String>, asked: Asked) -> Self {
        let name = name.into();
        let after = 0;
        Self { name, asked, after }
    }

    /// The question, as one that nobody can answer.
    pub(crate) fn question(&self) -> Question {
        let (kind, text) = (self.asked.kind(), self.asked.text());
        Question::unanswered(self.name.clone(), kind, text, self.asked.reason())
    }
}

impl Asked {
    /// What sort of question it is.
    pub fn kind(&self) -> QuestionKind {
        match self {
            Self::Contest { .. } => QuestionKind::Ctl,
            Self::PropertyProcess(..) => QuestionKind::BuchiAutomaton,
            Self::Wrong { .. } => QuestionKind::Formula,
        }
    }

    /// How it is written.
    pub fn text(&self) -> String {
        match self {
            Self::Contest { text } | Self::Wrong { text, .. } => text.clone(),
            Self::PropertyProcess(automaton, _) => {
                format!("no run is accepted by process {}", automaton.name)
            }
        }
    }

    /// Why there is no answer.
    pub fn reason(&self) -> StopReason {
        let what = match self {
            Self::Contest { .. } => "a formula of CTL*",
            Self::PropertyProcess(_, why) => {
                return StopReason::Other(format!("a condition cannot be told: {why}"));
            }
            Self::Wrong { message, .. } => return StopReason::Other(message.clone()),
        };
        StopReason::NotChecked(what.to_owned())
    }
}

impl From<Refusal> for Unanswered {
    fn from(refusal: Refusal) -> Self {
        let text = refusal.text;
        Self::of_model(refusal.property, Asked::Contest { text })
    }
}
