//! The simulation as an iterator: the pages as a reader sees them that polls at a fixed rate.
use crate::pages::Pages;
use crate::simulation::Simulation;

/// An iterator over the pages at a fixed rate: nanoseconds since the start, and the content of the memory at that time.
pub struct Samples {
    simulation: Simulation,
    rate_hz: u64,
    next: u64,
}

impl Samples {
    pub(super) fn new(simulation: Simulation, rate_hz: u32) -> Self {
        Self { simulation, rate_hz: u64::from(rate_hz.max(1)), next: 0 }
    }

    /// Returns the simulation in its state after the last sample.
    #[must_use]
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }
}

impl Iterator for Samples {
    type Item = (u64, Pages);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let time_ns = (u128::from(self.next) * 1_000_000_000 / u128::from(self.rate_hz)) as u64;
            self.next += 1;
            while self.simulation.ms() < time_ns / 1_000_000 {
                if self.simulation.is_over() {
                    return None;
                }
                self.simulation.step();
            }
            if self.simulation.is_crashed() {
                return None;
            }
            if self.simulation.is_seen() {
                return Some((time_ns, self.simulation.pages().clone()));
            }
        }
    }
}
