//! Converts responses in time order to V2 or `.nevrcap` frames with their events.

use gametape_games::echo_vr::{EventDetector, Happened, State};
use telemetry_v2::Timestamp;
use telemetry_v2::generation::Generation;
use telemetry_v2::meaning;
use telemetry_v2::proto::engine::v1::{PlayerBonesResponse, SessionResponse};
use telemetry_v2::proto::telemetry::v1::LobbySessionStateFrame;
use telemetry_v2::proto::telemetry::v2::echo_event::Event;
use telemetry_v2::proto::telemetry::v2::{
    CaptureHeader, EchoArenaHeader, EchoEvent, Frame, GenericEvent, capture_header, frame,
};

use super::beyond;
use super::known::Known;
use super::{arena, events_v1, events_v2, read};

/// Number of frames from one keyframe, which has the full state, to the next.
pub const KEYFRAME_INTERVAL: u32 = 100;
/// Longest text that an event carries.
const MAX_TEXT: usize = 64 << 10;
/// Maximum number of events that wait for a frame.
const MAX_WAITING: usize = 1024;

/// The responses at one time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ResponsePair {
    session: SessionResponse,
    bones: Option<PlayerBonesResponse>,
}

/// Builds frames from responses.
#[derive(Debug, Default)]
pub struct Maker {
    state: State,
    detector: EventDetector,
    happened: Vec<Happened>,
    session_id: String,
    known: Known,
    waiting: Vec<EchoEvent>,
    spelled_bones: Option<String>,
    left_out: u64,
}

impl Maker {
    /// Builds the game's part of a capture's header; `None` if `session` is not a response of a match.
    pub fn arena_header(session: &[u8], player_bones: Option<&[u8]>) -> Option<EchoArenaHeader> {
        let session = read::read_session(session)?;
        let bones = player_bones.and_then(read::read_player_bones);
        Some(arena::header(&session, bones.as_ref()))
    }

    /// Creates a maker for a V2 capture with this header.
    pub fn new(header: &CaptureHeader) -> Self {
        Self { known: Known::new(header), ..Self::default() }
    }

    /// Returns the number of responses, marks and texts that no frame could carry.
    pub fn left_out(&self) -> u64 {
        self.left_out + self.waiting.len() as u64
    }

    /// Adds a mark of a person or a program, as an event of the next frame.
    pub fn mark(&mut self, time_ns: u64, kind: &str, text: &str) {
        let data = [("kind", kind.to_owned()), ("text", text.to_owned()), ("time_ns", time_ns.to_string())];
        let data = data.map(|(key, value)| (key.to_owned(), value)).into();
        self.wait(GenericEvent { event_type: beyond::MARK.into(), data, payload: String::new() });
    }

    fn wait(&mut self, event: GenericEvent) {
        match self.waiting.len() < MAX_WAITING && event.payload.len() <= MAX_TEXT {
            true => self.waiting.push(Event::GenericEvent(event).into()),
            false => self.left_out += 1,
        }
    }

    fn see(&mut self, session: &[u8], player_bones: Option<&[u8]>) -> Option<ResponsePair> {
        let answer = read::read_session(session)?;
        if answer.session_id != self.session_id && !answer.session_id.is_empty() {
            // A new match: its first response is the initial state, not a change.
            self.session_id.clone_from(&answer.session_id);
            self.detector = EventDetector::default();
        }
        self.happened.clear();
        if self.state.read(session) {
            self.detector.detect(&mut self.state, &mut self.happened);
        }
        Some(ResponsePair { session: answer, bones: player_bones.and_then(read::read_player_bones) })
    }

    /// Builds the V2 frame of a response. Returns `None` outside a match: the text then waits for the next frame.
    pub fn frame(
        &mut self,
        frame_index: u32,
        time_ns: u64,
        session: &[u8],
        player_bones: Option<&[u8]>,
    ) -> Option<Frame> {
        let Some(seen) = self.see(session, player_bones) else {
            match std::str::from_utf8(session) {
                Ok(text) => self.wait(GenericEvent {
                    event_type: beyond::ANSWER.into(),
                    data: [("time_ns".to_owned(), time_ns.to_string())].into(),
                    payload: text.to_owned(),
                }),
                Err(_) => self.left_out += 1,
            }
            return None;
        };
        let mut arena = arena::frame(&seen.session, seen.bones.as_ref(), round(&seen.session));
        arena.events = std::mem::take(&mut self.waiting);
        let events = self.happened.iter().filter_map(|one| events_v2::event(one, &seen.session));
        arena.events.extend(events.map(EchoEvent::from));
        let timestamp_offset_ms = u32::try_from(time_ns / 1_000_000).unwrap_or(u32::MAX);
        let payload = Some(frame::Payload::EchoArena(arena));
        let mut frame = Frame { frame_index, timestamp_offset_ms, payload, ..Frame::default() };
        self.known.follow(&frame);
        self.say_beyond(&seen, player_bones, &mut frame);
        Some(frame)
    }

    /// Adds the data that frames cannot represent, if it has changed.
    fn say_beyond(&mut self, seen: &ResponsePair, player_bones: Option<&[u8]>, frame: &mut Frame) {
        let Some(frame::Payload::EchoArena(arena)) = &mut frame.payload else { return };
        let mut beyond = beyond::of(&seen.session, &self.known.derived(arena, false));
        self.spell_bones(player_bones, arena.player_bones.is_empty());
        if let Some(text) = &self.spelled_bones {
            beyond.insert("player_bones".into(), text.clone());
        }
        if beyond != *self.known.beyond() {
            arena.events.push(beyond::event(&beyond));
            self.known.set_beyond(beyond);
        }
    }

    /// Remembers the text of a response without bones. It is kept while there are bones.
    fn spell_bones(&mut self, player_bones: Option<&[u8]>, no_bones: bool) {
        if no_bones {
            let text =
                player_bones.filter(|text| text.len() <= MAX_TEXT).and_then(|text| std::str::from_utf8(text).ok());
            self.spelled_bones = text.map(str::to_owned);
        }
    }

    /// Converts a frame to a generation, with the full state in keyframes.
    pub fn in_generation(&self, mut frame: Frame, generation: Generation) -> Frame {
        if generation == Generation::Seed {
            meaning::frame_to_seed(&mut frame);
        } else if frame.frame_index.is_multiple_of(KEYFRAME_INTERVAL)
            && let Some(frame::Payload::EchoArena(arena)) = &mut frame.payload
        {
            arena.keyframe_state = Some(self.known.state().clone());
        }
        frame
    }

    /// Builds the `.nevrcap` frame of a response. Returns `None` outside a match.
    pub fn first_version(
        &mut self,
        frame_index: u32,
        utc_ns: i128,
        session: &[u8],
        player_bones: Option<&[u8]>,
    ) -> Option<LobbySessionStateFrame> {
        let Some(ResponsePair { session, bones }) = self.see(session, player_bones) else {
            self.left_out += 1;
            return None;
        };
        let events = self.happened.iter().filter_map(|one| events_v1::event(one, &session)).collect();
        Some(LobbySessionStateFrame {
            frame_index,
            timestamp: Timestamp::from_unix_nanos(utc_ns),
            events,
            session: Some(session),
            player_bones: bones,
        })
    }
}

/// Returns the number of the current round, from 1; 0 before the first.
fn round(session: &SessionResponse) -> i32 {
    let over = session.blue_round_score.saturating_add(session.orange_round_score);
    match session.game_status.as_str() {
        "" | "pre_match" => 0,
        "round_over" | "post_match" | "post_sudden_death" => over.max(1),
        _ => over.saturating_add(1),
    }
}

/// Returns the header of a capture with the game's part.
pub fn with_arena(header: CaptureHeader, arena: EchoArenaHeader) -> CaptureHeader {
    CaptureHeader { game_header: Some(capture_header::GameHeader::EchoArena(arena)), ..header }
}
