//! How far an exploration is, as far as that can be told.
//!
//! Layers differ in size, so a measure that is half way says little: what counts is states. How many are left is known from
//! two sides. All states of the front will be expanded, and there will be others behind them: that is the least. As long as
//! the front grows, nobody knows more. Once it shrinks, the rest of the way will hardly be denser than where we are now: that
//! is the most. Where the two are close to each other, something in between is credible.

use std::collections::VecDeque;
use std::time::Duration;

use sweepline_core::Watch;

use crate::order::Goal;

/// Watches an exploration go on.
#[derive(Clone, Debug, Default)]
pub struct Forecast {
    goal: Option<Goal>,
    /// The value of the goal's coordinate at the start, once that is known.
    first: Option<i128>,
    /// The largest front so far.
    largest: u64,
    /// Where it was lately, and how much was explored by then.
    lately: VecDeque<(f64, u64)>,
}

/// What can be told of the rest of an exploration.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outlook {
    /// It takes so long at least.
    AtLeast(Duration),
    /// So much of everything is done, and it takes about so long.
    About(f64, Duration),
}

/// States that are left, and the part that is done.
#[derive(Clone, Copy, Debug)]
enum Rest {
    AtLeast(f64),
    About { done: f64, left: f64 },
}

/// The part of the way in which density is looked at.
const NEAR: f64 = 0.05;
/// The front shrinks when it is below this part of its largest size.
const SHRINKING: f64 = 0.85;
/// How far the two sides of what is done may lie apart.
const CLOSE: f64 = 0.2;

impl Forecast {
    /// Of an exploration whose first column goes so far, if that is known.
    pub fn towards(goal: Option<Goal>) -> Self {
        Self {
            goal,
            ..Self::default()
        }
    }

    /// What can be told now. So much has been explored in so much time, earlier attempts included.
    pub fn outlook(&mut self, watch: &Watch<'_>, explored: u64, time: Duration) -> Option<Outlook> {
        let part = self.part(watch);
        let rest = self.rest(part, watch.front, watch.statistics.explored);
        #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
        let lasts = |states: f64| time.mul_f64(states / explored.max(1) as f64);
        match rest {
            Rest::About { done, left } => Some(Outlook::About(done, lasts(left))),
            Rest::AtLeast(left) => {
                let least = lasts(left);
                (least >= Duration::from_secs(1)).then_some(Outlook::AtLeast(least))
            }
        }
    }

    /// How many states are left, at this part of the way to the goal.
    #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
    fn rest(&mut self, part: Option<f64>, front: u64, explored: u64) -> Rest {
        self.largest = self.largest.max(front);
        if let Some(part) = part {
            self.note(part, explored);
        }
        let (least, explored) = (front as f64, explored as f64);
        let shrinks = least < SHRINKING * self.largest as f64;
        if let Some(most) = part.and_then(|part| self.most(part)).filter(|_| shrinks) {
            let most = most.max(least);
            let done = |left: f64| explored / (explored + left);
            if done(least) - done(most) <= CLOSE {
                let left = least.midpoint(most);
                let done = done(left);
                return Rest::About { done, left };
            }
        }
        Rest::AtLeast(least)
    }

    /// The part of the way to the goal.
    fn part(&mut self, watch: &Watch<'_>) -> Option<f64> {
        let goal = self.goal.as_ref()?;
        let value = goal.leading.value(watch.key);
        let first = *self.first.get_or_insert(value);
        #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
        let part = (value - first) as f64 / (goal.last - first).max(1) as f64;
        (0.0..=1.0).contains(&part).then_some(part)
    }

    fn note(&mut self, part: f64, explored: u64) {
        self.lately.push_back((part, explored));
        // One from before the near part of the way is kept.
        while self.lately.get(1).is_some_and(|&(at, _)| part - at >= NEAR) {
            self.lately.pop_front();
        }
    }

    /// How many states are left if the rest of the way is as dense as its last part.
    fn most(&self, part: f64) -> Option<f64> {
        let &(from, explored) = self.lately.front()?;
        let &(_, now) = self.lately.back()?;
        if part - from < NEAR {
            return None;
        }
        #[expect(clippy::cast_precision_loss, reason = "two digits are shown")]
        let density = now.saturating_sub(explored) as f64 / (part - from);
        Some(density * (1.0 - part))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What is told at the end of each layer of a state space with layers of these sizes, of which so many ahead are known,
    /// beside the states that are explored by then.
    #[expect(clippy::cast_precision_loss, reason = "a share")]
    fn told(layers: &[u64], known: usize, goal: bool) -> Vec<(u64, Rest)> {
        let mut forecast = Forecast::default();
        let mut explored = 0;
        let mut told = Vec::new();
        for (index, layer) in layers.iter().enumerate() {
            explored += layer;
            let front = layers[index + 1..].iter().take(known).sum();
            let part = goal.then_some(index as f64 / (layers.len() - 1) as f64);
            told.push((explored, forecast.rest(part, front, explored)));
        }
        told
    }

    /// Layers that grow and then shrink.
    fn hill(mut up: Vec<u64>, mut down: Vec<u64>) -> Vec<u64> {
        up.sort_unstable();
        down.sort_unstable_by(|a, b| b.cmp(a));
        [up, down].concat()
    }

    proptest! {
        #[test]
        #[expect(clippy::cast_precision_loss, reason = "a share")]
        fn what_is_told_is_about_true(
            up in prop::collection::vec(1000_u64..100_000, 40..60),
            down in prop::collection::vec(1000_u64..100_000, 40..60),
            known in 1_usize..10,
        ) {
            let layers = hill(up, down);
            let total: u64 = layers.iter().sum();
            for (explored, rest) in told(&layers, known, true) {
                let done = explored as f64 / total as f64;
                match rest {
                    Rest::About { done: said, .. } => {
                        prop_assert!((said - done).abs() < 0.2, "{} is {}", said, done);
                    }
                    Rest::AtLeast(left) => prop_assert!(left <= (total - explored) as f64),
                }
            }
        }
    }

    #[test]
    fn nothing_is_promised_while_the_front_grows() {
        let about = |(_, rest): &(u64, Rest)| matches!(rest, Rest::About { .. });
        let growing: Vec<u64> = (1..100).map(|layer| layer * 1000).collect();
        let most = told(&growing, 3, true);
        assert!(!most[..95].iter().any(about), "it grows up to the end");
        let falling = hill(growing.clone(), growing);
        assert!(told(&falling, 3, true).iter().any(about));
        assert!(!told(&falling, 3, false).iter().any(about), "no goal");
    }
}
