//! Words that are written once, in order, and read again in blocks.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use crate::log::LogPlace;

/// A long sequence of words that grows at its end. A short one stays in main memory; what has been written of a longer one lies in
/// a file without a name, which disappears with it.
///
/// A file that cannot be written loses the tape: from then on nothing is kept, and whoever reads is told why.
///
/// ```
/// use sweepline_explore::{LogPlace, Tape};
///
/// let mut tape = Tape::new(LogPlace::Temporary);
/// for word in 0..1_000_000 {
///     tape.push(word);
/// }
/// let mut block = Vec::new();
/// tape.read(999_998..1_000_000, &mut block).unwrap();
/// assert_eq!(block, [999_998, 999_999]);
/// assert!(tape.bytes() < 1_000_000 && tape.disk_bytes() > 3_000_000);
/// ```
#[derive(Debug)]
pub struct Tape {
    place: LogPlace,
    /// Words that are gathered before they are written.
    chunk: usize,
    /// Words not yet in the file.
    recent: Vec<u32>,
    file: Option<File>,
    /// Words in the file.
    written: u64,
    lost: Option<String>,
}

/// Words that are gathered before they are written, unless it is said otherwise.
const CHUNK: usize = 1 << 15;
/// Words that are turned into bytes at a time.
const PART: usize = 1 << 12;

impl Tape {
    /// An empty one, which goes there when it is long. Where nothing may be written, it stays in memory.
    pub fn new(place: LogPlace) -> Self {
        Self {
            place,
            chunk: CHUNK,
            recent: Vec::new(),
            file: None,
            written: 0,
            lost: None,
        }
    }

    /// The same with another number of words that are gathered in memory before they are written.
    #[must_use]
    pub fn gathering(mut self, words: usize) -> Self {
        self.chunk = words;
        self
    }

    /// How many words it has.
    #[inline]
    pub fn len(&self) -> u64 {
        self.written + self.recent.len() as u64
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets everything but what went wrong. The file is written again from its beginning.
    pub fn clear(&mut self) {
        self.recent.clear();
        self.written = 0;
    }

    /// Adds a word.
    #[inline]
    pub fn push(&mut self, word: u32) {
        if self.recent.len() >= self.chunk {
            self.flush();
        }
        self.recent.push(word);
    }

    /// Adds words.
    #[inline]
    pub fn extend(&mut self, words: impl IntoIterator<Item = u32>) {
        if self.recent.len() >= self.chunk {
            self.flush();
        }
        self.recent.extend(words);
    }

    /// Takes back so many words, not more than were [added](Self::extend) at last.
    #[inline]
    pub fn take_back(&mut self, words: usize) {
        let left = self.recent.len().saturating_sub(words);
        self.recent.truncate(left);
    }

    /// Reads the words of a range, which takes the place of what `out` has.
    pub fn read(&self, range: Range<u64>, out: &mut Vec<u32>) -> io::Result<()> {
        if let Some(why) = &self.lost {
            return Err(io::Error::other(why.clone()));
        }
        out.clear();
        let there = range.start.min(self.written)..range.end.min(self.written);
        self.read_written(there, out)?;
        let recent = |at: u64| usize::try_from(at.saturating_sub(self.written)).unwrap_or(0);
        let recent = self.recent.get(recent(range.start)..recent(range.end));
        out.extend_from_slice(recent.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn read_written(&self, range: Range<u64>, out: &mut Vec<u32>) -> io::Result<()> {
        let Some(mut file) = self.file.as_ref().filter(|_| !range.is_empty()) else {
            return Ok(());
        };
        file.seek(SeekFrom::Start(range.start * size_of::<u32>() as u64))?;
        let mut left = usize::try_from(range.end - range.start).map_err(io::Error::other)?;
        let mut bytes = [0; PART * size_of::<u32>()];
        while left > 0 {
            let count = left.min(PART);
            let part = &mut bytes[..count * size_of::<u32>()];
            file.read_exact(part)?;
            let (words, _) = part.as_chunks();
            out.extend(words.iter().map(|word| u32::from_le_bytes(*word)));
            left -= count;
        }
        Ok(())
    }

    #[cold]
    fn flush(&mut self) {
        if self.place == LogPlace::Off {
            return;
        }
        if self.lost.is_none()
            && let Err(error) = self.write_recent()
        {
            self.lost = Some(error.to_string());
            self.file = None;
        }
        self.written += self.recent.len() as u64;
        self.recent.clear();
    }

    fn write_recent(&mut self) -> io::Result<()> {
        let mut file = match self.file.take() {
            Some(file) => file,
            None => self.place.anonymous_file()?,
        };
        file.seek(SeekFrom::Start(self.written * size_of::<u32>() as u64))?;
        let mut bytes = [0; PART * size_of::<u32>()];
        for part in self.recent.chunks(PART) {
            let (places, _) = bytes.as_chunks_mut();
            for (place, word) in places.iter_mut().zip(part) {
                *place = word.to_le_bytes();
            }
            file.write_all(&bytes[..size_of_val(part)])?;
        }
        self.file = Some(file);
        Ok(())
    }

    /// Why it was lost, if it was.
    pub fn failure(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    /// Bytes of main memory.
    pub fn bytes(&self) -> usize {
        self.recent.capacity() * size_of::<u32>()
    }

    /// Bytes on disk.
    pub fn disk_bytes(&self) -> u64 {
        self.written * size_of::<u32>() as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn word(at: u64) -> u32 {
        u32::try_from(at).unwrap().wrapping_mul(0x9e37_79b9)
    }

    proptest! {
        #[test]
        fn what_was_written_is_read(
            len in 0..200_000_u64,
            step in 1..5000_u64,
            ranges in prop::collection::vec((0.0..1.0, 0.0..1.0), 1..20),
            (off, chunk) in (any::<bool>(), 0..50_000_usize),
        ) {
            let place = if off { LogPlace::Off } else { LogPlace::Temporary };
            let mut tape = Tape::new(place).gathering(chunk);
            while tape.len() < len {
                let end = (tape.len() + step).min(len);
                tape.extend((tape.len()..end).map(word));
                tape.extend((0..step).map(word));
                tape.take_back(usize::try_from(step).unwrap());
                if tape.len() < len {
                    tape.push(word(tape.len()));
                }
            }
            let mut block = vec![1, 2, 3];
            for (start, length) in ranges {
                let start = scaled(len, start);
                let end = start + scaled(len - start, length);
                tape.read(start..end, &mut block).unwrap();
                prop_assert!(block.iter().copied().eq((start..end).map(word)));
            }
            prop_assert!(tape.read(len..len + 1, &mut block).is_err());
            prop_assert_eq!(tape.len(), len);
            prop_assert!(!off || tape.disk_bytes() == 0);
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        clippy::cast_precision_loss,
        reason = "a part of a small number"
    )]
    fn scaled(number: u64, by: f64) -> u64 {
        (number as f64 * by) as u64
    }

    #[test]
    fn a_tape_that_cannot_be_written_is_lost() {
        let mut tape = Tape::new(LogPlace::Directory("/no/such/directory".into()));
        tape.push(1);
        assert!(tape.read(0..1, &mut Vec::new()).is_ok());
        for _ in 0..100_000 {
            tape.push(2);
        }
        assert!(tape.failure().is_some());
        assert!(tape.read(0..1, &mut Vec::new()).is_err());
        assert!(tape.bytes() < 1 << 20);
    }
}
