//! `.tape` files of Telemetry V2 and `.nevrcap` files.
//!
//! ```text
//! record ─▶ frame ─▶ answers as JSON ─▶ streams session, player-bones
//!   └── compared with the record that an export makes of these answers; kept beside them if it has other bytes
//! ```
//! So a tape has the answers, which everything that knows Echo VR reads, and gives the same records back, whoever wrote them.

mod any_game;
mod first_version;
mod second_version;

use std::io::{self, Read, Seek, SeekFrom};

use gametape_format::limits::BLOCK_RAW_BYTES;
use telemetry_v2::{Limits, ReadOptions};

use super::Source;
use super::echo_streams::KEPT_HEAD_BYTES;

pub(super) use first_version::NevrcapImporter;
pub(super) use second_version::V2Importer;

/// The stream of kept records of a `.tape` file.
pub(crate) const V2_RECORDS: &str = "v2.records";
/// The stream of kept records of a `.nevrcap` file.
pub(crate) const NEVRCAP_RECORDS: &str = "nevrcap.records";
/// Metadata: how many answers the capture had. A tape that was cut has fewer.
pub(crate) const ANSWERS: &str = "capture_answers";
/// Metadata: `plain`, `stream` (one zstd stream) or `blocks`.
pub(crate) const LAYOUT: &str = "capture_layout";
/// Metadata: `seed`, `second`, `third`, `fourth`, `fifth`.
pub(crate) const GENERATION: &str = "capture_generation";
/// Metadata: SHA-256 of the zstd dictionary that the capture was packed with; absent if it was packed without one.
pub(crate) const DICTIONARY: &str = "capture_dictionary_sha256";
/// Metadata: events `match_settings_changed`, whose fields are not known: they are in the kept records alone. Absent if there are none.
const SETTINGS_CHANGES: &str = "capture_match_settings_changed";
/// Metadata: events of kinds that are not known: they are in the kept records alone. Absent if there are none.
const UNKNOWN_EVENTS: &str = "capture_unknown_events";

/// Why a capture cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// Nothing in it can become an answer.
    #[error("there is no frame of Echo VR in it ({records} records); it is damaged, or of another game")]
    NoFrames {
        /// Records that could be read.
        records: u64,
    },
    /// The file was packed with a dictionary that was not given, or with another than that.
    #[error("{0}; name the file of the dictionary with --dictionary")]
    Dictionary(String),
    /// The file cannot be read as what it seemed to be.
    #[error("{0}")]
    Read(String),
}

/// A record must fit a frame of a tape.
fn limits() -> Limits {
    Limits { record_bytes: BLOCK_RAW_BYTES - KEPT_HEAD_BYTES, ..Limits::default() }
}

/// How a source is read.
fn options(source: &Source) -> ReadOptions {
    ReadOptions { limits: limits(), dictionary: source.dictionary.clone() }
}

/// Bytes as hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A source as a reader that can jump.
struct Reading<'a> {
    source: &'a Source,
    at: u64,
}

impl<'a> Reading<'a> {
    fn new(source: &'a Source) -> Self {
        Self { source, at: 0 }
    }
}

impl Read for Reading<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.source.content.read_at(self.at, buffer)?;
        self.at = self.at.saturating_add(count as u64);
        Ok(count)
    }
}

impl Seek for Reading<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (from, by) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::End(by) => (self.source.bytes, by),
            SeekFrom::Current(by) => (self.at, by),
        };
        let at = from.checked_add_signed(by).ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        self.at = at;
        Ok(at)
    }
}
