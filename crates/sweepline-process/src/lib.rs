//! Explicit state spaces and the small files around them: `.ss` state spaces, safety automata and formulas to read;
//! `.ss`, `.aut` and DOT to write. And networks of labelled transition systems: `.aut` and `.network` files to read,
//! composition on the fly and in advance, minimisation, and measures from the structure of components.
//!
//! ```
//! use sweepline_core::{Steps, System};
//! use sweepline_text::Source;
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
//!
//! ```
//! use sweepline_process::{Equivalence, Network, compose, minimise, read_aut};
//!
//! // A sender and a channel that may lose what it was sent.
//! let sender = read_aut("sender.aut", &b"des (0, 2, 2)\n(0, send, 1)\n(1, ack, 0)\n"[..]).unwrap();
//! let channel = read_aut("channel.aut", &b"des (0, 3, 2)\n(0, send, 1)\n(1, i, 0)\n(1, ack, 0)\n"[..]).unwrap();
//! let network = Network::parallel([("sender", sender), ("channel", channel)]);
//! let whole = compose(&network, 1000).unwrap();
//! assert_eq!(whole.len(), 3); // once something is lost, the sender waits for ever
//! assert_eq!(minimise(&whole, Equivalence::Branching).len(), 3);
//! ```

pub mod aut;
pub mod automaton;
mod compose;
mod edge_list;
mod explicit;
mod export;
pub mod formula;
mod graph;
mod intern;
mod lts;
pub mod measure;
mod minimise;
mod names;
mod network;
pub mod network_file;
mod network_system;
mod recorder;
mod relabel;
mod scc;
pub mod state_space;
#[cfg(test)]
mod testing;

pub use aut::{AutError, read_aut, read_aut_within, write_lts_aut};
pub use automaton::{AutomatonFileError, read_automaton};
pub use compose::{ComposeError, compose, compose_within};
pub use explicit::ExplicitSystem;
pub use export::{WriteError, write_aut, write_dot, write_ss};
pub use formula::{FormulaFileError, read_formulas};
pub use graph::{Graph, GraphEdge, GraphState, StateId};
pub use lts::{LabelId, Lts, LtsBuilder, LtsEdge, StateKind, TAU};
pub use minimise::{Equivalence, minimise, minimise_within};
pub use network::{Component, Network, Priority};
pub use network_file::{NetworkFileError, NotLoaded, read_network, read_network_within};
pub use network_system::NetworkSystem;
pub use recorder::{RecordError, Recorder};
pub use state_space::{SsError, read_ss};
pub use sweepline_text::{NotText, decode};
