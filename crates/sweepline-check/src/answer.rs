//! Answering questions: one exploration for all of them, then evidence.

use sweepline_core::{
    ActionId, BrokenAssertion, Describe, Limits, Observer, Progress, SlotId, Statistics,
    StopReason, System, Trace, Verdict,
};
use sweepline_explore::{End, Options, Path, Regress, ReplayError, replay_within};

use crate::asking::{Asking, Decision, Evidence, Sighting};
use crate::ctl::{Uncertified, Witness};
use crate::engine::Engine;
use crate::inquiry::Inquiry;
use crate::question::{Question, QuestionKind};
use crate::runs::NoRun;
use crate::vacuous::Vacuous;

/// A system, the order to explore it in, and questions bound to it.
pub struct Plan<S, P> {
    /// The system.
    pub system: S,
    /// The measure.
    pub progress: P,
    /// The questions.
    pub questions: Vec<Question>,
}

/// What came out.
pub struct Report<S> {
    /// The system in the encoding the traces are in.
    pub system: S,
    /// One answer per question, in the same order.
    pub answers: Vec<Answer>,
    /// Figures of the exploration that all questions shared.
    pub statistics: Statistics,
    /// Why the exploration ended before everything was covered or decided.
    pub stopped: Option<StopReason>,
    /// Something is wrong with the model, the measure, or us.
    pub failure: Option<Failure>,
}

/// The answer to a question, with evidence of some kind.
#[derive(Clone, Debug)]
pub struct Answer<E = Trace> {
    /// Name of the question.
    pub name: String,
    /// Sort of the question.
    pub kind: QuestionKind,
    /// The question as it is written.
    pub text: String,
    /// True, false, or not known.
    pub verdict: Verdict,
    /// The largest value, for bounds.
    pub value: Option<i64>,
    /// A path that shows the verdict, replayed.
    pub evidence: Option<E>,
    /// Why the verdict is so, part by part, for formulas of branching time.
    pub witness: Option<Box<Witness>>,
    /// If it is not known whether a formula of branching time is true: its smallest parts that are not decided where that matters.
    pub undecided: Vec<String>,
    /// What else is to be said of that path.
    pub remark: Option<String>,
    /// Why there is no such path although there should be one.
    pub lost_evidence: Option<String>,
    /// For a formula of all runs that holds: occurrences of atoms that do not matter, as far as that is known.
    pub vacuous: Vec<Vacuous>,
}

impl<E> Answer<E> {
    /// Whether it is not known for lack of memory.
    pub fn lacks_memory(&self) -> bool {
        matches!(
            self.verdict,
            Verdict::Inconclusive(StopReason::Memory { .. } | StopReason::OutOfMemory)
        )
    }

    /// Why it is not known, with the parts that are not decided, unless it is.
    pub fn why_unknown(&self) -> Option<String> {
        let Verdict::Inconclusive(reason) = &self.verdict else {
            return None;
        };
        Some(if self.undecided.is_empty() {
            reason.to_string()
        } else {
            format!("{reason}; undecided: {}", self.undecided.join(", "))
        })
    }

    /// The same with evidence of another kind.
    pub fn map_evidence<F>(self, map: impl FnOnce(E) -> F) -> Answer<F> {
        Answer {
            name: self.name,
            kind: self.kind,
            text: self.text,
            verdict: self.verdict,
            value: self.value,
            evidence: self.evidence.map(map),
            witness: self.witness,
            undecided: self.undecided,
            remark: self.remark,
            lost_evidence: self.lost_evidence,
            vacuous: self.vacuous,
        }
    }
}

/// What can go wrong besides running into limits.
#[derive(Clone, Debug)]
pub enum Failure {
    /// A column of the measure decreases along an edge.
    WrongColumn {
        /// The edge.
        edge: Box<Regress>,
        /// The columns before and after, in the words of the measure.
        from: String,
        /// The columns after.
        to: String,
    },
    /// Something that the model says about a state is not so.
    Assertion {
        /// What is not so.
        assertion: Box<BrokenAssertion>,
        /// How the state was reached, if the log knows.
        trace: Option<Trace>,
    },
    /// A step of the model cannot be taken.
    Model {
        /// The action.
        action: ActionId,
        /// What goes wrong.
        message: String,
        /// How the state was reached, if the log knows.
        trace: Option<Trace>,
    },
    /// Evidence does not hold up when it is replayed. This is a bug of ours.
    Bug(String),
}

/// Explores once and answers all questions.
///
/// Without questions, everything is explored. If the system reports that a slot is too narrow, `widen` makes the
/// plan for a wider encoding, with the same questions in the same order; without one the run ends there.
pub fn answer<S: Describe, P: Progress>(
    plan: Plan<S, P>,
    widen: impl FnMut(&S, SlotId) -> Option<Plan<S, P>>,
    options: Options,
    observer: &mut dyn Observer,
) -> Report<S> {
    let mut inquiry = Inquiry::new(plan, options);
    let end = inquiry.run(widen, observer);
    inquiry.report(end)
}

/// A question without its tests.
#[derive(Clone)]
pub(crate) struct Head {
    name: String,
    kind: QuestionKind,
    text: String,
}

impl Head {
    pub(crate) fn of(question: &Question) -> Self {
        Self {
            name: question.name.clone(),
            kind: question.kind,
            text: question.text.clone(),
        }
    }
}

pub(crate) fn outgrown<S: System>(system: &S, slot: SlotId) -> StopReason {
    let slot = system.layout().slot(slot);
    StopReason::Other(format!(
        "`{}` outgrew the {} bits a slot can have at most",
        slot.name, slot.bits
    ))
}

/// Why evidence that was found is not shown.
fn not_followed(why: &StopReason) -> String {
    ReplayError::Stopped(why.clone()).to_string()
}

/// Turns decisions into answers.
pub(crate) struct Reporter<'e, E> {
    engine: &'e mut E,
    asking: &'e mut Asking,
    /// Evidence is followed within these.
    limits: &'e Limits,
    failure: Option<Failure>,
}

impl<'e, E: Engine> Reporter<'e, E> {
    pub(crate) fn new(engine: &'e mut E, asking: &'e mut Asking, limits: &'e Limits) -> Self {
        Self {
            engine,
            asking,
            limits,
            failure: None,
        }
    }

    /// The answers to the questions with these heads after a run that ended like this, why not everything was
    /// covered, and what went wrong.
    pub(crate) fn report(
        mut self,
        heads: &[Head],
        end: End,
    ) -> (Vec<Answer>, Option<StopReason>, Option<Failure>) {
        let stopped = self.stop_reason(end);
        let complete = self.engine.statistics().complete;
        let decisions = self.asking.decisions(complete);
        let answers = heads
            .iter()
            .zip(decisions)
            .enumerate()
            .map(|(question, (head, decision))| {
                let run = decision.clone();
                let mut answer = self.answer(head.clone(), decision, stopped.as_ref());
                match run {
                    Decision::Run { .. } => self.attach_run(&mut answer, question),
                    Decision::Branches { .. } => self.attach_witness(&mut answer, question),
                    _ if answer.verdict == Verdict::Holds => {
                        answer.vacuous = self.asking.vacuous(question);
                    }
                    _ => self.attach_undecided(&mut answer, question),
                }
                answer
            })
            .collect();
        (answers, stopped, self.failure)
    }

    /// Why not everything was covered; failures are set aside on the way.
    fn stop_reason(&mut self, end: End) -> Option<StopReason> {
        match end {
            End::Complete | End::Stopped => None,
            End::Limit(reason) => Some(reason),
            End::Outgrown(slot) => Some(outgrown(self.engine.system(), slot)),
            End::Crowded => Some(StopReason::OutOfMemory), // nobody has it begin again
            End::Regress(edge) => {
                let (from, to) = (self.engine.explain(edge.from), self.engine.explain(edge.to));
                let reason = format!("a column decreases: {from}, then {to}");
                self.failure = Some(Failure::WrongColumn { edge, from, to });
                Some(StopReason::Measure(reason))
            }
            End::Fault {
                number,
                action,
                message,
            } => {
                let trace = self.trace_to_failed(number);
                self.failure.get_or_insert(Failure::Model {
                    action,
                    message: message.clone(),
                    trace,
                });
                Some(StopReason::ModelError(message))
            }
            End::Assertion { number, assertion } => {
                let trace = self.trace_to_failed(number);
                let place = assertion.place.clone();
                let failure = Failure::Assertion { assertion, trace };
                self.failure.get_or_insert(failure);
                Some(StopReason::Assertion(place))
            }
        }
    }

    fn answer(
        &mut self,
        Head { name, kind, text }: Head,
        decision: Decision,
        stopped: Option<&StopReason>,
    ) -> Answer {
        let mut answer = Answer {
            name,
            kind,
            text,
            verdict: Verdict::Inconclusive(stopped.cloned().unwrap_or(StopReason::Interrupted)),
            value: None,
            evidence: None,
            witness: None,
            undecided: Vec::new(),
            remark: None,
            lost_evidence: None,
            vacuous: Vec::new(),
        };
        match decision {
            Decision::Open => {}
            Decision::Failed { why } => {
                answer.verdict = Verdict::Inconclusive(why);
            }
            Decision::Truth { truth, evidence } => {
                answer.verdict = Verdict::of(truth);
                self.attach(&mut answer, evidence);
            }
            Decision::Run { truth } | Decision::Branches { truth } => {
                answer.verdict = Verdict::of(truth);
            }
            Decision::Largest { value, evidence } => {
                answer.verdict = Verdict::Holds;
                answer.value = Some(value);
                self.attach(&mut answer, Some(evidence));
            }
        }
        answer
    }

    /// Replays the path to the deciding state and asks that state again. A verdict whose evidence does not
    /// hold up is withdrawn.
    fn attach(&mut self, answer: &mut Answer, evidence: Option<Evidence>) {
        let Some(evidence) = evidence else { return };
        match self.trace_to(evidence.number) {
            Err(lost) => answer.lost_evidence = Some(lost),
            Ok(trace) => {
                let sighting = Sighting::of(self.engine.system(), trace.last());
                if self.asking.confirms(evidence, sighting.seen()) {
                    answer.evidence = Some(trace);
                } else {
                    let bug = format!(
                        "the evidence for `{}` does not hold up when it is replayed",
                        answer.name
                    );
                    answer.verdict = Verdict::Inconclusive(StopReason::Other(bug.clone()));
                    self.failure = Some(Failure::Bug(bug));
                }
            }
        }
    }

    /// Follows the run that decides a question in the system and judges it there. A verdict whose evidence does not hold up is
    /// withdrawn.
    fn attach_run(&mut self, answer: &mut Answer, question: usize) {
        match self.asking.run_of(self.engine.system(), question) {
            Some(Ok(followed)) => {
                answer.evidence = Some(followed.trace);
                answer.remark = followed.remark;
                if let Some(truth) = followed.truth {
                    answer.verdict = Verdict::of(truth);
                }
            }
            Some(Err(NoRun::Unfinished(why))) => {
                answer.verdict = Verdict::Inconclusive(StopReason::Other(why));
            }
            Some(Err(NoRun::Stopped(why))) => answer.lost_evidence = Some(not_followed(&why)),
            Some(Err(NoRun::Bug(why))) => self.withdraw(answer, &why),
            None => self.withdraw(answer, "nothing is known of it"),
        }
    }

    /// Follows the reason for a formula of branching time in the system, and looks at every state it speaks of.
    fn attach_witness(&mut self, answer: &mut Answer, question: usize) {
        let mut path = None;
        if let Some(number) = self.asking.shown_by(question) {
            match self.engine.path_to(number) {
                Ok(found) => path = Some(found),
                Err(error) => answer.lost_evidence = Some(error.to_string()),
            }
        }
        match self.asking.witness(self.engine.system(), question, path) {
            Some(Ok(witness)) if witness.shows_something() => {
                answer.evidence = Some(witness.spine());
                answer.witness = Some(Box::new(witness));
            }
            Some(Ok(witness)) if witness.lacks_something() => {
                let why = "it is too long to be found among so many states";
                answer.lost_evidence = Some(why.into());
            }
            Some(Ok(_)) => {}
            Some(Err(Uncertified::Stopped(why))) => {
                answer.lost_evidence = Some(not_followed(&why));
            }
            Some(Err(Uncertified::Wrong(why))) => self.withdraw(answer, &why),
            None => self.withdraw(answer, "nothing is known of it"),
        }
        let held = self.engine.statistics().peak_bytes;
        match self.asking.certify(self.engine.system(), question, held) {
            Some(Ok(words)) => answer.remark = Some(words),
            Some(Err(Uncertified::Stopped(why))) => answer.verdict = Verdict::Inconclusive(why),
            Some(Err(Uncertified::Wrong(why))) => self.withdraw(answer, &why),
            None => {}
        }
    }

    /// Says which parts of a formula leave it undecided.
    fn attach_undecided(&self, answer: &mut Answer, question: usize) {
        if let Verdict::Inconclusive(_) = answer.verdict {
            answer.undecided = self.asking.undecided(question);
        }
    }

    fn withdraw(&mut self, answer: &mut Answer, why: &str) {
        let bug = format!(
            "the evidence for `{}` does not hold up when it is replayed: {why}",
            answer.name
        );
        answer.verdict = Verdict::Inconclusive(StopReason::Other(bug.clone()));
        self.failure = Some(Failure::Bug(bug));
    }

    /// The way to a state that could not be expanded. Questions that are about the state alone are put to it.
    fn trace_to_failed(&mut self, number: u64) -> Option<Trace> {
        let trace = self.trace_to(number).ok()?;
        self.asking.ask_failed(number, trace.last());
        Some(trace)
    }

    fn trace_to(&mut self, number: u64) -> Result<Trace, String> {
        let path: Path = self
            .engine
            .path_to(number)
            .map_err(|error| error.to_string())?;
        replay_within(self.engine.system(), &path, self.limits).map_err(|error| {
            if let ReplayError::Wrong { .. } = error {
                self.failure = Some(Failure::Bug(error.to_string()));
            }
            error.to_string()
        })
    }
}
