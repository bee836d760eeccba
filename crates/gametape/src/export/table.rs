//! Holds the latest text of each cell and formats rows. Most values do not change between rows, so their text is cached.

use std::io::{self, Write as _};

use gametape_format::StreamId;
use gametape_format::read::Tape;

use super::ExportSink;
use super::cells::{write_csv, write_json, write_text, write_value};
use super::{ChosenColumn, Columns};
use crate::laps::{Lap, LapState, TrackFacts, Tracked, TrackedSession};
use crate::names::utc_text;
use gametape_analysis::Decoding;
use gametape_analysis::recording::streams_of_games;

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
    clocks: Vec<(u64, i64)>,
    laps: Vec<TableLap<'a>>,
    /// Index at which the search for the lap begins: times increase.
    next_lap: usize,
    part: Option<Option<u32>>,
    /// The position may still be that of the previous lap.
    stale: bool,
    places: Vec<StreamId>,
    decoding: Option<Decoding>,
    share: Option<f32>,
    distance_m: Option<f32>,
    head: Vec<u8>,
    row: Vec<u8>,
}

impl<'a> Table<'a> {
    pub(super) fn new(tape: &Tape, columns: &'a Columns, format: RowFormat, tracked: Option<&'a Tracked>) -> Self {
        let streams = || streams_of_games(tape);
        let game = streams().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty());
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
            clocks: clocks_of(tape),
            laps: tracked.map(laps_with_lengths).unwrap_or_default(),
            next_lap: 0,
            part: None,
            stale: false,
            places: streams().map(|stream| stream.id()).collect(),
            decoding: game.and_then(|game| Decoding::new(game, streams().map(|stream| stream.spec()))),
            share: None,
            distance_m: None,
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
        let place = self.places.iter().position(|place| *place == stream);
        let sample = place.and_then(|place| self.decoding.as_mut()?.frame(place, frame));
        if let Some(sample) = sample {
            (self.share, self.distance_m) = (sample.track_position, sample.lap_distance_m);
        }
    }

    /// Emits the row for this time.
    pub(super) fn give(&mut self, time_ns: u64, sink: &mut dyn ExportSink) -> io::Result<()> {
        let found = self.lap_at(time_ns);
        let lap = found.map(|found| found.lap.tape_lap);
        if self.part != Some(lap) {
            self.part = Some(lap);
            self.stale = found.is_some_and(|found| found.from_line);
            sink.part(lap, &self.head)?;
        }
        let distance_m = found.and_then(|found| self.distance_in(found.length_m));
        let utc = utc_at(&self.clocks, time_ns).and_then(utc_text).unwrap_or_default();
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

    /// Returns the lap at a time. Times must increase from call to call.
    fn lap_at(&mut self, time_ns: u64) -> Option<TableLap<'a>> {
        let is_over = |lap: &Lap| lap.end_ns.is_some_and(|end_ns| end_ns <= time_ns);
        while self.laps.get(self.next_lap).is_some_and(|of| is_over(of.lap)) {
            self.next_lap += 1;
        }
        self.laps.get(self.next_lap).filter(|of| of.lap.start_ns <= time_ns).copied()
    }

    /// Returns the distance from the line. Games count the lap slightly before or after they reset the position. A lap that begins at the
    /// line starts in the first half of the track, so until then a position in the second half belongs to the previous lap.
    fn distance_in(&mut self, length_m: Option<f32>) -> Option<f32> {
        let share =
            self.share.or_else(|| Option::zip(self.distance_m, length_m).map(|(metres, length)| metres / length));
        self.stale &= share.is_some_and(|share| share > 0.5);
        if self.stale {
            return None;
        }
        self.distance_m.or_else(|| Option::zip(self.share, length_m).map(|(share, length)| share * length))
    }
}

/// A lap of the table.
#[derive(Clone, Copy)]
struct TableLap<'a> {
    lap: &'a Lap,
    /// Length of the track.
    length_m: Option<f32>,
    /// Whether it begins at the line, where the previous lap was completed.
    from_line: bool,
}

/// Returns all laps with their track lengths; the sessions of a tape may be on different tracks.
fn laps_with_lengths(tracked: &Tracked) -> Vec<TableLap<'_>> {
    let of_session = |session: &TrackedSession| {
        let (track, layout) = (session.session.track.as_ref(), session.session.layout.as_ref());
        let is_there = |facts: &&TrackFacts| Some(&facts.track) == track && facts.layout.as_ref() == layout;
        tracked.tracks.iter().find(is_there).and_then(|facts| facts.length_m)
    };
    tracked.sessions.iter().flat_map(|session| laps_of(session, of_session(session))).collect()
}

fn laps_of(session: &TrackedSession, length_m: Option<f32>) -> Vec<TableLap<'_>> {
    let before = std::iter::once(None).chain(session.laps.iter().map(Some));
    let of = |(lap, before): (_, Option<&Lap>)| {
        let from_line = before.is_some_and(|before| completed_at(before, lap));
        TableLap { lap, length_m, from_line }
    };
    session.laps.iter().zip(before).map(of).collect()
}

/// Returns whether the previous lap ended at the line, and this one began there.
fn completed_at(before: &Lap, lap: &Lap) -> bool {
    before.end_ns == Some(lap.start_ns) && matches!(before.state, LapState::Final | LapState::Provisional)
}

/// Returns the clock readings of a tape in time order; its start, if it has none.
pub(super) fn clocks_of(tape: &Tape) -> Vec<(u64, i64)> {
    let mut clocks = tape.clock_readings();
    if let (true, Some(utc_ns)) = (clocks.is_empty(), tape.start_utc_ns()) {
        clocks.push((0, utc_ns));
    }
    clocks.sort_unstable();
    clocks
}

/// Maps a tape time to UTC, by the latest clock reading before it.
pub(super) fn utc_at(clocks: &[(u64, i64)], time_ns: u64) -> Option<i64> {
    let after = clocks.partition_point(|(read_ns, _)| *read_ns <= time_ns);
    let (read_ns, utc_ns) = clocks.get(after.saturating_sub(1))?;
    let since = i128::from(time_ns) - i128::from(*read_ns);
    i64::try_from(i128::from(*utc_ns) + since).ok()
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
