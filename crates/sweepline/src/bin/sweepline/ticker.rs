//! The progress line: one line on standard error, only if that is a terminal.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::ops::RangeInclusive;
use std::time::{Duration, Instant};

use sweepline_core::{Control, Expanded, Observer, Statistics, Watch};
use sweepline_explore::Distinct;
use sweepline_logic::Leading;

use crate::units;

/// Shows where the exploration is, ten times a second at most.
pub struct Ticker {
    shown: bool,
    started: Instant,
    next: Instant,
    width: usize,
    goal: Option<Goal>,
    guard: Option<Guard>,
}

/// How far the first coordinate of the columns can go.
#[derive(Clone, Copy, Debug)]
pub struct Goal {
    pub leading: Leading,
    pub last: i128,
    /// Its value at the start, once that is known.
    pub first: Option<i128>,
}

/// Watches over a measure that was found: it must not lose.
#[derive(Clone, Debug)]
pub struct Guard {
    patience: Patience,
    /// With rows, how often each state is expected to be explored, and how many were.
    rows: Option<(f64, Distinct)>,
    /// Expansions, layers and persistent states when it began to watch.
    since: Option<(u64, u64, u64)>,
    /// Why the measure should be given up.
    complaint: Option<Complaint>,
}

/// What is wrong with a measure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Complaint {
    /// States are explored again and again.
    Again,
    /// Layers have a few states each.
    TinyLayers,
    /// The state space is so large that exploring it more than once takes time.
    Large {
        /// How often each state is explored.
        again: f64,
    },
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Again => f.write_str("too many states were explored again"),
            Self::TinyLayers => f.write_str("layers had a few states only"),
            Self::Large { again } => write!(
                f,
                "the state space is large, and each state would be explored about {again:.1} times"
            ),
        }
    }
}

/// When a measure is given up.
#[derive(Clone, Debug)]
pub struct Patience {
    /// States to see before anything is given up.
    pub states: u64,
    /// Expansions from which on time matters: less than half a second is no time. When many more have been made, it is
    /// too late to begin again.
    pub large: RangeInclusive<u64>,
    /// How often states may be explored in a large state space: as was expected, and as it turns out.
    pub often: f64,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            states: 100_000,
            large: 2_000_000..=5_000_000,
            often: 1.25,
        }
    }
}

impl Guard {
    /// Watches over a measure. With rows, each state is expected to be explored so often.
    pub fn new(patience: Patience, again: Option<f64>) -> Self {
        Self {
            patience,
            rows: again.map(|again| (again, Distinct::default())),
            since: None,
            complaint: None,
        }
    }

    fn look(&mut self, statistics: &Statistics) -> Control {
        let now = (
            statistics.explored,
            statistics.layers,
            statistics.persistent,
        );
        let since = *self.since.get_or_insert(now);
        let explored = now.0 - since.0;
        if explored < self.patience.states {
            return Control::Continue;
        }
        // Every persistent state is explored again, and so is what lies behind it.
        if now.2 - since.2 > explored / 3 {
            self.complaint = Some(Complaint::Again);
        } else if explored / (now.1 - since.1).max(1) < 4 {
            self.complaint = Some(Complaint::TinyLayers);
        } else if self.patience.large.contains(&now.0)
            && let Some(again) = self
                .again(explored)
                .filter(|&again| again > self.patience.often)
        {
            self.complaint = Some(Complaint::Large { again });
        }
        match self.complaint {
            Some(_) => Control::Stop,
            None => Control::Continue,
        }
    }

    /// How often each state is explored: as expected, or more often by now.
    #[expect(clippy::cast_precision_loss, reason = "a ratio")]
    fn again(&self, explored: u64) -> Option<f64> {
        let (expected, distinct) = self.rows.as_ref()?;
        let by_now = explored as f64 / distinct.estimate().max(1) as f64;
        Some(expected.max(by_now))
    }
}

const PAUSE: Duration = Duration::from_millis(100);

impl Ticker {
    /// A ticker, or one that shows nothing if nobody would see it.
    pub fn new(quiet: bool) -> Self {
        let started = Instant::now();
        let width =
            rustix::termios::tcgetwinsize(io::stderr()).map_or(0, |size| size.ws_col.into());
        let shown = !quiet && io::stderr().is_terminal() && width > 20;
        // Short runs end before anything is shown.
        Self {
            shown,
            started,
            next: started + 5 * PAUSE,
            width,
            goal: None,
            guard: None,
        }
    }

    /// The same, which shows how much of a measure is done.
    pub fn towards(self, goal: Option<Goal>) -> Self {
        Self { goal, ..self }
    }

    /// The same, which stops the exploration if the measure loses.
    pub fn guarded(self, guard: Option<Guard>) -> Self {
        Self { guard, ..self }
    }

    /// Why the measure should be given up, if it should.
    pub fn complaint(&self) -> Option<Complaint> {
        self.guard.as_ref()?.complaint
    }

    /// The part that is done and the time the rest may take.
    fn done(&mut self, watch: &Watch<'_>) -> String {
        let Some(goal) = &mut self.goal else {
            return String::new();
        };
        let value = goal.leading.value(watch.key);
        let first = *goal.first.get_or_insert(value);
        #[expect(clippy::cast_precision_loss, reason = "a percentage")]
        let part = (value - first) as f64 / (goal.last - first).max(1) as f64;
        if !(0.02..=1.0).contains(&part) {
            return String::new();
        }
        let rest = self.started.elapsed().mul_f64((1.0 - part) / part);
        format!(
            "{:.0} %  about {} left  ",
            part * 100.0,
            units::duration(rest)
        )
    }

    fn line(&mut self, watch: Watch<'_>) -> String {
        let done = self.done(&watch);
        let explored = watch.statistics.explored;
        let sweep = match watch.statistics.sweeps {
            0 | 1 => String::new(),
            sweeps => format!("  sweep {sweeps}"),
        };
        format!(
            "{done}layer {}{sweep}  explored {}  front {}  stored {}  {}  {}",
            watch.statistics.layers,
            units::grouped(explored),
            units::grouped(watch.front),
            units::grouped(watch.stored),
            units::rate(explored, self.started.elapsed()),
            units::bytes(watch.bytes),
        )
    }

    /// Removes the line.
    pub fn clear(&self) {
        if self.shown && Instant::now() >= self.started + 5 * PAUSE {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}

impl Observer for Ticker {
    #[inline]
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        if let Some(Guard {
            rows: Some((_, distinct)),
            ..
        }) = &mut self.guard
        {
            distinct.add(event.state);
        }
        Control::Continue
    }

    fn tick(&mut self, watch: Watch<'_>) -> Control {
        let now = Instant::now();
        if self.shown && now >= self.next {
            self.next = now + PAUSE;
            let line: String = self.line(watch).chars().take(self.width - 1).collect();
            let _ = write!(io::stderr(), "\r\x1b[K{line}");
        }
        match &mut self.guard {
            Some(guard) => guard.look(watch.statistics),
            None => Control::Continue,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn complaint(
        guard: &mut Guard,
        explored: u64,
        layers: u64,
        persistent: u64,
    ) -> Option<Complaint> {
        let statistics = Statistics {
            explored,
            layers,
            persistent,
            ..Statistics::default()
        };
        let stops = guard.look(&statistics) == Control::Stop;
        assert_eq!(stops, guard.complaint.is_some());
        guard.complaint
    }

    #[test]
    fn measures_that_lose_are_complained_about() {
        let mut guard = Guard::new(Patience::default(), None);
        assert_eq!(complaint(&mut guard, 1000, 1000, 1000), None);
        assert_eq!(
            complaint(&mut guard, 99_000, 60_000, 90_000),
            None,
            "patience"
        );
        let tiny = complaint(&mut guard.clone(), 200_000, 100_000, 1000);
        assert_eq!(tiny, Some(Complaint::TinyLayers));
        let again = complaint(&mut guard.clone(), 200_000, 1000, 100_000);
        assert_eq!(again, Some(Complaint::Again));
        assert_eq!(complaint(&mut guard, 9_000_000, 2000, 1000), None);
    }

    #[test]
    fn rows_are_given_up_in_large_state_spaces() {
        let expected = |again: f64, explored: u64| {
            let mut guard = Guard::new(Patience::default(), Some(again));
            assert_eq!(complaint(&mut guard, 0, 0, 0), None);
            if let Some((_, distinct)) = &mut guard.rows {
                (0..1_500_000).for_each(|number| distinct.add(&[number]));
            }
            complaint(&mut guard, explored, 100, 100)
        };
        assert_eq!(expected(1.7, 1_900_000), None);
        assert_eq!(
            expected(1.7, 2_000_000),
            Some(Complaint::Large { again: 1.7 })
        );
        // Nothing of the kind was expected, but that is how it is.
        let Some(Complaint::Large { again }) = expected(1.0, 3_000_000) else {
            panic!("each state was explored twice");
        };
        assert!((1.9..2.1).contains(&again), "{again}");
        assert_eq!(expected(1.0, 1_600_000), None);
        assert_eq!(expected(1.0, 9_000_000), None, "too late");
    }
}
