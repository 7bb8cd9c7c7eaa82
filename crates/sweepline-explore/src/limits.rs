//! Limits that are looked at now and then, by work done.

use std::time::{Duration, Instant};

use sweepline_core::{Limits, StopReason};

/// Says when to look at the limits, and when to tell the observer how far the run has come.
///
/// Work is counted in words: of states that were generated, of states that were rewritten. The observer is told after the
/// same work in every run, because what it does about it must not depend on the machine. Limits are looked at more often
/// where work takes long: a state with a thousand places, or one whose steps somebody's program takes a second to compute.
#[derive(Clone, Debug)]
pub(crate) struct Pace {
    work: u64,
    next_tick: u64,
    next_look: u64,
    /// Work between two looks.
    interval: u64,
    looked: Option<Instant>,
}

/// Work between two ticks, and at most between two looks.
const TICK: u64 = 1 << 14;
/// Looks come about so often.
const BRISK: Duration = Duration::from_millis(2);
const SLUGGISH: Duration = Duration::from_millis(20);

impl Default for Pace {
    fn default() -> Self {
        Self {
            work: 0,
            next_tick: 0,
            next_look: 0,
            interval: 1,
            looked: None,
        }
    }
}

impl Pace {
    /// Counts work. True if it is time for a look.
    #[inline]
    pub(crate) fn add(&mut self, words: usize) -> bool {
        self.work += words as u64;
        self.is_due()
    }

    /// Whether it is time for a look.
    #[inline]
    pub(crate) fn is_due(&self) -> bool {
        self.work >= self.next_look
    }

    /// Looks at the clock and at the wishes of the user.
    #[cold]
    pub(crate) fn look(&mut self, limits: &Limits) -> Result<(), StopReason> {
        limits.allow(0)?; // the stores have a budget of their own
        let now = Instant::now();
        let passed = self.looked.map(|looked| now - looked);
        self.looked = Some(now);
        match passed {
            Some(passed) if passed < BRISK => self.interval = (self.interval * 2).min(TICK),
            Some(passed) if passed > SLUGGISH => self.interval = (self.interval / 8).max(1),
            _ => {}
        }
        self.next_look = self.work + self.interval;
        Ok(())
    }

    /// Whether the limits allow to go on after this many expansions. The clock is looked at when it is time.
    #[inline]
    pub(crate) fn check(&mut self, limits: &Limits, explored: u64) -> Result<(), StopReason> {
        if self.is_due() {
            self.look(limits)?;
        }
        match limits.states {
            Some(limit) if explored >= limit => Err(StopReason::States { limit }),
            _ => Ok(()),
        }
    }

    /// Whether it is time to tell the observer; true once.
    #[inline]
    pub(crate) fn ticks(&mut self) -> bool {
        let ticks = self.work >= self.next_tick;
        if ticks {
            self.next_tick = self.work + TICK;
        }
        ticks
    }

    /// Time passes while nobody works.
    pub(crate) fn pause(&mut self) {
        self.looked = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The work done at each tick, when each piece of work takes so long.
    fn ticks(pieces: &[usize], pause: Duration) -> (Vec<u64>, usize) {
        let (mut pace, mut ticks, mut looks) = (Pace::default(), Vec::new(), 0);
        for &words in pieces {
            if pace.add(words) {
                looks += 1;
                pace.look(&Limits::default()).unwrap();
            }
            if pace.ticks() {
                ticks.push(pace.work);
            }
            std::thread::sleep(pause);
        }
        (ticks, looks)
    }

    #[test]
    fn ticks_depend_on_work_and_looks_on_time() {
        let pieces: Vec<usize> = (0..40).map(|i| 700 + i * i % 500).collect();
        let (fast, _) = ticks(&pieces, Duration::ZERO);
        let (slow, looks) = ticks(&pieces, Duration::from_millis(21));
        assert_eq!(fast, slow);
        assert!((2..5).contains(&fast.len()), "{fast:?}");
        assert!(looks > 35, "each piece takes long: {looks}");
        let many = vec![10; 100_000];
        let (_, looks) = ticks(&many, Duration::ZERO);
        assert!(looks < 10_000, "{looks}");
    }
}
