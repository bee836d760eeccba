//! Recording into a ring buffer: keeps only the last part of a session, and saves it on request.
//!
//! A session is recorded as short pieces, each an ordinary tape with its journal, so that the buffer survives a crash of the recorder.
//! Old pieces are removed; [`save`] joins the remaining ones into one tape.
//!
//! ```text
//! recorder ──▶ RINGS/PROCESS-SECONDS/ piece piece piece piece… ──save──▶ one tape per session
//!                                       └ removed when older than the length of the buffer
//! ```
//! Saving only reads the pieces. It needs no recorder, and works after a crash.

mod save;

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

pub use save::{SaveError, Saved, save};

use crate::capture::Destination;
use crate::sys::process_runs;

/// Metadata key of the pieces: the length of the buffer, in nanoseconds.
pub const KEEP_LAST: &str = "keep_last_ns";
/// Number of pieces that the length is divided into. The buffer holds at most one piece more than its length.
const PIECES: u32 = 4;
/// Limits of the length of a piece.
const LEAST_PIECE: Duration = Duration::from_millis(500);
const LONGEST_PIECE: Duration = Duration::from_secs(60);
/// How long the pieces of a recorder that has ended are kept.
const LEFT_OVER: Duration = Duration::from_secs(24 * 3600);

/// The ring buffer of one recorder.
#[derive(Debug)]
pub struct Ring {
    folder: PathBuf,
    length: Duration,
    closed: Vec<(PathBuf, Instant)>,
}

/// A ring buffer on disk, of a recorder that is running or has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundRing {
    /// The folder of the pieces.
    pub folder: PathBuf,
    /// Process id of the recorder.
    pub process: u32,
    /// Whether the recorder is running.
    pub runs: bool,
}

impl Ring {
    /// Creates the folder for the pieces of this process. Removes old buffers of recorders that have ended.
    pub fn new(rings: &Path, length: Duration) -> io::Result<Self> {
        for ring in find_rings(rings)?.into_iter().filter(|ring| !ring.runs) {
            let age = std::fs::metadata(&ring.folder).and_then(|folder| folder.modified()).ok();
            if age.and_then(|changed| SystemTime::now().duration_since(changed).ok()).is_some_and(|age| age > LEFT_OVER)
            {
                // A failed removal is retried the next time.
                let _ = std::fs::remove_dir_all(&ring.folder);
            }
        }
        let seconds = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs();
        let folder = rings.join(format!("{}-{seconds}", std::process::id()));
        crate::paths::create_private_folder(&folder)?;
        Ok(Self { folder, length, closed: Vec::new() })
    }

    /// Returns the length of a piece.
    pub fn piece(&self) -> Duration {
        (self.length / PIECES).clamp(LEAST_PIECE, LONGEST_PIECE)
    }

    /// Returns where the recorder writes the pieces.
    pub fn place(&self) -> Destination {
        Destination::Folder(self.folder.clone())
    }

    /// Returns the metadata of every piece.
    pub fn metadata(&self) -> (String, String) {
        (KEEP_LAST.to_owned(), self.length.as_nanos().to_string())
    }

    /// Adds a closed piece, and removes the pieces that ended too long ago.
    pub fn closed(&mut self, piece: PathBuf) {
        self.closed.push((piece, Instant::now()));
        let length = self.length;
        self.closed.retain(|(piece, ended)| {
            let wanted = ended.elapsed() <= length;
            if !wanted {
                // Some systems cannot remove a file that is open elsewhere. The piece is no longer part of the buffer either way.
                let _ = std::fs::remove_file(piece);
            }
            wanted
        });
    }

    /// Returns whether the buffer has no closed pieces.
    pub fn is_empty(&self) -> bool {
        self.closed.is_empty()
    }

    /// Removes the folder if it is empty.
    pub fn remove_if_empty(self) {
        let _ = std::fs::remove_dir(&self.folder);
    }
}

/// Returns the ring buffers in a folder: those of running recorders first, then newest first.
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
