//! Files of other programs to tapes.
//!
//! What a file is, its content says ([`detect`]), not its name. Each kind has an [`Importer`] in a file of its own; [`import`]
//! picks it. A tape's id comes from the bytes of its source, so importing a file again gives the same tape to the byte.
//! What is wrong with a source is kept beside what is whole: as events, as metadata and in [`Imported::problems`].

mod about;
mod against;
pub(crate) mod captures;
pub(crate) mod echo_streams;
pub(crate) mod echoreplay;
mod error;
mod fuzz;
mod gamesdat;
mod ibt;
mod ibt_pieces;
mod kind;
mod ksana;
mod out;
mod problems;
mod replay;
mod rest;
mod source;

use std::path::Path;
use std::sync::Arc;

use gametape_format::TapeId;
use gametape_format::write::{Files, StdFiles};

pub use against::{AgainstError, Comparison, Difference, compare_with_source, compare_with_source_using};
pub use captures::CaptureError;
pub use echoreplay::EchoReplayError;
pub use error::ImportError;
pub use gamesdat::GamesDatError;
pub use kind::{Kind, detect};
pub use ksana::KsanaError;
pub use out::Out;
pub use replay::ReplayError;
pub use source::Source;
pub use telemetry_v2::{Dictionary, DictionaryError};

#[doc(hidden)]
pub use fuzz::{fuzz_echoreplay, fuzz_import_nevrcap, fuzz_import_v2_dictionary, fuzz_import_v2_tape};
#[doc(hidden)]
pub use fuzz::{fuzz_gamesdat, fuzz_gamesdat_resealed, fuzz_ksana, fuzz_ksana_resealed, fuzz_replay};

use out::OnTape;

/// How far an import has come. The source is read twice: for the tape's id and for its content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportProgress {
    /// Bytes read.
    pub done_bytes: u64,
    /// Bytes in all.
    pub total_bytes: u64,
}

/// What an import made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Imported {
    /// What the source was.
    pub kind: Kind,
    /// Identity of the tape.
    pub tape_id: TapeId,
    /// Length of the source.
    pub source_bytes: u64,
    /// Length of the tape.
    pub tape_bytes: u64,
    /// Frames of the source: each moment it recorded counts once, descriptions do not count.
    pub frames: u64,
    /// What was wrong with the source. What is whole was kept.
    pub problems: Vec<String>,
}

/// What a reader found in a source.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Found {
    /// Frames of the source.
    pub frames: u64,
    /// What is wrong with it.
    pub problems: Vec<String>,
}

/// What a caller knows of a source beyond its bytes.
#[derive(Debug, Clone, Default)]
pub struct ImportOptions {
    /// The zstd dictionary that a capture of Telemetry V2 was packed with. Files without one are read all the same.
    pub dictionary: Option<Dictionary>,
}

/// Reads one kind of file.
pub trait Importer: Sync {
    /// Hands over everything that is in the source; says how many bytes of it are done.
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError>;
}

/// Makes the tape `out` of the file `path`. Nothing is overwritten, and no half tape is left behind.
pub fn import(path: &Path, out: &Path, progress: &mut dyn FnMut(ImportProgress)) -> Result<Imported, ImportError> {
    import_through(Arc::new(StdFiles), path, out, progress)
}

/// [`import`] with the tape written through `files`: an error of theirs ends the import, and the unfinished tape is removed.
pub fn import_through(
    files: Arc<dyn Files>,
    path: &Path,
    out: &Path,
    progress: &mut dyn FnMut(ImportProgress),
) -> Result<Imported, ImportError> {
    import_with(files, path, out, &ImportOptions::default(), progress)
}

/// [`import_through`] with what the caller knows of the source.
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
    let mut file = gametape_format::open_regular(path).map_err(read)?;
    let tape_id = crate::identity::id_of_content(&mut file, &mut at).map_err(read)?;
    let mut tape = OnTape::new(files, out, tape_id);
    let Found { frames, problems } =
        kind.importer().read(&source, &mut tape, &mut |done| at(source.bytes.saturating_add(done)))?;
    let tape_bytes = tape.finish()?;
    at(total_bytes);
    Ok(Imported { kind, tape_id, source_bytes: source.bytes, tape_bytes, frames, problems })
}
