//! Where in the file the text is: plain, or a member of a zip archive.
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
/// A comment behind the end has at most so many bytes.
const COMMENT_BYTES: u64 = 65_535;
/// An archive of replays has one member. A list of more than this is not looked at.
const DIRECTORY_BYTES: u64 = 16 << 20;
/// Sizes from here on are somewhere else, in an extra field.
const ELSEWHERE: u64 = 0xFFFF_FFFF;

/// Why a file cannot be read as `.echoreplay`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EchoReplayError {
    /// Nothing in the archive can be a replay.
    #[error("the zip archive has no file in it that can be a replay; unpack it and import what is in it")]
    NoMember,
    /// A way of packing that is not known.
    #[error(
        "the zip archive's member at byte {offset} is packed by method {method}, known are 0 and 8; unpack it and import what is in it"
    )]
    Method {
        /// Where it stands.
        offset: u64,
        /// Its number.
        method: u16,
    },
    /// The member is protected.
    #[error("the zip archive is encrypted; unpack it and import what is in it")]
    Encrypted,
    /// The archive unpacks to far more than any replay.
    #[error(
        "byte {offset}: {packed} bytes unpack to more than {unpacked}: this is no replay but a trap, nothing was kept"
    )]
    Bomb {
        /// Where in the file.
        offset: u64,
        /// Bytes read.
        packed: u64,
        /// Bytes they made.
        unpacked: u64,
    },
    /// Text without a single line of a replay.
    #[error("none of {lines} lines begins with a time and an answer of the game; this is no replay of Echo VR")]
    NoLines {
        /// Lines there are.
        lines: u64,
    },
}

/// How the text is packed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Method {
    Stored,
    Deflate,
}

/// Where the text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Archive {
    name: Option<String>,
    pub(super) method: Method,
    pub(super) data: Range<u64>,
    /// What the archive says of the unpacked text: length and CRC-32.
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

    /// The name of the member.
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

    /// The first member, of an archive whose end is missing.
    fn of_first(source: &Source, local: &[u8]) -> Result<Self, ImportError> {
        let name_bytes = u64::from(u16_at(local, 26));
        let name_end = (LOCAL_BYTES + name_bytes).min(source.bytes);
        let name = source.read(&(LOCAL_BYTES.min(name_end)..name_end))?;
        let start = (name_end + u64::from(u16_at(local, 28))).min(source.bytes);
        let method = method(u16_at(local, 8), 0)?;
        let name = Some(String::from_utf8_lossy(&name).into_owned());
        Ok(Self { name, method, data: start..source.bytes, expected: None })
    }

    /// The central directory, if there is a whole one.
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
    /// Sizes of 64 bits stand in extra field 1, those that do not fit, in this order.
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

/// The member that is the replay: named like the archive, else by its ending, else the largest.
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
