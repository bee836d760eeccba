//! The capturing thread allocates nothing per frame, with callbacks, iterators and a tape.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]
use crate::allocation;
use crate::scripted;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use gametape::Capture;
use gametape::capture::{Batch, Clock, Pace, Source, SourceError, State};
use gametape::games::Presence;
use scripted::{Tick, ticks_description};
use zerocopy::IntoBytes as _;

/// Emits a tick at each read, and counts its thread's allocations since the last one.
struct Watched {
    number: u64,
    end: u64,
    /// Allocation count of the thread at each read.
    counts: Vec<u64>,
    give: Arc<Mutex<Vec<u64>>>,
}

impl Source for Watched {
    fn pace(&self) -> Pace {
        Pace::Every(Duration::from_micros(200))
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        self.counts.push(allocation::count());
        if batch.described() == 0 {
            batch.describe(ticks_description());
        }
        if self.number == self.end {
            *self.give.lock().unwrap() = std::mem::take(&mut self.counts);
            return Ok(State::Ended);
        }
        // Each frame occurs twice, as in games: the second time it is not stored.
        // Times run ahead of the clock, so that periodic work (every second) happens, too.
        batch.frame(0, clock.now_ns() + self.number * 5_000_000, Tick::new(self.number / 2).as_bytes());
        self.number += 1;
        Ok(State::Here(Presence::Live))
    }
}

#[test]
fn capturing_frames_with_listeners_of_all_kinds_allocates_nothing() {
    const READS: usize = 6000;
    let folder = tempfile::tempdir().unwrap();
    let counts = Arc::new(Mutex::new(Vec::new()));
    let source =
        Watched { number: 0, end: READS as u64, counts: Vec::with_capacity(READS + 10), give: Arc::clone(&counts) };
    let capture = Capture::new()
        .source(source)
        .to(folder.path().join("a.gtape"))
        .on_stream("ticks", |_, tick: &Tick| assert_eq!(tick.inverse, !tick.number))
        .on_stream("ticks", |_, _: &Tick| std::thread::sleep(Duration::from_millis(2)))
        .on_bytes("ticks", |_, bytes: &[u8]| assert_eq!(bytes.len(), 16))
        .start()
        .unwrap();
    let frames = capture.frames_of::<Tick>("ticks").unwrap();
    let reader = std::thread::spawn(move || frames.count());
    let summary = capture.wait_for_end().unwrap();
    assert!(reader.join().unwrap() > READS / 4);
    assert!(summary.skipped > 0, "the slow callback was skipped, without allocating either");
    assert_eq!(summary.tapes[0].frames, READS as u64 / 2);
    let counts = counts.lock().unwrap();
    // The first reads include creating the file, using slots for the first time, and the journal's second generation.
    let steady = &counts[READS / 2..READS];
    assert_eq!(steady.last().unwrap() - steady[0], 0, "{:?}", counts.last());
    assert!(counts[0] < counts[READS / 2], "the counting works: beginning a tape allocates");
}
