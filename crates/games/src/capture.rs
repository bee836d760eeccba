//! How a game is captured, and what its newest frames say about the game itself: rules as data and pure functions.
//!
//! A [`Stream`](crate::Stream) names its [`Transport`] and its [`CopyRule`]; a [`Game`](crate::Game) has [`Rules`] that
//! look at what was [`Seen`] and say whether the game runs, which game it is, and which session. Nothing here opens
//! anything: the recorder brings the bytes.
use std::fmt::Debug;

use crate::bytes::{f32_at, f64_at, i32_at};
use crate::lap_frame::ReadLaps;
use crate::layout::{Kind, Layout};
use crate::sample::Decode;

/// Where the frames of a stream come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transport {
    /// A named section of shared memory: `Local\NAME` on Windows, `/dev/shm/NAME` on Linux.
    SharedMemory {
        /// The name without `Local\`.
        section: &'static str,
        /// Bytes that a program which stands in for the game should give the section. Readers take what is there.
        section_bytes: u32,
    },
    /// Answers of an HTTP service that the game runs on this machine.
    Http {
        /// The usual port.
        port: u16,
        /// What is asked for.
        path: &'static str,
    },
    /// Only in files of other programs.
    File,
}

/// How a consistent copy of a frame is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyRule {
    /// The game has a counter but no lock: the counter is equal before and after the copy, and a second copy, taken at
    /// least [`SECOND_COPY_AFTER_NS`] later, is equal to the first.
    CounterAndSecondCopy {
        /// Where the `i32` counter is in the frame.
        counter_offset: u32,
    },
    /// The game has neither: two copies, at least [`SECOND_COPY_AFTER_NS`] apart, are equal.
    TwoEqualCopies,
    /// A number is odd while the game writes, and another one after it wrote: even and equal before and after the copy.
    EvenSequence {
        /// Where the `u32` number is in the frame.
        sequence_offset: u32,
    },
    /// iRacing's rotating row buffers with tick counts.
    RotatingBuffers,
    /// Whatever is read is whole: datagrams, answers, files.
    Whole,
}

/// Least time between two copies that are compared. A game that writes a page in one go needs far less.
pub const SECOND_COPY_AFTER_NS: u64 = 50_000;

/// As much of a section is looked at to tell which stream it holds.
pub const FRONT_BYTES: usize = 8192;

/// What a game is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Not running, or in its menus without a session.
    Off,
    /// Driving.
    Live,
    /// In a session that stands still.
    Paused,
    /// Showing a replay.
    Replay,
}

/// The newest frame of one stream.
#[derive(Debug, Clone, Copy)]
pub struct SeenFrame<'a> {
    /// Name of the stream.
    pub stream: &'a str,
    /// Which bytes are which channel.
    pub layout: &'a Layout,
    /// The frame.
    pub bytes: &'a [u8],
}

/// The newest frame of each stream of a game.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a>(pub &'a [SeenFrame<'a>]);

impl<'a> Seen<'a> {
    /// The newest frame of the stream, if one was seen.
    #[must_use]
    pub fn stream(self, name: &str) -> Option<SeenFrame<'a>> {
        self.0.iter().copied().find(|frame| frame.stream == name)
    }
}

impl SeenFrame<'_> {
    /// The first value of a channel of whole numbers or flags; `None` if there is none of that name or it has another kind.
    #[must_use]
    pub fn integer(self, channel: &str) -> Option<i64> {
        let channel = self.layout.channel(channel)?;
        let at = channel.offset as usize;
        match channel.kind {
            Kind::I32 | Kind::Bits32 => i32_at(self.bytes, at).map(i64::from),
            Kind::U32 => i32_at(self.bytes, at).map(|value| i64::from(value.cast_unsigned())),
            Kind::Bool | Kind::U8 => self.bytes.get(at).map(|byte| i64::from(*byte)),
            _ => None,
        }
    }

    /// The first value of a channel of floating point numbers; `None` if there is none of that name or it has another kind.
    #[must_use]
    pub fn number(self, channel: &str) -> Option<f64> {
        let channel = self.layout.channel(channel)?;
        let at = channel.offset as usize;
        match channel.kind {
            Kind::F32 => f32_at(self.bytes, at).map(f64::from),
            Kind::F64 => f64_at(self.bytes, at),
            _ => None,
        }
    }
}

/// What a game says about itself and its session, in its own words. `None` where it does not say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// Version of the game or of its telemetry.
    pub game_version: Option<String>,
    /// The car.
    pub car: Option<String>,
    /// The track.
    pub track: Option<String>,
    /// The track's layout.
    pub track_layout: Option<String>,
    /// Kind of session: `practice`, `qualify`, `race`, …
    pub session: Option<String>,
}

/// What only a game's folder knows about its frames. Functions of the frames alone.
pub trait Rules: Debug + Sync {
    /// Whether the game runs, by what its frames say. That frames still change is for the caller to see.
    fn presence(&self, seen: Seen<'_>) -> Presence;

    /// A number that goes up as long as the game works, from its newest frames: physics steps, ticks. `None` where there is
    /// none.
    ///
    /// Frames that say "off" while this number moves are of a game that leaves its pages about the session empty: the
    /// Assetto Corsa family has some. A number that stands still means paused, frozen or gone.
    fn counter(&self, _seen: Seen<'_>) -> Option<i64> {
        None
    }

    /// Whether the frames are of this game, where several games share names. `None` while that cannot be told.
    fn is_it(&self, seen: Seen<'_>) -> Option<bool>;

    /// The name of the stream that a section of shared memory holds, by the section's length and what stands at its front
    /// ([`FRONT_BYTES`] of it, or all): for systems that do not tell what a section is called. `None` where that cannot be
    /// told, as of zeros.
    fn stream_of(&self, _section_bytes: u64, _front: &[u8]) -> Option<&'static str> {
        None
    }

    /// How long the [`counter`](Self::counter) must have moved, and the frames must have been this game's, before that is
    /// believed: for games whose frames another game of the same names shows for a while too.
    fn believed_after_ns(&self) -> u64 {
        0
    }

    /// A number that stays the same within a session and differs between sessions that follow each other. Called for every
    /// sample: allocates nothing. `None` while the game does not say.
    fn session_key(&self, seen: Seen<'_>) -> Option<u64>;

    /// What the game says about itself and the session.
    fn about(&self, seen: Seen<'_>) -> About;

    /// Turns frames into neutral samples.
    fn decoder(&self) -> Box<dyn Decode>;

    /// Whether there are laps in it at all.
    fn has_laps(&self) -> bool {
        true
    }

    /// Whether the timer of the running lap is only an estimate that starts anew some time behind the line. The times of the frames are better then.
    fn lap_timer_is_estimate(&self) -> bool {
        false
    }

    /// Turns frames into neutral frames of laps.
    fn laps(&self) -> Box<dyn ReadLaps>;
}
