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

impl Slot {
    /// The range over all rows of a block.
    pub(crate) fn over(self, rows: &[u8], row_bytes: usize) -> Range {
        let mut range = EMPTY;
        let width = self.kind.width();
        for row in rows.chunks_exact(row_bytes.max(1)) {
            let elements = row.get(self.offset..self.offset + self.count * width).unwrap_or_default();
            for element in elements.chunks_exact(width) {
                if let Some(mapped) = map(self.kind, element) {
                    range.include(mapped);
                }
            }
        }
        range
    }
}

/// Bits of the largest mapped value of a type.
pub(crate) fn mask(kind: ChannelType) -> u64 {
    u64::MAX >> (64 - 8 * kind.width())
}

/// Maps a value's bytes to a number that sorts like it; `None` for NaN.
fn map(kind: ChannelType, bytes: &[u8]) -> Option<u64> {
    let mut wide = [0; 8];
    wide.get_mut(..bytes.len())?.copy_from_slice(bytes);
    let bits = u64::from_le_bytes(wide);
    let sign = 1 << (8 * kind.width() - 1);
    if kind.is_float() {
        let nan = match kind {
            ChannelType::F32 => f32::from_bits(bits as u32).is_nan(),
            _ => f64::from_bits(bits).is_nan(),
        };
        return (!nan).then_some(if bits & sign != 0 { !bits & mask(kind) } else { bits | sign });
    }
    Some(if kind.is_signed() { bits ^ sign } else { bits })
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

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped<const N: usize>(kind: ChannelType, bytes: [u8; N]) -> u64 {
        map(kind, &bytes).unwrap()
    }

    #[test]
    fn mapped_values_sort_like_the_values_and_come_back() {
        let floats = [f32::NEG_INFINITY, -1e30, -1.5, -0.0, 0.0, 1e-40, 2.5, f32::INFINITY];
        let keys: Vec<_> = floats.iter().map(|v| mapped(ChannelType::F32, v.to_le_bytes())).collect();
        assert!(keys.is_sorted());
        for (value, key) in floats.iter().zip(keys) {
            assert_eq!(unmap(ChannelType::F32, key), f64::from(*value));
        }
        let integers = [i16::MIN, -3, 0, 7, i16::MAX];
        let keys: Vec<_> = integers.iter().map(|v| mapped(ChannelType::I16, v.to_le_bytes())).collect();
        assert!(keys.is_sorted());
        for (value, key) in integers.iter().zip(keys) {
            assert_eq!(unmap(ChannelType::I16, key), f64::from(*value));
        }
    }

    #[test]
    fn nan_is_left_out_of_a_range() {
        let rows: Vec<u8> = [1.0f64, f64::NAN, -2.0].iter().flat_map(|v| v.to_le_bytes()).collect();
        let slot = Slot { kind: ChannelType::F64, offset: 0, count: 1 };
        let range = slot.over(&rows, 8);
        assert_eq!((unmap(slot.kind, range.min), unmap(slot.kind, range.max)), (-2.0, 1.0));
        assert!(slot.over(&f64::NAN.to_le_bytes(), 8).is_empty());
    }
}
