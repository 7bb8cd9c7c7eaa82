//! What the components of an automaton can do, which says how much work it is to look for accepting cycles.

use super::bdd::Bdds;
use super::emptiness::accepting_part;
use super::scc::components;
use super::{Marks, OmegaAutomaton, OmegaState};

/// How a component accepts, from least to most work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// It does not: no run that stays in it is accepted.
    Rejecting,
    /// Every run that gets there can stay there and be accepted: reaching it is enough.
    Terminal,
    /// Every run that stays in it is accepted: any cycle will do.
    Weak,
    /// It depends on the cycle.
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

impl OmegaAutomaton {
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
        if accepting_part(&own, &self.acceptance.negated()).is_some() {
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
