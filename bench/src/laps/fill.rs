//! Fills a store as it would be after years: writes a number of sessions through the [`Store`] trait, one tape each.
//!
//! The data is generated and the same each time. Drivers, cars and tracks are unevenly distributed, as in reality; one
//! lap in ten is invalid.

use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::{Result, anyhow};
use gametape::format::TapeId;
use gametape::laps::{
    Conditions, Id, Lap, LapState, Phase, Reason, ReasonCode, ReasonSource, Sector, SectorSource, Session, SessionEnd,
    SessionKind, Stint, StintEnd, StintStart, TimeSource,
};
use gametape::store::{Origin, Store, TrackerVersion, Write};

use crate::data::noise::Noise;

/// Laps per session.
pub(super) const LAPS: u32 = 50;
/// 2020-01-01 UTC.
const START_US: i64 = 1_577_836_800_000_000;
/// Time between the starts of two sessions.
const EVERY_US: i64 = 5 * 3_600_000_000;
const TRACKS: [&str; 8] =
    ["Spa", "Monza", "Nurburgring", "Suzuka", "Brands Hatch", "Kyalami", "Mount Panorama", "Imola"];
const GAMES: [&str; 2] = ["assetto-corsa-competizione", "iracing"];
const CARS: u64 = 12;
const DRIVERS: u64 = 25;

/// Returns the tape of a session.
fn tape_of(number: u32) -> TapeId {
    let mut id = [7; 16];
    id[..4].copy_from_slice(&number.to_be_bytes());
    TapeId(id)
}

/// Returns the session with this number; a higher number is newer.
pub(super) fn session(number: u32) -> Session {
    let mut noise = Noise::new(u64::from(number));
    // The minimum of two: some are driven much more often than others.
    let mut seldom = |of: u64| (noise.next_u64() % of).min(noise.next_u64() % of);
    let (track, car, driver) = (seldom(TRACKS.len() as u64), seldom(CARS), seldom(DRIVERS));
    let game = GAMES.get((track % 4 == 3) as usize).copied().unwrap_or_default();
    let started_utc_us = START_US + i64::from(number) * EVERY_US;
    let length_us = i64::from(LAPS) * 120_000_000;
    let tape = tape_of(number);
    Session {
        id: Id::of_session(tape, 0),
        tape,
        game: game.to_owned(),
        game_version: Some("1.9".to_owned()),
        kind: if number.is_multiple_of(3) { SessionKind::Race } else { SessionKind::Practice },
        index: Some(0),
        track: TRACKS.get(track as usize).map(|track| (*track).to_owned()),
        layout: None,
        car: Some(format!("car_{car}")),
        driver: Some(format!("Driver {}", driver + 1)),
        online: Some(number.is_multiple_of(2)),
        start_ns: 0,
        end_ns: Some(length_us as u64 * 1000),
        started_utc_us: Some(started_utc_us),
        ended_utc_us: Some(started_utc_us + length_us),
        end: Some(SessionEnd::ToolStop),
        sector_count: Some(3),
        best_lap: None,
        theoretical_best_ms: None,
        remark: None,
        foreign: false,
    }
}

fn lap(session: &Session, number: u32, noise: &mut Noise) -> Lap {
    let (start_ns, length_ns) = (u64::from(number - 1) * 120_000_000_000, 120_000_000_000);
    let mut sector = |base: u32| base + (noise.next_u64() % 1_500) as u32;
    let sectors_ms = [sector(33_000), sector(41_000), sector(36_000)];
    let cut = noise.next_u64().is_multiple_of(10);
    let out = number == 1;
    let reason = Reason {
        code: ReasonCode::Cut,
        source: ReasonSource::Game,
        at_sector: Some(2),
        at_fraction: Some(0.4),
        at_ns: Some(start_ns + length_ns / 2),
    };
    Lap {
        id: Id::of_lap(session.tape, start_ns, 0),
        session: session.id,
        number: Some(number),
        tape_lap: number,
        stint: Some(1),
        driver: session.driver.clone(),
        start_ns,
        end_ns: Some(start_ns + length_ns),
        started_utc_us: session.started_utc_us.map(|us| us + start_ns as i64 / 1000),
        time_ms: Some(sectors_ms.iter().sum()),
        time_source: Some(TimeSource::Official),
        state: LapState::Final,
        phase: if out { Phase::Out } else { Phase::Flying },
        complete: true,
        valid: Some(!cut),
        reasons: if cut { vec![reason] } else { Vec::new() },
        eligible: !cut && !out,
        sectors: sectors_ms.map(|ms| Sector { time_ms: Some(ms), source: SectorSource::Differenced }).into(),
        fuel_used_l: Some(2.7),
        conditions: Conditions { air_celsius: Some(21.5), rain: Some("none".to_owned()), ..Conditions::default() },
        coverage: Some(1.0),
        top_speed_kmh: Some(271.25),
        excluded: false,
    }
}

fn writes(number: u32) -> Vec<Write> {
    let session = session(number);
    let stint = Stint {
        n: 1,
        start: StintStart::Pit,
        end: Some(StintEnd::End),
        start_ns: session.start_ns,
        end_ns: session.end_ns,
        first_lap: Some(1),
        last_lap: Some(LAPS),
        driver: session.driver.clone(),
        fuel_start_l: Some(60.0),
        fuel_end_l: Some(5.0),
        tyre_set: Some(1),
    };
    let mut noise = Noise::new(u64::from(number) << 32);
    let mut writes = vec![Write::Session(session.clone()), Write::Stint(session.id, stint)];
    writes.extend((1..=LAPS).map(|number| Write::Lap(lap(&session, number, &mut noise))));
    writes
}

/// Writes this many sessions, with several threads if the database supports more than one writer.
pub(super) fn fill(store: &dyn Store, sessions: u32, threads: usize) -> Result<()> {
    let next = AtomicU32::new(0);
    let work = || -> Result<()> {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= sessions {
                return Ok(());
            }
            let origin = Origin::new(tape_of(number), TrackerVersion { id: "laps".to_owned(), version: 1 });
            store.write(&origin, &writes(number))?;
        }
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        running.into_iter().try_for_each(|one| one.join().map_err(|_| anyhow!("a fill thread panicked"))?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape::store::{Audience, ListQuery, SqlStore};

    #[test]
    fn all_sessions_and_laps_are_there_and_the_newest_is_the_last_one() {
        let folder = tempfile::tempdir().unwrap();
        let store = SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap();
        fill(&store, 3, 2).unwrap();
        let page = store.sessions(&ListQuery::default(), Audience::Owner).unwrap();
        let found: Vec<_> = page.items.iter().map(|item| (item.session.id, item.lap_count)).collect();
        assert_eq!(found, [2, 1, 0].map(|number| (session(number).id, LAPS)));
    }
}
