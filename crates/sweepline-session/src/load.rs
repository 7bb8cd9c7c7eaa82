//! Reading model files: which format, and what an exploration needs to know about it.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use miette::Diagnostic;
use sweepline_core::{AnySystem, Limits};
use sweepline_cpn::TimeMode;
use sweepline_dve::DveError;
use sweepline_fsp::FspError;
use sweepline_graph::{ExplicitSystem, StoredGraph, StoredSystem, SwgError};
use sweepline_logic::{Property, PropertyKind, Source};
use sweepline_net::PnmlOptions;
use sweepline_process::{Equivalence, Network, NetworkFileError, NetworkSystem, NotLoaded};
use sweepline_program::ProgramSystem;
use sweepline_progress::Structure;
use sweepline_progress::program::Behaviour;

use crate::asserted::Asserted;
use crate::coloured;
use crate::error::Error;
use crate::fair_choice;
use crate::graphs::open_graph;
use crate::kind;
use crate::model::{Format, Model};
use crate::networks;
use crate::reading::{Reading, Within};
use crate::unanswered::{Asked, Unanswered};
use crate::units;

/// How a model file is read. The default is what most files need.
#[derive(Clone, Debug, Default)]
pub struct LoadOptions {
    /// What the file is written in; otherwise its name or its contents say it.
    pub format: Option<Format>,
    /// Which net of a PNML file with several.
    pub net: Option<String>,
    /// Which composition or process of an FSP file.
    pub composition: Option<String>,
    /// Makes the components of a network smaller before they are composed.
    pub minimise: Option<Equivalence>,
    /// Constants of a program or of FSP with other values.
    pub constants: Vec<(String, i64)>,
    /// How programs are run.
    pub execution: Execution,
    /// What to do when a step of a program fails.
    pub errors: OnError,
    /// What states of timed nets know of time.
    pub time: TimeMode,
    /// The last moment of a timed net that is looked at.
    pub horizon: Option<i64>,
    /// Whether random functions of nets have all their results.
    pub random: bool,
}

/// How programs are run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Execution {
    /// As native code, where that can be had.
    #[default]
    Compiled,
    /// Interpreted.
    Interpreted,
}

/// What to do about steps that fail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// The first one ends the search.
    #[default]
    Stop,
    /// They are left out; a state with no other steps leads to an error state.
    Count,
}

/// What reading a model may take in any case.
const ORDINARY: usize = 64 << 20;

/// Reads a model file within limits: format by extension and content, then what the format needs.
pub fn load(path: &Path, options: &LoadOptions, limits: &Limits) -> Result<Reading, Error> {
    load_from(&Input::File(path), options, limits)
}

/// Reads a model whose text is at hand, and which has this name. Files that it names are looked for where the process is.
pub fn load_text(
    name: &str,
    bytes: Vec<u8>,
    options: &LoadOptions,
    limits: &Limits,
) -> Result<Reading, Error> {
    load_from(&Input::Bytes(name, bytes), options, limits)
}

/// Where a model comes from.
enum Input<'a> {
    File(&'a Path),
    Bytes(&'a str, Vec<u8>),
}

impl Input<'_> {
    fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Bytes(name, _) => Path::new(*name),
        }
    }

    fn read(&self) -> Result<Vec<u8>, Error> {
        match self {
            Self::File(path) => read(path),
            Self::Bytes(_, bytes) => Ok(bytes.clone()),
        }
    }
}

fn load_from(input: &Input<'_>, options: &LoadOptions, limits: &Limits) -> Result<Reading, Error> {
    let started = Instant::now();
    // Memory is limited for the sake of the stores. With little of it, models of ordinary size can be read all the same.
    let memory = limits.memory.map(|memory| memory.max(ORDINARY));
    let limits = Limits {
        memory,
        ..limits.clone()
    };
    match load_within(input, options, &limits) {
        Ok(model) => Ok(Reading::Loaded(Box::new(Model {
            loading: started.elapsed(),
            path: match input {
                Input::File(path) => Some((*path).to_owned()),
                Input::Bytes(..) => None,
            },
            ..model
        }))),
        Err(Error::Stopped(stopped)) => Ok(Reading::Stopped(*stopped)),
        Err(error) => Err(error),
    }
}

fn load_within(input: &Input<'_>, options: &LoadOptions, limits: &Limits) -> Result<Model, Error> {
    let path = input.path();
    let name = path.display().to_string();
    let known = options.format.or_else(|| kind::by_name(path));
    // A file of these formats can be larger than all that is made of it, so it is read piece by piece.
    let by_piece = matches!(known, Some(Format::Aut | Format::Swg));
    let by_piece = by_piece && matches!(input, Input::File(_));
    let bytes = if by_piece { Vec::new() } else { input.read()? };
    let format = known.or_else(|| kind::by_contents(&bytes));
    let format = format.ok_or_else(|| Error::UnknownFormat {
        path: path.to_owned(),
    })?;
    if !by_piece {
        kind::refuse_other(path, &bytes, format)?;
    }
    refuse_misplaced(options, format, &name)?;
    let within = Within {
        name: name.clone(),
        format,
        limits,
    };
    within.allow(bytes.len())?;
    let model = match format {
        Format::Pnml => load_net(name, &bytes, options, &within),
        Format::Cpn => coloured::load(name, &bytes, options, &within),
        Format::Dve => load_dve(name, bytes, options, &within),
        Format::Fsp => load_fsp(name, bytes, options, &within),
        Format::Aut if by_piece => load_aut(name, BufReader::new(open(path)?), options, &within),
        Format::Aut => load_aut(name, &bytes[..], options, &within),
        Format::Network => load_network(path, name, bytes, options, &within),
        Format::Ss => load_state_space(name, bytes),
        Format::Swg if by_piece => load_graph(name, open_graph(path, limits)?, &within),
        Format::Swg => load_graph(name, StoredGraph::of_bytes(bytes)?.within(limits), &within),
        Format::Rust => unreachable!("no file is said to be of this format"),
    }?;
    within.allow(0)?;
    Ok(model)
}

/// Options that mean nothing for a format are mistakes.
fn refuse_misplaced(options: &LoadOptions, format: Format, name: &str) -> Result<(), Error> {
    let is_net = format == Format::Pnml;
    let is_program = format == Format::Dve;
    let is_fsp = format == Format::Fsp;
    let is_coloured = format == Format::Cpn;
    let is_network = matches!(format, Format::Fsp | Format::Aut | Format::Network);
    let misplaced = [
        (
            options.net.is_some() && !is_net,
            "--net selects a net of a PNML file",
        ),
        (
            !options.constants.is_empty() && !is_program && !is_fsp && !is_coloured,
            "--set overrides a constant of a program, of FSP or of a coloured net",
        ),
        (
            options.errors != OnError::default() && !is_program,
            "--errors is about steps of programs that fail",
        ),
        (
            options.composition.is_some() && !is_fsp,
            "--composition picks a composition of FSP",
        ),
        (
            options.time != TimeMode::default() && !is_coloured,
            "--clock (or --time with a word) is about timed coloured nets",
        ),
        (
            options.horizon.is_some() && !is_coloured,
            "--horizon is about timed coloured nets",
        ),
        (
            options.random && !is_coloured,
            "--random is about random functions of coloured nets",
        ),
        (
            options.minimise.is_some() && !is_network,
            "--minimise is about the components of a network",
        ),
    ];
    match misplaced
        .into_iter()
        .find(|(is_misplaced, _)| *is_misplaced)
    {
        None => Ok(()),
        Some((_, about)) => Err(Error::Misplaced {
            about: about.to_owned(),
            model: name.to_owned(),
            help: format!("leave {} out", about.split(' ').next().unwrap_or(about)),
        }),
    }
}

fn load_net(
    name: String,
    bytes: &[u8],
    options: &LoadOptions,
    within: &Within<'_>,
) -> Result<Model, Error> {
    let selected = PnmlOptions {
        net: options.net.clone(),
    };
    let net = Arc::new(sweepline_net::read_pnml(&name, bytes, &selected)?);
    within.allow(bytes.len())?;
    Ok(Model {
        text: String::from_utf8_lossy(bytes).into_owned(),
        ..Model::of_net(name, net)
    })
}

fn load_dve(
    name: String,
    bytes: Vec<u8>,
    options: &LoadOptions,
    within: &Within<'_>,
) -> Result<Model, Error> {
    let settings = sweepline_dve::LoadOptions {
        constants: options.constants.clone(),
        limits: within.limits.clone(),
    };
    let source = sweepline_text::decode(&name, bytes)?;
    let model = sweepline_dve::read_dve(&source, &settings).map_err(|errors| {
        within.refused(errors, |errors| errors.iter().find_map(DveError::stopped))
    })?;
    let mut program = model.program();
    if options.errors == OnError::Count {
        program = Arc::new((*program).clone().with_error_states());
    }
    within.allow(0)?;
    let processes = units::counted(program.processes().len() as u64, "process");
    let actions = units::counted(program.actions().len() as u64, "action");
    let interpreter = ProgramSystem::within((*program).clone(), within.limits)
        .map_err(|reason| within.stopped(reason))?;
    let (system, how) = program_system(interpreter, options.execution, within)?;
    let errors = match options.errors {
        OnError::Stop => "",
        OnError::Count => {
            ", without steps that fail; states that have no others count one error state more"
        }
    };
    let summary = format!("program, {processes}, {actions}, {how}{errors}");
    let is_compiled = how == COMPILED;
    let (mut properties, mut unanswered) = (Vec::new(), Vec::new());
    if let Some(automaton) = model.property() {
        let name = automaton.name.clone();
        match automaton.omega() {
            Ok(omega) => {
                let kind = PropertyKind::NoRun(Box::new(omega));
                properties.push((Property { name, kind }, source.clone()));
            }
            Err(why) => {
                let asked = Asked::PropertyProcess(automaton.clone(), why);
                unanswered.push(Unanswered::of_model(name, asked));
            }
        }
    }
    Ok(Model {
        can_fail: (options.errors == OnError::Stop).then(|| program.can_fail()),
        structure: Structure::Program(Arc::new(Behaviour::new(program))),
        text: source.text().to_owned(),
        definitions: model.definitions(),
        constants: model.constants().to_vec(),
        properties,
        unanswered,
        warnings: shared(model.warnings()),
        is_compiled,
        ..Model::new(name, Format::Dve, system, summary)
    })
}

pub(crate) fn shared<W>(warnings: &[W]) -> Vec<Arc<dyn Diagnostic + Send + Sync>>
where
    W: Diagnostic + Clone + Send + Sync + 'static,
{
    let shared = |warning: &W| Arc::new(warning.clone()) as _;
    warnings.iter().map(shared).collect()
}

/// What is said of a program that native code explores.
const COMPILED: &str = "compiled";

/// Compiled, unless the user or the machine does not want to.
fn program_system(
    interpreter: ProgramSystem,
    execution: Execution,
    within: &Within<'_>,
) -> Result<(Arc<dyn AnySystem>, &'static str), Error> {
    #[cfg(feature = "jit")]
    if execution == Execution::Compiled {
        use sweepline_program::{CompileError, CompiledSystem};
        match CompiledSystem::within(&interpreter, within.limits) {
            Ok(compiled) => return Ok((Arc::new(compiled), COMPILED)),
            Err(CompileError::Stopped(reason)) => return Err(within.stopped(reason)),
            Err(CompileError::TooLarge) => {
                return Ok((Arc::new(interpreter), "interpreted: too large to compile"));
            }
            Err(CompileError::Machine(_) | CompileError::Memory(_)) => {}
        }
    }
    let _ = (execution, within);
    Ok((Arc::new(interpreter), "interpreted"))
}

/// Why formulas over fluents are not checked.
const STEPS_LEFT_OUT: &str =
    "internal steps count in a formula over fluents, and `--minimise branching` leaves some out";

fn load_fsp(
    name: String,
    bytes: Vec<u8>,
    options: &LoadOptions,
    within: &Within<'_>,
) -> Result<Model, Error> {
    let settings = sweepline_fsp::LoadOptions {
        constants: options.constants.clone(),
        composition: options.composition.clone(),
        limits: within.limits.clone(),
    };
    let source = sweepline_text::decode(&name, bytes)?;
    let model = sweepline_fsp::read_fsp(&source, &settings).map_err(|errors| {
        within.refused(errors, |errors| errors.iter().find_map(FspError::stopped))
    })?;
    let network = network_model(name, model.network().clone(), options, within)?;
    let progress = model.progress().iter();
    let progress = progress.map(|property| fair_choice::progress(property, &*network.system));
    let refused = (options.minimise == Some(Equivalence::Branching)).then_some(STEPS_LEFT_OUT);
    let assertions = model.assertions().iter().cloned();
    let assertions = assertions.map(|assertion| Asserted::new(assertion, refused));
    // Only one of several compositions is looked at, so it is named.
    let chosen = options.composition.as_deref();
    let last = model
        .composition()
        .filter(|_| model.compositions().len() > 1);
    let summary = match chosen.or(last) {
        Some(name) => network
            .summary
            .replacen("network", &format!("network {name}"), 1),
        None => network.summary.clone(),
    };
    Ok(Model {
        summary,
        text: source.text().to_owned(),
        recurring: progress.collect(),
        assertions: assertions.collect(),
        warnings: shared(model.warnings()),
        ..network
    })
}

fn load_aut(
    name: String,
    input: impl BufRead,
    options: &LoadOptions,
    within: &Within<'_>,
) -> Result<Model, Error> {
    let lts = sweepline_process::read_aut_within(&name, input, within.limits)
        .map_err(|error| within.refused(Box::new(error), |error| error.stopped()))?;
    let network = Network::parallel([("state", lts)]);
    network_model(name, network, options, within)
}

fn load_network(
    path: &Path,
    name: String,
    bytes: Vec<u8>,
    options: &LoadOptions,
    within: &Within<'_>,
) -> Result<Model, Error> {
    let source = sweepline_text::decode(&name, bytes)?;
    let mut component = |file: &str| {
        let file = path.with_file_name(file);
        let input = open(&file).map_err(|error| NotLoaded::Wrong(Box::new(error)))?;
        Ok(sweepline_process::read_aut_within(
            &file.display().to_string(),
            BufReader::new(input),
            within.limits,
        )?)
    };
    let network = sweepline_process::read_network_within(&source, &mut component, within.limits)
        .map_err(|errors| {
            within.refused(errors, |errors| {
                errors.iter().find_map(NetworkFileError::stopped)
            })
        })?;
    let model = network_model(name, network, options, within)?;
    Ok(Model {
        text: source.text().to_owned(),
        ..model
    })
}

fn network_model(
    name: String,
    mut network: Network,
    options: &LoadOptions,
    within: &Within<'_>,
) -> Result<Model, Error> {
    within.allow(0)?;
    if let Some(how) = options.minimise {
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
    let definitions = networks::definitions(&network, &system);
    let components = units::counted(network.components.len() as u64, "component");
    let states = units::counted(states as u64, "state");
    let summary = format!("network, {components}, {states} in all of them");
    Ok(Model {
        definitions,
        structure: Structure::Components(Arc::new(network)),
        ..Model::new(name, within.format, Arc::new(system), summary)
    })
}

fn load_state_space(name: String, bytes: Vec<u8>) -> Result<Model, Error> {
    let graph = sweepline_graph::read_ss(&sweepline_text::decode(&name, bytes)?)?;
    let states = units::counted(graph.states().len() as u64, "state");
    let summary = format!("explicit state space, {states}");
    let system = Arc::new(ExplicitSystem::new(&graph));
    Ok(Model::new(name, Format::Ss, system, summary))
}

fn load_graph(name: String, graph: StoredGraph, within: &Within<'_>) -> Result<Model, Error> {
    let nodes = units::counted(graph.figures().nodes, "node");
    let is_unfolded = graph.figures().repeated;
    let again = if is_unfolded {
        ", some of which are the same state"
    } else {
        ""
    };
    let summary = format!("condensed graph of {}, {nodes}{again}", graph.about().model);
    let system = Arc::new(StoredSystem::new(graph).map_err(|why| match why {
        SwgError::Stopped(reason) => within.stopped(reason),
        why => Error::from(why).in_file(Path::new(&name)),
    })?);
    Ok(Model {
        is_unfolded,
        ..Model::new(name, Format::Swg, system, summary)
    })
}

/// Reads a file that must be one.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    match open(path)?.read_to_end(&mut bytes) {
        Ok(_) => Ok(bytes),
        Err(error) => Err(unreadable(path, error)),
    }
}

/// Opens a file that must be one.
pub(crate) fn open(path: &Path) -> Result<File, Error> {
    if path.is_dir() {
        let path = path.to_owned();
        return Err(Error::Directory { path });
    }
    File::open(path).map_err(|error| unreadable(path, error))
}

fn unreadable(path: &Path, error: io::Error) -> Error {
    let help = match nearest_file(path) {
        Some(nearest) => format!("did you mean `{nearest}`?"),
        None => "check the path and its permissions".to_owned(),
    };
    let path = path.to_owned();
    Error::Unreadable { path, error, help }
}

/// Reads a file that must be text.
pub(crate) fn read_text(path: &Path) -> Result<Source, Error> {
    Ok(sweepline_text::decode(
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
