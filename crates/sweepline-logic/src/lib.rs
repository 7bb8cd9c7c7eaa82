//! What can be said about states: predicates, progress expressions, properties, safety automata.

mod ast;

pub use ast::{BinaryOp, CompareOp, Expr, Formula, Name, Pred, Property, PropertyKind};
