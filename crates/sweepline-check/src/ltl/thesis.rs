//! The thesis' way to check a claim [Lil17, Sect. 3.4 and 6.2], kept to be compared with ours.
//!
//! A cycle lies within one layer or goes through a persistent state. The former are found by nested depth-first search before a
//! layer is dropped. For the latter, persistent states propagate themselves over further sweeps: every state gets its maximal
//! persistent predecessor and whether an accepting state was passed, and one that gets itself back with an accepting state
//! lies on an accepting cycle (Algorithm 4). A persistent state may hide another; those that are through without
//! a cycle are dismissed, and the rest start again.
//!
//! We differ in four points. The automaton reads a state when it leaves it, and finite runs stutter (Algorithm 3 does neither). A
//! condition of acceptance that is not Büchi's is made so on the fly: the product chooses one of its alternatives, and counts
//! the marks that must recur. Every target of a regress edge is persistent, and stays known in all rounds although values are reset;
//! to forget those that were dismissed can go on for ever. And the error trace is not read off the last updates: once a
//! state on an accepting cycle is known, the way to it and around is searched for breadth-first.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use sweepline_core::{Fault, Key, Limits, Progress, SlotId, Steps, StopReason, System, Word};
use sweepline_logic::omega::{Marks, OmegaState};

use super::acceptor::{Acceptor, ClaimError};
use super::bits::{Clause, clauses};
use super::claim::{Claim, Fairness, Reader};
use super::lasso::{Lasso, LassoStep};
use super::liveness::Status;
use crate::question::Test;

/// What came out.
#[derive(Clone, Debug)]
pub struct ThesisAnswer {
    /// What is known of the claim.
    pub status: Status,
    /// Why the search ended early.
    pub stopped: Option<StopReason>,
    /// How often a state of the product was expanded, the search for the error trace excepted.
    pub explored: u64,
    /// How many persistent states there were.
    pub persistent: u64,
    /// How many rounds of propagation there were.
    pub rounds: u64,
    /// The slot that was too narrow, if that ended it.
    pub outgrown: Option<SlotId>,
    /// How many states of the product were stored at most.
    pub peak_states: usize,
    /// About how many bytes they took.
    pub peak_bytes: usize,
}

/// Checks a claim as the thesis does. `atoms` are the shared atoms, bound to this system.
pub fn check_thesis<S: System, P: Progress>(
    system: &S,
    progress: &P,
    (atoms, claim, fairness): (&[Test], &Claim, &Fairness),
    limits: &Limits,
) -> Result<ThesisAnswer, ClaimError> {
    let acceptor = Acceptor::new(claim, fairness, atoms.len())?;
    let Some(clauses) = clauses(&acceptor.acceptance) else {
        let what = "has a condition of too many alternatives for the thesis' search";
        return Err(ClaimError::Malformed { what });
    };
    let mut thesis = Thesis {
        system,
        progress,
        reader: Reader::new(atoms.to_vec(), fairness),
        acceptor,
        clauses,
        limits,
        steps: Steps::for_layout(system.layout()),
        explored: 0,
        undefined: None,
        outgrown: None,
        persistent: BTreeSet::new(),
        rounds: 0,
        peak_states: 0,
        state_bytes: state_bytes(system),
    };
    let found = thesis.check();
    let explored = thesis.explored;
    let (status, stopped) = match found {
        Err(reason) => (Status::Open, Some(reason)),
        Ok(None) => (
            thesis
                .undefined
                .take()
                .map_or(Status::Holds, Status::Undefined),
            None,
        ),
        Ok(Some(state)) => match thesis.trace(&state) {
            Ok(lasso) => (lasso.map_or(Status::Open, Status::Violated), None),
            Err(reason) => (Status::Open, Some(reason)),
        },
    };
    Ok(ThesisAnswer {
        status,
        stopped,
        outgrown: thesis.outgrown,
        explored,
        persistent: thesis.persistent.len() as u64,
        rounds: thesis.rounds,
        peak_states: thesis.peak_states,
        peak_bytes: thesis.peak_states * thesis.state_bytes,
    })
}

/// The slot that a step needs to be wider.
fn outgrown(fault: &Fault) -> Option<SlotId> {
    match fault {
        Fault::Outgrown { slot } => Some(*slot),
        _ => None,
    }
}

/// About what a state takes in an ordered set or map, whose nodes are two thirds full.
fn state_bytes<S: System>(system: &S) -> usize {
    let words = system.layout().width().unwrap_or(1) * size_of::<Word>();
    (size_of::<(State, Mpp)>() * 3).div_ceil(2) + words
}

/// A state of the product. States are compared by it: the total order >S.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct State {
    model: Box<[Word]>,
    automaton: u32,
    phase: Phase,
}

/// How far a run is in satisfying an alternative of the condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Phase {
    /// None has been chosen.
    Free,
    /// Of this one, so many of the marks that must recur have been seen. All of them: the state accepts.
    Chosen { clause: usize, seen: u32 },
}

/// The maximal persistent predecessor of a state, and whether an accepting state was passed since. None is ⊥, so that values
/// are compared as Definition 3.5 says.
type Mpp = Option<(State, bool)>;

/// A step of the product and where it leads.
type Successor = (LassoStep, State);

struct Thesis<'a, S, P> {
    system: &'a S,
    progress: &'a P,
    reader: Reader,
    acceptor: Acceptor,
    clauses: Vec<Clause>,
    limits: &'a Limits,
    steps: Steps,
    explored: u64,
    /// Why a state could not be expanded.
    undefined: Option<String>,
    /// The slot that was too narrow for what a step leads to.
    outgrown: Option<SlotId>,
    persistent: BTreeSet<State>,
    rounds: u64,
    peak_states: usize,
    state_bytes: usize,
}

impl<S: System, P: Progress> Thesis<'_, S, P> {
    /// A state on an accepting cycle: first within layers, then over several.
    fn check(&mut self) -> Result<Option<State>, StopReason> {
        match self.find_slac()? {
            Some(state) => Ok(Some(state)),
            None => self.find_mlac(),
        }
    }

    /// The sweep-line algorithm (Algorithm 2) with a search for a single-layer acceptance cycle in every layer.
    fn find_slac(&mut self) -> Result<Option<State>, StopReason> {
        let mut roots: BTreeSet<State> =
            self.initial().into_iter().map(|(_, state)| state).collect();
        while !roots.is_empty() {
            let mut front: BTreeMap<Key, BTreeSet<State>> = BTreeMap::new();
            let mut ahead = 0;
            for root in std::mem::take(&mut roots) {
                ahead += usize::from(front.entry(self.key(&root)?).or_default().insert(root));
            }
            while let Some((key, layer)) = front.pop_first() {
                ahead -= layer.len();
                let mut waiting: Vec<State> = layer.iter().cloned().collect();
                let mut inside: BTreeMap<State, Vec<State>> =
                    layer.into_iter().map(|state| (state, Vec::new())).collect();
                while let Some(state) = waiting.pop() {
                    let mut here = Vec::new();
                    for (_, target) in self.expand(&state)? {
                        let progress = self.key(&target)?;
                        if progress < key {
                            // A regress edge.
                            if self.persistent.insert(target.clone()) {
                                roots.insert(target);
                            }
                        } else if progress == key {
                            here.push(target.clone());
                            if !self.persistent.contains(&target) && !inside.contains_key(&target) {
                                inside.insert(target.clone(), Vec::new());
                                waiting.push(target);
                            }
                        } else if !self.persistent.contains(&target) {
                            let waiting = front.entry(progress).or_default();
                            ahead += usize::from(waiting.insert(target));
                        }
                    }
                    inside.insert(state, here);
                    self.store(inside.len() + ahead + self.persistent.len())?;
                }
                if let Some(state) = self.nested_dfs(&inside) {
                    return Ok(Some(state));
                }
            }
        }
        Ok(None)
    }

    /// Nested depth-first search [BK08, Sect. 4.4.2] on what was expanded of a layer: an accepting state that leads back to itself.
    fn nested_dfs(&self, layer: &BTreeMap<State, Vec<State>>) -> Option<State> {
        let (mut blue, mut red) = (HashSet::new(), HashSet::new());
        for root in layer.keys() {
            let mut path = vec![(root, 0)];
            if !blue.insert(root) {
                continue;
            }
            while let Some((state, next)) = path.last_mut() {
                let state = *state;
                if let Some(target) = layer[state].get(*next) {
                    *next += 1;
                    if let Some((target, _)) = layer.get_key_value(target)
                        && blue.insert(target)
                    {
                        path.push((target, 0));
                    }
                    continue;
                }
                path.pop();
                if self.accepts(state) && leads_back(layer, state, &mut red) {
                    return Some(state.clone());
                }
            }
        }
        None
    }

    /// Algorithm 4, `FindMLAC`: `candidates` is its P, `through` its D.
    fn find_mlac(&mut self) -> Result<Option<State>, StopReason> {
        let mut candidates = self.persistent.clone();
        while !candidates.is_empty() {
            self.rounds += 1;
            let mut through = candidates.clone();
            // N keeps all persistent states in every round, whatever their value.
            let mut mpp: BTreeMap<State, Mpp> = self
                .persistent
                .iter()
                .map(|state| (state.clone(), None))
                .collect();
            if let Some(found) = self.propagate(&candidates, &mut through, &mut mpp)? {
                return Ok(Some(found));
            }
            candidates.retain(|state| !through.contains(state));
            candidates.retain(|state| !matches!(mpp.get(state), Some(Some((_, false)))));
        }
        Ok(None)
    }

    /// Algorithm 4, MPP: `mpp` is its N, with the value of each state.
    fn propagate(
        &mut self,
        candidates: &BTreeSet<State>,
        through: &mut BTreeSet<State>,
        mpp: &mut BTreeMap<State, Mpp>,
    ) -> Result<Option<State>, StopReason> {
        let mut unprocessed: BTreeMap<Key, BTreeSet<State>> = BTreeMap::new();
        for state in candidates {
            mpp.insert(state.clone(), Some((state.clone(), self.accepts(state))));
            unprocessed
                .entry(self.key(state)?)
                .or_default()
                .insert(state.clone());
        }
        while let Some((&key, _)) = unprocessed.first_key_value() {
            let mut layer = BTreeSet::new();
            while let Some(state) = unprocessed.get_mut(&key).and_then(BTreeSet::pop_first) {
                let Some((best, passed)) = mpp.get(&state).cloned().flatten() else {
                    continue;
                };
                if candidates.contains(&state) && best > state {
                    through.remove(&state);
                }
                let prop = (best, passed || self.accepts(&state));
                // VISIT.
                for (_, target) in self.expand(&state)? {
                    if prop.1 && prop.0 == target {
                        return Ok(Some(target));
                    }
                    let known = mpp.entry(target.clone()).or_insert(None);
                    if Some(&prop) > known.as_ref() {
                        *known = Some(prop.clone());
                        unprocessed
                            .entry(self.key(&target)?)
                            .or_default()
                            .insert(target);
                    }
                }
                if !self.persistent.contains(&state) {
                    layer.insert(state);
                }
                self.store(mpp.len())?;
            }
            unprocessed.remove(&key);
            for state in layer {
                mpp.remove(&state);
            }
        }
        Ok(None)
    }

    /// So many states are stored. Within a layer their number only grows.
    fn store(&mut self, states: usize) -> Result<(), StopReason> {
        self.peak_states = self.peak_states.max(states);
        match self.limits.memory {
            Some(limit) if states * self.state_bytes > limit => Err(StopReason::Memory { limit }),
            _ => Ok(()),
        }
    }

    /// Whether a state is in the set A.
    fn accepts(&self, state: &State) -> bool {
        match state.phase {
            Phase::Free => false,
            Phase::Chosen { clause, seen } => seen == self.clauses[clause].recur.count_ones(),
        }
    }

    fn key(&self, state: &State) -> Result<Key, StopReason> {
        let key = self.progress.key(&state.model);
        key.map_err(|error| StopReason::Measure(error.to_string()))
    }

    /// The initial states, and which of the model each is.
    fn initial(&mut self) -> Vec<(usize, State)> {
        self.steps.clear();
        self.system.initial(&mut self.steps);
        let mut initial = Vec::new();
        for ordinal in 0..self.steps.len() {
            for &automaton in &self.acceptor.initial {
                let state = State {
                    model: self.steps.target(ordinal).into(),
                    automaton,
                    phase: Phase::Free,
                };
                initial.push((ordinal, state));
            }
        }
        if let Some(fault) = self.steps.fault() {
            self.outgrown = outgrown(fault);
            self.undefined = Some("the initial states cannot be computed".into());
        }
        initial
    }

    /// The successors of a state, counted.
    fn expand(&mut self, state: &State) -> Result<Vec<Successor>, StopReason> {
        self.explored += 1;
        if self
            .limits
            .states
            .is_some_and(|limit| self.explored > limit)
        {
            let limit = self.limits.states.unwrap_or_default();
            return Err(StopReason::States { limit });
        }
        if self.explored.is_multiple_of(1 << 10) {
            self.limits.allow(0)?;
        }
        let successors = self.successors(state);
        match self.outgrown {
            None => Ok(successors),
            Some(_) => Err(StopReason::Interrupted), // whoever asks begins again in a wider encoding
        }
    }

    /// Algorithm 3: pairs of a successor of the model and one of the automaton.
    fn successors(&mut self, state: &State) -> Vec<Successor> {
        self.steps.clear();
        self.system.successors(&state.model, &mut self.steps);
        if let Some(fault) = self.steps.fault() {
            self.outgrown = outgrown(fault);
            self.undefined.get_or_insert(fault.to_string());
            return Vec::new();
        }
        let actions = self.steps.actions();
        let ends = actions.is_empty();
        let deadlock = ends && !self.system.is_end(&state.model);
        let mut read = Vec::new();
        let undefined = self.reader.read(&state.model, actions, deadlock, &mut read);
        if let Some(one) = undefined
            .into_iter()
            .find(|one| self.acceptor.asks(one.atom))
        {
            self.undefined.get_or_insert(one.why);
            return Vec::new();
        }
        let (letter, marks) = (
            self.acceptor.letter(&read),
            self.acceptor.state_marks(&read),
        );
        let mut successors = Vec::new();
        for index in 0..self.steps.len().max(1) {
            let action = actions.get(index).copied();
            let marks = marks | self.acceptor.step_marks(action);
            let model = if ends {
                &*state.model
            } else {
                self.steps.target(index)
            };
            for step in self.acceptor.reading(state.automaton, letter) {
                let taken = LassoStep {
                    ordinal: (!ends).then_some(index),
                    edge: step.edge as usize,
                };
                for phase in self.phases(state.phase, marks | step.marks) {
                    let target = State {
                        model: model.into(),
                        automaton: step.target,
                        phase,
                    };
                    successors.push((taken, target));
                }
            }
        }
        successors
    }

    /// The phases that can follow when an edge with these marks is taken.
    fn phases(&self, phase: Phase, marks: Marks) -> Vec<Phase> {
        match phase {
            Phase::Free => {
                let chosen =
                    (0..self.clauses.len()).map(|clause| Phase::Chosen { clause, seen: 0 });
                std::iter::once(Phase::Free).chain(chosen).collect()
            }
            Phase::Chosen { clause, .. } if self.clauses[clause].finite & marks != 0 => Vec::new(),
            Phase::Chosen { clause, seen } => {
                let recur = self.clauses[clause].recur;
                let all = recur.count_ones();
                let wanted = (0..Marks::BITS).filter(|set| recur >> set & 1 == 1);
                let start = if seen == all { 0 } else { seen };
                let next = wanted
                    .skip(start as usize)
                    .take_while(|set| marks >> set & 1 == 1);
                let seen = start + next.map(|_| 1).sum::<u32>();
                vec![Phase::Chosen { clause, seen }]
            }
        }
    }

    /// The run that leads to a state and, through an accepting state, back to it.
    fn trace(&mut self, state: &State) -> Result<Option<Lasso>, StopReason> {
        let initial = self.initial();
        let starts = initial.iter().map(|(_, start)| (start.clone(), false));
        let Some((start, stem)) = self.way(starts.collect(), |(at, _)| at == state)? else {
            return Ok(None);
        };
        let around = |(at, passed): &(State, bool)| *passed && at == state;
        let from = vec![(state.clone(), false)];
        let Some((_, cycle)) = self.way(from, around)? else {
            return Ok(None);
        };
        let ordinal = initial.iter().find(|(_, initial)| *initial == start);
        Ok(ordinal.map(|&(initial, _)| Lasso {
            initial,
            start: OmegaState(start.automaton),
            stem,
            cycle,
        }))
    }

    /// A shortest way, and where it starts, in the doubled graph: a state and whether an accepting one was left on the way.
    fn way(
        &mut self,
        starts: Vec<(State, bool)>,
        goal: impl Fn(&(State, bool)) -> bool,
    ) -> Result<Option<(State, Vec<LassoStep>)>, StopReason> {
        type Doubled = (State, bool);
        let mut origins: HashMap<Doubled, Option<(Doubled, LassoStep)>> = HashMap::new();
        let mut waiting = VecDeque::new();
        for start in starts {
            origins.insert(start.clone(), None);
            waiting.push_back(start);
        }
        while let Some(at) = waiting.pop_front() {
            if goal(&at) {
                let (mut steps, mut at) = (Vec::new(), at);
                while let Some((from, step)) = origins.remove(&at).flatten() {
                    steps.push(step);
                    at = from;
                }
                steps.reverse();
                return Ok(Some((at.0, steps)));
            }
            self.limits.allow(0)?;
            let passed = at.1 || self.accepts(&at.0);
            for (step, target) in self.successors(&at.0) {
                let target = (target, passed);
                if !origins.contains_key(&target) {
                    origins.insert(target.clone(), Some((at.clone(), step)));
                    waiting.push_back(target);
                }
            }
        }
        Ok(None)
    }
}

/// The inner search: whether a state leads back to itself through states no inner search has been to.
fn leads_back<'l>(
    layer: &'l BTreeMap<State, Vec<State>>,
    seed: &State,
    red: &mut HashSet<&'l State>,
) -> bool {
    let mut waiting: Vec<&State> = layer[seed].iter().collect();
    while let Some(state) = waiting.pop() {
        if state == seed {
            return true;
        }
        if let Some((state, targets)) = layer.get_key_value(state)
            && red.insert(state)
        {
            waiting.extend(targets);
        }
    }
    false
}
