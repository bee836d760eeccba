//! The recorder's writer: `WriterCore` on the capturing thread, and an encoder thread.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::core::WriterCore;
use super::encoder::Encoder;
use super::files::Files;
use super::generation::{Failure, Order, Shared, Trouble};
use super::outcome::{Accepted, AppendError, CreateError, FinishError, Finished, WriteOptions};
use crate::footer::Totals;
use crate::stream::{Role, StreamId, StreamSpec};
use crate::system::{Counters, Event, Status, metadata_bytes};

/// Writes a tape while a game runs.
///
/// A frame is accepted when [`append`](Self::append) returns `Ok`. It is then in the journal and survives the end of
/// the process. A power cut loses at most the frames accepted within the sync interval. In steady state `append`
/// allocates no memory and makes no file system calls. Dropping a writer without calling [`finish`](Self::finish)
/// leaves a tape that readers open together with its journal, and that `recover` closes.
pub struct Writer {
    core: WriterCore,
    thread: Option<JoinHandle<Result<FinishedTape, Failure>>>,
}

/// The retry interval while the disk is full.
const TRY_AGAIN: Duration = Duration::from_millis(200);

type FinishedTape = (u64, Vec<(u16, Totals)>);

impl Writer {
    /// Creates a new tape. Blocks until the file, the first journal and the directory are durable.
    pub fn create(files: Arc<dyn Files>, path: &Path, options: &WriteOptions) -> Result<Self, CreateError> {
        let (core, encoder) = WriterCore::create(files, path, options)?;
        let thread = std::thread::Builder::new()
            .name("gametape-encoder".into())
            .spawn(move || run(encoder))
            .map_err(|source| CreateError::Io { doing: "start the encoder thread for", path: path.into(), source })?;
        Ok(Self { core, thread: Some(thread) })
    }

    /// Adds a stream. Its frames can be appended right away.
    pub fn add_stream(&mut self, spec: StreamSpec) -> Result<StreamId, AppendError> {
        self.core.add_stream(spec)
    }

    /// Appends a frame. Never blocks on the disk.
    pub fn append(&mut self, stream: StreamId, time_ns: u64, frame: &[u8]) -> Result<Accepted, AppendError> {
        self.core.append(stream, time_ns, frame)
    }

    /// Returns whether a frame of this size finds room in a prepared journal. A caller that can hold frames back waits until it does, instead
    /// of losing them. Cheap while there is room.
    pub fn has_room(&self, frame_bytes: usize) -> bool {
        self.core.has_room(frame_bytes)
    }

    /// Appends an event.
    pub fn event(&mut self, time_ns: u64, kind: &str, text: &str) -> Result<(), AppendError> {
        self.core.system_frame(Role::Events, time_ns, &Event::to_bytes(kind, text, None))
    }

    /// Appends an event that lasted `length_ns` until `time_ns`.
    pub fn event_with_length(
        &mut self,
        time_ns: u64,
        kind: &str,
        text: &str,
        length_ns: u64,
    ) -> Result<(), AppendError> {
        self.core.system_frame(Role::Events, time_ns, &Event::to_bytes(kind, text, Some(length_ns)))
    }

    /// Sets a metadata entry; the last value of a key wins.
    pub fn metadata(&mut self, time_ns: u64, key: &str, value: &str) -> Result<(), AppendError> {
        self.core.system_frame(Role::Metadata, time_ns, &metadata_bytes(key, value))
    }

    /// Maps a tape time to UTC.
    pub fn clock(&mut self, time_ns: u64, utc_ns: i64) -> Result<(), AppendError> {
        self.core.system_frame(Role::Clock, time_ns, &utc_ns.to_le_bytes())
    }

    /// Adds to the counters of a stream.
    pub fn count(&mut self, stream: StreamId, counters: &Counters) {
        self.core.count(stream, counters);
    }

    /// The counters and "seen until" of a stream so far.
    pub fn status(&self, stream: StreamId) -> Option<Status> {
        self.core.status(stream)
    }

    /// Returns the current problems with the files. Cheap: one atomic load.
    pub fn trouble(&self) -> Trouble {
        self.core.shared.trouble()
    }

    /// Closes the tape and returns its contents and losses in summary.
    pub fn finish(mut self) -> Result<Finished, FinishError> {
        self.core.write_status();
        self.core.release_journal();
        self.core.shared.give_order(Order::Finish(self.core.all_status()));
        let thread = self.thread.take().ok_or(FinishError::ThreadGone)?;
        let (bytes, totals) = thread.join().map_err(|_| FinishError::ThreadGone)??;
        if self.trouble().tape_gone {
            return Err(FinishError::TapeGone);
        }
        Ok(self.core.finished(bytes, &totals))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // After `finish` the thread is gone; otherwise the journal keeps the accepted frames.
        if let Some(thread) = self.thread.take() {
            self.core.shared.give_order(Order::Abandon);
            let _ = thread.join();
        }
    }
}

/// The encoder thread.
fn run(mut encoder: Encoder) -> Result<FinishedTape, Failure> {
    let shared = encoder.shared();
    shared.register_thread();
    let start = Instant::now();
    // A panic must not look like a slow disk to the capturing thread.
    let worked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| work(&mut encoder, &shared, start)));
    let result = worked.unwrap_or_else(|_| {
        let source = Arc::new(io::Error::other("internal error: please report it"));
        Err(Failure { doing: "encoding blocks", source })
    });
    if let Err(failure) = &result {
        shared.fail(failure.clone());
        encoder.give_up();
    }
    result
}

fn work(encoder: &mut Encoder, shared: &Shared, start: Instant) -> Result<FinishedTape, Failure> {
    loop {
        encoder.step(&mut || start.elapsed())?;
        match shared.order() {
            // Sleep until the journal has to be synced; the capturing thread wakes us earlier if much data has accumulated.
            Order::Work => {
                let idle = encoder.idle_for(start.elapsed());
                if encoder.waits_for_room() { wait_for_room(shared, idle) } else { std::thread::park_timeout(idle) }
            }
            Order::Finish(status) => return finish(encoder, &status),
            Order::Abandon => {
                encoder.give_up();
                return Ok((0, Vec::new()));
            }
        }
    }
}

/// Sleeps, even though the capturing thread wakes us for every frame for which it finds no room.
fn wait_for_room(shared: &Shared, most: Duration) {
    let start = Instant::now();
    let rest = most.min(TRY_AGAIN);
    while !shared.has_order() && start.elapsed() < rest {
        std::thread::park_timeout(rest.saturating_sub(start.elapsed()));
    }
}

fn finish(encoder: &mut Encoder, status: &BTreeMap<u16, Status>) -> Result<FinishedTape, Failure> {
    let bytes = encoder.finish(status)?;
    let totals = status.keys().map(|id| (*id, encoder.maker().sink.totals(StreamId(*id))));
    Ok((bytes, totals.collect()))
}

#[cfg(test)]
mod tests {
    use super::super::StdFiles;
    use super::*;

    #[test]
    fn much_work_wakes_the_encoder_long_before_the_next_sync() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("busy.gtape");
        let options = WriteOptions {
            sync_interval: Duration::from_secs(3600),
            ..WriteOptions::new(crate::record::TapeId([1; 16]))
        };
        let mut writer = Writer::create(Arc::new(StdFiles), &path, &options).unwrap();
        let stream = writer.add_stream(StreamSpec::rows("noise")).unwrap();
        // Smaller than a journal, so that no change of journals wakes the encoder; incompressible, so that the tape grows.
        let mut state = 1u64;
        for row in 0..5_000 {
            let mut noise = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 56) as u8
            };
            let frame: Vec<u8> = (0..1_000).map(|_| noise()).collect();
            writer.append(stream, row, &frame).unwrap();
        }
        let start = Instant::now();
        while std::fs::metadata(&path).unwrap().len() < 100_000 {
            assert!(start.elapsed() < Duration::from_secs(30), "the encoder slept on");
            std::thread::sleep(Duration::from_millis(5));
        }
        assert_eq!(writer.finish().unwrap().streams.first().unwrap().totals.frames, 5_000);
    }
}
