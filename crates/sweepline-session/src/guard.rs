//! Watching over a measure while it is used.

use std::fmt;
use std::ops::RangeInclusive;

use sweepline_core::{Control, Expanded, Observer, Statistics, Watch};
use sweepline_explore::Distinct;

/// Watches over a measure that was found: it must not lose.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
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
    pub(crate) fn new(patience: Patience, again: Option<f64>) -> Self {
        Self {
            patience,
            rows: again.map(|again| (again, Distinct::default())),
            since: None,
            complaint: None,
        }
    }

    /// One that never complains.
    pub(crate) fn idle() -> Self {
        let never = Patience {
            states: u64::MAX,
            ..Patience::default()
        };
        Self::new(never, None)
    }

    /// Why the measure should be given up, if it should.
    pub(crate) fn complaint(&self) -> Option<Complaint> {
        self.complaint
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

impl Observer for Guard {
    #[inline]
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        if let Some((_, distinct)) = &mut self.rows {
            distinct.add(event.state);
        }
        Control::Continue
    }

    fn tick(&mut self, watch: Watch<'_>) -> Control {
        self.look(watch.statistics)
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
