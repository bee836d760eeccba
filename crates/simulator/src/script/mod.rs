//! Scripts: events at given times, in milliseconds, for tests of rare or exactly timed events.
//!
//! ```
//! use gametape_simulator::{Script, Simulation};
//!
//! // A lap of 100.4 s in three sectors, a pause in the next one, and a cut.
//! let script = Script::new().lap(&[30_500, 34_700, 35_200]).wait(5_000).pause(60_000).wait(2_000).cut().wait(1_000);
//! for (time_ns, pages) in Simulation::bare(script).sample(60) {
//!     # let _ = (time_ns, pages.graphics.i_last_time);
//! }
//! ```
//!
//! A script has a cursor. Instantaneous steps are placed at the cursor; steps that take time move it. The same script can run over the driving car or
//! alone:
//!
//! - **over the driving car** ([`Simulation::driving`](crate::Simulation::driving)), the game continues from a value that is set (lap time, laps, fuel);
//!   values that the game never changes stay as set (names, flags, penalties);
//! - **alone** ([`Simulation::bare`](crate::Simulation::bare)), every value stays as set, and only the clocks run.
//!
//! [`Script::set`] sets any value of the board. [`Script::poke`] sets any member of the pages once; the game overwrites it with its next page if it
//! writes that member. [`Script::hold`] sets it for a period, regardless of what the game writes.
mod course;
mod names;
mod values;

use std::fmt::{self, Debug};

use super::board::Board;
use super::game::Command;
use super::pages::Pages;

/// A change of the pages at a time in milliseconds.
pub(super) type PagesChange = Box<dyn FnMut(&mut Pages, u64) + Send>;

/// What happens at a moment of a script.
pub(super) enum Change {
    /// Values of session and laps.
    Board(Box<dyn FnMut(&mut Board) + Send>),
    /// Something that only a game can do.
    Command(Command),
    /// Members of the pages, once.
    Poke(PagesChange),
    /// Members of the pages, for a while.
    Hold { for_ms: u64, change: PagesChange },
    /// The game's time stops or runs.
    TimeRuns(bool),
    /// The game hangs (nothing is written, not even that it stands) or goes on.
    Hangs(bool),
    /// Nobody sees the game, or somebody does again.
    Unseen(bool),
    /// Without a car: the place moves.
    Glide { position: f64, over_ms: u64 },
    /// Without a car: the session's length.
    SessionLength(Option<f64>),
    /// The game is gone, with its pages as they were.
    Crash,
}

impl Debug for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Board(_) => out.write_str("Board"),
            Self::Command(command) => write!(out, "{command:?}"),
            Self::Poke(_) => out.write_str("Poke"),
            Self::Hold { for_ms, .. } => write!(out, "Hold for {for_ms} ms"),
            Self::TimeRuns(runs) => write!(out, "TimeRuns({runs})"),
            Self::Hangs(hangs) => write!(out, "Hangs({hangs})"),
            Self::Unseen(unseen) => write!(out, "Unseen({unseen})"),
            Self::Glide { position, over_ms } => write!(out, "Glide to {position} over {over_ms} ms"),
            Self::SessionLength(ms) => write!(out, "SessionLength({ms:?})"),
            Self::Crash => out.write_str("Crash"),
        }
    }
}

/// A list of events with their times.
#[derive(Debug, Default)]
pub struct Script {
    changes: Vec<(u64, Change)>,
    cursor_ms: u64,
    end_ms: Option<u64>,
}

impl Script {
    /// An empty script, with its cursor at 0.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Moves the cursor to a time, earlier or later.
    #[must_use]
    pub fn at(mut self, ms: u64) -> Self {
        self.cursor_ms = ms;
        self
    }

    /// Moves the cursor on.
    #[must_use]
    pub fn wait(mut self, ms: u64) -> Self {
        self.cursor_ms += ms;
        self
    }

    /// Returns the position of the cursor.
    #[must_use]
    pub fn cursor_ms(&self) -> u64 {
        self.cursor_ms
    }

    /// Sets values of the board.
    #[must_use]
    pub fn set(self, change: impl FnMut(&mut Board) + Send + 'static) -> Self {
        self.with(Change::Board(Box::new(change)))
    }

    /// Sets members of the pages, once. The second argument is the time in milliseconds.
    #[must_use]
    pub fn poke(self, change: impl FnMut(&mut Pages, u64) + Send + 'static) -> Self {
        self.with(Change::Poke(Box::new(change)))
    }

    /// Sets members of the pages every millisecond for a period. Does not move the cursor, so that other events can be placed within the period.
    #[must_use]
    pub fn hold(self, for_ms: u64, change: impl FnMut(&mut Pages, u64) + Send + 'static) -> Self {
        self.with(Change::Hold { for_ms, change: Box::new(change) })
    }

    /// Executes a command of the game.
    #[must_use]
    pub fn command(self, command: Command) -> Self {
        self.with(Change::Command(command))
    }

    /// Ends the script, and with it the simulation, at the cursor. Without this step, a simulation without a car ends at the last position of the
    /// cursor, and one of the driving car never ends.
    #[must_use]
    pub fn end(mut self) -> Self {
        self.end_ms = Some(self.cursor_ms);
        self
    }

    fn with(mut self, change: Change) -> Self {
        self.changes.push((self.cursor_ms, change));
        self
    }

    /// The changes in the order of their times, those of the same time as they were put.
    pub(super) fn into_changes(mut self) -> (Vec<(u64, Change)>, u64, Option<u64>) {
        self.changes.sort_by_key(|(at_ms, _)| *at_ms);
        (self.changes, self.cursor_ms, self.end_ms)
    }
}
