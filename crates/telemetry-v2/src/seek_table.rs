//! The table at the end of a file of zstd blocks, in the layout of the zstd seekable format: encodes and decodes the sizes of blocks.
//!
//! ```text
//! u32 0x184D2A5E | u32 bytes that follow | n × ( u32 packed, u32 unpacked ) | u32 n | u8 descriptor | u32 0x8F92EAB1
//! ```
//! All little endian. The table is a skippable frame, which every zstd decoder ignores. Bit 7 of the descriptor: each
//! entry has an additional checksum of four bytes.

/// The magic number of the skippable frame.
const FRAME_MAGIC: u32 = 0x184D_2A5E;
/// The magic number at its end, by which it is found.
const END_MAGIC: u32 = 0x8F92_EAB1;
const HEAD_BYTES: usize = 8;
/// Bytes after the entries.
pub(crate) const TAIL_BYTES: usize = 9;
const ENTRY_BYTES: usize = 8;
const CHECKSUM_FLAG: u8 = 0x80;
const CHECKSUM_BYTES: usize = 4;
/// The maximum number of blocks: 2^20 of 100 frames are twenty days at 60 Hz.
const MAX_ENTRIES: usize = 1 << 20;

/// The sizes of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeekEntry {
    /// Size in the file.
    pub packed_bytes: u32,
    /// Size in the stream.
    pub raw_bytes: u32,
}

/// An error in a seek table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SeekTableError {
    /// The file does not end with a table.
    #[error("there is no seek table")]
    Missing,
    /// The file ends like one with a table, but the table is invalid.
    #[error("the seek table is damaged: {what}")]
    Damaged {
        /// What is invalid.
        what: &'static str,
    },
}

/// Encodes a table of these blocks.
pub fn encode(entries: &[SeekEntry]) -> Vec<u8> {
    let content = entries.len() * ENTRY_BYTES + TAIL_BYTES;
    let mut out = Vec::with_capacity(HEAD_BYTES + content);
    out.extend_from_slice(&FRAME_MAGIC.to_le_bytes());
    out.extend_from_slice(&u32::try_from(content).unwrap_or(u32::MAX).to_le_bytes());
    for entry in entries {
        out.extend_from_slice(&entry.packed_bytes.to_le_bytes());
        out.extend_from_slice(&entry.raw_bytes.to_le_bytes());
    }
    out.extend_from_slice(&u32::try_from(entries.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.push(0);
    out.extend_from_slice(&END_MAGIC.to_le_bytes());
    out
}

/// Returns the size of the table that ends with `tail`, its last [`TAIL_BYTES`] bytes.
pub(crate) fn bytes_of(tail: &[u8]) -> Result<usize, SeekTableError> {
    let Some(&[a, b, c, d, descriptor, w, x, y, z]) = tail.last_chunk::<TAIL_BYTES>() else {
        return Err(SeekTableError::Missing);
    };
    if u32::from_le_bytes([w, x, y, z]) != END_MAGIC {
        return Err(SeekTableError::Missing);
    }
    let count = usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or(usize::MAX);
    if count > MAX_ENTRIES {
        return Err(SeekTableError::Damaged { what: "it declares more blocks than a file can have" });
    }
    Ok(HEAD_BYTES + count * entry_bytes(descriptor) + TAIL_BYTES)
}

fn entry_bytes(descriptor: u8) -> usize {
    if descriptor & CHECKSUM_FLAG == 0 { ENTRY_BYTES } else { ENTRY_BYTES + CHECKSUM_BYTES }
}

/// Decodes the blocks of a table. `bytes` ends where the file ends and contains the whole table; bytes before it are ignored.
pub fn decode(bytes: &[u8]) -> Result<Vec<SeekEntry>, SeekTableError> {
    let total = bytes_of(bytes)?;
    let damaged = |what| SeekTableError::Damaged { what };
    let table = bytes.len().checked_sub(total).and_then(|start| bytes.get(start..));
    let table = table.ok_or(damaged("it is longer than the file"))?;
    let (magic, rest) = table.split_first_chunk().ok_or(damaged("it is too short"))?;
    let (length, rest) = rest.split_first_chunk().ok_or(damaged("it is too short"))?;
    if u32::from_le_bytes(*magic) != FRAME_MAGIC {
        return Err(damaged("it does not start where its length implies"));
    }
    if usize::try_from(u32::from_le_bytes(*length)) != Ok(total - HEAD_BYTES) {
        return Err(damaged("its two lengths differ"));
    }
    let descriptor = rest.len().checked_sub(5).and_then(|place| rest.get(place)).copied().unwrap_or(0);
    let entries = rest.get(..rest.len() - TAIL_BYTES).unwrap_or_default().chunks_exact(entry_bytes(descriptor));
    let number = |bytes: &[u8]| bytes.first_chunk().map_or(0, |bytes| u32::from_le_bytes(*bytes));
    Ok(entries
        .map(|entry| SeekEntry { packed_bytes: number(entry), raw_bytes: number(entry.get(4..).unwrap_or_default()) })
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries() -> Vec<SeekEntry> {
        (1..5).map(|n| SeekEntry { packed_bytes: n * 10, raw_bytes: n * 1000 }).collect()
    }

    #[test]
    fn a_table_comes_back_from_the_end_of_a_file() {
        let file = [b"blocks before it".as_slice(), &encode(&entries())].concat();
        assert_eq!(decode(&file), Ok(entries()));
        assert_eq!(decode(&encode(&[])), Ok(vec![]));
    }

    #[test]
    fn entries_with_checksums_are_read() {
        let mut bytes = Vec::new();
        bytes.extend_from_slice(&FRAME_MAGIC.to_le_bytes());
        bytes.extend_from_slice(&(2 * 12 + 9u32).to_le_bytes());
        for n in 1..3u32 {
            [n * 10, n * 1000, 0xdead_beef].iter().for_each(|word| bytes.extend_from_slice(&word.to_le_bytes()));
        }
        bytes.extend_from_slice(&2u32.to_le_bytes());
        bytes.push(CHECKSUM_FLAG);
        bytes.extend_from_slice(&END_MAGIC.to_le_bytes());
        assert_eq!(decode(&bytes).unwrap(), entries()[..2]);
    }

    #[test]
    fn damage_is_told_from_absence() {
        assert_eq!(decode(b"short"), Err(SeekTableError::Missing));
        assert_eq!(decode(&[0; 100]), Err(SeekTableError::Missing));
        let whole = encode(&entries());
        for (place, byte) in [(0, 0), (4, 9), (whole.len() - 9, 9), (whole.len() - 6, 0xff)] {
            let mut broken = whole.clone();
            broken[place] = byte;
            assert!(matches!(decode(&broken), Err(SeekTableError::Damaged { .. })), "byte {place}");
        }
    }
}
