//! Arrow streams: the table of one stream in the IPC streaming format, for a pipe.
//!
//! Takes a tape, the channels of one stream and a writer. A batch has at most as many rows as a block of a tape, and is flushed at once, so
//! that a reader can begin before the tape is at its end.

use std::io::Write;
use std::ops::Range;

use arrow_ipc::writer::StreamWriter;
use arrow_schema::ArrowError;
use gametape_format::read::{Tape, TapeStream};

use super::super::Columns;
use super::super::exporter::{ExportError, Exported, Split};
use super::batches::{Batches, Rows, StreamTable};
use super::schema::StreamSchema;
use crate::laps::Tracked;

/// Rows of a batch: those of a block.
const ROWS: usize = 1024;

/// Writes the rows of a stream at these times as an Arrow IPC stream. Damaged parts are skipped and returned.
///
/// # Errors
/// If the tape cannot be read at all, or the writer fails.
pub fn write_arrow_stream(
    tape: &Tape,
    stream: &TapeStream,
    columns: &Columns,
    tracked: Option<&Tracked>,
    times: Range<u64>,
    out: &mut dyn Write,
) -> Result<Exported, ExportError> {
    let table = StreamTable::new(StreamSchema::new(tape, stream, columns, tracked), stream.id());
    let rows = Rows { times, hz: None, most: ROWS, split: Split::Nothing, only_near: false };
    let mut batches = Batches::new(tape, tracked, table, rows)?;
    let channels = columns.0.iter().filter(|column| column.stream == stream.id()).count();
    let mut exported = Exported { rows: Some(0), channels, ..Exported::default() };
    let mut writer = StreamWriter::try_new(out, batches.schema()).map_err(error_of)?;
    // The schema alone is useful to a reader that waits.
    writer.get_mut().flush()?;
    while let Some((_, batch)) = batches.next(&mut |_| Ok(()))? {
        writer.write(&batch).map_err(error_of)?;
        writer.get_mut().flush()?;
        exported.rows = exported.rows.map(|rows| rows + batch.num_rows() as u64);
    }
    writer.finish().map_err(error_of)?;
    exported.damage = batches.damage;
    Ok(exported)
}

/// A reader that closes its pipe must be recognised by its I/O error.
fn error_of(error: ArrowError) -> ExportError {
    match error {
        ArrowError::IoError(_, error) => ExportError::Write(error),
        error => ExportError::Format(Box::new(error)),
    }
}
