//! Checking models written in Rust.

mod boundary;
mod checked;
mod difference;
mod mistake;
mod order;
mod predicates;
mod reduced;
mod runs;
mod trace;

use std::sync::Arc;
use std::time::Duration;

use sweepline_core::{Deadline, Progress};
use sweepline_explore::Options;
use sweepline_model::{Coordinate, Coordinates, Footprint, Integer, Model, TypedMeasure};

pub use self::checked::Checked;
pub use self::order::FoundMeasure;
pub use self::reduced::{Undeclared, check_footprints};
pub use self::trace::{TypedStep, TypedTrace};

use self::boundary::{ActionTest, Bounded, Predicate};
use self::order::InOrder;
use self::predicates::{Asked, Questions, Strength};
use self::reduced::{Declared, Reduction, find_undeclared};
use self::runs::Formula;

/// Starts the check of a model. See the [crate's example](crate).
pub fn check<M: Model + 'static>(model: M) -> Check<M> {
    Check {
        system: Arc::new(Bounded::new(model)),
        progress: TypedMeasure::new(),
        questions: Questions {
            asked: Vec::new(),
            propositions: Vec::new(),
            fair: Vec::new(),
            fair_actions: Vec::new(),
        },
        options: Options::default(),
        reduction: None,
    }
}

/// Does what the arguments of the process say with a model: `check`, `explore`, `compare` and `progress`, as the command line
/// does with files. Measures and predicates speak of the fields of a state, where it is of fixed size.
///
/// ```no_run
/// use sweepline::model::zoo::stop_and_wait::StopAndWait;
///
/// fn main() -> std::process::ExitCode {
///     sweepline::main(StopAndWait { packets: 100 })
/// }
/// ```
///
/// `cargo run -- check --invariant 'current <= 100'` and `cargo run -- compare` work then.
#[cfg(feature = "cli")]
pub fn main<M: Model + 'static>(model: M) -> std::process::ExitCode {
    let system = Arc::new(sweepline_model::ModelSystem::new(model));
    let own = sweepline_session::Model::of_system(name_of::<M>(), system);
    crate::cli::run(Some(own))
}

/// What a model is called: its type, without modules and arguments.
fn name_of<M>() -> &'static str {
    let name = std::any::type_name::<M>();
    let name = name.split('<').next().unwrap_or(name);
    name.rsplit("::").next().unwrap_or(name)
}

/// A check that is being put together: questions, a measure, limits.
#[must_use = "nothing is explored before `run`"]
pub struct Check<M: Model, P = TypedMeasure<<M as Model>::State>> {
    system: Arc<Bounded<M>>,
    progress: P,
    questions: Questions<M>,
    options: Options,
    reduction: Option<Reduction>,
}

/// A measure with one more column.
type WithColumn<S, C, R, F, V> = TypedMeasure<S, (C, Coordinate<F, V>), R>;

/// A measure with one more row.
type WithRow<S, C, R, F, V> = TypedMeasure<S, C, (R, Coordinate<F, V>)>;

impl<M: Model + 'static, C, R> Check<M, TypedMeasure<M::State, C, R>>
where
    C: Coordinates<M::State>,
    R: Coordinates<M::State>,
{
    /// Explores in the order of a value that never decreases. Should it decrease, the run ends there and says so.
    ///
    /// There may be several of them, and values that decrease now and then ([`Check::progress`]) beside them. Columns are
    /// compared before rows, and each kind in the order of declaration.
    ///
    /// ```
    /// use sweepline::{check, model::zoo::stop_and_wait::StopAndWait};
    ///
    /// let report = check(StopAndWait { packets: 20 })
    ///     .column(|state| state.expected)
    ///     .column(|state| state.current)
    ///     .progress(|state| u8::from(state.data_in.is_some()))
    ///     .explore();
    /// assert!(report.statistics().columns > 20);
    /// ```
    pub fn column<F, V>(self, value: F) -> Check<M, WithColumn<M::State, C, R, F, V>>
    where
        F: Fn(&M::State) -> V,
        V: Integer,
    {
        self.measured(|measure| measure.column(value))
    }

    /// Explores in the order of a value that increases mostly. Where it decreases, states are kept and explored again.
    pub fn progress<F, V>(self, value: F) -> Check<M, WithRow<M::State, C, R, F, V>>
    where
        F: Fn(&M::State) -> V,
        V: Integer,
    {
        self.measured(|measure| measure.row(value))
    }
}

impl<M: Model + 'static> Check<M> {
    /// Explores in the order of a measure that is found: sums of the numbers in a state that mostly grow (or shrink), if
    /// exploring in their order stores much less. It takes some ten milliseconds.
    ///
    /// Numbers are found in states of fixed size, in integers with a range or of up to 32 bits without a sign, in lengths
    /// of bounded collections, and in truth values and variants of enums. In states with collections of the standard library they
    /// are lengths and sums over elements, such as `log.len` or `nodes.sum.term`; such a state takes four bytes more for each number
    /// the measure is made of. Nothing is known of why they grow, so states may be explored again, and
    /// then [`Checked::states`] is not known. The measure is watched while it is used: one that loses is given up, and one that
    /// stores less is used if memory runs out; [`Checked::changes`] tells.
    ///
    /// ```
    /// use sweepline::{check, model::zoo::stop_and_wait::StopAndWait};
    ///
    /// let check_in_order = check(StopAndWait { packets: 50 }).find_measure();
    /// assert_eq!(check_in_order.found(), Some("current + expected"));
    /// let report = check_in_order.explore();
    /// let full = check(StopAndWait { packets: 50 }).explore();
    /// assert!(report.statistics().peak_states * 5 < full.statistics().peak_states);
    /// ```
    pub fn find_measure(mut self) -> Check<M, FoundMeasure> {
        let found = FoundMeasure::of(&mut self.system, &self.options);
        self.measured(|_| found)
    }

    /// Explores in the order of any measure.
    pub fn measure<P: Progress>(self, progress: P) -> Check<M, P> {
        self.measured(|_| progress)
    }
}

impl<M: Model> Check<M, FoundMeasure> {
    /// The measure that was found, in terms of the fields of a state.
    pub fn found(&self) -> Option<&str> {
        self.progress.text.as_deref()
    }
}

impl<M: Model + 'static, P: Progress> Check<M, P> {
    /// Explores no further than to states of which `inside` is not true: for models without bound.
    ///
    /// Such states are reached and asked about, but their steps are not taken. If there were any, what holds for all states
    /// seen is *inconclusive*; what some state shows is as certain as ever. Together with [`Check::find_measure`] the boundary
    /// comes first.
    ///
    /// ```
    /// use sweepline::{Model, Next, Verdict, check};
    ///
    /// struct Counter;
    ///
    /// impl Model for Counter {
    ///     type State = u64;
    ///     type Action = &'static str;
    ///     fn initial(&self) -> Vec<u64> { vec![0] }
    ///     fn steps(&self, state: &u64, next: &mut Next<'_, Self>) { next.step("count", state + 1) }
    /// }
    ///
    /// let report = check(Counter)
    ///     .boundary(|_, n| *n < 100)
    ///     .invariant("small", |_, n| *n < 1000)
    ///     .invariant("tiny", |_, n| *n < 10)
    ///     .run();
    /// assert!(matches!(report.verdict("small"), Verdict::Inconclusive(_)));
    /// assert_eq!(report.trace("tiny").unwrap().last(), 10);
    /// ```
    pub fn boundary(
        mut self,
        inside: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        Arc::get_mut(&mut self.system)
            .expect("nothing but a measure that was found shares it")
            .bound(Arc::new(inside));
        self
    }
}

impl<M: Model + 'static, P> Check<M, P> {
    /// Asks whether all reachable states satisfy a predicate.
    pub fn invariant(
        mut self,
        name: impl Into<String>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.questions
            .asked
            .push(Asked::Invariant(name.into(), Arc::new(holds), None));
        self
    }

    /// Asks whether some reachable state satisfies a predicate; the trace to it is the witness.
    pub fn reachable(
        mut self,
        name: impl Into<String>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.questions
            .asked
            .push(Asked::Reachable(name.into(), Arc::new(holds), None));
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
        self.questions.asked.push(Asked::NoDeadlock);
        self
    }

    /// Gives something that is true of some states a name, for formulas.
    pub fn proposition(
        mut self,
        name: impl Into<String>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        let named = (name.into(), Arc::new(holds) as Predicate<M>);
        self.questions.propositions.push(named);
        self
    }

    /// Asks whether all runs satisfy a formula of linear time. A run that ends stays in its last state for ever.
    ///
    /// The words of a formula are propositions and, where states have a fixed size, their fields as on the command line
    /// (`holder.is_some`, `visits[2] > 3`); a proposition hides a field of the same name. A counterexample is a path and the steps
    /// at its end that repeat for ever.
    ///
    /// ```
    /// use sweepline::{Encode, Model, Next, check};
    ///
    /// /// A waiter who is called and comes, unless he is distracted for ever.
    /// struct Waiter { patient: bool }
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Encode)]
    /// enum State { Idle, Called, Distracted }
    ///
    /// impl Model for Waiter {
    ///     type State = State;
    ///     type Action = &'static str;
    ///     fn initial(&self) -> Vec<State> { vec![State::Idle] }
    ///     fn steps(&self, state: &State, next: &mut Next<'_, Self>) {
    ///         match state {
    ///             State::Idle => next.step("call", State::Called),
    ///             State::Called => {
    ///                 next.step("come", State::Idle);
    ///                 if !self.patient { next.step("look away", State::Distracted) }
    ///             }
    ///             State::Distracted => next.step("look back", State::Called),
    ///         }
    ///     }
    /// }
    ///
    /// let ask = |patient| {
    ///     check(Waiter { patient })
    ///         .proposition("called", |_, state| *state == State::Called)
    ///         .proposition("served", |_, state| *state == State::Idle)
    ///         .ltl("responds", "G (called -> F served)")
    /// };
    /// ask(true).run().assert_holds();
    /// let report = ask(false).run();
    /// let trace = report.trace("responds").unwrap();
    /// assert_eq!(trace.loop_start(), Some(2));
    /// let actions: Vec<_> = trace.steps().iter().map(|step| step.action).collect();
    /// assert_eq!(actions, ["call", "look away", "look back", "look away"]);
    /// assert!(trace.to_string().ends_with("and so on: steps 3 to 4 repeat for ever\n"));
    /// // Runs in which he is served again and again satisfy it, of course.
    /// ask(false).fair("served").run().assert_holds();
    /// ```
    pub fn ltl(mut self, name: impl Into<String>, formula: impl Into<String>) -> Self {
        let formula = Formula {
            name: name.into(),
            text: formula.into(),
        };
        self.questions.asked.push(Asked::Ltl(formula));
        self
    }

    /// Asks whether the initial states satisfy a formula of branching time. Its words are those of [`ltl`](Self::ltl). Runs are
    /// maximal: where one ends, `AX false` holds.
    ///
    /// ```
    /// use sweepline::{Encode, Model, Next, check};
    ///
    /// /// A door that locks itself if it is slammed.
    /// struct Door;
    ///
    /// #[derive(Clone, Copy, Debug, PartialEq, Encode)]
    /// enum State { Open, Shut, Locked }
    ///
    /// impl Model for Door {
    ///     type State = State;
    ///     type Action = &'static str;
    ///     fn initial(&self) -> Vec<State> { vec![State::Open] }
    ///     fn steps(&self, state: &State, next: &mut Next<'_, Self>) {
    ///         match state {
    ///             State::Open => {
    ///                 next.step("close", State::Shut);
    ///                 next.step("slam", State::Locked);
    ///             }
    ///             State::Shut => next.step("open", State::Open),
    ///             State::Locked => {}
    ///         }
    ///     }
    /// }
    ///
    /// let report = check(Door)
    ///     .proposition("open", |_, state| *state == State::Open)
    ///     .ctl("home", "AG EF open")
    ///     .ctl("may", "EG EF open and EF AX false")
    ///     .run();
    /// let trace = report.trace("home").unwrap();
    /// assert_eq!(trace.steps()[0].action, "slam");
    /// assert!(report.trace("may").is_some());
    /// ```
    pub fn ctl(mut self, name: impl Into<String>, formula: impl Into<String>) -> Self {
        let formula = Formula {
            name: name.into(),
            text: formula.into(),
        };
        self.questions.asked.push(Asked::Ctl(formula));
        self
    }

    /// Questions about runs are only about those in which a proposition is true again and again. There may be several.
    pub fn fair(mut self, proposition: impl Into<String>) -> Self {
        self.questions.fair.push(proposition.into());
        self
    }

    /// Questions about runs are only about those in which actions of a kind are taken again and again, or cannot be taken again
    /// and again: nobody who is ready from some time on is passed over for ever. Each call is about one kind.
    ///
    /// ```
    /// use sweepline::{Model, Next, check};
    ///
    /// /// A lamp that somebody else may switch off, and that may stay as it is.
    /// struct Lamp;
    ///
    /// #[derive(Debug)]
    /// enum Does { Switch, Nothing }
    ///
    /// impl Model for Lamp {
    ///     type State = bool;
    ///     type Action = Does;
    ///     fn initial(&self) -> Vec<bool> { vec![false] }
    ///     fn steps(&self, is_on: &bool, next: &mut Next<'_, Self>) {
    ///         next.step(Does::Nothing, *is_on);
    ///         next.step(Does::Switch, !is_on);
    ///     }
    /// }
    ///
    /// let ask = || check(Lamp).proposition("on", |_, is_on| *is_on).ltl("flashes", "G F on");
    /// assert!(ask().run().trace("flashes").is_some());
    /// ask().weak_fair(|action| matches!(action, Does::Switch)).run().assert_holds();
    /// ```
    ///
    /// What is assumed of actions makes every expansion ask the model twice. There can be twelve kinds.
    pub fn weak_fair(self, is_one: impl Fn(&M::Action) -> bool + Send + Sync + 'static) -> Self {
        self.assume(Strength::Weak, Arc::new(is_one))
    }

    /// Questions about runs are only about those in which actions of a kind are taken again and again, or cannot be taken from
    /// some time on. Each call is about one kind; see [`Check::weak_fair`].
    pub fn strong_fair(self, is_one: impl Fn(&M::Action) -> bool + Send + Sync + 'static) -> Self {
        self.assume(Strength::Strong, Arc::new(is_one))
    }

    fn assume(mut self, strength: Strength, is_one: ActionTest<M>) -> Self {
        self.questions.fair_actions.push((strength, is_one));
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

    fn measured<Q>(self, change: impl FnOnce(P) -> Q) -> Check<M, Q> {
        Check {
            system: self.system,
            progress: change(self.progress),
            questions: self.questions,
            options: self.options,
            reduction: self.reduction,
        }
    }
}

impl<M: Footprint + 'static, P> Check<M, P> {
    /// Leaves out steps whose order makes no difference to what is asked: deadlocks, and what [`Check::invariant_of`] and
    /// [`Check::reachable_of`] ask. Evidence is a path of the whole model. States are not counted, since not all are seen.
    ///
    /// What the model [declares](Footprint) is believed. With debug assertions, as in most tests, its first 1,000 states are searched for
    /// something that is not declared; [`check_footprints`] searches more of them. A measure is found after that.
    ///
    /// ```
    /// use sweepline::{Footprint, Look, Model, Next, check};
    ///
    /// /// Lamps that are switched on, one switch each.
    /// struct Lamps;
    ///
    /// impl Model for Lamps {
    ///     type State = [bool; 8];
    ///     type Action = usize;
    ///     fn initial(&self) -> Vec<[bool; 8]> { vec![[false; 8]] }
    ///     fn steps(&self, state: &[bool; 8], next: &mut Next<'_, Self>) {
    ///         for lamp in (0..8).filter(|lamp| !state[*lamp]) {
    ///             next.change(lamp, |to| to[lamp] = true);
    ///         }
    ///     }
    /// }
    ///
    /// impl Footprint for Lamps {
    ///     type Kind = usize;
    ///     type Part = usize;
    ///     fn kinds(&self) -> Vec<usize> { (0..8).collect() }
    ///     fn kind(&self, action: &usize) -> usize { *action }
    ///     fn reads(&self, lamp: &usize) -> Vec<usize> { vec![*lamp] }
    ///     fn writes(&self, lamp: &usize) -> Vec<usize> { vec![*lamp] }
    ///     fn never_fails(&self, _: &usize) -> bool { true }
    ///     fn look(&self, lamp: &usize, state: &[bool; 8], look: &mut Look) { look.at(&state[*lamp]) }
    /// }
    ///
    /// let report = check(Lamps)
    ///     .reduce()
    ///     .no_deadlock()
    ///     .reachable_of("both", [2, 5], |_, state| state[2] && state[5])
    ///     .run();
    /// assert_eq!(report.trace("deadlock").unwrap().last(), [true; 8]);
    /// assert!(report.trace("both").is_some());
    /// assert!(report.statistics().explored < 20); // of 256
    /// assert_eq!(report.states(), None);
    /// ```
    ///
    /// # Panics
    /// If the model is found not to declare something. And the run panics, with the reason, if something is asked that is not
    /// preserved: closures of which nothing is known, formulas about runs.
    #[track_caller]
    pub fn reduce(mut self) -> Self {
        if cfg!(debug_assertions)
            && let Err(mistake) = find_undeclared(self.system.typed(), 1000)
        {
            panic!("{mistake}");
        }
        let declared = Declared::of(self.system.model());
        let (reduction, numbers) = match declared.reduction() {
            Ok(reduction) => reduction,
            Err(why) => panic!("the model cannot be reduced: {why}"),
        };
        let system = Arc::get_mut(&mut self.system).expect("a measure is found after that");
        system.number_by(Arc::new(move |model, action| numbers.of(model, action)));
        self.reduction = Some(reduction);
        self
    }

    /// Asks whether all reachable states satisfy a predicate that looks at these parts of a state and at nothing else.
    pub fn invariant_of(
        mut self,
        name: impl Into<String>,
        parts: impl IntoIterator<Item = M::Part>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        let changed_by = Declared::of(self.system.model()).writers(parts);
        let asked = Asked::Invariant(name.into(), Arc::new(holds), Some(changed_by));
        self.questions.asked.push(asked);
        self
    }

    /// Asks whether some reachable state satisfies a predicate that looks at these parts of a state and at nothing else.
    pub fn reachable_of(
        mut self,
        name: impl Into<String>,
        parts: impl IntoIterator<Item = M::Part>,
        holds: impl Fn(&M, &M::State) -> bool + Send + Sync + 'static,
    ) -> Self {
        let changed_by = Declared::of(self.system.model()).writers(parts);
        let asked = Asked::Reachable(name.into(), Arc::new(holds), Some(changed_by));
        self.questions.asked.push(asked);
        self
    }
}

impl<M: Model + 'static, P: InOrder<M>> Check<M, P> {
    /// Explores once and answers every question. If nothing was asked, asks whether there is a deadlock, as
    /// [`Check::no_deadlock`] does.
    ///
    /// # Panics
    /// If a formula cannot be read or speaks of something that is neither a proposition nor a field.
    #[track_caller]
    pub fn run(self) -> Checked<M> {
        if self.questions.asked.is_empty() {
            return self.no_deadlock().explore();
        }
        self.explore()
    }

    /// Explores once and answers every question; without questions, explores everything.
    ///
    /// # Panics
    /// As [`Check::run`] does.
    #[track_caller]
    pub fn explore(self) -> Checked<M> {
        let reduced = self.reduction.map(|reduction| {
            let system = Arc::clone(&self.system) as _;
            match reduction.reduce(system, &self.questions) {
                Ok(reduced) => Arc::new(reduced),
                Err(why) => panic!("{why}"),
            }
        });
        let questions = match self.questions.bind(&self.system) {
            Ok(questions) => questions,
            Err(mistake) => panic!("{mistake}"),
        };
        let (progress, options) = (self.progress, self.options);
        let explored = progress.explore(&self.system, reduced.clone(), questions, options);
        Checked::new(self.system, reduced, explored)
    }
}
