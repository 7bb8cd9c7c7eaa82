//! What is left of models, and what that takes.

use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use sweepline::core::{AnySystem, Limits, NoProgress};
use sweepline::explore::{End, LogPlace, Options, Sweep};
use sweepline::reduce::{Aim, Stubborn};
use sweepline_bench::outside;

use crate::cost::{Cost, cost};
use crate::models::parts;
use crate::promised::Mode::{self, Deadlocks, Full, Local, Runs};
use crate::promised::Promise::{Share, States};
use crate::promised::{ROWS, Row};
use crate::store;

/// Prints the shares of all models, or of those whose name has a part.
pub(crate) fn shares(part: Option<&str>) -> ExitCode {
    let mut table = String::from(
        "model,preserved,states,explored,share %,at most,deadlocks,cpu s,actions per state,ns closing per action,ns preparing,ns per state,peak MiB\n",
    );
    println!(
        "{:34} {:9} {:>12} {:>10} {:>7} {:>9} {:>9} {:>7} {:>8} {:>7} {:>7} {:>8} {:>6}",
        "",
        "preserves",
        "states",
        "explored",
        "share",
        "at most",
        "deadlocks",
        "cpu s",
        "acts/st",
        "ns/act",
        "ns/prep",
        "ns/state",
        "MiB"
    );
    let mut broken = 0;
    let mut closing = Closing::default();
    let chosen = |row: &&Row| part.is_none_or(|part| row.0.contains(part));
    for row in ROWS.iter().filter(chosen) {
        match line(row, &mut closing) {
            Some((text, kept)) => {
                table.push_str(&text);
                broken += u32::from(!kept);
            }
            None => println!("{:34} was not explored", row.0),
        }
    }
    let is_kept = closing.print();
    if part.is_none() {
        store("reduction.csv", &table);
        // Of some models alone nothing is promised.
        broken += u32::from(!is_kept);
    }
    println!("{broken} promises are broken");
    if broken == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Nanoseconds per action that closing sets may take.
const CLOSING: f64 = 10.0;

/// What closing sets takes in all explorations together.
#[derive(Default)]
struct Closing {
    actions: f64,
    nanoseconds: f64,
    /// Where it takes longer than promised.
    slow: Vec<String>,
}

impl Closing {
    /// So many actions were looked at in each of so many states, and each took so long.
    fn note(&mut self, name: &str, explored: f64, actions: f64, per_action: f64) {
        self.actions += explored * actions;
        self.nanoseconds += explored * actions * per_action;
        if per_action > CLOSING {
            let slow = format!("{name} {per_action:.1} ({actions:.1} actions per state)");
            self.slow.push(slow);
        }
    }

    /// Says whether the promise is kept.
    fn print(&self) -> bool {
        let per_action = self.nanoseconds / self.actions.max(1.0);
        println!(
            "closing takes {per_action:.1} ns per action in all explorations together, {CLOSING} are promised"
        );
        if !self.slow.is_empty() {
            println!("more than that: {}", self.slow.join(", "));
        }
        per_action <= CLOSING
    }
}

/// Explores one model in a process of its own. A line of the table, and whether the promise is kept.
fn line(
    &(name, states, deadlocks, mode, promise): &Row,
    closing: &mut Closing,
) -> Option<(String, bool)> {
    let word = mode.word();
    let (seen, [explored, found, actions, per_action, prepared, per_state]) =
        explored_outside(name, mode)?;
    closing.note(&format!("{name} {word}"), explored, actions, per_action);
    let counted = matches!(promise, Share(_)) && states.is_none();
    let full = counted.then(|| explored_outside(name, Full)).flatten();
    let full = full.map(|(_, [states, deadlocks, ..])| (states, deadlocks));
    let states = states.map(|it| it as f64).or(full.map(|(it, _)| it));
    let deadlocks = deadlocks.map(|it| it as f64).or(full.map(|(_, it)| it));
    let share = states.map(|states| 100.0 * explored / states);
    let right = mode == Runs || deadlocks.is_none_or(|known| (known - found).abs() < 0.5);
    let (kept, at_most) = match promise {
        Share(most) => (
            share.is_some_and(|share| share <= most + 2.0),
            format!("{most} %"),
        ),
        States(most) => (explored <= most as f64, most.to_string()),
    };
    let mark = match (right, kept) {
        (false, _) => " WRONG",
        (_, false) => " broken",
        _ => "",
    };
    let known = |number: Option<f64>| number.map(|it| it.to_string()).unwrap_or_default();
    let shown = share.map(|share| format!("{share:.2}")).unwrap_or_default();
    let found = if mode == Runs {
        String::new()
    } else {
        format!("{found}")
    };
    let (cpu, peak) = (
        seen.cpu.as_secs_f64(),
        seen.peak_bytes as f64 / f64::from(1 << 20),
    );
    println!(
        "{name:34} {word:9} {:>12} {explored:>10} {shown:>7} {at_most:>9} {found:>9} {cpu:>7.2} {actions:>8.1} {per_action:>7.1} {prepared:>7.0} {per_state:>8.0} {peak:>6.0}{mark}",
        known(states)
    );
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{name},{word},{},{explored},{shown},{at_most},{found},{cpu:.2},{actions:.1},{per_action:.1},{prepared:.0},{per_state:.0},{peak:.0}",
        known(states)
    );
    Some((text, kept && right))
}

/// Explores one model in a process of its own: what it took, and states, deadlocks, actions looked at per state, nanoseconds per action, before that, and per state.
fn explored_outside(name: &str, mode: Mode) -> Option<(outside::Seen, [f64; 6])> {
    let own = std::env::current_exe().ok()?;
    let seen = outside::run(&own, &["--one", name, mode.word()]).ok()?;
    let numbers = seen.output.split_whitespace();
    let numbers: Vec<f64> = numbers.filter_map(|word| word.parse().ok()).collect();
    let numbers = numbers.try_into().ok()?;
    Some((seen, numbers))
}

/// States, deadlocks, actions that are looked at per state, nanoseconds for each, to find out before that what holds in a state, and per state in all.
pub(crate) fn one(directory: &Path, name: &str, mode: &str) -> String {
    let mode = Mode::ALL.into_iter().find(|it| it.word() == mode);
    let mode = mode.expect("the word of a mode");
    let (system, transitions) = parts(directory, name, mode);
    let aim = match mode {
        Full => {
            let (explored, deadlocks) = explore(&system, |system| Arc::clone(system));
            return format!("{explored} {deadlocks} 0 0 0 0");
        }
        Runs => Aim::runs(transitions, &*system, &[], &[]).expect("it can be reduced"),
        Deadlocks | Local => Aim::deadlocks_tried_on(transitions, &system, &Limits::default()),
    };
    let aim = Arc::new(aim);
    let stubborn = |system: &Arc<dyn AnySystem>| -> Arc<dyn AnySystem> {
        Arc::new(Stubborn::new(Arc::clone(system), Arc::clone(&aim)))
    };
    let (explored, deadlocks) = explore(&system, stubborn);
    let Cost {
        actions,
        per_action,
        prepared,
        per_state,
    } = cost(&system, &aim);
    format!("{explored} {deadlocks} {actions:.2} {per_action:.2} {prepared:.2} {per_state:.2}")
}

fn explore(
    system: &Arc<dyn AnySystem>,
    adapted: impl Fn(&Arc<dyn AnySystem>) -> Arc<dyn AnySystem>,
) -> (u64, u64) {
    let mut system = Arc::clone(system);
    loop {
        let options = Options {
            log: LogPlace::Off,
            ..Options::default()
        };
        let mut sweep = Sweep::new(adapted(&system), NoProgress, options);
        if let End::Outgrown(slot) = sweep.run(&mut ()) {
            system = system.widened(slot).expect("it can be widened");
            continue;
        }
        let statistics = sweep.statistics();
        assert!(statistics.complete, "everything is explored");
        return (statistics.explored, statistics.deadlocks().unwrap_or(0));
    }
}
