//! What the tests of several modules need.

use miette::{Diagnostic, GraphicalReportHandler, GraphicalTheme};

use crate::graph::Graph;

/// What a user sees of an error.
pub(crate) fn rendered(error: &dyn Diagnostic) -> String {
    let mut text = String::new();
    GraphicalReportHandler::new_themed(GraphicalTheme::unicode_nocolor())
        .with_width(80)
        .render_report(&mut text, error)
        .unwrap();
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// A graph as lines for comparison: number, progress, propositions that hold, edges.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Listing(pub Vec<String>);

impl Listing {
    pub fn of(graph: &Graph) -> Self {
        let line = |id| {
            let state = graph.state(id);
            let holding: Vec<&str> = graph
                .propositions()
                .iter()
                .zip(&state.truths)
                .filter(|(_, truth)| **truth)
                .map(|(name, _)| name.as_str())
                .collect();
            let state = format!("{} {} {{{}}}", state.id, state.progress, holding.join(" "));
            let edges = graph.edges_from(id).iter().map(|edge| {
                let target = graph.state(edge.target).id;
                format!(" -{}-> {target}", graph.label(edge))
            });
            std::iter::once(state).chain(edges).collect()
        };
        Self(graph.ids().map(line).collect())
    }
}
