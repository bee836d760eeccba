//! Files with memory-mapped journals, so that accepting a frame is one copy without a system call.

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::{Ordering, fence};

use gametape_format::write::{Files, JournalFile, is_file_at, new_private};
use memmap2::{MmapOptions, MmapRaw};

/// The file system of the machine, with mapped journals. Used by recorders.
#[derive(Debug, Clone, Copy, Default)]
pub struct MappedFiles;

impl Files for MappedFiles {
    fn create_journal(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn JournalFile>> {
        let file = new_private().read(true).write(true).open(path)?;
        let made = allocate(&file, bytes).and_then(|()| {
            let length = usize::try_from(bytes).map_err(io::Error::other)?;
            MmapOptions::new().len(length).map_raw(&file)
        });
        // Remove the partial journal, for example if the disk is full.
        let map = made.inspect_err(|_| drop(std::fs::remove_file(path)))?;
        Ok(Box::new(MappedJournal { map, file }))
    }
}

/// Allocates the length and the disk space of the file: writing to a mapped page without disk space would kill the process
/// (SIGBUS).
fn allocate(file: &File, bytes: u64) -> io::Result<()> {
    #[cfg(target_os = "linux")]
    {
        use rustix::fs::{FallocateFlags, fallocate};
        match fallocate(file, FallocateFlags::empty(), 0, bytes) {
            Ok(()) => return Ok(()),
            Err(rustix::io::Errno::OPNOTSUPP | rustix::io::Errno::NOSYS) => {}
            Err(error) => return Err(error.into()),
        }
    }
    write_zeros(file, bytes)
}

fn write_zeros(mut file: &File, bytes: u64) -> io::Result<()> {
    io::copy(&mut io::Read::take(io::repeat(0), bytes), &mut file)?;
    file.sync_data()
}

struct MappedJournal {
    map: MmapRaw,
    file: File,
}

impl MappedJournal {
    /// Returns the address of a range, if it is inside the mapping.
    fn place(&self, at: u64, length: usize) -> io::Result<*mut u8> {
        let outside = || io::Error::other("a position outside the journal");
        let start = usize::try_from(at).map_err(|_| outside())?;
        let end = start.checked_add(length).ok_or_else(outside)?;
        if end > self.map.len() {
            return Err(outside());
        }
        // SAFETY: `start` is at most the length of the mapping, so the result is inside the mapping or one past its end.
        Ok(unsafe { self.map.as_mut_ptr().add(start) })
    }
}

impl JournalFile for MappedJournal {
    fn write(&self, at: u64, data: &[u8]) -> io::Result<()> {
        let place = self.place(at, data.len())?;
        // A reader in another process must not see a row's header before its payload.
        fence(Ordering::Release);
        // SAFETY: `place` has space for `data` inside the mapping, which lives as long as `self`. Only the capturing thread writes,
        // to each position once before it is published, and other threads read only what was published; `data` does not overlap the
        // mapping.
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), place, data.len()) };
        Ok(())
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        let place = self.place(at, buffer.len())?;
        // SAFETY: `place` has that many bytes inside the mapping. The caller reads only rows that were published (with release and
        // acquire on their end), which are never written again.
        unsafe { std::ptr::copy_nonoverlapping(place.cast_const(), buffer.as_mut_ptr(), buffer.len()) };
        Ok(())
    }

    fn sync(&self) -> io::Result<()> {
        // On Linux, syncing the file includes its dirty mapped pages; elsewhere the mapping must be flushed first.
        #[cfg(not(target_os = "linux"))]
        self.map.flush()?;
        self.file.sync_data()
    }

    fn is_at(&self, path: &Path) -> io::Result<bool> {
        is_file_at(&self.file, path)
    }

    /// Takes the pages out of this process. They are those of the file, which keeps them: reading them again would fault them in.
    #[cfg(target_os = "linux")]
    fn release(&self, end: u64) {
        const MEMORY_PAGE: u64 = 4096;
        let end = end.min(self.map.len() as u64) / MEMORY_PAGE * MEMORY_PAGE;
        if let Ok(end) = usize::try_from(end)
            && end > 0
        {
            // SAFETY: the mapping is shared and backed by a file, so no byte is lost; nobody holds a reference into it.
            let _ = unsafe { self.map.unchecked_advise_range(memmap2::UncheckedAdvice::DontNeed, 0, end) };
        }
    }

    /// Faults the pages in ahead of time. After a sync, the first write to each page is a page fault, which can wait for the file
    /// system.
    #[cfg(target_os = "linux")]
    fn prepare(&self, at: u64, bytes: u64) {
        let end = at.saturating_add(bytes).min(self.map.len() as u64);
        if let (Ok(at), Ok(end)) = (usize::try_from(at), usize::try_from(end))
            && at < end
        {
            let _ = self.map.advise_range(memmap2::Advice::PopulateWrite, at, end - at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back_and_stands_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let journal = MappedFiles.create_journal(&path, 10_000).unwrap();
        journal.write(9_000, b"at the end").unwrap();
        let mut back = [0; 10];
        journal.read(9_000, &mut back).unwrap();
        assert_eq!(&back, b"at the end");
        journal.sync().unwrap();
        let file = std::fs::read(&path).unwrap();
        assert_eq!((file.len(), &file[9_000..9_010]), (10_000, b"at the end".as_slice()));
    }

    #[test]
    fn what_was_released_is_still_in_the_file_and_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let journal = MappedFiles.create_journal(&folder.path().join("journal"), 100_000).unwrap();
        let bytes: Vec<u8> = (0..50_000_u32).map(|byte| byte as u8).collect();
        journal.write(0, &bytes).unwrap();
        for end in [0, 10, 50_000, u64::MAX] {
            journal.release(end);
            let mut back = vec![0; bytes.len()];
            journal.read(0, &mut back).unwrap();
            assert!(back == bytes, "{end}");
        }
        journal.write(60_000, b"after").unwrap();
    }

    #[test]
    fn places_outside_the_journal_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        let journal = MappedFiles.create_journal(&folder.path().join("journal"), 4096).unwrap();
        assert!(journal.write(4090, b"seven b").is_err());
        assert!(journal.write(u64::MAX, b"x").is_err());
        assert!(journal.read(4096, &mut [0]).is_err());
        assert!(journal.write(4096, b"").is_ok());
    }

    #[test]
    fn space_is_allocated_before_the_first_row() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal");
        let _journal = MappedFiles.create_journal(&path, 1 << 20).unwrap();
        #[cfg(unix)]
        {
            let blocks = std::os::unix::fs::MetadataExt::blocks(&std::fs::metadata(&path).unwrap());
            assert!(blocks * 512 >= 1 << 20, "{blocks} blocks");
        }
    }
}
