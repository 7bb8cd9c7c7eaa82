//! Partitions whose blocks can be split, and whose elements can be marked.

use std::collections::VecDeque;
use std::ops::Range;

/// A partition of the numbers below a bound. In each block the *clean* elements come first, then the *marked* ones.
/// The only element of a block is never marked: there is nothing to separate it from.
#[derive(Debug)]
pub(super) struct Partition {
    /// All elements, block by block.
    elements: Vec<u32>,
    /// The index of each element.
    places: Vec<u32>,
    block_of: Vec<u32>,
    blocks: Vec<Block>,
    /// Elements that are marked, or alone: nearly always that is all one needs to know to leave them as they are.
    settled: Flags,
    /// Blocks with marked elements, each once. First come, first served: so many marks of a block are dealt with at
    /// once.
    marked: VecDeque<u32>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    start: u32,
    /// Where the marked elements begin.
    marked: u32,
    end: u32,
}

impl Block {
    fn clean(range: Range<u32>) -> Self {
        Self {
            start: range.start,
            marked: range.end,
            end: range.end,
        }
    }
}

impl Partition {
    /// The partition by the values of a function, everything marked.
    pub fn by_key<K: Ord>(count: usize, key: impl Fn(u32) -> K) -> Self {
        let count = number(count);
        let mut elements: Vec<u32> = (0..count).collect();
        elements.sort_by_key(|&element| key(element));
        let mut partition = Self {
            places: vec![0; elements.len()],
            block_of: vec![0; elements.len()],
            blocks: Vec::new(),
            settled: Flags::new(elements.len()),
            marked: VecDeque::new(),
            elements,
        };
        for (place, &element) in (0..).zip(&partition.elements) {
            partition.places[element as usize] = place;
        }
        let mut start = 0;
        for end in 1..=partition.elements.len() {
            let last = partition.elements[end - 1];
            let next = partition.elements.get(end);
            if next.is_none_or(|&next| key(next) != key(last)) {
                partition.add_block(start..number(end));
                start = number(end);
            }
        }
        for element in 0..count {
            partition.mark(element);
        }
        partition
    }

    /// Makes a range of elements a block of its own, all of it clean.
    fn add_block(&mut self, range: Range<u32>) {
        let block = number(self.blocks.len());
        for &element in &self.elements[places(&range)] {
            self.block_of[element as usize] = block;
        }
        self.blocks.push(Block::clean(range.clone()));
        self.settle_alone(&range);
    }

    /// The only element of a block needs no mark.
    fn settle_alone(&mut self, range: &Range<u32>) {
        if range.len() == 1 {
            let alone = self.elements[range.start as usize];
            self.settled.raise(alone);
        }
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    /// How many bytes it takes for so many elements, at most: every one may become a block of its own.
    pub fn bytes(count: usize) -> usize {
        count * (4 * size_of::<u32>() + size_of::<Block>() + 1)
    }

    #[inline]
    pub fn block_of(&self, element: u32) -> u32 {
        self.block_of[element as usize]
    }

    /// The block of every element.
    pub fn into_block_of(self) -> Vec<u32> {
        self.block_of
    }

    /// Some element of a block, a clean one if there is one.
    pub fn some_element(&self, block: u32) -> u32 {
        self.elements[self.blocks[block as usize].start as usize]
    }

    /// Whether an element is marked, or alone in its block.
    #[inline]
    pub fn is_settled(&self, element: u32) -> bool {
        self.settled.get(element)
    }

    /// Marks an element, unless it is alone in its block.
    #[inline]
    pub fn mark(&mut self, element: u32) {
        if !self.settled.get(element) {
            self.settled.raise(element);
            self.move_behind_clean(element);
        }
    }

    fn move_behind_clean(&mut self, element: u32) {
        let number = self.block_of(element);
        let block = &mut self.blocks[number as usize];
        if block.marked == block.end {
            self.marked.push_back(number);
        }
        block.marked -= 1;
        let (from, to) = (self.places[element as usize], block.marked);
        let other = self.elements[to as usize];
        self.elements.swap(from as usize, to as usize);
        self.places[other as usize] = from;
        self.places[element as usize] = to;
    }

    /// Some block with marked elements, which is forgotten to have any.
    pub fn pop_marked(&mut self) -> Option<u32> {
        self.marked.pop_front()
    }

    /// The marked elements of a block.
    pub fn marked(&self, block: u32) -> &[u32] {
        let block = &self.blocks[block as usize];
        &self.elements[places(&(block.marked..block.end))]
    }

    /// How many elements of a block are clean.
    pub fn clean_count(&self, block: u32) -> u32 {
        let block = &self.blocks[block as usize];
        block.marked - block.start
    }

    /// Splits a block: `order` is its marked elements, `group_of` the number of the group of each, `sizes` how many
    /// belong to each group. The clean elements belong to the first group. The largest group keeps the number of the
    /// block; everything becomes clean. Returns the new blocks.
    pub fn split(
        &mut self,
        block: u32,
        order: &[u32],
        group_of: impl Fn(u32) -> u32,
        sizes: &[u32],
    ) -> Range<u32> {
        let before = self.blocks[block as usize];
        for &element in order {
            self.settled.lower(element);
        }
        self.arrange(before, order, group_of, sizes);
        let first_new = number(self.blocks.len());
        let largest = largest(sizes);
        let mut start = before.start;
        for (group, size) in sizes.iter().enumerate() {
            let range = start..start + size;
            start = range.end;
            if group == largest {
                self.blocks[block as usize] = Block::clean(range.clone());
                self.settle_alone(&range);
            } else {
                self.add_block(range);
            }
        }
        debug_assert_eq!(start, before.end, "groups cover the block");
        first_new..number(self.blocks.len())
    }

    /// Puts the marked elements of a block into the order of their groups.
    fn arrange(
        &mut self,
        block: Block,
        order: &[u32],
        group_of: impl Fn(u32) -> u32,
        sizes: &[u32],
    ) {
        if sizes.len() == 1 {
            return;
        }
        let mut next = block.start;
        let mut starts: Vec<u32> = Vec::with_capacity(sizes.len());
        for size in sizes {
            starts.push(next);
            next += size;
        }
        starts[0] = starts[0].max(block.marked);
        for &element in order {
            let place = &mut starts[group_of(element) as usize];
            self.elements[*place as usize] = element;
            self.places[element as usize] = *place;
            *place += 1;
        }
    }

    /// The elements of a block.
    pub fn elements(&self, block: u32) -> &[u32] {
        let block = &self.blocks[block as usize];
        &self.elements[places(&(block.start..block.end))]
    }
}

/// A truth value for each element. One bit each, so that all of them stay near the processor.
#[derive(Debug)]
struct Flags(Vec<u64>);

impl Flags {
    fn new(count: usize) -> Self {
        Self(vec![0; count.div_ceil(64)])
    }

    #[inline]
    fn get(&self, element: u32) -> bool {
        self.0[element as usize / 64] >> (element % 64) & 1 != 0
    }

    #[inline]
    fn raise(&mut self, element: u32) {
        self.0[element as usize / 64] |= 1 << (element % 64);
    }

    #[inline]
    fn lower(&mut self, element: u32) {
        self.0[element as usize / 64] &= !(1 << (element % 64));
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("below 2^32 elements, and not more blocks than elements")
}

#[inline]
fn places(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}

/// The first of the largest groups.
fn largest(sizes: &[u32]) -> usize {
    let mut best = 0;
    for (group, size) in sizes.iter().enumerate() {
        if *size > sizes[best] {
            best = group;
        }
    }
    best
}
