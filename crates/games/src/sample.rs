//! The neutral vocabulary: what all games mean, in one set of words and units.
use crate::capture::SeenFrame;

/// What a car does at one moment. `None` where the game does not say.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sample {
    /// Speed over ground.
    pub speed_kmh: Option<f32>,
}

/// Turns the frames of a game into samples. Frames come in the order of their times, from any stream of the game.
pub trait Decode: Send {
    /// Takes over what a frame says; what it does not say stays as it was.
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample);
}
