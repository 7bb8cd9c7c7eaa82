//! What there is to say about a graph file.

use std::fmt;
use std::path::Path;

use sweepline_core::Limits;
use sweepline_graph::{About, Figures, Shape, StoredGraph, SwgError, condensed_bits};

use super::open_graph;
use crate::error::Error;
use crate::units;

/// Figures of a graph file.
#[derive(Clone, Debug)]
pub struct GraphInfo {
    /// What it is of.
    pub about: About,
    /// What was counted when it was written.
    pub figures: Figures,
    /// What was found by looking at all edges.
    pub shape: Shape,
    /// The size of the file.
    pub bytes: u64,
}

impl GraphInfo {
    /// Looks at the graph of a file, within limits.
    pub fn of_file(path: &Path, limits: &Limits) -> Result<Self, Error> {
        let info = Self::of(&open_graph(path, limits)?);
        info.map_err(|why| Error::from(why).in_file(path))
    }

    /// Looks at a graph.
    pub fn of(graph: &StoredGraph) -> Result<Self, SwgError> {
        Ok(Self {
            about: graph.about().clone(),
            figures: graph.figures().clone(),
            shape: Shape::of(graph)?,
            bytes: graph.bytes(),
        })
    }

    /// Distinct states, if they are known: a graph with states that are there several times has nodes only.
    pub fn states(&self) -> Option<u64> {
        let known = self.figures.complete && !self.figures.repeated;
        known.then_some(self.figures.nodes)
    }

    /// Nodes that can be reached from every node, if that is known: those of the only terminal component. Where states are there several
    /// times, two components may stand for the same states.
    pub fn home_nodes(&self) -> Option<u64> {
        match self.shape.terminal {
            _ if !self.figures.complete => None,
            1 => Some(self.shape.terminal_nodes),
            _ if self.figures.repeated => None,
            _ => Some(0),
        }
    }

    /// Bits of the file for each edge, nodes and everything else included.
    pub fn bits_per_edge(&self) -> Option<f64> {
        ratio(self.bytes * 8, self.figures.edges)
    }

    /// The size the graph has in the representation of the paper, in bits.
    pub fn formula_bits(&self) -> u64 {
        let Figures { nodes, edges, .. } = self.figures;
        condensed_bits(nodes, edges, self.shape.actions)
    }

    /// The size of the file in parts of that.
    pub fn part_of_formula(&self) -> Option<f64> {
        ratio(self.bytes * 8, self.formula_bits())
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few digits are shown")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}

impl fmt::Display for GraphInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            about,
            figures,
            shape,
            bytes,
        } = self;
        let mut line = |name: &str, value: String| writeln!(f, "{name:16}{value}");
        line("model", about.model.clone())?;
        line("measure", about.measure.clone())?;
        if !figures.complete {
            let note =
                "no: the exploration ended early, and some edges lead to what was not explored";
            line("complete", note.into())?;
        }
        let count = units::grouped;
        line("nodes", count(figures.nodes))?;
        match self.states() {
            Some(states) => line("states", count(states))?,
            None if figures.complete => {
                let note = "not known: some are there several times, as nodes that are bisimilar";
                line("states", note.into())?;
            }
            None => {}
        }
        line("edges", count(figures.edges))?;
        line("deadlocks", count(figures.deadlocks))?;
        line("layers", count(figures.layers))?;
        line("components", count(shape.components))?;
        line("  terminal", count(shape.terminal))?;
        line("  largest", units::counted(shape.largest, "node"))?;
        match self.home_nodes() {
            Some(0) => line("home nodes", "none: no node can be reached from all".into())?,
            Some(homes) => line("home nodes", count(homes))?,
            None => {}
        }
        let degrees = format!("{} out, {} in", count(shape.most_out), count(shape.most_in));
        line("largest degree", degrees)?;
        line("edges back", count(shape.backward))?;
        line("peak states", count(figures.peak_states))?;
        for (name, text) in &about.propositions {
            line("proposition", format!("{name} = {text}"))?;
        }
        let mut size = units::bytes(usize::try_from(*bytes).unwrap_or(usize::MAX));
        if let (Some(bits), Some(part)) = (self.bits_per_edge(), self.part_of_formula()) {
            let percent = part * 100.0;
            let formula = "2wR + |E|(log T + log R)";
            size = format!("{size}, {bits:.2} bits an edge, {percent:.1} % of {formula}");
        }
        line("size", size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        LoadOptions, Options, Order, OrderOptions, Reading, build_graph, exported, load_text,
    };
    use sweepline_core::StopReason;

    /// A file with the graph of two states and a step between them.
    fn file() -> tempfile::NamedTempFile {
        let (options, limits) = (LoadOptions::default(), Limits::default());
        let text = b"1 0 0 a 2\n2 0 0\n".to_vec();
        let Reading::Loaded(model) = load_text("m.ss", text, &options, &limits).unwrap() else {
            panic!("there are no limits");
        };
        let order = Order::of(&OrderOptions::default(), &model, &limits).unwrap();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        build_graph(&model, &order, &Options::default(), &[], &mut file, &mut ()).unwrap();
        file
    }

    #[test]
    fn looking_at_a_file_can_be_interrupted() {
        let (file, limits) = (file(), Limits::default());
        let info = GraphInfo::of_file(file.path(), &limits).unwrap();
        assert_eq!(info.figures.nodes, 2);
        limits.cancel.cancel();
        let interrupted = Some(&StopReason::Interrupted);
        let looked = GraphInfo::of_file(file.path(), &limits).unwrap_err();
        assert_eq!(looked.stop_reason(), interrupted);
        let taken = exported(file.path(), 10, &limits).unwrap_err();
        assert_eq!(taken.stop_reason(), interrupted);
    }
}
