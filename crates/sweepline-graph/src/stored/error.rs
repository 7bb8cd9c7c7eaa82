//! What can be wrong with a file.

use std::io;

use miette::Diagnostic;
use sweepline_core::StopReason;

/// Why a graph file could not be read or written.
#[derive(Debug, Diagnostic, thiserror::Error)]
pub enum SwgError {
    /// The system says no.
    #[error("the graph file could not be read or written: {0}")]
    #[diagnostic(code(swg::io))]
    Io(io::Error),

    /// It begins like something else.
    #[error("this is no graph file")]
    #[diagnostic(
        code(swg::foreign),
        help("`sweepline graph build MODEL -o FILE.swg` writes one")
    )]
    Foreign,

    /// It was written by a later version.
    #[error(
        "the graph file has version {version} of the format; this program reads version {known}"
    )]
    #[diagnostic(
        code(swg::version),
        help("use a newer sweepline, or build the graph again")
    )]
    Version {
        /// What the file says.
        version: u32,
        /// What can be read.
        known: u32,
    },

    /// The end is missing.
    #[error("the graph file has no end: writing it was interrupted, or it was cut")]
    #[diagnostic(code(swg::truncated), help("build the graph again"))]
    Truncated,

    /// What is in it contradicts its checksums or itself.
    #[error("the graph file is damaged: {0}")]
    #[diagnostic(code(swg::damaged), help("build the graph again"))]
    Damaged(Damage),

    /// The run that is recorded does not fit the format.
    #[error("the graph is too large for its format: {what}")]
    #[diagnostic(code(swg::too_large))]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
    },

    /// A graph with too many nodes to be had in main memory.
    #[error("the graph has {nodes} nodes, and at most {limit} are written")]
    #[diagnostic(
        code(swg::too_many_nodes),
        help("raise the limit with --export-states")
    )]
    TooManyNodes {
        /// How many it has.
        nodes: u64,
        /// How many are wanted at most.
        limit: usize,
    },

    /// A graph of which a part is missing.
    #[error("the graph is not complete: the exploration that wrote it ended early")]
    #[diagnostic(
        code(swg::incomplete),
        help(
            "what is asked of all states cannot be answered by some; build the graph again with larger limits"
        )
    )]
    Incomplete,

    /// A limit was reached, or somebody wanted an end, before the whole graph was looked at.
    #[error("{0}")]
    #[diagnostic(code(swg::stopped))]
    Stopped(StopReason),

    /// A proposition has no value in a state.
    #[error("proposition `{proposition}` has no value in a state: {why}")]
    #[diagnostic(code(swg::undefined_proposition))]
    Undefined {
        /// The proposition.
        proposition: String,
        /// Why not.
        why: String,
    },
}

/// The cause is part of the message, and not told once more below it.
impl From<io::Error> for SwgError {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<Damage> for SwgError {
    fn from(damage: Damage) -> Self {
        Self::Damaged(damage)
    }
}

/// How a file contradicts itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// Bytes at its beginning that are always zero are not.
    #[error("it begins with bytes that are never written")]
    Begin,
    /// A part ends before everything is there.
    #[error("a part of it ends too early")]
    Short,
    /// A part is not what was written.
    #[error("a checksum does not match")]
    Checksum,
    /// A number is larger than it can be.
    #[error("a number is out of range")]
    Number,
    /// A code that nothing was written in.
    #[error("a code means nothing")]
    Code,
    /// An edge leads nowhere.
    #[error("an edge leads to a node that does not exist")]
    Edge,
    /// A name is no text.
    #[error("a name is not text")]
    Name,
}
