//! Replay files of other games than Rocket League: the values of real files, and files built here for formats of which no real ones could
//! be had.
use crate::importing::{frames, import_as};
use crate::replay_files;
use crate::support;

use gametape::format::read::Tape;
use gametape::import::{ImportOptions, Imported, summary_of};
use gametape::matches::{MatchFacts, Outcome};
use tempfile::TempDir;

/// Imports a real file; no problems are expected.
fn import_real(data: &std::path::Path, name: &str) -> (MatchFacts, Tape, TempDir) {
    let (imported, tape, folder) = import_whole(&std::fs::read(data.join(name)).unwrap());
    assert_eq!(imported.problems, Vec::<String>::new(), "{name}");
    let facts = MatchFacts::of_tape(&tape).unwrap();
    (facts, tape, folder)
}

/// Imports bytes; the tape holds them.
fn import_whole(bytes: &[u8]) -> (Imported, Tape, TempDir) {
    let (imported, tape, folder) = import_as("a.file", bytes).unwrap();
    let kept: Vec<u8> = frames(&tape, "replay").into_iter().flat_map(|(_, bytes)| bytes).collect();
    assert!(kept == bytes, "the file is kept");
    (imported, tape, folder)
}

fn told(tape: &Tape, key: &str) -> u64 {
    tape.metadata().get(key).unwrap_or_else(|| panic!("{key}")).parse().unwrap()
}

fn events(tape: &Tape, kind: &str) -> Vec<(u64, String)> {
    let events = tape.events().into_iter().filter(|event| event.kind == kind);
    events.map(|event| (event.at_ns, event.text)).collect()
}

const MS: u64 = 1_000_000;

#[test]
fn real_osu_replays_have_the_promised_values() {
    let Some(data) = support::real_data("real_osu_replays_have_the_promised_values") else { return };
    let data = data.join("osu");
    for (name, mode, version, score, combo, all_frames, sum_ms) in [
        ("replay.osr", "osu", "20140226", 118_076_658, 2385, 17_500, Some(264_194)),
        ("mania.osr", "mania", "20210423", 987_307, 3508, 17_433, Some(251_488)),
        ("lazer_standard_format.osr", "osu", "30000000", 347_503, 73, 5094, Some(77_567)),
        ("replay_old_replayid.osr", "osu", "20131113", 113_394_688, 2368, 18_135, None),
    ] {
        let (facts, tape, _folder) = import_real(&data, name);
        assert_eq!((facts.game.as_str(), facts.mode.as_deref()), ("osu", Some(mode)), "{name}");
        assert_eq!(facts.version.as_deref(), Some(version), "{name}");
        let player = &facts.players[0];
        assert_eq!((player.score, player.counters["max_combo"]), (Some(score), combo), "{name}");
        assert_eq!(told(&tape, "osu.frames"), all_frames, "{name}");
        let rows = frames(&tape, "cursor");
        let seed = u64::from(tape.metadata().contains_key("osu.seed"));
        assert_eq!(rows.len() as u64 + seed, all_frames, "{name}");
        let whole_ms: i64 = rows.iter().map(|(_, row)| f64::from_le_bytes(row[8..16].try_into().unwrap()) as i64).sum();
        if let Some(sum_ms) = sum_ms {
            assert_eq!(whole_ms, sum_ms, "{name}");
        }
        assert!(facts.length_ns.unwrap().abs_diff(whole_ms as u64 * MS) < 2000 * MS, "{name}: {facts:?}");
        assert!(facts.dated_utc_ns.is_some() && facts.started_utc_ns.is_none());
    }
    let (facts, tape, _folder) = import_real(&data, "replay_old_replayid.osr");
    assert_eq!(told(&tape, "osu.mods"), 0x18);
    assert!(facts.match_id.is_some(), "the id of 4 bytes");
}

#[test]
fn real_starcraft_2_replays_have_the_promised_values() {
    let Some(data) = support::real_data("real_starcraft_2_replays_have_the_promised_values") else { return };
    let data = data.join("sc2");
    for (name, version, loops, duration_s) in [
        ("a_2019", "4.8.2.71663", 8928, Some(558)),
        ("b_2018", "4.3.0.64469", 11_971, Some(748)),
        ("c_2018", "4.5.0.67188", 13_725, Some(858)),
        ("old_1.0.0.16117", "1.0.0.16117", 6349, None),
    ] {
        let (facts, tape, _folder) = import_real(&data, &format!("{name}.SC2Replay"));
        assert_eq!((facts.version.as_deref(), told(&tape, "sc2.game_loops")), (Some(version), loops), "{name}");
        assert_eq!(tape.metadata().get("sc2.duration_s").map(|text| text.parse().unwrap()), duration_s, "{name}");
        assert_eq!(facts.length_ns, Some(loops * 62_500_000), "{name}");
        assert_eq!(facts.players.len(), 2, "{name}");
        assert_eq!(facts.players[0].result, Some(Outcome::Win), "{name}: the first player won");
        assert_eq!(facts.players[1].result, Some(Outcome::Loss), "{name}");
        assert_eq!(facts.winner_team, facts.players[0].team, "{name}");
        assert!(facts.map.is_some() && facts.dated_utc_ns.is_some(), "{name}");
        assert_eq!(facts.players[0].counters.contains_key("apm"), duration_s.is_some(), "{name}");
    }
}

#[test]
fn real_age_of_empires_records_have_the_promised_values() {
    let Some(data) = support::real_data("real_age_of_empires_records_have_the_promised_values") else { return };
    let data = data.join("aoe2");
    for (name, log, version, length_ms, actions, chats, resigned) in [
        ("de-13.15.aoe2record", 5, "VER 9.4, save 13.15", 977_778, 950, Some(3), Some(2)),
        ("de-50.6-scenario.aoe2record", 5, "VER 9.4, save 50.60", 116_032, 94, None, None),
        ("de-62.0.aoe2record", 5, "VER 9.4, save 62.00", 1_087_917, 1616, Some(7), Some(1)),
        ("hd-4.8.aoe2record", 4, "VER 9.4, save 12.49", 2_570_070, 3063, None, Some(1)),
        ("up-1.4.mgz", 4, "VER 9.C, save 11.76", 2_844_945, 4216, None, Some(2)),
    ] {
        let (facts, tape, _folder) = import_real(&data, name);
        assert_eq!((facts.version.as_deref(), facts.length_ns), (Some(version), Some(length_ms * MS)), "{name}");
        assert_eq!((told(&tape, "aoe2.log_version"), told(&tape, "aoe2.actions")), (log, actions), "{name}");
        if let Some(chats) = chats {
            assert_eq!(told(&tape, "aoe2.chats"), chats, "{name}");
        }
        assert_eq!(facts.players.first().and_then(|player| player.number), resigned, "{name}");
        assert_eq!(events(&tape, "resigned").len(), usize::from(resigned.is_some()), "{name}");
        assert_eq!(tape.metadata()["aoe2.post_game"] == "true", name.starts_with("de-5") || name.starts_with("de-6"));
        assert!(tape.stream_named("camera").is_ok(), "{name}");
    }
}

#[test]
fn real_warcraft_3_replays_have_the_promised_values() {
    let Some(data) = support::real_data("real_warcraft_3_replays_have_the_promised_values") else { return };
    let data = data.join("warcraft3");
    for (name, version, length_ms, blocks, decoded, players) in [
        ("reforged1.w3g", "10032, build 6091", 276_625, 12, 92_419, 3),
        ("v126_999.w3g", "26, build 6059", 193_850, 13, 103_356, 4),
        ("v202_melee.w3g", "10100, build 6115", 45_500, 1, 7280, 2),
    ] {
        let (facts, tape, _folder) = import_real(&data, name);
        assert_eq!((facts.version.as_deref(), facts.length_ns), (Some(version), Some(length_ms * MS)), "{name}");
        let found = (told(&tape, "warcraft3.blocks"), told(&tape, "warcraft3.decoded_bytes"));
        assert_eq!((found, facts.players.len()), ((blocks, decoded), players), "{name}");
        assert!(facts.map.as_ref().unwrap().starts_with("Maps"), "{name}");
    }
}

#[test]
fn real_fortnite_replays_have_the_promised_values() {
    let Some(data) = support::real_data("real_fortnite_replays_have_the_promised_values") else { return };
    let data = data.join("fortnite");
    for (name, version, length_ms, data_chunks, checkpoints, all_events, eliminations, zones) in [
        ("UnsavedReplay-2018.10.17-20.22.26.replay", "6.10", 401_553, 22, 6, 99, 96, 0),
        ("season09-2019.07.25.replay", "9.41", 208_558, 12, 3, 26, 23, 1),
    ] {
        let (facts, tape, _folder) = import_real(&data, name);
        assert_eq!((facts.version.as_deref(), facts.length_ns), (Some(version), Some(length_ms * MS)), "{name}");
        assert_eq!(told(&tape, "fortnite.file_version"), 5, "{name}");
        let counts = ["data", "checkpoints", "events"].map(|key| told(&tape, &format!("fortnite.{key}")));
        assert_eq!(counts, [data_chunks, checkpoints, all_events], "{name}");
        assert_eq!(
            (events(&tape, "elimination").len(), events(&tape, "zone_update").len()),
            (eliminations, zones),
            "{name}"
        );
        assert!(events(&tape, "elimination").iter().all(|(at_ns, _)| *at_ns <= length_ms * MS), "{name}");
        assert_eq!(facts.map.as_deref(), Some("/Game/Athena/Maps/Athena_Terrain"), "{name}");
    }
}

/// Imports a built file; no problems are expected.
fn import_built(bytes: &[u8]) -> (MatchFacts, Tape, TempDir) {
    let (imported, tape, folder) = import_whole(bytes);
    assert_eq!(imported.problems, Vec::<String>::new());
    let facts = MatchFacts::of_tape(&tape).unwrap();
    (facts, tape, folder)
}

fn names(facts: &MatchFacts) -> Vec<&str> {
    facts.players.iter().map(|player| player.name.as_deref().unwrap_or("-")).collect()
}

#[test]
fn built_files_of_games_with_real_ones_are_read_the_same_way() {
    let (facts, tape, _folder) = import_built(&replay_files::osr());
    assert_eq!((facts.length_ns, told(&tape, "osu.seed"), told(&tape, "osu.frames")), (Some(32 * MS), 77, 5));
    assert_eq!((names(&facts), facts.players[0].counters["max_combo"]), (vec!["Player 1"], 272));
    let (facts, _, _folder) = import_built(&replay_files::sc2());
    assert_eq!((names(&facts), facts.winner_team), (vec!["<A> Player 1", "Player 2"], Some(0)));
    assert_eq!((facts.length_ns, facts.players[0].counters["mmr"]), (Some(558_000 * MS), 3000));
    let (facts, tape, _folder) = import_built(&replay_files::aoe2());
    assert_eq!((facts.length_ns, facts.players.len()), (Some(1250 * MS), 1));
    assert_eq!(events(&tape, "resigned"), [(1250 * MS, "player 2".to_owned())]);
    let (facts, _, _folder) = import_built(&replay_files::w3g());
    assert_eq!((names(&facts), facts.map.as_deref()), (vec!["Player 1", "Player 2"], Some("Maps/(2)Temple.w3x")));
    let (facts, tape, _folder) = import_built(&replay_files::fortnite());
    assert_eq!((facts.version.as_deref(), facts.dated_local.is_some()), (Some("9.41"), true));
    let times: Vec<u64> = events(&tape, "elimination").into_iter().map(|(at_ns, _)| at_ns / MS).collect();
    assert_eq!(times, [76_682, 80_000], "in the order of their times, not of the file");
}

#[test]
fn rainbow_six_headers_are_read_plain_and_packed() {
    for file in [replay_files::r6(), replay_files::r6_packed()] {
        let (facts, tape, _folder) = import_built(&file);
        assert_eq!((facts.map.as_deref(), facts.mode.as_deref()), (Some("Club House"), Some("bomb, ranked")));
        assert_eq!((facts.result.as_deref(), facts.winner_team), (Some("2:1"), None), "a round does not end the match");
        assert_eq!((facts.match_id.as_deref(), facts.recorded_by.as_deref()), (Some("0f9a"), Some("Player 1")));
        assert_eq!(facts.dated_utc_ns, Some(1_735_065_005_000_000_000));
        let players: Vec<_> = facts.players.iter().map(|player| (player.team, player.played_as.as_deref())).collect();
        assert_eq!(players, [(Some(0), Some("ASH")), (Some(1), Some("MUTE"))]);
        assert_eq!(told(&tape, "r6.round_winner_team"), 0);
        assert_eq!(events(&tape, "round_start"), [(0, "round 4".to_owned())]);
    }
}

#[test]
fn source_2_demos_tell_map_length_players_and_rounds() {
    let (facts, tape, _folder) = import_built(&replay_files::cs2());
    assert_eq!((facts.game.as_str(), facts.map.as_deref()), ("counter-strike-2", Some("de_mirage")));
    assert_eq!(facts.length_ns, Some(200_000 * MS));
    let rounds: Vec<u64> = events(&tape, "round_start").into_iter().map(|(at_ns, _)| at_ns / MS).collect();
    assert_eq!(rounds, [1000, 100_000], "64 ticks per second");
    assert_eq!(tape.stream_named("replay").unwrap().spec().game, "counter-strike-2");
    let (facts, _, _folder) = import_built(&replay_files::dota2());
    assert_eq!((facts.game.as_str(), facts.winner_team), ("dota-2", Some(3)));
    assert_eq!((names(&facts), facts.players[1].result), (vec!["Player 1", "Player 2"], Some(Outcome::Win)));
    assert_eq!((facts.match_id.as_deref(), facts.length_ns), (Some("7500000001"), None), "ticks alone are no length");
    // A recording that was aborted has no file info.
    let mut aborted = replay_files::cs2();
    aborted[8..12].fill(0);
    let (imported, tape, _folder) = import_whole(&aborted);
    assert_eq!(imported.problems.len(), 1, "{:?}", imported.problems);
    assert_eq!(MatchFacts::of_tape(&tape).unwrap().map.as_deref(), Some("de_mirage"));
}

#[test]
fn league_replays_of_both_versions_tell_players_and_winner() {
    for (file, version, id) in [
        (replay_files::rofl_1(), "13.24.547.8901", Some("6700000001")),
        (replay_files::rofl_2(), "14.12.594.4901", None),
    ] {
        let (facts, _, _folder) = import_built(&file);
        assert_eq!((facts.version.as_deref(), facts.match_id.as_deref()), (Some(version), id));
        assert_eq!((facts.length_ns, facts.winner_team), (Some(1_805_000 * MS), Some(200)));
        assert_eq!(names(&facts), ["Player 1#EUW", "Player 2#EUW"]);
        let player = &facts.players[1];
        assert_eq!((player.played_as.as_deref(), player.result), (Some("Zed"), Some(Outcome::Win)));
        assert_eq!((player.counters.get("kills"), player.counters.get("deaths")), (Some(&7), None), "empty is not 0");
    }
}

#[test]
fn pubg_replays_tell_their_players_if_the_summary_is_beside_them() {
    let (facts, _, _folder) = import_built(&replay_files::pubg());
    assert_eq!((facts.map.as_deref(), facts.mode.as_deref()), (Some("Erangel"), Some("squad-fpp")));
    assert_eq!((facts.players.len(), facts.dated_utc_ns), (0, Some(1_700_000_000_250_000_000)));
    let folder = tempfile::tempdir().unwrap();
    let file = support::put(&folder.path().join("PUBG.replayinfo"), &replay_files::pubg());
    std::fs::create_dir(folder.path().join("data")).unwrap();
    support::put(&folder.path().join("data/abcReplaySummary1"), &replay_files::pubg_summary());
    let summary = summary_of(&file, &ImportOptions::default()).unwrap();
    let facts = summary.facts.unwrap();
    assert_eq!((names(&facts), facts.match_id.as_deref()), (vec!["Player 1", "Player 2"], Some("m-1")));
    assert_eq!((facts.players[0].counters["kills"], facts.players[0].is_recorder), (4, Some(true)));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2, "a look writes nothing");
}

#[test]
fn trackmania_headers_tell_map_and_best_time() {
    let (facts, tape, _folder) = import_built(&replay_files::gbx());
    assert_eq!((facts.map.as_deref(), facts.result.as_deref()), (Some("Red Hill"), Some("0:47.391")));
    assert_eq!((names(&facts), facts.length_ns), (vec!["Player 1"], Some(47_391 * MS)));
    assert!(!tape.metadata().contains_key("gbx.respawns"), "-1 is not known");
    // A run that was not finished has no time.
    let text = String::from_utf8_lossy(&replay_files::gbx()).into_owned();
    let at = text.find("47391").unwrap();
    let mut unfinished = replay_files::gbx();
    let shift = String::from_utf8_lossy(&unfinished).len() - unfinished.len();
    unfinished[at - shift..at - shift + 5].copy_from_slice(b"-1\"  ");
    let (facts, _, _folder) = import_built(&unfinished);
    assert_eq!((facts.length_ns, facts.result), (None, None));
}

#[test]
fn kinds_are_known_by_their_content_and_by_no_other() {
    for (kind, file) in replay_files::all() {
        let named = tempfile::NamedTempFile::new().unwrap();
        std::fs::copy(support::put(&named.path().with_extension("x"), &file), named.path()).unwrap();
        std::fs::remove_file(named.path().with_extension("x")).unwrap();
        assert_eq!(gametape::import::detect(named.path()).unwrap().id(), kind);
    }
}

#[test]
fn cut_and_flipped_files_keep_their_bytes_and_never_hang() {
    for (kind, file) in replay_files::all() {
        let step = (file.len() / 40).max(1);
        for end in (0..file.len()).step_by(step) {
            // A start that is too short is of no known kind.
            if let Ok((_, tape, _folder)) = import_as("a.file", &file[..end]) {
                let kept: Vec<u8> = frames(&tape, "replay").into_iter().flat_map(|(_, bytes)| bytes).collect();
                assert!(kept == file[..end], "{kind} cut at {end}");
            }
            let mut flipped = file.clone();
            flipped[end] ^= 0x55;
            if let Ok((_, tape, _folder)) = import_as("a.file", &flipped) {
                assert!(
                    MatchFacts::of_tape(&tape).is_some() || tape.metadata()["source_kind"] != kind,
                    "{kind} at {end}"
                );
            }
        }
    }
}
