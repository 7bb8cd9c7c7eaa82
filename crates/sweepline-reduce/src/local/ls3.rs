//! Local state space search, after Zheng \[Zhe14, Sect. 3.2, Alg. 2 and 3\].
//!
//! Processes that have to do with each other are followed in pairs, from the pair of their initial states; what one does to
//! the view of the other becomes an external step there, and so on until nothing changes. We differ from what is printed:
//!
//! - Every state is closed under the steps of its process wherever it comes from, a pair is followed again for every step that
//!   is added later, and a change is a new *step*, not only a new state. An action of a third process that only one of a pair
//!   sees moves that one alone; the printed algorithm has no such case.
//! - The printed algorithm starts every pair anew after each change. We keep the pairs and a list of three events – a new
//!   state, a new step, a new pair – so that every step is applied to every pair once.
//! - A joint action of two processes enters their graphs only by the pair of the two, where everything that decides it is
//!   known; such pairs are followed even if they see nothing in common. To third processes it is an action of its
//!   first owner, who sees what it does to them; the second owner and they can take it only together.
//!
//! What is found is a least fixpoint, so it does not depend on the order of events.

use std::collections::VecDeque;
use std::sync::Arc;

use sweepline_core::{ActionId, Limits, Word};
use sweepline_program::Outcome;

use super::graph::{Edge, LocalGraph, LocalGraphs};
use super::joint::{Joint, Side};
use super::view::Views;
use super::{Budget, Extent, Unfinished};
use crate::tables::number;

/// The local graphs of all processes, by following pairs.
pub fn ls3(views: &Arc<Views>, limits: &Limits) -> Result<LocalGraphs, Unfinished> {
    ls3_up_to(Extent::FULL, views, limits)
}

/// The same, given up where they become larger than this.
pub fn ls3_up_to(
    extent: Extent,
    views: &Arc<Views>,
    limits: &Limits,
) -> Result<LocalGraphs, Unfinished> {
    let mut budget = Budget::new(limits, extent);
    let mut search = Search::new(views, &mut budget)?;
    search.run(&mut budget)?;
    Ok(LocalGraphs {
        views: Arc::clone(views),
        graphs: search.processes.into_iter().map(|it| it.graph).collect(),
        joints: search.joints,
    })
}

struct Search<'v> {
    views: &'v Views,
    processes: Vec<Process>,
    joints: Vec<Joint>,
    /// Steps that were not applied to pairs yet, in the order they were found.
    steps: VecDeque<(usize, u32)>,
    /// Pairs that were not followed yet.
    pairs: Vec<(u32, u32, u32)>,
}

/// One process during the search.
struct Process {
    graph: LocalGraph,
    /// How many of the steps of each state were applied to pairs: they are applied in their order.
    applied: Vec<u32>,
    /// The pairs of processes it belongs to.
    joints: Vec<(usize, Side)>,
}

/// What an action in the graph of one side means to a pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// It moves this side and the other one sees nothing.
    Alone,
    /// It is an action of this side that the other one sees.
    Changes,
    /// It is an action of somebody else that both see.
    Both,
    /// It is applied from the other side, or by the two together.
    Elsewhere,
}

impl Rule {
    #[inline]
    fn of(views: &Views, process: usize, other: usize, action: u32) -> Self {
        let owners = views.owners(action);
        if owners.include(process) && owners.include(other) {
            Self::Elsewhere
        } else if !views.is_involved(other, ActionId(action)) {
            Self::Alone
        } else if owners.first == other {
            Self::Elsewhere
        } else if owners.first == process {
            Self::Changes
        } else {
            Self::Both
        }
    }
}

/// A pair of local states and where it belongs.
#[derive(Clone, Copy)]
struct Pair {
    joint: usize,
    left: u32,
    right: u32,
}

impl Pair {
    fn get(self, side: Side) -> u32 {
        match side {
            Side::Left => self.left,
            Side::Right => self.right,
        }
    }

    /// The pair with another state on one side.
    fn with(mut self, side: Side, state: u32) -> Self {
        match side {
            Side::Left => self.left = state,
            Side::Right => self.right = state,
        }
        self
    }
}

impl<'v> Search<'v> {
    fn new(views: &'v Views, budget: &mut Budget<'_>) -> Result<Self, Unfinished> {
        let joints = views.pairs(budget)?.into_iter();
        let joints: Vec<_> = joints
            .map(|pair| Joint::new(pair, views.common(pair.0, pair.1)))
            .collect();
        let processes = (0..views.processes()).map(|_| Process {
            graph: LocalGraph::default(),
            applied: Vec::new(),
            joints: Vec::new(),
        });
        let mut processes: Vec<Process> = processes.collect();
        for (id, joint) in joints.iter().enumerate() {
            for side in [Side::Left, Side::Right] {
                processes[joint.process(side)].joints.push((id, side));
            }
        }
        Ok(Self {
            views,
            processes,
            joints,
            steps: VecDeque::new(),
            pairs: Vec::new(),
        })
    }

    fn run(&mut self, budget: &mut Budget<'_>) -> Result<(), Unfinished> {
        let mut state = Vec::new();
        for process in 0..self.views.processes() {
            self.views
                .project(process, self.views.system().start(), &mut state);
            self.add_state(process, &state, budget)?;
        }
        for joint in 0..self.joints.len() {
            self.visit(Pair {
                joint,
                left: 0,
                right: 0,
            });
        }
        loop {
            if let Some((process, state)) = self.steps.pop_front() {
                self.apply_step(process, state, budget)?;
            } else if let Some((joint, left, right)) = self.pairs.pop() {
                let joint = joint as usize;
                self.follow(Pair { joint, left, right }, budget)?;
            } else {
                return Ok(());
            }
        }
    }

    /// The number of a local state. A new one is closed under the steps of its process, which is a search of its own.
    fn add_state(
        &mut self,
        process: usize,
        state: &[Word],
        budget: &mut Budget<'_>,
    ) -> Result<u32, Unfinished> {
        let (id, is_new) = self.processes[process].graph.insert(state);
        let mut todo = if is_new { vec![id] } else { Vec::new() };
        while let Some(source) = todo.pop() {
            budget.spend(|| self.held())?;
            self.register(process, source);
            let graph = &mut self.processes[process].graph;
            let state = graph.state(source as usize).to_vec();
            let steps = &mut self.steps;
            let mut targets = Vec::new();
            self.views.own_steps(process, &state, |action, target| {
                let (target, is_new) = graph.insert(target);
                if graph.connect(source, Edge { action, target }) {
                    steps.push_back((process, source));
                }
                if is_new {
                    targets.push(target);
                }
            });
            // Numbers are given in the order of states, and so are the notes about them.
            todo.extend(targets.into_iter().rev());
        }
        Ok(id)
    }

    /// Takes note of new states up to this one.
    fn register(&mut self, process: usize, last: u32) {
        let Process {
            graph,
            applied,
            joints,
        } = &mut self.processes[process];
        for state in applied.len()..=last as usize {
            applied.push(0);
            for (joint, side) in joints.iter() {
                self.joints[*joint].add_state(*side, graph.state(state));
            }
        }
    }

    fn held(&self) -> [usize; 4] {
        let graphs = || self.processes.iter().map(|it| &it.graph);
        let joints = self.joints.iter();
        let waiting = self.pairs.capacity() * 12 + self.steps.capacity() * 16;
        [
            graphs().map(LocalGraph::states).sum(),
            graphs().map(LocalGraph::transitions).sum(),
            joints.clone().map(Joint::len).sum(),
            graphs().map(LocalGraph::bytes).sum::<usize>()
                + joints.map(Joint::bytes).sum::<usize>()
                + waiting,
        ]
    }

    fn visit(&mut self, pair: Pair) {
        if self.joints[pair.joint].insert(pair.left, pair.right) {
            self.pairs.push((number(pair.joint), pair.left, pair.right));
        }
    }

    /// A new pair: all steps that are known of its states are applied.
    fn follow(&mut self, pair: Pair, budget: &mut Budget<'_>) -> Result<(), Unfinished> {
        budget.spend(|| self.held())?;
        self.joints[pair.joint].follow(pair.left, pair.right);
        self.act_together(pair, budget)?;
        for side in [Side::Left, Side::Right] {
            let process = self.joints[pair.joint].process(side);
            let source = pair.get(side);
            for index in 0..self.processes[process].applied[source as usize] {
                let edge = self.processes[process].graph.edges(source as usize)[index as usize];
                // An action of others that both see is found from both sides; once is enough.
                let both = side == Side::Right;
                self.apply(pair, side, edge, both, budget)?;
            }
        }
        Ok(())
    }

    /// The next step of a state is applied to all pairs that are followed.
    fn apply_step(
        &mut self,
        process: usize,
        state: u32,
        budget: &mut Budget<'_>,
    ) -> Result<(), Unfinished> {
        let applied = &mut self.processes[process].applied[state as usize];
        let index = *applied as usize;
        *applied += 1;
        let edge = self.processes[process].graph.edges(state as usize)[index];
        for place in 0..self.processes[process].joints.len() {
            let (joint, side) = self.processes[process].joints[place];
            // Pairs that are found meanwhile are followed later.
            for partner in 0..self.joints[joint].with(side, state).len() {
                budget.spend(|| self.held())?;
                let partner = self.joints[joint].with(side, state)[partner];
                let pair = Pair {
                    joint,
                    left: partner,
                    right: partner,
                };
                self.apply(pair.with(side, state), side, edge, false, budget)?;
            }
        }
        Ok(())
    }

    /// What a step of one side does to a pair. `both` says that steps which both sides take were applied already.
    fn apply(
        &mut self,
        pair: Pair,
        side: Side,
        edge: Edge,
        both: bool,
        budget: &mut Budget<'_>,
    ) -> Result<(), Unfinished> {
        let joint = &self.joints[pair.joint];
        let (process, other) = (joint.process(side), joint.process(side.other()));
        match Rule::of(self.views, process, other, edge.action) {
            Rule::Elsewhere => {}
            Rule::Alone => self.visit(pair.with(side, edge.target)),
            Rule::Changes => {
                let partner = self.change(pair, side, edge, budget)?;
                self.visit(pair.with(side, edge.target).with(side.other(), partner));
            }
            Rule::Both if both => {}
            Rule::Both => self.take_both(pair, side, edge),
        }
        Ok(())
    }

    /// An action of one side changes what the other one sees: an external step there.
    fn change(
        &mut self,
        pair: Pair,
        side: Side,
        edge: Edge,
        budget: &mut Budget<'_>,
    ) -> Result<u32, Unfinished> {
        let joint = &self.joints[pair.joint];
        let (process, other) = (joint.process(side), joint.process(side.other()));
        let source = pair.get(side.other());
        let wanted = joint.valuation(side, edge.target);
        let mut known = self.processes[other].graph.edges(source as usize).iter();
        // What the other side sees besides does not change, so what both see tells the target.
        let known = known.find(|it| {
            it.action == edge.action && joint.valuation(side.other(), it.target) == wanted
        });
        if let Some(known) = known {
            return Ok(known.target);
        }
        let mut state = Vec::new();
        joint.updated(
            self.processes[other].graph.state(source as usize),
            self.processes[process].graph.state(edge.target as usize),
            &mut state,
        );
        let target = self.add_state(other, &state, budget)?;
        self.connect(other, source, edge.action, target);
        Ok(target)
    }

    fn connect(&mut self, process: usize, source: u32, action: u32, target: u32) {
        let graph = &mut self.processes[process].graph;
        if graph.connect(source, Edge { action, target }) {
            self.steps.push_back((process, source));
        }
    }

    /// An action of somebody else that both sides see: they take it together, and agree on what it does to what both see.
    fn take_both(&mut self, pair: Pair, side: Side, edge: Edge) {
        let joint = &self.joints[pair.joint];
        let other = joint.process(side.other());
        let source = pair.get(side.other()) as usize;
        let wanted = joint.valuation(side, edge.target);
        let applied = self.processes[other].applied[source] as usize;
        for index in 0..applied {
            let step = self.processes[other].graph.edges(source)[index];
            if step.action == edge.action
                && self.joints[pair.joint].valuation(side.other(), step.target) == wanted
            {
                self.visit(pair.with(side, edge.target).with(side.other(), step.target));
            }
        }
    }

    /// The joint actions of the two processes: the two states tell everything that decides them.
    fn act_together(&mut self, pair: Pair, budget: &mut Budget<'_>) -> Result<(), Unfinished> {
        let views = self.views;
        let (left, right) = self.joints[pair.joint].processes();
        let actions = views.joint(left, right);
        if actions.is_empty() {
            return Ok(());
        }
        let states = [(left, pair.left), (right, pair.right)]
            .map(|(process, state)| self.processes[process].graph.state(state as usize));
        let both: Vec<Word> = states[0]
            .iter()
            .zip(states[1])
            .map(|(l, r)| l | r)
            .collect();
        let (mut target, mut state) = (Vec::new(), Vec::new());
        for action in actions {
            if views.system().take(*action, &both, &mut target) != Outcome::Taken {
                continue;
            }
            let mut next = pair;
            for side in [Side::Left, Side::Right] {
                let process = self.joints[pair.joint].process(side);
                views.project(process, &target, &mut state);
                let reached = self.add_state(process, &state, budget)?;
                self.connect(process, pair.get(side), action.0, reached);
                next = next.with(side, reached);
            }
            self.visit(next);
        }
        Ok(())
    }
}
