//! Detects other programs that use the names that a player is about to write to.
//!
//! The existence of a section proves nothing: clients create sections too, and sections outlive a crashed game. A game is running
//! if one of its counters moves, or if a process has its name. Games do not use a prefix, so processes are ignored if there is one.

use std::fmt;
use std::time::{Duration, Instant};

use gametape_games::iracing::HEADER_BYTES;
use gametape_games::{CopyRule, GAMES, Game, Stream};

use super::player_marker::tape_being_played;
use crate::sys::{Prefix, Process, SectionReader, sleep_until};

/// How long to watch. A running game moves its counters much more often.
const WATCH_FOR: Duration = Duration::from_millis(500);
const LOOK_EVERY: Duration = Duration::from_millis(20);
/// As much of a part is watched in sections without a counter.
const MOST_WATCHED_BYTES: usize = 4096;

/// A running game or another player.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunningGame {
    /// Another program writes to the shared memory.
    Moves {
        /// The section whose counter moved.
        section: String,
    },
    /// A gametape player writes to the shared memory.
    Player {
        /// Id of the tape it plays.
        tape: String,
    },
    /// A process of the game is running.
    Process {
        /// Its name.
        name: String,
        /// Its process id.
        id: u32,
    },
}

impl fmt::Display for RunningGame {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Moves { section } => {
                write!(f, "a game is running: its counter in the shared memory {section} moved within {WATCH_FOR:?}")
            }
            Self::Player { tape } => write!(f, "another gametape player is playing the tape {tape} under these names"),
            Self::Process { name, id } => write!(f, "a game is running: process {id} is {name}"),
        }
    }
}

/// A counter in an additional section: name, offset, size in bytes.
pub(crate) type Beside = (&'static str, u64, usize);

/// Looks for a running game, and for a program that moves the additional counter. Takes half a second if a section exists, almost
/// no time otherwise.
pub(crate) fn find(
    game: &Game,
    prefix: &Prefix,
    beside: Option<Beside>,
    processes: impl FnOnce() -> Vec<Process>,
) -> Option<RunningGame> {
    if prefix.as_str().is_empty()
        && let Some(found) = running(game, &processes())
    {
        return Some(found);
    }
    let pages = game.streams.iter().filter_map(|stream| Watched::stream(stream, prefix));
    let beside = beside.and_then(|(section, offset, bytes)| Watched::open(prefix.section(section), offset, bytes));
    let watched: Vec<Watched> = pages.chain(beside).collect();
    let end = Instant::now() + WATCH_FOR;
    while !watched.is_empty() && Instant::now() < end {
        sleep_until(Instant::now() + LOOK_EVERY);
        if let Some(moved) = watched.iter().find(|watched| watched.moved()) {
            return Some(match tape_being_played(prefix, std::slice::from_ref(game)) {
                Some(tape) => RunningGame::Player { tape },
                None => RunningGame::Moves { section: moved.name.clone() },
            });
        }
    }
    None
}

/// Returns a process of this game, or of another game with the same section names.
fn running(game: &Game, processes: &[Process]) -> Option<RunningGame> {
    let mine: Vec<&str> = game.sections().collect();
    let shares = |other: &&Game| other.sections().any(|name| mine.contains(&name));
    let programs: Vec<&str> = GAMES.iter().filter(shares).flat_map(|game| game.processes).copied().collect();
    processes.iter().find_map(|process| {
        let name = programs.iter().find(|program| process.runs(program))?;
        Some(RunningGame::Process { name: (*name).into(), id: process.id })
    })
}

/// The counter of a section and its initial value.
struct Watched {
    name: String,
    reader: SectionReader,
    offset: u64,
    first: Vec<u8>,
}

impl Watched {
    fn stream(stream: &Stream, prefix: &Prefix) -> Option<Self> {
        let section = stream.section()?;
        let (offset, bytes) = match stream.copy_rule {
            CopyRule::CounterAndSecondCopy { counter_offset: at } | CopyRule::EvenSequence { sequence_offset: at } => {
                (u64::from(at), 4)
            }
            CopyRule::EqualVersions { begin_offset, .. } if stream.part().is_none_or(|part| part.offset == 0) => {
                (u64::from(begin_offset), 4)
            }
            // There is no counter: the front of each part is watched.
            CopyRule::TwoEqualCopiesUnlocked { .. } => {
                let part = stream.part()?;
                (part.offset as u64, part.bytes.min(MOST_WATCHED_BYTES))
            }
            // All counters are in the header.
            CopyRule::RotatingBuffers => (0, HEADER_BYTES),
            CopyRule::TwoEqualCopies | CopyRule::Whole | CopyRule::EqualVersions { .. } => return None,
        };
        Self::open(prefix.section(section), offset, bytes)
    }

    fn open(name: String, offset: u64, bytes: usize) -> Option<Self> {
        let reader = SectionReader::open(&name).ok()??;
        let mut first = vec![0; bytes];
        reader.copy(offset, &mut first).ok()?;
        Some(Self { name, reader, offset, first })
    }

    fn moved(&self) -> bool {
        let mut now = vec![0; self.first.len()];
        // A section that disappeared in the meantime does not belong to a running game.
        self.reader.copy(self.offset, &mut now).is_ok() && now != self.first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape_games::{acc, iracing};

    fn process(name: &str) -> Process {
        Process { id: 7, user: None, name: name.into(), program: None }
    }

    #[test]
    fn a_game_that_shares_the_names_is_in_the_way_and_another_one_is_not() {
        let found = |game: &Game, name: &str| running(game, &[process("init"), process(name)]);
        let acs = Some(RunningGame::Process { name: "acs.exe".into(), id: 7 });
        assert_eq!(found(&acc::GAME, "acs.exe"), acs);
        assert_eq!(found(&iracing::GAME, "acs.exe"), None);
        assert!(found(&iracing::GAME, "iRacingSim64DX1").is_some(), "the system cuts names");
        assert_eq!(found(&acc::GAME, "gametape"), None);
    }

    #[test]
    fn processes_do_not_count_under_a_prefix() {
        let prefix = Prefix::new("gametape-test-no-such-").unwrap();
        assert_eq!(find(&acc::GAME, &prefix, None, || vec![process("acs.exe")]), None);
        let found = find(&acc::GAME, &Prefix::default(), None, || vec![process("acs.exe")]);
        assert!(matches!(found, Some(RunningGame::Process { .. })), "{found:?}");
    }
}
