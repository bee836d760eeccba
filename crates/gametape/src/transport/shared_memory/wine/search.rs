//! Searches for games in Wine at intervals, for all sources of a recorder together.
//!
//! Listing processes costs about as much as a few dozen frames, and reading the memory mappings of a game takes a few milliseconds.
//! Both are done at most every three seconds, only while a source has no memory to read, and only for processes that can belong to
//! the games of that source. The sections found are examined on every read until they are recognized, so that a recording begins
//! with the game and not seconds later.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use gametape_games::{GAMES, Game, Stream};

use super::InWine;
use super::assign::{assign, fits_some_game, look};
use super::memory::{Memory, of_process};
use super::processes::{Candidate, list};
use crate::sys::SectionReader;

/// Minimum time between two listings of processes, and between two reads of the mappings of a process.
const BETWEEN_NS: u64 = 3_000_000_000;

/// Finds sections of games in Wine.
#[derive(Debug)]
pub(crate) struct WineSearch {
    folder: PathBuf,
    whose: InWine,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    listed_ns: Option<u64>,
    known: Vec<Known>,
    servers: Vec<u32>,
}

#[derive(Debug)]
struct Known {
    process: Candidate,
    looked_ns: Option<u64>,
    memory: Memory,
    /// First section name of the family that the process was recognized as. Other families skip it.
    taken_for: Option<&'static str>,
}

/// Sections that were found.
#[derive(Debug)]
pub(crate) struct Found {
    /// One for each requested stream.
    pub(crate) sections: Vec<SectionReader>,
    /// Sections of the same process that are still empty. When one of them is written to, it may be the right one.
    pub(crate) blank: Vec<SectionReader>,
    /// The process id.
    #[cfg(test)]
    process: u32,
}

impl WineSearch {
    /// Creates a search in these processes.
    pub(crate) fn new(whose: InWine) -> Self {
        Self::in_folder(Path::new("/proc"), whose)
    }

    fn in_folder(folder: &Path, whose: InWine) -> Self {
        Self { folder: folder.into(), whose, state: Mutex::default() }
    }

    /// Returns the sections of these streams, if a process that may be one of these games has them.
    pub(crate) fn find(&self, games: &[Game], streams: &[&'static Stream], now_ns: u64) -> Option<Found> {
        let state = &mut *self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if is_due(state.listed_ns, now_ns) {
            state.listed_ns = Some(now_ns);
            self.list(state);
        }
        let first = streams.first()?.section()?;
        let State { known, servers, .. } = state;
        known.iter_mut().find_map(|known| {
            let meant = known.process.game.is_none_or(|game| writes(game, first));
            if !meant || known.taken_for.is_some_and(|taken| taken != first) {
                return None;
            }
            if is_due(known.looked_ns, now_ns) {
                known.looked_ns = Some(now_ns);
                // A process that cannot be inspected has no sections; the doctor reports why.
                known.memory = of_process(&self.folder, known.process.id, servers, &fits_some_game).unwrap_or_default();
            }
            let found = known.find(games, streams)?;
            known.taken_for = Some(first);
            Some(found)
        })
    }

    fn list(&self, state: &mut State) {
        // A system without `/proc` has no games to find.
        let listed = list(&self.folder, &self.whose).unwrap_or_default();
        let mut before = std::mem::take(&mut state.known);
        state.servers = listed.servers;
        for process in listed.games {
            let same = |known: &Known| known.process.id == process.id && known.process.program == process.program;
            let known = before.iter().position(same).map(|index| before.swap_remove(index));
            let new = || Known { process, looked_ns: None, memory: Memory::default(), taken_for: None };
            state.known.push(known.unwrap_or_else(new));
        }
    }
}

impl Known {
    fn find(&self, games: &[Game], streams: &[&'static Stream]) -> Option<Found> {
        let looked = |games: &[Game]| self.memory.sections.iter().map(|held| look(games, held)).collect::<Vec<_>>();
        let sections = looked(games);
        let places = assign(games, streams, &sections)?;
        // A game whose older versions have these names may have enough empty sections to pass for them (EVO does).
        let first = streams.first()?.section()?;
        let newer = |game: &&Game| {
            let older = game.shared_memory.older_versions;
            older.iter().flat_map(Game::sections).any(|name| name == first)
        };
        let is_newer = |game: &Game| {
            let streams: Vec<&Stream> = game.streams.iter().collect();
            assign(std::slice::from_ref(game), &streams, &looked(std::slice::from_ref(game))).is_some()
        };
        if GAMES.iter().filter(newer).any(is_newer) {
            return None;
        }
        let reader = |index: &usize| self.memory.sections.get(*index)?.reader.try_clone().ok();
        let is_zero = |index: &usize| sections.get(*index).is_some_and(|section| section.zero);
        let unsure = places.iter().any(is_zero);
        let blank = (0..sections.len()).filter(|index| unsure && is_zero(index));
        Some(Found {
            sections: places.iter().map(reader).collect::<Option<_>>()?,
            blank: blank.filter_map(|index| reader(&index)).collect(),
            #[cfg(test)]
            process: self.process.id,
        })
    }
}

fn is_due(last_ns: Option<u64>, now_ns: u64) -> bool {
    last_ns.is_none_or(|last_ns| now_ns >= last_ns.saturating_add(BETWEEN_NS))
}

/// Returns whether any version of a game has a section with this name.
fn writes(game: &Game, name: &str) -> bool {
    let older = game.shared_memory.older_versions.iter();
    std::iter::once(game).chain(older).flat_map(Game::sections).any(|section| section == name)
}

#[cfg(test)]
mod tests;
