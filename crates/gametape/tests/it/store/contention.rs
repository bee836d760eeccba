//! Concurrent access to the same rows.

use std::time::{Duration, Instant};

use gametape::laps::Session;
use gametape::store::{Audience, DriverEdit, Edit, Store, Visibility, Write};

use super::place::Place;
use super::sample::{lap, origin, session, tracked, writes};

pub fn edits_and_live_writes_at_the_same_time_all_arrive(place: &Place) {
    let store = place.open();
    let driven = tracked(&session(1, 0), &[100_000; 30]);
    store.write(&origin(1), &writes(&driven)).unwrap();
    std::thread::scope(|scope| {
        for edited in [3, 28] {
            let (store, driven) = (&store, &driven);
            scope.spawn(move || {
                for round in 0..40 {
                    let edit = Edit { note: Some(Some(round.to_string())), ..Edit::default() };
                    store.edit_lap(driven.laps[edited].id, &edit).unwrap();
                }
            });
        }
        for round in 0..40 {
            let remark = Session { remark: Some(round.to_string()), ..driven.session.clone() };
            let time = lap(&driven.session, 29, 99_000 - round);
            store.write(&origin(1), &[Write::Session(remark), Write::Lap(time)]).unwrap();
        }
    });
    let found = store.session(driven.session.id, Audience::Owner).unwrap().unwrap();
    assert_eq!((found.session.session.remark.as_deref(), found.session.best_ms), (Some("39"), Some(98_961)));
    assert_eq!(found.laps[28].remarks.note.as_deref(), Some("39"));
}

pub fn laps_that_come_while_their_driver_is_hidden_are_hidden(place: &Place) {
    let store = place.open();
    let driven = tracked(&session(1, 0), &[]);
    store.write(&origin(1), &writes(&driven)).unwrap();
    let see = |visibility| DriverEdit { name: None, visibility: Some(visibility) };
    std::thread::scope(|scope| {
        let (store, driven) = (&store, &driven);
        scope.spawn(move || {
            for number in 1..=60 {
                store.write(&origin(1), &[Write::Lap(lap(&driven.session, number, 100_000))]).unwrap();
            }
        });
        for _ in 0..15 {
            store.edit_driver("Driver 1", &see(Visibility::Public)).unwrap();
            store.edit_driver("Driver 1", &see(Visibility::Private)).unwrap();
        }
    });
    let found = store.session(driven.session.id, Audience::Owner).unwrap().unwrap();
    assert_eq!(found.laps.len(), 60);
    assert!(found.laps.iter().all(|lap| lap.visibility == Visibility::Private));
    assert_eq!(store.session(driven.session.id, Audience::Public).unwrap(), None);
    // Make them visible again, all of them.
    store.edit_driver("Driver 1", &see(Visibility::Public)).unwrap();
    assert_eq!(store.session(driven.session.id, Audience::Public).unwrap().unwrap().laps.len(), 60);
}

/// PostgreSQL only: SQLite has a single writer. Another program holds the lock that a writer of laps, or a change of visibility, must
/// wait for.
pub fn who_writes_laps_and_who_hides_their_driver_wait_for_each_other(place: &Place) {
    let Place::Postgres(url) = place else { return };
    let store = place.open();
    let driven = tracked(&session(1, 0), &[]);
    store.write(&origin(1), &writes(&driven)).unwrap();
    let hide = DriverEdit { name: None, visibility: Some(Visibility::Private) };
    let mut other = postgres::Client::connect(url, postgres::NoTls).unwrap();
    let mut waits = |held: &str, work: &(dyn Fn() + Sync)| {
        let mut hold = other.transaction().unwrap();
        hold.batch_execute(&format!("SELECT {held}(7223006, hashtext('Driver 1'))")).unwrap();
        let (told, hear) = std::sync::mpsc::channel();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                work();
                told.send(())
            });
            let waited = hear.recv_timeout(Duration::from_millis(300)).is_err();
            // Lock order: drivers before rows. A transaction that waits for a driver holds no row that the other one needs next.
            let rows = hold.batch_execute("SELECT id FROM sessions FOR UPDATE NOWAIT");
            hold.rollback().unwrap();
            assert!(rows.is_ok(), "{held}: a deadlock: {rows:?}");
            assert!(waited && hear.recv_timeout(Duration::from_secs(20)).is_ok(), "{held}: {waited}");
        });
    };
    waits("pg_advisory_xact_lock", &|| {
        store.write(&origin(1), &[Write::Lap(lap(&driven.session, 1, 100_000))]).unwrap();
    });
    let first = lap(&driven.session, 1, 100_000);
    let note = |text: &str| Edit { note: Some(Some(text.to_owned())), ..Edit::default() };
    waits("pg_advisory_xact_lock", &|| {
        let changed = Session { remark: Some("changed".to_owned()), ..driven.session.clone() };
        store.write(&origin(1), &[Write::Session(changed)]).unwrap();
    });
    waits("pg_advisory_xact_lock", &|| drop(store.edit_lap(first.id, &note("of a lap")).unwrap()));
    waits("pg_advisory_xact_lock", &|| drop(store.edit_session(driven.session.id, &note("of a session")).unwrap()));
    waits("pg_advisory_xact_lock", &|| {
        store.replace_tape(&origin(1), &[tracked(&driven.session, &[99_000])]).unwrap();
    });
    waits("pg_advisory_xact_lock_shared", &|| store.edit_driver("Driver 1", &hide).unwrap());
}

/// PostgreSQL only: SQLite has a single writer, whose busy timeout is ten seconds.
pub fn a_lock_of_another_program_holds_a_writer_for_seconds_only(place: &Place) {
    let Place::Postgres(url) = place else { return };
    let store = place.open();
    let driven = tracked(&session(1, 0), &[100_000]);
    store.write(&origin(1), &writes(&driven)).unwrap();
    let mut other = postgres::Client::connect(url, postgres::NoTls).unwrap();
    let mut held = other.transaction().unwrap();
    held.batch_execute("SELECT * FROM sessions FOR UPDATE").unwrap();
    let changed = [Write::Session(Session { remark: Some("x".to_owned()), ..driven.session })];
    // If the writer does not time out, the lock is released, so that the test fails instead of hanging.
    let (told, hear) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        let start = Instant::now();
        let (store, changed) = (&store, &changed);
        scope.spawn(move || told.send(store.write(&origin(1), changed)));
        let done = hear.recv_timeout(Duration::from_secs(20));
        held.rollback().unwrap();
        let error = done.expect("the writer did not time out").unwrap_err();
        assert!(error.is_unreachable() && start.elapsed() < Duration::from_secs(20), "{error}");
    });
    store.ready().unwrap();
}
