//! The measure the user asked for, bound to a system.

use miette::{Report, miette};
use sweepline_core::{Coarse, Describe, NoProgress, Progress};
use sweepline_logic::{Coordinate, Measure, Ranges, Scope, Source};

use crate::args::{MeasureArgs, Method};
use crate::load::Loaded;

/// A measure as it was asked for.
#[derive(Clone, Default)]
pub struct Spec {
    pub columns: Vec<Coordinate>,
    pub rows: Vec<Coordinate>,
    pub coarsen: u64,
    pub window: u64,
    pub source: Origin,
}

/// Where a measure comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Origin {
    /// There is none.
    #[default]
    None,
    /// The user wrote it.
    Given,
    /// It stands in the model file.
    Model,
}

impl Spec {
    /// What the flags mean for this model.
    pub fn of(args: &MeasureArgs, model: &Loaded) -> Result<Self, Report> {
        let mut spec = Self::parse(
            args.columns.as_deref(),
            args.progress.as_deref(),
            args.coarsen,
            args.window,
        )?;
        if args.method == Some(Method::Full) {
            if spec.source == Origin::Given {
                return Err(miette!(
                    help = "leave the measure out, or use --method sweep",
                    "--method full explores everything in one layer, so --progress and --columns mean nothing"
                ));
            }
            return Ok(Self {
                source: Origin::None,
                ..spec
            });
        }
        if args.progress.is_none()
            && args.columns.is_none()
            && let Some(own) = model.format.own_progress()
        {
            spec.rows = Coordinate::parse(Source::new(model.name.as_str(), own))?;
            spec.source = Origin::Model;
        }
        spec.use_ids(model);
        if args.method == Some(Method::Sweep) && spec.source == Origin::None {
            return Err(miette!(
                help = "give one with --progress or --columns, for example a counter or a sum of places",
                "--method sweep needs a progress measure"
            ));
        }
        Ok(spec)
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
        let rows = rows.filter(|text| text.trim() != "none");
        let (columns, rows) = (parse("--columns", columns)?, parse("--progress", rows)?);
        let source = if columns.is_empty() && rows.is_empty() {
            Origin::None
        } else {
            Origin::Given
        };
        Ok(Self {
            columns,
            rows,
            coarsen,
            window,
            source,
        })
    }

    /// Places of a net are called by ids; people also use names.
    pub fn use_ids(&mut self, model: &Loaded) {
        let Some(net) = &model.net else { return };
        for coordinate in self.columns.iter_mut().chain(&mut self.rows) {
            sweepline_net::resolve_expression(net, &mut coordinate.expr);
        }
    }

    /// Whether everything is explored in one layer.
    pub fn is_constant(&self) -> bool {
        self.source == Origin::None
    }

    /// The measure on the states of a system.
    pub fn bind(&self, system: &dyn Describe, ranges: Ranges) -> Result<Box<dyn Progress>, Report> {
        if self.is_constant() {
            return Ok(Box::new(NoProgress));
        }
        let measure = Measure::new(&self.columns, &self.rows, &Scope::of(system), ranges)?;
        Ok(if self.coarsen > 1 {
            Box::new(Coarse::new(measure, self.coarsen))
        } else {
            Box::new(measure)
        })
    }

    pub fn columns_text(&self) -> String {
        text(&self.columns)
    }

    pub fn rows_text(&self) -> String {
        text(&self.rows)
    }

    /// One line for people.
    pub fn describe(&self) -> String {
        let mut parts = Vec::new();
        match self.source {
            Origin::None => return "none: plain search in one layer".into(),
            Origin::Given => {}
            Origin::Model => parts.push("from the model file:".to_owned()),
        }
        if !self.columns.is_empty() {
            parts.push(format!("columns {}", self.columns_text()));
        }
        if !self.rows.is_empty() {
            parts.push(format!("rows {}", self.rows_text()));
        }
        if self.coarsen > 1 {
            parts.push(format!("divided by {}", self.coarsen));
        }
        if self.window > 0 {
            parts.push(format!("window {}", self.window));
        }
        parts.join(" ")
    }
}

fn text(coordinates: &[Coordinate]) -> String {
    let texts: Vec<&str> = coordinates
        .iter()
        .map(|coordinate| coordinate.source.text().trim())
        .collect();
    texts.join(", ")
}

impl Origin {
    /// The word in JSON output.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Given | Self::Model => "given",
        }
    }
}
