//! The links of a column of the product, while it is explored.

use std::collections::HashMap;

use sweepline_core::{ActionId, LayerOpened, Link};
use sweepline_explore::LogPlace;
use sweepline_logic::omega::{Letter, Marks, STAY};

use super::acceptor::Acceptor;
use super::graph::{Cursor, Marked, Root, Step};
use super::links::Links;

/// The links of a column, or of a layer where there are no rows: no cycle leaves it, and everything in it can be reached.
///
/// Only moves within a component of the automaton are kept. Nodes are labelled with what moves there are.
#[derive(Debug)]
pub(crate) struct Column {
    links: Links,
    classes: Vec<Class>,
    known: HashMap<(u32, Letter, Marks), usize>,
    /// How many nodes have been kept since it was begun.
    kept: u64,
}

/// The moves of the automaton from a state that read a letter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Class {
    /// How many there are.
    pub(crate) moves: usize,
    /// Those that stay in the component: the position of each, and its marks.
    inside: Vec<(u32, Marks)>,
}

/// The class of nodes that lie on no cycle.
const NO_CYCLE: usize = 0;

impl Column {
    pub(crate) fn new(with_actions: bool) -> Self {
        Self {
            links: Links::new(with_actions),
            classes: vec![Class::default()],
            known: HashMap::new(),
            kept: 0,
        }
    }

    /// Forgets everything, and begins again with this number.
    pub(crate) fn restart(&mut self, base: u64) {
        self.links.restart(base);
        self.kept = 0;
    }

    pub(crate) fn layer_opened(&mut self, event: &LayerOpened<'_>) {
        self.links.layer_opened(event);
    }

    /// How many nodes have been kept.
    pub(crate) fn kept(&self) -> u64 {
        self.kept
    }

    /// The number of a node.
    pub(crate) fn number(&self, node: u64) -> u64 {
        self.links.base() + node
    }

    /// How many nodes there can be.
    pub(crate) fn nodes(&self) -> u64 {
        self.links.numbers().into()
    }

    /// Moves links to disk, but for about so many bytes, until it begins again.
    pub(crate) fn spill(&mut self, place: &LogPlace, bytes: usize) {
        self.links.spill(place, bytes);
    }

    /// Whether links lie on disk.
    pub(crate) fn is_spilled(&self) -> bool {
        self.links.is_spilled()
    }

    /// Why links on disk were lost, if they were.
    pub(crate) fn failure(&self) -> Option<String> {
        self.links.failure()
    }

    pub(crate) fn disk_bytes(&self) -> u64 {
        self.links.disk_bytes()
    }

    pub(crate) fn is_outgrown(&self) -> bool {
        self.links.is_outgrown()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.links.bytes()
            + self.classes.capacity() * size_of::<Class>()
            + self.known.capacity() * size_of::<((u32, Letter, Marks), usize)>()
    }

    /// The class of a state of the automaton where this was read.
    pub(crate) fn class(
        &mut self,
        acceptor: &Acceptor,
        state: u32,
        letter: Letter,
        marks: Marks,
    ) -> usize {
        let classes = &mut self.classes;
        *self.known.entry((state, letter, marks)).or_insert_with(|| {
            let mut class = Class::default();
            for (position, step) in (0..).zip(acceptor.reading(state, letter)) {
                class.moves += 1;
                if acceptor.rank(step.target) == acceptor.rank(state) {
                    class.inside.push((position, step.marks | marks));
                }
            }
            classes.push(class);
            classes.len() - 1
        })
    }

    /// Keeps a node with its links: for each move of the automaton all steps of the model. Without rows only links within the
    /// layer matter.
    pub(crate) fn keep(
        &mut self,
        number: u64,
        class: usize,
        actions: &[ActionId],
        links: &[Link],
        rows: bool,
    ) {
        let Class { moves, inside } = &self.classes[class];
        let each = links.len().checked_div(*moves).unwrap_or(0);
        let of_move = |position: u32| position as usize * each..(position as usize + 1) * each;
        let matters = |link: &Link| rows || matches!(link, Link::Here(_));
        let inner = || inside.iter().flat_map(|&(position, _)| of_move(position));
        if !inner().any(|at| matters(&links[at])) {
            self.links.begin(number, NO_CYCLE, 0);
            return;
        }
        if self.links.begin(number, class, inside.len() * each) {
            self.kept += 1;
            for at in inner() {
                self.links.add(actions[at], links[at]);
            }
        }
    }
}

/// A column as a graph. Everything in it can be reached, so a search may start anywhere.
pub(crate) struct Columnar<'c> {
    pub(crate) column: &'c Column,
    pub(crate) acceptor: &'c Acceptor,
}

impl Marked for Columnar<'_> {
    fn root(&mut self, index: usize) -> Option<Root> {
        let node = index as u64;
        (node < self.column.nodes()).then_some(Root {
            node,
            ordinal: 0,
            state: 0,
        })
    }

    /// Steps are numbered as those of the product.
    #[inline]
    fn step(&mut self, node: u64, cursor: &mut Cursor) -> Option<Step> {
        let number = u32::try_from(node).ok()?;
        let links = &self.column.links;
        let class = &self.column.classes[links.label(number)?];
        let edges = links.edges(number);
        let inside = u32::try_from(class.inside.len()).ok()?;
        let each = edges.len().checked_div(class.inside.len())?;
        let each = u32::try_from(each).ok()?;
        // The place is one number here; a step of the cursor is an edge.
        while cursor.step < inside * each {
            let at = cursor.step;
            cursor.step += 1;
            let edge = edges.start + at;
            let Some(target) = links.target(edge) else {
                continue;
            };
            let (position, marks) = class.inside[(at / each) as usize];
            let action = links.action(edge).filter(|&action| action != STAY);
            return Some(Step {
                target: target.into(),
                marks: marks | self.acceptor.step_marks(action),
                ordinal: position * each + at % each,
                edge: 0,
            });
        }
        None
    }

    fn is_universal(&self, _: u64) -> bool {
        false
    }
}
