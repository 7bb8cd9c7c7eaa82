//! Measures from the structure of components, after [KM02b, Sect. 5].
//!
//! A component of a network makes progress in its own graph: along the strongly connected components, which it can
//! never return to once it has left them, or along a spanning tree. The numbers of all components together are the
//! progress of the network.

mod rank;

pub use rank::{ComponentRank, RankKind, Ranking, ranks};
