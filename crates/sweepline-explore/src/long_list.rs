//! A list of numbers that can be moved to external storage.

use std::cell::RefCell;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use crate::log::LogPlace;

/// A list that grows in main memory until it is [moved](LongList::spill) to a file without a name; then only a few pages of it are
/// in memory. Whoever goes through it in order reads every page once.
///
/// A file that cannot be written or read loses the list: from then on every number reads [`LongList::LOST`], and
/// [`LongList::failure`] says why. What was concluded from the list in the meantime must not be used.
///
/// ```
/// use sweepline_explore::{LogPlace, LongList};
///
/// let mut list = LongList::default();
/// list.push(17);
/// list.spill(&LogPlace::Temporary, 1 << 16);
/// for number in 0..100_000 {
///     list.push(number);
/// }
/// list.set(1, 5);
/// assert_eq!((list.get(0), list.get(1), list.get(70_000)), (17, 5, 69_999));
/// assert!(list.bytes() < 100_000 && list.disk_bytes() > 300_000);
/// ```
#[derive(Debug, Default)]
pub struct LongList {
    /// Everything, until it is moved.
    memory: Vec<u32>,
    file: Option<Box<RefCell<Paged>>>,
    len: usize,
}

impl LongList {
    /// What is read from a list that was lost.
    pub const LOST: u32 = u32::MAX;

    /// No numbers, and room for so many in memory.
    pub fn with_capacity(numbers: usize) -> Self {
        Self {
            memory: Vec::with_capacity(numbers),
            ..Self::default()
        }
    }

    /// How many numbers it has.
    #[inline]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number at a position below the length.
    #[inline]
    pub fn get(&self, index: usize) -> u32 {
        match &self.file {
            None => self.memory[index],
            Some(paged) => paged.borrow_mut().get(index),
        }
    }

    /// Replaces the number at a position below the length.
    #[inline]
    pub fn set(&mut self, index: usize, number: u32) {
        match &mut self.file {
            None => self.memory[index] = number,
            Some(paged) => paged.get_mut().set(index, number),
        }
    }

    /// Adds a number.
    #[inline]
    pub fn push(&mut self, number: u32) {
        match &mut self.file {
            None => {
                // It grows by a quarter at a time: lists like this are the largest there are.
                if self.memory.len() == self.memory.capacity() {
                    self.memory.reserve_exact(self.memory.len() / 4 + 64);
                }
                self.memory.push(number);
            }
            Some(paged) => paged.get_mut().set(self.len, number),
        }
        self.len += 1;
    }

    /// Moves it to a file, of which about so many bytes are kept in memory. Nothing happens if it is in one already, or if
    /// nothing may be written.
    pub fn spill(&mut self, place: &LogPlace, bytes: usize) {
        if self.file.is_some() || *place == LogPlace::Off {
            return;
        }
        let mut paged = Paged::new(place, bytes);
        for (index, number) in std::mem::take(&mut self.memory).into_iter().enumerate() {
            paged.set(index, number);
        }
        self.file = Some(Box::new(RefCell::new(paged)));
    }

    /// Whether it lies in a file.
    pub fn is_spilled(&self) -> bool {
        self.file.is_some()
    }

    /// Why it was lost, if it was.
    pub fn failure(&self) -> Option<String> {
        self.file.as_ref()?.borrow().failure.clone()
    }

    /// Bytes of main memory.
    pub fn bytes(&self) -> usize {
        let paged = self.file.as_ref().map_or(0, |paged| paged.borrow().bytes());
        self.memory.capacity() * size_of::<u32>() + paged
    }

    /// Bytes on disk.
    pub fn disk_bytes(&self) -> u64 {
        let paged = self.file.as_ref();
        paged.map_or(0, |paged| paged.borrow().written)
    }
}

/// A list in a file, with some of its pages in memory.
#[derive(Debug)]
struct Paged {
    place: LogPlace,
    file: Option<File>,
    /// Numbers in a page, as a power of two.
    bits: u32,
    frames: Vec<Frame>,
    most_frames: usize,
    /// The frame of each page, plus one; zero if it is not in memory.
    frame_of: Vec<u32>,
    /// Where the search for a frame that can be used again goes on.
    hand: usize,
    written: u64,
    failure: Option<String>,
    buffer: Vec<u8>,
}

/// A page in memory.
#[derive(Debug)]
struct Frame {
    page: usize,
    numbers: Box<[u32]>,
    /// Whether the file does not have it like this.
    changed: bool,
    /// Whether it was used since the hand was here.
    used: bool,
}

/// Pages there are in memory, if they are not too small or too large then.
const FRAMES: usize = 8;

impl Paged {
    fn new(place: &LogPlace, bytes: usize) -> Self {
        let numbers = (bytes / FRAMES / size_of::<u32>()).clamp(8, 1 << 14);
        let bits = numbers.ilog2();
        Self {
            place: place.clone(),
            file: None,
            bits,
            frames: Vec::new(),
            most_frames: (bytes / (size_of::<u32>() << bits)).max(2),
            frame_of: Vec::new(),
            hand: 0,
            written: 0,
            failure: None,
            buffer: Vec::new(),
        }
    }

    #[inline]
    fn split(&self, index: usize) -> (usize, usize) {
        (index >> self.bits, index & ((1 << self.bits) - 1))
    }

    fn get(&mut self, index: usize) -> u32 {
        let (page, at) = self.split(index);
        let frame = self.frame(page);
        frame.map_or(LongList::LOST, |frame| frame.numbers[at])
    }

    fn set(&mut self, index: usize, number: u32) {
        let (page, at) = self.split(index);
        if let Some(frame) = self.frame(page) {
            frame.numbers[at] = number;
            frame.changed = true;
        }
    }

    /// The frame that has a page, unless the list is lost.
    #[inline]
    fn frame(&mut self, page: usize) -> Option<&mut Frame> {
        if self.failure.is_some() {
            return None;
        }
        let known = self.frame_of.get(page).copied().unwrap_or(0) as usize;
        let position = match known.checked_sub(1) {
            Some(position) => position,
            None => match self.fetch(page) {
                Ok(position) => position,
                Err(error) => {
                    self.failure = Some(error.to_string());
                    return None;
                }
            },
        };
        let frame = &mut self.frames[position];
        frame.used = true;
        Some(frame)
    }

    /// Brings a page into memory.
    #[cold]
    fn fetch(&mut self, page: usize) -> io::Result<usize> {
        let is_new = page >= self.frame_of.len();
        if is_new {
            self.frame_of.resize(page + 1, 0);
        }
        let position = self.room()?;
        if is_new {
            self.frames[position].numbers.fill(0);
        } else {
            self.read(page, position)?;
        }
        let frame = &mut self.frames[position];
        (frame.page, frame.changed) = (page, is_new);
        let known = u32::try_from(position + 1).map_err(io::Error::other)?;
        self.frame_of[page] = known;
        Ok(position)
    }

    /// A frame whose page is not needed: one that was not used for a while.
    fn room(&mut self) -> io::Result<usize> {
        if self.frames.len() < self.most_frames {
            self.frames.push(Frame {
                page: usize::MAX,
                numbers: vec![0; 1 << self.bits].into(),
                changed: false,
                used: false,
            });
            return Ok(self.frames.len() - 1);
        }
        loop {
            let position = self.hand;
            self.hand = (self.hand + 1) % self.frames.len();
            if !std::mem::take(&mut self.frames[position].used) {
                if self.frames[position].changed {
                    self.write(position)?;
                }
                self.frame_of[self.frames[position].page] = 0;
                return Ok(position);
            }
        }
    }

    fn start_of(&self, page: usize) -> u64 {
        (page as u64 * size_of::<u32>() as u64) << self.bits
    }

    fn read(&mut self, page: usize, position: usize) -> io::Result<()> {
        let start = self.start_of(page);
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(start))?;
        self.buffer.resize(size_of::<u32>() << self.bits, 0);
        file.read_exact(&mut self.buffer)?;
        let (chunks, _) = self.buffer.as_chunks();
        for (number, bytes) in self.frames[position].numbers.iter_mut().zip(chunks) {
            *number = u32::from_le_bytes(*bytes);
        }
        Ok(())
    }

    fn write(&mut self, position: usize) -> io::Result<()> {
        let frame = &self.frames[position];
        self.buffer.clear();
        for number in &frame.numbers {
            self.buffer.extend_from_slice(&number.to_le_bytes());
        }
        let start = self.start_of(frame.page);
        if self.file.is_none() {
            self.file = Some(self.place.anonymous_file()?);
        }
        let file = self.file.as_mut().ok_or(io::ErrorKind::NotFound)?;
        file.seek(SeekFrom::Start(start))?;
        file.write_all(&self.buffer)?;
        self.written = self.written.max(start + self.buffer.len() as u64);
        Ok(())
    }

    fn bytes(&self) -> usize {
        let page = size_of::<u32>() << self.bits;
        self.frames.len() * (page + size_of::<Frame>())
            + self.buffer.capacity()
            + self.frame_of.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[derive(Clone, Debug)]
    enum Do {
        Push(u32),
        Set(usize, u32),
        Get(usize),
        Spill(usize),
    }

    fn operations() -> impl Strategy<Value = Vec<Do>> {
        let one = prop_oneof![
            8 => any::<u32>().prop_map(Do::Push),
            3 => (any::<usize>(), any::<u32>()).prop_map(|(at, number)| Do::Set(at, number)),
            3 => any::<usize>().prop_map(Do::Get),
            1 => (0..2000_usize).prop_map(Do::Spill),
        ];
        prop::collection::vec(one, 0..600)
    }

    proptest! {
        #[test]
        fn a_long_list_is_a_list(operations in operations()) {
            let (mut list, mut plain) = (LongList::default(), Vec::new());
            for operation in operations {
                match operation {
                    Do::Push(number) => {
                        list.push(number);
                        plain.push(number);
                    }
                    Do::Spill(bytes) => list.spill(&LogPlace::Temporary, bytes),
                    Do::Set(..) | Do::Get(_) if plain.is_empty() => {}
                    Do::Set(at, number) => {
                        let at = at % plain.len();
                        list.set(at, number);
                        plain[at] = number;
                    }
                    Do::Get(at) => prop_assert_eq!(list.get(at % plain.len()), plain[at % plain.len()]),
                }
                prop_assert_eq!(list.len(), plain.len());
            }
            let whole: Vec<u32> = (0..list.len()).map(|at| list.get(at)).collect();
            prop_assert_eq!(whole, plain);
            prop_assert_eq!(list.failure(), None);
        }
    }

    #[test]
    fn a_list_that_cannot_be_written_is_lost() {
        let nowhere = LogPlace::Directory("/no/such/directory".into());
        let mut list = LongList::default();
        list.spill(&nowhere, 0);
        for number in 0..1000 {
            list.push(number);
        }
        assert!(list.failure().is_some());
        assert_eq!((list.get(0), list.len()), (LongList::LOST, 1000));
    }

    #[test]
    fn nothing_is_written_where_nothing_may_be() {
        let mut list = LongList::default();
        list.push(1);
        list.spill(&LogPlace::Off, 0);
        assert!(!list.is_spilled());
        assert_eq!((list.get(0), list.disk_bytes()), (1, 0));
    }
}
