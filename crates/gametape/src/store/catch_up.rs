//! Brings the store up to date with the tapes: scans folders, updates the catalogue, and tracks the tapes that no tracker, or only an
//! older one, has processed.
//!
//! Tapes that are being recorded are skipped: their recorder tracks them. User edits stay attached to the time range of the tape that
//! they were made for.

use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use gametape_format::read::Tape;
use gametape_format::write::is_being_written;

use super::catalogue::{Found, Look, look, look_at};
use super::contract::Store;
use super::error::StoreError;
use super::stored::{Origin, Replaced, TrackerVersion, Write};
use super::tapes::CataloguedTape;
use crate::laps::{TRACKER_ID, TRACKER_VERSION, TrackError, track_tape};
use gametape_games::find_game;

/// What to bring up to date.
#[derive(Debug, Clone)]
pub struct CatchUp<'a> {
    /// Which folders to scan.
    pub look: Look<'a>,
    /// Track all tapes again, not only those that this version of the tracker has not processed.
    pub all: bool,
    /// Also keep the laps of recorded playbacks.
    pub keep_replays: bool,
}

/// The result of [`catch_up`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaughtUp {
    /// The result of the scan.
    pub found: Found,
    /// Number of tapes that were tracked.
    pub tracked: u32,
    /// Number of tapes that are being recorded.
    pub recording: u32,
    /// The changes to sessions, stints and laps.
    pub replaced: Replaced,
    /// Tapes without laps to keep, with the reason.
    pub skipped: Vec<(PathBuf, Skipped)>,
    /// Tapes that could not be tracked, with the reason.
    pub failed: Vec<(PathBuf, String)>,
    /// Whether `on_tape` stopped the run before all tapes were processed.
    pub stopped: bool,
}

/// The reason why a tape has no laps to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skipped {
    /// The tape is a recording of a playback. Its laps are stored in the original tape.
    Playback,
    /// The game has no laps, or is not supported.
    NoLaps {
        /// Id of the game; empty if the tape does not state it.
        game: String,
    },
}

/// The result of tracking one tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TapeLaps {
    /// Sessions and laps were found and are in the store.
    Kept {
        /// The changes to the store.
        replaced: Replaced,
        /// Number of sessions in the tape.
        sessions: u32,
        /// Number of laps in the tape, including aborted ones.
        laps: u32,
    },
    /// The tape has nothing to keep.
    Skipped(Skipped),
    /// The tape cannot be tracked, with the reason.
    Failed(String),
}

/// The result of adding one tape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// The tape is in the catalogue.
    Tape {
        /// The tape.
        tape: Box<CataloguedTape>,
        /// The path of the same tape if it is already in the catalogue. The catalogue keeps that file.
        copy_of: Option<PathBuf>,
        /// Its laps.
        laps: TapeLaps,
    },
    /// The tape is being recorded. Its recorder adds it.
    Recording,
    /// The file is not a readable tape, with the reason.
    Unreadable(String),
}

/// Progress callback: tapes done, total number of tapes, path of the next tape. Returning `false` stops the run.
pub type OnTape<'a> = dyn FnMut(usize, usize, &Path) -> bool + 'a;

/// Scans the folders, updates the catalogue, and tracks the tapes that are due.
///
/// # Errors
/// If the store fails. The tapes tracked until then are kept.
pub fn catch_up(store: &dyn Store, wanted: &CatchUp<'_>, on_tape: &mut OnTape<'_>) -> Result<CaughtUp, StoreError> {
    let mut done = CaughtUp { found: look(store, &wanted.look)?, ..CaughtUp::default() };
    let mut tapes = Vec::new();
    for tape in store.tapes_of(wanted.look.place)? {
        let path = Path::new(&tape.path);
        let in_folders = wanted.look.folders.iter().any(|folder| path.starts_with(folder));
        let left_alone = wanted.look.except.iter().any(|folder| path.starts_with(folder));
        let there = tape.missing_us.is_none() && !left_alone && (in_folders || wanted.look.elsewhere);
        if there && (wanted.all || is_due(store, &tape, &done.found)?) {
            tapes.push(tape);
        }
    }
    for (number, tape) in tapes.iter().enumerate() {
        let path = Path::new(&tape.path);
        if !on_tape(number, tapes.len(), path) {
            done.stopped = true;
            break;
        }
        if !tape.complete && is_being_written(path) {
            done.recording += 1;
            continue;
        }
        match track(store, tape, wanted.keep_replays)? {
            TapeLaps::Kept { replaced, .. } => {
                done.tracked += 1;
                done.replaced += replaced;
            }
            TapeLaps::Skipped(why) => done.skipped.push((path.to_owned(), why)),
            TapeLaps::Failed(reason) => done.failed.push((path.to_owned(), reason)),
        }
    }
    Ok(done)
}

/// Returns whether this version of the tracker has not processed the tape in its current state.
fn is_due(store: &dyn Store, tape: &CataloguedTape, found: &Found) -> Result<bool, StoreError> {
    let path = Path::new(&tape.path);
    // A tape that was tracked during recording counts as processed only once all its laps have been stored.
    let other = found.changed.iter().any(|changed| changed == path);
    let tracker = store.tracker_of(tape.id)?;
    let seen = tracker.is_some_and(|tracker| tracker.id == TRACKER_ID && tracker.version >= TRACKER_VERSION);
    Ok(other || !seen)
}

/// Adds a tape, wherever it is stored, to the catalogue and its laps to the store. Idempotent.
///
/// # Errors
/// If the store fails.
pub fn add_tape(store: &dyn Store, place: &str, path: &Path, keep_replays: bool) -> Result<Added, StoreError> {
    if is_being_written(path) {
        return Ok(Added::Recording);
    }
    let (found, tape) = look_at(store, place, path)?;
    let Some(tape) = tape else {
        let reason = found.unreadable.into_iter().next().map(|(_, reason)| reason);
        return Ok(Added::Unreadable(reason.unwrap_or_else(|| "it cannot be read".to_owned())));
    };
    let copy_of = match found.copies.is_empty() {
        true => None,
        false => store.tape(tape.id)?.map(|known| PathBuf::from(known.path)),
    };
    let laps = track(store, &tape, keep_replays)?;
    Ok(Added::Tape { tape: Box::new(tape), copy_of, laps })
}

/// Tracks one tape and stores the result. The inner error is the reason why the tape cannot be tracked.
pub fn track_again(
    store: &dyn Store,
    tape: &CataloguedTape,
    keep_replays: bool,
) -> Result<Result<Replaced, String>, StoreError> {
    Ok(match track(store, tape, keep_replays)? {
        TapeLaps::Kept { replaced, .. } => Ok(replaced),
        TapeLaps::Skipped(Skipped::Playback) => Ok(Replaced { left_out: true, ..Replaced::default() }),
        TapeLaps::Skipped(Skipped::NoLaps { game }) if find_game(&game).is_some() => Ok(Replaced::default()),
        TapeLaps::Skipped(Skipped::NoLaps { game }) => Err(TrackError::UnknownGame { game }.to_string()),
        TapeLaps::Failed(reason) => Err(reason),
    })
}

/// Tracks one tape and stores the result.
fn track(store: &dyn Store, tape: &CataloguedTape, keep_replays: bool) -> Result<TapeLaps, StoreError> {
    let tracker = TrackerVersion { id: TRACKER_ID.into(), version: TRACKER_VERSION };
    let origin = Origin { replay_of: tape.replay_of.clone(), keep_replays, ..Origin::new(tape.id, tracker) };
    if origin.is_left_out() {
        return Ok(TapeLaps::Skipped(Skipped::Playback));
    }
    let opened = match Tape::open(&tape.path) {
        Ok(opened) => opened,
        Err(error) => return Ok(TapeLaps::Failed(error.to_string())),
    };
    let tracked = match track_tape(&opened) {
        Ok(tracked) => tracked,
        Err(TrackError::UnknownGame { game }) => return Ok(TapeLaps::Skipped(Skipped::NoLaps { game })),
        Err(error) => return Ok(TapeLaps::Failed(error.to_string())),
    };
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let (sessions, laps) = (count(tracked.sessions.len()), count(tracked.laps().count()));
    let replaced = store.replace_tape(&origin, &tracked.sessions)?;
    if !replaced.kept_newer {
        let facts: Vec<Write> = tracked.tracks.into_iter().map(Write::Track).collect();
        store.write(&origin, &facts)?;
    }
    Ok(match tape.game.as_deref().and_then(find_game).filter(|game| !game.rules.has_laps()) {
        Some(game) => TapeLaps::Skipped(Skipped::NoLaps { game: game.id.to_owned() }),
        None => TapeLaps::Kept { replaced, sessions, laps },
    })
}

impl AddAssign for Replaced {
    /// Adds the counts and ORs the flags.
    fn add_assign(&mut self, other: Self) {
        self.new += other.new;
        self.changed += other.changed;
        self.same += other.same;
        self.removed += other.removed;
        self.unattached += other.unattached;
        self.kept_newer |= other.kept_newer;
        self.left_out |= other.left_out;
    }
}
