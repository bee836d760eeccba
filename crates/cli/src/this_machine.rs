//! Connects the simulated game of `demo` to the system: its sections are real shared memory, and the recorder runs by its clock.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape::capture::{Clock, RealClock};
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

/// The clock of a recorder beside a game that runs faster or slower than real time.
#[derive(Debug)]
pub(crate) struct AtSpeed {
    start: Instant,
    speed: f64,
}

impl AtSpeed {
    /// Returns a clock that starts now.
    pub(crate) fn start(speed: f64) -> Self {
        Self { start: Instant::now(), speed }
    }
}

impl Clock for AtSpeed {
    fn now_ns(&self) -> u64 {
        self.time_of(Instant::now())
    }

    fn time_of(&self, moment: Instant) -> u64 {
        let real_s = moment.saturating_duration_since(self.start).as_secs_f64();
        (real_s * self.speed * 1e9) as u64
    }

    fn utc_ns(&self) -> i64 {
        RealClock::start().utc_ns()
    }

    fn sleep_until_ns(&self, moment_ns: u64) {
        let real = Duration::from_secs_f64(moment_ns as f64 / 1e9 / self.speed);
        if let Some(moment) = self.start.checked_add(real) {
            sys::sleep_until(moment);
        }
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
