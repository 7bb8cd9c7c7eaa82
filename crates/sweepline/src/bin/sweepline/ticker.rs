//! The progress line: one line on standard error, only if that is a terminal.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use sweepline_core::{Control, Observer, Watch};

use crate::units;

/// Shows where the exploration is, ten times a second at most.
pub struct Ticker {
    shown: bool,
    started: Instant,
    next: Instant,
    width: usize,
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
        }
    }

    fn line(&self, watch: Watch<'_>) -> String {
        let explored = watch.statistics.explored;
        let sweep = match watch.statistics.sweeps {
            0 | 1 => String::new(),
            sweeps => format!("  sweep {sweeps}"),
        };
        format!(
            "layer {}{sweep}  explored {}  front {}  stored {}  {}  {}",
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
