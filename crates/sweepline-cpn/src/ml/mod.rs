//! CPN ML: the part of Standard ML that models in CPN Tools use, and what CPN Tools adds to it.
//!
//! ```text
//!  text ──lexer──▶ tokens ──parser──▶ syntax tree ──infer──▶ core, typed ──compile──▶ code ──machine──▶ values
//! ```
//!
//! [`Declarations`] is filled in the order of the file: colour sets ([`Declarations::colour_set`], or as text), variables,
//! functions and values ([`Declarations::declare`]). A declaration that is wrong is reported, and its names are kept with the
//! reason: only who uses them has an error, as in CPN Tools. Then every inscription becomes an [`Expression`]
//! ([`Declarations::expression`]), which knows its variables, its [`Effects`] and its [`Shape`] for binding plans.
//!
//! The [`Machine`] inside the declarations owns all [`Values`] and evaluates: [`Machine::value`], [`Machine::truth`],
//! [`Machine::delay`], [`Machine::tokens`]. A binding is a slice of values with one place for each variable of the whole model,
//! at [`VariableId::index`]; only the places of the expression's own variables are read. Nothing is shared and nothing is
//! unsynchronised: a system keeps the declarations in a lock that it takes once for each state.
//!
//! # How colours are values
//!
//! A [`Value`] is eight bytes: either an integer itself, or the number of contents in the table. Equal contents have equal
//! values, so equality is one comparison.
//!
//! | colour | value |
//! | --- | --- |
//! | `unit` | [`Value::UNIT`] |
//! | `bool`, enumerations | the position as an integer, from 0 |
//! | `int`, `intinf`, `time`, characters | the integer |
//! | `index ph with 1..n` | the integer between the parentheses |
//! | `real`, `string` | contents in the table |
//! | products | fields in the table, in their order |
//! | records | fields in the table, ordered by their names |
//! | lists, multisets | [`Value::NIL`], or two fields: head and tail |
//! | unions, datatypes | the position as an integer, or two fields: that and the argument |
//!
//! # Time
//!
//! Delays of tokens are relative to the clock ([`Machine::set_time`]); `c @ t` is turned into the delay `t - time()`.
//! A delay at the very end of an inscription, outside of parentheses, delays all of it, unless other parts have delays of their
//! own: `n+1@+d` is `(n+1)@+d`, and ``if b then 1`x else empty @+7`` delays `x` by 7. CPN Tools' manual calls `@+` a separator
//! there. Everywhere else it is an operator that binds at 7.
//!
//! # Randomness
//!
//! Random functions fail with [`Failure::Random`] unless the machine makes choices ([`Machine::start_choices`],
//! [`Machine::next_choice`]): then evaluation is repeated until each result has been used.

mod build;
mod code;
mod colours;
mod compile;
mod core;
mod declarations;
mod delays;
mod environment;
mod errors;
mod expression;
mod failure;
mod infer;
mod lexer;
mod library;
mod machine;
mod members;
mod origin;
mod parser;
mod primitives;
mod quick;
mod syntax;
#[cfg(test)]
mod tests;
mod types;
mod values;

pub(crate) use colours::Kind as Original;
pub use colours::{ColourDecl, ColourId, Colours, Text};
pub use declarations::{Declarations, Expect, VariableId};
pub use errors::{MlError, MlErrors};
pub use expression::{CodeSegment, Count, Effects, Expression, Pattern, Shape, Term};
pub use failure::Failure;
pub use machine::{Budget, ConstantId, Machine, Tokens};
pub use origin::Origin;
pub use values::{Renumbering, Value, Values};
