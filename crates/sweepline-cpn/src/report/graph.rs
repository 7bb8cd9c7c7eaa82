//! The state space of a net, all of it in memory.

use std::collections::BTreeSet;
use std::ops::Range;

use hashbrown::HashMap;
use sweepline_core::{Components, Fault, Interner, Limits, Steps, StopReason, System, Word};

use super::bounds::{self, Bounds};
use crate::system::CpnSystem;

/// Limits are looked at after so many states.
const PACE: usize = 1 << 12;

/// Markings and occurrences.
pub(crate) struct Graph {
    pub(crate) system: CpnSystem,
    pub(crate) states: Interner<Word>,
    /// Source, target and transition, sorted by sources.
    pub(crate) edges: Vec<(u32, u32, u32)>,
    /// Where the edges of each state begin.
    starts: Vec<usize>,
    pub(crate) stopped: Option<StopReason>,
}

impl Graph {
    /// Explores breadth first.
    pub(crate) fn explore(system: &CpnSystem, limits: &Limits) -> Result<Self, String> {
        let mut graph = Self::of(system.clone());
        let mut steps = Steps::for_layout(graph.system.layout());
        graph.system.initial(&mut steps);
        let mut source = None;
        loop {
            match steps.fault() {
                None => graph.note(source, &steps),
                Some(Fault::Outgrown { slot }) => {
                    let wider = graph.system.wider(*slot);
                    graph = Self::of(wider.ok_or("a number is too large for its slot")?);
                    steps = Steps::for_layout(graph.system.layout());
                    graph.system.initial(&mut steps);
                    source = None;
                    continue;
                }
                Some(Fault::TooMany { message }) => {
                    graph.stopped = Some(StopReason::Other(message.clone()));
                    return Ok(graph);
                }
                Some(Fault::Model { message, .. }) => return Err(message.clone()),
                Some(_) => return Err("a state cannot be expanded".to_owned()),
            }
            let next = source.map_or(0, |source: usize| source + 1);
            if next == graph.states.len() {
                return Ok(graph);
            }
            graph.stopped = graph.exceeds(next, limits);
            if graph.stopped.is_some() {
                return Ok(graph);
            }
            steps.clear();
            graph.system.successors(graph.states.get(next), &mut steps);
            source = Some(next);
        }
    }

    fn of(system: CpnSystem) -> Self {
        Self {
            system,
            states: Interner::default(),
            edges: Vec::new(),
            starts: Vec::new(),
            stopped: None,
        }
    }

    fn exceeds(&self, next: usize, limits: &Limits) -> Option<StopReason> {
        if let Some(limit) = limits.states
            && next as u64 >= limit
        {
            return Some(StopReason::States { limit });
        }
        if !next.is_multiple_of(PACE) {
            return None;
        }
        let held = self.states.bytes() + self.edges.capacity() * size_of::<(u32, u32, u32)>();
        limits.allow(held).err()
    }

    fn note(&mut self, source: Option<usize>, steps: &Steps) {
        if source.is_some() {
            self.starts.push(self.edges.len());
        }
        for (step, action) in steps.actions().iter().enumerate() {
            let target = number(self.states.number(steps.target(step)));
            if let Some(source) = source {
                self.edges.push((number(source), target, action.0));
            }
        }
    }

    /// The numbers of the edges of a state. States that were not expanded have none.
    pub(crate) fn edges_of(&self, state: usize) -> Range<usize> {
        let Some(&start) = self.starts.get(state) else {
            return 0..0;
        };
        let end = self.starts.get(state + 1);
        start..end.copied().unwrap_or(self.edges.len())
    }

    /// Strongly connected components of all edges.
    pub(crate) fn components(&self) -> Components {
        self.components_of(|_| true)
    }

    /// Strongly connected components of some edges, by their numbers.
    pub(crate) fn components_of(&self, kept: impl Fn(usize) -> bool) -> Components {
        let kept: Vec<Vec<usize>> = (0..self.states.len())
            .map(|state| {
                let edges = self.edges_of(state).filter(|edge| kept(*edge));
                edges.map(|edge| self.edges[edge].1 as usize).collect()
            })
            .collect();
        Components::of_graph(self.states.len(), |state, edge| {
            kept[state].get(edge).copied()
        })
    }

    /// Components that no edge leaves, of states that were expanded.
    pub(crate) fn terminal(&self, components: &Components) -> Vec<u32> {
        let mut is_left = vec![false; components.count as usize];
        for state in self.starts.len()..self.states.len() {
            is_left[components.of[state] as usize] = true;
        }
        for &(from, to, _) in &self.edges {
            let (from, to) = (components.of[from as usize], components.of[to as usize]);
            is_left[from as usize] |= from != to;
        }
        let all = (0..).zip(is_left);
        all.filter(|(_, is_left)| !is_left)
            .map(|(at, _)| at)
            .collect()
    }

    /// Numbers of the markings that can be reached from all others.
    pub(crate) fn home(components: &Components, terminal: &[u32]) -> Vec<usize> {
        let [only] = terminal else {
            return Vec::new();
        };
        let states = components.of.iter().zip(1..);
        let inside = states.filter(|(of, _)| *of == only);
        inside.map(|(_, number)| number).collect()
    }

    /// Numbers of the markings without a step.
    pub(crate) fn dead(&self) -> Vec<usize> {
        let expanded = 0..self.starts.len();
        let dead = expanded.filter(|&state| self.edges_of(state).is_empty());
        dead.map(|state| state + 1).collect()
    }

    /// Transitions that occur.
    pub(crate) fn occurring(&self) -> BTreeSet<u32> {
        self.edges.iter().map(|(_, _, action)| *action).collect()
    }

    /// Transitions that occur in every component that is never left.
    pub(crate) fn live(&self, components: &Components, terminal: &[u32]) -> BTreeSet<u32> {
        let mut inside: HashMap<u32, BTreeSet<u32>> = HashMap::new();
        for &(from, _, action) in &self.edges {
            let of = components.of[from as usize];
            inside.entry(of).or_default().insert(action);
        }
        let nothing = BTreeSet::new();
        let mut live = self.occurring();
        for component in terminal {
            let here = inside.get(component).unwrap_or(&nothing);
            live = live.intersection(here).copied().collect();
        }
        live
    }

    pub(crate) fn bounds(&self) -> Vec<Bounds> {
        bounds::bounds(&self.system, &self.states)
    }
}

fn number(index: usize) -> u32 {
    u32::try_from(index).expect("below 2^32 states")
}
