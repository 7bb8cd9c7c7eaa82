//! Finite automata that accept the words a system must not produce.

mod stutter;

use std::ops::Range;

use miette::Diagnostic;

use crate::{Pred, ResolveError, Source};

/// A non-deterministic finite automaton over the states of a system, which accepts what must not happen.
///
/// It reads the states of a run one by one, the initial one included, and moves along an edge whose guard holds in the
/// state it reads. A run is bad as soon as the automaton can be in an accepting state.
///
/// ```
/// use sweepline_logic::{AutomatonEdge, SafetyAutomaton, Source, parse_pred};
///
/// // Both processes are in their critical sections at the same time.
/// let text = Source::from("crit1 and crit2");
/// let mut automaton = SafetyAutomaton::new(text.clone());
/// let (safe, bad) = (automaton.add_state("safe"), automaton.add_state("bad"));
/// automaton.add_initial(safe);
/// automaton.add_accepting(bad);
/// let guard = parse_pred(&text).unwrap();
/// automaton.add_edge(AutomatonEdge { source: safe, guard, span: text.range(), target: bad });
/// assert_eq!(automaton.states(), ["safe", "bad"]);
/// ```
#[derive(Clone, Debug)]
pub struct SafetyAutomaton {
    text: Source,
    states: Vec<String>,
    initial: Vec<AutomatonState>,
    accepting: Vec<AutomatonState>,
    edges: Vec<AutomatonEdge>,
}

/// Index of a state of an automaton.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AutomatonState(pub u32);

/// A move of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutomatonEdge {
    /// Where it starts.
    pub source: AutomatonState,
    /// What must hold in the state that is read.
    pub guard: Pred,
    /// Where the guard stands in the automaton's text.
    pub span: Range<usize>,
    /// Where it leads.
    pub target: AutomatonState,
}

/// Why an automaton cannot be used with a system.
#[derive(Clone, Debug, Diagnostic, thiserror::Error)]
pub enum AutomatonError {
    /// A name in a guard is unknown, or the guard asks for more than slots.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Resolve(#[from] ResolveError),

    /// It cannot start.
    #[error("the automaton has no initial state")]
    #[diagnostic(code(logic::no_initial_state), help("name one"))]
    NoInitialState,

    /// It accepts before it has read anything.
    #[error("state `{state}` of the automaton is both initial and accepting")]
    #[diagnostic(
        code(logic::initial_and_accepting),
        help(
            "such an automaton calls every run bad before it begins; accept in a state of its own"
        )
    )]
    InitialAndAccepting {
        /// The state.
        state: String,
    },
}

impl SafetyAutomaton {
    /// An automaton without states, whose guards stand in `text`.
    pub fn new(text: Source) -> Self {
        Self {
            text,
            states: Vec::new(),
            initial: Vec::new(),
            accepting: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Adds a state.
    pub fn add_state(&mut self, name: impl Into<String>) -> AutomatonState {
        let index = u32::try_from(self.states.len()).expect("an automaton has below 2^32 states");
        self.states.push(name.into());
        AutomatonState(index)
    }

    /// Makes a state initial.
    pub fn add_initial(&mut self, state: AutomatonState) {
        self.initial.push(state);
    }

    /// Makes a state accepting.
    pub fn add_accepting(&mut self, state: AutomatonState) {
        self.accepting.push(state);
    }

    /// Adds a move.
    pub fn add_edge(&mut self, edge: AutomatonEdge) {
        self.edges.push(edge);
    }

    /// The names of its states, indexed by [`AutomatonState`].
    pub fn states(&self) -> &[String] {
        &self.states
    }

    /// The state of this name.
    pub fn state_named(&self, name: &str) -> Option<AutomatonState> {
        let index = self.states.iter().position(|state| state == name)?;
        u32::try_from(index).ok().map(AutomatonState)
    }

    /// The states it starts in.
    pub fn initial(&self) -> &[AutomatonState] {
        &self.initial
    }

    /// The states in which what must not happen has happened.
    pub fn accepting(&self) -> &[AutomatonState] {
        &self.accepting
    }

    /// Its moves, in the order they are tried.
    pub fn edges(&self) -> &[AutomatonEdge] {
        &self.edges
    }

    /// The text of its guards.
    pub fn text(&self) -> &Source {
        &self.text
    }
}
