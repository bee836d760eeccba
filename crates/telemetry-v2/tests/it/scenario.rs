//! The frames of the published size comparison: values that anybody can encode again.

use bytes::Bytes;
use telemetry_v2::Timestamp;
use telemetry_v2::proto::engine::v1::{
    BodyPart, Disc, HandPart, PlayerBonesResponse, PlayerStats, SessionResponse, Team, TeamMember, TeamStats, UserBones,
};
use telemetry_v2::proto::spatial::v1::{Pose, Quat, Vec3};
use telemetry_v2::proto::telemetry::v1::LobbySessionStateFrame;
use telemetry_v2::proto::telemetry::v2::{
    CaptureHeader, DiscState, EchoArenaFrame, EchoArenaHeader, Frame, GameStatus, MatchType, PauseState, PlayerBones,
    PlayerInfo, PlayerState, Role, SkeletonLayout, capture_header, frame,
};

/// All times of these years have the same encoded size; the nanoseconds take five bytes.
pub const CREATED_AT: Timestamp = Timestamp { seconds: 1_772_197_642, nanos: 912_345_678 };

/// How bones are added to the comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum WithBones {
    No,
    /// The schema's default number.
    TwentyTwo,
}

fn pose(x: f32, y: f32, z: f32) -> Option<Pose> {
    Some(Pose { position: Some(Vec3 { x, y, z }), orientation: Some(Quat { x: 0.0, y: 0.0, z: 0.0, w: 1.0 }) })
}

fn vec3(x: f32, y: f32, z: f32) -> Option<Vec3> {
    Some(Vec3 { x, y, z })
}

/// One frame of version 2.
pub fn v2_frame(players: u16, bones: WithBones) -> Frame {
    let player = |i: u16| {
        let x = f32::from(i) * 2.0;
        PlayerState {
            slot: i.into(),
            head: pose(x, 11.0, 12.0),
            body: pose(x, 10.0, 12.0),
            left_hand: pose(x - 0.5, 10.5, 12.0),
            right_hand: pose(x + 0.5, 10.5, 12.0),
            velocity: vec3(0.1, 0.2, 0.3),
            flags: (i % 5).into(),
            ping: (20 + 2 * i).into(),
            ..Default::default()
        }
    };
    let bones_of = |i: u16| PlayerBones {
        slot: i.into(),
        transforms: Bytes::from_static(&[7; 264]),
        orientations: Bytes::from_static(&[7; 352]),
        skeleton_override: None,
    };
    let arena = EchoArenaFrame {
        game_status: GameStatus::Playing.into(),
        game_clock: 120.5,
        pause_state: PauseState::NotPaused.into(),
        disc: Some(DiscState { pose: pose(1.0, 2.0, 3.0), velocity: vec3(5.0, 2.5, 1.0), bounce_count: 3 }),
        players: (0..players).map(player).collect(),
        player_bones: if bones == WithBones::No { Vec::new() } else { (0..players).map(bones_of).collect() },
        disc_holder_slot: Some(0),
        vr_root: pose(0.0, 0.0, 0.0),
        blue_points: 5,
        orange_points: 3,
        round_number: 1,
        ..Default::default()
    };
    Frame {
        frame_index: 1000,
        timestamp_offset_ms: 60_000,
        payload: Some(frame::Payload::EchoArena(arena)),
        ..Default::default()
    }
}

/// The header of version 2.
pub fn v2_header() -> CaptureHeader {
    let arena = EchoArenaHeader {
        session_id: "session-demo".to_owned(),
        map_name: "mpl_arena_a".to_owned(),
        match_type: MatchType::Arena.into(),
        client_name: "nevr-agent 1.2.3".to_owned(),
        total_round_count: 3,
        initial_roster: vec![PlayerInfo {
            account_number: 1_000_000,
            display_name: "Player0".to_owned(),
            role: Role::BlueTeam.into(),
            ..Default::default()
        }],
        skeleton: Some(SkeletonLayout { bone_count: 22, transform_stride: 12, orientation_stride: 16 }),
        ..Default::default()
    };
    CaptureHeader {
        capture_id: "v2-capture-demo".to_owned(),
        created_at: Some(CREATED_AT),
        format_version: 2,
        metadata: [("recorder".to_owned(), "size_comparison".to_owned())].into(),
        game_header: Some(capture_header::GameHeader::EchoArena(arena)),
        ..Default::default()
    }
}

/// The same moment in version 1.
pub fn v1_frame(players: u16, bones: WithBones) -> LobbySessionStateFrame {
    let basis = [vec![1.0, 0.0, 0.0], vec![0.0, 1.0, 0.0], vec![0.0, 0.0, 1.0]];
    let body = |position: [f64; 3]| {
        let [forward, left, up] = basis.clone();
        Some(BodyPart { position: position.into(), forward, left, up })
    };
    let hand = |position: [f64; 3]| {
        let [forward, left, up] = basis.clone();
        Some(HandPart { pos: position.into(), forward, left, up })
    };
    let member = |i: u16| {
        let x = f64::from(i) * 2.0;
        TeamMember {
            head: body([x, 11.0, 12.0]),
            body: body([x, 10.0, 12.0]),
            account_number: 1_000_000 + u64::from(i),
            display_name: format!("Player{i}"),
            slot_number: i.into(),
            level: 50,
            ping: (20 + 2 * i).into(),
            is_stunned: i.is_multiple_of(5),
            left_hand: hand([x - 0.5, 10.5, 12.0]),
            right_hand: hand([x + 0.5, 10.5, 12.0]),
            velocity: vec![0.1, 0.2, 0.3],
            stats: Some(PlayerStats { points: i.into(), ..Default::default() }),
            ..Default::default()
        }
    };
    let team = |index: u16, name: &str, points: i32| Team {
        players: (0..players).filter(|i| i % 2 == index).map(member).collect(),
        team_name: name.to_owned(),
        stats: Some(TeamStats { points, ..Default::default() }),
        ..Default::default()
    };
    let [forward, left, up] = basis.clone();
    let session = SessionResponse {
        session_id: "0c9a3e7f-8b14-4d8a-9f2c-1e3b4a5c6d7e".to_owned(),
        game_clock_display: "2:00.5".to_owned(),
        game_status: "playing".to_owned(),
        match_type: "Arena".to_owned(),
        map_name: "mpl_arena_a".to_owned(),
        disc: Some(Disc {
            position: vec![1.0, 2.0, 3.0],
            forward,
            left,
            up,
            velocity: vec![5.0, 2.5, 1.0],
            bounce_count: 3,
        }),
        blue_round_score: 1,
        orange_points: 3,
        total_round_count: 3,
        blue_points: 5,
        client_name: "nevr-agent 1.2.3".to_owned(),
        teams: vec![team(0, "BLUE TEAM", 5), team(1, "ORANGE TEAM", 3)],
        game_clock: 120.5,
        ..Default::default()
    };
    let bones_of = |i: u16| UserBones { bone_t: vec![1.5; 66], player_index: i.into(), bone_o: vec![0.5; 88] };
    LobbySessionStateFrame {
        frame_index: 1000,
        timestamp: Some(CREATED_AT),
        session: Some(session),
        player_bones: (bones != WithBones::No)
            .then(|| PlayerBonesResponse { user_bones: (0..players).map(bones_of).collect(), err_code: 0 }),
        ..Default::default()
    }
}
