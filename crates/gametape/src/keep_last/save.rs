//! Saves a ring buffer: joins the pieces of each session into a tape.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_format::read::{Problem, ReadError, Tape};
use gametape_format::write::{Files, RewriteError, cut, merge};

use super::KEEP_LAST;
use crate::capture::PIECE_OF;
use crate::identity::derived_id;
use crate::names::{EXTENSION, free_path, recording_name};

/// A saved tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saved {
    /// The path of the tape.
    pub path: PathBuf,
    /// Its length in bytes.
    pub bytes: u64,
    /// Damage in the pieces. The damaged data is not in the tape.
    pub problems: Vec<Problem>,
}

/// Why saving failed. The pieces are unchanged.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// The folder of the pieces cannot be read.
    #[error("cannot read the pieces in {}: {source}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// The I/O error.
        source: io::Error,
    },
    /// A piece cannot be read.
    #[error("cannot read the piece {}: {source}", path.display())]
    Piece {
        /// The piece.
        path: PathBuf,
        /// The cause.
        source: ReadError,
    },
    /// The buffer is empty.
    #[error("nothing has been recorded yet in {}", folder.display())]
    Nothing {
        /// The folder.
        folder: PathBuf,
    },
    /// The tape cannot be written.
    #[error(transparent)]
    Rewrite(#[from] RewriteError),
}

/// An open piece and its time range.
struct Piece {
    tape: Tape,
    start_utc_ns: i64,
    end_utc_ns: i64,
}

/// Writes a tape of each session in a ring buffer to the folder `to`. The tapes contain the configured length up to the newest frame.
pub fn save(files: &Arc<dyn Files>, ring: &Path, to: &Path) -> Result<Vec<Saved>, SaveError> {
    let folder_failed = |source| SaveError::Folder { folder: ring.into(), source };
    let mut sessions: BTreeMap<(String, String), Vec<Piece>> = BTreeMap::new();
    let (mut newest_ns, mut length_ns) = (i64::MIN, 0);
    for path in pieces(ring).map_err(folder_failed)? {
        let Some(piece) = open(&path)? else { continue };
        let metadata = piece.tape.metadata();
        newest_ns = newest_ns.max(piece.end_utc_ns);
        length_ns = metadata.get(KEEP_LAST).and_then(|text| text.parse().ok()).unwrap_or(length_ns);
        let session = metadata.get(PIECE_OF).cloned().unwrap_or_default();
        sessions.entry((session, game(&piece.tape))).or_default().push(piece);
    }
    let from_utc_ns = newest_ns.saturating_sub_unsigned(length_ns);
    let mut saved = Vec::new();
    for ((_, game), mut pieces) in sessions {
        pieces.retain(|piece| piece.end_utc_ns > from_utc_ns);
        pieces.sort_by_key(|piece| piece.start_utc_ns);
        if let Some(first_ns) = pieces.first().map(|piece| piece.start_utc_ns) {
            saved.push(join(files, &game, pieces, from_utc_ns.max(first_ns), ring, to)?);
        }
    }
    if saved.is_empty() { Err(SaveError::Nothing { folder: ring.into() }) } else { Ok(saved) }
}

fn pieces(ring: &Path) -> io::Result<Vec<PathBuf>> {
    let paths = std::fs::read_dir(ring)?.map(|entry| entry.map(|entry| entry.path()));
    let is_tape = |path: &PathBuf| path.extension().is_some_and(|extension| extension == EXTENSION);
    paths.filter(|path| path.as_ref().map_or(true, is_tape)).collect()
}

/// Returns `None` if the recorder has removed the piece, or it has no frame yet.
fn open(path: &Path) -> Result<Option<Piece>, SaveError> {
    let tape = match Tape::open(path) {
        Ok(tape) => tape,
        Err(ReadError::Io { source, .. }) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(source) => return Err(SaveError::Piece { path: path.into(), source }),
    };
    let of_game = tape.streams().filter(|stream| !stream.spec().role.is_system());
    let last_ns = of_game.filter_map(|stream| stream.totals().last_ns.max(stream.status().seen_until_ns)).max();
    let times = tape.start_utc_ns().zip(last_ns);
    Ok(times.map(|(start_utc_ns, last_ns)| Piece {
        tape,
        start_utc_ns,
        end_utc_ns: start_utc_ns.saturating_add_unsigned(last_ns),
    }))
}

fn game(tape: &Tape) -> String {
    let mut games = tape.streams().map(|stream| stream.spec().game.clone());
    games.find(|game| !game.is_empty()).unwrap_or_default()
}

/// Joins the pieces of a session, and cuts off the frames before `from_utc_ns`.
fn join(
    files: &Arc<dyn Files>,
    game: &str,
    pieces: Vec<Piece>,
    from_utc_ns: i64,
    ring: &Path,
    to: &Path,
) -> Result<Saved, SaveError> {
    let tapes: Vec<Tape> = pieces.into_iter().map(|piece| piece.tape).collect();
    let track = tapes.iter().rev().find_map(|tape| tape.metadata().remove("track"));
    let ids: Vec<_> = tapes.iter().filter_map(Tape::id).collect();
    // Written beside the pieces under a name without a tape's extension, so that the file is not taken for a tape after a crash.
    let whole = free_path(&ring.join("saving"), &|path: &Path| path.exists());
    let id = derived_id(&ids, &format!("keep-last from {from_utc_ns}"));
    let merged = merge(Arc::clone(files), &tapes, &whole, id, &mut |_| {})?;
    let cut = cut_to(files, &whole, from_utc_ns, game, track.as_deref(), to);
    let _ = files.remove(&whole);
    let (path, report) = cut?;
    Ok(Saved { path, bytes: report.bytes, problems: merged.problems })
}

fn cut_to(
    files: &Arc<dyn Files>,
    whole: &Path,
    from_utc_ns: i64,
    game: &str,
    track: Option<&str>,
    to: &Path,
) -> Result<(PathBuf, gametape_format::write::RewriteReport), SaveError> {
    let tape = Tape::open(whole).map_err(|source| SaveError::Piece { path: whole.into(), source })?;
    let start_utc_ns = tape.start_utc_ns().unwrap_or(from_utc_ns);
    let from_ns = u64::try_from(from_utc_ns.saturating_sub(start_utc_ns)).unwrap_or_default();
    let path = free_path(&to.join(recording_name(game, track, from_utc_ns)), &|path: &Path| path.exists());
    let ids: Vec<_> = tape.id().into_iter().collect();
    let id = derived_id(&ids, "keep-last");
    let report = cut(Arc::clone(files), &tape, from_ns..u64::MAX, &path, id, &mut |_| {})?;
    Ok((path, report))
}
