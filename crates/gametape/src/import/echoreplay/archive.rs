//! Locates the text in the file: plain, or a member of a zip archive.
//!
//! ```text
//! local header: PK 03 04, 26 bytes, name, extra, data … central directory: PK 01 02 … end: PK 05 06
//! ```

use std::ops::Range;

use crate::import::problems::Problems;
use crate::import::{ImportError, Source};

const LOCAL: &[u8] = b"PK\x03\x04";
const CENTRAL: &[u8] = b"PK\x01\x02";
const END: &[u8] = b"PK\x05\x06";
const LOCAL_BYTES: u64 = 30;
const CENTRAL_BYTES: usize = 46;
const END_BYTES: usize = 22;
/// Maximum length of the archive comment after the end record.
const COMMENT_BYTES: u64 = 65_535;
/// Maximum length of the central directory. An archive of a replay has one member.
const DIRECTORY_BYTES: u64 = 16 << 20;
/// A size with this value is stored in the zip64 extra field instead.
const ELSEWHERE: u64 = 0xFFFF_FFFF;

/// Why a file cannot be read as `.echoreplay`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EchoReplayError {
    /// No member of the archive can be a replay.
    #[error("the zip archive contains no file that can be a replay; extract it and import its content")]
    NoMember,
    /// The compression method is not supported.
    #[error(
        "the zip archive's member at byte {offset} uses compression method {method}, supported are 0 and 8; extract it and import its content"
    )]
    Method {
        /// Offset of the member.
        offset: u64,
        /// Number of the method.
        method: u16,
    },
    /// The member is encrypted.
    #[error("the zip archive is encrypted; extract it and import its content")]
    Encrypted,
    /// The archive decompresses to far more than any replay.
    #[error(
        "byte {offset}: {packed} bytes decompress to more than {unpacked}: this is a zip bomb, not a replay; nothing was imported"
    )]
    Bomb {
        /// Offset in the file.
        offset: u64,
        /// Compressed bytes read.
        packed: u64,
        /// Bytes they decompressed to.
        unpacked: u64,
    },
    /// The text has no line of a replay.
    #[error("none of {lines} lines begins with a time and a response of the game; this is not an Echo VR replay")]
    NoLines {
        /// Number of lines.
        lines: u64,
    },
}

/// Compression method of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflate,
}

/// Location of the text in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Archive {
    name: Option<String>,
    pub(super) method: Method,
    pub(super) data: Range<u64>,
    /// Length and CRC-32 of the decompressed text according to the archive.
    pub(super) expected: Option<(u64, u32)>,
}

/// An entry of the central directory.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    name: Vec<u8>,
    flags: u16,
    method: u16,
    crc: u32,
    packed: u64,
    unpacked: u64,
    offset: u64,
}

impl Archive {
    pub(super) fn open(source: &Source, problems: &mut Problems) -> Result<Self, ImportError> {
        let start = source.read(&(0..source.bytes.min(LOCAL_BYTES)))?;
        if !start.starts_with(LOCAL) {
            return Ok(Self { name: None, method: Method::Stored, data: 0..source.bytes, expected: None });
        }
        match Self::directory(source)? {
            Some(entries) => Self::of_entry(source, choose(entries, &source.name()).ok_or(EchoReplayError::NoMember)?),
            None => {
                problems.add(
                    "the zip archive has no list of its files: it was cut, what is there of the first one is read",
                );
                Self::of_first(source, &start)
            }
        }
    }

    /// Returns the name of the member.
    pub(super) fn member_name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    fn of_entry(source: &Source, entry: Entry) -> Result<Self, ImportError> {
        if entry.flags & 1 != 0 {
            return Err(EchoReplayError::Encrypted.into());
        }
        let end = entry.offset.saturating_add(LOCAL_BYTES).min(source.bytes);
        let local = source.read(&(entry.offset.min(end)..end))?;
        if !local.starts_with(LOCAL) || local.len() < LOCAL_BYTES as usize {
            return Err(EchoReplayError::NoMember.into());
        }
        let start = end + u64::from(u16_at(&local, 26)) + u64::from(u16_at(&local, 28));
        let start = start.min(source.bytes);
        let data = start..start.saturating_add(entry.packed).min(source.bytes);
        let method = method(entry.method, entry.offset)?;
        let name = Some(String::from_utf8_lossy(&entry.name).into_owned());
        Ok(Self { name, method, data, expected: Some((entry.unpacked, entry.crc)) })
    }

    /// Locates the first member of an archive whose end is missing.
    fn of_first(source: &Source, local: &[u8]) -> Result<Self, ImportError> {
        let name_bytes = u64::from(u16_at(local, 26));
        let name_end = (LOCAL_BYTES + name_bytes).min(source.bytes);
        let name = source.read(&(LOCAL_BYTES.min(name_end)..name_end))?;
        let start = (name_end + u64::from(u16_at(local, 28))).min(source.bytes);
        let method = method(u16_at(local, 8), 0)?;
        let name = Some(String::from_utf8_lossy(&name).into_owned());
        Ok(Self { name, method, data: start..source.bytes, expected: None })
    }

    /// Returns the entries of the central directory, or `None` if it is incomplete.
    fn directory(source: &Source) -> Result<Option<Vec<Entry>>, ImportError> {
        let start = source.bytes.saturating_sub(END_BYTES as u64 + COMMENT_BYTES);
        let tail = source.read(&(start..source.bytes))?;
        let is_end = |at: &usize| {
            let end = tail.get(*at..).filter(|end| end.starts_with(END) && end.len() >= END_BYTES);
            end.is_some_and(|end| end.len() - END_BYTES == usize::from(u16_at(end, 20)))
        };
        let Some(end) = (0..tail.len().saturating_sub(END_BYTES - 1)).rev().find(is_end) else { return Ok(None) };
        let end = tail.get(end..).unwrap_or_default();
        let (bytes, offset) = (u64::from(u32_at(end, 12)), u64::from(u32_at(end, 16)));
        if bytes > DIRECTORY_BYTES || offset.saturating_add(bytes) > source.bytes {
            return Ok(None);
        }
        let directory = source.read(&(offset..offset + bytes))?;
        Ok(Some(entries(&directory)))
    }
}

fn method(number: u16, offset: u64) -> Result<Method, EchoReplayError> {
    match number {
        0 => Ok(Method::Stored),
        8 => Ok(Method::Deflate),
        method => Err(EchoReplayError::Method { offset, method }),
    }
}

fn entries(directory: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut rest = directory;
    while rest.starts_with(CENTRAL) && rest.len() >= CENTRAL_BYTES {
        let lengths = [28, 30, 32].map(|at| usize::from(u16_at(rest, at)));
        let [name, extra, comment] = lengths;
        let mut entry = Entry {
            name: rest.get(CENTRAL_BYTES..CENTRAL_BYTES + name).unwrap_or_default().to_vec(),
            flags: u16_at(rest, 8),
            method: u16_at(rest, 10),
            crc: u32_at(rest, 16),
            packed: u64::from(u32_at(rest, 20)),
            unpacked: u64::from(u32_at(rest, 24)),
            offset: u64::from(u32_at(rest, 42)),
        };
        let extra_at = CENTRAL_BYTES + name;
        entry.read_long_sizes(rest.get(extra_at..extra_at + extra).unwrap_or_default());
        entries.push(entry);
        rest = rest.get(extra_at + extra + comment..).unwrap_or_default();
    }
    entries
}

impl Entry {
    /// Reads the zip64 extra field (id 1): it holds the sizes that do not fit into 32 bits, in this order.
    fn read_long_sizes(&mut self, mut extra: &[u8]) {
        while extra.len() >= 4 {
            let (id, length) = (u16_at(extra, 0), usize::from(u16_at(extra, 2)));
            let mut field = extra.get(4..4 + length).unwrap_or_default();
            if id == 1 {
                for size in [&mut self.unpacked, &mut self.packed, &mut self.offset] {
                    if *size == ELSEWHERE
                        && let Some((value, rest)) = field.split_first_chunk::<8>()
                    {
                        *size = u64::from_le_bytes(*value);
                        field = rest;
                    }
                }
            }
            extra = extra.get(4 + length..).unwrap_or_default();
        }
    }
}

/// Selects the member that is the replay: the one named like the archive, else by its extension, else the largest.
fn choose(entries: Vec<Entry>, archive: &str) -> Option<Entry> {
    let files: Vec<Entry> =
        entries.into_iter().filter(|entry| !entry.name.ends_with(b"/") && entry.unpacked > 0).collect();
    let base = |entry: &Entry| {
        let name = String::from_utf8_lossy(&entry.name).into_owned();
        name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
    };
    let named = files.iter().find(|entry| base(entry) == archive);
    let ending = || files.iter().find(|entry| base(entry).to_ascii_lowercase().ends_with(".echoreplay"));
    named.or_else(ending).or_else(|| files.iter().max_by_key(|entry| entry.unpacked)).cloned()
}

fn u16_at(bytes: &[u8], at: usize) -> u16 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|bytes| u16::from_le_bytes(*bytes)).unwrap_or_default()
}

fn u32_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|rest| rest.first_chunk()).map(|bytes| u32::from_le_bytes(*bytes)).unwrap_or_default()
}
