use gametape::laps::{ReasonCode, SectorSource, SessionKind};
use gametape::store::{Audience, LapQuery, ListQuery, Store};

use super::place::Place;
use super::sample::{origin, session, tracked, writes};

pub fn words_of_a_newer_tracker_are_read_as_unknown(place: &Place) {
    let store = place.open();
    let driven = tracked(&session(1, 0), &[100_000]);
    store.write(&origin(1), &writes(&driven)).unwrap();
    place.run("UPDATE sessions SET kind = 'eclipse', end_reason = 'eclipse'");
    place.run("UPDATE stints SET end_reason = 'eclipse'");
    place.run(
        "UPDATE laps SET time_source = 'dreamt', sectors = '[[31234,\"dreamt\"]]', \
         reasons = '[{\"code\":\"dance\",\"source\":\"game\"},{\"code\":\"cut\",\"source\":\"moon\"},{\"code\":\"cut\",\"source\":\"game\"}]'",
    );
    let found = store.sessions(&ListQuery::default(), Audience::Public).unwrap().items.remove(0);
    assert_eq!((found.session.kind, found.session.end), (SessionKind::Unknown, None));
    let found = store.session(driven.session.id, Audience::Public).unwrap().unwrap();
    assert_eq!((found.stints[0].end, found.laps[0].lap.time_source), (None, None));
    let lap = store.laps(&LapQuery::default(), Audience::Public).unwrap().items.remove(0).lap;
    assert_eq!(lap.reasons.iter().map(|reason| reason.code).collect::<Vec<_>>(), [ReasonCode::Cut]);
    assert_eq!((lap.sectors[0].time_ms, lap.sectors[0].source), (Some(31_234), SectorSource::None));
}
