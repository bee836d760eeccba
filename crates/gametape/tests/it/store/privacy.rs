use gametape::laps::{Session, TrackedSession};
use gametape::store::{
    Audience, DriverEdit, Filter, LapQuery, LapSort, ListQuery, NameFilter, ProgressQuery, SqlStore, Store, Visibility,
};

use super::place::Place;
use super::sample::{lap, origin, session, stint, tracked, writes};

const HIDDEN: &str = "Driver 2";

fn hide(store: &dyn Store, visibility: Visibility) {
    store.edit_driver(HIDDEN, &DriverEdit { name: None, visibility: Some(visibility) }).unwrap();
}

/// One session of each of two drivers; the second driver is faster everywhere.
fn two_drivers(place: &Place) -> (SqlStore, TrackedSession, TrackedSession) {
    let store = place.open();
    let open = tracked(&session(1, 0), &[100_000, 101_000]);
    let other = Session { driver: Some(HIDDEN.to_owned()), car: Some("car_h".to_owned()), ..session(2, 1) };
    let hidden = tracked(&other, &[90_000]);
    store.write(&origin(1), &writes(&open)).unwrap();
    store.write(&origin(2), &writes(&hidden)).unwrap();
    (store, open, hidden)
}

/// Returns everything that a client can get without knowing a name or an id, as text.
fn all_public(store: &dyn Store, driver: Option<&str>) -> String {
    let filter = Filter { driver: driver.map(|name| NameFilter::Is(name.to_owned())), ..Filter::default() };
    let list = ListQuery { filter: filter.clone(), ..ListQuery::default() };
    let who = Audience::Public;
    let mut all = String::new();
    for sort in LapSort::ALL {
        let query = LapQuery { filter: filter.clone(), sort: *sort, ..LapQuery::default() };
        all += &format!("{:?}", store.laps(&query, who).unwrap());
    }
    let query = ListQuery { filter: filter.clone(), ..ListQuery::default() };
    all += &format!("{:?}", store.sessions(&query, who).unwrap());
    all += &format!("{:?}", store.bests(&list, who).unwrap());
    all += &format!("{:?}", store.tracks(&list, who).unwrap());
    all += &format!("{:?}", store.cars(&list, who).unwrap());
    all += &format!("{:?}", store.drivers(&list, who).unwrap());
    all + &format!("{:?}", store.progress(&ProgressQuery { filter, ..ProgressQuery::default() }, who).unwrap())
}

pub fn h9_a_private_driver_is_absent_from_every_public_answer(place: &Place) {
    let (store, _, hidden) = two_drivers(place);
    let before = all_public(&store, None);
    assert!(before.contains(HIDDEN) && before.contains("car_h") && before.contains("90000"));
    hide(&store, Visibility::Private);
    let after = all_public(&store, None);
    for trace in [HIDDEN, "car_h", "90000", &hidden.laps[0].id.to_string()] {
        assert!(!after.contains(trace), "{trace}");
    }
    // The same as if the driver had never been stored.
    let alone = place.open();
    let track = alone.tracks(&ListQuery::default(), Audience::Public).unwrap().items.remove(0);
    assert_eq!((track.session_count, track.lap_count, track.best_ms), (1, 2, Some(100_000)));
    // Nor for clients that request the driver by name.
    let asked = all_public(&store, Some(HIDDEN));
    assert!(!asked.contains("car_h") && !asked.contains("90000"), "{asked}");
    assert_eq!(store.lap(hidden.laps[0].id, Audience::Public).unwrap(), None);
    assert_eq!(store.session(hidden.session.id, Audience::Public).unwrap(), None);
    // The owner sees everything; later laps are hidden too; and the change can be undone.
    assert_eq!(store.lap(hidden.laps[0].id, Audience::Owner).unwrap().unwrap().lap.time_ms, Some(90_000));
    store.write(&origin(2), &writes(&tracked(&hidden.session, &[90_000, 90_000]))).unwrap();
    assert!(!all_public(&store, None).contains("90000"));
    hide(&store, Visibility::Public);
    assert!(all_public(&store, None).contains("90000"));
}

pub fn an_unlisted_driver_is_seen_by_who_asks_for_it(place: &Place) {
    let (store, _, hidden) = two_drivers(place);
    hide(&store, Visibility::Unlisted);
    let listed = all_public(&store, None);
    for trace in [HIDDEN, "car_h", "90000"] {
        assert!(!listed.contains(trace), "{trace}");
    }
    let asked = all_public(&store, Some(HIDDEN));
    assert!(asked.contains("car_h") && asked.contains("90000"));
    // Part of the name does not count as naming the driver.
    let part = Filter { driver: Some(NameFilter::Contains("river 2".to_owned())), ..Filter::default() };
    let query = ListQuery { filter: part, ..ListQuery::default() };
    assert!(store.sessions(&query, Audience::Public).unwrap().items.is_empty());
    assert_eq!(store.sessions(&query, Audience::Owner).unwrap().items.len(), 1);
    assert_eq!(store.session(hidden.session.id, Audience::Public).unwrap().unwrap().laps.len(), 1);
    assert!(store.lap(hidden.laps[0].id, Audience::Public).unwrap().is_some());
}

pub fn an_unlisted_driver_is_not_seen_by_who_asks_for_another(place: &Place) {
    let store = place.open();
    // Driver 1, and later Driver 3, drive a lap in a session of the hidden driver.
    let theirs = Session { driver: Some(HIDDEN.to_owned()), car: Some("car_h".to_owned()), ..session(2, 1) };
    let mut shared = tracked(&theirs, &[90_000, 91_000, 92_000]);
    shared.laps[1].driver = Some("Driver 1".to_owned());
    shared.laps[2].driver = Some("Driver 3".to_owned());
    store.write(&origin(2), &writes(&shared)).unwrap();
    store.write(&origin(1), &writes(&tracked(&session(1, 0), &[100_000]))).unwrap();
    hide(&store, Visibility::Unlisted);
    let asked = all_public(&store, Some("Driver 1"));
    for trace in [HIDDEN, "car_h", "91000", "90000"] {
        assert!(!asked.contains(trace), "{trace}: {asked}");
    }
    assert!(asked.contains("100000"));
    // Naming an unlisted driver does not reveal the session of another hidden driver.
    let unlisted = DriverEdit { name: None, visibility: Some(Visibility::Unlisted) };
    store.edit_driver("Driver 3", &unlisted).unwrap();
    let asked = all_public(&store, Some("Driver 3"));
    assert!(!asked.contains(HIDDEN), "{asked}");
    assert!(all_public(&store, Some(HIDDEN)).contains("90000"));
}

pub fn a_session_with_a_private_co_driver_shows_only_what_is_public(place: &Place) {
    let store = place.open();
    let mut both = tracked(&session(1, 0), &[100_000]);
    let mut theirs = lap(&both.session, 2, 90_000);
    theirs.driver = Some(HIDDEN.to_owned());
    theirs.stint = Some(2);
    both.laps.push(theirs.clone());
    let second = gametape::laps::Stint { n: 2, driver: Some(HIDDEN.to_owned()), ..stint(&both.session) };
    both.stints.push(second);
    store.write(&origin(1), &writes(&both)).unwrap();
    hide(&store, Visibility::Private);
    assert!(!all_public(&store, None).contains("90000"));
    let found = store.session(both.session.id, Audience::Public).unwrap().unwrap();
    assert!(!format!("{found:?}").contains(HIDDEN));
    assert_eq!((found.laps.len(), found.stints.len(), found.session.lap_count), (1, 1, 1));
    assert_eq!((found.session.best_ms, found.session.session.theoretical_best_ms), (Some(100_000), Some(100_000)));
    let all = store.session(both.session.id, Audience::Owner).unwrap().unwrap();
    // The best lap of a session is that of its own driver.
    assert_eq!((all.laps.len(), all.session.lap_count, all.session.best_ms), (2, 2, Some(100_000)));
    assert_eq!(store.lap(theirs.id, Audience::Owner).unwrap().unwrap().lap.time_ms, Some(90_000));
}

pub fn a_session_without_a_driver_is_as_hidden_as_its_laps(place: &Place) {
    let store = place.open();
    let nobody = Session { driver: None, car: Some("car_n".to_owned()), ..session(3, 2) };
    let mut found = tracked(&nobody, &[95_000, 96_000]);
    found.laps.iter_mut().for_each(|lap| lap.driver = Some(HIDDEN.to_owned()));
    store.write(&origin(3), &writes(&found)).unwrap();
    let id = nobody.id;
    let listed = |store: &dyn Store| all_public(store, None).contains("car_n");
    assert!(listed(&store) && store.session(id, Audience::Public).unwrap().is_some());
    let before = store.privacy_state().unwrap();
    hide(&store, Visibility::Private);
    assert_ne!(store.privacy_state().unwrap(), before);
    assert!(!listed(&store));
    assert_eq!(store.session(id, Audience::Public).unwrap(), None);
    let seen = store.session(id, Audience::Owner).unwrap().unwrap();
    assert_eq!((seen.session.visibility, seen.laps.len()), (Visibility::Private, 2));
    hide(&store, Visibility::Unlisted);
    assert!(!listed(&store));
    assert_eq!(store.session(id, Audience::Public).unwrap().unwrap().laps.len(), 2);
    // A lap of a visible driver makes the session visible, but no other lap.
    hide(&store, Visibility::Private);
    found.laps[1].driver = Some("Driver 1".to_owned());
    store.write(&origin(3), &writes(&found)).unwrap();
    assert!(listed(&store));
    assert_eq!(store.session(id, Audience::Public).unwrap().unwrap().laps.len(), 1);
    // A session without laps reveals no driver.
    let empty = Session { driver: None, car: Some("car_e".to_owned()), ..session(4, 3) };
    store.write(&origin(4), &writes(&tracked(&empty, &[]))).unwrap();
    assert!(all_public(&store, None).contains("car_e"));
}
