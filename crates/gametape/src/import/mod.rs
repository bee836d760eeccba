//! Imports files of other programs as tapes.
//!
//! [`detect`] determines the kind of a file from its content, not from its name. Each kind has an [`Importer`] in its own file;
//! [`import`] selects it. A tape's id is derived from the bytes of its source, so importing a file again produces a
//! byte-identical tape. Problems in a source do not discard its intact parts: they are recorded as events, as metadata and in
//! [`Imported::problems`].

mod about;
mod against;
#[cfg(feature = "echo")]
pub(crate) mod captures;
#[cfg(feature = "echo")]
pub(crate) mod echo_streams;
#[cfg(feature = "echo")]
pub(crate) mod echoreplay;
mod error;
mod f1_packets;
mod f1pcap;
mod fuzz;
mod gamesdat;
mod ibt;
mod ibt_pieces;
mod kind;
mod ksana;
mod lap_files;
mod out;
mod problems;
mod replays;
mod rest;
mod source;
mod summary;

use std::path::Path;
use std::sync::Arc;

use gametape_format::TapeId;
use gametape_format::write::{Files, StdFiles};

pub use against::{AgainstError, Comparison, Difference, compare_with_source, compare_with_source_using};
#[cfg(feature = "echo")]
pub use captures::CaptureError;
#[cfg(feature = "echo")]
pub use echoreplay::EchoReplayError;
pub use error::ImportError;
pub use gamesdat::GamesDatError;
pub use kind::{Kind, detect};
pub use ksana::KsanaError;
pub use lap_files::LapFileError;
pub use out::Out;
#[cfg(feature = "rocket-league")]
pub use replays::rocket_league::ReplayError;
pub use source::Source;
pub use summary::{FileStream, FileSummary, summary_of};
#[cfg(feature = "echo")]
pub use telemetry_v2::{Dictionary, DictionaryError};

#[cfg(feature = "rocket-league")]
#[doc(hidden)]
pub use fuzz::fuzz_replay;
#[doc(hidden)]
pub use fuzz::{
    fuzz_aoe2, fuzz_fortnite, fuzz_gamesdat, fuzz_gamesdat_resealed, fuzz_gbx, fuzz_ksana, fuzz_ksana_resealed,
    fuzz_lol, fuzz_match_facts, fuzz_osu, fuzz_pubg, fuzz_r6, fuzz_replay_parts, fuzz_sc2, fuzz_source2,
    fuzz_warcraft3,
};
#[cfg(feature = "echo")]
#[doc(hidden)]
pub use fuzz::{fuzz_echoreplay, fuzz_import_nevrcap, fuzz_import_v2_dictionary, fuzz_import_v2_tape};
#[doc(hidden)]
pub use fuzz::{
    fuzz_f1pcap, fuzz_f1pcap_resealed, fuzz_garage61, fuzz_gpx, fuzz_ldx, fuzz_motec, fuzz_racechrono, fuzz_vbo,
};

use out::OnTape;

/// Progress of an import. The source is read twice: for the tape's id and for its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportProgress {
    /// Bytes read so far.
    pub done_bytes: u64,
    /// Bytes to read in total.
    pub total_bytes: u64,
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// Kind of the source.
    pub kind: Kind,
    /// Id of the tape.
    pub tape_id: TapeId,
    /// Length of the source in bytes.
    pub source_bytes: u64,
    /// Length of the tape in bytes.
    pub tape_bytes: u64,
    /// Frames in the source: each recorded moment counts once, descriptions do not count.
    pub frames: u64,
    /// Problems in the source. The intact parts were imported.
    pub problems: Vec<String>,
}

/// Statistics and problems that an importer reports about a source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// Frames in the source.
    pub frames: u64,
    /// Problems in the source.
    pub problems: Vec<String>,
}

/// Information about a source that its bytes do not contain.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// The zstd dictionary that a Telemetry V2 capture was compressed with. Files compressed without one are read regardless.
    #[cfg(feature = "echo")]
    pub dictionary: Option<Dictionary>,
    /// The user drove the laps of the file. The laps of lap files are someone else's by default, and never a personal best.
    pub is_own: bool,
}

/// Reads one kind of file.
pub trait Importer: Sync {
    /// Passes the whole content of the source to `out`. `progress` receives the number of source bytes processed so far.
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError>;
}

/// Opens what the id of a tape is derived from: the file, followed by the `.ldx` that belongs to a MoTeC log.
fn open_source(path: &Path) -> Result<Box<dyn std::io::Read>, ImportError> {
    let open = |path: &Path| {
        gametape_format::open_regular(path).map_err(|source| ImportError::Read { path: path.into(), source })
    };
    let file = open(path)?;
    let beside = source::path_beside(path, "ldx").filter(|_| detect(path).is_ok_and(|kind| kind == Kind::Motec));
    Ok(match beside {
        Some(beside) => Box::new(std::io::Read::chain(file, open(&beside)?)),
        None => Box::new(file),
    })
}

/// Returns the id of the tape that importing this file gives. `wrap` may wrap the reader, for example to stop it.
///
/// # Errors
/// If the file cannot be read.
pub fn tape_id_of<'a>(
    path: &Path,
    wrap: impl FnOnce(Box<dyn std::io::Read>) -> Box<dyn std::io::Read + 'a>,
) -> Result<TapeId, ImportError> {
    let mut source = wrap(open_source(path)?);
    crate::identity::id_of_content(&mut source, &mut |_| {})
        .map_err(|source| ImportError::Read { path: path.into(), source })
}

/// Imports the file `path` as the tape `out`. Never overwrites a file; leaves no partial tape behind on failure.
pub fn import(path: &Path, out: &Path, progress: &mut dyn FnMut(ImportProgress)) -> Result<Imported, ImportError> {
    import_through(Arc::new(StdFiles), path, out, progress)
}

/// [`import`], but writes the tape through `files`. An I/O error from `files` ends the import, and the unfinished tape is removed.
pub fn import_through(
    files: Arc<dyn Files>,
    path: &Path,
    out: &Path,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<Imported, ImportError> {
    import_with(files, path, out, &ImportOptions::default(), progress)
}

/// [`import_through`] with additional information about the source.
pub fn import_with(
    files: Arc<dyn Files>,
    path: &Path,
    out: &Path,
    options: &ImportOptions,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<Imported, ImportError> {
    let kind = detect(path)?;
    if out.exists() {
        return Err(ImportError::Exists { path: out.into() });
    }
    let source = Source::open(path)?.with_options(options);
    let total_bytes = source.bytes.saturating_mul(2);
    let mut at = |done_bytes| progress(ImportProgress { done_bytes, total_bytes });
    let read = |source| ImportError::Read { path: path.into(), source };
    let tape_id = crate::identity::id_of_content(&mut open_source(path)?, &mut at).map_err(read)?;
    let mut tape = OnTape::new(files, out, tape_id);
    let Found { frames, problems } =
        kind.importer().read(&source, &mut tape, &mut |done| at(source.bytes.saturating_add(done)))?;
    let tape_bytes = tape.finish()?;
    at(total_bytes);
    Ok(Imported { kind, tape_id, source_bytes: source.bytes, tape_bytes, frames, problems })
}
