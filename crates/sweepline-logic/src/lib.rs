//! What can be said about states: predicates, progress expressions, properties, safety automata.
//!
//! A text becomes an AST ([`parse_pred`], [`parse_expr`], [`parse_formula`]; the language is described in [`syntax`]),
//! the AST is resolved against the names of a system ([`Scope`]), and what comes out ([`Predicate`], [`IntExpr`],
//! [`Measure`], [`Product`]) works on the words of a state and looks nothing up any more.
//!
//! ```
//! use sweepline_core::{ActionId, Describe, Layout, Steps, System, Word};
//! use sweepline_logic::{Enabled, Predicate, Scope, Source, parse_pred};
//!
//! /// A counter that goes from 0 to 3 and stops there.
//! struct Counter(Layout, [String; 1]);
//! impl System for Counter {
//!     fn layout(&self) -> &Layout { &self.0 }
//!     fn initial(&self, out: &mut Steps) { out.push(ActionId(0), &[0]); }
//!     fn successors(&self, state: &[Word], out: &mut Steps) {
//!         if state[0] < 3 { out.push(ActionId(0), &[state[0] + 1]); }
//!     }
//! }
//! impl Describe for Counter {
//!     fn actions(&self) -> &[String] { &self.1 }
//! }
//!
//! let counter = Counter(Layout::builder().integer("n", 0, 3).build(), ["count".into()]);
//! let text = Source::from("n >= 2 and fireable(count)");
//! let pred = parse_pred(&text).unwrap();
//! let predicate = Predicate::resolve(&pred, &Scope::of(&counter), &text).unwrap();
//!
//! let mut enabled = Enabled::default();
//! enabled.set(&[ActionId(0)], false);
//! assert_eq!(predicate.eval(&[2], &enabled), Ok(true));
//! enabled.set(&[], true);
//! assert_eq!(predicate.eval(&[3], &enabled), Ok(false));
//! ```

mod ast;
mod automaton;
pub mod automaton_file;
pub mod ctl;
mod enabled;
mod expression;
mod fluents;
pub mod formula_file;
mod linear;
mod lookups;
pub mod ltl;
mod measure;
pub mod omega;
mod place;
mod predicate;
mod printing;
mod product;
mod resolution;
mod scope;
mod sum;
pub mod syntax;
mod terms;
#[cfg(test)]
mod testing;

pub use ast::{BinaryOp, BitOp, CompareOp, Expr, Formula, Pred, Property, PropertyKind};
pub use automaton::{AutomatonEdge, AutomatonError, AutomatonState, SafetyAutomaton};
pub use automaton_file::{AutomatonFileError, read_automaton};
pub use enabled::Enabled;
pub use expression::{EvalError, IntExpr};
pub use fluents::{Fluent, Fluents, Observed};
pub use formula_file::{FormulaFileError, FormulaLine, formula_lines, read_formulas};
pub use measure::{Coordinate, Leading, Measure, MeasureError, Ranges};
pub use predicate::Predicate;
pub use product::{Acceptor, Product};
pub use resolution::ResolveError;
pub use scope::{Definition, Scope};
pub use sum::Sum;
pub use sweepline_text::{Errors, Name, Source, nearest};
pub use syntax::{
    MAX_DEPTH, ParsedCtl, ParsedLtl, SyntaxError, SyntaxWarning, parse_ctl, parse_definition,
    parse_expr, parse_exprs, parse_formula, parse_ltl, parse_pred, parse_property,
};
pub use terms::Atom;
