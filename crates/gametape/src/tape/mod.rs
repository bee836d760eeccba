//! Tapes as a program of yours sees them: frames as structs, samples, and a source for captures.
//!
//! [`Tape`] wraps [`format::read::Tape`](crate::format::read::Tape), which stays reachable: streams, metadata, events and channels are
//! read through it. Damage is never silent: the plain iterators are given only for streams that were found whole.

mod channel_names;
mod error;
mod frames;
mod samples;

use std::ops::Deref;
use std::path::Path;
use std::sync::Arc;

pub use channel_names::{ChannelNameError, FoundChannel, find_channel, find_in_one_stream};
pub use error::TapeError;
pub use frames::{TapeFrames, TryTapeFrames};
pub use samples::Samples;

use crate::format::StreamId;
use crate::format::read::{self, Problem, ProblemKind, ReadError};

/// A tape, open for reading.
///
/// ```no_run
/// use gametape::{Tape, acc};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// for (t, p) in Tape::open("race.gtape")?.frames::<acc::Physics>()? {
///     println!("{t:.2?} {:.0} km/h", p.speed_kmh);
/// }
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Tape {
    raw: Arc<read::Tape>,
    real_time: bool,
}

impl Tape {
    /// Opens a file: closed, still being written, or left by a recorder that was killed.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, ReadError> {
        read::Tape::open(path).map(Self::from)
    }

    /// As a source of a capture: plays as it was recorded, instead of as fast as the callbacks can take it.
    pub fn real_time(self) -> Self {
        Self { real_time: true, ..self }
    }

    /// Whether it plays as it was recorded.
    pub(crate) fn plays_in_real_time(&self) -> bool {
        self.real_time
    }

    /// The tape as the format knows it: its `frames` gives bytes.
    pub fn raw(&self) -> &read::Tape {
        &self.raw
    }

    /// Damage that was noticed so far and may have cost frames of a stream, or of any.
    pub(crate) fn loss(&self, stream: Option<StreamId>) -> Option<Problem> {
        let concerns = |problem: &Problem| stream.is_none() || problem.stream.is_none() || problem.stream == stream;
        self.raw.problems().into_iter().find(|problem| costs_frames(problem) && concerns(problem))
    }

    pub(crate) fn shared(&self) -> Arc<read::Tape> {
        Arc::clone(&self.raw)
    }
}

impl From<read::Tape> for Tape {
    fn from(tape: read::Tape) -> Self {
        Self { raw: Arc::new(tape), real_time: false }
    }
}

impl Deref for Tape {
    type Target = read::Tape;

    fn deref(&self) -> &read::Tape {
        &self.raw
    }
}

fn costs_frames(problem: &Problem) -> bool {
    // Blocks are found without these.
    let finds_blocks = matches!(
        problem.kind,
        ProblemKind::FileHeader | ProblemKind::Index | ProblemKind::Footer | ProblemKind::Trailer
    );
    // A tape that is still being written is not closed; the frames of its journal are read.
    let harmless = finds_blocks || matches!(problem.kind, ProblemKind::NotClosed | ProblemKind::SystemFrame);
    !harmless && problem.frames_lost != Some(0)
}
