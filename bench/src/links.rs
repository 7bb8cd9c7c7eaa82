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
    buffer: Vec<u8>,
    /// The layers that links of the open layer lead to.
    layers: Vec<LayerId>,
    /// The place in the list of the layer that was used last.
    recent: (LayerId, u32),
    written: u64,
    pub edges: u64,
    pub error: Option<io::Error>,
}

const INDEX_BITS: u32 = 24;
/// What comes in full.
const ESCAPE: u32 = u32::MAX;
/// Bytes gathered before they are written.
const CHUNK: usize = 1 << 18;

impl Spill {
    pub fn new() -> io::Result<Self> {
        Ok(Self {
            file: tempfile::tempfile()?,
            buffer: Vec::with_capacity(2 * CHUNK),
            layers: Vec::new(),
            recent: (LayerId(0), 0),
            written: 0,
            edges: 0,
            error: None,
        })
    }

    /// The place of a layer in the list; the open layer comes before it.
    fn place(&mut self, layer: LayerId) -> u32 {
        if self.recent.0 == layer && self.recent.1 > 0 {
            return self.recent.1;
        }
        let known = self.layers.iter().position(|&known| known == layer);
        let place = known.unwrap_or_else(|| {
            self.layers.push(layer);
            self.layers.len() - 1
        });
        self.recent = (layer, u32::try_from(place + 1).unwrap_or(ESCAPE));
        self.recent.1
    }

    fn push(&mut self, place: u32, index: u32) {
        if place < (ESCAPE >> INDEX_BITS) && index >> INDEX_BITS == 0 {
            self.write(place << INDEX_BITS | index);
        } else {
            self.write_all([ESCAPE, place, index]);
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "the two halves of a number"
    )]
    fn push_number(&mut self, kind: u32, number: u64) {
        let halves = [(number >> 32) as u32, number as u32];
        self.write_all([ESCAPE, ESCAPE - kind]);
        self.write_all(halves);
    }

    #[inline]
    fn write(&mut self, word: u32) {
        self.buffer.extend_from_slice(&word.to_le_bytes());
    }

    fn write_all<const N: usize>(&mut self, words: [u32; N]) {
        for word in words {
            self.write(word);
        }
    }

    fn flush(&mut self) -> Control {
        self.written += self.buffer.len() as u64;
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        match written {
            Ok(()) => Control::Continue,
            Err(error) => {
                self.error = Some(error);
                Control::Stop
            }
        }
    }
}

impl Observer for Spill {
    fn wants(&self) -> Wants {
        Wants::LINKS
    }

    fn linked(&mut self, event: Linked<'_>) -> Control {
        self.edges += event.links.len() as u64;
        for &link in event.links {
            match link {
                Link::Here(index) if index >> INDEX_BITS == 0 => self.write(index),
                Link::Here(index) => self.push(0, index),
                Link::Ahead(layer, index) => {
                    let place = self.place(layer);
                    self.push(place, index);
                }
                Link::Kept(number) => self.push_number(0, number),
                Link::Persistent(index) => self.push_number(1, index.into()),
            }
        }
        if self.buffer.len() < CHUNK {
            Control::Continue
        } else {
            self.flush()
        }
    }

    fn layer_opened(&mut self, event: LayerOpened<'_>) -> Control {
        self.push_number(2, event.first);
        self.layers.clear();
        self.recent = (LayerId(0), 0);
        Control::Continue
    }

    fn layer_closed(&mut self, event: LayerClosed<'_>) -> Control {
        self.push_number(3, event.layer.0.into());
        for layer in std::mem::take(&mut self.layers) {
            self.write(layer.0);
        }
        self.flush()
    }

    fn bytes(&self) -> usize {
        self.buffer.capacity() + self.layers.capacity() * size_of::<LayerId>()
    }

    fn disk_bytes(&self) -> u64 {
        self.written
    }
}
