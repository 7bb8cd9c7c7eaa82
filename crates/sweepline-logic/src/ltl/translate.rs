//! From formulas to automata.

use super::arena::{Arena, Id, Node};
use super::formula::{Ltl, Temporal};
use super::past::without_past;
use super::rewrite::rewritten;
use super::tableau::tableau;
use crate::omega::OmegaAutomaton;
use crate::omega::bdd::Bdds;
use crate::omega::tgba::Tgba;

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
    #[error("the automaton of the formula has more than {0} edges")]
    #[diagnostic(code(ltl::edges))]
    Edges(usize),
    /// Sets of letters that cannot be written down.
    #[error("the predicates of the formula are combined in too many ways")]
    #[diagnostic(code(ltl::letters))]
    Letters,
}

/// States an automaton may have on the way.
pub const MOST_STATES: usize = 20_000;

/// States the automaton of a negated formula may have, which is only made to find a smaller one.
const MOST_NEGATED: usize = 1_000;

/// A generalised Büchi automaton that accepts exactly the words that satisfy a formula.
///
/// ```
/// use sweepline_logic::{ltl::translate, parse_ltl};
///
/// let response = parse_ltl("G (req -> F ack)").unwrap().ltl;
/// assert_eq!(translate(&response).unwrap().edges.len(), 2);
/// assert_eq!(translate(&response.negated()).unwrap().edges.len(), 2);
/// ```
///
/// Its atoms are those of the formula, unless these are combined in so many ways that sets of letters cannot be written down; then they are
/// those of [`Ltl::coarse`].
pub fn translate(ltl: &Ltl) -> Result<OmegaAutomaton, TranslateError> {
    coarser_if_needed(ltl, |ltl| {
        Made::of(ltl)?.finish(|made| made.generalised.clone())
    })
}

/// A Büchi automaton that accepts exactly the words that satisfy a formula: it has one acceptance set, and either all or none of the
/// edges of a state are in it. Its atoms are those of [`translate`].
pub fn translate_to_states(ltl: &Ltl) -> Result<OmegaAutomaton, TranslateError> {
    coarser_if_needed(ltl, |ltl| Made::of(ltl)?.finish(Made::state_based))
}

fn coarser_if_needed(
    ltl: &Ltl,
    make: impl Fn(&Ltl) -> Result<OmegaAutomaton, TranslateError>,
) -> Result<OmegaAutomaton, TranslateError> {
    match make(ltl) {
        Err(TranslateError::Letters) => make(&ltl.coarse()),
        made => made,
    }
}

/// States the automaton of an operand may have, which is only made to see whether it is empty.
const MOST_SETTLED: usize = 50;

/// Operands that are looked at for this purpose.
const MOST_OPERANDS: usize = 8;

/// A formula's automaton, and what it was made with.
struct Made<'a> {
    ltl: &'a Ltl,
    bdds: Bdds,
    generalised: Tgba,
    /// The least weak deterministic automaton, if there is one.
    weak: Option<Tgba>,
}

impl<'a> Made<'a> {
    fn of(ltl: &'a Ltl) -> Result<Self, TranslateError> {
        let atoms = u32::try_from(ltl.atoms.len()).expect("at most 64");
        let mut arena = Arena::default();
        let mut bdds = Bdds::default();
        let root = normal(&mut arena, &ltl.formula, atoms);
        let mut generalised = tableau(&mut arena, &mut bdds, root, atoms, MOST_STATES)?;
        let mark = bdds.mark();
        let whole = generalised.clone();
        generalised.reduce(&mut bdds);
        if bdds.overflowed() {
            bdds.rewind(mark);
            generalised = whole;
        }
        let mark = bdds.mark();
        // An automaton of one state cannot become smaller.
        let mut weak = if generalised.edges.len() > 1 {
            let root = normal(&mut arena, &ltl.negated().formula, atoms);
            let negated = tableau(&mut arena, &mut bdds, root, atoms, MOST_NEGATED);
            let negated = negated.ok();
            negated.and_then(|negated| generalised.weak_deterministic(&mut bdds, &negated))
        } else {
            None
        };
        if bdds.overflowed() {
            bdds.rewind(mark);
            weak = None;
        }
        if let Some(weak) = &weak
            && weak.edges.len() <= generalised.edges.len()
        {
            generalised = weak.clone();
            generalised.simplify_sets();
        }
        Ok(Self {
            ltl,
            bdds,
            generalised,
            weak,
        })
    }

    fn state_based(&mut self) -> Tgba {
        let mut least = self.generalised.state_based(&mut self.bdds);
        if let Some(weak) = &self.weak {
            let weak = weak.state_based(&mut self.bdds);
            if weak.edges.len() <= least.edges.len() {
                least = weak;
            }
        }
        least
    }

    fn finish(
        &mut self,
        choose: impl FnOnce(&mut Self) -> Tgba,
    ) -> Result<OmegaAutomaton, TranslateError> {
        let graph = choose(self);
        let automaton = graph.automaton(&mut self.bdds, self.ltl.atoms.clone());
        if self.bdds.overflowed() {
            return Err(TranslateError::Letters);
        }
        Ok(automaton)
    }
}

/// A formula without past, rewritten.
fn normal(arena: &mut Arena, formula: &Temporal, atoms: u32) -> Id {
    let formula = without_past(formula, atoms);
    let root = arena.normal(&formula);
    let root = rewritten(arena, root);
    let settled = settled(arena, root);
    if settled == root {
        return root;
    }
    rewritten(arena, settled)
}

/// A formula without operands of `and` and `or` that always or never hold, as far as small automata tell.
fn settled(arena: &mut Arena, formula: Id) -> Id {
    let (Node::And(all) | Node::Or(all)) = arena.node(formula).clone() else {
        return formula;
    };
    if all.len() > MOST_OPERANDS {
        return formula;
    }
    let conjunction = matches!(arena.node(formula), Node::And(_));
    let mut kept = Vec::new();
    for operand in all {
        let operand = settled(arena, operand);
        // Of a conjunction what always holds can go, of a disjunction what never does.
        let superfluous = if conjunction {
            arena.not(operand)
        } else {
            operand
        };
        if !is_empty(arena, superfluous) {
            kept.push(operand);
        }
    }
    if conjunction {
        arena.and(kept)
    } else {
        arena.or(kept)
    }
}

/// Whether a formula has a small automaton that accepts nothing.
fn is_empty(arena: &mut Arena, formula: Id) -> bool {
    // Atoms are not projected away: what is impossible stays so for any values of theirs.
    let atoms = arena.atoms(formula);
    let rewritten = rewritten(arena, formula);
    let graph = tableau(arena, &mut Bdds::default(), rewritten, atoms, MOST_SETTLED);
    graph.is_ok_and(|graph| graph.edges.len() == 1 && graph.edges[0].is_empty())
}
