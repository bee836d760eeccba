//! Finds processes that may be a game in Wine, and wineservers. Runs every few seconds while no game is found, so it reads little:
//! two short files of each process of this user.

use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use gametape_games::{GAMES, Game};

use super::InWine;
use crate::sys::{Process, named_process};

/// Processes of interest.
#[derive(Debug, Default)]
pub(super) struct Listed {
    pub(super) games: Vec<Candidate>,
    /// Process ids of wineservers.
    pub(super) servers: Vec<u32>,
}

/// A process that may be a game.
#[derive(Debug, Clone)]
pub(super) struct Candidate {
    pub(super) id: u32,
    /// Its program, as far as it is known.
    pub(super) program: String,
    /// The game of the program; `None` if the user named the process.
    pub(super) game: Option<&'static Game>,
}

/// Lists them from a folder like `/proc`. Processes of other users are skipped, because they could not be inspected.
pub(super) fn list(folder: &Path, whose: &InWine) -> io::Result<Listed> {
    let own = folder.join("self").metadata().map(|own| own.uid())?;
    let mut listed = Listed::default();
    for entry in std::fs::read_dir(folder)?.flatten() {
        let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
        // Processes may end during the listing.
        let Ok(metadata) = entry.metadata() else { continue };
        if own != 0 && metadata.uid() != own {
            continue;
        }
        let Some(process) = named_process(&entry.path(), id) else { continue };
        if process.name.starts_with("wineserver") {
            listed.servers.push(id);
        } else if let Some(game) = is_meant(&process, whose) {
            listed.games.push(Candidate { id, program: process.program.unwrap_or(process.name), game });
        }
    }
    // Newest first: if two are running, prefer the one that was just started.
    listed.games.sort_by_key(|candidate| std::cmp::Reverse(candidate.id));
    Ok(listed)
}

/// Returns `None` if the process is not of interest. The inner value is its game, if it is known.
fn is_meant(process: &Process, whose: &InWine) -> Option<Option<&'static Game>> {
    match whose {
        InWine::Off => None,
        InWine::Games => {
            let runs = |game: &&Game| game.processes.iter().any(|program| process.runs(program));
            GAMES.iter().filter(|game| game.is_in_memory()).find(runs).map(Some)
        }
        InWine::Process(name) => {
            // Compare the whole name if it is known: the kernel truncates the other one, and several programs may have the same
            // prefix.
            let named =
                process.program.as_ref().map_or_else(|| process.runs(name), |own| own.eq_ignore_ascii_case(name));
            (named || *name == process.id.to_string()).then_some(None)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn games_by_name_a_process_by_name_or_number_and_servers_are_found() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("self")).unwrap();
        for (id, name, command) in [
            ("7", "wineserver64", "/usr/lib/wine/wineserver64\0"),
            ("12", "GameThread", "Z:\\games\\AC2-Win64-Shipping.exe\0"),
            ("13", "bash", "-bash\0"),
            ("44", "my-own-racing-s", "C:\\my-own-racing-sim.exe\0"),
            ("45", "my-own-racing-s", "C:\\my-own-racing-server.exe\0"),
            ("55", "acs.exe", "acs.exe\0"),
        ] {
            let own = folder.path().join(id);
            std::fs::create_dir(&own).unwrap();
            super::super::put(&own.join("comm"), &format!("{name}\n"));
            super::super::put(&own.join("cmdline"), command);
        }
        let found = |whose: &InWine| {
            let listed = list(folder.path(), whose).unwrap();
            assert_eq!(listed.servers, [7]);
            listed.games.iter().map(|found| (found.id, found.game.map(|game| game.id))).collect::<Vec<_>>()
        };
        let games = [(55, Some("assetto-corsa")), (12, Some("assetto-corsa-competizione"))];
        assert_eq!(found(&InWine::Games), games);
        assert_eq!(found(&InWine::Process("My-own-racing-sim.exe".into())), [(44, None)]);
        assert_eq!(found(&InWine::Process("13".into())), [(13, None)]);
        assert_eq!(found(&InWine::Off), []);
    }
}
