//! Pits, stints and lap phases.
use super::*;
use crate::laps::words::{Phase, StintEnd, StintStart};
use gametape_simulator::SessionKind;

#[test]
fn c1_out_of_the_box() {
    let script = || {
        Script::new()
            .in_box(true)
            .in_pit_lane(true)
            .timer_runs(false)
            .wait(20_000)
            .in_box(false)
            .timer_runs(true)
            .wait(4_000)
            .in_pit_lane(false)
            .at(20_000)
            .sectors(&LAP)
            .set(|board| board.finish_lap(100_400))
            .position(0.0)
            .wait(5_000)
    };
    each_rate(script, |run| {
        let lap = run.finals()[0];
        assert_eq!(
            (lap.phase, lap.eligible, lap.time_ms, lap.stint),
            (Phase::Out, false, Some(100_400), Some(1)),
            "{lap:?}"
        );
        assert!(lap.has(ReasonCode::OutLap) && lap.start_ns.abs_diff(20_000_000_000) < 2_000_000);
        let stint = &run.session(0).stints[0];
        assert_eq!((stint.start, run.session(0).stints.len()), (StintStart::Start, 1));
        assert!(stint.start_ns.abs_diff(20_000_000_000) <= 110_000_000, "{}", stint.start_ns);
    });
}

/// A pit stop: the pit lane begins before the line, the box lies after it.
fn stop(box_ms: u64) -> Script {
    Script::new()
        .fuel_l(20.0)
        .lap(&LAP)
        .sectors(&LAP)
        .at(195_000)
        .in_pit_lane(true)
        .at(200_800)
        .set(|board| board.finish_lap(100_400))
        .position(0.0)
        .sectors(&[30_500 + box_ms as u32, 34_700, 35_200])
        .set(move |board| board.finish_lap(100_400 + box_ms as i32))
        .position(0.0)
        .lap(&LAP)
        .at(205_000)
        .in_box(true)
        .at(206_000)
        .fuel_l(60.0)
        .tyre_set(2)
        .at(205_000 + box_ms)
        .in_box(false)
        .wait(3_000)
        .in_pit_lane(false)
        .at(200_800 + box_ms + 2 * 100_400 + 5_000)
}

#[test]
fn c2_into_the_pits_and_out_of_them() {
    each_rate(
        || stop(30_000),
        |run| {
            let phases: Vec<_> = run.finals().iter().map(|lap| lap.phase).collect();
            assert_eq!(phases, [Phase::Flying, Phase::In, Phase::Out, Phase::Flying], "{} Hz", run.hz);
            let eligible: Vec<_> = run.finals().iter().map(|lap| lap.eligible).collect();
            assert_eq!(eligible, [true, false, false, true]);
        },
    );
    let both = || Script::new().in_pit_lane(true).lap(&LAP).wait(5_000);
    each_rate(both, |run| assert_eq!(run.finals()[0].phase, Phase::Pit));
}

#[test]
fn c3_a_stop_with_fuel_and_tyres() {
    each_rate(
        || stop(30_000),
        |run| {
            let stints = &run.session(0).stints;
            assert_eq!(stints.len(), 2, "{stints:?}");
            assert_eq!((stints[0].end, stints[0].fuel_end_l), (Some(StintEnd::Pit), Some(20.0)));
            assert_eq!(
                (stints[1].start, stints[1].fuel_start_l, stints[1].tyre_set),
                (StintStart::Pit, Some(60.0), Some(2))
            );
            assert_eq!((stints[0].first_lap, stints[0].last_lap, stints[1].first_lap), (Some(1), Some(2), Some(3)));
            let laps = run.finals();
            assert_eq!((laps[1].fuel_used_l, laps[2].fuel_used_l), (Some(0.0), None), "refuelling is not fuel used");
            assert_eq!(laps.iter().map(|lap| lap.stint).collect::<Vec<_>>(), [Some(1), Some(1), Some(2), Some(2)]);
        },
    );
}

#[test]
fn c5_a_long_stop_is_a_lap_but_no_pace() {
    each_rate(
        || stop(278_600),
        |run| {
            assert_eq!(run.times(), [Some(100_400), Some(100_400), Some(379_000), Some(100_400)], "{} Hz", run.hz);
            assert!(run.finals()[2].phase == Phase::Out && !run.finals()[2].eligible);
        },
    );
}

#[test]
fn c6_back_to_the_garage_in_the_same_session() {
    let script = || {
        Script::new()
            .session_length_ms(Some(3_600_000.0))
            .lap(&LAP)
            .sectors(&[30_500, 20_000])
            .return_to_garage()
            .wait(10_000)
            .set(|board| {
                board.in_box = false;
                board.timer_runs = true;
            })
            .wait(2_000)
            .in_pit_lane(false)
            .wait(20_000)
    };
    each_rate(script, |run| {
        assert_eq!((run.tracked.sessions.len(), run.times()), (1, vec![Some(100_400)]), "{} Hz", run.hz);
        let lap = run.aborted()[0];
        assert!(lap.has(ReasonCode::AbortedGarage), "{lap:?}");
        assert_eq!(sectors(lap)[0], Some(30_500), "completed sectors are kept");
        let stints = &run.session(0).stints;
        assert_eq!(
            (stints.len(), stints[0].end, stints[1].start),
            (2, Some(StintEnd::Garage), StintStart::Garage),
            "{stints:?}"
        );
        assert_eq!(run.aborted()[1].phase, Phase::Out);
    });
}

#[test]
fn c7_a_menu_changes_nothing() {
    each_rate(
        || Script::new().lap(&LAP).wait(5_000).at(50_000).setup_menu(true).wait(9_000).setup_menu(false).at(105_400),
        |run| {
            assert_eq!((run.times(), run.session(0).stints.len()), (vec![Some(100_400)], 1));
            assert!(run.finals()[0].eligible && run.finals()[0].reasons.is_empty());
        },
    );
}

#[test]
fn c8_a_race_begins_on_the_grid() {
    let script = || {
        Script::new()
            .session(SessionKind::Race)
            .position(0.97)
            .sector(2)
            .timer_runs(false)
            .wait(3_000)
            .timer_runs(true)
            .glide(1.0, 4_000)
            .wait(4_000)
            .sector(0)
            .position(0.0)
            .glide(0.3, 26_500)
            .wait(26_500)
            .set(|board| board.finish_sector(30_500))
            .glide(0.6, 34_700)
            .wait(34_700)
            .set(|board| board.finish_sector(65_200))
            .glide(1.0, 35_200)
            .wait(35_200)
            .set(|board| board.finish_lap(100_400))
            .position(0.0)
            .lap(&LAP)
            .wait(5_000)
    };
    each_rate(script, |run| {
        let laps = run.finals();
        assert_eq!(
            run.times(),
            [Some(100_400), Some(100_400)],
            "{} Hz {:?}",
            run.hz,
            run.tracked.laps().collect::<Vec<_>>()
        );
        assert_eq!((laps[0].phase, laps[0].eligible, laps[0].number), (Phase::GridStart, false, Some(1)));
        assert_eq!(sectors(laps[0]), LAP.map(Some));
        assert_eq!((laps[1].phase, laps[1].eligible), (Phase::Flying, true));
    });
}

#[test]
fn c10_a_flag_is_a_condition() {
    for red in [false, true] {
        let flag = move |script: Script, out| if red { script.red(out) } else { script.yellow(out) };
        let script = || {
            flag(flag(Script::new().lap(&LAP).lap(&LAP).wait(5_000).at(50_000), true).wait(9_000), false).at(206_000)
        };
        each_rate(script, |run| {
            let laps = run.finals();
            assert_eq!(
                (laps[0].conditions.caution, laps[1].conditions.caution),
                (Some(true), Some(false)),
                "{} Hz",
                run.hz
            );
            assert_eq!((laps[0].valid, laps[0].phase), (Some(true), Phase::Flying));
            assert!(laps[0].has(ReasonCode::Caution) && !laps[1].has(ReasonCode::Caution));
            assert!(run.events.iter().any(|event| matches!(event, Event::ConditionsChanged { .. })));
        });
    }
}

#[test]
fn c11_another_driver_takes_over_in_the_pits() {
    let script = || {
        Script::new()
            .lap(&LAP)
            .sectors(&LAP)
            .at(195_000)
            .in_pit_lane(true)
            .at(200_800)
            .set(|board| board.finish_lap(100_400))
            .position(0.0)
            .sectors(&LAP)
            .set(|board| board.finish_lap(100_400))
            .position(0.0)
            .lap(&[29_000, 34_000, 35_000])
            .at(205_000)
            .in_box(true)
            .at(210_000)
            .driver_swap("Driver", "2", 1002)
            .at(230_000)
            .in_box(false)
            .wait(3_000)
            .in_pit_lane(false)
            .at(404_500)
    };
    each_rate(script, |run| {
        let stints = &run.session(0).stints;
        assert_eq!((run.tracked.sessions.len(), stints.len()), (1, 2), "{} Hz {stints:?}", run.hz);
        assert_eq!((stints[0].end, stints[1].start), (Some(StintEnd::DriverSwap), StintStart::DriverSwap));
        assert_eq!((stints[0].driver.as_deref(), stints[1].driver.as_deref()), (Some("Driver 1"), Some("Driver 2")));
        let drivers: Vec<_> = run.finals().iter().map(|lap| lap.driver.clone().unwrap()).collect();
        assert_eq!(drivers, ["Driver 1", "Driver 1", "Driver 2", "Driver 2"]);
        assert_eq!(
            (run.session(0).session.driver.as_deref(), run.best_ms(0)),
            (Some("Driver 1"), Some(100_400)),
            "the driver's own best is kept"
        );
        assert!(run.finals()[3].eligible, "it may be the other driver's best");
    });
}
