//! Playback: the contract between the player and the transport that shows its frames.
//!
//! A [`Playback`] knows which streams of a tape belong to the game's interface, and opens the [`Stage`] that shows them. If frames can only
//! be shown with what a later frame says about them, it has a [`Lookahead`] too.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::ops::Range;
use std::time::Duration;

use gametape_format::StreamId;
use gametape_format::read::{Tape, TapeStream};

use crate::sys::Prefix;

/// A stream of a tape that is played.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Part {
    pub(crate) stream: StreamId,
    /// The name of the game's stream, or a name of the transport's own, which no decoder knows.
    pub(crate) name: &'static str,
    /// Order of frames with the same time, lowest first.
    pub(crate) rank: u8,
    /// Whether clients observe its frames. Other frames describe them, and may be far from them on the tape.
    pub(crate) moves: bool,
    /// Whether each frame is a message, which is shown once, at its time. Other frames can be observed for as long as there is no later one.
    pub(crate) is_message: bool,
}

/// A frame that is to be shown.
#[derive(Debug, Clone)]
pub(crate) struct Entry {
    /// Index of the [`Part`].
    pub(crate) part: usize,
    pub(crate) time_ns: u64,
    /// The frame belongs to the position where reading starts, so it is shown immediately.
    pub(crate) at_once: bool,
    pub(crate) link: Link,
    /// Where its bytes are in the chunk.
    pub(crate) range: Range<usize>,
}

/// What a later frame says about a frame. Set by a [`Lookahead`], for the stage of the same transport.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Link {
    /// Tick of a row.
    pub(crate) tick: Option<i32>,
    /// Index of the buffer in which the game wrote a row.
    pub(crate) buffer: Option<usize>,
    /// Update counter of a text.
    pub(crate) text_update: Option<i32>,
}

/// How the streams of one game on a tape are played.
pub(crate) trait Playback {
    /// Returns how a stream is played; `None` if it is not part of the game's interface.
    fn part(&self, stream: &TapeStream) -> Option<Part>;

    /// Returns whether an additional stream is left out without a note. By default, streams without frames are.
    fn is_left_out_silently(&self, stream: &TapeStream) -> bool {
        stream.totals().frames == 0
    }

    /// Returns whether recorders recognise the player by a marker.
    fn has_marker(&self) -> bool {
        true
    }

    /// Returns what links frames to those that follow them; `None` if each frame can be shown by itself.
    fn lookahead(&self, _parts: &[Part]) -> Option<Box<dyn Lookahead>> {
        None
    }

    /// Creates the game's interface. Shows no frame yet.
    fn open(&self, tape: &Tape, parts: &[Part], options: &StageOptions) -> Result<OpenStage, StageError>;
}

/// What the user chose for a playback.
#[derive(Debug, Clone)]
pub(crate) struct StageOptions {
    /// Prefix of all names.
    pub(crate) prefix: Prefix,
    /// How long to wait for a leftover section that is too small.
    pub(crate) patience: Duration,
    /// Port for games with an HTTP API; `None` means the game's own.
    #[cfg_attr(not(feature = "echo"), allow(dead_code, reason = "no other game has an HTTP API"))]
    pub(crate) http_port: Option<u16>,
    /// Port of the service with which the game tells clients that it runs: `None` means the game's own, `Some(None)` disables it.
    pub(crate) status_port: Option<Option<u16>>,
    /// Who gets the datagrams of a game; empty means the game's own port on this machine.
    pub(crate) send_to: Vec<SocketAddr>,
    /// Port on which requests for the datagrams of a game are answered; `None` means the game's own.
    pub(crate) request_port: Option<u16>,
    /// Addresses on the network whose requests are answered, besides this machine.
    pub(crate) lan: Vec<IpAddr>,
    /// Where the playback starts.
    pub(crate) from_ns: u64,
}

/// An interface that was created.
pub(crate) struct OpenStage {
    pub(crate) stage: Box<dyn Stage>,
    /// Address of the HTTP server, if it is one.
    pub(crate) address: Option<SocketAddr>,
    /// What clients will miss.
    pub(crate) notes: Vec<String>,
}

impl OpenStage {
    /// Returns a stage without an address that lacks nothing.
    pub(crate) fn new(stage: impl Stage + 'static) -> Self {
        Self { stage: Box::new(stage), address: None, notes: Vec::new() }
    }
}

/// Shows frames in the same way as the game.
pub(crate) trait Stage: Send {
    /// Shows a frame. The result says whether clients observe a change: not every frame of a tape is a step of the game.
    fn show(&mut self, entry: &Entry, frame: &[u8]) -> Result<Shown, StageError>;

    /// Returns whether frames with the same time belong together: they are passed on one after the other, and clients observe them at once, when
    /// [`settle`](Self::settle) is called.
    fn shows_moments(&self) -> bool {
        false
    }

    /// All frames of a moment were passed on.
    fn settle(&mut self) -> Result<(), StageError> {
        Ok(())
    }

    /// Marks a jump: the next frame need not follow the last one, but counters must keep increasing.
    fn jump(&mut self);

    /// Returns the longest time between two calls of [`pulse`](Self::pulse), if it must be called.
    fn pulse_every_ns(&self) -> Option<u64> {
        None
    }

    /// Tells clients that the game is running.
    fn pulse(&self) {}

    /// Returns the address of the service with which the game tells clients that it runs.
    fn status_address(&self) -> Option<SocketAddr> {
        None
    }

    /// Returns the address for requests of clients, if the game sends on request only.
    fn request_address(&self) -> Option<SocketAddr> {
        None
    }

    /// Returns the numbers of clients and requests so far.
    fn asked(&self) -> Asked {
        Asked::default()
    }

    /// Tells clients that the game has exited.
    fn leave(&mut self) -> Result<(), StageError>;

    /// Removes everything that this player created.
    fn remove(self: Box<Self>) -> Result<(), StageError>;
}

/// Clients and requests of a game that sends on request only.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Asked {
    /// Clients that have a subscription now.
    pub clients: usize,
    /// Requests that were handled since the start.
    pub requests: u64,
}

/// The result of showing a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Shown {
    /// Clients observe it.
    Step,
    /// Stored: it defines how other frames are shown, or is shown already.
    Noted,
    /// It does not fit into the memory.
    Unfit,
}

/// Holds frames back until a later frame says how to show them.
pub(crate) trait Lookahead: Send {
    /// Returns whether [`take`](Self::take) needs the bytes of the frames of a part.
    fn reads(&self, part: usize) -> bool;

    /// Adds a frame. Appends the frames that can be shown now to `out`.
    fn take(&mut self, entry: Entry, bytes: &[u8], out: &mut Vec<Entry>);

    /// Releases the frames that still wait.
    fn release(&mut self, out: &mut Vec<Entry>);

    /// Returns whether no frames are waiting.
    fn is_empty(&self) -> bool;

    /// Forgets everything: reading continues elsewhere.
    fn restart(&mut self);
}

/// Why the interface of a game cannot be created or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StageError {
    /// Another program holds a section that is too small and does not release it.
    #[error(
        "the shared memory {name} exists with {found} bytes, but {wanted} are needed, and no program released it within \
         {waited:?}: exit the programs that use it"
    )]
    TooSmall {
        /// The section.
        name: String,
        /// Its size in bytes.
        found: u64,
        /// The required size in bytes.
        wanted: u64,
        /// How long the player waited.
        waited: Duration,
    },
    /// The shared memory cannot be created or written.
    #[error("cannot write the shared memory {name}: {source}")]
    Memory {
        /// The section.
        name: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// Datagrams cannot be sent.
    #[error("cannot send to {to}: {source}")]
    Send {
        /// The address.
        to: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The game has no usual port, and none was named.
    #[error(
        "{game} sends to a port that the player chooses; name the address of the program that should get its datagrams"
    )]
    NoReceiver {
        /// Name of the game.
        game: &'static str,
    },
    /// The port is in use, or binding it is not allowed.
    #[error(
        "cannot listen on port {port} of this machine: {source}; a game or another player may use it: exit it, or play on another port"
    )]
    Port {
        /// The port.
        port: u16,
        /// The error of the operating system.
        source: io::Error,
    },
}
