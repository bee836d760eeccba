//! A game's memory as a player writes it: what all games have in common.

use super::chunk::Entry;
use super::error::PlayError;

/// Takes frames and shows them as the game does.
pub(super) trait Stage: Send {
    /// Shows a frame. Gives whether clients see something new by it: not all that a tape has is a step of the game.
    fn show(&mut self, entry: &Entry, frame: &[u8]) -> Result<Shown, PlayError>;

    /// What comes next need not follow what was shown last: counters have to go on rising.
    fn jump(&mut self);

    /// Called at least as often as [`Pulse`](super::pulse::Pulse) says.
    fn pulse(&self) {}

    /// Clients see from now on that the game is gone.
    fn leave(&mut self) -> Result<(), PlayError>;

    /// Takes the names away that this player made.
    fn remove(self: Box<Self>) -> Result<(), PlayError>;
}

/// What became of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// Clients see it.
    Step,
    /// Taken in: it says how others are to be shown, or is what is shown already.
    Noted,
    /// It does not fit into the memory.
    Unfit,
}
