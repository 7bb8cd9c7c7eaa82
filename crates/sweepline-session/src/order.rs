//! The order a model is explored in: a measure that is given, from the model, or found.

use std::time::{Duration, Instant};

use sweepline_core::{Describe, Limits};
use sweepline_explore::Replacement;
use sweepline_logic::{Coordinate, Leading, Ranges, Source};
use sweepline_process::measure::Ranking;
use sweepline_progress::{
    Bound, Candidate, Changes, Findings, Outcome, Saving, Structure, Thrift, by_rule,
};

use crate::annotation;
use crate::brief::brief;
use crate::error::Error;
use crate::guard::Complaint;
use crate::model::Model;
use crate::units;

/// The order a model is explored in: a measure as it will be used, or none.
#[derive(Clone, Debug)]
pub struct Order {
    /// The measure.
    pub measure: Candidate,
    /// How many rows closed layers are kept behind the sweep-line.
    pub window: u64,
    /// Where the measure comes from.
    pub origin: ChosenBy,
    /// What to say about it besides its text.
    pub note: Option<String>,
    /// What is expected of it, if it was found.
    pub expected: Option<String>,
    /// A value the first column never exceeds.
    pub last: Option<i128>,
    /// How often each state is expected to be explored, if there are rows.
    pub again: Option<f64>,
    /// What to try if memory runs out: measures that store less and explore more. They are looked for when they are needed if
    /// nobody has done so.
    pub fallback: Saving,
    /// State space caching instead of anything else.
    pub cache: Option<Cache>,
    /// How long it took to find it.
    pub finding: Duration,
    /// The work of plain search after which a measure is looked for again, because a run that long can afford it.
    pub look_again: Option<u64>,
}

/// A bounded store for depth-first search.
#[derive(Clone, Copy, Debug)]
pub struct Cache {
    /// States it keeps, the stack included.
    pub capacity: usize,
    /// Which state it throws out when it is full.
    pub replacement: Replacement,
}

/// Where a measure comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ChosenBy {
    /// There is none.
    #[default]
    None,
    /// The user wrote it.
    Given,
    /// It stands in the model file, or beside it.
    Model,
    /// It was found.
    Auto,
}

/// How somebody wants a model to be explored. The default is to find out.
#[derive(Clone, Debug)]
pub struct OrderOptions {
    /// How to explore: by a sweep if there is a measure, and else plainly.
    pub method: Option<Method>,
    /// Rows, or `auto`, or `none`.
    pub progress: Option<String>,
    /// Columns.
    pub columns: Option<String>,
    /// Ranks the components of a network.
    pub ranking: Option<Ranking>,
    /// How the ranks of components become one order.
    pub linearise: Linearise,
    /// Values are divided by this.
    pub coarsen: u64,
    /// How many rows closed layers are kept behind the sweep-line.
    pub window: u64,
    /// How many states state space caching keeps.
    pub cache: Option<usize>,
    /// Which state a full cache throws out.
    pub replacement: Replacement,
}

impl Default for OrderOptions {
    fn default() -> Self {
        Self {
            method: None,
            progress: None,
            columns: None,
            ranking: None,
            linearise: Linearise::Lexicographic,
            coarsen: 1,
            window: 0,
            cache: None,
            replacement: Replacement::Random,
        }
    }
}

/// How to explore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// In the order of the measure, forgetting what lies behind.
    Sweep,
    /// Everything in one layer, nothing forgotten.
    Full,
    /// Depth first, with a cache of visited states.
    Caching,
}

/// How several coordinates become one order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Linearise {
    /// The first component counts most.
    Lexicographic,
    /// Their sum.
    Sum,
}

/// How far the first coordinate of the columns can go.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    /// Where it lies in keys.
    pub leading: Leading,
    /// A value it never exceeds.
    pub last: i128,
}

/// What looking for a measure may cost before anything is explored: some milliseconds, which nobody notices.
const AT_FIRST: u64 = 8_000_000;
/// The work of plain search after which it is looked for again, how small a part of that looking may be, and how many times
/// as long the search must have become before it is looked for once more.
const AGAIN: u64 = 400_000_000;
const PART: u64 = 10;
const LATER: u64 = 4;
/// States that layers should have on average, in what is seen, for a search to change to a measure. Smaller ones share a
/// table, where looking states up costs more than in one layer, and what plain search has stored by then is not saved.
const LAYER: u64 = 64;

/// More terms of a measure than anybody reads.
const MANY_TERMS: usize = 40;

/// Coarser measures are not tried.
const COARSEST: u64 = 1 << 12;

/// The words that are no expressions.
const AUTO: &str = "auto";
const NONE: &str = "none";

impl Default for Order {
    fn default() -> Self {
        Self {
            measure: Candidate {
                name: String::new(),
                columns: Vec::new(),
                rows: Vec::new(),
                coarsen: 1,
            },
            window: 0,
            origin: ChosenBy::None,
            note: None,
            expected: None,
            last: None,
            again: None,
            fallback: Saving::Known(Vec::new()),
            cache: None,
            finding: Duration::ZERO,
            look_again: None,
        }
    }
}

impl Order {
    /// What is wanted means this for a model.
    pub fn of(options: &OrderOptions, model: &Model, limits: &Limits) -> Result<Self, Error> {
        let given = Self::parse(
            options.columns.as_deref(),
            options.progress.as_deref(),
            options.coarsen,
            options.window,
        )?;
        if options.cache.is_some() && options.method != Some(Method::Caching) {
            return Err(Error::UnusedCache);
        }
        if matches!(options.method, Some(Method::Full | Method::Caching)) {
            return given.refuse(options);
        }
        if let Some(ranking) = options.ranking {
            return Ok(Self {
                window: given.window,
                ..Self::by_ranking(ranking, options.linearise, options.coarsen, model)?
            });
        }
        let mut order = match options.progress.as_deref().map(str::trim) {
            Some(AUTO) if options.columns.is_none() => Self::find(options, model, limits, &given),
            Some(_) => given,
            None if options.columns.is_some() => given,
            None => match Self::of_model(model)? {
                Some(own) => Self {
                    window: given.window,
                    measure: Candidate {
                        coarsen: options.coarsen,
                        ..own.measure
                    },
                    ..own
                },
                None => Self::find(options, model, limits, &given),
            },
        };
        order.use_ids(model);
        if options.method == Some(Method::Sweep) && order.origin == ChosenBy::None {
            return Err(Error::NoMeasure);
        }
        Ok(order)
    }

    /// Methods without a measure take none.
    fn refuse(self, options: &OrderOptions) -> Result<Self, Error> {
        if self.origin == ChosenBy::Given || options.ranking.is_some() {
            return Err(Error::UnusedMeasure);
        }
        let cache = Cache {
            capacity: options.cache.unwrap_or(usize::MAX),
            replacement: options.replacement,
        };
        Ok(Self {
            cache: (options.method == Some(Method::Caching)).then_some(cache),
            ..Self::default()
        })
    }

    /// The measure that comes with the model.
    fn of_model(model: &Model) -> Result<Option<Self>, Error> {
        if let Some(own) = model.format.own_progress() {
            let rows = Coordinate::parse(Source::new(model.name.as_str(), own))?;
            return Ok(Some(Self {
                origin: ChosenBy::Model,
                note: Some("from the model file".into()),
                ..Self::with(Vec::new(), rows)
            }));
        }
        let annotation = match &model.path {
            Some(path) => annotation::read(path, model)?,
            None => None,
        };
        let Some(annotation) = annotation else {
            return Self::of_columns(model);
        };
        Ok(Some(Self {
            origin: ChosenBy::Model,
            note: Some(format!("from {}", annotation.place)),
            ..Self::with(annotation.columns, annotation.rows)
        }))
    }

    /// The clock of a model that has one.
    fn of_columns(model: &Model) -> Result<Option<Self>, Error> {
        let Some(own) = model.columns else {
            return Ok(None);
        };
        let columns = Coordinate::parse(Source::new(model.name.as_str(), own))?;
        Ok(Some(Self {
            origin: ChosenBy::Model,
            note: Some("the clock of the model".into()),
            ..Self::with(columns, Vec::new())
        }))
    }

    /// The components of a network, ranked.
    pub fn by_ranking(
        ranking: Ranking,
        linearise: Linearise,
        coarsen: u64,
        model: &Model,
    ) -> Result<Self, Error> {
        let Structure::Components(network) = &model.structure else {
            return Err(Error::Misplaced {
                about: "--measures ranks the components of a network".into(),
                model: model.name.clone(),
                help: "leave --measures out, or use --progress and --columns".into(),
            });
        };
        let summed = linearise == Linearise::Sum;
        let mut measure = by_rule(network, model.system.layout(), ranking, summed);
        measure.coarsen = coarsen;
        Ok(Self {
            origin: ChosenBy::Given,
            note: Some(measure.name.clone()),
            measure,
            ..Self::default()
        })
    }

    fn with(columns: Vec<Coordinate>, rows: Vec<Coordinate>) -> Self {
        Self {
            measure: Candidate {
                columns,
                rows,
                ..Self::default().measure
            },
            ..Self::default()
        }
    }

    /// Finds a measure.
    fn find(options: &OrderOptions, model: &Model, limits: &Limits, given: &Self) -> Self {
        let started = Instant::now();
        // Who wants a sweep wants the best there is; others want no run to take longer.
        let forced = options.method == Some(Method::Sweep);
        let thrift = if forced {
            Thrift::Memory
        } else {
            Thrift::Time { work: AT_FIRST }
        };
        let findings = model.find_saving(thrift, limits);
        let mut order = Self::found(&findings, forced);
        order.finding = started.elapsed();
        let looks = order.is_constant() && !forced && !findings.exhausted;
        order.look_again = looks.then_some(AGAIN);
        if given.measure.coarsen > 1 {
            order.measure.coarsen = given.measure.coarsen;
        }
        order.window = given.window;
        order
    }

    /// The measure that was chosen, or – if there must be one – the best there is.
    pub fn found(findings: &Findings, forced: bool) -> Self {
        let choice = &findings.choice;
        let fallback = choice.saving.clone();
        let best = choice.assessed.first().filter(|_| forced);
        let Some(measure) = choice
            .chosen
            .clone()
            .or_else(|| best.map(|best| best.candidate.clone()))
        else {
            return Self {
                note: Some(nothing_found(findings)),
                fallback,
                ..Self::default()
            };
        };
        let expected = choice
            .assessed
            .first()
            .map(|first| expectation(first, choice.states));
        let first = choice
            .assessed
            .first()
            .and_then(|first| first.outcomes.last());
        let again = first.filter(|_| !measure.rows.is_empty());
        Self {
            note: Some(format!("found: {}", measure.name)),
            expected,
            origin: ChosenBy::Auto,
            last: findings.last,
            again: again.map(Outcome::again),
            measure,
            fallback,
            ..Self::default()
        }
    }

    /// Looks for a measure again when plain search has done so much work, and says when to do so once more if there is none.
    pub(crate) fn looking_again(
        &self,
        model: &Model,
        limits: &Limits,
        done: u64,
    ) -> Result<Self, Option<u64>> {
        let started = Instant::now();
        let limits = Limits {
            memory: limits.memory.map(|memory| memory / 2),
            ..limits.clone()
        };
        let work = done / PART;
        let findings = model.find_saving(Thrift::Time { work }, &limits);
        let mut order = Self {
            window: self.window,
            ..Self::found(&findings, false)
        };
        order.use_ids(model);
        order.finding = self.finding + started.elapsed();
        if order.is_constant() {
            let more = findings.ran_out || findings.choice.hasty;
            return Err(more.then(|| done.saturating_mul(LATER)));
        }
        let first = findings.choice.assessed.first();
        let seen = first.and_then(|first| first.outcomes.last());
        if seen.is_some_and(|seen| (seen.states as u64) < LAYER * seen.statistics.layers) {
            return Err(None); // it would store less, but take longer
        }
        Ok(order)
    }

    /// Looks for measures that store little, if nobody has done so. The part of the memory that is left for that is small.
    pub(crate) fn look_for_saving(&mut self, model: &Model, limits: &Limits) {
        let Saving::NotLookedFor = self.fallback else {
            return;
        };
        let started = Instant::now();
        let limits = Limits {
            memory: limits.memory.map(|memory| memory / 2),
            ..limits.clone()
        };
        let choice = model.find_measure(&limits).choice;
        let text = |candidate: &Candidate| {
            let coordinates = [&candidate.columns[..], &candidate.rows].concat();
            (candidate.rows.len(), Candidate::text(&coordinates))
        };
        let found = choice.chosen.iter().chain(choice.saving.known());
        let other = found.filter(|candidate| text(candidate) != text(&self.measure));
        self.fallback = Saving::Known(other.cloned().collect());
        self.finding += started.elapsed();
    }

    /// What to go on with when memory runs out: the next measure that stores little, if there is one.
    pub fn saving_memory(&self) -> Option<Self> {
        let (next, others) = self.fallback.known().split_first()?;
        Some(Self {
            measure: next.clone(),
            fallback: Saving::Known(others.to_vec()),
            window: self.window,
            origin: ChosenBy::Auto,
            finding: self.finding,
            ..Self::default()
        })
    }

    /// A measure from the texts of its columns and rows.
    pub fn parse(
        columns: Option<&str>,
        rows: Option<&str>,
        coarsen: u64,
        window: u64,
    ) -> Result<Self, Error> {
        let parse = |flag: &str, text: Option<&str>| match text {
            None => Ok(Vec::new()),
            Some(text) => Coordinate::parse(Source::new(flag, text)),
        };
        let rows = rows.filter(|text| ![NONE, AUTO].contains(&text.trim()));
        let (columns, rows) = (parse("--columns", columns)?, parse("--progress", rows)?);
        let origin = if columns.is_empty() && rows.is_empty() {
            ChosenBy::None
        } else {
            ChosenBy::Given
        };
        let mut order = Self::with(columns, rows);
        order.measure.coarsen = coarsen;
        Ok(Self {
            window,
            origin,
            ..order
        })
    }

    /// Places of a net are called by ids; people also use names.
    pub fn use_ids(&mut self, model: &Model) {
        let Some(net) = model.net() else { return };
        let measure = &mut self.measure;
        for coordinate in measure.columns.iter_mut().chain(&mut measure.rows) {
            sweepline_net::resolve_expression(net, &mut coordinate.expr);
        }
    }

    /// Whether everything is explored in one layer.
    pub fn is_constant(&self) -> bool {
        self.origin == ChosenBy::None
    }

    /// How far the first column can go, if that is known.
    pub fn goal(&self, model: &Model) -> Option<Goal> {
        if self.measure.columns.is_empty() {
            return None;
        }
        let bound = self.bind(&model.system, model.ranges, None).ok()?;
        let leading = bound.leading()?;
        Some(Goal {
            last: self.last.unwrap_or(leading.greatest),
            leading,
        })
    }

    /// What to go on with after a complaint: without rows, or coarser, or without any measure.
    #[must_use]
    pub fn giving_up(&self, complaint: Complaint) -> Self {
        let plain = Self {
            window: self.window,
            finding: self.finding,
            ..Self::default()
        };
        let mut less = Self {
            again: None,
            note: None,
            expected: None,
            ..self.clone()
        };
        let has_both = !self.measure.rows.is_empty() && !self.measure.columns.is_empty();
        match complaint {
            Complaint::Again if has_both => less.measure.rows.clear(),
            Complaint::TinyLayers if self.measure.coarsen < COARSEST => less.measure.coarsen *= 64,
            Complaint::Large { .. } => {
                let fallback = Saving::Known(vec![self.measure.clone()]);
                return Self { fallback, ..plain };
            }
            Complaint::Again | Complaint::TinyLayers => {
                let fallback = self.fallback.clone();
                return Self { fallback, ..plain };
            }
        }
        less
    }

    /// The measure on the states of a system.
    pub fn bind(
        &self,
        system: &dyn Describe,
        ranges: Ranges,
        changes: Option<&Changes>,
    ) -> Result<Bound, Error> {
        Ok(self.measure.bind(system, ranges, changes)?)
    }

    /// The columns, as they are written.
    pub fn columns_text(&self) -> String {
        Candidate::text(&self.measure.columns)
    }

    /// The rows, as they are written.
    pub fn rows_text(&self) -> String {
        Candidate::text(&self.measure.rows)
    }

    /// The flags that ask for the measure.
    pub fn flags(&self) -> String {
        let mut flags = Vec::new();
        let quoted = |text: String| text.replace('\'', "'\\''");
        if !self.measure.columns.is_empty() {
            flags.push(format!("--columns '{}'", quoted(self.columns_text())));
        }
        if !self.measure.rows.is_empty() {
            flags.push(format!("--progress '{}'", quoted(self.rows_text())));
        }
        if self.measure.coarsen > 1 {
            flags.push(format!("--coarsen {}", self.measure.coarsen));
        }
        if flags.is_empty() {
            flags.push("--progress none".into());
        }
        flags.join(" ")
    }

    /// One line for people: the measure, and where it comes from.
    pub fn describe(&self) -> String {
        let measure = self.text();
        match (&self.note, &self.expected) {
            _ if self.cache.is_some() => measure,
            (Some(note), _) if self.is_constant() => format!("{note}: {measure}"),
            (None, _) if self.is_constant() => format!("none: {measure}"),
            (Some(note), Some(expected)) => format!("{note}, {expected}; {measure}"),
            (Some(note), None) => format!("{note}; {measure}"),
            (None, _) => measure,
        }
    }

    /// The same in fewer words: as many terms of the measure as fit somewhere, and what is expected of it.
    pub fn summary(&self, fits: impl Fn(&str) -> bool) -> String {
        if self.cache.is_some() || self.is_constant() {
            return self.describe();
        }
        let with = |most: usize| {
            let measure = self.text_of(|coordinates| brief(coordinates, most));
            match (&self.note, &self.expected) {
                (_, Some(expected)) => format!("found: {measure}; {expected}"),
                (Some(note), None) => format!("{note}: {measure}"),
                (None, None) => measure,
            }
        };
        let most = (0..=MANY_TERMS).rev();
        most.map(with)
            .find(|text| fits(text))
            .unwrap_or_else(|| with(0))
    }

    /// The measure alone.
    pub fn text(&self) -> String {
        self.text_of(Candidate::text)
    }

    /// The measure alone, with coordinates in these words.
    fn text_of(&self, words: impl Fn(&[Coordinate]) -> String) -> String {
        let mut parts = Vec::new();
        if let Some(cache) = self.cache {
            return match cache.capacity {
                usize::MAX => "none: depth-first search that keeps everything".into(),
                capacity => format!(
                    "none: depth-first search with a cache of {} states",
                    units::grouped(capacity as u64)
                ),
            };
        }
        if self.is_constant() {
            return "plain search in one layer".into();
        }
        if !self.measure.columns.is_empty() {
            parts.push(format!("columns {}", words(&self.measure.columns)));
        }
        if !self.measure.rows.is_empty() {
            parts.push(format!("rows {}", words(&self.measure.rows)));
        }
        if self.measure.coarsen > 1 {
            parts.push(format!("divided by {}", self.measure.coarsen));
        }
        if self.window > 0 {
            parts.push(format!("window {}", self.window));
        }
        parts.join(" ")
    }
}

/// What to expect of a measure, in a few words.
fn expectation(first: &sweepline_progress::Assessment, states: Option<u64>) -> String {
    match (&first.trial, states) {
        (Some(trial), Some(states)) if trial.complete => {
            format!(
                "{} of the states stored",
                most_of(trial.peak_states, states)
            )
        }
        _ => {
            // Columns rather look worse in a part of the state space than in all of it.
            let most = if first.candidate.rows.is_empty() {
                "at most about"
            } else {
                "about"
            };
            let peak = first.outcomes.last().map_or(1.0, Outcome::peak) * 100.0;
            match peak {
                peak if peak < 1.0 => "less than 1 % of the states stored".into(),
                peak => format!("{most} {peak:.0} % of the states stored"),
            }
        }
    }
}

/// How much of everything that is at most, without claiming that it is nothing.
fn most_of(peak: u64, states: u64) -> String {
    match units::share(peak, states) {
        share if share.starts_with('<') => share.replace('<', "less than"),
        share => format!("at most {share}"),
    }
}

fn nothing_found(findings: &Findings) -> String {
    let choice = &findings.choice;
    if choice.hasty || matches!(choice.saving, Saving::NotLookedFor) {
        "none found in a short look (--method sweep takes longer)".into()
    } else if choice.assessed.is_empty() {
        "none found, the model only goes round in circles".into()
    } else {
        "none found that would save memory".into()
    }
}

impl ChosenBy {
    /// The word in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Given | Self::Model => "given",
            Self::Auto => "auto",
        }
    }
}
