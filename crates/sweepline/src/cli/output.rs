//! Where results go, and how the process ends.

use std::collections::BTreeMap;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme, Report, miette};
use sweepline_core::{Deadline, Limits};
use sweepline_explore::LogPlace;
use sweepline_report::diagnostic::Fit;
use sweepline_report::files::{Files, Target, Written};
use sweepline_report::listing::Width;
use sweepline_report::plain::plain;
use sweepline_session::{Error, Model, Options, machine, units};

use super::args::{Color, CommonOutputArgs, LimitArgs, SearchArgs};
use super::human::Style;
use super::signals;

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

/// Standard output, or a file that is written when everything is known.
pub enum Output {
    Stdout,
    File {
        target: Target,
        text: Vec<u8>,
        quiet: bool,
    },
}

impl Output {
    pub fn stdout() -> Self {
        Self::Stdout
    }

    /// Where the flags want the result. A file is looked at now and written by [`finish`](Self::finish).
    pub fn open(args: &CommonOutputArgs, files: &mut Files) -> Result<Self, Report> {
        let Some(path) = &args.output else {
            return Ok(Self::stdout());
        };
        Ok(Self::File {
            target: files.target(path)?,
            text: Vec::new(),
            quiet: args.quiet,
        })
    }

    /// Says what is wrong with the input, or why nothing came of it: to people, and in what is written for programs, if anything.
    pub fn refuse(&mut self, report: &Report, record: Option<Result<String, Report>>) -> Exit {
        print_error(report.as_ref());
        let written = record.map_or(Ok(()), |text| self.write(text?.as_bytes()));
        if let Err(report) = written {
            print_error(report.as_ref());
        }
        match report.downcast_ref().and_then(Error::stop_reason) {
            Some(_) => Exit::Inconclusive,
            None => Exit::BadInput,
        }
    }

    /// Writes a piece of the result.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), Report> {
        match self {
            Self::Stdout => print(bytes),
            Self::File { text, .. } => {
                text.extend_from_slice(bytes);
                Ok(())
            }
        }
    }

    /// The result is complete. One that cannot be written where it should be is printed instead.
    pub fn finish(self, exit: Exit) -> Exit {
        let Self::File {
            target,
            text,
            quiet,
        } = self
        else {
            return exit;
        };
        match target.write(&text) {
            Ok(written) => {
                announce(&written, "the results", quiet);
                exit
            }
            Err(report) => {
                if let Err(report) = print(&text) {
                    print_error(report.as_ref());
                }
                print_error(report.as_ref());
                exit.min(Exit::BadInput)
            }
        }
    }
}

/// Prints on standard output. A reader that has gone away is no error.
fn print(bytes: &[u8]) -> Result<(), Report> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            Err(miette!("cannot write the result: {error}"))
        }
        _ => Ok(()),
    }
}

/// Prints a diagnostic on standard error.
pub fn print_error(diagnostic: &dyn Diagnostic) {
    let terminal = io::stderr().is_terminal();
    let theme = if Color::of_process().on(terminal) {
        GraphicalTheme::unicode()
    } else {
        GraphicalTheme::unicode_nocolor()
    };
    let width =
        rustix::termios::tcgetwinsize(io::stderr()).map_or(80, |size| size.ws_col.max(40).into());
    let mut text = String::new();
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_width(width)
        .with_links(false);
    let fit = Fit::new(diagnostic);
    if handler.render_report(&mut text, &fit).is_err() {
        text = fit.to_string();
    }
    let _ = writeln!(io::stderr(), "{}", text.trim_end());
}

/// Warnings of one kind that are printed if nobody wants all of them: a generated model may have hundreds.
const WARNINGS_SHOWN: u64 = 3;

/// Prints warnings on standard error.
pub fn print_warnings(model: &Model, args: &CommonOutputArgs) {
    if args.quiet {
        return;
    }
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    for warning in &model.warnings {
        let kind = warning.code().map(|code| code.to_string());
        let count = kinds.entry(kind.unwrap_or_default()).or_default();
        *count += 1;
        if args.verbose || *count <= WARNINGS_SHOWN {
            print_error(warning.as_ref());
        }
    }
    for (kind, count) in kinds.iter().filter(|_| !args.verbose) {
        if let Some(more @ 1..) = count.checked_sub(WARNINGS_SHOWN) {
            let more = units::counted(more, "warning");
            let _ = writeln!(
                io::stderr(),
                "{kind}: {more} more like these (--verbose shows all)"
            );
        }
    }
}

/// How to print for people.
pub fn style(args: &CommonOutputArgs) -> Style {
    let terminal = args.output.is_none() && io::stdout().is_terminal();
    let color = args.color.on(terminal);
    let width = terminal_width(args).unwrap_or(80);
    Style {
        color,
        width,
        list: if terminal && !args.quiet {
            Width::Columns {
                all: width,
                marks: 12,
            }
        } else {
            Width::Any
        },
        quiet: args.quiet,
        verbose: args.verbose,
    }
}

/// Says on standard error what was written where.
pub fn announce(written: &Written, what: &str, quiet: bool) {
    if !quiet {
        let path = written.0.display().to_string();
        let _ = writeln!(io::stderr(), "wrote {what} to {}", plain(&path));
    }
}

/// Says on standard error that a file is as it was, although something else was to take its place.
pub fn announce_kept(path: &Path, why: &str, quiet: bool) {
    if !quiet {
        let path = path.display().to_string();
        let _ = writeln!(io::stderr(), "kept {} as it was: {why}", plain(&path));
    }
}

/// The columns of the terminal that results go to, if they go to one.
pub fn terminal_width(args: &CommonOutputArgs) -> Option<usize> {
    if args.output.is_some() || !io::stdout().is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(io::stdout()).ok()?;
    (size.ws_col > 0).then_some(size.ws_col.into())
}

/// How to explore within these limits.
pub fn options(search: &SearchArgs, limits: &Limits) -> Result<Options, Report> {
    let options = Options {
        log: log(search)?,
        limits: limits.clone(),
        emptiness: search.emptiness,
        ..Options::default()
    };
    Ok(options.reducing(search.reduce, search.dependency)?)
}

/// Where the trace log goes. A directory that cannot be used for it is reported at once.
fn log(search: &SearchArgs) -> Result<LogPlace, Report> {
    let directory = match &search.trace_dir {
        _ if search.no_trace => return Ok(LogPlace::Off),
        None => return Ok(LogPlace::Temporary),
        Some(directory) => directory,
    };
    match tempfile::tempfile_in(directory) {
        Ok(_) => Ok(LogPlace::Directory(directory.clone())),
        Err(error) => Err(miette!(
            help = "name a directory that exists and may be written to, or use --no-trace",
            "the trace log cannot be kept in `{}`: {error}",
            directory.display()
        )),
    }
}

/// Limits as given, and memory limited by what the machine has. The time begins now.
pub fn limits(args: &LimitArgs) -> Limits {
    Limits {
        memory: args.memory.or_else(machine::default_memory),
        deadline: args.time.map(Deadline::after),
        states: args.states,
        cancel: signals::cancel(),
    }
}
