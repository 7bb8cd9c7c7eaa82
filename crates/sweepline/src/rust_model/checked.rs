//! What comes out of a check.

use std::collections::BTreeMap;
use std::fmt::{self, Write};
use std::sync::Arc;

use sweepline_check::{Answer, Failure, QuestionKind};
use sweepline_core::{Describe, Statistics, StopReason, Trace, Verdict};
use sweepline_model::Model;
use sweepline_reduce::{Effort, Stubborn};
use sweepline_session::Change;

use super::boundary::Bounded;
use super::order::Explored;
use super::runs::BEYOND;
use super::trace::TypedTrace;

/// What came out of a check.
pub struct Checked<M: Model> {
    system: Arc<Bounded<M>>,
    reduced: Option<Arc<Stubborn>>,
    explored: Explored,
}

impl<M: Model> Checked<M> {
    pub(crate) fn new(
        system: Arc<Bounded<M>>,
        reduced: Option<Arc<Stubborn>>,
        mut explored: Explored,
    ) -> Self {
        if system.was_cut() {
            explored.cut();
            explored.end_at_boundary(&system);
        }
        Self {
            system,
            reduced,
            explored,
        }
    }

    /// The number of distinct states, if the whole state space was covered, with all steps, and nothing expanded twice.
    pub fn states(&self) -> Option<u64> {
        let states = self.explored.statistics.states();
        states.filter(|_| self.reduced.is_none())
    }

    /// How many steps the explored states had and how many of them were kept, where some were [left out](super::Check::reduce).
    pub fn reduction(&self) -> Option<Effort> {
        self.reduced.as_ref().map(|reduced| reduced.effort())
    }

    /// All figures.
    pub fn statistics(&self) -> &Statistics {
        &self.explored.statistics
    }

    /// Why the exploration ended early, if it did.
    pub fn stopped(&self) -> Option<&StopReason> {
        self.explored.stopped.as_ref()
    }

    /// What is wrong with the model or the measure, if anything.
    pub fn failure(&self) -> Option<&Failure> {
        self.explored.failure.as_ref()
    }

    /// How a measure that was found was given up or replaced on the way.
    pub fn changes(&self) -> &[Change] {
        &self.explored.changes
    }

    /// All answers, in the order the questions were asked.
    pub fn answers(&self) -> &[Answer] {
        &self.explored.answers
    }

    /// The answer to the question of this name.
    ///
    /// # Panics
    /// If no question has this name.
    #[track_caller]
    pub fn verdict(&self, name: &str) -> &Verdict {
        &self.answer(name).verdict
    }

    /// The counterexample or witness for the question of this name, if there is one.
    ///
    /// # Panics
    /// If no question has this name.
    #[track_caller]
    pub fn trace(&self, name: &str) -> Option<TypedTrace<'_, M>> {
        let trace = self.answer(name).evidence.as_ref()?;
        Some(TypedTrace::new(trace, &self.system))
    }

    #[track_caller]
    fn answer(&self, name: &str) -> &Answer {
        let found = self.answers().iter().find(|answer| answer.name == name);
        let Some(answer) = found else {
            panic!("no question is called `{name}`");
        };
        answer
    }

    /// Panics, with the trace, unless every question holds, nothing went wrong and nothing is left open.
    #[track_caller]
    pub fn assert_holds(&self) {
        let mut text = String::new();
        for answer in self.answers() {
            match &answer.verdict {
                Verdict::Holds => {}
                Verdict::Violated if answer.kind == QuestionKind::Reach => {
                    let name = &answer.name;
                    let _ = writeln!(text, "`{name}` is not reachable: no state satisfies it");
                }
                Verdict::Violated => {
                    let _ = writeln!(text, "`{}` is violated", answer.name);
                    if let Some(trace) = self.trace(&answer.name) {
                        let _ = write!(text, "{trace}");
                    }
                }
                Verdict::Inconclusive(_) => {
                    let why = answer.why_unknown().unwrap_or_default();
                    let _ = writeln!(text, "`{}` is not decided: {why}", answer.name);
                }
            }
        }
        if let Some(failure) = self.failure() {
            let _ = writeln!(text, "{}", self.describe(failure));
        } else if let Some(reason) = self.stopped()
            && self.answers().is_empty()
        {
            let _ = writeln!(text, "the exploration ended early: {reason}");
        }
        assert!(text.is_empty(), "{text}");
    }

    fn describe(&self, failure: &Failure) -> String {
        match failure {
            Failure::Bug(message) => format!("a bug in sweepline: {message}"),
            Failure::WrongColumn { edge, from, to } => {
                let action = self
                    .system
                    .step_name(&edge.source, edge.ordinal, edge.action);
                format!(
                    "the column decreases along `{action}`: {from}, then {to}; use `progress` instead of `column`"
                )
            }
            Failure::Model { message, trace, .. } => self.with_trace(message, trace.as_ref()),
            Failure::Assertion { assertion, trace } => {
                let text = format!("{} is violated: {}", assertion.place, assertion.condition);
                self.with_trace(&text, trace.as_ref())
            }
        }
    }

    fn with_trace(&self, message: &str, trace: Option<&Trace>) -> String {
        match trace {
            Some(trace) => format!("{message}\n{}", TypedTrace::new(trace, &self.system)),
            None => message.to_owned(),
        }
    }
}

/// The verdicts and the figures.
impl<M: Model> fmt::Debug for Checked<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verdict = |answer: &Answer| (answer.name.clone(), answer.verdict.clone());
        let verdicts: BTreeMap<_, _> = self.answers().iter().map(verdict).collect();
        f.debug_struct("Checked")
            .field("verdicts", &verdicts)
            .field("failure", &self.failure())
            .field("stopped", &self.stopped())
            .field("statistics", self.statistics())
            .finish_non_exhaustive()
    }
}

impl Explored {
    /// Not everything was explored: what no state has shown may yet be shown beyond the boundary.
    fn cut(&mut self) {
        let reason = StopReason::Other(BEYOND.into());
        for answer in &mut self.answers {
            let of_all_states = match answer.kind {
                QuestionKind::Reach => Verdict::Violated,
                _ => Verdict::Holds,
            };
            if answer.verdict == of_all_states {
                answer.verdict = Verdict::Inconclusive(reason.clone());
            }
        }
        self.statistics.complete = false;
        self.stopped.get_or_insert(reason);
    }

    /// A path to where the model goes on beyond the boundary does not stay there. It is evidence for what is so whatever comes
    /// next.
    fn end_at_boundary<M: Model>(&mut self, system: &Bounded<M>) {
        for trace in self.answers.iter_mut().filter_map(|a| a.evidence.as_mut()) {
            if trace.loop_start == Some(trace.steps.len()) && system.is_cut(trace.last()) {
                trace.loop_start = None;
            }
        }
    }
}
