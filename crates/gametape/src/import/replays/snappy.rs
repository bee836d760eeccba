//! Decompresses raw snappy blocks (not the framing format) of a bounded size.
//!
//! ```text
//! varint length, elements: 2 bits of the tag: 0 literal, 1 copy with 11-bit offset, 2 with 16-bit offset, 3 with 32-bit offset
//! ```

use super::bytes::Bytes;

/// Decompresses a block to at most `most` bytes. Returns `None` if it is damaged or longer.
pub(super) fn decompress(data: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut bytes = Bytes::new(data);
    let length = usize::try_from(bytes.varint()?).ok().filter(|length| *length <= most)?;
    let mut out = Vec::new();
    while bytes.left() > 0 {
        let tag = bytes.u8()?;
        let high = usize::from(tag >> 2);
        let (count, back) = match tag & 3 {
            0 => {
                let count = literal_length(high, &mut bytes)?;
                out.extend_from_slice(bytes.take(count)?);
                (0, 1)
            }
            1 => ((high & 7) + 4, usize::from(tag >> 5) << 8 | usize::from(bytes.u8()?)),
            2 => (high + 1, usize::from(bytes.u16()?)),
            _ => (high + 1, usize::try_from(bytes.u32()?).ok()?),
        };
        if back == 0 || (count > 0 && back > out.len()) || out.len() + count > length {
            return None;
        }
        for _ in 0..count {
            let byte = *out.get(out.len() - back)?;
            out.push(byte);
        }
    }
    (out.len() == length).then_some(out)
}

/// The length of a literal: in the tag, or in 1 to 4 bytes after it.
fn literal_length(high: usize, bytes: &mut Bytes<'_>) -> Option<usize> {
    let Some(more) = high.checked_sub(59).filter(|more| *more > 0) else { return Some(high + 1) };
    let number = bytes.take(more)?.iter().rev().fold(0usize, |number, byte| number << 8 | usize::from(*byte));
    number.checked_add(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_and_copies_that_overlap_are_written_out() {
        // "ab", then 6 bytes from 2 back; then a literal with its length in a byte.
        let data = [9, 1 << 2, b'a', b'b', (6 - 4) << 2 | 1, 2, 60 << 2, 0, b'!'];
        assert_eq!(decompress(&data, 9).unwrap(), b"abababab!");
        assert_eq!(decompress(&data, 8), None);
        for end in 0..data.len() {
            assert_eq!(decompress(&data[..end], 100), None, "{end}");
        }
        // An offset of 0, one before the start, and more than was stated.
        for wrong in [&[4, 0, b'a', 0x01, 0][..], &[4, 0, b'a', 0x01, 9], &[1, 0, b'a', 0x01, 1]] {
            assert_eq!(decompress(wrong, 100), None, "{wrong:?}");
        }
    }
}
