//! Thread-modular model checking, after Flanagan and Qadeer \[FQ03\] as \[Zhe14, Sect. 3.1\] tells it.
//!
//! A process *guarantees* towards another one that it changes what both see only in certain ways: these are pairs of valuations,
//! before and after, of everything that both see. The other one has to expect such a change in every state that has the
//! valuation before. Nothing is known of the order of changes, nor of what else the two can see at the time.
//!
//! The original has no joint actions. Here two processes take one in any two states that agree on what both see.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use sweepline_core::{ActionId, Limits, Word};
use sweepline_program::Outcome;

use super::graph::{Edge, LocalGraph, LocalGraphs};
use super::joint::{Joint, Side};
use super::view::Views;
use super::{Budget, Extent, Unfinished};

/// The local graphs of all processes, from what processes guarantee.
pub fn modular(views: &Arc<Views>, limits: &Limits) -> Result<LocalGraphs, Unfinished> {
    let mut budget = Budget::new(limits, Extent::FULL);
    let mut search = Search::new(views, &mut budget)?;
    search.run(&mut budget)?;
    Ok(LocalGraphs {
        views: Arc::clone(views),
        graphs: search.graphs,
        joints: Vec::new(),
    })
}

struct Search<'v> {
    views: &'v Views,
    graphs: Vec<LocalGraph>,
    pairs: Vec<Guarantees>,
    /// States that were not looked at yet.
    todo: VecDeque<(usize, u32)>,
    /// Steps whose guarantees were not told yet.
    steps: VecDeque<(usize, u32, Edge)>,
}

/// What two processes tell each other.
struct Guarantees {
    /// Only valuations are used of it.
    joint: Joint,
    /// How each side changes what both see: action, valuations before and after.
    told: [HashSet<(u32, u32, u32)>; 2],
    /// The same by the valuation before.
    by_valuation: [Vec<Vec<Change>>; 2],
    /// The states of each side by valuation, as far as they were looked at.
    states: [Vec<Vec<u32>>; 2],
}

#[derive(Clone, Copy)]
struct Change {
    action: u32,
    /// A state of who makes the change, afterwards.
    target: u32,
}

/// The list at a place, which is made if it is not there.
fn list<T>(lists: &mut Vec<Vec<T>>, at: u32) -> &mut Vec<T> {
    let at = at as usize;
    if lists.len() <= at {
        lists.resize_with(at + 1, Vec::new);
    }
    &mut lists[at]
}

impl<'v> Search<'v> {
    fn new(views: &'v Views, budget: &mut Budget<'_>) -> Result<Self, Unfinished> {
        let pairs = views.pairs(budget)?.into_iter().map(|pair| Guarantees {
            joint: Joint::new(pair, views.common(pair.0, pair.1)),
            told: [HashSet::new(), HashSet::new()],
            by_valuation: [Vec::new(), Vec::new()],
            states: [Vec::new(), Vec::new()],
        });
        Ok(Self {
            views,
            graphs: vec![LocalGraph::default(); views.processes()],
            pairs: pairs.collect(),
            todo: VecDeque::new(),
            steps: VecDeque::new(),
        })
    }

    fn run(&mut self, budget: &mut Budget<'_>) -> Result<(), Unfinished> {
        let mut state = Vec::new();
        for process in 0..self.views.processes() {
            self.views
                .project(process, self.views.system().start(), &mut state);
            self.add_state(process, &state);
        }
        loop {
            budget.spend(|| self.held())?;
            if let Some((process, state)) = self.todo.pop_front() {
                self.look_at(process, state, budget)?;
            } else if let Some((process, state, edge)) = self.steps.pop_front() {
                self.tell(process, state, edge, budget)?;
            } else {
                return Ok(());
            }
        }
    }

    fn held(&self) -> [usize; 4] {
        let told = |pair: &Guarantees| pair.told.iter().map(HashSet::len).sum::<usize>();
        let states: usize = self.graphs.iter().map(LocalGraph::states).sum();
        [
            states,
            self.graphs.iter().map(LocalGraph::transitions).sum(),
            0,
            self.graphs.iter().map(LocalGraph::bytes).sum::<usize>()
                + self
                    .pairs
                    .iter()
                    .map(|pair| pair.joint.bytes() + 48 * told(pair))
                    .sum::<usize>()
                + states * size_of::<u32>() * 2 * self.views.processes(),
        ]
    }

    fn add_state(&mut self, process: usize, state: &[Word]) -> u32 {
        let (id, is_new) = self.graphs[process].insert(state);
        if is_new {
            for pair in &mut self.pairs {
                if let Some(side) = pair.joint.side(process) {
                    pair.joint.add_state(side, state);
                }
            }
            self.todo.push_back((process, id));
        }
        id
    }

    fn connect(&mut self, process: usize, source: u32, edge: Edge) {
        if self.graphs[process].connect(source, edge)
            && self.views.owners(edge.action).first == process
        {
            self.steps.push_back((process, source, edge));
        }
    }

    /// A new state: the steps of its process, those that others guarantee, and joint ones.
    fn look_at(
        &mut self,
        process: usize,
        source: u32,
        budget: &mut Budget<'_>,
    ) -> Result<(), Unfinished> {
        let views = self.views;
        let state = self.graphs[process].state(source as usize).to_vec();
        let mut steps = Vec::new();
        views.own_steps(process, &state, |action, target| {
            steps.push((action, target.to_vec()));
        });
        for (action, target) in steps {
            let target = self.add_state(process, &target);
            self.connect(process, source, Edge { action, target });
        }
        for pair in 0..self.pairs.len() {
            if let Some(side) = self.pairs[pair].joint.side(process) {
                let valuation = self.pairs[pair].joint.valuation(side, source);
                list(&mut self.pairs[pair].states[side.index()], valuation).push(source);
                self.expect(pair, side, source);
                self.act_together(pair, side, source, budget)?;
            }
        }
        Ok(())
    }

    /// What the other process of a pair guarantees happens in this state.
    fn expect(&mut self, pair: usize, side: Side, state: u32) {
        let told = &mut self.pairs[pair];
        let valuation = told.joint.valuation(side, state);
        let changes = list(&mut told.by_valuation[side.other().index()], valuation).clone();
        for change in changes {
            self.change(pair, side, state, change);
        }
    }

    /// A state after the other process of a pair has changed what both see.
    fn change(&mut self, pair: usize, side: Side, source: u32, change: Change) {
        let joint = &self.pairs[pair].joint;
        let (process, other) = (joint.process(side), joint.process(side.other()));
        let mut state = Vec::new();
        joint.updated(
            self.graphs[process].state(source as usize),
            self.graphs[other].state(change.target as usize),
            &mut state,
        );
        let target = self.add_state(process, &state);
        let action = change.action;
        self.connect(process, source, Edge { action, target });
    }

    /// A new step of a process that others see: a guarantee, if it is not known yet.
    fn tell(
        &mut self,
        process: usize,
        source: u32,
        edge: Edge,
        budget: &mut Budget<'_>,
    ) -> Result<(), Unfinished> {
        for pair in 0..self.pairs.len() {
            let Some(side) = self.pairs[pair].joint.side(process) else {
                continue;
            };
            let told = &mut self.pairs[pair];
            let other = told.joint.process(side.other());
            let owners = self.views.owners(edge.action);
            let sees = self.views.is_involved(other, ActionId(edge.action));
            if !sees || owners.include(other) {
                continue;
            }
            let before = told.joint.valuation(side, source);
            let after = told.joint.valuation(side, edge.target);
            if !told.told[side.index()].insert((edge.action, before, after)) {
                continue;
            }
            let change = Change {
                action: edge.action,
                target: edge.target,
            };
            list(&mut told.by_valuation[side.index()], before).push(change);
            let states = list(&mut told.states[side.other().index()], before).clone();
            for state in states {
                budget.spend(|| self.held())?;
                self.change(pair, side.other(), state, change);
            }
        }
        Ok(())
    }

    /// Joint actions of a state with all states of the other process that agree with it.
    fn act_together(
        &mut self,
        pair: usize,
        side: Side,
        state: u32,
        budget: &mut Budget<'_>,
    ) -> Result<(), Unfinished> {
        let views = self.views;
        let told = &mut self.pairs[pair];
        let (process, other) = (told.joint.process(side), told.joint.process(side.other()));
        let actions = views.joint(process, other);
        if actions.is_empty() {
            return Ok(());
        }
        let valuation = told.joint.valuation(side, state);
        let partners = list(&mut told.states[side.other().index()], valuation).clone();
        let (mut target, mut reached) = (Vec::new(), Vec::new());
        for partner in partners {
            budget.spend(|| self.held())?;
            let one = self.graphs[process].state(state as usize).iter();
            let two = self.graphs[other].state(partner as usize).iter();
            let both: Vec<Word> = one.zip(two).map(|(one, two)| one | two).collect();
            for action in actions {
                if views.system().take(*action, &both, &mut target) != Outcome::Taken {
                    continue;
                }
                for (process, source) in [(process, state), (other, partner)] {
                    views.project(process, &target, &mut reached);
                    let target = self.add_state(process, &reached);
                    let action = action.0;
                    self.connect(process, source, Edge { action, target });
                }
            }
        }
        Ok(())
    }
}
