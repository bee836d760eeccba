//! The meaning of the same bytes in different generations. Messages are decoded as they are on the wire; these
//! functions convert them to the meaning of the current generation (absent is nobody, clocks are strings, event types
//! are numbers), and back to that of the seed generation.

use crate::event_index::{EventIndexEntry, EventName};
use crate::event_type;
use crate::generation::{Generation, SCHEMA_KEY, SCHEMA_SEED};
use crate::proto::telemetry::v2::echo_event::Event;
use crate::proto::telemetry::v2::{CaptureFooter, CaptureHeader, FrameEncoding, capture_header, frame};
use crate::proto::telemetry::v2::{EchoArenaFrame, EchoEvent, EventType, Frame};
use crate::scoreboard::Clock;

/// The version in stream headers.
pub const FORMAT_VERSION: u32 = 2;
/// The minor version: 2.1.0.
pub const FORMAT_MINOR: u32 = 1;

/// The meaning of field 3 of a footer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FooterPlace {
    /// The size of the whole stream: the seed generation.
    TotalBytes(u64),
    /// The offset of the footer: later generations.
    FooterOffset(u64),
}

impl FooterPlace {
    /// Returns the meaning of the field in this footer.
    pub fn of(footer: &CaptureFooter, generation: Generation) -> Self {
        match generation {
            Generation::Seed => Self::TotalBytes(footer.footer_offset),
            _ => Self::FooterOffset(footer.footer_offset),
        }
    }
}

/// Converts a slot on the wire to its meaning in the current generation: negative is nobody everywhere, and absent is
/// slot 0 in the seed generation.
pub fn slot(wire: Option<i32>, generation: Generation) -> Option<i32> {
    match (wire, generation) {
        (Some(slot), _) if slot < 0 => None,
        (None, Generation::Seed) => Some(0),
        (slot, _) => slot,
    }
}

/// The inverse: 0 is omitted, as in the seed generation, and nobody is −1.
fn slot_for_seed(slot: Option<i32>) -> Option<i32> {
    match slot {
        None => Some(-1),
        Some(slot) if slot < 0 => Some(-1),
        Some(0) => None,
        slot => slot,
    }
}

/// Converts a decoded frame to the meaning of the current generation.
pub fn frame_to_current(frame: &mut Frame, generation: Generation) {
    let Some(frame::Payload::EchoArena(arena)) = &mut frame.payload else { return };
    for event in arena.events.iter_mut().filter_map(|event| event.event.as_mut()) {
        map_slots(event, |wire| slot(wire, generation));
        if let Event::ScoreboardUpdated(scores) = event {
            scores.clock = match (scores.clock.take(), generation) {
                // The seed generation omits a clock of zero.
                (None, Generation::Seed) => Some(Clock::Display(Clock::Seconds(0.0).display())),
                (Some(clock), _) => Some(Clock::Display(clock.display())),
                (None, _) => None,
            };
        }
    }
}

fn map_slots(event: &mut Event, map: impl Fn(Option<i32>) -> Option<i32>) {
    match event {
        Event::DiscPossessionChanged(change) => {
            change.player_slot = map(change.player_slot);
            change.previous_player_slot = map(change.previous_player_slot);
        }
        Event::GoalScored(goal) => goal.assist_slot = map(goal.assist_slot),
        Event::PlayerSteal(steal) => steal.victim_player_slot = map(steal.victim_player_slot),
        _ => {}
    }
}

/// Converts a frame of the current generation to the form of the seed generation. Omits everything for which the seed
/// has no field; returns the number of values and events omitted.
pub fn frame_to_seed(frame: &mut Frame) -> u32 {
    let mut lost = u32::from(std::mem::take(&mut frame.is_keyframe));
    let Some(frame::Payload::EchoArena(arena)) = &mut frame.payload else { return lost };
    lost += clear_arena(arena);
    let before = arena.events.len();
    arena.events.retain(|event| !is_later(event));
    lost += u32::try_from(before - arena.events.len()).unwrap_or(u32::MAX);
    let clock_of_frame = arena.game_clock;
    for event in arena.events.iter_mut().filter_map(|event| event.event.as_mut()) {
        map_slots(event, slot_for_seed);
        match event {
            Event::ScoreboardUpdated(scores) => {
                // A string that is not a clock: the frame has the same clock as a number.
                let clock = scores.clock.take();
                scores.clock = clock.map(|clock| Clock::Seconds(clock.seconds().unwrap_or(clock_of_frame)));
            }
            Event::RoundPaused(paused) => {
                lost += u32::from(std::mem::take(&mut paused.requesting_team) != 0);
                lost += u32::from(std::mem::take(&mut paused.pause_timer) != 0.0);
            }
            Event::PlayerJoined(joined) => {
                lost += u32::from(std::mem::take(&mut joined.jersey_number) != 0);
                lost += u32::from(std::mem::take(&mut joined.level) != 0);
            }
            Event::GoalScored(goal) => {
                lost += u32::from(!std::mem::take(&mut goal.person_scored).is_empty());
                lost += u32::from(!std::mem::take(&mut goal.assist_scored).is_empty());
            }
            _ => {}
        }
    }
    lost
}

fn is_later(event: &EchoEvent) -> bool {
    event.event.as_ref().is_some_and(|event| event_type::of(event).is_none_or(is_later_event))
}

/// Whether an event does not exist in the seed generation.
pub(crate) fn is_later_event(event: EventType) -> bool {
    use EventType::{GrabChanged, LoadoutChanged, PlayerInfoUpdated, PlayerStatsUpdated};
    matches!(event, LoadoutChanged | GrabChanged | PlayerInfoUpdated | PlayerStatsUpdated)
}

fn clear_arena(arena: &mut EchoArenaFrame) -> u32 {
    let mut lost = 0;
    // Derived from events, so nothing is lost with it.
    arena.keyframe_state = None;
    lost += u32::from(arena.payload.take().is_some());
    lost += u32::from(arena.pause_detail.take().is_some());
    for pressed in [
        &mut arena.left_shoulder_pressed,
        &mut arena.right_shoulder_pressed,
        &mut arena.left_shoulder_pressed_2,
        &mut arena.right_shoulder_pressed_2,
    ] {
        lost += u32::from(std::mem::take(pressed) != 0.0);
    }
    for code in [&mut arena.err_code, &mut arena.blue_team_restart_request, &mut arena.orange_team_restart_request] {
        lost += u32::from(std::mem::take(code) != 0);
    }
    for player in &mut arena.players {
        lost += u32::from(std::mem::take(&mut player.packet_loss_ratio) != 0.0);
        lost += u32::from(std::mem::take(&mut player.possession_time) != 0.0);
    }
    lost
}

/// Sets the version of a header to be written.
pub fn header_for(header: &mut CaptureHeader, generation: Generation) {
    header.format_version = FORMAT_VERSION;
    if generation >= Generation::Third {
        header.format_minor = FORMAT_MINOR;
        header.format_patch = 0;
        if header.frame_encoding == 0 {
            header.frame_encoding = FrameEncoding::Sparse.into();
        }
        header.metadata.remove(SCHEMA_KEY);
        return;
    }
    let kept = std::mem::take(header);
    *header = CaptureHeader {
        capture_id: kept.capture_id,
        created_at: kept.created_at,
        format_version: FORMAT_VERSION,
        metadata: kept.metadata,
        game_header: kept.game_header,
        ..CaptureHeader::default()
    };
    header.metadata.insert(SCHEMA_KEY.to_owned(), SCHEMA_SEED.to_owned());
    if let Some(capture_header::GameHeader::EchoArena(arena)) = &mut header.game_header {
        arena.session_ip.clear();
        arena.rules_changed_by.clear();
        arena.rules_changed_at = 0;
        arena.team_names.clear();
        for player in &mut arena.initial_roster {
            (player.jersey_number, player.level) = (0, 0);
        }
    }
}

/// Converts the entries of a footer's index to the notation of a generation. Entries unknown to this crate stay unchanged.
pub fn event_index_for(entries: &mut [EventIndexEntry], generation: Generation) {
    for entry in entries {
        if let Some(event) = entry.event.event_type() {
            entry.event = match generation {
                Generation::Seed => EventName::Text(event_type::seed_name(event).to_owned()),
                _ => EventName::Number(event.into()),
            };
        }
    }
}
