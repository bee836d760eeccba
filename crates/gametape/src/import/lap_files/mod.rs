//! Importers for lap files of other loggers.
//!
//! ```text
//! file ──▶ rows with channels ──▶ streams with the file's own names and units
//!              │
//!              └──▶ line crossings ──▶ plan ──▶ laps, laps.about: where laps begin, and how far the car is on its lap
//! ```
//! A source is read twice: first to find the line crossings, then to write the tape. Both passes hold one piece of the file in memory.
//! `gametape_games::lap_file` reads the result. All of these tapes have the metadata `foreign`, unless the user says that the file is their
//! own.

mod garage61;
mod gpx;
mod lines;
mod motec;
mod plan;
mod racechrono;
mod table;
mod travel;
mod vbo;
mod xml;

pub(super) use garage61::{Garage61Importer, is_garage61};
pub(super) use gpx::{GpxImporter, is_gpx};
pub(super) use motec::{MotecImporter, is_motec, markers_of_ldx};
pub(super) use racechrono::{RaceChronoImporter, is_racechrono};
pub(super) use vbo::{VboImporter, is_vbo};

/// Why a lap file cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LapFileError {
    /// The head of the file is incomplete.
    #[error("the head of the file is incomplete: {what}")]
    Head {
        /// What is missing.
        what: &'static str,
    },
    /// The file has no usable row.
    #[error("the file has no row with a time")]
    NoRows,
}

/// Value of the metadata key `time_source`: the times are those of the file.
const OF_SOURCE: &str = "source";

/// Value of the metadata key `time_source`: the file has a rate and no times.
const NOMINAL: &str = "nominal";

/// Largest time of a file, in seconds: about three years.
const LONGEST_S: f64 = 1e8;

/// Converts a time of a file to tape time. Negative times and times beyond any file become the nearest possible time.
fn ns(seconds: f64) -> u64 {
    (seconds.clamp(0.0, LONGEST_S) * 1e9).round() as u64
}
