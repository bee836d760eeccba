//! Copies finds to the archive and imports them to tapes, as configured. [`crate::import`] defines the supported formats.

use std::fs::File;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape_format::TapeId;
use gametape_format::read::Tape;
use gametape_format::write::{Files, StdFiles, TapeFile};

use super::archive::{ArchiveError, copy_item};
use super::content::ContentHash;
use super::found::{Archive, Import};
use super::item::Item;
use super::setup::Setup;
use super::signals::Stopping;
use crate::import::{ImportError, Kind, detect, import_through};
use crate::names::{EXTENSION, free_path};
use crate::paths::create_private_folder;

/// Number of bytes at the start of a tape that contain its id.
const START_BYTES: u64 = 4096;

/// Imports `source` to a tape in `folder`, unless a tape with the same content is there. Returns `None` if the watch was stopped.
pub(super) fn import_into(
    folder: &Path,
    source: &Path,
    kind: Result<Kind, ImportError>,
    hash: ContentHash,
    stopping: &Stopping,
) -> Option<Import> {
    match kind {
        Ok(_) => {}
        Err(error @ (ImportError::UnknownKind { .. } | ImportError::IsTape)) => {
            return Some(Import::NotReadable(error));
        }
        Err(error) => return Some(Import::Failed(error)),
    }
    if let Some(tape) = tape_with_id(folder, hash.tape_id()) {
        return Some(Import::AlreadyThere { tape, tape_id: hash.tape_id() });
    }
    let read = |source| ImportError::Read { path: folder.into(), source };
    if let Err(error) = create_private_folder(folder) {
        return Some(Import::Failed(read(error)));
    }
    let name = source.with_extension(EXTENSION);
    let wanted = folder.join(name.file_name().unwrap_or_default());
    let mut taken_since = Vec::new();
    loop {
        let tape = free_path(&wanted, &|path| path.exists() || taken_since.iter().any(|taken| taken == path));
        let files = Arc::new(StoppingFiles(stopping.clone()));
        // A malicious file must not end the watch.
        let imported = catch_unwind(AssertUnwindSafe(|| import_through(files, source, &tape, &mut |_| {})));
        return Some(match imported {
            Ok(Ok(imported)) => Import::Made { tape, imported: Box::new(imported) },
            Ok(Err(_)) if stopping.is_wanted() => return None,
            Ok(Err(ImportError::Exists { path })) => {
                taken_since.push(path);
                continue;
            }
            Ok(Err(error)) => Import::Failed(error),
            Err(_) => Import::Failed(ImportError::Read {
                path: source.into(),
                source: io::Error::other("the importer crashed; please report this file"),
            }),
        });
    }
}

/// Returns the tape in a folder with this id.
fn tape_with_id(folder: &Path, id: TapeId) -> Option<PathBuf> {
    let entries = std::fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path());
    let mut tapes = entries.filter(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
    tapes.find(|path| id_of(path) == Some(id))
}

fn id_of(tape: &Path) -> Option<TapeId> {
    let mut start = Vec::new();
    File::open(tape).and_then(|file| file.take(START_BYTES).read_to_end(&mut start)).ok()?;
    Tape::from_bytes(start).ok()?.id()
}

/// Files that fail to grow once the watch is stopped: the import then fails as with a full disk, and removes the incomplete tape.
struct StoppingFiles(Stopping);

impl StoppingFiles {
    fn go_on(stopping: &Stopping) -> io::Result<()> {
        if stopping.is_wanted() { Err(io::Error::other("the watch was stopped")) } else { Ok(()) }
    }
}

impl Files for StoppingFiles {
    fn create_tape(&self, path: &Path) -> io::Result<Box<dyn TapeFile>> {
        Self::go_on(&self.0)?;
        Ok(Box::new(StoppingFile { file: StdFiles.create_tape(path)?, stopping: self.0.clone(), begun: false }))
    }

    fn publish(&self, from: &Path, to: &Path) -> io::Result<()> {
        Self::go_on(&self.0)?;
        StdFiles.publish(from, to)
    }
}

struct StoppingFile {
    file: Box<dyn TapeFile>,
    stopping: Stopping,
    /// The first write always succeeds: an incomplete file is removed only if it was begun.
    begun: bool,
}

impl TapeFile for StoppingFile {
    fn append(&mut self, data: &[u8]) -> io::Result<()> {
        if std::mem::replace(&mut self.begun, true) {
            StoppingFiles::go_on(&self.stopping)?;
        }
        self.file.append(data)
    }

    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.file.truncate(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        StoppingFiles::go_on(&self.stopping)?;
        self.file.sync()
    }
}

/// No importer reads the folder of a match.
fn a_folder() -> ImportError {
    ImportError::UnknownKind { looks_like: "a folder".into() }
}

/// The results for a find.
pub(super) struct Kept {
    pub(super) kind: Option<Kind>,
    pub(super) archive: Archive,
    pub(super) import: Import,
}

/// Copies and imports a find. Returns `None` if the watch was stopped; nothing incomplete is left then.
pub(super) fn keep(item: &Item, hash: ContentHash, setup: &Setup, stopping: &Stopping) -> Option<Kept> {
    // First, because the game may delete the source.
    let archive = match &setup.archive {
        Some(folder) => copy_item(folder, item, hash, &|| stopping.is_wanted()),
        None => Archive::NotWanted,
    };
    if matches!(archive, Archive::Failed(ArchiveError::Stopped)) {
        return None;
    }
    let detected = if item.is_folder { Err(a_folder()) } else { detect(&item.path) };
    let kind = detected.as_ref().ok().copied();
    let import = match &setup.tapes {
        Some(folder) => import_into(folder, &item.path, detected, hash, stopping)?,
        None => Import::NotWanted,
    };
    Some(Kept { kind, archive, import })
}
