//! What these benchmarks promise: ratios within one run on one machine.

use std::fmt::Write;

use serde::Serialize;

use crate::measure::Sample;

/// A promise and whether this run keeps it.
#[derive(Clone, Debug, Serialize)]
pub struct Promise {
    pub what: &'static str,
    pub promised: String,
    pub measured: String,
    pub kept: bool,
}

/// Checks every promise whose cases were run.
pub fn check(samples: &[Sample]) -> Vec<Promise> {
    let find = |name: &str| samples.iter().find(|sample| sample.name == name);
    let mut promises = Vec::new();
    if let (Some(spin), Some(sweep)) = (
        find("go-back-n narrow/spin"),
        find("go-back-n narrow/sweep"),
    ) {
        promises.push(at_least(
            "go-back-N sweep, states/s against Spin",
            6.0,
            faster(sweep, spin),
            "x",
        ));
    }
    if let (Some(spin), Some(sweep)) = (
        find("go-back-n narrow/spin"),
        find("go-back-n narrow/typed sweep"),
    ) {
        promises.push(at_least(
            "the same through the typed trait",
            2.0,
            faster(sweep, spin),
            "x",
        ));
    }
    if let (Some(full), Some(sweep)) = (
        find("go-back-n narrow/full"),
        find("go-back-n narrow/sweep"),
    ) {
        promises.push(at_least(
            "go-back-N sweep against our full search",
            1.0,
            faster(sweep, full),
            "x",
        ));
    }
    if let Some(sweep) = find("go-back-n narrow/sweep") {
        promises.push(at_most(
            "go-back-N sweep, process memory",
            12.0,
            mebibytes(sweep.process_bytes),
            " MiB",
        ));
        promises.push(exactly("go-back-N sweep, states", 6_159_090, sweep.states));
        promises.push(exactly(
            "go-back-N sweep, peak states",
            11_990,
            Some(sweep.peak_states),
        ));
        promises.push(exactly("go-back-N sweep, layers", 801, Some(sweep.layers)));
    }
    promises.extend(programs(&find));
    if let Some(kanban) = find("kanban(5)/full") {
        promises.push(at_least(
            "kanban(5), million edges/s",
            10.0,
            kanban.edges_per_second() / 1e6,
            "",
        ));
        promises.push(at_most(
            "kanban(5), bytes per stored state",
            40.0,
            kanban.bytes_per_stored_state(),
            "",
        ));
        promises.push(exactly("kanban(5), states", 2_546_432, kanban.states));
        promises.push(exactly("kanban(5), edges", 24_460_016, Some(kanban.edges)));
    }
    promises
}

/// Programs in DVE against Spin on the same model.
fn programs<'s>(find: &impl Fn(&str) -> Option<&'s Sample>) -> Vec<Promise> {
    let mut promises = Vec::new();
    if let (Some(spin), Some(ours)) = (
        find("peterson 4/spin"),
        find("peterson.dve 4/compiled full"),
    ) {
        promises.push(at_least(
            "Peterson-4 compiled, states/s against Spin",
            3.5,
            faster(ours, spin),
            "x",
        ));
        promises.push(exactly("Peterson-4, states", 1_119_560, ours.states));
        promises.push(exactly("Peterson-4, edges", 3_864_896, Some(ours.edges)));
    }
    if let (Some(spin), Some(ours)) = (
        find("peterson 4/spin"),
        find("peterson.dve 4/interpreted full"),
    ) {
        promises.push(at_least(
            "Peterson-4 interpreted, against Spin",
            1.0,
            faster(ours, spin),
            "x",
        ));
    }
    if let (Some(spin), Some(ours)) = (
        find("go-back-n narrow/spin"),
        find("go-back-n.dve narrow/compiled sweep"),
    ) {
        promises.push(at_least(
            "go-back-N compiled sweep, against Spin",
            6.0,
            faster(ours, spin),
            "x",
        ));
        let share = mebibytes(spin.process_bytes) / mebibytes(ours.process_bytes);
        promises.push(at_least("Spin's memory against its", 20.0, share, "x"));
        promises.push(exactly(
            "go-back-N compiled sweep, states",
            6_159_090,
            ours.states,
        ));
    }
    if let (Some(spin), Some(ours)) = (
        find("go-back-n narrow/spin"),
        find("go-back-n.dve narrow/interpreted sweep"),
    ) {
        promises.push(at_least(
            "go-back-N interpreted sweep, against Spin",
            1.0,
            faster(ours, spin),
            "x",
        ));
    }
    promises
}

fn faster(ours: &Sample, theirs: &Sample) -> f64 {
    ours.explored_per_second() / theirs.explored_per_second()
}

#[expect(clippy::cast_precision_loss, reason = "one decimal is shown")]
fn mebibytes(bytes: usize) -> f64 {
    bytes as f64 / f64::from(1 << 20)
}

fn at_least(what: &'static str, promised: f64, measured: f64, unit: &str) -> Promise {
    Promise {
        what,
        promised: format!("at least {promised}{unit}"),
        measured: format!("{measured:.1}{unit}"),
        kept: measured >= promised,
    }
}

fn at_most(what: &'static str, promised: f64, measured: f64, unit: &str) -> Promise {
    Promise {
        what,
        promised: format!("at most {promised}{unit}"),
        measured: format!("{measured:.1}{unit}"),
        kept: measured <= promised,
    }
}

fn exactly(what: &'static str, promised: u64, measured: Option<u64>) -> Promise {
    Promise {
        what,
        promised: promised.to_string(),
        measured: measured.map_or_else(|| "unknown".into(), |number| number.to_string()),
        kept: measured == Some(promised),
    }
}

/// The promises as lines for reading.
pub fn render(promises: &[Promise]) -> String {
    let mut text = String::new();
    for Promise {
        what,
        promised,
        measured,
        kept,
    } in promises
    {
        let mark = if *kept { "kept  " } else { "BROKEN" };
        let _ = writeln!(
            text,
            "{mark}  {what:<42} {measured:>12}   promised {promised}"
        );
    }
    text
}
