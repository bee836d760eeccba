//! Holds the latest text of each cell and formats rows. Most values do not change between rows, so their text is cached.

use std::io::{self, Write as _};

use gametape_format::StreamId;
use gametape_format::read::Tape;

use super::ExportSink;
use super::cells::{write_csv, write_json, write_text, write_value};
use super::moments::Moments;
use super::{ChosenColumn, Columns};
use crate::laps::Tracked;
use crate::names::utc_text;

/// How rows are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowFormat {
    /// RFC 4180: a header line, then the rows. Arrays have one column per element.
    Csv,
    /// One JSON object per row. Arrays are JSON arrays.
    Jsonl,
}

/// Columns that precede the channels.
const TIMES: [&str; 5] = ["time_ns", "time_s", "utc", "lap", "lap_distance_m"];

/// A cell: its bytes and the text formatted from them.
#[derive(Default)]
struct Cell {
    bytes: Vec<u8>,
    text: Vec<u8>,
}

pub(super) struct Table<'a> {
    format: RowFormat,
    columns: &'a [ChosenColumn],
    cells: Vec<Vec<Cell>>,
    keys: Vec<Vec<u8>>,
    moments: Moments<'a>,
    part: Option<Option<u32>>,
    head: Vec<u8>,
    row: Vec<u8>,
}

impl<'a> Table<'a> {
    pub(super) fn new(tape: &Tape, columns: &'a Columns, format: RowFormat, tracked: Option<&'a Tracked>) -> Self {
        let columns = columns.0.as_slice();
        let empty = |column: &ChosenColumn| {
            let text = if format == RowFormat::Jsonl { b"null".to_vec() } else { Vec::new() };
            (0..column.cells()).map(|_| Cell { text: text.clone(), ..Cell::default() }).collect()
        };
        Self {
            format,
            columns,
            cells: columns.iter().map(empty).collect(),
            keys: columns.iter().map(|column| json_key(&column.name)).collect(),
            moments: Moments::new(tape, tracked),
            part: None,
            head: if format == RowFormat::Csv { csv_head(columns) } else { Vec::new() },
            row: Vec::new(),
        }
    }

    /// Updates the cells from a frame.
    pub(super) fn take(&mut self, stream: StreamId, frame: &[u8]) {
        for (column, cells) in self.columns.iter().zip(&mut self.cells).filter(|(column, _)| column.stream == stream) {
            let width = if column.is_text() { column.kind.width() * column.count } else { column.kind.width() };
            for (number, cell) in cells.iter_mut().enumerate() {
                let start = column.offset + number * width;
                let bytes = frame.get(start..start + width).unwrap_or_default();
                if cell.bytes == bytes && !cell.bytes.is_empty() {
                    continue;
                }
                cell.bytes.clear();
                cell.bytes.extend_from_slice(bytes);
                cell.text.clear();
                match column.is_text() {
                    true => write_text(&mut cell.text, column.kind, bytes, self.format),
                    false => write_value(&mut cell.text, column.kind, bytes, self.format),
                }
            }
        }
        self.moments.take(stream, frame);
    }

    /// Emits the row for this time.
    pub(super) fn give(&mut self, time_ns: u64, sink: &mut dyn ExportSink) -> io::Result<()> {
        let moment = self.moments.at(time_ns);
        let (lap, distance_m) = (moment.lap.map(|lap| lap.tape_lap), moment.distance_m);
        if self.part != Some(lap) {
            self.part = Some(lap);
            sink.part(lap, &self.head)?;
        }
        let utc = moment.utc_ns.and_then(utc_text).unwrap_or_default();
        self.row.clear();
        let (seconds, rest) = (time_ns / 1_000_000_000, time_ns % 1_000_000_000);
        match self.format {
            RowFormat::Csv => {
                write!(self.row, "{time_ns},{seconds}.{rest:09},{utc},")?;
                lap.map_or(Ok(()), |lap| write!(self.row, "{lap}"))?;
                self.row.push(b',');
                distance_m.map_or(Ok(()), |distance| write!(self.row, "{distance}"))?;
            }
            RowFormat::Jsonl => {
                write!(self.row, "{{\"time_ns\":{time_ns},\"time_s\":{seconds}.{rest:09},\"utc\":")?;
                if utc.is_empty() {
                    self.row.extend_from_slice(b"null")
                } else {
                    write_json(&mut self.row, &utc)
                }
                let text = |number: Option<String>| number.unwrap_or_else(|| "null".to_owned());
                let distance = distance_m.filter(|distance| distance.is_finite()).map(|distance| distance.to_string());
                let lap = lap.map(|lap| lap.to_string());
                write!(self.row, ",\"lap\":{},\"lap_distance_m\":{}", text(lap), text(distance))?;
            }
        }
        for (cells, key) in self.cells.iter().zip(&self.keys) {
            let array = self.format == RowFormat::Jsonl && cells.len() != 1;
            if self.format == RowFormat::Jsonl {
                self.row.extend_from_slice(key);
            }
            if array {
                self.row.push(b'[');
            }
            for (number, cell) in cells.iter().enumerate() {
                if self.format == RowFormat::Csv || number > 0 {
                    self.row.push(b',');
                }
                self.row.extend_from_slice(&cell.text);
            }
            if array {
                self.row.push(b']');
            }
        }
        self.row.extend_from_slice(if self.format == RowFormat::Csv { b"\r\n" } else { b"}\n" });
        sink.write(&self.row)
    }
}

fn csv_head(columns: &[ChosenColumn]) -> Vec<u8> {
    let mut head = TIMES.join(",").into_bytes();
    for column in columns {
        for cell in 0..column.cells() {
            head.push(b',');
            let element = if column.cells() > 1 { format!("[{cell}]") } else { String::new() };
            write_csv(&mut head, &format!("{}{element}", column.name));
        }
    }
    head.extend_from_slice(b"\r\n");
    head
}

fn json_key(name: &str) -> Vec<u8> {
    let mut key = b",".to_vec();
    write_json(&mut key, name);
    key.push(b':');
    key
}
