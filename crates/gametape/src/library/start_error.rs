//! Why a capture cannot start.

use std::io;

use super::wanted::Fault;
use crate::format::read::Problem;
use crate::games::LayoutError;

/// Why a capture cannot start. A game that is not there is no reason: it is waited for.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// There is nothing to capture.
    #[error("there is no source: add one with .source(…)")]
    NoSource,
    /// An option came before the first source.
    #[error(".{option}(…) belongs to the source before it, and there is none")]
    NoSourceYet {
        /// The option.
        option: &'static str,
    },
    /// An option that means nothing for a source of this kind.
    #[error(".{option}(…) means nothing for a source of your own or a tape: such a source has its own pace and names")]
    NotForThisSource {
        /// The option.
        option: &'static str,
    },
    /// Too many or too few samples a second.
    #[error("{hz} samples a second: 1 to 1000 can be taken")]
    Rate {
        /// What was asked for.
        hz: u32,
    },
    /// A prefix that cannot be a part of a file name.
    #[error("the prefix {prefix:?} may have up to 64 letters, digits, '-', '_' and '.', and not begin with '.'")]
    Names {
        /// The prefix.
        prefix: String,
    },
    /// No source gives what a callback or an iterator asks for.
    #[error(
        "no source gives frames of {type_name}; the sources give: {offered}. Name the stream (.on_stream, .frames_of) if you know it"
    )]
    NobodyGives {
        /// The struct or the stream that was asked for.
        type_name: String,
        /// What the sources give.
        offered: String,
    },
    /// The frames are of another kind.
    #[error(transparent)]
    WrongType(Fault),
    /// A tape at full speed beside something that has a pace of its own.
    #[error("a tape at full speed cannot be captured beside a live source: play it with .real_time()")]
    MixedSpeeds,
    /// A tape at full speed to another tape.
    #[error(
        "a tape at full speed is faster than any disk: to record it again play it with .real_time(); to copy it use `gametape cut`"
    )]
    TooFast,
    /// A tape has lost frames.
    #[error("the tape is damaged: {0}; `gametape recover` makes a whole one of what is left")]
    Damaged(Problem),
    /// A struct without bytes, or a counter of the copy rule that is not in it.
    #[error("{section:?}: {needed} bytes at byte {offset} are needed, and the struct has {bytes} bytes")]
    OutsideStruct {
        /// The section of shared memory.
        section: String,
        /// Where the counter should be.
        offset: u32,
        /// Bytes that are needed there.
        needed: usize,
        /// Bytes of the struct.
        bytes: usize,
    },
    /// A table of channels is not right.
    #[error("the channels of {section:?} are not right: {source}")]
    Channels {
        /// The section of shared memory.
        section: String,
        /// What is wrong.
        source: LayoutError,
    },
    /// The game cannot be captured while it runs.
    #[error("{game} cannot be captured live")]
    NotLive {
        /// Id of the game.
        game: &'static str,
    },
    /// The system refused a thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] io::Error),
}
