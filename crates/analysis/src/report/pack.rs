//! Encodes columns of numbers as compact text that a browser decodes natively.
//!
//! ```text
//! numbers ──▶ steps above the smallest (16 or 32 bits) ──▶ differences ──▶ low bytes, then high bytes ──▶ deflate ──▶ base64
//! ```
//! The largest code means "unknown". Differences wrap around.

use std::io::{Read as _, Write as _};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;

/// The largest 16-bit code that is a value.
const STEPS: f64 = 65_534.0;

/// A column. A value is `first` plus `step` times its code.
#[derive(Debug, Clone, PartialEq)]
pub struct Packed {
    /// The smallest value.
    pub first: f64,
    /// Difference between consecutive codes.
    pub step: f64,
    /// Number of values.
    pub count: usize,
    /// Bytes per code: 2 or 4.
    pub width: usize,
    /// The encoded codes.
    pub data: String,
}

impl Packed {
    /// Decodes the values, as the web page does. Returns an empty list if the text was not made by this module.
    #[must_use]
    pub fn unpacked(&self) -> Vec<Option<f64>> {
        let bytes = STANDARD.decode(&self.data).unwrap_or_default();
        let mut planes = Vec::new();
        let limit = (self.count * self.width) as u64;
        if DeflateDecoder::new(bytes.as_slice()).take(limit).read_to_end(&mut planes).is_err()
            || planes.len() as u64 != limit
        {
            return Vec::new();
        }
        let most = u32::MAX >> (32 - 8 * self.width.clamp(1, 4));
        let mut code = 0_u32;
        (0..self.count)
            .map(|at| {
                let byte = |plane| planes.get(plane * self.count + at).copied().map_or(0, u32::from);
                let difference: u32 = (0..self.width).map(|plane| byte(plane) << (8 * plane)).sum();
                code = code.wrapping_add(difference) & most;
                (code != most).then(|| self.first + self.step * f64::from(code))
            })
            .collect()
    }

    /// Encodes values in 65 534 steps from the smallest to the largest, with an error of at most half a step. Integers in a smaller range
    /// are exact. Values that are not finite are unknown.
    pub(super) fn coarse(values: &[f32]) -> Self {
        let known = || values.iter().copied().filter(|value| value.is_finite()).map(f64::from);
        let (low, high) =
            known().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let range = high - low;
        let first = if low.is_finite() { low } else { 0.0 };
        let is_whole = range <= STEPS && known().all(|value| value.fract() == 0.0);
        let step = if is_whole || range <= 0.0 || !range.is_finite() { 1.0 } else { range / STEPS };
        let code = |value: f32| match value.is_finite() {
            true => ((f64::from(value) - first) / step).round().clamp(0.0, STEPS) as u16,
            false => u16::MAX,
        };
        let mut before = 0_u16;
        let differences: Vec<[u8; 2]> = values
            .iter()
            .map(|value| {
                let code = code(*value);
                code.wrapping_sub(std::mem::replace(&mut before, code)).to_le_bytes()
            })
            .collect();
        Self { first, step, count: values.len(), width: 2, data: text(&differences) }
    }

    /// Encodes values in steps of this size, as many as needed.
    pub(super) fn fine(values: &[Option<f64>], step: f64) -> Self {
        let known = || values.iter().flatten().copied().filter(|value| value.is_finite());
        let first = known().fold(f64::INFINITY, f64::min);
        let first = if first.is_finite() { first } else { 0.0 };
        let code = |value: &Option<f64>| match value.filter(|value| value.is_finite()) {
            Some(value) => ((value - first) / step).round().clamp(0.0, f64::from(u32::MAX - 1)) as u32,
            None => u32::MAX,
        };
        let mut before = 0_u32;
        let differences: Vec<[u8; 4]> = values
            .iter()
            .map(|value| {
                let code = code(value);
                code.wrapping_sub(std::mem::replace(&mut before, code)).to_le_bytes()
            })
            .collect();
        Self { first, step, count: values.len(), width: 4, data: text(&differences) }
    }
}

fn text<const N: usize>(differences: &[[u8; N]]) -> String {
    let planes: Vec<u8> =
        (0..N).flat_map(|plane| differences.iter().filter_map(move |bytes| bytes.get(plane).copied())).collect();
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::new(6));
    // Writing to memory cannot fail.
    let packed = packer.write_all(&planes).and_then(|()| packer.finish()).unwrap_or_default();
    STANDARD.encode(packed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_packed_within_half_a_step() {
        let hostile = [1e30, -1e30, 0.5, f32::MAX, f32::MIN, f32::NAN, f32::INFINITY];
        for values in [&[][..], &[1.5], &[f32::NAN], &[0.1, 0.2, f32::NAN, -7.25, 1e9], &[0.0, 65_534.0, 3.0], &hostile]
        {
            let packed = Packed::coarse(values);
            let again = packed.unpacked();
            assert_eq!(again.len(), values.len());
            for (value, again) in values.iter().zip(again) {
                match again {
                    Some(again) => assert!((again - f64::from(*value)).abs() <= packed.step * 0.51, "{value} {again}"),
                    None => assert!(!value.is_finite(), "{value}"),
                }
            }
        }
        let whole = Packed::coarse(&[-1.0, 0.0, 6.0, 65_533.0]);
        assert_eq!(whole.unpacked(), [Some(-1.0), Some(0.0), Some(6.0), Some(65_533.0)]);
        let times = [Some(0.0), None, Some(98_765.432), Some(9e9)];
        let again = Packed::fine(&times, 0.01).unpacked();
        assert!(again[1].is_none() && (again[2].unwrap() - 98_765.43).abs() < 1e-6 && again[3].is_some());
    }
}
