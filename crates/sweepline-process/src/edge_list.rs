//! Edges that are being collected.

use crate::lts::LtsEdge;
use sweepline_graph::StateId;

/// Edges in the order they are found.
///
/// Nearly always that is the order of their sources. As long as it is, no edge needs to remember its source, and
/// nothing has to be sorted in the end.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeList {
    edges: Vec<LtsEdge>,
    /// Where the edges of each state begin, up to that of the last edge.
    first: Vec<usize>,
    /// The sources of all edges, once they are not in order.
    sources: Option<Vec<StateId>>,
}

/// States may be left out, but not so many that a list of them would take more memory than all edges.
const STATES_LEFT_OUT: usize = 1 << 20;

impl EdgeList {
    /// Adds an edge.
    #[inline]
    pub fn push(&mut self, source: StateId, edge: LtsEdge) {
        let state = source.index();
        if self.sources.is_none() {
            let most = 2 * self.edges.len() + STATES_LEFT_OUT;
            if state + 1 < self.first.len() || state > most {
                self.sources = Some(self.listed_sources());
            } else if self.first.len() <= state {
                self.first.resize(state + 1, self.edges.len());
            }
        }
        if let Some(sources) = &mut self.sources {
            sources.push(source);
        }
        self.edges.push(edge);
    }

    /// The source of every edge so far, where they are in order.
    #[cold]
    fn listed_sources(&mut self) -> Vec<StateId> {
        let first = std::mem::take(&mut self.first);
        let ends = first.iter().skip(1).copied().chain([self.edges.len()]);
        let mut sources = Vec::with_capacity(self.edges.len());
        for ((state, &start), end) in (0..).zip(&first).zip(ends) {
            sources.extend(std::iter::repeat_n(StateId(state), end - start));
        }
        sources
    }

    /// How many edges there are.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// How much memory they take.
    pub fn bytes(&self) -> usize {
        let sources = self.sources.as_ref().map_or(0, Vec::len);
        self.edges.len() * size_of::<LtsEdge>()
            + self.first.len() * size_of::<usize>()
            + sources * size_of::<StateId>()
    }

    /// Where the edges of each of so many states begin, and at last where they end; and the edges, by source. Those of
    /// the same source keep their order.
    pub fn by_source(mut self, count: usize) -> (Vec<usize>, Vec<LtsEdge>) {
        let Some(sources) = self.sources else {
            self.first.resize(count + 1, self.edges.len());
            self.first.shrink_to_fit();
            self.edges.shrink_to_fit();
            return (self.first, self.edges);
        };
        let mut first = vec![0; count + 1];
        for source in &sources {
            first[source.index() + 1] += 1;
        }
        for state in 0..count {
            first[state + 1] += first[state];
        }
        let mut next = first.clone();
        let mut sorted = self.edges.clone();
        for (source, edge) in sources.iter().zip(self.edges) {
            let place = &mut next[source.index()];
            sorted[*place] = edge;
            *place += 1;
        }
        (first, sorted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lts::LabelId;
    use proptest::prelude::*;

    /// The same from a list that is sorted.
    fn naive(count: usize, list: &[(u32, u32, u32)]) -> (Vec<usize>, Vec<LtsEdge>) {
        let mut list = list.to_vec();
        list.sort_by_key(|(source, ..)| *source);
        let below = |state: usize| list.iter().filter(|edge| (edge.0 as usize) < state).count();
        let edges = list.iter().map(|&(_, label, target)| edge(label, target));
        ((0..=count).map(below).collect(), edges.collect())
    }

    fn edge(label: u32, target: u32) -> LtsEdge {
        LtsEdge {
            label: LabelId(label),
            target: StateId(target),
        }
    }

    fn collected(list: &[(u32, u32, u32)]) -> EdgeList {
        let mut edges = EdgeList::default();
        for &(source, label, target) in list {
            edges.push(StateId(source), edge(label, target));
        }
        edges
    }

    proptest! {
        #[test]
        fn edges_are_sorted_by_source(
            list in prop::collection::vec((0_u32..6, 0_u32..3, 0_u32..6), 0..20),
            ordered in 0_usize..20,
        ) {
            // Some first edges in order, as in most files all of them are.
            let mut list = list;
            let ordered = ordered.min(list.len());
            list[..ordered].sort_by_key(|(source, ..)| *source);
            prop_assert_eq!(collected(&list).by_source(6), naive(6, &list));
        }
    }

    #[test]
    fn a_state_far_away_costs_nothing() {
        let edges = collected(&[(0, 0, 0), (u32::MAX, 0, 0)]);
        assert!(edges.bytes() < 1000);
    }
}
