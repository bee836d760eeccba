//! A recording that keeps only its last part, and writes it out when somebody asks.
//!
//! A session is recorded as short pieces, each an ordinary tape with its journal, so what is held survives the end of the recorder.
//! Pieces that are too old are removed; [`save`] joins the others to a tape.
//!
//! ```text
//! recorder ──▶ RINGS/PROCESS-SECONDS/ piece piece piece piece… ──save──▶ one tape a session
//!                                       └ removed when it is older than the length
//! ```
//! Saving only reads the pieces: it needs no recorder, and works after a crash, too.

mod save;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

pub use save::{SaveError, Saved, save};

use crate::capture::Place;
use crate::sys::process_runs;

/// Metadata of the pieces: how much is kept, in nanoseconds.
pub const KEEP_LAST: &str = "keep_last_ns";
/// Into so many pieces the length is cut, so that at most one part in so many more than the length is held.
const PIECES: u32 = 4;
/// Tapes that are shorter, or longer, help nobody.
const LEAST_PIECE: Duration = Duration::from_millis(500);
const LONGEST_PIECE: Duration = Duration::from_secs(60);
/// What a recorder that is gone has left is kept this long.
const LEFT_OVER: Duration = Duration::from_secs(24 * 3600);

/// The pieces of one recorder.
#[derive(Debug)]
pub struct Ring {
    folder: PathBuf,
    length: Duration,
    closed: Vec<(PathBuf, Instant)>,
}

/// The pieces of a recorder that runs, or of one that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRing {
    /// Where the pieces are.
    pub folder: PathBuf,
    /// Number of the recorder's process.
    pub process: u32,
    /// Whether it runs.
    pub runs: bool,
}

impl Ring {
    /// Makes the folder for the pieces of this process. What others left behind long ago is removed.
    pub fn new(rings: &Path, length: Duration) -> io::Result<Self> {
        for ring in find_rings(rings)?.into_iter().filter(|ring| !ring.runs) {
            let age = std::fs::metadata(&ring.folder).and_then(|folder| folder.modified()).ok();
            if age.and_then(|changed| SystemTime::now().duration_since(changed).ok()).is_some_and(|age| age > LEFT_OVER)
            {
                // One that cannot be removed is tried again the next time.
                let _ = std::fs::remove_dir_all(&ring.folder);
            }
        }
        let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let folder = rings.join(format!("{}-{seconds}", std::process::id()));
        crate::paths::create_private_folder(&folder)?;
        Ok(Self { folder, length, closed: Vec::new() })
    }

    /// How long the pieces are.
    pub fn piece(&self) -> Duration {
        (self.length / PIECES).clamp(LEAST_PIECE, LONGEST_PIECE)
    }

    /// Where the recorder puts them.
    pub fn place(&self) -> Place {
        Place::Folder(self.folder.clone())
    }

    /// What every piece says.
    pub fn metadata(&self) -> (String, String) {
        (KEEP_LAST.to_owned(), self.length.as_nanos().to_string())
    }

    /// A piece is whole: those that ended too long ago go.
    pub fn closed(&mut self, piece: PathBuf) {
        self.closed.push((piece, Instant::now()));
        let length = self.length;
        self.closed.retain(|(piece, ended)| {
            let wanted = ended.elapsed() <= length;
            if !wanted {
                // One that somebody reads cannot be removed everywhere; it is no part of the last ones all the same.
                let _ = std::fs::remove_file(piece);
            }
            wanted
        });
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        self.closed.is_empty()
    }

    /// Removes the folder, if there is nothing in it.
    pub fn remove_if_empty(self) {
        let _ = std::fs::remove_dir(&self.folder);
    }
}

/// The rings in a folder, those of running recorders first, then the newest first.
pub fn find_rings(rings: &Path) -> io::Result<Vec<FoundRing>> {
    let entries = match std::fs::read_dir(rings) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in entries {
        let folder = entry?.path();
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let numbers = name.split_once('-').and_then(|(process, at)| Some((process.parse().ok()?, at.parse().ok()?)));
        if let Some((process, at)) = numbers.filter(|_: &(u32, u64)| folder.is_dir()) {
            found.push((at, FoundRing { folder, process, runs: process_runs(process) }));
        }
    }
    found.sort_by_key(|(at, ring)| (!ring.runs, std::cmp::Reverse(*at)));
    Ok(found.into_iter().map(|(_, ring)| ring).collect())
}
