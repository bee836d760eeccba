use gametape::laps::{Id, Lap, TrackedSession};
use gametape::store::{Audience, Edit, Origin, Replaced, Store, TrackerVersion};

use super::place::Place;
use super::sample::{LAP_NS, lap, origin, session, tracked, writes};
use super::writing::everything;

fn version(version: u32) -> Origin {
    Origin { tracker: TrackerVersion { id: "laps".to_owned(), version }, ..origin(1) }
}

/// Returns the lap with a start time that is later by `by_ns`, as found by a newer tracker.
fn moved(lap: Lap, by_ns: u64) -> Lap {
    Lap { id: Id::of_lap(session(1, 0).tape, lap.start_ns + by_ns, 0), start_ns: lap.start_ns + by_ns, ..lap }
}

pub fn h3_tracking_again_with_the_same_result_changes_no_row(place: &Place) {
    let store = place.open();
    let found = tracked(&session(1, 0), &[100_000, 99_000]);
    store.write(&origin(1), &writes(&found)).unwrap();
    store.tracked(&origin(1)).unwrap();
    store.edit_lap(found.laps[0].id, &Edit { note: Some(Some("kerb".to_owned())), ..Edit::default() }).unwrap();
    let before = everything(place);
    let done = store.replace_tape(&origin(1), std::slice::from_ref(&found)).unwrap();
    assert_eq!(done, Replaced { same: 4, ..Replaced::default() });
    assert_eq!(everything(place), before);
}

pub fn a_newer_tracker_replaces_and_an_older_one_does_not(place: &Place) {
    let store = place.open();
    store.replace_tape(&version(3), &[tracked(&session(1, 0), &[100_000, 99_000])]).unwrap();
    let done = store.replace_tape(&version(4), &[tracked(&session(1, 0), &[100_000, 98_000])]).unwrap();
    assert_eq!((done.same, done.changed, done.new, done.removed), (3, 1, 0, 0));
    assert_eq!(store.tracker_of(session(1, 0).tape).unwrap().unwrap().version, 4);
    let before = everything(place);
    assert!(store.replace_tape(&version(3), &[tracked(&session(1, 0), &[1_000_000])]).unwrap().kept_newer);
    assert_eq!(everything(place), before);
}

pub fn h6_what_users_said_follows_the_stretch_of_tape(place: &Place) {
    let store = place.open();
    let old = tracked(&session(1, 0), &[100_000, 90_000, 101_000, 102_000]);
    store.write(&version(3), &writes(&old)).unwrap();
    let say = |number: usize, edit: Edit| store.edit_lap(old.laps[number].id, &edit).unwrap();
    say(1, Edit { excluded: Some(true), note: Some(Some("shortcut".to_owned())), ..Edit::default() });
    say(
        2,
        Edit {
            name: Some(Some("clean".to_owned())),
            tags: Some(vec!["b".to_owned(), "a".to_owned()]),
            ..Edit::default()
        },
    );
    say(3, Edit { deleted: Some(true), ..Edit::default() });
    let session_edit = Edit { note: Some(Some("league night".to_owned())), ..Edit::default() };
    store.edit_session(old.session.id, &session_edit).unwrap();

    // The newer tracker splits two seconds later, so the ids differ.
    let later = |lap: &Lap| moved(lap.clone(), 2_000_000_000);
    let mut new = TrackedSession { laps: old.laps.iter().map(later).collect(), ..old.clone() };
    new.session.start_ns = 1_000_000_000;
    new.session.id = Id::of_session(new.session.tape, new.session.start_ns);
    new.laps.iter_mut().for_each(|lap| lap.session = new.session.id);
    let done = store.replace_tape(&version(4), std::slice::from_ref(&new)).unwrap();
    assert_eq!((done.new, done.removed, done.unattached), (6, 5, 0), "stints go with their session");

    let found = store.session(new.session.id, Audience::Owner).unwrap().unwrap();
    assert_eq!(found.session.remarks.note.as_deref(), Some("league night"));
    assert_eq!(found.laps.len(), 3, "the deleted one stays deleted");
    assert!(found.laps[1].lap.excluded && !found.laps[1].lap.eligible);
    assert_eq!(found.laps[1].remarks.note.as_deref(), Some("shortcut"));
    assert_eq!(found.laps[2].remarks.name.as_deref(), Some("clean"));
    assert_eq!(found.laps[2].remarks.tags, ["a", "b"]);
    assert_eq!(found.session.best_ms, Some(100_000), "the excluded one is no best");
    // Undo still works.
    let back = store.edit_lap(new.laps[3].id, &Edit { deleted: Some(false), ..Edit::default() }).unwrap();
    assert_eq!(back.remarks.deleted_us, None);
    assert_eq!(store.session(new.session.id, Audience::Owner).unwrap().unwrap().laps.len(), 4);
}

pub fn what_users_said_about_laps_that_are_gone_waits_for_them(place: &Place) {
    let store = place.open();
    let old = tracked(&session(1, 0), &[100_000, 90_000]);
    store.write(&version(3), &writes(&old)).unwrap();
    store.edit_lap(old.laps[1].id, &Edit { excluded: Some(true), ..Edit::default() }).unwrap();
    let without = TrackedSession { laps: vec![lap(&old.session, 1, 100_000)], ..old.clone() };
    let done = store.replace_tape(&version(4), &[without]).unwrap();
    assert_eq!((done.removed, done.unattached), (1, 1));
    let done = store.replace_tape(&version(5), std::slice::from_ref(&old)).unwrap();
    assert_eq!((done.new, done.unattached), (1, 0));
    assert!(store.lap(old.laps[1].id, Audience::Owner).unwrap().unwrap().lap.excluded);
}

pub fn laps_that_are_not_found_again_go(place: &Place) {
    let store = place.open();
    let mut old = tracked(&session(1, 0), &[100_000, 90_000, 95_000]);
    store.write(&version(3), &writes(&old)).unwrap();
    let other = tracked(&session(2, 5), &[80_000]);
    store.write(&origin(2), &writes(&other)).unwrap();
    old.laps.truncate(1);
    old.laps[0].end_ns = Some(3 * LAP_NS);
    store.replace_tape(&version(4), std::slice::from_ref(&old)).unwrap();
    let found = store.session(old.session.id, Audience::Owner).unwrap().unwrap();
    assert_eq!((found.laps.len(), found.session.lap_count, found.session.best_ms), (1, 1, Some(100_000)));
    store.replace_tape(&version(5), &[]).unwrap();
    assert_eq!(store.session(old.session.id, Audience::Owner).unwrap(), None);
    assert_eq!(store.session(other.session.id, Audience::Owner).unwrap().unwrap().laps.len(), 1, "of another tape");
}

pub fn what_comes_late_changes_nothing_on_a_tape_that_was_tracked_as_a_whole(place: &Place) {
    let store = place.open();
    store.replace_tape(&version(4), &[tracked(&session(1, 0), &[100_000, 99_000])]).unwrap();
    let before = everything(place);
    let mut late = tracked(&session(1, 0), &[100_000, 1_000_000, 98_000]);
    late.session.end_ns = None;
    for older in [3, 4] {
        let done = store.write(&version(older), &writes(&late)).unwrap();
        assert_eq!(done.len(), writes(&late).len());
        assert_eq!(everything(place), before, "version {older}");
    }
    // A newer tracker writes, but has not processed the whole tape yet.
    store.write(&version(5), &writes(&late)).unwrap();
    assert_ne!(everything(place), before);
    assert!(store.tracker_of(session(1, 0).tape).unwrap().unwrap().version < 5);
}

pub fn what_users_said_about_a_running_session_stays_with_it(place: &Place) {
    let store = place.open();
    let mut first = tracked(&session(1, 0), &[100_000, 90_000]);
    first.session.end_ns = None;
    store.write(&version(3), &writes(&first)).unwrap();
    let note = Edit { note: Some(Some("league night".to_owned())), ..Edit::default() };
    store.edit_session(first.session.id, &note).unwrap();
    first.session.end_ns = Some(2 * LAP_NS);
    store.write(&version(3), &writes(&first)).unwrap();
    // A much longer session follows in the same tape, and a newer tracker processes both.
    let mut second = tracked(&session(1, 0), &[]);
    second.session.start_ns = 2 * LAP_NS;
    second.session.end_ns = Some(100 * LAP_NS);
    second.session.id = Id::of_session(second.session.tape, second.session.start_ns);
    store.write(&version(3), &writes(&second)).unwrap();
    first.laps[0].time_ms = Some(99_000);
    store.replace_tape(&version(4), &[first.clone(), second.clone()]).unwrap();
    let note_of = |id| store.session(id, Audience::Owner).unwrap().unwrap().session.remarks.note;
    assert_eq!(note_of(first.session.id).as_deref(), Some("league night"));
    assert_eq!(note_of(second.session.id), None);
}
