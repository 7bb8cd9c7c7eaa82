//! What an exploration tells while it runs.

use crate::{
    ActionId, Describe, Key, LayerId, Link, Linked, LinkedStates, Started, StateList, Statistics,
    Steps, Word,
};

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
    /// The actions that are enabled: those that are taken, one per step, and behind them those of steps that a reduction has left out.
    #[inline]
    pub fn enabled(&self) -> impl Iterator<Item = ActionId> + use<'a> {
        let taken = self.actions().iter().copied();
        taken.chain(self.left_out().iter().copied())
    }

    /// The actions of steps that are not taken because a reduction has left them out.
    #[inline]
    pub fn left_out(&self) -> &'a [ActionId] {
        self.steps.left_out()
    }

    /// The actions that are taken, one per step.
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

/// A layer is about to be explored: its instances have numbers now, and so have the roots that are explored with it.
#[derive(Clone, Copy, Debug)]
pub struct LayerOpened<'a> {
    /// Its name.
    pub layer: LayerId,
    /// The key all its states have.
    pub key: Key,
    /// The number of its first instance. Those it will get while it is open come after those it has.
    pub first: u64,
    /// The persistent states this sweep starts from in this layer, by their index. Their numbers come just before `first`,
    /// in this order.
    pub roots: &'a [u32],
}

/// A layer has been explored to its closure; its states are about to be forgotten.
#[derive(Clone, Copy, Debug)]
pub struct LayerClosed<'a> {
    /// Its name.
    pub layer: LayerId,
    /// The key all its states have.
    pub key: Key,
    /// The number of its first instance.
    pub first: u64,
    /// Number of states expanded in it.
    pub expanded: u64,
    /// Its states. After a change of the measure the first layer starts with some that were expanded before, under other
    /// numbers.
    pub states: StateList<'a>,
    /// States stored at this moment, in all layers.
    pub stored: u64,
    /// Bytes held at this moment.
    pub bytes: usize,
    /// Figures so far.
    pub statistics: &'a Statistics,
}

/// A column has been explored to its closure: nothing leads back into it, and everything of it is forgotten.
#[derive(Clone, Copy, Debug)]
pub struct ColumnClosed<'a> {
    /// The key of the layer that was closed last.
    pub key: Key,
    /// Sweeps it took.
    pub sweeps: u64,
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

/// What an observer wants to know besides what costs nothing. It is read once, when a run starts, and selects the loop that
/// runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Wants {
    /// Where every step leads: [`Observer::started`] and [`Observer::linked`].
    pub links: bool,
    /// And that by [`Observer::linked_states`] instead of the latter: of several states at once, and without seeing them.
    pub at_once: bool,
}

impl Wants {
    /// Links.
    pub const LINKS: Self = Self {
        links: true,
        at_once: false,
    };

    /// Links of several states at once.
    pub const LINKS_AT_ONCE: Self = Self {
        links: true,
        at_once: true,
    };

    /// What either wants. They are told of several states at once only if nobody wants to know of one after the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        let one_by_one = |wants: Self| wants.links && !wants.at_once;
        Self {
            links: self.links || other.links,
            at_once: (self.at_once || other.at_once) && !one_by_one(self) && !one_by_one(other),
        }
    }
}

/// Watches an exploration and may end it.
///
/// Every method has an empty default, and calls are dispatched statically: no observer pays for what it does
/// not watch.
pub trait Observer {
    /// What it wants to know. The same for the whole exploration.
    fn wants(&self) -> Wants {
        Wants::default()
    }

    /// A state has been expanded. Called once per instance, in the order of the numbers; a run that was interrupted may
    /// show the last ones again when it goes on.
    #[inline]
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        let _ = event;
        Control::Continue
    }

    /// The initial states are stored. Called once, if [links](Wants::links) are wanted; again only if the exploration begins
    /// again, and what was told before is void then.
    #[inline]
    fn started(&mut self, event: Started<'_>) -> Control {
        let _ = event;
        Control::Continue
    }

    /// All steps of a state are stored. Called exactly once per instance, in the order of the numbers, if
    /// [links](Wants::links) are wanted. Only a change of the measure can leave a number out: the instance has
    /// [moved](Observer::moved) then.
    #[inline]
    fn linked(&mut self, event: Linked<'_>) -> Control {
        let _ = event;
        Control::Continue
    }

    /// The same of several states, if that is [wanted](Wants::at_once). Whoever stops then is told nothing of others; these count
    /// as told of.
    #[inline]
    fn linked_states(&mut self, event: LinkedStates<'_>) -> Control {
        let _ = event;
        Control::Continue
    }

    /// A layer has been opened.
    #[inline]
    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        let _ = event;
        Control::Continue
    }

    /// A layer has been closed.
    #[inline]
    fn layer_closed(&mut self, event: LayerClosed<'_>) -> Control {
        let _ = event;
        Control::Continue
    }

    /// A column has been closed, the last one when everything is explored; never because a run ends early.
    #[inline]
    fn column_closed(&mut self, event: ColumnClosed<'_>) -> Control {
        let _ = event;
        Control::Continue
    }

    /// Called now and then (every few thousand states), for progress displays.
    #[inline]
    fn tick(&mut self, event: Watch<'_>) -> Control {
        let _ = event;
        Control::Continue
    }

    /// From now on states are those of this system: the same one in another encoding, or with other numbers for its contents. Slots
    /// stay in their order, and instances where they are.
    fn recoded(&mut self, system: &dyn Describe) {
        let _ = system;
    }

    /// Whether it can follow when the measure changes and instances [move](Observer::moved). One that has dropped what it
    /// would need then cannot, and the exploration has to begin again.
    fn can_follow(&self) -> bool {
        true
    }

    /// The measure changes, and an instance that waits to be expanded has gone elsewhere; several may go to the same place.
    /// Links that were given lead there from now on. [`Observer::layer_opened`] follows when all have moved. Called if
    /// [links](Wants::links) are wanted.
    #[inline]
    fn moved(&mut self, from: Link, to: Link) {
        let _ = (from, to);
    }

    /// The measure changes, and this instance, which has been expanded, stays known. What is not kept will not be linked
    /// to any more. Called if [links](Wants::links) are wanted.
    #[inline]
    fn kept(&mut self, number: u64) {
        let _ = number;
    }

    /// Bytes of main memory it holds. They count in limits and peaks.
    #[inline]
    fn bytes(&self) -> usize {
        0
    }

    /// Bytes it has on disk.
    #[inline]
    fn disk_bytes(&self) -> u64 {
        0
    }
}

impl Observer for () {}

macro_rules! events {
    ($($name:ident: $event:ident),*) => {
        impl<O: Observer + ?Sized> Observer for &mut O {
            fn wants(&self) -> Wants {
                (**self).wants()
            }
            $(
                #[inline]
                fn $name(&mut self, event: $event<'_>) -> Control {
                    (**self).$name(event)
                }
            )*
            fn recoded(&mut self, system: &dyn Describe) {
                (**self).recoded(system);
            }
            fn can_follow(&self) -> bool {
                (**self).can_follow()
            }
            #[inline]
            fn moved(&mut self, from: Link, to: Link) {
                (**self).moved(from, to);
            }
            #[inline]
            fn kept(&mut self, number: u64) {
                (**self).kept(number);
            }
            #[inline]
            fn bytes(&self) -> usize {
                (**self).bytes()
            }
            #[inline]
            fn disk_bytes(&self) -> u64 {
                (**self).disk_bytes()
            }
        }

        /// Two observers side by side; either may stop.
        impl<A: Observer, B: Observer> Observer for (A, B) {
            fn wants(&self) -> Wants {
                self.0.wants().or(self.1.wants())
            }
            $(
                #[inline]
                fn $name(&mut self, event: $event<'_>) -> Control {
                    either(self.0.$name(event), self.1.$name(event))
                }
            )*
            fn recoded(&mut self, system: &dyn Describe) {
                self.0.recoded(system);
                self.1.recoded(system);
            }
            fn can_follow(&self) -> bool {
                self.0.can_follow() && self.1.can_follow()
            }
            #[inline]
            fn moved(&mut self, from: Link, to: Link) {
                self.0.moved(from, to);
                self.1.moved(from, to);
            }
            #[inline]
            fn kept(&mut self, number: u64) {
                self.0.kept(number);
                self.1.kept(number);
            }
            #[inline]
            fn bytes(&self) -> usize {
                self.0.bytes() + self.1.bytes()
            }
            #[inline]
            fn disk_bytes(&self) -> u64 {
                self.0.disk_bytes() + self.1.disk_bytes()
            }
        }
    };
}

events!(
    expanded: Expanded,
    started: Started,
    linked: Linked,
    linked_states: LinkedStates,
    layer_opened: LayerOpened,
    layer_closed: LayerClosed,
    column_closed: ColumnClosed,
    tick: Watch
);

#[inline]
fn either(a: Control, b: Control) -> Control {
    if a == Control::Stop || b == Control::Stop {
        Control::Stop
    } else {
        Control::Continue
    }
}
