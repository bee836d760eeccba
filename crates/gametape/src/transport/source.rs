//! Where frames come from: the trait shared by games, tapes, sockets and sources of other programs.

use std::io;
use std::time::Duration;

use gametape_games::{About, Presence};

use super::batch::Batch;
use super::clock::Clock;

/// A game that is absent this long has ended. Shorter absences are gaps.
pub(crate) const AWAY_GRACE_NS: u64 = 1_500_000_000;

/// A source of frames. Everything that can be captured is a source: the shared memory of a game, a tape, a socket, or your own
/// type.
///
/// One thread owns a source. It waits as [`pace`](Self::pace) specifies, then calls [`read`](Self::read), which adds new frames to
/// the batch without blocking. With [`Pace::Source`], `read` itself waits for frames, but not for long.
pub trait Source: Send {
    /// Returns when to read next. Called before each read.
    fn pace(&self) -> Pace;

    /// Adds new frames to the batch. An absent game is not an error: it is reported as [`State::Away`].
    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError>;

    /// Returns a key that differs between consecutive sessions of the game; `None` if the source does not know. Must not allocate.
    fn session_key(&self) -> Option<u64> {
        None
    }

    /// Returns what the game reports about itself and its session.
    fn about(&self) -> About {
        About::default()
    }

    /// Returns a number that changes whenever [`about`](Self::about) may return something else. Called on every read, so it must
    /// not allocate. If `None`, `about` is called at intervals instead.
    fn about_changes(&self) -> Option<u64> {
        None
    }

    /// Returns additional metadata for a tape that begins now: keys and values.
    fn metadata(&self) -> Vec<(&'static str, String)> {
        Vec::new()
    }

    /// Returns the id of the tape that is being played, if the frames come from a player instead of the game.
    fn replay_of(&self) -> Option<String> {
        None
    }

    /// Returns the time on the capture's clock that is time 0 of a tape that begins now; `None` means the time of its first frame.
    fn zero_ns(&self) -> Option<u64> {
        None
    }

    /// Returns whether it only follows the other sources of its tape: it does not keep the tape open when they have ended.
    fn follows(&self) -> bool {
        false
    }

    /// Returns the next thing that the user should know although nothing is recorded, such as a port that is taken. Called after each read.
    fn take_notice(&mut self) -> Option<String> {
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

    fn follows(&self) -> bool {
        (**self).follows()
    }

    fn take_notice(&mut self) -> Option<String> {
        (**self).take_notice()
    }
}

/// When a source is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    /// At fixed deadlines, this far apart. Deadlines that pass are counted as missed.
    Every(Duration),
    /// About this often. The source buffers what arrives in between, so being late loses nothing.
    About(Duration),
    /// The source itself waits for its frames, for at most 100 ms at a time.
    Source,
}

/// The result of a read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// There is nothing to read, for this reason.
    Away(Away),
    /// The game is present.
    Here(Presence),
    /// The source has ended; there will be no more frames.
    Ended,
}

/// Why there is nothing to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Away {
    /// No shared memory, no connection.
    NotThere,
    /// Shared memory or a connection exists, but it holds nothing yet.
    Empty,
    /// It is not known yet which game it is.
    Undecided,
    /// The game reports that no session is running.
    Off,
    /// Access is denied, or the contents are not as expected.
    Unreadable(String),
}

/// Why a source cannot be read any more.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// An I/O error.
    #[error("cannot read {what}: {source}")]
    Io {
        /// The section, file or address.
        what: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// An error message of the source.
    #[error("{0}")]
    Other(String),
}
