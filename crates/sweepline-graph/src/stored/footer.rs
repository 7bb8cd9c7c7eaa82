//! The end of a file, which says what is where.

use sweepline_core::ActionId;

use super::block::{MOST_EDGES, NODES};
use super::bytes::{Bytes, put, put_text, put_texts};
use super::dictionary::ACTIONS;
use super::error::{Damage, SwgError};
use super::place::{NUMBERS, Place};

/// What every graph file begins with: no text, and damaged by whoever takes it for one.
pub(crate) const MAGIC: [u8; 8] = *b"\x89SWG\r\n\x1a\n";
/// What every whole one ends with.
pub(crate) const END: [u8; 8] = *b"SWG end\n";
/// The version that is written, and the only one that is read.
pub const VERSION: u32 = 1;
/// Bytes before the first part.
pub(crate) const BEGIN_BYTES: usize = 16;
/// Bytes after the footer: where it is, how long, its checksum, and the mark of the end.
pub(crate) const END_BYTES: usize = 8 + 8 + 4 + 8;

/// What a graph is of, for people and for whoever wants to be sure that it is the graph of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// The model.
    pub model: String,
    /// What tells it from other models.
    pub fingerprint: u64,
    /// The measure it was explored by, in words.
    pub measure: String,
    /// The names of actions, by their numbers. Empty if they have names only in context.
    pub actions: Vec<String>,
    /// Those of them that nobody outside of the model sees happen.
    pub internal: Vec<ActionId>,
    /// The propositions whose values are stored, and what they were defined as.
    pub propositions: Vec<(String, String)>,
}

/// What was counted when a graph was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Whether everything that can be reached is there.
    pub complete: bool,
    /// Whether a state may be there several times: the graph is an unfolding of the state space, bisimilar to it.
    pub repeated: bool,
    /// Nodes: expansions, each of them with all its edges.
    pub nodes: u64,
    /// Edges.
    pub edges: u64,
    /// Numbers of nodes are below this. Some may be left out, if the measure changed while the graph was written.
    pub numbers: u64,
    /// Nodes without edges that are no proper ends.
    pub deadlocks: u64,
    /// How many times a layer was opened.
    pub layers: u64,
    /// States that were stored at most while the graph was written.
    pub peak_states: u64,
}

/// A part of a file and its checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) offset: u64,
    pub(crate) length: u64,
    pub(crate) checksum: u32,
}

/// A block as the footer knows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) head: Part,
    pub(crate) body: Part,
    /// The page of the dictionary it is written with.
    pub(crate) page: usize,
    pub(crate) first: u64,
    pub(crate) nodes: usize,
    pub(crate) edges: usize,
}

/// Everything that is known of a file when its end has been read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footer {
    pub(crate) about: About,
    pub(crate) figures: Figures,
    pub(crate) initial: Vec<Place>,
    pub(crate) blocks: Vec<Entry>,
    pub(crate) pages: Vec<Part>,
    /// Where instances went when the measure changed.
    pub(crate) moves: Vec<Part>,
    /// How many persistent states there were.
    pub(crate) persistent: u64,
    /// Layers have numbers below this.
    pub(crate) layers: u32,
}

impl Footer {
    pub(crate) fn write(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let About {
            model,
            fingerprint,
            measure,
            actions,
            internal,
            propositions,
        } = &self.about;
        put_text(model, &mut out);
        put(*fingerprint, &mut out);
        put_text(measure, &mut out);
        put_texts(actions, &mut out);
        put(internal.len() as u64, &mut out);
        for action in internal {
            put(action.0.into(), &mut out);
        }
        put(propositions.len() as u64, &mut out);
        for (name, text) in propositions {
            put_text(name, &mut out);
            put_text(text, &mut out);
        }
        let figures = &self.figures;
        for number in [
            figures.complete.into(),
            figures.repeated.into(),
            figures.nodes,
            figures.edges,
            figures.numbers,
            figures.deadlocks,
            figures.layers,
            figures.peak_states,
            self.persistent,
            self.layers.into(),
            self.initial.len() as u64,
        ] {
            put(number, &mut out);
        }
        for place in &self.initial {
            put(place.bits(), &mut out);
        }
        let mut end = BEGIN_BYTES as u64;
        for parts in [&self.pages, &self.moves] {
            put(parts.len() as u64, &mut out);
            for part in parts {
                put_part(part, &mut 0, &mut out);
            }
        }
        put(self.blocks.len() as u64, &mut out);
        let (mut page, mut first) = (0, 0);
        for block in &self.blocks {
            put_part(&block.head, &mut end, &mut out);
            put_part(&block.body, &mut end, &mut out);
            put((block.page - page) as u64, &mut out);
            put(block.first - first, &mut out);
            put(block.nodes as u64, &mut out);
            put(block.edges as u64, &mut out);
            (page, first) = (block.page, block.first + block.nodes as u64);
        }
        out
    }

    /// Reads a footer that begins at this offset, before which everything else lies.
    pub(crate) fn read(bytes: &[u8], limit: u64) -> Result<Self, SwgError> {
        let mut bytes = Bytes(bytes);
        let about = read_about(&mut bytes)?;
        let (figures, persistent, layers) = read_figures(&mut bytes, limit)?;
        let mut footer = Self {
            about,
            figures,
            persistent,
            layers,
            ..Self::default()
        };
        for _ in 0..bytes.count()? {
            let place = Place::of_bits(bytes.get()?).ok_or(Damage::Number)?;
            footer.initial.push(place);
        }
        for parts in [&mut footer.pages, &mut footer.moves] {
            for _ in 0..bytes.count()? {
                parts.push(read_part(&mut bytes, &mut 0, limit)?);
            }
        }
        footer.read_blocks(&mut bytes, limit)?;
        if !bytes.0.is_empty() {
            return Err(Damage::Number.into());
        }
        Ok(footer)
    }

    fn read_blocks(&mut self, bytes: &mut Bytes<'_>, limit: u64) -> Result<(), Damage> {
        let mut end = BEGIN_BYTES as u64;
        let (mut page, mut first, mut nodes, mut edges) = (0, 0, 0, 0);
        for _ in 0..bytes.count()? {
            let head = read_part(bytes, &mut end, limit)?;
            let body = read_part(bytes, &mut end, limit)?;
            page += size(bytes.get_up_to(self.pages.len() as u64)?);
            first += bytes.get_up_to(NUMBERS)?;
            let block = Entry {
                head,
                body,
                page,
                first,
                nodes: size(bytes.get_up_to(NODES as u64)?),
                edges: size(bytes.get_up_to(MOST_EDGES as u64)?),
            };
            if page >= self.pages.len() || first >= NUMBERS {
                return Err(Damage::Number);
            }
            self.blocks.push(block);
            first += block.nodes as u64;
            nodes += block.nodes as u64;
            edges += block.edges as u64;
        }
        let figures = &self.figures;
        if [nodes, edges, first] != [figures.nodes, figures.edges, figures.numbers] {
            return Err(Damage::Number);
        }
        Ok(())
    }
}

fn read_about(bytes: &mut Bytes<'_>) -> Result<About, Damage> {
    let mut about = About {
        model: bytes.text()?,
        fingerprint: bytes.get()?,
        measure: bytes.text()?,
        actions: bytes.texts()?,
        internal: Vec::new(),
        propositions: Vec::new(),
    };
    for _ in 0..bytes.count()? {
        let action = bytes.get_up_to(ACTIONS.into())?;
        let action = u32::try_from(action).map_err(|_| Damage::Number)?;
        about.internal.push(ActionId(action));
    }
    for _ in 0..bytes.count()? {
        about.propositions.push((bytes.text()?, bytes.text()?));
    }
    Ok(about)
}

fn read_figures(bytes: &mut Bytes<'_>, limit: u64) -> Result<(Figures, u64, u32), Damage> {
    let figures = Figures {
        complete: bytes.get_flag()?,
        repeated: bytes.get_flag()?,
        nodes: bytes.get()?,
        edges: bytes.get()?,
        numbers: bytes.get_up_to(NUMBERS)?,
        deadlocks: bytes.get()?,
        layers: bytes.get()?,
        peak_states: bytes.get()?,
    };
    // Every layer and every persistent state took a bit at least.
    let persistent = bytes.get_up_to(limit.saturating_mul(8))?;
    let layers = bytes.get_up_to(limit.saturating_mul(8))?;
    Ok((
        figures,
        persistent,
        u32::try_from(layers).map_err(|_| Damage::Number)?,
    ))
}

/// Parts mostly follow one another.
fn put_part(part: &Part, end: &mut u64, out: &mut Vec<u8>) {
    put(part.offset - *end, out);
    put(part.length, out);
    put(part.checksum.into(), out);
    *end = part.offset + part.length;
}

fn read_part(bytes: &mut Bytes<'_>, end: &mut u64, limit: u64) -> Result<Part, Damage> {
    let offset = bytes.get()?.checked_add(*end).ok_or(Damage::Number)?;
    let length = bytes.get()?;
    let checksum = bytes.get_up_to(u32::MAX.into())?;
    *end = offset.checked_add(length).ok_or(Damage::Number)?;
    if *end > limit {
        return Err(Damage::Short);
    }
    Ok(Part {
        offset,
        length,
        checksum: u32::try_from(checksum).map_err(|_| Damage::Number)?,
    })
}

fn size(value: u64) -> usize {
    usize::try_from(value).unwrap_or(usize::MAX)
}
