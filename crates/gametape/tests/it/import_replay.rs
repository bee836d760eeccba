//! Imports of Rocket League replays: the bytes are always stored, and as much of them is parsed as possible.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::importing;
use crate::replay;
use crate::support;
use crate::unsynced;

use std::sync::Arc;

use gametape::format::read::Tape;
use gametape::import::{ImportError, Imported, ReplayError, compare_with_source, import, import_through};
use gametape::matches::MatchFacts;
use replay::{Property, body, header, match_header, network, properties, replay, section, text};
use tempfile::TempDir;
use unsynced::Unsynced;

/// Imports bytes and checks that the tape holds them.
fn import_bytes(bytes: &[u8]) -> Result<(Imported, Tape, TempDir), ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let source = support::put(&folder.path().join("a.replay"), bytes);
    let out = folder.path().join("a.gtape");
    let imported = import_through(Arc::new(Unsynced), &source, &out, &mut |_| {})?;
    let tape = Tape::open(&out).unwrap();
    assert!(tape.verify(&mut |_| {}).unwrap().is_ok());
    assert!(compare_with_source(&tape, &source, &mut |_| {}).unwrap().is_equal());
    let stream = tape.stream_named("replay").unwrap();
    assert!(tape.frame_at(stream, 0).unwrap().unwrap().1 == bytes, "the file is a frame");
    assert_eq!((imported.frames, stream.totals().frames, stream.spec().game.as_str()), (1, 1, "rocket-league"));
    Ok((imported, tape, folder))
}

fn goals(tape: &Tape) -> Vec<(u64, String)> {
    let events = tape.events().into_iter().filter(|event| event.kind == "goal");
    events.map(|event| (event.at_ns, event.text)).collect()
}

#[test]
fn teams_players_score_and_goals_are_told() {
    let (imported, tape, _folder) = import_bytes(&replay()).unwrap();
    assert_eq!(imported.problems, Vec::<String>::new());
    let metadata = tape.metadata();
    for (key, value) in [
        ("score", "2:1"),
        ("team_0", "Player 1"),
        ("team_1", "Player 2"),
        ("player_00", "Player 1, team 0, 700 points, 1 goals"),
        ("map", "Stadium_P"),
        ("game_version", "180315.66224.188644"),
        ("replay.RecordFPS", "30"),
        ("network_frames", "4"),
        ("time_source", "match"),
        ("source_kind", "replay"),
    ] {
        assert_eq!(metadata.get(key).map(String::as_str), Some(value), "{key}");
    }
    let goal = |at_ms: u64, text: &str| (at_ms * 1_000_000, text.to_owned());
    // The last goal is at the frame after the last one, as the game writes it.
    let expected =
        [goal(500, "1:0 Player 1, team 0"), goal(1000, "1:1 Player 2, team 1"), goal(2000, "2:1 Player 1, team 0")];
    assert_eq!(goals(&tape), expected);
    let frames = tape.stream_named("replay.network-frames").unwrap();
    assert_eq!((frames.totals().frames, frames.totals().last_ns), (4, Some(2_000_000_000)));
}

#[test]
fn a_cut_replay_tells_what_its_header_says_and_keeps_its_bytes() {
    let whole = replay();
    let header_end = section(&match_header()).len();
    for end in 40..whole.len() {
        let (imported, tape, _folder) = import_bytes(&whole[..end]).unwrap();
        assert!(!imported.problems.is_empty(), "{end}");
        if end < header_end {
            assert_eq!(imported.problems, ["byte 0: the file ends inside its header"]);
            continue;
        }
        assert_eq!(imported.problems, [format!("byte {header_end}: the file ends inside its body")], "{end}");
        assert_eq!(tape.metadata()["score"], "2:1");
        assert!(!tape.metadata().contains_key("network_frames"));
        // Without the frames the times are nominal.
        assert_eq!(goals(&tape)[0].0, 33_333_333);
        assert_eq!(tape.metadata()["time_source"], "nominal");
    }
}

#[test]
fn every_flipped_byte_is_noticed() {
    let whole = replay();
    for at in (0..whole.len()).step_by(3) {
        let mut flipped = whole.clone();
        flipped[at] ^= 0x20;
        // Without its type name it is not detected as a replay.
        if let Ok((imported, _, _folder)) = import_bytes(&flipped) {
            assert!(!imported.problems.is_empty(), "{at}");
        }
    }
}

#[test]
fn damaged_network_data_costs_only_itself() {
    let header_section = section(&match_header());
    // A frame with an impossible time.
    let damaged = [header_section, section(&body(&network(&[-1.0, 100.5, 101.0, 102.0])))].concat();
    let (imported, tape, _folder) = import_bytes(&damaged).unwrap();
    assert_eq!(imported.problems.len(), 1);
    assert!(imported.problems[0].starts_with("the network data cannot be read: "), "{:?}", imported.problems);
    assert_eq!((tape.metadata()["score"].as_str(), goals(&tape).len()), ("2:1", 3));
}

#[test]
fn hostile_headers_are_not_followed() {
    let frames = |count| header(&properties(&[("NumFrames", Property::Int(count))]));
    for count in [-1, 250_001, i32::MAX, i32::MIN] {
        let (imported, _, _folder) =
            import_bytes(&[section(&frames(count)), section(&body(&vec![0; 300_000]))].concat()).unwrap();
        assert!(imported.problems[0].contains(&format!("says {count} frames")), "{:?}", imported.problems);
    }
    // Nested lists and structures, as deep as the bytes allow.
    let list = (text("ArrayProperty"), 25_000u32.to_le_bytes().to_vec());
    let structure = (text("StructProperty"), text("S"));
    for ((kind, more), depth, says) in [
        (&list, 60, "cannot be read"),
        (&list, 3000, "has 3000 lists"),
        (&structure, 4000, "cannot be read"),
        (&structure, 10_000, "10000 structures"),
        (&structure, 200_000, "at most 524288 can be"),
    ] {
        let level = [text("k"), kind.clone(), vec![0; 8], more.clone()].concat();
        let nested = [section(&header(&level.repeat(depth))), section(&body(&[]))].concat();
        let (imported, _, _folder) = import_bytes(&nested).unwrap();
        assert!(imported.problems[0].contains(says), "{says}: {:?}", imported.problems);
    }
    for length in [-1i32, i32::MIN, i32::MAX] {
        let mut hostile = replay();
        hostile[..4].copy_from_slice(&length.to_le_bytes());
        let (imported, _, _folder) = import_bytes(&hostile).unwrap();
        assert_eq!(imported.problems, ["byte 0: the file ends inside its header"]);
    }
}

#[test]
fn a_file_longer_than_any_replay_is_refused() {
    let mut long = replay();
    long.resize((16 << 20) + 1, 0);
    let folder = tempfile::tempdir().unwrap();
    let source = support::put(&folder.path().join("a.replay"), &long);
    let error = import(&source, &folder.path().join("a.gtape"), &mut |_| {}).unwrap_err();
    assert!(matches!(error, ImportError::Replay(ReplayError::TooLong { found: 16_777_217, .. })));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn the_same_bytes_give_the_same_tape_to_the_byte() {
    let read = |folder: &TempDir| std::fs::read(folder.path().join("a.gtape")).unwrap();
    let (one, two) = (import_bytes(&replay()).unwrap().2, import_bytes(&replay()).unwrap().2);
    assert!(read(&one) == read(&two));
}

#[test]
fn real_replays_have_the_promised_frames() {
    let Some(data) = support::real_data("real_replays_have_the_promised_frames") else { return };
    let folder = data.join("rocket-league");
    let mut good = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let Ok(snap) = std::fs::read_to_string(path.with_extension("snap")) else { continue };
        if path.extension().unwrap() != "replay" {
            continue;
        }
        let expected = snap.split("\"frames\": ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
        let (imported, tape, _folder) = import_bytes(&std::fs::read(&path).unwrap()).unwrap();
        assert_eq!(imported.problems, Vec::<String>::new(), "{}", path.display());
        assert_eq!(tape.metadata()["network_frames"], expected, "{}", path.display());
        good += 1;
    }
    assert_eq!(good, 4);
    let bytes = |name: &str| std::fs::read(folder.join(name)).unwrap();
    let (_, tape, _folder) = import_bytes(&bytes("good_db70.replay")).unwrap();
    assert_eq!((tape.metadata()["score"].as_str(), goals(&tape).len()), ("3:2", 5));
    assert!(goals(&tape).is_sorted() && goals(&tape)[4].1.starts_with("3:2 "));
    assert!(["team_0", "team_1"].iter().all(|team| tape.metadata()[*team].split(", ").count() == 2));
    let (imported, tape, _folder) = import_bytes(&bytes("partial_utf-16.replay")).unwrap();
    assert_eq!((imported.problems.len(), tape.metadata()["network_frames"].as_str()), (0, "8369"));
    let (imported, tape, _folder) = import_bytes(&bytes("bad_fuzz-too-many-frames.replay")).unwrap();
    assert!(imported.problems.iter().any(|problem| problem.contains("738197735 frames")), "{:?}", imported.problems);
    assert_eq!(goals(&tape).len(), 1);
    let (imported, _, _folder) = import_bytes(&bytes("bad_fuzz-slice-index.replay")).unwrap();
    assert!(!imported.problems.is_empty());
}

/// The values of a row of 4-byte floats.
fn values(row: &[u8]) -> Vec<f32> {
    row.chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
}

/// Times and values of a stream.
fn rows(tape: &Tape, stream: &str) -> Vec<(u64, Vec<f32>)> {
    importing::frames(tape, stream).into_iter().map(|(at_ns, row)| (at_ns, values(&row))).collect()
}

/// Rotates a vector by the quaternion in columns 3 to 6.
fn rotated(row: &[f32], v: [f32; 3]) -> [f32; 3] {
    let cross =
        |a: [f32; 3], b: [f32; 3]| [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
    let q = [row[3], row[4], row[5]];
    let t = cross(q, v).map(|value| 2.0 * value);
    let c = cross(q, t);
    [v[0] + row[6] * t[0] + c[0], v[1] + row[6] * t[1] + c[1], v[2] + row[6] * t[2] + c[2]]
}

/// A real match: the file, its number of network frames, score, frames of goals, first and last time, length, players.
struct Real {
    name: &'static str,
    frames: u64,
    score: &'static str,
    goals: &'static [usize],
    times_s: (f32, f32),
    players: usize,
    winner: Option<i64>,
}

const REAL: [Real; 3] = [
    Real {
        name: "net-none_2016_lan",
        frames: 7398,
        score: "3:2",
        goals: &[519, 898, 4434, 4982, 6139],
        times_s: (1304.87, 1706.85),
        players: 6,
        winner: Some(0),
    },
    Real {
        name: "net7_2018",
        frames: 7319,
        score: "2:3",
        goals: &[1794, 3515, 4664, 5476, 6329],
        times_s: (4.03, 399.76),
        players: 6,
        winner: Some(1),
    },
    Real {
        name: "net10_2025",
        frames: 10_921,
        score: "2:5",
        goals: &[2571, 3592, 5212, 6731, 8035, 9782, 10_111],
        times_s: (3.16, 410.16),
        players: 4,
        winner: Some(1),
    },
];

fn real_match(data: &std::path::Path, name: &str) -> (Tape, MatchFacts, TempDir) {
    let bytes = std::fs::read(data.join(format!("rocket-league/{name}.replay"))).unwrap();
    let (imported, tape, folder) = import_bytes(&bytes).unwrap();
    assert_eq!(imported.problems, Vec::<String>::new(), "{name}");
    let facts = MatchFacts::of_tape(&tape).unwrap();
    (tape, facts, folder)
}

#[test]
fn real_matches_of_three_generations_are_read_frame_by_frame() {
    let Some(data) = support::real_data("real_matches_of_three_generations_are_read_frame_by_frame") else { return };
    for real in &REAL {
        let name = real.name;
        let (tape, facts, _folder) = real_match(&data, name);
        let network = rows(&tape, "replay.network-frames");
        assert_eq!(network.len() as u64, real.frames, "{name}");
        let ends_s = (network[0].1[0], network[network.len() - 1].1[0]);
        assert!((ends_s.0 - real.times_s.0).abs() < 0.01 && (ends_s.1 - real.times_s.1).abs() < 0.01, "{ends_s:?}");
        assert_eq!(facts.result.as_deref(), Some(real.score), "{name}");
        assert_eq!(facts.players.len(), real.players, "{name}");
        assert!(facts.players.iter().all(|player| player.stream.is_some()), "{name}");
        // Goals stand at their frames, and the last has the final score.
        let told = goals(&tape);
        assert_eq!(told.len(), real.goals.len(), "{name}");
        for ((at_ns, _), frame) in told.iter().zip(real.goals) {
            assert_eq!(*at_ns, network[*frame].0, "{name}");
        }
        assert!(told.last().unwrap().1.starts_with(real.score), "{name}: {told:?}");
        goals_are_behind_the_line(&tape, name);
        bodies_are_in_the_arena(&tape, &facts, name);
        cars_point_forward(&tape, &facts, name);
        // Events come from changes of value: as many as the counters say, whatever is sent again at key frames.
        for (kind, counter) in [("save", "saves"), ("shot", "shots"), ("assist", "assists")] {
            let events = tape.events().into_iter().filter(|event| event.kind == kind).count() as i64;
            let counted: i64 = facts.players.iter().map(|player| player.counters[counter]).sum();
            assert_eq!(events, counted, "{name}: {kind}");
        }
        // The clock and the score of the last row.
        let last = rows(&tape, "match").last().unwrap().1.clone();
        assert_eq!(format!("{}:{}", last[2], last[3]), real.score, "{name}");
        assert!(last[0] <= 1.0, "{name}: {} s were left", last[0]);
        // Older files end before the game says that the match is over: then nobody is called the winner.
        assert!(facts.winner_team.is_none() || facts.winner_team == real.winner, "{name}: {:?}", facts.winner_team);
    }
    let (_, facts, _folder) = real_match(&data, "net10_2025");
    assert_eq!(facts.started_utc_ns, Some(1_752_524_048_000_000_000));
    assert_eq!(facts.winner_team, Some(1), "the header says so");
    let (tape, _, _folder) = real_match(&data, "net-none_2016_lan");
    // Goal replays are not in the stream: the time jumps over them, and nothing is filled in.
    let network = rows(&tape, "replay.network-frames");
    let jumps: Vec<f64> =
        network.windows(2).map(|pair| (pair[1].0 - pair[0].0) as f64 / 1e9).filter(|step| *step > 1.0).collect();
    assert_eq!(jumps.len(), 5, "{jumps:?}");
    assert!(jumps.iter().all(|jump| (8.5..9.5).contains(jump)), "{jumps:?}");
}

/// At each goal, the ball was behind one of the goal lines a moment before.
fn goals_are_behind_the_line(tape: &Tape, name: &str) {
    const LINE_CM: f32 = 5120.0;
    let ball = rows(tape, "ball");
    for (at_ns, text) in goals(tape) {
        let before = ball.iter().filter(|(time_ns, row)| *time_ns <= at_ns && row[14] == 1.0);
        let y: Vec<f32> = before.rev().take(8).map(|(_, row)| row[1]).collect();
        // Team 0 defends the side of negative y.
        let side = if text.ends_with("team 0") { 1.0 } else { -1.0 };
        assert!(y.iter().any(|y| y * side > LINE_CM - 50.0), "{name}: {text}: {y:?}");
    }
}

fn bodies_are_in_the_arena(tape: &Tape, facts: &MatchFacts, name: &str) {
    let cars = facts.players.iter().map(|player| player.stream.clone().unwrap());
    for stream in cars.chain(["ball".to_owned()]) {
        let rows = rows(tape, &stream);
        let (mut there, mut fastest) = (0, 0f32);
        for (_, row) in rows.iter().filter(|(_, row)| row[14] == 1.0 && !row[0].is_nan()) {
            there += 1;
            let [x, y, z] = [row[0], row[1], row[2]];
            assert!(
                x.abs() <= 4200.0 && y.abs() <= 6100.0 && (-20.0..=2100.0).contains(&z),
                "{name}: {stream}: {row:?}"
            );
            let length: f32 = row[3..7].iter().map(|value| value * value).sum();
            assert!((length - 1.0).abs() < 0.01, "{name}: {stream}: {row:?}");
            assert!(row[10..13].iter().all(|value| value.abs() <= 6.1), "{name}: {stream}: {row:?}");
            fastest = fastest.max(row[7..10].iter().map(|value| value * value).sum::<f32>().sqrt());
            if stream != "ball" {
                assert!(row[15].is_nan() || (0.0..=100.0).contains(&row[15]), "{name}: boost {}", row[15]);
                assert!(row[16..19].iter().all(|value| value.is_nan() || value.abs() <= 1.01), "{name}: {row:?}");
            }
        }
        assert!(there > 2000, "{name}: {stream} has {there} rows");
        let limit = if stream == "ball" { 6001.0 } else { 2301.0 };
        assert!((1000.0..=limit).contains(&fastest), "{name}: {stream}: {fastest} cm/s");
    }
}

/// A car that drives on the floor with full throttle moves to where it points, with its roof up.
fn cars_point_forward(tape: &Tape, facts: &MatchFacts, name: &str) {
    let (mut sum, mut up, mut count) = (0.0, 0.0, 0.0);
    for player in &facts.players {
        for (_, row) in rows(tape, player.stream.as_ref().unwrap()) {
            let speed = row[7..10].iter().map(|value| value * value).sum::<f32>().sqrt();
            if row[14] == 1.0 && row[2] < 20.0 && speed > 500.0 && row[16] > 0.9 {
                let forward = rotated(&row, [1.0, 0.0, 0.0]);
                sum += forward.iter().zip(&row[7..10]).map(|(a, b)| a * b / speed).sum::<f32>();
                up += rotated(&row, [0.0, 0.0, 1.0])[2];
                count += 1.0;
            }
        }
    }
    assert!(count > 500.0, "{name}: {count}");
    assert!(sum / count > 0.9 && up / count > 0.98, "{name}: {} {}", sum / count, up / count);
}

#[test]
fn several_balls_are_streams_of_their_own_and_an_absent_score_is_zero() {
    let Some(data) = support::real_data("several_balls_are_streams_of_their_own_and_an_absent_score_is_zero") else {
        return;
    };
    let (tape, facts, _folder) = real_match(&data, "multiple_balls");
    assert_eq!((tape.metadata()["network_frames"].as_str(), facts.result.as_deref()), ("1949", Some("0:1")));
    let at_once = rows(&tape, "ball-2").iter().filter(|(_, row)| row[14] == 1.0).count();
    assert!(at_once > 1000, "{at_once}");
    // Each ball moves without jumps: two balls in one stream would jump at every row.
    for stream in ["ball", "ball-2"] {
        let rows = rows(&tape, stream);
        let jumps = rows.windows(2).filter(|pair| {
            let moved: f32 = (0..3).map(|axis| (pair[1].1[axis] - pair[0].1[axis]).powi(2)).sum::<f32>().sqrt();
            moved > 1000.0 && pair[1].0 - pair[0].0 < 100_000_000
        });
        assert!(jumps.count() < 5, "{stream}");
    }
    let bots: Vec<_> = facts.players.iter().map(|player| (player.is_bot, player.is_recorder)).collect();
    assert_eq!(bots, [(Some(false), Some(true)), (Some(true), Some(false))]);
}
