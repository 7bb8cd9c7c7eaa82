//! Formulas of branching time under fairness: quantifiers range over the runs that are fair [BK08, Sect. 6.5].
//!
//! A run that ends is fair if it would be, staying in its last state for ever, as in linear time: what is to recur must hold there,
//! and actions that are not enabled owe nothing. It still has no next state.
//!
//! Where some fair run starts is a formula, `EG true`; with its help everything is told in terms of paths that need not be fair, but
//! for `EG p`: there must be a way, through states with p, to a component of these with a fair cycle. Components are those
//! of what is recorded, and whether one has a fair cycle is asked as in linear time, of an automaton that accepts everything.

use std::collections::BTreeMap;
use std::sync::Arc;

use sweepline_core::{Limits, StopReason};
use sweepline_logic::omega::{Acceptance, Guard, Marks, OmegaAutomaton, OmegaEdge, OmegaState};

use super::arena::Part;
use super::fixpoint::Pace;
use super::sets::Set;
use crate::ltl::{
    Acceptor, Allowance, Claim, ClaimError, Cursor, Fairness, Lasso, Links, Marked, Recorder, Root,
    STUTTER, Search, Step, holds, only_recurs, search, split,
};

/// What is assumed of the runs that count.
#[derive(Clone, Debug)]
pub(crate) struct Assumed {
    pub(crate) fairness: Fairness,
    /// Accepts the runs that are fair.
    acceptor: Acceptor,
}

impl Assumed {
    /// `atoms` is how many atoms are recorded. Nothing if nothing is assumed.
    pub(crate) fn new(fairness: &Fairness, atoms: usize) -> Result<Option<Self>, ClaimError> {
        if fairness.assumptions.is_empty() {
            return Ok(None);
        }
        let always = OmegaEdge {
            guard: Guard::any(),
            target: OmegaState(0),
            marks: 0,
        };
        let everything = Claim {
            automaton: Arc::new(OmegaAutomaton {
                atoms: Vec::new(),
                initial: vec![OmegaState(0)],
                edges: vec![vec![always]],
                sets: 0,
                acceptance: Acceptance::all(0),
            }),
            atoms: Vec::new(),
        };
        Ok(Some(Self {
            acceptor: Acceptor::new(&everything, fairness, atoms)?,
            fairness: fairness.clone(),
        }))
    }

    /// Whether it asks for this one of the recorded atoms.
    pub(crate) fn asks(&self, atom: usize) -> bool {
        self.acceptor.asks(atom)
    }
}

/// What is recorded, as far as it matters to whether runs are fair.
pub(crate) struct Fairly<'r> {
    assumed: &'r Assumed,
    links: &'r Links,
    expanded: Set,
    /// The marks of every step from a number, by what was read of it.
    marks: Vec<Marks>,
    /// Marks that steps from these numbers may have besides: it is not known whether something holds that is to recur.
    vague: BTreeMap<u32, Marks>,
    /// The part of the formula that says that some fair run starts here.
    pub(crate) part: Part,
}

/// What it takes, at most, to find the components of so many numbers.
pub(crate) fn bytes(numbers: u32) -> usize {
    let each = size_of::<u32>() + size_of::<u64>() + 2 * size_of::<Frame>();
    (numbers as usize).saturating_mul(each)
}

impl<'r> Fairly<'r> {
    pub(crate) fn new(assumed: &'r Assumed, part: Part, recorder: &'r Recorder) -> Self {
        let acceptor = &assumed.acceptor;
        let vague = recorder.undefined().iter().filter_map(|(&number, atoms)| {
            let marks = acceptor.recurring_marks(|atom| atoms.iter().any(|one| one.atom == atom));
            (marks != 0).then_some((number, marks))
        });
        Self {
            assumed,
            links: recorder.links(),
            expanded: Set::filled(0, false),
            marks: recorder
                .read()
                .iter()
                .map(|read| acceptor.state_marks(read))
                .collect(),
            vague: vague.collect(),
            part,
        }
    }

    /// Says which numbers have been expanded.
    pub(crate) fn set_expanded(&mut self, expanded: &Set) {
        self.expanded = expanded.clone();
    }

    /// Numbers of which it is not known whether something holds there that is to recur.
    pub(crate) fn vague(&self) -> impl Iterator<Item = u32> {
        self.vague.keys().copied()
    }

    /// The members of a set in whose components, within the set, some run is fair; or may be.
    pub(crate) fn cycles(
        &self,
        inside: &Set,
        may: bool,
        allowance: &Allowance<'_>,
    ) -> Result<Set, StopReason> {
        let mut graph = self.graph(inside.clone(), may, None);
        let mut tarjan = Tarjan {
            order: vec![0; self.links.numbers() as usize],
            count: 0,
            open: Vec::new(),
            frames: Vec::new(),
            acceptance: &self.assumed.acceptor.acceptance,
            found: Set::filled(self.links.numbers(), false),
            pace: Pace::new(allowance),
        };
        let mut limit = self.links.numbers();
        // The last number leads to few others, as a rule.
        while let Some(number) = graph.inside.last_below(limit) {
            limit = number;
            tarjan.visit(&mut graph, number)?;
        }
        Ok(tarjan.found)
    }

    /// A fair run that starts at a member of a set and stays in it.
    pub(crate) fn run(&self, inside: Set, start: u32) -> Option<Lasso> {
        let mut graph = self.graph(inside, false, Some(start));
        let limits = Limits::default();
        let allowance = Allowance {
            bytes: usize::MAX,
            limits: &limits,
        };
        match search(&mut graph, &self.assumed.acceptor.acceptance, &allowance) {
            Search::Accepting(witness) => Lasso::short(&mut graph, witness, usize::MAX),
            Search::Empty | Search::DoesNotFit | Search::Stopped(_) => None,
        }
    }

    fn graph(&self, inside: Set, may: bool, start: Option<u32>) -> Within<'_> {
        Within {
            fairly: self,
            inside: inside.and(&self.expanded),
            may,
            start,
        }
    }
}

/// Numbers that have been expanded, and their steps to each other. Where a run ends it stays.
struct Within<'a> {
    fairly: &'a Fairly<'a>,
    inside: Set,
    /// Whether what is not known is assumed.
    may: bool,
    start: Option<u32>,
}

impl Marked for Within<'_> {
    fn root(&mut self, index: usize) -> Option<Root> {
        let start = self.start.filter(|_| index == 0)?;
        Some(Root {
            node: start.into(),
            ordinal: 0,
            state: 0,
        })
    }

    #[inline]
    fn step(&mut self, node: u64, cursor: &mut Cursor) -> Option<Step> {
        let Fairly {
            links,
            marks,
            vague,
            assumed,
            ..
        } = self.fairly;
        let number = u32::try_from(node).ok()?;
        if !self.inside.contains(number) {
            return None;
        }
        let mut here = marks[links.label(number)?];
        if self.may && !vague.is_empty() {
            here |= vague.get(&number).copied().unwrap_or(0);
        }
        let edges = links.edges(number);
        if edges.is_empty() && cursor.step == 0 {
            cursor.step = 1;
            return Some(Step {
                target: node,
                marks: here,
                ordinal: STUTTER,
                edge: 0,
            });
        }
        loop {
            let edge = edges.start + cursor.edge + cursor.step;
            if edge >= edges.end {
                return None;
            }
            // One back is where the step just given is given again.
            *cursor = Cursor {
                edge: cursor.edge + cursor.step,
                step: 1,
            };
            let target = links.target(edge);
            if let Some(target) = target.filter(|&target| target < links.numbers())
                && self.inside.contains(target)
            {
                return Some(Step {
                    target: target.into(),
                    marks: here | assumed.acceptor.step_marks(links.action(edge)),
                    ordinal: cursor.edge,
                    edge: 0,
                });
            }
        }
    }

    fn is_universal(&self, _: u64) -> bool {
        false
    }
}

/// Tarjan's algorithm with a stack of its own; the marks of components are gathered on the way.
struct Tarjan<'a> {
    /// When each number was found plus one; zero if it was not, and [`DONE`] if its component is complete.
    order: Vec<u32>,
    count: u32,
    /// Numbers whose components are not complete, as they were found.
    open: Vec<u64>,
    frames: Vec<Frame>,
    acceptance: &'a Acceptance,
    found: Set,
    pace: Pace<'a>,
}

struct Frame {
    node: u64,
    cursor: Cursor,
    /// The earliest number it is known to lead back to, by when that was found.
    low: u32,
    /// Where in the list of open numbers it stands.
    place: usize,
    /// Marks of the step that led here, and those of steps within what is known of its component.
    entered: Marks,
    marks: Marks,
    cyclic: bool,
}

const DONE: u32 = u32::MAX;

impl Tarjan<'_> {
    fn visit(&mut self, graph: &mut Within<'_>, root: u32) -> Result<(), StopReason> {
        if self.order[root as usize] != 0 {
            return Ok(());
        }
        self.push(root.into(), 0);
        while let Some(frame) = self.frames.last_mut() {
            self.pace.step()?;
            let Some(step) = graph.step(frame.node, &mut frame.cursor) else {
                self.pop(graph);
                continue;
            };
            match self.order[index(step.target)] {
                0 => self.push(step.target, step.marks),
                DONE => {}
                earlier => {
                    frame.low = frame.low.min(earlier);
                    frame.marks |= step.marks;
                    frame.cyclic = true;
                }
            }
        }
        Ok(())
    }

    fn push(&mut self, node: u64, entered: Marks) {
        self.count += 1;
        self.order[index(node)] = self.count;
        self.frames.push(Frame {
            node,
            cursor: Cursor::default(),
            low: self.count,
            place: self.open.len(),
            entered,
            marks: 0,
            cyclic: false,
        });
        self.open.push(node);
    }

    /// All steps of the last number of the path have been looked at.
    fn pop(&mut self, graph: &mut Within<'_>) {
        let Some(frame) = self.frames.pop() else {
            return;
        };
        if frame.low < self.order[index(frame.node)] {
            if let Some(before) = self.frames.last_mut() {
                before.low = before.low.min(frame.low);
                before.marks |= frame.marks | frame.entered;
                before.cyclic = true;
            }
            return;
        }
        let component = self.open.split_off(frame.place);
        let fair = frame.cyclic && self.is_fair(graph, &component, frame.marks);
        for &member in &component {
            self.order[index(member)] = DONE;
            if fair && let Ok(member) = u32::try_from(member) {
                self.found.insert(member);
            }
        }
    }

    /// Whether a component whose steps have these marks has a fair cycle.
    fn is_fair(&self, graph: &mut Within<'_>, component: &[u64], marks: Marks) -> bool {
        if self.acceptance.accepts(marks) {
            return true;
        }
        // Something is missing that must recur, whatever else does not.
        if only_recurs(self.acceptance) || !holds(self.acceptance, marks, 0) {
            return false;
        }
        split(graph, component, self.acceptance).is_some()
    }
}

fn index(node: u64) -> usize {
    usize::try_from(node).unwrap_or(usize::MAX)
}
