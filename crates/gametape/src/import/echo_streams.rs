//! The streams that imports of Echo VR captures write: the game's responses, the events detected in them, and the records that cannot be
//! rebuilt from them.
//!
//! ```text
//! records: kind (1) | number of preceding responses (8, little endian) | bytes
//! ```

use gametape_format::{Role, StreamId, StreamSpec};
use gametape_games::echo_vr::{self, EventDetector, GameEvent, SessionFacts, State};

use super::error::ImportError;
use super::out::Out;

/// The kind of a stored record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kept {
    /// The header.
    Header = 1,
    /// The original record of the response with this number: the record rebuilt from the response has different bytes.
    Instead = 2,
    /// A record without a response, before the response with this number.
    Extra = 3,
    /// The footer.
    Footer = 4,
}

/// Bytes that precede those of a stored record.
pub(crate) const KEPT_HEAD_BYTES: usize = 9;

impl Kept {
    /// Splits a frame of the records' stream into kind, number and bytes.
    pub(crate) fn parse(frame: &[u8]) -> Option<(Self, u64, &[u8])> {
        let (kind, rest) = frame.split_first()?;
        let (number, bytes) = rest.split_first_chunk()?;
        let kind =
            [Self::Header, Self::Instead, Self::Extra, Self::Footer].into_iter().find(|known| *known as u8 == *kind)?;
        Some((kind, u64::from_le_bytes(*number), bytes))
    }
}

/// Writes the streams.
#[derive(Default)]
pub(super) struct EchoStreams {
    records_name: &'static str,
    session: Option<StreamId>,
    player_bones: Option<StreamId>,
    records: Option<StreamId>,
    /// Responses to `/session` so far.
    pub(super) answers: u64,
    /// Records stored because the record rebuilt from their response has different bytes.
    pub(super) instead: u64,
    /// Time of the last response.
    pub(super) time_ns: u64,
    facts: Option<SessionFacts>,
    session_id: Option<String>,
    state: State,
    detector: EventDetector,
    events: Vec<GameEvent>,
}

fn of_game(spec: StreamSpec) -> StreamSpec {
    StreamSpec { game: echo_vr::ID.into(), transport: "file".into(), ..spec }
}

impl EchoStreams {
    pub(super) fn new(records_name: &'static str) -> Self {
        Self { records_name, ..Self::default() }
    }

    fn session_stream(&mut self, out: &mut dyn Out) -> Result<StreamId, ImportError> {
        match self.session {
            Some(stream) => Ok(stream),
            None => Ok(*self.session.insert(out.add_stream(of_game(StreamSpec::json(echo_vr::SESSION)))?)),
        }
    }

    /// Returns the time for a response. Times are unique, because bones are matched to responses by time.
    pub(super) fn time_for(&self, wanted_ns: u64) -> u64 {
        if self.answers == 0 { wanted_ns } else { wanted_ns.max(self.time_ns.saturating_add(1)) }
    }

    /// Appends a response to `/session` at a time returned by [`EchoStreams::time_for`].
    pub(super) fn session(
        &mut self,
        out: &mut dyn Out,
        time_ns: u64,
        text: &[u8],
        offset: u64,
    ) -> Result<(), ImportError> {
        let stream = self.session_stream(out)?;
        self.time_ns = time_ns;
        self.see(out, text)?;
        self.answers += 1;
        out.append(stream, time_ns, text, offset)
    }

    /// Appends the response to `/player_bones` that belongs to the last `/session` response.
    pub(super) fn player_bones(&mut self, out: &mut dyn Out, text: &[u8], offset: u64) -> Result<(), ImportError> {
        let stream = match self.player_bones {
            Some(stream) => stream,
            None => *self.player_bones.insert(out.add_stream(of_game(StreamSpec::json(echo_vr::PLAYER_BONES)))?),
        };
        out.append(stream, self.time_ns, text, offset)
    }

    /// Stores a record byte for byte.
    pub(super) fn keep(
        &mut self,
        out: &mut dyn Out,
        kind: Kept,
        number: u64,
        bytes: &[u8],
        offset: u64,
    ) -> Result<(), ImportError> {
        let described = self.session_stream(out)?;
        let stream = match self.records {
            Some(stream) => stream,
            None => {
                let spec = of_game(StreamSpec::rows(self.records_name));
                let spec = StreamSpec { role: Role::Describe, describes: Some(described), ..spec };
                *self.records.insert(out.add_stream(spec)?)
            }
        };
        self.instead += u64::from(kind == Kept::Instead);
        let mut frame = Vec::with_capacity(KEPT_HEAD_BYTES + bytes.len());
        frame.push(kind as u8);
        frame.extend_from_slice(&number.to_le_bytes());
        frame.extend_from_slice(bytes);
        out.append(stream, self.time_ns, &frame, offset)
    }

    /// Emits `session_start` when the match changes, and the events detected in the response.
    fn see(&mut self, out: &mut dyn Out, text: &[u8]) -> Result<(), ImportError> {
        if !self.state.read(text) {
            return Ok(());
        }
        let facts = SessionFacts::read(text);
        if facts.session_id.is_some() && facts.session_id != self.session_id {
            self.session_id.clone_from(&facts.session_id);
            out.event(self.time_ns, "session_start", facts.session_id.as_deref().unwrap_or_default())?;
            self.facts.get_or_insert(facts);
            self.detector = EventDetector::default();
        }
        self.detector.see(&mut self.state, &mut self.events);
        self.events.drain(..).try_for_each(|GameEvent { kind, text }| out.event(self.time_ns, kind, &text))
    }

    /// Writes the facts about the match as metadata.
    pub(super) fn tell_facts(&mut self, out: &mut dyn Out) -> Result<(), ImportError> {
        let facts = self.facts.take().unwrap_or_default();
        for (key, value) in [
            ("session_id", facts.session_id),
            ("track", facts.map_name),
            ("session", facts.match_type),
            ("client_name", facts.client_name),
        ] {
            value.iter().try_for_each(|value| out.metadata(key, value))?;
        }
        Ok(())
    }
}
