//! Turns the bytes of frames into Arrow arrays. Every number keeps its bits, also those of a NaN.
//!
//! Takes equally long slots of frame bytes and the place of a column in them. A value that a frame is too short for is null.

use std::sync::Arc;

use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{ArrayRef, BooleanArray, ListArray, PrimitiveArray, StringArray};
use arrow_buffer::{BooleanBuffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::Field;
use gametape_format::ChannelType as Type;

use super::super::cells::text_of;
use super::schema::{FrameColumn, Shape};

/// Frames of a batch, each in a slot of the same length.
pub(super) struct Slots {
    bytes: Vec<u8>,
    /// Length of a slot: the end of the last column.
    slot: usize,
    /// How much of each slot the frame fills.
    filled: Vec<usize>,
}

impl Slots {
    /// For these columns.
    pub(super) fn new(columns: &[FrameColumn]) -> Self {
        let slot = columns.iter().map(|column| column.offset + column.bytes()).max().unwrap_or_default();
        Self { bytes: Vec::new(), slot, filled: Vec::new() }
    }

    /// Adds a frame. What lies behind the last column is not kept.
    pub(super) fn push(&mut self, frame: &[u8]) {
        let kept = frame.get(..self.slot).unwrap_or(frame);
        self.bytes.extend_from_slice(kept);
        self.filled.push(kept.len());
        self.bytes.resize(self.filled.len() * self.slot, 0);
    }

    /// Returns the number of bytes that are held.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Removes all frames.
    pub(super) fn clear(&mut self) {
        self.bytes.clear();
        self.filled.clear();
    }

    /// Returns the bytes of a column in each frame.
    fn of<'a>(&'a self, column: &'a FrameColumn) -> impl Iterator<Item = &'a [u8]> {
        let range = column.offset..column.offset + column.bytes();
        (0..self.filled.len()).map(move |row| {
            let start = row * self.slot;
            self.bytes.get(start + range.start..start + range.end).unwrap_or_default()
        })
    }

    /// Returns which frames have the column; `None` if all do.
    fn nulls(&self, column: &FrameColumn) -> Option<NullBuffer> {
        let end = column.offset + column.bytes();
        let has = |filled: &usize| *filled >= end;
        let all = self.filled.iter().all(has);
        (!all).then(|| NullBuffer::new(self.filled.iter().map(has).collect::<BooleanBuffer>()))
    }

    /// Returns the values of a column.
    pub(super) fn array(&self, column: &FrameColumn) -> ArrayRef {
        let nulls = self.nulls(column);
        match column.shape {
            Shape::Number => self.numbers(column, nulls),
            Shape::List(count) => {
                let offsets = OffsetBuffer::from_repeated_length(count, self.filled.len());
                let values = self.numbers(column, None);
                let item = Arc::new(Field::new_list_field(values.data_type().clone(), false));
                Arc::new(ListArray::new(item, offsets, values, nulls))
            }
            Shape::Text(_) => {
                let has = |row: usize| nulls.as_ref().is_none_or(|nulls| nulls.is_valid(row));
                let texts = self.of(column).enumerate();
                let texts = texts.map(|(row, bytes)| has(row).then(|| text_of(column.kind, bytes)));
                Arc::new(texts.collect::<StringArray>())
            }
        }
    }

    fn numbers(&self, column: &FrameColumn, nulls: Option<NullBuffer>) -> ArrayRef {
        match column.kind {
            Type::U8 | Type::Char | Type::Bits8 => self.typed::<UInt8Type, 1>(column, nulls, u8::from_le_bytes),
            Type::I8 => self.typed::<Int8Type, 1>(column, nulls, i8::from_le_bytes),
            Type::U16 | Type::Char16 | Type::Bits16 => self.typed::<UInt16Type, 2>(column, nulls, u16::from_le_bytes),
            Type::I16 => self.typed::<Int16Type, 2>(column, nulls, i16::from_le_bytes),
            Type::U32 | Type::Bits32 => self.typed::<UInt32Type, 4>(column, nulls, u32::from_le_bytes),
            Type::I32 => self.typed::<Int32Type, 4>(column, nulls, i32::from_le_bytes),
            Type::U64 | Type::Bits64 => self.typed::<UInt64Type, 8>(column, nulls, u64::from_le_bytes),
            Type::I64 => self.typed::<Int64Type, 8>(column, nulls, i64::from_le_bytes),
            Type::F32 => self.typed::<Float32Type, 4>(column, nulls, f32::from_le_bytes),
            Type::F64 => self.typed::<Float64Type, 8>(column, nulls, f64::from_le_bytes),
            Type::Bool => {
                let values: BooleanBuffer = self.of(column).flatten().map(|byte| *byte != 0).collect();
                Arc::new(BooleanArray::new(values, nulls))
            }
        }
    }

    fn typed<T: ArrowPrimitiveType, const N: usize>(
        &self,
        column: &FrameColumn,
        nulls: Option<NullBuffer>,
        number: fn([u8; N]) -> T::Native,
    ) -> ArrayRef {
        let values = self.of(column).flat_map(|bytes| bytes.as_chunks::<N>().0).map(|bytes| number(*bytes));
        let values: Vec<T::Native> = values.collect();
        Arc::new(PrimitiveArray::<T>::new(ScalarBuffer::from(values), nulls))
    }
}
