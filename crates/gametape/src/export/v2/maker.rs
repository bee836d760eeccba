//! One maker for every game: Echo VR has messages of its own, all others travel as they are.

use gametape_format::StreamSpec;
use gametape_games::echo_vr;

use super::echo::EchoMaker;
use super::raw::{CaptureHead, RawMaker, V2MakeError};

/// Makes the envelopes of a capture: feed it streams, frames and events, and send what [`StreamMaker::take`] gives.
#[derive(Debug)]
pub enum StreamMaker {
    /// Frames of Echo Arena.
    Echo(Box<EchoMaker>),
    /// Frames byte for byte.
    Raw(Box<RawMaker>),
}

impl StreamMaker {
    /// The maker for a game.
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

    /// A frame of a stream; `sequence` counts the frames of the stream.
    pub fn frame(&mut self, stream: &str, time_ns: u64, sequence: u64, data: &[u8]) -> Result<(), V2MakeError> {
        match self {
            Self::Echo(maker) => maker.frame(stream, time_ns, data),
            Self::Raw(maker) => maker.frame(stream, time_ns, sequence, data),
        }
    }

    /// A mark, or another event.
    pub fn mark(&mut self, time_ns: u64, kind: &str, text: &str) -> Result<(), V2MakeError> {
        match self {
            Self::Echo(maker) => maker.mark(time_ns, kind, text),
            Self::Raw(maker) => maker.mark(time_ns, kind, text),
        }
    }

    /// The bytes that were made since the last time, whole records only.
    pub fn take(&mut self) -> Vec<u8> {
        match self {
            Self::Echo(maker) => maker.take(),
            Self::Raw(maker) => maker.take(),
        }
    }

    /// Ends the stream: what was not taken yet, and the footer.
    pub fn finish(self) -> Result<Vec<u8>, V2MakeError> {
        match self {
            Self::Echo(maker) => maker.finish(),
            Self::Raw(maker) => maker.finish(),
        }
    }
}
