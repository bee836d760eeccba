//! Runs the simulated game by a clock and sends what a game on the network sends.
use super::{GameClock, Machine, NS_PER_MS};
use crate::datagrams::{DatagramEncoder, Datagrams};
use crate::simulation::Simulation;

/// Sends a datagram.
type SendDatagram = Box<dyn FnMut(&[u8]) + Send>;

/// A simulated game that sends datagrams.
pub struct LiveSender<M> {
    machine: M,
    simulation: Simulation,
    encoder: Box<dyn DatagramEncoder>,
    send: SendDatagram,
    due: Datagrams,
}

impl<M: Machine> LiveSender<M> {
    /// Creates a game whose datagrams are passed to `send` when they are due. A datagram may get lost, so sending cannot fail.
    pub fn new(
        machine: M,
        simulation: Simulation,
        encoder: Box<dyn DatagramEncoder>,
        send: impl FnMut(&[u8]) + Send + 'static,
    ) -> Self {
        Self { machine, simulation, encoder, send: Box::new(send), due: Datagrams::default() }
    }

    /// Runs by the clock until the simulation is over, `stop` returns `true`, or `each` returns `false`.
    pub fn run(&mut self, clock: &GameClock, stop: impl Fn() -> bool, mut each: impl FnMut(&Simulation) -> bool) {
        self.machine.wake_exactly();
        while !self.simulation.is_over() {
            self.simulation.step();
            let ms = self.simulation.ms();
            if let Some(game) = self.simulation.game() {
                self.due.clear();
                self.encoder.encode(ms, game, &mut self.due);
            }
            if self.due.iter().next().is_none() {
                continue;
            }
            if !clock.wait_to_write(&self.machine, ms * NS_PER_MS, &stop) {
                return;
            }
            self.due.iter().for_each(&mut self.send);
            if !each(&self.simulation) {
                return;
            }
        }
    }
}
