//! What can be wrong with an `.ibt`: errors end the reading, problems are reported beside what was read.
use thiserror::Error;

use super::var_headers::VarProblem;
use crate::layout::LayoutError;

/// Why a file cannot be read as `.ibt`.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IbtError {
    /// The version is none of the known ones.
    #[error(
        "not an .ibt file: it begins with the number {found} where .ibt has its version, 1 or 2; check that this is \
         iRacing telemetry and that its beginning is not missing"
    )]
    NotIbt {
        /// The number found.
        found: i32,
    },
    /// There are several row buffers, as only live memory has.
    #[error(
        "the header names {found} row buffers at byte 32, an .ibt has 1: this may be a dump of iRacing's shared memory, \
         which is not read as .ibt"
    )]
    NotOneBuffer {
        /// The number found.
        found: i32,
    },
    /// A number in the header cannot be.
    #[error(
        "{field} at byte {offset} is {found}, possible is {min} to {max}: the header is damaged, \
         use another copy of the file"
    )]
    Field {
        /// The field, as iRacing names it.
        field: &'static str,
        /// Where it is in the file.
        offset: u64,
        /// The number found.
        found: i64,
        /// The least it can be.
        min: i64,
        /// The most it can be.
        max: i64,
    },
    /// The file ends before something without which rows cannot be read.
    #[error(
        "the {what} take bytes {start} to {end}, but the file has {file_bytes} bytes: it was cut off, use a \
         complete copy of the file"
    )]
    CutOff {
        /// What is missing, or a part of it.
        what: &'static str,
        /// Where it starts.
        start: u64,
        /// The byte behind it.
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
        /// Where rows start.
        row_start: u64,
        /// Where the variable headers start.
        start: u64,
        /// The byte behind them.
        end: u64,
    },
    /// The caller gave other bytes than were asked for.
    #[error("{expected} bytes of variable headers are needed, {actual} were given")]
    VarHeaderBytes {
        /// Bytes asked for.
        expected: u64,
        /// Bytes given.
        actual: u64,
    },
    /// The layout from the variable headers did not pass its check.
    #[error("the variable headers give no layout")]
    Layout {
        /// What is wrong with it.
        #[from]
        source: LayoutError,
    },
}

/// What is wrong with a file that can be read all the same.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum IbtProblem {
    /// The file has another number of rows than it says: it was cut off, or the game could not finish it.
    #[error("the file says {recorded} rows and holds {whole} whole ones: the whole ones are read")]
    RowCount {
        /// The number in the disk header.
        recorded: i32,
        /// Whole rows up to the end of the file.
        whole: u64,
    },
    /// The file ends inside a row.
    #[error("the file ends inside a row: the {bytes} bytes from byte {offset} are not read")]
    CutRow {
        /// Where that row starts.
        offset: u64,
        /// How much of it there is.
        bytes: u64,
    },
    /// The file ends before the first row.
    #[error("rows start at byte {row_start}, the file has {file_bytes} bytes: it holds no row")]
    NoRows {
        /// Where rows start.
        row_start: u64,
        /// Length of the file.
        file_bytes: u64,
    },
    /// The place of the session text cannot be.
    #[error("the session text is said to be {bytes} bytes from byte {offset}: it is left out")]
    SessionText {
        /// Where the header says it is.
        offset: i32,
        /// How long the header says it is.
        bytes: i32,
    },
    /// The session text runs into the end of the file or into the rows.
    #[error("the session text from byte {offset} is cut from {expected} to {actual} bytes")]
    SessionTextCut {
        /// Where it starts.
        offset: u64,
        /// How long the header says it is.
        expected: u64,
        /// How much of it there is.
        actual: u64,
    },
    /// The tick rate cannot be.
    #[error("the tick rate is {found} per second: rows without a SessionTime are timed at 60 per second")]
    TickRate {
        /// The number found.
        found: i32,
    },
    /// A variable was left out. Its bytes are still in the rows.
    #[error(transparent)]
    Variable(#[from] VarProblem),
}
