//! What comes out of an exploration.

use std::fmt;
use std::sync::Arc;

use sweepline_check::Failure;
use sweepline_core::{ActionId, AnySystem, Describe, Statistics, StopReason, Trace, Verdict};

use crate::model::Model;
use crate::order::Order;
use crate::reduction::Preserved;
use crate::trace::Evidence;
use crate::units;
use crate::witness::ShownWitness;

/// The answer to a question, with evidence in the model.
pub type Answer = sweepline_check::Answer<Evidence>;

/// What is shown of an answer.
pub trait ShowWitness {
    /// Why the verdict is so, part by part, for formulas of branching time.
    fn shown_witness(&self) -> Option<ShownWitness>;
}

impl ShowWitness for Answer {
    fn shown_witness(&self) -> Option<ShownWitness> {
        let (witness, evidence) = (self.witness.as_ref()?, self.evidence.as_ref()?);
        Some(ShownWitness::new(witness, &evidence.system))
    }
}

/// One exploration and what it answered.
pub struct Run {
    /// The model's system in the encoding it ended up with.
    pub system: Arc<dyn AnySystem>,
    /// The order it ended with.
    pub order: Order,
    /// How it came to that.
    pub changes: Vec<Change>,
    /// What was done in all attempts.
    pub statistics: Statistics,
    /// Distinct states, if they are known.
    pub states: Option<u64>,
    /// Distinct deadlocks, if they are known.
    pub deadlocks: Option<u64>,
    /// One answer per question, in the same order. Behind them is what the model itself says or does wrong, if that ended the
    /// exploration: an assertion that is violated, or an error of the model.
    pub answers: Vec<Answer>,
    /// Why the exploration ended before everything was covered or decided.
    pub stopped: Option<StopReason>,
    /// Whether all states of the model are seen when it is complete. An automaton may end a path before the model does.
    pub covers_model: bool,
    /// What is preserved, if steps were left out. Then states are not counted, and deadlocks only if all of them are preserved.
    pub preserved: Option<Preserved>,
    /// What else is to be said of how it was done.
    pub notes: Vec<String>,
    /// Something is wrong with the model or with us; the figures are what is known all the same.
    pub failure: Option<Failure>,
}

/// A change of the measure on the way.
#[derive(Clone, Debug)]
pub struct Change {
    /// The order until then.
    pub from: Order,
    /// The order from then on.
    pub to: Order,
    /// Why, in words.
    pub why: String,
    /// Expansions until then, those before a restart included.
    pub explored: u64,
    /// Whether the exploration began again from the initial states.
    pub restarted: bool,
}

/// The change in a sentence.
impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let again = if self.restarted {
            ", and the exploration began again"
        } else {
            ""
        };
        let explored = units::counted(self.explored, "state");
        let (why, to) = (&self.why, self.to.text());
        write!(
            f,
            "measure changed after {explored}: {why}{again}; now {to}"
        )
    }
}

impl Run {
    /// What is to be said of questions that are decided but have no evidence to say it with, or none that is shown.
    pub fn remarks(&self, is_shown: impl Fn(&Answer) -> bool) -> impl Iterator<Item = String> {
        let is_decided = |answer: &Answer| !matches!(answer.verdict, Verdict::Inconclusive(_));
        let answers = self.answers.iter().filter(move |answer| {
            is_decided(answer) && !(answer.evidence.is_some() && is_shown(answer))
        });
        answers.filter_map(|answer| Some(format!("{}: {}", answer.name, answer.remark.as_ref()?)))
    }

    /// Its figures by name, for people.
    pub fn grid(&self) -> [(&'static str, String); 12] {
        let statistics = &self.statistics;
        let known =
            |number: Option<u64>| number.map_or_else(|| "not counted".into(), units::grouped);
        [
            ("states", known(self.states)),
            ("layers", units::grouped(statistics.layers)),
            ("peak states", self.peak()),
            ("explored", units::grouped(statistics.explored)),
            ("sweeps", sweeps(statistics)),
            ("peak memory", units::bytes(statistics.peak_bytes)),
            ("edges", units::grouped(statistics.edges)),
            ("regress edges", units::grouped(statistics.regress_edges)),
            ("time", units::duration(statistics.elapsed)),
            ("deadlocks", known(self.deadlocks)),
            ("persistent", units::grouped(statistics.persistent)),
            ("rate", units::rate(statistics.explored, statistics.elapsed)),
        ]
    }

    fn peak(&self) -> String {
        let peak = self.statistics.peak_states;
        match self.states {
            Some(states) if states > 0 => {
                format!("{} ({})", units::grouped(peak), units::share(peak, states))
            }
            _ => units::grouped(peak),
        }
    }

    /// What an action that cannot be taken is called. The trace leads to where that is.
    pub fn failed_action(&self, action: ActionId, trace: Option<&Trace>) -> String {
        let source = trace.map_or(&[][..], Trace::last);
        self.system.step_name(source, 0, action)
    }
}

/// Sweeps in the column that needed most.
fn sweeps(statistics: &Statistics) -> String {
    let sweeps = units::grouped(statistics.sweeps);
    match statistics.columns {
        0 | 1 => sweeps,
        columns => format!("{sweeps} ({} columns)", units::grouped(columns)),
    }
}

/// What is known of assertions and of what may fail at run time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assertions {
    /// Nothing can fail.
    Hold,
    /// Something failed.
    Violated,
    /// Nothing failed, but not every state was looked at.
    NotFullyChecked,
}

impl Assertions {
    /// What explorations of a model say about its assertions; nothing if it is no program. A question may be answered
    /// long before the whole model has been seen.
    pub fn of(model: &Model, runs: &[Run]) -> Option<Self> {
        let can_fail = model.can_fail?;
        let failed = |run: &Run| {
            matches!(
                run.failure,
                Some(Failure::Model { .. } | Failure::Assertion { .. })
            )
        };
        let covered = |run: &Run| run.statistics.complete && run.covers_model;
        Some(if runs.iter().any(failed) {
            Self::Violated
        } else if !can_fail || runs.iter().any(covered) {
            Self::Hold
        } else {
            Self::NotFullyChecked
        })
    }

    /// The words in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Violated => "violated",
            Self::NotFullyChecked => "not fully checked",
        }
    }
}
