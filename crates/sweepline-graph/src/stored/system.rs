//! Stored graphs as systems.

use std::sync::{Arc, Mutex, PoisonError};

use sweepline_core::{
    ActionId, AnySystem, Control, Describe, Fault, Layout, SlotId, Steps, System, Word,
};

use super::error::{Damage, SwgError};
use super::reader::{Block, StoredGraph};

/// A stored graph, asked one node at a time like any other system.
///
/// Its slots are `node` (the number), `layer` (which of the layers it was explored in) and one truth value per proposition, so
/// predicates and measures need no special cases. Blocks are read as they are needed, and some are kept.
pub struct StoredSystem {
    graph: StoredGraph,
    layout: Layout,
    initial: Vec<u64>,
    /// The first number of every layer.
    layers: Vec<u64>,
    /// The numbers where each proposition holds, as bits.
    truths: Vec<Vec<u64>>,
    cache: Mutex<Cache>,
}

/// Blocks that were used lately.
#[derive(Default)]
struct Cache {
    blocks: Vec<(usize, Arc<Block>)>,
    /// The one that is replaced next.
    next: usize,
}

/// Blocks that are kept.
const BLOCKS: usize = 64;
const NODE: SlotId = SlotId(0);

impl StoredSystem {
    /// The system of a graph, if it is complete. A proposition called `node` or `layer` cannot be asked for by its name.
    pub fn new(graph: StoredGraph) -> Result<Self, SwgError> {
        if !graph.figures().complete {
            return Err(SwgError::Incomplete);
        }
        let propositions = &graph.about().propositions;
        let words = usize::try_from(graph.figures().numbers.div_ceil(64)).unwrap_or(usize::MAX);
        let mut truths = vec![vec![0_u64; words]; propositions.len()];
        // Everything is read once, so that damage is noticed before anything is asked.
        graph.forward(|node| {
            let (word, bit) = place(node.number);
            for (proposition, bits) in truths.iter_mut().enumerate() {
                bits[word] |= u64::from(node.holds(proposition)) << bit;
            }
            Control::Continue
        })?;
        let layers: Vec<u64> = graph.layers().map(|(_, first)| first).collect();
        let last = |count: u64| i64::try_from(count.saturating_sub(1)).unwrap_or(i64::MAX);
        let mut layout = Layout::builder()
            .integer("node", 0, last(graph.figures().numbers))
            .integer("layer", 0, last(layers.len() as u64));
        for (name, _) in propositions {
            layout = layout.boolean(name);
        }
        Ok(Self {
            initial: graph.initial()?.into_iter().flatten().collect(),
            layout: layout.build(),
            graph,
            layers,
            truths,
            cache: Mutex::default(),
        })
    }

    /// The graph.
    pub fn graph(&self) -> &StoredGraph {
        &self.graph
    }

    /// In which of the layers a node was explored.
    fn layer(&self, number: u64) -> usize {
        let after = self.layers.partition_point(|&first| first <= number);
        after.saturating_sub(1)
    }

    fn push(&self, action: ActionId, number: u64, out: &mut Steps) {
        let mut state = vec![0; self.layout.width().unwrap_or(1)];
        let (word, bit) = place(number);
        let truths = self.truths.iter().map(|bits| bits[word] >> bit & 1);
        let values = [number, self.layer(number) as u64]
            .into_iter()
            .chain(truths);
        for ((id, _), value) in self.layout.iter().zip(values) {
            let value = i64::try_from(value).unwrap_or(i64::MAX);
            let set = self.layout.set(&mut state, id, value);
            debug_assert!(set.is_ok(), "values lie in the ranges that were counted");
        }
        out.push(action, &state);
    }

    fn number(&self, state: &[Word]) -> u64 {
        u64::try_from(self.layout.value(state, NODE)).unwrap_or(u64::MAX)
    }

    /// The block a node is in.
    fn block(&self, number: u64) -> Result<Arc<Block>, SwgError> {
        let index = self.graph.block_of(number).ok_or(Damage::Edge)?;
        let lock = || self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock()
            .blocks
            .iter()
            .find(|(known, _)| *known == index)
            .cloned();
        if let Some((_, block)) = known {
            return Ok(block);
        }
        let block = Arc::new(self.graph.block(index)?);
        let mut cache = lock();
        let next = cache.next;
        cache.next = (next + 1) % BLOCKS;
        if cache.blocks.len() < BLOCKS {
            cache.blocks.push((index, Arc::clone(&block)));
        } else {
            cache.blocks[next] = (index, Arc::clone(&block));
        }
        Ok(block)
    }
}

fn place(number: u64) -> (usize, u64) {
    let word = usize::try_from(number / 64).unwrap_or(usize::MAX);
    (word, number % 64)
}

impl System for StoredSystem {
    fn layout(&self) -> &Layout {
        &self.layout
    }

    fn initial(&self, out: &mut Steps) {
        for &number in &self.initial {
            self.push(ActionId(0), number, out);
        }
    }

    fn successors(&self, state: &[Word], out: &mut Steps) {
        let number = self.number(state);
        let block = match self.block(number) {
            Ok(block) => block,
            Err(error) => {
                let message = format!("node {number} cannot be read: {error}");
                return out.fail(Fault::TooMany { message });
            }
        };
        if let Some(node) = block.node(number) {
            for (&action, target) in node.actions.iter().zip(node.targets()) {
                // A complete graph has all targets, or its blocks could not be read.
                if let Some(target) = target {
                    self.push(action, target, out);
                }
            }
        }
    }

    fn is_end(&self, state: &[Word]) -> bool {
        let number = self.number(state);
        let block = self.block(number).ok();
        block.is_some_and(|block| block.node(number).is_some_and(|node| !node.deadlock))
    }
}

impl Describe for StoredSystem {
    fn actions(&self) -> &[String] {
        &self.graph.about().actions
    }

    fn is_internal(&self, action: ActionId) -> bool {
        self.graph.about().internal.contains(&action)
    }
}

/// Its values are all known, so it never outgrows its slots.
impl AnySystem for StoredSystem {}
