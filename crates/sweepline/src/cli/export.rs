//! Writing graphs to files in common formats.

use std::path::Path;

use miette::Report;
use sweepline_core::Limits;
use sweepline_graph::{Graph, SwgError, WriteError};
use sweepline_session::{Error, GraphExport, export_for, units, write_graph};

use super::output::announce;
use super::signals;
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
        let limits = Limits::until(signals::cancel()); // what is known is written even if the time is over
        let written = self
            .target
            .write_with(|out| write_graph(graph, self.write, out, &limits).map_err(unwritten))?;
        let nodes = units::counted(graph.states().len() as u64, node);
        let edges = units::counted(graph.edges().len() as u64, "edge");
        announce(&written, &format!("{nodes} and {edges}"), quiet);
        Ok(())
    }
}

/// Why a file is not written: who writes files says best what is wrong with one.
pub fn unwritten(error: Error) -> files::WriteError {
    match error {
        Error::Export(WriteError::Io(error)) | Error::Graph(SwgError::Io(error)) => error.into(),
        other => files::WriteError::Other(other.into()),
    }
}
