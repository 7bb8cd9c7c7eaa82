//! The command line: parse, plan, load, search, report, exit.

mod annotation;
mod args;
mod check;
mod compare;
mod diagnostic;
mod explore;
mod export;
mod files;
mod human;
mod load;
mod machine;
mod measure;
mod networks;
mod output;
mod picture;
mod plain;
mod product;
mod progress;
mod properties;
mod reading;
mod record;
mod search;
mod signals;
mod steer;
mod table;
mod ticker;
mod units;

use std::process::ExitCode;

use clap::{CommandFactory, Parser};
use miette::Report;

use crate::args::{Cli, Command};
use crate::output::{Exit, Output};

fn main() -> ExitCode {
    let cli = Cli::parse();
    signals::cancel(); // before anything that may take long
    let exit = match cli.command {
        Command::Check(args) => check::check(&args),
        Command::Explore(args) => explore::explore(&args),
        Command::Compare(args) => compare::compare(&args),
        Command::Progress(args) => progress::progress(&args),
        Command::Completions { shell } => completions(shell),
        Command::Man => manual(),
    };
    exit.unwrap_or_else(|report| {
        output::print_error(&report);
        Exit::BadInput
    })
    .into()
}

fn completions(shell: clap_complete::Shell) -> Result<Exit, Report> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "sweepline", &mut script);
    print(&script)
}

/// One page for all commands.
fn manual() -> Result<Exit, Report> {
    let mut page = Vec::new();
    let command = Cli::command().flatten_help(true);
    clap_mangen::Man::new(command)
        .render(&mut page)
        .map_err(|error| miette::miette!("{error}"))?;
    print(&page)
}

fn print(text: &[u8]) -> Result<Exit, Report> {
    let mut output = Output::stdout();
    output.write(text)?;
    Ok(output.finish(Exit::Holds))
}
