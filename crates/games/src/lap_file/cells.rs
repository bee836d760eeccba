//! Reads values of channels by their layout.
use crate::bytes::{array_at, f32_at, f64_at, i32_at, i64_at};
use crate::layout::{Channel, Kind};

/// A channel of a stream, and the factor and offset that convert its values.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    at: usize,
    kind: Kind,
    factor: f64,
    plus: f64,
}

impl Cell {
    pub(super) fn new(channel: &Channel, factor: f64, plus: f64) -> Self {
        Self { at: channel.offset as usize, kind: channel.kind, factor, plus }
    }

    /// Returns the converted value; `None` if it is not a finite number.
    pub(super) fn number(self, row: &[u8]) -> Option<f64> {
        let at = self.at;
        let value = match self.kind {
            Kind::F32 => f32_at(row, at)?.into(),
            Kind::F64 => f64_at(row, at)?,
            Kind::I8 => i8::from_le_bytes(array_at(row, at)?).into(),
            Kind::U8 => u8::from_le_bytes(array_at(row, at)?).into(),
            Kind::I16 => i16::from_le_bytes(array_at(row, at)?).into(),
            Kind::U16 => u16::from_le_bytes(array_at(row, at)?).into(),
            Kind::I32 => i32_at(row, at)?.into(),
            Kind::U32 | Kind::Bits32 => u32::from_le_bytes(array_at(row, at)?).into(),
            Kind::I64 => i64_at(row, at)? as f64,
            Kind::U64 => u64::from_le_bytes(array_at(row, at)?) as f64,
            Kind::Bool => f64::from(u8::from(*row.get(at)? != 0)),
            Kind::Char | Kind::Char16 => return None,
        };
        Some(value * self.factor + self.plus).filter(|value| value.is_finite())
    }
}
