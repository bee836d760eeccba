//! Formats responses as text, with the game's keys in the game's order.

use std::fmt::Write as _;

use super::motion::Vector;
use super::play::{Part, Play, Player, Stats};
use super::spelling::{float_text, grid_text};

const THROW_KEYS: [&str; 13] = [
    "arm_speed",
    "total_speed",
    "off_axis_spin_deg",
    "wrist_throw_penalty",
    "rot_per_sec",
    "pot_speed_from_rot",
    "speed_from_arm",
    "speed_from_movement",
    "speed_from_wrist",
    "wrist_align_to_throw_deg",
    "throw_align_to_movement_deg",
    "off_axis_penalty",
    "throw_move_penalty",
];

fn vector(at: Vector) -> String {
    format!("[{},{},{}]", grid_text(at[0]), grid_text(at[1]), grid_text(at[2]))
}

fn part(part: &Part, place: &str) -> String {
    let Part { place: at, basis } = part;
    format!(
        "{{\"{place}\":{},\"forward\":{},\"left\":{},\"up\":{}}}",
        vector(*at),
        vector(basis.forward),
        vector(basis.left),
        vector(basis.up)
    )
}

fn stats(of: &Stats) -> String {
    format!(
        "{{\"possession_time\":{},\"points\":{},\"saves\":{},\"goals\":{},\"stuns\":{},\"passes\":{},\"catches\":{},\"steals\":{},\"blocks\":{},\"interceptions\":{},\"assists\":{},\"shots_taken\":{}}}",
        float_text(of.possession_s as f32),
        of.points,
        of.saves,
        of.goals,
        of.stuns,
        of.passes,
        of.catches,
        of.steals,
        of.blocks,
        of.interceptions,
        of.assists,
        of.shots_taken
    )
}

fn name(number: usize) -> String {
    format!("Player {}", number + 1)
}

fn player(player: &Player, play: &Play) -> String {
    let holds = play.holder == Some(player.number);
    let (left, right) = ("none", if holds { "disc" } else { "none" });
    format!(
        "{{\"name\":\"{}\",\"rhand\":{},\"playerid\":{},\"stats\":{},\"userid\":{},\"number\":{},\"level\":{},\"stunned\":{},\"ping\":{},\"packetlossratio\":0.0,\"invulnerable\":{},\"holding_left\":\"{left}\",\"possession\":{holds},\"head\":{},\"body\":{},\"holding_right\":\"{right}\",\"lhand\":{},\"blocking\":false,\"is_emote_playing\":{},\"velocity\":{}}}",
        name(player.number),
        part(&player.right, "pos"),
        player.number,
        stats(&player.stats),
        3_963_667_097_037_078u64 + player.number as u64 * 1_234_567,
        10 + player.number * 7,
        50 - player.number,
        player.stunned,
        player.ping,
        player.stunned,
        part(&player.head, "position"),
        part(&player.body, "position"),
        part(&player.left, "pos"),
        player.emote,
        vector(player.velocity)
    )
}

fn team(play: &Play, number: usize, title: &str) -> String {
    let members = || play.players.iter().filter(|player| player.number % 2 == number);
    let mut sum = Stats::default();
    for Player { stats, .. } in members() {
        sum.possession_s += stats.possession_s;
        for (total, one) in [
            (&mut sum.points, stats.points),
            (&mut sum.saves, stats.saves),
            (&mut sum.goals, stats.goals),
            (&mut sum.stuns, stats.stuns),
            (&mut sum.passes, stats.passes),
            (&mut sum.catches, stats.catches),
            (&mut sum.steals, stats.steals),
            (&mut sum.assists, stats.assists),
            (&mut sum.shots_taken, stats.shots_taken),
        ] {
            *total += one;
        }
    }
    let players: Vec<String> = members().map(|member| player(member, play)).collect();
    let holds = play.holder.is_some_and(|holder| holder % 2 == number);
    format!(
        "{{\"players\":[{}],\"team\":\"{title}\",\"possession\":{holds},\"stats\":{}}}",
        players.join(","),
        stats(&sum)
    )
}

/// Formats the response to `/session`.
pub(super) fn session(play: &Play) -> String {
    let hundredths = (play.clock_s as f32 * 100.0) as u32;
    let display = format!("{:02}:{:02}.{:02}", hundredths / 6000, hundredths / 100 % 60, hundredths % 100);
    let person = |number: Option<usize>| number.map_or_else(|| "[INVALID]".into(), name);
    let mut throw = String::new();
    for (key, value) in THROW_KEYS.iter().zip(play.last_throw) {
        let comma = if throw.is_empty() { "" } else { "," };
        let _ = write!(throw, "{comma}\"{key}\":{}", float_text(value));
    }
    let possession = match play.holder {
        Some(holder) => format!("[{},{}]", holder % 2, holder / 2),
        None => "[-1,-1]".into(),
    };
    let score = &play.last_score;
    let disc = part(&play.disc, "position");
    let mut out = String::with_capacity(8 << 10);
    let _ = write!(
        out,
        "{{\"disc\":{},\"velocity\":{},\"bounce_count\":{}}},\"orange_team_restart_request\":0,\"sessionid\":\"{:08X}-9C3D-4E5F-8A1B-2C3D4E5F6071\",\"game_clock_display\":\"{display}\",\"game_status\":\"{}\",\"sessionip\":\"127.0.0.1\",\"match_type\":\"Echo_Arena\",\"map_name\":\"mpl_arena_a\",\"right_shoulder_pressed2\":0.0,\"teams\":[{},{},{{\"team\":\"SPECTATORS\",\"possession\":false,\"stats\":{}}}],",
        disc.trim_end_matches('}'),
        vector(play.disc_velocity),
        play.bounces,
        play.seed as u32,
        play.status,
        team(play, 0, "BLUE TEAM"),
        team(play, 1, "ORANGE TEAM"),
        stats(&Stats::default()),
    );
    let _ = write!(
        out,
        "\"blue_round_score\":0,\"orange_points\":{},\"player\":{{\"vr_left\":{},\"vr_position\":{},\"vr_forward\":{},\"vr_up\":{}}},\"private_match\":false,\"blue_team_restart_request\":0,\"tournament_match\":false,\"orange_round_score\":0,\"total_round_count\":1,\"left_shoulder_pressed2\":0.0,\"left_shoulder_pressed\":0.0,\"pause\":{{\"paused_state\":\"{}\",\"unpaused_team\":\"none\",\"paused_requested_team\":\"none\",\"unpaused_timer\":0.0,\"paused_timer\":0.0}},\"right_shoulder_pressed\":0.0,\"blue_points\":{},\"last_throw\":{{{throw}}},\"client_name\":\"Player 1\",\"game_clock\":{},\"possession\":{possession},\"last_score\":{{\"disc_speed\":{},\"team\":\"{}\",\"goal_type\":\"{}\",\"point_amount\":{},\"distance_thrown\":{},\"person_scored\":\"{}\",\"assist_scored\":\"{}\"}}}}",
        play.points[1],
        vector(play.root.basis.left),
        vector(play.root.place),
        vector(play.root.basis.forward),
        vector(play.root.basis.up),
        play.pause,
        play.points[0],
        float_text(play.clock_s as f32),
        float_text(score.speed),
        score.team,
        score.kind,
        score.points,
        float_text(score.distance),
        person(score.by),
        person(score.assist),
    );
    out
}

/// Formats the response to `/player_bones`.
pub(super) fn player_bones(play: &Play, bones: bool) -> String {
    if !bones {
        return "{\"err_code\":0}".into();
    }
    let list = |values: &mut dyn Iterator<Item = f32>| values.map(float_text).collect::<Vec<_>>().join(",");
    let of = |player: &Player| {
        format!(
            "{{\"bone_t\":[{}],\"playerid\":{},\"bone_o\":[{}]}}",
            list(&mut player.bones.places.iter().flatten().copied()),
            player.number,
            list(&mut player.bones.turns.iter().flatten().copied())
        )
    };
    let all: Vec<String> = play.players.iter().map(of).collect();
    format!("{{\"user_bones\":[{}],\"err_code\":0}}", all.join(","))
}
