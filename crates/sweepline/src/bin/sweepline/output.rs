//! Where results go, and how the process ends.

use std::fs::File;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use miette::{GraphicalReportHandler, GraphicalTheme, Report, miette};
use sweepline_core::{Cancel, Deadline, Limits};
use sweepline_explore::{LogPlace, Options};

use crate::args::{Color, CommonOutputArgs, LimitArgs, SearchArgs};
use crate::human::Style;
use crate::machine;

/// How the process ends; of several, the first in this order that occurs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Exit {
    /// A bug of ours.
    Bug,
    /// Usage or input error.
    BadInput,
    /// A property is violated.
    Violated,
    /// A property is neither proved nor refuted.
    Inconclusive,
    /// Everything holds.
    Holds,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Holds => 0,
            Exit::Violated => 1,
            Exit::BadInput => 2,
            Exit::Inconclusive => 3,
            Exit::Bug => 101,
        })
    }
}

/// Standard output or a file.
pub struct Output(Box<dyn Write>);

impl Output {
    pub fn stdout() -> Self {
        Self(Box::new(io::stdout()))
    }

    pub fn open(args: &CommonOutputArgs) -> Result<Self, Report> {
        match &args.output {
            None => Ok(Self::stdout()),
            Some(path) => create(path).map(|file| Self(Box::new(file))),
        }
    }

    /// Writes a piece of the result. A reader that has gone away is no error.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Report> {
        match self.0.write_all(bytes).and_then(|()| self.0.flush()) {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(miette!("cannot write the result: {error}"))
            }
            _ => Ok(()),
        }
    }
}

/// Creates a file for writing.
pub fn create(path: &Path) -> Result<File, Report> {
    File::create(path).map_err(|error| {
        miette!(
            help = "check that the directory exists",
            "cannot write `{}`: {error}",
            path.display()
        )
    })
}

/// Prints a diagnostic on standard error.
pub fn print_error(report: &Report) {
    let terminal = io::stderr().is_terminal();
    let theme = match (terminal, std::env::var_os("NO_COLOR").is_none()) {
        (true, true) => GraphicalTheme::unicode(),
        _ => GraphicalTheme::unicode_nocolor(),
    };
    let width =
        rustix::termios::tcgetwinsize(io::stderr()).map_or(80, |size| size.ws_col.max(40).into());
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(width)
        .with_links(false);
    if handler.render_report(&mut text, report.as_ref()).is_err() {
        text = report.to_string();
    }
    let _ = writeln!(io::stderr(), "{}", text.trim_end());
}

/// Prints warnings on standard error.
pub fn print_warnings(warnings: &[Report], quiet: bool) {
    if !quiet {
        warnings.iter().for_each(print_error);
    }
}

/// How to print for people.
pub fn style(args: &CommonOutputArgs) -> Style {
    let terminal = args.output.is_none() && io::stdout().is_terminal();
    let color = match args.color {
        Color::Always => true,
        Color::Never => false,
        Color::Auto => terminal && std::env::var_os("NO_COLOR").is_none(),
    };
    let width = if terminal {
        machine::terminal_width().unwrap_or(80)
    } else {
        80
    };
    Style {
        color,
        width,
        quiet: args.quiet,
        verbose: args.verbose,
    }
}

/// Options of the exploration, with a Ctrl-C handler that ends it cleanly.
pub fn options(search: &SearchArgs, window: u64) -> Options {
    let log = match (&search.trace_dir, search.no_trace) {
        (_, true) => LogPlace::Off,
        (Some(directory), _) => LogPlace::Directory(directory.clone()),
        (None, _) => LogPlace::Temporary,
    };
    Options {
        limits: limits(&search.limits),
        window,
        log,
    }
}

/// Limits as given, and memory limited by what the machine has.
pub fn limits(args: &LimitArgs) -> Limits {
    Limits {
        memory: args.memory.or_else(machine::default_memory),
        deadline: args.time.map(Deadline::after),
        states: args.states,
        cancel: cancel_on_interrupt(),
    }
}

/// The first Ctrl-C asks for an end with what is known so far; the second does not wait for it.
fn cancel_on_interrupt() -> Cancel {
    static CANCEL: std::sync::OnceLock<Cancel> = std::sync::OnceLock::new();
    CANCEL
        .get_or_init(|| {
            let cancel = Cancel::default();
            let raised = cancel.clone();
            let _ = ctrlc::set_handler(move || {
                if raised.is_cancelled() {
                    std::process::exit(130);
                }
                raised.cancel();
            });
            cancel
        })
        .clone()
}
