//! Writing.

use std::io::Write;

use super::line::quoted;
use crate::lts::{Lts, TAU};
use sweepline_graph::WriteError;

/// Writes an LTS in the Aldebaran format; states keep their numbers.
///
/// What is written reads back to the same LTS, if no state has a name or a kind and labels are numbered in the order in
/// which they occur. The internal step is written `"tau"`.
///
/// ```
/// use sweepline_process::aut::{read_aut, write_lts_aut};
///
/// let lts = read_aut("link.aut", &b"des(0,2,2)\n(1,i,0)\n(0,send,1)"[..]).unwrap();
/// let mut file = Vec::new();
/// write_lts_aut(&lts, &mut file).unwrap();
/// assert_eq!(file, b"des (0, 2, 2)\n(0, \"send\", 1)\n(1, \"tau\", 0)\n");
/// ```
pub fn write_lts_aut(lts: &Lts, out: &mut impl Write) -> Result<(), WriteError> {
    let labels = lts.labels().iter().map(|label| written(label));
    let mut labels: Vec<String> = labels.collect::<Result<_, _>>()?;
    labels[TAU.index()] = "\"tau\"".to_string();
    let (first, edges, states) = (lts.initial().0, lts.edge_count(), lts.len());
    writeln!(out, "des ({first}, {edges}, {states})")?;
    for state in lts.states() {
        for edge in lts.edges_from(state) {
            let label = &labels[edge.label.index()];
            writeln!(out, "({}, {label}, {})", state.0, edge.target.0)?;
        }
    }
    Ok(())
}

fn written(label: &str) -> Result<String, WriteError> {
    if label.contains(['\n', '\r']) {
        let name = label.to_string();
        return Err(WriteError::LineBreak { name });
    }
    Ok(quoted(label))
}
