//! Checking a claim by a sweep of the product with its automaton, which forgets what it has passed.
//!
//! The components of the automaton are columns, between those of the model and its rows. So every cycle lies within one column, and
//! within one layer where there are no rows. Links are kept while the column is open, and only in components that can accept; a
//! component with an accepted cycle is looked for at geometric sizes and when the column closes. Where there are more links than
//! memory they lie on disk, beside the trace log, and are searched by passes over all of them.

use std::sync::{Arc, Mutex, PoisonError};

use sweepline_core::{
    ActionId, ColumnClosed, Control, Describe, LayerClosed, LayerOpened, Limits, Linked, Observer,
    Progress, Renumbering, Started, Statistics, Steps, StopReason, System, Wants, Word,
};
use sweepline_explore::{End, LogPlace, Options, Path, Sweep};
use sweepline_logic::Enabled;
use sweepline_logic::omega::{Letter, Letters, OmegaProduct, STAY};

use super::acceptor::{Acceptor, ClaimError};
use super::bits::search_bits;
use super::claim::{Claim, Fairness, Reader};
use super::column::{Column, Columnar};
use super::lasso::{Lasso, LassoStep, cycle_in};
use super::liveness::Status;
use super::search::{Allowance, Ending, Search, search};
use crate::inquiry::EachState;
use crate::question::{Seen, Test};

/// What came out of a sweep of the product.
#[derive(Clone, Debug)]
pub struct ProductAnswer {
    /// What is known of the claim.
    pub status: Status,
    /// How the sweep ended.
    pub end: End,
    /// Its figures.
    pub statistics: Statistics,
}

/// Checks a claim by a sweep of the product. `atoms` are the shared atoms, bound to this system, and `memory` is what may be
/// held besides the stores.
///
/// If a slot is too narrow it has to be called again with a wider system. A system that begins again is asked for by `renewing`; the
/// lasso is one of the last of them.
pub fn check_product<S: Describe, P: Progress>(
    system: S,
    progress: P,
    asked: (&[Test], &Claim, &Fairness),
    (options, memory): (Options, usize),
    renewing: Option<Renewing<'_, S, P, Vec<Test>>>,
    observer: &mut dyn Observer,
) -> Result<ProductAnswer, ClaimError> {
    let room = Room {
        memory,
        links: memory / 2,
    };
    check_within(system, progress, asked, (options, room), renewing, observer)
}

/// How a sweep goes on when its system should begin again, because it holds much for states that are forgotten.
pub struct Renewing<'r, S, P, A> {
    /// A system that holds less than so many bytes does not begin again.
    pub least: usize,
    /// Begins again with the states that are shown to it; nothing if that cannot be done.
    pub renew: &'r mut Renew<'r, S, P, A>,
}

/// Begins again with the states that are shown to it.
pub type Renew<'r, S, P, A> = dyn FnMut(&EachState<'_>) -> Option<Anew<S, P, A>> + 'r;

/// A system that has begun again, and what is asked about it.
pub struct Anew<S, P, A> {
    /// The system.
    pub system: S,
    /// The same measure on its states.
    pub progress: P,
    /// The same question, bound to it.
    pub asked: A,
    /// What the numbers in slots have become.
    pub numbers: Renumbering,
    /// How much it holds.
    pub held: usize,
}

impl<S, P, A> Anew<S, P, A> {
    /// The same with another form of what is asked.
    pub(crate) fn asking<B>(self, asked: B) -> Anew<S, P, B> {
        Anew {
            system: self.system,
            progress: self.progress,
            asked,
            numbers: self.numbers,
            held: self.held,
        }
    }
}

/// What may be held besides the stores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    /// In all.
    pub(crate) memory: usize,
    /// By links. When they take more they go to disk.
    pub(crate) links: usize,
}

/// The same, where it is said when links go to disk.
pub(crate) fn check_within<S: Describe, P: Progress>(
    system: S,
    progress: P,
    (atoms, claim, fairness): (&[Test], &Claim, &Fairness),
    (options, room): (Options, Room),
    renewing: Option<Renewing<'_, S, P, Vec<Test>>>,
    observer: &mut dyn Observer,
) -> Result<ProductAnswer, ClaimError> {
    let acceptor = Acceptor::new(claim, fairness, atoms.len())?;
    let outlook = acceptor.outlook().clone();
    let watched = |system: S, atoms: &[Test]| {
        let mine = claim.atoms.iter().map(|&atom| atoms[atom].clone());
        let letters = TestLetters::new(mine.collect());
        let automaton = claim.automaton.clone();
        Arc::new(OmegaProduct::new(
            system,
            automaton,
            letters,
            outlook.clone(),
        ))
    };
    let product = watched(system, atoms);
    let limits = options.limits.clone();
    let progress = product.measure(progress);
    let mut cycles = Cycles {
        column: Column::new(fairness.needs_actions()),
        rows: progress.row_bits() > 0,
        reader: Reader::new(atoms.to_vec(), fairness),
        buffer: Vec::new(),
        product: Arc::clone(&product),
        acceptor,
        limits,
        room,
        place: options.log.clone(),
        disk: 0,
        fresh: true,
        next_try: FIRST_TRY,
        found: None,
        undefined: None,
        outcome: Ok(()),
    };
    let mut sweep = Sweep::new(product, progress, options);
    let mut renewing = renewing;
    if let Some(Renewing { least, .. }) = &renewing {
        sweep.expect_renewal(*least);
    }
    let end = loop {
        let end = sweep.run_linked(&mut (&mut cycles, &mut *observer));
        let (End::Crowded, Some(Renewing { renew, .. })) = (&end, &mut renewing) else {
            break end;
        };
        let Some(anew) = renew(&|visit| sweep.each_record(visit)) else {
            sweep.expect_no_renewal();
            continue;
        };
        let product = watched(anew.system, &anew.asked);
        let progress = product.measure(anew.progress);
        cycles.product = Arc::clone(&product);
        cycles.reader.rebind(anew.asked);
        if let Err(reason) = sweep.renew(product, progress, &anew.numbers, anew.held) {
            break End::Limit(reason);
        }
    };
    let mut status = match &end {
        End::Complete if cycles.outcome.is_ok() => match cycles.undefined.take() {
            None => Status::Holds,
            Some(why) => Status::Undefined(why),
        },
        End::Fault { message, .. } => Status::Undefined(message.clone()),
        End::Assertion { assertion, .. } => Status::Undefined(assertion.to_string()),
        _ => Status::Open,
    };
    if let Some(found) = &cycles.found {
        let path = sweep.path_to(found.number);
        let lasso = path
            .ok()
            .and_then(|path| found.lasso(sweep.system(), &path));
        status = lasso.map_or(Status::Open, Status::Violated);
    }
    let end = match cycles.outcome {
        Err(reason) => End::Limit(reason),
        Ok(()) => end,
    };
    Ok(ProductAnswer {
        status,
        end,
        statistics: sweep.statistics().clone(),
    })
}

/// Letters by tests.
struct TestLetters {
    tests: Vec<Test>,
    /// Which actions are enabled, if a test asks; made once and used for every state.
    enabled: Option<Mutex<Enabled>>,
    none: Enabled,
}

impl TestLetters {
    fn new(tests: Vec<Test>) -> Self {
        let asked = tests.iter().any(Test::needs_enabled);
        Self {
            tests,
            enabled: asked.then(Mutex::default),
            none: Enabled::default(),
        }
    }

    fn read(
        &self,
        (state, actions, deadlock): (&[Word], &[ActionId], bool),
        enabled: &Enabled,
    ) -> Result<Letter, String> {
        let seen = Seen {
            state,
            actions,
            enabled,
            deadlock,
        };
        let mut letter = 0;
        for (at, test) in self.tests.iter().enumerate() {
            letter |= Letter::from(test.eval(seen)?) << at;
        }
        Ok(letter)
    }
}

impl Letters for TestLetters {
    fn letter(
        &self,
        state: &[Word],
        actions: &[ActionId],
        deadlock: bool,
    ) -> Result<Letter, String> {
        let read = (state, actions, deadlock);
        let Some(enabled) = &self.enabled else {
            return self.read(read, &self.none);
        };
        // Whoever panicked while holding it left nothing that matters.
        let mut enabled = enabled.lock().unwrap_or_else(PoisonError::into_inner);
        enabled.set(actions, deadlock);
        self.read(read, &enabled)
    }
}

/// Nodes of a column before the first search in it.
const FIRST_TRY: u64 = 1 << 12;
/// Each search comes after so many times the nodes of the one before.
const FACTOR: u64 = 4;

/// Looks for cycles while the product is swept.
struct Cycles<S> {
    product: Arc<OmegaProduct<S, TestLetters>>,
    acceptor: Acceptor,
    reader: Reader,
    buffer: Vec<Word>,
    column: Column,
    /// Whether cycles may go through several layers.
    rows: bool,
    limits: Limits,
    room: Room,
    /// Where links go that there is no room for.
    place: LogPlace,
    /// The most bytes that were there.
    disk: u64,
    /// Whether the next layer begins a column, or whatever cycles lie in.
    fresh: bool,
    next_try: u64,
    found: Option<Cycle>,
    /// Why what an assumption asks for has no value somewhere. Nothing holds then.
    undefined: Option<String>,
    /// Why it was given up.
    outcome: Result<(), StopReason>,
}

/// A cycle of the product.
struct Cycle {
    /// An instance on it.
    number: u64,
    /// Its steps from there. If there are none, every run that goes on from there is accepted.
    steps: Vec<usize>,
}

impl Cycle {
    /// The run that leads to it and into it, taken apart.
    fn lasso<S: System>(
        &self,
        product: &OmegaProduct<S, TestLetters>,
        path: &Path,
    ) -> Option<Lasso> {
        let mut steps = Steps::for_layout(product.layout());
        product.initial(&mut steps);
        let mut state: Box<[Word]> =
            (path.initial < steps.len()).then(|| steps.target(path.initial).into())?;
        let (initial, start) = product.split_initial(path.initial)?;
        let mut taken = Vec::new();
        for &ordinal in path.steps.iter().chain(&self.steps) {
            let part = product.split(&state, ordinal)?;
            taken.push(LassoStep {
                ordinal: part.ordinal,
                edge: part.edge,
            });
            steps.clear();
            product.successors(&state, &mut steps);
            state = (ordinal < steps.len()).then(|| steps.target(ordinal).into())?;
        }
        let cycle = taken.split_off(path.steps.len());
        Some(Lasso {
            initial,
            start,
            stem: taken,
            cycle,
        })
    }
}

impl<S: System> Cycles<S> {
    /// Searches what is kept.
    fn search(&mut self) -> Control {
        let held = self.column.bytes();
        let allowance = Allowance {
            bytes: self.room.memory.saturating_sub(held),
            limits: &self.limits,
        };
        let mut graph = Columnar {
            column: &self.column,
            acceptor: &self.acceptor,
        };
        let acceptance = &self.acceptor.acceptance;
        // What lies on disk is best read in order.
        let mut found = if self.column.is_spilled() {
            Search::DoesNotFit
        } else {
            search(&mut graph, acceptance, &allowance)
        };
        if matches!(found, Search::DoesNotFit) {
            found = search_bits(&mut graph, self.column.nodes(), acceptance, &allowance);
        }
        let outcome = match found {
            Search::Empty => Ok(None),
            Search::Stopped(reason) => Err(reason),
            Search::DoesNotFit => Err(self.full()),
            Search::Accepting(witness) => {
                let cycle = match witness.ending {
                    Ending::Cycle(component) => cycle_in(&mut graph, &component),
                    Ending::Anyhow => None,
                };
                let cycle = cycle.map(|(node, steps)| Cycle {
                    number: self.column.number(node),
                    steps: steps.iter().map(|step| step.ordinal as usize).collect(),
                });
                let lost = || StopReason::Other("a cycle was found and lost".into());
                cycle.map(Some).ok_or_else(lost)
            }
        };
        if self.is_lost() {
            return Control::Stop;
        }
        match outcome {
            Ok(None) => return Control::Continue,
            Ok(cycle) => self.found = cycle,
            Err(reason) => self.outcome = Err(reason),
        }
        Control::Stop
    }

    fn full(&self) -> StopReason {
        StopReason::Memory {
            limit: self.room.memory,
        }
    }

    /// Whether links on disk were lost, which ends everything.
    fn is_lost(&mut self) -> bool {
        let failure = self.column.failure();
        if let Some(why) = &failure {
            let why = format!("links could not be kept on disk: {why}");
            self.outcome = Err(StopReason::Other(why));
        }
        failure.is_some()
    }

    /// Whether what was kept can be searched later: links are moved to disk if they are too many.
    fn has_room(&mut self) -> bool {
        if !self.column.is_spilled() && self.column.bytes() > self.room.links {
            self.column.spill(&self.place, self.room.links / 2);
        }
        self.disk = self.disk.max(self.column.disk_bytes());
        if self.is_lost() {
            return false;
        }
        if self.column.is_outgrown() || self.column.bytes() > self.room.memory {
            self.outcome = Err(self.full());
            return false;
        }
        true
    }

    /// Everything that cycles lie in has been explored.
    fn close(&mut self) -> Control {
        self.fresh = true;
        if self.column.kept() > 0 {
            self.search()
        } else {
            Control::Continue
        }
    }

    /// Keeps the links of a state of a component that can accept.
    fn keep(&mut self, state: u32, event: &Linked<'_>) {
        let actions = match event.actions {
            [first, ..] if *first == STAY => &[],
            actions => actions,
        };
        let mut buffer = std::mem::take(&mut self.buffer);
        let (product, reader) = (&*self.product, &mut self.reader);
        let undefined = product.with_model(event.state, |model| {
            let deadlock = actions.is_empty() && !product.inner().is_end(model);
            reader.read(model, actions, deadlock, &mut buffer)
        });
        // An atom of the automaton without a value was a fault of the state.
        let asked = undefined
            .into_iter()
            .find(|one| self.acceptor.asks(one.atom));
        if let Some(undefined) = asked {
            self.undefined.get_or_insert(undefined.why);
        }
        let letter = self.acceptor.letter(&buffer);
        let marks = self.acceptor.state_marks(&buffer);
        self.buffer = buffer;
        let class = self.column.class(&self.acceptor, state, letter, marks);
        self.column
            .keep(event.number, class, event.actions, event.links, self.rows);
    }
}

impl<S: System> Observer for Cycles<S> {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }

    fn started(&mut self, _: Started<'_>) -> Control {
        self.fresh = true;
        Control::Continue
    }

    fn linked(&mut self, event: Linked<'_>) -> Control {
        let state = self.product.automaton_state(event.state).0;
        if self.acceptor.is_universal(state) {
            self.found = Some(Cycle {
                number: event.number,
                steps: Vec::new(),
            });
            return Control::Stop;
        }
        if !self.acceptor.is_recurrent(state) || event.links.is_empty() {
            return Control::Continue;
        }
        self.keep(state, &event);
        if !self.has_room() {
            return Control::Stop;
        }
        if self.column.kept() >= self.next_try {
            self.next_try = self.next_try.saturating_mul(FACTOR);
            return self.search();
        }
        Control::Continue
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        if std::mem::take(&mut self.fresh) {
            self.column.restart(event.first - event.roots.len() as u64);
            self.next_try = FIRST_TRY;
        }
        self.column.layer_opened(&event);
        Control::Continue
    }

    fn layer_closed(&mut self, _: LayerClosed<'_>) -> Control {
        if self.rows {
            Control::Continue
        } else {
            self.close()
        }
    }

    fn column_closed(&mut self, _: ColumnClosed<'_>) -> Control {
        if self.rows {
            self.close()
        } else {
            Control::Continue
        }
    }

    /// What was dropped cannot be told where it went.
    fn can_follow(&self) -> bool {
        false
    }

    fn bytes(&self) -> usize {
        self.column.bytes()
    }

    /// The most there was: a column that is closed leaves nothing behind.
    fn disk_bytes(&self) -> u64 {
        self.disk
    }
}
