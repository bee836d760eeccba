//! Sequences that are not in the list of scenarios.
use super::*;
use crate::laps::words::Phase;
use gametape_simulator::{SessionKind, Status};

#[test]
fn a_gap_over_the_line_keeps_the_time_and_loses_the_certainty() {
    each_rate(
        || Script::new().lap(&LAP).lap(&LAP).wait(5_000).at(95_000).gap(8_000).at(206_000),
        |run| {
            let laps = run.finals();
            assert_eq!(run.times(), [Some(100_400), Some(100_400)], "{} Hz", run.hz);
            assert!(
                laps[0].has(ReasonCode::PartialEnd) && laps[0].valid.is_none() && !laps[0].eligible,
                "{:?}",
                laps[0]
            );
            assert!(laps[0].end_ns.unwrap().abs_diff(100_400_000_000) < 2_000_000, "the end is known from the timer");
            assert_eq!((sectors(laps[0]), laps[1].eligible), (LAP.map(Some).to_vec(), true));
        },
    );
}

#[test]
fn laps_in_a_gap_are_told_of_without_times() {
    let slow = [31_000, 35_000, 36_000];
    each_rate(
        || {
            Script::new()
                .lap(&LAP)
                .lap(&LAP)
                .lap(&LAP)
                .lap(&slow)
                .lap(&LAP)
                .wait(5_000)
                .at(120_000)
                .gap(290_000)
                .at(510_000)
        },
        |run| {
            let laps: Vec<_> = run.tracked.laps().map(|lap| (lap.number.unwrap(), lap.time_ms, lap.state)).collect();
            let expected = [
                (1, Some(100_400), LapState::Final),
                (2, None, LapState::Aborted),
                (3, None, LapState::Aborted),
                (4, Some(102_000), LapState::Final),
                (5, Some(100_400), LapState::Final),
                (6, None, LapState::Aborted),
            ];
            assert_eq!(laps, expected, "{} Hz", run.hz);
            let unseen: Vec<_> = run.tracked.laps().skip(1).take(3).collect();
            assert!(unseen.iter().all(|lap| lap.has(ReasonCode::StreamGap) && !lap.eligible && !lap.complete));
            assert!(run.tracked.laps().nth(4).unwrap().has(ReasonCode::PartialStart));
        },
    );
}

#[test]
fn a_restart_in_a_gap_is_a_restart() {
    let script = || {
        Script::new()
            .session_length_ms(Some(3_600_000.0))
            .lap(&LAP)
            .wait(20_000)
            .restart()
            .lap(&LAP)
            .wait(5_000)
            .at(110_000)
            .gap(15_000)
            .at(226_000)
    };
    each_rate(script, |run| {
        assert_eq!(run.ends(), [SessionEnd::Restart, SessionEnd::ToolStop], "{} Hz", run.hz);
        assert_eq!(run.times(), [Some(100_400), Some(100_400)]);
    });
}

#[test]
fn a_restart_within_the_wait_for_a_time_loses_no_lap() {
    for late_ms in [1, 50, 1_000] {
        let script = || {
            Script::new().session_length_ms(Some(3_600_000.0)).lap(&LAP).wait(late_ms).restart().lap(&LAP).wait(5_000)
        };
        each_rate(script, |run| {
            let times = run.times();
            if late_ms >= 1000 / u64::from(run.hz) {
                assert_eq!(times, [Some(100_400), Some(100_400)], "{late_ms} at {} Hz", run.hz);
            }
            assert!(times.iter().all(|time| *time == Some(100_400)));
            assert_eq!(run.ends().last(), Some(&SessionEnd::ToolStop));
        });
    }
}

#[test]
fn off_for_a_moment_in_the_middle_of_a_lap_is_nothing() {
    each_rate(
        || {
            Script::new()
                .lap(&LAP)
                .wait(5_000)
                .at(50_000)
                .status(Status::Off)
                .wait(1_500)
                .status(Status::Live)
                .at(105_400)
        },
        |run| {
            assert_eq!((run.ends().len(), run.times()), (1, vec![Some(100_400)]), "{} Hz", run.hz);
        },
    );
    each_rate(
        || {
            Script::new()
                .lap(&LAP)
                .wait(20_000)
                .status(Status::Off)
                .wait(10_000)
                .status(Status::Live)
                .set(|board| board.restart(None, 40_000.0))
                .lap(&LAP)
                .wait(5_000)
        },
        |run| {
            assert_eq!(run.ends(), [SessionEnd::Game, SessionEnd::ToolStop], "{} Hz", run.hz);
            assert_eq!(run.times(), [Some(100_400), Some(100_400)]);
        },
    );
}

#[test]
fn a_teleport_spoils_the_lap_and_not_the_session() {
    each_rate(
        || Script::new().lap(&LAP).lap(&LAP).wait(5_000).at(40_000).teleport(0.9).at(206_000),
        |run| {
            let laps = run.finals();
            assert_eq!(laps.len(), 2, "{} Hz", run.hz);
            assert!(laps[0].has(ReasonCode::Teleport) && !laps[0].eligible && !laps[0].complete);
            assert!(laps[1].eligible);
        },
    );
}

#[test]
fn a_lap_that_is_wound_back_goes_on_and_is_no_best() {
    each_rate(
        || Script::new().lap(&LAP).wait(5_000).at(50_000).current_ms(42_000).at(105_400),
        |run| {
            assert_eq!(run.finals().len(), 1, "{} Hz", run.hz);
            assert!(run.finals()[0].has(ReasonCode::Rewind) && !run.finals()[0].eligible);
        },
    );
}

#[test]
fn a_line_that_the_game_does_not_count_is_no_lap() {
    // The out lap of a hotlap session: the timer restarts at the line, and no lap is counted.
    let script = || {
        Script::new()
            .session(SessionKind::Hotlap)
            .sectors(&LAP)
            .current_ms(0)
            .sector(0)
            .position(0.0)
            .lap(&LAP)
            .wait(5_000)
    };
    each_rate(script, |run| {
        assert_eq!((run.tracked.sessions.len(), run.times()), (1, vec![Some(100_400)]), "{} Hz", run.hz);
        assert!(run.aborted()[0].has(ReasonCode::NoOfficialTime));
        assert_eq!((run.finals()[0].number, run.finals()[0].eligible), (Some(1), true));
    });
}

#[test]
fn driving_through_the_pit_lane_ends_no_stint() {
    each_rate(
        || {
            Script::new()
                .lap(&LAP)
                .lap(&LAP)
                .wait(5_000)
                .at(95_000)
                .in_pit_lane(true)
                .at(110_000)
                .in_pit_lane(false)
                .at(206_000)
        },
        |run| {
            let phases: Vec<_> = run.finals().iter().map(|lap| lap.phase).collect();
            assert_eq!((phases, run.session(0).stints.len()), (vec![Phase::In, Phase::Out], 1), "{} Hz", run.hz);
        },
    );
}

#[test]
fn a_stop_before_the_line_is_of_the_lap_that_came_in() {
    let script = || {
        Script::new()
            .lap(&LAP)
            .lap(&LAP)
            .lap(&LAP)
            .wait(5_000)
            .at(150_000)
            .in_pit_lane(true)
            .wait(2_000)
            .in_box(true)
            .wait(20_000)
            .in_box(false)
            .wait(9_000)
            .in_pit_lane(false)
            .at(306_000)
    };
    each_rate(script, |run| {
        let laps: Vec<_> = run.finals().iter().map(|lap| (lap.phase, lap.stint)).collect();
        assert_eq!(laps, [(Phase::Flying, Some(1)), (Phase::In, Some(1)), (Phase::Flying, Some(2))], "{} Hz", run.hz);
        let stints: Vec<_> = run.session(0).stints.iter().map(|stint| (stint.first_lap, stint.last_lap)).collect();
        assert_eq!(stints, [(Some(1), Some(2)), (Some(3), Some(4))], "{} Hz", run.hz);
    });
}

#[test]
fn a_fresh_time_is_a_sign_of_the_line() {
    // The lap count rises late, or never because the session ends.
    let line = || {
        Script::new().completed_laps(3).last_ms(Some(99_000)).sectors(&LAP).set(|board| {
            board.last_ms = Some(100_400);
            board.begin_lap(0.0);
            board.position = 0.0;
        })
    };
    let late = || line().wait(1_500).completed_laps(4).at(100_400).lap(&[30_000, 34_000, 35_000]).wait(5_000);
    each_rate(late, |run| {
        let laps: Vec<_> = run.tracked.laps().map(|lap| (lap.number, lap.time_ms, lap.state)).collect();
        let expected = [
            (Some(4), Some(100_400), LapState::Final),
            (Some(5), Some(99_000), LapState::Final),
            (Some(6), None, LapState::Aborted),
        ];
        assert_eq!((laps, run.finals()[0].eligible), (expected.to_vec(), true), "{} Hz", run.hz);
    });
    let ends = || line().wait(300).status(Status::Off).wait(5_000);
    each_rate(ends, |run| {
        assert_eq!((run.times(), run.ends()), (vec![Some(100_400)], vec![SessionEnd::Game]), "{} Hz", run.hz);
        assert_eq!(run.finals()[0].number, Some(4));
    });
}

#[test]
fn a_lap_without_a_time_does_not_get_the_last_one_because_it_is_near() {
    let script = || {
        Script::new().lap(&LAP).sectors(&[30_500, 34_700, 35_260]).set(|board| {
            board.completed_laps += 1;
            board.begin_lap(0.0);
            board.position = 0.0;
        })
    };
    each_rate(
        || script().wait(5_000),
        |run| {
            let lap = run.finals()[1];
            assert_eq!((lap.time_source, lap.eligible), (Some(TimeSource::Measured), false), "{} Hz {lap:?}", run.hz);
        },
    );
}

#[test]
fn the_way_is_counted_once_while_the_timer_is_awaited() {
    let script = || {
        let mut script = Script::new();
        for _ in 0..4 {
            let begun_ms = script.cursor_ms();
            // The lap count rises almost half a second before the timer falls.
            script =
                script.lap(&LAP).at(begun_ms + 100_000).set(|board| board.completed_laps += 1).at(begun_ms + 100_400);
            script = script.set(|board| board.completed_laps -= 1);
        }
        script.wait(5_000)
    };
    each_rate(script, |run| {
        assert_eq!(run.times().len(), 4, "{} Hz", run.hz);
        let length_m = run.tracked.tracks[0].length_m.unwrap();
        let drawn_m = gametape_simulator::Track::ring().length_m() as f32;
        assert!((length_m - drawn_m).abs() < 60.0, "{length_m} and not {drawn_m} at {} Hz", run.hz);
    });
}

#[test]
fn the_track_is_known_when_the_first_whole_lap_is_driven() {
    let mut feed = Feed::new("acc");
    for (time_ns, pages) in Simulation::bare(Script::new().lap(&LAP).lap(&LAP).lap(&LAP).wait(5_000)).sample(20) {
        feed.pages(time_ns, &pages);
    }
    let lengths = |feed: &Feed| {
        let facts = feed.events.iter().filter_map(|event| match event {
            Event::TrackLearned(facts) => Some(facts.length_m.is_some()),
            _ => None,
        });
        facts.collect::<Vec<_>>()
    };
    assert_eq!(lengths(&feed), [true], "while the session continues");
    let run = feed.end(20, Some(SessionEnd::ToolStop));
    assert_eq!(run.tracked.tracks.len(), 1, "the facts at the end of the session replace the first ones");
}

#[test]
fn off_is_seen_behind_it_too() {
    // As in a tape: unchanged pages are not stored.
    let mut feed = Feed::new("acc");
    let script =
        Script::new().lap(&LAP).wait(20_000).status(Status::Off).wait(10_000).status(Status::Live).wait(20_000);
    for (time_ns, pages) in Simulation::bare(script).sample(20) {
        let unchanged = (120_500_000_000..130_400_000_000).contains(&time_ns);
        if !unchanged {
            feed.pages(time_ns, &pages);
        }
    }
    let run = feed.end(20, Some(SessionEnd::ToolStop));
    assert_eq!((run.ends(), run.times()), (vec![SessionEnd::Game, SessionEnd::ToolStop], vec![Some(100_400)]));
    assert_eq!(run.session(0).session.end_ns, Some(120_400_000_000));
}

#[test]
fn time_that_passes_does_not_date_frames() {
    let mut feed = Feed::new("acc");
    for (time_ns, pages) in Simulation::bare(Script::new().lap(&LAP).wait(5_000)).sample(20) {
        feed.pages(time_ns, &pages);
        // Another stream is slightly ahead.
        feed.tracker.time_passes(time_ns + 300_000_000, &mut feed.events);
    }
    let run = feed.end(20, Some(SessionEnd::ToolStop));
    let alone = run_at(20, Script::new().lap(&LAP).wait(5_000));
    assert_eq!(run.tracked.sessions, alone.tracked.sessions);
}

#[test]
fn the_same_frames_give_the_same_events() {
    let script = || Script::new().lap(&LAP).wait(20_000).restart().lap(&LAP).wait(5_000);
    let (one, other) = (run_at(60, script()), run_at(60, script()));
    assert_eq!(one.events, other.events);
}

#[test]
fn laps_of_the_driving_car_are_those_that_its_referee_saw() {
    use gametape_simulator::{Settings, Start};
    for start in [Start::Flying, Start::Grid, Start::Box] {
        for hz in RATES {
            let settings =
                Settings { seed: 3, start, pit_every_laps: Some(4), session_ms: Some(600_000), ..Settings::default() };
            let simulation = Simulation::driving(settings, Script::new().at(400_000).end());
            let (mut feed, mut shown) = (Feed::new("acc"), Vec::new());
            let mut laps = 0;
            for (time_ns, pages) in simulation.sample(hz) {
                let page = &pages.graphics;
                if page.completed_laps != laps {
                    laps = page.completed_laps;
                    shown.push(page.i_last_time as u32);
                }
                feed.pages(time_ns, &pages);
            }
            let run = feed.end(hz, Some(SessionEnd::ToolStop));
            let official = |lap: &&&Lap| lap.time_source == Some(TimeSource::Official);
            let got: Vec<u32> = run.finals().iter().filter(official).map(|lap| lap.time_ms.unwrap()).collect();
            assert_eq!(
                got,
                shown,
                "{start:?} {hz} Hz {:?}",
                run.tracked.laps().map(|l| (l.number, l.state, codes(l))).collect::<Vec<_>>()
            );
            assert!(run.finals().iter().all(|lap| lap.sectors.len() == 3 && !lap.has(ReasonCode::Teleport)));
            assert!(run.finals().iter().filter(|lap| !lap.has(ReasonCode::SectorMissing)).count() + 1 >= got.len());
            let facts = &run.tracked.tracks[0];
            let length_m = facts.length_m.unwrap();
            assert!(
                (length_m
                    - Simulation::driving(settings, Script::new().end()).game().unwrap().track().length_m() as f32)
                    .abs()
                    < 60.0,
                "{length_m}"
            );
            assert!(facts.outline_m.len() > 250 && facts.sector_ends.len() == 2, "{:?}", facts.sector_ends);
            assert!(facts.pit_entry.is_some() && facts.pit_exit.is_some());
        }
    }
}
