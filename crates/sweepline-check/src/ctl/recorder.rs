//! What was explored, as formulas of branching time want it: what was read of each state, and where its steps lead.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use sweepline_core::{
    ColumnClosed, Control, LayerOpened, Limits, Link, Linked, Observer, Started, StopReason, Wants,
    Word,
};
use sweepline_explore::LogPlace;

use super::backwards::{Backwards, Node, Visitor};
use super::edges::Edges;
use super::sets::Set;
use super::taped::{Noted, Taped};
use crate::ltl::{Reader, Undefined};

/// Records instances on a tape.
#[derive(Debug)]
pub(crate) struct BranchRecorder {
    links: Taped,
    /// Numbers some of whose atoms have no value.
    undefined: BTreeMap<u32, Unread>,
    reader: Reader,
    buffer: Vec<Word>,
}

/// A node some of whose atoms have no value.
#[derive(Debug)]
pub(crate) struct Unread {
    pub(crate) atoms: Vec<Undefined>,
    /// Whether it has no steps. They may have been cut off.
    pub(crate) is_end: bool,
}

impl BranchRecorder {
    /// Records what is read of every state, and perhaps the actions of its steps. A long tape goes to that place.
    pub(crate) fn new(reader: Reader, with_actions: bool, place: LogPlace) -> Self {
        let noted = Noted {
            atoms: reader.atoms(),
            actions: with_actions,
        };
        Self {
            links: Taped::new(noted, place),
            undefined: BTreeMap::new(),
            reader,
            buffer: Vec::new(),
        }
    }

    /// One that records the same, of which nothing has been recorded yet. Its tape goes to disk as well: memory that is given back before
    /// an exploration is seldom there when it is.
    pub(crate) fn blank(&self) -> Self {
        let place = self.links.place().clone();
        Self::new(self.reader.clone(), self.links.has_actions(), place)
    }

    pub(crate) fn reader(&mut self) -> &mut Reader {
        &mut self.reader
    }

    /// From now on links are kept while a layer is open only.
    pub(crate) fn keep_layers(&mut self) {
        self.links.keep_layers();
    }

    pub(crate) fn links(&self) -> &Taped {
        &self.links
    }

    /// Numbers of which some atoms have no value.
    pub(crate) fn undefined(&self) -> &BTreeMap<u32, Unread> {
        &self.undefined
    }

    /// Visits all nodes, from the last to the first, and says where runs start.
    pub(crate) fn visit(
        &self,
        limits: &Limits,
        mut visit: impl FnMut(&Node<'_>),
    ) -> Result<Vec<Option<u32>>, StopReason> {
        self.show(limits, &mut visit)
    }

    /// The same to somebody who does not want to see all.
    pub(crate) fn show(
        &self,
        limits: &Limits,
        visitor: &mut impl Visitor,
    ) -> Result<Vec<Option<u32>>, StopReason> {
        Backwards::new(&self.links).visit(limits, visitor)
    }
}

impl Observer for BranchRecorder {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }

    fn started(&mut self, event: Started<'_>) -> Control {
        self.undefined.clear();
        self.links.start(event.links);
        Control::Continue
    }

    fn linked(&mut self, event: Linked<'_>) -> Control {
        let undefined = self.reader.read_linked(&event, &mut self.buffer);
        let steps = (event.actions, event.links);
        if self.links.node(event.number, &self.buffer, steps) && !undefined.is_empty() {
            let unread = Unread {
                atoms: undefined,
                is_end: event.links.is_empty(),
            };
            self.undefined.insert(self.links.numbers() - 1, unread);
        }
        Control::Continue
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        self.links.layer_opened(&event);
        if self.links.is_layered() {
            self.undefined.clear();
        }
        Control::Continue
    }

    fn column_closed(&mut self, _: ColumnClosed<'_>) -> Control {
        self.links.column_closed();
        Control::Continue
    }

    fn moved(&mut self, from: Link, to: Link) {
        self.links.moved(from, to);
    }

    fn bytes(&self) -> usize {
        self.links.bytes() + self.undefined.len() * size_of::<(u32, Unread)>() * 2
    }

    fn disk_bytes(&self) -> u64 {
        self.links.disk_bytes()
    }
}

/// What is known of everything that is recorded.
pub(crate) struct Survey {
    /// The initial instances, in their order; nothing where one waits.
    pub(crate) initial: Vec<Option<u32>>,
    /// Whether everything that can be reached has been expanded.
    pub(crate) closed: bool,
    /// The numbers that have been expanded, unless these are all.
    pub(crate) expanded: Option<Set>,
    /// The links of small numbers, once one has to be looked up.
    near: OnceCell<Result<Edges, StopReason>>,
}

impl Survey {
    /// What everything recorded is like if it is taken for all there is.
    pub(crate) fn closed() -> Self {
        Self {
            initial: Vec::new(),
            closed: true,
            expanded: None,
            near: OnceCell::new(),
        }
    }

    pub(crate) fn of(recorder: &BranchRecorder, limits: &Limits) -> Result<Self, StopReason> {
        let links = recorder.links();
        let numbers = links.numbers();
        let mut known = true;
        let mut sets = None;
        let initial = if let Some(largest) = links.largest() {
            known = largest.is_none_or(|largest| largest < numbers);
            Backwards::new(links).initial()
        } else {
            let set = || Set::filled(numbers, false);
            let (mut expanded, mut reached) = (set(), set());
            let initial = recorder.visit(limits, |node| {
                expanded.set(node.number, true);
                for &target in node.targets {
                    if target < numbers {
                        reached.set(target, true);
                    } else {
                        known = false;
                    }
                }
            })?;
            sets = Some((expanded, reached));
            initial
        };
        for &number in &initial {
            match (number.filter(|&number| number < numbers), &mut sets) {
                (None, _) => known = false,
                (Some(number), Some((_, reached))) => reached.set(number, true),
                (Some(_), None) => {}
            }
        }
        let expanded = sets.map(|(expanded, reached)| {
            known &= reached.without(&expanded).count() == 0;
            expanded
        });
        Ok(Self {
            initial,
            closed: known,
            expanded,
            near: OnceCell::new(),
        })
    }

    /// The links of small numbers, which everybody who asks shares.
    pub(crate) fn near(
        &self,
        recorder: &BranchRecorder,
        limits: &Limits,
    ) -> Result<&Edges, StopReason> {
        let edges = self.near.get_or_init(|| Edges::near(recorder, limits));
        edges.as_ref().map_err(Clone::clone)
    }
}
