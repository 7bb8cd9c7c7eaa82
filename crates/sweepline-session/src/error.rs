//! What can be wrong with what the user gave us.

use std::io;
use std::path::{Path, PathBuf};

use miette::Diagnostic;
use sweepline_check::ltl::ClaimError;
use sweepline_core::StopReason;
use sweepline_cpn::CpnErrors;
use sweepline_dve::{DveErrors, GoalError};
use sweepline_explore::ReplayError;
use sweepline_fsp::FspErrors;
use sweepline_graph::{RecordError, SsError, SwgError, WriteError};
use sweepline_logic::omega::OmegaFileError;
use sweepline_logic::{
    AutomatonError, AutomatonFileError, Errors, FormulaFileError, MeasureError, ResolveError,
    SyntaxError,
};
use sweepline_net::{ExaminationError, PnmlErrors, PropertyErrors};
use sweepline_process::{AutError, NetworkFileError};
use sweepline_text::NotText;

use crate::reading::Stopped;

/// A model, a question or an order that cannot be used. Limits that are reached are no errors.
#[derive(Debug, Diagnostic, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    #[error("cannot read `{}`: {error}", path.display())]
    #[diagnostic(help("{help}"))]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
        /// What to do.
        help: String,
    },
    /// A directory where a file is needed.
    #[error("`{}` is a directory", path.display())]
    #[diagnostic(help("name the file inside it"))]
    Directory {
        /// The directory.
        path: PathBuf,
    },
    /// Neither the name nor the contents of a file say what it is.
    #[error("cannot tell what kind of model `{}` is", path.display())]
    #[diagnostic(help(
        "sweepline reads .pnml (P/T nets), .cpn (coloured nets), .dve (programs), .lts (FSP), .aut and .network (LTSs), .ss (explicit \
         state spaces), and .swg (condensed graphs)"
    ))]
    UnknownFormat {
        /// The file.
        path: PathBuf,
    },
    /// A file that is written in something else than its name says.
    #[error("`{}` is read as {expected}, but looks like {found}", path.display())]
    #[diagnostic(help("read it with --input-format {word}, or give it the name it should have"))]
    WrongKind {
        /// The file.
        path: PathBuf,
        /// What it should be.
        expected: &'static str,
        /// What it looks like.
        found: &'static str,
        /// How to say so.
        word: &'static str,
    },
    /// An option that means nothing for this model.
    #[error("{about}, and `{model}` is none")]
    #[diagnostic(help("{help}"))]
    Misplaced {
        /// What the option is about.
        about: String,
        /// The model.
        model: String,
        /// What to do.
        help: String,
    },
    /// A net that goes wrong has no report.
    #[error("`{model}` goes wrong: {why}")]
    #[diagnostic(help("`sweepline check` shows how it comes to that"))]
    NoReport {
        /// The model.
        model: String,
        /// What goes wrong.
        why: String,
    },
    /// A line of a file of measures, or a comment, that says nothing we know.
    #[error("{name}:{line}: unknown word `{word}`")]
    #[diagnostic(help(
        "write `progress E` for a measure that may decrease, or `columns E` for one that never does; in a comment of a \
         program, `end E` says what a proper end is"
    ))]
    UnknownWord {
        /// The file.
        name: String,
        /// The line.
        line: usize,
        /// The word.
        word: String,
    },
    /// A property file without the property that was asked for.
    #[error("`{}` has no property `{name}`", file.display())]
    #[diagnostic(help("{help}"))]
    NoSuchProperty {
        /// The file.
        file: PathBuf,
        /// The property.
        name: String,
        /// What it has instead.
        help: String,
    },
    /// A model without the action that was asked for.
    #[error("`{model}` has no action `{action}`")]
    #[diagnostic(help("{help}"))]
    NoSuchAction {
        /// The model.
        model: String,
        /// The action.
        action: String,
        /// What it has instead.
        help: String,
    },
    /// A pattern of names of actions that matches none.
    #[error("no action is called `{pattern}`")]
    #[diagnostic(code(fairness::unknown_action), help("{help}"))]
    NoSuchFairAction {
        /// The pattern.
        pattern: String,
        /// What there is instead.
        help: String,
    },
    /// The size of a cache that is not used.
    #[error("--cache is the size of the cache of --method caching")]
    #[diagnostic(help("add --method caching"))]
    UnusedCache,
    /// A measure for a method that takes none.
    #[error(
        "--method full and --method caching explore everything in one layer, so --progress and --columns mean nothing"
    )]
    #[diagnostic(help("leave the measure out, or use --method sweep"))]
    UnusedMeasure,
    /// No measure for a method that needs one.
    #[error("--method sweep needs a progress measure, and none was found")]
    #[diagnostic(help(
        "give one with --progress or --columns, for example a counter or a sum of places; \
         `sweepline progress` shows what was tried"
    ))]
    NoMeasure,
    /// A part of a number that is not known.
    #[error("how many states there are is not known, so there are no parts of them")]
    #[diagnostic(help("give numbers of states: --cache 10000,5000"))]
    UnknownPart,
    /// Something that stubborn sets do not preserve.
    #[error("`{what}` cannot be reduced: {why}")]
    #[diagnostic(help("leave --reduce stubborn out, or say --reduce auto"))]
    NotReduced {
        /// The model or the property.
        what: String,
        /// Why.
        why: String,
    },
    /// A model without processes that see different things.
    #[error("`{model}` has no local graphs: {why}")]
    #[diagnostic(code(local::none), help("{help}"))]
    NoLocalGraphs {
        /// The model.
        model: String,
        /// Why.
        why: String,
        /// What to do instead.
        help: String,
    },
    /// A property that is not about one process.
    #[error("`{text}` is no local property: {why}")]
    #[diagnostic(code(local::property), help("{help}"))]
    NotLocal {
        /// The property, or the name of a process.
        text: String,
        /// Why.
        why: String,
        /// What to do instead.
        help: String,
    },
    /// A process that the model does not have.
    #[error("no process is called `{process}`")]
    #[diagnostic(code(local::process), help("{help}"))]
    NoSuchProcess {
        /// What was written.
        process: String,
        /// What to write instead.
        help: String,
    },
    /// Two options that do not go together.
    #[error("{what}")]
    #[diagnostic(help("{help}"))]
    Contradiction {
        /// Why not.
        what: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// A bounded cache does not follow automata.
    #[error("--method caching cannot follow an automaton")]
    #[diagnostic(help("use --method sweep or --method full"))]
    CachedAutomaton,
    /// A bounded cache forgets what a graph is made of.
    #[error("--method caching cannot write a graph")]
    #[diagnostic(help("use --method sweep or --method full"))]
    CachedGraph,
    /// A name that no format goes by.
    #[error("cannot tell from its name in which format to write `{}`", path.display())]
    #[diagnostic(help("end the name in .ss, .aut, .dot or .graphml"))]
    UnknownExport {
        /// The file.
        path: PathBuf,
    },
    /// A state space that is not written.
    #[error("the state space is not written: {why}")]
    #[diagnostic(help("{help}"))]
    NotRecorded {
        /// Why not.
        why: String,
        /// What to do.
        help: String,
    },
    /// Something is in the way of recording a state space.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Record(#[from] RecordError),
    /// The graph of another model.
    #[error("{}", other_graph(graph, model))]
    #[diagnostic(
        code(swg::other_model),
        help(
            "flags such as --errors and --set must be the same as when the graph was built; a model that was changed needs a \
             graph of its own: `sweepline graph build`"
        )
    )]
    OtherGraph {
        /// What the graph is of.
        graph: String,
        /// The model.
        model: String,
    },
    /// A number that no node has.
    #[error("the graph has no node {node}")]
    #[diagnostic(help("{}", numbers_below(*numbers)))]
    NoSuchNode {
        /// The number.
        node: u64,
        /// What numbers are below.
        numbers: u64,
    },
    /// A graph file that cannot be opened.
    #[error("`{}`: {why}", path.display())]
    #[diagnostic(forward(why))]
    GraphFile {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        why: SwgError,
    },
    /// A graph that cannot be used.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Graph(#[from] SwgError),
    /// A graph that cannot be written in a format.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Export(#[from] WriteError),
    /// A file of an automaton on infinite words.
    #[error(transparent)]
    #[diagnostic(transparent)]
    OmegaFile(#[from] Errors<OmegaFileError>),
    /// A question about runs that cannot be asked.
    #[error(transparent)]
    #[diagnostic(code(runs::refused))]
    Claim(#[from] ClaimError),
    /// A column that was given decreases.
    #[error(transparent)]
    #[diagnostic(transparent)]
    WrongColumn(#[from] Box<WrongColumn>),
    /// A limit was reached while a model was read. [`load`](crate::load()) makes an outcome of it.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Stopped(#[from] Box<Stopped>),
    /// Evidence cannot be followed in the model. This is a bug of ours, or a system that is not deterministic.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// Something is wrong with a net.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Net(#[from] PnmlErrors),
    /// Something is wrong with a coloured net.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Cpn(#[from] CpnErrors),
    /// Something is wrong with a program.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Dve(#[from] DveErrors),
    /// A description of a family of programs.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Family(#[from] GoalError),
    /// Something is wrong with processes in FSP.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Fsp(#[from] FspErrors),
    /// Something is wrong with an LTS.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Aut(#[from] Box<AutError>),
    /// Something is wrong with a network.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Network(#[from] Errors<NetworkFileError>),
    /// Something is wrong with an explicit state space.
    #[error(transparent)]
    #[diagnostic(transparent)]
    StateSpace(#[from] Errors<SsError>),
    /// A file is no text.
    #[error(transparent)]
    #[diagnostic(transparent)]
    NotText(#[from] NotText),
    /// A predicate or a measure cannot be read.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Syntax(#[from] Errors<SyntaxError>),
    /// A name in a predicate means nothing.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Resolve(#[from] Errors<ResolveError>),
    /// A measure does not fit the model.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Measure(#[from] Errors<MeasureError>),
    /// An automaton does not fit the model.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Automaton(#[from] Errors<AutomatonError>),
    /// Something is wrong with the file of an automaton.
    #[error(transparent)]
    #[diagnostic(transparent)]
    AutomatonFile(#[from] Errors<AutomatonFileError>),
    /// Something is wrong with a file of formulas.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Formulas(#[from] Errors<FormulaFileError>),
    /// Something is wrong with a property file of the contest.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Properties(#[from] PropertyErrors),
    /// An examination that does not exist.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Examination(#[from] ExaminationError),
}

impl Error {
    /// Why work ended early, if nothing is wrong: a limit was reached, or somebody wanted an end.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        match self {
            Self::Graph(SwgError::Stopped(reason)) | Self::Export(WriteError::Stopped(reason)) => {
                Some(reason)
            }
            Self::Stopped(stopped) => Some(&stopped.reason),
            _ => None,
        }
    }

    /// The same, with the name of the file if it is one of graphs that cannot be read or written.
    #[must_use]
    pub fn in_file(self, path: &Path) -> Self {
        match self {
            Self::Graph(why @ SwgError::Io(_)) => Self::GraphFile {
                path: path.to_owned(),
                why,
            },
            other => other,
        }
    }
}

/// A model may be called as it was when its graph was built, and be another one all the same.
fn other_graph(graph: &str, model: &str) -> String {
    if graph == model {
        format!(
            "this is the graph of `{graph}` as it was when the graph was built, and now it is another model"
        )
    } else {
        format!("this is the graph of `{graph}`, and `{model}` is another model")
    }
}

fn numbers_below(numbers: u64) -> String {
    match numbers {
        0 => "it has no nodes at all".to_owned(),
        _ => format!("its nodes have numbers below {numbers}"),
    }
}

/// A claim about a measure is wrong: the edge along which it decreases.
#[derive(Debug, Diagnostic, thiserror::Error)]
#[error(
    "the columns `{columns}` decrease along an edge, so they are no monotone measure\n\
     \n  action  {action}\n  before  {before}\n  after   {after}\n  change  {changes}"
)]
#[diagnostic(help("give it as rows, which may decrease: --progress '{as_rows}'"))]
pub struct WrongColumn {
    /// The columns.
    pub columns: String,
    /// What happens along the edge.
    pub action: String,
    /// The columns before.
    pub before: String,
    /// The columns after.
    pub after: String,
    /// Which slots change how.
    pub changes: String,
    /// The same coordinates as rows, together with those that were rows already.
    pub as_rows: String,
}
