//! Writes fields into packets.

/// Overwrites the bytes at an offset. Bytes beyond the end of the packet are dropped.
pub(crate) fn put<const N: usize>(packet: &mut [u8], at: usize, bytes: [u8; N]) {
    if let Some(field) = packet.get_mut(at..at + N) {
        field.copy_from_slice(&bytes);
    }
}

/// Overwrites numbers that follow each other.
pub(crate) fn put_f32s(packet: &mut [u8], at: usize, numbers: &[f64]) {
    for (index, number) in numbers.iter().enumerate() {
        put(packet, at + index * 4, (*number as f32).to_le_bytes());
    }
}

/// Overwrites a text field of `N` bytes, NUL-padded.
pub(crate) fn put_text<const N: usize>(packet: &mut [u8], at: usize, text: &str) {
    put(packet, at, gametape_games::Chars::<N>::new(text).0);
}
