//! Runs the simulated game by a clock and writes the page of a game with a single page of shared memory.
use std::io;
use std::time::Instant;

use gametape_games::{CopyRule, Game, Stream};

use super::{GameClock, LOOK_FOR, LiveError, Machine, NS_PER_MS, Named, SEEN_WITHIN_NS};
use crate::game_pages::PageEncoder;
use crate::simulation::Simulation;

/// A simulated game with one page in the memory of a machine.
pub struct LivePage<M: Machine> {
    machine: M,
    simulation: Simulation,
    encoder: Box<dyn PageEncoder>,
    page: Vec<u8>,
    rule: CopyRule,
    /// Offset of the word that is 0 while the game is off.
    running_flag: Option<u64>,
    section: Option<Named<M::Section>>,
}

impl<M: Machine> LivePage<M> {
    /// Creates the section of the game's page. Its name is that of the game with `prefix` in front.
    ///
    /// # Errors
    ///
    /// [`LiveError::Taken`] if the page under this name changes, [`LiveError::Memory`] if the game has no page of shared memory, or if its section
    /// cannot be created.
    pub fn start(
        machine: M,
        prefix: &str,
        game: &Game,
        simulation: Simulation,
        encoder: Box<dyn PageEncoder>,
    ) -> Result<Self, LiveError> {
        let Some(stream) = game.streams.iter().find(|stream| stream.section().is_some()) else {
            let source = io::Error::new(io::ErrorKind::Unsupported, "not a game with a page of shared memory");
            return Err(LiveError::Memory { name: game.id.into(), source });
        };
        if is_written(&machine, prefix, stream) {
            return Err(LiveError::Taken { prefix: prefix.into() });
        }
        let section = Named::create(&machine, prefix, stream)?;
        let flag = game.shared_memory.running_flag.filter(|(name, _)| *name == stream.name);
        Ok(Self {
            machine,
            simulation,
            encoder,
            page: Vec::new(),
            rule: stream.copy_rule,
            running_flag: flag.map(|(_, offset)| offset),
            section: Some(section),
        })
    }

    /// The simulation that the game shows.
    #[must_use]
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }

    /// Runs by the clock until the simulation is over, `stop` returns `true`, or `each` returns `false` after a write.
    pub fn run(
        &mut self,
        clock: &GameClock,
        stop: impl Fn() -> bool,
        mut each: impl FnMut(&Simulation) -> bool,
    ) -> Result<(), LiveError> {
        self.machine.wake_exactly();
        while !self.simulation.is_over() {
            self.simulation.step();
            let ms = self.simulation.ms();
            let Some(game) = self.simulation.game() else { continue };
            if !self.encoder.encode(ms, game, &mut self.page) {
                continue;
            }
            if !clock.wait_to_write(&self.machine, ms * NS_PER_MS, &stop) {
                return Ok(());
            }
            self.publish()?;
            if !each(&self.simulation) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Writes the page as the game does: a page with a sequence number is marked while it is written.
    fn publish(&self) -> Result<(), LiveError> {
        let Some(section) = &self.section else { return Ok(()) };
        let CopyRule::EvenSequence { sequence_offset } = self.rule else {
            return section.write_at(&self.machine, 0, &self.page);
        };
        let at = sequence_offset as usize;
        let (Some(before), Some(number), Some(behind)) =
            (self.page.get(..at), self.page.get(at..at + 4), self.page.get(at + 4..))
        else {
            return Ok(());
        };
        let even = number.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
        section.write_at(&self.machine, at as u64, &even.wrapping_sub(1).to_le_bytes())?;
        section.write_at(&self.machine, 0, before)?;
        section.write_at(&self.machine, at as u64 + 4, behind)?;
        section.write_at(&self.machine, at as u64, number)
    }

    /// Ends the game: the page says that it is off, then the name is removed.
    pub fn stop(mut self, clock: &GameClock) -> Result<(), LiveError> {
        let at_ns = self.simulation.ms() * NS_PER_MS;
        let never = || false;
        clock.wait_to_write(&self.machine, at_ns + SEEN_WITHIN_NS, never);
        let said = match (self.running_flag, &self.section) {
            (Some(offset), Some(section)) => section.write_at(&self.machine, offset, &[0; 4]),
            _ => Ok(()),
        };
        clock.wait_to_write(&self.machine, at_ns + 2 * SEEN_WITHIN_NS, never);
        let removed = self.section.take().map_or(Ok(()), |section| section.remove(&self.machine));
        clock.end();
        said.and(removed)
    }
}

impl<M: Machine> Drop for LivePage<M> {
    fn drop(&mut self) {
        // Callers that need the result call `stop`.
        let _ = self.section.take().map(|section| section.remove(&self.machine));
    }
}

/// Whether the page under this name changes. A page that a dead game left behind does not.
fn is_written(machine: &impl Machine, prefix: &str, stream: &Stream) -> bool {
    let Some(section) = stream.section() else { return false };
    let Some(mut copy) = machine.open(&format!("{prefix}{section}")) else { return false };
    let mut front = || {
        let mut bytes = [0; 1024];
        copy(&mut bytes).then_some(bytes)
    };
    let before = front();
    machine.sleep_until(Instant::now() + LOOK_FOR);
    before != front()
}
