//! The interface through which a game publishes its data, as a player writes it.

use super::chunk::Entry;
use super::error::PlayError;

/// Shows frames in the same way as the game.
pub(super) trait Stage: Send {
    /// Shows a frame. The result says whether clients observe a change: not every frame of a tape is a step of the game.
    fn show(&mut self, entry: &Entry, frame: &[u8]) -> Result<Shown, PlayError>;

    /// Marks a jump: the next frame need not follow the last one, but counters must keep increasing.
    fn jump(&mut self);

    /// Called at least as often as [`Pulse`](super::pulse::Pulse) requires.
    fn pulse(&self) {}

    /// Tells clients that the game has exited.
    fn leave(&mut self) -> Result<(), PlayError>;

    /// Removes the sections that this player created.
    fn remove(self: Box<Self>) -> Result<(), PlayError>;
}

/// The result of showing a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// Clients observe it.
    Step,
    /// Stored: it defines how other frames are shown, or is shown already.
    Noted,
    /// It does not fit into the memory.
    Unfit,
}
