//! The Aldebaran format `.aut`.

use std::io::Write;

use sweepline_core::ActionId;

use super::{WriteError, initial_first, initial_state};
use crate::graph::Graph;

/// Writes the edges of a graph in the Aldebaran format; the initial state gets number 0.
///
/// Hidden labels are written `tau`, which is the internal step to whoever reads the file. Labels are always quoted. The format has no rule for a quotation mark inside a label; we put a backslash in front of
/// it and of every backslash, so that no two labels look alike; and in front of labels that are called `tau` or `i` and
/// can be seen all the same.
pub fn write_aut(graph: &Graph, out: &mut impl Write) -> Result<(), WriteError> {
    let initial = initial_state(graph)?;
    let mut numbers = vec![0_usize; graph.states().len()];
    for (number, state) in initial_first(graph, initial).enumerate() {
        numbers[state.index()] = number;
    }
    let labels = labels(graph)?;
    let (edges, states) = (graph.edges().len(), numbers.len());
    writeln!(out, "des (0, {edges}, {states})")?;
    for state in initial_first(graph, initial) {
        for edge in graph.edges_from(state) {
            let (source, target) = (numbers[state.index()], numbers[edge.target.index()]);
            let label = &labels[edge.action.0 as usize];
            writeln!(out, "({source}, \"{label}\", {target})")?;
        }
    }
    Ok(())
}

fn labels(graph: &Graph) -> Result<Vec<String>, WriteError> {
    let label = |(name, action): (&String, u32)| {
        if graph.is_hidden(ActionId(action)) {
            return Ok("tau".into());
        }
        if matches!(name.as_str(), "tau" | "i") {
            return Ok(format!("\\{name}"));
        }
        if name.contains(['\n', '\r']) {
            return Err(WriteError::LineBreak { name: name.clone() });
        }
        Ok(name.replace('\\', "\\\\").replace('"', "\\\""))
    };
    graph.actions().iter().zip(0..).map(label).collect()
}
