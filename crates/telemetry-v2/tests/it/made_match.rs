//! A small match with everything in it: players who come and go, bones, events of every type, all fields of the current generation.

use telemetry_v2::proto::spatial::v1::{Pose, Quat, Vec3};
use telemetry_v2::proto::telemetry::v2::echo_event::Event;
use telemetry_v2::proto::telemetry::v2::*;
use telemetry_v2::skeleton::player_bones;
use telemetry_v2::{Clock, ScoreboardUpdated};

use super::scenario;

pub fn header() -> CaptureHeader {
    let mut header = scenario::v2_header();
    let Some(capture_header::GameHeader::EchoArena(arena)) = &mut header.game_header else { unreachable!() };
    arena.skeleton = Some(SkeletonLayout { bone_count: 23, transform_stride: 12, orientation_stride: 16 });
    header
}

/// Deterministic numbers that look like noise.
pub fn noise(seed: u32) -> f32 {
    let mut x = seed.wrapping_mul(0x9e37_79b9) ^ 0x5bd1_e995;
    x ^= x >> 15;
    x = x.wrapping_mul(0x2c1b_3c6d);
    x ^= x >> 12;
    (x >> 8) as f32 / (1u32 << 24) as f32 * 40.0 - 20.0
}

fn pose(seed: u32) -> Option<Pose> {
    let position = Some(Vec3 { x: noise(seed), y: noise(seed + 1), z: noise(seed + 2) });
    Some(Pose { position, orientation: Some(Quat { x: noise(seed + 3), y: 0.0, z: noise(seed + 4), w: 1.0 }) })
}

fn scoreboard(frame: u32) -> ScoreboardUpdated {
    ScoreboardUpdated {
        blue_points: 2,
        orange_round_score: (frame / 50) as i32,
        clock: Some(Clock::Display(format!("04:{:02}.50", frame % 60))),
        ..Default::default()
    }
}

/// The events of a frame: one type after another, so that 28 consecutive frames have them all.
pub fn events_of(frame: u32) -> Vec<EchoEvent> {
    let slot = (frame % 4) as i32;
    let n = (frame / 7) as i32;
    let event = match frame % 40 {
        0 => Event::RoundStarted(RoundStarted { round_number: n }),
        1 => Event::RoundPaused(RoundPaused { pause_state: 2, requesting_team: 1, pause_timer: 2.5 }),
        2 => Event::RoundUnpaused(RoundUnpaused { pause_state: 1 }),
        3 => Event::RoundEnded(RoundEnded { round_number: n, winning_team: 2 }),
        4 => Event::MatchEnded(MatchEnded { winning_team: 1 }),
        5 => Event::ScoreboardUpdated(scoreboard(frame)),
        6 => Event::PlayerJoined(PlayerJoined {
            slot: slot + 4,
            account_number: 77 + u64::from(frame / 80),
            display_name: "Driver 7".to_owned(),
            role: 2,
            jersey_number: 13,
            level: 40,
        }),
        7 => Event::PlayerLeft(PlayerLeft { player_slot: 6, display_name: "Driver 7".to_owned() }),
        8 => Event::PlayerSwitchedTeam(PlayerSwitchedTeam { player_slot: slot, new_role: 2, prev_role: 1 }),
        9 => Event::EmotePlayed(EmotePlayed { player_slot: slot, emote: 1 }),
        10 => Event::LoadoutChanged(LoadoutChanged {
            player_slot: slot,
            weapon: "scout".to_owned(),
            ..Default::default()
        }),
        11 => Event::GrabChanged(GrabChanged {
            player_slot: slot,
            left_holding: "geo".to_owned(),
            right_holding: "none".to_owned(),
        }),
        12 => Event::PlayerInfoUpdated(PlayerInfoUpdated { player_slot: slot, jersey_number: 5, level: n }),
        // All four combinations in which a slot can be nobody, zero or somebody.
        13 => Event::DiscPossessionChanged(DiscPossessionChanged { player_slot: Some(0), previous_player_slot: None }),
        14 => Event::DiscThrown(DiscThrown {
            player_slot: slot,
            throw_details: Some(ThrowDetails { arm_speed: 3.5, total_speed: noise(frame), ..Default::default() }),
        }),
        15 => Event::DiscCaught(DiscCaught { player_slot: slot }),
        16 => Event::GoalScored(GoalScored {
            disc_speed: 12.5,
            team: 1,
            goal_type: GoalType::SlamDunk.into(),
            point_amount: 2,
            distance_thrown: 7.25,
            scorer_slot: slot,
            assist_slot: Some(0),
            person_scored: "Driver 1".to_owned(),
            assist_scored: "Driver 2".to_owned(),
        }),
        17 => Event::PlayerGoal(PlayerGoal { player_slot: slot, total_goals: n, points: 2 }),
        18 => Event::PlayerSave(PlayerSave { player_slot: slot, total_saves: n }),
        19 => Event::PlayerStun(PlayerStun { player_slot: slot, total_stuns: n }),
        20 => Event::PlayerPass(PlayerPass { player_slot: slot, total_passes: n }),
        21 => Event::PlayerSteal(PlayerSteal { player_slot: slot, total_steals: n, victim_player_slot: None }),
        22 => Event::PlayerBlock(PlayerBlock { player_slot: slot, total_blocks: n }),
        23 => Event::PlayerInterception(PlayerInterception { player_slot: slot, total_interceptions: n }),
        24 => Event::PlayerAssist(PlayerAssist { player_slot: slot, total_assists: n }),
        25 => Event::PlayerShotTaken(PlayerShotTaken { player_slot: slot, total_shots: n }),
        26 => Event::PlayerStatsUpdated(PlayerStatsUpdated {
            player_slot: slot,
            points: n,
            shots_taken: 3,
            ..Default::default()
        }),
        27 => Event::GenericEvent(GenericEvent {
            event_type: "own".to_owned(),
            data: [("a".to_owned(), "1".to_owned()), ("b".to_owned(), String::new())].into(),
            payload: "text".to_owned(),
        }),
        28 => Event::DiscPossessionChanged(DiscPossessionChanged { player_slot: None, previous_player_slot: Some(0) }),
        29 => {
            Event::DiscPossessionChanged(DiscPossessionChanged { player_slot: Some(3), previous_player_slot: Some(0) })
        }
        30 => Event::GoalScored(GoalScored { assist_slot: None, ..Default::default() }),
        31 => Event::PlayerSteal(PlayerSteal { player_slot: slot, total_steals: n, victim_player_slot: Some(0) }),
        _ => return Vec::new(),
    };
    vec![event.into()]
}

pub fn frame(index: u32, players: u32, with_bones: bool) -> Frame {
    let seed = index * 1000;
    let player = |slot: u32| PlayerState {
        slot: slot as i32,
        head: pose(seed + slot * 50),
        body: pose(seed + slot * 50 + 10),
        left_hand: pose(seed + slot * 50 + 20),
        right_hand: pose(seed + slot * 50 + 30),
        velocity: Some(Vec3 { x: 0.0, y: noise(seed), z: 1.0 }),
        flags: slot << 5 | 1,
        ping: 30,
        packet_loss_ratio: 0.25,
        possession_time: 12.0,
    };
    let bones = |slot: u32| {
        let translations: Vec<_> =
            (0..23).map(|bone| [noise(seed + bone), noise(seed + bone + 500), slot as f32]).collect();
        let rotations: Vec<_> = (0..23).map(|bone| [noise(seed + bone), 0.0, 0.5, 1.0]).collect();
        player_bones(slot as i32, &translations, &rotations)
    };
    let arena = EchoArenaFrame {
        game_status: GameStatus::Playing.into(),
        game_clock: 300.0 - index as f32 / 60.0,
        pause_state: PauseState::NotPaused.into(),
        disc: Some(DiscState { pose: pose(seed), velocity: Some(Vec3::default()), bounce_count: 3 }),
        players: (0..players).map(player).collect(),
        player_bones: if with_bones { (0..players).map(bones).collect() } else { Vec::new() },
        disc_holder_slot: index.is_multiple_of(3).then_some(0),
        vr_root: pose(seed + 7),
        blue_points: 5,
        orange_points: (index / 10) as i32,
        round_number: 1,
        events: events_of(index),
        payload: index.is_multiple_of(9).then(|| PayloadState { multiplier: 1.5, ..Default::default() }),
        left_shoulder_pressed: 0.5,
        err_code: -6,
        pause_detail: Some(PauseDetail { unpaused_team: 1, paused_timer: 2.0, ..Default::default() }),
        ..Default::default()
    };
    Frame {
        frame_index: index,
        timestamp_offset_ms: index * 16,
        payload: Some(frame::Payload::EchoArena(arena)),
        ..Default::default()
    }
}

pub fn frames(count: u32) -> Vec<Frame> {
    (0..count).map(|index| frame(index, 2, true)).collect()
}

pub fn arena(frame: &Frame) -> &EchoArenaFrame {
    match &frame.payload {
        Some(frame::Payload::EchoArena(arena)) => arena,
        other => panic!("{other:?}"),
    }
}

/// Returns the frames as they were before a writer added states.
pub fn without_states(mut frames: Vec<Frame>) -> Vec<Frame> {
    for frame in &mut frames {
        if let Some(frame::Payload::EchoArena(arena)) = &mut frame.payload {
            arena.keyframe_state = None;
        }
    }
    frames
}
