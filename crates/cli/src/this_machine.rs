//! Connects the simulated game of `demo` to the system: its sections are real shared memory, and the recorder runs by its clock.

use std::io;
use std::sync::Arc;
use std::time::Instant;

use gametape::capture::Clock;
use gametape::sys::{self, SectionReader, SectionWriter};
use gametape_simulator::live::{CopyStart, GameClock, Machine};

/// Shared memory and timers of this machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ThisMachine;

impl Machine for ThisMachine {
    type Section = SectionWriter;

    fn open(&self, name: &str) -> Option<CopyStart> {
        let reader = SectionReader::open(name).ok().flatten()?;
        Some(Box::new(move |out| reader.copy(0, out).is_ok()))
    }

    fn create(&self, name: &str, bytes: u64) -> io::Result<SectionWriter> {
        SectionWriter::create(name, bytes)
    }

    fn write(&self, section: &SectionWriter, offset: u64, bytes: &[u8]) -> io::Result<()> {
        section.write(offset, bytes)
    }

    fn remove(&self, section: SectionWriter) -> io::Result<()> {
        section.remove()
    }

    fn wake_exactly(&self) {
        sys::wake_exactly();
    }

    fn sleep_until(&self, moment: Instant) {
        sys::sleep_until(moment);
    }
}

/// The clock of a recorder that runs in lockstep with the game.
#[derive(Debug)]
pub(crate) struct InStep(pub(crate) Arc<GameClock>);

impl Clock for InStep {
    fn now_ns(&self) -> u64 {
        self.0.now_ns()
    }

    fn utc_ns(&self) -> i64 {
        self.0.utc_ns()
    }

    fn sleep_until_ns(&self, moment_ns: u64) {
        self.0.sleep_until_ns(moment_ns, sys::sleep_until);
    }
}
