//! Values of channels: `(raw / scale × 10^-decimals + shift) × multiplier`.

use gametape_format::ChannelType;

use super::channel::LdChannel;
use super::pieces;
use crate::import::Source;
use crate::import::error::ImportError;

/// Most decimal places, either way. More make values that no number holds.
const MOST_DECIMALS: i16 = 15;

/// How a sample is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Raw {
    I8,
    I16,
    I32,
    F16,
    F32,
    F64,
}

/// How the samples of a channel become a column.
#[derive(Debug, Clone, Copy)]
pub(super) struct Column {
    /// Type of the column.
    pub(super) kind: ChannelType,
    /// Whether the scaling makes sense. If not, the column has raw values.
    pub(super) has_usable_scale: bool,
    /// Whether the bytes of the file follow from the column.
    pub(super) is_invertible: bool,
    raw: Raw,
    is_plain: bool,
}

impl Column {
    /// Returns the column of a channel; `None` if its samples are of an unknown type, or it has no rate.
    pub(super) fn of(channel: &LdChannel) -> Option<Self> {
        let raw = match (channel.family, channel.size) {
            (0 | 3 | 5 | 6, 1) => Raw::I8,
            (0 | 3 | 5 | 6, 2) => Raw::I16,
            (0 | 3 | 5 | 6, 4) => Raw::I32,
            (7, 2) => Raw::F16,
            (7, 4) => Raw::F32,
            (8, 8) => Raw::F64,
            _ => return None,
        };
        if channel.hz == 0 {
            return None;
        }
        let has_usable_scale =
            channel.scale != 0 && channel.multiplier != 0 && channel.decimals.unsigned_abs() <= MOST_DECIMALS as u16;
        let is_unscaled = (channel.shift, channel.multiplier, channel.scale, channel.decimals) == (0, 1, 1, 0);
        let is_plain = is_unscaled || !has_usable_scale;
        let kind = match raw {
            Raw::I8 if is_plain => ChannelType::I8,
            Raw::I16 if is_plain => ChannelType::I16,
            Raw::I32 if is_plain => ChannelType::I32,
            Raw::F32 if is_plain => ChannelType::F32,
            _ => ChannelType::F64,
        };
        // Plain columns have the bytes of the file.
        let is_invertible = is_plain && raw != Raw::F16;
        Some(Self { kind, has_usable_scale, is_invertible, raw, is_plain })
    }

    /// Checks whether the bytes of the file follow from the values.
    pub(super) fn check(&mut self, source: &Source, channel: &LdChannel) -> Result<(), ImportError> {
        if self.is_invertible || !matches!(self.raw, Raw::I8 | Raw::I16 | Raw::I32) {
            return Ok(());
        }
        for piece in pieces(&channel.samples) {
            let bytes = source.read(&piece)?;
            let leads_back = |sample: &[u8]| {
                self.raw_number(sample).is_some_and(|raw| unscaled(channel, scaled(channel, raw)) == raw)
            };
            if !bytes.chunks_exact(channel.size as usize).all(leads_back) {
                return Ok(());
            }
        }
        self.is_invertible = true;
        Ok(())
    }

    /// Writes the samples of a channel into its column of the rows.
    pub(super) fn fill(&self, channel: &LdChannel, samples: &[u8], rows: &mut [u8], at: usize, width: usize) {
        let end = at + self.kind.width();
        for (row, sample) in rows.chunks_exact_mut(width).zip(samples.chunks_exact(channel.size.max(1) as usize)) {
            let Some(room) = row.get_mut(at..end) else { return };
            match self.is_plain && self.raw != Raw::F16 {
                true if room.len() == sample.len() => room.copy_from_slice(sample),
                _ => room.copy_from_slice(&self.value(channel, sample).unwrap_or(f64::NAN).to_le_bytes()),
            }
        }
    }

    /// Returns the value of a sample.
    fn value(&self, channel: &LdChannel, sample: &[u8]) -> Option<f64> {
        let raw = self.raw_number(sample)?;
        Some(if self.is_plain { raw } else { scaled(channel, raw) })
    }

    fn raw_number(&self, sample: &[u8]) -> Option<f64> {
        Some(match self.raw {
            Raw::I8 => i8::from_le_bytes(sample.try_into().ok()?).into(),
            Raw::I16 => i16::from_le_bytes(sample.try_into().ok()?).into(),
            Raw::I32 => i32::from_le_bytes(sample.try_into().ok()?).into(),
            Raw::F16 => half(u16::from_le_bytes(sample.try_into().ok()?)),
            Raw::F32 => f32::from_le_bytes(sample.try_into().ok()?).into(),
            Raw::F64 => f64::from_le_bytes(sample.try_into().ok()?),
        })
    }
}

/// Returns the value that MoTeC shows.
fn scaled(channel: &LdChannel, raw: f64) -> f64 {
    let places = 10f64.powi(i32::from(channel.decimals.unsigned_abs()));
    let value = raw / f64::from(channel.scale);
    let value = if channel.decimals >= 0 { value / places } else { value * places };
    (value + f64::from(channel.shift)) * f64::from(channel.multiplier)
}

/// Returns the raw number of a value.
pub(super) fn unscaled(channel: &LdChannel, value: f64) -> f64 {
    let places = 10f64.powi(i32::from(channel.decimals.unsigned_abs()));
    let raw = value / f64::from(channel.multiplier) - f64::from(channel.shift);
    let raw = if channel.decimals >= 0 { raw * places } else { raw / places };
    (raw * f64::from(channel.scale)).round()
}

/// Converts an IEEE 754 half.
fn half(bits: u16) -> f64 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    sign * match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        exponent => (1.0 + fraction / 1024.0) * 2f64.powi(exponent - 15),
    }
}

/// Reads the values of one channel, in pieces.
pub(super) struct Values<'a> {
    source: &'a Source,
    channel: &'a LdChannel,
    column: Option<Column>,
    number: u64,
    piece: Vec<u8>,
    at: usize,
}

impl<'a> Values<'a> {
    pub(super) fn new(source: &'a Source, channel: &'a LdChannel) -> Self {
        Self { source, channel, column: Column::of(channel), number: 0, piece: Vec::new(), at: 0 }
    }

    /// Returns the number of the next sample and its value; `None` at the end. A value that is not finite is unknown.
    pub(super) fn next(&mut self) -> Result<Option<(u64, Option<f64>)>, ImportError> {
        const SAMPLES: u64 = 8192;
        let Some(column) = self.column.filter(|_| self.number < self.channel.count) else { return Ok(None) };
        let size = self.channel.size as usize;
        if self.at >= self.piece.len() {
            let until = self.channel.count.min(self.number + SAMPLES);
            self.source.read_into(&self.channel.range(self.number..until), &mut self.piece)?;
            self.at = 0;
        }
        let sample = self.piece.get(self.at..self.at + size).unwrap_or_default();
        let value = column.value(self.channel, sample).filter(|value| value.is_finite());
        let number = self.number;
        (self.number, self.at) = (number + 1, self.at + size);
        Ok(Some((number, value)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(shift: i16, multiplier: i16, scale: i16, decimals: i16) -> LdChannel {
        LdChannel {
            name: "c".into(),
            unit: String::new(),
            count: 0,
            family: 3,
            size: 2,
            hz: 1,
            shift,
            multiplier,
            scale,
            decimals,
            samples: 0..0,
        }
    }

    #[test]
    fn values_are_scaled_as_motec_does_and_lead_back() {
        assert_eq!(scaled(&channel(0, 6, 10, -1), 1000.0), 6000.0);
        assert_eq!(scaled(&channel(0, 1, 1, 1), 2446.0), 244.6);
        assert_eq!(scaled(&channel(-10, 2, 1, 0), 15.0), 10.0);
        for c in [channel(0, 6, 10, -1), channel(0, 1, 1, 3), channel(-10, 36, 10, 1), channel(500, -3, 7, 2)] {
            for raw in i16::MIN..=i16::MAX {
                assert_eq!(unscaled(&c, scaled(&c, raw.into())), f64::from(raw), "{c:?}");
            }
        }
    }

    #[test]
    fn an_impossible_scaling_leaves_raw_values() {
        for (multiplier, scale, decimals) in [(0, 1, 0), (1, 0, 0), (1, 1, 300), (1, 1, i16::MIN)] {
            let column = Column::of(&channel(0, multiplier, scale, decimals)).unwrap();
            assert!(!column.has_usable_scale && column.kind == ChannelType::I16 && column.is_invertible);
        }
        assert!(Column::of(&LdChannel { hz: 0, ..channel(0, 1, 1, 0) }).is_none());
        assert!(Column::of(&LdChannel { size: 3, ..channel(0, 1, 1, 0) }).is_none());
    }

    #[test]
    fn halves_are_numbers() {
        assert_eq!([0x3C00, 0xC000, 0x3555, 0x0001].map(half), [1.0, -2.0, 0.333_251_953_125, 2f64.powi(-24)]);
        assert!(half(0x7C01).is_nan() && half(0x7C00).is_infinite());
    }
}
