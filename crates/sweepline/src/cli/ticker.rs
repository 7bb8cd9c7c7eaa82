//! The progress line: one line on standard error, only if that is a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use sweepline_core::{Control, Observer, Watch};
use sweepline_session::{Goal, Monitor, units};

/// Shows where the exploration is, ten times a second at most.
pub struct Ticker {
    shown: bool,
    started: Instant,
    next: Instant,
    width: usize,
    goal: Option<Goal>,
    /// The value of the goal's coordinate at the start, once that is known.
    first: Option<i128>,
}

const PAUSE: Duration = Duration::from_millis(100);

impl Ticker {
    /// A ticker, or one that shows nothing if nobody would see it.
    pub fn new(quiet: bool) -> Self {
        let width =
            rustix::termios::tcgetwinsize(io::stderr()).map_or(0, |size| size.ws_col.into());
        let started = Instant::now();
        Self {
            shown: !quiet && io::stderr().is_terminal() && width > 20,
            started,
            next: started,
            width,
            goal: None,
            first: None,
        }
    }

    /// The part that is done and the time the rest may take.
    fn done(&mut self, watch: &Watch<'_>) -> String {
        let Some(goal) = &self.goal else {
            return String::new();
        };
        let value = goal.leading.value(watch.key);
        let first = *self.first.get_or_insert(value);
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
}

impl Observer for Ticker {
    fn tick(&mut self, watch: Watch<'_>) -> Control {
        let now = Instant::now();
        if self.shown && now >= self.next {
            self.next = now + PAUSE;
            let line: String = self.line(watch).chars().take(self.width - 1).collect();
            let _ = write!(io::stderr(), "\r\x1b[K{line}");
        }
        Control::Continue
    }
}

impl Monitor for Ticker {
    /// Short runs end before anything is shown.
    fn begins(&mut self, goal: Option<Goal>) {
        self.started = Instant::now();
        self.next = self.started + 5 * PAUSE;
        (self.goal, self.first) = (goal, None);
    }

    /// Removes the line.
    fn ends(&mut self) {
        if self.shown && Instant::now() >= self.started + 5 * PAUSE {
            let _ = write!(io::stderr(), "\r\x1b[K");
        }
    }
}
