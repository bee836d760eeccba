//! Layout fingerprints: computed once per layout, compared for every row.
use super::Channel;

/// FNV-1a over the frame length and the channels. Evaluated at compile time for static tables.
pub(super) const fn fingerprint(frame_bytes: u32, channels: &[Channel]) -> u64 {
    let mut hash = added(0xCBF2_9CE4_8422_2325, &frame_bytes.to_le_bytes());
    let mut index = 0;
    while index < channels.len() {
        let channel = &channels[index];
        hash = added(hash, channel.name_text().as_bytes());
        hash = added(hash, &channel.offset.to_le_bytes());
        hash = added(hash, &[channel.kind as u8, 0]);
        hash = added(hash, &channel.count.to_le_bytes());
        hash = added(hash, channel.unit_text().as_bytes());
        index += 1;
    }
    hash
}

const fn added(mut hash: u64, bytes: &[u8]) -> u64 {
    let mut index = 0;
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0000_0100_0000_01B3);
        index += 1;
    }
    // Separates the parts, so that the concatenation is unambiguous.
    (hash ^ 0x1FF).wrapping_mul(0x0000_0100_0000_01B3)
}
