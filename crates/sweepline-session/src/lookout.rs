//! When a plain search has become so long that looking for a measure again costs little beside it.

use sweepline_core::{AnySystem, Control, Observer, Watch};
use sweepline_progress::Exploring;

/// Stops a plain search when a measure is worth looking for.
///
/// Whether it is depends on the work that was done, not on the time it took, so the same run always changes its measure at
/// the same state. How much is left to do nobody knows: where little waits the search may be about to end, or go on for long.
pub(crate) struct Lookout {
    exploring: Exploring,
    /// The work after which to stop; never, if there is none.
    at: Option<u64>,
    /// The work that was done when it stopped.
    reached: Option<u64>,
}

/// How many times as long a search must be if it has links.
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
        if work < at {
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

    /// The work at which a search stops that has explored so much.
    fn stop(at: Option<u64>, linked: bool, explored: u64) -> Option<u64> {
        let system = NetSystem::new(family::philosophers(3));
        let mut lookout = Lookout::new(&system, at, linked);
        let statistics = Statistics {
            explored,
            edges: 3 * explored,
            ..Statistics::default()
        };
        let watch = Watch {
            key: Key(0),
            front: 10,
            stored: explored + 10,
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
        let work = stop(Some(1), false, 1000).unwrap();
        assert_eq!(stop(Some(work), false, 1000), Some(work));
        assert_eq!(stop(Some(work + 1), false, 1000), None, "it is short");
        assert_eq!(stop(Some(work), true, 1000), None, "it has links");
        assert_eq!(stop(Some(work), true, 4000), Some(4 * work));
        assert_eq!(stop(None, false, 1_000_000), None);
    }
}
