//! A closed tape file with both ends kept in memory: opening reads many small parts of them, and each read is a system call.

use std::fs::File;
use std::io;

use crate::source::{ReadAt, read_full};

/// Covers the header and the first descriptors.
const START_BYTES: u64 = 8 << 10;
/// Covers the trailer, the footer and the last index pages.
const END_BYTES: u64 = 8 << 10;

/// A file that no longer changes, with its ends in memory.
pub(super) struct ClosedFile {
    file: File,
    size: u64,
    start: Vec<u8>,
    end: Vec<u8>,
}

impl ClosedFile {
    /// Reads the ends of a file.
    pub(super) fn new(file: File, size: u64) -> io::Result<Self> {
        let end = read(&file, size.saturating_sub(END_BYTES), size.min(END_BYTES))?;
        let start = read(&file, 0, size.min(START_BYTES))?;
        Ok(Self { file, size, start, end })
    }
}

fn read(file: &File, offset: u64, bytes: u64) -> io::Result<Vec<u8>> {
    let mut buffer = vec![0; bytes as usize];
    let found = read_full(file, offset, &mut buffer)?;
    buffer.truncate(found);
    Ok(buffer)
}

/// Copies a range from `part`, which starts at `part_at` in the file; `None` unless the range lies entirely within it.
fn copy_from(part: &[u8], part_at: u64, offset: u64, buffer: &mut [u8]) -> Option<usize> {
    let from = usize::try_from(offset.checked_sub(part_at)?).ok()?;
    buffer.copy_from_slice(part.get(from..)?.get(..buffer.len())?);
    Some(buffer.len())
}

impl ReadAt for ClosedFile {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let in_start = copy_from(&self.start, 0, offset, buffer);
        let in_end = || copy_from(&self.end, self.size - self.end.len() as u64, offset, buffer);
        match in_start.or_else(in_end) {
            Some(bytes) => Ok(bytes),
            None => self.file.read_at(offset, buffer),
        }
    }

    fn size(&self) -> io::Result<u64> {
        Ok(self.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn every_range_is_what_the_file_has() {
        let folder = tempfile::tempdir().unwrap();
        for size in [0, 1, 100, 4_096, 5_000, 8_192, 16_383, 16_384, 30_000] {
            let bytes: Vec<u8> = (0..size).map(|i: u32| (i / 7 % 251) as u8).collect();
            let path = folder.path().join(size.to_string());
            File::create_new(&path).unwrap().write_all(&bytes).unwrap();
            let closed = ClosedFile::new(File::open(&path).unwrap(), u64::from(size)).unwrap();
            assert_eq!(closed.size().unwrap(), u64::from(size));
            for offset in (0..size + 10).step_by(97) {
                for length in [0, 1, 32, 4_000, 4_096, 9_000] {
                    let (mut known, mut found) = (vec![1; length], vec![1; length]);
                    let expected = read_full(&bytes, offset.into(), &mut known).unwrap();
                    assert_eq!(read_full(&closed, offset.into(), &mut found).unwrap(), expected, "{size} {offset}");
                    assert_eq!(known, found, "{size} {offset} {length}");
                }
            }
        }
    }
}
