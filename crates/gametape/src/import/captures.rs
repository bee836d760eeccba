//! Importers for Telemetry V2 captures (`.tape`) and `.nevrcap` files.
//!
//! ```text
//! record ─▶ frame ─▶ responses as JSON ─▶ streams session, player-bones
//!   └── compared with the record that an export makes of these responses; stored as well if its bytes differ
//! ```
//! The tape therefore holds the game's responses, which every Echo VR reader understands, and exports to the original records,
//! whichever program wrote them.

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

/// Stream of the stored records of a `.tape` file.
pub(crate) const V2_RECORDS: &str = "v2.records";
/// Stream of the stored records of a `.nevrcap` file.
pub(crate) const NEVRCAP_RECORDS: &str = "nevrcap.records";
/// Metadata: number of responses in the capture. A tape that was cut has fewer.
pub(crate) const ANSWERS: &str = "capture_answers";
/// Metadata: `plain`, `stream` (one zstd stream) or `blocks`.
pub(crate) const LAYOUT: &str = "capture_layout";
/// Metadata: `seed`, `second`, `third`, `fourth`, `fifth`.
pub(crate) const GENERATION: &str = "capture_generation";
/// Metadata: SHA-256 of the zstd dictionary that the capture was compressed with; absent if there was none.
pub(crate) const DICTIONARY: &str = "capture_dictionary_sha256";
/// Metadata: number of `match_settings_changed` events. Their fields are unknown, so only the stored records hold them. Absent if 0.
const SETTINGS_CHANGES: &str = "capture_match_settings_changed";
/// Metadata: number of events of unknown kinds. Only the stored records hold them. Absent if 0.
const UNKNOWN_EVENTS: &str = "capture_unknown_events";

/// Why a capture cannot be imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CaptureError {
    /// No record can be turned into a response.
    #[error("the file contains no Echo VR frame ({records} records); it is damaged or from another game")]
    NoFrames {
        /// Records that could be read.
        records: u64,
    },
    /// The file was compressed with a dictionary, and none or the wrong one was given.
    #[error("{0}; give the dictionary file with --dictionary")]
    Dictionary(String),
    /// The file cannot be read as the kind it was detected as.
    #[error("{0}")]
    Read(String),
}

/// Limits for reading: a record must fit into a frame of a tape.
fn limits() -> Limits {
    Limits { record_bytes: BLOCK_RAW_BYTES - KEPT_HEAD_BYTES, ..Limits::default() }
}

/// Returns the options for reading a source.
fn options(source: &Source) -> ReadOptions {
    ReadOptions { limits: limits(), dictionary: source.dictionary.clone() }
}

/// Formats bytes as lowercase hexadecimal digits.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A seekable reader over a source.
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
