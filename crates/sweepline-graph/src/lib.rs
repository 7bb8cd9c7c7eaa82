//! State spaces as graphs: recorded from any system or read from `.ss` files, explored like a model, and written as `.ss`,
//! `.aut`, DOT and `GraphML`; and condensed graphs on disk, written while they are explored.
//!
//! ```
//! use sweepline_core::{Steps, System};
//! use sweepline_graph::{ExplicitSystem, read_ss, write_aut};
//! use sweepline_text::Source;
//!
//! // A packet is sent, and received or lost.
//! let file = Source::new("packet.ss", "1 0 1 !got send 2\n2 1 1 !got receive 3 lose 1\n3 2 1 got\n");
//! let graph = read_ss(&file).unwrap();
//!
//! let mut aut = Vec::new();
//! write_aut(&graph, &mut aut).unwrap();
//! assert!(aut.starts_with(b"des (0, 3, 3)\n(0, \"send\", 1)\n"));
//!
//! let system = ExplicitSystem::new(&graph);
//! let mut steps = Steps::for_layout(system.layout());
//! system.initial(&mut steps);
//! let progress = system.layout().slot_named("progress").unwrap();
//! assert_eq!(system.layout().value(steps.target(0), progress), 0);
//! ```

mod explicit;
mod export;
mod graph;
mod recorder;
pub mod state_space;
mod stored;
#[cfg(test)]
mod testing;

pub use explicit::ExplicitSystem;
pub use export::{WriteError, write_aut, write_dot, write_graphml, write_ss};
pub use graph::{Graph, GraphEdge, GraphState, StateId};
pub use recorder::{RecordError, Recorder};
pub use state_space::{SsError, read_ss};
pub use stored::{
    About, Block, Damage, Figures, GraphWriter, Node, Propositions, ReadAt, Shape, StoredGraph,
    StoredSystem, SwgError, VERSION, Way, condensed_bits,
};
