//! Facts about games in Wine, whose memory can be read without a bridge. Linux only.

use gametape_games::{GAMES, Game};

use crate::sys::Process;

/// Facts about the process of a game.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WineFacts {
    /// Process id.
    pub process: u32,
    /// Why it cannot be inspected, if so.
    pub denied: Option<String>,
    /// Number of readable sections whose size matches a page of a game.
    pub fitting: usize,
    /// How many of them are all zero.
    pub zero: usize,
    /// Number of sections that are not open in the process or a wineserver, as far as this user can inspect them.
    pub out_of_reach: usize,
    /// Process ids of running wineservers.
    pub servers: Vec<u32>,
    /// Wineservers that cannot be inspected, and why.
    pub shut: Vec<(u32, String)>,
}

impl WineFacts {
    /// Inspects each process of a known game.
    pub(crate) fn of_games(processes: &[Process]) -> Vec<Self> {
        let runs = |process: &&Process, game: &Game| game.processes.iter().any(|program| process.runs(program));
        let games =
            processes.iter().filter(|process| GAMES.iter().any(|game| game.is_in_memory() && runs(process, game)));
        games.filter_map(|process| Self::look(process.id)).collect()
    }

    #[cfg(target_os = "linux")]
    fn look(process: u32) -> Option<Self> {
        use super::{is_zero, look_into};
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
