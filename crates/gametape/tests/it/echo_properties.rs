//! Properties for arbitrary bytes and Echo VR messages: readers may reject them but never panic; written text reads back as an equal value.
#![allow(clippy::unwrap_used, clippy::panic, dead_code, unreachable_pub, missing_docs)]
use crate::made_match;

use std::sync::LazyLock;

use gametape::echo::{Keys, fuzz_echo_mapping, read_player_bones, read_session, write_player_bones, write_session};
use gametape::games::echo_vr::simulated::{Match, Settings};
use gametape::games::fuzz_echo_answer;
use gametape::import::{fuzz_echoreplay, fuzz_import_nevrcap, fuzz_import_v2_tape};
use proptest::prelude::*;
use telemetry_v2::nevrcap;
use telemetry_v2::proto::engine::v1::*;
use telemetry_v2::proto::telemetry::v1::{LobbySessionStateFrame, TelemetryHeader};
use telemetry_v2::write::{Layout, WriteOptions, Writer};

/// Small valid inputs for each reader.
struct Valid {
    replay: Vec<u8>,
    answers: Vec<u8>,
    tape: Vec<u8>,
    nevrcap: Vec<u8>,
}

static VALID: LazyLock<Valid> = LazyLock::new(|| {
    let (mut replay, mut answers) = (String::new(), String::new());
    let header = TelemetryHeader { capture_id: "c".to_owned(), ..TelemetryHeader::default() };
    let mut first = nevrcap::Writer::plain(Vec::new(), &header).unwrap();
    let settings = Settings { frames: 4, rate_hz: 1.0, players: 2, ..Settings::default() };
    for (frame_index, answer) in (0..).zip(Match::new(settings)) {
        replay += &format!("2023/04/01 12:00:0{frame_index}.000\t{}\t {}\r\n", answer.session, answer.player_bones);
        answers += &format!("{}\n{}\n", answer.session, answer.player_bones);
        let (session, player_bones) =
            (read_session(answer.session.as_bytes()), read_player_bones(answer.player_bones.as_bytes()));
        first.frame(&LobbySessionStateFrame { frame_index, session, player_bones, ..Default::default() }).unwrap();
    }
    let options = WriteOptions { layout: Layout::Plain, keyframe_interval: 3, ..WriteOptions::default() };
    let mut second = Writer::new(Vec::new(), made_match::header(), options).unwrap();
    made_match::frames(8).into_iter().for_each(|frame| second.frame(frame).unwrap());
    Valid {
        replay: replay.into_bytes(),
        answers: answers.into_bytes(),
        tape: second.finish().unwrap().0,
        nevrcap: first.finish().unwrap(),
    }
});

/// Overwrites, removes, inserts or appends bytes at an offset of a valid input.
fn broken(valid: &[u8], place: usize, what: u8, bytes: &[u8]) -> Vec<u8> {
    let place = place % valid.len();
    let (before, after) = valid.split_at(place);
    let rest = after.get(bytes.len()..).unwrap_or_default();
    match what % 4 {
        0 => [before, bytes, rest].concat(),
        1 => [before, rest].concat(),
        2 => [before, bytes, after].concat(),
        _ => [before, bytes].concat(),
    }
}

/// The magic bytes or beginnings that the readers look for, and none.
const BEGINNINGS: [&[u8]; 8] = [
    b"",
    b"PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    b"2023/04/01 12:34:56.789\t{",
    b"\x28\xb5\x2f\xfd",
    b"\x05\x0a\x03\x0a\x01A",
    b"\x09\x0a\x01A\x12\x04\x08\x01\x10\x02",
    b"{\"sessionid\":\"A\",\"teams\":[{\"players\":[",
    b"{\"user_bones\":[{\"bone_t\":[",
];

fn run_all(bytes: &[u8]) {
    fuzz_echoreplay(bytes);
    fuzz_import_v2_tape(bytes);
    fuzz_import_nevrcap(bytes);
    fuzz_echo_answer(bytes);
    fuzz_echo_mapping(bytes);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_break_a_reader(beginning in 0..BEGINNINGS.len(), bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        run_all(&[BEGINNINGS[beginning], &bytes].concat());
    }

    #[test]
    fn no_broken_file_breaks_a_reader(
        place in any::<usize>(),
        what in any::<u8>(),
        bytes in prop::collection::vec(any::<u8>(), 1..40),
    ) {
        fuzz_echoreplay(&broken(&VALID.replay, place, what, &bytes));
        fuzz_import_v2_tape(&broken(&VALID.tape, place, what, &bytes));
        fuzz_import_nevrcap(&broken(&VALID.nevrcap, place, what, &bytes));
        fuzz_echo_answer(&broken(&VALID.answers, place, what, &bytes));
        fuzz_echo_mapping(&broken(&VALID.answers, place, what, &bytes));
    }

    #[test]
    fn a_message_of_the_first_version_comes_back_from_its_text_equal(seed in prop::collection::vec(any::<u64>(), 0..400)) {
        let mut draw = Draw(seed.iter());
        let session = draw.session();
        let text = write_session(&session, Keys::ALL);
        prop_assert_eq!(read_session(text.as_bytes()), Some(session));
        let bones = draw.player_bones();
        let text = write_player_bones(&bones);
        prop_assert_eq!(read_player_bones(text.as_bytes()), Some(bones));
    }
}

/// Builds messages from numbers; when they are used up, everything is empty. Fewer numbers therefore make a smaller message.
struct Draw<'a>(std::slice::Iter<'a, u64>);

impl Draw<'_> {
    fn next(&mut self) -> u64 {
        self.0.next().copied().unwrap_or_default()
    }

    fn bool(&mut self) -> bool {
        self.next() % 2 == 1
    }

    fn int(&mut self) -> i32 {
        self.next() as i32
    }

    /// Any number that JSON can represent: any 64-bit value, or one that the game would write.
    fn float(&mut self) -> f64 {
        let bits = self.next();
        let any = f64::from_bits(bits);
        if bits.is_multiple_of(3) && any.is_finite() { any } else { f64::from(bits as i32) / 1000.0 }
    }

    fn short(&mut self) -> f32 {
        Some(f32::from_bits(self.next() as u32)).filter(|value| value.is_finite()).unwrap_or(-0.25)
    }

    fn text(&mut self) -> String {
        const PIECES: [&str; 8] =
            ["", "Player 1", "\"", "\\", "\u{0}\u{1f}\n\t", "\u{e9}\u{20ac}", "\u{1f600}", "{]},:"];
        let bits = self.next();
        (0..bits % 4).map(|piece| PIECES[(bits >> (8 + 3 * piece)) as usize % PIECES.len()]).collect()
    }

    fn list<T>(&mut self, most: u64, mut item: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..self.next() % (most + 1)).map(|_| item(self)).collect()
    }

    fn vector(&mut self) -> Vec<f64> {
        self.list(4, Self::float)
    }

    fn maybe<T>(&mut self, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.bool().then(|| make(self))
    }

    fn part(&mut self) -> BodyPart {
        BodyPart { position: self.vector(), forward: self.vector(), left: self.vector(), up: self.vector() }
    }

    fn hand(&mut self) -> HandPart {
        HandPart { pos: self.vector(), forward: self.vector(), left: self.vector(), up: self.vector() }
    }

    fn stats(&mut self) -> PlayerStats {
        PlayerStats {
            possession_time: self.float(),
            points: self.int(),
            saves: self.int(),
            goals: self.int(),
            stuns: self.int(),
            passes: self.int(),
            catches: self.int(),
            steals: self.int(),
            blocks: self.int(),
            interceptions: self.int(),
            assists: self.int(),
            shots_taken: self.int(),
        }
    }

    fn team_stats(&mut self) -> TeamStats {
        TeamStats {
            possession_time: self.float(),
            points: self.int(),
            saves: self.int(),
            goals: self.int(),
            stuns: self.int(),
            passes: self.int(),
            catches: self.int(),
            steals: self.int(),
            blocks: self.int(),
            interceptions: self.int(),
            assists: self.int(),
            shots_taken: self.int(),
        }
    }

    fn player(&mut self) -> TeamMember {
        TeamMember {
            weapon: self.text(),
            ordnance: self.text(),
            tac_mod: self.text(),
            head: self.maybe(Self::part),
            body: self.maybe(Self::part),
            account_number: self.next(),
            display_name: self.text(),
            slot_number: self.int(),
            jersey_number: self.int(),
            level: self.int(),
            ping: self.int(),
            packet_loss_ratio: self.float(),
            is_stunned: self.bool(),
            is_invulnerable: self.bool(),
            left_holding_onto: self.text(),
            right_holding_onto: self.text(),
            is_blocking: self.bool(),
            is_emote_playing: self.bool(),
            has_possession: self.bool(),
            left_hand: self.maybe(Self::hand),
            right_hand: self.maybe(Self::hand),
            velocity: self.vector(),
            stats: self.maybe(Self::stats),
        }
    }

    fn team(&mut self) -> Team {
        Team {
            players: self.list(3, Self::player),
            team_name: self.text(),
            has_possession: self.bool(),
            stats: self.maybe(Self::team_stats),
        }
    }

    fn disc(&mut self) -> Disc {
        Disc {
            position: self.vector(),
            forward: self.vector(),
            left: self.vector(),
            up: self.vector(),
            velocity: self.vector(),
            bounce_count: self.int(),
        }
    }

    fn root(&mut self) -> PlayerRoot {
        PlayerRoot {
            vr_left: self.vector(),
            vr_position: self.vector(),
            vr_forward: self.vector(),
            vr_up: self.vector(),
        }
    }

    fn pause(&mut self) -> PauseState {
        PauseState {
            paused_state: self.text(),
            unpaused_team: self.text(),
            paused_requested_team: self.text(),
            unpaused_timer: self.float(),
            paused_timer: self.float(),
        }
    }

    fn throw(&mut self) -> LastThrowInfo {
        LastThrowInfo {
            arm_speed: self.float(),
            total_speed: self.float(),
            off_axis_spin_deg: self.float(),
            wrist_throw_penalty: self.float(),
            rot_per_sec: self.float(),
            pot_speed_from_rot: self.float(),
            speed_from_arm: self.float(),
            speed_from_movement: self.float(),
            speed_from_wrist: self.float(),
            wrist_align_to_throw_deg: self.float(),
            throw_align_to_movement_deg: self.float(),
            off_axis_penalty: self.float(),
            throw_move_penalty: self.float(),
        }
    }

    fn score(&mut self) -> LastScore {
        LastScore {
            disc_speed: self.float(),
            team: self.text(),
            goal_type: self.text(),
            point_amount: self.int(),
            distance_thrown: self.float(),
            person_scored: self.text(),
            assist_scored: self.text(),
        }
    }

    fn session(&mut self) -> SessionResponse {
        SessionResponse {
            orange_team_restart_request: self.int(),
            session_id: self.text(),
            game_clock_display: self.text(),
            game_status: self.text(),
            session_ip: self.text(),
            match_type: self.text(),
            map_name: self.text(),
            disc: self.maybe(Self::disc),
            blue_round_score: self.int(),
            orange_points: self.int(),
            private_match: self.bool(),
            blue_team_restart_request: self.int(),
            tournament_match: self.bool(),
            orange_round_score: self.int(),
            total_round_count: self.int(),
            blue_points: self.int(),
            last_throw: self.maybe(Self::throw),
            player: self.maybe(Self::root),
            pause: self.maybe(Self::pause),
            possession: self.list(3, Self::int),
            left_shoulder_pressed: self.float(),
            right_shoulder_pressed: self.float(),
            left_shoulder_pressed2: self.float(),
            right_shoulder_pressed2: self.float(),
            rules_changed_by: self.text(),
            rules_changed_at: self.next(),
            client_name: self.text(),
            last_score: self.maybe(Self::score),
            teams: self.list(3, Self::team),
            payload_multiplier: self.float(),
            payload_checkpoint: self.int(),
            payload_distance: self.float(),
            payload_defenders: self.int(),
            payload_speed: self.float(),
            game_clock: self.float(),
            err_code: self.int(),
        }
    }

    fn player_bones(&mut self) -> PlayerBonesResponse {
        let user = |draw: &mut Self| UserBones {
            bone_t: draw.list(9, Self::short),
            player_index: draw.int(),
            bone_o: draw.list(9, Self::short),
        };
        PlayerBonesResponse { user_bones: self.list(3, user), err_code: self.int() }
    }
}
