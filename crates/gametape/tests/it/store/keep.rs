//! Storing laps during a recording, with hand-made events.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use gametape::laps::{Event, TRACKER_VERSION};
use gametape::live::{Announced, KeepLaps, LapSink, LiveTape};
use gametape::store::Store;

use super::place::Place;
use super::sample::{lap, session, tape};

pub fn a_tape_of_which_something_was_not_stored_is_to_be_tracked_again(place: &Place) {
    let store: Arc<dyn Store> = Arc::new(place.open());
    let said = Arc::new(Mutex::new(Vec::new()));
    let hear = Arc::clone(&said);
    let keep = KeepLaps::new(Arc::clone(&store), false, move |_: &LiveTape, announced: Announced<'_>| {
        hear.lock().unwrap().push(match announced {
            Announced::Happened { .. } => "happened",
            Announced::NotStored { .. } => "not stored",
            Announced::Ended { whole: true } => "ended",
            Announced::Ended { whole: false } => "ended, lacking",
        });
    });
    let live = |number| LiveTape {
        id: tape(number),
        path: PathBuf::from("a.gtape"),
        game: session(number, 0).game,
        replay_of: None,
    };
    let version = |number| store.tracker_of(tape(number)).unwrap().map(|tracker| tracker.version);
    let open = |number| keep.events(&live(number), vec![Event::SessionOpened(session(number, 0))]);
    open(1);
    assert_eq!(version(1), Some(0), "a program that is killed now has not processed the whole tape");
    keep.end(&live(1), 0);
    assert_eq!(version(1), Some(TRACKER_VERSION));
    open(2);
    keep.end(&live(2), 7);
    assert_eq!(version(2), Some(0), "frames were skipped");
    open(3);
    let held = place.hold();
    keep.events(&live(3), vec![Event::LapFinal(lap(&session(3, 0), 1, 100_000))]);
    drop(held);
    keep.end(&live(3), 0);
    assert_eq!(version(3), Some(0), "a lap was not stored");
    let expected = ["happened", "ended", "happened", "ended, lacking", "happened", "not stored", "ended, lacking"];
    assert_eq!(*said.lock().unwrap(), expected);
}
