//! Encodes columns of numbers as compact text that a browser decodes natively.
//!
//! ```text
//! numbers ──▶ steps above the smallest (16 or 32 bits) ──▶ differences ──▶ low bytes, then high bytes ──▶ deflate ──▶ base64
//! ```
//! The largest code means "unknown". Differences wrap around.

use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
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

/// Decodes the values like the web page does.
#[cfg(test)]
pub(super) fn unpacked(packed: &Packed) -> Vec<Option<f64>> {
    use std::io::Read as _;
    let mut planes = Vec::new();
    let bytes = STANDARD.decode(&packed.data).unwrap();
    flate2::read::DeflateDecoder::new(bytes.as_slice()).read_to_end(&mut planes).unwrap();
    assert_eq!(planes.len(), packed.count * packed.width);
    let most = u32::MAX >> (32 - 8 * packed.width);
    let mut code = 0_u32;
    (0..packed.count)
        .map(|at| {
            let bytes = (0..packed.width).map(|plane| u32::from(planes[plane * packed.count + at]) << (8 * plane));
            code = code.wrapping_add(bytes.sum()) & most;
            (code != most).then(|| packed.first + packed.step * f64::from(code))
        })
        .collect()
}
