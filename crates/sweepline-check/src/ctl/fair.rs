//! Formulas of branching time under fairness: quantifiers range over the runs that are fair [BK08, Sect. 6.5].
//!
//! A run that ends is fair if it would be, staying in its last state for ever, as in linear time: what is to recur must hold there,
//! and actions that are not enabled owe nothing. It still has no next state.
//!
//! Where some fair run starts is a formula, `EG true`; with its help everything is told in terms of paths that need not be fair, but
//! for `EG p`: there must be a way, through states with p, to a component of these with a fair cycle. Components are those
//! of what is recorded, and whether one has a fair cycle is asked as in linear time, of an automaton that accepts everything.

use std::collections::HashMap;
use std::sync::Arc;

use sweepline_core::{Limits, StopReason};
use sweepline_logic::omega::{Acceptance, Guard, Marks, OmegaAutomaton, OmegaEdge, OmegaState};

use super::arena::Part;
use super::edges::Edges;
use super::pace::Pace;
use super::recorder::{BranchRecorder, Unread};
use super::sets::{Set, Side};
use crate::ltl::{
    Acceptor, Allowance, Claim, ClaimError, Cursor, Fairness, Lasso, Marked, Root, STUTTER, Search,
    Step, holds, only_recurs, search, split,
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

    /// Marks that steps from a node may have besides, since it is not known whether something holds there that is to recur.
    pub(crate) fn vague_marks(&self, unread: &Unread) -> Marks {
        let is_unread = |atom| unread.atoms.iter().any(|one| one.atom == atom);
        self.acceptor.recurring_marks(is_unread)
    }

    /// Bytes it takes, at most, to find the fair components of what is recorded.
    pub(crate) fn bytes(&self, recorder: &BranchRecorder) -> usize {
        let links = recorder.links();
        let numbers = links.numbers() as usize;
        let edges = usize::try_from(links.edges()).unwrap_or(usize::MAX);
        let mut each = size_of::<Marks>() + size_of::<u32>() + size_of::<u64>();
        each += 2 * size_of::<Frame>();
        let mut all = Edges::bytes_in_memory(recorder);
        if !only_recurs(&self.acceptor.acceptance) {
            // A component may have to be split, for which its edges are listed.
            each += size_of::<Vec<(usize, Marks)>>() + 2 * size_of::<(u64, usize)>();
            let listed = edges.saturating_mul(size_of::<(usize, Marks)>());
            all = all.saturating_add(listed);
        }
        let sets = SETS * Set::bytes(links.numbers());
        all.saturating_add(numbers.saturating_mul(each))
            .saturating_add(sets)
    }
}

/// Sets that are held beside those of an operator while fair runs are looked for.
const SETS: usize = 6;

/// What is recorded, as far as it matters to whether runs are fair. Links are held in memory, since components are found by going
/// back and forth.
pub(crate) struct Fairly<'r> {
    assumed: &'r Assumed,
    edges: Edges,
    /// Numbers that have been expanded; nothing if that is all.
    expanded: Option<Set>,
    /// The marks of every step from a number.
    marks: Vec<Marks>,
    /// Marks that steps from these numbers may have besides: it is not known whether something holds that is to recur.
    vague: HashMap<u32, Marks>,
    /// The part of the formula that says that some fair run starts here.
    pub(crate) part: Part,
}

impl<'r> Fairly<'r> {
    /// Reads what is recorded, of which these numbers have been expanded, or all.
    pub(crate) fn new(
        assumed: &'r Assumed,
        part: Part,
        (recorder, expanded): (&BranchRecorder, Option<&Set>),
        limits: &Limits,
    ) -> Result<Self, StopReason> {
        let acceptor = &assumed.acceptor;
        let mut marks = vec![0; recorder.links().numbers() as usize];
        let edges = Edges::in_memory(recorder, limits, |node| {
            let enabled = acceptor.enabled_by(node.actions());
            marks[node.number as usize] = acceptor.marks_of(|atom| node.atom(atom), enabled);
        })?;
        let vague = recorder.undefined().iter().filter_map(|(&number, unread)| {
            let marks = assumed.vague_marks(unread);
            (marks != 0).then_some((number, marks))
        });
        Ok(Self {
            assumed,
            edges,
            expanded: expanded.cloned(),
            marks,
            vague: vague.collect(),
            part,
        })
    }

    pub(crate) fn edges(&self) -> &Edges {
        &self.edges
    }

    fn numbers(&self) -> u32 {
        u32::try_from(self.marks.len()).unwrap_or(u32::MAX)
    }

    /// The members of a set in whose components, within the set, some run is fair; or may be.
    pub(crate) fn cycles(
        &self,
        inside: &Set,
        may: bool,
        limits: &Limits,
    ) -> Result<Set, StopReason> {
        let mut graph = self.graph(inside.clone(), may, None);
        let mut tarjan = Tarjan {
            order: vec![0; self.marks.len()],
            count: 0,
            open: Vec::new(),
            frames: Vec::new(),
            acceptance: &self.assumed.acceptor.acceptance,
            found: Set::filled(self.numbers(), false),
            pace: Pace::new(limits),
        };
        let mut limit = self.numbers();
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
            inside: match &self.expanded {
                None => inside,
                Some(expanded) => inside.and(Side::Set(expanded)),
            },
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
            edges,
            marks,
            vague,
            assumed,
            ..
        } = self.fairly;
        let number = u32::try_from(node).ok()?;
        if !self.inside.contains(number) {
            return None;
        }
        let mut here = marks[number as usize];
        if self.may && !vague.is_empty() {
            here |= vague.get(&number).copied().unwrap_or(0);
        }
        let range = edges.range(number);
        if range.is_empty() && cursor.step == 0 {
            cursor.step = 1;
            return Some(Step {
                target: node,
                marks: here,
                ordinal: STUTTER,
                edge: 0,
            });
        }
        loop {
            let edge = range.start + cursor.edge + cursor.step;
            if edge >= range.end {
                return None;
            }
            // One back is where the step just given is given again.
            *cursor = Cursor {
                edge: cursor.edge + cursor.step,
                step: 1,
            };
            if let Some(target) = edges.target(edge)
                && self.inside.contains(target)
            {
                return Some(Step {
                    target: target.into(),
                    marks: here | assumed.acceptor.step_marks(edges.action(edge)),
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
                self.found.set(member, true);
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
