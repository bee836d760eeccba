//! Chooses the encoding of each column of a Parquet file by trying those that suit its type on a sample of its values.
//!
//! Takes sample batches and returns writer properties. What is measured: a dictionary with runs is best for few values, delta packing for
//! times and counters, byte stream split for floats with noise in their last bits, and plain values for floats that the game rounds.

use std::collections::HashSet;

use arrow_array::cast::AsArray as _;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_schema::{DataType, Schema};
use parquet::basic::Encoding;
use parquet::file::properties::WriterPropertiesBuilder;
use parquet::schema::types::ColumnPath;

/// Level of the compression with which candidates are compared: enough to see what repeats.
const LEVEL: i32 = 1;
/// Rows of a miniblock of DELTA_BINARY_PACKED, as the writer makes them: the values of a miniblock have the same width.
const MINIBLOCK: usize = 32;

/// The encoding of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Coding {
    /// Whether values are numbers of a dictionary, as long as it is small.
    pub(super) dictionary: bool,
    /// For values that are not.
    pub(super) encoding: Encoding,
}

/// Sets the encoding of each column of a schema.
pub(super) fn encode(
    mut properties: WriterPropertiesBuilder,
    schema: &Schema,
    samples: &[RecordBatch],
) -> WriterPropertiesBuilder {
    for (place, field) in schema.fields().iter().enumerate() {
        let path: Vec<String> = match field.data_type() {
            DataType::List(item) => vec![field.name().clone(), "list".to_owned(), item.name().clone()],
            _ => vec![field.name().clone()],
        };
        let columns: Vec<ArrayRef> = samples.iter().map(|batch| batch.column(place).clone()).collect();
        let coding = coding_of(&columns);
        let path = ColumnPath::new(path);
        properties = properties
            .set_column_dictionary_enabled(path.clone(), coding.dictionary)
            .set_column_encoding(path, coding.encoding);
    }
    properties
}

/// Chooses the encoding of a column.
pub(super) fn coding_of(columns: &[ArrayRef]) -> Coding {
    let Some(first) = columns.first() else { return Coding { dictionary: true, encoding: Encoding::PLAIN } };
    match first.data_type() {
        DataType::List(_) => {
            let values: Vec<ArrayRef> = columns.iter().map(|list| list.as_list::<i32>().values().clone()).collect();
            coding_of(&values)
        }
        DataType::Timestamp(..) => Coding { dictionary: false, encoding: Encoding::DELTA_BINARY_PACKED },
        DataType::Float32 => best(&bits::<Float32Type>(columns, |value| u64::from(value.to_bits())), 4, true),
        DataType::Float64 => best(&bits::<Float64Type>(columns, f64::to_bits), 8, true),
        DataType::Int8 => whole(&bits::<Int8Type>(columns, |value| value as u64), 4),
        DataType::UInt8 => whole(&bits::<UInt8Type>(columns, u64::from), 4),
        DataType::Int16 => whole(&bits::<Int16Type>(columns, |value| value as u64), 4),
        DataType::UInt16 => whole(&bits::<UInt16Type>(columns, u64::from), 4),
        DataType::Int32 => whole(&bits::<Int32Type>(columns, |value| value as u64), 4),
        DataType::UInt32 => whole(&bits::<UInt32Type>(columns, u64::from), 4),
        DataType::Int64 => whole(&bits::<Int64Type>(columns, |value| value as u64), 8),
        DataType::UInt64 => whole(&bits::<UInt64Type>(columns, |value| value), 8),
        DataType::Boolean => Coding { dictionary: false, encoding: Encoding::PLAIN },
        _ => Coding { dictionary: true, encoding: Encoding::PLAIN },
    }
}

fn whole(values: &[u64], width: usize) -> Coding {
    best(values, width, false)
}

/// Returns the values that are not null, as bits.
fn bits<T: ArrowPrimitiveType>(columns: &[ArrayRef], of: impl Fn(T::Native) -> u64) -> Vec<u64> {
    columns.iter().flat_map(|column| column.as_primitive::<T>().iter().flatten()).map(of).collect()
}

/// Returns the encoding that makes the sample smallest.
fn best(values: &[u64], width: usize, is_float: bool) -> Coding {
    let plain: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes().into_iter().take(width)).collect();
    let plain_bytes = packed_bytes(&plain);
    let (encoding, other_bytes) = match is_float {
        true => {
            let byte =
                |place: usize| values.iter().map(move |value| value.to_le_bytes().get(place).copied().unwrap_or(0));
            let split: Vec<u8> = (0..width).flat_map(byte).collect();
            (Encoding::BYTE_STREAM_SPLIT, packed_bytes(&split))
        }
        false => (Encoding::DELTA_BINARY_PACKED, delta_bytes(values)),
    };
    let (encoding, bytes) =
        if other_bytes < plain_bytes { (encoding, other_bytes) } else { (Encoding::PLAIN, plain_bytes) };
    // Engines search dictionaries fast: half a bit for each row is a fair price.
    let slack = values.len() / 16;
    Coding { dictionary: dictionary_bytes(values, width) <= bytes + slack, encoding }
}

/// Returns the compressed size.
fn packed_bytes(bytes: &[u8]) -> usize {
    zstd::bulk::compress(bytes, LEVEL).map_or(bytes.len(), |packed| packed.len())
}

fn width_of(most: u64) -> usize {
    (u64::BITS - most.leading_zeros()) as usize
}

/// Estimates the size as DELTA_BINARY_PACKED.
fn delta_bytes(values: &[u64]) -> usize {
    let deltas: Vec<i64> = values.iter().zip(values.iter().skip(1)).map(|(a, b)| b.wrapping_sub(*a) as i64).collect();
    let bits = deltas.chunks(MINIBLOCK).map(|deltas| {
        let low = deltas.iter().min().copied().unwrap_or_default();
        let high = deltas.iter().max().copied().unwrap_or_default();
        16 + MINIBLOCK * width_of(high.wrapping_sub(low) as u64)
    });
    bits.sum::<usize>().div_ceil(8)
}

/// Estimates the size of dictionary and indices. A run is stored once; other indices have the width of the largest.
fn dictionary_bytes(values: &[u64], width: usize) -> usize {
    let different: HashSet<u64> = values.iter().copied().collect();
    let bits = width_of(different.len().saturating_sub(1) as u64);
    let runs = values.chunk_by(|a, b| a == b).map(<[u64]>::len);
    // Shorter runs are packed in groups of eight.
    let indices = runs.map(|rows| if rows >= 8 { 16 + bits } else { rows * bits }).sum::<usize>();
    // The dictionary is as large in a whole row group, which has many times the rows of a sample: but new values come with new rows.
    different.len() * width + indices.div_ceil(8)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use arrow_array::{Float32Array, Int32Array, Int64Array};

    use super::*;

    fn floats(of: impl Fn(u32) -> f32) -> Coding {
        coding_of(&[Arc::new(Float32Array::from_iter_values((0..8192).map(of)))])
    }

    #[test]
    fn each_kind_of_values_gets_the_encoding_that_is_smallest() {
        let few = floats(|row| (row / 500 % 6) as f32);
        assert!(few.dictionary, "gears, flags, tyre sets: {few:?}");
        let noisy = floats(|row| (row as f32 * 0.01).sin() + (row.wrapping_mul(2_654_435_761) >> 16) as f32 * 1e-7);
        assert_eq!(noisy, Coding { dictionary: false, encoding: Encoding::BYTE_STREAM_SPLIT });
        let counter: ArrayRef = Arc::new(Int32Array::from_iter_values((0..8192).map(|row| row * 3 + row % 2)));
        assert_eq!(coding_of(&[counter]), Coding { dictionary: false, encoding: Encoding::DELTA_BINARY_PACKED });
        let times = (0..8192_i64).map(|row| row * 16_666_667 + row * 7919 % 300_000);
        let times: ArrayRef = Arc::new(Int64Array::from_iter_values(times));
        assert_eq!(coding_of(&[times]), Coding { dictionary: false, encoding: Encoding::DELTA_BINARY_PACKED });
        let flags: ArrayRef = Arc::new(Int32Array::from_iter_values((0..8192).map(|row| row / 1000)));
        assert!(coding_of(&[flags]).dictionary);
        assert!(coding_of(&[]).dictionary, "nothing is known");
    }
}
