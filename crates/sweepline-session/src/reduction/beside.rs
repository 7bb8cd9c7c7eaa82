//! Trying with fewer steps while everything is explored.
//!
//! Nobody knows beforehand how large a state space is, and to find out which actions depend on each other may take longer than
//! to explore it. So everything is explored, and after certain amounts of work a small share of that work is spent on trying with
//! fewer steps. What is tried depends on what was explored and not on time, so the same run always does the same.

use sweepline_core::{Control, Observer, Watch};

use crate::error::Error;

/// What is tried.
pub(super) trait Attempts {
    /// How it goes on if it does not go on as before.
    type Outcome;

    /// Tries, when so many states have been explored with all steps.
    fn attempt(&mut self, explored: u64) -> Result<Option<Self::Outcome>, Error>;
}

/// Watches an exploration of everything.
pub(super) struct Beside<A: Attempts> {
    pub(super) attempts: A,
    /// How many states are explored before the next attempt.
    next: u64,
    /// What has come of them, if that ends the exploration.
    pub(super) outcome: Option<Result<A::Outcome, Error>>,
}

/// How many times as much is explored before the next attempt.
const LATER: u64 = 4;
/// The share of the states that wait while an exploration is far from its end, as a divisor. If fewer wait, an attempt may come too
/// late.
const MANY: u64 = 8;

impl<A: Attempts> Beside<A> {
    /// Tries first when so many states have been explored.
    pub(super) fn new(attempts: A, first: u64) -> Self {
        Self {
            attempts,
            next: first,
            outcome: None,
        }
    }
}

impl<A: Attempts> Observer for Beside<A> {
    fn tick(&mut self, watch: Watch<'_>) -> Control {
        let explored = watch.statistics.explored;
        let many = watch.front * MANY >= explored;
        let next = if many { self.next } else { self.next * LATER };
        if self.outcome.is_none() && explored >= next {
            self.next = explored * LATER;
            self.outcome = self.attempts.attempt(explored).transpose();
        }
        match self.outcome {
            None => Control::Continue,
            Some(_) => Control::Stop,
        }
    }
}
