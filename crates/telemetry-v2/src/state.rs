//! Tracks the full state of a match: takes the header and one frame after another, and accumulates the effects of their
//! events (who is present, with what, how often they scored). A writer stores the state in keyframes; after a seek, a
//! reader starts from there and follows the events.

use crate::proto::telemetry::v2::echo_event::Event;
use crate::proto::telemetry::v2::{
    CaptureHeader, EchoArenaState, Frame, PlayerFullState, PlayerInfo, PlayerStatsUpdated, capture_header, frame,
};

/// The maximum number of slots tracked. The game has 16; a file could declare any number.
const MAX_PLAYERS: usize = 256;

/// Follows the events of a capture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StateTracker {
    state: EchoArenaState,
    started: bool,
}

impl StateTracker {
    /// Creates the state before the first frame: the roster of the header.
    pub fn new(header: &CaptureHeader) -> Self {
        let mut tracker = Self::default();
        if let Some(capture_header::GameHeader::EchoArena(arena)) = &header.game_header {
            for info in &arena.initial_roster {
                tracker.join(info.clone());
            }
        }
        tracker
    }

    /// The state after the last frame followed.
    pub fn state(&self) -> &EchoArenaState {
        &self.state
    }

    /// Follows a frame, which must have the meaning of the current generation ([`crate::meaning::frame_to_current`]).
    /// Returns whether the frame contained the state itself.
    pub fn follow(&mut self, frame: &Frame) -> bool {
        if !self.started {
            self.started = true;
            self.state.known_since_frame = frame.frame_index;
        }
        let Some(frame::Payload::EchoArena(arena)) = &frame.payload else { return false };
        if let Some(state) = &arena.keyframe_state {
            // It includes the effects of this frame's events.
            self.state = state.clone();
            self.state.players.truncate(MAX_PLAYERS);
            return true;
        }
        for event in arena.events.iter().filter_map(|event| event.event.as_ref()) {
            self.event(event);
        }
        false
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::ScoreboardUpdated(scores) => {
                self.state.blue_round_score = Some(scores.blue_round_score);
                self.state.orange_round_score = Some(scores.orange_round_score);
            }
            Event::PlayerJoined(joined) => self.join(PlayerInfo {
                slot: joined.slot,
                account_number: joined.account_number,
                display_name: joined.display_name.clone(),
                role: joined.role,
                jersey_number: joined.jersey_number,
                level: joined.level,
            }),
            Event::PlayerLeft(left) => self.with(left.player_slot, |player| player.present = false),
            Event::PlayerSwitchedTeam(switched) => {
                self.with(switched.player_slot, |player| info(player, switched.player_slot).role = switched.new_role);
            }
            Event::PlayerInfoUpdated(updated) => self.with(updated.player_slot, |player| {
                let info = info(player, updated.player_slot);
                (info.jersey_number, info.level) = (updated.jersey_number, updated.level);
            }),
            Event::LoadoutChanged(loadout) => {
                self.with(loadout.player_slot, |player| player.loadout = Some(loadout.clone()))
            }
            Event::GrabChanged(grab) => self.with(grab.player_slot, |player| player.grab = Some(grab.clone())),
            Event::PlayerStatsUpdated(stats) => self.with(stats.player_slot, |player| player.stats = Some(*stats)),
            Event::GoalScored(goal) => self.state.last_goal = Some(goal.clone()),
            Event::PlayerGoal(goal) => self.total(goal.player_slot, |totals| {
                totals.goals = goal.total_goals;
                totals.points = totals.points.saturating_add(goal.points);
            }),
            Event::PlayerSave(save) => self.total(save.player_slot, |totals| totals.saves = save.total_saves),
            Event::PlayerStun(stun) => self.total(stun.player_slot, |totals| totals.stuns = stun.total_stuns),
            Event::PlayerPass(pass) => self.total(pass.player_slot, |totals| totals.passes = pass.total_passes),
            Event::PlayerSteal(steal) => self.total(steal.player_slot, |totals| totals.steals = steal.total_steals),
            Event::PlayerBlock(block) => self.total(block.player_slot, |totals| totals.blocks = block.total_blocks),
            Event::PlayerInterception(event) => {
                self.total(event.player_slot, |totals| totals.interceptions = event.total_interceptions);
            }
            Event::PlayerAssist(assist) => {
                self.total(assist.player_slot, |totals| totals.assists = assist.total_assists)
            }
            Event::PlayerShotTaken(shot) => {
                self.total(shot.player_slot, |totals| totals.shots_taken = shot.total_shots)
            }
            Event::DiscCaught(caught) => {
                self.total(caught.player_slot, |totals| totals.catches = totals.catches.saturating_add(1));
            }
            Event::RoundStarted(_)
            | Event::RoundPaused(_)
            | Event::RoundUnpaused(_)
            | Event::RoundEnded(_)
            | Event::MatchEnded(_)
            | Event::MatchSettingsChanged(_)
            | Event::EmotePlayed(_)
            | Event::DiscPossessionChanged(_)
            | Event::DiscThrown(_)
            | Event::GenericEvent(_) => {}
        }
    }

    fn join(&mut self, new: PlayerInfo) {
        self.with(new.slot, |player| {
            // Another player in the same slot starts from scratch. Account 0: the slot was mentioned before its player.
            let other = |old: &PlayerInfo| old.account_number != 0 && old.account_number != new.account_number;
            if player.info.as_ref().is_some_and(other) {
                *player = PlayerFullState::default();
            }
            player.present = true;
            player.info = Some(new);
        });
    }

    fn total(&mut self, slot: i32, change: impl FnOnce(&mut PlayerStatsUpdated)) {
        self.with(slot, |player| {
            let totals = player.event_totals.get_or_insert_with(PlayerStatsUpdated::default);
            totals.player_slot = slot;
            change(totals);
        });
    }

    /// Players are sorted by slot, so that equal states have equal bytes.
    fn with(&mut self, slot: i32, change: impl FnOnce(&mut PlayerFullState)) {
        let players = &mut self.state.players;
        let place = players.binary_search_by_key(&slot, |player| player.info.as_ref().map_or(0, |info| info.slot));
        let place = match place {
            Ok(place) => place,
            Err(_) if players.len() >= MAX_PLAYERS => return,
            Err(place) => {
                let info = PlayerInfo { slot, ..PlayerInfo::default() };
                players.insert(place, PlayerFullState { info: Some(info), present: true, ..Default::default() });
                place
            }
        };
        if let Some(player) = players.get_mut(place) {
            change(player);
        }
    }
}

fn info(player: &mut PlayerFullState, slot: i32) -> &mut PlayerInfo {
    player.info.get_or_insert_with(|| PlayerInfo { slot, ..PlayerInfo::default() })
}
