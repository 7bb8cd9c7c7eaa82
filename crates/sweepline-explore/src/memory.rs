//! Bytes held, and hints to the memory system. The only unsafe code of the stores is here.

#![expect(
    unsafe_code,
    reason = "prefetching and huge pages have no safe interface"
)]

use sweepline_core::{StopReason, Word};

/// Counts the bytes all stores of an exploration hold, and refuses what would exceed the limit.
#[derive(Debug)]
pub(crate) struct Budget {
    held: usize,
    peak: usize,
    limit: Option<usize>,
}

/// The stores cannot grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Full {
    /// The limit in bytes would be exceeded.
    Limit(usize),
    /// The allocator has nothing left, or a table its number of entries.
    Exhausted,
}

impl Budget {
    pub(crate) fn new(limit: Option<usize>) -> Self {
        Self {
            held: 0,
            peak: 0,
            limit,
        }
    }

    pub(crate) fn held(&self) -> usize {
        self.held
    }

    pub(crate) fn peak(&self) -> usize {
        self.peak
    }

    /// Bytes that may still be taken.
    pub(crate) fn room(&self) -> usize {
        let limit = self.limit.unwrap_or(usize::MAX);
        limit.saturating_sub(self.held)
    }

    /// What to say when nothing fits any more.
    pub(crate) fn full(&self) -> Full {
        self.limit.map_or(Full::Exhausted, Full::Limit)
    }

    /// Accounts for `bytes` about to be allocated.
    pub(crate) fn take(&mut self, bytes: usize) -> Result<(), Full> {
        let held = self.held + bytes;
        if let Some(limit) = self.limit
            && held > limit
        {
            return Err(Full::Limit(limit));
        }
        self.held = held;
        self.peak = self.peak.max(held);
        Ok(())
    }

    /// Accounts for `bytes` that were freed.
    pub(crate) fn give_back(&mut self, bytes: usize) {
        self.held -= bytes;
    }
}

/// What something that grows outside the stores takes in the budget.
#[derive(Debug, Default)]
pub(crate) struct Share(usize);

impl Share {
    /// Bytes at present.
    pub(crate) fn bytes(&self) -> usize {
        self.0
    }

    /// Accounts for what it takes by now. If that is too much, for what it took before.
    #[inline]
    pub(crate) fn set(&mut self, bytes: usize, budget: &mut Budget) -> Result<(), Full> {
        match bytes.checked_sub(self.0) {
            Some(0) => return Ok(()),
            Some(more) => budget.take(more)?,
            None => budget.give_back(self.0 - bytes),
        }
        self.0 = bytes;
        Ok(())
    }

    /// It takes nothing any more.
    pub(crate) fn release(&mut self, budget: &mut Budget) {
        budget.give_back(std::mem::take(&mut self.0));
    }
}

impl From<Full> for StopReason {
    fn from(full: Full) -> Self {
        match full {
            Full::Limit(limit) => Self::Memory { limit },
            Full::Exhausted => Self::OutOfMemory,
        }
    }
}

/// Makes room for `more` further entries in `vec`, growing by half or more, within the budget.
///
/// Small vectors double so that tiny layers stay tiny; large ones grow by a quarter, because what is reserved
/// and not used counts as held.
#[cold]
pub(crate) fn grow<T>(vec: &mut Vec<T>, more: usize, budget: &mut Budget) -> Result<(), Full> {
    let needed = vec.len() + more;
    let old = vec.capacity();
    let ample = if old < 1 << 16 {
        old * 2
    } else {
        old + old / 4
    };
    let capacity = needed.max(ample).max(8);
    let bytes = size_of::<T>();
    budget.take((capacity - old) * bytes)?;
    vec.try_reserve_exact(capacity - vec.len()).map_err(|_| {
        budget.give_back((capacity - old) * bytes);
        Full::Exhausted
    })?;
    // The allocator may round up; what it really gave is what is given back later.
    let surplus = vec.capacity() - capacity;
    budget.held += surplus * bytes;
    budget.peak = budget.peak.max(budget.held);
    use_huge_pages(vec);
    Ok(())
}

/// Frees the memory of `vec`.
pub(crate) fn release<T>(vec: &mut Vec<T>, budget: &mut Budget) {
    budget.give_back(vec.capacity() * size_of::<T>());
    *vec = Vec::new();
}

/// Frees the memory of `vec` that is not used.
pub(crate) fn shrink<T>(vec: &mut Vec<T>, budget: &mut Budget) {
    let old = vec.capacity();
    vec.shrink_to_fit();
    budget.give_back((old - vec.capacity()) * size_of::<T>());
}

/// From this size on, address translation costs more than clearing a whole huge page.
const HUGE: usize = 4 << 20;

/// Asks for huge pages under a large vector. Kernels commonly give them only to those who ask.
fn use_huge_pages<T>(vec: &mut Vec<T>) {
    let bytes = vec.capacity() * size_of::<T>();
    if bytes < HUGE {
        return;
    }
    #[cfg(target_os = "linux")]
    {
        // The whole mapping, from the page the vector starts in to the one it ends in: advice for a part would split it,
        // and the allocator can grow a mapping without copying only in one piece.
        const PAGE: usize = 4096;
        let offset = vec.as_mut_ptr().addr() % PAGE;
        let length = (offset + bytes).next_multiple_of(PAGE);
        // SAFETY: all pages of the range hold bytes of the vector, so they are mapped; the advice changes how the
        // kernel backs them, not what they contain. A refusal is harmless and ignored.
        unsafe {
            let address = vec.as_mut_ptr().cast::<u8>().wrapping_sub(offset).cast();
            let _ = rustix::mm::madvise(address, length, rustix::mm::Advice::LinuxHugepage);
        }
    }
}

/// Starts loading the cache line at `index`, which need not be in bounds.
#[inline]
pub(crate) fn prefetch(words: &[Word], index: usize) {
    #[cfg(all(target_arch = "x86_64", not(miri)))]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let address = words.as_ptr().wrapping_add(index).cast();
        // SAFETY: prefetching is a hint and never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(address) }
    }
    #[cfg(not(all(target_arch = "x86_64", not(miri))))]
    let _ = (words, index);
}

#[cfg(all(test, target_os = "linux", not(miri)))]
mod tests {
    use super::*;

    /// Advice for a part of a mapping would split it, and what is split is copied when it grows.
    #[test]
    fn a_large_vector_stays_in_one_piece() {
        let (mut vec, mut budget) = (Vec::<Word>::new(), Budget::new(None));
        for _ in 0..8 {
            grow(&mut vec, 2 * HUGE / size_of::<Word>(), &mut budget).unwrap();
            vec.resize(vec.capacity(), 1);
            let (first, last) = (vec.as_ptr().addr(), (&raw const vec[vec.len() - 1]).addr());
            let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
            let ends = maps
                .lines()
                .filter_map(|line| line.split_once(' ')?.0.split_once('-'));
            let pieces = ends.filter(|(start, end)| {
                let address = |text| usize::from_str_radix(text, 16).unwrap();
                address(start) <= last && first < address(end)
            });
            assert_eq!(pieces.count(), 1);
        }
        release(&mut vec, &mut budget);
        assert_eq!(budget.held(), 0);
    }

    #[test]
    fn a_share_keeps_to_the_budget() {
        let mut budget = Budget::new(Some(100));
        let mut share = Share::default();
        share.set(80, &mut budget).unwrap();
        assert_eq!(budget.room(), 20);
        assert_eq!(share.set(101, &mut budget), Err(Full::Limit(100)));
        assert_eq!((share.bytes(), budget.held()), (80, 80));
        share.set(30, &mut budget).unwrap();
        assert_eq!(budget.room(), 70);
        share.release(&mut budget);
        assert_eq!((budget.held(), budget.peak()), (0, 80));
    }
}
