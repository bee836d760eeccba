//! Answers to frames: takes what the game answered, one moment after the other, gives frames of V2 or of the first version with their events.

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

/// A keyframe has the full state; so many frames are from one to the next.
pub const KEYFRAME_INTERVAL: u32 = 100;
/// The longest text that an event takes along.
const MAX_TEXT: usize = 64 << 10;
/// The most events that wait for a frame.
const MAX_WAITING: usize = 1024;

/// What was answered at one moment.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    session: SessionResponse,
    bones: Option<PlayerBonesResponse>,
}

/// Makes frames.
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
    /// The header that answers give, to be put into a capture's header; `None` if the first is no answer of a match.
    pub fn arena_header(session: &[u8], player_bones: Option<&[u8]>) -> Option<EchoArenaHeader> {
        let session = read::read_session(session)?;
        let bones = player_bones.and_then(read::read_player_bones);
        Some(arena::header(&session, bones.as_ref()))
    }

    /// A maker for a capture of V2. Frames are made for its header.
    pub fn new(header: &CaptureHeader) -> Self {
        Self { known: Known::new(header), ..Self::default() }
    }

    /// Answers, marks and texts that no frame could take along.
    pub fn left_out(&self) -> u64 {
        self.left_out + self.waiting.len() as u64
    }

    /// A mark of a person or a program: an event of the next frame.
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

    fn see(&mut self, session: &[u8], player_bones: Option<&[u8]>) -> Option<Seen> {
        let answer = read::read_session(session)?;
        if answer.session_id != self.session_id && !answer.session_id.is_empty() {
            // Another match: what is shown first is where things stand.
            self.session_id.clone_from(&answer.session_id);
            self.detector = EventDetector::default();
        }
        self.happened.clear();
        if self.state.read(session) {
            self.detector.detect(&mut self.state, &mut self.happened);
        }
        Some(Seen { session: answer, bones: player_bones.and_then(read::read_player_bones) })
    }

    /// The frame of V2 for answers. `None` if they are none of a match: their text waits for the next frame.
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

    /// Adds what does not follow from frames, when it has changed.
    fn say_beyond(&mut self, seen: &Seen, player_bones: Option<&[u8]>, frame: &mut Frame) {
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

    /// How an answer without bones is spelled. It stays while there are bones.
    fn spell_bones(&mut self, player_bones: Option<&[u8]>, no_bones: bool) {
        if no_bones {
            let text =
                player_bones.filter(|text| text.len() <= MAX_TEXT).and_then(|text| std::str::from_utf8(text).ok());
            self.spelled_bones = text.map(str::to_owned);
        }
    }

    /// The frame as a file of a generation has it, with the full state where a keyframe is.
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

    /// The frame of the first version for answers. `None` if they are none of a match.
    pub fn first_version(
        &mut self,
        frame_index: u32,
        utc_ns: i128,
        session: &[u8],
        player_bones: Option<&[u8]>,
    ) -> Option<LobbySessionStateFrame> {
        let Some(Seen { session, bones }) = self.see(session, player_bones) else {
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

/// The number of the round that is played, from 1; 0 before the first.
fn round(session: &SessionResponse) -> i32 {
    let over = session.blue_round_score.saturating_add(session.orange_round_score);
    match session.game_status.as_str() {
        "" | "pre_match" => 0,
        "round_over" | "post_match" | "post_sudden_death" => over.max(1),
        _ => over.saturating_add(1),
    }
}

/// The header of a capture with the game's part.
pub fn with_arena(header: CaptureHeader, arena: EchoArenaHeader) -> CaptureHeader {
    CaptureHeader { game_header: Some(capture_header::GameHeader::EchoArena(arena)), ..header }
}
