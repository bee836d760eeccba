//! Minimum and maximum of a channel over time, from the index: hours of data in an instant.

use std::ops::Range;

use super::catalog::{Located, PageCache};
use super::problem::{ReadError, io_at};
use super::tape::{Tape, TapeStream};
use crate::index::{SlotRanges, parse_run};
use crate::ranges::{self, Range as Mapped};
use crate::record::HEADER_BYTES;
use crate::source::read_full;
use crate::stream::Ranges;

/// The smallest and largest values in a time interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bucket {
    /// The start of the interval.
    pub from_ns: u64,
    /// The smallest value, or `None` if there are no values.
    pub min: Option<f64>,
    /// The largest value.
    pub max: Option<f64>,
}

impl Bucket {
    fn include(&mut self, min: f64, max: f64) {
        self.min = Some(self.min.map_or(min, |known| known.min(min)));
        self.max = Some(self.max.map_or(max, |known| known.max(max)));
    }
}

struct Buckets {
    all: Vec<Bucket>,
    from: u64,
    width: u64,
}

impl Buckets {
    fn new(times: &Range<u64>, count: usize) -> Self {
        let width = (times.end - times.start).div_ceil(count as u64).max(1);
        let bucket =
            |i: u64| Bucket { from_ns: times.start.saturating_add(i.saturating_mul(width)), min: None, max: None };
        Self { all: (0..count as u64).map(bucket).collect(), from: times.start, width }
    }

    fn include(&mut self, from_ns: u64, to_ns: u64, min: f64, max: f64) {
        let number = |time: u64| (time.saturating_sub(self.from) / self.width) as usize;
        let (first, last) = (number(from_ns), number(to_ns).min(self.all.len().saturating_sub(1)));
        if to_ns >= self.from {
            self.all.get_mut(first..=last).unwrap_or_default().iter_mut().for_each(|bucket| bucket.include(min, max));
        }
    }
}

impl Tape {
    /// Returns the minimum and maximum of a channel in `count` equal intervals of `times`, which is clipped to the time
    /// span of the stream.
    ///
    /// A block is not decoded if the index has its ranges and the block is not longer than two buckets. A bucket may
    /// therefore include a value of a block that only partly overlaps it. `element` selects one element of an array; if
    /// the index stores a single range for the whole array, that range is returned.
    pub fn overview(
        &self,
        stream: &TapeStream,
        channel: &str,
        element: u32,
        times: Range<u64>,
        count: usize,
    ) -> Result<Vec<Bucket>, ReadError> {
        let (slot, name) = find_slot(stream, channel, element)?;
        let first = stream.totals().first_ns.unwrap_or_default().max(times.start);
        let last = stream.totals().last_ns.unwrap_or_default().saturating_add(1).min(times.end).max(first);
        let mut buckets = Buckets::new(&(first..last), count.max(1));
        let mut decoded: Vec<Located> = Vec::new();
        let bytes = self.bytes_of(stream.id().0);
        let pages = stream.list.pages.iter().enumerate();
        for (number, page) in pages.filter(|(_, page)| page.first_ns < last && page.last_ns >= first) {
            let parsed = match slot {
                Some(slot) => bytes.page(page, Some((stream.slots(), slot)))?,
                None => bytes.page(page, None)?,
            };
            let (header, parsed) = match parsed {
                Ok(parsed) => parsed,
                Err(problem) => {
                    // The page's blocks are found without it, and decoded.
                    self.notes.add(problem);
                    let mut cache = PageCache::default();
                    let entries = stream.list.page_blocks(&bytes, &mut cache, number)?;
                    decoded.extend(entries.iter().map(Located::in_tape));
                    continue;
                }
            };
            let ranges = match parsed.slot {
                Some(SlotRanges::Same(range)) => vec![range; parsed.entries.len()],
                Some(SlotRanges::Each(ranges)) => ranges,
                Some(SlotRanges::Run { at, bytes, crc }) => {
                    self.read_run(header.offset, at, bytes, crc, parsed.entries.len())?
                }
                None => Vec::new(),
            };
            for (number, entry) in parsed.entries.iter().enumerate() {
                let block = Located::in_tape(entry);
                let long = entry.last_ns - entry.first_ns > 2 * buckets.width;
                match ranges.get(number).filter(|range| !long && !is_unknown(range)) {
                    Some(range) => include(&mut buckets, stream, slot, &block, range),
                    None => decoded.push(block),
                }
            }
        }
        decoded.extend(stream.list.tail.iter().copied());
        decoded.retain(|block| block.first_ns < last && block.last_ns >= first);
        self.include_decoded(stream, &name, &decoded, &mut buckets)?;
        Ok(buckets.all)
    }

    fn read_run(&self, page: u64, at: usize, bytes: usize, crc: u32, blocks: usize) -> Result<Vec<Mapped>, ReadError> {
        let offset = page + (HEADER_BYTES + at) as u64;
        let mut data = vec![0; bytes.min(crate::limits::PAYLOAD_BYTES)];
        let found = read_full(&*self.source, offset, &mut data).map_err(io_at(offset))?;
        data.truncate(found);
        // Without its ranges, a block is decoded.
        Ok(parse_run(&data, crc, blocks).unwrap_or_default())
    }

    fn include_decoded(
        &self,
        stream: &TapeStream,
        name: &str,
        blocks: &[Located],
        buckets: &mut Buckets,
    ) -> Result<(), ReadError> {
        let mut channels = self.channels(stream, &[name])?;
        let count = channels.count(0).max(1);
        for located in blocks {
            let block = match channels.read(located) {
                Ok(block) => block,
                Err(ReadError::Damaged(_)) => continue,
                Err(error) => return Err(error),
            };
            let Some(values) = block.values.first() else { continue };
            for (row, time) in block.times.iter().enumerate() {
                for element in 0..count {
                    if let Some(value) = values.as_f64(row * count + element).filter(|value| !value.is_nan()) {
                        buckets.include(*time, *time, value, value);
                    }
                }
            }
        }
        Ok(())
    }
}

/// Whether a range is missing although there are values, as for a row block.
fn is_unknown(range: &Mapped) -> bool {
    range.is_empty()
}

fn include(buckets: &mut Buckets, stream: &TapeStream, slot: Option<usize>, block: &Located, range: &Mapped) {
    let Some(slot) = slot.and_then(|slot| stream.slots().get(slot)) else { return };
    let (min, max) = (ranges::unmap(slot.kind, range.min), ranges::unmap(slot.kind, range.max));
    buckets.include(block.first_ns, block.last_ns, min, max);
}

/// Returns the slot of a channel's element, if the index has one, and the name under which to decode it.
fn find_slot(stream: &TapeStream, channel: &str, element: u32) -> Result<(Option<usize>, String), ReadError> {
    let mut slot = 0;
    for known in &stream.spec().channels {
        if known.name == channel && element < known.count {
            return Ok(match known.ranges {
                Ranges::None => (None, format!("{channel}[{element}]")),
                Ranges::Whole => (Some(slot), channel.to_owned()),
                Ranges::Each => (Some(slot + element as usize), format!("{channel}[{element}]")),
            });
        }
        slot += known.slots();
    }
    let like = stream.spec().channels.iter().filter(|known| known.name == channel).map(|known| known.name.clone());
    Err(ReadError::NoSuchChannel {
        stream: stream.spec().name.clone(),
        name: format!("{channel}[{element}]"),
        like: like.collect(),
    })
}
