//! Session starts and ends.
use super::*;
use crate::laps::words::SessionKind as Kind;
use gametape_simulator::{SessionKind, Status};

#[test]
fn d1_qualifying_follows_practice_without_a_lap() {
    let script = || {
        Script::new()
            .session_length_ms(Some(600_000.0))
            .wait(41_000)
            .new_session(SessionKind::Qualify)
            .lap(&LAP)
            .wait(5_000)
    };
    each_rate(script, |run| {
        assert_eq!(run.ends(), [SessionEnd::TypeChange, SessionEnd::ToolStop], "{} Hz", run.hz);
        assert_eq!((run.session(0).session.kind, run.session(1).session.kind), (Kind::Practice, Kind::Qualifying));
        assert_eq!((run.session(0).laps.len(), run.session(0).laps[0].state), (1, LapState::Aborted));
        assert_eq!(
            (run.times(), run.finals()[0].number, run.finals()[0].eligible),
            (vec![Some(100_400)], Some(1), true)
        );
        assert!(run.session(1).session.start_ns.abs_diff(41_000_000_000) <= 110_000_000);
    });
}

#[test]
fn d2_the_next_session_of_the_same_kind() {
    let script = || Script::new().lap(&LAP).wait(9_000).session_index(1).restart().lap(&LAP).wait(5_000);
    each_rate(script, |run| {
        assert_eq!(run.ends(), [SessionEnd::IndexChange, SessionEnd::ToolStop], "{} Hz", run.hz);
        assert_eq!(run.times(), [Some(100_400), Some(100_400)]);
    });
}

#[test]
fn d3_started_again_after_some_laps() {
    let script = || {
        let laps = (0..5).fold(Script::new().session_length_ms(Some(3_600_000.0)), |script, _| script.lap(&LAP));
        laps.wait(20_000).restart().lap(&LAP).wait(5_000)
    };
    each_rate(script, |run| {
        assert_eq!(run.ends(), [SessionEnd::Restart, SessionEnd::ToolStop], "{} Hz", run.hz);
        let numbers: Vec<_> = run.session(1).laps.iter().map(|lap| lap.number).collect();
        assert_eq!((run.session(0).laps.len(), numbers), (6, vec![Some(1), Some(2)]));
        assert!(run.session(0).laps[5].has(ReasonCode::AbortedRestart));
        assert_eq!(run.session(0).session.track, run.session(1).session.track);
        assert!(run.session(1).laps[0].eligible);
    });
}

#[test]
fn d4_started_again_before_the_first_lap() {
    let script = || Script::new().session_length_ms(Some(600_000.0)).wait(41_000).restart().lap(&LAP).wait(5_000);
    each_rate(script, |run| {
        assert_eq!(run.ends(), [SessionEnd::Restart, SessionEnd::ToolStop], "{} Hz", run.hz);
        let first = &run.session(0).laps;
        assert!(first.len() == 1 && first[0].state == LapState::Aborted && first[0].has(ReasonCode::AbortedRestart));
        assert!(first[0].end_ns.unwrap().abs_diff(41_000_000_000) <= 110_000_000);
        assert_eq!((run.times(), run.finals()[0].eligible), (vec![Some(100_400)], true));
    });
}

#[test]
fn d5_started_again_without_a_limit_shows_in_the_clock() {
    let script = || Script::new().wait(41_000).restart().lap(&LAP).wait(5_000);
    each_rate(script, |run| {
        assert_eq!(run.ends(), [SessionEnd::Restart, SessionEnd::ToolStop], "{} Hz", run.hz);
        assert_eq!((run.session(0).laps.len(), run.times()), (1, vec![Some(100_400)]));
    });
}

/// A restart with the car in its box, after a pause if one is given. Then the car leaves the box and drives a lap.
fn again_from_the_box(script: Script, pause_ms: Option<u64>) -> Script {
    let script = match pause_ms {
        Some(ms) => script.pause(ms),
        None => script,
    };
    let script = script.restart_into_box().wait(20_000).in_box(false).timer_runs(true).wait(4_000).in_pit_lane(false);
    let begun_ms = script.cursor_ms() - 4_000;
    script.at(begun_ms).lap(&LAP).lap(&LAP).wait(5_000)
}

#[test]
fn d3_d4_d5_started_again_into_the_box() {
    for pause_ms in [None, Some(6_000)] {
        for (laps, length_ms) in [(5, Some(3_600_000.0)), (5, None), (0, Some(600_000.0)), (0, None)] {
            let script = || {
                let begin = Script::new().session_length_ms(length_ms);
                let driven = (0..laps).fold(begin, |script, _| script.lap(&LAP)).glide(0.4, 41_000).wait(41_000);
                again_from_the_box(driven, pause_ms)
            };
            each_rate(script, |run| {
                let what = format!("{} Hz, {laps} laps, {length_ms:?}, {pause_ms:?}", run.hz);
                assert_eq!(run.ends(), [SessionEnd::Restart, SessionEnd::ToolStop], "{what}");
                let first = &run.session(0).laps;
                assert_eq!(first.len(), laps + 1, "{what}");
                assert!(first[laps].has(ReasonCode::AbortedRestart), "{what} {:?}", first[laps]);
                let again: Vec<_> = run.session(1).laps.iter().map(|lap| (lap.number, lap.time_ms)).collect();
                assert_eq!(again, [(Some(1), Some(100_400)), (Some(2), Some(100_400)), (Some(3), None)], "{what}");
                assert_eq!((run.session(0).stints.len(), run.session(1).stints.len()), (1, 1), "{what}");
            });
        }
    }
}

#[test]
fn d5_midnight_is_no_restart() {
    let script = || Script::new().clock_s(86_340.0).lap(&LAP).lap(&LAP).wait(5_000);
    each_rate(script, |run| assert_eq!((run.tracked.sessions.len(), run.times().len()), (1, 2), "{} Hz", run.hz));
}

#[test]
fn d6_started_again_in_hotlap_aborts_the_lap() {
    let script = || {
        Script::new()
            .session(SessionKind::Hotlap)
            .set(|board| board.clock_speed = 0.0)
            .sectors(&[30_500, 10_500])
            .current_ms(0)
            .distance_m(0.0)
            .position(0.0)
            .sector(0)
            .lap(&LAP)
            .wait(5_000)
    };
    each_rate(script, |run| {
        assert_eq!((run.tracked.sessions.len(), run.times()), (1, vec![Some(100_400)]), "{} Hz", run.hz);
        assert!(run.aborted()[0].has(ReasonCode::AbortedRestart), "{:?}", run.aborted());
        assert_eq!((sectors(run.finals()[0]), run.finals()[0].eligible), (LAP.map(Some).to_vec(), true));
    });
}

#[test]
fn d7_a_server_corrects_the_time_left() {
    let script = || {
        Script::new()
            .session_length_ms(Some(600_000.0))
            .lap(&LAP)
            .wait(5_000)
            .at(50_000)
            .time_left_ms(Some(553_000.0))
            .at(105_400)
    };
    each_rate(script, |run| {
        assert_eq!((run.ends(), run.times()), (vec![SessionEnd::ToolStop], vec![Some(100_400)]), "{} Hz", run.hz);
    });
    let at_the_line =
        || Script::new().session_length_ms(Some(600_000.0)).lap(&LAP).time_left_ms(Some(560_000.0)).wait(5_000);
    each_rate(at_the_line, |run| {
        assert_eq!((run.ends().len(), run.times()), (1, vec![Some(100_400)]), "{} Hz", run.hz)
    });
}

#[test]
fn d10_another_car_or_track() {
    let car = || Script::new().lap(&LAP).wait(9_000).car("other").restart().lap(&LAP).wait(5_000);
    each_rate(car, |run| {
        assert_eq!(run.ends(), [SessionEnd::CarChange, SessionEnd::ToolStop], "{} Hz", run.hz);
        assert_eq!(run.session(1).session.car.as_deref(), Some("other"));
    });
    let track = || Script::new().lap(&LAP).wait(9_000).track("other").restart().lap(&LAP).wait(5_000);
    each_rate(track, |run| assert_eq!(run.ends(), [SessionEnd::TrackChange, SessionEnd::ToolStop], "{} Hz", run.hz));
}

#[test]
fn d10_pages_that_change_one_after_the_other_are_one_change() {
    let script = || {
        Script::new()
            .lap(&LAP)
            .wait(9_000)
            .car("other")
            .wait(150)
            .track("elsewhere")
            .wait(150)
            .new_session(SessionKind::Race)
            .lap(&LAP)
            .wait(5_000)
    };
    each_rate(script, |run| assert_eq!(run.ends(), [SessionEnd::TrackChange, SessionEnd::ToolStop], "{} Hz", run.hz));
}

#[test]
fn d11_nothing_comes_of_a_menu() {
    each_rate(|| Script::new().status(Status::Off).wait(20_000), |run| assert_eq!(run.events, []));
}

#[test]
fn d13_the_game_is_killed() {
    for hz in RATES {
        let mut feed = Feed::new("acc");
        let script = Script::new().lap(&LAP).wait(30_000).game_crash().wait(60_000);
        Simulation::bare(script).sample(hz).for_each(|(time_ns, pages)| feed.pages(time_ns, &pages));
        let last_ns = feed.last_ns;
        feed.tracker.time_passes(last_ns + 5_000_000_000, &mut feed.events);
        assert!(feed.tracker.session().is_some() && feed.tracker.is_stale());
        feed.tracker.time_passes(last_ns + 31_000_000_000, &mut feed.events);
        assert!(feed.tracker.session().is_none());
        let run = feed.end(hz, None);
        assert_eq!((run.ends(), run.times()), (vec![SessionEnd::StreamEnd], vec![Some(100_400)]));
        assert!(run.aborted()[0].has(ReasonCode::PartialEnd));
        assert_eq!(run.session(0).session.end_ns, Some(last_ns));
    }
}

fn joined() -> Script {
    Script::new()
        .completed_laps(7)
        .last_ms(Some(99_000))
        .sector(1)
        .last_sector_ms(30_500)
        .current_ms(48_000)
        .position(0.5)
        .glide(1.0, 52_400)
        .wait(17_200)
        .set(|board| board.finish_sector(65_200))
        .wait(35_200)
        .set(|board| board.finish_lap(100_400))
        .position(0.0)
        .lap(&LAP)
        .wait(5_000)
}

#[test]
fn d14_joined_again_in_the_middle_of_a_session() {
    each_rate(joined, |run| {
        let numbers: Vec<_> = run.tracked.laps().map(|lap| (lap.number, lap.state)).collect();
        let expected = [(Some(8), LapState::Final), (Some(9), LapState::Final), (Some(10), LapState::Aborted)];
        assert_eq!(numbers, expected, "{} Hz", run.hz);
    });
}

#[test]
fn d15_joined_in_the_middle_of_a_lap() {
    each_rate(joined, |run| {
        let laps = run.finals();
        assert_eq!(
            (laps[0].time_ms, laps[0].time_source),
            (Some(100_400), Some(TimeSource::Official)),
            "{} Hz",
            run.hz
        );
        assert_eq!(
            (sectors(laps[0]), laps[0].complete, laps[0].eligible),
            (vec![None, None, Some(35_200)], false, false)
        );
        assert!(laps[0].has(ReasonCode::PartialStart));
        assert!(laps[1].eligible && laps[1].complete);
        assert_eq!(run.best_ms(0), Some(100_400));
    });
}

#[test]
fn d16_two_tapes_have_two_ids() {
    let mut ids = Vec::new();
    for tape in [1, 2] {
        let mut tracker = Tracker::new("assetto-corsa-competizione", TapeId([tape; 16]));
        let mut events = Vec::new();
        for tick in 0..10 {
            let frame = LapFrame { presence: gametape_games::Presence::Live, ..LapFrame::default() };
            tracker.frame(tick * 50_000_000, &frame, &gametape_games::Identity::default(), &mut events);
        }
        ids.push(tracker.session().unwrap().id);
    }
    assert_ne!(ids[0], ids[1]);
}

#[test]
fn d17_a_race_ends() {
    let script = || {
        Script::new()
            .session(SessionKind::Race)
            .lap(&LAP)
            .at(60_000)
            .chequered(true)
            .at(100_400)
            .lap(&LAP)
            .sectors(&[30_000, 10_000])
            .status(Status::Off)
            .wait(5_000)
    };
    each_rate(script, |run| {
        assert_eq!(
            (run.ends(), run.times()),
            (vec![SessionEnd::Game], vec![Some(100_400), Some(100_400)]),
            "{} Hz",
            run.hz
        );
        let slow = run.aborted();
        assert!(slow.len() == 1 && slow[0].has(ReasonCode::PartialEnd));
        assert!(run.session(0).session.end_ns.unwrap().abs_diff(240_800_000_000) <= 110_000_000);
    });
}

#[test]
fn d18_a_lap_just_before_the_menu() {
    let script = || Script::new().last_ms(Some(90_000)).lap(&LAP).wait(50).status(Status::Off).wait(5_000);
    for hz in [60, 100] {
        let run = run_at(hz, script());
        assert_eq!((run.times(), run.ends()), (vec![Some(100_400)], vec![SessionEnd::Game]), "{hz} Hz");
    }
    // At lower rates the line crossing may be missed: then there is no lap, but never a wrong one.
    for hz in [7, 9, 10, 11, 13, 20] {
        let run = run_at(hz, script());
        assert!(run.times().iter().all(|time| *time == Some(100_400)), "{hz} Hz {:?}", run.times());
    }
}

#[test]
fn d19_the_session_rolls_over_behind_a_replay() {
    let script = || {
        Script::new()
            .lap(&LAP)
            .wait(20_000)
            .status(Status::Replay)
            .time_runs(false)
            .wait(60_000)
            .new_session(SessionKind::Race)
            .time_runs(true)
            .status(Status::Live)
            .lap(&LAP)
            .wait(5_000)
    };
    each_rate(script, |run| {
        assert_eq!(run.ends(), [SessionEnd::TypeChange, SessionEnd::ToolStop], "{} Hz", run.hz);
        assert_eq!(run.times(), [Some(100_400), Some(100_400)]);
    });
}
