//! Formula One: sectors, the last lap, records of completed laps, sessions and pauses.
use super::f1_game::{F1Game, UID};
use super::live::live_and_tape;
use super::*;
use crate::laps::words::{Phase, SectorSource};

/// The first format, which has one field for a sector time, and one with two. The tests of the game's lap reader cover all of them.
const FORMATS: [u16; 2] = [2022, 2026];

fn each(check: impl Fn(F1Game)) {
    for format in FORMATS {
        for hz in [20, 60] {
            check(F1Game::new(format, hz));
        }
    }
}

fn sources(lap: &Lap) -> Vec<SectorSource> {
    lap.sectors.iter().map(|sector| sector.source).collect()
}

#[test]
fn g6_a_sector_of_more_than_a_minute() {
    each(|mut game| {
        let slow = [65_250, 34_700, 130_000];
        game.next = vec![LAP, slow];
        game.drive_to(3, 5_000);
        let run = game.track();
        let lap = run.finals()[1];
        assert_eq!(lap.time_ms, Some(229_950));
        // Format 2022 has 16 bits for a sector.
        if game.game_id() != "f1-22" {
            assert_eq!(sectors(lap), slow.map(Some), "{}", game.game_id());
            assert_eq!(sources(lap), [SectorSource::Official; 3]);
        }
    });
}

#[test]
fn the_history_has_the_sectors_and_the_time_of_a_lap() {
    each(|mut game| {
        game.drive_to(3, 5_000);
        let run = game.track();
        let laps: Vec<_> =
            run.finals().iter().map(|lap| (lap.phase, lap.time_ms, sectors(lap), sources(lap))).collect();
        let lap = |phase| (phase, Some(100_400), LAP.map(Some).to_vec(), vec![SectorSource::Official; 3]);
        assert_eq!(laps, [lap(Phase::GridStart), lap(Phase::Flying)], "{}", game.game_id());
        // Without it, the last sector is what remains.
        game.sends_history = false;
        game.sent.frames.clear();
        game.drive_to(5, 5_000);
        let run = game.track();
        let lap = run.finals()[1];
        assert_eq!(sources(lap), [SectorSource::Official, SectorSource::Official, SectorSource::Differenced]);
    });
}

/// The end of the lap is lost: the history knows it.
#[test]
fn the_history_amends_a_lap_of_which_the_recording_has_too_little() {
    each(|mut game| {
        game.drive_to(2, 90_000);
        game.sends_laps = false;
        game.drive_to(3, 9_000);
        game.sends_laps = true;
        game.drive_to(3, 15_000);
        let run = game.track();
        let lap = run.finals()[1];
        assert_eq!((lap.number, lap.time_ms, lap.valid), (Some(2), Some(100_400), Some(true)), "{lap:?}");
        assert_eq!((sectors(lap), sources(lap)), (LAP.map(Some).to_vec(), vec![SectorSource::Official; 3]));
    });
}

#[test]
fn the_history_decides_on_validity() {
    each(|mut game| {
        game.drive_to(2, 50_000).cut().drive_to(4, 20_000);
        let run = game.track();
        let valid: Vec<_> = run.finals().iter().map(|lap| lap.valid).collect();
        assert_eq!(valid, [Some(true), Some(false), Some(true)]);
        assert!(run.finals()[1].has(ReasonCode::GameInvalid) && run.best_ms(0) == Some(100_400));
        // A lap that was valid while it was driven.
        game.invalidate_last().drive_to(4, 30_000);
        let run = game.track();
        let lap = run.finals()[2];
        assert_eq!((lap.valid, lap.eligible, codes(lap)), (Some(false), false, vec!["game_invalid"]));
        assert_eq!(run.best_ms(0), None, "it was the best lap");
        assert!(run.events.iter().any(|event| matches!(event, Event::LapAmended(amended) if amended.id == lap.id)));
    });
}

#[test]
fn g8_the_last_lap_ends_although_its_number_does_not_rise() {
    each(|mut game| {
        game.drive_to(3, 50_000);
        game.is_last = true;
        game.drive_to(4, 0).drive(1_500).event("SEND");
        game.uid = 0;
        game.drive(4_000);
        let run = game.track();
        assert_eq!((run.times(), run.ends()), (vec![Some(100_400); 3], vec![SessionEnd::Game]), "{}", game.game_id());
        let lap = run.finals()[2];
        assert_eq!((lap.number, lap.eligible, sectors(lap)), (Some(3), true, LAP.map(Some).to_vec()));
        assert_eq!(sources(lap), [SectorSource::Official; 3]);
    });
}

/// No lap data say that the last lap ended; the history that is sent after the end does, with the UID of the session or with 0.
#[test]
fn g8_the_history_after_the_end_has_the_last_lap() {
    for uid in [UID, 0] {
        each(|mut game| {
            game.drive_to(3, 100_300);
            (game.is_last, game.sends_laps, game.sends_history) = (true, false, false);
            game.drive_to(4, 0).event("SEND");
            game.uid = uid;
            game.history();
            (game.uid, game.sends_laps) = (0, true);
            game.drive(4_000);
            let run = game.track();
            assert_eq!(
                (run.times(), run.ends()),
                (vec![Some(100_400); 3], vec![SessionEnd::Game]),
                "{}",
                game.game_id()
            );
            let lap = run.finals()[2];
            assert_eq!((lap.number, lap.time_source), (Some(3), Some(TimeSource::Official)));
            assert_eq!((sectors(lap), sources(lap)), (LAP.map(Some).to_vec(), vec![SectorSource::Official; 3]));
        });
    }
}

#[test]
fn g10_menus_and_skipped_sessions_are_no_sessions() {
    each(|mut game| {
        game.uid = 0;
        game.drive(3_000);
        game.uid = UID + 7;
        game.event("SSTA").event("SEND");
        game.uid = 0;
        game.drive(3_000);
        assert_eq!(game.track().events, []);
        game.uid = UID;
        game.drive_to(2, 5_000);
        assert_eq!(game.track().sessions().len(), 1, "a session that is driven");
    });
}

/// A paused game sends nothing, for longer than any timeout.
#[test]
fn e1_a_silent_pause_is_no_time() {
    each(|mut game| {
        game.drive_to(2, 47_000).silence(360_000).drive_to(3, 5_000);
        let run = game.track();
        let lap = run.finals()[1];
        assert_eq!((run.ends(), run.times()), (vec![SessionEnd::ToolStop], vec![Some(100_400); 2]));
        assert_eq!((codes(lap), lap.eligible, sectors(lap)), (vec![], true, LAP.map(Some).to_vec()));
        let (live, tape) = live_and_tape(game.game_id(), &game.sent.streams(), &game.sent.frames);
        assert_eq!(live.sessions, tape.sessions);
        assert_eq!(live.laps().map(|lap| lap.time_ms).collect::<Vec<_>>(), [Some(100_400), Some(100_400), None]);
        let at_4000_m = game.sent.time_at_m(2, 4_000);
        assert!((at_4000_m - 79_280.0).abs() < 60.0, "{at_4000_m}: the pause is not time of the lap");
    });
}

/// The lap ends, and the game is paused before its time can be seen: the time is awaited after the pause.
#[test]
fn a_silent_pause_at_the_line_does_not_end_the_wait_for_the_official_time() {
    let mut game = F1Game::new(2025, 60);
    game.sends_history = false;
    let at_line = game.drive_to(3, 0).sent.frames.len() - 1;
    game.silence(60_000).drive_to(3, 10_000);
    // The last lap time is missing in the last lap data before the pause, and in the first ones after it.
    let layout = gametape_games::f1::packet_layout(2025, 2).unwrap();
    let last = layout.channel("lapData[19].lastLapTimeInMS").unwrap().offset as usize;
    let lap_data = game.sent.frames[at_line].0;
    let late = game.sent.frames[at_line..].iter_mut().filter(|(stream, ..)| *stream == lap_data).take(3);
    late.for_each(|(_, _, bytes)| bytes[last..last + 4].fill(0));
    let run = game.track();
    let finals = run.events.iter().filter_map(|event| match event {
        Event::LapFinal(lap) => Some((lap.number, lap.time_source)),
        _ => None,
    });
    let official = Some(TimeSource::Official);
    assert_eq!(finals.collect::<Vec<_>>(), [(Some(1), official), (Some(2), official)]);
}
