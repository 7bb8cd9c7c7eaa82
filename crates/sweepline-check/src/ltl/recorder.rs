//! Everything that was explored, as a graph in main memory.

use std::collections::BTreeMap;

use sweepline_core::{
    ColumnClosed, Control, Interner, LayerOpened, Link, Linked, Observer, Started, Wants, Word,
};

use super::claim::{Reader, Undefined};
use super::links::Links;

/// A graph of the instances that were stored: what was read of each, and where its steps lead, in their order.
#[derive(Debug)]
pub(crate) struct Recorder {
    /// Nodes are labelled with what was read of them.
    links: Links,
    read: Interner<Word>,
    /// Numbers some of whose atoms have no value.
    undefined: BTreeMap<u32, Vec<Undefined>>,
    expanded: u64,
    reader: Reader,
    buffer: Vec<Word>,
}

impl Recorder {
    pub(crate) fn new(reader: Reader, with_actions: bool) -> Self {
        Self {
            links: Links::new(with_actions),
            read: Interner::default(),
            undefined: BTreeMap::new(),
            expanded: 0,
            reader,
            buffer: Vec::new(),
        }
    }

    /// What is read of every state.
    pub(crate) fn reading(&self) -> &Reader {
        &self.reader
    }

    pub(crate) fn reader(&mut self) -> &mut Reader {
        &mut self.reader
    }

    /// The graph. Labels are indices into [`Recorder::read`].
    pub(crate) fn links(&self) -> &Links {
        &self.links
    }

    /// How many instances have been expanded.
    pub(crate) fn expansions(&self) -> u64 {
        self.expanded
    }

    /// Everything that was read, each once.
    pub(crate) fn read(&self) -> &Interner<Word> {
        &self.read
    }

    /// Numbers of which some atoms have no value.
    pub(crate) fn undefined(&self) -> &BTreeMap<u32, Vec<Undefined>> {
        &self.undefined
    }
}

impl Observer for Recorder {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }

    fn started(&mut self, event: Started<'_>) -> Control {
        self.links.restart(0);
        self.read.clear();
        self.undefined.clear();
        self.expanded = 0;
        self.links.start(event.links);
        Control::Continue
    }

    fn linked(&mut self, event: Linked<'_>) -> Control {
        let mut buffer = std::mem::take(&mut self.buffer);
        let undefined = self.reader.read_linked(&event, &mut buffer);
        let letter = self.read.number(&buffer);
        self.buffer = buffer;
        if self.links.begin(event.number, letter, event.links.len()) {
            if !undefined.is_empty() {
                let number = self.links.numbers() - 1;
                self.undefined.insert(number, undefined);
            }
            for (&action, &link) in event.actions.iter().zip(event.links) {
                self.links.add(action, link);
            }
            self.expanded += 1;
        }
        Control::Continue
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        self.links.layer_opened(&event);
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
        self.links.bytes()
            + self.read.bytes()
            + self.undefined.len() * size_of::<(u32, Vec<Undefined>)>() * 2
    }
}
