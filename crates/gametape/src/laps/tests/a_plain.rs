//! Ordinary laps and sectors.
use super::*;
use crate::laps::words::{Phase, SectorSource};

fn one(run: &Run) -> &Lap {
    let finals = run.finals();
    assert_eq!(finals.len(), 1, "{} Hz: {:?}", run.hz, run.tracked.laps().collect::<Vec<_>>());
    finals[0]
}

fn is_clean(run: &Run) {
    let lap = one(run);
    assert_eq!((lap.time_ms, lap.time_source), (Some(100_400), Some(TimeSource::Official)), "{} Hz", run.hz);
    assert_eq!(sectors(lap), [Some(30_500), Some(34_700), Some(35_200)], "{} Hz", run.hz);
    assert_eq!((lap.valid, lap.phase, lap.complete, lap.eligible), (Some(true), Phase::Flying, true, true), "{lap:?}");
    assert_eq!((lap.number, codes(lap)), (Some(4), vec![]));
    assert_eq!(run.best_ms(0), Some(100_400));
}

fn third_lap() -> Script {
    Script::new().completed_laps(3).last_ms(Some(99_000))
}

#[test]
fn a1_clean_lap() {
    each_rate(
        || third_lap().lap(&LAP).wait(5_000),
        |run| {
            is_clean(run);
            let sources: Vec<_> = one(run).sectors.iter().map(|sector| sector.source).collect();
            assert_eq!(sources, [SectorSource::Official, SectorSource::Differenced, SectorSource::Differenced]);
            assert_eq!(run.session(0).session.theoretical_best_ms, Some(100_400));
            let told = |event: &Event| matches!(event, Event::LapProvisional(_));
            assert_eq!(run.events.iter().filter(|event| told(event)).count(), 1);
            let closed = run.events.iter().filter(|event| matches!(event, Event::SectorClosed { .. })).count();
            assert_eq!(closed, 2, "the last sector ends with the lap");
            assert!(one(run).start_ns < 1_000_000);
            assert!(one(run).end_ns.unwrap().abs_diff(100_400_000_000) < 1_000_000, "{:?}", one(run).end_ns);
        },
    );
}

#[test]
fn a3_timer_and_sector_fall_before_the_laps_rise() {
    for late_ms in [1, FRAME_MS, 40, 130] {
        let script = || {
            third_lap().sectors(&LAP).current_ms(0).sector(0).position(0.0).wait(late_ms).set(|board| {
                board.completed_laps += 1;
                board.last_ms = Some(100_400);
            })
        };
        each_rate(
            || script().wait(5_000),
            |run| {
                is_clean(run);
                let rest: Vec<_> = run.aborted().iter().map(|lap| lap.number).collect();
                assert_eq!(rest, [Some(5)], "only the lap cut off by the end, at {} Hz", run.hz);
                let told = run.events.iter().filter_map(|event| match event {
                    Event::LapOpened(lap) => Some(lap.number),
                    _ => None,
                });
                assert_eq!(told.collect::<Vec<_>>(), [Some(4), Some(5)], "also while the lap runs");
            },
        );
    }
}

#[test]
fn a4_counter_rises_before_the_time() {
    for late_ms in [1, FRAME_MS, 500, 2_000] {
        let script = || {
            third_lap().sectors(&LAP).set(|board| {
                board.completed_laps += 1;
                board.begin_lap(0.0);
                board.position = 0.0;
            })
        };
        each_rate(
            || script().wait(late_ms).last_ms(Some(100_400)).wait(5_000),
            |run| {
                is_clean(run);
                let provisional = run.events.iter().find_map(|event| match event {
                    Event::LapProvisional(lap) => Some(lap),
                    _ => None,
                });
                let measured = f64::from(provisional.unwrap().time_ms.unwrap());
                assert_eq!(provisional.unwrap().time_source, Some(TimeSource::Measured));
                assert!((measured - 100_400.0).abs() <= run.sample_ms(), "{measured}");
            },
        );
    }
}

/// The next line crossing: the lap count rises and the timer restarts, and the lap time appears later.
fn and_a_lap_of_100_900(script: Script, late_ms: u64) -> Script {
    script
        .sectors(&[30_500, 34_700, 35_700])
        .set(|board| {
            board.completed_laps += 1;
            board.begin_lap(0.0);
            board.position = 0.0;
        })
        .wait(late_ms)
}

#[test]
fn a4_behind_a3_no_lap_gets_the_time_of_the_one_before() {
    // The timer, the lap count and the lap time change one after the other.
    for (early_ms, late_ms) in [(40, 50), (FRAME_MS, 200), (130, 50), (90, 1_000)] {
        let script = || {
            let line = third_lap().sectors(&LAP).current_ms(0).sector(0).position(0.0).wait(early_ms).set(|board| {
                board.completed_laps += 1;
                board.last_ms = Some(100_400);
            });
            and_a_lap_of_100_900(line.at(100_400), late_ms).last_ms(Some(100_900)).wait(5_000)
        };
        each_rate(script, |run| assert_eq!(run.times(), [Some(100_400), Some(100_900)], "{} Hz", run.hz));
        let never = || {
            let line = third_lap().sectors(&LAP).current_ms(0).sector(0).position(0.0).wait(early_ms).set(|board| {
                board.completed_laps += 1;
                board.last_ms = Some(100_400);
            });
            and_a_lap_of_100_900(line.at(100_400), 5_000)
        };
        each_rate(never, |run| {
            let lap = run.finals()[1];
            assert_eq!((lap.time_source, lap.eligible), (Some(TimeSource::Measured), false), "{} Hz {lap:?}", run.hz);
        });
    }
}

#[test]
fn a5_a_time_that_cannot_be_of_the_lap_is_none() {
    // An unrelated time appears in the middle of the lap, long after the previous line crossing, and another one after its end.
    let script = || {
        let other = third_lap().at(40_000).last_ms(Some(88_000)).at(0);
        let line = other.sectors(&LAP).set(|board| {
            board.completed_laps += 1;
            board.begin_lap(0.0);
            board.position = 0.0;
        });
        line.wait(1_000).last_ms(Some(77_000)).wait(5_000)
    };
    each_rate(script, |run| {
        let lap = one(run);
        assert_eq!((lap.time_source, lap.eligible), (Some(TimeSource::Measured), false), "{} Hz {lap:?}", run.hz);
    });
}

#[test]
fn a5_the_time_never_comes() {
    let script = || {
        Script::new().sectors(&LAP).set(|board| {
            board.completed_laps += 1;
            board.begin_lap(0.0);
            board.position = 0.0;
        })
    };
    each_rate(
        || script().wait(5_000),
        |run| {
            let lap = one(run);
            assert_eq!((lap.time_source, lap.eligible), (Some(TimeSource::Measured), false));
            assert!((f64::from(lap.time_ms.unwrap()) - 100_400.0).abs() <= run.sample_ms());
            assert_eq!(codes(lap), ["no_official_time"]);
            assert_eq!(run.best_ms(0), None);
        },
    );
}

#[test]
fn a5_a_time_that_comes_much_later_is_taken_over() {
    let script = || {
        Script::new().sectors(&LAP).set(|board| {
            board.completed_laps += 1;
            board.begin_lap(0.0);
            board.position = 0.0;
        })
    };
    each_rate(
        || script().wait(7_000).last_ms(Some(100_401)).wait(2_000),
        |run| {
            let lap = one(run);
            assert_eq!((lap.time_ms, lap.time_source, lap.eligible), (Some(100_401), Some(TimeSource::Official), true));
            assert_eq!(run.events.iter().filter(|event| matches!(event, Event::LapAmended(_))).count(), 1);
            assert_eq!(run.best_ms(0), Some(100_401));
        },
    );
}

#[test]
fn a6_the_last_sector_is_what_is_left_of_the_lap() {
    let value_at_line = |ms: i32| move || third_lap().lap(&LAP).last_sector_ms(ms).wait(5_000);
    for ms in [65_200, 100_400, 35_200, i32::MAX, 0] {
        each_rate(value_at_line(ms), is_clean);
    }
}

#[test]
fn a7_a_sector_is_missed() {
    let script = || third_lap().lap(&LAP).wait(5_000).at(20_000).gap(50_000).at(106_000);
    each_rate(script, |run| {
        let lap = one(run);
        assert_eq!((lap.time_ms, lap.time_source), (Some(100_400), Some(TimeSource::Official)), "{lap:?}");
        assert_eq!(sectors(lap), [None, None, Some(35_200)]);
        assert!(lap.has(ReasonCode::SectorMissing) && lap.has(ReasonCode::StreamGap));
        assert_eq!((lap.complete, lap.eligible), (false, true), "{lap:?}");
        assert_eq!(run.session(0).session.theoretical_best_ms, None);
    });
}

#[test]
fn a7_a_lap_with_a_missed_sector_is_still_a_best() {
    // The sector is so short that a gap of slightly more than a second hides it.
    let script = || third_lap().lap(&[1_500, 500, 98_400]).lap(&LAP).wait(5_000).at(1_200).gap(1_500).at(206_000);
    each_rate(script, |run| {
        let laps = run.finals();
        assert_eq!(sectors(laps[0]), [None, None, Some(98_400)], "{} Hz", run.hz);
        assert!(laps[0].eligible, "{:?}", laps[0]);
        assert_eq!(run.session(0).session.theoretical_best_ms, Some(100_400), "from the other lap alone");
    });
}

#[test]
fn a8_assetto_corsa_times_each_sector_alone() {
    for hz in RATES {
        let mut feed = Feed::new("ac");
        let script = Script::new().sectors_alone().completed_laps(3).last_ms(Some(99_000)).lap(&LAP).wait(5_000);
        Simulation::bare(script).sample(hz).for_each(|(time_ns, pages)| feed.pages(time_ns, &pages));
        let run = feed.end(hz, Some(SessionEnd::ToolStop));
        let lap = one(&run);
        assert_eq!((lap.time_ms, sectors(lap)), (Some(100_400), vec![Some(30_500), Some(34_700), Some(35_200)]));
        assert_eq!((lap.valid, lap.phase, lap.eligible), (None, Phase::Flying, true));
    }
}

#[test]
fn a9_tracks_without_sectors() {
    for count in [0, 1, -1, 300] {
        each_rate(
            || third_lap().sector_count(count).lap(&LAP).wait(5_000),
            |run| {
                let lap = one(run);
                assert_eq!((lap.time_ms, lap.eligible), (Some(100_400), true), "{count} at {} Hz", run.hz);
                assert!(lap.sectors.is_empty());
            },
        );
    }
}

#[test]
fn a11_a_lap_too_short_to_be_one() {
    let script = || third_lap().lap(&LAP).wait(2_000).set(|board| board.finish_lap(2_000)).wait(20_000);
    each_rate(script, |run| {
        assert_eq!(run.times(), [Some(100_400)], "{} Hz", run.hz);
        assert!(run.aborted()[0].has(ReasonCode::ImplausibleTime), "{:?}", run.aborted());
        assert_eq!(run.best_ms(0), Some(100_400));
    });
}

#[test]
fn a11_laps_that_rise_and_fall_back_are_no_lap() {
    for (at_ms, for_ms) in [(50_000, FRAME_MS), (50_000, 300), (50_000, 1_500), (3_000, 1_000)] {
        let script =
            || third_lap().lap(&LAP).wait(5_000).at(at_ms).completed_laps(4).wait(for_ms).completed_laps(3).at(106_000);
        each_rate(script, |run| {
            assert_eq!(run.times(), [Some(100_400)], "{at_ms} for {for_ms} at {} Hz", run.hz);
            assert_eq!((run.tracked.sessions.len(), sectors(one(run))), (1, LAP.map(Some).to_vec()));
        });
    }
}

#[test]
fn a12_nothing_is_made_of_no_time() {
    each_rate(
        || Script::new().wait(20_000),
        |run| {
            assert!(run.finals().is_empty());
            assert_eq!(run.session(0).session.best_lap, None);
            assert_eq!(run.session(0).session.theoretical_best_ms, None);
            assert!(run.tracked.laps().all(|lap| lap.time_ms.is_none() && lap.sectors.is_empty()));
        },
    );
}

#[test]
fn the_same_time_twice_is_two_laps() {
    each_rate(
        || Script::new().lap(&LAP).lap(&LAP).lap(&[30_000, 34_700, 35_200]).wait(5_000),
        |run| {
            assert_eq!(run.times(), [Some(100_400), Some(100_400), Some(99_900)], "{} Hz", run.hz);
            assert!(run.finals().iter().all(|lap| lap.time_source == Some(TimeSource::Official)));
            assert_eq!(run.session(0).session.theoretical_best_ms, Some(99_900));
        },
    );
}
