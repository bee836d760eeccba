//! The state file: records which files have been reported, so that none is reported again after a restart.
//!
//! The file has one line per file ([`Record`]); the last line of a path counts. Each find appends a line with a single write. When the
//! watch starts, and when the file has grown, it is rewritten under another name and renamed into place. So a crash at any point costs at
//! most one incomplete line, and that file is reported again. Several watches may share the file: a writer holds a lock, and reads the
//! file before it replaces it.

use std::collections::HashMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, BufRead, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gametape_format::write::new_private;

use super::error::WatchError;
use super::record::{MAX_LINE_BYTES, Record};
use crate::paths::create_private_folder;

const FIRST_LINE: &[u8] = b"gametape-watch 1";
/// Maximum number of records. The oldest ones are dropped first.
pub(super) const MAX_RECORDS: usize = 200_000;
/// Maximum number of appended lines before the file is rewritten.
const MAX_ADDED: u64 = 50_000;
/// Lock timeout. Another process holds the lock only during a write, which takes milliseconds.
const LOCK_PATIENCE: Duration = Duration::from_secs(2);

/// The contents of a state file.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    /// The records in line order.
    pub(super) records: Vec<Record>,
    /// Number of lines that could not be read. Their files may be reported again.
    pub(super) damaged: u64,
}

/// The state file of a watch.
#[derive(Debug)]
pub(super) struct StateFile {
    path: PathBuf,
    added: u64,
}

impl StateFile {
    /// Reads the file, or creates it.
    pub(super) fn open(path: &Path) -> Result<(Self, Remembered), WatchError> {
        let failed = |source| WatchError::State { path: path.into(), source };
        if let Some(folder) = path.parent() {
            create_private_folder(folder).map_err(failed)?;
        }
        let mut file = Self { path: path.into(), added: 0 };
        let remembered = file.rewrite().map_err(|error| match error.kind() {
            io::ErrorKind::InvalidData => WatchError::StateVersion { path: path.into() },
            _ => failed(error),
        })?;
        Ok((file, remembered))
    }

    /// Appends records. Fails if they are not in the file.
    pub(super) fn add(&mut self, records: &[Record]) -> io::Result<()> {
        if self.added > MAX_ADDED {
            self.rewrite()?;
        }
        let lines: String = records.iter().map(Record::line).collect();
        let _lock = self.lock()?;
        let written =
            OpenOptions::new().append(true).open(&self.path).and_then(|mut file| file.write_all(lines.as_bytes()));
        // An incomplete line, on a full disk, would corrupt the line after it, so the next call rewrites the file.
        self.added = if written.is_ok() { self.added + records.len() as u64 } else { u64::MAX };
        written
    }

    /// Rewrites the file without obsolete lines.
    fn rewrite(&mut self) -> io::Result<Remembered> {
        let _lock = self.lock()?;
        let remembered = match File::open(&self.path) {
            Ok(file) => read(BufReader::new(file))?,
            Err(error) if error.kind() == io::ErrorKind::NotFound => Remembered::default(),
            Err(error) => return Err(error),
        };
        let part = self.beside(".part");
        let written = write(&part, &remembered.records).and_then(|()| std::fs::rename(&part, &self.path));
        if written.is_err() {
            let _ = std::fs::remove_file(&part);
        }
        written?;
        self.added = 0;
        Ok(remembered)
    }

    /// Locks the file for writing until the result is dropped. Does nothing if the file system has no locks.
    fn lock(&self) -> io::Result<Option<File>> {
        let file = OpenOptions::new().create(true).truncate(false).write(true).open(self.beside(".lock"))?;
        let start = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(file)),
                Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) if start.elapsed() < LOCK_PATIENCE => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(TryLockError::WouldBlock) => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, "another program holds the lock"));
                }
            }
        }
    }

    fn beside(&self, ending: &str) -> PathBuf {
        let mut name = self.path.as_os_str().to_owned();
        name.push(ending);
        name.into()
    }
}

fn write(path: &Path, records: &[Record]) -> io::Result<()> {
    // A killed process may have left the file. We hold the lock, so no other process uses it.
    let _ = std::fs::remove_file(path);
    let mut file = BufWriter::new(new_private().write(true).open(path)?);
    file.write_all(FIRST_LINE)?;
    file.write_all(b"\n")?;
    for record in records {
        file.write_all(record.line().as_bytes())?;
    }
    file.into_inner()?.sync_all()
}

/// Reads a state file. Damaged lines are counted; an unknown first line is an `InvalidData` error.
pub(super) fn read(mut source: impl BufRead) -> io::Result<Remembered> {
    let mut remembered = Remembered::default();
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    let mut records: Vec<Option<Record>> = Vec::new();
    let mut first = true;
    while let Some(line) = next_line(&mut source)? {
        if std::mem::take(&mut first) {
            if line != Line::Whole(FIRST_LINE.to_vec()) {
                return Err(io::ErrorKind::InvalidData.into());
            }
            continue;
        }
        let Line::Whole(line) = line else {
            remembered.damaged += 1;
            continue;
        };
        match Record::parse(&line) {
            None => remembered.damaged += 1,
            Some(record) => {
                if let Some(before) =
                    places.insert(record.path.clone(), records.len()).and_then(|at| records.get_mut(at))
                {
                    *before = None;
                }
                records.push(Some(record));
                if records.len() >= 2 * MAX_RECORDS {
                    keep_newest(&mut records, &mut places);
                }
            }
        }
    }
    keep_newest(&mut records, &mut places);
    remembered.records = records.into_iter().flatten().collect();
    Ok(remembered)
}

fn keep_newest(records: &mut Vec<Option<Record>>, places: &mut HashMap<PathBuf, usize>) {
    records.retain(Option::is_some);
    records.drain(..records.len().saturating_sub(MAX_RECORDS));
    *places = records.iter().flatten().enumerate().map(|(at, record)| (record.path.clone(), at)).collect();
}

#[derive(Debug, PartialEq, Eq)]
enum Line {
    Whole(Vec<u8>),
    /// Too long, or truncated.
    Damaged,
}

fn next_line(source: &mut impl BufRead) -> io::Result<Option<Line>> {
    let mut line = Vec::new();
    if source.take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.pop() == Some(b'\n') {
        return Ok(Some(Line::Whole(line)));
    }
    // Skips the rest of the line without storing it.
    while !line.is_empty() && line.last() != Some(&b'\n') {
        line.clear();
        source.take(MAX_LINE_BYTES as u64).read_until(b'\n', &mut line)?;
    }
    Ok(Some(Line::Damaged))
}

/// Reads a state file and checks invariants that hold for any input. For the fuzz target only.
#[doc(hidden)]
pub fn fuzz_watch_state(data: &[u8]) {
    let Ok(remembered) = read(data) else { return };
    let mut text = [FIRST_LINE, b"\n"].concat();
    remembered.records.iter().for_each(|record| text.extend(record.line().as_bytes()));
    let again = read(text.as_slice()).unwrap_or_default();
    assert!(again.records == remembered.records && again.damaged == 0, "written and read again, records differ");
}

#[cfg(test)]
mod tests {
    use super::super::content::ContentHash;
    use super::super::content::Stamp;
    use super::*;

    fn record(path: &str, bytes: u64) -> Record {
        let hash = Some(ContentHash([bytes as u8; 32]));
        Record { path: path.into(), stamp: Stamp { bytes, modified_ns: Some(1) }, hash }
    }

    fn put(path: &Path, bytes: &[u8]) {
        let _ = std::fs::remove_file(path);
        File::create_new(path).unwrap().write_all(bytes).unwrap();
    }

    #[test]
    fn what_was_added_is_there_after_a_restart_and_the_last_line_counts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sub/state");
        let (mut state, remembered) = StateFile::open(&path).unwrap();
        assert!(remembered.records.is_empty());
        state.add(&[record("/a", 1), record("/b", 2)]).unwrap();
        state.add(&[record("/a", 3)]).unwrap();
        let (_, remembered) = StateFile::open(&path).unwrap();
        assert_eq!((remembered.records, remembered.damaged), (vec![record("/b", 2), record("/a", 3)], 0));
        let lines = std::fs::read_to_string(&path).unwrap().lines().count();
        assert_eq!(lines, 3, "the line that no longer counts is gone");
    }

    #[test]
    fn a_torn_line_costs_that_line_and_nothing_that_is_added_later() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        let whole = format!("gametape-watch 1\n{}{}", record("/a", 1).line(), record("/b", 2).line());
        for end in "gametape-watch 1\n".len()..whole.len() {
            put(&path, &whole.as_bytes()[..end]);
            let (mut state, remembered) = StateFile::open(&path).unwrap();
            assert!(remembered.damaged <= 1 && [vec![], vec![record("/a", 1)]].contains(&remembered.records), "{end}");
            state.add(&[record("/c", 3)]).unwrap();
            let (_, remembered) = StateFile::open(&path).unwrap();
            assert_eq!((remembered.damaged, remembered.records.last()), (0, Some(&record("/c", 3))), "{end}");
        }
    }

    #[test]
    fn two_watches_share_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        std::thread::scope(|scope| {
            for name in ["a", "b", "c"] {
                let path = &path;
                scope.spawn(move || {
                    for number in 0..50 {
                        let (mut state, _) = StateFile::open(path).unwrap();
                        state.add(&[record(&format!("/{name}{number}"), number)]).unwrap();
                    }
                });
            }
        });
        assert_eq!(StateFile::open(&path).unwrap().1.records.len(), 150);
    }

    #[test]
    fn a_file_of_another_kind_is_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state");
        for bytes in [b"gametape-watch 2\n".as_slice(), b"PK\x03\x04", b"gametape-watch 1"] {
            put(&path, bytes);
            assert!(matches!(StateFile::open(&path), Err(WatchError::StateVersion { .. })));
            assert_eq!(std::fs::read(&path).unwrap(), bytes);
        }
        let (_, remembered) = {
            put(&path, b"");
            StateFile::open(&path).unwrap()
        };
        assert!(remembered.records.is_empty());
    }

    #[test]
    fn an_endless_line_is_damage_and_takes_no_memory() {
        let long =
            [FIRST_LINE, b"\n", &vec![b'x'; 3 * MAX_LINE_BYTES], b"\n", record("/a", 1).line().as_bytes()].concat();
        let remembered = read(long.as_slice()).unwrap();
        assert_eq!((remembered.damaged, remembered.records), (1, vec![record("/a", 1)]));
        fuzz_watch_state(&long);
    }
}
