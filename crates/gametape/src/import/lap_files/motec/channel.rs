//! The channel records of a `.ld` file: a chain of records, laid out as [`crate::motec::channel`] says.

use std::collections::BTreeMap;
use std::ops::Range;

use super::head::{HEAD_BYTES, LdHead};
use super::{read_within, text_of};
use crate::import::Source;
use crate::import::error::ImportError;
use crate::import::problems::Problems;
use crate::motec::channel as at;

/// Length of a record.
const RECORD_BYTES: u64 = at::BYTES as u64;

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
    let long = |place: usize| record.get(place..place + 4)?.try_into().ok().map(u32::from_le_bytes).map(u64::from);
    let short = |place: usize| record.get(place..place + 2)?.try_into().ok().map(u16::from_le_bytes);
    let signed = |place: usize| short(place).map(u16::cast_signed);
    let text = |place: Range<usize>| record.get(place).and_then(text_of);
    let (next, start, count) = (long(at::NEXT)?, long(at::SAMPLES)?, long(at::COUNT)?);
    let size = u64::from(short(at::SIZE)?);
    let name = text(at::NAME)
        .or_else(|| text(at::SHORT_NAME))
        .unwrap_or_else(|| format!("channel {}", short(at::ID).unwrap_or_default()));
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
        unit: text(at::UNIT).unwrap_or_default(),
        count,
        family: short(at::FAMILY)?,
        size,
        hz: short(at::HZ)?.into(),
        shift: signed(at::SHIFT)?,
        multiplier: signed(at::MULTIPLIER)?,
        scale: signed(at::SCALE)?,
        decimals: signed(at::DECIMALS)?,
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
