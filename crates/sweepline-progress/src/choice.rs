//! Which measure to use: never one that loses.
//!
//! Candidates run a race through the states nearest to the initial ones: through a few of them first, and the best go
//! on. If these are all states there are, the figures of the race are those of the exploration. Otherwise they tell what
//! to expect. Columns never make anything worse, so the best of them are used if they promise anything. With rows,
//! states may be explored again, and how often that is must not grow with the part of the state space that is looked at.

use std::sync::Arc;

use sweepline_check::{Plan, answer};
use sweepline_core::{AnySystem, Limits, NoProgress, Progress, Statistics};
use sweepline_explore::{LogPlace, Options};
use sweepline_logic::Ranges;

use crate::candidate::{Bound, Candidate, Changes};
use crate::combine::{Rows, with_rows};
use crate::effort::Exploring;
use crate::means::Means;
use crate::sample::Sample;
use crate::threads;
use crate::vicinity::{Most, Outcome, Vicinity};

/// A model that a measure is wanted for.
pub struct Subject {
    /// The system.
    pub system: Arc<dyn AnySystem>,
    /// Whether its slots keep to their ranges.
    pub ranges: Ranges,
    /// How slots change by each action, where that is always the same (nets).
    pub changes: Option<Changes>,
}

/// What is known of a candidate.
#[derive(Clone, Debug)]
pub struct Assessment {
    /// The measure.
    pub candidate: Candidate,
    /// How it did in growing parts of the state space.
    pub outcomes: Vec<Outcome>,
    /// Figures of an exploration of everything.
    pub trial: Option<Statistics>,
}

/// The choice and what it is based on.
#[derive(Debug)]
pub struct Choice {
    /// Everything that was considered, the best first.
    pub assessed: Vec<Assessment>,
    /// The measure to use, the first of the assessed ones, perhaps coarser; nothing means plain search.
    pub chosen: Option<Candidate>,
    /// What to try if memory runs out.
    pub saving: Saving,
    /// All states, if they are known.
    pub states: Option<u64>,
    /// Whether candidates were left out to save time.
    pub hasty: bool,
}

/// Measures that store little, whatever they explore again.
#[derive(Clone, Debug)]
pub enum Saving {
    /// These, what should store least first.
    Known(Vec<Candidate>),
    /// Nobody has looked for them, to save time.
    NotLookedFor,
}

impl Saving {
    /// Those that are known.
    pub fn known(&self) -> &[Candidate] {
        match self {
            Self::Known(candidates) => candidates,
            Self::NotLookedFor => &[],
        }
    }
}

/// Expansions that find out whether a state space is small.
const SMALL: u64 = 60_000;
/// The parts of the race, as divisors of the states that are known, and how many take part in each.
const PARTS: [usize; 3] = [12, 3, 1];
const COLUMNS: [usize; 3] = [12, 4, 2];
const ROWS: [usize; 3] = [32, 10, 4];
/// States from which on there is more than one part.
const RACE: usize = 4096;
/// States up to which more candidates take part.
const FEW: usize = 60_000;
/// States a layer should have on average; smaller ones cost more than they save.
const LAYER: u64 = 12;
/// The peak up to which exploring everything twice is worth it.
const LITTLE: f64 = 0.35;
/// The same where the peak shrinks as more is seen.
const SHRINKING: f64 = 0.42;
/// Candidates that are shown.
const SHOWN: usize = 20;
/// Measures that are tried if memory runs out.
const SAVING: usize = 3;
/// The peak in a part above which more of it is not looked at; peaks of rows in the parts of a larger state space.
const HOPELESS: f64 = 0.8;
const ROW_PEAKS: [f64; 3] = [0.75, 0.5, SHRINKING];
/// The peak from which on a measure is not worth the trouble.
const WORTHWHILE: f64 = 0.75;
/// The same where only a small part of the state space was looked at, to save time: what stores half of such a part may store
/// nearly everything in the end.
const AT_ONCE: f64 = 0.5;

/// Rows to go with columns.
pub struct Suggested<S: FnOnce() -> Rows, O: FnOnce() -> Rows> {
    /// Simple ones. They come first: of measures that do the same, the simplest is used.
    pub simple: S,
    /// More of them, if they are needed.
    pub others: O,
}

/// What is to be saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Thrift {
    /// Memory, whatever it takes within reason: with rows, states may be explored twice.
    #[default]
    Memory,
    /// Memory, if it costs hardly any time. Columns cost none; rows are looked at only if that is quick because there are few
    /// states, or if full search would hardly fit the memory there is.
    Time {
        /// What looking for a measure may cost: about so many nanoseconds, but counted.
        work: u64,
    },
}

/// What candidates are tried out on.
#[derive(Clone, Copy)]
pub struct Ground<'a> {
    /// What trying out may cost.
    pub means: Means,
    /// The states nearest to the initial ones.
    pub vicinity: &'a Vicinity,
    /// States far away.
    pub sample: &'a Sample,
    /// When the race ends before it is decided.
    pub limits: &'a Limits,
}

/// Lets candidates run a race and chooses one.
pub fn choose(
    subject: &Subject,
    ground: Ground,
    columns: Vec<Candidate>,
    suggested: Suggested<impl FnOnce() -> Rows, impl FnOnce() -> Rows>,
) -> Choice {
    let Ground {
        vicinity, sample, ..
    } = ground;
    let below = columns
        .first()
        .map_or_else(Vec::new, |first| first.columns.clone());
    let runner = |candidate| Runner::new(subject, candidate);
    let mut columns: Vec<_> = columns.into_iter().filter_map(runner).collect();
    let frequency = sample.frequencies(subject.system.actions().len());
    let dear = DEAR * vicinity.step_work(Exploring::of(&*subject.system));
    if ground.saves_time() {
        columns.retain(|runner| runner.effort(&frequency) <= dear);
    }
    let mut hasty = race(ground, &mut columns, COLUMNS);
    if ground.saves_time() {
        columns.retain(|runner| runner.is_worth_its_keys(&frequency, dear));
    }
    columns.sort_by(|a, b| {
        a.column_score(vicinity)
            .total_cmp(&b.column_score(vicinity))
    });
    let states = vicinity.states();
    if states.is_none() {
        prefer_few_layers(&mut columns);
    }
    let best = columns
        .first()
        .map_or(1.0, |best| best.promise(sample, vicinity));
    let wanted = ground.wants_rows();
    // Exploring states again is worth it only where columns alone do not save enough.
    let tried = best > LITTLE && wanted;
    let mut rows = Rows::new();
    if wanted {
        rows = (suggested.simple)();
    }
    if tried {
        rows.extend((suggested.others)());
    }
    let mut rows: Vec<_> = with_rows(&below, rows).filter_map(runner).collect();
    if tried {
        hasty |= race(ground, &mut rows, ROWS);
    }
    for row in &mut rows {
        row.fits = row.is_fit(sample, vicinity);
    }
    rows.sort_by(|a, b| {
        (!a.fits, a.final_score(vicinity))
            .partial_cmp(&(!b.fits, b.final_score(vicinity)))
            .expect("scores are numbers")
    });
    let row = rows.first().filter(|row| row.fits);
    let limit = match states {
        Some(_) => 0.9,
        None if ground.saves_time() => AT_ONCE,
        None => WORTHWHILE,
    };
    let column = columns.first().filter(|_| best < limit);
    let chosen = match (row, column) {
        (Some(row), Some(column)) if row.peak() >= best => Some(column),
        (row, column) => row.or(column),
    };
    let saving = if wanted {
        Saving::Known(saving(&rows, chosen))
    } else {
        Saving::NotLookedFor
    };
    let measure = chosen.map(|chosen| chosen.not_tiny(vicinity));
    let rows_first = chosen.is_some_and(|chosen| !chosen.candidate.rows.is_empty());
    let (first, second) = if rows_first {
        (rows, columns)
    } else {
        (columns, rows)
    };
    let assessed = first
        .into_iter()
        .chain(second)
        .filter(|runner| !runner.outcomes.is_empty())
        .take(SHOWN);
    Choice {
        assessed: assessed.map(|runner| runner.assessment(vicinity)).collect(),
        chosen: measure,
        saving,
        states,
        hasty,
    }
}

/// As many states as there may well be where not all have been seen: if these do not fit the memory, it is short.
const MANY: usize = 240_000;

/// Fields to look at for a key, on the average step, for each nanosecond that the step takes otherwise, above which keys take
/// a good part of the time.
const DEAR: f64 = 0.3;

/// The share of states that can all reach each other from which on columns are not looked for to save time.
const TANGLED: f64 = 0.9;

impl Choice {
    /// Nothing: nobody has looked for a measure.
    pub(crate) fn none() -> Self {
        Self {
            assessed: Vec::new(),
            chosen: None,
            saving: Saving::NotLookedFor,
            states: None,
            hasty: false,
        }
    }
}

impl Ground<'_> {
    /// Whether rows are worth looking at.
    pub(crate) fn wants_rows(&self) -> bool {
        !self.saves_time()
    }

    /// Whether nothing will be used anyway: where nearly all states can reach each other, columns store them all.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.saves_time() && self.vicinity.largest_component() > TANGLED
    }

    /// Whether time matters more than memory.
    fn saves_time(&self) -> bool {
        let small = self.vicinity.states().is_some();
        self.means.thrift != Thrift::Memory && !small
    }

    /// Whether full search would hardly fit the memory there is, so that memory matters more than time.
    pub(crate) fn is_short_of_memory(&self) -> bool {
        let each = self.vicinity.bytes() / self.vicinity.len().max(1);
        let predicted = each.saturating_mul(MANY);
        self.saves_time() && self.limits.memory.is_some_and(|memory| predicted > memory)
    }
}

/// Rows that store little, whatever they explore again. Persistent states only become more in a larger state space.
fn saving(rows: &[Runner], chosen: Option<&Runner>) -> Vec<Candidate> {
    let stores = |row: &Runner| {
        let gave_up = if row.out { 1.0 } else { 0.0 };
        let last = row.last();
        let stores = last.map_or(2.0, |last| last.peak() * (1.0 + 5.0 * last.persistent()));
        gave_up + stores
    };
    let is_chosen = |row: &Runner| chosen.is_some_and(|chosen| std::ptr::eq(chosen, row));
    let mut rows: Vec<_> = rows.iter().filter(|row| !is_chosen(row)).collect();
    rows.sort_by(|a, b| stores(a).total_cmp(&stores(b)));
    let rows = rows.into_iter().take(SAVING);
    rows.map(|row| row.candidate.clone()).collect()
}

/// A candidate in the race.
struct Runner {
    candidate: Candidate,
    measure: Bound,
    outcomes: Vec<Outcome>,
    /// Whether it left the race.
    out: bool,
    /// Whether it may be used although states are explored again.
    fits: bool,
}

/// Lets runners go through growing parts of a vicinity. Those that fall behind leave. Says whether some could not start
/// because that would have taken too much work.
fn race(ground: Ground, runners: &mut [Runner], places: [usize; 3]) -> bool {
    let Ground {
        vicinity, limits, ..
    } = ground;
    // In a small vicinity more of them can be looked at in the same time.
    let more = if ground.saves_time() {
        1
    } else {
        (FEW / vicinity.len().max(1)).clamp(1, 8)
    };
    let parts = if vicinity.len() < RACE {
        1
    } else {
        PARTS.len()
    };
    let work = ground.means.race / parts as u64;
    let mut hasty = false;
    for (part, (&divisor, &places)) in PARTS.iter().zip(&places).enumerate() {
        if vicinity.len() < RACE && part + 1 < PARTS.len() {
            continue; // a single race through everything is short enough
        }
        let states = vicinity.len() / divisor;
        runners.sort_by(|a, b| {
            (a.out, a.score())
                .partial_cmp(&(b.out, b.score()))
                .expect("scores are numbers")
        });
        let allowed = vicinity.runs_within(work, states);
        hasty |= allowed < runners.len().min(places * more);
        for runner in runners.iter_mut().skip(allowed.min(places * more)) {
            runner.out = true;
        }
        let running = runners.iter_mut().filter(|runner| !runner.out);
        threads::for_each(running, |runner| match limits.allow(vicinity.bytes()) {
            Ok(()) => runner.run(vicinity, states, part),
            Err(_) => runner.out = true,
        });
    }
    hasty
}

impl Runner {
    /// A candidate, if it has a measure for the system.
    fn new(subject: &Subject, candidate: Candidate) -> Option<Self> {
        let measure = subject.bind(&subject.system, &candidate)?;
        Some(Self {
            candidate,
            measure,
            outcomes: Vec::new(),
            out: false,
            fits: false,
        })
    }

    /// Runs through the first states. It leaves if that takes too long, or if it stores too much.
    #[expect(
        clippy::cast_precision_loss,
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a small number"
    )]
    fn run(&mut self, vicinity: &Vicinity, states: usize, part: usize) {
        let worth = self.worth(vicinity, part);
        let most = Most {
            explored: states as u64 * 11 / 5,
            // The figures of everything are worth knowing, those of a part only if it may still be chosen.
            stored: match vicinity.states() {
                None if part > 0 => (worth * states as f64) as u64,
                _ => u64::MAX,
            },
        };
        let outcome = vicinity.sweep(&self.measure, states, most);
        let hopeful = |outcome: &Outcome| outcome.statistics.complete && outcome.peak() <= worth;
        self.out = !outcome.as_ref().is_some_and(hopeful);
        let tells = |outcome: &Outcome| outcome.statistics.peak_states <= most.stored;
        self.outcomes.extend(outcome.filter(tells));
    }

    /// The peak up to which it stays in the race.
    fn worth(&self, vicinity: &Vicinity, part: usize) -> f64 {
        let is_row = !self.candidate.rows.is_empty();
        match part {
            _ if is_row && vicinity.states().is_none() => ROW_PEAKS[part],
            0 => f64::INFINITY,
            _ => HOPELESS,
        }
    }

    /// What a key costs: the fields of a state it is computed from, where no step carries it along.
    fn effort(&self, frequency: &[f64]) -> f64 {
        self.measure.effort(frequency)
    }

    /// Whether what is saved makes up for the time keys take: memory that is not touched is time saved, too.
    fn is_worth_its_keys(&self, frequency: &[f64], dear: f64) -> bool {
        let saved = (1.0 - self.peak()).max(0.0);
        self.effort(frequency) <= dear * saved * saved
    }

    fn last(&self) -> Option<&Outcome> {
        self.outcomes.last()
    }

    fn peak(&self) -> f64 {
        self.last().map_or(1.0, Outcome::peak)
    }

    /// What to keep small: what is stored, and how often it is explored.
    fn score(&self) -> f64 {
        self.last().map_or(0.0, |last| last.peak() * last.again())
    }

    /// The same at the end: if everything was seen, what is stored comes first.
    fn final_score(&self, vicinity: &Vicinity) -> (f64, f64) {
        match vicinity.states() {
            Some(_) => (self.peak(), self.score()),
            None => (self.score(), 0.0),
        }
    }

    /// The same for columns: in large state spaces, layers of a few states take more time than anything else.
    fn column_score(&self, vicinity: &Vicinity) -> f64 {
        let tiny = self.last().is_some_and(Outcome::has_tiny_layers);
        let tiny = tiny && vicinity.states().is_none();
        self.score() + if tiny { 0.3 } else { 0.0 } + if self.out { 1.0 } else { 0.0 }
    }

    /// The peak to expect. A part of the state space cut off somewhere rather makes it look larger than it is.
    fn promise(&self, sample: &Sample, vicinity: &Vicinity) -> f64 {
        let peak = self.peak();
        match vicinity.states() {
            Some(_) => peak,
            None => peak.min(sample.peak(&self.measure).unwrap_or(1.0)),
        }
    }

    /// Whether exploring states again is worth it, and stays so in a state space that is larger than what was seen.
    fn is_fit(&self, sample: &Sample, vicinity: &Vicinity) -> bool {
        let done = |last: &&Outcome| !self.out && last.statistics.complete;
        let Some(last) = self.last().filter(done) else {
            return false;
        };
        let (again, peak) = (last.again(), last.peak());
        if vicinity.states().is_some() {
            return (again <= 1.4 && peak < 0.9) || (again <= 2.0 && peak < LITTLE);
        }
        self.outcomes.len() == PARTS.len() && self.stays_little() && self.stays_calm(sample)
    }

    /// Whether little will be stored: peaks that shrink as the part grows go on shrinking.
    fn stays_little(&self) -> bool {
        let [first, second, last] = &self.outcomes[..] else {
            return false;
        };
        let shrinks = first.peak() > second.peak() && second.peak() > last.peak();
        let trusted = shrinks && last.statistics.sweeps <= 2;
        last.peak() <= if trusted { SHRINKING } else { LITTLE }
    }

    /// Whether states will not be explored more and more often. These limits were found by comparing the figures of
    /// parts with those of the whole, for all candidates of the models in the corpus: what goes wrong later shows up
    /// in walks far from the beginning, in more sweeps, or in more persistent states.
    fn stays_calm(&self, sample: &Sample) -> bool {
        let [first, second, last] = &self.outcomes[..] else {
            return false;
        };
        let Some(regress) = sample.regress(&self.measure) else {
            return false;
        };
        let sweeps = last.statistics.sweeps;
        if sweeps == 1 {
            return regress == 0.0; // that nothing went back so far says nothing otherwise
        }
        let again = self.outcomes.iter().map(Outcome::again).fold(1.0, f64::max);
        if again <= 1.1 {
            return last.persistent() >= regress / 4.0;
        }
        let kept = last.persistent() <= f64::max(0.012, 1.2 * first.persistent());
        let swept = sweeps <= first.statistics.sweeps + 1;
        let next = 2.0 * last.again() - second.again();
        regress <= 0.025
            && kept
            && swept
            && match sweeps {
                2 => last.again() <= 2.01,
                3 => last.again() <= 1.9 && next <= 1.9,
                _ => last.again() <= 1.5 && next <= 1.9,
            }
    }

    /// The candidate, coarser if layers of a large state space would be tiny.
    fn not_tiny(&self, vicinity: &Vicinity) -> Candidate {
        let mut candidate = self.candidate.clone();
        if let Some(last) = self.last()
            && vicinity.states().is_none()
            && candidate.rows.is_empty()
        {
            let average = last.states as u64 / last.statistics.layers.max(1);
            if average < LAYER {
                candidate.coarsen = (LAYER / average.max(1)).next_power_of_two();
            }
        }
        candidate
    }

    fn assessment(self, vicinity: &Vicinity) -> Assessment {
        let whole = |outcome: &&Outcome| vicinity.states() == Some(outcome.states as u64);
        let trial = self
            .outcomes
            .last()
            .filter(whole)
            .map(|last| last.statistics.clone());
        Assessment {
            candidate: self.candidate,
            outcomes: self.outcomes,
            trial,
        }
    }
}

/// Among columns that promise almost the same, those with the fewest layers are cheapest.
fn prefer_few_layers(columns: &mut [Runner]) {
    let Some(best) = columns.first() else { return };
    let good = best.peak() * 1.2 + 0.001;
    let count = columns
        .iter()
        .take_while(|runner| !runner.out && runner.peak() <= good)
        .count();
    columns[..count].sort_by_key(|runner| runner.last().map_or(0, |last| last.statistics.layers));
}

impl Subject {
    /// A candidate's measure, if it has one for this system.
    pub fn bind(&self, system: &Arc<dyn AnySystem>, candidate: &Candidate) -> Option<Bound> {
        candidate
            .bind(system, self.ranges, self.changes.as_ref())
            .ok()
    }

    /// Expansions that find out whether the state space is small: fewer if each takes long.
    pub fn small(system: &Arc<dyn AnySystem>) -> u64 {
        let actions = system.actions().len() as u64;
        SMALL * 300 / actions.max(300)
    }

    /// Explores without questions, up to a number of expansions.
    pub fn explore(&self, candidate: Option<&Candidate>, most: u64, limits: &Limits) -> Statistics {
        let options = Options {
            limits: Limits {
                states: Some(limits.states.unwrap_or(u64::MAX).min(most)),
                ..limits.clone()
            },
            log: LogPlace::Off,
            ..Options::default()
        };
        match candidate {
            None => run(self, |_| Some(NoProgress), options),
            Some(candidate) => run(self, |system| self.bind(system, candidate), options),
        }
    }
}

fn run<P: Progress>(
    subject: &Subject,
    bind: impl Fn(&Arc<dyn AnySystem>) -> Option<P>,
    options: Options,
) -> Statistics {
    let plan = |system: Arc<dyn AnySystem>| {
        let progress = bind(&system)?;
        Some(Plan {
            system,
            progress,
            questions: Vec::new(),
        })
    };
    let Some(first) = plan(Arc::clone(&subject.system)) else {
        return Statistics::default();
    };
    let widen = |system: &Arc<dyn AnySystem>, slot| plan(system.widened(slot)?);
    answer(first, widen, options, &mut ()).statistics
}
