//! From formulas to automata.

use super::arena::Arena;
use super::formula::Ltl;
use super::past::without_past;
use super::tableau::tableau;
use crate::omega::OmegaAutomaton;

/// A formula has no automaton of reasonable size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error, miette::Diagnostic)]
#[diagnostic(help("check its parts as properties of their own"))]
pub enum TranslateError {
    /// Too many states.
    #[error("the automaton of the formula has more than {0} states")]
    #[diagnostic(code(ltl::states))]
    States(usize),
    /// Too many acceptance sets.
    #[error("the automaton of the formula has more than {0} acceptance sets")]
    #[diagnostic(code(ltl::promises))]
    Promises(usize),
    /// Too many edges.
    #[error("a state of the formula's automaton has more than {0} ways to go on")]
    #[diagnostic(code(ltl::ways))]
    Ways(usize),
    /// Sets of letters that cannot be written down.
    #[error("the predicates of the formula are combined in too many ways")]
    #[diagnostic(code(ltl::letters))]
    Letters,
}

/// States an automaton may have on the way.
pub const MOST_STATES: usize = 20_000;

/// A generalised Büchi automaton that accepts exactly the words that satisfy a formula.
///
/// ```
/// use sweepline_logic::{ltl::translate, parse_ltl};
///
/// let response = parse_ltl("G (req -> F ack)").unwrap().ltl;
/// assert_eq!(translate(&response).unwrap().edges.len(), 2);
/// assert_eq!(translate(&response.negated()).unwrap().edges.len(), 2);
/// ```
pub fn translate(ltl: &Ltl) -> Result<OmegaAutomaton, TranslateError> {
    let atoms = u32::try_from(ltl.atoms.len()).expect("at most 64");
    let formula = without_past(&ltl.formula, atoms);
    let mut arena = Arena::default();
    let root = arena.normal(&formula);
    let all = highest(&formula).map_or(atoms, |atom| atoms.max(atom + 1));
    let (mut bdds, mut graph) = tableau(&mut arena, root, all, MOST_STATES)?;
    for edge in graph.edges.iter_mut().flatten() {
        edge.letters = bdds.exists_from(edge.letters, atoms);
    }
    graph.prune(&mut bdds);
    let automaton = graph.automaton(&mut bdds, ltl.atoms.clone());
    if bdds.overflowed() {
        return Err(TranslateError::Letters);
    }
    Ok(automaton)
}

/// The last atom of a formula.
fn highest(formula: &super::Temporal) -> Option<u32> {
    match formula {
        super::Temporal::Atom(atom) => Some(*atom),
        _ => formula.operands().into_iter().filter_map(highest).max(),
    }
}
