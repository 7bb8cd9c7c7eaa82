//! DOT, the language of Graphviz.

use std::io::Write;

use super::WriteError;
use crate::graph::{Graph, StateId};

/// Writes a graph for Graphviz.
///
/// An arrow from nowhere points at each initial state; a state without successors has a double border. A state shows
/// its number, its values, and the propositions that hold.
pub fn write_dot(graph: &Graph, out: &mut impl Write) -> Result<(), WriteError> {
    writeln!(out, "digraph {{")?;
    writeln!(out, "  node [shape=box];")?;
    for (number, state) in graph.initial().iter().enumerate() {
        writeln!(out, "  initial{number} [shape=point];")?;
        writeln!(out, "  initial{number} -> {};", state.0)?;
    }
    for state in graph.ids() {
        write_state(graph, state, out)?;
    }
    for edge in graph.edges() {
        let (source, target) = (edge.source.0, edge.target.0);
        let label = escaped(graph.label(edge));
        writeln!(out, "  {source} -> {target} [label=\"{label}\"];")?;
    }
    writeln!(out, "}}")?;
    Ok(())
}

fn write_state(graph: &Graph, id: StateId, out: &mut impl Write) -> Result<(), WriteError> {
    let state = graph.state(id);
    write!(out, "  {} [label=\"{}", id.0, id.0)?;
    for (name, value) in &state.shown {
        write!(out, "\\n{} = {}", escaped(name), escaped(value))?;
    }
    let holding: Vec<String> = graph
        .propositions()
        .iter()
        .zip(&state.truths)
        .filter(|(_, truth)| **truth)
        .map(|(name, _)| escaped(name))
        .collect();
    if !holding.is_empty() {
        write!(out, "\\n{{{}}}", holding.join(", "))?;
    }
    let border = if graph.is_deadlock(id) {
        ", peripheries=2"
    } else {
        ""
    };
    writeln!(out, "\"{border}];")?;
    Ok(())
}

/// Text inside a quoted DOT string. Backslashes are doubled because Graphviz would read `\N` as the node's name.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace("\r\n", "\\n")
        .replace(['\n', '\r'], "\\n")
}
