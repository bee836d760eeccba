//! Data that is wrong, missing or late.
use super::*;
use gametape_games::acc;

fn is_clean(run: &Run) {
    let lap = run.finals()[0];
    assert_eq!((lap.time_ms, sectors(lap)), (Some(100_400), LAP.map(Some).to_vec()), "{} Hz", run.hz);
    assert_eq!((lap.valid, lap.eligible, run.tracked.sessions.len()), (Some(true), true, 1), "{lap:?}");
}

#[test]
fn f2_a_zeroed_page_is_passed_over() {
    for (at_ms, for_ms) in [(50_000, FRAME_MS), (50_000, 300), (100_350, 40), (100_395, 10), (100, 30)] {
        each_rate(|| Script::new().lap(&LAP).wait(5_000).at(at_ms).zeroed(for_ms).at(105_400), is_clean);
    }
}

#[test]
fn f2_members_that_are_zero_for_a_picture() {
    let wipe = |pages: &mut Pages, _| {
        pages.graphics.head.completed_laps = 0;
        pages.graphics.session_index = 7;
        pages.graphics.head.session = 3;
        pages.static_page.head.car_model = Default::default();
    };
    each_rate(
        || Script::new().completed_laps(3).lap(&LAP).wait(5_000).at(50_000).hold(FRAME_MS, wipe).at(105_400),
        is_clean,
    );
}

#[test]
fn f3_a_page_that_stands_is_stale_and_no_lap() {
    for hz in RATES {
        let mut feed = Feed::new("acc");
        let mut stale = Vec::new();
        let script = Script::new().at(50_000).freeze(10_000).at(110_000);
        for (time_ns, pages) in Simulation::bare(script).sample(hz) {
            feed.pages(time_ns, &pages);
            if feed.tracker.is_stale() {
                stale.push(time_ns);
            }
        }
        assert!(stale.first().unwrap().abs_diff(52_000_000_000) <= 110_000_000, "{stale:?}");
        assert!(stale.last().unwrap().abs_diff(60_000_000_000) <= 110_000_000);
        let run = feed.end(hz, Some(SessionEnd::ToolStop));
        assert_eq!((run.finals().len(), run.tracked.laps().count()), (0, 1));
    }
}

#[test]
fn f4_a_torn_page() {
    // For one rendered frame, the lap count is new and everything else is old.
    let script = || {
        Script::new()
            .completed_laps(3)
            .last_ms(Some(99_000))
            .lap(&LAP)
            .wait(5_000)
            .at(100_400 - FRAME_MS)
            .hold(FRAME_MS, |pages, _| {
                pages.graphics.head.completed_laps = 4;
            })
            .at(105_400)
    };
    each_rate(script, is_clean);
    // For one rendered frame, the lap time and the sector are old.
    let script = || {
        Script::new()
            .completed_laps(3)
            .last_ms(Some(99_000))
            .lap(&LAP)
            .wait(5_000)
            .at(100_400)
            .hold(FRAME_MS, |pages, _| {
                pages.graphics.head.i_last_time = 99_000;
                pages.graphics.head.current_sector_index = 2;
            })
            .at(105_400)
    };
    each_rate(script, is_clean);
}

#[test]
fn f5_places_that_cannot_be_are_counted() {
    for place in [f64::NAN, -0.5, 1.7, f64::INFINITY] {
        let script = || {
            Script::new()
                .lap(&LAP)
                .wait(5_000)
                .at(40_000)
                .hold(9_000, move |pages, _| pages.graphics.head.normalized_car_position = place as f32)
                .at(105_400)
        };
        each_rate(script, |run| {
            is_clean(run);
            let bad = run.tracker.bad_positions();
            assert!(bad.abs_diff(u64::from(run.hz) * 9) <= 2, "{place} {bad} at {} Hz", run.hz);
            let coverage = run.finals()[0].coverage.unwrap();
            assert!((0.88..0.95).contains(&coverage), "{coverage}");
        });
    }
}

#[test]
fn f6_a_wall_clock_that_is_set_back_changes_no_duration() {
    let mut feed = Feed::new("acc");
    for (time_ns, pages) in Simulation::bare(Script::new().lap(&LAP).lap(&LAP).wait(5_000)).sample(20) {
        if time_ns == 50_000_000_000 {
            feed.tracker.clock(time_ns, 1_699_996_400_000_000_000);
        }
        feed.pages(time_ns, &pages);
    }
    let run = feed.end(20, Some(SessionEnd::ToolStop));
    let laps = run.finals();
    assert_eq!(run.times(), [Some(100_400), Some(100_400)]);
    assert!(laps[1].start_ns > laps[0].start_ns && laps[1].started_utc_us < laps[0].started_utc_us);
}

#[test]
fn f7_a_lap_of_less_than_the_usual_way() {
    let short = |script: Script| {
        // The track position completes a lap, but the distance driven is shorter.
        let start_ms = script.cursor_ms();
        script
            .lap(&LAP)
            .at(start_ms)
            .hold(100_399, |pages, _| pages.graphics.head.distance_traveled = 0.0)
            .at(start_ms + 100_400)
    };
    let script = || short(Script::new()).lap(&LAP).lap(&LAP).lap(&LAP).lap(&LAP).wait(5_000);
    each_rate(script, |run| {
        let laps = run.finals();
        assert_eq!(laps.len(), 5, "{} Hz", run.hz);
        assert!(laps[0].has(ReasonCode::CoverageLow) && !laps[0].eligible && !laps[0].complete, "{:?}", laps[0]);
        assert!(laps[1..].iter().all(|lap| lap.eligible));
        let first = run.events.iter().find_map(|event| match event {
            Event::LapFinal(lap) => Some(lap.eligible),
            _ => None,
        });
        assert_eq!(first, Some(true), "judged again once there were more laps");
    });
    // By track position alone.
    let cut = || {
        Script::new()
            .glide(0.6, 60_000)
            .wait(60_000)
            .set(|board| board.finish_lap(60_000))
            .position(0.0)
            .lap(&LAP)
            .wait(5_000)
    };
    each_rate(cut, |run| {
        assert!(run.finals()[0].has(ReasonCode::CoverageLow) && !run.finals()[0].eligible);
        assert_eq!(run.best_ms(0), Some(100_400));
    });
}

#[test]
fn f9_pages_of_other_lengths() {
    for (bytes, valid) in [(1320, None), (1580, Some(true)), (1700, Some(true))] {
        let mut feed = Feed::new("acc");
        for (time_ns, pages) in Simulation::bare(Script::new().lap(&LAP).wait(5_000)).sample(20) {
            let mut page = pages.graphics.as_bytes().to_vec();
            page.resize(bytes, 0xFF);
            feed.bytes(time_ns, "static", &acc::STATIC_820, pages.static_page.as_bytes());
            feed.bytes(time_ns, "graphics", &acc::GRAPHICS_1588, &page);
        }
        let run = feed.end(20, Some(SessionEnd::ToolStop));
        let lap = run.finals()[0];
        assert_eq!((lap.time_ms, lap.valid, sectors(lap)), (Some(100_400), valid, LAP.map(Some).to_vec()), "{bytes}");
        assert_eq!(lap.conditions.grip.is_some(), bytes > 1560);
    }
}
