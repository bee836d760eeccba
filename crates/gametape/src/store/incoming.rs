//! Tapes that come from another machine, in pieces: takes bytes with their places, gives a tape in the catalogue once it was found whole.
//!
//! ```text
//! FOLDER/incoming/ID-CHECKSUM.part   grows by pieces; who comes back after a crash is told how far it is
//!         │ all there: BLAKE3, then every block of the tape
//!         ▼
//! FOLDER/received/NAME.gtape         under a name that nothing had; into the catalogue; only then the part goes
//! ```
//! Killed at any point, it goes on: what is there is looked at again, and what was not whole begins anew.

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

/// The largest tape that is taken.
pub const LARGEST_TAPE: u64 = 64 << 30;
/// What is left free on the disk.
const RESERVE: u64 = 1 << 30;
/// Unfinished uploads at once.
const MOST_PARTS: usize = 32;
/// An unfinished upload that has not grown for this long gives way to a new one if there are too many.
const IDLE: Duration = Duration::from_secs(60 * 60);
/// An unfinished upload that has not grown for this long is removed.
const EXPIRED: Duration = Duration::from_secs(7 * 24 * 60 * 60);
/// Names with numbers behind them that are tried.
const MOST_NAMES: u32 = 1000;

/// Why a tape, or a piece of it, was not taken.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IncomingError {
    /// What is said of the tape makes no sense.
    #[error("{what}")]
    Declared {
        /// What is wrong.
        what: &'static str,
    },
    /// It is too large.
    #[error("the tape has {found} bytes; at most {LARGEST_TAPE} are taken")]
    TooLarge {
        /// Its size.
        found: u64,
    },
    /// There is too little room.
    #[error("there is too little room for {needed} more bytes")]
    NoRoom {
        /// What is missing of it.
        needed: u64,
    },
    /// Too many uploads are unfinished.
    #[error("{MOST_PARTS} uploads are unfinished, and all of them grew within the last hour: try again later")]
    TooMany,
    /// The piece is not the next one.
    #[error("the next piece begins at {expected}, not at {found}")]
    WrongOffset {
        /// Where it begins.
        expected: u64,
        /// Where this one does.
        found: u64,
    },
    /// All is here, and it is something else.
    #[error("what arrived is not what was announced: {what}; it was thrown away")]
    NotWhole {
        /// In what way.
        what: &'static str,
    },
    /// The disk.
    #[error("the disk: {0}")]
    Disk(#[from] io::Error),
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is said of a tape before it comes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// Its id.
    pub id: TapeId,
    /// Its size.
    pub bytes: u64,
    /// BLAKE3 of it, in hex.
    pub checksum: String,
    /// The name of its file, if it has a good one.
    pub file: Option<String>,
}

/// How far it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrived {
    /// Where the next piece begins.
    pub offset: u64,
    /// It is in the catalogue.
    pub complete: bool,
}

/// Takes tapes into a folder.
#[derive(Debug)]
pub struct Incoming {
    folder: PathBuf,
    place: String,
    /// One piece at a time: two that bring the same tape do not mix.
    one: Mutex<()>,
}

impl Incoming {
    /// Takes tapes into this folder of the machine with this name.
    #[must_use]
    pub fn new(folder: PathBuf, place: String) -> Self {
        Self { folder, place, one: Mutex::new(()) }
    }

    /// Says how far a tape is.
    ///
    /// # Errors
    /// If it is not wanted like this, or there is no room.
    pub fn begin(&self, store: &dyn Store, declared: &Declared) -> Result<Arrived, IncomingError> {
        declared.check()?;
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        if is_here(store, declared)? {
            return Ok(Arrived { offset: declared.bytes, complete: true });
        }
        let offset = length_of(&self.part(declared))?;
        if offset == 0 {
            self.make_place(declared)?;
        }
        self.check_room(declared.bytes.saturating_sub(offset))?;
        match offset >= declared.bytes {
            true => self.finish(store, declared),
            false => Ok(Arrived { offset, complete: false }),
        }
    }

    /// Takes a piece.
    ///
    /// # Errors
    /// If it is not the next one, if the disk is full, or if all is here and not whole.
    pub fn append(
        &self,
        store: &dyn Store,
        declared: &Declared,
        offset: u64,
        piece: &[u8],
    ) -> Result<Arrived, IncomingError> {
        declared.check()?;
        let _one = self.one.lock().unwrap_or_else(PoisonError::into_inner);
        let part = self.part(declared);
        let expected = length_of(&part)?;
        let end = offset.saturating_add(piece.len() as u64);
        if offset != expected || end > declared.bytes {
            return Err(IncomingError::WrongOffset { expected, found: offset });
        }
        if expected == 0 {
            self.make_place(declared)?;
        }
        self.check_room(piece.len() as u64)?;
        let mut options = OpenOptions::new();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&part)?;
        if let Err(error) = file.write_all(piece) {
            // A part of a piece would be taken for all of it.
            file.set_len(offset)?;
            return Err(error.into());
        }
        if end < declared.bytes {
            return Ok(Arrived { offset: end, complete: false });
        }
        file.sync_all()?;
        drop(file);
        self.finish(store, declared)
    }

    /// Makes a place for a new upload: removes older contents of the same tape and expired uploads, and, if there are too many, the one that has been idle longest.
    fn make_place(&self, declared: &Declared) -> Result<(), IncomingError> {
        create_private_folder(&self.parts())?;
        let (own, id) = (self.part(declared), declared.id.to_string());
        let mut others = Vec::new();
        for entry in fs::read_dir(self.parts())? {
            let entry = entry?;
            if entry.path() == own {
                continue;
            }
            let modified = entry.metadata()?.modified()?;
            // A time in the future, after the clock was set back, is now.
            let idle = SystemTime::now().duration_since(modified).unwrap_or_default();
            // The tape has changed at its sender since, or nobody sends the rest.
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

    /// Looks at all of it, gives it a name, and puts it into the catalogue.
    fn finish(&self, store: &dyn Store, declared: &Declared) -> Result<Arrived, IncomingError> {
        let part = self.part(declared);
        if let Err(what) = look_through(&part, declared)? {
            fs::remove_file(&part)?;
            return Err(IncomingError::NotWhole { what });
        }
        let path = self.name_it(&part, declared)?;
        let (found, _) = look_at(store, &self.place, &path)?;
        if !found.unreadable.is_empty() {
            return Err(IncomingError::NotWhole { what: "it cannot be read" });
        }
        fs::remove_file(&part)?;
        Ok(Arrived { offset: declared.bytes, complete: true })
    }

    /// A second name for the file, which nothing had. One that it got before a crash is found again.
    fn name_it(&self, part: &Path, declared: &Declared) -> Result<PathBuf, IncomingError> {
        let folder = self.folder.join("received");
        create_private_folder(&folder)?;
        let stem = declared.stem();
        for number in 1..=MOST_NAMES {
            let name = if number == 1 { stem.clone() } else { format!("{stem}-{number}") };
            let path = folder.join(format!("{name}.{EXTENSION}"));
            match fs::hard_link(part, &path) {
                Ok(()) => {
                    if let Ok(folder) = File::open(&folder) {
                        // Not every system can sync a folder; the catalogue notices a tape that is not there.
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

    fn parts(&self) -> PathBuf {
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
            return Err(IncomingError::Declared { what: "a checksum has 64 hexadecimal digits" });
        }
        match self.bytes {
            0 => Err(IncomingError::Declared { what: "a tape has more than 0 bytes" }),
            found if found > LARGEST_TAPE => Err(IncomingError::TooLarge { found }),
            _ => Ok(()),
        }
    }

    /// The name without its extension: plain characters alone, since it becomes a path here.
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

/// Whether the catalogue has it, with this content, and the file is there.
fn is_here(store: &dyn Store, declared: &Declared) -> Result<bool, StoreError> {
    let known = store.tape(declared.id)?.filter(|known| known.checksum.as_ref() == Some(&declared.checksum));
    Ok(known.is_some() && file_of(store, declared.id)?.is_some())
}

/// Whether the file is the tape that was announced, whole; if not, why.
fn look_through(path: &Path, declared: &Declared) -> io::Result<Result<(), &'static str>> {
    if length_of(path)? != declared.bytes || checksum_of(path)? != declared.checksum {
        return Ok(Err("its checksum is another one"));
    }
    let Ok(tape) = Tape::open(path) else { return Ok(Err("it is no tape")) };
    if tape.id() != Some(declared.id) {
        return Ok(Err("it is another tape"));
    }
    Ok(match tape.verify(&mut |_| {}) {
        Ok(verified) if verified.is_ok() && tape.is_complete() => Ok(()),
        _ => Err("the tape is damaged or was not closed"),
    })
}
