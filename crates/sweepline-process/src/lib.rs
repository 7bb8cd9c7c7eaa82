//! Networks of labelled transition systems: `.aut` and `.network` files to read, composition on the fly and in advance,
//! minimisation, and measures from the structure of components.
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
mod compose;
mod edge_list;
mod lts;
pub mod measure;
mod minimise;
mod network;
pub mod network_file;
mod network_system;
mod relabel;
mod scc;
#[cfg(test)]
mod testing;

pub use aut::{AutError, read_aut, read_aut_within, write_lts_aut};
pub use compose::{ComposeError, compose, compose_within};
pub use lts::{LabelId, Lts, LtsBuilder, LtsEdge, StateKind, TAU};
pub use minimise::{Equivalence, minimise, minimise_within};
pub use network::{Component, Network, Priority};
pub use network_file::{NetworkFileError, NotLoaded, read_network, read_network_within};
pub use network_system::{NetworkSystem, Participants};
pub use sweepline_graph::{StateId, WriteError};
