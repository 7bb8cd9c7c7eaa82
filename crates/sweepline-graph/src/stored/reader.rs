//! Reading a graph from its file.

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex, PoisonError};

use sweepline_core::{ActionId, Control, Limits};

use super::block::{Body, Head, Opening};
use super::dictionary::Page;
use super::error::{Damage, SwgError};
use super::footer::{
    About, BEGIN_BYTES, END, END_BYTES, Entry, Figures, Footer, MAGIC, Part, VERSION,
};
use super::mapping::Mapping;
use super::place::{Kind, Place};
use super::writer::checksum;

/// Where the bytes of a graph are.
pub trait ReadAt {
    /// Fills a buffer with what begins at this offset.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;
    /// How many bytes there are.
    fn length(&self) -> io::Result<u64>;
}

impl ReadAt for File {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.read_exact_at(buffer, offset)
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.metadata()?.len())
    }
}

impl ReadAt for Vec<u8> {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let start = usize::try_from(offset).ok();
        let rest = start.and_then(|start| self.get(start..)?.get(..buffer.len()));
        buffer.copy_from_slice(rest.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        Ok(self.len() as u64)
    }
}

/// A graph in a file, of which a block is read at a time.
///
/// Nodes are named by the running numbers they had when they were explored. In main memory are the figures of every block, the
/// first number of every layer and the numbers of persistent states.
pub struct StoredGraph {
    source: Box<dyn ReadAt + Send + Sync>,
    footer: Footer,
    heads: Vec<Head>,
    places: Places,
    bytes: u64,
    /// The page of the dictionary that was used last.
    page: Mutex<Option<(usize, Arc<Page>)>>,
    checks: Checks,
    limits: Limits,
}

/// Whether checksums have to match. Whoever looks for mistakes in reading would never get past them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Checks {
    On,
    Off,
}

/// What numbers instances got that had none, or another one, when they were written.
#[derive(Debug, Default)]
struct Places {
    /// The first number of each layer.
    layers: Vec<u64>,
    persistent: Vec<u64>,
    moves: HashMap<Place, Place>,
}

/// No number.
const NOTHING: u64 = u64::MAX;

/// Some nodes in a row.
#[derive(Debug)]
pub struct Block {
    first: u64,
    ends: Vec<u32>,
    actions: Vec<ActionId>,
    targets: Vec<u64>,
    deadlocks: Vec<bool>,
    truths: Vec<Vec<bool>>,
}

/// A node with its edges.
#[derive(Clone, Copy, Debug)]
pub struct Node<'b> {
    /// Its number.
    pub number: u64,
    /// The actions of its edges, in the order of the steps.
    pub actions: &'b [ActionId],
    /// Whether it is a deadlock: it has no edges and is no proper end.
    pub deadlock: bool,
    targets: &'b [u64],
    truths: &'b [Vec<bool>],
    place: usize,
}

impl Node<'_> {
    /// Where its edges lead. Nothing if that was not explored, in a graph that is not complete.
    pub fn targets(&self) -> impl ExactSizeIterator<Item = Option<u64>> {
        self.targets
            .iter()
            .map(|&target| (target != NOTHING).then_some(target))
    }

    /// Whether a proposition, by its place in [`About::propositions`], holds.
    ///
    /// # Panics
    /// If there are not that many.
    pub fn holds(&self, proposition: usize) -> bool {
        self.truths[proposition][self.place]
    }
}

impl Block {
    /// The numbers of its nodes.
    pub fn numbers(&self) -> Range<u64> {
        self.first..self.first + self.ends.len() as u64
    }

    /// The node with this number, if it is here.
    pub fn node(&self, number: u64) -> Option<Node<'_>> {
        let place = usize::try_from(number.checked_sub(self.first)?).ok()?;
        let end = *self.ends.get(place)? as usize;
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]) as usize;
        Some(Node {
            number,
            actions: &self.actions[start..end],
            deadlock: self.deadlocks[place],
            targets: &self.targets[start..end],
            truths: &self.truths,
            place,
        })
    }

    /// All nodes, by number.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = Node<'_>> {
        self.numbers().filter_map(|number| self.node(number))
    }
}

impl StoredGraph {
    /// Opens a file, which is mapped into memory if it can be.
    pub fn open(file: File) -> Result<Self, SwgError> {
        match Mapping::of(file) {
            Ok(mapping) => Self::of(Box::new(mapping), Checks::On),
            Err(file) => Self::of(Box::new(file), Checks::On),
        }
    }

    /// Takes the bytes of a file.
    pub fn of_bytes(bytes: Vec<u8>) -> Result<Self, SwgError> {
        Self::of(Box::new(bytes), Checks::On)
    }

    /// The same whatever checksums say, to test that reading nonsense does no harm.
    #[doc(hidden)]
    pub fn of_unchecked_bytes(bytes: Vec<u8>) -> Result<Self, SwgError> {
        Self::of(Box::new(bytes), Checks::Off)
    }

    fn of(source: Box<dyn ReadAt + Send + Sync>, checks: Checks) -> Result<Self, SwgError> {
        let bytes = source.length()?;
        let footer = read_footer(&*source, bytes, checks)?;
        let mut graph = Self {
            source,
            footer,
            heads: Vec::new(),
            places: Places::default(),
            bytes,
            page: Mutex::new(None),
            checks,
            limits: Limits::default(),
        };
        graph.read_heads()?;
        graph.read_moves()?;
        if graph.footer.figures.complete && graph.initial()?.contains(&None) {
            return Err(Damage::Edge.into());
        }
        Ok(graph)
    }

    /// The same graph, where whatever goes through all of it keeps to these limits.
    #[must_use]
    pub fn within(mut self, limits: &Limits) -> Self {
        self.limits = limits.clone();
        self
    }

    /// Whether work that goes through the whole graph may go on.
    pub(crate) fn may_go_on(&self) -> Result<(), SwgError> {
        self.limits.allow(0).map_err(SwgError::Stopped)
    }

    /// What the graph is of.
    pub fn about(&self) -> &About {
        &self.footer.about
    }

    /// What was counted.
    pub fn figures(&self) -> &Figures {
        &self.footer.figures
    }

    /// The size of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The initial nodes, in the order of the system. Nothing where one was not explored.
    pub fn initial(&self) -> Result<Vec<Option<u64>>, SwgError> {
        let initial = self.footer.initial.iter();
        initial.map(|&place| Ok(self.number(place)?)).collect()
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> usize {
        self.footer.blocks.len()
    }

    /// Which block a node is in.
    pub fn block_of(&self, number: u64) -> Option<usize> {
        let blocks = &self.footer.blocks;
        let after = blocks.partition_point(|block| block.first <= number);
        // Blocks without nodes may have the same first number.
        let found = |&index: &usize| number - blocks[index].first < blocks[index].nodes as u64;
        (0..after)
            .rev()
            .take_while(|&index| {
                let block = &blocks[index];
                block.nodes == 0 || found(&index)
            })
            .find(found)
    }

    /// The first numbers of layers and of the roots before them, in the order in which they were opened, with the block they
    /// were opened in. Going through them backwards is going through the graph backwards by layer.
    pub fn layers(&self) -> impl DoubleEndedIterator<Item = (usize, u64)> {
        self.heads.iter().enumerate().flat_map(|(block, head)| {
            let first = self.footer.blocks[block].first;
            let opened = head.openings.iter();
            opened.map(move |opening| (block, first + opening.position as u64))
        })
    }

    /// Reads a block.
    pub fn block(&self, index: usize) -> Result<Block, SwgError> {
        let entry = &self.footer.blocks[index];
        let bytes = self.part(&entry.body)?;
        let page = self.page(entry.page)?;
        let body = Body::read(
            &bytes,
            &self.heads[index],
            &page,
            (entry.nodes, entry.edges),
            self.footer.about.propositions.len(),
        )?;
        let mut targets = Vec::with_capacity(body.places.len());
        for &place in &body.places {
            let target = self.number(place)?;
            if target.is_none() && self.footer.figures.complete {
                return Err(Damage::Edge.into());
            }
            targets.push(target.unwrap_or(NOTHING));
        }
        Ok(Block {
            first: entry.first,
            ends: body.ends,
            actions: body.actions,
            targets,
            deadlocks: body.deadlocks,
            truths: body.truths,
        })
    }

    /// Shows all nodes, the smallest number first.
    pub fn forward(&self, mut visit: impl FnMut(Node<'_>) -> Control) -> Result<(), SwgError> {
        for index in 0..self.blocks() {
            self.may_go_on()?;
            if self
                .block(index)?
                .nodes()
                .any(|node| visit(node) == Control::Stop)
            {
                break;
            }
        }
        Ok(())
    }

    /// Shows all nodes, the largest number first.
    pub fn backward(&self, mut visit: impl FnMut(Node<'_>) -> Control) -> Result<(), SwgError> {
        for index in (0..self.blocks()).rev() {
            self.may_go_on()?;
            let block = self.block(index)?;
            if block.nodes().rev().any(|node| visit(node) == Control::Stop) {
                break;
            }
        }
        Ok(())
    }

    /// The number an edge leads to. Nothing if nothing with that name was expanded.
    fn number(&self, place: Place) -> Result<Option<u64>, Damage> {
        let number = self.places.number(place)?;
        let figures = &self.footer.figures;
        if figures.nodes == figures.numbers {
            return Ok(number.filter(|&number| number < figures.numbers));
        }
        Ok(number.filter(|&number| self.block_of(number).is_some()))
    }

    fn part(&self, part: &Part) -> Result<Vec<u8>, SwgError> {
        read_part(&*self.source, part, self.checks)
    }

    fn page(&self, index: usize) -> Result<Arc<Page>, SwgError> {
        let mut used = self.page.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, page)) = &*used
            && *known == index
        {
            return Ok(Arc::clone(page));
        }
        let page = Arc::new(Page::read(&self.part(&self.footer.pages[index])?)?);
        *used = Some((index, Arc::clone(&page)));
        Ok(page)
    }

    fn read_heads(&mut self) -> Result<(), SwgError> {
        let mut places = Places {
            layers: vec![NOTHING; self.footer.layers as usize],
            persistent: vec![NOTHING; usize::try_from(self.footer.persistent).unwrap_or(0)],
            moves: HashMap::new(),
        };
        let mut heads = Vec::with_capacity(self.footer.blocks.len());
        for Entry {
            head, first, nodes, ..
        } in &self.footer.blocks
        {
            let head = Head::read(&self.part(head)?, *first, *nodes)?;
            for opening in &head.openings {
                places.open(opening)?;
            }
            heads.push(head);
        }
        (self.heads, self.places) = (heads, places);
        Ok(())
    }

    fn read_moves(&mut self) -> Result<(), SwgError> {
        for part in &self.footer.moves {
            let bytes = self.part(part)?;
            let (words, rest) = bytes.as_chunks::<8>();
            let (pairs, odd) = words.as_chunks::<2>();
            if !rest.is_empty() || !odd.is_empty() {
                return Err(Damage::Short.into());
            }
            for pair in pairs {
                let [from, to] = pair.map(|word| Place::of_bits(u64::from_le_bytes(word)));
                let (Some(from), Some(to)) = (from, to) else {
                    return Err(Damage::Number.into());
                };
                self.places.moves.insert(from, to);
            }
        }
        Ok(())
    }
}

impl Places {
    fn open(&mut self, opening: &Opening) -> Result<(), Damage> {
        let layer = self.layers.get_mut(opening.layer.0 as usize);
        *layer.ok_or(Damage::Number)? = opening.first;
        let roots = opening.first - opening.roots.len() as u64;
        for (&root, number) in opening.roots.iter().zip(roots..) {
            let place = usize::try_from(root)
                .ok()
                .and_then(|root| self.persistent.get_mut(root));
            *place.ok_or(Damage::Number)? = number;
        }
        Ok(())
    }

    /// The number of an instance, if it ever got one.
    #[inline]
    fn number(&self, place: Place) -> Result<Option<u64>, Damage> {
        if self.moves.is_empty() {
            return self.named(place);
        }
        self.followed(place)
    }

    #[inline]
    fn named(&self, place: Place) -> Result<Option<u64>, Damage> {
        let known = match place.kind() {
            Kind::Number(number) => return Ok(Some(number)),
            Kind::Layer(layer, index) => {
                let first = *self.layers.get(layer as usize).ok_or(Damage::Edge)?;
                first.checked_add(index.into())
            }
            Kind::Persistent(index) => {
                let index = usize::try_from(index).map_err(|_| Damage::Edge)?;
                Some(*self.persistent.get(index).ok_or(Damage::Edge)?)
            }
        };
        Ok(known.filter(|&number| number != NOTHING))
    }

    /// The same where the measure changed, and instances went elsewhere.
    fn followed(&self, mut place: Place) -> Result<Option<u64>, Damage> {
        // Nothing goes anywhere twice, so this ends unless the file is damaged.
        for _ in 0..=2 * self.moves.len() {
            if let Some(&to) = self.moves.get(&place) {
                place = to;
                continue;
            }
            let Some(number) = self.named(place)? else {
                return Ok(None);
            };
            let numbered = Place::number(number).ok_or(Damage::Number)?;
            if !self.moves.contains_key(&numbered) {
                return Ok(Some(number));
            }
            place = numbered;
        }
        Err(Damage::Edge)
    }
}

fn read_footer(source: &dyn ReadAt, bytes: u64, checks: Checks) -> Result<Footer, SwgError> {
    let mut begin = [0; BEGIN_BYTES];
    let present = usize::try_from(bytes)
        .unwrap_or(BEGIN_BYTES)
        .min(BEGIN_BYTES);
    source.read_at(0, &mut begin[..present])?;
    if begin[..8] != MAGIC {
        return Err(if present > 0 && MAGIC.starts_with(&begin[..present]) {
            SwgError::Truncated
        } else {
            SwgError::Foreign
        });
    }
    let version = u32::from_le_bytes([begin[8], begin[9], begin[10], begin[11]]);
    if version != VERSION && present == BEGIN_BYTES {
        return Err(SwgError::Version {
            version,
            known: VERSION,
        });
    }
    if checks == Checks::On && begin[12..] != [0; 4] {
        return Err(Damage::Begin.into());
    }
    let Some(end_at) = bytes.checked_sub((BEGIN_BYTES + END_BYTES) as u64) else {
        return Err(SwgError::Truncated);
    };
    let end_at = end_at + BEGIN_BYTES as u64;
    let mut end = [0; END_BYTES];
    source.read_at(end_at, &mut end)?;
    if end[20..] != END {
        return Err(SwgError::Truncated);
    }
    let word = |at: usize| {
        let mut word = [0; 8];
        word.copy_from_slice(&end[at..at + 8]);
        u64::from_le_bytes(word)
    };
    let part = Part {
        offset: word(0),
        length: word(8),
        checksum: u32::from_le_bytes([end[16], end[17], end[18], end[19]]),
    };
    if part.offset.checked_add(part.length) != Some(end_at) {
        return Err(Damage::Short.into());
    }
    Footer::read(&read_part(source, &part, checks)?, part.offset)
}

/// Reads a part that lies within the file.
fn read_part(source: &dyn ReadAt, part: &Part, checks: Checks) -> Result<Vec<u8>, SwgError> {
    let length = usize::try_from(part.length).map_err(|_| Damage::Number)?;
    let mut bytes = vec![0; length];
    source.read_at(part.offset, &mut bytes)?;
    if checks == Checks::On && checksum(&bytes) != part.checksum {
        return Err(Damage::Checksum.into());
    }
    Ok(bytes)
}
