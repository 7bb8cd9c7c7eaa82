//! The FSP language of Magee and Kramer, compiled to networks of labelled transition systems.
//!
//! [`read_fsp`] reads a model; the example there shows one. What it cannot read it reports with places and proposals,
//! everything at once. The language is that of *Concurrency: State Models and Java Programs*, as the tool LTSA reads it.
//!
//! # Semantics
//!
//! - A primitive process becomes one component. Its states are numbered in textual order: the definitions of the process
//!   one after the other, of a family `Q[i:R]` those with lower indices first (the last of several indices is the
//!   fastest), and behind each of them the unnamed states between its actions, called `Q[1].1`, `Q[1].2` and so on.
//!   `STOP`, `END` and `ERROR` behind an action are one state each, and come last; `Q = STOP` as a whole definition is a
//!   state of its own, in its place. States that cannot be reached are left out; the others keep their order.
//! - The alphabet of a process is all labels of its definitions, also of those that cannot be reached, for all values of
//!   their indices but without actions whose guard is false; and its extension.
//! - An action with several labels leads to one state, unless it binds a variable: then to one state for each value.
//! - A reference to a local process with indices outside its range is an error. A process that another one refers to
//!   (`P;Q`, or `P` at the end of actions) is copied into it.
//! - Composition flattens: labelling and relabelling is done to the components. Labels that an inner composition hides
//!   are called `label#1` and the like, so that nobody else takes part in them. Some inner compositions are composed in
//!   advance to one component: those with priorities, those with the words `minimal`, `deterministic`, `property` or
//!   `compose`, and those of which different labels get the same new name, which must not make them synchronise.
//! - A property is completed: whatever its alphabet has and it does not allow leads to an error. All its other states are
//!   ends, since it keeps nobody from ending.
//! - Relabelling, hiding, interfaces, priorities and progress properties take a label for all labels that begin with it:
//!   `a` is also `a.b` and `a[1]`. Where several match, relabelling takes the longest.
//! - `+`, `/`, `\`, `@`, `>>` and `<<` behind a process are applied in the order they are written.
//! - `minimal` reduces by branching bisimilarity with divergence, which is finer than the observation equivalence of LTSA,
//!   and in a model with priorities by strong bisimilarity.
//! - Fluents and formulas over them are kept as text, with a warning.

mod ast;
mod change;
mod check;
mod composite;
mod elaborate;
mod errors;
mod formula;
mod found;
mod model;
mod parser;
mod process;
mod token;
mod value;

pub use errors::{FspError, FspErrors, FspWarning};
pub use formula::{Assertion, Fluent};
pub use model::{FspModel, LoadOptions, Menu, ProgressProperty, read_fsp};
