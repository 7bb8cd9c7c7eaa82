//! The progress line on standard error: on a terminal it stays in its place, elsewhere there is a new one now and then.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use sweepline_core::{Control, Observer, Watch};
use sweepline_session::{Goal, Monitor, units};

/// Shows where the exploration is.
pub struct Ticker {
    display: Display,
    started: Instant,
    next: Instant,
    goal: Option<Goal>,
    /// The value of the goal's coordinate at the start, once that is known.
    first: Option<i128>,
}

/// Where the line goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Display {
    Nowhere,
    /// On a terminal of this width.
    Terminal(usize),
    /// To a file or a pipe.
    Log,
}

impl Display {
    fn of_process(quiet: bool) -> Self {
        let size = rustix::termios::tcgetwinsize(io::stderr());
        match size.map_or(0, |size| size.ws_col.into()) {
            _ if quiet => Self::Nowhere,
            _ if !io::stderr().is_terminal() => Self::Log,
            width if width > 20 => Self::Terminal(width),
            _ => Self::Nowhere,
        }
    }

    /// How long to wait for the next line after so much time. Short runs end before the first.
    fn pause(self, elapsed: Duration) -> Duration {
        match self {
            Self::Nowhere => Duration::MAX,
            Self::Terminal(_) if elapsed.is_zero() => Duration::from_millis(500),
            Self::Terminal(_) => Duration::from_millis(100),
            Self::Log => elapsed.clamp(Duration::from_secs(10), Duration::from_mins(5)),
        }
    }

    fn write(self, line: &str) {
        let _ = match self {
            Self::Nowhere => Ok(()),
            Self::Terminal(width) => {
                let line: String = line.chars().take(width - 1).collect();
                write!(io::stderr(), "\r\x1b[K{line}")
            }
            Self::Log => writeln!(io::stderr(), "{line}"),
        };
    }
}

impl Ticker {
    /// A ticker, or one that shows nothing if nobody would see it.
    pub fn new(quiet: bool) -> Self {
        Self::on(Display::of_process(quiet), Instant::now())
    }

    fn on(display: Display, started: Instant) -> Self {
        Self {
            display,
            started,
            next: after(started, display.pause(Duration::ZERO)),
            goal: None,
            first: None,
        }
    }

    /// Whether it is time for a line. Then there is time until the next.
    fn is_due(&mut self, now: Instant) -> bool {
        let due = now >= self.next;
        if due {
            let elapsed = now.duration_since(self.started);
            self.next = after(now, self.display.pause(elapsed));
        }
        due
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

/// The moment so much later, or one that never comes.
fn after(now: Instant, pause: Duration) -> Instant {
    let never = Duration::from_secs(1 << 32);
    now + pause.min(never)
}

impl Observer for Ticker {
    fn tick(&mut self, watch: Watch<'_>) -> Control {
        if self.display != Display::Nowhere && self.is_due(Instant::now()) {
            let line = self.line(watch);
            self.display.write(&line);
        }
        Control::Continue
    }
}

impl Monitor for Ticker {
    fn begins(&mut self, goal: Option<Goal>) {
        (self.goal, self.first) = (goal, None);
        if let Display::Terminal(_) = self.display {
            *self = Self {
                goal,
                ..Self::on(self.display, Instant::now())
            };
        }
    }

    /// Removes the line.
    fn ends(&mut self) {
        let shown = self.started.elapsed() >= self.display.pause(Duration::ZERO);
        if let (Display::Terminal(_), true) = (self.display, shown) {
            self.display.write("");
        }
    }
}

#[cfg(test)]
mod tests {
    use sweepline_core::{Key, Statistics};

    use super::*;

    /// The seconds in which a line is due, if somebody asks ten times a second for half an hour.
    fn lines(display: Display) -> Vec<u64> {
        let started = Instant::now();
        let mut ticker = Ticker::on(display, started);
        let moments = (0..18_000).map(|tenth| Duration::from_millis(100 * tenth));
        moments
            .filter(|moment| ticker.is_due(started + *moment))
            .map(|moment| moment.as_secs())
            .collect()
    }

    #[test]
    fn a_log_gets_a_line_now_and_then() {
        assert_eq!(
            lines(Display::Log),
            [10, 20, 40, 80, 160, 320, 620, 920, 1220, 1520]
        );
        assert!(lines(Display::Nowhere).is_empty());
        let on_terminal = lines(Display::Terminal(80));
        assert_eq!(
            on_terminal.len(),
            18_000 - 5,
            "but for the first half second"
        );
    }

    #[test]
    fn a_line_says_where_the_exploration_is() {
        let statistics = Statistics {
            explored: 1_234_567,
            layers: 12,
            sweeps: 3,
            ..Statistics::default()
        };
        let watch = Watch {
            key: Key(7),
            front: 1000,
            stored: 2000,
            bytes: 1 << 20,
            statistics: &statistics,
        };
        let line = Ticker::on(Display::Log, Instant::now()).line(watch);
        let expected = "layer 12  sweep 3  explored 1,234,567  front 1,000  stored 2,000  ";
        assert!(line.starts_with(expected), "{line}");
        assert!(line.ends_with("  1.0 MiB"), "{line}");
    }
}
