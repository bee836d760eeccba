//! Converts detected events to `.nevrcap` events. A missing player is −1 there.

use gametape_games::echo_vr::{Counter, Happened, Who};
use telemetry_v2::proto::engine::v1::SessionResponse;
use telemetry_v2::proto::telemetry::v1::emote_played::EmoteType;
use telemetry_v2::proto::telemetry::v1::lobby_session_event::Event;
use telemetry_v2::proto::telemetry::v1::{
    DiscCaught, DiscPossessionChanged, DiscThrown, EmotePlayed, GoalScored, LobbySessionEvent, MatchEnded,
    PlayerAssist, PlayerBlock, PlayerGoal, PlayerInterception, PlayerJoined, PlayerLeft, PlayerPass, PlayerSave,
    PlayerShotTaken, PlayerSteal, PlayerStun, PlayerSwitchedTeam, RoundEnded, RoundPaused, RoundStarted, RoundUnpaused,
    ScoreboardUpdated,
};

use super::arena::players;
use super::events_v2::{plain, small};
use super::words;

const NOBODY: i32 = -1;

/// Converts an event. Returns `None` if this version has no such event; its frames contain the whole response.
pub(super) fn event(happened: &Happened, session: &SessionResponse) -> Option<LobbySessionEvent> {
    let slot = |who: &Who| small(who.slot);
    let or_nobody = |who: &Option<Who>| who.as_ref().map_or(NOBODY, slot);
    let event = match happened {
        Happened::PlayerJoined { who, team } => {
            let found = players(session).find(|(_, player)| player.slot_number == slot(who));
            Event::PlayerJoined(PlayerJoined {
                player: found.map(|(_, player)| player.clone()),
                role: words::role(*team).into(),
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
        Happened::Emote { who } => {
            Event::EmotePlayed(EmotePlayed { player_slot: slot(who), emote: EmoteType::Primary.into() })
        }
        Happened::Counted { who, counter, total, points, before } => {
            counted(slot(who), *counter, small(*total), small(*points), or_nobody(before))?
        }
        Happened::Score { first: false, .. } => Event::ScoreboardUpdated(ScoreboardUpdated {
            blue_points: session.blue_points,
            orange_points: session.orange_points,
            blue_round_score: session.blue_round_score,
            orange_round_score: session.orange_round_score,
            game_clock_display: session.game_clock_display.clone(),
        }),
        Happened::Goal(_) => Event::GoalScored(GoalScored { score_details: session.last_score.clone() }),
        Happened::RoundStart { round } => Event::RoundStarted(RoundStarted { round_number: small(*round) }),
        Happened::RoundEnd { round, winner } => {
            Event::RoundEnded(RoundEnded { round_number: small(*round), winning_team: words::winner(*winner).into() })
        }
        Happened::MatchEnd { winner, .. } => {
            Event::MatchEnded(MatchEnded { winning_team: words::winner(*winner).into() })
        }
        Happened::Paused { .. } => Event::RoundPaused(RoundPaused { pause_state: session.pause.clone() }),
        Happened::Unpaused { .. } => Event::RoundUnpaused(RoundUnpaused { pause_state: session.pause.clone() }),
        Happened::Possession { now, before } => Event::DiscPossessionChanged(DiscPossessionChanged {
            player_slot: or_nobody(now),
            previous_player_slot: or_nobody(before),
        }),
        Happened::Catch { who } => Event::DiscCaught(DiscCaught { player_slot: slot(who) }),
        Happened::Throw { who, .. } => {
            Event::DiscThrown(DiscThrown { player_slot: or_nobody(who), throw_details: session.last_throw })
        }
        Happened::Stunned { .. }
        | Happened::GrabChanged { .. }
        | Happened::LoadoutChanged { .. }
        | Happened::InfoChanged { .. }
        | Happened::Stats { .. }
        | Happened::Score { .. } => return None,
    };
    Some(LobbySessionEvent { event: Some(event) })
}

fn counted(player_slot: i32, counter: Counter, total: i32, points: i32, before: i32) -> Option<Event> {
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
