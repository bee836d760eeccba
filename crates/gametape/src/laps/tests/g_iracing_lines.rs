//! iRacing: where the first lap begins, late lap times, and teleports to the pits.
use super::g_iracing::{FIRST_S, LAP_S, ROW, Row, drive, drive_with, laps, layout};
use super::*;
use crate::laps::words::{Phase, StintEnd, StintStart};

const STALL: Row = Row { lap: 0, in_stall: true, on_pit_road: true, surface: 1, ..ROW };

/// When the car crosses the line at which the first lap begins.
const LINE_S: f64 = 30.0;

/// From a pit stall before the line: the car leaves at 25 s and crosses the line at 30 s. From there, laps take 100.4 s, and their times
/// appear two seconds late. `Lap` rises slightly before the line.
fn from_stall_before_line(at_s: f64) -> Row {
    match at_s {
        ..25.0 => Row { share: 0.98, ..STALL },
        ..27.0 => Row { share: 0.98 + (at_s - 25.0) as f32 * 0.004, in_stall: false, surface: 2, ..STALL },
        ..29.9 => Row { lap: 0, share: 0.98 + (at_s - 25.0) as f32 * 0.004, surface: 2, ..ROW },
        ..LINE_S => Row { lap: 1, share: (at_s - LINE_S) as f32 * 0.004, surface: 2, ..ROW },
        _ => {
            let row = laps(at_s - LINE_S + FIRST_S);
            Row { lap: row.lap - 3, last_s: if row.last_s < 100.0 { 0.0 } else { row.last_s }, ..row }
        }
    }
}

#[test]
fn the_first_lap_begins_at_the_line_and_not_where_the_car_leaves_its_stall() {
    for hz in [10, 20, 60, 100] {
        let run = drive(hz, "Practice", 4, 250.0, from_stall_before_line);
        let finals = run.finals();
        assert_eq!(run.times(), [Some(100_401), Some(100_402)], "{hz} Hz");
        let (first, line_ns) = (finals[0], (LINE_S * 1e9) as u64);
        assert!(first.start_ns.abs_diff(line_ns) <= 5_000_000, "{hz} Hz: begins at {}", first.start_ns);
        assert_eq!((first.number, first.tape_lap, first.phase), (Some(1), 1, Phase::Out), "{hz} Hz");
        assert!(first.complete && !first.eligible && !first.has(ReasonCode::PartialStart), "{first:?}");
        assert!(sectors(first).iter().all(|time| time.unwrap().abs_diff(25_100) <= 15), "{hz} Hz {:?}", sectors(first));
        assert_eq!((finals[1].phase, finals[1].eligible), (Phase::Flying, true));
        // The part before the line does not belong to a lap.
        assert_eq!(run.tracked.laps().count(), 3);
    }
}

/// The stall is at 12 % of the track: nearly a full lap to the first line crossing.
fn from_stall_behind_line(at_s: f64) -> Row {
    let line_s = 5.0 + 0.88 * LAP_S;
    match at_s {
        ..5.0 => Row { share: 0.12, ..STALL },
        _ if at_s < line_s => Row { lap: 0, share: 0.12 + ((at_s - 5.0) / LAP_S) as f32, last_s: 0.0, ..ROW },
        _ => Row { lap: laps(at_s - line_s + FIRST_S).lap - 3, ..laps(at_s - line_s + FIRST_S) },
    }
}

#[test]
fn an_out_lap_that_begins_at_12_percent_of_the_track_is_not_complete() {
    for hz in [10, 20, 60, 100] {
        let run = drive(hz, "Practice", 4, 320.0, from_stall_behind_line);
        let all: Vec<_> = run.tracked.laps().map(|lap| (lap.number, lap.phase, lap.state, lap.complete)).collect();
        assert_eq!(all[0], (None, Phase::Out, LapState::Aborted, false), "{hz} Hz: the run to the first line crossing");
        assert!(run.aborted()[0].has(ReasonCode::NoOfficialTime));
        assert_eq!(all[1], (Some(1), Phase::Flying, LapState::Final, true), "{hz} Hz");
        assert_eq!(run.times()[..2], [Some(100_401), Some(100_402)], "{hz} Hz");

        // A later stint: the game has counted laps already, and times the out lap.
        let run = drive(hz, "Practice", 4, 300.0, |at_s| match at_s {
            ..150.0 => laps(at_s),
            ..180.0 => Row { lap: 5, share: 0.12, last_s: 100.401, ..STALL },
            _ => {
                let since_s = at_s - 180.0 + 0.12 * LAP_S;
                let last_s = if since_s - 2.0 > LAP_S { 91.0 } else { 100.401 };
                Row { lap: 5 + (since_s / LAP_S) as i32, share: (since_s / LAP_S % 1.0) as f32, last_s, ..ROW }
            }
        });
        let out = run.finals()[2];
        assert_eq!((out.phase, out.complete, out.time_ms), (Phase::Out, false, Some(91_000)), "{hz} Hz {out:?}");
        assert_eq!(sectors(out)[0], None, "the lap began within its first sector");
        assert!(sectors(out)[1..].iter().all(|time| time.unwrap().abs_diff(25_100) <= 15), "{:?}", sectors(out));
    }
}

#[test]
fn a_time_that_comes_late_amends_the_lap() {
    for hz in [10, 20, 60, 100] {
        let late = |at_s: f64| {
            let timed = ((at_s - FIRST_S - 4.75) / LAP_S).floor();
            let last_s = if timed >= 0.0 { 100.4 + timed as f32 / 1000.0 } else { 99.0 };
            Row { last_s, ..laps(at_s) }
        };
        let run = drive(hz, "Practice", 3, 315.0, late);
        assert_eq!(run.times(), [Some(100_400), Some(100_401), Some(100_402)], "{hz} Hz");
        let finals = run.finals();
        assert!(finals.len() == 3 && finals.iter().all(|lap| lap.time_source == Some(TimeSource::Official)), "{hz} Hz");
        assert!(finals[0].has(ReasonCode::PartialStart), "a lap that began before the recording, too");
        assert!(finals[1..].iter().all(|lap| lap.eligible && lap.valid == Some(true)), "{hz} Hz {finals:?}");
        assert!(!finals.iter().any(|lap| lap.has(ReasonCode::NoOfficialTime)));
        let amended = run.events.iter().filter(|event| matches!(event, Event::LapAmended(_))).count();
        assert_eq!(amended, 3, "{hz} Hz");
    }
}

#[test]
fn an_old_time_that_is_still_shown_is_not_taken_for_that_of_the_next_lap() {
    // Each lap takes 100.4 s, exactly or nearly so. The old time is displayed until 4.5 s after the line.
    let slow = |times: [f32; 3]| {
        move |at_s: f64| {
            let timed = ((at_s - FIRST_S - 4.5) / LAP_S).floor();
            let last_s = if timed < 0.0 { 99.0 } else { times[(timed as usize).min(2)] };
            Row { last_s, ..laps(at_s) }
        }
    };
    for hz in [10, 20, 60, 100] {
        let run = drive(hz, "Practice", 3, 315.0, slow([100.4, 100.412, 100.395]));
        assert_eq!(run.times(), [Some(100_400), Some(100_412), Some(100_395)], "{hz} Hz");
        // A new time that equals the old one to the millisecond is still recognized as new.
        let run = drive(hz, "Practice", 3, 315.0, slow([100.4001, 100.4003, 100.4002]));
        assert!(run.finals().iter().all(|lap| lap.time_ms == Some(100_400) && lap.valid == Some(true)), "{hz} Hz");
        // The game removes the time in the middle of a lap and displays it again: it is still the old one.
        let run = drive(hz, "Practice", 3, 227.0, |at_s| {
            let row = laps(at_s);
            Row { last_s: if (60.0..110.0).contains(&at_s) { -1.0 } else { 100.4 }, ..row }
        });
        let last = *run.finals().last().unwrap();
        assert_eq!((last.time_source, last.valid), (Some(TimeSource::Measured), None), "{hz} Hz {last:?}");
    }
}

#[test]
fn a_leap_into_the_pits_with_more_fuel_ends_the_stint_where_the_game_does_not_tell_the_stall() {
    let old = layout();
    let gone = ["PlayerTrackSurface", "PlayerCarInPitStall"];
    let channels = old.channels().iter().filter(|channel| !gone.contains(&channel.name.as_ref())).cloned().collect();
    let old = Layout::new("test-2015", old.frame_bytes(), channels).unwrap();
    for hz in [10, 20, 60, 100] {
        let drive_old = |filled: bool| {
            drive_with(&old, hz, "Practice", 3, 400.0, move |at_s| match at_s {
                ..150.0 => Row { fuel_l: 20.0 - at_s as f32 * 0.02, ..laps(at_s) },
                ..180.0 => {
                    let fuel_l = if filled { 30.0 } else { 17.0 };
                    Row { lap: 5, share: 0.02, on_pit_road: true, last_s: 100.4, fuel_l, ..ROW }
                }
                _ => {
                    let row = laps(at_s - 180.0 + FIRST_S + 0.02 * LAP_S);
                    Row { lap: row.lap + 1, last_s: row.last_s.max(100.4), fuel_l: 30.0, ..row }
                }
            })
        };
        let run = drive_old(true);
        let stints = &run.session(0).stints;
        let turns: Vec<_> = stints.iter().map(|stint| (stint.start, stint.end)).collect();
        let expected = [(StintStart::Start, Some(StintEnd::Garage)), (StintStart::Garage, Some(StintEnd::End))];
        assert_eq!(turns, expected, "{hz} Hz");
        let aborted = run.aborted();
        assert!(aborted.iter().any(|lap| lap.has(ReasonCode::AbortedGarage)), "{hz} Hz {aborted:?}");
        let out = run.tracked.laps().find(|lap| lap.stint == Some(2)).unwrap();
        assert_eq!((out.phase, out.has(ReasonCode::PartialStart)), (Phase::Out, false), "{hz} Hz");
        // If the fuel does not increase, the cause is unknown: the lap continues, and is not eligible as a best.
        let run = drive_old(false);
        assert_eq!(run.session(0).stints.len(), 1, "{hz} Hz");
        assert!(run.tracked.laps().any(|lap| lap.has(ReasonCode::Teleport)));
    }
}
