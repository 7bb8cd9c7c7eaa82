//! State records one after the other in memory, accessed by code specialised for their width.

use std::ops::Range;

use sweepline_core::{Records, StateList, Steps, Word};

use crate::index::Load;
use crate::memory::{self, Budget, Full};
use crate::sweep::Halt;

/// How wide records are; the kernel is compiled once per implementation.
pub(crate) trait Width: Copy {
    /// Where record `index` lies; `ends` is kept only if [`Width::VARIABLE`].
    fn range(self, ends: &[u32], index: usize) -> Range<usize>;
    /// The target of step `index`.
    fn target(self, steps: &Steps, index: usize) -> &[Word];
    /// Whether records differ in size.
    const VARIABLE: bool = false;
    /// How full indexes of such records get.
    const LOAD: Load = Load::Usual;
    /// A hash of a record, good in the upper bits.
    fn hash(self, record: &[Word]) -> u64;
    /// Whether two records are equal.
    fn same(self, a: &[Word], b: &[Word]) -> bool;
    /// Appends a record to words that have room for it.
    #[inline]
    fn append(self, words: &mut Vec<Word>, record: &[Word]) {
        words.extend_from_slice(record);
    }
}

/// Something that is compiled once per width.
pub(crate) trait ForWidth {
    type Output;
    fn run<W: Width>(self, width: W) -> Self::Output;
}

/// Runs what was compiled for the width of these records.
pub(crate) fn for_width<T: ForWidth>(records: Records, task: T) -> T::Output {
    match records {
        Records::Fixed(1) => task.run(Fixed::<1>),
        Records::Fixed(2) => task.run(Fixed::<2>),
        Records::Fixed(3) => task.run(Fixed::<3>),
        Records::Fixed(4) => task.run(Fixed::<4>),
        Records::Fixed(6) => task.run(Fixed::<6>),
        Records::Fixed(8) => task.run(Fixed::<8>),
        Records::Fixed(width) => task.run(Dynamic(width)),
        Records::Variable => task.run(Variable),
    }
}

/// The same for what is worth compiling less often.
pub(crate) fn for_common_width<T: ForWidth>(records: Records, task: T) -> T::Output {
    match records {
        Records::Fixed(1) => task.run(Fixed::<1>),
        Records::Fixed(2) => task.run(Fixed::<2>),
        Records::Fixed(3) => task.run(Fixed::<3>),
        Records::Fixed(4) => task.run(Fixed::<4>),
        Records::Fixed(width) => task.run(Dynamic(width)),
        Records::Variable => task.run(Variable),
    }
}

/// `W` words, known when compiling.
#[derive(Clone, Copy)]
pub(crate) struct Fixed<const W: usize>;

/// This many words.
#[derive(Clone, Copy)]
pub(crate) struct Dynamic(pub(crate) usize);

/// Each record its own number of words.
#[derive(Clone, Copy)]
pub(crate) struct Variable;

impl<const W: usize> Width for Fixed<W> {
    #[inline]
    fn range(self, _: &[u32], index: usize) -> Range<usize> {
        index * W..(index + 1) * W
    }
    #[inline]
    fn target(self, steps: &Steps, index: usize) -> &[Word] {
        &steps.words()[index * W..(index + 1) * W]
    }
    #[inline]
    fn hash(self, record: &[Word]) -> u64 {
        let record: &[Word; W] = record
            .try_into()
            .expect("records have the width of the layout");
        hash_words(record)
    }
    #[inline]
    fn same(self, a: &[Word], b: &[Word]) -> bool {
        let a: &[Word; W] = a.try_into().expect("records have the width of the layout");
        let b: &[Word; W] = b.try_into().expect("records have the width of the layout");
        // Without branches; short records are compared faster so than by a loop that stops early.
        a.iter()
            .zip(b)
            .fold(0, |difference, (x, y)| difference | (x ^ y))
            == 0
    }
    #[inline]
    fn append(self, words: &mut Vec<Word>, record: &[Word]) {
        let record: &[Word; W] = record
            .try_into()
            .expect("records have the width of the layout");
        words.extend_from_slice(record);
    }
}

impl Width for Dynamic {
    #[inline]
    fn range(self, _: &[u32], index: usize) -> Range<usize> {
        index * self.0..(index + 1) * self.0
    }
    #[inline]
    fn target(self, steps: &Steps, index: usize) -> &[Word] {
        &steps.words()[index * self.0..(index + 1) * self.0]
    }
    #[inline]
    fn hash(self, record: &[Word]) -> u64 {
        hash_words(record)
    }
    #[inline]
    fn same(self, a: &[Word], b: &[Word]) -> bool {
        a == b
    }
}

impl Width for Variable {
    #[inline]
    fn range(self, ends: &[u32], index: usize) -> Range<usize> {
        let start = index.checked_sub(1).map_or(0, |before| ends[before]);
        start as usize..ends[index] as usize
    }
    #[inline]
    fn target(self, steps: &Steps, index: usize) -> &[Word] {
        steps.target(index)
    }
    const VARIABLE: bool = true;
    const LOAD: Load = Load::High;
    #[inline]
    fn hash(self, record: &[Word]) -> u64 {
        hash_words(record) ^ (record.len() as u64).wrapping_mul(STEP)
    }
    #[inline]
    fn same(self, a: &[Word], b: &[Word]) -> bool {
        // Records are short, and a call that compares memory is not.
        a.len() == b.len() && a.iter().zip(b).all(|(x, y)| x == y)
    }
}

const SEED: u64 = 0x243f_6a88_85a3_08d3;
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number that is the same for the same words, and seldom for others.
///
/// Folded multiplication: the two halves of each 128-bit product are added to each other without carry.
#[inline]
pub fn hash_words(words: &[Word]) -> u64 {
    let mut hash = SEED;
    for &word in words {
        let product = u128::from(hash ^ word) * u128::from(STEP);
        #[expect(clippy::cast_possible_truncation, reason = "the halves of the product")]
        let folded = (product >> 64) as u64 ^ product as u64;
        hash = folded.rotate_left(29);
    }
    hash.wrapping_mul(STEP)
}

/// Records in the order they were added.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    words: Vec<Word>,
    /// Where each record ends, in words.
    ends: Vec<u32>,
    len: usize,
}

impl Arena {
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    #[inline]
    pub(crate) fn get<W: Width>(&self, width: W, index: usize) -> &[Word] {
        &self.words[width.range(&self.ends, index)]
    }

    /// All records, which have so many words each, or each its own number of them.
    pub(crate) fn list(&self, width: Option<usize>) -> StateList<'_> {
        match width {
            Some(width) => StateList::fixed(&self.words, width, self.len),
            None => StateList::variable(&self.words, &self.ends),
        }
    }

    /// Bytes held.
    pub(crate) fn bytes(&self) -> usize {
        self.words.capacity() * size_of::<Word>() + self.ends.capacity() * size_of::<u32>()
    }

    /// Starts loading a record.
    #[inline]
    pub(crate) fn prefetch<W: Width>(&self, width: W, index: usize) {
        memory::prefetch(&self.words, width.range(&self.ends, index).start);
    }

    /// Makes room for this many further records with this many words in all, in the same steps as if they were
    /// added one by one.
    #[inline]
    pub(crate) fn reserve<W: Width>(
        &mut self,
        _: W,
        records: usize,
        words: usize,
        budget: &mut Budget,
    ) -> Result<(), Full> {
        // An arena of records that differ in size ends where `ends` can no longer say where they do.
        if W::VARIABLE && u32::try_from(self.words.len() + words).is_err() {
            return Err(Full::Exhausted);
        }
        while self.words.capacity() - self.words.len() < words {
            memory::grow(&mut self.words, words.div_ceil(records.max(1)), budget)?;
        }
        while W::VARIABLE && self.ends.capacity() - self.ends.len() < records {
            memory::grow(&mut self.ends, 1, budget)?;
        }
        Ok(())
    }

    /// Adds a record, for which there is room.
    #[inline]
    pub(crate) fn push<W: Width>(&mut self, width: W, record: &[Word]) {
        if W::VARIABLE {
            self.ends.push(end_of(self.words.len() + record.len()));
        }
        width.append(&mut self.words, record);
        self.len += 1;
    }

    /// Forgets all records but those `keep` wants, in place, and gives back what that frees.
    pub(crate) fn retain<W: Width>(
        &mut self,
        width: W,
        budget: &mut Budget,
        mut keep: impl FnMut(usize) -> bool,
    ) {
        let (mut kept, mut words) = (0, 0);
        for index in 0..self.len {
            if !keep(index) {
                continue;
            }
            // What has been written so far ends before this record, or nothing has moved yet.
            let range = width.range(&self.ends, index);
            let end = words + range.len();
            self.words.copy_within(range, words);
            if W::VARIABLE {
                self.ends[kept] = end_of(end);
            }
            (kept, words) = (kept + 1, end);
        }
        self.words.truncate(words);
        self.ends.truncate(kept);
        self.len = kept;
        memory::shrink(&mut self.words, budget);
        memory::shrink(&mut self.ends, budget);
    }

    /// Rewrites all records, which have `from` words each, to `to` words each, in place.
    pub(crate) fn recode(
        &mut self,
        (from, to): (usize, usize),
        budget: &mut Budget,
        rewrite: &mut Rewrite<'_>,
    ) -> Result<(), Halt> {
        recode_words(&mut self.words, self.len, (from, to), budget, rewrite)
    }

    /// Forgets all records. Memory in proportion to what was used is kept for the next layer.
    pub(crate) fn clear(&mut self, budget: &mut Budget) {
        if oversized(&self.words) {
            memory::release(&mut self.words, budget);
        }
        if oversized(&self.ends) {
            memory::release(&mut self.ends, budget);
        }
        self.words.clear();
        self.ends.clear();
        self.len = 0;
    }

    pub(crate) fn release(&mut self, budget: &mut Budget) {
        memory::release(&mut self.words, budget);
        memory::release(&mut self.ends, budget);
        self.len = 0;
    }
}

fn end_of(words: usize) -> u32 {
    u32::try_from(words).expect("there is room only for as many words as can be counted")
}

/// Writes a state anew; may end the run.
pub(crate) type Rewrite<'a> = dyn FnMut(&[Word], &mut [Word]) -> Result<(), Halt> + 'a;

/// Rewrites `len` records of `from` words to `to` words, in place: from the end if they grow, so that none is overwritten
/// before it is read.
pub(crate) fn recode_words(
    words: &mut Vec<Word>,
    len: usize,
    (from, to): (usize, usize),
    budget: &mut Budget,
    rewrite: &mut Rewrite<'_>,
) -> Result<(), Halt> {
    let missing = len * to.saturating_sub(from);
    if words.capacity() - words.len() < missing {
        memory::grow(words, missing, budget)?;
    }
    let mut old = vec![0; from];
    let mut rewrite_at = |words: &mut Vec<Word>, index: usize| {
        old.copy_from_slice(&words[index * from..][..from]);
        rewrite(&old, &mut words[index * to..][..to])
    };
    if to > from {
        words.resize(len * to, 0);
        (0..len)
            .rev()
            .try_for_each(|index| rewrite_at(words, index))
    } else {
        (0..len).try_for_each(|index| rewrite_at(words, index))?;
        words.truncate(len * to);
        Ok(())
    }
}

/// Whether a vector holds far more memory than its last use needed.
pub(crate) fn oversized<T>(vec: &Vec<T>) -> bool {
    vec.capacity() > 1024 && vec.capacity() / 8 > vec.len()
}
