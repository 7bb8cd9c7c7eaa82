//! The states and steps of one process.

use std::sync::Arc;

use sweepline_core::{Interner, Word};

use super::joint::Joint;
use super::view::Views;
use crate::tables::number;

/// A step of a local graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// The action, of the process itself or of others.
    pub action: u32,
    /// The local state afterwards, which may be the same.
    pub target: u32,
}

/// What a process does and what others do to what it sees.
#[derive(Clone, Debug, Default)]
pub struct LocalGraph {
    states: Interner<Word>,
    edges: Vec<Vec<Edge>>,
    count: usize,
}

impl LocalGraph {
    /// How many states there are. The initial one has number 0.
    pub fn states(&self) -> usize {
        self.edges.len()
    }

    /// How many steps there are, those of others included.
    pub fn transitions(&self) -> usize {
        self.count
    }

    /// A state, with zeros where the process sees nothing.
    pub fn state(&self, number: usize) -> &[Word] {
        self.states.get(number)
    }

    /// The number of a state, if it is in the graph.
    pub fn find(&self, state: &[Word]) -> Option<usize> {
        self.states.known(state)
    }

    /// The steps of a state.
    #[inline]
    pub fn edges(&self, state: usize) -> &[Edge] {
        &self.edges[state]
    }

    /// The number of a state, and whether it is new.
    pub(super) fn insert(&mut self, state: &[Word]) -> (u32, bool) {
        let id = self.states.number(state);
        let is_new = id == self.edges.len();
        if is_new {
            self.edges.push(Vec::new());
        }
        (number(id), is_new)
    }

    /// Adds a step. Says whether it is new.
    pub(super) fn connect(&mut self, source: u32, edge: Edge) -> bool {
        let edges = &mut self.edges[source as usize];
        let is_new = !edges.contains(&edge);
        if is_new {
            edges.push(edge);
            self.count += 1;
        }
        is_new
    }

    pub(super) fn bytes(&self) -> usize {
        let lists = self.edges.capacity() * size_of::<Vec<Edge>>();
        self.states.bytes() + lists + 2 * self.count * size_of::<Edge>()
    }
}

/// The local graphs of all processes of a program.
#[derive(Clone, Debug)]
pub struct LocalGraphs {
    pub(super) views: Arc<Views>,
    pub(super) graphs: Vec<LocalGraph>,
    /// The pairs of local states that may occur together, where pairs were followed.
    pub(super) joints: Vec<Joint>,
}

impl LocalGraphs {
    /// What the processes see.
    pub fn views(&self) -> &Arc<Views> {
        &self.views
    }

    /// The graph of a process.
    pub fn of(&self, process: usize) -> &LocalGraph {
        &self.graphs[process]
    }

    /// How many pairs of local states were followed.
    pub fn pairs(&self) -> usize {
        self.joints.iter().map(Joint::len).sum()
    }

    /// Every pair of local states of two processes that may occur together, the state of the first process first. Nothing if they were
    /// not looked at as a pair.
    pub fn met(&self, one: usize, other: usize) -> Option<Vec<(u32, u32)>> {
        let pair = (one.min(other), one.max(other));
        let mut joints = self.joints.iter();
        let joint = joints.find(|joint| joint.processes() == pair)?;
        let ordered = joint.iter().map(|(left, right)| {
            if one < other {
                (left, right)
            } else {
                (right, left)
            }
        });
        Some(ordered.collect())
    }

    /// Whether two local states may occur together: nothing if the two processes were not looked at as a pair.
    pub fn may_meet(&self, one: (usize, usize), other: (usize, usize)) -> Option<bool> {
        let (left, right) = (one.min(other), one.max(other));
        let mut joints = self.joints.iter();
        let joint = joints.find(|joint| joint.processes() == (left.0, right.0))?;
        Some(joint.contains(number(left.1), number(right.1)))
    }
}
