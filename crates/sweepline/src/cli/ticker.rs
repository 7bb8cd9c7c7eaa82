//! The progress line on standard error: on a terminal it stays in its place, elsewhere there is a new one every few seconds.

use std::io::{self, IsTerminal, Write};
use std::time::{Duration, Instant};

use sweepline_core::{Control, Observer, Watch};
use sweepline_report::plain::plain;
use sweepline_session::{Beginning, Forecast, Monitor, Outlook, units};

use super::output::Output;

/// Shows where the exploration is.
pub struct Ticker<'o> {
    /// What is written when it starts, and where.
    heading: Option<(&'o mut Output, String)>,
    display: Display,
    started: Instant,
    next: Instant,
    forecast: Forecast,
    /// Expansions before the exploration began again.
    earlier: u64,
    /// What has happened since the last line, as lines of their own.
    news: Vec<String>,
    /// Whether there is a line to remove.
    shown: bool,
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
            // A log of hours need not have thousands of lines.
            Self::Log => (elapsed / 60).clamp(Duration::from_secs(5), Duration::from_mins(1)),
        }
    }

    /// The most characters of a line.
    fn width(self) -> usize {
        match self {
            Self::Terminal(width) => width - 1,
            Self::Nowhere | Self::Log => usize::MAX,
        }
    }

    fn write(self, line: &str) {
        let _ = match self {
            Self::Nowhere => Ok(()),
            Self::Terminal(_) => write!(io::stderr(), "\r\x1b[K{line}"),
            Self::Log => writeln!(io::stderr(), "{line}"),
        };
    }

    /// Writes a line that stays.
    fn write_news(self, line: &str) {
        match self {
            Self::Nowhere | Self::Log => self.write(line),
            Self::Terminal(_) => self.write(&format!("{line}\n")),
        }
    }
}

impl<'o> Ticker<'o> {
    /// A ticker, or one that shows nothing if nobody would see it.
    pub fn new(quiet: bool) -> Self {
        Self::on(Display::of_process(quiet), Instant::now())
    }

    /// The same, which also writes what is explored, and how, when the exploration starts: not if there is something wrong with
    /// what is asked.
    pub fn with_heading(self, output: &'o mut Output, text: String) -> Self {
        Self {
            heading: Some((output, text)),
            ..self
        }
    }

    fn on(display: Display, started: Instant) -> Self {
        Self {
            heading: None,
            display,
            started,
            next: after(started, display.pause(Duration::ZERO)),
            forecast: Forecast::default(),
            earlier: 0,
            news: Vec::new(),
            shown: false,
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

    /// The figures of the whole run, and behind them what there is room for.
    fn line(&mut self, watch: Watch<'_>, elapsed: Duration) -> String {
        let explored = self.earlier + watch.statistics.explored;
        let mut others = Vec::new();
        match self.forecast.outlook(&watch, explored, elapsed) {
            Some(Outlook::About(done, left)) => {
                // Rounded down: nothing is done before it is done.
                let done = (done * 100.0).floor();
                others.push(format!("about {done:.0} %, {} left", units::about(left)));
            }
            Some(Outlook::AtLeast(left)) => {
                others.push(format!("at least {} left", units::about(left)));
            }
            None => {}
        }
        if watch.statistics.sweeps > 1 {
            others.push(format!("sweep {}", watch.statistics.sweeps));
        }
        others.push(format!("front {}", units::short(watch.front)));
        others.push(format!("layer {}", units::short(watch.statistics.layers)));
        let figures = |count: fn(u64) -> String, rate: &str| {
            format!(
                "{}  {} explored  {} stored  {rate}  {}",
                units::elapsed(elapsed),
                count(explored),
                count(watch.stored),
                units::bytes(watch.bytes),
            )
        };
        let rate = units::rate(explored, elapsed);
        let mut line = figures(units::grouped, &rate);
        if line.chars().count() > self.display.width() {
            let rate = rate.replace(" states/s", "/s");
            line = figures(units::short, &rate);
        }
        if line.chars().count() > self.display.width() {
            line = line.replace("  ", " ").replace(" explored", " states");
        }
        for other in others {
            if line.chars().count() + 2 + other.chars().count() <= self.display.width() {
                line += "  ";
                line += &other;
            }
        }
        line
    }
}

/// The moment so much later, or one that never comes.
fn after(now: Instant, pause: Duration) -> Instant {
    let never = Duration::from_secs(1 << 32);
    now + pause.min(never)
}

impl Observer for Ticker<'_> {
    fn tick(&mut self, watch: Watch<'_>) -> Control {
        let now = Instant::now();
        if self.display != Display::Nowhere && self.is_due(now) {
            for news in self.news.drain(..) {
                self.display.write_news(&news);
            }
            let line = self.line(watch, now.duration_since(self.started));
            self.display.write(&line);
            self.shown = true;
        }
        Control::Continue
    }
}

impl Monitor for Ticker<'_> {
    /// A change of the measure is news; the time and what was explored go on.
    fn begins(&mut self, beginning: Beginning<'_>) {
        let display = self.display;
        if let Some((output, text)) = self.heading.take() {
            let _ = output.write(text.as_bytes()); // whatever is wrong with it will be said when the result is written
        }
        match beginning.change {
            Some(change) => self.news.push(plain(&change.to_string()).into_owned()),
            None => *self = Self::on(display, Instant::now()),
        }
        self.earlier = beginning.earlier;
        self.forecast = Forecast::towards(beginning.goal);
    }

    /// Removes the line.
    fn ends(&mut self) {
        if let (Display::Terminal(_), true) = (self.display, self.shown) {
            self.display.write("");
            self.shown = false;
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
    fn a_log_gets_a_line_every_few_seconds() {
        let in_log = lines(Display::Log);
        assert_eq!(in_log[..4], [5, 10, 15, 20]);
        let pauses = in_log.windows(2).map(|pair| pair[1] - pair[0]);
        assert!(pauses.clone().min() == Some(5) && pauses.max() <= Some(31));
        assert!(lines(Display::Nowhere).is_empty());
        let on_terminal = lines(Display::Terminal(80));
        assert_eq!(
            on_terminal.len(),
            18_000 - 5,
            "but for the first half second"
        );
    }

    fn line(display: Display, earlier: u64, stored: u64) -> String {
        let statistics = Statistics {
            explored: 1_234_567,
            layers: 12,
            sweeps: 3,
            ..Statistics::default()
        };
        let watch = Watch {
            key: Key(7),
            front: 1000,
            stored,
            bytes: 1 << 20,
            statistics: &statistics,
        };
        let mut ticker = Ticker::on(display, Instant::now());
        ticker.earlier = earlier;
        ticker.line(watch, Duration::from_secs(754))
    }

    #[test]
    fn a_line_says_where_the_exploration_is() {
        insta::assert_snapshot!(line(Display::Log, 0, 2000), @"12 min 34 s  1,234,567 explored  2,000 stored  2 k states/s  1.0 MiB  sweep 3  front 1000  layer 12");
        // Restarts included.
        insta::assert_snapshot!(line(Display::Terminal(120), 1 << 40, 2000), @"12 min 34 s  1,099,512,862,343 explored  2,000 stored  1458.2 M states/s  1.0 MiB  sweep 3  front 1000  layer 12");
        insta::assert_snapshot!(line(Display::Terminal(80), 1 << 40, 1 << 32), @"12 min 34 s  1.10 T explored  4.29 G stored  1458.2 M/s  1.0 MiB  sweep 3");
        insta::assert_snapshot!(line(Display::Terminal(60), 0, 1 << 32), @"12 min 34 s  1.23 M explored  4.29 G stored  2 k/s  1.0 MiB");
    }

    #[test]
    fn figures_are_never_cut() {
        for width in 60..130 {
            for (earlier, stored) in [(0, 1), (1 << 30, 1 << 20), (1 << 33, 1 << 40)] {
                let line = line(Display::Terminal(width), earlier, stored);
                assert!(line.chars().count() < width, "{width}: {line}");
                assert!(line.contains("1.0 MiB"), "{width}: {line}");
            }
        }
    }
}
