//! The command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    sweepline::cli::run(None)
}
