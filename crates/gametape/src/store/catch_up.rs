//! Brings the store up to the tapes: takes folders, notes in the catalogue what is there, and tracks what no tracker, or an older one, has seen.
//!
//! Tapes that are being recorded are left to their recorder, which tracks them itself. What users said about laps stays with the stretch of tape that
//! it was said about.

use std::ops::AddAssign;
use std::path::{Path, PathBuf};

use gametape_format::read::Tape;
use gametape_format::write::is_being_written;

use super::catalogue::{Found, Look, look};
use super::contract::Store;
use super::error::StoreError;
use super::stored::{Origin, Replaced, Tracker, Write};
use super::tapes::CataloguedTape;
use crate::laps::{TRACKER_ID, TRACKER_VERSION, track_tape};

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
    /// Tapes that could not be tracked, and why.
    pub failed: Vec<(PathBuf, String)>,
    /// It was told to stop before it was through.
    pub stopped: bool,
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
        let there = tape.missing_us.is_none() && wanted.look.folders.iter().any(|folder| path.starts_with(folder));
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
        match track_again(store, tape, wanted.keep_replays)? {
            Ok(replaced) => {
                // What is left out was not looked at.
                done.tracked += u32::from(!replaced.left_out);
                done.replaced += replaced;
            }
            Err(reason) => done.failed.push((path.to_owned(), reason)),
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

/// Tracks one tape and keeps what is found; the reason if it cannot be tracked.
pub fn track_again(
    store: &dyn Store,
    tape: &CataloguedTape,
    keep_replays: bool,
) -> Result<Result<Replaced, String>, StoreError> {
    let tracker = Tracker { id: TRACKER_ID.into(), version: TRACKER_VERSION };
    let origin = Origin { replay_of: tape.replay_of.clone(), keep_replays, ..Origin::new(tape.id, tracker) };
    if origin.is_left_out() {
        return Ok(Ok(Replaced { left_out: true, ..Replaced::default() }));
    }
    let tracked = match Tape::open(&tape.path).map_err(|error| error.to_string()) {
        Ok(open) => track_tape(&open).map_err(|error| error.to_string()),
        Err(reason) => Err(reason),
    };
    let tracked = match tracked {
        Ok(tracked) => tracked,
        Err(reason) => return Ok(Err(reason)),
    };
    let replaced = store.replace_tape(&origin, &tracked.sessions)?;
    if !replaced.kept_newer {
        let facts: Vec<Write> = tracked.tracks.into_iter().map(Write::Track).collect();
        store.write(&origin, &facts)?;
    }
    Ok(Ok(replaced))
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
