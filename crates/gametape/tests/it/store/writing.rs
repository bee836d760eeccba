use gametape::laps::{Id, Lap, LapState, Session, TrackFacts};
use gametape::store::{Audience, Change, LapQuery, ListQuery, Store, StoreError, Write};

use super::place::Place;
use super::sample::{invalid, lap, origin, session, stint, tracked, writes};

const TABLES: [&str; 8] =
    ["tracked", "sessions", "stints", "laps", "combinations", "edits", "session_cars", "car_laps"];

pub fn everything(place: &Place) -> Vec<Vec<String>> {
    TABLES.iter().map(|table| place.dump(table)).collect()
}

pub fn what_is_written_comes_back_as_it_was(place: &Place) {
    let session = session(1, 0);
    let laps = vec![lap(&session, 1, 100_000), invalid(lap(&session, 2, 99_000)), {
        Lap {
            number: None,
            stint: None,
            driver: None,
            end_ns: None,
            started_utc_us: None,
            time_ms: None,
            time_source: None,
            state: LapState::Running,
            complete: false,
            valid: None,
            eligible: false,
            sectors: Vec::new(),
            fuel_used_l: None,
            conditions: gametape::laps::Conditions::default(),
            coverage: None,
            top_speed_kmh: None,
            ..lap(&session, 3, 100_000)
        }
    }];
    let stint = stint(&session);
    let mut all = vec![Write::Session(session.clone()), Write::Stint(session.id, stint.clone())];
    all.extend(laps.iter().cloned().map(Write::Lap));
    assert_eq!(place.open().write(&origin(1), &all).unwrap(), vec![Change::New; 5]);

    // Another program reads it.
    let store = place.open();
    let found = store.session(session.id, Audience::Owner).unwrap().unwrap();
    let best = Session { best_lap: Some(laps[0].id), theoretical_best_ms: Some(100_000), ..session.clone() };
    assert_eq!(found.session.session, best);
    assert_eq!((found.session.lap_count, found.session.best_ms), (3, Some(100_000)));
    assert_eq!(found.stints, [stint]);
    let found: Vec<_> = found.laps.into_iter().map(|lap| lap.lap).collect();
    assert_eq!(found, laps);
    assert_eq!(store.lap(laps[1].id, Audience::Owner).unwrap().unwrap().lap, laps[1]);
    assert_eq!(store.lap(Id([9; 16]), Audience::Owner).unwrap(), None);
}

pub fn a_tape_is_seen_as_a_whole_when_that_was_said(place: &Place) {
    let store = place.open();
    let session = session(1, 0);
    let version = || store.tracker_of(session.tape).unwrap().map(|tracker| tracker.version);
    store.tracked(&origin(1)).unwrap();
    assert_eq!(version(), None, "a tape of which nothing was written");
    store.write(&origin(1), &[Write::Session(session.clone())]).unwrap();
    assert_eq!(version(), Some(0));
    store.write(&origin(1), &[Write::Lap(lap(&session, 1, 100_000))]).unwrap();
    assert_eq!(version(), Some(0));
    store.tracked(&origin(1)).unwrap();
    assert_eq!(store.tracker_of(session.tape).unwrap(), Some(origin(1).tracker));
    let mut older = origin(1);
    older.tracker.version = 2;
    store.tracked(&older).unwrap();
    assert_eq!(version(), Some(3));
}

pub fn h3_writing_the_same_again_changes_no_row(place: &Place) {
    let all = writes(&tracked(&session(1, 0), &[100_000, 99_000, 101_000]));
    let store = place.open();
    store.write(&origin(1), &all).unwrap();
    let before = everything(place);
    assert_eq!(store.write(&origin(1), &all).unwrap(), vec![Change::Same; all.len()]);
    assert_eq!(everything(place), before);
}

pub fn a_lap_that_changed_is_replaced_and_bests_follow(place: &Place) {
    let session = session(1, 0);
    let store = place.open();
    store.write(&origin(1), &writes(&tracked(&session, &[100_000, 98_000]))).unwrap();
    let best = |store: &dyn Store| {
        let found = store.sessions(&ListQuery::default(), Audience::Owner).unwrap().items.remove(0);
        (found.session.best_lap, found.best_ms, found.session.theoretical_best_ms)
    };
    assert_eq!(best(&store), (Some(lap(&session, 2, 98_000).id), Some(98_000), Some(98_000)));
    // The game invalidates it afterwards.
    let changed = invalid(lap(&session, 2, 98_000));
    assert_eq!(store.write(&origin(1), &[Write::Lap(changed)]).unwrap(), [Change::Changed]);
    assert_eq!(best(&store), (Some(lap(&session, 1, 100_000).id), Some(100_000), Some(100_000)));
}

pub fn a_lap_without_its_session_is_refused_and_nothing_is_written(place: &Place) {
    let (here, other) = (session(1, 0), session(2, 0));
    let store = place.open();
    let all = [Write::Session(here.clone()), Write::Lap(lap(&other, 1, 100_000))];
    let error = store.write(&origin(1), &all).unwrap_err();
    assert!(matches!(error, StoreError::NoSession { session } if session == other.id), "{error}");
    assert_eq!(store.session(here.id, Audience::Owner).unwrap(), None);
}

pub fn laps_of_a_playback_are_left_out_unless_asked_for(place: &Place) {
    let all = writes(&tracked(&session(1, 0), &[100_000]));
    let mut from = origin(1);
    from.replay_of = Some("replay of 0202".to_owned());
    let store = place.open();
    assert_eq!(store.write(&from, &all).unwrap(), vec![Change::LeftOut; all.len()]);
    assert!(store.replace_tape(&from, &[tracked(&session(1, 0), &[100_000])]).unwrap().left_out);
    assert!(store.sessions(&ListQuery::default(), Audience::Owner).unwrap().items.is_empty());
    from.keep_replays = true;
    assert_eq!(store.write(&from, &all).unwrap(), vec![Change::New; all.len()]);
}

pub fn odd_texts_and_numbers_are_kept_or_unknown(place: &Place) {
    let mut odd = session(1, 0);
    odd.track = Some("Nürburgring ‘24h’ \"%_?$1 ✓ 😀".to_owned());
    odd.car = Some(String::new());
    odd.remark = Some("a\0b".to_owned());
    odd.started_utc_us = None;
    odd.index = Some(i64::MIN);
    let mut first = lap(&odd, 1, 100_000);
    first.fuel_used_l = Some(f32::NAN);
    first.top_speed_kmh = Some(f32::INFINITY);
    first.coverage = Some(0.1);
    first.started_utc_us = None;
    let store = place.open();
    let all = [Write::Session(odd.clone()), Write::Lap(first.clone())];
    store.write(&origin(1), &all).unwrap();
    assert_eq!(store.write(&origin(1), &all).unwrap(), [Change::Same, Change::Same]);
    let found = store.session(odd.id, Audience::Owner).unwrap().unwrap();
    assert_eq!(found.session.session.track, odd.track);
    assert_eq!(found.session.session.car, None);
    assert_eq!(found.session.session.remark.as_deref(), Some("ab"));
    assert_eq!(found.session.session.index, odd.index);
    let found = &found.laps[0].lap;
    assert_eq!((found.fuel_used_l, found.top_speed_kmh, found.coverage), (None, None, Some(0.1)));
    // A number that exceeds the range of the database is an error, and nothing is written.
    first.start_ns = u64::MAX;
    let error = store.write(&origin(1), &[Write::Lap(first)]).unwrap_err();
    assert!(matches!(error, StoreError::TooLarge { .. }), "{error}");
}

pub fn a_session_that_learns_its_car_moves_its_laps(place: &Place) {
    let mut session = session(1, 0);
    session.car = None;
    let store = place.open();
    store.write(&origin(1), &writes(&tracked(&session, &[100_000]))).unwrap();
    session.car = Some("car_b".to_owned());
    store.write(&origin(1), &[Write::Session(session)]).unwrap();
    let found = store.laps(&LapQuery::default(), Audience::Owner).unwrap().items.remove(0);
    assert_eq!(found.combination.car.as_deref(), Some("car_b"));
}

pub fn laps_written_at_the_same_time_all_arrive(place: &Place) {
    let store = place.open();
    let session = session(1, 0);
    store.write(&origin(1), &[Write::Session(session.clone())]).unwrap();
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (store, session) = (&store, &session);
            scope.spawn(move || {
                for number in 0..10 {
                    let number = 1 + thread * 10 + number;
                    store.write(&origin(1), &[Write::Lap(lap(session, number, 200_000 - number))]).unwrap();
                }
            });
        }
    });
    let found = store.session(session.id, Audience::Owner).unwrap().unwrap();
    assert_eq!((found.laps.len(), found.session.lap_count), (40, 40));
    assert_eq!(found.session.best_ms, Some(200_000 - 40));
}

pub fn what_tracks_teach_is_kept_and_added_to(place: &Place) {
    let store = place.open();
    let facts = TrackFacts {
        game: "iracing".to_owned(),
        track: "Spa".to_owned(),
        layout: Some("gp".to_owned()),
        length_m: Some(7004.5),
        sector_ends: vec![0.25, 0.75],
        outline_m: vec![[1.0, 2.5, -3.0], [4.0, 5.0, 6.0]],
        pit_entry: None,
        pit_exit: Some(0.1),
    };
    let learned = |facts: &TrackFacts| store.write(&origin(1), &[Write::Track(facts.clone())]).unwrap().remove(0);
    assert_eq!(learned(&facts), Change::New);
    assert_eq!(learned(&facts), Change::Same);
    // A later session has fewer facts, and one more.
    let less = TrackFacts {
        length_m: None,
        sector_ends: Vec::new(),
        outline_m: vec![[9.0; 3]],
        pit_entry: Some(0.9),
        pit_exit: None,
        ..facts.clone()
    };
    assert_eq!(learned(&less), Change::Changed);
    let all = TrackFacts { pit_entry: Some(0.9), ..facts };
    assert_eq!(store.track_facts("iracing", "Spa", Some("gp")).unwrap(), Some(all));
    assert_eq!(store.track_facts("iracing", "Spa", None).unwrap(), None);
}
