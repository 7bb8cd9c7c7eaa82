//! Writing a graph while it is explored.

use std::io::{self, Write};
use std::mem::{replace, take};

use sweepline_core::{
    ColumnClosed, Control, Describe, LayerOpened, Link, Linked, LinkedStates, Observer, Started,
    Statistics, Wants,
};
use sweepline_logic::{Enabled, Predicate};

use super::block::{Draft, NODES};
use super::dictionary::{Dictionary, PAGE, STEPS};
use super::error::SwgError;
use super::footer::{About, BEGIN_BYTES, END, Entry, Footer, MAGIC, Part, VERSION};
use super::place::Place;

/// Makes predicates for the states of a system.
type Bind = Box<dyn Fn(&dyn Describe) -> Option<Vec<Predicate>>>;

/// Propositions whose values are stored with every node.
pub struct Propositions {
    /// Their names, and what they are defined as.
    names: Vec<(String, String)>,
    predicates: Vec<Predicate>,
    bind: Bind,
    enabled: Enabled,
}

impl Propositions {
    /// Propositions with their definitions. `bind` makes predicates of them for the states of a system, whose encoding may change.
    /// Nothing if it cannot for this one.
    pub fn new(
        names: Vec<(String, String)>,
        system: &dyn Describe,
        bind: impl Fn(&dyn Describe) -> Option<Vec<Predicate>> + 'static,
    ) -> Option<Self> {
        Some(Self {
            names,
            predicates: bind(system)?,
            bind: Box::new(bind),
            enabled: Enabled::default(),
        })
    }

    /// None.
    pub fn none() -> Self {
        Self {
            names: Vec::new(),
            predicates: Vec::new(),
            bind: Box::new(|_| Some(Vec::new())),
            enabled: Enabled::default(),
        }
    }

    fn eval(&mut self, event: &Linked<'_>, truths: &mut Vec<bool>) -> Result<(), SwgError> {
        if self.predicates.iter().any(Predicate::needs_enabled) {
            self.enabled.set(event.actions, event.deadlock);
        }
        for (predicate, (name, _)) in self.predicates.iter().zip(&self.names) {
            let value = predicate.eval(event.state, &self.enabled);
            truths.push(value.map_err(|why| SwgError::Undefined {
                proposition: name.clone(),
                why: why.to_string(),
            })?);
        }
        Ok(())
    }
}

/// Writes what is explored as a graph, while it is explored.
///
/// It takes a few megabytes, whatever the size of the graph, and what the figures of every block of some thousand nodes take.
/// What is written has an end only when it is [finished](GraphWriter::finish).
pub struct GraphWriter<W> {
    out: W,
    written: u64,
    about: About,
    propositions: Propositions,
    footer: Footer,
    draft: Draft,
    dictionary: Dictionary,
    /// The number of the open layer's first instance.
    first: u64,
    /// The first instance of the open layer.
    here: Place,
    /// The persistent states that were counted before the column, or before the last change of the measure.
    persistent: u64,
    /// Those since then.
    column_persistent: u64,
    changing: bool,
    moves: Vec<[Place; 2]>,
    /// Nodes of a block, and sets of a page of the dictionary.
    sizes: (usize, usize),
    error: Option<SwgError>,
}

/// Moves that are written at once.
const MOVES: usize = 1 << 14;

impl<W: Write> GraphWriter<W> {
    /// Prepares to write. Nothing is written before the exploration begins.
    pub fn new(out: W, about: About, propositions: Propositions) -> Self {
        Self {
            out,
            written: 0,
            about: About {
                propositions: propositions.names.clone(),
                ..about
            },
            propositions,
            footer: Footer::default(),
            draft: Draft::new(NODES),
            dictionary: Dictionary::default(),
            first: 0,
            here: Place::default(),
            persistent: 0,
            column_persistent: 0,
            changing: false,
            moves: Vec::new(),
            sizes: (NODES, PAGE),
            error: None,
        }
    }

    /// The same with blocks of fewer nodes and a dictionary of fewer sets, so that a small graph has several.
    #[doc(hidden)]
    #[must_use]
    pub fn with_sizes(mut self, nodes: usize, sets: usize) -> Self {
        self.sizes = (nodes, sets);
        self.draft = Draft::new(nodes);
        self
    }

    /// Says by which measure the graph was explored, if that became known only meanwhile.
    pub fn set_measure(&mut self, measure: String) {
        self.about.measure = measure;
    }

    /// Writes the end. The figures are those of the exploration.
    pub fn finish(mut self, statistics: &Statistics) -> Result<W, SwgError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        if self.written == 0 {
            self.begin()?;
        }
        self.write_block()?;
        self.write_page()?;
        self.write_moves()?;
        let Footer {
            mut figures,
            initial,
            blocks,
            pages,
            moves,
            layers,
            ..
        } = self.footer;
        figures.complete = statistics.complete;
        figures.repeated = statistics.repeated;
        figures.peak_states = statistics.peak_states;
        let footer = Footer {
            about: self.about,
            figures,
            initial,
            blocks,
            pages,
            moves,
            persistent: self.persistent + self.column_persistent,
            layers,
        };
        let bytes = footer.write();
        let mut end = Vec::new();
        end.extend_from_slice(&self.written.to_le_bytes());
        end.extend_from_slice(&(bytes.len() as u64).to_le_bytes());
        end.extend_from_slice(&checksum(&bytes).to_le_bytes());
        end.extend_from_slice(&END);
        self.out.write_all(&bytes)?;
        self.out.write_all(&end)?;
        self.out.flush()?;
        Ok(self.out)
    }

    /// Why it stopped the exploration, if it did.
    pub fn error(&self) -> Option<&SwgError> {
        self.error.as_ref()
    }

    fn begin(&mut self) -> io::Result<()> {
        let mut begin = [0; BEGIN_BYTES];
        begin[..8].copy_from_slice(&MAGIC);
        begin[8..12].copy_from_slice(&VERSION.to_le_bytes());
        self.out.write_all(&begin)?;
        self.written = BEGIN_BYTES as u64;
        Ok(())
    }

    fn part(&mut self, bytes: &[u8]) -> io::Result<Part> {
        let part = Part {
            offset: self.written,
            length: bytes.len() as u64,
            checksum: checksum(bytes),
        };
        self.out.write_all(bytes)?;
        self.written += part.length;
        Ok(part)
    }

    /// Writes the nodes that have been gathered.
    fn write_block(&mut self) -> Result<(), SwgError> {
        if self.draft.is_empty() {
            return Ok(());
        }
        let mut entry = Entry {
            page: self.footer.pages.len(),
            first: self.draft.first,
            nodes: self.draft.nodes(),
            edges: self.draft.edges.len(),
            ..Entry::default()
        };
        let head = self.draft.head();
        entry.head = self.part(&head)?;
        let propositions = self.about.propositions.len();
        let body = self.draft.finish(&mut self.dictionary, propositions);
        let body = body.map_err(|what| SwgError::TooLarge { what })?;
        entry.body = self.part(&body)?;
        self.draft.recycle(body);
        self.footer.layers = self.footer.layers.max(self.draft.layers());
        let figures = &mut self.footer.figures;
        figures.nodes += entry.nodes as u64;
        figures.edges += entry.edges as u64;
        figures.numbers = entry.first + entry.nodes as u64;
        self.footer.blocks.push(entry);
        if self.dictionary.is_full(self.sizes.1) {
            self.write_page()?;
        }
        Ok(())
    }

    /// Writes the dictionary of the blocks since the last page. Blocks without nodes need one as well.
    fn write_page(&mut self) -> io::Result<()> {
        let last = self.footer.blocks.last();
        let is_needed = last.is_some_and(|block| block.page == self.footer.pages.len());
        if is_needed || !self.dictionary.is_empty() {
            let bytes = self.dictionary.finish();
            let part = self.part(&bytes)?;
            self.footer.pages.push(part);
        }
        Ok(())
    }

    fn write_moves(&mut self) -> io::Result<()> {
        if self.moves.is_empty() {
            return Ok(());
        }
        let moves = take(&mut self.moves);
        let bytes: Vec<u8> = moves
            .iter()
            .flatten()
            .flat_map(|place| place.bits().to_le_bytes())
            .collect();
        let part = self.part(&bytes)?;
        self.footer.moves.push(part);
        Ok(())
    }

    /// How the target of a link is known. Nothing if there are too many of it.
    fn place(&mut self, link: Link) -> Option<Place> {
        match link {
            Link::Here(index) => Some(self.here.with_index(index)),
            Link::Ahead(layer, index) => {
                self.footer.layers = self.footer.layers.max(layer.0.saturating_add(1));
                Place::layer(layer, index)
            }
            Link::Kept(number) => Place::number(number),
            Link::Persistent(index) => {
                let index = u64::from(index);
                self.column_persistent = self.column_persistent.max(index + 1);
                Place::persistent(self.persistent + index)
            }
        }
    }

    /// Indices of persistent states count anew.
    fn end_persistent(&mut self) {
        self.persistent += take(&mut self.column_persistent);
    }

    fn start(&mut self, links: &[Link]) -> Result<(), SwgError> {
        if self.written == 0 {
            self.begin()?;
        }
        // What was written before is void, if anything was; the footer will not speak of it.
        self.footer = Footer::default();
        self.draft = Draft::new(self.sizes.0);
        self.dictionary = Dictionary::default();
        self.moves.clear();
        (self.persistent, self.column_persistent) = (0, 0);
        self.changing = false;
        for &link in links {
            let place = self.place(link).ok_or(LAYERS)?;
            self.footer.initial.push(place);
        }
        Ok(())
    }

    /// Adds nodes. Most of them are added together: the next ones, with edges to layers, in a block that has room for more.
    fn nodes(&mut self, event: LinkedStates<'_>) -> Result<(), SwgError> {
        if !self.draft.add(self.here.layer_bits(), &event) {
            return event.iter().try_for_each(|node| self.node(&node));
        }
        let deadlocks = event.ends.iter().filter(|end| end.is_deadlock());
        self.footer.figures.deadlocks += deadlocks.count() as u64;
        Ok(())
    }

    fn node(&mut self, event: &Linked<'_>) -> Result<(), SwgError> {
        if event.number != self.draft.next() {
            // Numbers were left out.
            self.write_block()?;
            self.draft.start_at(event.number);
        }
        if event.links.len() > STEPS {
            let what = "a state has millions of steps";
            return Err(SwgError::TooLarge { what });
        }
        for (&action, &link) in event.actions.iter().zip(event.links) {
            let place = self.place(link).ok_or(LAYERS)?;
            self.draft.edges.push(action, place);
        }
        self.draft.add_node(event.deadlock);
        self.footer.figures.deadlocks += u64::from(event.deadlock);
        if !self.propositions.names.is_empty() {
            self.propositions.eval(event, &mut self.draft.truths)?;
        }
        if self.draft.is_full() {
            self.write_block()?;
        }
        Ok(())
    }

    fn open(&mut self, event: &LayerOpened<'_>) -> Result<(), SwgError> {
        if replace(&mut self.changing, false) {
            self.end_persistent();
        }
        (self.here, self.first) = (Place::layer(event.layer, 0).ok_or(LAYERS)?, event.first);
        self.footer.layers = self.footer.layers.max(event.layer.0.saturating_add(1));
        self.footer.figures.layers += 1;
        if let Some(last) = event.roots.iter().max() {
            self.column_persistent = self.column_persistent.max(u64::from(*last) + 1);
        }
        let before = self.persistent;
        let roots = event.roots.iter().map(|root| before + u64::from(*root));
        self.draft.open(event.layer, event.first, roots);
        Ok(())
    }

    fn move_place(&mut self, from: Link, to: Link) -> Result<(), SwgError> {
        self.changing = true;
        // An instance of the open layer has a number already, and that is what other links may have.
        let from = match from {
            Link::Here(index) => Link::Kept(self.first + u64::from(index)),
            from => from,
        };
        let from = self.place(from).ok_or(LAYERS)?;
        let to = self.place(to).ok_or(LAYERS)?;
        self.moves.push([from, to]);
        if self.moves.len() >= MOVES {
            self.write_moves()?;
        }
        Ok(())
    }

    fn control(&mut self, done: Result<(), SwgError>) -> Control {
        if let Err(error) = done {
            self.error.get_or_insert(error);
        }
        // What was wrong when nobody could stop the exploration stops it now.
        if self.error.is_some() {
            Control::Stop
        } else {
            Control::Continue
        }
    }
}

/// Layers have numbers of 30 bits, and everything else has more.
struct TooManyLayers;
const LAYERS: TooManyLayers = TooManyLayers;

impl From<TooManyLayers> for SwgError {
    fn from(_: TooManyLayers) -> Self {
        Self::TooLarge {
            what: "there are more than 2^30 layers",
        }
    }
}

impl<W: Write> Observer for GraphWriter<W> {
    fn wants(&self) -> Wants {
        // Propositions are about states, which have to be seen.
        if self.propositions.names.is_empty() {
            Wants::LINKS_AT_ONCE
        } else {
            Wants::LINKS
        }
    }

    fn started(&mut self, event: Started<'_>) -> Control {
        let done = self.start(event.links);
        self.control(done)
    }

    fn linked(&mut self, event: Linked<'_>) -> Control {
        let done = self.node(&event);
        self.control(done)
    }

    fn linked_states(&mut self, event: LinkedStates<'_>) -> Control {
        let done = self.nodes(event);
        self.control(done)
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        let done = self.open(&event);
        self.control(done)
    }

    fn column_closed(&mut self, _: ColumnClosed<'_>) -> Control {
        self.end_persistent();
        Control::Continue
    }

    fn recoded(&mut self, system: &dyn Describe) {
        if let Some(predicates) = (self.propositions.bind)(system) {
            self.propositions.predicates = predicates;
        } else {
            let what = "a proposition has no meaning in a wider encoding";
            self.error.get_or_insert(SwgError::TooLarge { what });
        }
    }

    fn moved(&mut self, from: Link, to: Link) {
        let done = self.move_place(from, to);
        let _ = self.control(done);
    }

    fn bytes(&self) -> usize {
        self.draft.bytes()
            + self.dictionary.bytes()
            + self.footer.blocks.capacity() * size_of::<Entry>()
            + self.moves.capacity() * size_of::<[Place; 2]>()
    }

    fn disk_bytes(&self) -> u64 {
        self.written
    }
}

/// The checksum of a part.
pub(crate) fn checksum(bytes: &[u8]) -> u32 {
    crc32fast::hash(bytes)
}
