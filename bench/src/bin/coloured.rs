//! What is promised of coloured nets, measured from outside:
//! `cargo build --release -p sweepline && cargo run --release -p sweepline-bench --bin coloured`
//!
//! Runs the command line on the limit protocol as a coloured net and as a program, and on the timed lock with its clock as measure.
//! Each is run three times, in turn, and the least time of the processor counts: on a busy machine nothing else can be compared. Ends with 1 if a
//! promise is broken.

#![expect(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use serde_json::Value;
use sweepline_bench::outside;

/// How often each is run.
const ROUNDS: usize = 3;

/// An exploration: the model and its flags.
type Asked<'a> = (&'a str, &'a [&'a str]);

/// What came out of an exploration.
struct Explored {
    record: Value,
    cpu: Duration,
}

impl Explored {
    fn figure(&self, name: &str) -> f64 {
        self.record[name].as_f64().unwrap_or(f64::NAN)
    }

    fn counts(&self) -> (&Value, &Value) {
        (&self.record["states"], &self.record["edges"])
    }
}

fn main() -> ExitCode {
    if let Some(code) = outside::serve() {
        return code;
    }
    let Some(command) = outside::sweepline() else {
        eprintln!("build the command line first: cargo build --release -p sweepline");
        return ExitCode::from(2);
    };
    match measured(&command) {
        Ok(kept) => ExitCode::from(u8::from(!kept)),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::from(2)
        }
    }
}

fn measured(command: &Path) -> io::Result<bool> {
    let small = ["--set", "PACKETS=6", "--set", "LIMIT=6", "--set", "MAX=0"];
    let large = ["--set", "PACKETS=8", "--set", "LIMIT=5", "--set", "MAX=0"];
    let full = ["--method", "full"];
    let (small, large) = ([&small[..], &full].concat(), [&large[..], &full].concat());
    let clock = ["--time", "ready", "--method"];
    let asked: [Asked<'_>; 5] = [
        ("limit-protocol.cpn", &large),
        ("limit-protocol.cpn", &small),
        ("limit-protocol.dve", &small),
        ("key-lock.cpn", &[&clock[..], &["sweep"]].concat()),
        ("key-lock.cpn", &[&clock[..], &["full"]].concat()),
    ];
    let [protocol, coloured, program, swept, whole] = explored(command, asked)?;

    let mut kept = true;
    let mut promise = |is_kept: bool, figure: String| {
        println!("{}  {figure}", if is_kept { "kept  " } else { "BROKEN" });
        kept &= is_kept;
    };
    let known = (Value::from(3_252_585), Value::from(21_210_081));
    let states = protocol.figure("states");
    promise(
        protocol.counts() == (&known.0, &known.1),
        format!("limit protocol (8,5): {states} states, 3252585 are known"),
    );
    let rate = states / protocol.cpu.as_secs_f64();
    promise(
        rate >= 600_000.0,
        format!("{rate:.0} states a second of the processor (600000)"),
    );
    let bytes = protocol.figure("peak_bytes") / states;
    promise(
        bytes <= 60.0,
        format!("{bytes:.1} bytes a stored state (60)"),
    );
    let ratio = program.cpu.as_secs_f64() / coloured.cpu.as_secs_f64();
    promise(
        coloured.counts() == program.counts(),
        "limit protocol (6,6): net and program have the same states and edges".to_owned(),
    );
    promise(
        ratio >= 0.25,
        format!(
            "the net has {:.0} % of the program's rate (25 %)",
            ratio * 100.0
        ),
    );
    promise(
        swept.counts() == whole.counts(),
        "timed lock: the sweep by the clock sees what full search sees".to_owned(),
    );
    let share = swept.figure("peak_states") / whole.figure("states");
    promise(
        share <= 0.1,
        format!(
            "it stores {:.1} % of the states at most (10 %)",
            share * 100.0
        ),
    );
    Ok(kept)
}

/// Explores each model in turn, several times; the fastest of each.
fn explored<const N: usize>(command: &Path, asked: [Asked<'_>; N]) -> io::Result<[Explored; N]> {
    let mut best = asked.map(|_| None::<Explored>);
    for _ in 0..ROUNDS {
        for ((model, flags), best) in asked.iter().zip(&mut best) {
            let explored = explore(command, model, flags)?;
            if best.as_ref().is_none_or(|best| explored.cpu < best.cpu) {
                *best = Some(explored);
            }
        }
    }
    Ok(best.map(|best| best.expect("each was explored")))
}

fn explore(command: &Path, model: &str, flags: &[&str]) -> io::Result<Explored> {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("../models");
    let model = models.join(model).to_string_lossy().into_owned();
    let arguments = [&["explore", &model, "--format", "json"], flags].concat();
    let seen = outside::run(command, &arguments)?;
    Ok(Explored {
        record: serde_json::from_str(&seen.output).map_err(io::Error::other)?,
        cpu: seen.cpu,
    })
}
