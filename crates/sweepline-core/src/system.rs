//! The one central trait.

use std::sync::Arc;

use crate::{ActionId, Describe, Layout, Observation, Renewal, SlotId, Steps, Word};

/// A transition system, asked one state at a time.
///
/// Deterministic: the same state always has the same steps in the same order. Without that no trace could be
/// replayed and no count compared.
pub trait System {
    /// Which bits of a state's words mean what.
    fn layout(&self) -> &Layout;

    /// Appends every initial state to `out`; the actions mean nothing.
    fn initial(&self, out: &mut Steps);

    /// Appends every step leaving `state` to `out`, which may hold steps of other states already.
    fn successors(&self, state: &[Word], out: &mut Steps);

    /// Whether a state without steps is a proper end and no deadlock. It is asked about such states only, and nothing
    /// else decides what a deadlock is.
    fn is_end(&self, state: &[Word]) -> bool {
        let _ = state;
        false
    }
}

/// A system whose type is not known, as a session holds it: it can be described, shared between threads, and replaced by
/// a wider one if its encoding is too narrow ([`Fault::Outgrown`](crate::Fault::Outgrown)).
pub trait AnySystem: Describe + Send + Sync {
    /// The same system with more room in this slot, or nothing if it cannot have more.
    ///
    /// Slots stay in the same order, and so do the steps of every state.
    fn widened(&self, slot: SlotId) -> Option<Arc<dyn AnySystem>> {
        let _ = slot;
        None
    }

    /// Begins to forget contents that no stored state refers to, if states refer to contents by numbers.
    fn renewal(&self) -> Option<Box<dyn Renewal>> {
        None
    }
}

macro_rules! delegate {
    ($($pointer:ty),*) => {$(
        impl<S: System + ?Sized> System for $pointer {
            fn layout(&self) -> &Layout {
                (**self).layout()
            }
            fn initial(&self, out: &mut Steps) {
                (**self).initial(out);
            }
            #[inline]
            fn successors(&self, state: &[Word], out: &mut Steps) {
                (**self).successors(state, out);
            }
            fn is_end(&self, state: &[Word]) -> bool {
                (**self).is_end(state)
            }
        }

        impl<S: Describe + ?Sized> Describe for $pointer {
            fn actions(&self) -> &[String] {
                (**self).actions()
            }
            fn step_name(&self, source: &[Word], ordinal: usize, action: ActionId) -> String {
                (**self).step_name(source, ordinal, action)
            }
            fn lines(&self, action: ActionId) -> Vec<usize> {
                (**self).lines(action)
            }
            fn is_internal(&self, action: ActionId) -> bool {
                (**self).is_internal(action)
            }
            fn observe(&self, name: &str) -> Option<Result<Observation, String>> {
                (**self).observe(name)
            }
            fn show(&self, state: &[Word]) -> Vec<(String, String)> {
                (**self).show(state)
            }
        }
    )*};
}

delegate!(&S, Box<S>, Arc<S>);
