//! Local graphs that are exact, since all global states are looked at.

use std::sync::Arc;

use sweepline_core::{ActionId, Control, Expanded, Observer, Word};

use super::graph::{Edge, LocalGraph, LocalGraphs};
use super::view::Views;

/// What processes see of every state that is expanded: the paper's *Mono* \[Zhe14, Sect. 4\].
///
/// It watches an exploration of the system itself, in its first encoding. Expanding a state again changes nothing.
#[derive(Clone, Debug)]
pub struct Projection {
    views: Arc<Views>,
    graphs: Vec<LocalGraph>,
    state: Vec<Word>,
    /// The numbers of what the processes see of the state that is expanded.
    sources: Vec<u32>,
}

impl Projection {
    /// Nothing was seen yet.
    pub fn new(views: Arc<Views>) -> Self {
        let mut projection = Self {
            graphs: vec![LocalGraph::default(); views.processes()],
            state: Vec::new(),
            sources: Vec::new(),
            views,
        };
        let views = Arc::clone(&projection.views);
        projection.look_at(views.system().start());
        projection
    }

    /// Takes note of a state.
    pub fn look_at(&mut self, state: &[Word]) {
        self.sources.clear();
        for (process, graph) in self.graphs.iter_mut().enumerate() {
            self.views.project(process, state, &mut self.state);
            self.sources.push(graph.insert(&self.state).0);
        }
    }

    /// Takes note of a step of the state that was looked at last.
    pub fn step(&mut self, action: ActionId, target: &[Word]) {
        for (process, graph) in self.graphs.iter_mut().enumerate() {
            if self.views.is_involved(process, action) {
                self.views.project(process, target, &mut self.state);
                let (target, _) = graph.insert(&self.state);
                let action = action.0;
                graph.connect(self.sources[process], Edge { action, target });
            }
        }
    }

    /// What was seen. It is everything only if everything was explored.
    pub fn finish(self) -> LocalGraphs {
        LocalGraphs {
            views: self.views,
            graphs: self.graphs,
            joints: Vec::new(),
        }
    }
}

impl Observer for Projection {
    fn expanded(&mut self, event: Expanded<'_>) -> Control {
        self.look_at(event.state);
        for (action, target) in event.actions().iter().zip(event.targets()) {
            self.step(*action, target);
        }
        Control::Continue
    }

    fn bytes(&self) -> usize {
        self.graphs.iter().map(LocalGraph::bytes).sum()
    }
}
