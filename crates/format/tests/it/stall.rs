//! Disks that stall, fill up and fail: the capturing thread never blocks, and all accepted frames are kept.
#![allow(clippy::unwrap_used, clippy::panic, clippy::type_complexity, missing_docs)]

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

use gametape_format::read::Tape;
use gametape_format::write::{
    AppendError, CreateError, Files, FinishError, JournalFile, StdFiles, TapeFile, WriteOptions, Writer,
};
use gametape_format::{StreamId, StreamSpec, TapeId};

/// What gets in the way of file calls.
#[derive(Default)]
struct Trouble {
    closed: Mutex<bool>,
    opened: Condvar,
    /// Threads that made calls which may block on the disk.
    callers: Mutex<Vec<ThreadId>>,
    /// Number of calls waiting at the gate.
    waiting: AtomicU64,
    /// Bytes still available on the disk.
    room: Mutex<Option<u64>>,
}

impl Trouble {
    fn set_gate(&self, closed: bool) {
        *self.closed.lock().unwrap() = closed;
        self.opened.notify_all();
    }

    fn call(&self) {
        let mut callers = self.callers.lock().unwrap();
        let me = std::thread::current().id();
        if !callers.contains(&me) {
            callers.push(me);
        }
        drop(callers);
        let mut closed = self.closed.lock().unwrap();
        while *closed {
            self.waiting.store(1, Ordering::SeqCst);
            closed = self.opened.wait(closed).unwrap();
        }
        self.waiting.store(0, Ordering::SeqCst);
    }

    fn take(&self, bytes: u64) -> io::Result<()> {
        if let Some(room) = &mut *self.room.lock().unwrap() {
            *room = room.checked_sub(bytes).ok_or_else(|| io::Error::from(io::ErrorKind::StorageFull))?;
        }
        Ok(())
    }
}

#[derive(Clone, Default)]
struct Troubled(Arc<Trouble>);

impl Files for Troubled {
    fn create_tape(&self, path: &Path) -> io::Result<Box<dyn TapeFile>> {
        self.0.call();
        let inner = StdFiles.create_tape(path)?;
        Ok(Box::new(Tapes { inner, trouble: Arc::clone(&self.0) }))
    }

    fn create_journal(&self, path: &Path, bytes: u64) -> io::Result<Box<dyn JournalFile>> {
        self.0.call();
        self.0.take(bytes)?;
        let inner = StdFiles.create_journal(path, bytes)?;
        Ok(Box::new(Journals { inner, trouble: Arc::clone(&self.0) }))
    }

    fn journals(&self, tape: &Path) -> io::Result<Vec<PathBuf>> {
        self.0.call();
        StdFiles.journals(tape)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.call();
        StdFiles.remove(path)
    }

    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.call();
        StdFiles.publish(from, to)
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.call();
        StdFiles.replace(from, to)
    }

    fn lock(&self, path: &Path) -> io::Result<Box<dyn Send>> {
        self.0.call();
        StdFiles.lock(path)
    }

    fn keep(&self, path: &Path, second: &Path) -> io::Result<bool> {
        self.0.call();
        StdFiles.keep(path, second)
    }

    fn sync_directory(&self, path: &Path) -> io::Result<()> {
        self.0.call();
        StdFiles.sync_directory(path)
    }
}

struct Tapes {
    inner: Box<dyn TapeFile>,
    trouble: Arc<Trouble>,
}

impl TapeFile for Tapes {
    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        self.trouble.call();
        if let Err(error) = self.trouble.take(data.len() as u64) {
            // A full disk accepts only a part.
            let _ = self.inner.append(&data[..data.len() / 2]);
            return Err(error);
        }
        self.inner.append(data)
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.trouble.call();
        self.inner.truncate(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.trouble.call();
        self.inner.sync()
    }
}

struct Journals {
    inner: Box<dyn JournalFile>,
    trouble: Arc<Trouble>,
}

impl JournalFile for Journals {
    fn write(&self, at: u64, data: &[u8]) -> io::Result<()> {
        // A copy into mapped memory, not a file call.
        self.inner.write(at, data)
    }

    fn read(&self, at: u64, buffer: &mut [u8]) -> io::Result<()> {
        self.inner.read(at, buffer)
    }

    fn sync(&self) -> io::Result<()> {
        self.trouble.call();
        self.inner.sync()
    }
}

struct OpenAtTheEnd<'a>(&'a Troubled);

impl Drop for OpenAtTheEnd<'_> {
    fn drop(&mut self) {
        self.0.0.set_gate(false);
    }
}

fn options(journal_bytes: u64) -> WriteOptions {
    WriteOptions { journal_bytes, sync_interval: Duration::from_millis(10), ..WriteOptions::new(TapeId([6; 16])) }
}

fn frame(i: u64) -> Vec<u8> {
    [i.to_le_bytes(), (i * i).to_le_bytes(), [7; 8]].concat()
}

/// Checks that the tape has all accepted frames and nothing else.
fn check(path: &Path, accepted: u64) {
    let tape = Tape::open(path).unwrap();
    let mut frames = tape.frames(tape.stream_named("frames").unwrap());
    for i in 0..accepted {
        let got = frames.next().unwrap().unwrap_or_else(|| panic!("frame {i} of {accepted} is missing"));
        assert_eq!((got.seq, got.data), (i, frame(i).as_slice()));
    }
    assert!(frames.next().unwrap().is_none());
}

#[test]
fn appends_go_on_while_every_file_call_stalls_and_are_refused_when_the_journals_are_full() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let files = Troubled::default();
    let mut writer = Writer::create(Arc::new(files.clone()), &path, &options(64 << 10)).unwrap();
    let stream = writer.add_stream(StreamSpec::rows("frames")).unwrap();
    let (mut next, mut time) = (0, 0);
    let mut append = |writer: &mut Writer, next: &mut u64| {
        time += 100_000_000;
        let result = writer.append(stream, time, &frame(*next));
        *next += u64::from(result.is_ok());
        result
    };
    // Wait for the second generation, so that no disk work is pending when the disk stalls.
    while std::fs::read_dir(folder.path()).unwrap().count() < 3 {
        std::thread::yield_now();
    }
    let me = std::thread::current().id();
    files.0.callers.lock().unwrap().clear();
    // Dropped before the writer, which waits for the encoder, so that a failing test ends.
    let _opened_at_the_end = OpenAtTheEnd(&files);
    files.0.set_gate(true);
    // A frame that has to be synced brings the encoder to the gate.
    append(&mut writer, &mut next).unwrap();
    while files.0.waiting.load(Ordering::SeqCst) == 0 {
        std::thread::yield_now();
    }
    // From here on the encoder is blocked for as long as the test wants.
    let (mut longest, mut refused) = (Duration::ZERO, 0);
    let before = next;
    while refused < 100 {
        let start = Instant::now();
        match append(&mut writer, &mut next) {
            Ok(_) => assert_eq!(refused, 0, "no room becomes free while the disk stalls"),
            Err(AppendError::NoRoom { .. }) => refused += 1,
            Err(error) => panic!("{error}"),
        }
        longest = longest.max(start.elapsed());
    }
    assert!(next - before > 500, "the prepared generation was not used up: {}", next - before);
    // The proof is that it made no file call; the time depends on what else the machine does.
    assert!(longest < Duration::from_secs(2), "longest append {longest:?}");
    assert_eq!(writer.status(stream).unwrap().counters.dropped, 100);
    assert!(!files.0.callers.lock().unwrap().contains(&me), "the capturing thread made a file call");
    // A process that ends now leaves all of it behind, and so does the closed tape.
    check(&path, next);
    files.0.set_gate(false);
    while append(&mut writer, &mut next).is_err() {
        std::thread::yield_now();
    }
    let finished = writer.finish().unwrap();
    assert!(finished.loss().dropped >= 100);
    check(&path, next);
    let tape = Tape::open(&path).unwrap();
    assert!(tape.is_complete() && tape.verify(&mut |_| {}).unwrap().is_ok());
    assert!(tape.stream(stream).unwrap().status().counters.dropped >= 100);
}

#[test]
fn a_disk_that_stays_full_is_seen_and_nothing_that_was_accepted_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let (mut in_create, mut full, mut in_finish, mut fine) = (0, 0, 0, 0);
    for step in 0..60u64 {
        let path = folder.path().join(format!("{step}.gtape"));
        let files = Troubled::default();
        *files.0.room.lock().unwrap() = Some(step * 1500);
        let mut writer = match Writer::create(Arc::new(files), &path, &options(8192)) {
            Ok(writer) => writer,
            Err(error) => {
                assert!(
                    matches!(&error, CreateError::Io { source, .. } if source.kind() == io::ErrorKind::StorageFull)
                );
                assert!(!path.exists(), "nothing is left that would make the next attempt fail");
                in_create += 1;
                continue;
            }
        };
        let stream = writer.add_stream(StreamSpec { skip_unchanged: true, ..StreamSpec::rows("frames") }).unwrap();
        let (mut accepted, mut refused) = (0, 0);
        while accepted < 700 && refused < 10 {
            match writer.append(stream, accepted * 1_000_000_000, &frame(accepted)) {
                Ok(_) => accepted += 1,
                // Wait for a slow disk.
                Err(AppendError::NoRoom { .. }) if !writer.trouble().no_room => std::thread::yield_now(),
                Err(AppendError::NoRoom { .. }) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        if refused > 0 {
            full += 1;
            assert!(writer.status(stream).unwrap().counters.dropped >= refused);
        }
        match writer.finish() {
            Ok(_) => fine += 1,
            Err(FinishError::Failed(failure)) => {
                assert_eq!(failure.source.kind(), io::ErrorKind::StorageFull, "{failure}");
                in_finish += 1;
            }
            Err(error) => panic!("{error}"),
        }
        check(&path, accepted);
    }
    assert!(in_create > 0 && full > 0 && in_finish > 0 && fine > 0, "{in_create} {full} {in_finish} {fine}");
}

#[test]
fn a_tape_goes_on_when_there_is_room_again_and_has_all_that_the_journals_held() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let files = Troubled::default();
    let mut writer = Writer::create(Arc::new(files.clone()), &path, &options(64 << 10)).unwrap();
    let stream = writer.add_stream(StreamSpec::rows("frames")).unwrap();
    let wait_for = |writer: &Writer, full: bool| {
        let start = Instant::now();
        while writer.trouble().no_room != full {
            assert!(start.elapsed() < Duration::from_secs(60), "no_room is not {full}");
            std::thread::yield_now();
        }
    };
    while std::fs::read_dir(folder.path()).unwrap().count() < 3 {
        std::thread::yield_now();
    }
    let mut next = 0;
    for round in 1..=3 {
        *files.0.room.lock().unwrap() = Some(0);
        // More than a block, less than the capacity of the journals.
        let before = next;
        while next < before + 1100 {
            writer.append(stream, next, &frame(next)).unwrap();
            next += 1;
        }
        wait_for(&writer, true);
        check(&path, next);
        // Then until the journals are full.
        while writer.append(stream, next, &frame(next)).is_ok() {
            next += 1;
        }
        assert!(writer.status(stream).unwrap().counters.dropped >= round);
        *files.0.room.lock().unwrap() = None;
        wait_for(&writer, false);
        let start = Instant::now();
        while writer.append(stream, next, &frame(next)).is_err() {
            assert!(start.elapsed() < Duration::from_secs(60), "the writer does not resume");
            std::thread::yield_now();
        }
        next += 1;
    }
    writer.finish().unwrap();
    check(&path, next);
    let tape = Tape::open(&path).unwrap();
    assert!(tape.is_complete() && tape.verify(&mut |_| {}).unwrap().is_ok());
}

/// Waits until the writer detects a problem.
#[cfg(unix)]
fn wait_for(writer: &Writer, what: fn(gametape_format::write::Trouble) -> bool) {
    let start = Instant::now();
    while !what(writer.trouble()) {
        assert!(start.elapsed() < Duration::from_secs(60), "not detected: {:?}", writer.trouble());
        std::thread::yield_now();
    }
}

/// On Windows an open file cannot be deleted by name alone, and nothing checks for it.
#[cfg(unix)]
#[test]
fn a_tape_that_is_deleted_or_moved_while_it_is_written_is_noticed() {
    let folder = tempfile::tempdir().unwrap();
    for moved in [false, true] {
        let [path, elsewhere] = ["a.gtape", "b.gtape"].map(|name| folder.path().join(name));
        let mut writer = Writer::create(Arc::new(StdFiles), &path, &options(64 << 10)).unwrap();
        let stream = writer.add_stream(StreamSpec::rows("frames")).unwrap();
        for i in 0..100 {
            writer.append(stream, i, &frame(i)).unwrap();
        }
        assert!(!writer.trouble().tape_gone);
        match moved {
            true => std::fs::rename(&path, &elsewhere).unwrap(),
            false => std::fs::remove_file(&path).unwrap(),
        }
        wait_for(&writer, |trouble| trouble.tape_gone);
        assert!(matches!(writer.finish(), Err(FinishError::TapeGone)));
        assert!(!path.exists());
        if moved {
            check(&elsewhere, 100);
            assert!(Tape::open(&elsewhere).unwrap().is_complete(), "the moved tape is complete");
        }
    }
}

#[cfg(unix)]
#[test]
fn a_tape_that_is_deleted_just_before_its_end_is_not_called_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    // Nothing is due for an hour: only `finish` can detect it.
    let options = WriteOptions { sync_interval: Duration::from_secs(3600), ..options(64 << 10) };
    let writer = Writer::create(Arc::new(StdFiles), &path, &options).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(writer.finish(), Err(FinishError::TapeGone)));
}

#[cfg(unix)]
#[test]
fn a_journal_that_is_deleted_is_noticed_and_the_tape_is_whole_at_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let mut writer = Writer::create(Arc::new(StdFiles), &path, &options(64 << 10)).unwrap();
    let stream = writer.add_stream(StreamSpec::rows("frames")).unwrap();
    for i in 0..100 {
        writer.append(stream, i, &frame(i)).unwrap();
    }
    std::fs::remove_file(gametape_format::write::journal_path(&path, 0)).unwrap();
    wait_for(&writer, |trouble| trouble.journal_gone && !trouble.tape_gone);
    writer.finish().unwrap();
    check(&path, 100);
}

#[test]
fn a_frame_larger_than_the_journals_is_refused_and_counted_until_they_have_grown() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let mut writer = Writer::create(Arc::new(StdFiles), &path, &options(8192)).unwrap();
    let stream = writer.add_stream(StreamSpec::rows("frames")).unwrap();
    let large = vec![7; 9000];
    let (mut refused, start) = (0, Instant::now());
    while let Err(error) = writer.append(stream, 0, &large) {
        assert!(matches!(error, AppendError::NoRoom { .. }), "{error}");
        assert!(start.elapsed() < Duration::from_secs(60), "the journals do not grow");
        refused += 1;
        std::thread::yield_now();
    }
    assert!(refused > 0, "the first journals of 8192 bytes must overflow");
    assert_eq!(writer.status(StreamId(0)).unwrap().counters.dropped, refused);
    writer.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    let mut frames = tape.frames(tape.stream_named("frames").unwrap());
    assert_eq!(frames.next().unwrap().unwrap().data, large);
    assert!(frames.next().unwrap().is_none());
}
