//! How much work may be done.

use std::cell::Cell;

use sweepline_core::Limits;

/// How much the search for measures may cost.
///
/// Cost is work that is counted, so what is found depends on the model only and not on how busy the machine is. Whatever
/// does not fit into the budget is left out of the answer: fewer transitions are claimed to progress. A linear program
/// without a solution uses up all that is left, and so do rows. A budget cannot be shared by threads, for then it would
/// matter which of them comes first.
///
/// ```
/// use sweepline_progress::linear::{Budget, Effects, columns};
///
/// // A token becomes two and each of them one again: only a linear program can tell that from a cycle.
/// let net = Effects::new(2, vec![vec![(0, -1), (1, 2)], vec![(1, -1), (0, 1)]]);
/// assert_eq!(columns(&net, &Budget::default()).strict, [true, true]);
/// assert_eq!(columns(&net, &Budget::of(0)).strict, [false, false]);
/// ```
#[derive(Clone, Debug)]
pub struct Budget {
    left: Cell<u64>,
    /// Whether something was not done for lack of it.
    short: Cell<bool>,
    terms: Terms,
}

/// What limits work besides how much there is of it.
#[derive(Clone, Debug)]
pub(super) struct Terms {
    /// Nets whose connected parts have more transitions than this only get what needs no linear program.
    transitions: usize,
    /// Limits of the user, who may end everything at any time.
    limits: Limits,
}

impl Budget {
    /// What can be done in a millisecond on a machine of today. Only the order of magnitude matters.
    pub const MILLISECOND: u64 = 1_000_000;

    /// A budget of so much work, for parts of up to 5,000 transitions.
    pub fn of(work: u64) -> Self {
        let terms = Terms {
            transitions: 5_000,
            limits: Limits::default(),
        };
        Self::on(terms, work)
    }

    pub(super) fn on(terms: Terms, work: u64) -> Self {
        Self {
            left: Cell::new(work),
            short: Cell::new(false),
            terms,
        }
    }

    /// The same for parts of up to so many transitions.
    #[must_use]
    pub fn up_to(mut self, transitions: usize) -> Self {
        self.terms.transitions = transitions;
        self
    }

    /// The same, which is used up when limits on memory or time are reached, or when the run is cancelled.
    #[must_use]
    pub fn within(mut self, limits: &Limits) -> Self {
        self.terms.limits = limits.clone();
        self
    }

    /// What it depends on besides the work: this can be shared.
    pub(super) fn terms(&self) -> &Terms {
        &self.terms
    }

    /// The work that is left.
    pub(crate) fn left(&self) -> u64 {
        self.left.get()
    }

    /// Takes work from it. Says whether there was enough of it; if not, nothing is left.
    pub(super) fn spend(&self, work: u64) -> bool {
        let left = self.left().checked_sub(work);
        self.left.set(left.unwrap_or(0));
        self.short.set(self.short.get() || left.is_none());
        left.is_some()
    }

    /// Whether there is enough for work that has not begun.
    pub(super) fn suffices(&self, work: u64) -> bool {
        let suffices = work <= self.left();
        self.short.set(self.short.get() || !suffices);
        suffices
    }

    /// Whether something was not done for lack of it.
    pub(crate) fn ran_out(&self) -> bool {
        self.short.get()
    }

    /// Whether the user lets work go on.
    pub(super) fn goes_on(&self) -> bool {
        self.terms.limits.allow(0).is_ok()
    }

    /// Whether a linear program over this many transitions may start.
    pub(super) fn admits(&self, transitions: usize) -> bool {
        transitions <= self.terms.transitions && self.left() > 0 && self.goes_on()
    }
}

impl Default for Budget {
    /// Work for about ten seconds.
    fn default() -> Self {
        Self::of(10_000 * Self::MILLISECOND)
    }
}
