//! Parquet, tuned for numbers: every column BYTE_STREAM_SPLIT, no dictionary, zstd level 3, one row group. One file per
//! stream, one column per value and one for times. 1- and 2-byte integers are stored as `INT32`, Parquet's smallest
//! type.

use std::io::{BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use ::parquet::basic::{Compression, Encoding, Repetition, Type as Physical, ZstdLevel};
use ::parquet::column::reader::get_typed_column_reader;
use ::parquet::data_type::{DataType, DoubleType, FloatType, Int32Type, Int64Type};
use ::parquet::file::properties::{EnabledStatistics, WriterProperties};
use ::parquet::file::reader::{ChunkReader, FileReader, SerializedFileReader};
use ::parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use ::parquet::schema::types::Type;
use anyhow::{Context, Result, ensure};

use super::{Peer, create, open, stream_path};
use crate::data::bytes::{f32_at, u16_at, u32_at, u64_at};
use crate::data::{Column, DataSet, Frames, Shape, StreamFrames, StreamShape};

/// Parquet, tuned for numbers.
pub(super) struct Parquet;

fn physical(column: &Column) -> Physical {
    match (column.width, column.float) {
        (8, true) => Physical::DOUBLE,
        (8, false) => Physical::INT64,
        (4, true) => Physical::FLOAT,
        _ => Physical::INT32,
    }
}

/// Returns the schema: the time column, then the stream's columns.
fn schema(shape: &StreamShape) -> Result<Arc<Type>> {
    let field = |name: String, kind| -> Result<Arc<Type>> {
        Ok(Arc::new(Type::primitive_type_builder(&name, kind).with_repetition(Repetition::REQUIRED).build()?))
    };
    let mut fields = vec![field("time_ns".into(), Physical::INT64)?];
    for (column, name) in shape.columns().iter().zip(shape.column_names()) {
        fields.push(field(name, physical(column))?);
    }
    Ok(Arc::new(Type::group_type_builder("frames").with_fields(fields).build()?))
}

fn properties(rows: usize) -> Result<WriterProperties> {
    Ok(WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::BYTE_STREAM_SPLIT)
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_max_row_group_row_count(Some(rows.max(1)))
        .build())
}

fn write_column<T: DataType, W: Write + Send>(
    group: &mut SerializedRowGroupWriter<'_, W>,
    values: impl Iterator<Item = T::T>,
) -> Result<()> {
    let mut column = group.next_column()?.context("more columns than in the schema")?;
    let values: Vec<T::T> = values.collect();
    column.typed::<T>().write_batch(&values, None, None)?;
    Ok(column.close()?)
}

fn write_stream(shape: &StreamShape, frames: &StreamFrames, path: &Path) -> Result<()> {
    let columns = shape.columns();
    let file = BufWriter::new(create(path)?);
    let properties = Arc::new(properties(frames.times_ns.len())?);
    let mut writer = SerializedFileWriter::new(file, schema(shape)?, properties)?;
    let mut group = writer.next_row_group()?;
    write_column::<Int64Type, _>(&mut group, frames.times_ns.iter().map(|&time_ns| time_ns.cast_signed()))?;
    for column in &columns {
        let (rows, at) = (frames.rows.chunks_exact(shape.row_bytes), column.offset);
        let group = &mut group;
        match (column.width, column.float) {
            (8, true) => write_column::<DoubleType, _>(group, rows.map(|row| f64::from_bits(u64_at(row, at))))?,
            (8, false) => write_column::<Int64Type, _>(group, rows.map(|row| u64_at(row, at).cast_signed()))?,
            (4, true) => write_column::<FloatType, _>(group, rows.map(|row| f32_at(row, at)))?,
            (4, false) => write_column::<Int32Type, _>(group, rows.map(|row| u32_at(row, at).cast_signed()))?,
            (2, _) => write_column::<Int32Type, _>(group, rows.map(|row| i32::from(u16_at(row, at))))?,
            _ => write_column::<Int32Type, _>(group, rows.map(|row| row.get(at).copied().map_or(0, i32::from)))?,
        }
    }
    group.close()?;
    writer.into_inner()?.flush()?;
    Ok(())
}

fn read_column<T: DataType, R: ChunkReader + 'static>(
    file: &SerializedFileReader<R>,
    number: usize,
) -> Result<Vec<T::T>> {
    let rows = usize::try_from(file.metadata().file_metadata().num_rows())?;
    let mut values = Vec::with_capacity(rows);
    for group in 0..file.num_row_groups() {
        let group = file.get_row_group(group)?;
        let mut reader = get_typed_column_reader::<T>(group.get_column_reader(number)?);
        let count = usize::try_from(group.metadata().num_rows())?;
        let (read, _, _) = reader.read_records(count, None, None, &mut values)?;
        ensure!(read == count, "column {number} has {read} of {count} values");
    }
    Ok(values)
}

/// Writes the values of a column back into the rows.
fn scatter<const N: usize>(rows: &mut [u8], row_bytes: usize, at: usize, values: impl Iterator<Item = [u8; N]>) {
    for (row, value) in rows.chunks_exact_mut(row_bytes).zip(values) {
        if let Some(place) = row.get_mut(at..at + N) {
            place.copy_from_slice(&value);
        }
    }
}

fn read_stream(shape: &StreamShape, path: &Path) -> Result<StreamFrames> {
    let file = SerializedFileReader::new(open(path)?)?;
    let times_ns: Vec<u64> = read_column::<Int64Type, _>(&file, 0)?.into_iter().map(i64::cast_unsigned).collect();
    let row_bytes = shape.row_bytes;
    let mut rows = vec![0; times_ns.len() * row_bytes];
    for (number, column) in shape.columns().iter().enumerate() {
        let (number, at) = (number + 1, column.offset);
        match physical(column) {
            Physical::DOUBLE => {
                let values = read_column::<DoubleType, _>(&file, number)?;
                scatter(&mut rows, row_bytes, at, values.into_iter().map(|v| v.to_bits().to_le_bytes()));
            }
            Physical::INT64 => {
                let values = read_column::<Int64Type, _>(&file, number)?;
                scatter(&mut rows, row_bytes, at, values.into_iter().map(i64::to_le_bytes));
            }
            Physical::FLOAT => {
                let values = read_column::<FloatType, _>(&file, number)?;
                scatter(&mut rows, row_bytes, at, values.into_iter().map(|v| v.to_bits().to_le_bytes()));
            }
            _ => {
                let values = read_column::<Int32Type, _>(&file, number)?.into_iter();
                match column.width {
                    4 => scatter(&mut rows, row_bytes, at, values.map(i32::to_le_bytes)),
                    2 => scatter(&mut rows, row_bytes, at, values.map(|v| (v as u16).to_le_bytes())),
                    _ => scatter(&mut rows, row_bytes, at, values.map(|v| [v as u8])),
                }
            }
        }
    }
    Ok(StreamFrames { rows, times_ns })
}

impl Peer for Parquet {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn time_unit_ns(&self) -> Option<u64> {
        Some(1)
    }

    fn write(&self, set: &DataSet, directory: &Path) -> Result<()> {
        for (number, (shape, frames)) in set.shape.streams.iter().zip(&set.frames).enumerate() {
            write_stream(shape, frames, &stream_path(directory, number))?;
        }
        Ok(())
    }

    fn read(&self, shape: &Shape, directory: &Path) -> Result<Frames> {
        let streams = shape.streams.iter().enumerate();
        streams.map(|(number, stream)| read_stream(stream, &stream_path(directory, number))).collect()
    }

    fn read_channel(&self, shape: &Shape, directory: &Path) -> Result<Vec<f32>> {
        let channel = shape.channel;
        let columns = shape.streams.get(channel.stream).context("no such stream")?.columns();
        let number = columns.iter().position(|column| column.offset == channel.offset).context("no such column")?;
        let file = SerializedFileReader::new(open(&stream_path(directory, channel.stream))?)?;
        match columns.get(number).is_some_and(|column| column.float) {
            true => read_column::<FloatType, _>(&file, number + 1),
            false => {
                let bits = read_column::<Int32Type, _>(&file, number + 1)?;
                Ok(bits.into_iter().map(|v| f32::from_bits(v.cast_unsigned())).collect())
            }
        }
    }
}
