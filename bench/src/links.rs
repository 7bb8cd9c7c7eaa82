//! Links written to disk as they come, four bytes an edge: what the least a consumer does costs.

use std::fs::File;
use std::io::{self, Write};

use sweepline::core::{Control, LayerClosed, LayerId, LayerOpened, Link, Linked, Observer, Wants};

/// Writes every link to a file that disappears with the run.
///
/// A link is an index of 24 bits below the place of its layer in a short list; what does not fit follows in full. The list
/// comes when the layer closes, so that everything can be read back.
pub struct Spill {
    file: File,
    /// Words gathered before they are written.
    words: Vec<u32>,
    /// The same in bytes.
    bytes: Vec<u8>,
    /// The layers that links of the open layer lead to.
    layers: Vec<LayerId>,
    /// Some layers, by their last bits, and what stands for them above an index.
    recent: [(LayerId, u32); RECENT],
    written: u64,
    pub edges: u64,
    pub error: Option<io::Error>,
}

const INDEX_BITS: u32 = 24;
/// What comes in full.
const ESCAPE: u32 = u32::MAX;
/// Words gathered before they are written.
const CHUNK: usize = 1 << 18;
/// Layers that are found without looking for them.
const RECENT: usize = 8;
const NOTHING: [(LayerId, u32); RECENT] = [(LayerId(0), ESCAPE); RECENT];

impl Spill {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile()?,
            words: Vec::with_capacity(2 * CHUNK),
            bytes: Vec::with_capacity(8 * CHUNK),
            layers: Vec::new(),
            recent: NOTHING,
            written: 0,
            edges: 0,
            error: None,
        })
    }

    /// Most links fit their four bytes; the others are seen by what stands for them.
    #[inline]
    fn push_all(&mut self, links: &[Link]) {
        let recent = &self.recent;
        let from = self.words.len();
        let mut highest = 0;
        self.words.extend(links.iter().map(|&link| {
            let word = match link {
                Link::Here(index) if index >> INDEX_BITS == 0 => index,
                Link::Ahead(layer, index) if index >> INDEX_BITS == 0 => {
                    match recent[slot(layer)] {
                        (known, above) if known == layer => above | index,
                        _ => ESCAPE,
                    }
                }
                _ => ESCAPE,
            };
            highest = highest.max(word);
            word
        }));
        if highest == ESCAPE {
            self.words.truncate(from);
            for &link in links {
                self.push(link);
            }
        }
    }

    /// The same for a link that leads to another layer than the last one, or that does not fit.
    #[cold]
    fn push(&mut self, link: Link) {
        match link {
            Link::Here(index) => self.push_place(0, index),
            Link::Ahead(layer, index) => {
                let place = self.place(layer);
                self.push_place(place, index);
            }
            Link::Kept(number) => self.push_number(0, number),
            Link::Persistent(index) => self.push_number(1, index.into()),
        }
    }

    /// The place of a layer in the list; the open layer comes before it.
    fn place(&mut self, layer: LayerId) -> u32 {
        let known = self.layers.iter().position(|&known| known == layer);
        let place = known.unwrap_or_else(|| {
            self.layers.push(layer);
            self.layers.len() - 1
        });
        let place = u32::try_from(place + 1).unwrap_or(ESCAPE);
        if place < ESCAPE >> INDEX_BITS {
            self.recent[slot(layer)] = (layer, place << INDEX_BITS);
        }
        place
    }

    fn push_place(&mut self, place: u32, index: u32) {
        if place < ESCAPE >> INDEX_BITS && index >> INDEX_BITS == 0 {
            self.words.push(place << INDEX_BITS | index);
        } else {
            self.words.extend([ESCAPE, place, index]);
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the two halves of a number"
    )]
    fn push_number(&mut self, kind: u32, number: u64) {
        let halves = [(number >> 32) as u32, number as u32];
        self.words.extend([ESCAPE, ESCAPE - kind]);
        self.words.extend(halves);
    }

    /// Writes what is left.
    pub fn finish(&mut self) -> io::Result<()> {
        let _ = self.flush();
        self.error.take().map_or(Ok(()), Err)
    }

    fn flush(&mut self) -> Control {
        self.bytes.clear();
        let words = self.words.iter().flat_map(|word| word.to_le_bytes());
        self.bytes.extend(words);
        self.words.clear();
        self.written += self.bytes.len() as u64;
        match self.file.write_all(&self.bytes) {
            Ok(()) => Control::Continue,
            Err(error) => {
                self.error = Some(error);
                Control::Stop
            }
        }
    }
}

/// Where a layer is looked for first.
fn slot(layer: LayerId) -> usize {
    layer.0 as usize % RECENT
}

impl Observer for Spill {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }

    fn linked(&mut self, event: Linked<'_>) -> Control {
        self.edges += event.links.len() as u64;
        self.push_all(event.links);
        if self.words.len() < CHUNK {
            Control::Continue
        } else {
            self.flush()
        }
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        self.push_number(2, event.first);
        self.layers.clear();
        self.recent = NOTHING;
        Control::Continue
    }

    fn layer_closed(&mut self, event: LayerClosed<'_>) -> Control {
        self.push_number(3, event.layer.0.into());
        let layers = self.layers.iter().map(|layer| layer.0);
        self.words.extend(layers);
        Control::Continue
    }

    fn bytes(&self) -> usize {
        let words = self.words.capacity() + self.layers.capacity();
        words * size_of::<u32>() + self.bytes.capacity()
    }

    fn disk_bytes(&self) -> u64 {
        self.written
    }
}
