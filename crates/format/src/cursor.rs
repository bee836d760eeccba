//! Reads numbers and texts from untrusted bytes. All parsers of this crate are built on it.

/// The reason why bytes cannot be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The data ends too early.
    #[error("{what} needs {needed} bytes, but only {available} are left")]
    Short {
        /// What was being read.
        what: &'static str,
        /// Number of bytes required.
        needed: usize,
        /// Number of bytes available.
        available: usize,
    },
    /// A length or count that exceeds a limit of the format.
    #[error("{what} is {found}, which exceeds the limit of {limit}")]
    Limit {
        /// What was being read.
        what: &'static str,
        /// The value in the file.
        found: u64,
        /// The highest value allowed.
        limit: u64,
    },
    /// A value that is invalid here.
    #[error("invalid value {found} for {what}")]
    Value {
        /// What was being read.
        what: &'static str,
        /// The value in the file.
        found: u64,
    },
    /// Text that is not UTF-8.
    #[error("{what} is not UTF-8")]
    Text {
        /// What was being read.
        what: &'static str,
    },
    /// A coding that this version does not support.
    #[error("{what} {coding} is not supported by this version")]
    UnknownCoding {
        /// The kind of coding.
        what: &'static str,
        /// Its number in the file.
        coding: u8,
    },
    /// A checksum mismatch.
    #[error("checksum mismatch in {what}")]
    Checksum {
        /// What the checksum covers.
        what: &'static str,
    },
    /// A section that does not unpack.
    #[error("{0}")]
    Packed(#[from] crate::pack::PackError),
    /// Columns of a block that do not decode.
    #[error("{0}")]
    Column(#[from] crate::column::ColumnError),
}

impl Malformed {
    /// Whether the bytes are intact but use a feature that this version does not support.
    pub fn is_newer(&self) -> bool {
        matches!(
            self,
            Self::UnknownCoding { .. }
                | Self::Packed(crate::pack::PackError::UnknownMethod { .. })
                | Self::Column(crate::column::ColumnError::UnknownCoding { .. })
        )
    }
}

/// A position in a byte slice.
#[derive(Debug, Clone)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(data: &'a [u8]) -> Self {
        Self { rest: data }
    }

    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn bytes(&mut self, count: usize, what: &'static str) -> Result<&'a [u8], Malformed> {
        let short = Malformed::Short { what, needed: count, available: self.rest.len() };
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(short)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self, what: &'static str) -> Result<[u8; N], Malformed> {
        let mut array = [0; N];
        array.copy_from_slice(self.bytes(N, what)?);
        Ok(array)
    }

    pub(crate) fn u8(&mut self, what: &'static str) -> Result<u8, Malformed> {
        Ok(u8::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u16(&mut self, what: &'static str) -> Result<u16, Malformed> {
        Ok(u16::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u32(&mut self, what: &'static str) -> Result<u32, Malformed> {
        Ok(u32::from_le_bytes(self.array(what)?))
    }

    pub(crate) fn u64(&mut self, what: &'static str) -> Result<u64, Malformed> {
        Ok(u64::from_le_bytes(self.array(what)?))
    }

    /// Reads a `u32` length and that many bytes.
    pub(crate) fn section(&mut self, what: &'static str) -> Result<&'a [u8], Malformed> {
        let length = self.u32(what)? as usize;
        self.bytes(length, what)
    }

    /// Reads a `u16` length and that many bytes of UTF-8.
    pub(crate) fn text(&mut self, what: &'static str) -> Result<&'a str, Malformed> {
        let length = self.u16(what)? as usize;
        std::str::from_utf8(self.bytes(length, what)?).map_err(|_| Malformed::Text { what })
    }
}

/// Checks a count or length from a file against its limit.
pub(crate) fn within(what: &'static str, found: u64, limit: usize) -> Result<usize, Malformed> {
    if found > limit as u64 { Err(Malformed::Limit { what, found, limit: limit as u64 }) } else { Ok(found as usize) }
}

/// Appends a text with its length prefix. A text too long for a `u16` length is cut at a character boundary.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    let mut end = text.len().min(u16::MAX as usize);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    out.extend_from_slice(&(end as u16).to_le_bytes());
    out.extend_from_slice(text.as_bytes().get(..end).unwrap_or_default());
}
