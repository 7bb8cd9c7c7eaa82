//! What can be typed. What it means is decided where it is used, in one place per group of flags.

#![expect(
    clippy::doc_markdown,
    reason = "the comments are help texts, where backticks would be printed"
)]

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, StringValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{
    Arg, Args, ColorChoice, CommandFactory, Error, FromArgMatches, Parser, Subcommand, ValueEnum,
    ValueHint,
};
use sweepline_explore::Replacement;
use sweepline_process::Equivalence;
use sweepline_process::measure::Ranking;
use sweepline_session::record::TraceFormat;
use sweepline_session::typed::{
    clock_of_time, parse_bytes, parse_count, parse_duration, parse_setting, parse_size,
};
use sweepline_session::words::{Choice, Word};
use sweepline_session::{
    CacheSize, Comparison, Dependency, Emptiness, Format, Linearise, LocalMethod, Method, Model,
    Via,
};
use sweepline_session::{OnError, OrderOptions, QuestionOptions, Reduce, TimeMode};

/// A model checker that forgets.
///
/// Explores the states of a model in the order of its progress and deletes what lies behind. `check` answers
/// questions about a model, `explore` counts its states, `compare` shows methods side by side.
#[derive(Debug, Parser)]
#[command(
    name = "sweepline",
    version,
    about,
    max_term_width = 100,
    propagate_version = true
)]
pub struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the arguments of this process. A program with a model of its own takes no files.
    pub fn parse_for(own: Option<&Model>) -> Self {
        let command = Self::command().color(Color::of_process().into());
        let arguments = clock_of_time(env::args_os());
        let parsed = match own {
            None => command
                .try_get_matches_from(arguments)
                .and_then(|found| Self::from_arg_matches(&found)),
            Some(_) => Self::without_files(command, arguments),
        };
        parsed.unwrap_or_else(|error| error.exit())
    }

    fn without_files(
        mut command: clap::Command,
        arguments: impl IntoIterator<Item = OsString>,
    ) -> Result<Self, Error> {
        let alone = |command: clap::Command| {
            command.mut_arg("models", |models| models.required(false).hide(true))
        };
        for name in ["check", "explore", "progress", "compare", "local"] {
            command = command.mut_subcommand(name, alone);
        }
        command = command.mut_subcommand("graph", |graph| graph.mut_subcommand("build", alone));
        let matches = command.clone().try_get_matches_from(arguments)?;
        let cli = Self::from_arg_matches(&matches)?;
        let models = match &cli.command {
            Command::Check(CheckArgs { models, .. })
            | Command::Explore(ExploreArgs { models, .. })
            | Command::Compare(CompareArgs { models, .. })
            | Command::Progress(ProgressArgs { models, .. })
            | Command::Local(LocalArgs { models, .. })
            | Command::Graph(GraphCommand::Build(ExploreArgs { models, .. })) => &models.models[..],
            Command::Graph(_) | Command::Completions { .. } | Command::Man { .. } => &[],
        };
        match models {
            [] => Ok(cli),
            [file, ..] => Err(command.error(
                ErrorKind::UnknownArgument,
                format!(
                    "this program has a model of its own and takes no file `{}`",
                    file.display()
                ),
            )),
        }
    }
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Verify properties of models
    ///
    /// Without properties, looks for a property file beside the model (MODEL.xml, MODEL.properties.xml) and, where
    /// there is none, for deadlocks. Exit code: 0 everything holds, 1 something is violated, 2 bad input, 3 not decided.
    Check(CheckArgs),
    /// Count the states, edges and deadlocks of models
    Explore(ExploreArgs),
    /// Find progress measures of models and show what they would save
    Progress(ProgressArgs),
    /// Explore a model by several methods and measures and show the figures side by side
    Compare(CompareArgs),
    /// Show what each process of a program sees of the others, and verify properties of single processes by that
    Local(LocalArgs),
    /// Build condensed graphs of models, look at them, ask them, write them in other formats
    #[command(subcommand)]
    Graph(GraphCommand),
    /// Print a completion script for a shell
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
    /// Print a manual page in roff
    Man {
        /// The command it is about [default: an overview of all]
        #[arg(value_parser = ["check", "explore", "progress", "compare", "local", "graph", "graph-build", "graph-info", "graph-check", "graph-walk", "graph-export", "completions", "man"])]
        command: Option<String>,
        /// Write all pages into this directory instead, as sweepline.1, sweepline-check.1 and so on
        #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, conflicts_with = "command")]
        dir: Option<PathBuf>,
    },
}

impl Command {
    /// Whether results are for programs.
    pub fn wants_json(&self) -> bool {
        match self {
            Self::Check(args) | Self::Graph(GraphCommand::Check(args)) => {
                args.output.format != OutputFormat::Human
            }
            Self::Explore(args) | Self::Graph(GraphCommand::Build(args)) => {
                args.output.format != OutputFormat::Human
            }
            Self::Local(args) => args.output.format != OutputFormat::Human,
            Self::Progress(args) => args.format == TableFormat::Json,
            Self::Compare(args) => args.format == TableFormat::Json,
            Self::Graph(GraphCommand::Info { format, .. }) => *format != OutputFormat::Human,
            Self::Graph(_) | Self::Completions { .. } | Self::Man { .. } => false,
        }
    }
}

#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "there is one")]
pub enum GraphCommand {
    /// Explore a model and write its graph to the file of --output, with the values of every --prop
    Build(ExploreArgs),
    /// Print what there is in a graph file, and its size
    Info {
        /// The graph file
        graph: PathBuf,
        /// How to print results
        #[arg(long, value_enum, default_value_t = OutputFormat::Human)]
        format: OutputFormat,
    },
    /// Verify properties of graphs: the same as `check GRAPH`
    Check(CheckArgs),
    /// Show a node of a graph with the state it stands for, and where its edges lead
    Walk {
        /// The graph file
        graph: PathBuf,
        #[command(flatten)]
        models: ModelArgs,
        /// The number of the node
        #[arg(long, value_name = "N", default_value_t = 0)]
        node: u64,
        /// Also show where edges to the node come from, and the states there
        #[arg(long)]
        back: bool,
    },
    /// Write a graph in another format: .ss, .aut, .dot or .graphml
    Export {
        /// The graph file
        graph: PathBuf,
        /// The file to write
        #[arg(required_unless_present = "output")]
        to: Option<PathBuf>,
        /// The file to write, as other commands have it
        #[arg(short, long, value_name = "FILE", conflicts_with = "to")]
        output: Option<PathBuf>,
        /// Largest number of nodes to write
        #[arg(long, value_name = "N", default_value = "1M", value_parser = parse_size)]
        export_states: usize,
    },
}

#[derive(Debug, Args)]
pub struct CheckArgs {
    #[command(flatten)]
    pub models: ModelArgs,
    /// Whom to ask first
    #[arg(long, value_parser = words::<Via>(), default_value = "whole", help_heading = "Search")]
    pub via: Via,
    #[command(flatten)]
    pub properties: PropertyArgs,
    #[command(flatten)]
    pub measure: MeasureArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub traces: TraceArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct ExploreArgs {
    #[command(flatten)]
    pub models: ModelArgs,
    /// Also write the state space to FILE: .ss, .aut, .dot or .graphml
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub export: Option<PathBuf>,
    /// Print a state space report of a coloured net, with bounds, home markings, liveness and fairness
    #[arg(long, conflicts_with = "export", help_heading = "Output")]
    pub report: bool,
    /// Largest number of states --export writes
    #[arg(
        long,
        value_name = "N",
        default_value = "1M",
        value_parser = parse_size,
        help_heading = "Output"
    )]
    pub export_states: usize,
    /// Defines a proposition for what is written, such as 'full = n == 3'; may be repeated
    #[arg(long = "prop", value_name = "NAME=E", help_heading = "Property")]
    pub propositions: Vec<String>,
    #[command(flatten)]
    pub measure: MeasureArgs,
    #[command(flatten)]
    pub search: SearchArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct CompareArgs {
    #[command(flatten)]
    pub models: ModelArgs,
    /// A measure whose values may decrease; repeat to compare several
    #[arg(
        long,
        value_name = "E[,E…]",
        allow_hyphen_values = true,
        help_heading = "Search"
    )]
    pub progress: Vec<String>,
    /// A measure claimed never to decrease; repeat to compare several, combined with every --progress too
    #[arg(
        long,
        value_name = "E[,E…]",
        allow_hyphen_values = true,
        help_heading = "Search"
    )]
    pub columns: Vec<String>,
    /// Rows that closed layers are kept behind the sweep-line; several values are compared
    #[arg(
        long,
        value_name = "ROWS",
        value_delimiter = ',',
        default_value = "0",
        help_heading = "Search"
    )]
    pub window: Vec<u64>,
    /// Divide progress values by G; several values are compared
    #[arg(long, value_name = "G", value_delimiter = ',', default_value = "1", help_heading = "Search",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub coarsen: Vec<u64>,
    /// Compare state space caching too: sizes of the cache, as numbers of states or parts of all states. Each exploration
    /// ends after 30 times the expansions of full search, unless --states or --time say otherwise
    #[arg(
        long,
        value_name = "N|P%",
        value_delimiter = ',',
        num_args = 0..,
        default_missing_value = "100%,80%,60%,50%,40%,30%,20%,15%,10%,7%,5%",
        help_heading = "Search"
    )]
    pub cache: Vec<CacheSize>,
    /// Which state a full cache throws out
    #[arg(long, value_parser = words::<Replacement>(), default_value = "oldest", help_heading = "Search")]
    pub replace: Replacement,
    /// Rank the components of a network by this rule
    #[arg(long, value_parser = words::<Ranking>(), value_name = "RULE", help_heading = "Search")]
    pub measures: Vec<Ranking>,
    /// Compare searches for runs instead: on links, of the product, and the thesis'; may be repeated
    #[arg(long, value_name = "F", help_heading = "Property", conflicts_with_all = ["cache", "chart"])]
    pub ltl: Vec<String>,
    /// The same for the formulas of a property file, or for a property of the model
    #[arg(long, value_name = "FILE[#NAME]", help_heading = "Property", conflicts_with_all = ["cache", "chart"])]
    pub property: Vec<String>,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How the table is printed
    #[arg(long, value_enum, default_value_t = TableFormat::Human, help_heading = "Output")]
    pub format: TableFormat,
    /// Also draw time against memory to FILE, a picture: .svg or .png
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub chart: Option<PathBuf>,
    #[command(flatten)]
    pub common: CommonOutputArgs,
}

#[derive(Debug, Args)]
pub struct ProgressArgs {
    #[command(flatten)]
    pub models: ModelArgs,
    /// Explore the model by every candidate instead of predicting
    #[arg(long, help_heading = "Search")]
    pub measure: bool,
    /// Say why this transition or action cannot always progress
    #[arg(long, value_name = "T", help_heading = "Output")]
    pub explain: Option<String>,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// How the table is printed
    #[arg(long, value_enum, default_value_t = TableFormat::Human, help_heading = "Output")]
    pub format: TableFormat,
    #[command(flatten)]
    pub common: CommonOutputArgs,
}

#[derive(Debug, Args)]
pub struct LocalArgs {
    #[command(flatten)]
    pub models: ModelArgs,
    /// How local graphs are made
    #[arg(long, value_parser = words::<LocalMethod>(), default_value = "ls3", help_heading = "Search")]
    pub method: LocalMethod,
    /// Every state of process P satisfies E, which is about P and what is shared; may be repeated
    #[arg(long = "local", value_name = "P: E", help_heading = "Property")]
    pub properties: Vec<String>,
    /// Also write a local graph to FILE: .dot, .aut, .ss or .graphml
    #[arg(
        long,
        value_name = "FILE",
        requires = "process",
        help_heading = "Output"
    )]
    pub export: Option<PathBuf>,
    /// The process whose local graph --export writes
    #[arg(long, value_name = "P", requires = "export", help_heading = "Output")]
    pub process: Option<String>,
    #[command(flatten)]
    pub search: SearchArgs,
    /// How JSON output writes traces
    #[arg(long, value_parser = words::<TraceFormat>(), default_value = "json", help_heading = "Output")]
    pub trace_format: TraceFormat,
    #[command(flatten)]
    pub output: OutputArgs,
}

#[derive(Debug, Args)]
pub struct ModelArgs {
    /// Model files: .pnml (P/T nets), .cpn (coloured nets), .dve (programs), .lts (processes in FSP), .aut and .network (LTSs),
    /// .ss (explicit state spaces), .swg (condensed graphs); - is standard input
    #[arg(value_name = "MODEL", required = true, value_hint = ValueHint::FilePath, help_heading = "Model")]
    pub models: Vec<PathBuf>,
    /// What the models are written in [default: what their names or their contents say]
    #[arg(long, value_parser = words::<Format>(), value_name = "FORMAT", help_heading = "Model")]
    pub input_format: Option<Format>,
    /// Which net of a PNML file with several, by its id
    #[arg(long, value_name = "ID", help_heading = "Model")]
    pub net: Option<String>,
    /// Which composition or process of an .lts file, perhaps with arguments: 'DINERS(7)' [default: the last composition]
    #[arg(long, value_name = "NAME", help_heading = "Model")]
    pub composition: Option<String>,
    /// Minimise the components of a network before they are composed
    #[arg(long, value_parser = words::<Equivalence>(), value_name = "HOW", help_heading = "Model")]
    pub minimise: Option<Equivalence>,
    /// What states of timed nets know of time; the same as --time with one of these words
    #[arg(long, value_parser = words::<TimeMode>(), default_value = "absolute", help_heading = "Model")]
    pub clock: TimeMode,
    /// Look at a timed net up to this moment only
    #[arg(long, value_name = "T", help_heading = "Model")]
    pub horizon: Option<i64>,
    /// What random functions of nets do: all results are possible
    #[arg(long, value_name = "all", value_parser = ["all"], help_heading = "Model")]
    pub random: Option<String>,
    /// Override a constant of a program or a coloured net, or a constant or parameter of FSP; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parse_setting, help_heading = "Model")]
    pub set: Vec<(String, i64)>,
    /// Interpret programs instead of compiling them to native code
    #[arg(long, help_heading = "Model")]
    pub interpret: bool,
    /// What to do when a step of a program fails: stop with a trace, or leave it out and count error states
    #[arg(
        long,
        value_name = "HOW",
        default_value = "stop",
        value_parser = words::<OnError>(),
        help_heading = "Model"
    )]
    pub errors: OnError,
}

#[expect(clippy::struct_excessive_bools, reason = "flags")]
#[derive(Debug, Args)]
pub struct PropertyArgs {
    /// No reachable state is a deadlock: one without successors that is no proper end
    #[arg(long, help_heading = "Property")]
    pub deadlock: bool,
    /// Every reachable state satisfies E, such as 'a + b <= 3 and not fireable(t)'; may be repeated
    #[arg(long, value_name = "E", help_heading = "Property")]
    pub invariant: Vec<String>,
    /// Some reachable state satisfies E; the trace is the witness; may be repeated
    #[arg(long, value_name = "E", help_heading = "Property")]
    pub reach: Vec<String>,
    /// Every infinite run satisfies F, such as 'G (req -> F ack)'; finite runs stay in their last state; may be repeated
    #[arg(long, value_name = "F", help_heading = "Property")]
    pub ltl: Vec<String>,
    /// The initial state satisfies F, such as 'AG (req -> E[busy U ack])'; runs end where nothing is possible; may be repeated
    #[arg(long, value_name = "F", help_heading = "Property")]
    pub ctl: Vec<String>,
    /// From every reachable state one that satisfies E can be reached (AG EF E); may be repeated
    #[arg(long, value_name = "E", help_heading = "Property")]
    pub home: Vec<String>,
    /// Some state (of nets: a home marking) can be reached from every reachable state; the trace leads to one
    #[arg(long, help_heading = "Property")]
    pub home_state: bool,
    /// No infinite run is accepted by this automaton (HOA, never claim, or states and edges as text); may be repeated
    #[arg(long, value_name = "FILE", help_heading = "Property")]
    pub automaton: Vec<PathBuf>,
    /// Only runs in which E holds again and again count for --ltl, --ctl and the like; may be repeated
    #[arg(long, value_name = "E", help_heading = "Property")]
    pub fair: Vec<String>,
    /// Only runs count that take these actions if they are enabled from some time on; * stands for any letters
    #[arg(long, value_name = "ACTION", help_heading = "Property")]
    pub weak_fair: Vec<String>,
    /// Only runs count that take these actions again and again if they are enabled again and again
    #[arg(long, value_name = "ACTION", help_heading = "Property")]
    pub strong_fair: Vec<String>,
    /// What decides a formula of CTL is verified in every state, by other means than it was found by
    #[arg(long, conflicts_with_all = ["fair", "weak_fair", "strong_fair"], help_heading = "Property")]
    pub certify: bool,
    /// Formulas over fluents are about fair choice: only runs count that take every step they can take again and again
    #[arg(long, conflicts_with = "fair", help_heading = "Property")]
    pub fair_choice: bool,
    /// A property file: contest or TAPAAL XML, or formulas (EF p, AG EF p) as text; #NAME or #3 picks one of it. Or the NAME of an
    /// assert or progress property of the model
    #[arg(long, value_name = "FILE[#NAME]", value_hint = ValueHint::FilePath, help_heading = "Property")]
    pub property: Vec<String>,
    /// A generic examination of a net: ReachabilityDeadlock, OneSafe, StableMarking, QuasiLiveness, Liveness
    #[arg(long, value_name = "NAME", help_heading = "Property", hide_possible_values = true,
          value_parser = Usually(&["ReachabilityDeadlock", "OneSafe", "StableMarking", "QuasiLiveness", "Liveness"]))]
    pub examination: Vec<String>,
    /// No run is accepted by this automaton over finite words; may be repeated
    #[arg(long, value_name = "FILE", help_heading = "Property")]
    pub safety_automaton: Vec<PathBuf>,
    /// Defines a proposition for predicates and automata, such as 'full = n == 3'; may be repeated
    #[arg(long = "prop", value_name = "NAME=E", help_heading = "Property")]
    pub propositions: Vec<String>,
}

#[derive(Debug, Args)]
pub struct MeasureArgs {
    /// How to explore [default: sweep if there is a measure, otherwise full]
    #[arg(long, value_parser = words::<Method>(), help_heading = "Search")]
    pub method: Option<Method>,
    /// Progress measure whose values may decrease, such as 'b + r, phase'; auto: find one; none: no measure
    /// [default: the one in the model file or in MODEL.progress, otherwise auto]
    #[arg(
        long,
        value_name = "E[,E…]|auto|none",
        allow_hyphen_values = true,
        hide_possible_values = true,
        value_parser = Usually(&["auto", "none"]),
        help_heading = "Search",
        verbatim_doc_comment
    )]
    pub progress: Option<String>,
    /// States that --method caching keeps, the stack included [default: all]
    #[arg(long, value_name = "N", value_parser = parse_size, help_heading = "Search")]
    pub cache: Option<usize>,
    /// Which state a full cache throws out
    #[arg(long, value_parser = words::<Replacement>(), default_value = "random", help_heading = "Search")]
    pub replace: Replacement,
    /// Progress measure claimed never to decrease; checked on every edge
    #[arg(
        long,
        value_name = "E[,E…]",
        allow_hyphen_values = true,
        help_heading = "Search"
    )]
    pub columns: Option<String>,
    /// Rank the components of a network by this rule
    #[arg(long, value_parser = words::<Ranking>(), value_name = "RULE", conflicts_with_all = ["progress", "columns"], help_heading = "Search")]
    pub measures: Option<Ranking>,
    /// How the ranks of components become one order
    #[arg(long, value_parser = words::<Linearise>(), default_value = "lexicographic", requires = "measures", help_heading = "Search")]
    pub linearise: Linearise,
    /// Divide progress values by G, for fewer and larger layers
    #[arg(long, value_name = "G", default_value_t = 1, help_heading = "Search",
          value_parser = clap::value_parser!(u64).range(1..))]
    pub coarsen: u64,
    /// Rows that closed layers are kept behind the sweep-line
    #[arg(
        long,
        value_name = "ROWS",
        default_value_t = 0,
        help_heading = "Search"
    )]
    pub window: u64,
}

#[derive(Debug, Args)]
pub struct SearchArgs {
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Directory for the trace log [default: the system's directory for temporary files]
    #[arg(long, value_name = "DIR", help_heading = "Search")]
    pub trace_dir: Option<PathBuf>,
    /// How runs that violate --ltl and the like are looked for: all at once in what is recorded, each by a sweep of its own that
    /// forgets, or each as the thesis on the method does
    #[arg(long, value_parser = words::<Emptiness>(), default_value = "links", help_heading = "Search")]
    pub emptiness: Emptiness,
    /// Leave out steps that make no difference to deadlocks, reachability or formulas of linear time (stubborn sets); `explore` does not under `auto`
    #[arg(long, value_parser = words::<Reduce>(), default_value = "auto", help_heading = "Search")]
    pub reduce: Reduce,
    /// How --reduce finds out which actions depend on each other [default: static, and local with --via local]
    #[arg(long, value_parser = words::<Dependency>(), help_heading = "Search")]
    pub dependency: Option<Dependency>,
    /// Keep no trace log: a little faster, but verdicts come without evidence
    #[arg(long, conflicts_with = "trace_dir", help_heading = "Search")]
    pub no_trace: bool,
}

#[derive(Debug, Args)]
pub struct LimitArgs {
    /// Memory the stores may hold, such as 500M or 12G [default: 80 % of the machine's or the cgroup's]
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes, help_heading = "Search")]
    pub memory: Option<usize>,
    /// Wall-clock time, such as 90, 15m or 2h (seconds without a unit) [default: none]; one of absolute, ready and relative is
    /// the --clock of a timed net instead
    #[arg(long, value_name = "TIME", value_parser = parse_duration, help_heading = "Search")]
    pub time: Option<Duration>,
    /// States to expand, such as 5000, 1e6 or 10M [default: no limit]
    #[arg(long, value_name = "N", value_parser = parse_count, help_heading = "Search")]
    pub states: Option<u64>,
}

#[derive(Debug, Args)]
pub struct TraceArgs {
    /// Write the first trace to FILE
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub trace_out: Option<PathBuf>,
    /// How --trace-out and JSON output write traces
    #[arg(long, value_parser = words::<TraceFormat>(), default_value = "json", help_heading = "Output")]
    pub trace_format: TraceFormat,
}

#[derive(Debug, Args)]
pub struct OutputArgs {
    /// How results are printed
    #[arg(long, value_enum, default_value_t = OutputFormat::Human, help_heading = "Output")]
    pub format: OutputFormat,
    #[command(flatten)]
    pub common: CommonOutputArgs,
}

#[derive(Debug, Args)]
pub struct CommonOutputArgs {
    /// Write results to FILE instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub output: Option<PathBuf>,
    /// Print only verdicts, and no progress line
    #[arg(short, long, help_heading = "Output")]
    pub quiet: bool,
    /// Print more: whole states in traces, all warnings
    #[arg(short, long, conflicts_with = "quiet", help_heading = "Output")]
    pub verbose: bool,
    /// Colours
    #[arg(long, value_enum, default_value_t = Color::Auto, help_heading = "Output")]
    pub color: Color,
}

impl From<&PropertyArgs> for QuestionOptions {
    fn from(args: &PropertyArgs) -> Self {
        Self {
            deadlock: args.deadlock,
            invariants: args.invariant.clone(),
            reachable: args.reach.clone(),
            ltl: args.ltl.clone(),
            ctl: args.ctl.clone(),
            home: args.home.clone(),
            home_state: args.home_state,
            automata: args.automaton.clone(),
            fair: args.fair.clone(),
            weak_fair: args.weak_fair.clone(),
            strong_fair: args.strong_fair.clone(),
            certify: args.certify,
            fair_choice: args.fair_choice,
            files: args.property.clone(),
            examinations: args.examination.clone(),
            safety_automata: args.safety_automaton.clone(),
            propositions: args.propositions.clone(),
        }
    }
}

impl From<&MeasureArgs> for OrderOptions {
    fn from(args: &MeasureArgs) -> Self {
        Self {
            method: args.method,
            progress: args.progress.clone(),
            columns: args.columns.clone(),
            ranking: args.measures,
            linearise: args.linearise,
            coarsen: args.coarsen,
            window: args.window,
            cache: args.cache,
            replacement: args.replace,
        }
    }
}

impl From<&CompareArgs> for QuestionOptions {
    fn from(args: &CompareArgs) -> Self {
        Self {
            ltl: args.ltl.clone(),
            files: args.property.clone(),
            ..Self::default()
        }
    }
}

impl From<&CompareArgs> for Comparison {
    fn from(args: &CompareArgs) -> Self {
        Self {
            columns: args.columns.clone(),
            progress: args.progress.clone(),
            coarsen: args.coarsen.clone(),
            window: args.window.clone(),
            rankings: args.measures.clone(),
            caches: args.cache.clone(),
            replacement: args.replace,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum OutputFormat {
    /// For reading
    Human,
    /// One JSON object per model
    Json,
    /// One JSON object per line
    Jsonl,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TableFormat {
    /// Aligned columns
    Human,
    /// One JSON object per model
    Json,
    /// One JSON object per line
    Jsonl,
    /// Comma-separated values
    Csv,
    /// A Markdown table
    Markdown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    Auto,
    /// Yes
    Always,
    /// No
    Never,
}

impl Color {
    /// What this process was asked for: it is wanted where arguments are wrong, too.
    pub fn of_process() -> Self {
        Self::among(env::args_os().skip(1))
    }

    fn among(arguments: impl Iterator<Item = OsString>) -> Self {
        let arguments: Vec<String> = arguments
            .map(|argument| argument.to_string_lossy().into_owned())
            .take_while(|argument| argument != "--")
            .collect();
        let values = arguments.iter().zip(1..).filter_map(|(argument, next)| {
            match argument.strip_prefix("--color=") {
                Some(value) => Some(value),
                None if argument == "--color" => arguments.get(next).map(String::as_str),
                None => None,
            }
        });
        let asked = values.last().map(|value| Self::from_str(value, true));
        asked.and_then(Result::ok).unwrap_or(Self::Auto)
    }

    /// Whether to use colours, if somebody looks at it who knows them.
    pub fn on(self, terminal: bool) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => terminal && env::var_os("NO_COLOR").is_none(),
        }
    }
}

impl From<Color> for ColorChoice {
    fn from(color: Color) -> Self {
        match color {
            Color::Auto => Self::Auto,
            Color::Always => Self::Always,
            Color::Never => Self::Never,
        }
    }
}

/// Reads the words of a choice.
fn words<T: Choice>() -> impl TypedValueParser<Value = T> {
    let value = |word: &Word<T>| {
        let value = PossibleValue::new(word.name).hide(word.help.is_empty());
        value.help(word.help)
    };
    PossibleValuesParser::new(T::WORDS.iter().map(value))
        .try_map(|name| T::named(&name).ok_or("no word of this choice"))
}

/// A text, of which the usual ones are known to whoever completes it.
#[derive(Clone, Copy)]
struct Usually(&'static [&'static str]);

impl TypedValueParser for Usually {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<String, Error> {
        StringValueParser::new().parse_ref(command, argument, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().map(PossibleValue::new)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_with_a_model_takes_no_files() {
        let parse = |arguments: &[&str]| {
            let arguments = [&["program"], arguments].concat();
            Cli::without_files(Cli::command(), arguments.into_iter().map(OsString::from))
        };
        for command in ["check", "explore", "progress", "compare"] {
            assert!(parse(&[command, "--memory", "1G"]).is_ok(), "{command}");
            let error = parse(&[command, "model.pnml"]).unwrap_err().to_string();
            assert!(error.contains("takes no file `model.pnml`"), "{error}");
        }
        assert!(parse(&["check", "--invariant", "n < 3"]).is_ok());
        assert!(parse(&["man"]).is_ok());
    }

    #[test]
    fn colours_are_known_before_anything_else() {
        let among = |arguments: &[&str]| Color::among(arguments.iter().map(OsString::from));
        assert_eq!(
            among(&["check", "--color", "never", "--nonsense"]),
            Color::Never
        );
        assert_eq!(among(&["--color=always"]), Color::Always);
        assert_eq!(among(&["--color", "never", "--color=auto"]), Color::Auto);
        for others in [
            &["--color"][..],
            &["--", "--color", "never"],
            &["--color", "red"],
        ] {
            assert_eq!(among(others), Color::Auto);
        }
    }
}
