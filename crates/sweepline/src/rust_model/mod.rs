//! Checking models written in Rust.

use std::fmt::Write;
use std::sync::Arc;
use std::time::Duration;

use sweepline_check::{Answer, Failure, Plan, Question, Report, Seen, answer};
use sweepline_core::{
    AnySystem, Deadline, Describe, Key, KeyError, NoProgress, Progress, Statistics, StopReason,
    Trace, Verdict, Word,
};
use sweepline_explore::Options;
use sweepline_logic::Ranges;
use sweepline_model::{Coordinate, Encode, Integer, Measure, Model, ModelSystem, unpack};
use sweepline_progress::{Bound, Candidate, Structure};

/// Starts the check of a model. See the [crate's example](crate).
pub fn check<M: Model>(model: M) -> Check<M> {
    Check {
        system: ModelSystem::new(model),
        progress: NoProgress,
        questions: Vec::new(),
        options: Options::default(),
    }
}

/// A check that is being put together: questions, a measure, limits.
#[must_use = "nothing is explored before `run`"]
pub struct Check<M: Model, P = NoProgress> {
    system: ModelSystem<M>,
    progress: P,
    questions: Vec<Question>,
    options: Options,
}

/// A measure that is one column.
type OneColumn<S, F, V> = Measure<S, ((), Coordinate<F, V>), ()>;

/// A measure that is one row.
type OneRow<S, F, V> = Measure<S, (), ((), Coordinate<F, V>)>;

impl<M: Model> Check<M> {
    /// Explores in the order of a value that never decreases. Should it decrease, the run ends there and says so.
    pub fn column<F, V>(self, value: F) -> Check<M, OneColumn<M::State, F, V>>
    where
        F: Fn(&M::State) -> V,
        V: Integer,
    {
        self.measure(Measure::new().column(value))
    }

    /// Explores in the order of a value that increases mostly. Where it decreases, states are kept and explored again.
    pub fn progress<F, V>(self, value: F) -> Check<M, OneRow<M::State, F, V>>
    where
        F: Fn(&M::State) -> V,
        V: Integer,
    {
        self.measure(Measure::new().row(value))
    }

    /// Explores in the order of a measure that is found: sums of the numbers in a state that mostly grow (or shrink), if
    /// exploring in their order stores much less. It takes some ten milliseconds.
    ///
    /// Numbers are found in states of fixed size, in integers with a range or of up to 32 bits without a sign, in lengths
    /// of queues and bags, and in truth values. Nothing is known of why they grow, so states may be explored again, and
    /// then [`Checked::states`] is not known.
    ///
    /// ```
    /// use sweepline::{check, model::zoo::stop_and_wait::StopAndWait};
    ///
    /// let check_in_order = check(StopAndWait { packets: 50 }).find_measure();
    /// assert_eq!(check_in_order.found(), Some("current + expected"));
    /// let report = check_in_order.run();
    /// let full = check(StopAndWait { packets: 50 }).run();
    /// assert!(report.statistics().peak_states * 5 < full.statistics().peak_states);
    /// ```
    pub fn find_measure(self) -> Check<M, FoundMeasure>
    where
        M: 'static,
    {
        let system = Arc::new(self.system);
        let widen: Arc<dyn AnySystem> = Arc::clone(&system) as _;
        let findings = Structure::Unknown.find(&widen, Ranges::Known, &self.options.limits);
        drop(widen);
        let found = findings.choice.chosen.and_then(|chosen| {
            let bound = chosen.bind(&*system, Ranges::Known, None).ok()?;
            Some((bound, Candidate::text(&chosen.rows)))
        });
        Check {
            system: Arc::into_inner(system).expect("nobody else has kept it"),
            progress: FoundMeasure(found),
            questions: self.questions,
            options: self.options,
        }
    }

    /// Explores in the order of any measure.
    pub fn measure<P: Progress>(self, progress: P) -> Check<M, P> {
        Check {
            system: self.system,
            progress,
            questions: self.questions,
            options: self.options,
        }
    }
}

/// A measure that was found, or plain search if there is no good one.
#[derive(Clone, Debug)]
pub struct FoundMeasure(Option<(Bound, String)>);

impl Progress for FoundMeasure {
    fn row_bits(&self) -> u32 {
        self.0.as_ref().map_or(0, |(bound, _)| bound.row_bits())
    }

    #[inline]
    fn key(&self, state: &[Word]) -> Result<Key, KeyError> {
        match &self.0 {
            Some((bound, _)) => bound.key(state),
            None => NoProgress.key(state),
        }
    }

    fn explain(&self, key: Key) -> String {
        match &self.0 {
            Some((bound, _)) => bound.explain(key),
            None => NoProgress.explain(key),
        }
    }
}

impl<M: Model> Check<M, FoundMeasure> {
    /// The measure that was found, in terms of the fields of a state.
    pub fn found(&self) -> Option<&str> {
        self.progress.0.as_ref().map(|(_, text)| text.as_str())
    }
}

impl<M: Model, P: Progress> Check<M, P>
where
    M::State: 'static,
{
    /// Asks whether all reachable states satisfy a predicate.
    pub fn invariant(
        mut self,
        name: impl Into<String>,
        holds: impl Fn(&M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.questions
            .push(Question::invariant(name.clone(), name, typed(holds)));
        self
    }

    /// Asks whether some reachable state satisfies a predicate; the trace to it is the witness.
    pub fn reachable(
        mut self,
        name: impl Into<String>,
        holds: impl Fn(&M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        self.questions
            .push(Question::reachable(name.clone(), name, typed(holds)));
        self
    }

    /// Asks, under the name `deadlock`, whether every reachable state has a step or is an [end](Model::is_end).
    ///
    /// ```
    /// use sweepline::{Model, Next, check};
    ///
    /// /// Jobs that are done one after the other.
    /// struct Jobs { may_end: bool }
    ///
    /// impl Model for Jobs {
    ///     type State = u8;
    ///     type Action = &'static str;
    ///     fn initial(&self) -> Vec<u8> { vec![3] }
    ///     fn steps(&self, left: &u8, next: &mut Next<'_, Self>) {
    ///         if *left > 0 { next.step("work", left - 1) }
    ///     }
    ///     fn is_end(&self, left: &u8) -> bool { self.may_end && *left == 0 }
    /// }
    ///
    /// let report = check(Jobs { may_end: true }).no_deadlock().run();
    /// report.assert_holds();
    /// assert_eq!(report.statistics().deadlocks(), Some(0));
    /// let report = check(Jobs { may_end: false }).no_deadlock().run();
    /// assert_eq!(report.trace("deadlock").unwrap().last(), 0);
    /// ```
    pub fn no_deadlock(mut self) -> Self {
        self.questions.push(Question::no_deadlock());
        self
    }

    /// Ends the run when the stores hold this many bytes.
    pub fn memory(mut self, bytes: usize) -> Self {
        self.options.limits.memory = Some(bytes);
        self
    }

    /// Ends the run this long from now.
    pub fn time(mut self, time: Duration) -> Self {
        self.options.limits.deadline = Some(Deadline::after(time));
        self
    }

    /// Ends the run after this many expansions.
    pub fn states(mut self, states: u64) -> Self {
        self.options.limits.states = Some(states);
        self
    }

    /// Keeps closed layers for this many rows behind the sweep-line.
    pub fn window(mut self, rows: u64) -> Self {
        self.options.window = rows;
        self
    }

    /// Sets everything else about the exploration: cancellation, the place of the trace log.
    pub fn options(mut self, change: impl FnOnce(&mut Options)) -> Self {
        change(&mut self.options);
        self
    }

    /// Explores once and answers every question; without questions, explores everything.
    pub fn run(self) -> Checked<M> {
        let plan = Plan {
            system: self.system,
            progress: self.progress,
            questions: self.questions,
        };
        Checked(answer(plan, |_, _| None, self.options, &mut ()))
    }
}

fn typed<S: Encode>(
    holds: impl Fn(&S) -> bool + Send + Sync,
) -> impl Fn(Seen<'_>) -> Result<bool, String> {
    move |seen| Ok(holds(&unpack(seen.state)))
}

/// What came out of a check.
pub struct Checked<M: Model>(Report<ModelSystem<M>>);

impl<M: Model> Checked<M> {
    /// The number of distinct states, if the whole state space was covered and nothing expanded twice.
    pub fn states(&self) -> Option<u64> {
        self.0.statistics.states()
    }

    /// All figures.
    pub fn statistics(&self) -> &Statistics {
        &self.0.statistics
    }

    /// Why the exploration ended early, if it did.
    pub fn stopped(&self) -> Option<&StopReason> {
        self.0.stopped.as_ref()
    }

    /// What is wrong with the model or the measure, if anything.
    pub fn failure(&self) -> Option<&Failure> {
        self.0.failure.as_ref()
    }

    /// All answers, in the order the questions were asked.
    pub fn answers(&self) -> &[Answer] {
        &self.0.answers
    }

    /// The answer to the question of this name.
    ///
    /// # Panics
    /// If no question has this name.
    pub fn verdict(&self, name: &str) -> &Verdict {
        &self.answer(name).verdict
    }

    /// The counterexample or witness for the question of this name, if there is one.
    ///
    /// # Panics
    /// If no question has this name.
    pub fn trace(&self, name: &str) -> Option<TypedTrace<'_, M>> {
        let trace = self.answer(name).evidence.as_ref()?;
        Some(TypedTrace {
            trace,
            system: &self.0.system,
        })
    }

    fn answer(&self, name: &str) -> &Answer {
        let found = self.0.answers.iter().find(|answer| answer.name == name);
        found.unwrap_or_else(|| panic!("no question is called `{name}`"))
    }

    /// Panics, with the trace, unless every question holds, nothing went wrong and nothing is left open.
    pub fn assert_holds(&self) {
        let mut text = String::new();
        for answer in &self.0.answers {
            match &answer.verdict {
                Verdict::Holds => {}
                Verdict::Violated => {
                    let _ = writeln!(text, "`{}` is violated", answer.name);
                    if let Some(trace) = self.trace(&answer.name) {
                        let _ = write!(text, "{trace}");
                    }
                }
                Verdict::Inconclusive(reason) => {
                    let _ = writeln!(text, "`{}` is not decided: {reason}", answer.name);
                }
            }
        }
        if let Some(failure) = &self.0.failure {
            let _ = writeln!(text, "{}", self.describe(failure));
        } else if let Some(reason) = &self.0.stopped
            && self.0.answers.is_empty()
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
                    .0
                    .system
                    .step_name(&edge.source, edge.ordinal, edge.action);
                format!(
                    "the column decreases along `{action}`: {from}, then {to}; use `progress` instead of `column`"
                )
            }
            Failure::Model { message, trace, .. } => match trace {
                Some(trace) => format!(
                    "{message}\n{}",
                    TypedTrace {
                        trace,
                        system: &self.0.system
                    }
                ),
                None => message.clone(),
            },
        }
    }
}

/// A path through the model.
pub struct TypedTrace<'a, M: Model> {
    trace: &'a Trace,
    system: &'a ModelSystem<M>,
}

impl<M: Model> TypedTrace<'_, M> {
    /// Every state on the path, the initial one first.
    pub fn states(&self) -> Vec<M::State> {
        let decode = |state: &[Word]| self.system.decode(state);
        std::iter::once(&self.trace.initial)
            .chain(self.trace.steps.iter().map(|step| &step.state))
            .map(|s| decode(s))
            .collect()
    }

    /// The state the path ends in.
    pub fn last(&self) -> M::State {
        self.system.decode(self.trace.last())
    }

    /// The actions on the path, as the model shows them.
    pub fn actions(&self) -> Vec<String> {
        self.trace
            .moves()
            .map(|(source, step)| self.system.step_name(source, step.ordinal, step.action))
            .collect()
    }
}

/// One line per step: the action and the state it leads to.
impl<M: Model> std::fmt::Display for TypedTrace<'_, M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let states = self.states();
        writeln!(f, "  0  {:?}", states[0])?;
        for (index, (action, state)) in self.actions().iter().zip(&states[1..]).enumerate() {
            writeln!(f, "  {}  {action}: {state:?}", index + 1)?;
        }
        Ok(())
    }
}
