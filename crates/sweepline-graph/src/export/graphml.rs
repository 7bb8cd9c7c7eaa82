//! `GraphML`, which most programs that draw and analyse graphs can read.

use std::borrow::Cow;
use std::io::Write;

use super::WriteError;
use crate::graph::Graph;

/// Writes a graph as `GraphML`.
///
/// Nodes have their values, and whether they are initial, as attributes; propositions are attributes too. Edges have a label.
pub fn write_graphml(graph: &Graph, out: &mut impl Write) -> Result<(), WriteError> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(
        out,
        "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">"
    )?;
    let mut key = |id: &str, of: &str, name: &str, kind: &str| {
        let name = escaped(name);
        writeln!(
            out,
            "  <key id=\"{id}\" for=\"{of}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>"
        )
    };
    key("label", "edge", "label", "string")?;
    key("initial", "node", "initial", "boolean")?;
    key("progress", "node", "progress", "long")?;
    key("values", "node", "values", "string")?;
    for (number, proposition) in graph.propositions().iter().enumerate() {
        key(&format!("p{number}"), "node", proposition, "boolean")?;
    }
    writeln!(out, "  <graph edgedefault=\"directed\">")?;
    for id in graph.ids() {
        let (state, initial) = (graph.state(id), graph.initial().contains(&id));
        writeln!(out, "    <node id=\"n{}\">", id.0)?;
        let mut data = |key: &str, value: &str| {
            let value = escaped(value);
            writeln!(out, "      <data key=\"{key}\">{value}</data>")
        };
        if initial {
            data("initial", "true")?;
        }
        data("progress", &state.progress.to_string())?;
        let values = state.shown.iter();
        let values: Vec<String> = values
            .map(|(name, value)| format!("{name} = {value}"))
            .collect();
        if !values.is_empty() {
            data("values", &values.join(", "))?;
        }
        for (number, truth) in state.truths.iter().enumerate() {
            data(&format!("p{number}"), &truth.to_string())?;
        }
        writeln!(out, "    </node>")?;
    }
    for edge in graph.edges() {
        let (source, target) = (edge.source.0, edge.target.0);
        let label = escaped(graph.label(edge));
        writeln!(
            out,
            "    <edge source=\"n{source}\" target=\"n{target}\"><data key=\"label\">{label}</data></edge>"
        )?;
    }
    writeln!(out, "  </graph>\n</graphml>")?;
    Ok(())
}

/// Text inside XML. Characters that XML cannot have at all are shown as what stands for unknown ones.
fn escaped(text: &str) -> Cow<'_, str> {
    let is_plain =
        |c: char| !matches!(c, '<' | '>' | '&' | '"' | '\u{fffe}' | '\u{ffff}') && c >= ' ';
    if text.chars().all(is_plain) {
        return text.into();
    }
    let mut escaped = String::new();
    for c in text.chars() {
        match c {
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '&' => escaped.push_str("&amp;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\r' => escaped.push_str("&#13;"),
            '\t' => escaped.push_str("&#9;"),
            c if is_plain(c) => escaped.push(c),
            _ => escaped.push('\u{fffd}'),
        }
    }
    escaped.into()
}
