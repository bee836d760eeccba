//! Coding of columnar blocks: rows of one size become one byte string per column, and back.
//!
//! Takes rows, their times and the columns of the row; gives a *payload*: a packed head, then one body per column that
//! is neither constant nor a copy. One column can be read with nothing but the head and its own body (and that of its
//! reference column, where it has one). Pure functions: files, records and checksums of the head are the caller's.
//! The byte layout is written down in `docs/format.md`, section "Column codings".

mod ans;
mod bits;
mod body;
mod decoder;
#[cfg(feature = "write")]
mod encoder;
mod fuzz;
mod head;
mod integers;
#[cfg(feature = "write")]
mod plan;
#[cfg(feature = "write")]
mod reference;
mod residuals;
mod runs;
#[cfg(all(test, feature = "write"))]
mod tests;
mod tiles;
mod transform;
mod word;

pub use decoder::BlockDecoder;
#[cfg(feature = "write")]
pub use encoder::BlockEncoder;
#[doc(hidden)]
pub use fuzz::{fuzz_block, fuzz_integers};
pub use head::BlockHead;
pub(crate) use integers::IntegerDecoder;
#[cfg(feature = "write")]
pub use integers::encode_integers;
pub use integers::{decode_integers, decode_times};
#[cfg(feature = "write")]
pub(crate) use tiles::{changed_bytes, scatter, tile_rows};

/// Most rows a block may have.
pub const MAX_ROWS: usize = 1024;
/// Most raw bytes a block may have.
pub const MAX_BLOCK_BYTES: usize = 16 << 20;

/// One column: the same few bytes of every row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// First byte in the row.
    pub offset: u32,
    /// Bytes: 1, 2, 4 or 8.
    pub width: u8,
    /// An IEEE 754 float (widths 4 and 8); otherwise an integer, signed or not. Wrong types cost size, not data.
    pub float: bool,
}

impl Column {
    fn range(&self) -> std::ops::Range<usize> {
        let offset = self.offset as usize;
        offset..offset.saturating_add(self.width as usize)
    }

    fn is_float(&self) -> bool {
        self.float && self.width >= 4
    }

    fn is_wide(&self) -> bool {
        self.width == 8
    }
}

/// What is wrong with a block, its columns or its bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// Columns must be in order of offset and cover every byte of the row exactly once.
    #[error("column {column} does not continue the row: columns must cover {row_bytes} bytes without gaps or overlaps")]
    BadColumns {
        /// The first column that does not fit (or the number of columns if they end early).
        column: usize,
        /// Bytes of a row.
        row_bytes: usize,
    },
    /// A block has 1 to 1024 rows and at most 16 MiB.
    #[error("a block of {rows} rows of {row_bytes} bytes is not allowed")]
    BadShape {
        /// Rows given.
        rows: usize,
        /// Bytes of a row.
        row_bytes: usize,
    },
    /// A buffer has the wrong length for the block.
    #[error("{what}: {actual} given, the block needs {expected}")]
    WrongLength {
        /// Which buffer.
        what: &'static str,
        /// Length needed.
        expected: usize,
        /// Length given.
        actual: usize,
    },
    /// The packed head cannot be unpacked.
    #[error("head of block: {0}")]
    Head(#[from] crate::pack::PackError),
    /// A coding this version does not know.
    #[error("column {column} has unknown coding {coding}")]
    UnknownCoding {
        /// The column.
        column: usize,
        /// The coding's number.
        coding: u8,
    },
    /// A body does not have the checksum its head says.
    #[error("checksum of {what} is {actual:08x}, the head says {expected:08x}")]
    Checksum {
        /// What was checked.
        what: &'static str,
        /// Checksum in the head.
        expected: u32,
        /// Checksum of the bytes.
        actual: u32,
    },
    /// A column is coded against another one, whose values were not given.
    #[error("column {column} needs the values of its reference column")]
    NoReference {
        /// The column.
        column: usize,
    },
    /// Bytes that no encoder writes.
    #[error("damaged block: {what}")]
    Damaged {
        /// The part that makes no sense.
        what: &'static str,
    },
}

/// Check that `columns` are a partition of a row, in order of offset.
pub fn check_columns(columns: &[Column], row_bytes: usize) -> Result<(), ColumnError> {
    let mut at = 0;
    for (index, column) in columns.iter().enumerate() {
        if column.range().start != at || !matches!(column.width, 1 | 2 | 4 | 8) {
            return Err(ColumnError::BadColumns { column: index, row_bytes });
        }
        at = column.range().end;
    }
    if at == row_bytes { Ok(()) } else { Err(ColumnError::BadColumns { column: columns.len(), row_bytes }) }
}

fn check_shape(rows: usize, row_bytes: usize) -> Result<(), ColumnError> {
    let bytes = rows.checked_mul(row_bytes);
    if (1..=MAX_ROWS).contains(&rows) && row_bytes > 0 && bytes.is_some_and(|bytes| bytes <= MAX_BLOCK_BYTES) {
        return Ok(());
    }
    Err(ColumnError::BadShape { rows, row_bytes })
}
