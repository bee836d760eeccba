//! Streams of Arrow record batches through the C stream interface (`__arrow_c_stream__`), which DuckDB, Polars, pyarrow and pandas read.
//!
//! Schema: `t_ns` (time on the tape), `utc` if the tape has a start time, then the channels under the game's own names with their unit as field
//! metadata. Arrays of up to eight elements are columns `name_0`…, longer ones are lists; text is text. A thread decodes ahead.

use std::collections::HashMap;
use std::sync::Arc;

use arrow_array::builder::StringBuilder;
use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::types::{
    ArrowPrimitiveType, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type, UInt8Type, UInt16Type,
    UInt32Type, UInt64Type,
};
use arrow_array::{
    ArrayRef, BooleanArray, ListArray, PrimitiveArray, RecordBatch, RecordBatchReader, TimestampMicrosecondArray,
};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{ArrowError, DataType, Field, FieldRef, Schema, SchemaRef, TimeUnit};
use gametape_format::StreamId;
use gametape_format::read::{Tape, Values};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::background::{Background, Items};
use crate::errors::{io_error, read_error};
use crate::read::{Blocks, Choice, How, Part, choose};
use crate::text::{each_text, is_text};
use crate::values::{empty, extend, signed};

/// Longer arrays are one column of lists.
const MOST_ELEMENT_COLUMNS: usize = 8;
/// Rows of a batch, unless it gets too large.
const BATCH_ROWS: usize = 16 * 1024;
const BATCH_BYTES: usize = 16 << 20;

/// Makes the capsule of a stream of batches.
pub(crate) fn capsule<'py>(
    py: Python<'py>,
    reader: Box<dyn RecordBatchReader + Send>,
) -> PyResult<Bound<'py, PyCapsule>> {
    PyCapsule::new_with_value(py, FFI_ArrowArrayStream::new(reader), c"arrow_array_stream")
}

/// Starts a stream of chosen channels of a stream of a tape.
pub(crate) fn stream_of(
    tape: &Arc<Tape>,
    stream: StreamId,
    names: &[String],
    how: How,
    name: &str,
) -> PyResult<Box<dyn RecordBatchReader + Send>> {
    let failed = |error| read_error(error, name);
    let no_stream = || gametape_format::read::ReadError::NoSuchStream { name: String::new(), known: Vec::new() };
    let found = tape.stream(stream).ok_or_else(|| failed(no_stream()))?;
    let choices = choose(tape, found, names).map_err(failed)?;
    let start_utc_ns = tape.start_utc_ns();
    let schema = schema_of(&choices, start_utc_ns.is_some());
    let (tape, name) = (Arc::clone(tape), name.to_owned());
    let of_thread = Arc::clone(&schema);
    let batches = Background::start(move |items: &Items<Result<RecordBatch, ArrowError>>| {
        let failed = |error| ArrowError::ExternalError(format!("{name}: {error}").into());
        let Some(stream) = tape.stream(stream) else { return };
        let mut blocks = match Blocks::new(&tape, stream, &choices, &how) {
            Ok(blocks) => blocks,
            Err(error) => {
                items.put(Err(failed(error)));
                return;
            }
        };
        loop {
            let batch = match gather(&mut blocks, &choices) {
                Ok(Some(rows)) => rows.into_batch(&of_thread, &choices, start_utc_ns),
                Ok(None) => return,
                Err(error) => Err(failed(error)),
            };
            let is_last = batch.is_err();
            if !items.put(batch) || is_last {
                return;
            }
        }
    })
    .map_err(|error| io_error(error, "cannot start a reading thread"))?;
    Ok(Box::new(Batches { schema, batches }))
}

struct Batches {
    schema: SchemaRef,
    batches: Background<Result<RecordBatch, ArrowError>>,
}

impl Iterator for Batches {
    type Item = Result<RecordBatch, ArrowError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.batches.next().unwrap_or_else(|text| Some(Err(ArrowError::ExternalError(text.into()))))
    }
}

impl RecordBatchReader for Batches {
    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

fn schema_of(choices: &[Choice], has_utc: bool) -> SchemaRef {
    let unit = |unit: &str| match unit {
        "" => HashMap::new(),
        unit => HashMap::from([("unit".to_owned(), unit.to_owned())]),
    };
    let mut fields = vec![Field::new("t_ns", DataType::Int64, false).with_metadata(unit("ns"))];
    if has_utc {
        fields.push(Field::new("utc", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), false));
    }
    for choice in choices {
        let metadata = unit(&choice.unit);
        let of = |name: String, kind| Field::new(name, kind, false).with_metadata(metadata.clone());
        // One element of an array has the name that it has among all of them.
        let name = match choice.element() {
            Some((base, element)) => format!("{base}_{element}"),
            None => choice.name.clone(),
        };
        let kind = type_of(&empty(choice.kind));
        match choice.count {
            _ if is_text(choice.kind) => fields.push(of(name, DataType::Utf8)),
            1 => fields.push(of(name, kind)),
            2..=MOST_ELEMENT_COLUMNS => {
                fields.extend((0..choice.count).map(|element| of(format!("{name}_{element}"), kind.clone())));
            }
            _ => fields.push(of(name, DataType::List(item_of(kind)))),
        }
    }
    Arc::new(Schema::new(fields))
}

fn item_of(kind: DataType) -> FieldRef {
    Arc::new(Field::new("item", kind, false))
}

fn type_of(values: &Values) -> DataType {
    match values {
        Values::U8(_) => DataType::UInt8,
        Values::I8(_) => DataType::Int8,
        Values::U16(_) => DataType::UInt16,
        Values::I16(_) => DataType::Int16,
        Values::U32(_) => DataType::UInt32,
        Values::I32(_) => DataType::Int32,
        Values::U64(_) => DataType::UInt64,
        Values::I64(_) => DataType::Int64,
        Values::F32(_) => DataType::Float32,
        Values::F64(_) => DataType::Float64,
        Values::Bool(_) => DataType::Boolean,
    }
}

struct Rows {
    times: Vec<u64>,
    columns: Vec<Values>,
}

/// Gathers the blocks of a batch; `None` at the end.
fn gather(blocks: &mut Blocks<'_>, choices: &[Choice]) -> Result<Option<Rows>, gametape_format::read::ReadError> {
    let row_bytes: usize = choices.iter().map(|choice| choice.count * choice.kind.width()).sum::<usize>().max(1);
    let most = BATCH_ROWS.min(BATCH_BYTES / row_bytes).max(1);
    let columns = choices.iter().map(|choice| empty(choice.kind)).collect();
    let mut rows = Rows { times: Vec::new(), columns };
    while rows.times.len() < most {
        let Some(Part { block, rows: part }) = blocks.next()? else { break };
        for ((column, values), choice) in rows.columns.iter_mut().zip(&block.values).zip(choices) {
            // A batch is small: without memory for it, nothing works.
            let _ = extend(column, values, part.start * choice.count..part.end * choice.count);
        }
        rows.times.extend_from_slice(block.times.get(part).unwrap_or_default());
    }
    Ok(Some(rows).filter(|rows| !rows.times.is_empty()))
}

impl Rows {
    fn into_batch(
        self,
        schema: &SchemaRef,
        choices: &[Choice],
        start_utc_ns: Option<i64>,
    ) -> Result<RecordBatch, ArrowError> {
        let times = signed(self.times);
        let mut arrays: Vec<ArrayRef> = Vec::with_capacity(schema.fields().len());
        let utc = start_utc_ns.map(|start| {
            let micros = times.iter().map(|time| start.saturating_add(*time).div_euclid(1000));
            TimestampMicrosecondArray::from_iter_values(micros).with_timezone("UTC")
        });
        arrays.push(Arc::new(PrimitiveArray::<Int64Type>::from(times)));
        if let Some(utc) = utc {
            arrays.push(Arc::new(utc));
        }
        for (values, choice) in self.columns.into_iter().zip(choices) {
            push_arrays(values, choice, &mut arrays);
        }
        RecordBatch::try_new(Arc::clone(schema), arrays)
    }
}

fn push_arrays(values: Values, choice: &Choice, arrays: &mut Vec<ArrayRef>) {
    if is_text(choice.kind) {
        let mut texts = StringBuilder::new();
        each_text(&values, choice.count, |text, _| texts.append_value(text));
        return arrays.push(Arc::new(texts.finish()));
    }
    match choice.count {
        1 => arrays.push(array(values)),
        2..=MOST_ELEMENT_COLUMNS => {
            arrays.extend((0..choice.count).map(|element| array(every(&values, element, choice.count))));
        }
        count => {
            let (kind, rows) = (type_of(&values), values.len() / count);
            let offsets = OffsetBuffer::from_lengths(std::iter::repeat_n(count, rows));
            arrays.push(Arc::new(ListArray::new(item_of(kind), offsets, array(values), None)));
        }
    }
}

/// The values of one element of an array channel.
fn every(values: &Values, element: usize, count: usize) -> Values {
    fn pick<T: Copy>(values: &[T], element: usize, count: usize) -> Vec<T> {
        values.iter().skip(element).step_by(count).copied().collect()
    }
    match values {
        Values::U8(values) => Values::U8(pick(values, element, count)),
        Values::I8(values) => Values::I8(pick(values, element, count)),
        Values::U16(values) => Values::U16(pick(values, element, count)),
        Values::I16(values) => Values::I16(pick(values, element, count)),
        Values::U32(values) => Values::U32(pick(values, element, count)),
        Values::I32(values) => Values::I32(pick(values, element, count)),
        Values::U64(values) => Values::U64(pick(values, element, count)),
        Values::I64(values) => Values::I64(pick(values, element, count)),
        Values::F32(values) => Values::F32(pick(values, element, count)),
        Values::F64(values) => Values::F64(pick(values, element, count)),
        Values::Bool(values) => Values::Bool(pick(values, element, count)),
    }
}

fn array(values: Values) -> ArrayRef {
    fn of<T: ArrowPrimitiveType>(values: Vec<T::Native>) -> ArrayRef {
        Arc::new(PrimitiveArray::<T>::new(values.into(), None))
    }
    match values {
        Values::U8(values) => of::<UInt8Type>(values),
        Values::I8(values) => of::<Int8Type>(values),
        Values::U16(values) => of::<UInt16Type>(values),
        Values::I16(values) => of::<Int16Type>(values),
        Values::U32(values) => of::<UInt32Type>(values),
        Values::I32(values) => of::<Int32Type>(values),
        Values::U64(values) => of::<UInt64Type>(values),
        Values::I64(values) => of::<Int64Type>(values),
        Values::F32(values) => of::<Float32Type>(values),
        Values::F64(values) => of::<Float64Type>(values),
        Values::Bool(values) => Arc::new(BooleanArray::from(values)),
    }
}
