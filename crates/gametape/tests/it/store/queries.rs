use gametape::format::TapeId;
use gametape::laps::{Lap, LapState, Phase, Reason, ReasonCode, ReasonSource, Session, SessionEnd, SessionKind};
use gametape::store::{
    Audience, CataloguedTape, Change, Cursor, DriverEdit, Edit, Filter, LapQuery, LapSort, ListQuery, NameFilter,
    ProgressQuery, SqlStore, Store, StoreError, Validity, Visibility, Write,
};

use super::place::Place;
use super::sample::{START_US, invalid, lap, origin, session, tape, tracked, writes};

const HOUR_US: i64 = 3_600_000_000;

fn text(text: &str) -> Option<String> {
    Some(text.to_owned())
}

fn name(name: &str) -> Option<NameFilter> {
    Some(NameFilter::Is(name.to_owned()))
}

fn part(part: &str) -> Option<NameFilter> {
    Some(NameFilter::Contains(part.to_owned()))
}

pub fn a_typed_name_means_the_name_that_equals_it_or_all_that_contain_it(place: &Place) {
    let (store, sessions) = some_sessions(place);
    let mut short = session(9, 9);
    short.track = text("Monza short");
    store.write(&origin(9), &[Write::Session(short.clone())]).unwrap();
    let found = |typed: &str| {
        let filter = Filter { track: part(typed), ..Filter::default() }.resolved(&store, Audience::Owner).unwrap();
        let page = store.sessions(&ListQuery { filter, ..ListQuery::default() }, Audience::Owner).unwrap();
        page.items.into_iter().map(|found| found.session.id).collect::<Vec<_>>()
    };
    assert_eq!(found("Monza"), [sessions[1].id]);
    assert_eq!(found("monza"), [short.id, sessions[1].id]);
    assert_eq!(found("Monza s"), [short.id]);
    assert!(found("Imola").is_empty());
}

/// Writes six sessions with different tracks, cars, drivers and kinds.
fn some_sessions(place: &Place) -> (SqlStore, Vec<Session>) {
    let store = place.open();
    let mut sessions: Vec<_> = (1..=6).map(|number| session(number, i64::from(number))).collect();
    sessions[1].track = text("Monza");
    sessions[2].car = text("car_b");
    sessions[3].driver = text("Driver 2");
    sessions[3].kind = SessionKind::Race;
    sessions[4].layout = text("short");
    sessions[5].game = "iracing".to_owned();
    sessions[5].started_utc_us = None;
    for (number, session) in (1..).zip(&sessions) {
        let mut found = tracked(session, &[100_000 + number * 1000, 99_000 + number * 1000]);
        found.laps.push(invalid(lap(session, 3, 90_000)));
        let out = Lap { phase: Phase::Out, eligible: false, time_ms: None, valid: None, ..lap(session, 4, 120_000) };
        found.laps.push(out);
        store.write(&origin(number as u8), &writes(&found)).unwrap();
    }
    (store, sessions)
}

pub fn sessions_come_newest_first_in_pages_without_gaps_or_doubles(place: &Place) {
    let store = place.open();
    // Three with the same start time, and some with an unknown one.
    let mut ids: Vec<_> = (1..=23u8)
        .map(|number| {
            let mut session = session(number, i64::from(number / 3));
            if number > 20 {
                session.started_utc_us = None;
            }
            store.write(&origin(number), &[Write::Session(session.clone())]).unwrap();
            (session.started_utc_us.unwrap_or_default(), session.id)
        })
        .collect();
    ids.sort();
    ids.reverse();
    let ids: Vec<_> = ids.into_iter().map(|(_, id)| id).collect();
    let page = store.sessions(&ListQuery::default(), Audience::Owner).unwrap();
    assert_eq!(page.items.len(), 20);
    for limit in [1, 4, 7, 22, 23, 500] {
        let mut query = ListQuery { limit, ..ListQuery::default() };
        let mut found = Vec::new();
        loop {
            let page = store.sessions(&query, Audience::Owner).unwrap();
            assert!(page.items.len() <= limit as usize);
            found.extend(page.items.iter().map(|session| session.session.id));
            let Some(next) = page.next else { break };
            query.after = Some(Cursor::parse(&next.to_string()).unwrap());
            assert!(found.len() <= ids.len());
        }
        assert_eq!(found, ids);
    }
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

pub fn sessions_are_filtered(place: &Place) {
    let (store, sessions) = some_sessions(place);
    let none = Filter::default;
    let newest = sessions[4].started_utc_us.unwrap();
    for (filter, expected) in [
        (none(), vec![4, 3, 2, 1, 0, 5]),
        (Filter { game: text("iracing"), ..none() }, vec![5]),
        (Filter { track: name("Monza"), ..none() }, vec![1]),
        (Filter { track: name("monza"), ..none() }, vec![]),
        (Filter { track: name("' OR 1=1 --"), ..none() }, vec![]),
        (Filter { track: part("monza"), ..none() }, vec![1]),
        (Filter { track: part("ONZ"), ..none() }, vec![1]),
        (Filter { track: part("%"), ..none() }, vec![]),
        (Filter { car: part("CAR_B"), ..none() }, vec![2]),
        (Filter { car: part("car_"), track: part("monza"), ..none() }, vec![1]),
        (Filter { car: part("carxb"), ..none() }, vec![]),
        (Filter { driver: part("river 2"), ..none() }, vec![3]),
        (Filter { layout: name("short"), ..none() }, vec![4]),
        (Filter { car: name("car_b"), ..none() }, vec![2]),
        (Filter { driver: name("Driver 2"), ..none() }, vec![3]),
        (Filter { kind: Some(SessionKind::Race), ..none() }, vec![3]),
        (Filter { from_us: Some(newest), ..none() }, vec![4]),
        (Filter { from_us: Some(START_US + HOUR_US), to_us: Some(START_US + 3 * HOUR_US), ..none() }, vec![1, 0]),
        (Filter { phase: Some(Phase::Out), ..none() }, vec![4, 3, 2, 1, 0, 5]),
        (Filter { phase: Some(Phase::Formation), ..none() }, vec![]),
        (Filter { valid: Some(Validity::Invalid), track: name("Monza"), ..none() }, vec![1]),
        (Filter { valid: Some(Validity::Invalid), phase: Some(Phase::Out), ..none() }, vec![]),
        (Filter { valid: Some(Validity::Unknown), phase: Some(Phase::Out), car: name("car_b"), ..none() }, vec![2]),
        (Filter { tape: Some(sessions[3].tape), ..none() }, vec![3]),
        (Filter { tape: Some(TapeId([0xEE; 16])), ..none() }, vec![]),
        (Filter { words: words("MONZA"), ..none() }, vec![1]),
        (Filter { words: words("onz car"), ..none() }, vec![1]),
        (Filter { words: words("monza iracing"), ..none() }, vec![]),
        (Filter { words: words("CAR-B"), ..none() }, vec![2]),
        (Filter { words: words("%"), ..none() }, vec![]),
        (Filter { words: words("\\"), ..none() }, vec![]),
        (Filter { words: words("' OR"), ..none() }, vec![]),
    ] {
        let query = ListQuery { filter: filter.clone(), ..ListQuery::default() };
        let found = store.sessions(&query, Audience::Public).unwrap().items;
        let found: Vec<_> = found
            .iter()
            .map(|found| sessions.iter().position(|session| session.id == found.session.id).unwrap())
            .collect();
        assert_eq!(found, expected, "{filter:?}");
    }
}

pub fn words_are_found_in_any_case_of_any_letters(place: &Place) {
    let store = place.open();
    let there = Session { track: text("Österring ÅÉ"), ..session(1, 0) };
    store.write(&origin(1), &[Write::Session(there), Write::Session(session(2, 1))]).unwrap();
    for said in ["Österring", "österring", "ÖSTERRING", "ÅÉ", "åé", "Åé öster"] {
        let query = ListQuery { filter: Filter { words: words(said), ..Filter::default() }, ..ListQuery::default() };
        assert_eq!(store.sessions(&query, Audience::Public).unwrap().items.len(), 1, "{said}");
    }
}

pub fn d4_h5_sessions_without_enough_laps_are_hidden_only_when_asked(place: &Place) {
    let store = place.open();
    let sessions: Vec<_> = (0..3u8).map(|laps| session(laps + 1, i64::from(laps))).collect();
    for (laps, session) in (0..3u8).zip(&sessions) {
        let mut found = tracked(session, &[100_000, 99_000][..usize::from(laps)]);
        // Each session ended in the middle of a lap.
        found.laps.push(Lap { state: LapState::Aborted, time_ms: None, ..lap(session, 9, 90_000) });
        store.write(&origin(laps + 1), &writes(&found)).unwrap();
    }
    let found = |min_laps| {
        let filter = Filter { min_laps, ..Filter::default() };
        let found = store.sessions(&ListQuery { filter, ..ListQuery::default() }, Audience::Public).unwrap().items;
        found.iter().map(|found| found.session.id).collect::<Vec<_>>()
    };
    let [none, one, two] = [0, 1, 2].map(|at| sessions[at].id);
    assert_eq!((found(0), found(1), found(2), found(3)), (vec![two, one, none], vec![two, one], vec![two], vec![]));
}

pub fn h7_laps_are_filtered_and_sorted_in_pages(place: &Place) {
    let (store, sessions) = some_sessions(place);
    let all = |filter: &Filter, sort: LapSort, limit: u32| {
        let mut query = LapQuery { filter: filter.clone(), sort, limit, after: None };
        let mut laps = Vec::new();
        loop {
            let page = store.laps(&query, Audience::Public).unwrap();
            laps.extend(page.items);
            assert!(laps.len() <= 24);
            let Some(next) = page.next else { return laps };
            query.after = Some(next);
        }
    };
    for sort in LapSort::ALL {
        let expected = all(&Filter::default(), *sort, 500);
        let by_time = matches!(sort, LapSort::Fastest | LapSort::Slowest);
        assert_eq!(expected.len(), if by_time { 18 } else { 24 });
        for limit in [1, 5, 24] {
            assert_eq!(all(&Filter::default(), *sort, limit), expected, "{sort:?}");
        }
        let mut sorted = expected.clone();
        match sort {
            LapSort::Newest => sorted.sort_by_key(|lap| std::cmp::Reverse((lap.lap.started_utc_us, lap.lap.id))),
            LapSort::Oldest => sorted.sort_by_key(|lap| (lap.lap.started_utc_us, lap.lap.id)),
            LapSort::Fastest => sorted.sort_by_key(|lap| (lap.lap.time_ms, lap.lap.id)),
            LapSort::Slowest => sorted.sort_by_key(|lap| std::cmp::Reverse((lap.lap.time_ms, lap.lap.id))),
        }
        assert_eq!(sorted, expected, "{sort:?}");
    }
    let count = |filter: Filter| all(&filter, LapSort::Newest, 7).len();
    let none = Filter::default;
    assert_eq!(count(Filter { valid: Some(Validity::Valid), ..none() }), 12);
    assert_eq!(count(Filter { valid: Some(Validity::Invalid), ..none() }), 6);
    assert_eq!(count(Filter { valid: Some(Validity::Unknown), ..none() }), 6);
    assert_eq!(count(Filter { phase: Some(Phase::Out), track: name("Spa"), ..none() }), 5);
    assert_eq!(count(Filter { driver: name("Driver 2"), ..none() }), 4);
    assert_eq!(count(Filter { kind: Some(SessionKind::Race), ..none() }), 4);
    assert_eq!(count(Filter { from_us: sessions[4].started_utc_us, ..none() }), 4);
    let found = all(&Filter { car: name("car_b"), ..none() }, LapSort::Fastest, 3);
    assert_eq!(found[0].combination.car.as_deref(), Some("car_b"));
    assert_eq!((found[0].lap.time_ms, found[0].tape), (Some(90_000), tape(3)));
}

pub fn bests_are_per_driver_car_track_and_layout(place: &Place) {
    let (store, sessions) = some_sessions(place);
    // A second session of the first combination, with faster laps.
    let again = Session { track: text("Spa"), ..session(7, 30) };
    store.write(&origin(7), &writes(&tracked(&again, &[97_000, 98_000]))).unwrap();
    let mut query = ListQuery { limit: 2, ..ListQuery::default() };
    let mut bests = Vec::new();
    loop {
        let page = store.bests(&query, Audience::Public).unwrap();
        bests.extend(page.items);
        let Some(next) = page.next else { break };
        query.after = Some(next);
    }
    let found: Vec<_> = bests
        .iter()
        .map(|best| {
            let on = &best.combination;
            (on.track.as_deref(), on.layout.as_deref(), on.car.as_deref(), on.driver.as_deref(), best.time_ms)
        })
        .collect();
    assert_eq!(
        found,
        [
            (Some("Monza"), None, Some("car_a"), Some("Driver 1"), 101_000),
            (Some("Spa"), None, Some("car_a"), Some("Driver 1"), 97_000),
            (Some("Spa"), None, Some("car_b"), Some("Driver 1"), 102_000),
            (Some("Spa"), None, Some("car_a"), Some("Driver 2"), 103_000),
            (Some("Spa"), Some("short"), Some("car_a"), Some("Driver 1"), 104_000),
            (Some("Spa"), None, Some("car_a"), Some("Driver 1"), 105_000),
        ]
    );
    assert_eq!((bests[1].session, bests[1].lap_count, bests[1].theoretical_ms), (again.id, 4, Some(97_000)));
    let filter = Filter { to_us: again.started_utc_us, track: name("Spa"), car: name("car_a"), ..Filter::default() };
    let before = store.bests(&ListQuery { filter, ..ListQuery::default() }, Audience::Public).unwrap().items;
    assert_eq!((before[0].time_ms, before[0].session), (100_000, sessions[0].id));
}

pub fn tracks_cars_and_drivers_are_counted(place: &Place) {
    let (store, sessions) = some_sessions(place);
    let list = ListQuery { limit: 1, ..ListQuery::default() };
    let mut query = list.clone();
    let mut tracks = Vec::new();
    loop {
        let page = store.tracks(&query, Audience::Public).unwrap();
        tracks.extend(page.items);
        let Some(next) = page.next else { break };
        query.after = Some(next);
    }
    let found: Vec<_> = tracks
        .iter()
        .map(|track| {
            (track.native.as_str(), track.layout.as_deref(), track.session_count, track.lap_count, track.best_ms)
        })
        .collect();
    assert_eq!(
        found,
        [
            ("Monza", None, 1, 4, Some(101_000)),
            ("Spa", None, 3, 12, Some(100_000)),
            ("Spa", Some("short"), 1, 4, Some(104_000)),
            ("Spa", None, 1, 4, Some(105_000)),
        ]
    );
    assert_eq!(tracks[1].last_us, sessions[3].started_utc_us);
    let cars = store.cars(&ListQuery::default(), Audience::Public).unwrap().items;
    let found: Vec<_> = cars.iter().map(|car| (car.native.as_str(), car.session_count, car.best_ms)).collect();
    assert_eq!(found, [("car_a", 4, None), ("car_b", 1, None), ("car_a", 1, None)]);
    let first = store.drivers(&list, Audience::Public).unwrap();
    let second = store.drivers(&ListQuery { after: first.next, ..list }, Audience::Public).unwrap();
    let found: Vec<_> =
        first.items.iter().chain(&second.items).map(|driver| (driver.driver.as_str(), driver.lap_count)).collect();
    assert_eq!(found, [("Driver 1", 20), ("Driver 2", 4)]);
    assert_eq!(second.next, None);
}

pub fn d14_a_session_that_a_second_recording_goes_on_with_is_linked_to_the_first(place: &Place) {
    let store = place.open();
    let from = |number: u8, hours: i64, first_lap: u32| {
        let mut driven = tracked(&session(number, hours), &[105_000, 103_000]);
        (driven.laps[0].number, driven.laps[1].number) = (Some(first_lap), Some(first_lap + 1));
        driven
    };
    // The second starts where the first was stopped, in the third lap; then a session whose laps start at one, one of another kind, and
    // one much later.
    let mut driven = [from(1, 0, 1), from(2, 1, 3), from(3, 2, 1), from(4, 3, 3), from(5, 9, 5)];
    driven[3].session.kind = SessionKind::Race;
    for (number, found) in (1..).zip(&driven) {
        store.write(&origin(number), &writes(found)).unwrap();
    }
    let continues = |number: usize| {
        let id = driven[number].session.id;
        store.session(id, Audience::Public).unwrap().unwrap().session.continues
    };
    assert_eq!((0..5).map(continues).collect::<Vec<_>>(), [None, Some(driven[0].session.id), None, None, None]);
    // If the game ended the first session, the second does not continue it.
    driven[0].session.end = Some(SessionEnd::Game);
    store.write(&origin(1), &writes(&driven[0])).unwrap();
    let listed = store.sessions(&ListQuery::default(), Audience::Owner).unwrap().items;
    assert!(listed.iter().all(|session| session.continues.is_none()));
}

pub fn the_best_of_a_track_is_whoever_drove_it(place: &Place) {
    let store = place.open();
    let mut driven = tracked(&session(1, 0), &[105_000, 103_000, 104_000]);
    driven.laps[1].driver = text("Driver 2");
    store.write(&origin(1), &writes(&driven)).unwrap();
    let best = |driver: Option<&str>| {
        let filter = Filter { driver: driver.map(|name| NameFilter::Is(name.to_owned())), ..Filter::default() };
        store.tracks(&ListQuery { filter, ..ListQuery::default() }, Audience::Public).unwrap().items[0].best_ms
    };
    assert_eq!((best(None), best(Some("Driver 1"))), (Some(103_000), Some(104_000)));
}

pub fn progress_has_the_best_and_the_median_of_each_day(place: &Place) {
    let store = place.open();
    // Two sessions on the first day, one of them late in the evening, and one on the next day in another car.
    let mut driven = vec![
        tracked(&session(1, 0), &[105_000, 103_000]),
        tracked(&session(2, 8), &[101_000, 120_000]),
        tracked(&session(3, 11), &[99_000]),
        tracked(&session(4, 20), &[98_000, 96_000, 97_000]),
    ];
    driven[3].session.car = text("car_b");
    driven[0].laps[0].eligible = false;
    // The lap of 97 s was driven under caution, so it does not count for the median; of the other two, the lower one is taken.
    let caution = Reason {
        code: ReasonCode::Caution,
        source: ReasonSource::Game,
        at_sector: None,
        at_fraction: None,
        at_ns: None,
    };
    driven[3].laps[2].reasons = vec![caution];
    for (number, found) in (1..).zip(&driven) {
        store.write(&origin(number), &writes(found)).unwrap();
    }
    let days = |query: &ProgressQuery| {
        let page = store.progress(query, Audience::Public).unwrap();
        let days =
            page.items.into_iter().map(|day| (day.car.unwrap(), day.day, day.lap_count, day.best_ms, day.median_ms));
        (days.collect::<Vec<_>>(), page.next)
    };
    let first = START_US / 86_400_000_000;
    let expected =
        [("car_a".to_owned(), first, 4, 99_000, 101_000), ("car_b".to_owned(), first + 1, 3, 96_000, 96_000)];
    assert_eq!(days(&ProgressQuery::default()).0, expected);
    let one = ProgressQuery { limit: 1, ..ProgressQuery::default() };
    let (found, next) = days(&one);
    assert_eq!(found, expected[..1]);
    assert_eq!(days(&ProgressQuery { after: next, ..one }), (expected[1..].to_vec(), None));
    // Two hours further east, the evening belongs to the next day.
    let east = days(&ProgressQuery { utc_offset_min: 120, ..ProgressQuery::default() }).0;
    assert_eq!(east[1], ("car_a".to_owned(), first + 1, 1, 99_000, 99_000));
}

pub fn cursors_of_other_queries_are_refused(place: &Place) {
    let (store, _) = some_sessions(place);
    let after = store.sessions(&ListQuery { limit: 1, ..ListQuery::default() }, Audience::Owner).unwrap().next;
    let refused = |error: StoreError| assert!(matches!(error, StoreError::BadCursor), "{error}");
    refused(store.laps(&LapQuery { after: after.clone(), ..LapQuery::default() }, Audience::Owner).unwrap_err());
    refused(store.bests(&ListQuery { after: after.clone(), ..ListQuery::default() }, Audience::Owner).unwrap_err());
    // Cursor values of another type match nothing or are rejected.
    let odd = Cursor::parse("sessions.t41.i5").unwrap();
    let _ = store.sessions(&ListQuery { after: Some(odd), ..ListQuery::default() }, Audience::Owner);
    store.ready().unwrap();
}

pub fn the_catalogue_keeps_tapes(place: &Place) {
    let store = place.open();
    let entry = |number: u8| CataloguedTape {
        id: tape(number),
        place: "rig".to_owned(),
        path: format!("/tapes/{number}.gtape"),
        bytes: 1000,
        modified_us: START_US,
        checksum: text("abc"),
        complete: true,
        game: text("iracing"),
        track: None,
        car: None,
        created_us: Some(START_US + i64::from(number)),
        duration_ns: Some(5),
        frames: 7,
        replay_of: None,
        seen_us: START_US,
        missing_us: None,
    };
    for number in 1..=5 {
        assert_eq!(store.put_tape(&entry(number)).unwrap(), Change::New);
    }
    assert_eq!(store.put_tape(&entry(1)).unwrap(), Change::Same);
    let gone = CataloguedTape { missing_us: Some(START_US), created_us: None, ..entry(2) };
    assert_eq!(store.put_tape(&gone).unwrap(), Change::Changed);
    assert_eq!(store.tape(tape(2)).unwrap(), Some(gone.clone()));
    assert_eq!(store.tape(tape(9)).unwrap(), None);
    let first = store.tapes(&ListQuery { limit: 3, ..ListQuery::default() }).unwrap();
    let rest = store.tapes(&ListQuery { after: first.next.clone(), ..ListQuery::default() }).unwrap();
    let ids: Vec<_> = first.items.iter().chain(&rest.items).map(|found| found.id.0[0]).collect();
    assert_eq!(ids, [5, 4, 3, 1, 2]);
    assert_eq!(store.tapes_of("rig").unwrap().len(), 5);
    assert_eq!(store.tapes_of("elsewhere").unwrap(), []);
}

/// Many combinations, so that a rare one is looked up and a common one is found by scanning.
pub fn rare_and_common_laps_are_found_the_same_way(place: &Place) {
    let store = place.open();
    let mut all = Vec::new();
    for number in 0..120u8 {
        let mut session = session(number, i64::from(number));
        session.car = text(&format!("car_{number}"));
        session.track = text(if number == 60 { "rare" } else { "common" });
        let found = tracked(&session, &[100_000, 99_000, 98_000]);
        store.write(&origin(number), &writes(&found)).unwrap();
        all.push(found);
    }
    let laps = |track: &str, sort: LapSort, limit: u32| {
        let filter = Filter { track: name(track), ..Filter::default() };
        let mut query = LapQuery { filter, sort, limit, after: None };
        let mut ids = Vec::new();
        loop {
            let page = store.laps(&query, Audience::Owner).unwrap();
            ids.extend(page.items.iter().map(|lap| lap.lap.id));
            let Some(next) = page.next else { return ids };
            query.after = Some(next);
        }
    };
    let newest: Vec<_> = all[60].laps.iter().rev().map(|lap| lap.id).collect();
    assert_eq!(laps("rare", LapSort::Newest, 2), newest);
    assert_eq!(laps("rare", LapSort::Fastest, 1), newest);
    assert_eq!(laps("nowhere", LapSort::Newest, 20), []);
    assert_eq!(laps("common", LapSort::Newest, 100).len(), 119 * 3);
}

/// Returns all lists of a store, as text.
fn lists(store: &SqlStore) -> String {
    let (list, public) = (ListQuery::default(), Audience::Public);
    format!(
        "{:?} {:?} {:?} {:?} {:?} {:?} {:?}",
        store.sessions(&ListQuery::default(), public).unwrap(),
        store.sessions_with_laps(&ListQuery::default(), public).unwrap(),
        store.bests(&list, public).unwrap(),
        store.tracks(&list, public).unwrap(),
        store.cars(&list, public).unwrap(),
        store.drivers(&list, public).unwrap(),
        store.progress(&ProgressQuery::default(), public).unwrap(),
    )
}

pub fn an_answer_that_was_kept_is_never_old(place: &Place) {
    let (store, sessions) = some_sessions(place);
    // Another program with the same database.
    let other = place.open();
    let lap = store.session(sessions[0].id, Audience::Owner).unwrap().unwrap().laps[1].lap.id;
    let hidden = DriverEdit { name: None, visibility: Some(Visibility::Private) };
    let excluded = Edit { excluded: Some(true), ..Edit::default() };
    let deleted = Edit { deleted: Some(true), ..Edit::default() };
    let changes: [&dyn Fn(); 6] = [
        &|| drop(other.write(&origin(9), &writes(&tracked(&session(9, 9), &[80_000]))).unwrap()),
        &|| drop(other.edit_lap(lap, &excluded).unwrap()),
        &|| drop(other.edit_session(sessions[1].id, &deleted).unwrap()),
        &|| other.edit_driver("Driver 2", &hidden).unwrap(),
        &|| other.name_track(&sessions[0].game, "Spa", Some(&"Francorchamps".to_owned())).unwrap(),
        &|| assert!(other.replace_tape(&origin(9), &[]).unwrap().removed > 0),
    ];
    for (number, change) in changes.iter().enumerate() {
        let before = lists(&store);
        assert_eq!(lists(&store), before, "change {number}: asked again");
        change();
        let after = lists(&store);
        assert_ne!(after, before, "change {number} is visible");
        assert_eq!(after, lists(&place.open()), "change {number}: the same as without a cache");
    }
}
