//! What these benchmarks promise: ratios within one run on one machine.

use std::fmt::Write;

use serde::Serialize;

use crate::measure::Sample;

/// A promise and whether this run keeps it.
#[derive(Clone, Debug, Serialize)]
pub struct Promise {
    /// What is promised.
    pub what: &'static str,
    /// How much of it.
    pub promised: String,
    /// What was measured.
    pub measured: String,
    /// Whether that is enough.
    pub kept: bool,
    /// What was measured for it.
    #[serde(skip)]
    pub cases: Vec<String>,
}

const SWEEP: &str = "go-back-n narrow/sweep";
const SPIN: &str = "go-back-n narrow/spin";
const COMPILED_SWEEP: &str = "go-back-n.dve narrow/compiled sweep";
const PETERSON: &str = "peterson.dve 4/compiled full";
const KANBAN: &str = "kanban(5)/full";
const COMMIT: &str = "two-phase commit 8/collections";

/// Checks every promise. One whose cases were not measured is not kept, unless Spin is missing or the user did not want
/// the case.
pub fn check(samples: &[Sample], wanted: &dyn Fn(&str) -> bool) -> Vec<Promise> {
    let mut promises = Promises {
        samples,
        wanted,
        list: Vec::new(),
    };
    promises.sweep();
    promises.rust_models();
    promises.programs();
    promises.nets();
    promises.links();
    promises.products();
    promises.branching();
    promises.list
}

struct Promises<'s> {
    samples: &'s [Sample],
    wanted: &'s dyn Fn(&str) -> bool,
    list: Vec<Promise>,
}

/// What a promise bounds.
#[derive(Clone, Copy)]
enum Bound {
    AtLeast(f64, &'static str),
    AtMost(f64, &'static str),
    Exactly(u64),
}

impl Promises<'_> {
    fn sweep(&mut self) {
        use Bound::{AtLeast, AtMost, Exactly};
        let what = "go-back-N sweep, states/s against Spin";
        self.ratio(what, AtLeast(6.0, "x"), [SWEEP, SPIN]);
        let typed = "go-back-n narrow/typed sweep";
        let what = "the same through the typed trait";
        self.ratio(what, AtLeast(2.0, "x"), [typed, SPIN]);
        let what = "go-back-N sweep against our full search";
        self.ratio(what, AtLeast(1.0, "x"), [SWEEP, "go-back-n narrow/full"]);
        let what = "go-back-N sweep, process memory";
        self.one(what, AtMost(12.0, " MiB"), SWEEP, |sample| {
            Some(mebibytes(sample.process_bytes))
        });
        let what = "go-back-N sweep, states";
        self.one(what, Exactly(6_159_090), SWEEP, states);
        let what = "go-back-N sweep, peak states";
        self.one(what, Exactly(11_990), SWEEP, |sample| {
            Some(float(sample.peak_states))
        });
        let what = "go-back-N sweep, layers";
        self.one(what, Exactly(801), SWEEP, |sample| {
            Some(float(sample.layers))
        });
    }

    /// States with collections, beside the same model with arrays.
    fn rust_models(&mut self) {
        use Bound::{AtMost, Exactly};
        let arrays = "two-phase commit 8/arrays";
        for case in [COMMIT, arrays] {
            self.one("two-phase commit, states", Exactly(1_745_408), case, states);
        }
        let what = "two-phase commit, process memory";
        self.one(what, AtMost(49.5, " MiB"), COMMIT, |sample| {
            Some(mebibytes(sample.process_bytes))
        });
        let what = "its memory against arrays";
        self.two(what, AtMost(1.3, "x"), [COMMIT, arrays], |ours, theirs| {
            mebibytes(ours.process_bytes) / mebibytes(theirs.process_bytes)
        });
    }

    /// Programs in DVE against Spin on the same model.
    fn programs(&mut self) {
        use Bound::{AtLeast, Exactly};
        let spin = "peterson 4/spin";
        let what = "Peterson-4 compiled, states/s against Spin";
        self.ratio(what, AtLeast(3.5, "x"), [PETERSON, spin]);
        self.one("Peterson-4, states", Exactly(1_119_560), PETERSON, states);
        self.one("Peterson-4, edges", Exactly(3_864_896), PETERSON, edges);
        let interpreted = "peterson.dve 4/interpreted full";
        let what = "Peterson-4 interpreted, against Spin";
        self.ratio(what, AtLeast(1.0, "x"), [interpreted, spin]);
        let what = "go-back-N compiled sweep, against Spin";
        self.ratio(what, AtLeast(6.0, "x"), [COMPILED_SWEEP, SPIN]);
        let what = "Spin's memory against its";
        self.two(
            what,
            AtLeast(20.0, "x"),
            [COMPILED_SWEEP, SPIN],
            |ours, theirs| mebibytes(theirs.process_bytes) / mebibytes(ours.process_bytes),
        );
        let what = "go-back-N compiled sweep, states";
        self.one(what, Exactly(6_159_090), COMPILED_SWEEP, states);
        let interpreted = "go-back-n.dve narrow/interpreted sweep";
        let what = "go-back-N interpreted sweep, against Spin";
        self.ratio(what, AtLeast(1.0, "x"), [interpreted, SPIN]);
    }

    fn nets(&mut self) {
        use Bound::{AtLeast, AtMost, Exactly};
        let what = "kanban(5), million edges/s";
        self.one(what, AtLeast(10.0, ""), KANBAN, |sample| {
            Some(sample.edges_per_second() / 1e6)
        });
        let what = "kanban(5), bytes per stored state";
        self.one(what, AtMost(40.0, ""), KANBAN, |sample| {
            Some(sample.bytes_per_stored_state())
        });
        self.one("kanban(5), states", Exactly(2_546_432), KANBAN, states);
        self.one("kanban(5), edges", Exactly(24_460_016), KANBAN, edges);
        let rings = ["rings(160)/full", "rings(160)/known widths"];
        let what = "two rings, time against known widths";
        self.cost(what, 1.3, rings);
    }

    /// Following every step to its target costs little, also when it is written to disk.
    fn links(&mut self) {
        let gbn = "go-back-n narrow/links sweep";
        self.cost("links of go-back-N, time", 1.25, [gbn, SWEEP]);
        let peterson = "peterson.dve 4/compiled links";
        self.cost("links of Peterson-4, time", 1.25, [peterson, PETERSON]);
        let kanban = "kanban(5)/links";
        self.cost("links of kanban(5), time", 1.25, [kanban, KANBAN]);
    }

    /// What an automaton with one state costs.
    fn products(&mut self) {
        let peterson = ["peterson.dve 4/session watched", "peterson.dve 4/session"];
        self.cost("Peterson-4, product against plain", 1.3, peterson);
        let gbn = [
            "go-back-n.dve narrow/session watched",
            "go-back-n.dve narrow/session",
        ];
        self.cost("go-back-N, product against plain", 1.3, gbn);
        let kanban = ["kanban(5)/session watched", "kanban(5)/session"];
        self.cost("kanban(5), product against plain", 1.3, kanban);
    }

    /// Three nested operators of branching time over all links, and a file of formulas.
    fn branching(&mut self) {
        let explored = "kanban(5)/session";
        let one = ["kanban(5)/session ctl", explored];
        self.cost("kanban(5), three nested CTL operators, time", 2.0, one);
        let many = ["kanban(5)/session ctl of 16 formulas", explored];
        for (what, most, cases) in [
            ("their memory, bytes a state", 1.0, one),
            ("memory of 16 formulas, bytes a state", 4.0, many),
        ] {
            self.two(what, Bound::AtMost(most, ""), cases, |more, less| {
                (mebibytes(more.anonymous_bytes) - mebibytes(less.anonymous_bytes))
                    / mebibytes(usize::try_from(less.explored).unwrap_or(usize::MAX))
            });
        }
    }

    /// The time of one case against that of another.
    fn cost(&mut self, what: &'static str, most: f64, cases: [&str; 2]) {
        self.two(what, Bound::AtMost(most, "x"), cases, |more, less| {
            more.times(less)
        });
    }

    /// States per second of one case against those of another.
    fn ratio(&mut self, what: &'static str, bound: Bound, cases: [&str; 2]) {
        self.two(what, bound, cases, |ours, theirs| {
            ours.explored_per_second() / theirs.explored_per_second()
        });
    }

    fn two(
        &mut self,
        what: &'static str,
        bound: Bound,
        cases: [&str; 2],
        value: impl Fn(&Sample, &Sample) -> f64,
    ) {
        let [ours, theirs] = cases.map(|case| self.sample(case));
        let value = ours.zip(theirs).map(|(ours, theirs)| value(ours, theirs));
        self.add(what, bound, &cases, value);
    }

    fn one(
        &mut self,
        what: &'static str,
        bound: Bound,
        case: &str,
        value: impl Fn(&Sample) -> Option<f64>,
    ) {
        let value = self.sample(case).and_then(value);
        self.add(what, bound, &[case], value);
    }

    fn sample(&self, case: &str) -> Option<&Sample> {
        self.samples.iter().find(|sample| sample.name == case)
    }

    fn add(&mut self, what: &'static str, bound: Bound, cases: &[&str], value: Option<f64>) {
        if !cases.iter().all(|case| (self.wanted)(case)) {
            return;
        }
        let without_spin = cases
            .iter()
            .any(|case| case.ends_with("/spin") && self.sample(case).is_none());
        let (measured, kept) = match value {
            Some(value) => (bound.show(value), bound.admits(value)),
            None if without_spin => ("no Spin".into(), true),
            None => ("not measured".into(), false),
        };
        self.list.push(Promise {
            what,
            promised: bound.to_string(),
            measured,
            kept,
            cases: cases.iter().map(|&case| case.to_owned()).collect(),
        });
    }
}

impl Bound {
    fn admits(self, value: f64) -> bool {
        match self {
            Self::AtLeast(bound, _) => value >= bound,
            Self::AtMost(bound, _) => value <= bound,
            Self::Exactly(bound) => (value - float(bound)).abs() < 0.5,
        }
    }

    fn show(self, value: f64) -> String {
        match self {
            Self::AtLeast(_, unit) | Self::AtMost(_, unit) => format!("{value:.2}{unit}"),
            Self::Exactly(_) => format!("{value:.0}"),
        }
    }
}

impl std::fmt::Display for Bound {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtLeast(bound, unit) => write!(f, "at least {bound}{unit}"),
            Self::AtMost(bound, unit) => write!(f, "at most {bound}{unit}"),
            Self::Exactly(bound) => write!(f, "{bound}"),
        }
    }
}

fn states(sample: &Sample) -> Option<f64> {
    sample.states.map(float)
}

#[expect(clippy::unnecessary_wraps, reason = "a figure like the others")]
fn edges(sample: &Sample) -> Option<f64> {
    Some(float(sample.edges))
}

#[expect(clippy::cast_precision_loss, reason = "counts of a few millions")]
fn float(number: u64) -> f64 {
    number as f64
}

fn mebibytes(bytes: usize) -> f64 {
    float(bytes as u64) / f64::from(1 << 20)
}

/// The promises as lines for reading.
pub fn render(promises: &[Promise]) -> String {
    let mut text = String::new();
    for Promise {
        what,
        promised,
        measured,
        kept,
        ..
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

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(name: &str) -> Sample {
        Sample {
            name: name.to_owned(),
            states: Some(6_159_090),
            explored: 6_159_090,
            edges: 1,
            layers: 801,
            persistent: 0,
            peak_states: 11_990,
            peak_bytes: 1,
            process_bytes: 1 << 20,
            anonymous_bytes: 1 << 20,
            cpu_seconds: 1.0,
            system_seconds: 0.0,
            wall_seconds: 1.0,
            rounds: Vec::new(),
        }
    }

    /// One lucky round of one of the two decides nothing.
    #[test]
    fn the_ratio_in_the_middle_counts() {
        let timed = |rounds: &[(usize, f64)]| Sample {
            rounds: rounds.to_vec(),
            ..sample("a")
        };
        let plain = timed(&[(1, 1.0), (2, 0.5), (3, 2.0), (5, 9.0)]);
        let watched = timed(&[(1, 1.2), (2, 1.0), (3, 2.2), (4, 9.0)]);
        assert!((watched.times(&plain) - 1.2).abs() < 1e-9);
        let even = timed(&[(1, 1.2), (2, 1.0)]);
        assert!((even.times(&plain) - 1.6).abs() < 1e-9);
        assert!((sample("a").times(&plain) - 1.0).abs() < 1e-9);
    }

    /// What was not measured is not kept, and that there is no Spin is said.
    #[test]
    fn missing_cases_break_promises() {
        let promises = check(&[], &|_| true);
        let (without_spin, broken): (Vec<_>, Vec<_>) =
            promises.iter().partition(|promise| promise.kept);
        assert!(
            without_spin
                .iter()
                .all(|promise| promise.measured == "no Spin")
        );
        assert_eq!(without_spin.len(), 7);
        assert!(
            broken
                .iter()
                .all(|promise| promise.measured == "not measured")
        );
        assert!(broken.len() > 10);
        let only_sweep = |name: &str| name == SWEEP;
        let promises = check(&[sample(SWEEP)], &only_sweep);
        assert_eq!(promises.len(), 4);
        assert!(promises.iter().all(|promise| promise.kept), "{promises:?}");
        let slow = [sample(SWEEP), sample(SPIN)];
        let promises = check(&slow, &|name| slow.iter().any(|sample| sample.name == name));
        assert!(!promises[0].kept, "{promises:?}");
    }
}
