//! The half of the writer that may block on the disk: turns journal rows into blocks, syncs, prepares generations and
//! closes the tape.
//!
//! It has no thread and no clock of its own: `step` does the work that is due. `writer` runs it on a thread; tests run it by hand.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::blocks::BlockMaker;
use super::files::{Files, is_no_room, journal_path};
use super::generation::{Failure, Generation, Row, Shared, Trouble, put_row};
use crate::journal::{JournalHeader, ROW_BYTES, RowHeader, RowKind, RowPosition};
use crate::limits;
use crate::record::{HEADER_BYTES, TapeId};
use crate::stream::{StreamId, StreamSpec};
use crate::system::Status;

/// A generation is sized to hold this much time at the rate of the previous one.
const GENERATION_SECONDS: u64 = 10;
/// The maximum size of a generation.
const GENERATION_BYTES: u64 = 256 << 20;
/// The minimum size of a generation.
const LEAST_GENERATION_BYTES: u64 = 4096;
/// At most one part in this many of a generation is filled with rows carried over; larger open blocks are sealed instead.
const CARRY_SHARE: u64 = 4;

/// A generation from which rows are still read.
struct Reading {
    generation: Arc<Generation>,
    at: u64,
    synced: u64,
    first_ns: Option<u64>,
    last_ns: u64,
}

impl Reading {
    fn new(generation: Arc<Generation>) -> Self {
        let start = generation.start;
        Self { generation, at: start, synced: start, first_ns: None, last_ns: 0 }
    }

    fn is_drained(&self) -> bool {
        // The order matters: nothing is committed after the close.
        self.generation.is_closed() && self.at == self.generation.committed()
    }
}

/// Bounds for how many bytes of the journal are prepared for the writes before the next sync: as many as were written
/// before the last one and a quarter more. Prepared bytes that stay unused are written to the disk for nothing.
const LEAST_PREPARE_BYTES: u64 = 64 << 10;
const MOST_PREPARE_BYTES: u64 = 4 << 20;
/// The minimum pause of the thread between two rounds, however short the sync interval is.
const LEAST_IDLE: Duration = Duration::from_millis(1);
/// About this many bytes of rows are processed before the clock is read again.
const WORK_BYTES: u64 = 1 << 20;
/// A generation is at most this many times as large as the previous one.
const GROWTH: u64 = 4;

/// Settings of the encoder.
#[derive(Debug, Clone)]
pub(crate) struct EncoderSettings {
    pub(crate) sync_interval: Duration,
    /// The size of the first generations and the minimum size of later ones.
    pub(crate) journal_bytes: u64,
}

/// Turns journal rows into a tape.
pub(crate) struct Encoder {
    files: Arc<dyn Files>,
    shared: Arc<Shared>,
    path: PathBuf,
    tape_id: TapeId,
    settings: EncoderSettings,
    maker: BlockMaker,
    reading: VecDeque<Reading>,
    /// Generations whose rows are all in blocks, but not all of these blocks are written and synced.
    drained: Vec<Arc<Generation>>,
    /// Paths of generations that are no longer needed.
    to_remove: Vec<PathBuf>,
    next_number: u64,
    next_bytes: u64,
    last_sync: Duration,
    /// The number of bytes to prepare ahead of the writes.
    prepare_bytes: u64,
    frame: Vec<u8>,
    trouble: Trouble,
}

impl Encoder {
    /// Creates the first generation. The tape file exists and contains only its header.
    pub(crate) fn new(
        files: Arc<dyn Files>,
        path: PathBuf,
        tape_id: TapeId,
        mut settings: EncoderSettings,
        maker: BlockMaker,
    ) -> io::Result<(Self, Arc<Generation>)> {
        settings.journal_bytes = settings.journal_bytes.clamp(LEAST_GENERATION_BYTES, limits::JOURNAL_BYTES);
        let mut encoder = Self {
            files,
            shared: Arc::new(Shared::default()),
            path,
            tape_id,
            next_bytes: settings.journal_bytes,
            settings,
            maker,
            reading: VecDeque::new(),
            drained: Vec::new(),
            to_remove: Vec::new(),
            next_number: 0,
            last_sync: Duration::ZERO,
            prepare_bytes: LEAST_PREPARE_BYTES,
            frame: Vec::new(),
            trouble: Trouble::default(),
        };
        let first = encoder.make_generation()?;
        Ok((encoder, first))
    }

    pub(crate) fn shared(&self) -> Arc<Shared> {
        Arc::clone(&self.shared)
    }

    /// Does the work that is due. After an error the encoder must not be used any more; the journals keep all accepted frames.
    ///
    /// A full disk is not an error: the next step retries what found no room, and until then the journals hold the frames.
    ///
    /// The clock is read repeatedly: if there is much to do, the sync interval is kept between the parts of the work.
    pub(crate) fn step(&mut self, clock: &mut dyn FnMut() -> Duration) -> Result<(), Failure> {
        let no_room = match self.work(clock) {
            Ok(()) => false,
            Err(failure) if is_no_room(&failure.source) => true,
            Err(failure) => return Err(failure),
        };
        self.set_trouble(Trouble { no_room, ..self.trouble });
        Ok(())
    }

    /// Whether the disk was full at the last step.
    pub(crate) fn waits_for_room(&self) -> bool {
        self.trouble.no_room
    }

    fn set_trouble(&mut self, trouble: Trouble) {
        if self.trouble != trouble {
            self.trouble = trouble;
            self.shared.set_trouble(trouble);
        }
    }

    fn work(&mut self, clock: &mut dyn FnMut() -> Duration) -> Result<(), Failure> {
        loop {
            self.sync_if_due(clock())?;
            if self.consume(WORK_BYTES).map_err(failed("writing blocks to the tape"))? {
                break;
            }
        }
        if !self.shared.has_next() && self.reading.len() == 1 {
            self.sync_if_due(clock())?;
            let next = self.make_generation().map_err(failed("preparing the next journal"))?;
            self.shared.offer_next(next);
        }
        Ok(())
    }

    /// How long there is nothing to do unless the thread is woken: until the next sync.
    pub(crate) fn idle_for(&self, now: Duration) -> Duration {
        (self.last_sync + self.settings.sync_interval).saturating_sub(now).max(LEAST_IDLE)
    }

    fn sync_if_due(&mut self, now: Duration) -> Result<(), Failure> {
        if now.saturating_sub(self.last_sync) >= self.settings.sync_interval {
            self.last_sync = now;
            self.sync_journals().map_err(lasting).map_err(failed("syncing the journal"))?;
            self.look_for_files();
        }
        Ok(())
    }

    /// Detects files that others have removed or moved. Once the tape is gone, it stays gone: its directory entry does not come back.
    fn look_for_files(&mut self) {
        let is_gone = |generation: &Generation| !generation.file.is_at(&generation.path).unwrap_or(true);
        let journal_gone = self.reading.iter().any(|reading| is_gone(&reading.generation));
        let tape_gone = self.trouble.tape_gone || !self.maker.sink.is_at(&self.path);
        self.set_trouble(Trouble { tape_gone, journal_gone, ..self.trouble });
    }

    /// Adds about `most` bytes of committed rows to blocks; returns `true` if there are no more.
    fn consume(&mut self, most: u64) -> io::Result<bool> {
        let mut done = 0;
        while let Some(reading) = self.reading.front_mut() {
            while reading.at < reading.generation.committed() {
                if done >= most {
                    return Ok(false);
                }
                let mut bytes = [0; ROW_BYTES];
                reading.generation.file.read(reading.at, &mut bytes)?;
                let row = RowHeader::parse(&bytes, reading.generation.position(reading.at))
                    .ok_or_else(|| io::Error::other("a journal row changed after it was written"))?;
                self.frame.resize(row.payload_bytes as usize, 0);
                reading.generation.file.read(reading.at + ROW_BYTES as u64, &mut self.frame)?;
                if crc32c::crc32c(&self.frame) != row.payload_crc {
                    // Once sealed into a block, the damage could no longer be detected.
                    return Err(io::Error::other("a journal row changed after it was written"));
                }
                // If there is no room for it now, the row is read again later.
                take_row(&mut self.maker, &row, &self.frame)?;
                reading.at += row.row_bytes();
                reading.first_ns.get_or_insert(row.time_ns);
                reading.last_ns = reading.last_ns.max(row.time_ns);
                done += row.row_bytes();
            }
            if !reading.is_drained() {
                return Ok(true);
            }
            self.next_bytes = next_size(reading, self.settings.journal_bytes);
            if let Some(done) = self.reading.pop_front() {
                self.drained.push(done.generation);
            }
        }
        Ok(true)
    }

    fn sync_journals(&mut self) -> io::Result<()> {
        let mut result = Ok(());
        for reading in &mut self.reading {
            let committed = reading.generation.committed();
            if committed > reading.synced {
                match reading.generation.file.sync() {
                    Ok(()) => {
                        self.prepare_bytes = prepare_bytes(committed - reading.synced);
                        reading.synced = committed;
                        reading.generation.file.release(reading.at.min(committed));
                        reading.generation.file.prepare(reading.generation.committed(), self.prepare_bytes);
                    }
                    Err(error) => result = Err(error),
                }
            }
        }
        result
    }

    /// Creates the next generation with the rows that are not in a block yet, then removes the generations that are no longer needed.
    fn make_generation(&mut self) -> io::Result<Arc<Generation>> {
        // Rows carried over take up to a quarter of the space; a few of the largest rows must fit after them.
        let large = self.shared.largest_row().saturating_mul(2 * CARRY_SHARE).min(GENERATION_BYTES);
        let (number, bytes) = (self.next_number, self.next_bytes.max(large).next_multiple_of(4096));
        self.seal_blocks_too_large_to_carry(bytes / CARRY_SHARE)?;
        let path = journal_path(&self.path, number);
        let file = self.files.create_journal(&path, bytes)?;
        let header = JournalHeader {
            generation: number,
            tape_id: self.tape_id,
            tape_bytes: self.maker.sink.bytes(),
            file_bytes: bytes,
        };
        // From here on a full disk is a permanent error: the space of the file is already allocated.
        file.write(0, &header.to_bytes()).map_err(lasting)?;
        let mut at = HEADER_BYTES as u64;
        for (id, block) in self.maker.open_blocks() {
            for (i, time_ns) in block.times.iter().enumerate() {
                let seq = block.first_seq + i as u64;
                let row = Row { kind: RowKind::Frame, stream: id.0, seq, time_ns: *time_ns, payload: block.frame(i) };
                let position = RowPosition { tape_id: self.tape_id, generation: number, offset: at };
                put_row(&*file, position, &row).map_err(lasting)?;
                at += row.bytes();
            }
        }
        file.sync().map_err(lasting)?;
        // Rows carried over are only read after a crash: they need no memory until then.
        file.release(at);
        self.maker.sink.sync().map_err(lasting)?;
        self.files.sync_directory(&path).map_err(lasting)?;
        file.prepare(at, self.prepare_bytes);
        self.remove_old();
        self.next_number += 1;
        let generation = Arc::new(Generation::new(self.tape_id, number, path, file, bytes, at));
        self.reading.push_back(Reading::new(Arc::clone(&generation)));
        Ok(generation)
    }

    fn seal_blocks_too_large_to_carry(&mut self, budget: u64) -> io::Result<()> {
        let size = |rows: usize, raw: usize| (rows * ROW_BYTES + raw) as u64;
        let mut open: Vec<(u64, StreamId)> =
            self.maker.open_blocks().map(|(id, block)| (size(block.rows(), block.raw_bytes()), id)).collect();
        open.sort_unstable();
        let mut carried = 0;
        for (bytes, id) in open {
            carried += bytes;
            if carried > budget {
                self.maker.seal(id)?;
            }
        }
        Ok(())
    }

    /// Seals all blocks, closes the tape, removes the journals and returns the tape's length.
    pub(crate) fn finish(&mut self, status: &BTreeMap<u16, Status>) -> Result<u64, Failure> {
        self.consume(u64::MAX).map_err(failed("writing blocks to the tape"))?;
        self.maker.seal_all().map_err(failed("writing the last blocks"))?;
        let bytes = self.maker.sink.close(status).map_err(failed("closing the tape"))?;
        drop(self.shared.take_next());
        self.drained.extend(self.reading.drain(..).map(|reading| reading.generation));
        self.remove_old();
        self.look_for_files();
        if !self.trouble.tape_gone {
            self.files.sync_directory(&self.path).map_err(failed("syncing the directory"))?;
        }
        Ok(bytes)
    }

    /// Removes generations that are no longer needed. If removing one fails, it is tried again with the next one. A
    /// leftover holds only duplicates, so it does no harm beside a tape.
    fn remove_old(&mut self) {
        // Drop the file before removing it: Windows does not remove mapped files.
        self.to_remove.extend(self.drained.drain(..).map(|old| old.path.clone()));
        let files = &self.files;
        self.to_remove.retain(|path| match files.remove(path) {
            Ok(()) => false,
            Err(error) => error.kind() != io::ErrorKind::NotFound,
        });
    }

    /// The last act after a failure: makes the journals durable. That includes those whose rows are all in blocks,
    /// because after a failure these blocks may not be in the tape or not be durable.
    pub(crate) fn give_up(&mut self) {
        for generation in &self.drained {
            let _ = generation.file.sync();
        }
        let _ = self.sync_journals();
    }

    #[cfg(test)]
    pub(crate) fn last_sync(&self) -> Duration {
        self.last_sync
    }

    pub(crate) fn maker(&self) -> &BlockMaker {
        &self.maker
    }
}

fn take_row(maker: &mut BlockMaker, row: &RowHeader, payload: &[u8]) -> io::Result<()> {
    match row.kind {
        RowKind::Frame => maker.push(StreamId(row.stream), row.seq, row.time_ns, payload),
        RowKind::Stream => {
            let spec = StreamSpec::parse(payload).map_err(io::Error::other)?;
            maker.add_stream(StreamId(row.stream), &spec)
        }
        RowKind::Other(_) => Ok(()),
    }
}

fn prepare_bytes(synced: u64) -> u64 {
    synced.saturating_add(synced / 4).clamp(LEAST_PREPARE_BYTES, MOST_PREPARE_BYTES)
}

fn next_size(full: &Reading, least: u64) -> u64 {
    let span_ns = full.first_ns.map_or(0, |first| full.last_ns.saturating_sub(first)).max(1);
    let filled = full.at - full.generation.start;
    let wanted = u128::from(filled) * u128::from(GENERATION_SECONDS) * 1_000_000_000 / u128::from(span_ns);
    let most = full.generation.bytes.saturating_mul(GROWTH).min(GENERATION_BYTES).max(least);
    u64::try_from(wanted).unwrap_or(u64::MAX).clamp(least, most)
}

/// Marks an error as permanent, whatever its kind: a failed sync may have lost data for good and must not be retried.
fn lasting(error: io::Error) -> io::Error {
    if is_no_room(&error) { io::Error::other(error) } else { error }
}

fn failed(doing: &'static str) -> impl Fn(io::Error) -> Failure {
    move |source| Failure { doing, source: Arc::new(source) }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::super::StdFiles;
    use super::super::core::WriterCore;
    use super::super::files::JournalFile;
    use super::super::outcome::WriteOptions;
    use super::*;
    use std::path::Path;

    /// Real files that count how often journals are synced.
    struct Counting(Arc<AtomicU64>);

    struct CountingJournal(Box<dyn JournalFile>, Arc<AtomicU64>);

    impl JournalFile for CountingJournal {
        fn write(&self, at: u64, data: &[u8]) -> io::Result<()> {
            self.0.write(at, data)
        }

        fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
            self.0.read(at, buffer)
        }

        fn sync(&self) -> io::Result<()> {
            self.1.fetch_add(1, Ordering::Relaxed);
            Ok(())
        }
    }

    impl Files for Counting {
        fn create_journal(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn JournalFile>> {
            Ok(Box::new(CountingJournal(StdFiles.create_journal(path, bytes)?, Arc::clone(&self.0))))
        }
    }

    #[test]
    fn the_journal_is_synced_while_there_is_much_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let syncs = Arc::new(AtomicU64::new(0));
        let options = WriteOptions { journal_bytes: 32 << 20, ..WriteOptions::new(TapeId([1; 16])) };
        let files = Arc::new(Counting(Arc::clone(&syncs)));
        let (mut core, mut encoder) = WriterCore::create(files, &folder.path().join("a.gtape"), &options).unwrap();
        let stream = core.add_stream(StreamSpec::rows("rows")).unwrap();
        let frame = vec![7; 64 << 10];
        for i in 0..400u64 {
            core.append(stream, i, &frame).unwrap();
        }
        // A slow machine: at every reading of the clock most of an interval has passed, and more frames have been accepted.
        let mut now = Duration::ZERO;
        let mut time_ns = 400;
        let before = syncs.load(Ordering::Relaxed);
        encoder
            .step(&mut || {
                now += Duration::from_millis(600);
                time_ns += 1;
                if time_ns < 450 {
                    core.append(stream, time_ns, &frame).unwrap();
                }
                now
            })
            .unwrap();
        let during = syncs.load(Ordering::Relaxed) - before;
        assert!(during >= 12, "{during} syncs in 25 MiB of work");
    }
}
