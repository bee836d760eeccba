//! Verifies that the capturing thread does not allocate per read of a real game's memory, once it is running.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::allocation;
use crate::game;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

use game::iracing::Memory;
use game::{Game, prefix};
use gametape::capture::{
    Batch, Clock, Destination, IracingSource, Pace, PageSource, RecordOptions, Recorder, RecorderEvent, Source,
    SourceError, State, StopFlag, TapeSummary,
};
use gametape::games::{ASSETTO_CORSA_FAMILY, About};
use gametape::laps::Event;
use gametape::live::{LapSink, Live, LiveTape};

/// A clock that advances when the recorder waits: a minute takes a second.
#[derive(Default)]
struct StepClock(AtomicU64);

impl Clock for StepClock {
    fn now_ns(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    fn utc_ns(&self) -> i64 {
        self.now_ns().cast_signed()
    }

    fn sleep_until_ns(&self, moment_ns: u64) {
        self.0.fetch_max(moment_ns, Ordering::Relaxed);
    }
}

/// A source whose game takes a step before each read. Records the number of allocations of its thread before each read, without
/// those of the steps.
struct Watched<S, G> {
    source: S,
    step: G,
    by_steps: u64,
    counts: Vec<u64>,
    looks: usize,
    give: Arc<Mutex<Vec<u64>>>,
}

impl<S: Source, G: FnMut() + Send> Source for Watched<S, G> {
    fn pace(&self) -> Pace {
        self.source.pace()
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        self.counts.push(allocation::count() - self.by_steps);
        if self.counts.len() == self.looks {
            *self.give.lock().unwrap() = std::mem::take(&mut self.counts);
            return Ok(State::Ended);
        }
        self.by_steps += allocation::allocations(&mut self.step);
        self.source.read(clock, batch)
    }

    fn session_key(&self) -> Option<u64> {
        self.source.session_key()
    }

    fn about(&self) -> About {
        self.source.about()
    }

    fn about_changes(&self) -> Option<u64> {
        self.source.about_changes()
    }
}

/// Discards laps.
struct Nowhere;

impl LapSink for Nowhere {
    fn events(&self, _: &LiveTape, _: Vec<Event>) {}

    fn end(&self, _: &LiveTape, _: u64) {}
}

/// Records that many reads, with lap tracking. Returns the number of allocations before each read.
fn record(source: impl Source, step: impl FnMut() + Send, looks: usize) -> Vec<u64> {
    let folder = tempfile::tempdir().unwrap();
    let (told, hear) = channel();
    let options = RecordOptions::new(Some(Destination::Folder(folder.path().into())));
    let mut live = Live::new().laps(Arc::new(Nowhere));
    let recorder = Recorder {
        options: Arc::new(options),
        clock: Arc::new(StepClock::default()),
        progress: Arc::default(),
        told,
        observers: vec![live.observer().unwrap()],
        stop: StopFlag::default(),
        once: false,
    };
    let give = Arc::new(Mutex::new(Vec::new()));
    let counts = Vec::with_capacity(looks);
    assert!(recorder.run(&mut Watched { source, step, by_steps: 0, counts, looks, give: Arc::clone(&give) }));
    let closed: Vec<RecorderEvent> = hear.iter().filter(|told| matches!(told, RecorderEvent::Closed(_))).collect();
    let [RecorderEvent::Closed(TapeSummary { finished, .. })] = &closed[..] else { panic!("{closed:?}") };
    assert!(finished.streams[0].totals.frames > 100, "{finished:?}");
    live.wait().unwrap();
    let counts = give.lock().unwrap();
    counts.clone()
}

/// Asserts that nothing is allocated in the second half of the reads. In the first half, a tape is begun and journals are used for
/// the first time.
///
/// If the scheduler starves the encoder thread, the capturing thread needs more journals than usual. This is not caused by a read,
/// so only one of several runs must be steady; a read that allocates fails them all.
fn assert_steady(run: impl Fn() -> Vec<u64>) {
    const RUNS: usize = 6;
    let mut late = Vec::new();
    for _ in 0..RUNS {
        let counts = run();
        let middle = counts.len() / 2;
        assert!(counts[middle] > counts[0], "the counting works: beginning a tape allocates");
        late = (middle + 1..counts.len()).filter(|look| counts[*look] != counts[look - 1]).collect();
        if late.is_empty() {
            return;
        }
    }
    panic!("allocated at looks {late:?}, and in each of {RUNS} runs");
}

#[test]
fn looking_at_the_pages_of_the_assetto_corsa_family_allocates_nothing() {
    assert_steady(|| {
        let prefix = prefix("pages");
        let mut game = Game::start(&prefix);
        game.status(2);
        let step = || {
            game.step();
            // Slow enough for any disk to keep up for a while.
            std::thread::sleep(std::time::Duration::from_micros(100));
        };
        // A minute, in which clocks are read and names are looked up again.
        record(PageSource::new(ASSETTO_CORSA_FAMILY, prefix.clone(), 100), step, 6000)
    });
}

#[test]
fn looking_at_the_rows_of_iracing_allocates_nothing() {
    assert_steady(|| {
        let prefix = prefix("rows");
        let mut memory = Memory::start(&prefix, 4, true);
        memory.connected(true);
        let mut looks = 0;
        let step = || {
            memory.step();
            // Parsing car and track of a new text allocates strings, so there is none in the second half.
            if looks % 500 == 0 && looks < 3000 {
                memory.text(&format!("---\nWeekendInfo:\n TrackDisplayName: Test Ring\n Number: {looks:05}\n\n...\n"));
            }
            looks += 1;
            std::thread::sleep(std::time::Duration::from_micros(100));
        };
        record(IracingSource::new(prefix.clone(), None), step, 6000)
    });
}
