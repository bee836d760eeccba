//! Laps beside a recording of the simulated game: in the store before they are announced, and those of the tape.
#![cfg(any(target_os = "linux", windows))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]
mod game;

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use game::prefix;
use gametape::capture::{Clock, FamilySource, Observer, Place, RecordOptions, Recorder, StopFlag, Told};
use gametape::format::read::Tape;
use gametape::games::ASSETTO_CORSA_FAMILY;
use gametape::laps::live::{Announced, KeepLaps, LapSink, LiveLaps, LiveTape};
use gametape::laps::{Event, LapState, TRACKER_ID, TRACKER_VERSION, Tracked, track_tape};
use gametape::simulated_car::live::{GameClock, LiveGame};
use gametape::simulated_car::{Script, Settings, Simulation};
use gametape::store::catalogue::Look;
use gametape::store::{Audience, CatchUp, Origin, Replaced, SqlStore, Store, Tracker, catch_up};

/// Records the simulated car for that long while somebody looks on; the tape.
fn record(seconds: u64, name: &str, speed: f64, folder: &Path, observer: Box<dyn Observer>) -> PathBuf {
    let prefix = prefix(name);
    let (clock, stop) = (Arc::new(GameClock::in_step(speed)), StopFlag::default());
    let in_step: Arc<dyn Clock> = clock.clone();
    let (told, hear) = channel();
    let options = RecordOptions { journal_bytes: 64 << 20, ..RecordOptions::new(Some(Place::Folder(folder.into()))) };
    let recorder = Recorder {
        options: Arc::new(options),
        clock: in_step,
        progress: Arc::default(),
        told,
        observers: vec![observer],
        stop: stop.clone(),
        once: true,
    };
    let simulation = Simulation::driving(Settings::default(), Script::new().at(seconds * 1000).end());
    let mut game = LiveGame::start(&prefix, simulation).unwrap();
    let mut source = FamilySource::new(ASSETTO_CORSA_FAMILY, prefix.clone(), 100);
    let recording = std::thread::spawn(move || recorder.run(&mut source));
    game.run(&clock, &stop, |_| true).unwrap();
    game.stop(&clock).unwrap();
    assert!(recording.join().unwrap());
    let mut closed =
        hear.iter().filter_map(|told| if let Told::Closed { path, .. } = told { Some(path) } else { None });
    let path = closed.next().unwrap();
    assert!(closed.next().is_none());
    path
}

fn origin(tape: &Tape) -> Origin {
    Origin::new(tape.id().unwrap(), Tracker { id: TRACKER_ID.into(), version: TRACKER_VERSION })
}

/// What making the laps of the tape again changes in the store.
fn made_again(store: &SqlStore, tape: &Tape, tracked: &Tracked) -> Replaced {
    store.replace_tape(&origin(tape), &tracked.sessions).unwrap()
}

#[test]
fn laps_are_in_the_store_before_they_are_announced_and_equal_those_of_the_tape() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap());
    let ended = Arc::new(Mutex::new(None));
    let (told, finals) = (Arc::new(Mutex::new(Tracked::default())), Arc::new(Mutex::new(0)));
    let announce = {
        let (store, told, finals) = (Arc::clone(&store), Arc::clone(&told), Arc::clone(&finals));
        let ended = Arc::clone(&ended);
        move |tape: &LiveTape, announced: Announced<'_>| {
            assert_eq!(tape.game, "assetto-corsa-competizione");
            if let Announced::Ended { whole } = announced {
                *ended.lock().unwrap() = Some(whole);
            }
            let Announced::Happened { event, kept } = announced else { return };
            assert!(kept);
            if let Event::LapFinal(lap) = event {
                let stored = store.lap(lap.id, Audience::Owner).unwrap().expect("announced, and not in the store");
                assert_eq!((stored.lap.state, stored.lap.time_ms), (LapState::Final, lap.time_ms));
                *finals.lock().unwrap() += 1;
            }
            told.lock().unwrap().take(event.clone());
        }
    };
    let mut laps = LiveLaps::new(Arc::new(KeepLaps::new(store.clone() as Arc<dyn Store>, false, announce)));
    let observer = laps.observer().unwrap();
    // Slow enough that a busy machine skips no frame.
    let path = record(150, "live-laps", 20.0, folder.path(), observer);
    laps.wait();
    let tape = Tape::open(&path).unwrap();
    // A busy machine may skip frames: then the tape is known to be seen in part only.
    let whole = ended.lock().unwrap().unwrap();
    let seen = store.tracker_of(tape.id().unwrap()).unwrap().unwrap();
    assert_eq!(seen.version, if whole { TRACKER_VERSION } else { 0 });
    let tracked = track_tape(&tape).unwrap();
    assert!(*finals.lock().unwrap() >= 2, "{tracked:?}");
    assert_eq!(told.lock().unwrap().sessions, tracked.sessions);
    let again = made_again(&store, &tape, &tracked);
    assert_eq!((again.new, again.changed, again.removed), (0, 0, 0), "{again:?}");
}

#[test]
fn what_was_skipped_is_made_from_the_tape() {
    /// Waits at the first event until the recording is over.
    struct Slow<A> {
        keep: KeepLaps<A>,
        over: Mutex<std::sync::mpsc::Receiver<()>>,
        skipped: Arc<Mutex<u64>>,
    }
    impl<A: Fn(&LiveTape, Announced<'_>) + Send + Sync> LapSink for Slow<A> {
        fn events(&self, tape: &LiveTape, events: Vec<Event>) {
            let _ = self.over.lock().unwrap().recv();
            self.keep.events(tape, events);
        }
        fn end(&self, tape: &LiveTape, skipped: u64) {
            *self.skipped.lock().unwrap() += skipped;
            self.keep.end(tape, skipped);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap());
    let (go_on, over) = channel();
    let skipped = Arc::new(Mutex::new(0));
    let keep = KeepLaps::new(store.clone() as Arc<dyn Store>, false, |_: &LiveTape, _: Announced<'_>| {});
    let sink = Slow { keep, over: Mutex::new(over), skipped: Arc::clone(&skipped) };
    let mut laps = LiveLaps::new(Arc::new(sink));
    let observer = laps.observer().unwrap();
    let path = record(100, "live-skip", f64::INFINITY, folder.path(), observer);
    drop(go_on);
    laps.wait();
    assert!(*skipped.lock().unwrap() > 1000, "nothing was skipped, so nothing is shown here");
    let tape = Tape::open(&path).unwrap();
    let tracked = track_tape(&tape).unwrap();
    assert!(tracked.laps().any(|lap| lap.state == LapState::Final));
    // The tape is known to be seen in part only: who looks through tapes makes its laps, once.
    let folders = [folder.path().to_owned()];
    let look = Look { place: "here", folders: &folders, except: &[], checksums: false };
    let wish = CatchUp { look, all: false, keep_replays: false };
    let done = [(), ()].map(|()| catch_up(&*store, &wish, &mut |_, _, _| true).unwrap().tracked);
    assert_eq!(done, [1, 0]);
    let again = made_again(&store, &tape, &tracked);
    assert_eq!((again.new, again.changed, again.removed), (0, 0, 0), "{again:?}");
}
