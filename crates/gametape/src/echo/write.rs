//! Writes messages as responses of the game, with its keys, their order and its number format.

use telemetry_v2::proto::engine::v1::{
    LastScore, LastThrowInfo, PlayerBonesResponse, SessionResponse, Team, TeamMember, TeamStats,
};

use super::object::Object;

/// Options for writing a response.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Keys {
    /// Write the keys that captures have since the third generation: buttons, requests, losses, possession times. For older captures they
    /// are omitted, because their values are unknown.
    pub of_third_generation: bool,
    /// Write numbers with 32-bit precision, as they were received; otherwise with 64 bits.
    pub short_numbers: bool,
}

impl Keys {
    /// All keys, full precision.
    pub const ALL: Self = Self { of_third_generation: true, short_numbers: false };
}

/// Writes a `/session` response.
pub fn write_session(session: &SessionResponse, keys: Keys) -> String {
    let mut out = Object::new(8 << 10);
    out.short_numbers(keys.short_numbers);
    if let Some(disc) = &session.disc {
        out.object("disc", |out| {
            out.vector("position", &disc.position);
            out.vector("forward", &disc.forward);
            out.vector("left", &disc.left);
            out.vector("up", &disc.up);
            out.vector("velocity", &disc.velocity);
            out.int("bounce_count", disc.bounce_count);
        });
    }
    let third = keys.of_third_generation;
    out.int_if(third, "orange_team_restart_request", session.orange_team_restart_request);
    out.text("sessionid", &session.session_id);
    out.text("game_clock_display", &session.game_clock_display);
    out.text("game_status", &session.game_status);
    out.text_if(third || !session.session_ip.is_empty(), "sessionip", &session.session_ip);
    out.text("match_type", &session.match_type);
    out.text("map_name", &session.map_name);
    out.float_if(third, "right_shoulder_pressed2", session.right_shoulder_pressed2);
    out.list("teams", &session.teams, |out, team| write_team(out, team, keys));
    out.int("blue_round_score", session.blue_round_score);
    out.int("orange_points", session.orange_points);
    if let Some(root) = &session.player {
        out.object("player", |out| {
            out.vector("vr_left", &root.vr_left);
            out.vector("vr_position", &root.vr_position);
            out.vector("vr_forward", &root.vr_forward);
            out.vector("vr_up", &root.vr_up);
        });
    }
    out.bool("private_match", session.private_match);
    out.int_if(third, "blue_team_restart_request", session.blue_team_restart_request);
    out.bool("tournament_match", session.tournament_match);
    out.int("orange_round_score", session.orange_round_score);
    out.text_if(!session.rules_changed_by.is_empty(), "rules_changed_by", &session.rules_changed_by);
    out.int("total_round_count", session.total_round_count);
    out.float_if(third, "left_shoulder_pressed2", session.left_shoulder_pressed2);
    out.float_if(third, "left_shoulder_pressed", session.left_shoulder_pressed);
    if let Some(pause) = &session.pause {
        out.object("pause", |out| {
            out.text("paused_state", &pause.paused_state);
            out.text_if(third, "unpaused_team", &pause.unpaused_team);
            out.text_if(third, "paused_requested_team", &pause.paused_requested_team);
            out.float_if(third, "unpaused_timer", pause.unpaused_timer);
            out.float_if(third, "paused_timer", pause.paused_timer);
        });
    }
    out.float_if(third, "right_shoulder_pressed", session.right_shoulder_pressed);
    out.int("blue_points", session.blue_points);
    if let Some(throw) = &session.last_throw {
        out.object("last_throw", |out| write_throw(out, throw));
    }
    out.text("client_name", &session.client_name);
    out.float("game_clock", session.game_clock);
    out.list("possession", &session.possession, |out, place| out.item(*place));
    if let Some(score) = &session.last_score {
        out.object("last_score", |out| write_score(out, score));
    }
    if session.rules_changed_at != 0 {
        out.whole("rules_changed_at", session.rules_changed_at);
    }
    if has_payload(session) {
        out.float("payload_multiplier", session.payload_multiplier);
        out.int("payload_checkpoint", session.payload_checkpoint);
        out.float("payload_distance", session.payload_distance);
        out.int("payload_defenders", session.payload_defenders);
        out.float("payload_speed", session.payload_speed);
    }
    if session.err_code != 0 {
        out.int("err_code", session.err_code);
    }
    out.end()
}

/// Returns whether a response has any field of the combat payload.
pub(super) fn has_payload(session: &SessionResponse) -> bool {
    session.payload_multiplier != 0.0
        || session.payload_checkpoint != 0
        || session.payload_distance != 0.0
        || session.payload_defenders != 0
        || session.payload_speed != 0.0
}

/// Writes a `/player_bones` response.
pub fn write_player_bones(bones: &PlayerBonesResponse) -> String {
    let mut out = Object::new(64 + bones.user_bones.len() * 2048);
    out.list("user_bones", &bones.user_bones, |out, user| {
        out.nested(|out| {
            out.short_list("bone_t", &user.bone_t);
            out.int("playerid", user.player_index);
            out.short_list("bone_o", &user.bone_o);
        });
    });
    out.int("err_code", bones.err_code);
    out.end()
}

fn write_team(out: &mut Object, team: &Team, keys: Keys) {
    out.nested(|out| {
        if !team.players.is_empty() {
            out.list("players", &team.players, |out, player| write_player(out, player, keys));
        }
        out.text_if(!team.team_name.is_empty(), "team", &team.team_name);
        out.bool("possession", team.has_possession);
        if let Some(stats) = &team.stats {
            out.object("stats", |out| write_stats(out, stats, keys));
        }
    });
}

fn write_player(out: &mut Object, player: &TeamMember, keys: Keys) {
    let third = keys.of_third_generation;
    out.nested(|out| {
        out.text("name", &player.display_name);
        out.hand("rhand", player.right_hand.as_ref());
        out.int("playerid", player.slot_number);
        if let Some(stats) = &player.stats {
            out.object("stats", |out| write_stats(out, &super::read::team_stats(stats), keys));
        }
        out.whole("userid", player.account_number);
        out.int("number", player.jersey_number);
        out.int("level", player.level);
        out.bool("stunned", player.is_stunned);
        out.int("ping", player.ping);
        out.float_if(third, "packetlossratio", player.packet_loss_ratio);
        out.bool("invulnerable", player.is_invulnerable);
        out.text_if(third || !player.left_holding_onto.is_empty(), "holding_left", &player.left_holding_onto);
        out.bool("possession", player.has_possession);
        out.part("head", player.head.as_ref());
        out.part("body", player.body.as_ref());
        out.text_if(third || !player.right_holding_onto.is_empty(), "holding_right", &player.right_holding_onto);
        out.hand("lhand", player.left_hand.as_ref());
        out.bool("blocking", player.is_blocking);
        out.bool("is_emote_playing", player.is_emote_playing);
        out.vector("velocity", &player.velocity);
        for (key, value) in [("Weapon", &player.weapon), ("Ordnance", &player.ordnance), ("TacMod", &player.tac_mod)] {
            out.text_if(!value.is_empty(), key, value);
        }
    });
}

fn write_stats(out: &mut Object, stats: &TeamStats, keys: Keys) {
    out.float_if(keys.of_third_generation, "possession_time", stats.possession_time);
    for (key, value) in [
        ("points", stats.points),
        ("saves", stats.saves),
        ("goals", stats.goals),
        ("stuns", stats.stuns),
        ("passes", stats.passes),
        ("catches", stats.catches),
        ("steals", stats.steals),
        ("blocks", stats.blocks),
        ("interceptions", stats.interceptions),
        ("assists", stats.assists),
        ("shots_taken", stats.shots_taken),
    ] {
        out.int(key, value);
    }
}

fn write_throw(out: &mut Object, throw: &LastThrowInfo) {
    for (key, value) in [
        ("arm_speed", throw.arm_speed),
        ("total_speed", throw.total_speed),
        ("off_axis_spin_deg", throw.off_axis_spin_deg),
        ("wrist_throw_penalty", throw.wrist_throw_penalty),
        ("rot_per_sec", throw.rot_per_sec),
        ("pot_speed_from_rot", throw.pot_speed_from_rot),
        ("speed_from_arm", throw.speed_from_arm),
        ("speed_from_movement", throw.speed_from_movement),
        ("speed_from_wrist", throw.speed_from_wrist),
        ("wrist_align_to_throw_deg", throw.wrist_align_to_throw_deg),
        ("throw_align_to_movement_deg", throw.throw_align_to_movement_deg),
        ("off_axis_penalty", throw.off_axis_penalty),
        ("throw_move_penalty", throw.throw_move_penalty),
    ] {
        out.float(key, value);
    }
}

fn write_score(out: &mut Object, score: &LastScore) {
    out.float("disc_speed", score.disc_speed);
    out.text("team", &score.team);
    out.text("goal_type", &score.goal_type);
    out.int("point_amount", score.point_amount);
    out.float("distance_thrown", score.distance_thrown);
    out.text("person_scored", &score.person_scored);
    out.text("assist_scored", &score.assist_scored);
}

/// Returns the text of a throw.
pub(super) fn throw_text(throw: &LastThrowInfo) -> String {
    let mut out = Object::new(512);
    write_throw(&mut out, throw);
    out.end()
}

/// Returns the text of a score.
pub(super) fn score_text(score: &LastScore) -> String {
    let mut out = Object::new(256);
    write_score(&mut out, score);
    out.end()
}
