//! A file that is mapped into memory.

#![expect(unsafe_code, reason = "mappings have no safe interface")]

use std::ffi::c_void;
use std::fs::File;
use std::io;
use std::ptr::{self, NonNull};

use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

use super::reader::ReadAt;

/// A mapped file. What is read of it is copied first: another program may change the file while it is looked at, and what was
/// checked has to be what is used.
pub(crate) struct Mapping {
    file: File,
    start: NonNull<c_void>,
    length: usize,
}

// SAFETY: the memory belongs to the mapping alone, it is never written, and all that is done with it is copying.
unsafe impl Send for Mapping {}
// SAFETY: the same.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Maps a file, or gives it back if that cannot be done; empty files and some others cannot be mapped.
    pub(crate) fn of(file: File) -> Result<Self, File> {
        let length = file.metadata().map_or(0, |about| about.len());
        let Ok(length) = usize::try_from(length) else {
            return Err(file);
        };
        let (protection, flags) = (ProtFlags::READ, MapFlags::PRIVATE);
        // SAFETY: a new mapping at an address of the system's choice touches no other memory.
        let mapped = unsafe { mmap(ptr::null_mut(), length, protection, flags, &file, 0) };
        match mapped.ok().and_then(NonNull::new) {
            Some(start) => Ok(Self {
                file,
                start,
                length,
            }),
            None => Err(file),
        }
    }
}

impl ReadAt for Mapping {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        // Where the file was cut short, there is memory that must not be touched.
        let length = self.length()?.min(self.length as u64);
        let end = offset.checked_add(buffer.len() as u64);
        let start = usize::try_from(offset).ok();
        let Some(start) = start.filter(|_| end.is_some_and(|end| end <= length)) else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let source = self.start.as_ptr().cast::<u8>();
        // SAFETY: so many bytes are mapped and in the file, and the buffer is memory of our own. No reference to what others
        // might change is made.
        unsafe { ptr::copy_nonoverlapping(source.add(start), buffer.as_mut_ptr(), buffer.len()) };
        Ok(())
    }

    fn length(&self) -> io::Result<u64> {
        self.file.length()
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: it is this mapping, whole, and nothing refers to it.
        let unmapped = unsafe { munmap(self.start.as_ptr(), self.length) };
        debug_assert!(unmapped.is_ok(), "what was mapped can be unmapped");
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn file(bytes: &[u8]) -> File {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(bytes).unwrap();
        file
    }

    #[test]
    fn what_lies_within_the_file_is_read() {
        let bytes: Vec<u8> = (0..=255).cycle().take(20_000).collect();
        let mapping = Mapping::of(file(&bytes)).ok().unwrap();
        for (offset, length) in [(0, 20_000), (4095, 2), (19_999, 1), (20_000, 0)] {
            let mut read = vec![0; length];
            mapping.read_at(offset as u64, &mut read).unwrap();
            assert_eq!(read, bytes[offset..offset + length]);
        }
        for offset in [19_999, 20_000, u64::MAX] {
            assert!(mapping.read_at(offset, &mut [0; 2]).is_err());
        }
    }

    #[test]
    fn a_file_that_is_cut_short_is_an_error() {
        let file = file(&vec![7; 20_000]);
        let other = file.try_clone().unwrap();
        let mapping = Mapping::of(file).ok().unwrap();
        other.set_len(100).unwrap();
        assert!(mapping.read_at(12_000, &mut [0; 8]).is_err());
        assert!(mapping.read_at(92, &mut [0; 8]).is_ok());
    }

    #[test]
    fn an_empty_file_is_given_back() {
        assert!(Mapping::of(file(&[])).is_err());
    }
}
