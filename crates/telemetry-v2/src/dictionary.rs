//! A zstd dictionary, without which some files cannot be decompressed. Parsed from the bytes of its file; provides its
//! id and SHA-256.
//!
//! ```text
//! 0xEC30A437 | id (4, little endian) | entropy tables | content
//! ```
//! A frame refers to its dictionary by id only, and ids collide. Therefore the header of a capture states the SHA-256,
//! and readers compare it before they return a frame.

use std::fmt;

use bytes::Bytes;
use sha2::{Digest as _, Sha256};

use crate::unpack;

const MAGIC: [u8; 4] = [0x37, 0xa4, 0x30, 0xec];

/// The reason why bytes cannot be used as a dictionary.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DictionaryError {
    /// The bytes do not start like a dictionary.
    #[error("this is not a zstd dictionary: it does not start with the bytes 37 a4 30 ec and an id")]
    NotADictionary,
    /// It is larger than any dictionary in use.
    #[error("the dictionary has {actual} bytes, but at most {limit} are allowed")]
    TooLarge {
        /// Its size in bytes.
        actual: usize,
        /// The maximum size in bytes.
        limit: usize,
    },
    /// Its tables cannot be parsed.
    #[error("the dictionary is damaged: {cause}")]
    Damaged {
        /// The error reported by the decoder.
        cause: String,
    },
}

/// A zstd dictionary. Cloning it is cheap.
#[derive(Clone, PartialEq, Eq)]
pub struct Dictionary {
    bytes: Bytes,
    id: u32,
    sha256: [u8; 32],
}

impl fmt::Debug for Dictionary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sha256 = hex(&self.sha256);
        f.debug_struct("Dictionary").field("id", &self.id).field("sha256", &sha256).finish_non_exhaustive()
    }
}

impl Dictionary {
    /// The maximum size of a dictionary. Trained ones have about 100 KiB.
    pub const MAX_BYTES: usize = 16 << 20;

    /// Parses a dictionary from the bytes of its file.
    ///
    /// # Errors
    /// If the bytes are not a dictionary with an id, or exceed the maximum size.
    pub fn from_bytes(bytes: impl Into<Bytes>) -> Result<Self, DictionaryError> {
        let bytes: Bytes = bytes.into();
        let id = bytes.strip_prefix(&MAGIC).and_then(|rest| rest.first_chunk()).map(|id| u32::from_le_bytes(*id));
        let Some(id) = id.filter(|id| *id != 0) else { return Err(DictionaryError::NotADictionary) };
        if bytes.len() > Self::MAX_BYTES {
            return Err(DictionaryError::TooLarge { actual: bytes.len(), limit: Self::MAX_BYTES });
        }
        let sha256 = Sha256::digest(&bytes).into();
        let dictionary = Self { bytes, id, sha256 };
        unpack::check_dictionary(&dictionary).map_err(|cause| DictionaryError::Damaged { cause })?;
        Ok(dictionary)
    }

    /// The id by which zstd frames refer to it.
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The SHA-256 of its bytes.
    pub fn sha256(&self) -> &[u8; 32] {
        &self.sha256
    }

    /// The complete dictionary.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Formats bytes as hexadecimal digits, as `sha256sum` prints them.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the id of the dictionary of a zstd frame; `None` if it has none or is too short to tell.
pub(crate) fn id_of_frame(frame: &[u8]) -> Option<u32> {
    let (descriptor, rest) = frame.get(4..)?.split_first()?;
    let single_segment = descriptor & 0x20 != 0;
    let rest = if single_segment { rest } else { rest.get(1..)? };
    let id = match descriptor & 3 {
        0 => return None,
        1 => u32::from(*rest.first()?),
        2 => u32::from(u16::from_le_bytes(*rest.first_chunk()?)),
        _ => u32::from_le_bytes(*rest.first_chunk()?),
    };
    // 0 means none.
    (id != 0).then_some(id)
}

#[cfg(all(test, feature = "zstd"))]
#[allow(clippy::unwrap_used, reason = "a helper of tests")]
pub(crate) mod tests {
    use super::*;

    /// A real dictionary (`tests/data`) with the given id. Different `content` gives the same id and another SHA-256.
    pub(crate) fn example(id: u32, content: u8) -> Dictionary {
        let mut bytes = include_bytes!("../tests/data/dictionary.zdict").to_vec();
        bytes[4..8].copy_from_slice(&id.to_le_bytes());
        *bytes.last_mut().unwrap() ^= content;
        Dictionary::from_bytes(bytes).unwrap()
    }

    #[test]
    fn ids_of_frames_are_read_in_every_length() {
        for id in [1, 200, 256, 40_000, 70_000, u32::MAX] {
            let dictionary = example(id, 0);
            assert_eq!(dictionary.id(), id);
            for content in [&b"abc"[..], &[7; 100_000]] {
                let mut with = zstd::bulk::Compressor::with_dictionary(3, dictionary.bytes()).unwrap();
                assert_eq!(id_of_frame(&with.compress(content).unwrap()), Some(id));
                assert_eq!(id_of_frame(&zstd::bulk::compress(content, 3).unwrap()), None);
            }
        }
        assert_eq!(id_of_frame(&[0x28, 0xb5, 0x2f, 0xfd, 0x23, 1, 2]), None);
    }

    #[test]
    fn invalid_dictionaries_are_rejected_and_the_hash_is_sha256() {
        for bytes in [&b""[..], b"37a430ec", b"\x37\xa4\x30\xec", b"\x37\xa4\x30\xec\0\0\0\0"] {
            assert_eq!(Dictionary::from_bytes(bytes.to_vec()), Err(DictionaryError::NotADictionary));
        }
        let damaged = Dictionary::from_bytes(b"\x37\xa4\x30\xec\x01\0\0\0nothing more".to_vec());
        assert!(matches!(damaged, Err(DictionaryError::Damaged { .. })), "{damaged:?}");
        let abc: [u8; 32] = Sha256::digest(b"abc").into();
        assert_eq!(hex(&abc), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}
