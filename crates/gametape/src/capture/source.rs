//! Where frames come from: the trait that games, tapes, sockets and your own programs share.

use std::io;
use std::time::Duration;

use gametape_games::{About, Presence};

use super::batch::Batch;
use super::clock::Clock;

/// Gives frames. Everything that is captured is a source: the shared memory of a game, a tape, a socket, your own.
///
/// One thread owns a source. It waits as [`pace`](Self::pace) says, then calls [`read`](Self::read), which puts what is new into
/// the batch and does not wait (or, with [`Pace::Source`], waits itself, but not long).
pub trait Source: Send {
    /// When to read next. Asked before each read.
    fn pace(&self) -> Pace;

    /// Puts what is new into the batch. A game that is not there is no error: [`State::Away`].
    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError>;

    /// Differs between sessions of the game that follow each other; `None` where the source does not say. Allocates nothing.
    fn session_key(&self) -> Option<u64> {
        None
    }

    /// What the game says about itself and its session.
    fn about(&self) -> About {
        About::default()
    }

    /// A number that changes whenever [`about`](Self::about) may say something else; asked at every look, so it allocates nothing. `None`
    /// where the source does not know: it is asked now and then.
    fn about_changes(&self) -> Option<u64> {
        None
    }

    /// What else stands on a tape that begins now: keys and values.
    fn metadata(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Id of the tape that is being played, where the frames come from a player and not from the game.
    fn replay_of(&self) -> Option<String> {
        None
    }

    /// The moment on the capture's clock that is time 0 of a tape that begins now; `None` is the moment of its first frame.
    fn zero_ns(&self) -> Option<u64> {
        None
    }
}

impl Source for Box<dyn Source> {
    fn pace(&self) -> Pace {
        (**self).pace()
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        (**self).read(clock, batch)
    }

    fn session_key(&self) -> Option<u64> {
        (**self).session_key()
    }

    fn about(&self) -> About {
        (**self).about()
    }

    fn about_changes(&self) -> Option<u64> {
        (**self).about_changes()
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        (**self).metadata()
    }

    fn replay_of(&self) -> Option<String> {
        (**self).replay_of()
    }

    fn zero_ns(&self) -> Option<u64> {
        (**self).zero_ns()
    }
}

/// When a source is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// At fixed moments, this far apart. Moments that pass unused are counted as missed.
    Every(Duration),
    /// About this often, because the source keeps what comes in between: nothing is missed by being late.
    About(Duration),
    /// The source itself waits for its frames, at most a tenth of a second at a time.
    Source,
}

/// What a source found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// Nothing to read, and why.
    Away(Away),
    /// The game is there.
    Here(Presence),
    /// There will never be more.
    Ended,
}

/// Why there is nothing to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Away {
    /// No shared memory, no connection.
    NotThere,
    /// There is something, but it holds nothing yet.
    Empty,
    /// It cannot be told yet which game it is.
    Undecided,
    /// The game's memory says that no session runs.
    Off,
    /// It is there but may not be read, or is not what it should be.
    Unreadable(String),
}

/// Why a source cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// The system refused.
    #[error("cannot read {what}: {source}")]
    Io {
        /// The section, file or address.
        what: String,
        /// What the system said.
        source: io::Error,
    },
    /// The source's own words.
    #[error("{0}")]
    Other(String),
}
