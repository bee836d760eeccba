//! All cars of simulated sessions: from datagrams to the store.
#![allow(clippy::unwrap_used, clippy::panic)]
use std::sync::Arc;

use gametape::format::{StreamSpec, TapeId};
use gametape::games::{CarResult, CarStanding, find_game};
use gametape::laps::{Event, Tracked, TrackedSession, Tracking, end_of_reason};
use gametape::layout::stream_of_layout;
use gametape::live::{KeepLaps, LapSink, LiveTape};
use gametape::store::{Audience, SqlStore, Store};
use gametape_simulator::{Datagrams, Game, SessionKind, Settings, Start, datagram_encoder};

/// Drives a race and tracks what the game sends, as during a recording: events go to a store. Returns what was tracked, and the sizes of the
/// events with standings: cars and laps.
fn race(id: &str, seconds: u64, store: &Arc<SqlStore>) -> (Tracked, Vec<(usize, usize)>) {
    let game = find_game(id).unwrap();
    let tape = LiveTape { id: TapeId([7; 16]), path: "race.gtape".into(), game: id.to_owned(), replay_of: None };
    let spec = |stream: &gametape::games::Stream| match stream.layouts().first() {
        Some(layout) => stream_of_layout(id, stream.name, "udp", layout),
        None => StreamSpec::rows(stream.name),
    };
    let specs: Vec<_> = game.streams.iter().map(spec).collect();
    let mut tracking = Tracking::new(id, tape.id, &specs).unwrap();
    let keep =
        KeepLaps::new(Arc::clone(store) as Arc<dyn Store>, false, |_: &LiveTape, _: gametape::live::Announced<'_>| {});
    let (mut tracked, mut sizes) = (Tracked::default(), Vec::new());
    let mut take = |events: Vec<Event>| {
        for event in &events {
            if let Event::Standings { cars, .. } = event {
                sizes.push((cars.len(), cars.iter().map(|change| change.car.laps.len()).sum()));
            }
            tracked.take(event.clone());
        }
        keep.events(&tape, events);
    };
    let settings = Settings { session: SessionKind::Race, start: Start::Grid, ..Settings::default() };
    let (mut car, mut encoder, mut sent) = (Game::new(settings), datagram_encoder(id).unwrap(), Datagrams::default());
    for ms in 0..seconds * 1000 {
        sent.clear();
        encoder.encode(ms, &car, &mut sent);
        let mut events = Vec::new();
        for datagram in sent.iter() {
            let mut plain = Vec::new();
            let name = game.rules.datagram(datagram, &mut plain).unwrap();
            let recorded = if plain.is_empty() { datagram } else { &plain };
            let stream = game.streams.iter().position(|stream| stream.name == name).unwrap();
            tracking.frame(stream, ms * 1_000_000, recorded, &mut events);
        }
        if !events.is_empty() {
            take(events);
        }
        car.step();
    }
    let mut events = Vec::new();
    tracking.finish(end_of_reason("stopped"), seconds * 1_000_000_000, &mut events);
    take(events);
    keep.end(&tape, 0);
    (tracked, sizes)
}

fn stored(store: &SqlStore, session: &TrackedSession) -> Vec<CarStanding> {
    let cars = store.standings(session.session.id, Audience::Owner).unwrap().unwrap();
    let mut cars: Vec<_> = cars.into_iter().map(|stored| stored.car).collect();
    cars.sort_by_key(|car| car.car);
    cars
}

#[test]
fn laps_and_sectors_of_every_car_are_results_of_the_session() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap());
    let (tracked, sizes) = race("f1-25", 150, &store);
    let [session] = tracked.sessions.as_slice() else { panic!("{:?}", tracked.sessions) };
    let mut positions: Vec<_> = session.cars.iter().map(|car| car.position.unwrap()).collect();
    positions.sort_unstable();
    assert!(positions.iter().copied().eq(1..=22), "{positions:?}");
    for car in &session.cars {
        let (last, ended) = car.laps.split_last().unwrap();
        assert_eq!((last.time_ms, car.result, car.pit), (None, CarResult::Active, None));
        assert!(ended.len() >= 2, "{car:?}");
        for lap in ended {
            assert_eq!(lap.time_ms, Some(lap.sectors_ms.iter().flatten().sum()), "{car:?}");
        }
    }
    // The player's laps are the same as those of the tracker.
    let own = session.cars.iter().find(|car| car.is_player).unwrap();
    let times: Vec<_> = session.laps.iter().filter_map(|lap| Some((lap.number?, lap.time_ms?))).collect();
    let in_cars: Vec<_> = own.laps.iter().filter_map(|lap| Some((lap.number, lap.time_ms?))).collect();
    assert!(times.len() >= 2 && times == in_cars, "{times:?} {in_cars:?}");
    assert_eq!(stored(&store, session), session.cars);
    // Tracking the tape again finds the same, and changes nothing.
    let tracker = gametape::store::TrackerVersion {
        id: gametape::laps::TRACKER_ID.to_owned(),
        version: gametape::laps::TRACKER_VERSION,
    };
    let origin = gametape::store::Origin::new(session.session.tape, tracker);
    store.replace_tape(&origin, &tracked.sessions).unwrap();
    assert_eq!(stored(&store, session), session.cars);
    // At most one event in a second, and those after the first have only what changed.
    assert!((20..=155).contains(&sizes.len()), "{}", sizes.len());
    let laps: usize = sizes.iter().map(|(_, laps)| laps).sum();
    assert!(laps < 22 * 4 * 10, "{laps} laps were reported");
}

#[test]
fn automobilista_reports_the_players_laps_like_the_tracker() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap());
    for id in ["automobilista-2", "project-cars"] {
        let (tracked, _) = race(id, 150, &store);
        let [session] = tracked.sessions.as_slice() else { panic!("{id}: {:?}", tracked.sessions) };
        let own = session.cars.iter().find(|car| car.is_player).unwrap();
        let laps: Vec<_> = session.laps.iter().filter_map(|lap| Some((lap.number?, lap.time_ms?))).collect();
        let in_cars: Vec<_> = own.laps.iter().filter_map(|lap| Some((lap.number, lap.time_ms?))).collect();
        assert!(laps.len() >= 2 && laps == in_cars, "{id}: {laps:?} {in_cars:?}");
        for (lap, in_cars) in session.laps.iter().zip(&own.laps).filter(|(lap, _)| lap.time_ms.is_some()) {
            let sectors: Vec<_> = lap.sectors.iter().map(|sector| sector.time_ms).collect();
            assert_eq!(in_cars.sectors_ms[1..], sectors[1..], "{id}: lap {:?}", lap.number);
        }
        // The other car of Automobilista stands in its garage.
        let others: Vec<_> = session.cars.iter().filter(|car| !car.is_player).collect();
        assert_eq!(others.len(), usize::from(id == "automobilista-2"), "{id}");
        assert!(others.iter().all(|car| car.laps.iter().all(|lap| lap.time_ms.is_none())), "{id}: {others:?}");
    }
}

#[test]
fn games_that_report_one_car_have_no_standings() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap());
    let (tracked, sizes) = race("gran-turismo-7", 60, &store);
    assert!(sizes.is_empty() && tracked.sessions.iter().all(|session| session.cars.is_empty()));
    assert_eq!(stored(&store, &tracked.sessions[0]), []);
}
