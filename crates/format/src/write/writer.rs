//! The recorder's writer: `WriterCore` for the capturing thread, and an encoder thread beside it.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::core::WriterCore;
use super::encoder::Encoder;
use super::files::Files;
use super::generation::{Failure, Order, Shared};
use super::outcome::{Accepted, AppendError, CreateError, FinishError, Finished, WriteOptions};
use crate::footer::Totals;
use crate::stream::{Role, StreamId, StreamSpec};
use crate::system::{Counters, Event, Status, metadata_bytes};

/// How often the encoder thread looks for work.
const ENCODER_INTERVAL: Duration = Duration::from_millis(20);

/// Writes a tape while a game runs.
///
/// A frame is accepted when [`append`](Self::append) returns `Ok`: it then stands in the journal, and the end of the
/// process cannot lose it. A power cut loses at most what was accepted within the sync interval. `append` allocates nothing
/// in steady state and makes no file call. Dropping a writer without [`finish`](Self::finish) leaves a tape that readers open
/// with its journal and `recover` closes.
pub struct Writer {
    core: WriterCore,
    thread: Option<JoinHandle<Result<FinishedTape, Failure>>>,
}

type FinishedTape = (u64, Vec<(u16, Totals)>);

impl Writer {
    /// Makes a new tape. Waits for the disk until file, first journal and directory are durable.
    pub fn create(files: Arc<dyn Files>, path: &Path, options: &WriteOptions) -> Result<Self, CreateError> {
        let (core, encoder) = WriterCore::create(files, path, options)?;
        let thread = std::thread::Builder::new()
            .name("gametape-encoder".into())
            .spawn(move || run(encoder))
            .map_err(|source| CreateError::Io { doing: "start the encoder thread for", path: path.into(), source })?;
        Ok(Self { core, thread: Some(thread) })
    }

    /// Adds a stream; frames of it can follow at once.
    pub fn add_stream(&mut self, spec: StreamSpec) -> Result<StreamId, AppendError> {
        self.core.add_stream(spec)
    }

    /// Accepts a frame. Never waits for the disk.
    pub fn append(&mut self, stream: StreamId, time_ns: u64, frame: &[u8]) -> Result<Accepted, AppendError> {
        self.core.append(stream, time_ns, frame)
    }

    /// Puts an event on the tape.
    pub fn event(&mut self, time_ns: u64, kind: &str, text: &str) -> Result<(), AppendError> {
        self.core.system_frame(Role::Events, time_ns, &Event::to_bytes(kind, text))
    }

    /// Sets a metadata entry; the last value of a key counts.
    pub fn metadata(&mut self, time_ns: u64, key: &str, value: &str) -> Result<(), AppendError> {
        self.core.system_frame(Role::Metadata, time_ns, &metadata_bytes(key, value))
    }

    /// Relates the recording's clock to UTC.
    pub fn clock(&mut self, time_ns: u64, utc_ns: i64) -> Result<(), AppendError> {
        self.core.system_frame(Role::Clock, time_ns, &utc_ns.to_le_bytes())
    }

    /// Adds to the counters of a stream.
    pub fn count(&mut self, stream: StreamId, counters: &Counters) {
        self.core.count(stream, counters);
    }

    /// What was lost and noticed on a stream so far.
    pub fn status(&self, stream: StreamId) -> Option<Status> {
        self.core.status(stream)
    }

    /// Closes the tape and says what is on it and what was lost.
    pub fn finish(mut self) -> Result<Finished, FinishError> {
        self.core.write_status();
        self.core.shared.give_order(Order::Finish(self.core.all_status()));
        let thread = self.thread.take().ok_or(FinishError::ThreadGone)?;
        let (bytes, totals) = thread.join().map_err(|_| FinishError::ThreadGone)??;
        Ok(self.core.finished(bytes, &totals))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // After `finish` the thread is gone; otherwise the journal keeps what was accepted.
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
        let source = Arc::new(io::Error::other("an error in this program: please report it"));
        Err(Failure { doing: "making blocks", source })
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
            Order::Work => std::thread::park_timeout(ENCODER_INTERVAL),
            Order::Finish(status) => return finish(encoder, &status),
            Order::Abandon => {
                encoder.give_up();
                return Ok((0, Vec::new()));
            }
        }
    }
}

fn finish(encoder: &mut Encoder, status: &BTreeMap<u16, Status>) -> Result<FinishedTape, Failure> {
    let bytes = encoder.finish(status)?;
    let totals = status.keys().map(|id| (*id, encoder.maker().sink.totals(StreamId(*id))));
    Ok((bytes, totals.collect()))
}
