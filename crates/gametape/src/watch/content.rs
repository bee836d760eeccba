//! Content hashes of files.

use std::fmt;
use std::io::{self, Read};

use gametape_format::TapeId;

/// BLAKE3 hash of a file. Its text form is that of `b3sum`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash(pub [u8; 32]);

impl ContentHash {
    /// Reads the source to its end. Returns `None` if `stop` returned `true` before.
    pub(super) fn of(source: &mut dyn Read, stop: &dyn Fn() -> bool) -> io::Result<Option<Self>> {
        let mut hasher = blake3::Hasher::new();
        let mut buffer = vec![0; 1 << 18];
        while !stop() {
            match source.read(&mut buffer) {
                Ok(0) => return Ok(Some(Self(*hasher.finalize().as_bytes()))),
                Ok(count) => {
                    hasher.update(buffer.get(..count).unwrap_or_default());
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(None)
    }

    /// Returns the id of a tape that is imported from these bytes: it is derived from the same hash.
    pub fn tape_id(&self) -> TapeId {
        let mut id = [0; 16];
        for (to, from) in id.iter_mut().zip(self.0) {
            *to = from;
        }
        TapeId(id)
    }

    /// Parses the text form.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        blake3::Hash::from_hex(text).ok().map(|hash| Self(*hash.as_bytes()))
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_of_a_source_holds_the_id_of_its_tape() {
        let bytes: Vec<u8> = (0..1_000_000u32).map(|i| (i * 7) as u8).collect();
        let hash = ContentHash::of(&mut bytes.as_slice(), &|| false).unwrap().unwrap();
        assert_eq!(hash.tape_id(), crate::identity::id_of_content(&mut bytes.as_slice(), &mut |_| {}).unwrap());
        assert_eq!(hash.to_string(), blake3::hash(&bytes).to_hex().as_str());
        assert_eq!(ContentHash::parse(hash.to_string().as_bytes()), Some(hash));
        assert_eq!(ContentHash::of(&mut bytes.as_slice(), &|| true).unwrap(), None);
    }
}
