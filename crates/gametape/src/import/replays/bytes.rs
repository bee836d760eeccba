//! A cursor over bytes from outside: every read checks the length, and nothing is read twice.

/// Reads little-endian numbers and texts, one after the other. A read that does not fit returns `None` and moves nothing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bytes<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> Bytes<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0 }
    }

    /// A cursor at an offset. One past the end reads nothing.
    pub(super) fn at(data: &'a [u8], at: usize) -> Self {
        Self { data, at: at.min(data.len()) }
    }

    /// The offset of the next byte.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    /// Moves to an offset.
    pub(super) fn seek(&mut self, at: usize) {
        self.at = at.min(self.data.len());
    }

    pub(super) fn left(&self) -> usize {
        self.data.len() - self.at
    }

    pub(super) fn take(&mut self, count: usize) -> Option<&'a [u8]> {
        let bytes = self.data.get(self.at..self.at.checked_add(count)?)?;
        self.at += count;
        Some(bytes)
    }

    /// Takes a number of bytes that the file itself states.
    pub(super) fn take_u32(&mut self, count: u32) -> Option<&'a [u8]> {
        self.take(usize::try_from(count).ok()?)
    }

    pub(super) fn skip(&mut self, count: usize) -> Option<()> {
        self.take(count).map(drop)
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        self.take(N)?.try_into().ok()
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn u32(&mut self) -> Option<u32> {
        self.array().map(u32::from_le_bytes)
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    pub(super) fn u64(&mut self) -> Option<u64> {
        self.array().map(u64::from_le_bytes)
    }

    pub(super) fn i64(&mut self) -> Option<i64> {
        self.array().map(i64::from_le_bytes)
    }

    pub(super) fn f32(&mut self) -> Option<f32> {
        self.array().map(f32::from_le_bytes)
    }

    /// An unsigned integer in 7-bit groups, lowest first, as in protobuf. At most 10 bytes.
    pub(super) fn varint(&mut self) -> Option<u64> {
        let mut copy = *self;
        let mut value = 0u64;
        for group in 0..10 {
            let byte = copy.u8()?;
            value |= u64::from(byte & 0x7F).checked_shl(group * 7).unwrap_or_default();
            if byte < 0x80 {
                *self = copy;
                return Some(value);
            }
        }
        None
    }

    /// An Unreal string: a positive length counts bytes of Latin-1, a negative one UTF-16 units; both include the NUL at the end. Trailing
    /// blanks are padding.
    pub(super) fn fstring(&mut self) -> Option<String> {
        let mut copy = *self;
        let length = copy.i32()?;
        let count = usize::try_from(length.unsigned_abs()).ok()?;
        let text: String = if length >= 0 {
            copy.take(count)?.iter().map(|byte| char::from(*byte)).collect()
        } else {
            utf16(copy.take(count.checked_mul(2)?)?)
        };
        *self = copy;
        Some(text.trim_end_matches('\0').trim_end().to_owned())
    }
}

/// Text of little-endian UTF-16 units. What is not valid becomes U+FFFD.
pub(super) fn utf16(bytes: &[u8]) -> String {
    let units: Vec<u16> = bytes
        .chunks_exact(2)
        .map(|pair| pair.iter().rev().fold(0, |unit, byte| unit << 8 | u16::from(*byte)))
        .collect();
    String::from_utf16_lossy(&units)
}

/// Text that should be UTF-8.
pub(super) fn utf8(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_that_do_not_fit_move_nothing() {
        let mut bytes = Bytes::new(&[1, 2, 3]);
        assert_eq!((bytes.u32(), bytes.take(usize::MAX), bytes.fstring(), bytes.position()), (None, None, None, 0));
        assert_eq!((bytes.u16(), bytes.left()), (Some(0x0201), 1));
        assert_eq!(Bytes::at(&[1], 9).u8(), None);
        assert_eq!(Bytes::new(&[0xAC, 0x02]).varint(), Some(300));
        assert_eq!(Bytes::new(&[0xFF; 10]).varint(), None);
        assert_eq!(Bytes::new(&[0xFF, 0xFF]).varint(), None);
    }

    #[test]
    fn unreal_strings_are_latin_1_or_utf_16() {
        assert_eq!(Bytes::new(b"\x04\0\0\0M\xfcn\0").fstring().unwrap(), "Mün");
        assert_eq!(Bytes::new(b"\xfc\xff\xff\xff\xac\x20x\0 \0\0\0").fstring().unwrap(), "€x");
        assert_eq!(Bytes::new(b"\0\0\0\0").fstring().unwrap(), "");
        assert_eq!(Bytes::new(&i32::MIN.to_le_bytes()).fstring(), None);
    }
}
