//! Converts detected events to V2 events. Details come from the response in which the event was detected.

use gametape_games::echo_vr::{Counter, Happened};
use telemetry_v2::proto::engine::v1::{LastThrowInfo, SessionResponse};
use telemetry_v2::proto::telemetry::v2::echo_event::Event;
use telemetry_v2::proto::telemetry::v2::emote_played::EmoteType;
use telemetry_v2::proto::telemetry::v2::{
    DiscCaught, DiscPossessionChanged, DiscThrown, EmotePlayed, GoalScored, GrabChanged, LoadoutChanged, MatchEnded,
    PlayerAssist, PlayerBlock, PlayerGoal, PlayerInfoUpdated, PlayerInterception, PlayerJoined, PlayerLeft, PlayerPass,
    PlayerSave, PlayerShotTaken, PlayerStatsUpdated, PlayerSteal, PlayerStun, PlayerSwitchedTeam, RoundEnded,
    RoundPaused, RoundStarted, RoundUnpaused, ThrowDetails,
};
use telemetry_v2::{Clock, ScoreboardUpdated};

use super::arena::{info, players};
use super::words;

/// Saturates a number to 32 bits.
pub(super) fn small(value: i64) -> i32 {
    i32::try_from(value).unwrap_or(if value < 0 { i32::MIN } else { i32::MAX })
}

/// Converts an event. Returns `None` if the frames themselves contain it (a stun in the flags, a catch among the counters).
pub(super) fn event(happened: &Happened, session: &SessionResponse) -> Option<Event> {
    let slot = |who: &gametape_games::echo_vr::Who| small(who.slot);
    let some_slot = |who: &Option<gametape_games::echo_vr::Who>| who.as_ref().map(slot);
    let player = |wanted: i32| players(session).find(|(_, player)| player.slot_number == wanted);
    Some(match happened {
        Happened::PlayerJoined { who, team } => {
            let found = player(slot(who)).map(|(team, player)| info(team, player)).unwrap_or_default();
            Event::PlayerJoined(PlayerJoined {
                slot: slot(who),
                account_number: found.account_number,
                display_name: found.display_name,
                role: words::role(*team).into(),
                jersey_number: found.jersey_number,
                level: found.level,
            })
        }
        Happened::PlayerLeft { who } => {
            Event::PlayerLeft(PlayerLeft { player_slot: slot(who), display_name: plain(&who.name) })
        }
        Happened::TeamSwitched { who, from, to } => Event::PlayerSwitchedTeam(PlayerSwitchedTeam {
            player_slot: slot(who),
            new_role: words::role(*to).into(),
            prev_role: words::role(*from).into(),
        }),
        // The game does not tell which of the two emotes it is.
        Happened::Emote { who } => {
            Event::EmotePlayed(EmotePlayed { player_slot: slot(who), emote: EmoteType::Primary.into() })
        }
        Happened::Stunned { .. } => return None,
        Happened::GrabChanged { who, .. } => {
            let (_, found) = player(slot(who))?;
            Event::GrabChanged(GrabChanged {
                player_slot: slot(who),
                left_holding: found.left_holding_onto.clone(),
                right_holding: found.right_holding_onto.clone(),
            })
        }
        Happened::LoadoutChanged { who, .. } => {
            let (_, found) = player(slot(who))?;
            Event::LoadoutChanged(LoadoutChanged {
                player_slot: slot(who),
                weapon: found.weapon.clone(),
                ordnance: found.ordnance.clone(),
                tac_mod: found.tac_mod.clone(),
            })
        }
        Happened::InfoChanged { who, number, level } => Event::PlayerInfoUpdated(PlayerInfoUpdated {
            player_slot: slot(who),
            jersey_number: small(*number),
            level: small(*level),
        }),
        Happened::Counted { who, counter, total, points, before } => {
            counted(slot(who), *counter, small(*total), small(*points), some_slot(before))?
        }
        Happened::Stats { who, counters } => Event::PlayerStatsUpdated(stats(slot(who), counters)),
        Happened::Score { .. } => Event::ScoreboardUpdated(ScoreboardUpdated {
            blue_points: session.blue_points,
            orange_points: session.orange_points,
            blue_round_score: session.blue_round_score,
            orange_round_score: session.orange_round_score,
            clock: Some(Clock::Display(session.game_clock_display.clone())),
        }),
        Happened::Goal(_) => Event::GoalScored(goal(session)),
        Happened::RoundStart { round } => Event::RoundStarted(RoundStarted { round_number: small(*round) }),
        Happened::RoundEnd { round, winner } => {
            Event::RoundEnded(RoundEnded { round_number: small(*round), winning_team: words::winner(*winner).into() })
        }
        Happened::MatchEnd { winner, .. } => {
            Event::MatchEnded(MatchEnded { winning_team: words::winner(*winner).into() })
        }
        Happened::Paused { .. } => {
            let pause = session.pause.as_ref()?;
            Event::RoundPaused(RoundPaused {
                pause_state: words::pause(&pause.paused_state),
                requesting_team: words::side(&pause.paused_requested_team),
                pause_timer: pause.paused_timer as f32,
            })
        }
        Happened::Unpaused { state } => Event::RoundUnpaused(RoundUnpaused { pause_state: words::pause(state) }),
        Happened::Possession { now, before } => Event::DiscPossessionChanged(DiscPossessionChanged {
            player_slot: some_slot(now),
            previous_player_slot: some_slot(before),
        }),
        Happened::Catch { who } => Event::DiscCaught(DiscCaught { player_slot: slot(who) }),
        Happened::Throw { who, .. } => Event::DiscThrown(DiscThrown {
            player_slot: some_slot(who).unwrap_or(-1),
            throw_details: session.last_throw.as_ref().map(throw_details),
        }),
    })
}

/// Resolves the escapes in a name from the detector.
pub(super) fn plain(name: &str) -> String {
    gametape_games::echo_vr::text_value(format!("\"{name}\"").as_bytes()).unwrap_or_else(|| name.to_owned())
}

fn counted(player_slot: i32, counter: Counter, total: i32, points: i32, before: Option<i32>) -> Option<Event> {
    Some(match counter {
        Counter::Goals => Event::PlayerGoal(PlayerGoal { player_slot, total_goals: total, points }),
        Counter::Saves => Event::PlayerSave(PlayerSave { player_slot, total_saves: total }),
        Counter::Stuns => Event::PlayerStun(PlayerStun { player_slot, total_stuns: total }),
        Counter::Passes => Event::PlayerPass(PlayerPass { player_slot, total_passes: total }),
        Counter::Steals => {
            Event::PlayerSteal(PlayerSteal { player_slot, total_steals: total, victim_player_slot: before })
        }
        Counter::Blocks => Event::PlayerBlock(PlayerBlock { player_slot, total_blocks: total }),
        Counter::Interceptions => {
            Event::PlayerInterception(PlayerInterception { player_slot, total_interceptions: total })
        }
        Counter::Assists => Event::PlayerAssist(PlayerAssist { player_slot, total_assists: total }),
        Counter::ShotsTaken => Event::PlayerShotTaken(PlayerShotTaken { player_slot, total_shots: total }),
        Counter::Points | Counter::Catches => return None,
    })
}

fn stats(player_slot: i32, counters: &[i64; 11]) -> PlayerStatsUpdated {
    let [points, saves, goals, stuns, passes, catches, steals, blocks, interceptions, assists, shots_taken] =
        counters.map(small);
    PlayerStatsUpdated {
        player_slot,
        points,
        saves,
        goals,
        stuns,
        passes,
        catches,
        steals,
        blocks,
        interceptions,
        assists,
        shots_taken,
    }
}

fn goal(session: &SessionResponse) -> GoalScored {
    let score = session.last_score.clone().unwrap_or_default();
    let slot_of = |name: &str| {
        players(session).find(|(_, player)| player.display_name == name).map(|(_, player)| player.slot_number)
    };
    GoalScored {
        disc_speed: score.disc_speed as f32,
        team: words::side(&score.team),
        goal_type: words::goal(&score.goal_type),
        point_amount: score.point_amount,
        distance_thrown: score.distance_thrown as f32,
        // 0 would be a valid slot.
        scorer_slot: slot_of(&score.person_scored).unwrap_or(-1),
        assist_slot: slot_of(&score.assist_scored),
        person_scored: score.person_scored,
        assist_scored: score.assist_scored,
    }
}

fn throw_details(throw: &LastThrowInfo) -> ThrowDetails {
    ThrowDetails {
        arm_speed: throw.arm_speed as f32,
        total_speed: throw.total_speed as f32,
        off_axis_spin_deg: throw.off_axis_spin_deg as f32,
        wrist_throw_penalty: throw.wrist_throw_penalty as f32,
        rot_per_sec: throw.rot_per_sec as f32,
        pot_speed_from_rot: throw.pot_speed_from_rot as f32,
        speed_from_arm: throw.speed_from_arm as f32,
        speed_from_movement: throw.speed_from_movement as f32,
        speed_from_wrist: throw.speed_from_wrist as f32,
        wrist_align_to_throw_deg: throw.wrist_align_to_throw_deg as f32,
        throw_align_to_movement_deg: throw.throw_align_to_movement_deg as f32,
        off_axis_penalty: throw.off_axis_penalty as f32,
        throw_move_penalty: throw.throw_move_penalty as f32,
    }
}
