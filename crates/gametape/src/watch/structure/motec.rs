//! Logs of MoTeC i2 (`.ld`): a header, a chain of channels, and the samples of each channel.

use super::{Bytes, Verdict};

/// Maximum number of channels. Real logs have a few hundred at most.
const MAX_CHANNELS: u32 = 20_000;

/// Judges a log: the samples of all channels are inside the file.
pub(super) fn log(bytes: &Bytes<'_>) -> Verdict {
    let (Some(first), Some(count)) = (bytes.u32(8), bytes.u32(86)) else {
        return Verdict::Missing("its header is cut off");
    };
    let mut at = first;
    let mut channels = 0;
    while at != 0 {
        channels += 1;
        if channels > MAX_CHANNELS {
            return Verdict::Unknown;
        }
        match channel(bytes, u64::from(at)) {
            Some(next) => at = next,
            None => return Verdict::Missing("the samples of a channel are cut off"),
        }
    }
    // Some loggers write a wrong count; a chain that is shorter is one that is still being written.
    if channels == 0 || channels < count { Verdict::Missing("channels are missing") } else { Verdict::Whole }
}

/// Returns the offset of the next channel. `None` if this one is not inside the file.
fn channel(bytes: &Bytes<'_>, at: u64) -> Option<u32> {
    let (next, data) = (bytes.u32(at + 4)?, bytes.u32(at + 8)?);
    let (count, size) = (bytes.u32(at + 12)?, bytes.u16(at + 20)?);
    bytes.has(u64::from(data), u64::from(count) * u64::from(size)).then_some(next)
}
