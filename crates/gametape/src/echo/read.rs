//! Parses the game's responses into messages. Accepts any bytes; a value of an unexpected type counts as missing.

use gametape_games::echo_vr::{Fields, Items, text_value};
use telemetry_v2::proto::engine::v1::{
    BodyPart, Disc, HandPart, LastScore, LastThrowInfo, PauseState, PlayerBonesResponse, PlayerRoot, PlayerStats,
    SessionResponse, Team, TeamMember, TeamStats, UserBones,
};

/// Maximum length of lists in a response; longer ones are truncated. No game has so many items.
const MAX_ITEMS: usize = 4096;

/// Parses a `/session` response. Returns `None` outside a match: an error, a loading screen, anything else.
pub fn read_session(answer: &[u8]) -> Option<SessionResponse> {
    let mut session = SessionResponse::default();
    let mut is_session = false;
    for (key, value) in Fields::of(answer) {
        match key {
            b"disc" => session.disc = Some(disc(value)),
            b"orange_team_restart_request" => session.orange_team_restart_request = int(value),
            b"sessionid" => session.session_id = text(value),
            b"game_clock_display" => session.game_clock_display = text(value),
            b"game_status" => session.game_status = text(value),
            b"sessionip" => session.session_ip = text(value),
            b"match_type" => session.match_type = text(value),
            b"map_name" => session.map_name = text(value),
            b"right_shoulder_pressed2" => session.right_shoulder_pressed2 = float(value),
            b"teams" => {
                session.teams = Items::of(value).take(MAX_ITEMS).map(team).collect();
                is_session = true;
            }
            b"blue_round_score" => session.blue_round_score = int(value),
            b"orange_points" => session.orange_points = int(value),
            b"player" => session.player = Some(root(value)),
            b"private_match" => session.private_match = bool(value),
            b"blue_team_restart_request" => session.blue_team_restart_request = int(value),
            b"tournament_match" => session.tournament_match = bool(value),
            b"orange_round_score" => session.orange_round_score = int(value),
            b"total_round_count" => session.total_round_count = int(value),
            b"left_shoulder_pressed2" => session.left_shoulder_pressed2 = float(value),
            b"left_shoulder_pressed" => session.left_shoulder_pressed = float(value),
            b"pause" => session.pause = Some(pause(value)),
            b"right_shoulder_pressed" => session.right_shoulder_pressed = float(value),
            b"blue_points" => session.blue_points = int(value),
            b"last_throw" => session.last_throw = Some(last_throw(value)),
            b"client_name" => session.client_name = text(value),
            b"game_clock" => session.game_clock = float(value),
            b"possession" => session.possession = Items::of(value).take(MAX_ITEMS).map(int).collect(),
            b"last_score" => session.last_score = Some(last_score(value)),
            b"rules_changed_by" => session.rules_changed_by = text(value),
            b"rules_changed_at" => session.rules_changed_at = long(value),
            b"payload_multiplier" => session.payload_multiplier = float(value),
            b"payload_checkpoint" => session.payload_checkpoint = int(value),
            b"payload_distance" => session.payload_distance = float(value),
            b"payload_defenders" => session.payload_defenders = int(value),
            b"payload_speed" => session.payload_speed = float(value),
            b"payload" => nested_payload(value, &mut session),
            b"err_code" => session.err_code = int(value),
            _ => {}
        }
    }
    is_session.then_some(session)
}

/// Parses a `/player_bones` response. Returns `None` if it is not an object.
pub fn read_player_bones(answer: &[u8]) -> Option<PlayerBonesResponse> {
    let mut bones = PlayerBonesResponse::default();
    let mut any = false;
    for (key, value) in Fields::of(answer) {
        any = true;
        match key {
            b"user_bones" => bones.user_bones = Items::of(value).take(MAX_ITEMS).map(user_bones).collect(),
            b"err_code" => bones.err_code = int(value),
            _ => {}
        }
    }
    any.then_some(bones)
}

fn user_bones(value: &[u8]) -> UserBones {
    let mut bones = UserBones::default();
    for (key, value) in Fields::of(value) {
        match key {
            b"bone_t" => bones.bone_t = short_floats(value),
            b"playerid" => bones.player_index = int(value),
            b"bone_o" => bones.bone_o = short_floats(value),
            _ => {}
        }
    }
    bones
}

/// Parses the newer form of the combat payload.
fn nested_payload(value: &[u8], session: &mut SessionResponse) {
    for (key, value) in Fields::of(value) {
        match key {
            b"multiplier" => session.payload_multiplier = float(value),
            b"checkpoint" => session.payload_checkpoint = int(value),
            b"distance" => session.payload_distance = float(value),
            b"defenders" => session.payload_defenders = int(value),
            b"speed" => session.payload_speed = float(value),
            _ => {}
        }
    }
}

fn disc(value: &[u8]) -> Disc {
    let mut disc = Disc::default();
    for (key, value) in Fields::of(value) {
        match key {
            b"position" => disc.position = floats(value),
            b"forward" => disc.forward = floats(value),
            b"left" => disc.left = floats(value),
            b"up" => disc.up = floats(value),
            b"velocity" => disc.velocity = floats(value),
            b"bounce_count" => disc.bounce_count = int(value),
            _ => {}
        }
    }
    disc
}

fn root(value: &[u8]) -> PlayerRoot {
    let mut root = PlayerRoot::default();
    for (key, value) in Fields::of(value) {
        match key {
            b"vr_left" => root.vr_left = floats(value),
            b"vr_position" => root.vr_position = floats(value),
            b"vr_forward" => root.vr_forward = floats(value),
            b"vr_up" => root.vr_up = floats(value),
            _ => {}
        }
    }
    root
}

fn pause(value: &[u8]) -> PauseState {
    let mut pause = PauseState::default();
    for (key, value) in Fields::of(value) {
        match key {
            b"paused_state" => pause.paused_state = text(value),
            b"unpaused_team" => pause.unpaused_team = text(value),
            b"paused_requested_team" => pause.paused_requested_team = text(value),
            b"unpaused_timer" => pause.unpaused_timer = float(value),
            b"paused_timer" => pause.paused_timer = float(value),
            _ => {}
        }
    }
    pause
}

pub(super) fn last_throw(value: &[u8]) -> LastThrowInfo {
    let mut throw = LastThrowInfo::default();
    for (key, value) in Fields::of(value) {
        let place = match key {
            b"arm_speed" => &mut throw.arm_speed,
            b"total_speed" => &mut throw.total_speed,
            b"off_axis_spin_deg" => &mut throw.off_axis_spin_deg,
            b"wrist_throw_penalty" => &mut throw.wrist_throw_penalty,
            b"rot_per_sec" => &mut throw.rot_per_sec,
            b"pot_speed_from_rot" => &mut throw.pot_speed_from_rot,
            b"speed_from_arm" => &mut throw.speed_from_arm,
            b"speed_from_movement" => &mut throw.speed_from_movement,
            b"speed_from_wrist" => &mut throw.speed_from_wrist,
            b"wrist_align_to_throw_deg" => &mut throw.wrist_align_to_throw_deg,
            b"throw_align_to_movement_deg" => &mut throw.throw_align_to_movement_deg,
            b"off_axis_penalty" => &mut throw.off_axis_penalty,
            b"throw_move_penalty" => &mut throw.throw_move_penalty,
            _ => continue,
        };
        *place = float(value);
    }
    throw
}

pub(super) fn last_score(value: &[u8]) -> LastScore {
    let mut score = LastScore::default();
    for (key, value) in Fields::of(value) {
        match key {
            b"disc_speed" => score.disc_speed = float(value),
            b"team" => score.team = text(value),
            b"goal_type" => score.goal_type = text(value),
            b"point_amount" => score.point_amount = int(value),
            b"distance_thrown" => score.distance_thrown = float(value),
            b"person_scored" => score.person_scored = text(value),
            b"assist_scored" => score.assist_scored = text(value),
            _ => {}
        }
    }
    score
}

fn team(value: &[u8]) -> Team {
    let mut team = Team::default();
    for (key, value) in Fields::of(value) {
        match key {
            b"players" => team.players = Items::of(value).take(MAX_ITEMS).map(player).collect(),
            b"team" => team.team_name = text(value),
            b"possession" => team.has_possession = bool(value),
            b"stats" => team.stats = Some(team_stats(&stats(value))),
            _ => {}
        }
    }
    team
}

fn player(value: &[u8]) -> TeamMember {
    let mut player = TeamMember::default();
    for (key, value) in Fields::of(value) {
        match key {
            b"name" => player.display_name = text(value),
            b"rhand" => player.right_hand = Some(hand(value)),
            b"playerid" => player.slot_number = int(value),
            b"stats" => player.stats = Some(stats(value)),
            b"userid" => player.account_number = long(value),
            b"number" => player.jersey_number = int(value),
            b"level" => player.level = int(value),
            b"stunned" => player.is_stunned = bool(value),
            b"ping" => player.ping = int(value),
            b"packetlossratio" => player.packet_loss_ratio = float(value),
            b"invulnerable" => player.is_invulnerable = bool(value),
            b"holding_left" => player.left_holding_onto = text(value),
            b"possession" => player.has_possession = bool(value),
            b"head" => player.head = Some(part(value)),
            b"body" => player.body = Some(part(value)),
            b"holding_right" => player.right_holding_onto = text(value),
            b"lhand" => player.left_hand = Some(hand(value)),
            b"blocking" => player.is_blocking = bool(value),
            b"is_emote_playing" => player.is_emote_playing = bool(value),
            b"velocity" => player.velocity = floats(value),
            b"Weapon" => player.weapon = text(value),
            b"Ordnance" => player.ordnance = text(value),
            b"TacMod" => player.tac_mod = text(value),
            // The game of 2018 had the body's pose in the player itself.
            b"position" => player.body.get_or_insert_default().position = floats(value),
            b"forward" => player.body.get_or_insert_default().forward = floats(value),
            b"left" => player.body.get_or_insert_default().left = floats(value),
            b"up" => player.body.get_or_insert_default().up = floats(value),
            _ => {}
        }
    }
    player
}

fn part(value: &[u8]) -> BodyPart {
    let mut part = BodyPart::default();
    for (key, value) in Fields::of(value) {
        match key {
            b"position" => part.position = floats(value),
            b"forward" => part.forward = floats(value),
            b"left" => part.left = floats(value),
            b"up" => part.up = floats(value),
            _ => {}
        }
    }
    part
}

fn hand(value: &[u8]) -> HandPart {
    // The game of 2018 had a list.
    let mut hand = HandPart { pos: floats(value), ..HandPart::default() };
    for (key, value) in Fields::of(value) {
        match key {
            b"pos" => hand.pos = floats(value),
            b"forward" => hand.forward = floats(value),
            b"left" => hand.left = floats(value),
            b"up" => hand.up = floats(value),
            _ => {}
        }
    }
    hand
}

fn stats(value: &[u8]) -> PlayerStats {
    let mut stats = PlayerStats::default();
    for (key, value) in Fields::of(value) {
        let place = match key {
            b"possession_time" => {
                stats.possession_time = float(value);
                continue;
            }
            b"points" => &mut stats.points,
            b"saves" => &mut stats.saves,
            b"goals" => &mut stats.goals,
            b"stuns" => &mut stats.stuns,
            b"passes" => &mut stats.passes,
            b"catches" => &mut stats.catches,
            b"steals" => &mut stats.steals,
            b"blocks" => &mut stats.blocks,
            b"interceptions" => &mut stats.interceptions,
            b"assists" => &mut stats.assists,
            b"shots_taken" => &mut stats.shots_taken,
            _ => continue,
        };
        *place = int(value);
    }
    stats
}

/// Converts the counters of a player to those of a team: the messages have the same fields.
pub(super) fn team_stats(of: &PlayerStats) -> TeamStats {
    TeamStats {
        possession_time: of.possession_time,
        points: of.points,
        saves: of.saves,
        goals: of.goals,
        stuns: of.stuns,
        passes: of.passes,
        catches: of.catches,
        steals: of.steals,
        blocks: of.blocks,
        interceptions: of.interceptions,
        assists: of.assists,
        shots_taken: of.shots_taken,
    }
}

fn str_of(value: &[u8]) -> Option<&str> {
    std::str::from_utf8(value).ok()
}

fn text(value: &[u8]) -> String {
    text_value(value).unwrap_or_default()
}

fn bool(value: &[u8]) -> bool {
    matches!(value, b"true" | b"1")
}

/// Parses an integer. Points in combat have decimals, which are truncated; some writers use `true` for 1.
fn int(value: &[u8]) -> i32 {
    match value {
        b"true" => 1,
        b"false" => 0,
        _ => str_of(value)
            .and_then(|text| text.parse().ok().or_else(|| text.parse::<f64>().ok().map(|number| number as i32)))
            .unwrap_or_default(),
    }
}

fn long(value: &[u8]) -> u64 {
    str_of(value).and_then(|text| text.parse().ok()).unwrap_or_default()
}

fn float(value: &[u8]) -> f64 {
    match value {
        b"true" => 1.0,
        _ => str_of(value).and_then(number).unwrap_or_default(),
    }
}

/// Parses a JSON number: no `inf`, no `NaN`.
fn number(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite())
}

fn floats(value: &[u8]) -> Vec<f64> {
    let mut list = Vec::with_capacity(3);
    list.extend(Items::of(value).take(MAX_ITEMS).map(float));
    list
}

fn short_floats(value: &[u8]) -> Vec<f32> {
    let mut list = Vec::with_capacity(92);
    let short =
        |value: &[u8]| str_of(value).and_then(|text| text.parse().ok()).filter(|number: &f32| number.is_finite());
    list.extend(Items::of(value).take(MAX_ITEMS).map(|value| short(value).unwrap_or_default()));
    list
}
