//! Resumable uploads of tapes from another machine: accepts chunks with their offsets, verifies the complete file and adds it to the
//! catalogue.
//!
//! ```text
//! FOLDER/incoming/ID-CHECKSUM.part   grows by chunks; a sender that resumes after a crash is given the next offset
//!         │ complete: verify the BLAKE3 checksum, then every block of the tape
//!         ▼
//! FOLDER/received/NAME.gtape         hard link under an unused name; then added to the catalogue; then the .part file is removed
//! ```
//! The upload survives a crash at any point: existing files are checked again, and an incomplete step is repeated.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use gametape_format::TapeId;
use gametape_format::read::Tape;

use super::catalogue::{checksum_of, file_of, look_at};
use super::contract::Store;
use super::error::StoreError;
use crate::names::EXTENSION;
use crate::paths::{create_private_folder, free_bytes};

/// Maximum size of a tape, in bytes.
pub const LARGEST_TAPE: u64 = 64 << 30;
/// Minimum free space to leave on the disk, in bytes.
const RESERVE: u64 = 1 << 30;
/// Maximum number of unfinished uploads.
const MOST_PARTS: usize = 32;
/// Idle time after which an unfinished upload may be removed in favour of a new one when the limit is reached.
const IDLE: Duration = Duration::from_secs(60 * 60);
/// Idle time after which an unfinished upload is removed.
const EXPIRED: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Maximum number of numbered file names to try.
const MOST_NAMES: u32 = 1000;

/// Why a tape or a chunk was rejected.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IncomingError {
    /// The declaration of the tape is invalid.
    #[error("{what}")]
    Declared {
        /// What is invalid.
        what: &'static str,
    },
    /// The tape is too large.
    #[error("the tape has {found} bytes; at most {LARGEST_TAPE} are accepted")]
    TooLarge {
        /// Its size in bytes.
        found: u64,
    },
    /// The disk has too little free space.
    #[error("the disk has too little free space for {needed} more bytes")]
    NoRoom {
        /// Number of bytes that remain to be uploaded.
        needed: u64,
    },
    /// Too many uploads are unfinished.
    #[error("{MOST_PARTS} uploads are unfinished, and all of them made progress within the last hour: try again later")]
    TooMany,
    /// The chunk does not begin at the expected offset.
    #[error("the next chunk must begin at offset {expected}, not {found}")]
    WrongOffset {
        /// The offset of the next chunk.
        expected: u64,
        /// The offset that was sent.
        found: u64,
    },
    /// The upload is complete, but its content is not the declared tape.
    #[error("the upload is not the declared tape: {what}; it was discarded")]
    NotWhole {
        /// How it differs.
        what: &'static str,
    },
    /// An I/O error.
    #[error("disk error: {0}")]
    Disk(#[from] io::Error),
    /// An error of the store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file of another program that is complete cannot be imported.
    #[cfg(feature = "import")]
    #[error("the file cannot be imported: {0}")]
    Import(#[from] crate::import::ImportError),
}

/// An upload, whatever its content is.
pub(super) struct Upload<'a> {
    pub(super) id: &'a TapeId,
    pub(super) part: PathBuf,
    pub(super) bytes: u64,
}

/// The declaration of a tape that is to be uploaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// Its id.
    pub id: TapeId,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its BLAKE3 hash, in hex.
    pub checksum: String,
    /// Its file name, if known. A name that is not safe is replaced with the id.
    pub file: Option<String>,
}

/// The progress of an upload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrived {
    /// The offset of the next chunk.
    pub offset: u64,
    /// Whether the tape is in the catalogue.
    pub complete: bool,
}

/// Receives tapes into a folder.
#[derive(Debug)]
pub struct Incoming {
    folder: PathBuf,
    place: String,
    /// Serializes all uploads, so that two senders of the same tape do not interleave.
    pub(super) one: Mutex<()>,
}

impl Incoming {
    /// Creates a receiver for `folder` on the machine `place`.
    #[must_use]
    pub fn new(folder: PathBuf, place: String) -> Self {
        Self { folder, place, one: Mutex::new(()) }
    }

    /// Starts or resumes an upload. Returns the offset of the next chunk.
    ///
    /// # Errors
    /// If the declaration is invalid, or there is too little free space.
    pub fn begin(&self, store: &dyn Store, declared: &Declared) -> Result<Arrived, IncomingError> {
        declared.check()?;
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        if is_complete_here(store, declared)? {
            return Ok(Arrived { offset: declared.bytes, complete: true });
        }
        let offset = self.resume(&self.upload(declared))?;
        match offset >= declared.bytes {
            true => self.finish(store, declared),
            false => Ok(Arrived { offset, complete: false }),
        }
    }

    /// Appends a chunk. The last chunk completes the upload.
    ///
    /// # Errors
    /// If the offset is not the expected one, the disk is full, or the complete upload is not the declared tape.
    pub fn append(
        &self,
        store: &dyn Store,
        declared: &Declared,
        offset: u64,
        piece: &[u8],
    ) -> Result<Arrived, IncomingError> {
        declared.check()?;
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        let end = self.write_piece(&self.upload(declared), offset, piece)?;
        match end < declared.bytes {
            true => Ok(Arrived { offset: end, complete: false }),
            false => self.finish(store, declared),
        }
    }

    fn upload<'a>(&self, declared: &'a Declared) -> Upload<'a> {
        Upload { id: &declared.id, part: self.part(declared), bytes: declared.bytes }
    }

    /// Starts or resumes an upload. Returns the offset of the next chunk.
    pub(super) fn resume(&self, upload: &Upload<'_>) -> Result<u64, IncomingError> {
        let offset = length_of(&upload.part)?;
        if offset == 0 {
            self.make_room(upload)?;
        }
        self.check_room(upload.bytes.saturating_sub(offset))?;
        Ok(offset)
    }

    /// Appends a chunk to the file of an upload. Returns the offset of the next one; the last chunk is synced.
    pub(super) fn write_piece(&self, upload: &Upload<'_>, offset: u64, piece: &[u8]) -> Result<u64, IncomingError> {
        let expected = length_of(&upload.part)?;
        let end = offset.saturating_add(piece.len() as u64);
        if offset != expected || end > upload.bytes {
            return Err(IncomingError::WrongOffset { expected, found: offset });
        }
        if expected == 0 {
            self.make_room(upload)?;
        }
        self.check_room(piece.len() as u64)?;
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&upload.part)?;
        if let Err(error) = file.write_all(piece) {
            // Remove a partially written chunk: it would be counted as received.
            file.set_len(offset)?;
            return Err(error.into());
        }
        if end >= upload.bytes {
            file.sync_all()?;
        }
        Ok(end)
    }

    /// Makes room for a new upload: removes older versions of the same tape and expired uploads, and, if the limit is reached, the upload
    /// that has been idle longest.
    fn make_room(&self, upload: &Upload<'_>) -> Result<(), IncomingError> {
        create_private_folder(&self.parts())?;
        let (own, id) = (&upload.part, upload.id.to_string());
        let mut others = Vec::new();
        for entry in fs::read_dir(self.parts())? {
            let entry = entry?;
            if entry.path() == *own {
                continue;
            }
            let modified = entry.metadata()?.modified()?;
            // A modification time in the future, after the clock was set back, counts as now.
            let idle = SystemTime::now().duration_since(modified).unwrap_or_default();
            // The sender has changed the tape since, or has abandoned the upload.
            match entry.file_name().to_string_lossy().starts_with(&id) || idle >= EXPIRED {
                true => fs::remove_file(entry.path())?,
                false => others.push((idle, entry.path())),
            }
        }
        if others.len() < MOST_PARTS {
            return Ok(());
        }
        match others.into_iter().max() {
            Some((idle, path)) if idle >= IDLE => Ok(fs::remove_file(path)?),
            _ => Err(IncomingError::TooMany),
        }
    }

    /// Verifies the complete upload, gives it a name, and adds it to the catalogue.
    fn finish(&self, store: &dyn Store, declared: &Declared) -> Result<Arrived, IncomingError> {
        let part = self.part(declared);
        if let Err(what) = verify_upload(&part, declared)? {
            fs::remove_file(&part)?;
            return Err(IncomingError::NotWhole { what });
        }
        let path = self.link_final_name(&part, declared)?;
        let (found, _) = look_at(store, &self.place, &path)?;
        if !found.unreadable.is_empty() {
            return Err(IncomingError::NotWhole { what: "it cannot be read" });
        }
        fs::remove_file(&part)?;
        Ok(Arrived { offset: declared.bytes, complete: true })
    }

    /// Links the file under an unused name. Finds the link again that was made before a crash.
    fn link_final_name(&self, part: &Path, declared: &Declared) -> Result<PathBuf, IncomingError> {
        let folder = self.folder.join("received");
        create_private_folder(&folder)?;
        let stem = declared.stem();
        for number in 1..=MOST_NAMES {
            let name = if number == 1 { stem.clone() } else { format!("{stem}-{number}") };
            let path = folder.join(format!("{name}.{EXTENSION}"));
            match fs::hard_link(part, &path) {
                Ok(()) => {
                    if let Ok(folder) = File::open(&folder) {
                        // Not every system can sync a folder. The catalogue detects a tape that is missing.
                        let _ = folder.sync_all();
                    }
                    return Ok(path);
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                    if Tape::open(&path).is_ok_and(|tape| tape.id() == Some(declared.id))
                        && checksum_of(&path).is_ok_and(|checksum| checksum == declared.checksum)
                    {
                        return Ok(path);
                    }
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(IncomingError::Declared { what: "there are too many tapes with this name" })
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    pub(super) fn parts(&self) -> PathBuf {
        self.folder.join("incoming")
    }

    fn part(&self, declared: &Declared) -> PathBuf {
        self.parts().join(format!("{}-{}.part", declared.id, declared.checksum))
    }

    fn check_room(&self, needed: u64) -> Result<(), IncomingError> {
        let nearest = self.folder.ancestors().find(|folder| folder.is_dir());
        match nearest.and_then(free_bytes) {
            Some(free) if free < needed.saturating_add(RESERVE) => Err(IncomingError::NoRoom { needed }),
            _ => Ok(()),
        }
    }
}

impl Declared {
    fn check(&self) -> Result<(), IncomingError> {
        let is_hex = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if self.checksum.len() != 64 || !self.checksum.bytes().all(is_hex) {
            return Err(IncomingError::Declared { what: "the checksum must have 64 hexadecimal digits" });
        }
        match self.bytes {
            0 => Err(IncomingError::Declared { what: "the size must be greater than 0" }),
            found if found > LARGEST_TAPE => Err(IncomingError::TooLarge { found }),
            _ => Ok(()),
        }
    }

    /// Returns the file name without its extension, or the id if the name has unsafe characters: it becomes part of a local path.
    fn stem(&self) -> String {
        let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
        let stem = self.file.as_deref().and_then(|file| file.strip_suffix(EXTENSION)?.strip_suffix('.'));
        match stem.filter(|stem| (1..=120).contains(&stem.len()) && stem.chars().all(plain)) {
            Some(stem) => stem.to_owned(),
            None => self.id.to_string(),
        }
    }
}

fn length_of(path: &Path) -> io::Result<u64> {
    match path.metadata() {
        Ok(metadata) => Ok(metadata.len()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    }
}

/// Returns whether the catalogue has the tape with this content, and its file exists.
fn is_complete_here(store: &dyn Store, declared: &Declared) -> Result<bool, StoreError> {
    let known = store.tape(declared.id)?.filter(|known| known.checksum.as_ref() == Some(&declared.checksum));
    Ok(known.is_some() && file_of(store, declared.id)?.is_some())
}

/// Verifies that the file is the declared tape, complete and undamaged. The inner error is the reason if it is not.
fn verify_upload(path: &Path, declared: &Declared) -> io::Result<Result<(), &'static str>> {
    if length_of(path)? != declared.bytes || checksum_of(path)? != declared.checksum {
        return Ok(Err("its checksum differs"));
    }
    let Ok(tape) = Tape::open(path) else { return Ok(Err("it is not a tape")) };
    if tape.id() != Some(declared.id) {
        return Ok(Err("it is a different tape"));
    }
    Ok(match tape.verify(&mut |_| {}) {
        Ok(verified) if verified.is_ok() && tape.is_complete() => Ok(()),
        _ => Err("the tape is damaged or was not closed"),
    })
}
