//! Detects pages whose length matches no known version. They are recorded anyway, and the user is notified.

use std::fmt::Write;

/// Sections consist of whole memory pages, and bridges round up too. A multiple of this length says nothing about the contents.
const ROUND_BYTES: u64 = 1024;

/// Returns a note if no known version of a page has `bytes` bytes. `recorded` is the length that is recorded.
pub(crate) fn unknown_length(name: &str, bytes: u64, known: &[u64], recorded: u64) -> Option<String> {
    if bytes.is_multiple_of(ROUND_BYTES) || known.contains(&bytes) {
        return None;
    }
    let mut text = format!("{name} has {bytes} bytes; the known versions of the page have");
    let mut lengths = known.to_vec();
    lengths.sort_unstable();
    lengths.dedup();
    for (index, length) in lengths.iter().enumerate() {
        let _ = write!(text, "{} {length}", if index == 0 { "" } else { "," });
    }
    let _ =
        write!(text, ". The first {recorded} are recorded, and may mean something else in this version of the game");
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_length_that_says_something_and_is_not_known_is_told() {
        let told = |bytes| unknown_length("graphics", bytes, &[1588, 1580, 1588], 1588);
        assert!([1580, 1588, 2048, 4096, 65_536].into_iter().all(|bytes| told(bytes).is_none()));
        assert_eq!(
            told(1700).unwrap(),
            "graphics has 1700 bytes; the known versions of the page have 1580, 1588. The first 1588 are recorded, and may mean \
             something else in this version of the game"
        );
    }
}
