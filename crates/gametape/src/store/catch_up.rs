//! Brings the store up to the tapes: takes folders, notes in the catalogue what is there, and tracks what no tracker, or an older one, has seen.
//!
//! Tapes that are being recorded are left to their recorder, which tracks them itself. What users said about laps stays with the stretch of tape that
//! it was said about.

use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use gametape_format::read::Tape;
use gametape_format::write::is_being_written;

use super::catalogue::{Found, Look, look, look_at};
use super::contract::Store;
use super::error::StoreError;
use super::stored::{Origin, Replaced, Tracker, Write};
use super::tapes::CataloguedTape;
use crate::laps::{TRACKER_ID, TRACKER_VERSION, TrackError, track_tape};
use gametape_games::find_game;

/// What to bring up to date.
#[derive(Debug, Clone)]
pub struct CatchUp<'a> {
    /// Where to look.
    pub look: Look<'a>,
    /// Track all tapes again, not only those that this tracker has not seen.
    pub all: bool,
    /// Keep laps of recordings of a playback too.
    pub keep_replays: bool,
}

/// What came of it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CaughtUp {
    /// What the catalogue did not know.
    pub found: Found,
    /// Tapes that were tracked.
    pub tracked: u32,
    /// Tapes that are being recorded.
    pub recording: u32,
    /// What that did to sessions, stints and laps.
    pub replaced: Replaced,
    /// Tapes that have no laps to keep, and why.
    pub skipped: Vec<(PathBuf, Skipped)>,
    /// Tapes that could not be tracked, and why.
    pub failed: Vec<(PathBuf, String)>,
    /// It was told to stop before it was through.
    pub stopped: bool,
}

/// Why a tape has no laps to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skipped {
    /// It is a recording of a playback: its laps are on the tape that was played.
    Playback,
    /// Its game has no laps, or none that are known here.
    NoLaps {
        /// Id of the game; empty if the tape does not say it.
        game: String,
    },
}

/// What tracking one tape gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TapeLaps {
    /// Sessions and laps were found, and are in the store.
    Kept {
        /// What that did to the store.
        replaced: Replaced,
        /// Sessions of the tape.
        sessions: u32,
        /// Laps of the tape, aborted ones too.
        laps: u32,
    },
    /// There is nothing to keep.
    Skipped(Skipped),
    /// The tape cannot be tracked: why.
    Failed(String),
}

/// What adding one tape gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Added {
    /// The tape is in the catalogue.
    Tape {
        /// The tape.
        tape: Box<CataloguedTape>,
        /// Where the catalogue has the same tape already; that file is kept.
        copy_of: Option<PathBuf>,
        /// Its laps.
        laps: TapeLaps,
    },
    /// The tape is being recorded: the recorder adds it.
    Recording,
    /// The file is not a tape that can be read: why.
    Unreadable(String),
}

/// How far it is: tapes done, all tapes, the next tape. `false` ends it there.
pub type OnTape<'a> = dyn FnMut(usize, usize, &Path) -> bool + 'a;

/// Catches up.
///
/// # Errors
/// If the store fails. What was tracked until then is kept.
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

/// Whether this tracker has not seen the tape as it is now.
fn is_due(store: &dyn Store, tape: &CataloguedTape, found: &Found) -> Result<bool, StoreError> {
    let path = Path::new(&tape.path);
    // One that was tracked beside its recording was seen as a whole when all of that was stored, and only then.
    let other = found.changed.iter().any(|changed| changed == path);
    let tracker = store.tracker_of(tape.id)?;
    let seen = tracker.is_some_and(|tracker| tracker.id == TRACKER_ID && tracker.version >= TRACKER_VERSION);
    Ok(other || !seen)
}

/// Puts a tape into the catalogue, wherever it is, and its laps into the store. Adding it again changes nothing.
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

/// Tracks one tape and keeps what is found; the reason if it cannot be tracked.
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

/// Tracks one tape and keeps what is found.
fn track(store: &dyn Store, tape: &CataloguedTape, keep_replays: bool) -> Result<TapeLaps, StoreError> {
    let tracker = Tracker { id: TRACKER_ID.into(), version: TRACKER_VERSION };
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
    /// Counts add up; what was so for one is so for the sum.
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
