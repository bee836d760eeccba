//! Lap tracking during a recording of the simulated game: laps are stored before they are announced, and equal those of the tape.
#![cfg(any(target_os = "linux", windows))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used)]
use crate::game;

use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use game::prefix;
use game::this_machine::{InStep, ThisMachine};
use gametape::capture::{
    Clock, Destination, Observer, PageSource, RecordOptions, Recorder, RecorderEvent, StopFlag, TapeSummary,
};
use gametape::format::read::Tape;
use gametape::games::ASSETTO_CORSA_FAMILY;
use gametape::laps::{Event, LapState, Session, TRACKER_ID, TRACKER_VERSION, Tracked, track_tape};
use gametape::live::view::{CarNow, CarSink, Reference};
use gametape::live::{Announced, KeepLaps, LapSink, Live, LiveTape};
use gametape::store::catalogue::Look;
use gametape::store::{Audience, CatchUp, Origin, Replaced, SqlStore, Store, TrackerVersion, catch_up};
use gametape_simulator::live::{GameClock, LiveGame};
use gametape_simulator::{Script, Settings, Simulation};

/// Records the simulated car for that long with an observer. Returns the tape.
fn record(seconds: u64, name: &str, speed: f64, folder: &Path, observer: Box<dyn Observer>) -> PathBuf {
    let prefix = prefix(name);
    let (clock, stop) = (Arc::new(GameClock::in_step(speed)), StopFlag::default());
    let in_step: Arc<dyn Clock> = Arc::new(InStep(Arc::clone(&clock)));
    let (told, hear) = channel();
    let options =
        RecordOptions { journal_bytes: 64 << 20, ..RecordOptions::new(Some(Destination::Folder(folder.into()))) };
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
    let mut game = LiveGame::start(ThisMachine, prefix.as_str(), simulation).unwrap();
    let mut source = PageSource::new(ASSETTO_CORSA_FAMILY, prefix.clone(), 100);
    let recording = std::thread::spawn(move || recorder.run(&mut source));
    game.run(&clock, || stop.wanted(), |_| true).unwrap();
    game.stop(&clock).unwrap();
    assert!(recording.join().unwrap());
    let mut closed = hear
        .iter()
        .filter_map(|told| if let RecorderEvent::Closed(TapeSummary { path, .. }) = told { Some(path) } else { None });
    let path = closed.next().unwrap();
    assert!(closed.next().is_none());
    path
}

fn origin(tape: &Tape) -> Origin {
    Origin::new(tape.id().unwrap(), TrackerVersion { id: TRACKER_ID.into(), version: TRACKER_VERSION })
}

/// Tracks the tape again and returns what that changes in the store.
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
    let keep = KeepLaps::new(store.clone() as Arc<dyn Store>, false, announce);
    // The recorder waits for the tracker, so that no frame is skipped even on a busy machine.
    let mut laps = Live::new().laps(Arc::new(keep)).patient(StopFlag::default());
    let observer = laps.observer().unwrap();
    let path = record(150, "live-laps", 20.0, folder.path(), observer);
    laps.wait().unwrap();
    let tape = Tape::open(&path).unwrap();
    // A busy machine may skip frames: then the tape is marked as tracked only in part.
    let whole = ended.lock().unwrap().unwrap();
    let seen = store.tracker_of(tape.id().unwrap()).unwrap().unwrap();
    assert_eq!(seen.version, if whole { TRACKER_VERSION } else { 0 });
    let tracked = track_tape(&tape).unwrap();
    assert!(*finals.lock().unwrap() >= 2, "{tracked:?}");
    assert_eq!(told.lock().unwrap().sessions, tracked.sessions);
    let again = made_again(&store, &tape, &tracked);
    assert_eq!((again.new, again.changed, again.removed), (0, 0, 0), "{again:?}");
}

/// Stores laps, and counts skipped frames.
struct Counted<A> {
    keep: KeepLaps<A>,
    skipped: Arc<Mutex<u64>>,
}

impl<A: Fn(&LiveTape, Announced<'_>) + Send + Sync> LapSink for Counted<A> {
    fn events(&self, tape: &LiveTape, events: Vec<Event>) {
        self.keep.events(tape, events);
    }

    fn end(&self, tape: &LiveTape, skipped: u64) {
        *self.skipped.lock().unwrap() += skipped;
        self.keep.end(tape, skipped);
    }
}

/// Calls a function whenever the car is shown.
struct Shown<F>(F);

impl<F: Fn(&CarNow<'_>) + Send + Sync> CarSink for Shown<F> {
    fn car(&self, car: &CarNow<'_>) {
        (self.0)(car);
    }

    fn gone(&self) {}

    fn best_ever(&self, _: &Session) -> Option<Reference> {
        None
    }

    fn failed(&self, part: &'static str) {
        panic!("{part} failed");
    }
}

/// Asserts that the laps in the store equal those of the tape after catching up, and how many tapes had to be tracked for that.
fn assert_stored(store: &SqlStore, folder: &Path, path: &Path, tracked_again: usize) {
    let tape = Tape::open(path).unwrap();
    let tracked = track_tape(&tape).unwrap();
    assert!(tracked.laps().any(|lap| lap.state == LapState::Final));
    let folders = [folder.to_owned()];
    let look = Look { place: "here", folders: &folders, except: &[], elsewhere: false, checksums: false };
    let wish = CatchUp { look, all: false, keep_replays: false };
    let done = [(), ()].map(|()| catch_up(store, &wish, &mut |_, _, _| true).unwrap().tracked);
    assert_eq!(done.map(|done| done as usize), [tracked_again, 0]);
    let again = made_again(store, &tape, &tracked);
    assert_eq!((again.new, again.changed, again.removed), (0, 0, 0), "{again:?}");
}

#[test]
fn what_was_skipped_is_made_from_the_tape() {
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap());
    let (go_on, over) = channel::<()>();
    let over = Mutex::new(over);
    let skipped = Arc::new(Mutex::new(0));
    let keep = KeepLaps::new(store.clone() as Arc<dyn Store>, false, |_: &LiveTape, _: Announced<'_>| {});
    let sink = Counted { keep, skipped: Arc::clone(&skipped) };
    // Stalls the tracking thread until the recording is over.
    let stalls = Shown(move |_: &CarNow<'_>| {
        let _ = over.lock().unwrap().recv();
    });
    let mut live = Live::new().laps(Arc::new(sink)).car(Arc::new(stalls));
    let observer = live.observer().unwrap();
    let path = record(100, "live-skip", f64::INFINITY, folder.path(), observer);
    drop(go_on);
    live.wait().unwrap();
    assert!(*skipped.lock().unwrap() > 1000, "nothing was skipped, so nothing is shown here");
    assert_stored(&store, folder.path(), &path, 1);
}

#[test]
fn a_store_that_hangs_stalls_neither_the_recorder_nor_the_live_view_and_gets_every_lap() {
    /// Blocks at the first event until the recording is over.
    struct Hangs<S>(S, Mutex<std::sync::mpsc::Receiver<()>>);
    impl<S: LapSink> LapSink for Hangs<S> {
        fn events(&self, tape: &LiveTape, events: Vec<Event>) {
            let _ = self.1.lock().unwrap().recv();
            self.0.events(tape, events);
        }

        fn end(&self, tape: &LiveTape, skipped: u64) {
            self.0.end(tape, skipped);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let store = Arc::new(SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap());
    let (go_on, over) = channel();
    let (skipped, shown) = (Arc::new(Mutex::new(0)), Arc::new(Mutex::new((0, 0))));
    let keep = KeepLaps::new(store.clone() as Arc<dyn Store>, false, |_: &LiveTape, _: Announced<'_>| {});
    let sink = Hangs(Counted { keep, skipped: Arc::clone(&skipped) }, Mutex::new(over));
    let of_car = Arc::clone(&shown);
    let shows = Shown(move |car: &CarNow<'_>| {
        *of_car.lock().unwrap() = (car.at_ns, car.last_lap.map_or(0, |lap| lap.tape_lap));
    });
    let live = Live::new().laps(Arc::new(sink)).car(Arc::new(shows));
    // The recorder waits for the tracker: no frame is skipped at any speed.
    let mut live = live.patient(StopFlag::default());
    let observer = live.observer().unwrap();
    let path = record(100, "live-store", f64::INFINITY, folder.path(), observer);
    // The tracker may be behind the recorder by what its ring holds. The store still hangs.
    let start = std::time::Instant::now();
    while !matches!(*shown.lock().unwrap(), (90_000_000_001.., 1..)) {
        assert!(start.elapsed().as_secs() < 60, "the view stands still: {:?}", shown.lock().unwrap());
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    drop(go_on);
    live.wait().unwrap();
    assert_eq!(*skipped.lock().unwrap(), 0);
    assert_stored(&store, folder.path(), &path, 0);
}

#[test]
fn a_part_that_panics_is_reported_and_costs_neither_the_recording_nor_the_laps() {
    struct Panics(Mutex<Option<bool>>);
    impl LapSink for Panics {
        fn events(&self, _: &LiveTape, _: Vec<Event>) {
            panic!("the store is broken");
        }

        fn end(&self, _: &LiveTape, skipped: u64) {
            *self.0.lock().unwrap() = Some(skipped > 0);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let told = Arc::new(Mutex::new(Vec::new()));
    let (sink, at_once) = (Arc::new(Panics(Mutex::new(None))), Arc::clone(&told));
    let live = Live::new().laps(sink.clone()).car(Arc::new(Shown(|_: &CarNow<'_>| panic!("the view is broken"))));
    let live = live.patient(StopFlag::default());
    let mut live = live.on_failure(move |failure| at_once.lock().unwrap().push(failure.to_string()));
    let observer = live.observer().unwrap();
    let path = record(100, "live-panic", f64::INFINITY, folder.path(), observer);
    let failures = live.wait().unwrap_err();
    let parts = |part: &str| failures.iter().filter(|failure| failure.part == part).count();
    assert_eq!(parts("the live view"), 1, "{failures:?}");
    assert!(parts("storing laps") > 1, "each time: {failures:?}");
    assert!(failures.iter().all(|failure| failure.tape.as_deref() == Some(&*path)));
    let told = told.lock().unwrap();
    assert!(told.iter().any(|text| text.contains("the store is broken") && text.contains(".gtape")), "{told:?}");
    assert_eq!(*sink.0.lock().unwrap(), Some(true), "the tape is known to lack laps");
    assert!(track_tape(&Tape::open(&path).unwrap()).unwrap().laps().count() > 0);
}
