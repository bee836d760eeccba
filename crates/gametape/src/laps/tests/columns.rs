//! Columns of lap channels, on position and time grids, from a tape of the simulated car.
use super::tapes::record_simulation;
use super::*;
use crate::format::read::Tape;
use crate::laps::columns::{MOST_ROWS, columns};
use crate::laps::compare::compare;
use crate::laps::{ColumnsError, Grid, LapColumns, Phase, track_tape};
use gametape_simulator::{Settings, Start};

/// Some laps of the car at this sampling rate.
fn driven(hz: u32) -> (tempfile::TempDir, Tape, Tracked) {
    let settings = Settings { start: Start::Flying, mistakes: false, pit_every_laps: None, ..Settings::default() };
    let (folder, tape) =
        record_simulation(Simulation::driving(settings, Script::new().at(130_000).end()), hz, "stopped");
    let tracked = track_tape(&tape).unwrap();
    (folder, tape, tracked)
}

fn flying(tracked: &Tracked) -> Vec<Lap> {
    let whole = |lap: &&Lap| lap.state == LapState::Final && lap.phase == Phase::Flying && lap.complete;
    tracked.laps().filter(whole).cloned().collect()
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn values(found: &LapColumns, name: &str) -> Vec<f64> {
    found.column(name).unwrap().values.iter().flatten().copied().collect()
}

#[test]
fn time_counts_from_the_line_and_ends_with_the_time_of_the_lap() {
    for hz in [20, 50, 60, 100, 333] {
        let (_folder, tape, tracked) = driven(hz);
        let laps = flying(&tracked);
        assert!(laps.len() >= 2, "{hz} Hz: {}", laps.len());
        let length_m = f64::from(tracked.tracks[0].length_m.unwrap());
        let grid = Grid::Metres { step_m: 5.0, length_m };
        let found: Vec<_> = laps.iter().map(|lap| columns(&tape, lap, &[], grid).unwrap()).collect();
        for (lap, found) in laps.iter().zip(&found) {
            assert!(found.time_ms[0].unwrap().abs() < 1e-9, "{hz} Hz: {:?}", found.time_ms[0]);
            let (last, time_ms) = (found.time_ms.last().unwrap().unwrap(), f64::from(lap.time_ms.unwrap()));
            assert!((last - time_ms).abs() < 1.5, "{hz} Hz: {last} of {time_ms}");
            let times: Vec<f64> = found.time_ms.iter().map(|time| time.unwrap()).collect();
            assert!(times.windows(2).all(|two| two[1] > two[0]), "{hz} Hz");
            assert_eq!(found.share.last(), Some(&Some(1.0)));
        }
        let compared = compare(&found, length_m, 5.0).unwrap();
        let first_metres = |delta: &Vec<Option<f64>>| delta.iter().take(5).flatten().all(|delta| delta.abs() < 1.0);
        assert!(compared.delta_ms.iter().all(first_metres), "{hz} Hz: {:?}", &compared.delta_ms[1][..5]);
        let whole = f64::from(laps[1].time_ms.unwrap()) - f64::from(laps[0].time_ms.unwrap());
        assert!((compared.delta_ms[1].last().unwrap().unwrap() - whole).abs() < 2.0, "{hz} Hz");
        assert!(compared.corners.len() >= 3, "{hz} Hz: {:?}", compared.corners);
    }
}

#[test]
fn places_do_not_jitter_with_the_rate_of_looking() {
    let length_m = 2_000.0;
    let at = |hz: u32| {
        let (_folder, tape, tracked) = driven(hz);
        columns(&tape, &flying(&tracked)[0], &[], Grid::Metres { step_m: 5.0, length_m }).unwrap().time_ms
    };
    let (often, seldom) = (at(333), at(50));
    let apart = often.iter().zip(&seldom).filter_map(|(often, seldom)| Some(((*often)? - (*seldom)?).abs()));
    let worst = apart.fold(0.0, f64::max);
    assert!(worst < 3.0, "{worst} ms");
}

#[test]
fn rows_as_recorded_are_the_frames_of_the_tape() {
    let (_folder, tape, tracked) = driven(50);
    let lap = &flying(&tracked)[0];
    let asked =
        names(&["physics/speedKmh", "speed_kmh", "physics/wheelSlip.3", "physics/gear", "gear", "physics/packetId"]);
    let found = columns(&tape, lap, &asked, Grid::Recorded).unwrap();
    let seconds = f64::from(lap.time_ms.unwrap()) / 1e3;
    assert!((found.time_ms.len() as f64 - seconds * 50.0).abs() <= 2.0, "{} in {seconds} s", found.time_ms.len());
    assert!(found.columns.iter().all(|column| column.values.len() == found.time_ms.len()));
    let (raw, neutral) = (values(&found, "physics/speedKmh"), values(&found, "speed_kmh"));
    assert_eq!(raw.len(), found.time_ms.len());
    assert!(raw.iter().zip(&neutral).all(|(raw, neutral)| (raw - neutral).abs() < 0.01));
    // The game counts gears from reverse.
    let shifted =
        values(&found, "physics/gear").iter().zip(values(&found, "gear")).all(|(raw, neutral)| raw - 1.0 == neutral);
    assert!(shifted);
    assert!(values(&found, "physics/packetId").windows(2).all(|two| two[1] > two[0] && two[1].fract() == 0.0));
    let shares: Vec<f64> = found.share.iter().flatten().copied().collect();
    assert!(shares.len() + 2 >= found.share.len() && shares.windows(2).all(|two| two[1] >= two[0]), "{}", shares.len());
    let available: Vec<_> = found.available.iter().map(|channel| channel.name.as_str()).collect();
    for name in ["speed_kmh", "tyre_core_c.2", "physics/speedKmh", "physics/wheelSlip.0", "graphics/iCurrentTime"] {
        assert!(available.contains(&name), "{name} is not in {available:?}");
    }
    assert!(!available.contains(&"static/playerName.0"), "texts are not columns");
}

#[test]
fn rows_by_time_are_at_their_moments_and_end_with_the_lap() {
    let (_folder, tape, tracked) = driven(100);
    let lap = &flying(&tracked)[0];
    let found = columns(&tape, lap, &names(&["speed_kmh", "gear"]), Grid::Hertz(20.0)).unwrap();
    assert!(found.time_ms.iter().enumerate().all(|(row, time)| *time == Some(row as f64 * 50.0)));
    let last = found.time_ms.last().unwrap().unwrap();
    let time_ms = f64::from(lap.time_ms.unwrap());
    assert!(last <= time_ms + 20.0 && last > time_ms - 70.0, "{last} of {time_ms}");
    assert!(values(&found, "speed_kmh").len() == found.time_ms.len());
    assert!(values(&found, "gear").iter().all(|gear| gear.fract() == 0.0), "gears are not interpolated");
    assert_eq!(found.share.iter().flatten().count(), found.share.len());
}

#[test]
fn what_cannot_be_given_is_refused_with_the_reason() {
    let (_folder, tape, tracked) = driven(20);
    let lap = &flying(&tracked)[0];
    let refused = |asked: &[&str], grid: Grid| columns(&tape, lap, &names(asked), grid).unwrap_err();
    for name in
        ["speed", "physics/nothing", "physics/wheelSlip.4", "physics/speedKmh.0", "static/playerName", "/", "physics/"]
    {
        let error = refused(&[name], Grid::Recorded);
        assert!(matches!(error, ColumnsError::UnknownChannel { .. }), "{name}: {error}");
    }
    let error = refused(&["physics/wheelSlip"], Grid::Recorded).to_string();
    assert!(error.contains("physics/wheelSlip.0 to physics/wheelSlip.3"), "{error}");
    assert!(matches!(refused(&["rpm"; 35], Grid::Recorded), ColumnsError::TooManyColumns { found: 35 }));
    assert!(matches!(refused(&[], Grid::Hertz(1000.0)), ColumnsError::TooManyRows), "at most {MOST_ROWS} rows");
    assert!(matches!(refused(&[], Grid::Metres { step_m: 0.01, length_m: 2000.0 }), ColumnsError::TooManyRows));
    for grid in [Grid::Hertz(0.0), Grid::Hertz(f64::NAN), Grid::Metres { step_m: 5.0, length_m: 0.0 }] {
        assert!(matches!(refused(&[], grid), ColumnsError::NoGrid), "{grid:?}");
    }
}

#[test]
fn a_pause_takes_no_time_and_a_gap_is_not_known() {
    let (_folder, tape) = record_simulation(
        Simulation::bare(Script::new().lap(&LAP).lap(&LAP).at(120_000).pause(30_000).wait(90_000)),
        60,
        "stopped",
    );
    let tracked = track_tape(&tape).unwrap();
    let laps = flying(&tracked);
    let lap = laps.last().unwrap();
    let found = columns(&tape, lap, &[], Grid::Metres { step_m: 10.0, length_m: 2_000.0 }).unwrap();
    let last = found.time_ms.iter().flatten().last().copied().unwrap();
    assert!((last - f64::from(lap.time_ms.unwrap())).abs() < 40.0, "{last} of {:?}", lap.time_ms);
}
