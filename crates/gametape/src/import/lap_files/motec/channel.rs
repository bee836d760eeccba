//! The channel records of a `.ld` file: a chain of records of 124 bytes.
//!
//! ```text
//!  0  u32 previous record    4  u32 next record, 0 at the end    8  u32 first sample    12  u32 number of samples
//! 16  u16 id    18  u16 type family    20  u16 bytes per sample    22  u16 rate in Hz
//! 24  i16 shift    26  i16 multiplier    28  i16 scale    30  i16 decimal places
//! 32  char[32] name    64  char[8] short name    72  char[12] unit    84  40 bytes of padding
//! ```

use std::collections::BTreeMap;
use std::ops::Range;

use super::head::{HEAD_BYTES, LdHead};
use super::{read_within, text_of};
use crate::import::Source;
use crate::import::error::ImportError;
use crate::import::problems::Problems;

/// Length of a record.
const RECORD_BYTES: u64 = 124;

/// Most channels of a file.
const MOST_CHANNELS: usize = 4096;

/// A channel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct LdChannel {
    pub(super) name: String,
    pub(super) unit: String,
    /// Number of whole samples that are in the file.
    pub(super) count: u64,
    pub(super) family: u16,
    /// Bytes per sample.
    pub(super) size: u64,
    pub(super) hz: u64,
    pub(super) shift: i16,
    pub(super) multiplier: i16,
    pub(super) scale: i16,
    pub(super) decimals: i16,
    /// Range of the samples in the file.
    pub(super) samples: Range<u64>,
}

impl LdChannel {
    /// Returns the range of some samples in the file.
    pub(super) fn range(&self, numbers: Range<u64>) -> Range<u64> {
        let at =
            |number: u64| self.samples.start.saturating_add(number.saturating_mul(self.size)).min(self.samples.end);
        at(numbers.start)..at(numbers.end)
    }
}

/// Reads the chain of channels. Records that lead outside of the file, or back, end it; samples that overlap those of another channel are
/// left out, so that no file can make a tape larger than itself.
pub(super) fn read_channels(
    source: &Source,
    head: &LdHead,
    problems: &mut Problems,
) -> Result<Vec<LdChannel>, ImportError> {
    let mut taken = Taken::default();
    taken.add(&(0..HEAD_BYTES));
    let (mut found, mut names) = (Vec::new(), BTreeMap::<String, u32>::new());
    let mut at = head.first_channel;
    let mut records = 0u64;
    while at != 0 {
        let range = at..at.saturating_add(RECORD_BYTES);
        let record = match read_within(source, range.clone())? {
            Some(record) if records < MOST_CHANNELS as u64 && taken.add(&range) => record,
            _ => {
                problems.add(format!("the list of channels breaks off: record {records} at byte {at} cannot be read"));
                break;
            }
        };
        records += 1;
        let Some((mut channel, next)) = channel_of(&record, source.bytes, problems) else { break };
        let nth = names.entry(channel.name.clone()).or_default();
        *nth += 1;
        if *nth > 1 {
            channel.name = format!("{} {nth}", channel.name);
            // A channel may have just that name.
            *names.entry(channel.name.clone()).or_default() += 1;
        }
        match channel.count == 0 || taken.add(&channel.samples) {
            true => found.push(channel),
            false => {
                problems.add(format!("the samples of channel {:?} overlap other data: they are left out", channel.name))
            }
        }
        at = next;
    }
    if records != head.channel_count && head.channel_count > 0 {
        problems.add(format!("the header counts {} channels, the list has {records}", head.channel_count));
    }
    let mut used = std::collections::BTreeSet::new();
    found.retain(|channel| used.insert(channel.name.clone()));
    Ok(found)
}

/// Parses a record. Returns the channel and the next record.
fn channel_of(record: &[u8], file_bytes: u64, problems: &mut Problems) -> Option<(LdChannel, u64)> {
    let long = |at: usize| record.get(at..at + 4)?.try_into().ok().map(u32::from_le_bytes).map(u64::from);
    let short = |at: usize| record.get(at..at + 2)?.try_into().ok().map(u16::from_le_bytes);
    let signed = |at: usize| short(at).map(u16::cast_signed);
    let text = |at: usize, length: usize| record.get(at..at + length).and_then(text_of);
    let (next, start, count) = (long(4)?, long(8)?, long(12)?);
    let size = u64::from(short(20)?);
    let name =
        text(32, 32).or_else(|| text(64, 8)).unwrap_or_else(|| format!("channel {}", short(16).unwrap_or_default()));
    let there = match size {
        0 => 0,
        size => file_bytes.saturating_sub(start) / size,
    };
    if there < count {
        problems.add(format!("channel {name:?} has {there} of {count} samples in the file"));
    }
    let count = count.min(there);
    let channel = LdChannel {
        name,
        unit: text(72, 12).unwrap_or_default(),
        count,
        family: short(18)?,
        size,
        hz: short(22)?.into(),
        shift: signed(24)?,
        multiplier: signed(26)?,
        scale: signed(28)?,
        decimals: signed(30)?,
        samples: start..start.saturating_add(count * size),
    };
    Some((channel, next))
}

/// Ranges of a file that do not overlap.
#[derive(Debug, Default)]
struct Taken(BTreeMap<u64, u64>);

impl Taken {
    /// Adds a range. Returns whether it overlaps no other one.
    fn add(&mut self, range: &Range<u64>) -> bool {
        let before = self.0.range(..range.end).next_back();
        if before.is_some_and(|(_, end)| *end > range.start) {
            return false;
        }
        self.0.insert(range.start, range.end);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_taken_once() {
        let mut taken = Taken::default();
        assert!(taken.add(&(10..20)) && taken.add(&(20..30)) && taken.add(&(0..10)));
        assert!(!taken.add(&(5..6)) && !taken.add(&(29..40)) && !taken.add(&(0..100)) && !taken.add(&(10..20)));
        assert!(taken.add(&(30..31)));
    }
}
