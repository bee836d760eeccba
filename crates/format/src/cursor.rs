//! Reads numbers and texts from bytes that nobody vouches for. Every parser of the crate stands on this.

/// What is wrong with bytes that were to be parsed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// The bytes end too early.
    #[error("{what} needs {needed} bytes, {available} are left")]
    Short {
        /// What was being read.
        what: &'static str,
        /// How many bytes it takes.
        needed: usize,
        /// How many there were.
        available: usize,
    },
    /// A length or a count beyond what the format allows.
    #[error("{what} is {found}, the limit is {limit}")]
    Limit {
        /// What was being read.
        what: &'static str,
        /// The value in the file.
        found: u64,
        /// The highest value allowed.
        limit: u64,
    },
    /// A value that makes no sense in its place.
    #[error("{what} cannot be {found}")]
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
    /// A way of coding that this version does not know.
    #[error("{what} {coding} is not known to this version")]
    UnknownCoding {
        /// Which kind of coding.
        what: &'static str,
        /// Its number in the file.
        coding: u8,
    },
    /// A checksum that does not match.
    #[error("checksum of {what} does not match")]
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
    /// Whether the bytes are whole and only this version does not know what they say.
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

    /// A `u32` length and that many bytes.
    pub(crate) fn section(&mut self, what: &'static str) -> Result<&'a [u8], Malformed> {
        let length = self.u32(what)? as usize;
        self.bytes(length, what)
    }

    /// A `u16` length and that many bytes of UTF-8.
    pub(crate) fn text(&mut self, what: &'static str) -> Result<&'a str, Malformed> {
        let length = self.u16(what)? as usize;
        std::str::from_utf8(self.bytes(length, what)?).map_err(|_| Malformed::Text { what })
    }
}

/// Checks a count or length from a file against its limit.
pub(crate) fn within(what: &'static str, found: u64, limit: usize) -> Result<usize, Malformed> {
    if found > limit as u64 { Err(Malformed::Limit { what, found, limit: limit as u64 }) } else { Ok(found as usize) }
}

/// Appends a text as the format writes it. Longer texts than a `u16` can say are cut at a character boundary.
pub(crate) fn put_text(out: &mut Vec<u8>, text: &str) {
    let mut end = text.len().min(u16::MAX as usize);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    out.extend_from_slice(&(end as u16).to_le_bytes());
    out.extend_from_slice(text.as_bytes().get(..end).unwrap_or_default());
}
