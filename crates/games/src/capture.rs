//! How a game is captured, and what its newest frames reveal about the game itself.
//!
//! A [`Stream`](crate::Stream) names its [`Transport`] and its [`CopyRule`]. A [`Game`](crate::Game) has [`Rules`]:
//! pure functions of the newest frames ([`Seen`]) that determine whether the game runs, which game it is, and which
//! session. This module does no I/O; the recorder passes in the bytes.
use std::fmt::Debug;

use crate::bytes::{f32_at, f64_at, i32_at};
use crate::lap_frame::ReadLaps;
use crate::layout::{Kind, Layout};
use crate::requests::RequestProtocol;
use crate::sample::Decode;
use crate::standings::ReadStandings;
use crate::user_settings::SettingsFiles;

/// Where the frames of a stream come from. Each transport has a folder in `gametape::transport`; other code uses the accessors of
/// [`Stream`](crate::Stream).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Transport {
    /// A named shared memory section: `Local\NAME` on Windows, `/dev/shm/NAME` on Linux.
    SharedMemory {
        /// The name without `Local\`.
        section: &'static str,
        /// Size of the section when a program simulates the game. Readers accept any size.
        section_bytes: u32,
    },
    /// A part of a named section that several streams share. All of them come from one consistent copy; together they are the section again.
    SharedMemoryPart {
        /// The name without `Local\`.
        section: &'static str,
        /// Size of the section when a program simulates the game. Readers accept any size.
        section_bytes: u32,
        /// How much of the section is used: what is copied.
        page_bytes: u32,
        /// Offset of the part in the section.
        offset: u32,
        /// Length of the part, which is that of every frame of the stream.
        bytes: u32,
        /// Whether the game is not there without this section. Others may be missing when recording begins; then they are not recorded.
        is_needed: bool,
    },
    /// Responses of an HTTP API that the game serves on this machine.
    Http {
        /// Default port.
        port: u16,
        /// Request path.
        path: &'static str,
    },
    /// Datagrams that the game sends over UDP. What they are is decided by their contents ([`Rules::datagram`]), never by the port.
    Udp {
        /// The port to which the game sends by default; 0 if it has none, and the user chooses one.
        port: u16,
        /// The game sends to every machine on the network instead of to one address, so several programs can receive it.
        broadcast: bool,
    },
    /// Only found in files of other programs.
    File,
}

impl Transport {
    /// Returns its name in texts for users.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::SharedMemory { .. } | Self::SharedMemoryPart { .. } => "shared memory",
            Self::Http { .. } => "HTTP",
            Self::Udp { .. } => "UDP",
            Self::File => "files",
        }
    }
}

/// How a reader ensures that its copy of a frame is consistent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CopyRule {
    /// For games with a counter but no lock. The counter must be equal before and after the copy, and a second copy,
    /// taken at least [`SECOND_COPY_AFTER_NS`] later, must equal the first.
    CounterAndSecondCopy {
        /// Offset of the `i32` counter in the frame.
        counter_offset: u32,
    },
    /// For games with neither counter nor lock. Two copies, at least [`SECOND_COPY_AFTER_NS`] apart, must be equal.
    TwoEqualCopies,
    /// A sequence lock: the number is odd while the game writes and changes with every write. It must be even, and
    /// equal before and after the copy.
    EvenSequence {
        /// Offset of the `u32` sequence number in the frame.
        sequence_offset: u32,
    },
    /// Two version words, of which the game increases the first before it writes and the second afterwards. Both must be equal to each other
    /// before and after the copy, and the same. A writer that died in between leaves them different for good: after
    /// [`STUCK_AFTER_NS`], two equal copies are accepted.
    EqualVersions {
        /// Offset of the `u32` that is increased first.
        begin_offset: u32,
        /// Offset of the `u32` that is increased last.
        end_offset: u32,
    },
    /// Clients and game take turns with a lock in a section of its own, which a recorder must not hold: the game would wait for it. Two equal copies,
    /// during which nobody held the lock, are consistent. Where the lock is missing or held for good (for [`STUCK_AFTER_NS`]), as
    /// [`TwoEqualCopies`](Self::TwoEqualCopies).
    TwoEqualCopiesUnlocked {
        /// Name of the section with the lock, without `Local\`.
        lock_section: &'static str,
        /// Offset of the `i32` that is not 0 while somebody holds the lock.
        busy_offset: u32,
    },
    /// iRacing's rotating row buffers with tick counts.
    RotatingBuffers,
    /// Every read returns a whole frame: datagrams, HTTP responses, files.
    Whole,
}

/// Minimum time between two copies that are compared. A game that writes a page in one go needs far less.
pub const SECOND_COPY_AFTER_NS: u64 = 50_000;

/// A writer that seems to be writing for this long has ended while it did.
pub const STUCK_AFTER_NS: u64 = 1_000_000_000;

/// Number of bytes at the start of a section that are inspected to identify its stream.
pub const FRONT_BYTES: usize = 8192;

/// A game's state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Presence {
    /// Not running, or in the menus without a session.
    Off,
    /// Driving.
    Live,
    /// In a session that is paused.
    Paused,
    /// Showing a replay.
    Replay,
}

/// The newest frame of one stream.
#[derive(Debug, Clone, Copy)]
pub struct SeenFrame<'a> {
    /// Name of the stream.
    pub stream: &'a str,
    /// Layout of the frame.
    pub layout: &'a Layout,
    /// The frame's bytes.
    pub bytes: &'a [u8],
}

/// The newest frame of each stream of a game. Of games that send datagrams, that of the last datagram comes first.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a>(pub &'a [SeenFrame<'a>]);

impl<'a> Seen<'a> {
    /// Returns the newest frame of the stream, if there is one.
    #[must_use]
    pub fn stream(self, name: &str) -> Option<SeenFrame<'a>> {
        self.0.iter().copied().find(|frame| frame.stream == name)
    }
}

impl SeenFrame<'_> {
    /// Returns the first value of an integer or flag channel; `None` if there is no such channel or it has another
    /// kind.
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

    /// Returns the first value of a floating-point channel; `None` if there is no such channel or it has another kind.
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

/// A game's description of itself and its session, in its own words. Fields are `None` if the game does not report
/// them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct About {
    /// Version of the game or of its telemetry.
    pub game_version: Option<String>,
    /// The car.
    pub car: Option<String>,
    /// The track.
    pub track: Option<String>,
    /// Track layout.
    pub track_layout: Option<String>,
    /// Session type: `practice`, `qualify`, `race`, …
    pub session: Option<String>,
}

/// Game-specific interpretation of frames. Implementations depend on the frames alone.
pub trait Rules: Debug + Sync {
    /// Returns the game's state as its frames report it. Whether the frames still change is for the caller to check.
    fn presence(&self, seen: Seen<'_>) -> Presence;

    /// Returns a number that increases for as long as the game works, such as a physics step or a tick. `None` if the
    /// frames hold none.
    ///
    /// Frames that report [`Presence::Off`] while this number increases come from a game that leaves its session pages
    /// empty, as some of the Assetto Corsa family do. If the number stops, the game is paused, frozen or gone.
    fn counter(&self, _seen: Seen<'_>) -> Option<i64> {
        None
    }

    /// Returns whether the frames are from this game, for games that share section names. `None` while undetermined.
    fn is_it(&self, seen: Seen<'_>) -> Option<bool>;

    /// Returns the length of a page as the page itself describes it, for games whose versions cannot be told from the size of their section:
    /// bridges create sections of a fixed size. `None` if the page does not say. Frames of a length without a layout are recorded as bytes.
    fn frame_bytes(&self, _stream: &str, _page: &[u8]) -> Option<u32> {
        None
    }

    /// Identifies the stream that a shared memory section holds, for systems that do not reveal section names. `front`
    /// is the first [`FRONT_BYTES`] of the section, or all of it if shorter. `None` if the stream cannot be determined,
    /// for example if the bytes are all zero.
    fn stream_of(&self, _section_bytes: u64, _front: &[u8]) -> Option<&'static str> {
        None
    }

    /// Returns the stream that a datagram belongs to; `None` if it is not one of this game's. Must decide by length and content alone, and only
    /// accept what is certainly from this game: games share ports.
    ///
    /// If the game encrypts its datagrams, appends to `plain` (which is empty) what is recorded in their place; nothing if they are recorded as
    /// they came. [`sent_datagram`](Self::sent_datagram) must restore the datagram from it, byte for byte.
    fn datagram(&self, _datagram: &[u8], _plain: &mut Vec<u8>) -> Option<&'static str> {
        None
    }

    /// Appends the datagram that a recorded frame was made of to `datagram` (which is empty); nothing if the frame is the datagram.
    fn sent_datagram(&self, _stream: &str, _frame: &[u8], _datagram: &mut Vec<u8>) {}

    /// Returns the files in which the user chooses the layout of the datagrams; `None` if the game does not let them choose.
    fn settings_files(&self) -> Option<&'static dyn SettingsFiles> {
        None
    }

    /// Returns how a client asks for the datagrams; `None` if the game sends them unasked.
    fn requests(&self) -> Option<&dyn RequestProtocol> {
        None
    }

    /// How long the [`counter`](Self::counter) must have increased, with the frames identified as this game's, before
    /// the identification is accepted. For games whose frames look like those of another game for a while.
    fn believed_after_ns(&self) -> u64 {
        0
    }

    /// Returns a number that is constant within a session and differs between consecutive sessions. Called for every
    /// sample, so it must not allocate. `None` while the game does not report a session.
    fn session_key(&self, seen: Seen<'_>) -> Option<u64>;

    /// Returns the game's description of itself and the session.
    fn about(&self, seen: Seen<'_>) -> About;

    /// Returns whether the contents of frames are decoded, into samples or events. If not, frames are recognised and recorded only.
    fn decodes(&self) -> bool {
        true
    }

    /// Returns a decoder that turns frames into samples.
    fn decoder(&self) -> Box<dyn Decode>;

    /// Returns whether the game has laps at all.
    fn has_laps(&self) -> bool {
        true
    }

    /// Returns whether the current lap time is only an estimate that restarts some time after the line. If so, frame
    /// timestamps are more accurate.
    fn lap_timer_is_estimate(&self) -> bool {
        false
    }

    /// Returns a decoder that turns frames into lap frames.
    fn laps(&self) -> Box<dyn ReadLaps>;

    /// Returns a decoder that turns frames into the standings of all cars; `None` if the game only reports the player's.
    fn standings(&self) -> Option<Box<dyn ReadStandings>> {
        None
    }

    /// Returns the status code with which the game's HTTP API sends this response.
    fn http_status(&self, _response: &[u8]) -> u16 {
        200
    }

    /// Returns the body of the `404` with which the game's HTTP API reports that there is nothing to report.
    fn http_nothing(&self) -> String {
        String::new()
    }
}
