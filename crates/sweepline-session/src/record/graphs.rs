//! Graph files as data.

use serde::Serialize;

use super::SCHEMA;
use crate::graphs::GraphInfo;

/// Result of `graph info`.
#[derive(Clone, Debug, Serialize)]
pub struct GraphRecord {
    /// Version of the contract.
    pub schema: u32,
    /// The name of the model the graph is of.
    pub model: String,
    /// The measure it was explored by, in words.
    pub measure: String,
    /// Whether everything that can be reached is there.
    pub complete: bool,
    /// Nodes: expansions.
    pub nodes: u64,
    /// Distinct states; null if a state may be there several times.
    pub states: Option<u64>,
    /// Edges.
    pub edges: u64,
    /// Nodes without edges that are no proper ends.
    pub deadlocks: u64,
    /// How many times a layer was opened.
    pub layers: u64,
    /// Strongly connected components.
    pub components: u64,
    /// Those that nothing leaves.
    pub terminal_components: u64,
    /// Nodes that can be reached from every node; null if that is not known.
    pub home_nodes: Option<u64>,
    /// Nodes of the largest component.
    pub largest_component: u64,
    /// Edges that leave the node with most.
    pub most_out: u64,
    /// Edges that lead to the node with most.
    pub most_in: u64,
    /// Edges that lead to a smaller number or to the same.
    pub edges_back: u64,
    /// States that were stored at most while the graph was written.
    pub peak_states: u64,
    /// The names of propositions.
    pub propositions: Vec<String>,
    /// The size of the file.
    pub bytes: u64,
    /// Bits of the file for each edge.
    pub bits_per_edge: Option<f64>,
    /// Bits in the representation of the paper.
    pub formula_bits: u64,
}

impl From<&GraphInfo> for GraphRecord {
    fn from(info: &GraphInfo) -> Self {
        let (figures, shape) = (&info.figures, &info.shape);
        let propositions = info.about.propositions.iter();
        Self {
            schema: SCHEMA,
            model: info.about.model.clone(),
            measure: info.about.measure.clone(),
            complete: figures.complete,
            nodes: figures.nodes,
            states: info.states(),
            edges: figures.edges,
            deadlocks: figures.deadlocks,
            layers: figures.layers,
            components: shape.components,
            terminal_components: shape.terminal,
            home_nodes: info.home_nodes(),
            largest_component: shape.largest,
            most_out: shape.most_out,
            most_in: shape.most_in,
            edges_back: shape.backward,
            peak_states: figures.peak_states,
            propositions: propositions.map(|(name, _)| name.clone()).collect(),
            bytes: info.bytes,
            bits_per_edge: info.bits_per_edge(),
            formula_bits: info.formula_bits(),
        }
    }
}
