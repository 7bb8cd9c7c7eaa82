//! States whose memory is used again.

use std::sync::Mutex;

use crate::Parts;

/// Two states, whatever they are: one to decode the next source into, the other for its targets.
#[derive(Debug)]
pub(crate) struct Scratch<S> {
    pub(crate) source: S,
    /// Where the fields of the source lie in its words.
    pub(crate) parts: Parts,
    pub(crate) spare: Option<Box<S>>,
}

impl<S> Scratch<S> {
    pub(crate) fn new(source: S) -> Self {
        Self {
            source,
            parts: Parts::new(),
            spare: None,
        }
    }
}

/// What is left of earlier expansions, for as many threads as expand at the same time.
#[derive(Debug)]
pub(crate) struct Pool<S>(Mutex<Vec<Box<Scratch<S>>>>);

impl<S> Default for Pool<S> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

/// Each system has memory of its own.
impl<S> Clone for Pool<S> {
    fn clone(&self) -> Self {
        Self::default()
    }
}

impl<S> Pool<S> {
    /// What somebody left here. Nobody waits for others: making a state is dear, but not that dear.
    #[inline]
    pub(crate) fn take(&self) -> Option<Box<Scratch<S>>> {
        self.with(Vec::pop).flatten()
    }

    /// Leaves something for the next expansion.
    #[inline]
    pub(crate) fn put(&self, scratch: Box<Scratch<S>>) {
        self.with(|left| left.push(scratch));
    }

    #[inline]
    fn with<R>(&self, work: impl FnOnce(&mut Vec<Box<Scratch<S>>>) -> R) -> Option<R> {
        // No model runs while the lock is held, so nobody panics then.
        let mut left = self.0.try_lock().ok()?;
        Some(work(&mut left))
    }
}
