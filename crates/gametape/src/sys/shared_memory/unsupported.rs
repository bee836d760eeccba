//! Systems without support for shared memory: every call fails.

use std::io;

/// Reads a section that another program created.
#[derive(Debug)]
pub struct SectionReader(std::convert::Infallible);

/// Writes a section that other programs read.
#[derive(Debug)]
pub struct SectionWriter(std::convert::Infallible);

fn unsupported() -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, "gametape does not support shared memory on this system yet")
}

/// Returns the file of a section; `None` if sections are not files.
pub fn section_file(_name: &str) -> Option<std::path::PathBuf> {
    None
}

impl SectionReader {
    /// Opens a section.
    pub fn open(_name: &str) -> io::Result<Option<Self>> {
        Err(unsupported())
    }

    /// Returns the current size of the section in bytes.
    pub fn len(&self) -> io::Result<u64> {
        match self.0 {}
    }

    /// Returns whether the section is empty.
    pub fn is_empty(&self) -> io::Result<bool> {
        match self.0 {}
    }

    /// Copies bytes out of the section.
    pub fn copy(&self, _offset: u64, _out: &mut [u8]) -> io::Result<()> {
        match self.0 {}
    }

    /// Returns the file that refers to a section without a name. Linux only.
    pub fn held_as(&self) -> Option<&std::path::Path> {
        None
    }

    /// Returns whether the name still refers to this section.
    pub fn is_current(&self) -> bool {
        match self.0 {}
    }
}

impl SectionWriter {
    /// Creates or reuses a section.
    pub fn create(_name: &str, _bytes: u64) -> io::Result<Self> {
        Err(unsupported())
    }

    /// Creates a section with a single writer.
    pub fn claim(_name: &str, _bytes: u64) -> io::Result<Option<Self>> {
        Err(unsupported())
    }

    /// Returns the size of the section in bytes.
    pub fn len(&self) -> u64 {
        match self.0 {}
    }

    /// Returns whether the section is empty.
    pub fn is_empty(&self) -> bool {
        match self.0 {}
    }

    /// Writes bytes to the section.
    pub fn write(&self, _offset: u64, _bytes: &[u8]) -> io::Result<()> {
        match self.0 {}
    }

    /// Removes the name if this writer created the section.
    pub fn remove(self) -> io::Result<()> {
        match self.0 {}
    }
}
