//! How much looking at a state space may cost.

use std::sync::Arc;

use sweepline_core::{AnySystem, Limits, Statistics, Steps};

/// Counts the work of expanding states, so that looking at a state space ends by itself, and in time if the user wants it
/// to.
#[derive(Debug)]
pub struct Effort<'l> {
    limits: &'l Limits,
    /// Work that was done, and when to look at the clock again.
    work: u64,
    look: u64,
    /// Bytes that are held beside what is being built.
    beside: usize,
}

/// Nanoseconds that a unit of work takes on a machine of today. Only the order of magnitude matters.
const UNIT: u64 = 8;
/// The same in a plain search, which numbers nothing and keeps no edges.
const EXPLORING: u64 = 4;
/// Words of a state where they differ.
const MANY_WORDS: usize = 8;
/// Work between two looks at the clock: a few milliseconds.
const PAUSE: u64 = 1 << 20;
/// Work after which nothing begins again because an encoding is too narrow.
const ENOUGH: u64 = 64 << 20;
/// The part of the memory that may be held while looking for a measure. Vectors grow by copying, and other things than
/// states need room, too.
const PART: usize = 4;

/// What exploring a system costs, in counts that take about a nanosecond each.
#[derive(Clone, Copy, Debug)]
pub struct Exploring {
    state: u64,
    edge: u64,
}

impl Exploring {
    /// What exploring this system costs.
    pub fn of(system: &dyn AnySystem) -> Self {
        let words = system.layout().width().unwrap_or(MANY_WORDS);
        Self {
            state: EXPLORING * (8 + system.actions().len() as u64 / 4),
            edge: EXPLORING * (4 + words as u64),
        }
    }

    /// What an exploration with these figures has cost.
    pub fn work(self, statistics: &Statistics) -> u64 {
        let states = self.state.saturating_mul(statistics.explored);
        states.saturating_add(self.edge.saturating_mul(statistics.edges))
    }
}

impl<'l> Effort<'l> {
    /// Looks that end when limits are reached.
    pub fn new(limits: &'l Limits) -> Self {
        Self {
            limits,
            work: 0,
            look: 0,
            beside: 0,
        }
    }

    /// The work that takes about so many nanoseconds.
    pub fn of_time(nanoseconds: u64) -> u64 {
        nanoseconds / UNIT
    }

    /// From now on so many bytes are held beside what is being built.
    pub fn beside(&mut self, held: usize) {
        self.beside = held;
    }

    /// A state was expanded: all its actions were looked at, and all its steps are hashed.
    pub fn expanded(&mut self, system: &Arc<dyn AnySystem>, steps: &Steps) {
        let actions = system.actions().len() / 4;
        let targets = steps.words().len() + 4 * steps.len();
        self.work += (8 + actions + targets) as u64;
    }

    /// Where the steps of a state are written, unless they take too much memory.
    pub(crate) fn steps_of(&self, system: &Arc<dyn AnySystem>) -> Steps {
        let mut steps = Steps::for_a_look(system.layout());
        if let Some(memory) = self.limits.memory {
            steps.set_limit(steps.limit().min(memory / PART));
        }
        steps
    }

    /// The work that was done.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// Whether another state may be expanded while so many bytes are held.
    pub fn goes_on(&mut self, held: usize) -> bool {
        let held = (self.beside + held).saturating_mul(PART);
        let looks = self.work >= self.look;
        if looks {
            self.look = self.work + PAUSE;
        }
        let has_room = self.limits.memory.is_none_or(|memory| held <= memory);
        has_room && (!looks || self.limits.allow(held).is_ok())
    }

    /// Whether everything may begin again in a wider encoding.
    pub fn begins_again(&self) -> bool {
        self.work < ENOUGH && self.limits.allow(0).is_ok()
    }

    /// The limits that end it.
    pub fn limits(&self) -> &'l Limits {
        self.limits
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use sweepline_core::{ActionId, Deadline, System};
    use sweepline_net::{NetSystem, family};

    use super::*;

    #[test]
    fn looking_ends() {
        let limits = Limits {
            memory: Some(4000),
            ..Limits::default()
        };
        let mut small = Effort::new(&limits);
        assert!(small.goes_on(1000));
        small.beside(1);
        assert!(!small.goes_on(1000), "one byte too many");
        let late = Limits {
            deadline: Some(Deadline::after(Duration::ZERO)),
            ..Limits::default()
        };
        assert!(!Effort::new(&late).goes_on(0));
        assert!(!Effort::new(&late).begins_again());
    }

    #[test]
    fn nothing_begins_again_for_ever() {
        let net = Arc::new(family::philosophers(3));
        let system: Arc<dyn AnySystem> = Arc::new(NetSystem::new(net));
        let mut steps = Steps::for_layout(system.layout());
        system.initial(&mut steps);
        let initial = steps.target(0).to_vec();
        for _ in 0..1000 {
            steps.push(ActionId(0), &initial);
        }
        let limits = Limits::default();
        let mut effort = Effort::new(&limits);
        let mut times = 0;
        while effort.begins_again() {
            effort.expanded(&system, &steps);
            times += 1;
        }
        assert!((1000..20_000).contains(&times), "{times}");
        assert!(
            effort.goes_on(usize::MAX),
            "what has begun is brought to an end"
        );
    }
}
