//! Reading automata on infinite words: HOA, never claims, and the format of the thesis.

use std::ops::Range;

use miette::{Diagnostic, SourceSpan};
use sweepline_text::{Errors, Source};

use super::bdd::{Bdd, Bdds};
use super::{Acceptance, Guard, MOST, OmegaAutomaton, OmegaEdge, OmegaState};
use crate::automaton_file::{Purpose, read_states};
use crate::ltl::{Atoms, Temporal};
use crate::{AutomatonFileError, Pred, SyntaxError};

sweepline_text::located_errors! {
    /// Something is wrong with a file that describes an automaton on infinite words.
    #[derive(Clone, Debug, Diagnostic, thiserror::Error)]
    pub enum OmegaFileError: omega, SourceSpan {
        /// Something else should stand here.
        Unexpected { expected: String, found: String, #[help] help: Option<String> }
            unexpected: "expected {expected}, found {found}" [at: "here"],
        /// A version we do not know.
        Version { found: String } version: "HOA version `{found}` is not known" [at: "this version"]
            (help("only `v1` is read")),
        /// A header that may mean something.
        UnknownHeader { name: String, help: String } unknown_header: "the header `{name}:` is not known"
            [at: "may change the meaning"] (help("{help}")),
        /// The same header twice.
        DuplicateHeader { name: String } duplicate_header: "there are two headers `{name}:`" [at: "again here"],
        /// A header is missing.
        MissingHeader { name: &'static str } missing_header: "the header `{name}:` is missing"
            (help("a file begins with `HOA: v1`, then come `States:`, `Start:`, `AP:`, `Acceptance:`, and `--BODY--`")),
        /// Universal branching.
        Alternating {} alternating: "alternating automata cannot be read"
            [at: "leads to several states at once"] (help("convert it, for example with `autfilt --tgba`")),
        /// Too many of something.
        TooMany { what: &'static str, most: usize } too_many: "there are more than {most} {what}" [at: "too many"],
        /// A number beyond what was declared.
        OutOfRange { what: &'static str, number: u64, count: u64 }
            out_of_range: "there is no {what} {number}" [at: "not declared"]
            (help("they are numbered from 0, and there are {count} of them")),
        /// An alias without a definition.
        UnknownAlias { name: String, #[help] help: Option<String> } unknown_alias: "there is no alias `@{name}`" [at: "not defined before"],
        /// A state twice.
        DuplicateState { state: u64 } duplicate_state: "state {state} is described twice" [at: "again here"],
        /// Edges without labels must be as many as there are letters.
        ImplicitLabels { found: usize, letters: u64 }
            implicit_labels: "a state has {found} edges without labels where there are {letters} letters"
            [at: "this state"] (help("label each edge, as in `[0 & !1] 3`, or give one edge for each letter")),
        /// Labels both here and there.
        MixedLabels {} mixed_labels: "some edges of this state have labels and some have none" [at: "this edge"],
        /// Nested too deeply.
        TooDeep { limit: u32 } too_deep: "nested more than {limit} levels deep" [at: "too deep"],
        /// Labels that cannot be combined.
        TooLarge {} too_large: "the labels are combined in too many ways" (help("use fewer propositions")),
        /// An automaton that is given up.
        Aborted {} aborted: "the automaton is aborted" [at: "here"],
        /// A `goto` without its label.
        UnknownLabel { name: String, help: String } unknown_label: "there is no label `{name}`"
            [at: "not in this claim"] (help("{help}")),
        /// A label twice.
        DuplicateLabel { name: String } duplicate_label: "there are two labels `{name}`" [at: "again here"],
        /// Two of them.
        SecondElse {} second_else: "`else` may stand once among alternatives" [at: "again here"],
        ;
        /// A predicate is wrong.
        #[error(transparent)]
        #[diagnostic(transparent)]
        Syntax(#[from] SyntaxError),
        /// A file in the format of the thesis is wrong.
        #[error(transparent)]
        #[diagnostic(transparent)]
        States(#[from] AutomatonFileError),
    }
}

/// Reads an automaton on infinite words in any of the formats we know: HOA begins with `HOA:`, a never claim with `never`, and
/// everything else is taken for the format of the thesis (see [`crate::automaton_file`]), where accepting states have to be
/// visited again and again.
///
/// ```
/// use sweepline_logic::omega::{accepts, read_omega};
///
/// let claim = "never { init: if :: (true) -> goto init :: (!ready) -> goto accept fi;
///     accept: if :: (!ready) -> goto accept fi }";
/// let automaton = read_omega(&claim.into()).unwrap();
/// assert!(accepts(&automaton, &[1], &[0]) && !accepts(&automaton, &[], &[0, 1]));
/// ```
pub fn read_omega(source: &Source) -> Result<OmegaAutomaton, Errors<OmegaFileError>> {
    let mut text = source.text().trim_start();
    let commented = text.starts_with("/*");
    while let Some(comment) = text.strip_prefix("/*") {
        let rest = comment.split_once("*/").map_or("", |(_, rest)| rest);
        text = rest.trim_start();
    }
    let is_claim = text.strip_prefix("never").is_some_and(|rest| {
        rest.starts_with("/*") || rest.starts_with(|c: char| c == '{' || c.is_whitespace())
    });
    if is_claim {
        super::never::read_never(source)
    } else if commented || text.starts_with("HOA:") {
        super::hoa::read_hoa(source)
    } else {
        read_buchi(source)
    }
}

/// Reads the format of the thesis.
fn read_buchi(source: &Source) -> Result<OmegaAutomaton, Errors<OmegaFileError>> {
    let states = match read_states(source, Purpose::Infinite) {
        Ok(states) => states,
        Err(errors) => {
            let errors = errors.into_vec().into_iter();
            return Errors::in_order(empty(), errors.map(OmegaFileError::from).collect());
        }
    };
    let mut builder = Builder::new(source);
    let mut edges = vec![Vec::new(); states.states().len()];
    for edge in states.edges() {
        let marks = u64::from(states.accepting().contains(&edge.source));
        edges[edge.source.0 as usize].push(OmegaEdge {
            guard: builder.guard(&edge.guard),
            target: OmegaState(edge.target.0),
            marks,
        });
    }
    let initial = states.initial().iter();
    let initial = initial.map(|state| OmegaState(state.0)).collect();
    builder.finish(initial, edges)
}

/// An automaton without states.
pub(super) fn empty() -> OmegaAutomaton {
    OmegaAutomaton {
        atoms: Vec::new(),
        initial: Vec::new(),
        edges: Vec::new(),
        sets: 0,
        acceptance: Acceptance::all(0),
    }
}

/// Gathers the atoms of predicates on edges.
pub(super) struct Builder<'a> {
    source: &'a Source,
    atoms: Atoms,
    bdds: Bdds,
    pub errors: Vec<OmegaFileError>,
}

impl<'a> Builder<'a> {
    pub fn new(source: &'a Source) -> Self {
        Self {
            source,
            atoms: Atoms::default(),
            bdds: Bdds::default(),
            errors: Vec::new(),
        }
    }

    /// The letters in which a predicate holds.
    pub fn guard(&mut self, pred: &Pred) -> Guard {
        let formula = self.atoms.atom(pred);
        if self.atoms.count() > MOST {
            return Guard::default(); // reported at the end
        }
        let function = self.function(&formula);
        self.bdds.guard(function)
    }

    fn function(&mut self, formula: &Temporal) -> Bdd {
        match formula {
            Temporal::Constant(true) => Bdd::TRUE,
            Temporal::Atom(atom) => self.bdds.variable(*atom),
            Temporal::Not(operand) => {
                let operand = self.function(operand);
                self.bdds.not(operand)
            }
            Temporal::And(all) => all.iter().fold(Bdd::TRUE, |both, one| {
                let one = self.function(one);
                self.bdds.and(both, one)
            }),
            Temporal::Or(all) => all.iter().fold(Bdd::FALSE, |some, one| {
                let one = self.function(one);
                self.bdds.or(some, one)
            }),
            Temporal::Implies(a, b) => {
                let (a, b) = (self.function(a), self.function(b));
                let not_a = self.bdds.not(a);
                self.bdds.or(not_a, b)
            }
            Temporal::Iff(a, b) => {
                let (a, b) = (self.function(a), self.function(b));
                let (more, less) = (self.bdds.minus(a, b), self.bdds.minus(b, a));
                let differ = self.bdds.or(more, less);
                self.bdds.not(differ)
            }
            // A predicate speaks about one state.
            Temporal::Constant(false) | Temporal::Unary(..) | Temporal::Binary(..) => Bdd::FALSE,
        }
    }

    /// A Büchi automaton whose edges carry mark 0 where they leave accepting states.
    pub fn finish(
        mut self,
        initial: Vec<OmegaState>,
        edges: Vec<Vec<OmegaEdge>>,
    ) -> Result<OmegaAutomaton, Errors<OmegaFileError>> {
        let atoms = self.atoms.into_preds();
        if atoms.len() > MOST {
            self.errors.push(OmegaFileError::TooMany {
                what: "different predicates",
                most: MOST,
                text: self.source.named(),
                at: start(self.source).into(),
            });
        }
        if self.bdds.overflowed() {
            self.errors.push(OmegaFileError::TooLarge {});
        }
        let automaton = OmegaAutomaton {
            atoms,
            initial,
            edges,
            sets: 1,
            acceptance: Acceptance::all(1),
        };
        Errors::in_order(automaton, self.errors)
    }
}

/// The empty place where a text begins.
fn start(source: &Source) -> Range<usize> {
    let start = source.range().start;
    start..start
}
