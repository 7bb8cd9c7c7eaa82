//! Condensed graphs on disk: written while they are explored, read a block at a time.
//!
//! After Mailund and Westergaard [MW04]: a state is a number, and states themselves are forgotten with the sweep-line; what is
//! kept is how numbers lead to numbers, from which states can be regenerated. We differ in how that is written. A step is linked
//! to the stored instance of its target, which may get its number later; so edges are written with names of instances, and who
//! reads finds the numbers where layers were opened. And edges are not written as such: see [`target`], [`block`].

mod bits;
mod block;
mod bytes;
mod dictionary;
mod error;
mod footer;
mod formula;
mod huffman;
mod mapping;
mod place;
mod plane;
mod reader;
mod shape;
mod system;
mod target;
mod tell;
mod way;
mod writer;

pub use error::{Damage, SwgError};
pub use footer::{About, Figures, VERSION};
pub use formula::condensed_bits;
pub use reader::{Block, Node, ReadAt, StoredGraph};
pub use shape::Shape;
pub use system::StoredSystem;
pub use way::Way;
pub use writer::{GraphWriter, Propositions};
