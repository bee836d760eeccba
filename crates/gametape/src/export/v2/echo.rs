//! Converts Echo VR responses to envelopes with Echo Arena frames, incrementally. Takes frames of the two streams and marks; returns bytes.
//!
//! A response is held back until its bones must have arrived, that is, until something later is fed. A live stream therefore lags by
//! one response.

use gametape_games::echo_vr::{EVENT_KINDS, PLAYER_BONES, SESSION};
use telemetry_v2::proto::telemetry::v2::{Frame, frame};
use telemetry_v2::write::Writer;

use super::raw::{CaptureHead, V2MakeError, mark, offset_ms, plain};
use crate::echo::{Maker, with_arena};

/// Maximum number of responses and marks held before the first response of a match.
const MAX_EARLY: usize = 1024;

/// Builds the envelopes of an Echo VR capture.
pub struct EchoMaker {
    /// Set until the first response of a match, from which the header is built.
    head: Option<CaptureHead>,
    making: Option<(Maker, Writer<Vec<u8>>)>,
    frames: u32,
    session: Option<(u64, Vec<u8>)>,
    player_bones: Option<(u64, Vec<u8>)>,
    early: Vec<Early>,
}

/// An item that arrived before the header.
enum Early {
    Answer(u64, Vec<u8>),
    Mark(u64, String, String),
}

impl std::fmt::Debug for EchoMaker {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("EchoMaker").field("frames", &self.frames).finish_non_exhaustive()
    }
}

impl EchoMaker {
    /// Creates a maker. The header is written with the first response of a match.
    pub fn new(head: CaptureHead) -> Self {
        Self { head: Some(head), making: None, frames: 0, session: None, player_bones: None, early: Vec::new() }
    }

    /// Feeds a frame of a stream. Streams other than the two are ignored, because these envelopes cannot represent them.
    pub fn frame(&mut self, stream: &str, time_ns: u64, data: &[u8]) -> Result<(), V2MakeError> {
        match stream {
            SESSION => {
                self.send_session()?;
                self.session = Some((time_ns, data.to_vec()));
            }
            PLAYER_BONES => {
                if self.session.as_ref().is_some_and(|(at_ns, _)| *at_ns < time_ns) {
                    self.send_session()?;
                }
                self.player_bones = Some((time_ns, data.to_vec()));
            }
            _ => {}
        }
        Ok(())
    }

    /// Feeds a response with its bones.
    pub fn answers(&mut self, time_ns: u64, session: &[u8], player_bones: Option<&[u8]>) -> Result<(), V2MakeError> {
        if self.making.is_none() && !self.begin(session, player_bones)? {
            self.wait(Early::Answer(time_ns, session.to_vec()));
            return Ok(());
        }
        let frame_index = self.frames;
        let Some((maker, writer)) = &mut self.making else { return Ok(()) };
        if let Some(frame) = maker.frame(frame_index, time_ns, session, player_bones) {
            writer.frame(frame)?;
            self.frames = frame_index.checked_add(1).ok_or(V2MakeError::TooManyFrames)?;
        }
        Ok(())
    }

    fn wait(&mut self, early: Early) {
        if self.early.len() < MAX_EARLY {
            self.early.push(early);
        }
    }

    /// Writes the header if this is a response of a match. Returns whether it did.
    fn begin(&mut self, session: &[u8], player_bones: Option<&[u8]>) -> Result<bool, V2MakeError> {
        let Some(arena) = Maker::arena_header(session, player_bones) else { return Ok(false) };
        let header = with_arena(self.head.take().unwrap_or_default().header(), arena);
        let mut maker = Maker::new(&header);
        let writer = Writer::new(Vec::new(), header, plain())?;
        let mut marks = Vec::new();
        for early in std::mem::take(&mut self.early) {
            match early {
                Early::Answer(time_ns, answer) => {
                    maker.frame(0, time_ns, &answer, None);
                }
                Early::Mark(time_ns, kind, text) => marks.push((time_ns, kind, text)),
            }
        }
        self.making = Some((maker, writer));
        marks.iter().try_for_each(|(time_ns, kind, text)| self.push_mark(*time_ns, kind, text))?;
        Ok(true)
    }

    fn send_session(&mut self) -> Result<(), V2MakeError> {
        let Some((time_ns, session)) = self.session.take() else { return Ok(()) };
        let bones = self.player_bones.take_if(|(at_ns, _)| *at_ns <= time_ns);
        self.answers(time_ns, &session, bones.as_ref().map(|(_, bones)| bones.as_slice()))
    }

    /// Feeds a mark or another event. Events that can be detected in the responses are not written again.
    pub fn mark(&mut self, time_ns: u64, kind: &str, text: &str) -> Result<(), V2MakeError> {
        if EVENT_KINDS.contains(&kind) {
            return Ok(());
        }
        if self.session.as_ref().is_some_and(|(at_ns, _)| *at_ns < time_ns) {
            self.send_session()?;
        }
        if self.making.is_none() {
            self.wait(Early::Mark(time_ns, kind.to_owned(), text.to_owned()));
            return Ok(());
        }
        self.push_mark(time_ns, kind, text)
    }

    fn push_mark(&mut self, time_ns: u64, kind: &str, text: &str) -> Result<(), V2MakeError> {
        let frame_index = self.frames;
        let Some((_, writer)) = &mut self.making else { return Ok(()) };
        let payload = Some(frame::Payload::Mark(mark(time_ns, kind, text)));
        let timestamp_offset_ms = offset_ms(time_ns);
        writer.frame(Frame { frame_index, timestamp_offset_ms, payload, ..Frame::default() })?;
        self.frames = frame_index.checked_add(1).ok_or(V2MakeError::TooManyFrames)?;
        Ok(())
    }

    /// Returns the bytes produced since the last call, in complete records.
    pub fn take(&mut self) -> Vec<u8> {
        self.making.as_mut().map(|(_, writer)| std::mem::take(writer.sink_mut())).unwrap_or_default()
    }

    /// Ends the stream. Returns the remaining bytes, including the footer. Without a response of a match, the stream has no frames.
    pub fn finish(mut self) -> Result<Vec<u8>, V2MakeError> {
        self.send_session()?;
        let writer = match self.making {
            Some((_, writer)) => writer,
            None => Writer::new(Vec::new(), self.head.unwrap_or_default().header(), plain())?,
        };
        Ok(writer.finish()?.0)
    }
}
