//! Writing graphs to files in common formats.

use std::path::Path;

use miette::Report;
use sweepline_graph::{Graph, WriteError};
use sweepline_session::{GraphExport, export_for, units};

use super::output::announce;
use sweepline_report::files::{self, Files, Target};

/// A file for a state space, in the format its name says.
pub struct Export {
    target: Target,
    write: GraphExport,
}

impl Export {
    /// Whether it can be written is found out now.
    pub fn open(file: &Path, files: &mut Files) -> Result<Self, Report> {
        Ok(Self {
            write: export_for(file)?,
            target: files.target(file)?,
        })
    }

    /// Writes a graph of states, or of what else its nodes are.
    pub fn write(self, graph: &Graph, node: &str, quiet: bool) -> Result<(), Report> {
        let written = self.target.write_with(|out| {
            (self.write)(graph, out).map_err(|error| match error {
                WriteError::Io(error) => files::WriteError::Io(error),
                other => files::WriteError::Other(other.into()),
            })
        })?;
        let nodes = units::counted(graph.states().len() as u64, node);
        let edges = units::counted(graph.edges().len() as u64, "edge");
        announce(&written, &format!("{nodes} and {edges}"), quiet);
        Ok(())
    }
}
