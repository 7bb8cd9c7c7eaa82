//! The graph in which accepting cycles are looked for.

use std::collections::{HashMap, HashSet};

use sweepline_core::Word;
use sweepline_logic::omega::{Letter, Marks};

use super::acceptor::Acceptor;
use super::links::Links;
use super::recorder::Recorder;

/// A graph with marks on its edges, asked one node at a time. Nodes are numbers.
pub(crate) trait Marked {
    /// Where runs start, one after the other.
    fn root(&mut self, index: usize) -> Option<Root>;

    /// The next edge of a node, after which the cursor has been [moved](Cursor::before). The cursor starts as the default;
    /// without a next edge, nothing.
    fn step(&mut self, node: u64, cursor: &mut Cursor) -> Option<Step>;

    /// Whether every run from this node on is accepted.
    fn is_universal(&self, node: u64) -> bool;
}

/// A node where runs start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Root {
    pub(crate) node: u64,
    /// Which initial state of the model it is.
    pub(crate) ordinal: u32,
    /// Which state of the automaton it is.
    pub(crate) state: u32,
}

/// Where an enumeration of edges is.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Cursor {
    pub(crate) edge: u32,
    pub(crate) step: u32,
}

impl Cursor {
    /// Where the enumeration was before it gave the last edge.
    pub(crate) fn before(self) -> Self {
        Self {
            step: self.step.saturating_sub(1),
            ..self
        }
    }
}

/// An edge: a step of the model and a move of the automaton that reads its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Step {
    pub(crate) target: u64,
    pub(crate) marks: Marks,
    /// Position of the model's step among those of its source, or [`STUTTER`].
    pub(crate) ordinal: u32,
    /// Position of the automaton's move among those of its source.
    pub(crate) edge: u32,
}

/// The model has no step and stays where it is.
pub(crate) const STUTTER: u32 = u32::MAX;

/// What the automaton can do: its moves by what is read of a state and by its own state.
///
/// What is read is cut down to what the automaton looks at, so that there are few classes of it.
#[derive(Debug)]
pub(crate) struct Moves {
    states: u32,
    /// The classes there are: a letter, and the marks every step gets.
    known: HashMap<(Letter, Marks), u32>,
    /// The class of everything that was read.
    classes: Vec<u32>,
    /// Where the moves of a class and a state lie.
    ranges: Vec<(u32, u32)>,
    all: Vec<Step>,
}

impl Moves {
    pub(crate) fn new(acceptor: &Acceptor) -> Self {
        Self {
            states: u32::try_from(acceptor.states()).expect("states have 32 bits"),
            known: HashMap::new(),
            classes: Vec::new(),
            ranges: Vec::new(),
            all: Vec::new(),
        }
    }

    /// How many states the automaton has.
    pub(crate) fn states(&self) -> u64 {
        self.states.into()
    }

    /// Something else that was read.
    pub(crate) fn learn(&mut self, acceptor: &Acceptor, read: &[Word]) {
        let class = (acceptor.letter(read), acceptor.state_marks(read));
        let next = u32::try_from(self.known.len()).expect("there are fewer classes than states");
        let number = *self.known.entry(class).or_insert(next);
        if number == next {
            self.add(acceptor, class.0, class.1);
        }
        self.classes.push(number);
    }

    /// How much has been learned.
    pub(crate) fn len(&self) -> usize {
        self.classes.len()
    }

    fn add(&mut self, acceptor: &Acceptor, letter: Letter, marks: Marks) {
        let end = |moves: &Vec<Step>| u32::try_from(moves.len()).expect("a small table");
        for state in 0..self.states {
            let start = end(&self.all);
            let reading = acceptor.reading(state, letter);
            self.all.extend(reading.map(|step| Step {
                target: step.target.into(),
                marks: step.marks | marks,
                ordinal: 0,
                edge: step.edge,
            }));
            self.ranges.push((start, end(&self.all)));
        }
    }

    /// The moves from a state for what was read. Their targets are states of the automaton.
    #[inline]
    pub(crate) fn of(&self, letter: usize, state: u32) -> &[Step] {
        let class = self.classes[letter] as usize * self.states as usize;
        let (start, end) = self.ranges[class + state as usize];
        &self.all[start as usize..end as usize]
    }

    pub(crate) fn bytes(&self) -> usize {
        self.classes.capacity() * size_of::<u32>()
            + self.ranges.capacity() * size_of::<(u32, u32)>()
            + self.all.capacity() * size_of::<Step>()
            + self.known.capacity() * size_of::<((Letter, Marks), u32)>()
    }
}

/// What was recorded, together with the automaton: a node is a number times the states of the automaton plus one of them.
///
/// An instance that has not been expanded has no steps and does not stutter, and so has one some of whose atoms have no value;
/// both are noted when they are met.
#[derive(Debug)]
pub(crate) struct RecordedProduct<'r> {
    links: &'r Links,
    acceptor: &'r Acceptor,
    moves: Moves,
    roots: Vec<Root>,
    undefined: HashSet<u32>,
    /// Whether something was met that has not been expanded.
    pub(crate) unfinished: bool,
    /// Whether an atom without a value was met: the number where.
    pub(crate) met_undefined: Option<u32>,
}

impl<'r> RecordedProduct<'r> {
    pub(crate) fn new(recorder: &'r Recorder, acceptor: &'r Acceptor) -> Self {
        let undefined = recorder.undefined().iter().filter(|(_, atoms)| {
            let mut atoms = atoms.iter();
            atoms.any(|one| acceptor.asks(one.atom))
        });
        let mut moves = Moves::new(acceptor);
        for read in recorder.read().iter() {
            moves.learn(acceptor, read);
        }
        let mut product = Self {
            moves,
            roots: Vec::new(),
            undefined: undefined.map(|(&number, _)| number).collect(),
            links: recorder.links(),
            acceptor,
            unfinished: false,
            met_undefined: None,
        };
        product.find_roots();
        product
    }

    fn find_roots(&mut self) {
        for (ordinal, number) in (0..).zip(self.links.initial()) {
            let Some(number) = number else {
                self.unfinished = true;
                continue;
            };
            let starts = self.acceptor.initial.iter().map(|&state| Root {
                node: self.node(number, state.into()),
                ordinal,
                state,
            });
            let starts: Vec<_> = starts.collect();
            self.roots.extend(starts);
        }
    }

    /// How many nodes there can be.
    pub(crate) fn nodes(&self) -> u64 {
        u64::from(self.links.numbers()) * u64::from(self.moves.states)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.moves.bytes() + self.undefined.capacity() * 8
    }

    fn node(&self, number: u32, state: u64) -> u64 {
        u64::from(number) * u64::from(self.moves.states) + state
    }

    /// Number and state of the automaton.
    #[inline]
    fn split(&self, node: u64) -> (u32, u32) {
        let states = u64::from(self.moves.states);
        let part = |part: u64| u32::try_from(part).expect("a node is made of such numbers");
        (part(node / states), part(node % states))
    }
}

impl Marked for RecordedProduct<'_> {
    fn root(&mut self, index: usize) -> Option<Root> {
        self.roots.get(index).copied()
    }

    #[inline]
    fn step(&mut self, node: u64, cursor: &mut Cursor) -> Option<Step> {
        let (number, state) = self.split(node);
        let Some(letter) = self.links.label(number) else {
            self.unfinished = true;
            return None;
        };
        if !self.undefined.is_empty() && self.undefined.contains(&number) {
            self.met_undefined.get_or_insert(number);
            return None;
        }
        let moves = self.moves.of(letter, state);
        let edges = self.links.edges(number);
        if moves.is_empty() {
            return None;
        }
        if edges.is_empty() {
            // The model ends here, and stays here.
            let step = moves.get(cursor.step as usize)?;
            cursor.step += 1;
            return Some(Step {
                target: self.node(number, step.target),
                ordinal: STUTTER,
                ..*step
            });
        }
        loop {
            let edge = edges.start + cursor.edge;
            if edge >= edges.end {
                return None;
            }
            let target = self.links.target(edge);
            if let (Some(target), Some(step)) = (target, moves.get(cursor.step as usize)) {
                cursor.step += 1;
                let taken = self.acceptor.step_marks(self.links.action(edge));
                return Some(Step {
                    target: self.node(target, step.target),
                    marks: step.marks | taken,
                    ordinal: cursor.edge,
                    edge: step.edge,
                });
            }
            self.unfinished |= target.is_none();
            *cursor = Cursor {
                edge: cursor.edge + 1,
                step: 0,
            };
        }
    }

    fn is_universal(&self, node: u64) -> bool {
        self.acceptor.is_universal(self.split(node).1)
    }
}
