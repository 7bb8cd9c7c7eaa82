//! The one central trait.

use crate::{Layout, Steps, Word};

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
}

impl<S: System + ?Sized> System for &S {
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
}

impl<S: System + ?Sized> System for Box<S> {
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
}
