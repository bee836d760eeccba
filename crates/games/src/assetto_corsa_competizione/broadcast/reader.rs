//! Reads the fields of a message one after the other. Every method returns `None` if the bytes end too soon.

/// Longest text that is accepted. The game's own texts and the names of users are far shorter.
const MOST_TEXT_BYTES: usize = 1024;

/// The bytes of a message that are not read yet.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reader<'a>(pub(super) &'a [u8]);

impl<'a> Reader<'a> {
    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    pub(super) fn u8(&mut self) -> Option<u8> {
        self.array().map(u8::from_le_bytes)
    }

    pub(super) fn u16(&mut self) -> Option<u16> {
        self.array().map(u16::from_le_bytes)
    }

    pub(super) fn i32(&mut self) -> Option<i32> {
        self.array().map(i32::from_le_bytes)
    }

    pub(super) fn f32(&mut self) -> Option<f32> {
        self.array().map(f32::from_le_bytes)
    }

    /// Reads a byte that is 0 or 1.
    pub(super) fn flag(&mut self) -> Option<bool> {
        match self.u8()? {
            0 => Some(false),
            1 => Some(true),
            _ => None,
        }
    }

    /// Reads a text: its length in bytes, then UTF-8. The game never sends a NUL.
    pub(super) fn text(&mut self) -> Option<&'a str> {
        let bytes = usize::from(self.u16()?);
        let (text, rest) = self.0.split_at_checked(bytes).filter(|_| bytes <= MOST_TEXT_BYTES)?;
        self.0 = rest;
        std::str::from_utf8(text).ok().filter(|text| !text.contains('\0'))
    }

    /// Reads something with `read` and returns the bytes that it consists of.
    pub(super) fn bytes_of(&mut self, read: impl FnOnce(&mut Self) -> Option<()>) -> Option<&'a [u8]> {
        let all = self.0;
        read(self)?;
        all.get(..all.len().checked_sub(self.0.len())?)
    }

    /// Returns `Some` if everything was read.
    pub(super) fn end(self) -> Option<()> {
        self.0.is_empty().then_some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_that_are_cut_off_or_wrong_are_not_read() {
        assert_eq!(Reader(&[3, 0, b'a', b'b', b'c', 9]).text(), Some("abc"));
        assert_eq!(Reader(&[3, 0, b'a', b'b']).text(), None, "cut off");
        assert_eq!(Reader(&[2, 0, b'a', 0]).text(), None, "NUL");
        assert_eq!(Reader(&[1, 0, 0xFF]).text(), None, "not UTF-8");
        let mut long = vec![b'x'; 2 + MOST_TEXT_BYTES + 1];
        long.splice(..2, (MOST_TEXT_BYTES as u16 + 1).to_le_bytes());
        assert_eq!(Reader(&long).text(), None, "too long");
        assert_eq!((Reader(&[2]).flag(), Reader(&[1]).flag(), Reader(&[]).flag()), (None, Some(true), None));
        assert_eq!((Reader(&[1, 0, 0]).i32(), Reader(&[1, 0, 0, 0]).i32()), (None, Some(1)));
        let mut reader = Reader(&[1, 2, 3]);
        assert_eq!(reader.bytes_of(|reader| reader.u16().map(drop)), Some(&[1, 2][..]));
        assert!(reader.end().is_none() && Reader(&[]).end().is_some());
    }
}
