//! Minima and maxima of channels as stored in the index (docs/format.md, section 7).
//!
//! Values are mapped to unsigned integers that sort in the same order, so that one pair of `u64` works for all types.

#[cfg(feature = "write")]
use crate::column::changed_bytes;
use crate::stream::{ChannelType, Ranges, StreamSpec};

/// The range of a block without values.
pub(crate) const EMPTY: Range = Range { min: u64::MAX, max: 0 };

/// The smallest and largest mapped values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Range {
    pub(crate) min: u64,
    pub(crate) max: u64,
}

impl Range {
    #[cfg(feature = "write")]
    fn include(&mut self, mapped: u64) {
        self.min = self.min.min(mapped);
        self.max = self.max.max(mapped);
    }

    #[cfg(feature = "write")]
    fn include_both(&mut self, (min, max): (u32, u32)) {
        self.min = self.min.min(u64::from(min));
        self.max = self.max.max(u64::from(max));
    }

    pub(crate) fn is_empty(self) -> bool {
        self.min > self.max
    }
}

/// One slot of a stream's ranges: the bytes of a frame that it covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) kind: ChannelType,
    offset: usize,
    count: usize,
}

/// Returns the slots of a stream, in the order of its channel table.
pub(crate) fn slots(spec: &StreamSpec) -> Vec<Slot> {
    let mut slots = Vec::new();
    for channel in &spec.channels {
        let (offset, width) = (channel.offset as usize, channel.kind.width());
        match channel.ranges {
            Ranges::None => {}
            Ranges::Whole => slots.push(Slot { kind: channel.kind, offset, count: channel.count as usize }),
            Ranges::Each => slots.extend((0..channel.count as usize).map(|element| Slot {
                kind: channel.kind,
                offset: offset + element * width,
                count: 1,
            })),
        }
    }
    slots
}

/// Rows are processed in tiles that stay in the L1 cache while all slots read them.
#[cfg(feature = "write")]
const TILE_BYTES: usize = 32 << 10;

/// Computes the range of every slot over the rows of a block, in slot order.
#[cfg(feature = "write")]
pub(crate) fn over(slots: &[Slot], rows: &[u8], row_bytes: usize) -> Vec<Range> {
    let mut ranges = vec![EMPTY; slots.len()];
    let row_bytes = row_bytes.max(1);
    // Most channels are constant in most blocks; for those, the first row is enough.
    let mut changed = Vec::new();
    changed_bytes(rows, row_bytes, &mut changed);
    let first = rows.get(..row_bytes).unwrap_or_default();
    let mut moving = Vec::new();
    for (slot, range) in slots.iter().zip(&mut ranges) {
        if slot.bytes(&changed).iter().any(|&bits| bits != 0) {
            moving.push((slot, range));
        } else {
            slot.include(first, row_bytes, range);
        }
    }
    for tile in rows.chunks(row_bytes * (TILE_BYTES / row_bytes).max(1)) {
        for (slot, range) in &mut moving {
            slot.include(tile, row_bytes, range);
        }
    }
    ranges
}

#[cfg(feature = "write")]
impl Slot {
    fn bytes(self, row: &[u8]) -> &[u8] {
        row.get(self.offset..self.offset + self.count * self.kind.width()).unwrap_or_default()
    }

    fn include(self, tile: &[u8], row_bytes: usize, range: &mut Range) {
        // The common types have their own 32-bit loops: this runs over every recorded value.
        match self.kind {
            ChannelType::F32 => {
                let ordered = |bits: u32| bits ^ ((bits.cast_signed() >> 31).cast_unsigned() | 1 << 31);
                let found = self.include_words(tile, row_bytes, ordered);
                // NaN sorts beyond both infinities. If no value is out there, all of them count.
                let infinities = ordered(f32::NEG_INFINITY.to_bits())..=ordered(f32::INFINITY.to_bits());
                if infinities.contains(&found.0) && infinities.contains(&found.1) {
                    return range.include_both(found);
                }
                self.include_as::<4>(tile, row_bytes, range);
            }
            ChannelType::I32 => range.include_both(self.include_words(tile, row_bytes, |bits| bits ^ 1 << 31)),
            kind => match kind.width() {
                1 => self.include_as::<1>(tile, row_bytes, range),
                2 => self.include_as::<2>(tile, row_bytes, range),
                4 => self.include_as::<4>(tile, row_bytes, range),
                _ => self.include_as::<8>(tile, row_bytes, range),
            },
        }
    }

    /// Returns the smallest and largest mapped values of a non-empty tile.
    #[inline(always)]
    fn include_words(self, tile: &[u8], row_bytes: usize, mapped: impl Fn(u32) -> u32) -> (u32, u32) {
        let (mut min, mut max) = (u32::MAX, 0);
        // One element at a time, down the rows: nearly all slots have a single element, and an inner loop per row costs
        // more than it saves.
        for offset in (self.offset..).step_by(4).take(self.count) {
            for row in tile.chunks_exact(row_bytes) {
                let Some(bytes) = row.get(offset..).and_then(|rest| rest.first_chunk::<4>()) else { break };
                let value = mapped(u32::from_le_bytes(*bytes));
                min = min.min(value);
                max = max.max(value);
            }
        }
        (min, max)
    }

    #[inline(always)]
    fn include_as<const WIDTH: usize>(self, tile: &[u8], row_bytes: usize, range: &mut Range) {
        let mut found = *range;
        for row in tile.chunks_exact(row_bytes) {
            let elements = row.get(self.offset..self.offset + self.count * WIDTH).unwrap_or_default();
            for element in elements.as_chunks::<WIDTH>().0 {
                let mut wide = [0; 8];
                if let Some(low) = wide.first_chunk_mut::<WIDTH>() {
                    *low = *element;
                }
                if let Some(mapped) = map(self.kind, u64::from_le_bytes(wide)) {
                    found.include(mapped);
                }
            }
        }
        *range = found;
    }
}

/// A mask that covers the largest mapped value of a type.
pub(crate) fn mask(kind: ChannelType) -> u64 {
    u64::MAX >> (64 - 8 * kind.width())
}

/// Maps a value's bits to an integer that sorts like the value; `None` for NaN.
#[inline(always)]
#[cfg(feature = "write")]
fn map(kind: ChannelType, bits: u64) -> Option<u64> {
    let sign = 1 << (8 * kind.width() - 1);
    match kind {
        ChannelType::F32 if bits & 0x7FFF_FFFF > 0x7F80_0000 => None,
        ChannelType::F64 if bits & (u64::MAX >> 1) > 0x7FF0_0000_0000_0000 => None,
        ChannelType::F32 | ChannelType::F64 if bits & sign != 0 => Some(!bits & mask(kind)),
        ChannelType::F32 | ChannelType::F64 => Some(bits | sign),
        _ if kind.is_signed() => Some(bits ^ sign),
        _ => Some(bits),
    }
}

/// Returns the value that a mapped integer represents.
pub(crate) fn unmap(kind: ChannelType, mapped: u64) -> f64 {
    let sign = 1 << (8 * kind.width() - 1);
    if kind.is_float() {
        let bits = if mapped & sign != 0 { mapped ^ sign } else { !mapped & mask(kind) };
        return match kind {
            ChannelType::F32 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits),
        };
    }
    if kind.is_signed() {
        let bits = mapped ^ sign;
        let shift = 64 - 8 * kind.width();
        return ((bits << shift) as i64 >> shift) as f64;
    }
    mapped as f64
}

#[cfg(all(test, feature = "write"))]
#[allow(clippy::expect_used, reason = "tests")]
mod tests {
    use super::*;

    fn mapped(kind: ChannelType, bits: u64) -> u64 {
        map(kind, bits).expect("not NaN")
    }

    #[test]
    fn mapped_values_sort_like_the_values_and_come_back() {
        let floats = [f32::NEG_INFINITY, -1e30, -1.5, -0.0, 0.0, 1e-40, 2.5, f32::INFINITY];
        let keys: Vec<_> = floats.iter().map(|v| mapped(ChannelType::F32, u64::from(v.to_bits()))).collect();
        assert!(keys.is_sorted());
        for (value, key) in floats.iter().zip(keys) {
            assert_eq!(unmap(ChannelType::F32, key), f64::from(*value));
        }
        let integers = [i16::MIN, -3, 0, 7, i16::MAX];
        let keys: Vec<_> = integers.iter().map(|v| mapped(ChannelType::I16, u64::from(v.cast_unsigned()))).collect();
        assert!(keys.is_sorted());
        for (value, key) in integers.iter().zip(keys) {
            assert_eq!(unmap(ChannelType::I16, key), f64::from(*value));
        }
    }

    #[test]
    fn nan_is_left_out_of_a_range() {
        let rows: Vec<u8> = [1.0f64, f64::NAN, -2.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        let slot = Slot { kind: ChannelType::F64, offset: 0, count: 1 };
        let range = over(&[slot], &rows, 8)[0];
        assert_eq!((unmap(slot.kind, range.min), unmap(slot.kind, range.max)), (-2.0, 1.0));
        assert!(over(&[slot], &f64::NAN.to_le_bytes(), 8)[0].is_empty());
    }

    #[test]
    fn ranges_cover_all_values_whichever_channels_are_constant() {
        // More rows than fit into one tile. Each row: a constant, floats with NaN and both zeros, an array of integers, bytes.
        let row = |i: u32| {
            let float = [1.5f32, -0.0, 0.0, f32::NAN, -7.0, f32::NEG_INFINITY][i as usize % 6];
            let integer = i.wrapping_mul(0x9E37_79B9);
            let words = [7.0f32.to_bits(), float.to_bits(), integer, !integer, f32::NAN.to_bits()];
            [words.map(u32::to_le_bytes).concat(), vec![i as u8, 3]].concat()
        };
        let rows: Vec<u8> = (0..5000).flat_map(row).collect();
        let slot = |kind, offset, count| Slot { kind, offset, count };
        let slots = [
            slot(ChannelType::F32, 0, 1),
            slot(ChannelType::F32, 4, 1),
            slot(ChannelType::I32, 8, 2),
            slot(ChannelType::U32, 8, 1),
            slot(ChannelType::F32, 16, 1),
            slot(ChannelType::I8, 20, 1),
            slot(ChannelType::U8, 21, 1),
        ];
        for (slot, found) in slots.iter().zip(over(&slots, &rows, 22)) {
            let mut naive = EMPTY;
            for row in rows.chunks_exact(22) {
                for element in slot.bytes(row).chunks_exact(slot.kind.width()) {
                    let bits = element.iter().rev().fold(0, |bits, byte| bits << 8 | u64::from(*byte));
                    map(slot.kind, bits).into_iter().for_each(|mapped| naive.include(mapped));
                }
            }
            assert_eq!(found, naive, "{slot:?}");
        }
    }
}
