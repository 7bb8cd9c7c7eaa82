//! What an exploration tells while it runs.

use crate::{ActionId, Key, Statistics, Steps, Word};

/// Whether to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Control {
    /// Go on.
    Continue,
    /// Nothing more needs to be seen.
    Stop,
}

/// A state has been expanded: its steps are known, none of their targets is stored yet.
#[derive(Clone, Copy, Debug)]
pub struct Expanded<'a> {
    /// Running number of the state instance; the trace log knows how it was reached.
    pub number: u64,
    /// The state.
    pub state: &'a [Word],
    /// Its key.
    pub key: Key,
    /// A batch that contains the state's steps.
    pub steps: &'a Steps,
    /// Index of the state's first step in the batch.
    pub first: usize,
    /// Index after the state's last step in the batch.
    pub end: usize,
    /// Whether it is a deadlock: it has no steps and is no [proper end](crate::System::is_end).
    pub deadlock: bool,
}

impl<'a> Expanded<'a> {
    /// The actions that are enabled, one per step.
    #[inline]
    pub fn actions(&self) -> &'a [ActionId] {
        &self.steps.actions()[self.first..self.end]
    }

    /// The targets, one per step.
    pub fn targets(&self) -> impl Iterator<Item = &'a [Word]> + use<'a> {
        let steps = self.steps;
        (self.first..self.end).map(|index| steps.target(index))
    }

    /// Whether the state is a deadlock.
    #[inline]
    pub fn is_deadlock(&self) -> bool {
        self.deadlock
    }
}

/// A layer has been explored to its closure; its states are about to be forgotten.
#[derive(Clone, Copy, Debug)]
pub struct LayerClosed<'a> {
    /// The key all its states have.
    pub key: Key,
    /// Number of states expanded in it.
    pub states: u64,
    /// States stored at this moment, in all layers.
    pub stored: u64,
    /// Bytes held at this moment.
    pub bytes: usize,
    /// Figures so far.
    pub statistics: &'a Statistics,
}

/// What is known at a moment while a layer is being explored.
#[derive(Clone, Copy, Debug)]
pub struct Watch<'a> {
    /// The key of the open layer.
    pub key: Key,
    /// States that wait to be expanded, in all layers.
    pub front: u64,
    /// States stored at this moment, in all layers.
    pub stored: u64,
    /// Bytes held at this moment.
    pub bytes: usize,
    /// Figures so far.
    pub statistics: &'a Statistics,
}

/// Watches an exploration and may end it.
///
/// Every method has an empty default, and calls are dispatched statically: no observer pays for what it does
/// not watch.
pub trait Observer {
    /// A state has been expanded. Called once per instance, in the order of the numbers; a run that was interrupted may
    /// show the last ones again when it goes on.
    #[inline]
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        let _ = event;
        Control::Continue
    }

    /// A layer has been closed.
    #[inline]
    fn layer_closed(&mut self, event: LayerClosed<'_>) -> Control {
        let _ = event;
        Control::Continue
    }

    /// Called now and then (every few thousand states), for progress displays.
    #[inline]
    fn tick(&mut self, event: Watch<'_>) -> Control {
        let _ = event;
        Control::Continue
    }
}

impl Observer for () {}

impl<O: Observer + ?Sized> Observer for &mut O {
    #[inline]
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        (**self).expanded(event)
    }
    #[inline]
    fn layer_closed(&mut self, event: LayerClosed<'_>) -> Control {
        (**self).layer_closed(event)
    }
    #[inline]
    fn tick(&mut self, event: Watch<'_>) -> Control {
        (**self).tick(event)
    }
}

/// Two observers side by side; either may stop.
impl<A: Observer, B: Observer> Observer for (A, B) {
    #[inline]
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        either(self.0.expanded(event), self.1.expanded(event))
    }
    #[inline]
    fn layer_closed(&mut self, event: LayerClosed<'_>) -> Control {
        either(self.0.layer_closed(event), self.1.layer_closed(event))
    }
    #[inline]
    fn tick(&mut self, event: Watch<'_>) -> Control {
        either(self.0.tick(event), self.1.tick(event))
    }
}

#[inline]
fn either(a: Control, b: Control) -> Control {
    if a == Control::Stop || b == Control::Stop {
        Control::Stop
    } else {
        Control::Continue
    }
}
