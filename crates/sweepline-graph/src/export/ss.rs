//! The `.ss` format; see the reader for what it looks like.

use std::borrow::Cow;
use std::io::Write;

use super::{WriteError, initial_first, initial_state};
use crate::graph::{Graph, StateId};

/// Writes a graph as a `.ss` state space.
///
/// ```
/// use sweepline_graph::{read_ss, write_ss};
///
/// let text = "1 0 1 !p \"send packet\" 2\n2 1 1 p\n";
/// let mut written = Vec::new();
/// write_ss(&read_ss(&text.into()).unwrap(), &mut written).unwrap();
/// assert_eq!(written, text.as_bytes());
/// ```
pub fn write_ss(graph: &Graph, out: &mut impl Write) -> Result<(), WriteError> {
    let actions = words(graph.actions(), |name| name.starts_with("!\""))?;
    let propositions = words(graph.propositions(), |name| name.starts_with('!'))?;
    for state in initial_first(graph, initial_state(graph)?) {
        write_state(graph, state, &propositions, out)?;
        for edge in graph.edges_from(state) {
            let action = &actions[edge.action.0 as usize];
            write!(out, " {action} {}", graph.state(edge.target).id)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn write_state(
    graph: &Graph,
    state: StateId,
    propositions: &[Cow<'_, str>],
    out: &mut impl Write,
) -> Result<(), WriteError> {
    let state = graph.state(state);
    write!(
        out,
        "{} {} {}",
        state.id,
        state.progress,
        propositions.len()
    )?;
    for (proposition, truth) in propositions.iter().zip(&state.truths) {
        let sign = if *truth { "" } else { "!" };
        write!(out, " {sign}{proposition}")?;
    }
    Ok(())
}

/// Names as words, in quotes where they would be read as something else.
fn words(names: &[String], is_odd: fn(&str) -> bool) -> Result<Vec<Cow<'_, str>>, WriteError> {
    names.iter().map(|name| word(name, is_odd)).collect()
}

fn word(name: &str, is_odd: fn(&str) -> bool) -> Result<Cow<'_, str>, WriteError> {
    if name.contains(['\n', '\r']) {
        return Err(WriteError::LineBreak { name: name.into() });
    }
    let is_blank = name.is_empty() || name.contains(char::is_whitespace);
    Ok(if is_blank || name.starts_with('"') || is_odd(name) {
        Cow::Owned(format!("\"{}\"", name.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(name)
    })
}
