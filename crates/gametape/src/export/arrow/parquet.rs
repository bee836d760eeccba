//! The Parquet exporter: a file for each stream, or one neutral table.
//!
//! Takes the batches of a table and passes the bytes of row groups to the sink as they are complete. Holds one row group, compressed.

use std::io;
use std::ops::Range;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use gametape_analysis::Recording;
use gametape_format::read::Tape;
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_writer::ArrowWriterOptions;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::SortingColumn;
use parquet::file::properties::{EnabledStatistics, WriterProperties};

use super::super::exporter::{Content, Export, ExportError, ExportSink, Exported, Exporter, FileOf, Split};
use super::super::{Columns, choose_short};
use super::batches::{Batches, Part, Rows, Source, StreamTable};
use super::coding::encode;
use super::neutral::NeutralTable;
use super::schema::StreamSchema;

/// Apache Parquet.
pub const PARQUET: ParquetExporter = ParquetExporter;

/// Exports tables as Parquet files.
#[derive(Debug, Clone, Copy)]
pub struct ParquetExporter;

/// Rows of a row group. Smaller ones make footers large: each has an entry for each column.
const GROUP_ROWS: usize = 131_072;
/// Bytes of values in a row group, before encoding.
const GROUP_BYTES: usize = 64 << 20;
/// Rows of a batch.
const BATCH_ROWS: usize = 4096;
/// Rows after which a page ends. The writer looks after each batch, so that a page has at most 20,000 rows.
const PAGE_ROWS: usize = 20_000 - BATCH_ROWS;
/// Level of zstd.
const LEVEL: i32 = 3;
/// Number of places of the tape from which samples are taken, and rows of each.
const SAMPLES: u64 = 8;
const SAMPLE_ROWS: usize = 1024;

impl Exporter for ParquetExporter {
    fn name(&self) -> &'static str {
        "parquet"
    }

    fn media_type(&self) -> &'static str {
        "application/vnd.apache.parquet"
    }

    fn content(&self) -> Content {
        Content::Rows
    }

    fn usual_columns(&self, tape: &Tape) -> Columns {
        choose_short(tape)
    }

    fn is_columnar(&self) -> bool {
        true
    }

    fn export(&self, what: &Export<'_>, sink: &mut dyn ExportSink) -> Result<Exported, ExportError> {
        let mut exported = Exported { rows: Some(0), ..Exported::default() };
        if what.neutral {
            let new = || NeutralTable::new(what.tape, what.tracked);
            let first = new().ok_or_else(|| ExportError::Nothing("the tape has no frames of a game".to_owned()))?;
            exported.channels = first.schema().fields().len();
            write_table(what, sink, &mut exported, (0, 1), None, &mut || new())?;
        } else {
            let streams: Vec<_> = what.columns.streams(what.tape).collect();
            exported.channels = what.columns.0.len();
            for (number, stream) in streams.iter().enumerate() {
                let name = (streams.len() > 1).then(|| stream.name());
                let new = || StreamSchema::new(what.tape, stream, what.columns, what.tracked);
                let step = (number as u64, streams.len() as u64);
                write_table(what, sink, &mut exported, step, name, &mut || Some(StreamTable::new(new(), stream.id())))?;
            }
        }
        Ok(exported)
    }
}

/// Writes a table to one file, or to one for each lap or session. A table without rows gets no file, unless it is the last and none has any.
fn write_table<S: Source>(
    what: &Export<'_>,
    sink: &mut dyn ExportSink,
    exported: &mut Exported,
    (step, steps): (u64, u64),
    stream: Option<&str>,
    table: &mut dyn FnMut() -> Option<S>,
) -> Result<(), ExportError> {
    let last_ns =
        what.columns.streams(what.tape).filter_map(|stream| stream.totals().last_ns).max().unwrap_or_default();
    let last_ns = last_ns.min(what.times.end);
    let samples = samples(what, last_ns, sink, table)?;
    let Some(source) = table() else { return Ok(()) };
    let schema = source.schema().clone();
    let split = sink.split();
    let rows = Rows { times: what.times.clone(), hz: what.hz, most: BATCH_ROWS, split, only_near: false };
    let mut batches = Batches::new(what.tape, what.tracked, source, rows)?;
    let properties = properties(&schema, &samples)?;
    drop(samples);
    let has_sessions = what.tracked.is_some_and(|tracked| !tracked.sessions.is_empty());
    let mut open: Option<(Part, File)> = None;
    let mut named = false;
    loop {
        let mut progress = |done_ns: u64| {
            sink.at(step * last_ns + done_ns.min(last_ns), steps * last_ns);
            sink.goes_on()
        };
        let Some((part, batch)) = batches.next(&mut progress)? else { break };
        if open.as_ref().is_none_or(|(of, _)| *of != part) {
            if let Some((_, file)) = open.take() {
                file.finish(sink)?;
            }
            if part == Part::Lap(None) || (part == Part::Session(None) && has_sessions) {
                continue;
            }
            begin(what, sink, stream, part, &mut named)?;
            open = Some((part, File::create(&schema, properties.clone())?));
        }
        if let Some((_, file)) = &mut open {
            file.write(&batch, sink)?;
        }
        exported.rows = exported.rows.map(|rows| rows + batch.num_rows() as u64);
    }
    exported.damage.append(&mut batches.damage);
    match open {
        Some((_, file)) => file.finish(sink)?,
        None if exported.rows == Some(0) && step + 1 == steps && split == Split::Nothing => {
            begin(what, sink, stream, Part::Whole, &mut named)?;
            File::create(&schema, properties)?.finish(sink)?;
        }
        None => {}
    }
    Ok(())
}

/// Begins a file.
fn begin(
    what: &Export<'_>,
    sink: &mut dyn ExportSink,
    stream: Option<&str>,
    part: Part,
    named: &mut bool,
) -> io::Result<()> {
    if let Some(stream) = stream.filter(|_| !std::mem::replace(named, true)) {
        sink.file(FileOf::Stream(stream))?;
    }
    match part {
        Part::Whole => sink.part(None, &[]),
        Part::Lap(lap) => sink.part(lap, &[]),
        Part::Session(id) => {
            let mut sessions =
                what.tracked.iter().flat_map(|tracked| &tracked.sessions).map(|session| &session.session);
            let session = sessions.find(|session| Some(session.id) == id);
            let game = Recording::game(what.tape);
            sink.file(FileOf::Session { tape: what.tape.id(), game: &game, session })?;
            sink.part(None, &[])
        }
    }
}

/// Reads some rows at several times of the tape: at its beginning, a car is usually stationary.
fn samples<S: Source>(
    what: &Export<'_>,
    last_ns: u64,
    sink: &mut dyn ExportSink,
    table: &mut dyn FnMut() -> Option<S>,
) -> Result<Vec<RecordBatch>, ExportError> {
    let mut found = Vec::new();
    let length_ns = last_ns.saturating_sub(what.times.start);
    for number in 0..SAMPLES {
        sink.goes_on()?;
        let start = what.times.start + length_ns / SAMPLES * number;
        let times: Range<u64> = start..what.times.end;
        let Some(source) = table() else { break };
        let rows = Rows { times, hz: None, most: SAMPLE_ROWS, split: Split::Nothing, only_near: true };
        // Damage is reported by the export itself.
        if let Some((_, batch)) = Batches::new(what.tape, what.tracked, source, rows)?.next(&mut |_| sink.goes_on())? {
            found.push(batch);
        }
    }
    Ok(found)
}

fn properties(schema: &SchemaRef, samples: &[RecordBatch]) -> Result<WriterProperties, ExportError> {
    let level = ZstdLevel::try_new(LEVEL).map_err(error_of)?;
    let time = schema.index_of("t_ns").ok().and_then(|place| i32::try_from(place).ok());
    let sorted = time.map(|column_idx| vec![SortingColumn { column_idx, descending: false, nulls_first: false }]);
    let properties = WriterProperties::builder()
        .set_created_by(concat!("gametape ", env!("CARGO_PKG_VERSION")).to_owned())
        .set_compression(Compression::ZSTD(level))
        .set_statistics_enabled(EnabledStatistics::Page)
        .set_data_page_row_count_limit(PAGE_ROWS)
        .set_write_batch_size(1024)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_sorting_columns(sorted);
    Ok(encode(properties, schema, samples).build())
}

/// A Parquet file that is being written.
struct File {
    writer: ArrowWriter<Vec<u8>>,
    /// Bytes of the values of the row group.
    group_bytes: usize,
}

impl File {
    fn create(schema: &SchemaRef, properties: WriterProperties) -> Result<Self, ExportError> {
        let options = ArrowWriterOptions::new().with_properties(properties);
        let writer = ArrowWriter::try_new_with_options(Vec::new(), schema.clone(), options).map_err(error_of)?;
        Ok(Self { writer, group_bytes: 0 })
    }

    fn write(&mut self, batch: &RecordBatch, sink: &mut dyn ExportSink) -> Result<(), ExportError> {
        let bytes = batch.get_array_memory_size();
        if self.group_bytes + bytes > GROUP_BYTES {
            self.writer.flush().map_err(error_of)?;
            self.group_bytes = 0;
        }
        self.writer.write(batch).map_err(error_of)?;
        self.group_bytes = if self.writer.in_progress_rows() == 0 { 0 } else { self.group_bytes + bytes };
        self.drain(sink)
    }

    /// Passes the bytes of complete row groups on.
    fn drain(&mut self, sink: &mut dyn ExportSink) -> Result<(), ExportError> {
        let complete = self.writer.inner_mut();
        if !complete.is_empty() {
            sink.write(complete)?;
            *complete = Vec::new();
        }
        Ok(())
    }

    fn finish(mut self, sink: &mut dyn ExportSink) -> Result<(), ExportError> {
        self.writer.finish().map_err(error_of)?;
        self.drain(sink)
    }
}

fn error_of(error: ParquetError) -> ExportError {
    ExportError::Format(Box::new(error))
}
