use gametape::laps::{Id, ReasonCode};
use gametape::store::{
    Audience, DriverEdit, Edit, Filter, LapQuery, ListQuery, ProgressQuery, Store, StoreError, Visibility,
};

use super::place::Place;
use super::sample::{origin, session, tracked, writes};
use super::writing::everything;

fn excluded(excluded: bool) -> Edit {
    Edit { excluded: Some(excluded), ..Edit::default() }
}

fn deleted(deleted: bool) -> Edit {
    Edit { deleted: Some(deleted), ..Edit::default() }
}

pub fn an_excluded_lap_is_no_best_until_it_is_taken_back(place: &Place) {
    let store = place.open();
    let driven = tracked(&session(1, 0), &[100_000, 98_000]);
    store.write(&origin(1), &writes(&driven)).unwrap();
    let before = everything(place);
    let bests = || {
        let session = store.sessions(&ListQuery::default(), Audience::Owner).unwrap().items.remove(0);
        let best = store.bests(&ListQuery::default(), Audience::Owner).unwrap().items.remove(0);
        assert_eq!(session.best_ms, Some(best.time_ms));
        assert_eq!(session.session.best_lap, Some(best.lap));
        assert_eq!(session.session.theoretical_best_ms, best.theoretical_ms);
        (best.time_ms, best.theoretical_ms, best.lap_count)
    };
    assert_eq!(bests(), (98_000, Some(98_000), 2));
    let lap = store.edit_lap(driven.laps[1].id, &excluded(true)).unwrap().lap;
    assert!(lap.excluded && !lap.eligible && lap.has(ReasonCode::UserExcluded));
    assert_eq!(bests(), (100_000, Some(100_000), 1));
    // Writing the lap again does not change the user's edits.
    store.write(&origin(1), &writes(&driven)).unwrap();
    assert_eq!(bests(), (100_000, Some(100_000), 1));
    store.edit_lap(driven.laps[1].id, &excluded(false)).unwrap();
    assert_eq!(everything(place), before);
    let error = store.edit_lap(Id([8; 16]), &excluded(true)).unwrap_err();
    assert!(matches!(error, StoreError::NotFound { what: "lap", .. }), "{error}");
}

pub fn laps_of_others_are_no_best_until_the_user_says_that_they_are_his(place: &Place) {
    let store = place.open();
    let own = tracked(&session(1, 0), &[100_000, 98_000]);
    store.write(&origin(1), &writes(&own)).unwrap();
    let mut others = tracked(&session(2, 1), &[90_000, 91_000]);
    others.session.foreign = true;
    store.replace_tape(&origin(2), &[others.clone()]).unwrap();
    let foreign = |foreign: bool| Edit { foreign: Some(foreign), ..Edit::default() };
    let best_ms = || store.bests(&ListQuery::default(), Audience::Owner).unwrap().items.remove(0).time_ms;
    let of_tracks = || store.tracks(&ListQuery::default(), Audience::Owner).unwrap().items[0].best_ms;
    let laps_of_days = || -> u32 {
        let days = store.progress(&ProgressQuery::default(), Audience::Owner).unwrap().items;
        days.iter().map(|day| day.lap_count).sum()
    };
    let detail = || store.session(others.session.id, Audience::Owner).unwrap().unwrap();
    assert_eq!((best_ms(), of_tracks(), laps_of_days()), (98_000, Some(98_000), 2));
    let found = detail();
    assert!(found.session.session.foreign && found.laps.iter().all(|lap| lap.foreign && !lap.lap.eligible));
    assert_eq!(found.session.best_ms, Some(90_000), "it is the best lap of its own session");

    let claimed = store.edit_session(others.session.id, &foreign(false)).unwrap();
    assert!(!claimed.session.foreign);
    assert_eq!((best_ms(), of_tracks(), laps_of_days()), (90_000, Some(90_000), 4));
    assert!(detail().laps.iter().all(|lap| !lap.foreign && lap.lap.eligible));
    // What the user said outlives tracking the tape again.
    others.session.remark = Some("tracked again".to_owned());
    store.replace_tape(&origin(2), &[others.clone()]).unwrap();
    assert_eq!((best_ms(), detail().session.session.foreign), (90_000, false));

    store.edit_session(others.session.id, &foreign(true)).unwrap();
    assert_eq!((best_ms(), laps_of_days()), (98_000, 2));
    // A session of one's own can be someone else's, too: a friend drove.
    store.edit_session(own.session.id, &foreign(true)).unwrap();
    assert!(store.bests(&ListQuery::default(), Audience::Owner).unwrap().items.is_empty());
}

pub fn h5_deleted_laps_and_sessions_come_back_whole(place: &Place) {
    let store = place.open();
    let driven = tracked(&session(1, 0), &[100_000, 98_000]);
    store.write(&origin(1), &writes(&driven)).unwrap();
    let before = everything(place);
    let counts = || {
        let laps = store.laps(&LapQuery::default(), Audience::Owner).unwrap().items.len();
        let sessions = store.sessions(&ListQuery::default(), Audience::Owner).unwrap().items;
        let bests = store.bests(&ListQuery::default(), Audience::Owner).unwrap().items.len();
        (laps, sessions.len(), sessions.first().map(|session| session.lap_count), bests)
    };
    assert_eq!(counts(), (2, 1, Some(2), 1));
    assert!(store.edit_lap(driven.laps[0].id, &deleted(true)).unwrap().remarks.deleted_us.is_some());
    assert_eq!(counts(), (1, 1, Some(1), 1));
    store.edit_session(driven.session.id, &deleted(true)).unwrap();
    assert_eq!(counts(), (0, 0, None, 0));
    let filter = Filter { deleted: true, ..Filter::default() };
    let query = ListQuery { filter: filter.clone(), ..ListQuery::default() };
    assert_eq!(store.sessions(&query, Audience::Owner).unwrap().items.len(), 1);
    assert_eq!(store.sessions(&query, Audience::Public).unwrap().items.len(), 0);
    assert_eq!(store.session(driven.session.id, Audience::Public).unwrap(), None);
    // A lap that is written late does not restore the session.
    store.write(&origin(1), &writes(&tracked(&session(1, 0), &[100_000, 98_000, 97_000]))).unwrap();
    assert_eq!(counts(), (0, 0, None, 0));
    store.replace_tape(&origin(1), std::slice::from_ref(&driven)).unwrap();
    store.edit_session(driven.session.id, &deleted(false)).unwrap();
    assert_eq!(counts(), (1, 1, Some(1), 1));
    store.edit_lap(driven.laps[0].id, &deleted(false)).unwrap();
    assert_eq!(everything(place)[1..], before[1..], "all but the tracker, which has now processed the whole tape");
}

pub fn names_notes_and_tags_are_kept_and_found(place: &Place) {
    let store = place.open();
    let driven = tracked(&session(1, 0), &[100_000, 98_000]);
    store.write(&origin(1), &writes(&driven)).unwrap();
    let tags = ["wet", "50%_off!", "wet", " ", "a \"b\""].map(str::to_owned).to_vec();
    let edit = Edit { name: Some(Some("The one".to_owned())), tags: Some(tags), ..Edit::default() };
    let lap = store.edit_lap(driven.laps[0].id, &edit).unwrap();
    assert_eq!(lap.remarks.tags, ["50%_off!", "a \"b\"", "wet"]);
    // Fields that are not given stay unchanged.
    let note = Edit { note: Some(Some("late brake".to_owned())), ..Edit::default() };
    let lap = store.edit_lap(driven.laps[0].id, &note).unwrap();
    assert_eq!((lap.remarks.name.as_deref(), lap.remarks.note.as_deref()), (Some("The one"), Some("late brake")));
    let with_tag = |tag: &str| {
        let filter = Filter { tag: Some(tag.to_owned()), ..Filter::default() };
        store.laps(&LapQuery { filter, ..LapQuery::default() }, Audience::Owner).unwrap().items.len()
    };
    assert_eq!(["wet", "50%_off!", "a \"b\"", "we", "50%", "%", "b"].map(with_tag), [1, 1, 1, 0, 0, 0, 0]);
    let nothing = Edit { name: Some(None), note: Some(Some("  ".to_owned())), tags: Some(vec![]), ..Edit::default() };
    let lap = store.edit_lap(driven.laps[0].id, &nothing).unwrap();
    assert_eq!(lap.remarks, gametape::store::Remarks::default());
    assert!(place.dump("edits").is_empty());
}

pub fn tags_are_told_apart_by_every_letter(place: &Place) {
    let store = place.open();
    let driven = tracked(&session(1, 0), &[100_000, 98_000]);
    store.write(&origin(1), &writes(&driven)).unwrap();
    for (lap, tags) in driven.laps.iter().zip([["Wet", "a", "b"], ["x,", "y", "é"]]) {
        let edit = Edit { tags: Some(tags.map(str::to_owned).to_vec()), ..Edit::default() };
        store.edit_lap(lap.id, &edit).unwrap();
    }
    let with_tag = |tag: &str| {
        let filter = Filter { tag: Some(tag.to_owned()), ..Filter::default() };
        store.laps(&LapQuery { filter, ..LapQuery::default() }, Audience::Owner).unwrap().items.len()
    };
    assert_eq!(["Wet", "a", "b", "x,", "y", "é"].map(with_tag), [1; 6]);
    assert_eq!(["wet", "WET", "A", ",", "", "É", "\",\""].map(with_tag), [0; 7]);
}

pub fn h13_tracks_cars_and_drivers_get_names(place: &Place) {
    let store = place.open();
    let driven = tracked(&session(1, 0), &[100_000]);
    store.write(&origin(1), &writes(&driven)).unwrap();
    let game = driven.session.game.as_str();
    store.name_track(game, "Spa", Some(&"Spa-Francorchamps".to_owned())).unwrap();
    store.name_car(game, "car_a", Some(&"Car A".to_owned())).unwrap();
    store.name_car(game, "car_a", Some(&"Car A Evo".to_owned())).unwrap();
    let edit = DriverEdit { name: Some(Some("Number one".to_owned())), visibility: None };
    store.edit_driver("Driver 1", &edit).unwrap();
    let found = store.sessions(&ListQuery::default(), Audience::Public).unwrap().items.remove(0);
    let names = (found.track_name.as_deref(), found.car_name.as_deref(), found.driver_name.as_deref());
    assert_eq!(names, (Some("Spa-Francorchamps"), Some("Car A Evo"), Some("Number one")));
    let list = ListQuery::default();
    assert_eq!(store.tracks(&list, Audience::Public).unwrap().items[0].name.as_deref(), Some("Spa-Francorchamps"));
    assert_eq!(store.cars(&list, Audience::Public).unwrap().items[0].name.as_deref(), Some("Car A Evo"));
    let driver = store.drivers(&list, Audience::Public).unwrap().items.remove(0);
    assert_eq!((driver.name.as_deref(), driver.visibility), (Some("Number one"), Visibility::Public));
    store.name_car(game, "car_a", None).unwrap();
    assert_eq!(store.cars(&list, Audience::Public).unwrap().items[0].name, None);
}

pub fn texts_that_are_too_long_are_refused(place: &Place) {
    let store = place.open();
    let driven = tracked(&session(1, 0), &[100_000]);
    store.write(&origin(1), &writes(&driven)).unwrap();
    let long = |length: usize| "ä".repeat(length);
    for edit in [
        Edit { name: Some(Some(long(201))), ..Edit::default() },
        Edit { note: Some(Some(long(10_001))), ..Edit::default() },
        Edit { tags: Some(vec![long(201)]), ..Edit::default() },
        Edit { tags: Some((0..51).map(|tag| tag.to_string()).collect()), ..Edit::default() },
    ] {
        let error = store.edit_lap(driven.laps[0].id, &edit).unwrap_err();
        assert!(matches!(error, StoreError::TooLong { .. }), "{error}");
    }
    let fits = Edit { name: Some(Some(long(200))), note: Some(Some(long(10_000))), ..Edit::default() };
    store.edit_lap(driven.laps[0].id, &fits).unwrap();
}
