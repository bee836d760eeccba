//! Uploads of files of other programs: received in chunks like tapes ([`Incoming`]), then imported.
//!
//! ```text
//! FOLDER/incoming/ID-file.part       grows by chunks
//!         │ complete
//!         ▼
//! FOLDER/importing/ID/NAME           the file under its own name, and the `.ldx` beside it
//!         │ imported
//!         ▼
//! FOLDER/received/NAME.gtape         added to the catalogue, its laps to the store; then the other files are removed
//! ```

use std::fs::{self, File};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};

use gametape_format::TapeId;
use gametape_format::write::StdFiles;

use super::catalogue::file_of;
use super::catch_up::{Added, add_tape};
use super::contract::Store;
use super::edits::Edit;
use super::incoming::{Incoming, IncomingError, Upload};
use super::query::{Audience, Filter, LARGEST_PAGE, ListQuery};
use crate::import::{ImportError, ImportOptions, Imported, import_with, tape_id_of};
use crate::names::{EXTENSION, free_path};
use crate::paths::create_private_folder;

/// Maximum size of an uploaded file, in bytes.
pub const LARGEST_FILE: u64 = 1 << 30;
/// Maximum size of the file beside it, in bytes.
const LARGEST_BESIDE: u64 = 1 << 20;
/// Longest file name, in characters.
const LONGEST_NAME: usize = 120;

/// The declaration of a file that is to be uploaded and imported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredFile {
    /// Identifies the upload; chosen by the client.
    pub upload: TapeId,
    /// Its size in bytes, with the file beside it.
    pub bytes: u64,
    /// Its file name. Unsafe characters are replaced.
    pub file: String,
    /// How many of the last bytes are the `.ldx` file beside a MoTeC log; 0 if there is none.
    pub beside_bytes: u64,
    /// The laps are the user's own.
    pub is_own: bool,
}

/// The progress of an upload.
#[derive(Debug)]
pub struct FileArrived {
    /// The offset of the next chunk.
    pub offset: u64,
    /// The result, once the file is complete.
    pub done: Option<FileDone>,
}

/// The result of an import.
#[derive(Debug)]
pub struct FileDone {
    /// The tape.
    pub tape: TapeId,
    /// What was imported; `None` if a tape of the same bytes existed.
    pub imported: Option<Imported>,
    /// The tape in the catalogue, and its laps.
    pub added: Added,
}

impl Incoming {
    /// Starts or resumes the upload of a file. Returns the offset of the next chunk.
    ///
    /// # Errors
    /// If the declaration is invalid, or there is too little free space.
    pub fn begin_file(&self, declared: &DeclaredFile) -> Result<FileArrived, IncomingError> {
        declared.check()?;
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        let offset = self.resume(&self.upload_of(declared))?;
        Ok(FileArrived { offset: offset.min(declared.bytes.saturating_sub(1)), done: None })
    }

    /// Appends a chunk. The last chunk completes the upload, and the file is imported.
    ///
    /// # Errors
    /// If the offset is not the expected one, the disk is full, or the file cannot be imported. A file that cannot be imported is removed.
    pub fn append_file(
        &self,
        store: &dyn Store,
        declared: &DeclaredFile,
        offset: u64,
        piece: &[u8],
    ) -> Result<FileArrived, IncomingError> {
        declared.check()?;
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        let upload = self.upload_of(declared);
        let end = self.write_piece(&upload, offset, piece)?;
        if end < declared.bytes {
            return Ok(FileArrived { offset: end, done: None });
        }
        let folder = self.folder().join("importing").join(declared.upload.to_string());
        // Left by a program that was killed.
        let _ = fs::remove_dir_all(&folder);
        create_private_folder(&folder)?;
        let done = self.import_part(store, declared, &upload.part, &folder);
        let _ = fs::remove_file(&upload.part);
        fs::remove_dir_all(&folder)?;
        Ok(FileArrived { offset: end, done: Some(done?) })
    }

    fn upload_of<'a>(&self, declared: &'a DeclaredFile) -> Upload<'a> {
        let part = self.parts().join(format!("{}-file.part", declared.upload));
        Upload { id: &declared.upload, part, bytes: declared.bytes }
    }

    /// Imports a complete file.
    fn import_part(
        &self,
        store: &dyn Store,
        declared: &DeclaredFile,
        part: &Path,
        folder: &Path,
    ) -> Result<FileDone, IncomingError> {
        let source = folder.join(declared.name());
        if declared.beside_bytes > 0 {
            split_off(part, declared.beside_bytes, &source.with_extension("ldx"))?;
        }
        fs::rename(part, &source)?;
        let tape = tape_id_of(&source, |file| file)?;
        let existing = file_of(store, tape)?;
        let (path, imported) = match existing {
            Some(path) => (path, None),
            None => {
                let received = self.folder().join("received");
                create_private_folder(&received)?;
                let named = received.join(source.file_name().unwrap_or_default()).with_extension(EXTENSION);
                let out = free_path(&named, &|path: &Path| path.exists());
                let options = ImportOptions { is_own: declared.is_own, ..ImportOptions::default() };
                let imported = import_with(Arc::new(StdFiles), &source, &out, &options, &mut |_| {})?;
                (out, Some(imported))
            }
        };
        let added = add_tape(store, self.place(), &path, false)?;
        if declared.is_own {
            claim(store, tape)?;
        }
        Ok(FileDone { tape, imported, added })
    }
}

/// Marks the sessions of a tape as the user's own.
pub fn claim(store: &dyn Store, tape: TapeId) -> Result<(), super::StoreError> {
    let filter = Filter { tape: Some(tape), ..Filter::default() };
    let query = ListQuery { filter, limit: LARGEST_PAGE, after: None };
    let own = Edit { foreign: Some(false), ..Edit::default() };
    let sessions = store.sessions(&query, Audience::Owner)?.items;
    let mut foreign = sessions.into_iter().filter(|found| found.session.foreign);
    foreign.try_for_each(|found| store.edit_session(found.session.id, &own).map(drop))
}

/// Moves the last bytes of a file to another one.
fn split_off(path: &Path, bytes: u64, to: &PathBuf) -> std::io::Result<()> {
    let mut file = File::options().read(true).write(true).open(path)?;
    let length = file.metadata()?.len().saturating_sub(bytes);
    file.seek(SeekFrom::Start(length))?;
    let mut last = Vec::new();
    (&mut file).take(bytes).read_to_end(&mut last)?;
    File::create_new(to)?.write_all(&last)?;
    file.set_len(length)
}

impl DeclaredFile {
    fn check(&self) -> Result<(), IncomingError> {
        match self.bytes {
            found if found > LARGEST_FILE => Err(IncomingError::TooLarge { found }),
            0 => Err(IncomingError::Declared { what: "the size must be greater than 0" }),
            bytes if self.beside_bytes > LARGEST_BESIDE || self.beside_bytes >= bytes => Err(IncomingError::Declared {
                what: "the file beside it must be smaller than the file, and at most 1 MiB",
            }),
            _ => Ok(()),
        }
    }

    /// Returns the file name with unsafe characters replaced: it becomes part of a local path, and of metadata.
    fn name(&self) -> String {
        let safe = |letter: char| if letter.is_alphanumeric() || " ._-()".contains(letter) { letter } else { '_' };
        let name: String = self.file.chars().map(safe).take(LONGEST_NAME).collect();
        let name = name.trim_matches(|letter: char| letter == '.' || letter.is_whitespace());
        if name.is_empty() { "upload".to_owned() } else { name.to_owned() }
    }
}

impl FileDone {
    /// Returns the problems of the file. Everything else in it was imported.
    #[must_use]
    pub fn problems(&self) -> &[String] {
        self.imported.as_ref().map_or(&[], |imported| &imported.problems)
    }
}

/// Returns whether the file itself is at fault, and not this machine.
#[must_use]
pub fn is_of_file(error: &ImportError) -> bool {
    !matches!(
        error,
        ImportError::Read { .. } | ImportError::Create(_) | ImportError::Build(_) | ImportError::Exists { .. }
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_parts_of_paths() {
        let name = |file: &str| {
            DeclaredFile { upload: TapeId([1; 16]), bytes: 5, file: file.into(), beside_bytes: 0, is_own: false }.name()
        };
        assert_eq!(name("Garage 61 - A - 01.25.914 - x.csv"), "Garage 61 - A - 01.25.914 - x.csv");
        assert_eq!(name("../../etc/passwd"), "_.._etc_passwd");
        assert_eq!([name(""), name("..."), name("a\0b\\c:d")], ["upload", "upload", "a_b_c_d"]);
        assert_eq!(name(&"é".repeat(500)).chars().count(), LONGEST_NAME);
    }
}
