//! Reads single files of an MPQ archive, the container of StarCraft II replays. Only what such replays use: files in one piece, stored, or
//! compressed with zlib or bzip2.
//!
//! ```text
//! 0     "MPQ" 1B, u32 size of user data, u32 offset of the archive, u32 length, user data
//! base  "MPQ" 1A, u32 header size, u32 archive size, u16 version, u16 shift, u32 offset of the hash table, u32 of the block table,
//!       u32 hashes, u32 blocks; offsets count from here. Both tables are encrypted with keys that are derived from their names.
//! hash entry   u32 name A, u32 name B, u32 language, u32 block
//! block entry  u32 offset, u32 packed length, u32 length, u32 flags
//! ```

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::bytes::Bytes;
use super::bzip2;

/// Maximum number of entries of a table. Replays have 32.
const MAX_ENTRIES: u32 = 4096;

/// Maximum length of a decompressed file.
const MAX_FILE_BYTES: usize = 4 << 20;

/// Flags of a block: exists, single unit, compressed; and encrypted, which replays are not.
const EXISTS: u32 = 0x8000_0000;
const SINGLE_UNIT: u32 = 0x0100_0000;
const COMPRESSED: u32 = 0x0000_0200;
const ENCRYPTED: u32 = 0x0001_0000;

/// An archive, with its decrypted tables.
#[derive(Debug)]
pub(super) struct Archive<'a> {
    data: &'a [u8],
    hashes: Vec<[u32; 4]>,
    blocks: Vec<[u32; 4]>,
}

/// Table of the cipher: 5 pseudo-random numbers for each byte.
struct Cipher(Vec<u32>);

impl Cipher {
    fn new() -> Self {
        let mut table = vec![0; 0x500];
        let mut seed = 0x0010_0001u32;
        let mut next = || {
            seed = (seed * 125 + 3) % 0x002A_AAAB;
            seed & 0xFFFF
        };
        for byte in 0..0x100 {
            for kind in 0..5 {
                let number = next() << 16 | next();
                if let Some(entry) = table.get_mut(kind * 0x100 + byte) {
                    *entry = number;
                }
            }
        }
        Self(table)
    }

    fn number(&self, kind: usize, byte: u8) -> u32 {
        self.0.get(kind * 0x100 + usize::from(byte)).copied().unwrap_or_default()
    }

    /// Hash of a name: kinds 1 and 2 identify a file, kind 3 is a key.
    fn hash(&self, name: &str, kind: usize) -> u32 {
        let (mut one, mut two) = (0x7FED_7FEDu32, 0xEEEE_EEEEu32);
        for byte in name.bytes().map(|byte| byte.to_ascii_uppercase()) {
            one = self.number(kind, byte) ^ one.wrapping_add(two);
            two = u32::from(byte).wrapping_add(one).wrapping_add(two).wrapping_add(two << 5).wrapping_add(3);
        }
        one
    }

    fn decrypt(&self, data: &[u8], mut key: u32) -> Vec<u32> {
        let mut seed = 0xEEEE_EEEEu32;
        let mut bytes = Bytes::new(data);
        let mut out = Vec::with_capacity(data.len() / 4);
        while let Some(number) = bytes.u32() {
            seed = seed.wrapping_add(self.number(4, key as u8));
            let number = number ^ key.wrapping_add(seed);
            key = (!key << 21).wrapping_add(0x1111_1111) | key >> 11;
            seed = number.wrapping_add(seed).wrapping_add(seed << 5).wrapping_add(3);
            out.push(number);
        }
        out
    }
}

impl<'a> Archive<'a> {
    /// Reads the tables of the archive that begins at `base`.
    pub(super) fn open(file: &'a [u8], base: usize) -> Result<Self, String> {
        let data = file.get(base..).unwrap_or_default();
        let ends = || format!("byte {base}: the archive ends inside its header");
        let mut header = Bytes::new(data);
        if header.take(4).ok_or_else(ends)? != b"MPQ\x1A" {
            return Err(format!("byte {base}: no archive begins here"));
        }
        let mut number = || header.u32().ok_or_else(ends);
        let (_, archive_bytes) = (number()?, number()?);
        let (_, hash_at, block_at, hash_count, block_count) = (number()?, number()?, number()?, number()?, number()?);
        if archive_bytes as usize > data.len() {
            let have = data.len();
            return Err(format!("byte {base}: the archive has {archive_bytes} bytes, the file ends after {have}"));
        }
        let cipher = Cipher::new();
        let table = |name: &str, at: u32, count: u32| {
            if count > MAX_ENTRIES {
                return Err(format!("the {name} has {count} entries, at most {MAX_ENTRIES} are read"));
            }
            let bytes = Bytes::at(data, at as usize).take(count as usize * 16);
            let bytes = bytes.filter(|_| at as usize <= data.len()).ok_or(format!("the {name} is not in the file"))?;
            let numbers = cipher.decrypt(bytes, cipher.hash(&format!("({name})"), 3));
            Ok(numbers.chunks_exact(4).filter_map(|entry| entry.try_into().ok()).collect())
        };
        let hashes = table("hash table", hash_at, hash_count)?;
        let blocks = table("block table", block_at, block_count)?;
        Ok(Self { data, hashes, blocks })
    }

    /// Returns a file of the archive; `Ok(None)` if there is none of this name.
    pub(super) fn file(&self, name: &str) -> Result<Option<Vec<u8>>, String> {
        let cipher = Cipher::new();
        let wanted = [1, 2].map(|kind| cipher.hash(name, kind));
        let Some([_, _, _, block]) = self.hashes.iter().find(|[one, two, ..]| [*one, *two] == wanted) else {
            return Ok(None);
        };
        let Some([at, packed, length, flags]) = self.blocks.get(*block as usize).copied() else {
            return Err(format!("{name}: block {block} is not in the archive"));
        };
        if flags & EXISTS == 0 {
            return Ok(None);
        }
        if flags & SINGLE_UNIT == 0 || flags & ENCRYPTED != 0 {
            return Err(format!("{name}: it is encrypted or in several pieces (flags {flags:#x}), which is not read"));
        }
        let length = length as usize;
        if length > MAX_FILE_BYTES {
            return Err(format!("{name}: it has {length} bytes, at most {MAX_FILE_BYTES} are read"));
        }
        let data =
            Bytes::at(self.data, at as usize).take_u32(packed).ok_or(format!("{name}: it is not in the file"))?;
        if flags & COMPRESSED == 0 || packed as usize >= length {
            return Ok(data.get(..length).map(<[u8]>::to_vec));
        }
        let unpacked = match data.split_first() {
            Some((2, packed)) => inflate(packed, length),
            Some((16, packed)) => bzip2::decompress(packed, length),
            Some((method, _)) => return Err(format!("{name}: compression method {method} is not read")),
            None => None,
        };
        let unpacked = unpacked.filter(|unpacked| unpacked.len() == length);
        unpacked.map(Some).ok_or(format!("{name}: it cannot be decompressed"))
    }
}

fn inflate(packed: &[u8], length: usize) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    ZlibDecoder::new(packed).take(length as u64 + 1).read_to_end(&mut unpacked).ok()?;
    Some(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_the_hashes_of_the_format() {
        let cipher = Cipher::new();
        // The keys of the two tables are published with every description of the format.
        assert_eq!(cipher.hash("(hash table)", 3), 0xC3AF_3770);
        assert_eq!(cipher.hash("(BLOCK table)", 3), 0xEC83_B3A3);
    }
}
