//! Reading models: which format, and what a search needs to know about it.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use miette::{Report, miette};
use sweepline_core::{AnySystem, Limits};
use sweepline_dve::{DveError, LoadOptions};
use sweepline_fsp::FspError;
use sweepline_logic::{Definition, Ranges, Source};
use sweepline_net::{NetSystem, PetriNet, PnmlOptions};
use sweepline_process::{
    AutError, ExplicitSystem, Network, NetworkFileError, NetworkSystem, NotLoaded,
};
use sweepline_program::ProgramSystem;
use sweepline_progress::program::Behaviour;
use sweepline_progress::{Findings, Structure};

use crate::args::{ModelArgs, OnError};
use crate::networks;
use crate::reading::{Reading, Within};

/// A model, ready to be explored.
pub struct Loaded {
    /// The file's name as the user gave it.
    pub name: String,
    pub format: Format,
    pub system: Arc<dyn AnySystem>,
    /// What there is of it, in a few words.
    pub summary: String,
    /// Where it is a net: the net.
    pub net: Option<Arc<PetriNet>>,
    /// What is known of its inside.
    pub structure: Structure,
    /// The text of the file, where it is one that people write.
    pub text: String,
    /// Propositions that come with the model.
    pub definitions: Vec<Definition>,
    /// What is allowed but probably not meant.
    pub warnings: Vec<Report>,
    /// Whether a step of it can fail: an assertion, a value out of range. Nothing where there is no such thing.
    pub can_fail: Option<bool>,
    /// How long it took to read it.
    pub loading: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Pnml,
    Dve,
    Fsp,
    Aut,
    Network,
    Ss,
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Self::Pnml => "pnml",
            Self::Dve => "dve",
            Self::Fsp => "fsp",
            Self::Aut => "aut",
            Self::Network => "network",
            Self::Ss => "ss",
        }
    }

    /// Whether slots keep to the ranges the layout declares from the start.
    pub fn ranges(self) -> Ranges {
        match self {
            Self::Pnml => Ranges::Open,
            Self::Dve | Self::Fsp | Self::Aut | Self::Network | Self::Ss => Ranges::Known,
        }
    }

    /// The measure that comes with every model of this format.
    pub fn own_progress(self) -> Option<&'static str> {
        match self {
            Self::Ss => Some("progress"),
            _ => None,
        }
    }
}

impl Loaded {
    /// Looks for a measure.
    pub fn find_measure(&self, limits: &Limits) -> Findings {
        self.structure
            .find(&self.system, self.format.ranges(), limits)
    }
}

/// What reading a model may take in any case.
const ORDINARY: usize = 64 << 20;

/// Reads a model file within limits.
pub fn load(path: &Path, args: &ModelArgs, limits: &Limits) -> Result<Reading, Report> {
    let started = Instant::now();
    // Memory is limited for the sake of the stores. With little of it, models of ordinary size can be read all the same.
    let memory = limits.memory.map(|memory| memory.max(ORDINARY));
    let limits = Limits {
        memory,
        ..limits.clone()
    };
    match load_within(path, args, &limits) {
        Ok(loaded) => Ok(Reading::Loaded(Loaded {
            loading: started.elapsed(),
            ..loaded
        })),
        Err(report) => report.downcast().map(Reading::Stopped),
    }
}

fn load_within(path: &Path, args: &ModelArgs, limits: &Limits) -> Result<Loaded, Report> {
    let name = path.display().to_string();
    // A file of this format can be larger than all that is made of it, so it is read piece by piece.
    let is_aut = path.extension().is_some_and(|extension| extension == "aut");
    let bytes = if is_aut { Vec::new() } else { read(path)? };
    let format = format_of(path, &bytes)?;
    if args.net.is_some() && format != Format::Pnml {
        return Err(miette!(
            help = "leave --net out",
            "--net selects a net of a PNML file, and `{name}` is none"
        ));
    }
    let is_program = format == Format::Dve;
    let is_fsp = format == Format::Fsp;
    let is_network = matches!(format, Format::Fsp | Format::Aut | Format::Network);
    let misplaced = [
        (
            !args.set.is_empty() && !is_program && !is_fsp,
            "--set overrides a constant of a program or of FSP",
        ),
        (
            args.errors != OnError::default() && !is_program,
            "--errors is about steps of programs that fail",
        ),
        (
            args.composition.is_some() && !is_fsp,
            "--composition picks a composition of FSP",
        ),
        (
            args.minimise.is_some() && !is_network,
            "--minimise is about the components of a network",
        ),
    ];
    for (is_misplaced, about) in misplaced {
        if is_misplaced {
            let flag = about.split(' ').next().unwrap_or(about);
            return Err(miette!(
                help = format!("leave {flag} out"),
                "{about}, and `{name}` is none"
            ));
        }
    }
    let within = Within {
        name: name.clone(),
        format,
        limits,
    };
    within.allow(bytes.len())?;
    let loaded = match format {
        Format::Pnml => load_net(name, &bytes, args, &within),
        Format::Dve => load_dve(name, bytes, args, &within),
        Format::Fsp => load_fsp(name, bytes, args, &within),
        Format::Aut if is_aut => load_aut(name, BufReader::new(open(path)?), args, &within),
        Format::Aut => load_aut(name, &bytes[..], args, &within),
        Format::Network => load_network(path, name, bytes, args, &within),
        Format::Ss => load_state_space(name, bytes),
    }?;
    within.allow(0)?;
    Ok(loaded)
}

fn load_net(
    name: String,
    bytes: &[u8],
    args: &ModelArgs,
    within: &Within<'_>,
) -> Result<Loaded, Report> {
    let options = PnmlOptions {
        net: args.net.clone(),
    };
    let net = Arc::new(sweepline_net::read_pnml(&name, bytes, &options)?);
    within.allow(bytes.len())?;
    let (places, transitions) = (net.places().len(), net.transitions().len());
    Ok(Loaded {
        name,
        format: Format::Pnml,
        system: Arc::new(NetSystem::new(Arc::clone(&net))),
        summary: format!("P/T net, {places} places, {transitions} transitions"),
        structure: Structure::Net(Arc::clone(&net)),
        text: String::from_utf8_lossy(bytes).into_owned(),
        net: Some(net),
        definitions: Vec::new(),
        warnings: Vec::new(),
        can_fail: None,
        loading: Duration::ZERO,
    })
}

fn load_dve(
    name: String,
    bytes: Vec<u8>,
    args: &ModelArgs,
    within: &Within<'_>,
) -> Result<Loaded, Report> {
    let options = LoadOptions {
        constants: args.set.clone(),
        limits: within.limits.clone(),
    };
    let source = sweepline_process::decode(&name, bytes)?;
    let model = sweepline_dve::read_dve(&source, &options)
        .map_err(|errors| within.refused_all(errors, DveError::stopped))?;
    let mut program = model.program();
    if args.errors == OnError::Count {
        program = Arc::new((*program).clone().with_error_states());
    }
    within.allow(0)?;
    let (processes, actions) = (program.processes().len(), program.actions().len());
    let interpreter = ProgramSystem::within((*program).clone(), within.limits)
        .map_err(|reason| within.stopped(reason))?;
    let (system, how) = program_system(interpreter, args.interpret, within)?;
    Ok(Loaded {
        name,
        format: Format::Dve,
        system,
        summary: format!("program, {processes} processes, {actions} actions, {how}"),
        can_fail: (args.errors == OnError::Stop).then(|| program.can_fail()),
        structure: Structure::Program(Arc::new(Behaviour::new(program))),
        text: source.text().to_owned(),
        net: None,
        definitions: model.definitions(),
        warnings: model.warnings().iter().cloned().map(Report::new).collect(),
        loading: Duration::ZERO,
    })
}

/// Compiled, unless the user or the machine does not want to.
fn program_system(
    interpreter: ProgramSystem,
    interpret: bool,
    within: &Within<'_>,
) -> Result<(Arc<dyn AnySystem>, &'static str), Report> {
    #[cfg(feature = "jit")]
    if !interpret {
        use sweepline_program::{CompileError, CompiledSystem};
        match CompiledSystem::within(&interpreter, within.limits) {
            Ok(compiled) => return Ok((Arc::new(compiled), "compiled")),
            Err(CompileError::Stopped(reason)) => return Err(within.stopped(reason)),
            Err(CompileError::TooLarge) => {
                return Ok((Arc::new(interpreter), "interpreted: too large to compile"));
            }
            Err(CompileError::Machine(_) | CompileError::Memory(_)) => {}
        }
    }
    let _ = (interpret, within);
    Ok((Arc::new(interpreter), "interpreted"))
}

fn load_fsp(
    name: String,
    bytes: Vec<u8>,
    args: &ModelArgs,
    within: &Within<'_>,
) -> Result<Loaded, Report> {
    let options = sweepline_fsp::LoadOptions {
        constants: args.set.clone(),
        composition: args.composition.clone(),
        limits: within.limits.clone(),
    };
    let source = sweepline_process::decode(&name, bytes)?;
    let model = sweepline_fsp::read_fsp(&source, &options)
        .map_err(|errors| within.refused_all(errors, FspError::stopped))?;
    let mut loaded = network_model(name, model.network().clone(), args, within)?;
    source.text().clone_into(&mut loaded.text);
    loaded.warnings = model.warnings().iter().cloned().map(Report::new).collect();
    Ok(loaded)
}

fn load_aut(
    name: String,
    input: impl BufRead,
    args: &ModelArgs,
    within: &Within<'_>,
) -> Result<Loaded, Report> {
    let lts = sweepline_process::read_aut_within(&name, input, within.limits)
        .map_err(|error| within.refused(error, AutError::stopped))?;
    let network = Network::parallel([("state", lts)]);
    network_model(name, network, args, within)
}

fn load_network(
    path: &Path,
    name: String,
    bytes: Vec<u8>,
    args: &ModelArgs,
    within: &Within<'_>,
) -> Result<Loaded, Report> {
    let source = sweepline_process::decode(&name, bytes)?;
    let mut component = |file: &str| {
        let file = path.with_file_name(file);
        let input = open(&file).map_err(|report| NotLoaded::Wrong(report.into()))?;
        Ok(sweepline_process::read_aut_within(
            &file.display().to_string(),
            BufReader::new(input),
            within.limits,
        )?)
    };
    let network = sweepline_process::read_network_within(&source, &mut component, within.limits)
        .map_err(|errors| within.refused_all(errors, NetworkFileError::stopped))?;
    let mut loaded = network_model(name, network, args, within)?;
    source.text().clone_into(&mut loaded.text);
    Ok(loaded)
}

fn network_model(
    name: String,
    mut network: Network,
    args: &ModelArgs,
    within: &Within<'_>,
) -> Result<Loaded, Report> {
    within.allow(0)?;
    if let Some(how) = args.minimise {
        network = networks::minimised(&network, how, within.limits)
            .map_err(|reason| within.stopped(reason))?;
    }
    let states: usize = network
        .components
        .iter()
        .map(|component| component.lts.len())
        .sum();
    let system =
        NetworkSystem::within(&network, within.limits).map_err(|reason| within.stopped(reason))?;
    Ok(Loaded {
        name,
        format: within.format,
        definitions: networks::definitions(&network, &system),
        system: Arc::new(system),
        summary: format!(
            "network, {} components, {states} states in all of them",
            network.components.len()
        ),
        structure: Structure::Components(Arc::new(network)),
        text: String::new(),
        net: None,
        warnings: Vec::new(),
        can_fail: None,
        loading: Duration::ZERO,
    })
}

fn load_state_space(name: String, bytes: Vec<u8>) -> Result<Loaded, Report> {
    let graph = sweepline_process::read_ss(&sweepline_process::decode(&name, bytes)?)?;
    Ok(Loaded {
        name,
        format: Format::Ss,
        system: Arc::new(ExplicitSystem::new(&graph)),
        summary: format!("explicit state space, {} states", graph.states().len()),
        structure: Structure::Unknown,
        text: String::new(),
        net: None,
        definitions: Vec::new(),
        warnings: Vec::new(),
        can_fail: None,
        loading: Duration::ZERO,
    })
}

/// Reads a file that must be one.
pub fn read(path: &Path) -> Result<Vec<u8>, Report> {
    let mut bytes = Vec::new();
    match open(path)?.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(unreadable(path, &error)),
    }
}

/// Opens a file that must be one.
fn open(path: &Path) -> Result<File, Report> {
    if path.is_dir() {
        return Err(miette!(
            help = "name the file inside it",
            "`{}` is a directory",
            path.display()
        ));
    }
    File::open(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &io::Error) -> Report {
    let help = match nearest_file(path) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "check the path and its permissions".to_owned(),
    };
    miette!(help = help, "cannot read `{}`: {error}", path.display())
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
        Some("lts" | "fsp") => Ok(Format::Fsp),
        Some("aut") => Ok(Format::Aut),
        Some("network") => Ok(Format::Network),
        Some("ss") => Ok(Format::Ss),
        _ => guess(bytes).ok_or_else(|| {
            miette!(
                help = "sweepline reads .pnml (P/T nets), .dve (programs), .lts (FSP), .aut and .network (LTSs), and .ss \
                        (explicit state spaces)",
                "cannot tell what kind of model `{}` is",
                path.display()
            )
        }),
    }
}

fn guess(bytes: &[u8]) -> Option<Format> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(4096)]);
    if start.trim_start().starts_with("des") {
        return Some(Format::Aut);
    }
    start.contains("<pnml").then_some(Format::Pnml)
}
