//! The simulated game in shared memory, under names of its own: its pages are there as a real game has them.
//!
//! Takes a [`Simulation`] and a prefix for the names; writes each page when the game would, from its first byte to its last, on absolute deadlines. When
//! it stops, the pages say that the game is off, and the names go away. A recorder finds it like any game.
mod game_clock;

pub use game_clock::GameClock;

use std::io;
use std::time::Duration;

use zerocopy::IntoBytes as _;

use super::simulation::{Simulation, Written};
use crate::capture::StopFlag;
use crate::games::{Stream, Transport, acc};
use crate::sys::{Prefix, SectionReader, SectionWriter, sleep_until, wake_exactly};

/// A game that runs writes its physics page far more often.
const LOOK_FOR: Duration = Duration::from_millis(120);
const NS_PER_MS: u64 = 1_000_000;
/// Readers that look ten times a second see a page that stands this long.
const SEEN_WITHIN_NS: u64 = 110 * NS_PER_MS;

/// Why the simulated game cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// Somebody else writes there.
    #[error("a game is running under the names that begin with {prefix:?}; end it, or choose another prefix")]
    Taken {
        /// What the names begin with.
        prefix: String,
    },
    /// The memory cannot be made or written.
    #[error("cannot write the shared memory {name}: {source}")]
    Memory {
        /// The section.
        name: String,
        /// Why.
        source: io::Error,
    },
}

/// One page in memory.
#[derive(Debug)]
struct Section {
    name: String,
    writer: SectionWriter,
}

impl Section {
    fn create(prefix: &Prefix, stream: &Stream) -> Result<Self, LiveError> {
        let Transport::SharedMemory { section, section_bytes } = stream.transport else {
            let source = io::Error::new(io::ErrorKind::Unsupported, "not a page of shared memory");
            return Err(LiveError::Memory { name: stream.name.into(), source });
        };
        let name = prefix.section(section);
        match SectionWriter::create(&name, section_bytes.into()) {
            Ok(writer) => Ok(Self { name, writer }),
            Err(source) => Err(LiveError::Memory { name, source }),
        }
    }

    fn write(&self, bytes: &[u8]) -> Result<(), LiveError> {
        self.writer.write(0, bytes).map_err(|source| LiveError::Memory { name: self.name.clone(), source })
    }
}

/// The simulated game, live.
pub struct LiveGame {
    simulation: Simulation,
    sections: Option<[Section; 3]>,
}

impl LiveGame {
    /// Puts the first pages into memory.
    pub fn start(prefix: &Prefix, simulation: Simulation) -> Result<Self, LiveError> {
        if somebody_writes(prefix) {
            return Err(LiveError::Taken { prefix: prefix.as_str().into() });
        }
        let physics = Section::create(prefix, &acc::PHYSICS)?;
        let graphics = Section::create(prefix, &acc::GRAPHICS)?;
        let static_page = Section::create(prefix, &acc::STATIC)?;
        let game = Self { simulation, sections: Some([physics, graphics, static_page]) };
        game.publish(Written { physics: true, graphics: true, static_page: true })?;
        Ok(game)
    }

    /// The simulation behind it.
    #[must_use]
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Goes on to the next write, without waiting for anything, and writes. `false` when the simulation is over.
    pub fn write_next(&mut self) -> Result<bool, LiveError> {
        let written = self.step_to_write();
        self.publish(written)?;
        Ok(written.any())
    }

    /// Runs by the clock until the simulation is over, the end is wanted, or `each` says after a write that it is enough.
    pub fn run(
        &mut self,
        clock: &GameClock,
        stop: &StopFlag,
        mut each: impl FnMut(&Simulation) -> bool,
    ) -> Result<(), LiveError> {
        wake_exactly();
        loop {
            let written = self.step_to_write();
            if !clock.wait_to_write(self.simulation.ms() * NS_PER_MS, stop) || !written.any() {
                return Ok(());
            }
            self.publish(written)?;
            if !each(&self.simulation) {
                return Ok(());
            }
        }
    }

    fn step_to_write(&mut self) -> Written {
        loop {
            let written = self.simulation.step();
            if written.any() || self.simulation.is_over() {
                return written;
            }
        }
    }

    fn publish(&self, written: Written) -> Result<(), LiveError> {
        let Some([physics, graphics, static_page]) = &self.sections else { return Ok(()) };
        let pages = self.simulation.pages();
        if written.static_page {
            static_page.write(pages.static_page.as_bytes())?;
        }
        if written.physics {
            physics.write(pages.physics.as_bytes())?;
        }
        if written.graphics {
            graphics.write(pages.graphics.as_bytes())?;
        }
        Ok(())
    }

    /// The game ends: its pages say that it is off, then the names go away. A game that crashed leaves its pages as they were; only the names go away.
    pub fn stop(mut self, clock: &GameClock) -> Result<(), LiveError> {
        let at_ns = self.simulation.ms() * NS_PER_MS;
        // Readers get the time to see the last pages, and then that the game is off: a name that goes away says less.
        let anyhow = StopFlag::default();
        clock.wait_to_write(at_ns + SEEN_WITHIN_NS, &anyhow);
        let said = self.say_off();
        clock.wait_to_write(at_ns + 2 * SEEN_WITHIN_NS, &anyhow);
        let removed = self.remove_names();
        clock.end();
        said.and(removed)
    }

    fn say_off(&self) -> Result<(), LiveError> {
        let Some([_, graphics, _]) = &self.sections else { return Ok(()) };
        if self.simulation.is_crashed() {
            return Ok(());
        }
        let mut page = self.simulation.pages().graphics;
        page.packet_id = page.packet_id.wrapping_add(1);
        page.status = 0;
        graphics.write(page.as_bytes())
    }

    fn remove_names(&mut self) -> Result<(), LiveError> {
        let Some(sections) = self.sections.take() else { return Ok(()) };
        let mut ended = Ok(());
        for Section { name, writer } in sections {
            let removed = writer.remove().map_err(|source| LiveError::Memory { name, source });
            ended = ended.and(removed);
        }
        ended
    }
}

impl Drop for LiveGame {
    fn drop(&mut self) {
        // Who wants to know whether it worked calls `stop`.
        let _ = self.say_off();
        let _ = self.remove_names();
    }
}

/// Whether pages under these names change: what a dead game left behind does not.
fn somebody_writes(prefix: &Prefix) -> bool {
    let Transport::SharedMemory { section, .. } = acc::PHYSICS.transport else { return false };
    let Ok(Some(reader)) = SectionReader::open(&prefix.section(section)) else { return false };
    let number = || {
        let mut bytes = [0; 4];
        reader.copy(0, &mut bytes).is_ok().then_some(bytes)
    };
    let before = number();
    sleep_until(std::time::Instant::now() + LOOK_FOR);
    before != number()
}
