//! Sessions and laps for tests.

use gametape::format::TapeId;
use gametape::games::{CarLap, CarResult, CarStanding};
use gametape::laps::{
    CarChange, Conditions, Id, Lap, LapState, Phase, Reason, ReasonCode, ReasonSource, Sector, SectorSource, Session,
    SessionEnd, SessionKind, Stint, StintEnd, StintStart, TimeSource, TrackedSession,
};
use gametape::store::{Origin, TrackerVersion, Write};

/// 2026-03-01 12:00 UTC.
pub const START_US: i64 = 1_772_366_400_000_000;
/// Duration of a lap.
pub const LAP_NS: u64 = 100_000_000_000;

pub fn tape(number: u8) -> TapeId {
    TapeId([number; 16])
}

pub fn origin(number: u8) -> Origin {
    Origin::new(tape(number), TrackerVersion { id: "laps".to_owned(), version: 3 })
}

/// Returns a session that starts this many hours after [`START_US`].
pub fn session(number: u8, hours: i64) -> Session {
    let started_utc_us = START_US + hours * 3_600_000_000;
    Session {
        id: Id::of_session(tape(number), 0),
        tape: tape(number),
        game: "assetto-corsa-competizione".to_owned(),
        game_version: Some("1.9".to_owned()),
        kind: SessionKind::Practice,
        index: Some(0),
        track: Some("Spa".to_owned()),
        layout: None,
        car: Some("car_a".to_owned()),
        driver: Some("Driver 1".to_owned()),
        online: Some(false),
        start_ns: 0,
        end_ns: Some(3_600_000_000_000),
        started_utc_us: Some(started_utc_us),
        ended_utc_us: Some(started_utc_us + 3_600_000_000),
        end: Some(SessionEnd::ToolStop),
        sector_count: Some(3),
        best_lap: None,
        theoretical_best_ms: None,
        remark: None,
        foreign: false,
    }
}

/// Returns the lap with this number in the tape of a session, from 1.
pub fn lap(session: &Session, number: u32, time_ms: u32) -> Lap {
    let start_ns = u64::from(number - 1) * LAP_NS;
    let sector = |time_ms| Sector { time_ms: Some(time_ms), source: SectorSource::Differenced };
    Lap {
        id: Id::of_lap(session.tape, start_ns, 0),
        session: session.id,
        number: Some(number),
        tape_lap: number,
        stint: Some(1),
        driver: session.driver.clone(),
        start_ns,
        end_ns: Some(start_ns + LAP_NS),
        started_utc_us: session.started_utc_us.map(|us| us + start_ns as i64 / 1000),
        time_ms: Some(time_ms),
        time_source: Some(TimeSource::Official),
        state: LapState::Final,
        phase: Phase::Flying,
        complete: true,
        valid: Some(true),
        reasons: Vec::new(),
        eligible: true,
        sectors: vec![sector(30_000), sector(40_000), sector(time_ms - 70_000)],
        fuel_used_l: Some(2.7),
        conditions: Conditions { air_celsius: Some(21.5), rain: Some("dry".to_owned()), ..Conditions::default() },
        coverage: Some(1.0),
        top_speed_kmh: Some(271.25),
        excluded: false,
    }
}

/// Returns the same lap, invalidated for a track cut.
pub fn invalid(lap: Lap) -> Lap {
    let cut = Reason {
        code: ReasonCode::Cut,
        source: ReasonSource::Game,
        at_sector: Some(2),
        at_fraction: Some(0.4),
        at_ns: Some(lap.start_ns + 5),
    };
    Lap { valid: Some(false), eligible: false, reasons: vec![cut], ..lap }
}

pub fn stint(session: &Session) -> Stint {
    Stint {
        n: 1,
        start: StintStart::Pit,
        end: Some(StintEnd::End),
        start_ns: session.start_ns,
        end_ns: session.end_ns,
        first_lap: Some(1),
        last_lap: Some(3),
        driver: session.driver.clone(),
        fuel_start_l: Some(60.0),
        fuel_end_l: Some(51.75),
        tyre_set: Some(1),
    }
}

/// Returns a session with laps of these times.
pub fn tracked(session: &Session, times_ms: &[u32]) -> TrackedSession {
    let laps = (1..).zip(times_ms).map(|(number, time_ms)| lap(session, number, *time_ms)).collect();
    TrackedSession { session: session.clone(), stints: vec![stint(session)], laps, cars: Vec::new() }
}

/// Returns a car in a position, with completed laps of these times. Its driver is named after its number.
pub fn car(number: u32, position: u16, times_ms: &[u32]) -> CarStanding {
    let lap = |(number, time_ms): (u32, &u32)| CarLap {
        number,
        time_ms: Some(*time_ms),
        sectors_ms: vec![Some(30_000), None, Some(time_ms - 70_000)],
        valid: Some(number != 2),
        valid_sectors: vec![true, number != 2, true],
    };
    CarStanding {
        car: number,
        is_player: number == 1,
        name: Some(format!("Driver {number}")),
        team: Some("Team A".to_owned()),
        car_model: Some("car_a".to_owned()),
        class: Some("GT3".to_owned()),
        race_number: Some(70 + position),
        position: Some(position),
        result: CarResult::Finished,
        current_lap: u32::try_from(times_ms.len()).ok(),
        last_ms: times_ms.last().copied(),
        best_ms: times_ms.iter().min().copied(),
        last_sectors_ms: vec![Some(30_000), None, Some(20_000)],
        gap_to_leader_ms: (position > 1).then_some(1_500),
        gap_ahead_ms: None,
        pit_stops: Some(1),
        pit: None,
        tyre: Some("medium".to_owned()),
        laps: (1..).zip(times_ms).map(lap).collect(),
    }
}

/// Returns the same as writes.
pub fn writes(tracked: &TrackedSession) -> Vec<Write> {
    let TrackedSession { session, stints, laps, cars } = tracked;
    let stints = stints.iter().map(|stint| Write::Stint(session.id, stint.clone()));
    let laps = laps.iter().map(|lap| Write::Lap(lap.clone()));
    let cars: Vec<_> = cars.iter().cloned().map(CarChange::whole).collect();
    let cars = (!cars.is_empty()).then_some(Write::Cars(session.id, cars));
    [Write::Session(session.clone())].into_iter().chain(stints).chain(laps).chain(cars).collect()
}
