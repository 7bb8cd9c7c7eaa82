//! What the components of an automaton can do, which says how much work it is to look for accepting cycles.

use std::cmp::Reverse;

use super::bdd::Bdds;
use super::emptiness::accepting_part;
use super::scc::components;
use super::{Marks, OmegaAutomaton, OmegaState, Outlook};

/// How a component accepts, from least to most work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It does not: no run that stays in it is accepted.
    Rejecting,
    /// Every run that gets there can stay there and be accepted: reaching it is enough.
    Terminal,
    /// Every run that stays in it is accepted: any cycle will do.
    Weak,
    /// It depends on the cycle; or there are so many acceptance sets that this was not looked into.
    Strong,
}

/// The components of an automaton.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Classes {
    /// The component of each state. Along an edge it never decreases.
    pub rank: Vec<u32>,
    /// How each component accepts.
    pub components: Vec<Class>,
}

impl Classes {
    /// How the component of a state accepts.
    pub fn of(&self, state: OmegaState) -> Class {
        self.components[self.rank[state.0 as usize] as usize]
    }

    /// How much work the whole automaton is: that of its worst component.
    pub fn whole(&self) -> Class {
        let worst = self.components.iter().copied().max();
        worst.unwrap_or(Class::Rejecting)
    }
}

/// Acceptance sets with which it is looked for cycles that are not accepted: it may take a search for each subset of them.
const MOST_SETS: u32 = 12;

impl OmegaAutomaton {
    /// What a product with the automaton has to know, given its classes.
    pub fn outlook(&self, classes: &Classes) -> Outlook {
        let accepts = |class: &Class| *class != Class::Rejecting;
        let mut hopeful: Vec<bool> = classes.components.iter().map(accepts).collect();
        let mut states: Vec<usize> = (0..self.edges.len()).collect();
        states.sort_by_key(|&state| Reverse(classes.rank[state]));
        for state in states {
            let readable = self.edges[state]
                .iter()
                .filter(|edge| !edge.guard.is_empty());
            let mut onwards = readable.map(|edge| classes.rank[edge.target.0 as usize]);
            let rank = classes.rank[state] as usize;
            hopeful[rank] = hopeful[rank] || onwards.any(|rank| hopeful[rank as usize]);
        }
        let live = classes.rank.iter().map(|&rank| hopeful[rank as usize]);
        Outlook {
            live: live.collect(),
            ranks: classes.rank.clone(),
        }
    }

    /// The components in topological order, and how each accepts.
    ///
    /// ```
    /// use sweepline_logic::{ltl::translate, omega::Class, parse_ltl};
    ///
    /// let class = |text| translate(&parse_ltl(text).unwrap().ltl).unwrap().classes().whole();
    /// assert_eq!(class("F a"), Class::Terminal);
    /// assert_eq!(class("G a"), Class::Weak);
    /// assert_eq!(class("G F a"), Class::Strong);
    /// ```
    pub fn classes(&self) -> Classes {
        let graph = self.graph();
        let targets = |edges: &Vec<(usize, Marks)>| edges.iter().map(|edge| edge.0).collect();
        let found = components(&graph.iter().map(targets).collect::<Vec<_>>());
        // They are found in reverse order.
        let rank = |state: usize| found.count - 1 - found.of[state];
        let members = found.members();
        let members = members.iter().rev();
        let classes = members.map(|members| self.class(&graph, members));
        let narrow = |rank: usize| u32::try_from(rank).expect("states have 32 bits");
        Classes {
            rank: (0..graph.len()).map(|state| narrow(rank(state))).collect(),
            components: classes.collect(),
        }
    }

    fn class(&self, graph: &[Vec<(usize, Marks)>], members: &[usize]) -> Class {
        let inside = |state: usize| members.binary_search(&state).is_ok();
        // The component alone.
        let own: Vec<Vec<(usize, Marks)>> = members
            .iter()
            .map(|&state| {
                let edges = graph[state].iter();
                let edges = edges.map(|&(target, marks)| (members.binary_search(&target), marks));
                edges
                    .filter_map(|(target, marks)| Some((target.ok()?, marks)))
                    .collect()
            })
            .collect();
        if accepting_part(&own, &self.acceptance).is_none() {
            return Class::Rejecting;
        }
        if self.sets > MOST_SETS || accepting_part(&own, &self.acceptance.negated()).is_some() {
            return Class::Strong;
        }
        let mut bdds = Bdds::default();
        let total = |&state: &usize| self.is_total(&mut bdds, state, inside);
        if members.iter().all(total) {
            Class::Terminal
        } else {
            Class::Weak
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::automaton;
    use super::*;
    use crate::{ltl::translate, omega::accepts, parse_ltl};
    use proptest::prelude::*;

    fn check(text: &str, expected: Class) {
        let automaton = translate(&parse_ltl(text).unwrap().ltl).unwrap();
        assert_eq!(automaton.classes().whole(), expected, "{text}");
    }

    #[test]
    fn formulas_have_classes() {
        check("false", Class::Rejecting);
        check("true", Class::Terminal);
        check("a U b", Class::Terminal);
        check("X F (a and F b)", Class::Terminal);
        check("a W b", Class::Weak);
        check("F G a", Class::Weak);
        check("G (a -> F b)", Class::Strong);
        check("G F a", Class::Strong);
    }

    proptest! {
        #[test]
        fn ranks_never_decrease_and_classes_tell_what_is_accepted(
            automaton in automaton(1),
            words in prop::collection::vec(prop::collection::vec(0..2_u64, 1..5), 20),
        ) {
            let classes = automaton.classes();
            for (state, edges) in automaton.edges.iter().enumerate() {
                for edge in edges {
                    prop_assert!(classes.rank[state] <= classes.rank[edge.target.0 as usize]);
                }
            }
            let live = automaton.outlook(&classes).live;
            for (state, live) in live.into_iter().enumerate() {
                let mut from = automaton.clone();
                from.initial = vec![OmegaState(u32::try_from(state).unwrap())];
                prop_assert_eq!(live, from.accepted_word().is_some());
            }
            // The automaton that starts in a state and stays in its component.
            for state in 0..automaton.edges.len() {
                let mut alone = automaton.clone();
                alone.initial = vec![OmegaState(u32::try_from(state).unwrap())];
                for (from, edges) in alone.edges.iter_mut().enumerate() {
                    edges.retain(|edge| classes.rank[from] == classes.rank[edge.target.0 as usize]);
                }
                let mut any = alone.clone();
                any.acceptance = crate::omega::Acceptance::all(0);
                for word in &words {
                    let (accepted, stays) = (accepts(&alone, &[], word), accepts(&any, &[], word));
                    match classes.of(alone.initial[0]) {
                        Class::Rejecting => prop_assert!(!accepted),
                        Class::Terminal => prop_assert!(accepted),
                        Class::Weak => prop_assert_eq!(accepted, stays),
                        Class::Strong => {}
                    }
                }
            }
        }
    }
}
