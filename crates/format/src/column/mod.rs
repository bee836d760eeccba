//! Coding of columnar blocks: converts fixed-size rows into one byte string per column, and back.
//!
//! Encoding takes rows, their times and the columns of a row. It produces a *payload*: a packed head, then one body per
//! column that is neither constant nor a copy. To read one column, only the head and the column's own body are needed
//! (and the body of its reference column, if it has one). All functions are pure: files, records and the checksum of
//! the head are up to the caller. The byte layout is specified in `docs/format.md`, section "Column codings".

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

/// The maximum number of rows in a block.
pub const MAX_ROWS: usize = 1024;
/// The maximum number of raw bytes in a block.
pub const MAX_BLOCK_BYTES: usize = 16 << 20;

/// One column: the same bytes of every row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Offset of the first byte in the row.
    pub offset: u32,
    /// Width in bytes: 1, 2, 4 or 8.
    pub width: u8,
    /// Whether it is an IEEE 754 float (widths 4 and 8) or an integer, signed or not. A wrong type costs space, not data.
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

/// An error in a block, its columns or its bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ColumnError {
    /// Columns must be in order of offset and cover every byte of the row exactly once.
    #[error("column {column} does not fit: columns must cover the {row_bytes} bytes of a row without gaps or overlaps")]
    BadColumns {
        /// The first column that does not fit, or the number of columns if they end early.
        column: usize,
        /// Size of a row in bytes.
        row_bytes: usize,
    },
    /// A block has 1 to 1024 rows and at most 16 MiB.
    #[error("invalid block size: {rows} rows of {row_bytes} bytes")]
    BadShape {
        /// Number of rows.
        rows: usize,
        /// Size of a row in bytes.
        row_bytes: usize,
    },
    /// A buffer has the wrong length for the block.
    #[error("wrong length of {what}: expected {expected}, got {actual}")]
    WrongLength {
        /// Which buffer.
        what: &'static str,
        /// Expected length.
        expected: usize,
        /// Actual length.
        actual: usize,
    },
    /// The packed head cannot be unpacked.
    #[error("block head: {0}")]
    Head(#[from] crate::pack::PackError),
    /// A coding that this version does not support.
    #[error("column {column} has unknown coding {coding}")]
    UnknownCoding {
        /// The column.
        column: usize,
        /// The coding's number.
        coding: u8,
    },
    /// The checksum of a body differs from the one in the head.
    #[error("checksum mismatch in {what}: expected {expected:08x}, got {actual:08x}")]
    Checksum {
        /// What was checked.
        what: &'static str,
        /// Checksum in the head.
        expected: u32,
        /// Checksum of the bytes.
        actual: u32,
    },
    /// A column is coded relative to another one whose values were not given.
    #[error("column {column} needs the values of its reference column")]
    NoReference {
        /// The column.
        column: usize,
    },
    /// Bytes that no encoder produces.
    #[error("damaged block: {what}")]
    Damaged {
        /// The invalid part.
        what: &'static str,
    },
}

/// Checks that `columns` partition a row, in order of offset.
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
