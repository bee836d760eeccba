//! Converts a response to the header and frame of Echo Arena. The maker adds the events.

use telemetry_v2::proto::engine::v1::{
    BodyPart, HandPart, PlayerBonesResponse, SessionResponse, TeamMember, UserBones,
};
use telemetry_v2::proto::spatial::v1::Pose;
use telemetry_v2::proto::telemetry::v2::{
    DiscState, EchoArenaFrame, EchoArenaHeader, PauseDetail, PayloadState, PlayerBones, PlayerInfo, PlayerState,
    SkeletonLayout,
};

use super::rotation::{self, to_quat, vec3};
use super::{words, write};

/// Bits of a player's flags.
pub(super) const STUNNED: u32 = 1;
pub(super) const INVULNERABLE: u32 = 1 << 1;
pub(super) const BLOCKING: u32 = 1 << 2;
pub(super) const POSSESSION: u32 = 1 << 3;
pub(super) const EMOTE: u32 = 1 << 4;
/// Two bits for the team: blue, orange or spectators.
pub(super) const TEAM_SHIFT: u32 = 5;
pub(super) const TEAM_MASK: u32 = 3;

/// Iterates over the players with the index of their team.
pub(super) fn players(session: &SessionResponse) -> impl Iterator<Item = (usize, &TeamMember)> {
    session.teams.iter().enumerate().flat_map(|(team, of)| of.players.iter().map(move |player| (team, player)))
}

/// Returns the identity of a player.
pub(super) fn info(team: usize, player: &TeamMember) -> PlayerInfo {
    PlayerInfo {
        slot: player.slot_number,
        account_number: player.account_number,
        display_name: player.display_name.clone(),
        role: words::role(team).into(),
        jersey_number: player.jersey_number,
        level: player.level,
    }
}

/// Builds the header from the first responses.
pub(super) fn header(session: &SessionResponse, bones: Option<&PlayerBonesResponse>) -> EchoArenaHeader {
    EchoArenaHeader {
        session_id: session.session_id.clone(),
        map_name: session.map_name.clone(),
        match_type: words::match_type(&session.match_type),
        client_name: session.client_name.clone(),
        private_match: session.private_match,
        tournament_match: session.tournament_match,
        total_round_count: session.total_round_count,
        initial_roster: players(session).map(|(team, player)| info(team, player)).collect(),
        skeleton: bones.and_then(|bones| bones.user_bones.first()).and_then(skeleton),
        session_ip: session.session_ip.clone(),
        rules_changed_by: session.rules_changed_by.clone(),
        rules_changed_at: session.rules_changed_at,
        team_names: session.teams.iter().map(|team| team.team_name.clone()).collect(),
    }
}

fn skeleton(bones: &UserBones) -> Option<SkeletonLayout> {
    let count = bones.bone_t.len() / 3;
    let whole = count > 0 && bones.bone_t.len() == count * 3 && bones.bone_o.len() == count * 4;
    whole.then_some(SkeletonLayout { bone_count: count as u32, transform_stride: 12, orientation_stride: 16 })
}

/// Builds the frame of a response. `round` is the number of the current round.
pub(super) fn frame(session: &SessionResponse, bones: Option<&PlayerBonesResponse>, round: i32) -> EchoArenaFrame {
    let holder = players(session).find(|(_, player)| player.has_possession);
    EchoArenaFrame {
        game_status: words::status(&session.game_status),
        game_clock: session.game_clock as f32,
        pause_state: session.pause.as_ref().map_or(0, |pause| words::pause(&pause.paused_state)),
        disc: session.disc.as_ref().map(|disc| DiscState {
            pose: Some(pose(&disc.position, [&disc.left, &disc.up, &disc.forward])),
            velocity: Some(vec3(&disc.velocity)),
            bounce_count: u32::try_from(disc.bounce_count).unwrap_or_default(),
        }),
        players: players(session).map(|(team, player)| player_state(team, player)).collect(),
        player_bones: bones.map(|bones| bones.user_bones.iter().map(player_bones).collect()).unwrap_or_default(),
        disc_holder_slot: holder.map(|(_, player)| player.slot_number),
        vr_root: session
            .player
            .as_ref()
            .map(|root| pose(&root.vr_position, [&root.vr_left, &root.vr_up, &root.vr_forward])),
        blue_points: session.blue_points,
        orange_points: session.orange_points,
        round_number: round,
        events: Vec::new(),
        payload: write::has_payload(session).then_some(PayloadState {
            multiplier: session.payload_multiplier as f32,
            checkpoint: session.payload_checkpoint,
            distance: session.payload_distance as f32,
            defenders: session.payload_defenders,
            speed: session.payload_speed as f32,
        }),
        left_shoulder_pressed: session.left_shoulder_pressed as f32,
        right_shoulder_pressed: session.right_shoulder_pressed as f32,
        left_shoulder_pressed_2: session.left_shoulder_pressed2 as f32,
        right_shoulder_pressed_2: session.right_shoulder_pressed2 as f32,
        err_code: session.err_code,
        blue_team_restart_request: session.blue_team_restart_request,
        orange_team_restart_request: session.orange_team_restart_request,
        pause_detail: session.pause.as_ref().map(|pause| PauseDetail {
            unpaused_team: words::side(&pause.unpaused_team),
            paused_requested_team: words::side(&pause.paused_requested_team),
            unpaused_timer: pause.unpaused_timer as f32,
            paused_timer: pause.paused_timer as f32,
        }),
        keyframe_state: None,
    }
}

fn player_state(team: usize, player: &TeamMember) -> PlayerState {
    let flag = |set: bool, bit: u32| if set { bit } else { 0 };
    let team = u32::try_from(team).unwrap_or(u32::MAX).min(TEAM_MASK);
    PlayerState {
        slot: player.slot_number,
        head: player.head.as_ref().map(part),
        body: player.body.as_ref().map(part),
        left_hand: player.left_hand.as_ref().map(hand),
        right_hand: player.right_hand.as_ref().map(hand),
        velocity: (!player.velocity.is_empty()).then(|| vec3(&player.velocity)),
        flags: flag(player.is_stunned, STUNNED)
            | flag(player.is_invulnerable, INVULNERABLE)
            | flag(player.is_blocking, BLOCKING)
            | flag(player.has_possession, POSSESSION)
            | flag(player.is_emote_playing, EMOTE)
            | team << TEAM_SHIFT,
        ping: u32::try_from(player.ping).unwrap_or_default(),
        packet_loss_ratio: player.packet_loss_ratio as f32,
        possession_time: player.stats.as_ref().map_or(0.0, |stats| stats.possession_time as f32),
    }
}

fn part(part: &BodyPart) -> Pose {
    pose(&part.position, [&part.left, &part.up, &part.forward])
}

fn hand(hand: &HandPart) -> Pose {
    pose(&hand.pos, [&hand.left, &hand.up, &hand.forward])
}

/// Builds a pose. Without directions it has no orientation.
fn pose(position: &[f64], basis: [&Vec<f64>; 3]) -> Pose {
    let column = |values: &Vec<f64>| -> rotation::Vector {
        std::array::from_fn(|place| values.get(place).copied().unwrap_or_default())
    };
    let known = basis.iter().any(|values| !values.is_empty());
    Pose { position: Some(vec3(position)), orientation: known.then(|| to_quat(&basis.map(column))) }
}

fn player_bones(bones: &UserBones) -> PlayerBones {
    let bytes = |values: &[f32]| values.iter().flat_map(|value| value.to_le_bytes()).collect::<Vec<u8>>();
    PlayerBones {
        slot: bones.player_index,
        transforms: bytes(&bones.bone_t).into(),
        orientations: bytes(&bones.bone_o).into(),
        skeleton_override: None,
    }
}
