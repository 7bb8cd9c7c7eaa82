//! When a plain search has become so long that looking for a measure again costs little beside it.

use sweepline_core::{AnySystem, Control, Observer, Watch};
use sweepline_progress::Exploring;

/// Stops a plain search when a measure is worth looking for.
///
/// Whether it is depends on the work that was done, not on the time it took, so the same run always changes its measure at
/// the same state. While a large part of what was reached waits, much more is to come. If little waits, the search may be
/// about to end, and what has been expanded would be put in order for nothing: then it must have been longer.
pub(crate) struct Lookout {
    exploring: Exploring,
    /// The work after which to stop; never, if there is none.
    at: Option<u64>,
    /// The work that was done when it stopped.
    reached: Option<u64>,
}

/// The share of the states that wait while a search is far from its end, as a divisor.
const MANY: u64 = 8;
/// How many times as long a search must be if fewer wait.
const LONGER: u64 = 4;

impl Lookout {
    /// Looks out for so much work on a system. With links, what was expanded cannot be kept and may be expanded again, so
    /// the search must have been longer.
    pub(crate) fn new(system: &dyn AnySystem, at: Option<u64>, linked: bool) -> Self {
        let longer = if linked { LONGER } else { 1 };
        Self {
            exploring: Exploring::of(system),
            at: at.map(|at| at.saturating_mul(longer)),
            reached: None,
        }
    }

    /// The work that was done when it stopped, if it did. From then on it looks out no more.
    pub(crate) fn reached(&mut self) -> Option<u64> {
        self.at = self.at.filter(|_| self.reached.is_none());
        self.reached.take()
    }
}

impl Observer for Lookout {
    fn tick(&mut self, watch: Watch<'_>) -> Control {
        let Some(at) = self.at else {
            return Control::Continue;
        };
        let work = self.exploring.work(watch.statistics);
        let many = watch.front * MANY >= watch.statistics.explored;
        if work < if many { at } else { at.saturating_mul(LONGER) } {
            return Control::Continue;
        }
        self.reached = Some(work);
        Control::Stop
    }
}

#[cfg(test)]
mod tests {
    use sweepline_core::{Key, Statistics};
    use sweepline_net::{NetSystem, family};

    use super::*;

    /// The work at which a search stops that has explored so much, of which so many wait.
    fn stop(at: Option<u64>, explored: u64, front: u64) -> Option<u64> {
        let system = NetSystem::new(family::philosophers(3));
        let mut lookout = Lookout::new(&system, at, false);
        let statistics = Statistics {
            explored,
            edges: 3 * explored,
            ..Statistics::default()
        };
        let watch = Watch {
            key: Key(0),
            front,
            stored: explored + front,
            bytes: 0,
            statistics: &statistics,
        };
        let control = lookout.tick(watch);
        let reached = lookout.reached();
        assert_eq!(control == Control::Stop, reached.is_some());
        if reached.is_some() {
            assert_eq!(lookout.tick(watch), Control::Continue, "it stops once");
        }
        reached
    }

    #[test]
    fn a_search_is_looked_at_when_it_is_long() {
        let work = stop(Some(1), 1000, 1000).unwrap();
        assert_eq!(stop(Some(work), 1000, 500), Some(work));
        assert_eq!(stop(Some(work + 1), 1000, 500), None, "it is short");
        assert_eq!(stop(Some(work), 1000, 10), None, "it may be about to end");
        assert!(stop(Some(work), 4000, 10) >= Some(4 * work));
        assert_eq!(stop(None, 1_000_000, 1_000_000), None);
    }
}
