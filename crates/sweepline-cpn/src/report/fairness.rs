//! How fair infinite runs are to transitions.

use std::fmt;

use super::graph::Graph;

/// How fair all infinite runs are to a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fairness {
    /// It occurs infinitely often in each of them.
    Impartial,
    /// It occurs infinitely often where it is enabled infinitely often.
    Fair,
    /// It occurs infinitely often where it is always enabled from some time on.
    Just,
    /// Nothing of this.
    None,
}

impl fmt::Display for Fairness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Impartial => "Impartial",
            Self::Fair => "Fair",
            Self::Just => "Just",
            Self::None => "No Fairness",
        })
    }
}

impl Graph {
    /// How fair infinite runs are to each transition; empty if there are none.
    pub(super) fn fairness(&self, names: &[String]) -> Vec<(String, Fairness)> {
        if !self.has_cycle(|_| true, |_| true) {
            return Vec::new();
        }
        let all = (0..).zip(names);
        let fairness = |action: u32| self.fairness_of(&|edge| self.edges[edge].2 == action);
        all.map(|(action, name)| (name.clone(), fairness(action)))
            .collect()
    }

    /// How fair infinite runs are to some edges, by their numbers.
    pub(crate) fn fairness_of(&self, is_own: &dyn Fn(usize) -> bool) -> Fairness {
        let others = |edge: usize| !is_own(edge);
        let is_enabled = |state: usize| self.edges_of(state).any(is_own);
        if !self.has_cycle(others, |_| true) {
            return Fairness::Impartial;
        }
        if !self.has_cycle(others, is_enabled) {
            return Fairness::Fair;
        }
        let always = |edge: usize| {
            let (from, to, _) = self.edges[edge];
            others(edge) && is_enabled(from as usize) && is_enabled(to as usize)
        };
        if !self.has_cycle(always, |_| true) {
            return Fairness::Just;
        }
        Fairness::None
    }

    /// Whether some of the edges make a cycle through such a state.
    fn has_cycle(&self, kept: impl Fn(usize) -> bool, through: impl Fn(usize) -> bool) -> bool {
        let components = self.components_of(&kept);
        let mut is_cyclic = vec![false; components.count as usize];
        for (number, edge) in self.edges.iter().enumerate() {
            let (from, to) = (edge.0 as usize, edge.1 as usize);
            if kept(number) && components.of[from] == components.of[to] {
                is_cyclic[components.of[from] as usize] = true;
            }
        }
        let mut states = components.of.iter().enumerate();
        states.any(|(state, of)| is_cyclic[*of as usize] && through(state))
    }
}
