//! Errors and problems of `.ibt` files. Errors stop the parser; problems are reported along with the result.
use thiserror::Error;

use super::var_headers::VarProblem;
use crate::layout::LayoutError;

/// Why a file cannot be read as `.ibt`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IbtError {
    /// The version is not a known one.
    #[error(
        "not an .ibt file: its version number is {found}, expected 1 or 2; check that this is \
         iRacing telemetry and that its beginning is not missing"
    )]
    NotIbt {
        /// The number found.
        found: i32,
    },
    /// There are several row buffers, as in the live memory.
    #[error(
        "the header has {found} row buffers at byte 32, expected 1: this may be a dump of iRacing's shared memory, \
         which is not read as .ibt"
    )]
    NotOneBuffer {
        /// The number found.
        found: i32,
    },
    /// A header field is out of range.
    #[error(
        "{field} at byte {offset} is {found}, expected {min} to {max}: the header is damaged, \
         use another copy of the file"
    )]
    Field {
        /// The field, as iRacing names it.
        field: &'static str,
        /// Offset of the field in the file.
        offset: u64,
        /// The number found.
        found: i64,
        /// Minimum.
        min: i64,
        /// Maximum.
        max: i64,
    },
    /// The file ends before a part that is needed to read rows.
    #[error(
        "the {what} occupy bytes {start} to {end}, but the file has only {file_bytes} bytes: it is truncated, use a \
         complete copy of the file"
    )]
    CutOff {
        /// The part that is missing or incomplete.
        what: &'static str,
        /// Offset of the part.
        start: u64,
        /// Offset of the first byte after it.
        end: u64,
        /// Length of the file.
        file_bytes: u64,
    },
    /// Rows start inside the header or the variable headers.
    #[error(
        "rows start at byte {row_start}, inside the variable headers (bytes {start} to {end}): the header is damaged, \
         use another copy of the file"
    )]
    RowsInVarHeaders {
        /// Offset of the first row.
        row_start: u64,
        /// Offset of the variable headers.
        start: u64,
        /// Offset of the first byte after them.
        end: u64,
    },
    /// The caller passed the wrong number of bytes.
    #[error("expected {expected} bytes of variable headers, got {actual}")]
    VarHeaderBytes {
        /// Bytes needed.
        expected: u64,
        /// Bytes passed.
        actual: u64,
    },
    /// The layout built from the variable headers is invalid.
    #[error("the variable headers describe an invalid layout")]
    Layout {
        /// Why the layout is invalid.
        #[from]
        source: LayoutError,
    },
}

/// A problem with a file that can be read nevertheless. Imported tapes store these messages as events.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IbtProblem {
    /// The number of rows differs from the recorded one: the file is truncated, or the game could not finish it.
    #[error("the file says {recorded} rows and holds {whole} whole ones: the whole ones are read")]
    RowCount {
        /// The number in the disk subheader.
        recorded: i32,
        /// Whole rows up to the end of the file.
        whole: u64,
    },
    /// The file ends inside a row.
    #[error("the file ends inside a row: the {bytes} bytes from byte {offset} are not read")]
    CutRow {
        /// Offset of that row.
        offset: u64,
        /// Number of bytes present.
        bytes: u64,
    },
    /// The file ends before the first row.
    #[error("rows start at byte {row_start}, the file has {file_bytes} bytes: it holds no row")]
    NoRows {
        /// Offset of the first row.
        row_start: u64,
        /// Length of the file.
        file_bytes: u64,
    },
    /// The location of the session info string is impossible.
    #[error("the session text is said to be {bytes} bytes from byte {offset}: it is left out")]
    SessionText {
        /// Offset in the header.
        offset: i32,
        /// Length in the header.
        bytes: i32,
    },
    /// The session info string extends past the end of the file or into the rows.
    #[error("the session text from byte {offset} is cut from {expected} to {actual} bytes")]
    SessionTextCut {
        /// Offset of the string.
        offset: u64,
        /// Length in the header.
        expected: u64,
        /// Number of bytes present.
        actual: u64,
    },
    /// The tick rate is implausible.
    #[error("the tick rate is {found} per second: rows without a SessionTime are timed at 60 per second")]
    TickRate {
        /// The number found.
        found: i32,
    },
    /// A variable was left out. Its bytes are still part of the rows.
    #[error(transparent)]
    Variable(#[from] VarProblem),
}
