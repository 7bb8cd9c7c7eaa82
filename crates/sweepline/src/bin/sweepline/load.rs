//! Reading models: which format, and what a search needs to know about it.

use std::fs;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

use miette::{Report, miette};
use sweepline_core::Widen;
use sweepline_dve::LoadOptions;
use sweepline_logic::{Definition, Ranges, Source};
use sweepline_net::{NetSystem, PetriNet, PnmlOptions};
use sweepline_process::ExplicitSystem;
use sweepline_program::{Program, ProgramSystem};

use crate::args::{ModelArgs, OnError};

/// A model, ready to be explored.
pub struct Loaded {
    /// The file's name as the user gave it.
    pub name: String,
    pub format: Format,
    pub system: Rc<dyn Widen>,
    /// What there is of it, in a few words.
    pub summary: String,
    /// Where it is a net: the net.
    pub net: Option<Arc<PetriNet>>,
    /// Propositions that come with the model.
    pub definitions: Vec<Definition>,
    /// What is allowed but probably not meant.
    pub warnings: Vec<Report>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Pnml,
    Dve,
    Ss,
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Self::Pnml => "pnml",
            Self::Dve => "dve",
            Self::Ss => "ss",
        }
    }

    /// Whether slots keep to the ranges the layout declares from the start.
    pub fn ranges(self) -> Ranges {
        match self {
            Self::Pnml => Ranges::Open,
            Self::Dve | Self::Ss => Ranges::Known,
        }
    }

    /// The measure that comes with every model of this format.
    pub fn own_progress(self) -> Option<&'static str> {
        match self {
            Self::Pnml | Self::Dve => None,
            Self::Ss => Some("progress"),
        }
    }
}

/// Reads a model file.
pub fn load(path: &Path, args: &ModelArgs) -> Result<Loaded, Report> {
    let name = path.display().to_string();
    let bytes = read(path)?;
    let format = format_of(path, &bytes)?;
    if args.net.is_some() && format != Format::Pnml {
        return Err(miette!(
            help = "leave --net out",
            "--net selects a net of a PNML file, and `{name}` is none"
        ));
    }
    if !args.set.is_empty() && format != Format::Dve {
        return Err(miette!(
            help = "leave --set out",
            "--set overrides a constant of a program, and `{name}` is none"
        ));
    }
    if args.errors != OnError::default() && format != Format::Dve {
        return Err(miette!(
            help = "leave --errors out",
            "--errors is about steps of programs that fail, and `{name}` is no program"
        ));
    }
    match format {
        Format::Pnml => load_net(name, &bytes, args),
        Format::Dve => load_dve(name, bytes, args),
        Format::Ss => load_state_space(name, bytes),
    }
}

fn load_net(name: String, bytes: &[u8], args: &ModelArgs) -> Result<Loaded, Report> {
    let options = PnmlOptions {
        net: args.net.clone(),
    };
    let net = Arc::new(sweepline_net::read_pnml(&name, bytes, &options)?);
    let (places, transitions) = (net.places().len(), net.transitions().len());
    Ok(Loaded {
        name,
        format: Format::Pnml,
        system: Rc::new(NetSystem::new(Arc::clone(&net))),
        summary: format!("P/T net, {places} places, {transitions} transitions"),
        net: Some(net),
        definitions: Vec::new(),
        warnings: Vec::new(),
    })
}

fn load_dve(name: String, bytes: Vec<u8>, args: &ModelArgs) -> Result<Loaded, Report> {
    let options = LoadOptions {
        constants: args.set.clone(),
    };
    let model = sweepline_dve::read_dve(&sweepline_process::decode(&name, bytes)?, &options)?;
    let mut program = model.program();
    if args.errors == OnError::Count {
        program = Arc::new((*program).clone().with_error_states());
    }
    let (processes, actions) = (program.processes().len(), program.actions().len());
    let (system, how) = program_system(&program, args.interpret);
    Ok(Loaded {
        name,
        format: Format::Dve,
        system,
        summary: format!("program, {processes} processes, {actions} actions, {how}"),
        net: None,
        definitions: model.definitions(),
        warnings: model.warnings().iter().cloned().map(Report::new).collect(),
    })
}

/// Compiled, unless the user or the machine does not want to.
fn program_system(program: &Arc<Program>, interpret: bool) -> (Rc<dyn Widen>, &'static str) {
    let interpreter = ProgramSystem::new((**program).clone());
    #[cfg(feature = "jit")]
    if !interpret && let Ok(compiled) = sweepline_program::CompiledSystem::new(&interpreter) {
        return (Rc::new(compiled), "compiled");
    }
    let _ = interpret;
    (Rc::new(interpreter), "interpreted")
}

fn load_state_space(name: String, bytes: Vec<u8>) -> Result<Loaded, Report> {
    let graph = sweepline_process::read_ss(&sweepline_process::decode(&name, bytes)?)?;
    Ok(Loaded {
        name,
        format: Format::Ss,
        system: Rc::new(ExplicitSystem::new(&graph)),
        summary: format!("explicit state space, {} states", graph.states().len()),
        net: None,
        definitions: Vec::new(),
        warnings: Vec::new(),
    })
}

/// Reads a file that must be one.
pub fn read(path: &Path) -> Result<Vec<u8>, Report> {
    let name = path.display();
    if path.is_dir() {
        return Err(miette!(
            help = "name the file inside it",
            "`{name}` is a directory"
        ));
    }
    fs::read(path).map_err(|error| {
        let help = match nearest_file(path) {
            Some(nearest) => format!("did you mean `{nearest}`?"),
            None => "check the path and its permissions".to_owned(),
        };
        miette!(help = help, "cannot read `{name}`: {error}")
    })
}

/// Reads a file that must be text.
pub fn read_text(path: &Path) -> Result<Source, Report> {
    Ok(sweepline_process::decode(
        &path.display().to_string(),
        read(path)?,
    )?)
}

fn nearest_file(path: &Path) -> Option<String> {
    let directory = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let wanted = path.file_name()?.to_str()?;
    let names: Vec<String> = fs::read_dir(directory)
        .ok()?
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .collect();
    let nearest = sweepline_logic::nearest(wanted, names.iter().map(String::as_str))?;
    Some(path.with_file_name(nearest).display().to_string())
}

/// The format, by extension or else by content.
fn format_of(path: &Path, bytes: &[u8]) -> Result<Format, Report> {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("pnml") => Ok(Format::Pnml),
        Some("dve") => Ok(Format::Dve),
        Some("ss") => Ok(Format::Ss),
        _ => guess(bytes).ok_or_else(|| {
            miette!(
                help = "sweepline reads .pnml (P/T nets), .dve (programs) and .ss (explicit state spaces)",
                "cannot tell what kind of model `{}` is",
                path.display()
            )
        }),
    }
}

fn guess(bytes: &[u8]) -> Option<Format> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    start.contains("<pnml").then_some(Format::Pnml)
}
