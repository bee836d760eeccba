//! All cars of a session: their standings and laps.
use gametape::games::CarStanding;
use gametape::laps::{CarChange, Id, TrackedSession};
use gametape::store::{
    Audience, Change, DriverEdit, SessionUpload, Store, StoreError, TrackerVersion, Visibility, Write,
};

use super::place::Place;
use super::sample::{car, origin, session, tracked, writes};
use super::writing::everything;

/// A session of driver 1 with three cars.
fn race() -> TrackedSession {
    let cars = vec![car(1, 2, &[100_000, 99_000]), car(2, 1, &[98_000, 97_000]), car(3, 3, &[101_000])];
    TrackedSession { cars, ..tracked(&session(1, 0), &[100_000, 99_000]) }
}

fn cars(store: &dyn Store, id: Id, audience: Audience) -> Vec<CarStanding> {
    store.standings(id, audience).unwrap().unwrap().into_iter().map(|stored| stored.car).collect()
}

fn hide(store: &dyn Store, driver: &str, visibility: Visibility) {
    store.edit_driver(driver, &DriverEdit { name: None, visibility: Some(visibility) }).unwrap();
}

pub fn all_cars_come_back_as_they_were_in_the_order_of_their_positions(place: &Place) {
    let (store, race) = (place.open(), race());
    store.write(&origin(1), &writes(&race)).unwrap();
    let [first, second, third] = [1, 0, 2].map(|at: usize| race.cars[at].clone());
    assert_eq!(cars(&store, race.session.id, Audience::Public), [first, second, third]);
    // The player's laps are not affected.
    assert_eq!(store.session(race.session.id, Audience::Owner).unwrap().unwrap().laps.len(), 2);
    let before = everything(place);
    assert!(store.write(&origin(1), &writes(&race)).unwrap().iter().all(|change| *change == Change::Same));
    assert_eq!(everything(place), before);
    assert_eq!(store.standings(session(9, 0).id, Audience::Owner).unwrap(), None);
    let alone = tracked(&session(2, 1), &[90_000]);
    store.write(&origin(2), &writes(&alone)).unwrap();
    assert_eq!(cars(&store, alone.session.id, Audience::Public), [], "a game that reports one car");
    let stranger = [Write::Cars(session(9, 0).id, vec![CarChange::whole(car(1, 1, &[]))])];
    assert!(matches!(store.write(&origin(9), &stranger), Err(StoreError::NoSession { .. })));
}

pub fn changes_of_cars_are_applied_and_laps_taken_back(place: &Place) {
    let (store, race) = (place.open(), race());
    store.write(&origin(1), &writes(&race)).unwrap();
    let id = race.session.id;
    // Only lap 3 is new.
    let mut now = car(2, 1, &[98_000, 97_000, 96_000]);
    now.laps.drain(..2);
    let change = Write::Cars(id, vec![CarChange { car: now, newest_lap: Some(3) }]);
    assert_eq!(store.write(&origin(1), &[change]).unwrap(), [Change::New]);
    let times = |store: &dyn Store| -> Vec<Option<u32>> {
        cars(store, id, Audience::Owner)[0].laps.iter().map(|lap| lap.time_ms).collect()
    };
    assert_eq!(times(&store), [Some(98_000), Some(97_000), Some(96_000)]);
    let change = Write::Cars(
        id,
        vec![CarChange { car: CarStanding { laps: Vec::new(), ..car(2, 1, &[]) }, newest_lap: Some(1) }],
    );
    assert_eq!(store.write(&origin(1), &[change]).unwrap(), [Change::Changed]);
    assert_eq!(times(&store), [Some(98_000)]);
    // Late changes do not touch a tape that was tracked as a whole.
    store.tracked(&origin(1)).unwrap();
    let change = Write::Cars(id, vec![CarChange::whole(car(2, 3, &[]))]);
    assert_eq!(store.write(&origin(1), &[change]).unwrap(), [Change::Superseded]);
    assert_eq!(times(&store), [Some(98_000)]);
}

pub fn tracking_again_replaces_the_cars(place: &Place) {
    let (store, race) = (place.open(), race());
    store.write(&origin(1), &writes(&race)).unwrap();
    let found = TrackedSession { cars: vec![car(2, 1, &[98_500]), car(4, 2, &[99_500])], ..race.clone() };
    store.replace_tape(&origin(1), std::slice::from_ref(&found)).unwrap();
    assert_eq!(cars(&store, race.session.id, Audience::Owner), found.cars);
    let before = everything(place);
    store.replace_tape(&origin(1), std::slice::from_ref(&found)).unwrap();
    assert_eq!(everything(place), before);
    store.replace_tape(&origin(1), &[]).unwrap();
    assert!(place.dump("session_cars").is_empty() && place.dump("car_laps").is_empty());
}

pub fn hidden_drivers_of_other_cars_are_absent_from_public_standings(place: &Place) {
    let (store, race) = (place.open(), race());
    store.write(&origin(1), &writes(&race)).unwrap();
    let id = race.session.id;
    let numbers = |audience| cars(&store, id, audience).iter().map(|car| car.car).collect::<Vec<_>>();
    for (visibility, seen) in
        [(Visibility::Private, vec![1, 3]), (Visibility::Unlisted, vec![1, 3]), (Visibility::Public, vec![2, 1, 3])]
    {
        hide(&store, "Driver 2", visibility);
        assert_eq!(numbers(Audience::Public), seen, "{visibility:?}");
        assert_eq!(numbers(Audience::Owner), [2, 1, 3]);
    }
    // An unlisted player: those who know the session see the others, but not the private ones.
    hide(&store, "Driver 1", Visibility::Unlisted);
    hide(&store, "Driver 2", Visibility::Unlisted);
    hide(&store, "Driver 3", Visibility::Private);
    assert_eq!(numbers(Audience::Public), [2, 1]);
    // A private player hides the session with all its cars.
    hide(&store, "Driver 1", Visibility::Private);
    assert_eq!(store.standings(id, Audience::Public).unwrap(), None);
    assert_eq!(numbers(Audience::Owner), [2, 1, 3]);
    // Deleted sessions are gone, for all but the owner.
    hide(&store, "Driver 1", Visibility::Public);
    store.edit_session(id, &gametape::store::Edit { deleted: Some(true), ..Default::default() }).unwrap();
    assert_eq!(store.standings(id, Audience::Public).unwrap(), None);
    // Display names.
    store.edit_driver("Driver 3", &DriverEdit { name: Some(Some("Third".to_owned())), visibility: None }).unwrap();
    let named = store.standings(id, Audience::Owner).unwrap().unwrap();
    assert_eq!(named[2].driver_name.as_deref(), Some("Third"));
    // The other drivers are not drivers of this store.
    let drivers = store.drivers(&Default::default(), Audience::Owner).unwrap().items;
    assert!(drivers.iter().all(|driver| driver.lap_count == 0 || driver.driver == "Driver 1"), "{drivers:?}");
}

fn upload() -> SessionUpload {
    SessionUpload {
        tracker: TrackerVersion { id: "laps".to_owned(), version: 3 },
        tracked: race(),
        facts: None,
        hidden: vec![("Driver 3".to_owned(), Visibility::Private)],
        excluded: Vec::new(),
    }
}

#[test]
fn an_upload_with_cars_has_its_own_format_and_without_them_that_of_the_version_before() {
    let whole = upload();
    let text = whole.pack().unwrap();
    assert!(text.contains("\"format\":2"), "{text}");
    assert_eq!(SessionUpload::unpack(&text).unwrap(), whole);
    let plain = whole.without_cars();
    assert_eq!((plain.tracked.cars.len(), plain.hidden.len()), (0, 0), "the version before knows no other drivers");
    let text = plain.pack().unwrap();
    assert!(text.contains("\"format\":1") && !text.contains("car_laps"), "{text}");
    assert_eq!(SessionUpload::unpack(&text).unwrap(), plain);
}

#[test]
fn uploads_whose_cars_are_inconsistent_are_refused() {
    let text = upload().pack().unwrap();
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let refused = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut other = json.clone();
        change(&mut other);
        SessionUpload::unpack(&other.to_string()).unwrap_err().to_string()
    };
    let newer = refused(&|json| json["format"] = 3.into());
    assert!(newer.contains("newer"), "{newer}");
    for wrong in [
        refused(&|json| json["cars"] = serde_json::Value::Null),
        refused(&|json| json["car_laps"][0][1] = 77.into()),
        refused(&|json| json["cars"][0][0]["b"] = "00".repeat(16).into()),
        refused(&|json| json["car_laps"][0][2] = (-1).into()),
        refused(&|json| json["car_laps"][1][2] = 1.into()),
        refused(&|json| json["cars"] = vec![json["cars"][0].clone(); 200].into()),
        refused(&|json| json["hidden"] = serde_json::json!([["Driver 9", "private"]])),
    ] {
        assert!(wrong.contains("expected"), "{wrong}");
    }
}
