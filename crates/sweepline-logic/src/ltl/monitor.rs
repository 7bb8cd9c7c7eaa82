//! Safety formulas over fluents as deterministic monitors, which tell after each action whether what happened can still go well
//! [KV01].
//!
//! A state of a monitor is a set of states that the formula's automaton can be in. Only those count from which something is accepted
//! along letters that actions can bring about: where none is left, every way to go on is against the formula. For a safety formula
//! that is all there is to say: what never comes to that satisfies it.

use std::collections::HashMap;

use sweepline_core::{ActionId, Components};

use super::translate::{TranslateError, translate};
use super::{Ltl, Temporal};
use crate::omega::{Acceptance, Letter, Marks, OmegaAutomaton, OmegaState};
use crate::{Fluents, Name, Pred};

/// A deterministic system that follows actions and knows when a formula is violated for good.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Monitor {
    /// For each state and action, the next state; nothing if the formula is violated then, however it goes on. The first state is
    /// the one it starts in.
    pub steps: Vec<Vec<Option<usize>>>,
}

/// A formula has no monitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MonitorError {
    /// Some run is against it, although nothing that happens is.
    #[error("it is no safety property: a run can violate it without ever doing something wrong")]
    NotSafety,
    /// There are too many states.
    #[error("its monitor has more than {MOST} states")]
    TooLarge,
    /// It has no automaton.
    #[error(transparent)]
    Translate(#[from] TranslateError),
}

/// States a monitor may have, and what it is made of.
const MOST: usize = 50_000;

impl Monitor {
    /// A monitor for a formula whose atoms are these fluents, and actions below a number. A run is read as the fluents that hold
    /// right after each of its actions.
    ///
    /// ```
    /// use sweepline_core::ActionId;
    /// use sweepline_logic::ltl::{Monitor, MonitorError};
    /// use sweepline_logic::{Fluent, Fluents, parse_ltl};
    ///
    /// // `open` happens and is not over before `close`.
    /// let open = Fluent {
    ///     name: "OPEN".into(),
    ///     starts: [ActionId(0)].into(),
    ///     ends: [ActionId(1)].into(),
    ///     initially: false,
    /// };
    /// let fluents = Fluents::new(vec![open]).unwrap();
    /// let monitor = |text| Monitor::new(&fluents, 2, &parse_ltl(text).unwrap().ltl.formula);
    /// let never = monitor("G not OPEN").unwrap();
    /// assert_eq!(never.steps, [[None, Some(0)]]);
    /// assert_eq!(monitor("G F OPEN"), Err(MonitorError::NotSafety));
    /// ```
    pub fn new(fluents: &Fluents, actions: u32, formula: &Temporal) -> Result<Self, MonitorError> {
        let names = fluents.all().iter().map(|fluent| Name::new(&fluent.name));
        let ltl = Ltl {
            atoms: names.map(Pred::Holds).collect(),
            formula: formula.clone(),
        };
        let read = |ltl: &Ltl| {
            let automaton = translate(ltl)?;
            if automaton.atoms == ltl.atoms {
                Ok(automaton)
            } else {
                Err(MonitorError::TooLarge)
            }
        };
        let (automaton, negated) = (read(&ltl)?, read(&ltl.negated())?);
        let graph = Graph::new(&automaton, fluents, actions)?;
        let (monitor, letters) = graph.determinised(&automaton, actions)?;
        if monitor.misses(&letters, &negated)? {
            return Err(MonitorError::NotSafety);
        }
        Ok(monitor)
    }

    /// Whether some run that it lets pass is accepted by an automaton. The letters are those of its states.
    fn misses(&self, letters: &[Letter], automaton: &OmegaAutomaton) -> Result<bool, MonitorError> {
        let roots = automaton.initial.iter().map(|state| (0, state.0));
        let mut nodes = Nodes::of(roots.collect());
        let mut edges = Vec::new();
        while let Some(&(at, state)) = nodes.all.get(edges.len()) {
            let mut out = Vec::new();
            for &next in self.steps[at].iter().flatten() {
                for edge in automaton.moves(OmegaState(state)) {
                    if edge.guard.contains(letters[next]) {
                        out.push((nodes.number((next, edge.target.0))?, edge.marks));
                    }
                }
            }
            edges.push(out);
        }
        let hopeful = hopeful(&edges, &automaton.acceptance);
        Ok(hopeful[..automaton.initial.len()].contains(&true))
    }
}

/// Numbers for what is reached.
struct Nodes<K> {
    numbers: HashMap<K, usize>,
    all: Vec<K>,
}

impl<K: Clone + Eq + std::hash::Hash> Nodes<K> {
    fn of(roots: Vec<K>) -> Self {
        Self {
            numbers: roots.iter().cloned().zip(0..).collect(),
            all: roots,
        }
    }

    fn number(&mut self, node: K) -> Result<usize, MonitorError> {
        if let Some(&known) = self.numbers.get(&node) {
            return Ok(known);
        }
        if self.all.len() >= MOST {
            return Err(MonitorError::TooLarge);
        }
        self.numbers.insert(node.clone(), self.all.len());
        self.all.push(node);
        Ok(self.all.len() - 1)
    }
}

/// An automaton that reads what actions bring about.
struct Graph {
    /// The fluents that hold in each node. The first nodes are those it starts in.
    letters: Vec<Letter>,
    /// From each node, the action, where it leads and the marks.
    edges: Vec<Vec<(u32, usize, Marks)>>,
}

impl Graph {
    fn new(
        automaton: &OmegaAutomaton,
        fluents: &Fluents,
        actions: u32,
    ) -> Result<Self, MonitorError> {
        let first = fluents.initially();
        let roots = automaton.initial.iter().map(|state| (first, state.0));
        let mut nodes = Nodes::of(roots.collect());
        let mut edges = Vec::new();
        while let Some(&(before, state)) = nodes.all.get(edges.len()) {
            let mut out = Vec::new();
            for action in 0..actions {
                let after = fluents.after(before, ActionId(action));
                for edge in automaton.moves(OmegaState(state)) {
                    if edge.guard.contains(after) {
                        out.push((action, nodes.number((after, edge.target.0))?, edge.marks));
                    }
                }
            }
            edges.push(out);
        }
        let letters = nodes.all.iter().map(|(letter, _)| *letter);
        Ok(Self {
            letters: letters.collect(),
            edges,
        })
    }

    /// The monitor, and the fluents that hold in each of its states.
    fn determinised(
        &self,
        automaton: &OmegaAutomaton,
        actions: u32,
    ) -> Result<(Monitor, Vec<Letter>), MonitorError> {
        let plain = |edges: &Vec<(u32, usize, Marks)>| {
            let edges = edges.iter().map(|&(_, target, marks)| (target, marks));
            edges.collect::<Vec<_>>()
        };
        let plain: Vec<_> = self.edges.iter().map(plain).collect();
        let hopeful = hopeful(&plain, &automaton.acceptance);
        let first = (0..automaton.initial.len()).filter(|&node| hopeful[node]);
        let mut sets = Nodes::of(vec![first.collect::<Vec<usize>>()]);
        let mut steps = Vec::new();
        while let Some(set) = sets.all.get(steps.len()).cloned() {
            let next = (0..actions).map(|action| {
                let edges = set.iter().flat_map(|&node| &self.edges[node]);
                let mut targets: Vec<usize> = edges
                    .filter(|(by, target, _)| *by == action && hopeful[*target])
                    .map(|&(_, target, _)| target)
                    .collect();
                targets.sort_unstable();
                targets.dedup();
                let left = (!targets.is_empty()).then_some(targets);
                left.map(|targets| sets.number(targets)).transpose()
            });
            let next = next.collect::<Result<Vec<_>, _>>()?;
            steps.push(next);
        }
        // Nothing is read in a set without members: no step leads there.
        let letter = |set: &Vec<usize>| set.first().map_or(0, |&node| self.letters[node]);
        let letters = sets.all.iter().map(letter).collect();
        Ok((Monitor { steps }, letters))
    }
}

/// The nodes of a graph from which a cycle can be reached that a condition without `Fin` accepts.
fn hopeful(edges: &[Vec<(usize, Marks)>], acceptance: &Acceptance) -> Vec<bool> {
    let found = Components::of_graph(edges.len(), |node, edge| {
        edges[node].get(edge).map(|&(target, _)| target)
    });
    let mut inside: Vec<Option<Marks>> = vec![None; found.count as usize];
    for (node, edges) in edges.iter().enumerate() {
        for &(target, marks) in edges {
            if found.of[node] == found.of[target] {
                *inside[found.of[node] as usize].get_or_insert(0) |= marks;
            }
        }
    }
    let accepted = |marks: &Option<Marks>| marks.is_some_and(|marks| acceptance.accepts(marks));
    let mut hopeful: Vec<bool> = inside.iter().map(accepted).collect();
    // An edge never leads to a component with a greater number.
    let mut nodes: Vec<usize> = (0..edges.len()).collect();
    nodes.sort_by_key(|&node| found.of[node]);
    for node in nodes {
        let mut onwards = edges[node].iter();
        let leads = onwards.any(|&(target, _)| hopeful[found.of[target] as usize]);
        hopeful[found.of[node] as usize] |= leads;
    }
    let of = found.of.iter();
    of.map(|&component| hopeful[component as usize]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ltl::holds_on;
    use crate::{Fluent, parse_ltl};
    use proptest::prelude::*;

    /// Two fluents and three actions: the first starts one, the second ends it and starts the other, the third ends both.
    fn fluents() -> Fluents {
        let fluent = |name: &str, starts: &[u32], ends: &[u32], initially| Fluent {
            name: name.into(),
            starts: starts.iter().copied().map(ActionId).collect(),
            ends: ends.iter().copied().map(ActionId).collect(),
            initially,
        };
        Fluents::new(vec![
            fluent("a", &[0], &[1, 2], false),
            fluent("b", &[1], &[2], true),
        ])
        .unwrap()
    }

    fn placed(formula: &Temporal, place: &impl Fn(u32) -> u32) -> Temporal {
        match formula {
            Temporal::Atom(atom) => Temporal::Atom(place(*atom)),
            other => other.map(|part| placed(part, place)),
        }
    }

    fn formula(text: &str) -> Temporal {
        let ltl = parse_ltl(text).unwrap().ltl;
        let place = |atom: u32| match &ltl.atoms[atom as usize] {
            Pred::Holds(name) if name.text == "a" => 0,
            _ => 1,
        };
        placed(&ltl.formula, &place)
    }

    #[test]
    fn safety_is_told_from_liveness() {
        for text in [
            "G not a",
            "a W b",
            "G (a -> X not a)",
            "G (a -> b)",
            "X X a",
            "b R a",
            "true",
            "false",
            // After the first action b holds, or neither does.
            "a U b",
        ] {
            assert!(
                Monitor::new(&fluents(), 3, &formula(text)).is_ok(),
                "{text}"
            );
        }
        for text in ["G F a", "F a", "X (a U b)", "F G b", "G (a -> F not a)"] {
            let made = Monitor::new(&fluents(), 3, &formula(text));
            assert_eq!(made, Err(MonitorError::NotSafety), "{text}");
        }
    }

    /// What is against a formula is noticed as soon as there is no way out, which may depend on what actions can do.
    #[test]
    fn a_promise_that_nothing_can_keep_is_broken_at_once() {
        // After the third action, no single one makes both hold.
        let monitor = Monitor::new(&fluents(), 3, &formula("G (not a -> X (a and b))")).unwrap();
        let [Some(first), Some(second), None] = monitor.steps[0][..] else {
            panic!("{monitor:?}");
        };
        assert_eq!(monitor.steps[second], [Some(first), None, None]);
    }

    fn formulas() -> impl Strategy<Value = Temporal> {
        let texts = [
            "G not a",
            "a W b",
            "G (a -> X not a)",
            "G (a -> (not b W a))",
            "X (b R a)",
            "a or X b",
            "G (b -> X (a or not b))",
            "(a W b) and X not b",
        ];
        prop::sample::select(texts.to_vec()).prop_map(formula)
    }

    proptest! {
        /// Against the definition, on runs that repeat themselves.
        #[test]
        fn runs_pass_if_and_only_if_they_satisfy_the_formula(
            formula in formulas(),
            stem in prop::collection::vec(0..3_u32, 0..6),
            cycle in prop::collection::vec(0..3_u32, 1..5),
        ) {
            let fluents = fluents();
            let monitor = Monitor::new(&fluents, 3, &formula).unwrap();
            let mut letter = fluents.initially();
            let mut read = |actions: &[u32]| -> Vec<Letter> {
                let letters = actions.iter().map(|&action| {
                    letter = fluents.after(letter, ActionId(action));
                    letter
                });
                letters.collect()
            };
            let mut word = read(&stem);
            word.extend(read(&cycle));
            let repeated = read(&cycle);
            let expected = holds_on(&formula, &word, &repeated);
            let rounds = (0..=monitor.steps.len() + 1).flat_map(|_| &cycle);
            let passes = stem.iter().chain(rounds).try_fold(0, |state, &action| {
                monitor.steps[state][action as usize]
            });
            prop_assert_eq!(passes.is_some(), expected);
        }
    }
}
