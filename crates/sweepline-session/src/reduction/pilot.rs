//! Whether a reduction pays, found out by trying.

use std::sync::Arc;

use sweepline_core::{AnySystem, Limits, NoProgress};
use sweepline_explore::{LogPlace, Sweep};
use sweepline_reduce::{Aim, Failures, Stubborn, Transitions};

use crate::model::Model;

/// States that are expanded at least to find out what a reduction is worth.
pub(super) const TRIAL: u64 = 300;
/// A reduction pays if it keeps fewer steps than this share of them: finding out which takes longer than generating them.
const WORTH: f64 = 0.45;

/// Taking out actions one by one takes longer than closing small sets, so it must leave fewer steps than this share of theirs.
const DELETION: f64 = 0.8;

/// To look at more actions in pairs takes too long if nobody asks for it.
pub(super) const MOST_ACTIONS: usize = 2000;

/// What a trial of a reduction said.
struct Trial {
    /// Whether everything was explored.
    complete: bool,
    /// The share of steps that were kept.
    kept: f64,
}

/// Bytes that a look at some states takes at most: a state of a wide net may have more steps than there is memory for.
const MEMORY: usize = 256 << 20;

/// Tries reductions of a model on its first states, within the limits of the run.
#[derive(Clone, Copy)]
pub(super) struct Pilot<'m> {
    model: &'m Model,
    limits: &'m Limits,
}

impl<'m> Pilot<'m> {
    pub(super) fn new(model: &'m Model, limits: &'m Limits) -> Self {
        Self { model, limits }
    }

    /// Whether it seems to take less time to leave steps out than to explore everything, as far as so many states tell.
    pub(super) fn pays(self, aim: &Arc<Aim>, states: u64) -> bool {
        let trial = self.try_out(aim, states);
        trial.complete || trial.kept < WORTH
    }

    /// The aim that preserves deadlocks and seems to leave the fewest states, where there is time to find out.
    pub(super) fn tried_for_deadlocks(self, transitions: &Arc<dyn Transitions>) -> Arc<Aim> {
        if self.model.net().is_some() {
            return self.for_deadlocks(transitions, TRIAL);
        }
        Arc::new(Aim::deadlocks_tried_on(
            Arc::clone(transitions),
            &self.model.system,
            self.limits,
        ))
    }

    /// The aim that preserves deadlocks, with the better of two ways to keep failures from being missed and, for nets, the better of two
    /// ways to find sets, as far as so many states tell.
    pub(super) fn for_deadlocks(self, transitions: &Arc<dyn Transitions>, states: u64) -> Arc<Aim> {
        let aim = || Aim::deadlocks(Arc::clone(transitions)).within(self.limits);
        let first = Arc::new(aim());
        let (other, worth) = if first.has_failures() {
            (aim().with_failures(Failures::NotIgnored), 1.0)
        } else if self.model.net().is_some() {
            (aim().by_deletion(), DELETION)
        } else {
            return first;
        };
        let other = Arc::new(other);
        if self.try_out(&other, states).kept < worth * self.try_out(&first, states).kept {
            other
        } else {
            first
        }
    }

    fn try_out(self, aim: &Arc<Aim>, states: u64) -> Trial {
        let system = Stubborn::new(Arc::clone(&self.model.system), Arc::clone(aim));
        let complete = self.look_at(&system, states);
        let effort = system.effort();
        #[expect(clippy::cast_precision_loss, reason = "it is a share")]
        let kept = match effort.steps {
            0 => 1.0, // nothing was seen
            steps => effort.kept as f64 / steps as f64,
        };
        Trial { complete, kept }
    }

    /// Looks at the first states of a system. Says whether these are all.
    fn look_at(self, system: &dyn AnySystem, states: u64) -> bool {
        let options = sweepline_explore::Options {
            limits: Limits {
                states: Some(states),
                memory: Some(self.limits.memory.map_or(MEMORY, |most| most.min(MEMORY))),
                ..self.limits.clone()
            },
            log: LogPlace::Off,
            ..sweepline_explore::Options::default()
        };
        let mut sweep = Sweep::new(system, NoProgress, options);
        // However it ends, what it has seen by then is a sample.
        let _ = sweep.run(&mut ());
        sweep.statistics().complete
    }
}

#[cfg(test)]
mod tests {
    use sweepline_net::PetriNet;

    use super::*;

    /// One state with many steps is all there is of this net, unless they take more memory than there may be.
    #[test]
    fn a_look_keeps_to_the_memory() {
        let mut net = PetriNet::builder("loops");
        let place = net.place("p", 1);
        for loop_ in 0..10_000 {
            net.rule(format!("t{loop_}"), &[place], &[place]);
        }
        let model = Model::of_net("loops", Arc::new(net.build().unwrap()));
        let looks = |memory| {
            let limits = Limits {
                memory,
                ..Limits::default()
            };
            Pilot::new(&model, &limits).look_at(&*model.system, TRIAL)
        };
        assert!(looks(None) && looks(Some(4 << 20)));
        assert!(!looks(Some(64 << 10)));
    }
}
