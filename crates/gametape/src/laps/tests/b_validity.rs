//! Validity: latched, revocable, and independent of everything else.
use super::*;
use crate::laps::words::{Phase, ReasonSource};
use gametape_games::{Identity, LapRecord, Pit, Presence, Validity};

#[test]
fn b1_a_cut_in_the_second_sector_is_of_that_lap_alone() {
    each_rate(
        || Script::new().lap(&LAP).lap(&LAP).wait(5_000).at(45_000).cut().at(205_900),
        |run| {
            let laps = run.finals();
            assert_eq!((laps[0].valid, laps[1].valid), (Some(false), Some(true)), "{} Hz", run.hz);
            let reason = &laps[0].reasons[0];
            assert_eq!(
                (reason.code, reason.source, reason.at_sector),
                (ReasonCode::GameInvalid, ReasonSource::Game, Some(2))
            );
            let place = reason.at_fraction.unwrap();
            assert!((0.46..0.50).contains(&place), "{place}");
            assert!(reason.at_ns.unwrap().abs_diff(45_000_000_000) <= 110_000_000);
            assert!(!laps[0].eligible && laps[1].eligible);
        },
    );
}

#[test]
fn b2_a_cut_in_the_last_moments_is_latched() {
    for before_ms in [400, 200, 110] {
        each_rate(
            || Script::new().lap(&LAP).wait(5_000).at(100_400 - before_ms).cut().at(105_400),
            |run| {
                assert_eq!(run.finals()[0].valid, Some(false), "{before_ms} ms before the line at {} Hz", run.hz);
                assert_eq!(run.best_ms(0), None);
            },
        );
    }
}

#[test]
fn b2_the_next_lap_is_not_invalid_because_the_old_one_was() {
    // The timer falls one rendered frame before the lap count rises and the lap is valid again.
    let script = || {
        Script::new()
            .sectors(&LAP)
            .current_ms(0)
            .sector(0)
            .position(0.0)
            .wait(40)
            .set(|board| board.finish_lap(100_400))
            .set(|board| board.current_ms = 40.0)
    };
    each_rate(
        || script().sectors(&LAP).set(|board| board.finish_lap(100_440)).wait(4_000).at(99_900).cut().at(206_000),
        |run| {
            let laps = run.finals();
            assert_eq!(
                (laps.len(), laps[0].valid, laps[1].valid),
                (2, Some(false), Some(true)),
                "{} Hz {:?}",
                run.hz,
                laps
            );
        },
    );
}

#[test]
fn b4_an_invalid_lap_that_is_faster_is_no_best() {
    let fast = [30_000, 34_000, 35_000];
    each_rate(
        || Script::new().lap(&LAP).lap(&fast).wait(5_000).at(110_000).cut().at(205_000),
        |run| {
            assert_eq!(run.times(), [Some(100_400), Some(99_000)]);
            assert_eq!((run.best_ms(0), run.session(0).session.theoretical_best_ms), (Some(100_400), Some(100_400)));
            let changes = run.events.iter().filter(|event| matches!(event, Event::BestChanged { .. })).count();
            assert_eq!(changes, 1);
        },
    );
}

#[test]
fn b6_all_laps_invalid() {
    each_rate(
        || Script::new().lap(&LAP).lap(&LAP).wait(5_000).at(1_000).cut().at(101_000).cut().at(206_000),
        |run| {
            assert_eq!((run.finals().len(), run.best_ms(0)), (2, None));
            assert_eq!(run.session(0).session.theoretical_best_ms, None);
        },
    );
}

#[test]
fn b7_a_penalty_takes_the_best_lap_away() {
    for penalty in [6, 12] {
        let script =
            || Script::new().lap(&LAP).lap(&[30_000, 34_000, 35_000]).wait(10_000).penalty(penalty).wait(5_000);
        each_rate(script, |run| {
            let laps = run.finals();
            assert!(laps[1].has(ReasonCode::BestRemovedByPenalty) && !laps[1].eligible, "{} Hz", run.hz);
            assert_eq!((laps[1].valid, run.best_ms(0)), (Some(true), Some(100_400)));
            let bests: Vec<_> = run
                .events
                .iter()
                .filter_map(|event| match event {
                    Event::BestChanged { time_ms, .. } => Some(*time_ms),
                    _ => None,
                })
                .collect();
            assert_eq!(bests, [Some(100_400), Some(99_000), Some(100_400)]);
        });
    }
    each_rate(
        || Script::new().lap(&LAP).wait(9_000).penalty(1).wait(5_000),
        |run| {
            assert_eq!(run.best_ms(0), Some(100_400), "other penalties do not delete the best lap");
        },
    );
}

/// A lap of 60 s in lap frames, with the record of a second source from a moment on.
fn neutral(record_from_s: f64, record: LapRecord, pit: Pit) -> Run {
    neutral_of(true, record_from_s, record, pit)
}

fn neutral_of(valid: bool, record_from_s: f64, record: LapRecord, pit: Pit) -> Run {
    let identity =
        Identity { revision: 1, validity: Validity::Flag, driver: Some("Driver 1".into()), ..Identity::default() };
    let mut feed = Feed::new("acc");
    for tick in 0..1_300_u32 {
        let at_s = f64::from(tick) / 20.0;
        let running_s = if at_s < 60.0 { at_s } else { at_s - 60.0 };
        let frame = LapFrame {
            presence: Presence::Live,
            identity: 1,
            laps_completed: Some(u32::from(at_s >= 60.0)),
            running_ms: Some((running_s * 1000.0) as u32),
            last_ms: (at_s >= 60.0).then_some(60_000),
            position: Some((running_s / 60.0) as f32),
            valid: Some(valid),
            pit: Some(if at_s < 5.0 { pit } else { Pit::Track }),
            record: (at_s >= record_from_s).then_some(record),
            ..LapFrame::default()
        };
        feed.last_ns = (at_s * 1e9) as u64;
        feed.tracker.frame(feed.last_ns, &frame, &identity, &mut feed.events);
    }
    feed.end(20, Some(SessionEnd::ToolStop))
}

#[test]
fn b8_a_second_source_says_that_the_lap_is_invalid() {
    let run = neutral(62.0, LapRecord { lap: 1, invalid: Some(true), ..LapRecord::default() }, Pit::Track);
    let lap = run.finals()[0];
    assert_eq!((lap.valid, lap.eligible, lap.time_ms), (Some(false), false, Some(60_000)));
    let said: Vec<_> = lap.reasons.iter().map(|reason| (reason.code, reason.source)).collect();
    let both = [(ReasonCode::GameInvalid, ReasonSource::Broadcast), (ReasonCode::SaidValid, ReasonSource::Game)];
    assert_eq!(said, both, "the statements of both sources");
    assert_eq!(run.events.iter().filter(|event| matches!(event, Event::LapAmended(_))).count(), 1, "once");
    assert_eq!(run.best_ms(0), None);
}

#[test]
fn b8_invalid_wins_whichever_source_says_it_and_both_are_kept() {
    let run = neutral_of(false, 62.0, LapRecord { lap: 1, invalid: Some(false), ..LapRecord::default() }, Pit::Track);
    let lap = run.finals()[0];
    assert_eq!((lap.valid, lap.eligible), (Some(false), false));
    let said: Vec<_> = lap.reasons.iter().map(|reason| (reason.code, reason.source)).collect();
    let both = [(ReasonCode::GameInvalid, ReasonSource::Game), (ReasonCode::SaidValid, ReasonSource::Broadcast)];
    assert_eq!(said, both);
}

#[test]
fn b9_without_a_second_source_nothing_is_missing() {
    let run = neutral(1e9, LapRecord { lap: 1, invalid: None, ..LapRecord::default() }, Pit::Track);
    let lap = run.finals()[0];
    assert_eq!((lap.valid, lap.eligible, run.best_ms(0)), (Some(true), true, Some(60_000)));
}

#[test]
fn b10_valid_but_no_best() {
    let run = neutral(
        62.0,
        LapRecord { lap: 1, invalid: Some(false), counts_for_best: Some(false), ..LapRecord::default() },
        Pit::Lane,
    );
    let lap = run.finals()[0];
    assert_eq!((lap.valid, lap.phase, lap.eligible), (Some(true), Phase::Out, false));
    let run = neutral(
        62.0,
        LapRecord { lap: 1, invalid: Some(false), counts_for_best: Some(false), ..LapRecord::default() },
        Pit::Track,
    );
    assert_eq!((run.finals()[0].valid, run.finals()[0].eligible, run.best_ms(0)), (Some(true), false, None));
}
