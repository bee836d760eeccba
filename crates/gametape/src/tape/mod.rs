//! Reads tapes for applications: frames as structs, samples, and tapes as a source for captures.
//!
//! [`Tape`] wraps [`format::read::Tape`](crate::format::read::Tape) and gives access to it ([`Tape::raw`]) for streams, metadata, events and channels.
//! Damage is never silent: the plain iterators are returned only for streams that were verified to be intact.

mod error;
mod frames;
mod samples;
mod section_pages;
pub(crate) mod wanted;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

pub use error::TapeError;
pub use frames::{TapeFrames, TryTapeFrames};
pub use gametape_analysis::channels::{ChannelNameError, FoundChannel, find_channel, find_in_one_stream};
pub use samples::Samples;
pub use section_pages::{SectionPages, shared_sections};
pub use wanted::{Fault, FrameStruct};

use crate::format::read::{self, Problem, ProblemKind, ReadError};
use crate::format::{Event, StreamId};

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

    /// Makes the tape play at recorded speed as the source of a capture, instead of as fast as the callbacks allow.
    pub fn real_time(self) -> Self {
        Self { real_time: true, ..self }
    }

    /// Returns whether it plays at recorded speed.
    pub(crate) fn plays_in_real_time(&self) -> bool {
        self.real_time
    }

    /// Returns the underlying tape: its streams, metadata, events and channels, and frames as bytes.
    pub fn raw(&self) -> &read::Tape {
        &self.raw
    }

    /// Returns whether the recording was closed: the file is neither still being written nor left by a killed recorder.
    pub fn is_complete(&self) -> bool {
        self.raw.is_complete()
    }

    /// Returns all streams, including those that gametape itself writes.
    pub fn streams(&self) -> impl Iterator<Item = &read::TapeStream> {
        self.raw.streams()
    }

    /// Returns the stream with this name.
    ///
    /// # Errors
    /// If there is no such stream, or more than one.
    pub fn stream_named(&self, name: &str) -> Result<&read::TapeStream, ReadError> {
        self.raw.stream_named(name)
    }

    /// Returns the metadata: keys and values.
    pub fn metadata(&self) -> BTreeMap<String, String> {
        self.raw.metadata()
    }

    /// Returns all events, in order of time.
    pub fn events(&self) -> Vec<Event> {
        self.raw.events()
    }

    /// Returns damage detected so far that may have lost frames of this stream, or of any stream if `None`.
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

fn costs_frames(problem: &Problem) -> bool {
    // Blocks can be found without these.
    let finds_blocks = matches!(
        problem.kind,
        ProblemKind::FileHeader | ProblemKind::Index | ProblemKind::Footer | ProblemKind::Trailer
    );
    // A tape that is still being written is not closed; the frames of its journal are read.
    let harmless = finds_blocks || matches!(problem.kind, ProblemKind::NotClosed | ProblemKind::SystemFrame);
    !harmless && problem.frames_lost != Some(0)
}
