//! Ways through a stored graph, and the graph as a whole.

use std::collections::HashMap;

use sweepline_core::{ActionId, Control};

use super::error::{Damage, SwgError};
use super::reader::StoredGraph;
use crate::graph::{Graph, GraphEdge, GraphState, StateId};

/// How a node is reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Way {
    /// Which of the initial nodes it starts from.
    pub initial: usize,
    /// The nodes on the way, the first and the last included.
    pub nodes: Vec<u64>,
    /// Which of its edges each node but the last is left by.
    pub ordinals: Vec<usize>,
}

impl StoredGraph {
    /// A way to a node, if there is such a node.
    ///
    /// Every instance was reached from one that was expanded before, and so has a smaller number. The first edge to a node in the
    /// order of the numbers is the one it was found by; one pass forward finds them all, with sixteen bytes for each number.
    pub fn way_to(&self, number: u64) -> Result<Option<Way>, SwgError> {
        if self.block_of(number).is_none() {
            return Ok(None);
        }
        let initial = self.initial()?;
        // Where the first edge to each number comes from, and which edge that is.
        let numbers = usize::try_from(number).map_err(|_| Damage::Number)?;
        let mut found = vec![(u64::MAX, 0_u32); numbers + 1];
        self.forward(|node| {
            if node.number >= number {
                return Control::Stop;
            }
            for (ordinal, target) in node.targets().enumerate() {
                let place = target.and_then(|target| usize::try_from(target).ok());
                let place = place.and_then(|place| found.get_mut(place));
                if let Some(first) = place.filter(|first| first.0 == u64::MAX) {
                    *first = (node.number, u32::try_from(ordinal).unwrap_or(u32::MAX));
                }
            }
            Control::Continue
        })?;
        let mut way = Way {
            initial: 0,
            nodes: vec![number],
            ordinals: Vec::new(),
        };
        let mut at = number;
        loop {
            if let Some(first) = initial.iter().position(|&first| first == Some(at)) {
                way.initial = first;
                way.nodes.reverse();
                way.ordinals.reverse();
                return Ok(Some(way));
            }
            let place = usize::try_from(at).map_err(|_| Damage::Number)?;
            let (before, ordinal) = found[place];
            if before >= at {
                return Err(Damage::Edge.into());
            }
            way.nodes.push(before);
            way.ordinals.push(ordinal as usize);
            at = before;
        }
    }

    /// The edges that lead to a node: where each comes from, and which of its edges it is.
    pub fn edges_to(&self, number: u64) -> Result<Vec<(u64, usize)>, SwgError> {
        let mut edges = Vec::new();
        self.forward(|node| {
            let targets = node.targets().enumerate();
            let ours = targets.filter(|(_, target)| *target == Some(number));
            edges.extend(ours.map(|(ordinal, _)| (node.number, ordinal)));
            Control::Continue
        })?;
        Ok(edges)
    }

    /// The graph in main memory, for exports, if it is complete and has at most so many nodes. The progress of a node is the
    /// layer it was explored in.
    pub fn in_memory(&self, limit: usize) -> Result<Graph, SwgError> {
        let figures = self.figures();
        if !figures.complete {
            return Err(SwgError::Incomplete);
        }
        if figures.nodes > limit as u64 || figures.nodes > u32::MAX.into() {
            return Err(SwgError::TooManyNodes {
                nodes: figures.nodes,
                limit,
            });
        }
        let layers: Vec<u64> = self.layers().map(|(_, first)| first).collect();
        // Numbers may have gaps.
        let mut ids: HashMap<u64, StateId> = HashMap::new();
        let mut id = |number| {
            let next = StateId(u32::try_from(ids.len()).unwrap_or(u32::MAX));
            *ids.entry(number).or_insert(next)
        };
        self.forward(|node| {
            let _ = id(node.number);
            Control::Continue
        })?;
        let (mut states, mut edges, mut actions) = (Vec::new(), Vec::new(), 0);
        let propositions = &self.about().propositions;
        self.forward(|node| {
            let layer = layers.partition_point(|&first| first <= node.number);
            states.push(GraphState {
                id: i64::try_from(node.number).unwrap_or(i64::MAX),
                progress: i64::try_from(layer.saturating_sub(1)).unwrap_or(i64::MAX),
                truths: (0..propositions.len()).map(|p| node.holds(p)).collect(),
                shown: Vec::new(),
            });
            for (&action, target) in node.actions.iter().zip(node.targets().flatten()) {
                actions = actions.max(action.0 + 1);
                edges.push(GraphEdge {
                    source: id(node.number),
                    action,
                    target: id(target),
                });
            }
            Control::Continue
        })?;
        let mut initial: Vec<StateId> = Vec::new();
        for number in self.initial()?.into_iter().flatten() {
            let state = id(number);
            if !initial.contains(&state) {
                initial.push(state);
            }
        }
        let labels = (0..actions).map(|action| self.action_name(ActionId(action)));
        let names = propositions.iter().map(|(name, _)| name.clone());
        let graph = Graph::new(names.collect(), labels.collect(), states, edges, initial);
        Ok(graph.hiding(self.about().internal.iter().copied()))
    }

    /// What an action is called.
    pub fn action_name(&self, action: ActionId) -> String {
        let name = self.about().actions.get(action.0 as usize).cloned();
        name.unwrap_or_else(|| format!("action {}", action.0))
    }
}
