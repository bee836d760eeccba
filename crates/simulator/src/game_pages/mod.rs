//! The simulated car as games with a single page of shared memory write it: one encoder for each game, in a file of its own.
//!
//! A [`PageEncoder`] is called for every millisecond of the simulation and fills the page when the game would write it. Sequence numbers are those
//! of a complete page; whoever writes the page follows the game's protocol. What the simulation does not have (other cars, cargo) the encoder makes
//! up, as a pure function of time.
mod automobilista_2;
mod raceroom;
mod scene;
mod trackmania;
mod trucks;

use crate::game::Game;

/// Encodes the simulated car as the page of a game.
pub trait PageEncoder: Send {
    /// Fills the page if it is due in this millisecond since the start. Returns whether it was.
    fn encode(&mut self, ms: u64, game: &Game, page: &mut Vec<u8>) -> bool;
}

/// Pages per second.
const PAGES_PER_S: u64 = 60;

/// Returns the encoder of a game; `None` if there is none.
#[must_use]
pub fn page_encoder(game_id: &str) -> Option<Box<dyn PageEncoder>> {
    let (_, new) = ENCODERS.iter().find(|(id, _)| *id == game_id)?;
    Some(new())
}

/// Creates an encoder.
type New = fn() -> Box<dyn PageEncoder>;

/// All encoders, by the id of their game.
const ENCODERS: &[(&str, New)] = &[
    ("american-truck-simulator", || Box::new(trucks::Trucks::new(2))),
    ("automobilista-2", || Box::new(automobilista_2::Automobilista2::new(14))),
    ("euro-truck-simulator-2", || Box::new(trucks::Trucks::new(1))),
    ("project-cars", || Box::new(automobilista_2::Automobilista2::new(6))),
    ("raceroom", || Box::<raceroom::RaceRoom>::default()),
    ("trackmania", || Box::<trackmania::Trackmania>::default()),
];

/// Counts the pages of a game that writes them at a fixed rate.
#[derive(Debug, Default)]
struct Pace {
    pages: u64,
}

impl Pace {
    /// Returns whether a page is due.
    fn is_due(&mut self, ms: u64) -> bool {
        let due = ms * PAGES_PER_S / 1000 >= self.pages;
        self.pages += u64::from(due);
        due
    }
}
