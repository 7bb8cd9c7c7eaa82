//! Where the parts of a state lie whose size differs.

use std::ops::Range;

use sweepline_core::Word;

use crate::{Reader, Writer};

/// The most parts that are told apart.
const MOST: usize = 16;

/// Where the fields of a state end among its bits: those that a step leaves alone need not be written anew.
///
/// The words are kept until another state is decoded in the same memory: fields that are the same there need not be decoded
/// anew.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    ends: [u32; MOST],
    len: usize,
    words: Vec<Word>,
    /// How many parts the state before had; the ends from `len` on are still its own.
    before: usize,
    /// Where the part before the next one ended in the state before.
    passed: u32,
}

impl Parts {
    /// No parts yet.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// Goes back to the first part, for another state.
    #[inline]
    pub(crate) fn start_again(&mut self) {
        (self.before, self.len, self.passed) = (self.len, 0, 0);
    }

    /// Says in which words the parts lie, once all of them are known.
    #[inline]
    pub(crate) fn keep(&mut self, words: &[Word]) {
        self.words.clear();
        self.words.extend_from_slice(words);
    }

    /// Passes over the next part of `input` if it is the same as in the state before. Long ones are not compared.
    ///
    /// What a value is, and how long, depends on its own bits only. So equal bits are equal values.
    #[inline]
    pub fn is_same(&self, input: &mut Reader<'_>) -> bool {
        if self.len >= self.before {
            return false;
        }
        let bits = self.ends[self.len] - self.passed;
        if bits > Word::BITS.min(input.left()) {
            return false;
        }
        let (mut before, mut now) = (Reader::dense(&self.words), input.clone());
        before.skip(self.passed);
        let same = before.take(bits) == now.take(bits);
        if same {
            *input = now;
        }
        same
    }

    /// A part ends where `input` is now. Only the first ones are told apart; the caller has no more.
    #[inline]
    pub fn end_at(&mut self, input: &Reader<'_>) {
        if let Some(end) = self.ends.get_mut(self.len) {
            self.passed = *end;
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
    #[expect(
        clippy::inline_always,
        reason = "a writer stays in registers only if it is never handed to a call"
    )]
    #[inline(always)]
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
