//! What is known of a file's content: its stamp, which is cheap, and its hash. Reading a file shows whether it is complete.

use std::fmt;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::time::UNIX_EPOCH;

use gametape_format::TapeId;

use super::signals::Stopping;

/// BLAKE3 hash of a file. Its text form is that of `b3sum`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Reads the source to its end. Returns `None` if `stop` returned `true` before.
    pub(super) fn of(source: &mut dyn Read, stop: &dyn Fn() -> bool) -> io::Result<Option<Self>> {
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 1 << 18];
        while !stop() {
            match source.read(&mut buffer) {
                Ok(0) => return Ok(Some(Self(*hasher.finalize().as_bytes()))),
                Ok(count) => {
                    hasher.update(buffer.get(..count).unwrap_or_default());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Returns the id of a tape that is imported from these bytes: it is derived from the same hash.
    pub fn tape_id(&self) -> TapeId {
        let mut id = [0; 16];
        for (to, from) in id.iter_mut().zip(self.0) {
            *to = from;
        }
        TapeId(id)
    }

    /// Parses the text form.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Length and modification time of a file. Equal stamps mean that the file is unchanged, as far as can be determined without reading it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) bytes: u64,
    /// UTC; `None` if the system does not provide it.
    pub(super) modified_ns: Option<i64>,
}

impl Stamp {
    pub(super) fn of(metadata: &Metadata) -> Self {
        let modified_ns = metadata.modified().ok().and_then(|time| match time.duration_since(UNIX_EPOCH) {
            Ok(after) => i64::try_from(after.as_nanos()).ok(),
            Err(before) => i64::try_from(before.duration().as_nanos()).ok().map(|ns| -ns),
        });
        Self { bytes: metadata.len(), modified_ns }
    }

    /// Adds another file: the sum of the lengths, and the later of the times.
    pub(super) fn add(&mut self, other: Self) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.modified_ns = self.modified_ns.max(other.modified_ns);
    }
}

/// The result of reading a file.
#[derive(Debug)]
pub(super) enum Examined {
    /// The file is complete.
    Complete(ContentHash),
    /// The file changed during reading, or its writer has locked it.
    NotYet,
    /// The file no longer exists.
    Gone,
    /// The file cannot be read.
    Unreadable(io::Error),
    /// The watch was stopped.
    Stopped,
}

/// Reads a file and checks that its stamp has not changed.
pub(super) fn examine(path: &Path, stamp: Stamp, stopping: &Stopping) -> Examined {
    match try_examine(path, stamp, stopping) {
        Ok(examined) => examined,
        Err(error) if error.kind() == io::ErrorKind::NotFound => Examined::Gone,
        Err(error) if is_in_use(&error) => Examined::NotYet,
        Err(error) => Examined::Unreadable(error),
    }
}

fn try_examine(path: &Path, stamp: Stamp, stopping: &Stopping) -> io::Result<Examined> {
    let mut file = open_unless_written(path)?;
    let Some(hash) = ContentHash::of(&mut file, &|| stopping.is_wanted())? else { return Ok(Examined::Stopped) };
    // Checks the file that was read, and the file that has the name now.
    let unchanged = Stamp::of(&file.metadata()?) == stamp && Stamp::of(&path.metadata()?) == stamp;
    Ok(if unchanged { Examined::Complete(hash) } else { Examined::NotYet })
}

/// Opens a file for reading. On Windows, fails if another program has it open for writing.
pub(super) fn open_unless_written(path: &Path) -> io::Result<File> {
    #[cfg(windows)]
    {
        use std::os::windows::fs::OpenOptionsExt;
        // Only a test: while the file is read, the game may write to it again.
        const SHARE_READ_AND_DELETE: u32 = 1 | 4;
        File::options().read(true).share_mode(SHARE_READ_AND_DELETE).open(path)?;
    }
    File::open(path)
}

/// Returns whether a Windows error is a sharing violation (32) or a lock violation (33).
pub(super) fn is_in_use(error: &io::Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(32 | 33))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_source_holds_the_id_of_its_tape() {
        let bytes: Vec<u8> = (0..1_000_000u32).map(|i| (i * 7) as u8).collect();
        let hash = ContentHash::of(&mut bytes.as_slice(), &|| false).unwrap().unwrap();
        assert_eq!(hash.tape_id(), crate::identity::id_of_content(&mut bytes.as_slice(), &mut |_| {}).unwrap());
        assert_eq!(hash.to_string(), blake3::hash(&bytes).to_hex().as_str());
        assert_eq!(ContentHash::parse(hash.to_string().as_bytes()), Some(hash));
        assert_eq!(ContentHash::of(&mut bytes.as_slice(), &|| true).unwrap(), None);
    }
}
