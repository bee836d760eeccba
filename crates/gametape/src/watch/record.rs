//! The record of a file, and its line in the state file.
//!
//! ```text
//!  hash, or - if never reported   TAB  bytes, or 0 while pending      TAB  time, ns since 1970 UTC, or -   TAB  path, % escapes   LF
//! ```
//! Lines are human-readable. Bytes other than letters, digits and common path characters are escaped, so that a record is one line
//! whatever the file name contains.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::content::ContentHash;
use super::content::Stamp;

/// Longer lines are damaged: paths are shorter on every system.
pub(super) const MAX_LINE_BYTES: usize = 128 << 10;

/// A file that was reported, or that was pending when the watch ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) path: PathBuf,
    pub(super) stamp: Stamp,
    /// The hash that was last reported; `None` if none was.
    pub(super) hash: Option<ContentHash>,
}

impl Record {
    /// Creates the record of a file that was incomplete when the watch ended. Its stamp matches no file, so the file is inspected again.
    pub(super) fn waited_for(path: &Path, reported: Option<ContentHash>) -> Self {
        Self { path: path.into(), stamp: Stamp { bytes: 0, modified_ns: None }, hash: reported }
    }

    /// Returns whether the file was incomplete. Empty files are never reported.
    pub(super) fn was_waited_for(&self) -> bool {
        self.stamp.bytes == 0
    }

    /// Returns the line with its terminator.
    pub(super) fn line(&self) -> String {
        let hash = self.hash.map_or_else(|| "-".into(), |hash| hash.to_string());
        let modified = self.stamp.modified_ns.map_or_else(|| "-".into(), |ns| ns.to_string());
        format!("{hash}\t{}\t{modified}\t{}\n", self.stamp.bytes, escape(&self.path))
    }

    /// Parses a line without its terminator. Returns `None` if it is damaged.
    pub(super) fn parse(line: &[u8]) -> Option<Self> {
        let mut fields = line.splitn(4, |byte| *byte == b'\t');
        let mut next = || fields.next();
        let hash = match next()? {
            b"-" => None,
            text => Some(ContentHash::parse(text)?),
        };
        let bytes = std::str::from_utf8(next()?).ok()?.parse().ok()?;
        let modified_ns = match next()? {
            b"-" => None,
            text => Some(std::str::from_utf8(text).ok()?.parse().ok()?),
        };
        Some(Self { path: unescape(next()?)?, stamp: Stamp { bytes, modified_ns }, hash })
    }
}

fn escape(path: &Path) -> String {
    let mut text = String::new();
    for byte in path_bytes(path) {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'\\' | b':' | b'.' | b'_' | b'-' | b' ' => {
                text.push(char::from(byte));
            }
            _ => text.push_str(&format!("%{byte:02x}")),
        }
    }
    text
}

fn unescape(text: &[u8]) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter();
    while let Some(byte) = rest.next() {
        match byte {
            b'%' => {
                let digits = [*rest.next()?, *rest.next()?];
                bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
            }
            byte => bytes.push(*byte),
        }
    }
    (!bytes.is_empty()).then(|| os_string(bytes)).flatten().map(PathBuf::from)
}

#[cfg(unix)]
fn path_bytes(path: &Path) -> Vec<u8> {
    std::os::unix::ffi::OsStrExt::as_bytes(path.as_os_str()).to_vec()
}

#[cfg(unix)]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    Some(std::os::unix::ffi::OsStringExt::from_vec(bytes))
}

// A name that is not Unicode, which Windows allows, does not round-trip: its file is reported again after a restart.
#[cfg(not(unix))]
fn path_bytes(path: &Path) -> Vec<u8> {
    path.to_string_lossy().into_owned().into_bytes()
}

#[cfg(not(unix))]
fn os_string(bytes: Vec<u8>) -> Option<OsString> {
    String::from_utf8(bytes).ok().map(OsString::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(path: &str) -> Record {
        let stamp = Stamp { bytes: u64::MAX, modified_ns: Some(-5) };
        Record { path: path.into(), stamp, hash: Some(ContentHash([0xab; 32])) }
    }

    #[test]
    fn a_line_gives_its_record_back_whatever_the_file_is_called() {
        for path in ["/a/b c.replay", "C:\\Users\\x\\Süd.ibt", "/a/tab\there\nand % line", "/%41", "x"] {
            let mut record = record(path);
            let line = record.line();
            assert_eq!(line.matches(['\n']).count(), 1, "{line}");
            assert_eq!(Record::parse(line.trim_end_matches('\n').as_bytes()), Some(record.clone()), "{path}");
            record.hash = None;
            record.stamp.modified_ns = None;
            assert_eq!(Record::parse(record.line().trim_end_matches('\n').as_bytes()), Some(record), "{path}");
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_name_that_is_no_unicode_comes_back_too() {
        let mut record = record("x");
        record.path = PathBuf::from(os_string(vec![b'/', 0xff, 0xfe, b'a']).unwrap());
        assert_eq!(Record::parse(record.line().trim_end_matches('\n').as_bytes()), Some(record));
    }

    #[test]
    fn a_damaged_line_is_none() {
        let line = record("/a/b.rec").line();
        for end in 0..line.len() - "/a/b.rec\n".len() {
            assert_eq!(Record::parse(&line.as_bytes()[..end]), None, "{end}");
        }
        for text in [
            "",
            "-\t1\t2\t",
            "-\t-1\t2\tx",
            "-\t1\t2\t%4",
            "-\t1\t2\t%zz",
            "-\t1\t99999999999999999999\tx",
            "ab\t1\t2\tx",
        ] {
            assert_eq!(Record::parse(text.as_bytes()), None, "{text:?}");
        }
    }
}
