//! Rebuilds the game's responses from V2 frames: takes the header and frames in order. Data that no frame contains is left out.

use telemetry_v2::proto::engine::v1::{
    BodyPart, Disc, HandPart, LastScore, LastThrowInfo, PauseState, PlayerBonesResponse, PlayerRoot, PlayerStats,
    SessionResponse, Team, TeamMember, TeamStats, UserBones,
};
use telemetry_v2::proto::spatial::v1::Pose;
use telemetry_v2::proto::telemetry::v2::echo_event::Event;
use telemetry_v2::proto::telemetry::v2::{
    CaptureHeader, DiscThrown, EchoArenaFrame, EchoArenaHeader, EchoArenaState, Frame, GoalScored, PlayerBones,
    PlayerFullState, PlayerState, capture_header, frame,
};
use telemetry_v2::{StateTracker, Vec3};

use super::beyond::{self, Beyond};
use super::rotation::{thousandths, to_basis};
use super::{arena, words};

/// The state accumulated from frames.
#[derive(Debug, Clone, Default)]
pub struct Known {
    header: EchoArenaHeader,
    tracker: StateTracker,
    last_throw: Option<LastThrowInfo>,
    beyond: Beyond,
}

impl Known {
    /// Creates the state from a header.
    pub fn new(header: &CaptureHeader) -> Self {
        let arena = match &header.game_header {
            Some(capture_header::GameHeader::EchoArena(arena)) => arena.clone(),
            _ => EchoArenaHeader::default(),
        };
        Self { header: arena, tracker: StateTracker::new(header), ..Self::default() }
    }

    /// Updates the state with a frame, which must have been converted to the current generation.
    pub fn follow(&mut self, frame: &Frame) {
        self.tracker.follow(frame);
        let Some(frame::Payload::EchoArena(arena)) = &frame.payload else { return };
        for event in arena.events.iter().filter_map(|event| event.event.as_ref()) {
            match event {
                Event::DiscThrown(DiscThrown { throw_details: Some(details), .. }) => {
                    self.last_throw = Some(LastThrowInfo {
                        arm_speed: details.arm_speed.into(),
                        total_speed: details.total_speed.into(),
                        off_axis_spin_deg: details.off_axis_spin_deg.into(),
                        wrist_throw_penalty: details.wrist_throw_penalty.into(),
                        rot_per_sec: details.rot_per_sec.into(),
                        pot_speed_from_rot: details.pot_speed_from_rot.into(),
                        speed_from_arm: details.speed_from_arm.into(),
                        speed_from_movement: details.speed_from_movement.into(),
                        speed_from_wrist: details.speed_from_wrist.into(),
                        wrist_align_to_throw_deg: details.wrist_align_to_throw_deg.into(),
                        throw_align_to_movement_deg: details.throw_align_to_movement_deg.into(),
                        off_axis_penalty: details.off_axis_penalty.into(),
                        throw_move_penalty: details.throw_move_penalty.into(),
                    });
                }
                Event::GenericEvent(generic) if generic.event_type == beyond::SESSION => {
                    self.beyond.clone_from(&generic.data);
                }
                _ => {}
            }
        }
    }

    /// Returns the latest data that frames cannot represent.
    pub(super) fn beyond(&self) -> &Beyond {
        &self.beyond
    }

    pub(super) fn set_beyond(&mut self, beyond: Beyond) {
        self.beyond = beyond;
    }

    /// Returns the full state, as in keyframes.
    pub(super) fn state(&self) -> &EchoArenaState {
        self.tracker.state()
    }

    /// Returns the `/session` response at the last frame.
    pub fn session(&self, arena: &EchoArenaFrame) -> SessionResponse {
        let mut session = self.derived(arena, true);
        beyond::apply(&self.beyond, &mut session);
        session
    }

    /// Returns the part of the response that can be derived from frames; with `places`, including all positions.
    pub(super) fn derived(&self, arena: &EchoArenaFrame, places: bool) -> SessionResponse {
        let (header, state) = (&self.header, self.tracker.state());
        let on_grid = places && is_on_grid(arena);
        let place = PositionOptions { on_grid, wanted: places };
        let teams = self.teams(arena, place);
        let holder = teams.iter().enumerate().find_map(|(team, of)| {
            let place = of.players.iter().position(|player| player.has_possession)?;
            Some(vec![i32::try_from(team).ok()?, i32::try_from(place).ok()?])
        });
        let payload = arena.payload.unwrap_or_default();
        SessionResponse {
            orange_team_restart_request: arena.orange_team_restart_request,
            session_id: header.session_id.clone(),
            game_clock_display: clock_display(arena.game_clock),
            game_status: words::status_word(arena.game_status).into(),
            session_ip: header.session_ip.clone(),
            match_type: words::match_type_word(header.match_type).into(),
            map_name: header.map_name.clone(),
            disc: arena.disc.as_ref().filter(|_| places).map(|disc| {
                let [position, forward, left, up] = place.of(disc.pose.as_ref());
                let velocity = numbers(disc.velocity.as_ref());
                let bounce_count = i32::try_from(disc.bounce_count).unwrap_or(i32::MAX);
                Disc { position, forward, left, up, velocity, bounce_count }
            }),
            blue_round_score: state.blue_round_score.unwrap_or_default(),
            orange_points: arena.orange_points,
            private_match: header.private_match,
            blue_team_restart_request: arena.blue_team_restart_request,
            tournament_match: header.tournament_match,
            orange_round_score: state.orange_round_score.unwrap_or_default(),
            total_round_count: header.total_round_count,
            blue_points: arena.blue_points,
            last_throw: self.last_throw,
            player: arena.vr_root.as_ref().filter(|_| places).map(|root| {
                let [vr_position, vr_forward, vr_left, vr_up] = place.of(Some(root));
                PlayerRoot { vr_left, vr_position, vr_forward, vr_up }
            }),
            pause: pause(arena),
            possession: holder.unwrap_or_else(|| vec![-1, -1]),
            left_shoulder_pressed: arena.left_shoulder_pressed.into(),
            right_shoulder_pressed: arena.right_shoulder_pressed.into(),
            left_shoulder_pressed2: arena.left_shoulder_pressed_2.into(),
            right_shoulder_pressed2: arena.right_shoulder_pressed_2.into(),
            rules_changed_by: header.rules_changed_by.clone(),
            rules_changed_at: header.rules_changed_at,
            client_name: header.client_name.clone(),
            last_score: state.last_goal.as_ref().map(|goal| self.last_score(goal)),
            teams,
            payload_multiplier: payload.multiplier.into(),
            payload_checkpoint: payload.checkpoint,
            payload_distance: payload.distance.into(),
            payload_defenders: payload.defenders,
            payload_speed: payload.speed.into(),
            game_clock: arena.game_clock.into(),
            err_code: arena.err_code,
        }
    }

    /// Returns the `/player_bones` response, if the frame has bones.
    pub fn player_bones(&self, arena: &EchoArenaFrame) -> Option<PlayerBonesResponse> {
        let user_bones: Vec<_> = arena.player_bones.iter().map(user_bones).collect();
        (!user_bones.is_empty()).then_some(PlayerBonesResponse { user_bones, err_code: 0 })
    }

    /// Returns the text of the `/player_bones` response of a frame without bones, if it is known.
    pub fn spelled_player_bones(&self) -> Option<&str> {
        self.beyond.get("player_bones").map(String::as_str)
    }

    fn full(&self, slot: i32) -> Option<&PlayerFullState> {
        let players = &self.tracker.state().players;
        let slot_of = |player: &PlayerFullState| player.info.as_ref().map_or(0, |info| info.slot);
        let place = players.binary_search_by_key(&slot, slot_of).ok()?;
        players.get(place)
    }

    fn name_of(&self, slot: Option<i32>) -> String {
        let info = slot.and_then(|slot| self.full(slot)).and_then(|full| full.info.as_ref());
        info.map_or_else(|| "[INVALID]".into(), |info| info.display_name.clone())
    }

    fn last_score(&self, goal: &GoalScored) -> LastScore {
        let or_name = |text: &String, slot| if text.is_empty() { self.name_of(slot) } else { text.clone() };
        LastScore {
            disc_speed: goal.disc_speed.into(),
            team: words::side_word(goal.team).into(),
            goal_type: words::goal_word(goal.goal_type).into(),
            point_amount: goal.point_amount,
            distance_thrown: goal.distance_thrown.into(),
            person_scored: or_name(&goal.person_scored, Some(goal.scorer_slot)),
            assist_scored: or_name(&goal.assist_scored, goal.assist_slot),
        }
    }

    fn teams(&self, arena: &EchoArenaFrame, place: PositionOptions) -> Vec<Team> {
        let count = match self.header.team_names.len() {
            0 => 3,
            named => named.min(16),
        };
        let mut teams: Vec<Team> = (0..count)
            .map(|number| Team {
                team_name: self.header.team_names.get(number).cloned().unwrap_or_default(),
                stats: Some(TeamStats::default()),
                ..Team::default()
            })
            .collect();
        for player in &arena.players {
            let number = (player.flags >> arena::TEAM_SHIFT & arena::TEAM_MASK) as usize;
            while teams.len() <= number {
                teams.push(Team { stats: Some(TeamStats::default()), ..Team::default() });
            }
            let member = self.member(player, place);
            let Some(team) = teams.get_mut(number) else { continue };
            team.has_possession |= member.has_possession;
            if let (Some(sum), Some(stats)) = (&mut team.stats, &member.stats) {
                add(sum, stats);
            }
            team.players.push(member);
        }
        teams
    }

    fn member(&self, player: &PlayerState, place: PositionOptions) -> TeamMember {
        let full = self.full(player.slot);
        let info = full.and_then(|full| full.info.as_ref());
        let loadout = full.and_then(|full| full.loadout.as_ref());
        let grab = full.and_then(|full| full.grab.as_ref());
        // The first generation lacks the engine's counters, but has the totals of its events.
        let stats = full.and_then(|full| full.stats.or(full.event_totals)).unwrap_or_default();
        let is = |bit: u32| player.flags & bit != 0;
        TeamMember {
            weapon: loadout.map(|loadout| loadout.weapon.clone()).unwrap_or_default(),
            ordnance: loadout.map(|loadout| loadout.ordnance.clone()).unwrap_or_default(),
            tac_mod: loadout.map(|loadout| loadout.tac_mod.clone()).unwrap_or_default(),
            head: player.head.as_ref().filter(|_| place.wanted).map(|pose| place.part(pose)),
            body: player.body.as_ref().filter(|_| place.wanted).map(|pose| place.part(pose)),
            account_number: info.map(|info| info.account_number).unwrap_or_default(),
            display_name: info.map(|info| info.display_name.clone()).unwrap_or_default(),
            slot_number: player.slot,
            jersey_number: info.map(|info| info.jersey_number).unwrap_or_default(),
            level: info.map(|info| info.level).unwrap_or_default(),
            ping: i32::try_from(player.ping).unwrap_or(i32::MAX),
            packet_loss_ratio: player.packet_loss_ratio.into(),
            is_stunned: is(arena::STUNNED),
            is_invulnerable: is(arena::INVULNERABLE),
            left_holding_onto: grab.map(|grab| grab.left_holding.clone()).unwrap_or_default(),
            right_holding_onto: grab.map(|grab| grab.right_holding.clone()).unwrap_or_default(),
            is_blocking: is(arena::BLOCKING),
            is_emote_playing: is(arena::EMOTE),
            has_possession: is(arena::POSSESSION),
            left_hand: player.left_hand.as_ref().filter(|_| place.wanted).map(|pose| place.hand(pose)),
            right_hand: player.right_hand.as_ref().filter(|_| place.wanted).map(|pose| place.hand(pose)),
            velocity: numbers(player.velocity.as_ref()),
            stats: Some(PlayerStats {
                possession_time: player.possession_time.into(),
                points: stats.points,
                saves: stats.saves,
                goals: stats.goals,
                stuns: stats.stuns,
                passes: stats.passes,
                catches: stats.catches,
                steals: stats.steals,
                blocks: stats.blocks,
                interceptions: stats.interceptions,
                assists: stats.assists,
                shots_taken: stats.shots_taken,
            }),
        }
    }
}

/// How positions are converted.
#[derive(Clone, Copy)]
struct PositionOptions {
    on_grid: bool,
    wanted: bool,
}

impl PositionOptions {
    /// Returns position, forward, left, up. Without an orientation the directions are empty.
    fn of(self, pose: Option<&Pose>) -> [Vec<f64>; 4] {
        let Some(pose) = pose else { return Default::default() };
        let position = numbers(pose.position.as_ref());
        let Some(quat) = &pose.orientation else { return [position, Vec::new(), Vec::new(), Vec::new()] };
        let [left, up, forward] = to_basis(quat, self.on_grid).map(Vec::from);
        [position, forward, left, up]
    }

    fn part(self, pose: &Pose) -> BodyPart {
        let [position, forward, left, up] = self.of(Some(pose));
        BodyPart { position, forward, left, up }
    }

    fn hand(self, pose: &Pose) -> HandPart {
        let [pos, forward, left, up] = self.of(Some(pose));
        HandPart { pos, forward, left, up }
    }
}

fn numbers(vector: Option<&Vec3>) -> Vec<f64> {
    vector.map(|vector| [vector.x, vector.y, vector.z].map(f64::from).to_vec()).unwrap_or_default()
}

/// Returns whether all positions of a frame are multiples of a thousandth, like those in the game's responses.
fn is_on_grid(arena: &EchoArenaFrame) -> bool {
    let disc = arena.disc.iter().flat_map(|disc| [disc.pose.as_ref().and_then(|pose| pose.position), disc.velocity]);
    let of_player = |player: &PlayerState| {
        let poses = [&player.head, &player.body, &player.left_hand, &player.right_hand];
        let [head, body, left, right] = poses.map(|pose| pose.as_ref().and_then(|pose| pose.position));
        [head, body, left, right, player.velocity]
    };
    let all = disc.chain(arena.players.iter().flat_map(of_player)).flatten();
    all.flat_map(|place| [place.x, place.y, place.z]).all(|value| thousandths(value).is_some())
}

/// Formats minutes, seconds and hundredths, truncated.
fn clock_display(seconds: f32) -> String {
    let hundredths = (seconds * 100.0) as u32;
    format!("{:02}:{:02}.{:02}", hundredths / 6000, hundredths / 100 % 60, hundredths % 100)
}

fn pause(arena: &EchoArenaFrame) -> Option<PauseState> {
    if arena.pause_state == 0 && arena.pause_detail.is_none() {
        return None;
    }
    let detail = arena.pause_detail.unwrap_or_default();
    let side = |number: i32| match words::side_word(number) {
        "" => "none".to_owned(),
        word => word.to_owned(),
    };
    Some(PauseState {
        paused_state: words::pause_word(arena.pause_state).into(),
        unpaused_team: side(detail.unpaused_team),
        paused_requested_team: side(detail.paused_requested_team),
        unpaused_timer: detail.unpaused_timer.into(),
        paused_timer: detail.paused_timer.into(),
    })
}

fn add(sum: &mut TeamStats, of: &PlayerStats) {
    sum.possession_time += of.possession_time;
    for (total, one) in [
        (&mut sum.points, of.points),
        (&mut sum.saves, of.saves),
        (&mut sum.goals, of.goals),
        (&mut sum.stuns, of.stuns),
        (&mut sum.passes, of.passes),
        (&mut sum.catches, of.catches),
        (&mut sum.steals, of.steals),
        (&mut sum.blocks, of.blocks),
        (&mut sum.interceptions, of.interceptions),
        (&mut sum.assists, of.assists),
        (&mut sum.shots_taken, of.shots_taken),
    ] {
        *total = total.saturating_add(one);
    }
}

fn user_bones(bones: &PlayerBones) -> UserBones {
    let floats = |bytes: &[u8]| bytes.as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes)).collect();
    UserBones { bone_t: floats(&bones.transforms), player_index: bones.slot, bone_o: floats(&bones.orientations) }
}
