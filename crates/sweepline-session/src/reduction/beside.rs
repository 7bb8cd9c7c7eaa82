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

    /// Tries, when as much has been done with all steps as exploring so many states usually takes.
    fn attempt(&mut self, explored: u64) -> Result<Option<Self::Outcome>, Error>;
}

/// Watches an exploration of everything.
pub(super) struct Beside<A: Attempts> {
    pub(super) attempts: A,
    /// How many states are explored before the next attempt.
    next: u64,
    /// How many words a state has.
    words: usize,
    /// What has come of them, if that ends the exploration.
    pub(super) outcome: Option<Result<A::Outcome, Error>>,
}

/// How many times as much is explored before the next attempt.
const LATER: u64 = 4;
/// Steps of a state that count as one state, and words of their targets: states of wide nets have thousands of steps to states of
/// thousands of places, and where few of them are explored much has been done.
const STEPS: u64 = 16;
const WORDS: u64 = 256;
/// The share of the states that wait while an exploration is far from its end, as a divisor. If fewer wait, an attempt may come too
/// late.
const MANY: u64 = 8;

impl<A: Attempts> Beside<A> {
    /// Tries first when so many states, each of so many words, have been explored.
    pub(super) fn new(attempts: A, first: u64, words: usize) -> Self {
        Self {
            attempts,
            next: first,
            words,
            outcome: None,
        }
    }
}

impl<A: Attempts> Observer for Beside<A> {
    fn tick(&mut self, watch: Watch<'_>) -> Control {
        let explored = watch.statistics.explored;
        let many = watch.front * MANY >= explored;
        let next = if many { self.next } else { self.next * LATER };
        let steps = watch.statistics.edges;
        let words = steps.saturating_mul(self.words as u64);
        let done = explored.max(steps / STEPS).max(words / WORDS);
        if self.outcome.is_none() && done >= next {
            self.next = done * LATER;
            self.outcome = self.attempts.attempt(done).transpose();
        }
        match self.outcome {
            None => Control::Continue,
            Some(_) => Control::Stop,
        }
    }
}
