//! Laps of real recordings.
#![allow(clippy::unwrap_used, missing_docs)]
use crate::support;

use gametape::format::read::Tape;
use gametape::import::import;
use gametape::laps::{LapState, Phase, SessionEnd, SessionKind, Tracked, track_tape};

fn tracked(data: &std::path::Path, name: &str) -> Tracked {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.gtape");
    import(&data.join("ibt").join(name), &out, &mut |_| {}).unwrap();
    track_tape(&Tape::open(&out).unwrap()).unwrap()
}

#[test]
fn real_ibt_files_have_parts_of_laps_and_no_invented_times() {
    let Some(data) = support::real_data("real_ibt_files_have_parts_of_laps_and_no_invented_times") else { return };
    let sebring = tracked(&data, "sebring_amg_gt4.ibt");
    assert_eq!(sebring.sessions.len(), 1);
    let session = &sebring.sessions[0].session;
    assert_eq!((session.kind, session.end), (SessionKind::Practice, Some(SessionEnd::StreamEnd)));
    assert!(session.sector_count.is_some_and(|count| count > 6) && session.best_lap.is_none());
    let laps: Vec<_> = sebring.laps().collect();
    assert_eq!(laps.len(), 1, "{laps:?}");
    let codes: Vec<_> = laps[0].reasons.iter().map(|reason| reason.code.as_str()).collect();
    assert_eq!(
        codes,
        ["partial_start", "aborted_garage", "out_lap"],
        "out of the box in the middle of a lap, and towed back"
    );
    assert_eq!(
        (laps[0].state, laps[0].time_ms, laps[0].number, laps[0].phase),
        (LapState::Aborted, None, Some(8), Phase::Out)
    );
    assert!(laps[0].start_ns > 1_000_000_000 && laps[0].end_ns.unwrap().abs_diff(40_100_000_000) < 200_000_000);

    let ring = tracked(&data, "red_bull_ring_w13.ibt");
    assert_eq!((ring.sessions.len(), ring.sessions[0].session.kind), (1, SessionKind::Test));
    assert!(ring.laps().all(|lap| lap.state == LapState::Aborted && lap.time_ms.is_none() && !lap.eligible));
    assert!(ring.laps().all(|lap| lap.sectors.iter().all(|sector| sector.time_ms.is_none())));
    assert!(ring.laps().count() <= 1, "{:?}", ring.laps().collect::<Vec<_>>());
}

#[test]
fn a_real_lap_out_of_the_pits_begins_at_the_line() {
    let Some(data) = support::real_data("a_real_lap_out_of_the_pits_begins_at_the_line") else { return };
    let tracked = tracked(&data, "tsukuba_formula_vee.ibt");
    let laps: Vec<_> = tracked.laps().collect();
    let times: Vec<_> = laps.iter().filter_map(|lap| lap.time_ms).collect();
    assert!(times[0].abs_diff(25_914) <= 1 && times[1].abs_diff(23_980) <= 1 && times.len() == 2, "{times:?}");
    let first = laps[0];
    assert_eq!((first.number, first.phase, first.complete), (Some(1), Phase::Out, true), "{first:?}");
    assert!(first.start_ns.abs_diff(3_585_000_000) <= 3_000_000, "it begins at {} ns", first.start_ns);
    let sectors: Vec<_> = first.sectors.iter().map(|sector| sector.time_ms.unwrap()).collect();
    assert_eq!(sectors.len(), 4);
    for (found, expected) in sectors.iter().zip([7_354_u32, 6_397, 4_859, 7_305]) {
        assert!(found.abs_diff(expected) <= 3, "{sectors:?}");
    }
    assert_eq!((laps[1].phase, laps[1].eligible), (Phase::Flying, true));
    // One flying lap is the outline, and it closes.
    let outline = &tracked.tracks[0].outline_m;
    let apart = |one: [f32; 3], other: [f32; 3]| (one[0] - other[0]).hypot(one[2] - other[2]);
    let widest = outline.windows(2).map(|pair| apart(pair[0], pair[1])).fold(0.0, f32::max);
    assert!(widest < 8.0, "{widest} m between two places");
    assert!(apart(outline[0], outline[outline.len() - 1]) < 8.0, "a step at the line");
}

#[test]
fn real_laps_are_compared_without_a_leap_behind_the_line() {
    use gametape::laps::Grid;
    use gametape::laps::columns::columns;
    use gametape::laps::compare::compare;
    let Some(data) = support::real_data("real_laps_are_compared_without_a_leap_behind_the_line") else { return };
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("a.gtape");
    import(&data.join("ibt/tsukuba_formula_vee.ibt"), &out, &mut |_| {}).unwrap();
    let tape = Tape::open(&out).unwrap();
    let tracked = track_tape(&tape).unwrap();
    let length_m = f64::from(tracked.tracks[0].length_m.unwrap());
    let grid = Grid::Metres { step_m: 1.0, length_m };
    let read = |number| columns(&tape, tracked.lap(number).unwrap(), &["speed_kmh".to_owned()], grid).unwrap();
    let laps = [read(1), read(2)];
    for lap in &laps {
        let (speeds, times) = (&lap.columns[0].values, &lap.time_ms);
        for (row, pair) in times.windows(2).enumerate().take(60) {
            let (Some(from), Some(to)) = (pair[0], pair[1]) else { panic!("row {row} is not known") };
            let Some(speed) = speeds[row + 1] else { continue };
            let expected = 1000.0 / (speed / 3.6);
            // The car speeds up within a metre, most of all where it leaves the pits.
            let limit = (expected * 0.12).max(6.0);
            assert!((to - from - expected).abs() < limit, "row {row}: {} ms, by its speed {expected} ms", to - from);
        }
    }
    let compared = compare(&laps, length_m, 1.0).unwrap();
    let lost: f64 = compared.stretches.iter().filter_map(|stretch| stretch.lost_ms[1]).sum();
    let difference =
        f64::from(tracked.lap(2).unwrap().time_ms.unwrap()) - f64::from(tracked.lap(1).unwrap().time_ms.unwrap());
    assert!((lost - difference).abs() < 0.01, "{lost} of {difference}");
}
