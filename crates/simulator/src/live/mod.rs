//! Runs the simulated game by a clock and publishes its pages as a real game does, so that a recorder finds it like any game.
//!
//! Takes a [`Simulation`], a prefix for the names of the sections, and a [`Machine`], which is the only way to the system. Writes each page when the game
//! would, from its first byte to its last, on absolute deadlines. At the end, the pages say that the game is off, and the names are removed.
//!
//! This module reads the system's clock and blocks; nothing else in the simulator does.
mod game_clock;
mod machine;
mod page_writer;
mod sender;

pub use game_clock::GameClock;
pub use machine::{CopyStart, Machine};
pub use page_writer::LivePage;
pub use sender::LiveSender;

use std::io;
use std::time::{Duration, Instant};

use zerocopy::IntoBytes as _;

use super::simulation::{Simulation, Written};
use gametape_games::{Stream, acc};

/// How long to look for changes before the names are taken. A running game writes its physics page far more often.
const LOOK_FOR: Duration = Duration::from_millis(120);
const NS_PER_MS: u64 = 1_000_000;
/// Long enough for a reader that polls ten times a second to see a page.
const SEEN_WITHIN_NS: u64 = 110 * NS_PER_MS;

/// Why the simulated game cannot run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LiveError {
    /// Another process writes sections of these names.
    #[error("a game is running under the names that begin with {prefix:?}; end it, or choose another prefix")]
    Taken {
        /// What the names begin with.
        prefix: String,
    },
    /// A section cannot be created, written or removed.
    #[error("cannot write the shared memory {name}: {source}")]
    Memory {
        /// The name of the section.
        name: String,
        /// The system's error.
        source: io::Error,
    },
}

/// A section with its name.
#[derive(Debug)]
struct Named<S> {
    name: String,
    section: S,
}

impl<S> Named<S> {
    fn create(machine: &impl Machine<Section = S>, prefix: &str, stream: &Stream) -> Result<Self, LiveError> {
        let (Some(section), Some(section_bytes)) = (stream.section(), stream.section_bytes()) else {
            let source = io::Error::new(io::ErrorKind::Unsupported, "not a page of shared memory");
            return Err(LiveError::Memory { name: stream.name.into(), source });
        };
        let name = format!("{prefix}{section}");
        match machine.create(&name, section_bytes.into()) {
            Ok(section) => Ok(Self { name, section }),
            Err(source) => Err(LiveError::Memory { name, source }),
        }
    }

    fn write(&self, machine: &impl Machine<Section = S>, bytes: &[u8]) -> Result<(), LiveError> {
        self.write_at(machine, 0, bytes)
    }

    fn write_at(&self, machine: &impl Machine<Section = S>, offset: u64, bytes: &[u8]) -> Result<(), LiveError> {
        let written = machine.write(&self.section, offset, bytes);
        written.map_err(|source| LiveError::Memory { name: self.name.clone(), source })
    }

    fn remove(self, machine: &impl Machine<Section = S>) -> Result<(), LiveError> {
        let Self { name, section } = self;
        machine.remove(section).map_err(|source| LiveError::Memory { name, source })
    }
}

/// A simulated game whose pages are in the memory of a machine.
pub struct LiveGame<M: Machine> {
    machine: M,
    simulation: Simulation,
    /// Physics, graphics and static page; `None` once the names are removed.
    sections: Option<[Named<M::Section>; 3]>,
}

impl<M: Machine> LiveGame<M> {
    /// Creates the sections and writes the first pages. The names are those of the game with `prefix` in front.
    ///
    /// # Errors
    ///
    /// [`LiveError::Taken`] if the pages under these names change: another game is running. Pages that a dead game left behind are taken over.
    pub fn start(machine: M, prefix: &str, simulation: Simulation) -> Result<Self, LiveError> {
        if is_written(&machine, prefix) {
            return Err(LiveError::Taken { prefix: prefix.into() });
        }
        let physics = Named::create(&machine, prefix, &acc::PHYSICS)?;
        let graphics = Named::create(&machine, prefix, &acc::GRAPHICS)?;
        let static_page = Named::create(&machine, prefix, &acc::STATIC)?;
        let game = Self { machine, simulation, sections: Some([physics, graphics, static_page]) };
        game.publish(Written { physics: true, graphics: true, static_page: true })?;
        Ok(game)
    }

    /// The simulation that the game shows.
    #[must_use]
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Steps to the next write and publishes it, without waiting. Returns `false` when the simulation is over.
    pub fn write_next(&mut self) -> Result<bool, LiveError> {
        let written = self.step_to_write();
        self.publish(written)?;
        Ok(written.any())
    }

    /// Runs by the clock until the simulation is over, `stop` returns `true`, or `each` returns `false` after a write.
    pub fn run(
        &mut self,
        clock: &GameClock,
        stop: impl Fn() -> bool,
        mut each: impl FnMut(&Simulation) -> bool,
    ) -> Result<(), LiveError> {
        self.machine.wake_exactly();
        loop {
            let written = self.step_to_write();
            if !clock.wait_to_write(&self.machine, self.simulation.ms() * NS_PER_MS, &stop) || !written.any() {
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
            static_page.write(&self.machine, pages.static_page.as_bytes())?;
        }
        if written.physics {
            physics.write(&self.machine, pages.physics.as_bytes())?;
        }
        if written.graphics {
            graphics.write(&self.machine, pages.graphics.as_bytes())?;
        }
        Ok(())
    }

    /// Ends the game: the pages say that it is off, then the names are removed. A game that crashed leaves its pages as they were.
    pub fn stop(mut self, clock: &GameClock) -> Result<(), LiveError> {
        let at_ns = self.simulation.ms() * NS_PER_MS;
        // Readers get the time to see the last pages, and then that the game is off: a name that is removed says less.
        let never = || false;
        clock.wait_to_write(&self.machine, at_ns + SEEN_WITHIN_NS, never);
        let said = self.say_off();
        clock.wait_to_write(&self.machine, at_ns + 2 * SEEN_WITHIN_NS, never);
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
        graphics.write(&self.machine, page.as_bytes())
    }

    fn remove_names(&mut self) -> Result<(), LiveError> {
        let Some(sections) = self.sections.take() else { return Ok(()) };
        let mut ended = Ok(());
        for section in sections {
            ended = ended.and(section.remove(&self.machine));
        }
        ended
    }
}

impl<M: Machine> Drop for LiveGame<M> {
    fn drop(&mut self) {
        // Callers that need the result call `stop`.
        let _ = self.say_off();
        let _ = self.remove_names();
    }
}

/// Whether the pages under these names change. Pages that a dead game left behind do not.
fn is_written(machine: &impl Machine, prefix: &str) -> bool {
    let Some(section) = acc::PHYSICS.section() else { return false };
    let Some(mut copy) = machine.open(&format!("{prefix}{section}")) else { return false };
    let mut number = || {
        let mut bytes = [0; 4];
        copy(&mut bytes).then_some(bytes)
    };
    let before = number();
    machine.sleep_until(Instant::now() + LOOK_FOR);
    before != number()
}

#[cfg(test)]
mod tests;
