//! Explicit state spaces and the small files around them: `.ss` state spaces, safety automata and formulas to read;
//! `.ss`, `.aut` and DOT to write.
//!
//! ```
//! use sweepline_core::{Steps, System};
//! use sweepline_logic::Source;
//! use sweepline_process::{ExplicitSystem, read_ss, write_aut};
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

pub mod automaton;
mod explicit;
mod export;
pub mod formula;
mod graph;
mod lts;
mod names;
mod network;
mod recorder;
pub mod state_space;
#[cfg(test)]
mod testing;
mod word;

pub use automaton::{AutomatonFileError, read_automaton};
pub use explicit::ExplicitSystem;
pub use export::{WriteError, write_aut, write_dot, write_ss};
pub use formula::{FormulaFileError, read_formulas};
pub use graph::{Graph, GraphEdge, GraphState, StateId};
pub use lts::{LabelId, Lts, LtsBuilder, LtsEdge, StateKind, TAU};
pub use network::{Component, Network, Priority};
pub use recorder::{RecordError, Recorder};
pub use state_space::{SsError, read_ss};
pub use word::{NotText, decode};
