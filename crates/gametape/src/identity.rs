//! Ids of tapes: random ids for recordings, derived ids for tapes that are made from other data.
//!
//! A derived id is deterministic, so that laps and edits that refer to a tape remain valid after it is made again.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Read};
use std::time::{SystemTime, UNIX_EPOCH};

use gametape_format::TapeId;

/// Reads a source to its end and returns the id of a tape made from its bytes. Calls `progress` with the number of bytes read so far.
pub fn id_of_content(source: &mut dyn Read, progress: &mut dyn FnMut(u64)) -> io::Result<TapeId> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; 1 << 20];
    let mut done = 0;
    loop {
        match source.read(&mut buffer) {
            Ok(0) => return Ok(id_of_hash(&hasher)),
            Ok(count) => {
                hasher.update(buffer.get(..count).unwrap_or_default());
                done += count as u64;
                progress(done);
            }
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Returns the id of a tape that is made from other tapes. `how` identifies the operation and its settings.
pub fn derived_id(sources: &[TapeId], how: &str) -> TapeId {
    let mut hasher = blake3::Hasher::new();
    hasher.update(how.as_bytes());
    for source in sources {
        hasher.update(&source.0);
    }
    id_of_hash(&hasher)
}

/// Returns a unique id for a new recording.
pub fn new_id() -> TapeId {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let mut hasher = blake3::Hasher::new();
    hasher.update(&now.as_nanos().to_le_bytes());
    hasher.update(&std::process::id().to_le_bytes());
    // The keys of the standard library's hash maps come from the operating system's random number generator.
    for _ in 0..2 {
        hasher.update(&RandomState::new().build_hasher().finish().to_le_bytes());
    }
    id_of_hash(&hasher)
}

fn id_of_hash(hasher: &blake3::Hasher) -> TapeId {
    let mut id = [0; 16];
    hasher.finalize_xof().fill(&mut id);
    TapeId(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_bytes_give_equal_ids_however_they_are_read() {
        let bytes: Vec<u8> = (0..3_000_000u32).map(|i| (i * 7) as u8).collect();
        let whole = id_of_content(&mut bytes.as_slice(), &mut |_| {}).unwrap();
        let mut parts = bytes.get(..10).unwrap().chain(bytes.get(10..).unwrap());
        assert_eq!(id_of_content(&mut parts, &mut |_| {}).unwrap(), whole);
        assert_ne!(id_of_content(&mut bytes.get(1..).unwrap(), &mut |_| {}).unwrap(), whole);
    }

    #[test]
    fn new_ids_differ_and_derived_ones_do_not() {
        assert_ne!(new_id(), new_id());
        let source = TapeId([1; 16]);
        assert_eq!(derived_id(&[source], "cut 0 5"), derived_id(&[source], "cut 0 5"));
        assert_ne!(derived_id(&[source], "cut 0 5"), derived_id(&[source], "cut 0 6"));
    }
}
