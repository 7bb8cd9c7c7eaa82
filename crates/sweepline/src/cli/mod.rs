//! The command line: parse, plan, load, search, report, exit.

mod args;
mod check;
mod compare;
mod explore;
mod export;
mod graph;
mod human;
mod local;
mod models;
mod output;
mod progress;
mod searches;
mod signals;
mod ticker;

use std::io;
use std::path::Path;
use std::process::ExitCode;

use clap::CommandFactory;
use miette::{Report, miette};
use sweepline_session::Model;
use sweepline_session::record::ErrorRecord;

use self::args::{Cli, Command};
use self::models::Models;
use self::output::{Exit, Output};

/// Does what the arguments of the process say and tells how it went. A program that has a model of its own is asked about that
/// one, and takes no model files.
pub fn run(own: Option<Model>) -> ExitCode {
    let cli = Cli::parse_for(own.as_ref());
    signals::cancel(); // before anything that may take long
    let models = Models { own };
    let json = cli.command.wants_json();
    let exit = match cli.command {
        Command::Check(args) => check::check(&args, &models),
        Command::Explore(args) => explore::explore(&args, &models, None),
        Command::Compare(args) => compare::compare(&args, &models),
        Command::Local(args) => local::local(&args, &models),
        Command::Graph(command) => graph::graph(command, &models),
        Command::Progress(args) => progress::progress(&args, &models),
        Command::Completions { shell } => completions(shell),
        Command::Man { command, dir } => manual(command.as_deref(), dir.as_deref()),
    };
    exit.unwrap_or_else(|report| {
        let record = json.then(|| check::pretty(&ErrorRecord::new(None, report.as_ref())));
        Output::stdout().refuse(&report, record)
    })
    .into()
}

fn completions(shell: clap_complete::Shell) -> Result<Exit, Report> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "sweepline", &mut script);
    print(&script)
}

/// The page of a command, or the overview; or all pages as files.
fn manual(command: Option<&str>, directory: Option<&Path>) -> Result<Exit, Report> {
    let failed = |error: io::Error| miette!("the manual cannot be written: {error}");
    let mut all = Cli::command().disable_help_subcommand(true); // it has no page
    if let Some(directory) = directory {
        std::fs::create_dir_all(directory).map_err(failed)?;
        clap_mangen::generate_to(all, directory).map_err(failed)?;
        return Ok(Exit::Holds);
    }
    all.build(); // gives commands their full names
    let mut parts = command.into_iter().flat_map(|name| name.split('-'));
    let one = parts.try_fold(&all, |command, part| command.find_subcommand(part));
    let mut page = Vec::new();
    let manual = clap_mangen::Man::new(one.unwrap_or(&all).clone());
    manual.render(&mut page).map_err(failed)?;
    print(&page)
}

fn print(text: impl AsRef<[u8]>) -> Result<Exit, Report> {
    let mut output = Output::stdout();
    output.write(text.as_ref())?;
    Ok(output.finish(Exit::Holds))
}
