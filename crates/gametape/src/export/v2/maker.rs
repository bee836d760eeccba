//! A maker for all games: Echo VR has its own message types, all others are exported as raw frames.

use gametape_format::StreamSpec;
use gametape_games::echo_vr;

use super::echo::EchoMaker;
use super::raw::{CaptureHead, RawMaker, V2MakeError};

/// Builds the envelopes of a capture: feed it streams, frames and events, and send the bytes that [`StreamMaker::take`] returns.
#[derive(Debug)]
pub enum StreamMaker {
    /// Echo Arena frames.
    Echo(Box<EchoMaker>),
    /// Raw frames, byte for byte.
    Raw(Box<RawMaker>),
}

impl StreamMaker {
    /// Creates the maker for a game.
    pub fn new<'a>(
        head: CaptureHead,
        game: &str,
        streams: impl IntoIterator<Item = &'a StreamSpec>,
    ) -> Result<Self, V2MakeError> {
        match game {
            echo_vr::ID => Ok(Self::Echo(Box::new(EchoMaker::new(head)))),
            _ => RawMaker::new(head, game, streams).map(|maker| Self::Raw(Box::new(maker))),
        }
    }

    /// Feeds a frame of a stream; `sequence` is the number of the frame in its stream.
    pub fn frame(&mut self, stream: &str, time_ns: u64, sequence: u64, data: &[u8]) -> Result<(), V2MakeError> {
        match self {
            Self::Echo(maker) => maker.frame(stream, time_ns, data),
            Self::Raw(maker) => maker.frame(stream, time_ns, sequence, data),
        }
    }

    /// Feeds a mark or another event.
    pub fn mark(&mut self, time_ns: u64, kind: &str, text: &str) -> Result<(), V2MakeError> {
        match self {
            Self::Echo(maker) => maker.mark(time_ns, kind, text),
            Self::Raw(maker) => maker.mark(time_ns, kind, text),
        }
    }

    /// Returns the bytes produced since the last call, in complete records.
    pub fn take(&mut self) -> Vec<u8> {
        match self {
            Self::Echo(maker) => maker.take(),
            Self::Raw(maker) => maker.take(),
        }
    }

    /// Ends the stream. Returns the remaining bytes, including the footer.
    pub fn finish(self) -> Result<Vec<u8>, V2MakeError> {
        match self {
            Self::Echo(maker) => maker.finish(),
            Self::Raw(maker) => maker.finish(),
        }
    }
}
