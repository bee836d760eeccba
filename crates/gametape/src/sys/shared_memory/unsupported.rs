//! Systems whose shared memory gametape does not read yet: every call says so.

use std::io;

/// Reads a section that somebody else made.
#[derive(Debug)]
pub struct SectionReader(std::convert::Infallible);

/// Writes a section that other programs read.
#[derive(Debug)]
pub struct SectionWriter(std::convert::Infallible);

fn unsupported() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "gametape does not read shared memory on this system yet")
}

/// The file that a section of this name is; `None` where sections are no files.
pub fn section_file(_name: &str) -> Option<std::path::PathBuf> {
    None
}

impl SectionReader {
    /// Opens a section.
    pub fn open(_name: &str) -> io::Result<Option<Self>> {
        Err(unsupported())
    }

    /// Bytes of the section now.
    pub fn len(&self) -> io::Result<u64> {
        match self.0 {}
    }

    /// Whether the section is empty.
    pub fn is_empty(&self) -> io::Result<bool> {
        match self.0 {}
    }

    /// Copies bytes out.
    pub fn copy(&self, _offset: u64, _out: &mut [u8]) -> io::Result<()> {
        match self.0 {}
    }

    /// The file that stands for a section without a name: on Linux only.
    pub fn held_as(&self) -> Option<&std::path::Path> {
        None
    }

    /// Whether the name still means this section.
    pub fn is_current(&self) -> bool {
        match self.0 {}
    }
}

impl SectionWriter {
    /// Makes or takes over a section.
    pub fn create(_name: &str, _bytes: u64) -> io::Result<Self> {
        Err(unsupported())
    }

    /// Makes a section that one writer alone has.
    pub fn claim(_name: &str, _bytes: u64) -> io::Result<Option<Self>> {
        Err(unsupported())
    }

    /// Bytes of the section.
    pub fn len(&self) -> u64 {
        match self.0 {}
    }

    /// Whether the section is empty.
    pub fn is_empty(&self) -> bool {
        match self.0 {}
    }

    /// Copies bytes in.
    pub fn write(&self, _offset: u64, _bytes: &[u8]) -> io::Result<()> {
        match self.0 {}
    }

    /// Takes the name away again if this writer made the section.
    pub fn remove(self) -> io::Result<()> {
        match self.0 {}
    }
}
