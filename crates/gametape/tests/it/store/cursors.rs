use gametape::store::{Audience, Cursor, LapQuery, LapSort, ListQuery, ProgressQuery, Store, StoreError};

use super::place::Place;
use super::sample::{origin, session, tracked, writes};

pub fn made_up_cursors_are_refused(place: &Place) {
    let store = place.open();
    store.write(&origin(1), &writes(&tracked(&session(1, 0), &[100_000, 99_000]))).unwrap();
    let who = Audience::Public;
    for text in [
        "sessions.t61.b00",
        "sessions.i1.t61",
        "sessions.i1",
        "laps-newest.t61.b00",
        "laps-fastest.i1.i1",
        "tracks.t00.t.t",
        "tracks.i1.t.t",
        "cars.t61.t.b00",
        "drivers.i5",
        "drivers.t6100",
        "bests.t.t.t.t.i1",
        "bests.t.t.t.i1.t",
        "progress.t.t.t.t.t",
        "tapes.t61.b00",
    ] {
        // A cursor with NUL in a text does not parse.
        let Some(after) = Cursor::parse(text).map(Some) else { continue };
        let list = ListQuery { after: after.clone(), ..ListQuery::default() };
        let laps = |sort| store.laps(&LapQuery { sort, after: after.clone(), ..LapQuery::default() }, who).err();
        let error = match text.split('.').next().unwrap() {
            "sessions" => store.sessions(&ListQuery { after, ..ListQuery::default() }, who).err(),
            "laps-newest" => laps(LapSort::Newest),
            "laps-fastest" => laps(LapSort::Fastest),
            "tracks" => store.tracks(&list, who).err(),
            "cars" => store.cars(&list, who).err(),
            "drivers" => store.drivers(&list, who).err(),
            "bests" => store.bests(&list, who).err(),
            "progress" => store.progress(&ProgressQuery { after, ..ProgressQuery::default() }, who).err(),
            _ => store.tapes(&list).err(),
        };
        assert!(matches!(error, Some(StoreError::BadCursor)), "{text}: {error:?}");
    }
}
