//! Lets a recorder detect that it is recording a player instead of a game.
//!
//! Each gametape player creates a small section next to those of the game, its marker: `gametape_player` or, if another player has
//! that name, `gametape_player.1` and so on. A player removes only its own marker. A marker that a killed player left behind is
//! ignored, because the process that wrote it is gone.
//!
//! ```text
//! 0 "GTPLAYER"   8 process id (u32)   12 tape id, 16 bytes   28 start time of the process (u64, 0 if unknown)
//! 36 game id, NUL-padded               128 bytes in total
//! ```
//! Markers of older versions have 64 bytes and zeros after the tape id.

use std::io;

use gametape_format::TapeId;
use gametape_games::{GAMES, Game};

use crate::sys::{Prefix, SectionReader, SectionWriter, process_runs, process_start};

const SECTION: &str = "gametape_player";
const MAGIC: &[u8; 8] = b"GTPLAYER";
const BYTES: usize = 128;
/// Size of a marker written by older versions.
const LEAST_BYTES: usize = 64;
const GAME_AT: usize = 36;
/// Maximum number of players that can play at the same time under the same names.
const MOST_PLAYERS: usize = 16;

fn section(prefix: &Prefix, slot: usize) -> String {
    match slot {
        0 => prefix.section(SECTION),
        slot => prefix.section(&format!("{SECTION}.{slot}")),
    }
}

/// The marker of a running player. [`PlayerMarker::remove`] removes it.
#[derive(Debug)]
pub struct PlayerMarker(SectionWriter);

impl PlayerMarker {
    /// Creates the marker of a player that plays this game.
    pub fn create(prefix: &Prefix, tape: TapeId, game: &Game) -> io::Result<Self> {
        let mut bytes = [0; BYTES];
        let process = std::process::id();
        let parts = MAGIC.iter().copied().chain(process.to_le_bytes()).chain(tape.0);
        let parts = parts.chain(process_start(process).unwrap_or(0).to_le_bytes()).chain(game.id.bytes());
        // The last byte stays 0, as the terminator.
        bytes.iter_mut().take(BYTES - 1).zip(parts).for_each(|(to, from)| *to = from);
        let mut last = io::Error::other(format!("{MOST_PLAYERS} players are playing under these names already"));
        for slot in 0..MOST_PLAYERS {
            let name = section(prefix, slot);
            if Marker::read(&name).is_some_and(|marker| marker.is_alive()) {
                continue;
            }
            match SectionWriter::claim(&name, BYTES as u64) {
                Ok(Some(section)) => {
                    section.write(0, &bytes)?;
                    return Ok(Self(section));
                }
                Ok(None) => {}
                // For example, the file belongs to another user.
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    /// Clears and removes the marker.
    pub fn remove(self) -> io::Result<()> {
        self.0.write(0, &[0; BYTES])?;
        self.0.remove()
    }
}

/// The contents of a marker.
struct Marker {
    process: u32,
    started: Option<u64>,
    tape: TapeId,
    /// Id of the game; `None` in markers of older versions.
    game: Option<String>,
}

impl Marker {
    fn read(name: &str) -> Option<Self> {
        let section = SectionReader::open(name).ok()??;
        let mut bytes = [0; BYTES];
        let length = usize::try_from(section.len().ok()?).unwrap_or(BYTES).min(BYTES);
        section.copy(0, bytes.get_mut(..length).filter(|bytes| bytes.len() >= LEAST_BYTES)?).ok()?;
        let (magic, rest) = bytes.split_first_chunk::<8>()?;
        let (process, rest) = rest.split_first_chunk::<4>()?;
        let (tape, rest) = rest.split_first_chunk::<16>()?;
        let (started, _) = rest.split_first_chunk::<8>()?;
        let game = bytes.get(GAME_AT..)?.split(|byte| *byte == 0).next().unwrap_or_default();
        let game = String::from_utf8_lossy(game).into_owned();
        (magic == MAGIC).then(|| Self {
            process: u32::from_le_bytes(*process),
            started: Some(u64::from_le_bytes(*started)).filter(|started| *started != 0),
            tape: TapeId(*tape),
            game: Some(game).filter(|game| !game.is_empty()),
        })
    }

    /// Returns whether the process that wrote the marker is still running. A later process with the same id has a different start
    /// time.
    fn is_alive(&self) -> bool {
        process_runs(self.process)
            && self.started.is_none_or(|then| process_start(self.process).is_none_or(|now| now == then))
    }

    /// Returns whether the marker may be about one of these games, or about a game with the same sections.
    fn is_about(&self, games: &[Game]) -> bool {
        let Some(id) = &self.game else { return true };
        let theirs: Vec<&str> = games.iter().flat_map(Game::sections).collect();
        let played = GAMES.iter().find(|game| game.id == id);
        let is_one = games.iter().any(|game| game.id == id);
        is_one || played.is_none_or(|game| game.sections().any(|name| theirs.contains(&name)))
    }
}

/// Returns the id of the tape that a running player plays under these names as one of these games.
pub fn tape_being_played(prefix: &Prefix, games: &[Game]) -> Option<String> {
    let markers = (0..MOST_PLAYERS).filter_map(|slot| Marker::read(&section(prefix, slot)));
    let mut found = markers.filter(|marker| marker.is_about(games) && marker.is_alive());
    found.next().map(|marker| marker.tape.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape_games::{ASSETTO_CORSA_FAMILY, acc, iracing};

    fn prefix(test: &str) -> Prefix {
        Prefix::new(&format!("gametape-test-{}-{test}-", std::process::id())).unwrap()
    }

    fn id(byte: u8) -> TapeId {
        TapeId([byte; 16])
    }

    #[test]
    fn a_marker_is_seen_while_its_player_lives() {
        let prefix = prefix("marker");
        let played = || tape_being_played(&prefix, ASSETTO_CORSA_FAMILY);
        assert_eq!(played(), None);
        let marker = PlayerMarker::create(&prefix, id(7), &acc::GAME).unwrap();
        assert_eq!(played(), Some(id(7).to_string()));
        marker.0.write(8, &u32::MAX.to_le_bytes()).unwrap();
        assert_eq!(played(), None, "no process has that number");
        marker.0.write(8, &std::process::id().to_le_bytes()).unwrap();
        assert_eq!(played(), Some(id(7).to_string()));
        if cfg!(target_os = "linux") {
            marker.0.write(28, &1_u64.to_le_bytes()).unwrap();
            assert_eq!(played(), None, "the process of that number is another one");
        }
        marker.remove().unwrap();
        assert_eq!(played(), None);
    }

    #[test]
    fn each_of_several_players_has_a_marker_that_the_end_of_another_does_not_touch() {
        let prefix = prefix("markers");
        let played = |game: &Game| tape_being_played(&prefix, std::slice::from_ref(game));
        let first = PlayerMarker::create(&prefix, id(1), &acc::GAME).unwrap();
        let second = PlayerMarker::create(&prefix, id(2), &iracing::GAME).unwrap();
        let third = PlayerMarker::create(&prefix, id(3), &acc::GAME).unwrap();
        assert_eq!((played(&acc::GAME), played(&iracing::GAME)), (Some(id(1).to_string()), Some(id(2).to_string())));
        third.remove().unwrap();
        assert_eq!((played(&acc::GAME), played(&iracing::GAME)), (Some(id(1).to_string()), Some(id(2).to_string())));
        first.remove().unwrap();
        assert_eq!((played(&acc::GAME), played(&iracing::GAME)), (None, Some(id(2).to_string())));
        second.remove().unwrap();
        assert_eq!(played(&iracing::GAME), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_marker_that_was_left_behind_is_used_again_and_one_of_an_older_version_is_left_alone() {
        let prefix = prefix("stale");
        let played = || tape_being_played(&prefix, &[acc::GAME]);
        let old = SectionWriter::create(&section(&prefix, 0), LEAST_BYTES as u64).unwrap();
        let bytes_of = |process: u32| [MAGIC.as_slice(), &process.to_le_bytes(), &[9; 16]].concat();
        old.write(0, &bytes_of(std::process::id())).unwrap();
        assert_eq!(played(), Some(id(9).to_string()), "of which game is not known");
        let marker = PlayerMarker::create(&prefix, id(4), &acc::GAME).unwrap();
        assert_eq!(played(), Some(id(9).to_string()));
        marker.remove().unwrap();
        assert_eq!(played(), Some(id(9).to_string()));
        old.write(0, &bytes_of(u32::MAX)).unwrap();
        assert_eq!(played(), None);
        let marker = PlayerMarker::create(&prefix, id(5), &acc::GAME).unwrap();
        assert!(Marker::read(&section(&prefix, 0)).is_some_and(|marker| marker.tape == id(5)));
        marker.remove().unwrap();
        assert!(SectionReader::open(&section(&prefix, 0)).unwrap().is_none());
    }

    #[test]
    fn the_id_of_each_game_fits() {
        assert!(GAMES.iter().all(|game| game.id.len() < BYTES - GAME_AT));
    }
}
