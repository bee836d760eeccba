//! Errors of starting a capture.

use std::io;

use crate::format::read::Problem;
use crate::games::LayoutError;
use crate::tape::wanted::Fault;

/// Why a capture cannot start. A game that is not running is not an error: the capture waits for it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is no source.
    #[error("there is no source; add one with .source(…)")]
    NoSource,
    /// An option precedes the first source.
    #[error(".{option}(…) applies to the source before it, and there is none")]
    NoSourceYet {
        /// The option.
        option: &'static str,
    },
    /// The option does not apply to a source of this kind.
    #[error(
        ".{option}(…) does not apply to this source: custom sources and tapes have their own rate and names, and only supported games on the network have ports"
    )]
    NotForThisSource {
        /// The option.
        option: &'static str,
    },
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; another program may use the port")]
    Port {
        /// The address.
        address: String,
        /// The error of the operating system.
        source: io::Error,
    },
    /// The sampling rate is out of range.
    #[error("the sampling rate of {hz} Hz is out of range; use 1 to 1000 Hz")]
    Rate {
        /// The requested rate.
        hz: u32,
    },
    /// The prefix cannot be part of a file name.
    #[error("invalid prefix {prefix:?}: use up to 64 letters, digits, '-', '_' and '.', without a leading '.'")]
    Names {
        /// The prefix.
        prefix: String,
    },
    /// No source provides the frames that a callback or an iterator requests.
    #[error(
        "no source provides frames of {type_name}; the sources provide: {offered}. Name the stream (.on_stream, .frames_of) if you know it"
    )]
    NobodyGives {
        /// The requested struct or stream.
        type_name: String,
        /// The streams that the sources provide.
        offered: String,
    },
    /// The frames do not have the requested type.
    #[error(transparent)]
    WrongType(Fault),
    /// A tape at full speed is combined with a source that has its own rate.
    #[error("a tape at full speed cannot be combined with a live source: play it with .real_time()")]
    MixedSpeeds,
    /// A tape at full speed has a tape as its target.
    #[error(
        "a tape at full speed cannot be recorded, because it outpaces any disk: play it with .real_time(), or copy it with `gametape cut`"
    )]
    TooFast,
    /// The tape has lost frames.
    #[error("the tape is damaged: {0}; `gametape recover` writes an intact tape from what is left")]
    Damaged(Problem),
    /// The struct is empty, or the counter of the copy rule is outside it.
    #[error("{section:?}: {needed} bytes at offset {offset} are required, but the struct has {bytes} bytes")]
    OutsideStruct {
        /// The section of shared memory.
        section: String,
        /// Expected offset of the counter.
        offset: u32,
        /// Bytes required there.
        needed: usize,
        /// Size of the struct in bytes.
        bytes: usize,
    },
    /// The channel table is invalid.
    #[error("invalid channels for {section:?}: {source}")]
    Channels {
        /// The section of shared memory.
        section: String,
        /// The error.
        source: LayoutError,
    },
    /// The game cannot be captured live.
    #[error("{game} cannot be captured live")]
    NotLive {
        /// Id of the game.
        game: &'static str,
    },
    /// A replay folder cannot be watched.
    #[error("{0}")]
    Watch(#[source] io::Error),
    /// The system could not start a thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
}
