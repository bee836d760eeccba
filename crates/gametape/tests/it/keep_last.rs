//! Recordings that keep only their last part, with the real recorder and real files.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use gametape::capture::{
    Batch, Clock, Description, Pace, RecordOptions, Recorder, RecorderEvent, Source, SourceError, State, StopFlag,
};
use gametape::format::read::Tape;
use gametape::format::write::{Files, StdFiles};
use gametape::games::Presence;
use gametape::keep_last::{Ring, SaveError, find_rings, save};

/// A game that counts, and ends by itself. A second session begins at a given frame.
struct Counting {
    next: u64,
    frames: u64,
    second_session_at: u64,
    pace: Duration,
}

impl Source for Counting {
    fn pace(&self) -> Pace {
        Pace::Every(self.pace)
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        if self.next == 0 {
            let mut description = Description::of_game("counting");
            description.rows("counter", "test");
            batch.describe(description);
        }
        if self.next == self.frames {
            return Ok(State::Ended);
        }
        batch.frame(0, clock.now_ns(), &self.next.to_le_bytes());
        self.next += 1;
        Ok(State::Here(Presence::Live))
    }

    fn session_key(&self) -> Option<u64> {
        Some(u64::from(self.next > self.second_session_at))
    }
}

/// A clock that advances when it is waited for. Its UTC is set back by an hour in the middle.
struct SteppedUtc {
    now_ns: AtomicU64,
    steps_at_ns: i64,
    step_ns: AtomicI64,
}

impl Clock for SteppedUtc {
    fn now_ns(&self) -> u64 {
        self.now_ns.load(Ordering::Relaxed)
    }

    fn utc_ns(&self) -> i64 {
        let now_ns = i64::try_from(self.now_ns()).unwrap();
        let step_ns = if now_ns < self.steps_at_ns { 0 } else { self.step_ns.load(Ordering::Relaxed) };
        1_700_000_000_000_000_000 + now_ns + step_ns
    }

    fn sleep_until_ns(&self, moment_ns: u64) {
        // Files are created and closed on other threads, in real time.
        std::thread::sleep(Duration::from_millis(1));
        self.now_ns.fetch_max(moment_ns, Ordering::Relaxed);
    }
}

/// Records that many frames, 10 ms apart, as a ring. Returns the number of pieces.
fn record(ring: &Ring, frames: u64, second_session_at: u64) -> usize {
    let options = RecordOptions {
        piece: Some(ring.piece()),
        metadata: vec![ring.metadata()],
        ..RecordOptions::new(Some(ring.place()))
    };
    let clock = SteppedUtc {
        now_ns: AtomicU64::new(0),
        steps_at_ns: i64::try_from(frames).unwrap() * 5_000_000,
        step_ns: AtomicI64::new(-3_600_000_000_000),
    };
    let (sender, told) = mpsc::channel();
    let recorder = Recorder {
        options: Arc::new(options),
        clock: Arc::new(clock),
        progress: Arc::default(),
        told: sender,
        observers: Vec::new(),
        stop: StopFlag::default(),
        once: true,
    };
    let mut source = Counting { next: 0, frames, second_session_at, pace: Duration::from_millis(10) };
    assert!(recorder.run(&mut source));
    let mut pieces = 0;
    for told in told {
        match told {
            RecorderEvent::Closed(_) => pieces += 1,
            RecorderEvent::Opened { .. } | RecorderEvent::Warned(_) => {}
            RecorderEvent::Failed(why) | RecorderEvent::Lost(why) => panic!("{why}"),
        }
    }
    pieces
}

fn counters(path: &Path) -> Vec<u64> {
    let tape = Tape::open(path).unwrap();
    assert!(tape.is_complete() && tape.problems().is_empty());
    let names: Vec<&str> =
        tape.streams().filter(|stream| !stream.spec().role.is_system()).map(|stream| stream.name()).collect();
    assert_eq!(names, ["counter"], "pieces must join to one stream");
    let mut frames = tape.frames(tape.stream_named("counter").unwrap());
    let mut counters = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        counters.push(u64::from_le_bytes(frame.data.try_into().unwrap()));
    }
    counters
}

fn files() -> Arc<dyn Files> {
    Arc::new(StdFiles)
}

#[test]
fn the_kept_time_is_saved_without_a_seam_although_the_clock_is_set_back() {
    let folder = tempfile::tempdir().unwrap();
    let ring = Ring::new(&folder.path().join("rings"), Duration::from_secs(2)).unwrap();
    let pieces = record(&ring, 500, u64::MAX);
    assert!(pieces >= 9, "5 s are ten pieces of half a second, there were {pieces}");
    let found = find_rings(&folder.path().join("rings")).unwrap();
    assert!(found.len() == 1 && found[0].runs);
    let saved = save(&files(), &found[0].folder, folder.path()).unwrap();
    assert_eq!(saved.len(), 1);
    let kept = counters(&saved[0].path);
    // Two seconds up to the newest frame, without gaps or duplicates.
    assert_eq!(kept, (500 - kept.len() as u64..500).collect::<Vec<_>>());
    assert!((198..=202).contains(&kept.len()), "{}", kept.len());
    // Saving again overwrites nothing.
    let again = save(&files(), &found[0].folder, folder.path()).unwrap();
    assert_ne!(again[0].path, saved[0].path);
    assert_eq!(counters(&again[0].path), kept);
}

#[test]
fn each_session_becomes_a_tape() {
    let folder = tempfile::tempdir().unwrap();
    let ring = Ring::new(&folder.path().join("rings"), Duration::from_secs(2)).unwrap();
    record(&ring, 500, 400);
    let found = find_rings(&folder.path().join("rings")).unwrap();
    let mut saved = save(&files(), &found[0].folder, folder.path()).unwrap();
    saved.sort_by_key(|saved| counters(&saved.path));
    assert_eq!(saved.len(), 2);
    let (before, after) = (counters(&saved[0].path), counters(&saved[1].path));
    assert_eq!(before.last().unwrap() + 1, *after.first().unwrap(), "no frame between the sessions is lost");
    assert!((395..=405).contains(after.first().unwrap()), "{:?}", after.first());
    assert_eq!(*after.last().unwrap(), 499);
}

#[test]
fn old_pieces_go_and_those_of_the_last_part_stay() {
    let folder = tempfile::tempdir().unwrap();
    let mut ring = Ring::new(folder.path(), Duration::from_millis(60)).unwrap();
    let piece = |name: &str| {
        let path = folder.path().join(name);
        std::fs::File::create_new(&path).unwrap();
        path
    };
    let (old, newer) = (piece("old.gtape"), piece("newer.gtape"));
    ring.closed(old.clone());
    assert!(old.exists());
    std::thread::sleep(Duration::from_millis(100));
    ring.closed(newer.clone());
    assert!(!old.exists() && newer.exists() && !ring.is_empty());
}

#[test]
fn a_ring_with_nothing_in_it_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let _ring = Ring::new(folder.path(), Duration::from_secs(2)).unwrap();
    let found = find_rings(folder.path()).unwrap();
    assert!(matches!(save(&files(), &found[0].folder, folder.path()), Err(SaveError::Nothing { .. })));
    assert_eq!(find_rings(&folder.path().join("nowhere")).unwrap(), []);
}
