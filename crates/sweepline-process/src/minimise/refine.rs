//! Signature refinement, after [BO05].
//!
//! The signature of a node is the set of its steps: labels with the blocks they lead to. Nodes of the same block with
//! different signatures are separated until there are none. For branching bisimilarity, an internal step that stays in
//! its block is inert: it is no part of the signature, but what can be done after it is.
//!
//! We differ in two points. Signatures are computed only for *marked* nodes, those whose signature may have changed; all
//! clean nodes of a block have the same. And when a block is split, its largest part keeps the number, so that a node
//! changes its block at most logarithmically often.

use sweepline_core::{Interner, Limits, StopReason};

use super::nodes::Nodes;
use super::partition::Partition;
use crate::lts::{LabelId, LtsEdge, TAU};

/// The coarsest partition that separates all nodes with different signatures.
pub(super) struct Refinement<'a> {
    nodes: &'a Nodes<'a>,
    partition: Partition,
    /// The signatures of the block that is being split. If it has clean nodes, theirs is the first.
    signatures: Interner<u64>,
    /// The numbers of the signatures of its marked nodes.
    signature_of: Vec<u32>,
    /// How many nodes have each of them.
    sizes: Vec<u32>,
    signature: Vec<u64>,
    /// A copy of some elements of the partition while it is changed.
    list: Vec<u32>,
    /// Edges that were looked at since limits were asked.
    unasked: usize,
}

/// A part of a signature that says that there is an endless internal loop: no label and block.
const DIVERGENCE: u64 = u64::MAX;

/// So many edges are looked at before limits are asked again.
const EDGES_UNASKED: usize = 1 << 16;

impl<'a> Refinement<'a> {
    /// `held` is what is in memory besides.
    pub fn coarsest(
        nodes: &'a Nodes<'a>,
        held: usize,
        limits: &Limits,
    ) -> Result<Self, StopReason> {
        let held = held + Partition::bytes(nodes.len());
        limits.allow(held)?;
        let mut refinement = Self {
            nodes,
            partition: Partition::by_key(nodes.len(), |node| nodes.kinds[node as usize]),
            signatures: Interner::default(),
            signature_of: vec![0; nodes.len()],
            sizes: Vec::new(),
            signature: Vec::new(),
            list: Vec::new(),
            unasked: 0,
        };
        while let Some(block) = refinement.partition.pop_marked() {
            refinement.split(block);
            if refinement.unasked >= EDGES_UNASKED {
                refinement.unasked = 0;
                limits.allow(held + refinement.signatures.bytes())?;
            }
        }
        Ok(refinement)
    }

    /// What there is to know of the result.
    pub fn into_blocks(self) -> Blocks {
        let count = u32::try_from(self.partition.len()).expect("not more blocks than nodes");
        Blocks {
            bottoms: (0..count).map(|block| self.bottom(block)).collect(),
            block_of: self.partition.into_block_of(),
        }
    }

    /// Separates the nodes of a block by their signatures.
    fn split(&mut self, block: u32) {
        self.mark_what_leads_to_marked(block);
        let mut marked = std::mem::take(&mut self.list);
        marked.clear();
        marked.extend_from_slice(self.partition.marked(block));
        if self.nodes.has_inert() {
            // Inert steps lead to smaller nodes, whose signatures are needed first.
            marked.sort_unstable();
        }
        self.sign(block, &marked);
        let signature_of = &self.signature_of;
        let group_of = |node: u32| signature_of[node as usize];
        let new = self.partition.split(block, &marked, group_of, &self.sizes);
        self.list = marked;
        for block in new {
            self.mark_around(block);
        }
    }

    /// The signature of a node depends on those of the nodes that it reaches by inert steps.
    fn mark_what_leads_to_marked(&mut self, block: u32) {
        if !self.nodes.has_inert() {
            return;
        }
        let mut open = self.partition.marked(block).to_vec();
        while let Some(node) = open.pop() {
            for &source in self.nodes.inert_sources.of(node as usize) {
                let inside = self.partition.block_of(source) == block;
                if inside && !self.partition.is_settled(source) {
                    self.partition.mark(source);
                    open.push(source);
                }
            }
        }
    }

    /// Computes the signatures of a block, and how many nodes have each of them.
    fn sign(&mut self, block: u32, marked: &[u32]) {
        self.signatures.clear();
        self.sizes.clear();
        let clean = self.partition.clean_count(block);
        if clean > 0 {
            // It is clean: a marked one would mark all that lead to it.
            let node = self.bottom(block);
            self.sign_node(block, node);
            self.sizes.push(clean);
        }
        for &node in marked {
            let number = self.sign_node(block, node);
            self.signature_of[node as usize] =
                u32::try_from(number).expect("not more signatures than nodes");
            if number == self.sizes.len() {
                self.sizes.push(0);
            }
            self.sizes[number] += 1;
        }
    }

    /// A node of a block that no inert step leaves: a clean one if there are any.
    fn bottom(&self, block: u32) -> u32 {
        let mut node = self.partition.some_element(block);
        if !self.nodes.has_inert() {
            return node;
        }
        loop {
            let mut edges = self.nodes.edges(node).iter();
            match edges.find(|edge| self.is_inert(block, **edge)) {
                Some(edge) => node = edge.target.0,
                None => return node,
            }
        }
    }

    #[inline]
    fn is_inert(&self, block: u32, edge: LtsEdge) -> bool {
        self.nodes.can_be_inert(edge.label) && self.partition.block_of(edge.target.0) == block
    }

    /// The number of a node's signature.
    fn sign_node(&mut self, block: u32, node: u32) -> usize {
        let mut signature = std::mem::take(&mut self.signature);
        signature.clear();
        let mut ordered = true;
        let edges = self.nodes.edges(node);
        self.unasked += edges.len();
        for edge in edges {
            if self.is_inert(block, *edge) {
                signature
                    .extend_from_slice(self.signatures.get(self.known_signature(edge.target.0)));
                ordered = false;
            } else {
                let target = self.partition.block_of(edge.target.0);
                insert(
                    &mut signature,
                    u64::from(edge.label.0) << 32 | u64::from(target),
                    &mut ordered,
                );
            }
        }
        if self.nodes.is_diverging(node) {
            signature.push(DIVERGENCE);
        }
        if !ordered {
            signature.sort_unstable();
            signature.dedup();
        }
        let number = self.signatures.number(&signature);
        self.signature = signature;
        number
    }

    fn known_signature(&self, node: u32) -> usize {
        if self.partition.is_settled(node) {
            self.signature_of[node as usize] as usize
        } else {
            0
        }
    }

    /// Marks what may have another signature now that the nodes of this block are in another one than before: whatever
    /// leads to them, and they themselves, as their inert steps may no longer be inert.
    fn mark_around(&mut self, block: u32) {
        let mut list = std::mem::take(&mut self.list);
        list.clear();
        list.extend_from_slice(self.partition.elements(block));
        let has_inert = self.nodes.has_inert();
        for &node in &list {
            if has_inert {
                self.partition.mark(node);
            }
            let sources = self.nodes.sources.of(node as usize);
            self.unasked += sources.len();
            for &source in sources {
                self.partition.mark(source);
            }
        }
        self.list = list;
    }
}

/// The blocks of a partition.
pub(super) struct Blocks {
    /// For each block a node that no inert step leaves.
    bottoms: Vec<u32>,
    block_of: Vec<u32>,
}

impl Blocks {
    pub fn len(&self) -> usize {
        self.bottoms.len()
    }

    /// The block of a node.
    #[inline]
    pub fn of(&self, node: u32) -> u32 {
        self.block_of[node as usize]
    }

    /// Numbers the blocks in the order in which nodes are listed, of which there is at least one in each block.
    pub fn renumber(&mut self, nodes: impl Iterator<Item = u32>) {
        let mut numbers = vec![u32::MAX; self.len()];
        let mut next = 0;
        for node in nodes {
            let number = &mut numbers[self.of(node) as usize];
            if *number == u32::MAX {
                *number = next;
                next += 1;
            }
        }
        let mut bottoms = vec![0; self.len()];
        for (&bottom, &number) in self.bottoms.iter().zip(&numbers) {
            bottoms[number as usize] = bottom;
        }
        self.bottoms = bottoms;
        for block in &mut self.block_of {
            *block = numbers[*block as usize];
        }
    }

    /// Tells the steps of a block: labels and the blocks they lead to, perhaps several times.
    #[inline]
    pub fn edges(&self, nodes: &Nodes<'_>, block: u32, mut tell: impl FnMut(LabelId, u32)) {
        let node = self.bottoms[block as usize];
        for edge in nodes.edges(node) {
            tell(edge.label, self.of(edge.target.0));
        }
        if nodes.is_diverging(node) {
            tell(TAU, block);
        }
    }
}

/// Longer signatures are sorted when they are complete.
const SHORT: usize = 24;

/// Puts an item into its place in a short list that is in order, unless it is there. Most come in order.
#[inline]
fn insert(signature: &mut Vec<u64>, item: u64, ordered: &mut bool) {
    if !*ordered || signature.len() >= SHORT {
        *ordered &= signature.last().is_none_or(|last| *last < item);
        signature.push(item);
        return;
    }
    let mut place = signature.len();
    while place > 0 && signature[place - 1] > item {
        place -= 1;
    }
    if place == 0 || signature[place - 1] != item {
        signature.insert(place, item);
    }
}
