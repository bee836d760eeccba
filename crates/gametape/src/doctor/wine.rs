//! What is seen of games that run in Wine: on Linux, where their memory can be read without a bridge.

use gametape_games::{GAMES, Game};

use super::processes::Process;

/// A game's process, looked into.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WineFacts {
    /// Its number.
    pub process: u32,
    /// Why it may not be looked into, if so.
    pub denied: Option<String>,
    /// Sections that, by their length, could be a page of a game, and can be read.
    pub fitting: usize,
    /// How many of them are all zero.
    pub zero: usize,
    /// Sections that neither the process nor a wineserver has open where this user can see it.
    pub out_of_reach: usize,
    /// Wineservers that run.
    pub servers: Vec<u32>,
    /// Those of them that may not be looked into, and why.
    pub shut: Vec<(u32, String)>,
}

impl WineFacts {
    /// Looks into each process of a known game.
    pub(super) fn of_games(processes: &[Process]) -> Vec<Self> {
        let runs = |process: &&Process, game: &Game| game.processes.iter().any(|program| process.runs(program));
        let games =
            processes.iter().filter(|process| GAMES.iter().any(|game| game.is_in_memory() && runs(process, game)));
        games.filter_map(|process| Self::look(process.id)).collect()
    }

    #[cfg(target_os = "linux")]
    fn look(process: u32) -> Option<Self> {
        use crate::wine::{is_zero, look_into};
        Some(match look_into(process) {
            Ok((memory, servers)) => Self {
                process,
                denied: None,
                fitting: memory.sections.len(),
                zero: memory.sections.iter().filter(|held| is_zero(&held.reader)).count(),
                out_of_reach: memory.out_of_reach,
                servers,
                shut: memory.shut,
            },
            Err(error) => Self { process, denied: Some(error.to_string()), ..Self::default() },
        })
    }

    #[cfg(not(target_os = "linux"))]
    fn look(_process: u32) -> Option<Self> {
        None
    }
}
