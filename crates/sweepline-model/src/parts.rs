//! Where the parts of a state lie whose size differs.

use std::ops::Range;

use sweepline_core::Word;

use crate::{Reader, Writer};

/// The most parts that are told apart.
const MOST: usize = 16;

/// Where the fields of a state end among its bits: those that a step leaves alone need not be written anew.
#[derive(Clone, Debug)]
pub struct Parts {
    ends: [u32; MOST],
    len: usize,
}

impl Parts {
    /// No parts yet.
    #[inline]
    pub fn new() -> Self {
        Self {
            ends: [0; MOST],
            len: 0,
        }
    }

    /// A part ends where `input` is now. Only the first ones are told apart; the caller has no more.
    #[inline]
    pub fn end_at(&mut self, input: &Reader<'_>) {
        if let Some(end) = self.ends.get_mut(self.len) {
            *end = input.position();
            self.len += 1;
        }
    }

    /// Where part `index` begins.
    #[inline]
    fn start(&self, index: usize) -> u32 {
        index.checked_sub(1).map_or(0, |before| self.ends[before])
    }
}

impl Default for Parts {
    fn default() -> Self {
        Self::new()
    }
}

/// A state as it is and as it is written: what another state that was made of it is compared with.
#[derive(Debug)]
pub struct Source<'a, S> {
    /// The state.
    pub state: &'a S,
    /// Its words.
    words: &'a [Word],
    /// Where its fields lie in them.
    parts: &'a Parts,
}

impl<S> Clone for Source<'_, S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S> Copy for Source<'_, S> {}

impl<'a, S> Source<'a, S> {
    /// A state whose words and parts these are.
    #[inline]
    pub(crate) fn new(state: &'a S, words: &'a [Word], parts: &'a Parts) -> Self {
        Self {
            state,
            words,
            parts,
        }
    }

    /// Appends the fields in this range to `out`, as they are in the words of the state.
    #[inline]
    pub fn copy(&self, fields: Range<usize>, out: &mut Writer<'_>) {
        let (start, end) = (self.parts.start(fields.start), self.parts.start(fields.end));
        let mut rest = end - start;
        if rest == 0 {
            return;
        }
        let mut input = Reader::dense(self.words);
        input.skip(start);
        while rest > Word::BITS {
            out.put(input.take(Word::BITS), Word::BITS);
            rest -= Word::BITS;
        }
        out.put(input.take(rest), rest);
    }
}
