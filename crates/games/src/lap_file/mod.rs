//! Lap files of other loggers: MoTeC, RaceChrono, Racelogic, Garage 61, GPX.
//!
//! These files have channels under names of their own and, at best, a note of where laps begin. An import gives each tape the same two
//! streams besides the channels of the file, so that one reader serves all of these formats:
//!
//! ```text
//! laps.about   what the file says about itself: lines of `key=value`
//! laps         where the car was on its lap, at the file's own rate, and one row for each line crossing
//! ```
//! Everything else about the car is found by the names and units of the channels (`names`).
mod about;
mod cells;
mod decode;
mod laps;
mod names;
mod row;
pub(crate) mod rules;

pub use about::LapFileAbout;
pub use row::{LAPS_36, LapFileRow};

use crate::capture::{CopyRule, Transport};
use crate::proof::Proof;
use crate::registry::{Game, Layouts, SharedMemory, Stream};

/// Registry entry.
pub const GAME: Game = Game {
    id: "lap-file",
    name: "Lap file",
    aliases: &["motec", "racechrono", "vbo", "garage61", "gpx"],
    streams: &[ABOUT, LAPS],
    processes: &[],
    default_hz: None,
    rules: &rules::LapFileRules,
    shared_memory: SharedMemory::STREAMS_ONLY,
    setup: "",
    proven: Proof::SomeRealBytes("MoTeC, RaceChrono and the head of a .vbo; Garage 61 and GPX follow descriptions"),
};

/// What the file says about itself, as [`LapFileAbout`] writes it.
pub const ABOUT: Stream = Stream {
    name: "laps.about",
    layouts: Layouts::Tables(&[]),
    transport: Transport::File,
    copy_rule: CopyRule::Whole,
    play_rank: 0,
};

/// Positions on the lap and line crossings, as [`LapFileRow`] writes them.
pub const LAPS: Stream = Stream {
    name: "laps",
    layouts: Layouts::Tables(&[&LAPS_36]),
    transport: Transport::File,
    copy_rule: CopyRule::Whole,
    play_rank: 1,
};
