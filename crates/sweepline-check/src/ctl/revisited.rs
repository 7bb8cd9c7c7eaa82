//! The system, visited once more to verify labels: what they were computed from is not believed.
//!
//! Numbers are those of the exploration, and what was recorded only says which number a state had: that is followed from the initial
//! states, step by step, beside the system itself. States, their steps and the values of atoms come from the system. If it is a stored graph,
//! they are read from its file again.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::Arc;

use sweepline_core::{Interner, Limits, Steps, StopReason, System, Word};
use sweepline_logic::ctl::Branching;

use super::certificate::{Labelled, Labelling};
use super::evaluate::evaluate;
use super::labels::{Label, Labels};
use super::pace::Pace;
use super::recorder::BranchRecorder;
use super::sets::Set;
use crate::asking::Sighting;
use crate::ltl::Allowance;
use crate::question::Test;

/// Labels that decide a formula, and which numbers follow which.
pub(crate) struct Claims {
    labels: Vec<Label>,
    initial: Vec<Option<u32>>,
    targets: Vec<u32>,
    /// Where the targets of each number begin and end.
    steps: Vec<[u32; 2]>,
    /// Numbers that stand for something.
    noted: Set,
}

impl Claims {
    /// Bytes that these take, for so many parts of a formula.
    pub(crate) fn bytes(recorder: &BranchRecorder, parts: usize) -> usize {
        let links = recorder.links();
        let sets = Set::bytes(links.numbers()).saturating_mul(2 * parts + 1);
        let edges = usize::try_from(links.edges()).unwrap_or(usize::MAX);
        let edges = edges.saturating_mul(size_of::<u32>());
        let steps = (links.numbers() as usize).saturating_mul(size_of::<[u32; 2]>());
        sets.saturating_add(edges).saturating_add(steps)
    }

    pub(crate) fn of(labels: Labels<'_>, limits: &Limits) -> Result<Self, StopReason> {
        let recorder = labels.recorder;
        let numbers = recorder.links().numbers();
        let edges = usize::try_from(recorder.links().edges()).unwrap_or(0);
        let mut targets: Vec<u32> = Vec::with_capacity(edges);
        let mut steps = vec![[0; 2]; numbers as usize];
        let mut noted = Set::filled(numbers, false);
        recorder.visit(limits, |node| {
            noted.set(node.number, true);
            let start = targets.len();
            targets.extend_from_slice(node.targets);
            // A tape has fewer edges than 32 bits can count.
            let places = [start, targets.len()].map(|at| u32::try_from(at).unwrap_or(UNKNOWN));
            steps[node.number as usize] = places;
        })?;
        let initial = labels.survey.initial.iter();
        let initial = initial.map(|number| number.filter(|&number| number < numbers));
        Ok(Self {
            initial: initial.collect(),
            labels: labels.into_all()?,
            targets,
            steps,
            noted,
        })
    }

    /// The numbers that the steps of a number lead to; nothing where one has none.
    fn targets(&self, number: u32) -> impl Iterator<Item = Option<u32>> {
        let [start, end] = self.steps[number as usize];
        let targets = self.targets.get(start as usize..end as usize);
        let known = |target: u32| (target < self.noted.numbers()).then_some(target);
        targets.into_iter().flatten().copied().map(known)
    }
}

/// The same, held until the exploration has ended.
#[derive(Clone)]
pub(crate) struct Held {
    pub(crate) claims: Arc<Claims>,
    pub(crate) bytes: usize,
}

impl fmt::Debug for Held {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "labels of {} parts", self.claims.labels.len())
    }
}

impl PartialEq for Held {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.claims, &other.claims)
    }
}

impl Eq for Held {}

/// Why labels are not certified, or evidence is not confirmed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Uncertified {
    /// There was no time, or no room.
    Stopped(StopReason),
    /// Something is wrong with them.
    Wrong(String),
}

impl From<StopReason> for Uncertified {
    fn from(reason: StopReason) -> Self {
        Self::Stopped(reason)
    }
}

impl From<String> for Uncertified {
    fn from(what: String) -> Self {
        Self::Wrong(what)
    }
}

impl From<&str> for Uncertified {
    fn from(what: &str) -> Self {
        Self::Wrong(what.to_owned())
    }
}

/// States that were visited again.
pub(crate) struct Revisited<'c> {
    claims: &'c Claims,
    initial: Vec<u32>,
    /// Where the steps of each state begin and end; [`UNKNOWN`] if they are not known.
    steps: Vec<[u32; 2]>,
    targets: Vec<u32>,
    /// Where the values of atoms in each state begin, if they are known.
    valued: Vec<u32>,
    values: Vec<Option<bool>>,
    /// A number of each state, and further ones.
    first: Vec<u32>,
    further: HashMap<u32, Vec<u32>>,
}

const UNKNOWN: u32 = u32::MAX;

impl<'c> Revisited<'c> {
    /// Visits everything that has been expanded.
    pub(crate) fn of<S: System>(
        system: &S,
        atoms: &[&Test],
        claims: &'c Claims,
        allowance: &Allowance<'_>,
    ) -> Result<Self, Uncertified> {
        let mut visiting = Visiting {
            system,
            atoms,
            states: Interner::default(),
            visited: Set::filled(claims.noted.numbers(), false),
            todo: VecDeque::new(),
            found: Self {
                claims,
                initial: Vec::new(),
                steps: Vec::new(),
                targets: Vec::new(),
                valued: Vec::new(),
                values: Vec::new(),
                first: Vec::new(),
                further: HashMap::new(),
            },
        };
        visiting.start()?;
        let mut pace = Pace::new(allowance.limits);
        while let Some((number, state)) = visiting.todo.pop_front() {
            pace.step()?;
            visiting.visit(number, state)?;
            if visiting.bytes() > allowance.bytes {
                return Err(StopReason::OutOfMemory.into());
            }
        }
        Ok(visiting.found)
    }

    fn numbers_of(&self, state: u32) -> impl Iterator<Item = u32> {
        let first = Some(self.first[state as usize]).filter(|&number| number != UNKNOWN);
        let further = self.further.get(&state).into_iter().flatten();
        first.into_iter().chain(further.copied())
    }
}

struct Visiting<'a, 'c, S> {
    system: &'a S,
    atoms: &'a [&'a Test],
    states: Interner<Word>,
    /// Numbers that were visited.
    visited: Set,
    todo: VecDeque<(u32, u32)>,
    found: Revisited<'c>,
}

impl<S: System> Visiting<'_, '_, S> {
    fn start(&mut self) -> Result<(), Uncertified> {
        let mut steps = Steps::for_layout(self.system.layout());
        self.system.initial(&mut steps);
        let numbers = self.found.claims.initial.clone();
        self.follow(&steps, &numbers)?;
        self.found.initial = std::mem::take(&mut self.found.targets);
        Ok(())
    }

    /// Adds the targets of steps, which had these numbers.
    fn follow(&mut self, steps: &Steps, numbers: &[Option<u32>]) -> Result<(), Uncertified> {
        if steps.len() != numbers.len() {
            let why = "a state has other steps than those that were followed";
            return Err(Uncertified::Wrong(why.into()));
        }
        for (ordinal, number) in numbers.iter().enumerate() {
            let state = self.states.number(steps.target(ordinal));
            let state = u32::try_from(state).map_err(|_| StopReason::OutOfMemory)?;
            if state as usize == self.found.first.len() {
                self.found.first.push(UNKNOWN);
                self.found.steps.push([UNKNOWN; 2]);
                self.found.valued.push(UNKNOWN);
            }
            self.found.targets.push(state);
            if let Some(number) = *number {
                self.todo.push_back((number, state));
            }
        }
        Ok(())
    }

    /// Visits a state that had this number.
    fn visit(&mut self, number: u32, state: u32) -> Result<(), Uncertified> {
        if self.visited.contains(number) || !self.found.claims.noted.contains(number) {
            return Ok(());
        }
        self.visited.set(number, true);
        let at = state as usize;
        let known = &mut self.found.first[at];
        if *known == UNKNOWN {
            *known = number;
        } else {
            self.found.further.entry(state).or_default().push(number);
        }
        let mut steps = Steps::for_layout(self.system.layout());
        self.system.successors(self.states.get(at), &mut steps);
        if self.found.valued[at] == UNKNOWN {
            self.read(at);
        }
        if steps.fault().is_some() {
            // Its steps are not known, and so it counts as not expanded.
            return Ok(());
        }
        let numbers: Vec<Option<u32>> = self.found.claims.targets(number).collect();
        let start = short(self.found.targets.len())?;
        self.follow(&steps, &numbers)?;
        if self.found.steps[at][0] == UNKNOWN {
            self.found.steps[at] = [start, short(self.found.targets.len())?];
        } else {
            self.found.targets.truncate(start as usize);
        }
        Ok(())
    }

    /// The values of atoms in a state.
    fn read(&mut self, at: usize) {
        let sighting = Sighting::of(self.system, self.states.get(at));
        let Ok(start) = u32::try_from(self.found.values.len()) else {
            return;
        };
        self.found.valued[at] = start;
        let values = self.atoms.iter().map(|test| sighting.test(test).ok());
        self.found.values.extend(values);
    }

    fn bytes(&self) -> usize {
        let found = &self.found;
        self.states.bytes()
            + found.steps.capacity() * size_of::<[u32; 2]>()
            + (found.targets.capacity() + found.valued.capacity() + found.first.capacity())
                * size_of::<u32>()
            + found.values.capacity()
            + self.todo.capacity() * size_of::<(u32, u32)>()
            // Ranks, what is reached and what waits to be, when labels are verified.
            + found.first.len() * 3 * size_of::<u32>()
    }
}

fn short(length: usize) -> Result<u32, StopReason> {
    u32::try_from(length).map_err(|_| StopReason::OutOfMemory)
}

impl Labelled for Revisited<'_> {
    fn numbers(&self) -> u32 {
        u32::try_from(self.first.len()).unwrap_or(UNKNOWN)
    }

    fn initial(&self) -> Vec<Option<u32>> {
        self.initial.iter().copied().map(Some).collect()
    }

    fn is_expanded(&self, state: u32) -> bool {
        self.steps[state as usize][0] != UNKNOWN
    }

    fn state(&self, formula: &Branching, state: u32) -> Option<bool> {
        let start = self.valued[state as usize] as usize;
        let value = |atom: u32| *self.values.get(start + atom as usize)?;
        evaluate(formula, &value)
    }

    fn targets(&self, state: u32, out: &mut Vec<Option<u32>>) {
        let [start, end] = self.steps[state as usize];
        let targets = self.targets.get(start as usize..end as usize);
        out.extend(targets.into_iter().flatten().copied().map(Some));
    }
}

impl Labelling for Revisited<'_> {
    fn claimed(&self, part: usize, state: u32) -> Option<bool> {
        let label = &self.claims.labels[part];
        self.numbers_of(state).find_map(|number| label.at(number))
    }
}
