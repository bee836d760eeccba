//! Sections as named file mappings: `Local\NAME`.
//!
//! A section and its name live as long as any process has a *handle* to it. A reader with a handle would keep the memory of a dead
//! game alive, and the next game would find it. So a reader has a view but no handle: its bytes stay readable, and the name
//! disappears with the game. To check whether the name still refers to the same bytes, the reader opens it again for a moment.
//!
//! The system does not report the size of a section, only the size of a view of all of it: the size rounded up to pages of 4096
//! bytes.

use std::ffi::c_void;
use std::io;
use std::mem::MaybeUninit;
use std::os::windows::io::{AsRawHandle, OwnedHandle};
use std::path::PathBuf;
use std::ptr::{NonNull, null};
use std::sync::atomic::{Ordering, fence};

use windows_sys::Win32::Foundation::{ERROR_ALREADY_EXISTS, GetLastError, INVALID_HANDLE_VALUE, SetLastError};
use windows_sys::Win32::System::Memory::{
    CreateFileMappingW, FILE_MAP_READ, FILE_MAP_WRITE, MEM_COMMIT, MEMORY_BASIC_INFORMATION,
    MEMORY_MAPPED_VIEW_ADDRESS, MapViewOfFile, OpenFileMappingW, PAGE_READWRITE, UnmapViewOfFile, VirtualQuery,
};

use super::volatile;
use crate::sys::windows_object::{local_name, owned};

/// Number of bytes that are compared to tell whether two views belong to the same section. Games have their changing values at the
/// start.
const COMPARED_BYTES: usize = 64 << 10;

/// Returns `None`: sections are not files on Windows.
pub fn section_file(_name: &str) -> Option<PathBuf> {
    None
}

/// A mapped view of a whole section.
#[derive(Debug)]
struct View {
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: a view is an address and a length; the memory belongs to the process and not to a thread. It is accessed only by volatile
// copies through raw pointers, never through references.
unsafe impl Send for View {}
// SAFETY: as above. Callers must check for torn reads anyway, with one thread as with several.
unsafe impl Sync for View {}

impl View {
    fn map(section: &OwnedHandle, access: u32) -> io::Result<Self> {
        // SAFETY: the handle is that of a section; a length of zero means all of it.
        let view = unsafe { MapViewOfFile(section.as_raw_handle(), access, 0, 0, 0) };
        let start = NonNull::new(view.Value.cast::<u8>()).ok_or_else(io::Error::last_os_error)?;
        let mut view = Self { start, bytes: 0 };
        view.bytes = view.committed()?;
        Ok(view)
    }

    /// Returns the number of committed bytes at the start: a section may have more reserved than committed memory.
    fn committed(&self) -> io::Result<usize> {
        let mut region = MaybeUninit::<MEMORY_BASIC_INFORMATION>::zeroed();
        let size = size_of::<MEMORY_BASIC_INFORMATION>();
        // SAFETY: the address is that of a view, and the buffer has space for what the call writes.
        let written = unsafe { VirtualQuery(self.start.as_ptr().cast_const().cast(), region.as_mut_ptr(), size) };
        if written == 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: all bytes were zero before, and zero is a valid value of each field.
        let region = unsafe { region.assume_init() };
        Ok(if region.State == MEM_COMMIT { region.RegionSize } else { 0 })
    }

    /// Returns the address of a range, if it is inside the view.
    fn place(&self, offset: u64, length: usize) -> Option<NonNull<u8>> {
        let offset = usize::try_from(offset).ok()?;
        let end = offset.checked_add(length)?;
        // SAFETY: the result is inside the view, or one past its end with nothing to read.
        (end <= self.bytes).then(|| unsafe { self.start.add(offset) })
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        let place = self.place(offset, out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        fence(Ordering::SeqCst);
        // SAFETY: `place` has as many committed bytes as `out`, mapped as long as `self` lives. Sections in memory cannot be
        // truncated.
        unsafe { volatile::copy_out(place.as_ptr(), out) };
        fence(Ordering::SeqCst);
        Ok(())
    }

    fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let beyond = || io::Error::new(io::ErrorKind::InvalidInput, "a write beyond the end of the section");
        let place = self.place(offset, bytes.len()).ok_or_else(beyond)?;
        fence(Ordering::SeqCst);
        // SAFETY: as in `read`; the view was mapped for writing.
        unsafe { volatile::copy_in(bytes, place.as_ptr()) };
        fence(Ordering::SeqCst);
        Ok(())
    }

    /// Returns whether two views show the same bytes. Views of one section always do, even during writes.
    fn shows_the_same(&self, other: &Self) -> bool {
        let bytes = self.bytes.min(COMPARED_BYTES);
        // SAFETY: both views have that many bytes and start at a page boundary.
        self.bytes == other.bytes && unsafe { volatile::equal(self.start.as_ptr(), other.start.as_ptr(), bytes) }
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let address = MEMORY_MAPPED_VIEW_ADDRESS { Value: self.start.as_ptr().cast::<c_void>() };
        // SAFETY: the view was mapped at this address, and no pointer to it is left.
        unsafe { UnmapViewOfFile(address) };
    }
}

/// Reads a section that another program created. Never creates, changes or keeps one alive.
#[derive(Debug)]
pub struct SectionReader {
    view: View,
    name: Vec<u16>,
}

impl SectionReader {
    /// Opens a section; `None` if there is none with that name.
    pub fn open(name: &str) -> io::Result<Option<Self>> {
        let name = local_name(name)?;
        Ok(Self::view_of(&name)?.map(|view| Self { view, name }))
    }

    fn view_of(name: &[u16]) -> io::Result<Option<View>> {
        // SAFETY: the name is null-terminated.
        match unsafe { owned(OpenFileMappingW(FILE_MAP_READ, 0, name.as_ptr())) } {
            Ok(section) => View::map(&section, FILE_MAP_READ).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the size of the section in bytes, rounded up to pages.
    pub fn len(&self) -> io::Result<u64> {
        Ok(self.view.bytes as u64)
    }

    /// Returns whether the section has no bytes.
    pub fn is_empty(&self) -> io::Result<bool> {
        Ok(self.view.bytes == 0)
    }

    /// Copies bytes while the game may be writing, so the copy may be torn; the caller must check. Copies are made in the order of
    /// the calls. Fails with `UnexpectedEof` if the section is shorter.
    pub fn copy(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        self.view.read(offset, out)
    }

    /// Returns the file that refers to a section without a name. Linux only.
    pub fn held_as(&self) -> Option<&std::path::Path> {
        None
    }

    /// Returns whether the name still refers to this section: it disappears with the game, and the next game creates a new one.
    pub fn is_current(&self) -> bool {
        Self::view_of(&self.name).is_ok_and(|now| now.is_some_and(|now| self.view.shows_the_same(&now)))
    }
}

/// Writes a section that other programs read.
#[derive(Debug)]
pub struct SectionWriter {
    view: View,
    bytes: u64,
    made: bool,
    /// Keeps the name alive.
    _section: OwnedHandle,
}

impl SectionWriter {
    /// Creates a section of this size, or reuses the existing one if it is large enough: it cannot be extended. Bytes after this
    /// size are not written.
    pub fn create(name: &str, bytes: u64) -> io::Result<Self> {
        let wide = local_name(name)?;
        let (high, low) = ((bytes >> 32) as u32, bytes as u32);
        // SAFETY: no attributes and no file are given, and the name is null-terminated. The last error tells whether the section
        // existed. It is cleared before, because a successful call need not set it.
        let (made, found) = unsafe {
            SetLastError(0);
            let section = CreateFileMappingW(INVALID_HANDLE_VALUE, null(), PAGE_READWRITE, high, low, wide.as_ptr());
            (owned(section), GetLastError() == ERROR_ALREADY_EXISTS)
        };
        let section = made?;
        let view = View::map(&section, FILE_MAP_READ | FILE_MAP_WRITE)?;
        let there = view.bytes as u64;
        if there < bytes {
            let text = format!(
                "{name} exists with {there} bytes, and {bytes} are needed; exit the programs that have it open and try again"
            );
            return Err(io::Error::new(io::ErrorKind::AlreadyExists, text));
        }
        Ok(Self { view, bytes, made: !found, _section: section })
    }

    /// Creates a section that only this writer has until it is [removed](Self::remove) or dropped, or the process ends; `None` if
    /// another writer has it. No section is left behind: it disappears with its last handle.
    pub fn claim(name: &str, bytes: u64) -> io::Result<Option<Self>> {
        Ok(Some(Self::create(name, bytes)?).filter(Self::made))
    }

    /// Returns the number of bytes that this writer may write.
    pub fn len(&self) -> u64 {
        self.bytes
    }

    /// Returns whether the section has no bytes.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// Returns whether this writer created the section.
    pub fn made(&self) -> bool {
        self.made
    }

    /// Writes bytes from the first to the last. Writes become visible in the order of the calls. Fails if the write goes beyond the
    /// end.
    pub fn write(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let end = offset.checked_add(bytes.len() as u64).filter(|end| *end <= self.bytes);
        let beyond = || io::Error::new(io::ErrorKind::InvalidInput, "a write beyond the end of the section");
        end.ok_or_else(beyond)?;
        self.view.write(offset, bytes)
    }

    /// Closes the section. Its name disappears when no other process has it open.
    pub fn remove(self) -> io::Result<()> {
        drop(self);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(test: &str) -> String {
        format!("gametape-test-{}-{test}", std::process::id())
    }

    #[test]
    fn what_is_written_is_read_and_the_name_goes_away_with_its_maker() {
        let name = name("pair");
        assert!(SectionReader::open(&name).unwrap().is_none());
        let writer = SectionWriter::create(&name, 4096).unwrap();
        let reader = SectionReader::open(&name).unwrap().unwrap();
        writer.write(101, b"abc").unwrap();
        let mut bytes = [0; 5];
        reader.copy(100, &mut bytes).unwrap();
        assert_eq!(&bytes, b"\0abc\0");
        assert_eq!((reader.len().unwrap(), writer.len(), reader.is_current()), (4096, 4096, true));
        writer.remove().unwrap();
        assert!(!reader.is_current(), "a reader alone does not keep the name");
        reader.copy(100, &mut bytes).unwrap();
        assert!(SectionReader::open(&name).unwrap().is_none());
    }

    #[test]
    fn a_new_section_of_the_same_name_is_not_taken_for_the_old_one() {
        let name = name("again");
        let first = SectionWriter::create(&name, 8192).unwrap();
        first.write(5000, b"old").unwrap();
        let reader = SectionReader::open(&name).unwrap().unwrap();
        first.remove().unwrap();
        let second = SectionWriter::create(&name, 8192).unwrap();
        assert!(second.made() && !reader.is_current());
        second.remove().unwrap();
    }

    #[test]
    fn a_section_that_is_written_all_the_time_is_still_the_same() {
        let name = name("busy");
        let writer = SectionWriter::create(&name, 1 << 16).unwrap();
        let reader = SectionReader::open(&name).unwrap().unwrap();
        let stop = std::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for round in (0..=u8::MAX).cycle() {
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                    writer.write(0, &[round; 2000]).unwrap();
                }
            });
            assert!((0..200).all(|_| reader.is_current()));
            stop.store(true, Ordering::Relaxed);
        });
    }

    #[test]
    fn a_section_that_was_there_is_taken_over_if_it_is_large_enough() {
        let name = name("found");
        let first = SectionWriter::create(&name, 2048).unwrap();
        first.write(0, b"x").unwrap();
        let second = SectionWriter::create(&name, 4000).unwrap();
        assert_eq!((first.len(), second.len(), second.made()), (2048, 4000, false));
        let refused = SectionWriter::create(&name, 5000).unwrap_err().to_string();
        assert!(refused.contains("4096 bytes, and 5000"), "{refused}");
        first.remove().unwrap();
        let reader = SectionReader::open(&name).unwrap().unwrap();
        let mut byte = [0];
        reader.copy(0, &mut byte).unwrap();
        assert_eq!(&byte, b"x");
    }

    #[test]
    fn a_section_that_is_claimed_has_one_writer_until_it_ends() {
        let name = name("claimed");
        let first = SectionWriter::claim(&name, 64).unwrap().unwrap();
        assert!(SectionWriter::claim(&name, 64).unwrap().is_none());
        drop(first);
        SectionWriter::claim(&name, 64).unwrap().unwrap().remove().unwrap();
    }

    #[test]
    fn sizes_are_those_of_whole_pages() {
        for (bytes, seen) in [(1, 4096), (4097, 8192), (1_191_936, 1_191_936)] {
            let name = name(&format!("size-{bytes}"));
            let writer = SectionWriter::create(&name, bytes).unwrap();
            let reader = SectionReader::open(&name).unwrap().unwrap();
            assert_eq!((writer.len(), reader.len().unwrap()), (bytes, seen));
            assert_eq!(reader.copy(seen - 1, &mut [0; 2]).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        }
    }

    #[test]
    fn writes_and_names_stay_inside() {
        let name = name("inside");
        let writer = SectionWriter::create(&name, 16).unwrap();
        assert!(writer.write(15, b"ab").is_err() && writer.write(u64::MAX, b"a").is_err());
        for bad in ["", r"Global\x", "a\0b"] {
            assert_eq!(SectionReader::open(bad).unwrap_err().kind(), io::ErrorKind::InvalidInput, "{bad}");
        }
    }
}
