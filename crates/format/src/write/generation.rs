//! An active journal generation, and the state shared by the capturing thread and the encoder.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::thread::Thread;

use super::files::JournalFile;
use crate::journal::{ROW_BYTES, RowHeader, RowKind, RowPosition};
use crate::record::TapeId;
use crate::system::Status;

/// A journal file to which rows are appended.
pub(crate) struct Generation {
    tape_id: TapeId,
    pub(crate) number: u64,
    pub(crate) path: PathBuf,
    pub(crate) file: Box<dyn JournalFile>,
    pub(crate) bytes: u64,
    /// Where the capturing thread starts, after the rows that were carried over.
    pub(crate) start: u64,
    /// End of the complete rows. Written by the capturing thread, read by the encoder.
    committed: AtomicU64,
    /// Whether no more rows will follow.
    closed: AtomicBool,
}

impl Generation {
    pub(crate) fn new(
        tape_id: TapeId,
        number: u64,
        path: PathBuf,
        file: Box<dyn JournalFile>,
        bytes: u64,
        start: u64,
    ) -> Self {
        let (committed, closed) = (AtomicU64::new(start), AtomicBool::new(false));
        Self { tape_id, number, path, file, bytes, start, committed, closed }
    }

    /// A generation without a file and without room.
    pub(crate) fn none() -> Self {
        Self::new(TapeId::default(), 0, PathBuf::new(), Box::new(NoJournal), 0, 0)
    }

    /// The position that the checksum of a row at this offset covers.
    pub(crate) fn position(&self, offset: u64) -> RowPosition {
        RowPosition { tape_id: self.tape_id, generation: self.number, offset }
    }

    pub(crate) fn committed(&self) -> u64 {
        self.committed.load(Ordering::Acquire)
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Acquire)
    }

    pub(crate) fn close(&self) {
        self.closed.store(true, Ordering::Release);
    }

    /// Returns whether a row of this size fits. Only the capturing thread calls this.
    pub(crate) fn has_room(&self, row_bytes: u64) -> bool {
        self.committed.load(Ordering::Relaxed) + row_bytes <= self.bytes
    }

    /// Appends a row and commits it; `false` if there is no room. Only the capturing thread calls this.
    pub(crate) fn append(&self, row: &Row<'_>) -> io::Result<bool> {
        let at = self.committed.load(Ordering::Relaxed);
        let end = at + row.bytes();
        if end > self.bytes {
            return Ok(false);
        }
        put_row(&*self.file, self.position(at), row)?;
        self.committed.store(end, Ordering::Release);
        Ok(true)
    }
}

struct NoJournal;

impl JournalFile for NoJournal {
    fn write(&self, _at: u64, _data: &[u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn read(&self, _at: u64, _buffer: &mut [u8]) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn sync(&self) -> io::Result<()> {
        Ok(())
    }
}

/// A row to be written.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    pub(crate) kind: RowKind,
    pub(crate) stream: u16,
    pub(crate) seq: u64,
    pub(crate) time_ns: u64,
    pub(crate) payload: &'a [u8],
}

impl Row<'_> {
    pub(crate) fn bytes(&self) -> u64 {
        (ROW_BYTES + self.payload.len()) as u64
    }
}

/// Writes a row: the payload first, so that no header ever refers to a missing payload.
pub(crate) fn put_row(file: &dyn JournalFile, position: RowPosition, row: &Row<'_>) -> io::Result<()> {
    let header = RowHeader {
        payload_bytes: row.payload.len() as u32,
        payload_crc: crc32c::crc32c(row.payload),
        seq: row.seq,
        time_ns: row.time_ns,
        stream: row.stream,
        kind: row.kind,
    };
    file.write(position.offset + ROW_BYTES as u64, row.payload)?;
    file.write(position.offset, &header.to_bytes(position))
}

/// The reason why the encoder failed.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{doing}: {source}")]
pub struct Failure {
    /// The operation that failed.
    pub doing: &'static str,
    /// The error reported by the system.
    #[source]
    pub source: Arc<io::Error>,
}

/// Problems with the files of a tape that is being written. The writer continues despite them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Trouble {
    /// The disk is full. Frames stay in the journals; when those are full too, frames are rejected. The writer resumes
    /// as soon as there is room.
    pub no_room: bool,
    /// The tape file was removed, moved or replaced.
    pub tape_gone: bool,
    /// A journal was removed, moved or replaced: until the next one is created, the end of the process would lose frames.
    pub journal_gone: bool,
}

impl Trouble {
    const NO_ROOM: u8 = 1;
    const TAPE_GONE: u8 = 2;
    const JOURNAL_GONE: u8 = 4;

    fn of_bits(bits: u8) -> Self {
        Self {
            no_room: bits & Self::NO_ROOM != 0,
            tape_gone: bits & Self::TAPE_GONE != 0,
            journal_gone: bits & Self::JOURNAL_GONE != 0,
        }
    }

    fn to_bits(self) -> u8 {
        let bit = |set: bool, bit: u8| if set { bit } else { 0 };
        bit(self.no_room, Self::NO_ROOM)
            | bit(self.tape_gone, Self::TAPE_GONE)
            | bit(self.journal_gone, Self::JOURNAL_GONE)
    }
}

/// State shared by both threads.
#[derive(Default)]
pub(crate) struct Shared {
    /// The prepared generation. The lock is held only briefly: no file call happens under it.
    next: Mutex<Option<Arc<Generation>>>,
    /// The size of the largest row so far.
    largest_row: AtomicU64,
    /// The bits of [`Trouble`], written by the encoder only.
    trouble: AtomicU8,
    failed: AtomicBool,
    failure: Mutex<Option<Failure>>,
    /// The encoder's thread, once it runs.
    thread: OnceLock<Thread>,
    order: Mutex<Order>,
}

/// An instruction for the encoder thread.
#[derive(Default, Clone)]
pub(crate) enum Order {
    /// Continue.
    #[default]
    Work,
    /// Close the tape with these final counters.
    Finish(BTreeMap<u16, Status>),
    /// The writer was dropped: keep the journal and exit.
    Abandon,
}

impl Shared {
    pub(crate) fn take_next(&self) -> Option<Arc<Generation>> {
        self.next.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(crate) fn has_next(&self) -> bool {
        self.next.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    pub(crate) fn offer_next(&self, generation: Arc<Generation>) {
        *self.next.lock().unwrap_or_else(PoisonError::into_inner) = Some(generation);
    }

    /// Requests generations that can hold a row of this size. One that is already prepared may be too small.
    pub(crate) fn expect_row(&self, bytes: u64) {
        self.largest_row.fetch_max(bytes, Ordering::Relaxed);
    }

    pub(crate) fn largest_row(&self) -> u64 {
        self.largest_row.load(Ordering::Relaxed)
    }

    /// Wakes the encoder. Never blocks.
    pub(crate) fn wake(&self) {
        if let Some(thread) = self.thread.get() {
            thread.unpark();
        }
    }

    /// Registers the current thread, the encoder's, as the one to wake.
    pub(crate) fn register_thread(&self) {
        let _ = self.thread.set(std::thread::current());
    }

    pub(crate) fn trouble(&self) -> Trouble {
        Trouble::of_bits(self.trouble.load(Ordering::Acquire))
    }

    pub(crate) fn set_trouble(&self, trouble: Trouble) {
        self.trouble.store(trouble.to_bits(), Ordering::Release);
    }

    /// Whether the encoder has an order other than to continue.
    pub(crate) fn has_order(&self) -> bool {
        !matches!(*self.order.lock().unwrap_or_else(PoisonError::into_inner), Order::Work)
    }

    pub(crate) fn order(&self) -> Order {
        self.order.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(crate) fn give_order(&self, order: Order) {
        *self.order.lock().unwrap_or_else(PoisonError::into_inner) = order;
        self.wake();
    }

    pub(crate) fn fail(&self, failure: Failure) {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
        self.failed.store(true, Ordering::Release);
    }

    /// Returns the failure of the encoder. Cheap while there is none: one atomic load.
    pub(crate) fn failure(&self) -> Option<Failure> {
        if !self.failed.load(Ordering::Acquire) {
            return None;
        }
        self.failure.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
