//! Which models a command is about.

use std::io::{self, Read};
use std::path::Path;

use miette::{Report, miette};
use sweepline_core::Limits;
use sweepline_session::{Execution, LoadOptions, Model, Reading, load, load_text};

use super::args::ModelArgs;
use super::output::{Exit, Output};

/// Where models come from: files that are named, or the program itself.
pub struct Models {
    pub own: Option<Model>,
}

impl Models {
    /// The models of a command, one after the other.
    pub fn of<'a>(&self, args: &'a ModelArgs) -> Vec<ModelSource<'a>> {
        match &self.own {
            Some(model) => vec![ModelSource::Own(Box::new(model.clone()))],
            None => args
                .models
                .iter()
                .map(|path| ModelSource::File(path))
                .collect(),
        }
    }

    /// Works on one model after the other; a mistake in one does not keep the others from being worked on.
    pub fn worst(
        &self,
        args: &ModelArgs,
        mut work: impl FnMut(ModelSource<'_>) -> Result<Exit, Report>,
    ) -> Exit {
        let exits = self.of(args).into_iter().map(|place| {
            work(place).unwrap_or_else(|report| Output::stdout().refuse(&report, None))
        });
        exits.min().unwrap_or(Exit::Holds)
    }
}

/// Where a model comes from.
pub enum ModelSource<'a> {
    Own(Box<Model>),
    File(&'a Path),
}

impl ModelSource<'_> {
    /// What it is called.
    pub fn name(&self) -> String {
        match self {
            Self::Own(model) => model.name.clone(),
            Self::File(path) => path.display().to_string(),
        }
    }

    pub fn load(self, args: &ModelArgs, limits: &Limits) -> Result<Reading, Report> {
        match self {
            Self::Own(model) => Ok(Reading::Loaded(model)),
            Self::File(path) if path == Path::new("-") => {
                let mut bytes = Vec::new();
                let read = io::stdin().lock().read_to_end(&mut bytes);
                read.map_err(|error| miette!("cannot read standard input: {error}"))?;
                let name = "standard input";
                if args.input_format.is_none() && bytes.is_empty() {
                    return Err(miette!("{name} is empty, so there is no model in it"));
                }
                Ok(load_text(name, bytes, &options(args), limits)?)
            }
            Self::File(path) => Ok(load(path, &options(args), limits)?),
        }
    }
}

fn options(args: &ModelArgs) -> LoadOptions {
    LoadOptions {
        format: args.input_format,
        net: args.net.clone(),
        composition: args.composition.clone(),
        minimise: args.minimise,
        constants: args.set.clone(),
        execution: if args.interpret {
            Execution::Interpreted
        } else {
            Execution::Compiled
        },
        errors: args.errors,
        time: args.clock,
        horizon: args.horizon,
        random: args.random.is_some(),
    }
}
