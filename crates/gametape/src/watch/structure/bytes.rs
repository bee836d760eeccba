//! The bytes of a file at any offset, as integers. Reads through a window, so that a walk in small steps costs few file calls.

use std::cell::RefCell;
use std::io;

use gametape_format::ReadAt;

/// Size of the window.
const WINDOW_BYTES: usize = 64 << 10;

/// The bytes of a file whose length is known. Everything beyond that length is `None`, and so is what cannot be read.
pub(crate) struct Bytes<'a> {
    source: &'a dyn ReadAt,
    length: u64,
    window: RefCell<Window>,
}

#[derive(Default)]
struct Window {
    start: u64,
    bytes: Vec<u8>,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(source: &'a dyn ReadAt, length: u64) -> Self {
        Self { source, length, window: RefCell::default() }
    }

    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Returns whether the file has `count` bytes at `at`.
    pub(super) fn has(&self, at: u64, count: u64) -> bool {
        at.checked_add(count).is_some_and(|end| end <= self.length)
    }

    pub(super) fn array<const N: usize>(&self, at: u64) -> Option<[u8; N]> {
        if !self.has(at, N as u64) {
            return None;
        }
        let mut window = self.window.borrow_mut();
        let held = |window: &Window| {
            let first = usize::try_from(at.checked_sub(window.start)?).ok()?;
            window.bytes.get(first..first.checked_add(N)?)?.try_into().ok()
        };
        held(&window).or_else(|| {
            *window = Window { start: at, bytes: self.read(at, WINDOW_BYTES).ok()? };
            held(&window)
        })
    }

    /// Returns `count` bytes, at most `limit`.
    pub(super) fn vec(&self, at: u64, count: u64, limit: usize) -> Option<Vec<u8>> {
        let count = usize::try_from(count).ok().filter(|count| *count <= limit)?;
        if !self.has(at, count as u64) {
            return None;
        }
        self.read(at, count).ok().filter(|bytes| bytes.len() == count)
    }

    /// Returns the first bytes of the file, `count` or fewer.
    pub(super) fn start(&self, count: usize) -> Vec<u8> {
        self.read(0, count).unwrap_or_default()
    }

    pub(super) fn u8(&self, at: u64) -> Option<u8> {
        self.array(at).map(u8::from_le_bytes)
    }

    pub(super) fn u16(&self, at: u64) -> Option<u16> {
        self.array(at).map(u16::from_le_bytes)
    }

    pub(super) fn u32(&self, at: u64) -> Option<u32> {
        self.array(at).map(u32::from_le_bytes)
    }

    pub(super) fn i32(&self, at: u64) -> Option<i32> {
        self.array(at).map(i32::from_le_bytes)
    }

    /// Returns a number in groups of 7 bits, lowest first, and the offset after it.
    pub(super) fn varint(&self, mut at: u64) -> Option<(u64, u64)> {
        let mut value = 0;
        for group in 0..10 {
            let byte = self.u8(at)?;
            at += 1;
            value |= u64::from(byte & 0x7f).checked_shl(7 * group).unwrap_or_default();
            if byte & 0x80 == 0 {
                return Some((value, at));
            }
        }
        None
    }

    fn read(&self, at: u64, count: usize) -> io::Result<Vec<u8>> {
        let left = usize::try_from(self.length.saturating_sub(at)).unwrap_or(usize::MAX);
        let mut bytes = vec![0; count.min(left)];
        let mut done = 0;
        while let Some(rest) = bytes.get_mut(done..).filter(|rest| !rest.is_empty()) {
            match self.source.read_at(at + done as u64, rest) {
                Ok(0) => break,
                Ok(count) => done += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        bytes.truncate(done);
        Ok(bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_read_beyond_the_length() {
        let data: Vec<u8> = (0..=255).cycle().take(3 * WINDOW_BYTES).collect();
        let bytes = Bytes::new(&data, data.len() as u64 - 2);
        for at in [0, WINDOW_BYTES as u64 - 2, 2 * WINDOW_BYTES as u64 + 7, 5] {
            let expected = data.get(at as usize..at as usize + 4).unwrap();
            assert_eq!(bytes.u32(at), Some(u32::from_le_bytes(expected.try_into().unwrap())), "{at}");
        }
        let end = data.len() as u64 - 2;
        assert!(bytes.u16(end - 2).is_some() && bytes.u16(end - 1).is_none() && bytes.u8(u64::MAX).is_none());
        assert_eq!(bytes.vec(0, 10, 9), None);
        assert_eq!(bytes.vec(end - 3, 3, 9).unwrap().len(), 3);
        assert_eq!(bytes.vec(end - 3, 4, 9), None);
    }

    #[test]
    fn varints_end_after_ten_bytes() {
        let data = [vec![0x96, 0x01], vec![0xff; 12]].concat();
        let bytes = Bytes::new(&data, data.len() as u64);
        assert_eq!(bytes.varint(0), Some((150, 2)));
        assert_eq!(bytes.varint(2), None);
        assert_eq!(bytes.varint(13), None);
    }
}
