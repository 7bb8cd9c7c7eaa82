//! The measure a model is explored with: given, from the model, or found.

use std::path::Path;
use std::time::{Duration, Instant};

use miette::{Report, miette};
use sweepline_core::{Describe, Limits};
use sweepline_explore::Replacement;
use sweepline_logic::{Coordinate, Ranges, Source};
use sweepline_process::measure::Ranking;
use sweepline_progress::{Bound, Candidate, Findings, Outcome, Structure, by_rule};

use crate::annotation;
use crate::args::{Linearise, MeasureArgs, Method};
use crate::load::Loaded;
use crate::ticker::{Complaint, Goal};
use crate::units;

/// A measure as it will be used.
#[derive(Clone)]
pub struct Spec {
    pub measure: Candidate,
    pub window: u64,
    pub source: Origin,
    /// What to say about it besides its text.
    pub note: Option<String>,
    /// A value the first column never exceeds.
    pub last: Option<i128>,
    /// How often each state is expected to be explored, if there are rows.
    pub again: Option<f64>,
    /// What to try if memory runs out: measures that store less and explore more.
    pub fallback: Vec<Candidate>,
    /// State space caching instead of anything else.
    pub cache: Option<Cache>,
    /// How long it took to find it.
    pub finding: Duration,
}

/// A bounded store for depth-first search.
#[derive(Clone, Copy, Debug)]
pub struct Cache {
    pub capacity: usize,
    pub replacement: Replacement,
}

/// Where a measure comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
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

/// Coarser measures are not tried.
const COARSEST: u64 = 1 << 12;

/// The words that are no expressions.
const AUTO: &str = "auto";
const NONE: &str = "none";

impl Default for Spec {
    fn default() -> Self {
        Self {
            measure: Candidate {
                name: String::new(),
                columns: Vec::new(),
                rows: Vec::new(),
                coarsen: 1,
            },
            window: 0,
            source: Origin::None,
            note: None,
            last: None,
            again: None,
            fallback: Vec::new(),
            cache: None,
            finding: Duration::ZERO,
        }
    }
}

impl Spec {
    /// What the flags mean for this model.
    pub fn of(
        args: &MeasureArgs,
        model: &Loaded,
        path: &Path,
        limits: &Limits,
    ) -> Result<Self, Report> {
        let given = Self::parse(
            args.columns.as_deref(),
            args.progress.as_deref(),
            args.coarsen,
            args.window,
        )?;
        if args.cache.is_some() && args.method != Some(Method::Caching) {
            return Err(miette!(
                help = "add --method caching",
                "--cache is the size of the cache of --method caching"
            ));
        }
        if matches!(args.method, Some(Method::Full | Method::Caching)) {
            return given.refuse(args);
        }
        if let Some(rule) = args.measures {
            return Self::by_rule(rule.into(), args, model, &given);
        }
        let mut spec = match args.progress.as_deref().map(str::trim) {
            Some(AUTO) if args.columns.is_none() => Self::find(args, model, limits, &given),
            Some(_) => given,
            None if args.columns.is_some() => given,
            None => match Self::of_model(model, path)? {
                Some(own) => Self {
                    window: given.window,
                    measure: Candidate {
                        coarsen: args.coarsen,
                        ..own.measure
                    },
                    ..own
                },
                None => Self::find(args, model, limits, &given),
            },
        };
        spec.use_ids(model);
        if args.method == Some(Method::Sweep) && spec.source == Origin::None {
            return Err(miette!(
                help = "give one with --progress or --columns, for example a counter or a sum of places; \
                        `sweepline progress` shows what was tried",
                "--method sweep needs a progress measure, and none was found"
            ));
        }
        Ok(spec)
    }

    /// Methods without a measure take none.
    fn refuse(self, args: &MeasureArgs) -> Result<Self, Report> {
        if self.source == Origin::Given || args.measures.is_some() {
            return Err(miette!(
                help = "leave the measure out, or use --method sweep",
                "--method full and --method caching explore everything in one layer, so --progress and --columns mean nothing"
            ));
        }
        let cache = Cache {
            capacity: args.cache.unwrap_or(usize::MAX),
            replacement: args.replace.into(),
        };
        Ok(Self {
            cache: (args.method == Some(Method::Caching)).then_some(cache),
            ..Self::default()
        })
    }

    /// The measure that comes with the model.
    fn of_model(model: &Loaded, path: &Path) -> Result<Option<Self>, Report> {
        if let Some(own) = model.format.own_progress() {
            let rows = Coordinate::parse(Source::new(model.name.as_str(), own))?;
            return Ok(Some(Self {
                source: Origin::Model,
                note: Some("from the model file".into()),
                ..Self::with(Vec::new(), rows)
            }));
        }
        let Some(annotation) = annotation::read(path, &model.text)? else {
            return Ok(None);
        };
        Ok(Some(Self {
            source: Origin::Model,
            note: Some(format!("from {}", annotation.place)),
            ..Self::with(annotation.columns, annotation.rows)
        }))
    }

    fn by_rule(
        rule: Ranking,
        args: &MeasureArgs,
        model: &Loaded,
        given: &Self,
    ) -> Result<Self, Report> {
        let spec = Self::of_rule(rule, args.linearise, args.coarsen, model)?;
        Ok(Self {
            window: given.window,
            ..spec
        })
    }

    /// The components of a network, ranked.
    pub fn of_rule(
        rule: Ranking,
        linearise: Linearise,
        coarsen: u64,
        model: &Loaded,
    ) -> Result<Self, Report> {
        let Structure::Components(network) = &model.structure else {
            return Err(miette!(
                help = "leave --measures out, or use --progress and --columns",
                "--measures ranks the components of a network, and `{}` is none",
                model.name
            ));
        };
        let summed = linearise == Linearise::Sum;
        let mut measure = by_rule(network, model.system.layout(), rule, summed);
        measure.coarsen = coarsen;
        Ok(Self {
            source: Origin::Given,
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
    fn find(args: &MeasureArgs, model: &Loaded, limits: &Limits, given: &Self) -> Self {
        let started = Instant::now();
        let findings = model.find_measure(limits);
        let mut spec = Self::found(&findings, args.method == Some(Method::Sweep));
        spec.finding = started.elapsed();
        if given.measure.coarsen > 1 {
            spec.measure.coarsen = given.measure.coarsen;
        }
        spec.window = given.window;
        spec
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
            note: Some(format!(
                "found: {}, {}",
                measure.name,
                expected.unwrap_or_default()
            )),
            source: Origin::Auto,
            last: findings.last,
            again: again.map(Outcome::again),
            measure,
            fallback,
            ..Self::default()
        }
    }

    /// What to go on with when memory runs out: the next measure that stores little, if there is one.
    pub fn saving_memory(&self) -> Option<Self> {
        let (next, others) = self.fallback.split_first()?;
        Some(Self {
            measure: next.clone(),
            fallback: others.to_vec(),
            window: self.window,
            source: Origin::Auto,
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
    ) -> Result<Self, Report> {
        let parse = |flag: &str, text: Option<&str>| match text {
            None => Ok(Vec::new()),
            Some(text) => Coordinate::parse(Source::new(flag, text)),
        };
        let rows = rows.filter(|text| ![NONE, AUTO].contains(&text.trim()));
        let (columns, rows) = (parse("--columns", columns)?, parse("--progress", rows)?);
        let source = if columns.is_empty() && rows.is_empty() {
            Origin::None
        } else {
            Origin::Given
        };
        let mut spec = Self::with(columns, rows);
        spec.measure.coarsen = coarsen;
        Ok(Self {
            window,
            source,
            ..spec
        })
    }

    /// Places of a net are called by ids; people also use names.
    pub fn use_ids(&mut self, model: &Loaded) {
        let Some(net) = &model.net else { return };
        let measure = &mut self.measure;
        for coordinate in measure.columns.iter_mut().chain(&mut measure.rows) {
            sweepline_net::resolve_expression(net, &mut coordinate.expr);
        }
    }

    /// Whether everything is explored in one layer.
    pub fn is_constant(&self) -> bool {
        self.source == Origin::None
    }

    /// How far the first column can go, if that is known.
    pub fn goal(&self, model: &Loaded) -> Option<Goal> {
        if self.measure.columns.is_empty() {
            return None;
        }
        let bound = self.bind(&model.system, model.format.ranges(), None).ok()?;
        let leading = bound.leading()?;
        Some(Goal {
            last: self.last.unwrap_or(leading.greatest),
            leading,
            first: None,
        })
    }

    /// What to go on with after a complaint: without rows, or coarser, or without any measure.
    pub fn giving_up(&self, complaint: Complaint) -> Self {
        let plain = Self {
            window: self.window,
            finding: self.finding,
            ..Self::default()
        };
        let mut less = Self {
            again: None,
            note: None,
            ..self.clone()
        };
        let has_both = !self.measure.rows.is_empty() && !self.measure.columns.is_empty();
        match complaint {
            Complaint::Again if has_both => less.measure.rows.clear(),
            Complaint::TinyLayers if self.measure.coarsen < COARSEST => less.measure.coarsen *= 64,
            Complaint::Large { .. } => {
                let fallback = vec![self.measure.clone()];
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
        changes: Option<&sweepline_progress::Changes>,
    ) -> Result<Bound, Report> {
        Ok(self.measure.bind(system, ranges, changes)?)
    }

    pub fn columns_text(&self) -> String {
        Candidate::text(&self.measure.columns)
    }

    pub fn rows_text(&self) -> String {
        Candidate::text(&self.measure.rows)
    }

    /// One line for people: the measure, and where it comes from.
    pub fn describe(&self) -> String {
        let measure = self.text();
        match &self.note {
            _ if self.cache.is_some() => measure,
            Some(note) if self.is_constant() => format!("{note}: {measure}"),
            None if self.is_constant() => format!("none: {measure}"),
            Some(note) => format!("{note}; {measure}"),
            None => measure,
        }
    }

    /// The measure alone.
    pub fn text(&self) -> String {
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
            parts.push(format!("columns {}", self.columns_text()));
        }
        if !self.measure.rows.is_empty() {
            parts.push(format!("rows {}", self.rows_text()));
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
            let peak = units::share(trial.peak_states, states);
            format!("stores at most {peak} of the states")
        }
        _ => {
            // Columns rather look worse in a part of the state space than in all of it.
            let most = if first.candidate.rows.is_empty() {
                "at most "
            } else {
                ""
            };
            let peak = first.outcomes.last().map_or(1.0, Outcome::peak);
            format!("{most}about {:.0} % of the states stored", peak * 100.0)
        }
    }
}

fn nothing_found(findings: &Findings) -> String {
    if findings.choice.assessed.is_empty() {
        "none found, the model only goes round in circles".into()
    } else {
        "none found that would save memory".into()
    }
}

impl Origin {
    /// The word in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Given | Self::Model => "given",
            Self::Auto => "auto",
        }
    }
}
