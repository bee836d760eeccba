//! iRacing, from rows of its variables.
use super::*;
use crate::laps::words::{Phase, SectorSource};
use gametape_games::{Channel, Kind};

/// A row: the variables that laps are detected from.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) lap: i32,
    pub(super) share: f32,
    pub(super) last_s: f32,
    pub(super) state: i32,
    pub(super) surface: i32,
    pub(super) incidents: i32,
    pub(super) in_stall: bool,
    pub(super) on_pit_road: bool,
    pub(super) session: i32,
    pub(super) fuel_l: f32,
}

pub(super) const ROW: Row = Row {
    lap: 1,
    share: 0.0,
    last_s: -1.0,
    state: 4,
    surface: 3,
    incidents: 0,
    in_stall: false,
    on_pit_road: false,
    session: 0,
    fuel_l: 20.0,
};

const SLIDE_RAD: f32 = 0.5;

pub(super) fn channel(name: &'static str, offset: u32, kind: Kind, count: u32, unit: &'static str) -> Channel {
    Channel { name: name.into(), offset, kind, count, unit: unit.into() }
}

pub(super) fn layout() -> Layout {
    let int = |name, offset| channel(name, offset, Kind::I32, 1, "");
    let channels = vec![
        channel("SessionTime", 0, Kind::F64, 1, "s"),
        int("Lap", 8),
        channel("LapDistPct", 12, Kind::F32, 1, "%"),
        channel("LapLastLapTime", 16, Kind::F32, 1, "s"),
        int("SessionState", 20),
        int("PlayerTrackSurface", 24),
        int("PlayerCarMyIncidentCount", 28),
        channel("PlayerCarInPitStall", 32, Kind::Bool, 1, ""),
        channel("OnPitRoad", 33, Kind::Bool, 1, ""),
        channel("IsOnTrack", 34, Kind::Bool, 1, ""),
        int("SessionNum", 35),
        int("SessionUniqueID", 39),
        channel("YawNorth", 43, Kind::F32, 1, "rad"),
        channel("VelocityX", 47, Kind::F32, 1, "m/s"),
        channel("VelocityY", 51, Kind::F32, 1, "m/s"),
        channel("FuelLevel", 55, Kind::F32, 1, "l"),
    ];
    Layout::new("test", 59, channels).unwrap()
}

fn bytes(at_s: f64, row: &Row) -> Vec<u8> {
    let mut bytes = (1_000.0 + at_s).to_le_bytes().to_vec();
    bytes.extend(row.lap.to_le_bytes());
    bytes.extend(row.share.to_le_bytes());
    bytes.extend(row.last_s.to_le_bytes());
    for number in [row.state, row.surface, row.incidents] {
        bytes.extend(number.to_le_bytes());
    }
    bytes.extend([row.in_stall.into(), row.on_pit_road.into(), 1]);
    bytes.extend(row.session.to_le_bytes());
    bytes.extend(77_i32.to_le_bytes());
    // Clockwise round a circle, with the nose half a radian to the right of the course.
    let nose = row.share * std::f32::consts::TAU + SLIDE_RAD;
    for number in [nose, 40.0 * SLIDE_RAD.cos(), 40.0 * SLIDE_RAD.sin(), row.fuel_l] {
        bytes.extend(number.to_le_bytes());
    }
    bytes
}

pub(super) fn text(kind: &str, sectors: usize) -> String {
    let list: String = (0..sectors)
        .map(|number| format!(" - SectorNum: {number}\n   SectorStartPct: {:.6}\n", number as f64 / sectors as f64))
        .collect();
    format!(
        "---\nWeekendInfo:\n TrackDisplayName: Test Track\n TrackLength: 4.00 km\n\nSessionInfo:\n Sessions:\n - SessionNum: 0\n   SessionType: {kind}\n - \
         SessionNum: 1\n   SessionType: Race\n\nDriverInfo:\n DriverCarIdx: 0\n Drivers:\n - CarIdx: 0\n   UserName: Driver 1\n   CarScreenName: Test \
         Car\n\nSplitTimeInfo:\n Sectors:\n{list}\n"
    )
}

/// Rows at a sampling rate, until a time.
pub(super) fn drive(hz: u32, kind: &str, sectors: usize, end_s: f64, row_at: impl Fn(f64) -> Row) -> Run {
    drive_with(&layout(), hz, kind, sectors, end_s, row_at)
}

pub(super) fn drive_with(
    layout: &Layout,
    hz: u32,
    kind: &str,
    sectors: usize,
    end_s: f64,
    row_at: impl Fn(f64) -> Row,
) -> Run {
    let mut feed = Feed::new("iracing");
    feed.bytes(0, "session-text", &gametape_games::NO_CHANNELS, text(kind, sectors).as_bytes());
    for tick in 0..(end_s * f64::from(hz)) as u32 {
        let at_s = f64::from(tick) / f64::from(hz);
        feed.bytes((at_s * 1e9) as u64, "telemetry", layout, &bytes(at_s, &row_at(at_s)));
    }
    feed.end(hz, Some(SessionEnd::ToolStop))
}

/// Consecutive laps of 100.4 s, with the first line crossing at 20 s. Lap times appear 2.1 s after the line.
pub(super) const FIRST_S: f64 = 20.0;
pub(super) const LAP_S: f64 = 100.4;

pub(super) fn laps(at_s: f64) -> Row {
    let done = ((at_s - FIRST_S) / LAP_S).floor();
    let share = ((at_s - FIRST_S) / LAP_S - done) as f32;
    let timed = ((at_s - FIRST_S - 2.1) / LAP_S).floor();
    Row { lap: done as i32 + 4, share, last_s: if timed >= 0.0 { 100.4 + timed as f32 / 1000.0 } else { 99.0 }, ..ROW }
}

#[test]
fn g1_a_lap_that_is_counted_at_the_start_and_taken_back() {
    for hz in [10, 20, 60, 100] {
        let run = drive(hz, "Race", 3, 240.0, |at_s| {
            let green_s = at_s - 30.0;
            let (first_s, lap_s) = (4.0, 104.4);
            match green_s {
                ..0.0 => Row { lap: 0, share: 0.985, state: 2, ..ROW },
                ..4.0 => Row { share: 0.985 + (green_s / first_s * 0.015) as f32, ..ROW },
                _ => {
                    let since_s = green_s - first_s;
                    let lap = if since_s < 1.0 { 2 } else { 1 + (green_s >= lap_s) as i32 };
                    let last_s = if green_s >= lap_s + 2.1 { 104.4 } else { -1.0 };
                    Row { lap, share: ((since_s / LAP_S) % 1.0) as f32, last_s, ..ROW }
                }
            }
        });
        let laps: Vec<_> = run.tracked.laps().map(|lap| (lap.number, lap.state, lap.time_ms)).collect();
        assert_eq!(laps, [(Some(1), LapState::Final, Some(104_400)), (Some(2), LapState::Aborted, None)], "{hz} Hz");
        let lap = run.finals()[0];
        assert_eq!((lap.phase, lap.eligible, run.tracked.sessions.len()), (Phase::GridStart, false, 1));
    }
}

#[test]
fn g1_behind_laps_with_a_pace_car() {
    for hz in [10, 20, 60, 100] {
        let run = drive(hz, "Race", 3, 240.0, |at_s| {
            let green_s = at_s - 30.0;
            let (first_s, lap_s) = (4.0, 104.4);
            match green_s {
                ..-10.0 => Row { lap: 0, share: 0.9, state: 2, ..ROW },
                ..0.0 => Row { lap: 0, share: 0.985 + green_s as f32 * 0.008, state: 3, ..ROW },
                ..4.0 => Row { share: 0.985 + (green_s / first_s * 0.015) as f32, ..ROW },
                _ => {
                    let since_s = green_s - first_s;
                    let lap = if since_s < 1.0 { 2 } else { 1 + (green_s >= lap_s) as i32 };
                    let last_s = if green_s >= lap_s + 2.1 { 104.4 } else { -1.0 };
                    Row { lap, share: ((since_s / LAP_S) % 1.0) as f32, last_s, ..ROW }
                }
            }
        });
        let laps: Vec<_> = run.tracked.laps().map(|lap| (lap.number, lap.phase, lap.state, lap.time_ms)).collect();
        let expected = [
            (Some(1), Phase::Formation, LapState::Aborted, None),
            (Some(1), Phase::GridStart, LapState::Final, Some(104_400)),
            (Some(2), Phase::Flying, LapState::Aborted, None),
        ];
        assert_eq!((laps, run.tracked.sessions.len()), (expected.to_vec(), 1), "{hz} Hz");
        assert!(!run.finals()[0].has(ReasonCode::PartialStart) && !run.finals()[0].eligible);
    }
}

#[test]
fn g2_the_time_comes_two_seconds_behind_the_line() {
    for hz in [10, 20, 60, 100] {
        let run = drive(hz, "Practice", 3, 315.0, laps);
        let finals = run.finals();
        assert!(
            finals[0].has(ReasonCode::PartialStart)
                && !finals[0].eligible
                && finals[0].time_source == Some(TimeSource::Official)
        );
        let finals = &finals[1..];
        assert_eq!(
            run.times(),
            [Some(100_400), Some(100_401), Some(100_402)],
            "{hz} Hz, after a first lap that was joined: {:?}",
            run.tracked.laps().map(|l| (l.number, l.state, l.time_ms)).collect::<Vec<_>>()
        );
        assert!(finals.iter().all(|lap| lap.valid == Some(true) && lap.eligible && lap.complete), "{finals:?}");
        let line_ns = ((FIRST_S + LAP_S) * 1e9) as u64;
        assert!(finals[0].end_ns.unwrap().abs_diff(line_ns) < 5_000_000, "{:?}", finals[0].end_ns);
        assert_eq!(finals[1].start_ns, finals[0].end_ns.unwrap(), "the next lap begins before the time appears");
        let measured = run.events.iter().find_map(|event| match event {
            Event::LapProvisional(lap) if lap.id == finals[0].id => lap.time_ms,
            _ => None,
        });
        assert!(measured.unwrap().abs_diff(100_400) <= 5, "{measured:?}");
        let session = &run.session(0).session;
        assert_eq!((session.track.as_deref(), session.driver.as_deref()), (Some("Test Track"), Some("Driver 1")));
        assert_eq!(run.tracked.tracks[0].length_m, Some(4000.0));
    }
}

#[test]
fn g3_off_the_track_and_no_time() {
    for hz in [10, 20, 60, 100] {
        for last_s in [-1.0, 100.401] {
            let run = drive(hz, "Practice", 3, 315.0, |at_s| {
                let row = laps(at_s);
                let second = at_s > FIRST_S + LAP_S + 50.0;
                let surface = if (175.0..176.0).contains(&at_s) { 0 } else { 3 };
                // The game reports no time for the second lap.
                Row { surface, incidents: second.into(), last_s: if second { last_s } else { row.last_s }, ..row }
            });
            let lap = run.finals()[2];
            assert_eq!(
                (lap.time_source, lap.valid, lap.eligible),
                (Some(TimeSource::Measured), Some(false), false),
                "{lap:?}"
            );
            assert!(lap.time_ms.unwrap().abs_diff(100_400) <= 5);
            assert!(lap.has(ReasonCode::NoOfficialTime) && lap.has(ReasonCode::TrackLimits));
            assert_eq!(run.best_ms(0), Some(100_401));
        }
    }
}

#[test]
fn g4_nine_sectors_by_the_place() {
    for hz in [10, 20, 60, 100] {
        let run = drive(hz, "Practice", 9, 315.0, laps);
        for lap in &run.finals()[1..] {
            let times = sectors(lap);
            assert_eq!(times.len(), 9, "{hz} Hz");
            assert!(times.iter().all(|time| time.unwrap().abs_diff(100_400 / 9) <= 15), "{times:?}");
            assert!(lap.sectors.iter().all(|sector| sector.source == SectorSource::Interpolated));
            assert_eq!(times.iter().flatten().sum::<u32>(), lap.time_ms.unwrap());
        }
        assert_eq!(run.session(0).session.sector_count, Some(9));
    }
}

#[test]
fn a_session_whose_time_begins_anew_was_started_again() {
    for hz in [10, 20, 60, 100] {
        let mut feed = Feed::new("iracing");
        let layout = layout();
        feed.bytes(0, "session-text", &gametape_games::NO_CHANNELS, text("Practice", 3).as_bytes());
        for tick in 0..400 * hz {
            let at_s = f64::from(tick) / f64::from(hz);
            // Before the first lap was completed: no other value falls.
            let (game_s, row) = match at_s {
                ..60.0 => (at_s, Row { lap: 1, share: at_s as f32 / 120.0, ..ROW }),
                ..61.0 => (at_s - 60.0, Row { lap: 1, share: 0.98, ..ROW }),
                _ => (at_s - 60.0, Row { lap: laps(at_s - 61.0).lap - 3, ..laps(at_s - 61.0) }),
            };
            // A single zeroed row is ignored.
            let game_s = if tick == 30 * hz { -900.0 } else { game_s };
            feed.bytes((at_s * 1e9) as u64, "telemetry", &layout, &bytes(game_s, &row));
        }
        let run = feed.end(hz, Some(SessionEnd::ToolStop));
        assert_eq!(run.ends(), [SessionEnd::Restart, SessionEnd::ToolStop], "{hz} Hz");
        assert!(run.session(0).laps.iter().all(|lap| lap.has(ReasonCode::AbortedRestart)));
        assert!(run.session(1).session.start_ns.abs_diff(60_000_000_000) <= 110_000_000);
        let official = run.finals().iter().filter(|lap| lap.eligible).count();
        assert_eq!(official, 2, "{hz} Hz {:?}", run.times());
        assert!(run.finals().iter().all(|lap| lap.time_ms.unwrap().abs_diff(100_400) < 10), "{:?}", run.times());
    }
}

#[test]
fn texts_and_rows_that_are_dated_back_give_the_same_live_and_from_the_tape() {
    use crate::layout::stream_of_layout;
    use gametape_format::{Role, StreamId, StreamSpec};
    let layout = layout();
    let streams = [
        stream_of_layout("iracing", "telemetry", "shm", &layout),
        StreamSpec {
            game: "iracing".into(),
            role: Role::Describe,
            describes: Some(StreamId(0)),
            ..StreamSpec::rows("session-text")
        },
    ];
    let mut frames = vec![(1, 0, text("Practice", 3).into_bytes())];
    for tick in 0..400 * 20_u64 {
        let at_s = tick as f64 / 20.0;
        let row = Row { session: i32::from(at_s > 330.0), ..laps(at_s) };
        // Rows have the time of the game's clock, texts the time at which they were read: slightly later, but delivered first.
        if tick % 700 == 699 {
            let text = text("Practice", 3) + &format!("Tick: {tick}\n");
            frames.push((1, tick * 50_000_000 + 40_000_000, text.into_bytes()));
        }
        frames.push((0, tick * 50_000_000, bytes(at_s, &row)));
    }
    let (live, tape) = super::live::live_and_tape("iracing", &streams, &frames);
    assert_eq!(live.sessions, tape.sessions);
    assert_eq!((tape.sessions.len(), tape.laps().filter(|lap| lap.eligible).count()), (2, 3));
}

#[test]
fn zeroed_rows_and_a_place_beyond_the_line_are_nothing() {
    let run = drive(60, "Practice", 3, 315.0, |at_s| match at_s {
        _ if (60.0..60.01).contains(&at_s) => Row { lap: 0, share: 0.0, surface: -1, ..ROW },
        _ => {
            let row = laps(at_s);
            // The line is at an angle: the position goes beyond it for a moment.
            Row { share: if row.share < 0.01 { row.share + 1.0 } else { row.share }, ..row }
        }
    });
    assert_eq!(run.times(), [Some(100_400), Some(100_401), Some(100_402)]);
    assert!(run.finals()[1..].iter().all(|lap| lap.eligible), "{:?}", run.finals());
}

#[test]
fn a_tow_to_the_pits_aborts_the_lap_and_the_next_session_is_another() {
    let run = drive(60, "Practice", 3, 400.0, |at_s| match at_s {
        ..150.0 => laps(at_s),
        ..180.0 => Row { lap: 5, share: 0.02, in_stall: true, on_pit_road: true, surface: 1, last_s: 100.401, ..ROW },
        ..300.0 => Row { lap: 5, share: 0.02 + (at_s - 180.0) as f32 / 200.0, last_s: 100.401, ..ROW },
        _ => Row { session: 1, lap: 0, share: 0.98, state: 1, ..ROW },
    });
    assert_eq!(run.ends(), [SessionEnd::TypeChange, SessionEnd::ToolStop]);
    let aborted: Vec<_> = run.session(0).laps.iter().filter(|lap| lap.state == LapState::Aborted).map(codes).collect();
    assert_eq!(aborted.last().unwrap(), &["partial_end", "out_lap"], "{aborted:?}");
    assert!(aborted.iter().any(|codes| codes.contains(&"aborted_garage")));
    assert_eq!(run.times(), [Some(100_400), Some(100_401)]);
}

#[test]
fn a_track_of_which_no_places_are_known_is_drawn_from_where_the_car_goes() {
    let run = drive(60, "Practice", 3, 240.0, laps);
    let facts = &run.tracked.tracks[0];
    assert_eq!((facts.length_m, facts.outline_m.len()), (Some(4_000.0), 256));
    // The line is at the westernmost point of a circle of 4 km.
    let radius = 4_000.0 / std::f32::consts::TAU;
    for (number, [x, _, z]) in facts.outline_m.iter().enumerate() {
        let angle = number as f32 / 256.0 * std::f32::consts::TAU;
        let off = (x - radius * (1.0 - angle.cos())).hypot(z + radius * angle.sin());
        assert!(off < 20.0, "{number}: {off} m off");
    }
}
