//! Handles Ctrl+C and SIGTERM while a tape is made from other files.
//!
//! The engine behind `cut`, `merge`, `recover` and `import` has no way to cancel, but everything it writes goes through [`Files`]. So
//! cancellation is an I/O error: once a stop is requested, every call that adds to a tape or gives it its name fails with [`Stopped`].
//! The engine then fails as with a full disk and removes the unfinished file on its own thread, so no other thread has to guess how
//! far it got. A tape that has its final name is complete, and the remaining cleanup (old journals, the directory) is still done.
//!
//! The signal handlers are installed when the first file is created. Before that there is nothing to remove, and Ctrl+C ends
//! the process at once.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use gametape::format::write::{Files, StdFiles, TapeFile};

use crate::stop::Stop;

/// The error after a requested stop; the unfinished tape was removed.
#[derive(Debug)]
pub(crate) struct Stopped;

impl fmt::Display for Stopped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("interrupted: the unfinished tape was removed, the sources are unchanged")
    }
}

impl Error for Stopped {}

/// Whether an error was caused by a requested stop.
pub(crate) fn is_stopped(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        if inner.is_some_and(|inner| inner.is::<Stopped>()) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Files on disk that refuse to grow once a stop is requested.
#[derive(Debug, Default)]
pub(crate) struct StoppableFiles {
    stop: Mutex<Option<Stop>>,
}

impl StoppableFiles {
    /// Whether a stop was requested. Signals are handled only after the first file was created.
    pub(crate) fn stopped(&self) -> bool {
        self.stop.lock().unwrap_or_else(PoisonError::into_inner).as_ref().is_some_and(Stop::wanted)
    }

    fn listen(&self) -> io::Result<Stop> {
        let mut stop = self.stop.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(stop) = &*stop {
            return Ok(stop.clone());
        }
        let listening =
            Stop::listen().map_err(|error| io::Error::other(format!("cannot listen for Ctrl+C: {error}")))?;
        Ok(stop.insert(listening).clone())
    }
}

fn go_on(stop: &Stop) -> io::Result<()> {
    if stop.wanted() { Err(io::Error::other(Stopped)) } else { Ok(()) }
}

impl Files for StoppableFiles {
    fn create_tape(&self, path: &Path) -> io::Result<Box<dyn TapeFile>> {
        let stop = self.listen()?;
        go_on(&stop)?;
        Ok(Box::new(StoppableFile { file: StdFiles.create_tape(path)?, stop, begun: false }))
    }

    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        go_on(&self.listen()?)?;
        StdFiles.publish(from, to)
    }

    fn replace(&self, from: &Path, to: &Path) -> io::Result<()> {
        go_on(&self.listen()?)?;
        StdFiles.replace(from, to)
    }
}

struct StoppableFile {
    file: Box<dyn TapeFile>,
    stop: Stop,
    /// Writing the file header is always allowed: the engine removes a file only if it has written its header.
    begun: bool,
}

impl TapeFile for StoppableFile {
    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            go_on(&self.stop)?;
        }
        self.file.append(data)
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.file.truncate(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        go_on(&self.stop)?;
        self.file.sync()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape::format::read::Tape;
    use gametape::format::write::{self, RewriteError, RewriteProgress, RewriteReport, TapeBuilder, WriteOptions};
    use gametape::format::{Channel, ChannelType, StreamSpec};
    use gametape::identity::new_id;
    use std::sync::Arc;

    const BLOCKS: u64 = 8;

    fn tape(path: &Path) {
        let options = WriteOptions { start_utc_ns: Some(1), ..WriteOptions::new(new_id()) };
        let mut tape = TapeBuilder::create(Arc::new(StdFiles), path, &options, false).unwrap();
        let channels = vec![Channel::new("n", ChannelType::U64, 0, 1, "")];
        let stream = tape.add_stream(StreamSpec::columns("numbers", 8, channels), 0).unwrap();
        for number in 0..BLOCKS * 1024 {
            tape.append(stream, number, &number.to_le_bytes()).unwrap();
        }
        tape.finish().unwrap();
    }

    type Rewrite =
        fn(Arc<dyn Files>, &Path, &Path, &mut dyn FnMut(RewriteProgress)) -> Result<RewriteReport, RewriteError>;

    const REWRITES: [Rewrite; 4] = [
        |files, tape, out, progress| write::cut(files, &Tape::open(tape)?, 3..u64::MAX, out, new_id(), progress),
        |files, tape, out, progress| {
            write::merge(files, &[Tape::open(tape)?, Tape::open(tape)?], out, new_id(), progress)
        },
        |files, tape, out, progress| write::recover(files, tape, Some(out), progress),
        |files, tape, _, progress| write::recover(files, tape, None, progress),
    ];

    /// Requests a stop after this many blocks. Returns the error, and whether only the unchanged source is left.
    fn stopped_after(blocks: u64, rewrite: Rewrite) -> (Result<RewriteReport, RewriteError>, bool) {
        let folder = tempfile::tempdir().unwrap();
        let source = folder.path().join("a.gtape");
        tape(&source);
        // Truncated, so that there is something to recover.
        let whole = std::fs::metadata(&source).unwrap().len();
        std::fs::OpenOptions::new().write(true).open(&source).unwrap().set_len(whole - 10).unwrap();
        let before = std::fs::read(&source).unwrap();
        let stop = Stop::default();
        let files = Arc::new(StoppableFiles { stop: Mutex::new(Some(stop.clone())) });
        let mut left = blocks;
        if left == 0 {
            stop.want();
        }
        let result = rewrite(files, &source, &folder.path().join("out.gtape"), &mut |_| {
            left = left.saturating_sub(1);
            if left == 0 {
                stop.want();
            }
        });
        let alone = std::fs::read_dir(folder.path()).unwrap().count() == 1;
        (result, alone && std::fs::read(&source).unwrap() == before)
    }

    #[test]
    fn a_stopped_rewrite_leaves_the_source_alone_wherever_it_was() {
        for rewrite in REWRITES {
            for blocks in 0..=BLOCKS {
                let (result, untouched) = stopped_after(blocks, rewrite);
                assert!(is_stopped(&result.unwrap_err()), "after {blocks}");
                assert!(untouched, "after {blocks}");
            }
            assert!(stopped_after(u64::MAX, rewrite).0.is_ok());
        }
    }

    #[test]
    fn a_stop_between_the_file_and_its_header_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let stop = Stop::default();
        let files = StoppableFiles { stop: Mutex::new(Some(stop.clone())) };
        let mut file = files.create_tape(&folder.path().join("a")).unwrap();
        stop.want();
        file.append(b"header").unwrap();
        assert!(is_stopped(&file.append(b"more").unwrap_err()));
    }

    #[test]
    fn other_errors_are_not_taken_for_a_stop() {
        assert!(!is_stopped(&io::Error::from(io::ErrorKind::StorageFull)));
        assert!(!is_stopped(&io::Error::other("interrupted")));
    }
}
