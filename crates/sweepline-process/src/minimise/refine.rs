//! Signature refinement, after [BO05].
//!
//! The signature of a node is the set of its steps: labels with the blocks they lead to. Nodes of the same block with
//! different signatures are separated until there are none. For branching bisimilarity, an internal step that stays in
//! its block is inert: it is no part of the signature, but what can be done after it is.
//!
//! We differ in two points. Signatures are computed only for *marked* nodes, those whose signature may have changed; all
//! clean nodes of a block have the same. And when a block is split, its largest part keeps the number, so that a node
//! changes its block at most logarithmically often.

use super::nodes::Nodes;
use super::partition::Partition;
use crate::intern::Interner;
use crate::lts::{LabelId, TAU};

/// The coarsest partition that separates all nodes with different signatures.
pub(super) struct Refinement<'a> {
    nodes: &'a Nodes,
    partition: Partition,
    /// The signatures of the block that is being split. If it has clean nodes, theirs is the first.
    signatures: Interner<u64>,
    /// The numbers of the signatures of its marked nodes.
    signature_of: Vec<u32>,
    signature: Vec<u64>,
}

/// A part of a signature that says that there is an endless internal loop: no label and block.
const DIVERGENCE: u64 = u64::MAX;

impl<'a> Refinement<'a> {
    pub fn coarsest(nodes: &'a Nodes) -> Self {
        let mut refinement = Self {
            nodes,
            partition: Partition::by_key(nodes.len(), |node| nodes.kinds[node as usize]),
            signatures: Interner::default(),
            signature_of: vec![0; nodes.len()],
            signature: Vec::new(),
        };
        while let Some(block) = refinement.partition.pop_marked() {
            refinement.split(block);
        }
        refinement
    }

    /// How many blocks there are.
    pub fn len(&self) -> usize {
        self.partition.len()
    }

    pub fn block_of(&self, node: u32) -> u32 {
        self.partition.block_of(node)
    }

    /// The steps of a block.
    pub fn edges(&self, block: u32) -> Vec<(LabelId, u32)> {
        let node = self.bottom(block);
        let edges = self.nodes.edges(node as usize).iter();
        let mut edges: Vec<_> = edges
            .map(|&(label, target)| (label, self.block_of(target)))
            .collect();
        if self.nodes.is_diverging(node) {
            edges.push((TAU, block));
        }
        edges.sort_unstable();
        edges.dedup();
        edges
    }

    /// Separates the nodes of a block by their signatures.
    fn split(&mut self, block: u32) {
        self.mark_what_leads_to_marked(block);
        let mut order = self.partition.marked(block).to_vec();
        // Inert steps lead to smaller nodes, whose signatures are needed first.
        order.sort_unstable();
        let sizes = self.sign(block, &order);
        let signature_of = &self.signature_of;
        order.sort_by_key(|&node| signature_of[node as usize]);
        let new = self.partition.split(block, &order, &sizes);
        for block in new {
            self.mark_around(block);
        }
    }

    /// The signature of a node depends on those of the nodes that it reaches by inert steps.
    fn mark_what_leads_to_marked(&mut self, block: u32) {
        if self.nodes.inert_sources.is_empty() {
            return;
        }
        let mut open = self.partition.marked(block).to_vec();
        while let Some(node) = open.pop() {
            for &source in self.nodes.inert_sources.of(node as usize) {
                let inside = self.partition.block_of(source) == block;
                if inside && !self.partition.is_marked(source) {
                    self.partition.mark(source);
                    open.push(source);
                }
            }
        }
    }

    /// Computes the signatures of a block, and how many nodes have each of them.
    fn sign(&mut self, block: u32, marked: &[u32]) -> Vec<usize> {
        self.signatures.clear();
        let mut sizes = Vec::new();
        let clean = self.partition.clean_count(block);
        if clean > 0 {
            // It is clean: a marked one would mark all that lead to it.
            let node = self.bottom(block);
            self.sign_node(node);
            sizes.push(clean);
        }
        for &node in marked {
            let number = self.sign_node(node);
            self.signature_of[node as usize] =
                u32::try_from(number).expect("not more signatures than nodes");
            if number == sizes.len() {
                sizes.push(0);
            }
            sizes[number] += 1;
        }
        sizes
    }

    /// A node of a block that no inert step leaves: a clean one if there are any.
    fn bottom(&self, block: u32) -> u32 {
        let mut node = self.partition.some_element(block);
        loop {
            let mut edges = self.nodes.edges(node as usize).iter();
            let inert = |&&(label, target): &&(LabelId, u32)| self.is_inert(block, label, target);
            match edges.find(inert) {
                Some(&(_, target)) => node = target,
                None => return node,
            }
        }
    }

    #[inline]
    fn is_inert(&self, block: u32, label: LabelId, target: u32) -> bool {
        self.nodes.can_be_inert(label) && self.partition.block_of(target) == block
    }

    /// The number of a node's signature.
    fn sign_node(&mut self, node: u32) -> usize {
        let block = self.partition.block_of(node);
        let mut signature = std::mem::take(&mut self.signature);
        signature.clear();
        for &(label, target) in self.nodes.edges(node as usize) {
            if self.is_inert(block, label, target) {
                signature.extend_from_slice(self.signatures.get(self.known_signature(target)));
            } else {
                let block = self.partition.block_of(target);
                signature.push(u64::from(label.0) << 32 | u64::from(block));
            }
        }
        if self.nodes.is_diverging(node) {
            signature.push(DIVERGENCE);
        }
        signature.sort_unstable();
        signature.dedup();
        let number = self.signatures.number(&signature);
        self.signature = signature;
        number
    }

    fn known_signature(&self, node: u32) -> usize {
        if self.partition.is_marked(node) {
            self.signature_of[node as usize] as usize
        } else {
            0
        }
    }

    /// Marks what may have another signature now that the nodes of this block are in another one than before: whatever
    /// leads to them, and they themselves, as their inert steps may no longer be inert.
    fn mark_around(&mut self, block: u32) {
        for node in self.partition.elements(block).to_vec() {
            if !self.nodes.inert_sources.is_empty() {
                self.partition.mark(node);
            }
            for &source in self.nodes.sources.of(node as usize) {
                self.partition.mark(source);
            }
        }
    }
}
