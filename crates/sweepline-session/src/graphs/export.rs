//! Writing graphs in common formats.

use std::io::{self, Write};
use std::path::Path;

use sweepline_core::{Limits, StopReason};
use sweepline_graph::{Graph, WriteError, write_aut, write_dot, write_graphml, write_ss};

use super::open_graph;
use crate::error::Error;

/// Writes a graph in a format.
pub type GraphExport = fn(&Graph, &mut dyn Write) -> Result<(), WriteError>;

/// How to write a graph to a file of this name.
pub fn export_for(file: &Path) -> Result<GraphExport, Error> {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("ss") => Ok(|graph, mut out| write_ss(graph, &mut out)),
        Some("aut") => Ok(|graph, mut out| write_aut(graph, &mut out)),
        Some("dot" | "gv") => Ok(|graph, mut out| write_dot(graph, &mut out)),
        Some("graphml") => Ok(|graph, mut out| write_graphml(graph, &mut out)),
        _ => Err(Error::UnknownExport {
            path: file.to_owned(),
        }),
    }
}

/// The graph of a file in main memory, if it has at most so many nodes, and what its nodes are called.
pub fn exported(path: &Path, most: usize, limits: &Limits) -> Result<(Graph, &'static str), Error> {
    let stored = open_graph(path, limits)?;
    let node = if stored.figures().repeated {
        "node"
    } else {
        "state"
    };
    let graph = stored.in_memory(most);
    let graph = graph.map_err(|why| Error::from(why).in_file(path))?;
    Ok((graph, node))
}

/// Writes a graph in a format, as long as the limits allow.
pub fn write_graph(
    graph: &Graph,
    format: GraphExport,
    out: &mut dyn Write,
    limits: &Limits,
) -> Result<(), Error> {
    let mut out = Limited {
        out,
        limits,
        unseen: 0,
        stopped: None,
    };
    let written = format(graph, &mut out);
    match out.stopped {
        Some(reason) => Err(WriteError::Stopped(reason).into()),
        None => Ok(written?),
    }
}

/// Where a graph is written to until limits are reached: formats need not know of them.
struct Limited<'a> {
    out: &'a mut dyn Write,
    limits: &'a Limits,
    /// Bytes since the limits were looked at.
    unseen: usize,
    stopped: Option<StopReason>,
}

/// Bytes between two looks at the limits.
const LOOK: usize = 1 << 16;

impl Write for Limited<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.unseen += bytes.len();
        if self.unseen >= LOOK {
            self.unseen = 0;
            if let Err(reason) = self.limits.allow(0) {
                self.stopped = Some(reason);
                return Err(io::Error::other("a limit was reached"));
            }
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sweepline_graph::GraphState;

    /// A graph of so many states that nothing connects; the first is initial.
    fn states(count: i64) -> Graph {
        let state = |id| GraphState {
            id,
            progress: 0,
            truths: [].into(),
            shown: Vec::new(),
        };
        let states = (0..count).map(state).collect();
        let initial = vec![sweepline_graph::StateId(0)];
        Graph::new(Vec::new(), Vec::new(), states, Vec::new(), initial)
    }

    /// Bytes that are written of a graph when somebody wants an end from the start, and why it ended.
    fn cancelled(count: i64) -> (usize, Option<StopReason>) {
        let limits = Limits::default();
        limits.cancel.cancel();
        let mut out = Vec::new();
        let format = export_for(Path::new("g.dot")).unwrap();
        let written = write_graph(&states(count), format, &mut out, &limits);
        let reason = written.err().and_then(|error| error.stop_reason().cloned());
        (out.len(), reason)
    }

    #[test]
    fn writing_ends_when_somebody_wants_it_to() {
        let (bytes, reason) = cancelled(100_000);
        assert_eq!(reason, Some(StopReason::Interrupted));
        assert!(bytes < LOOK, "{bytes}");
        // What takes no time is written.
        assert_eq!(cancelled(3).1, None);
    }
}
