//! The trace log: how every state instance was reached, on external storage.
//!
//! After [KM03], with records addressed by number instead of by state: record `i` says how instance `i` was
//! reached, by the number of its parent and the ordinal of the step. A parent has a smaller number than its
//! children, so walking parents backwards ends, after as many reads as the trace is long; walking forwards
//! again regenerates the states.

use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, SeekFrom, Write};
use std::path::PathBuf;

/// How an instance was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin(u64);

const ORDINAL_BITS: u32 = 24;
const ROOT: u64 = u64::MAX >> ORDINAL_BITS;

impl Origin {
    /// Reached by step `ordinal` of instance `parent`, or nothing if the numbers are too large to be kept.
    #[inline]
    pub(crate) fn step(parent: u64, ordinal: usize) -> Option<Self> {
        (parent < ROOT && ordinal >> ORDINAL_BITS == 0)
            .then_some(Self(parent << ORDINAL_BITS | ordinal as u64))
    }

    /// Initial state `ordinal`.
    pub(crate) fn initial(ordinal: usize) -> Option<Self> {
        (ordinal >> ORDINAL_BITS == 0).then_some(Self(ROOT << ORDINAL_BITS | ordinal as u64))
    }

    fn parent(self) -> Option<u64> {
        let parent = self.0 >> ORDINAL_BITS;
        (parent != ROOT).then_some(parent)
    }

    fn ordinal(self) -> usize {
        usize::try_from(self.0 & ((1 << ORDINAL_BITS) - 1)).expect("24 bits fit")
    }
}

/// A path as the log knows it: which initial state, then which step of each state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// Index of the initial state.
    pub initial: usize,
    /// Ordinals of the steps.
    pub steps: Vec<usize>,
    /// For an infinite path: how many steps come before the part that repeats for ever. If these are all, the run is finite,
    /// and stays in its last state.
    pub loop_start: Option<usize>,
}

impl Path {
    /// The path that goes on with these steps for ever.
    ///
    /// [`replay`](crate::replay()) makes sure that they lead back to where they start.
    #[must_use]
    pub fn repeating(mut self, steps: impl IntoIterator<Item = usize>) -> Self {
        self.loop_start = Some(self.steps.len());
        self.steps.extend(steps);
        self
    }
}

/// Where trace logs go.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum LogPlace {
    /// The system's directory for temporary files.
    #[default]
    Temporary,
    /// This directory.
    Directory(PathBuf),
    /// Nowhere: no traces.
    Off,
}

impl LogPlace {
    /// A file without a name, which disappears when it is closed.
    pub(crate) fn anonymous_file(&self) -> io::Result<File> {
        match self {
            Self::Directory(directory) => tempfile::tempfile_in(directory),
            Self::Temporary | Self::Off => tempfile::tempfile(),
        }
    }
}

/// Why there is no trace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LogError {
    /// Logging was switched off.
    #[error("the trace log is switched off")]
    Off,
    /// The log could not be written or read.
    #[error("the trace is lost: {0}")]
    Lost(String),
}

/// The log. Short ones stay in memory; longer ones go to a file without a name, which disappears with the run.
#[derive(Debug)]
pub(crate) struct TraceLog {
    place: LogPlace,
    on: bool,
    /// Records not yet in the file.
    recent: Vec<Origin>,
    file: Option<File>,
    /// Records in the file.
    written: u64,
    lost: Option<String>,
}

/// How many records are gathered before they are written.
const CHUNK: usize = 1 << 15;

impl TraceLog {
    pub(crate) fn new(place: LogPlace) -> Self {
        Self {
            on: place != LogPlace::Off,
            place,
            recent: Vec::new(),
            file: None,
            written: 0,
            lost: None,
        }
    }

    /// Whether records are wanted: logging is neither off nor has it failed.
    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// Adds the record of the next instance. A failure is remembered and ends logging, not the run.
    #[inline]
    pub(crate) fn append(&mut self, origin: Origin) {
        if self.recent.len() == CHUNK {
            self.flush();
        }
        self.recent.push(origin);
    }

    /// Ends logging: some origin cannot be expressed.
    #[cold]
    pub(crate) fn lose(&mut self, why: &str) {
        self.lost.get_or_insert_with(|| why.to_owned());
        self.on = false;
        self.recent = Vec::new();
        self.file = None;
    }

    /// Bytes of main memory.
    pub(crate) fn bytes(&self) -> usize {
        self.recent.capacity() * size_of::<Origin>()
    }

    /// Bytes on disk.
    pub(crate) fn disk_bytes(&self) -> u64 {
        self.written * size_of::<Origin>() as u64
    }

    #[cold]
    fn flush(&mut self) {
        if !self.is_on() {
            self.recent.clear();
            return;
        }
        match self.write_recent() {
            Ok(()) => {
                self.written += self.recent.len() as u64;
                self.recent.clear();
            }
            Err(error) => self.lose(&format!("writing the trace log failed: {error}")),
        }
    }

    fn write_recent(&mut self) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(self.recent.len() * size_of::<u64>());
        for origin in &self.recent {
            bytes.extend_from_slice(&origin.0.to_le_bytes());
        }
        let file = self.open()?;
        file.seek(SeekFrom::End(0))?; // a path may have been read in between
        file.write_all(&bytes)
    }

    fn open(&mut self) -> io::Result<&mut File> {
        let file = match self.file.take() {
            Some(file) => file,
            None => self.place.anonymous_file()?,
        };
        Ok(self.file.insert(file))
    }

    /// Appends the records from `first` on to `out`. Where that fails, logging ends.
    pub(crate) fn read_from(&mut self, first: u64, out: &mut Vec<Origin>) {
        if let Err(error) = self.read_written_from(first, out) {
            return self.lose(&format!("reading the trace log failed: {error}"));
        }
        let recent = usize::try_from(first.saturating_sub(self.written)).unwrap_or(usize::MAX);
        out.extend(self.recent.iter().skip(recent));
    }

    fn read_written_from(&mut self, first: u64, out: &mut Vec<Origin>) -> io::Result<()> {
        let Some(file) = self.file.as_mut().filter(|_| first < self.written) else {
            return Ok(());
        };
        file.seek(SeekFrom::Start(first * size_of::<u64>() as u64))?;
        let mut reader = BufReader::with_capacity(CHUNK * size_of::<u64>(), file);
        let mut bytes = [0; size_of::<u64>()];
        for _ in first..self.written {
            reader.read_exact(&mut bytes)?;
            out.push(Origin(u64::from_le_bytes(bytes)));
        }
        Ok(())
    }

    /// Forgets the records from `len` on: their numbers will be those of other instances.
    pub(crate) fn truncate(&mut self, len: u64) {
        let recent = usize::try_from(len.saturating_sub(self.written)).unwrap_or(usize::MAX);
        self.recent.truncate(recent);
        let Some(file) = self.file.as_mut().filter(|_| len < self.written) else {
            return;
        };
        match file.set_len(len * size_of::<u64>() as u64) {
            Ok(()) => self.written = len,
            Err(error) => self.lose(&format!("shortening the trace log failed: {error}")),
        }
    }

    /// The path to instance `number`.
    pub(crate) fn path_to(&mut self, number: u64) -> Result<Path, LogError> {
        if self.place == LogPlace::Off {
            return Err(LogError::Off);
        }
        if let Some(why) = &self.lost {
            return Err(LogError::Lost(why.clone()));
        }
        let mut steps = Vec::new();
        let mut page = Page::default();
        let mut origin = self.read(number, &mut page)?;
        while let Some(parent) = origin.parent() {
            steps.push(origin.ordinal());
            origin = self.read(parent, &mut page)?;
        }
        steps.reverse();
        Ok(Path {
            initial: origin.ordinal(),
            steps,
            loop_start: None,
        })
    }

    fn read(&mut self, number: u64, page: &mut Page) -> Result<Origin, LogError> {
        if let Some(recent) = number.checked_sub(self.written) {
            let recent = usize::try_from(recent)
                .ok()
                .and_then(|index| self.recent.get(index));
            return recent
                .copied()
                .ok_or_else(|| LogError::Lost(format!("state {number} is not in the log")));
        }
        if let Some(origin) = page.get(number) {
            return Ok(origin);
        }
        let lost =
            |why: &dyn fmt::Display| LogError::Lost(format!("reading the trace log failed: {why}"));
        self.turn_to(number, page).map_err(|error| lost(&error))?;
        page.get(number).ok_or_else(|| lost(&"it ends early"))
    }

    /// Reads the page that a record in the file is on.
    fn turn_to(&mut self, number: u64, page: &mut Page) -> io::Result<()> {
        page.first = number - number % PAGE;
        page.records.clear();
        let records = (self.written - page.first).min(PAGE);
        let size = size_of::<u64>() as u64;
        let file = self.file.as_mut().expect("records are written to a file");
        file.seek(SeekFrom::Start(page.first * size))?;
        let mut bytes = Vec::new();
        file.take(records * size).read_to_end(&mut bytes)?;
        let (records, _) = bytes.as_chunks();
        let records = records.iter().map(|bytes| u64::from_le_bytes(*bytes));
        page.records.extend(records.map(Origin));
        Ok(())
    }
}

/// Records of the file that were read together: a parent is mostly found near its child.
#[derive(Default)]
struct Page {
    first: u64,
    records: Vec<Origin>,
}

/// How many records a page has.
const PAGE: u64 = 512;

impl Page {
    fn get(&self, number: u64) -> Option<Origin> {
        let at = number.checked_sub(self.first)?;
        self.records.get(usize::try_from(at).ok()?).copied()
    }
}

/// The origin if the log wants one. An origin that cannot be expressed ends logging.
#[inline]
pub(crate) fn wanted(log: &mut TraceLog, origin: Option<Origin>) -> Option<Origin> {
    if !log.is_on() {
        return None;
    }
    if origin.is_none() {
        log.lose("more states or steps than the trace log can number");
    }
    origin
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chain(log: &mut TraceLog, length: u64) {
        log.append(Origin::initial(2).unwrap());
        for parent in 0..length {
            log.append(Origin::step(parent, usize::try_from(parent % 5).unwrap()).unwrap());
        }
    }

    #[test]
    fn long_paths_come_back_from_the_file() {
        let mut log = TraceLog::new(LogPlace::Temporary);
        chain(&mut log, 100_000);
        let path = log.path_to(70_000).unwrap();
        assert_eq!(path.initial, 2);
        assert_eq!(path.steps.len(), 70_000);
        assert!(
            path.steps
                .iter()
                .enumerate()
                .all(|(index, &ordinal)| ordinal == index % 5)
        );
    }

    /// Cuts a log in the file and in memory, goes on with other records, and finds both the old and the new.
    #[test]
    fn a_shortened_log_goes_on() {
        for (length, cut) in [
            (100_000, 10),
            (100_000, 99_990),
            (100_000, 1 << 15),
            (20, 10),
        ] {
            let mut log = TraceLog::new(LogPlace::Temporary);
            chain(&mut log, length);
            let mut cut_off = Vec::new();
            log.read_from(cut, &mut cut_off);
            let expected: Vec<_> = (cut - 1..length)
                .map(|parent| Origin::step(parent, usize::try_from(parent % 5).unwrap()).unwrap())
                .collect();
            assert_eq!(cut_off, expected);
            log.truncate(cut);
            for _ in 0..50_000 {
                log.append(Origin::step(cut - 1, 7).unwrap());
            }
            for number in [cut, cut + 40_000, cut + 49_999] {
                let path = log.path_to(number).unwrap();
                assert_eq!(path.steps.len() as u64, cut);
                assert_eq!(path.steps.last(), Some(&7));
            }
            assert!(log.path_to(cut + 50_000).is_err());
        }
    }

    #[test]
    fn a_failing_directory_loses_the_trace_but_not_the_run() {
        let mut log = TraceLog::new(LogPlace::Directory("no/such/directory".into()));
        chain(&mut log, 100_000);
        assert!(!log.is_on());
        let error = log.path_to(5).unwrap_err().to_string();
        assert!(error.contains("writing the trace log failed"), "{error}");
    }

    #[test]
    fn what_cannot_be_expressed_is_refused() {
        assert!(Origin::step(1 << 40, 0).is_none());
        assert!(Origin::step(0, 1 << 24).is_none());
        assert!(Origin::step(ROOT - 1, (1 << 24) - 1).is_some());
    }
}
