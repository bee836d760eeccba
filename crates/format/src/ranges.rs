//! Minima and maxima of channels, as the index keeps them (docs/format.md, section 7).
//!
//! Values are mapped to unsigned numbers that sort like the values, so that one pair of `u64` serves all types.

use crate::stream::{ChannelType, Ranges, StreamSpec};

/// A block without a range.
pub(crate) const EMPTY: Range = Range { min: u64::MAX, max: 0 };

/// Smallest and largest mapped value.
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

    pub(crate) fn is_empty(self) -> bool {
        self.min > self.max
    }
}

/// One slot of the ranges of a stream: which bytes of a frame it speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Slot {
    pub(crate) kind: ChannelType,
    offset: usize,
    count: usize,
}

/// The slots of a stream, in the order of its channel table.
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

/// Rows are taken in tiles that stay in the processor's first cache while all slots look at them.
#[cfg(feature = "write")]
const TILE_BYTES: usize = 32 << 10;

/// The ranges of all slots over the rows of a block, in the order of the slots.
#[cfg(feature = "write")]
pub(crate) fn over(slots: &[Slot], rows: &[u8], row_bytes: usize) -> Vec<Range> {
    let mut ranges = vec![EMPTY; slots.len()];
    let row_bytes = row_bytes.max(1);
    for tile in rows.chunks(row_bytes * (TILE_BYTES / row_bytes).max(1)) {
        for (slot, range) in slots.iter().zip(&mut ranges) {
            slot.include(tile, row_bytes, range);
        }
    }
    ranges
}

#[cfg(feature = "write")]
impl Slot {
    fn include(self, tile: &[u8], row_bytes: usize, range: &mut Range) {
        // The kind is written out where it is frequent, so that the compiler makes a loop of its own for it.
        match self.kind {
            ChannelType::F32 => Self { kind: ChannelType::F32, ..self }.include_as::<4>(tile, row_bytes, range),
            ChannelType::I32 => Self { kind: ChannelType::I32, ..self }.include_as::<4>(tile, row_bytes, range),
            kind => match kind.width() {
                1 => self.include_as::<1>(tile, row_bytes, range),
                2 => self.include_as::<2>(tile, row_bytes, range),
                4 => self.include_as::<4>(tile, row_bytes, range),
                _ => self.include_as::<8>(tile, row_bytes, range),
            },
        }
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

/// Bits of the largest mapped value of a type.
pub(crate) fn mask(kind: ChannelType) -> u64 {
    u64::MAX >> (64 - 8 * kind.width())
}

/// Maps a value's bits to a number that sorts like it; `None` for NaN.
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

/// The value behind a mapped number.
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
}
