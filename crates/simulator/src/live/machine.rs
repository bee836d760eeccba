//! What a live game needs from the system: sections of shared memory and exact waits.
//!
//! The live game does no I/O of its own. Programs implement [`Machine`] over the system they run on, in a line or two per method; tests implement it over
//! plain memory.
use std::io;
use std::time::Instant;

/// Copies the first bytes of a section into a buffer; returns `false` if they cannot be read.
pub type CopyStart = Box<dyn FnMut(&mut [u8]) -> bool>;

/// The system that a live game runs on.
pub trait Machine {
    /// A section that the game writes.
    type Section;

    /// Opens an existing section for reading; `None` if no section has this name.
    fn open(&self, name: &str) -> Option<CopyStart>;

    /// Creates a section of `bytes` bytes, or takes over the existing section of this name.
    fn create(&self, name: &str, bytes: u64) -> io::Result<Self::Section>;

    /// Copies `bytes` into the section at `offset`, from the first byte to the last.
    fn write(&self, section: &Self::Section, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Removes the name of the section. Readers that have it open keep its last bytes.
    fn remove(&self, section: Self::Section) -> io::Result<()>;

    /// Asks the system to wake the current thread without delay, if the system groups wake-ups to save power.
    fn wake_exactly(&self) {}

    /// Blocks until `moment`; returns at once if it has passed.
    fn sleep_until(&self, moment: Instant);
}
