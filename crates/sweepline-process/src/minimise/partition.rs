//! Partitions whose blocks can be split, and whose elements can be marked.

use std::ops::Range;

/// A partition of the numbers below a bound. In each block the *clean* elements come first, then the *marked* ones.
#[derive(Debug)]
pub(super) struct Partition {
    /// All elements, block by block.
    elements: Vec<u32>,
    /// The index of each element.
    places: Vec<usize>,
    block_of: Vec<u32>,
    blocks: Vec<Block>,
    /// Blocks with marked elements, each once.
    marked: Vec<u32>,
}

#[derive(Clone, Debug)]
struct Block {
    range: Range<usize>,
    /// Where the marked elements begin.
    marked: usize,
}

impl Partition {
    /// The partition by the values of a function, everything marked.
    pub fn by_key<K: Ord>(count: usize, key: impl Fn(u32) -> K) -> Self {
        let count = u32::try_from(count).expect("below 2^32 elements");
        let mut elements: Vec<u32> = (0..count).collect();
        elements.sort_by_key(|&element| key(element));
        let mut partition = Self {
            places: vec![0; elements.len()],
            block_of: vec![0; elements.len()],
            blocks: Vec::new(),
            marked: Vec::new(),
            elements,
        };
        let mut start = 0;
        for end in 1..=partition.elements.len() {
            let last = &partition.elements[end - 1];
            let next = partition.elements.get(end);
            if next.is_none_or(|&next| key(next) != key(*last)) {
                partition.add_block(start..end);
                start = end;
            }
        }
        for (place, element) in partition.elements.iter().enumerate() {
            partition.places[*element as usize] = place;
        }
        for element in 0..count {
            partition.mark(element);
        }
        partition
    }

    /// Makes a range of elements a block of its own, all of it clean.
    fn add_block(&mut self, range: Range<usize>) -> u32 {
        let block = u32::try_from(self.blocks.len()).expect("not more blocks than elements");
        for &element in &self.elements[range.clone()] {
            self.block_of[element as usize] = block;
        }
        let marked = range.end;
        self.blocks.push(Block { range, marked });
        block
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.blocks.len()
    }

    #[inline]
    pub fn block_of(&self, element: u32) -> u32 {
        self.block_of[element as usize]
    }

    /// Some element of a block, a clean one if there is one.
    pub fn some_element(&self, block: u32) -> u32 {
        self.elements[self.blocks[block as usize].range.start]
    }

    #[inline]
    pub fn is_marked(&self, element: u32) -> bool {
        let block = &self.blocks[self.block_of(element) as usize];
        self.places[element as usize] >= block.marked
    }

    /// Marks an element.
    #[inline]
    pub fn mark(&mut self, element: u32) {
        if self.is_marked(element) {
            return;
        }
        let number = self.block_of(element);
        let block = &mut self.blocks[number as usize];
        if block.marked == block.range.end {
            self.marked.push(number);
        }
        block.marked -= 1;
        let (from, to) = (self.places[element as usize], block.marked);
        let other = self.elements[to];
        self.elements.swap(from, to);
        self.places[other as usize] = from;
        self.places[element as usize] = to;
    }

    /// Some block with marked elements, which is forgotten to have any.
    pub fn pop_marked(&mut self) -> Option<u32> {
        self.marked.pop()
    }

    /// The marked elements of a block.
    pub fn marked(&self, block: u32) -> &[u32] {
        let block = &self.blocks[block as usize];
        &self.elements[block.marked..block.range.end]
    }

    /// How many elements of a block are clean.
    pub fn clean_count(&self, block: u32) -> usize {
        let block = &self.blocks[block as usize];
        block.marked - block.range.start
    }

    /// Splits a block: `order` is its marked elements in groups, `sizes` the sizes of these. The clean elements belong to
    /// the first group. The largest group keeps the number of the block; everything becomes clean. Returns the new
    /// blocks.
    pub fn split(&mut self, block: u32, order: &[u32], sizes: &[usize]) -> Range<u32> {
        let Block { range, marked } = self.blocks[block as usize].clone();
        for (&element, place) in order.iter().zip(marked..) {
            self.elements[place] = element;
            self.places[element as usize] = place;
        }
        let first_new = u32::try_from(self.blocks.len()).expect("not more blocks than elements");
        let largest = largest(sizes);
        let mut start = range.start;
        for (group, size) in sizes.iter().enumerate() {
            let range = start..start + size;
            start = range.end;
            if group == largest {
                let marked = range.end;
                self.blocks[block as usize] = Block { range, marked };
            } else {
                self.add_block(range);
            }
        }
        debug_assert_eq!(start, range.end, "groups cover the block");
        first_new..u32::try_from(self.blocks.len()).expect("not more blocks than elements")
    }

    /// The elements of a block.
    pub fn elements(&self, block: u32) -> &[u32] {
        &self.elements[self.blocks[block as usize].range.clone()]
    }
}

/// The first of the largest groups.
fn largest(sizes: &[usize]) -> usize {
    let mut best = 0;
    for (group, size) in sizes.iter().enumerate() {
        if *size > sizes[best] {
            best = group;
        }
    }
    best
}
