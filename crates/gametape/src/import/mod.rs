//! Files of other programs to tapes.
//!
//! What a file is, its content says ([`detect`]), not its name. Each kind has an [`Importer`] in a file of its own; [`import`]
//! picks it. A tape's id comes from the bytes of its source, so importing a file again gives the same tape to the byte.
//! What is wrong with a source is kept beside what is whole: as events, as metadata and in [`Imported::problems`].

mod against;
mod error;
mod ibt;
mod ibt_pieces;
mod kind;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_format::TapeId;
use gametape_format::write::{Files, StdFiles, TapeBuilder, WriteOptions};

pub use against::{AgainstError, Comparison, Difference, compare_with_source};
pub use error::ImportError;
pub use kind::{Kind, detect};

/// A file to import.
#[derive(Debug)]
pub struct Source {
    /// The file, open.
    pub file: File,
    /// Its path.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
    /// The id of the tape it becomes.
    pub tape_id: TapeId,
}

impl Source {
    /// The file's name without its folder.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// Where a tape goes.
pub struct Target<'a> {
    files: Arc<dyn Files>,
    path: &'a Path,
}

impl Target<'_> {
    /// Begins the tape. An existing file is an error.
    pub fn create(&self, options: &WriteOptions) -> Result<TapeBuilder, ImportError> {
        Ok(TapeBuilder::create(self.files.clone(), self.path, options, false)?)
    }
}

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
    /// Frames of the game, descriptions not counted.
    pub frames: u64,
    /// What was wrong with the source. What is whole was kept.
    pub problems: Vec<String>,
}

/// Reads one kind of file.
pub trait Importer: Sync {
    /// Makes a tape of the source.
    fn import(
        &self,
        source: &Source,
        target: &Target<'_>,
        progress: &mut dyn FnMut(ImportProgress),
    ) -> Result<Imported, ImportError>;
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
    let read = |source| ImportError::Read { path: path.into(), source };
    let kind = detect(path)?;
    let importer = kind.importer().ok_or(ImportError::NotYet { kind })?;
    if out.exists() {
        return Err(ImportError::Exists { path: out.into() });
    }
    let mut file = File::open(path).map_err(read)?;
    let bytes = file.metadata().map_err(read)?.len();
    let total_bytes = bytes.saturating_mul(2);
    let mut hashed = |done_bytes| progress(ImportProgress { done_bytes, total_bytes });
    let tape_id = crate::identity::id_of_content(&mut file, &mut hashed).map_err(read)?;
    let source = Source { file, path: path.into(), bytes, tape_id };
    let target = Target { files, path: out };
    importer.import(&source, &target, progress)
}
