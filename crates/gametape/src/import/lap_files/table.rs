//! Imports files that are tables of numbers with a time in each row.
//!
//! A format gives a reader of rows and a reader of laps; everything else is the same for all of them. Numbers become channels of a stream,
//! 8 bytes each; a cell without a number is NaN. The text of the file is kept besides, byte for byte.

use std::collections::BTreeSet;

use gametape_format::{Channel, ChannelType, StreamSpec};
use gametape_games::lap_file::{GAME, LapFileAbout};

use super::lines::{TextLines, csv_cells, number};
use super::plan::{LapPlan, LapRows, Line, write_about};
use super::{LONGEST_S, LapFileError, ns};
use crate::import::error::ImportError;
use crate::import::kind::Kind;
use crate::import::out::{Out, add_stream_or_plain};
use crate::import::problems::{Problems, tell_foreign, tell_source};
use crate::import::rest::Rest;
use crate::import::{Found, Source};

/// Most columns of a table.
pub(super) const MOST_COLUMNS: usize = 2_000;
/// Longest name of a column, in characters.
const LONGEST_NAME: usize = 100;

/// A column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ColumnHead {
    /// Name; unique once [`unique_names`] has been called.
    pub(super) name: String,
    /// What to add to the name if another column has the same one: the device that measured it.
    pub(super) source: String,
    /// Unit; empty if there is none.
    pub(super) unit: String,
}

/// Reads rows one after another.
pub(super) trait TableRows {
    /// Returns the offset and the numbers of the next row; `None` at the end.
    fn next(&mut self) -> Result<Option<(u64, &[f64])>, ImportError>;

    /// Returns what was wrong with the rows read so far.
    fn problems(&self) -> Vec<String>;
}

/// What a row says about time and lap.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Step {
    /// Time in seconds, from any zero point.
    pub(super) time_s: Option<f64>,
    /// Distance driven, in metres, from any zero point.
    pub(super) distance_m: Option<f64>,
    /// Track position, if the file gives it.
    pub(super) position: Option<f32>,
    /// A line that was crossed since the row before.
    pub(super) line: Option<LineStep>,
}

/// A line crossing, on the scales of [`Step`].
#[derive(Debug, Clone, Copy)]
pub(super) struct LineStep {
    pub(super) time_s: f64,
    pub(super) distance_m: Option<f64>,
    /// Whether the file gives the time itself.
    pub(super) is_exact: bool,
}

/// Reads time and lap of rows. Each pass over the file has a new one.
pub(super) trait TableLaps {
    /// Looks at the next row.
    fn row(&mut self, cells: &[f64]) -> Step;

    /// Returns a line that is crossed after the last row.
    fn end(&mut self) -> Option<LineStep> {
        None
    }
}

/// A table to import.
pub(super) struct Table<'a> {
    pub(super) kind: Kind,
    pub(super) importer: &'static str,
    pub(super) time_source: &'static str,
    /// Name of the stream of channels.
    pub(super) stream: &'static str,
    /// Name of the stream of the text.
    pub(super) text: &'static str,
    pub(super) columns: Vec<ColumnHead>,
    pub(super) about: LapFileAbout,
    /// UTC of the first row, given its time.
    pub(super) utc_ns: &'a dyn Fn(f64) -> Option<i64>,
    pub(super) rows: &'a dyn Fn() -> Box<dyn TableRows + 'a>,
    pub(super) laps: &'a dyn Fn() -> Box<dyn TableLaps>,
    pub(super) problems: Problems,
}

/// Imports a table.
pub(super) fn read_table(
    source: &Source,
    mut table: Table<'_>,
    out: &mut dyn Out,
    progress: &mut dyn FnMut(u64),
) -> Result<Found, ImportError> {
    let (plan, first_s) = find_lines(&mut table, progress)?;
    let mut problems = std::mem::take(&mut table.problems);
    if plan.left_out > 0 {
        problems.add(format!("{} line crossings are not after the one before them: they are left out", plan.left_out));
    }
    let lead_ns = plan.lead_ns();
    let lead = i64::try_from(lead_ns).unwrap_or_default();
    let start_utc_ns = (table.utc_ns)(first_s).and_then(|utc_ns| utc_ns.checked_sub(lead));
    out.begin(start_utc_ns)?;
    let about = LapFileAbout { length_m: plan.length_m().map(|metres| metres as f32), ..table.about.clone() };
    write_about(out, &about)?;
    Rest::new(table.text).keep_stretch(out, 0, source, 0..source.bytes)?;
    unique_names(&mut table.columns);
    let frame_bytes = table.columns.len() * 8;
    let channels = table.columns.iter().zip(0u32..);
    let channels = channels
        .map(|(column, at)| Channel::new(column.name.as_str(), ChannelType::F64, at * 8, 1, column.unit.as_str()));
    let spec = StreamSpec {
        game: GAME.id.into(),
        transport: "file".into(),
        layout: format!("{}-{}", table.stream, table.columns.len()),
        ..StreamSpec::columns(table.stream, u32::try_from(frame_bytes).unwrap_or_default(), channels.collect())
    };
    let stream = add_stream_or_plain(out, spec, &mut |problem| problems.add(problem))?;
    let mut lap_rows = LapRows::begin(out, plan)?;

    let (mut rows, mut laps, mut clock) = ((table.rows)(), (table.laps)(), RowClock::default());
    let (mut frames, mut last_offset, mut frame) = (0u64, 0, Vec::with_capacity(frame_bytes));
    while let Some((offset, cells)) = rows.next()? {
        let step = laps.row(cells);
        let Some(time_ns) = clock.step(step.time_s) else { continue };
        frame.clear();
        cells.iter().for_each(|cell| frame.extend(cell.to_le_bytes()));
        out.append(stream, time_ns.saturating_add(lead_ns), &frame, offset)?;
        lap_rows.row(out, time_ns, step.distance_m, step.position, offset)?;
        (frames, last_offset) = (frames + 1, offset);
        if frames.is_multiple_of(1024) {
            progress(offset / 2 + source.bytes / 2);
        }
    }
    lap_rows.finish(out, last_offset)?;
    rows.problems().into_iter().chain(clock.problems()).for_each(|problem| problems.add(problem));
    tell_source(out, source, table.kind, table.importer, table.time_source, &problems)?;
    tell_foreign(out, source)?;
    Ok(Found { frames, problems: problems.list() })
}

/// Finds the line crossings. Returns them and the time of the first row.
fn find_lines(table: &mut Table<'_>, progress: &mut dyn FnMut(u64)) -> Result<(LapPlan, f64), ImportError> {
    let (mut rows, mut laps, mut clock) = ((table.rows)(), (table.laps)(), RowClock::default());
    let (mut plan, mut count) = (LapPlan::default(), 0u64);
    let line_of = |line: LineStep, clock: &RowClock| Line {
        time_ns: ns(line.time_s - clock.first_s.unwrap_or(line.time_s)),
        distance_m: line.distance_m,
        is_exact: line.is_exact,
    };
    while let Some((offset, cells)) = rows.next()? {
        let step = laps.row(cells);
        if clock.step(step.time_s).is_none() {
            continue;
        }
        if let Some(line) = step.line {
            plan.line(line_of(line, &clock));
        }
        count += 1;
        if count.is_multiple_of(1024) {
            progress(offset / 2);
        }
    }
    if let Some(line) = laps.end() {
        plan.line(line_of(line, &clock));
    }
    Ok((plan, clock.first_s.ok_or(LapFileError::NoRows)?))
}

/// Turns the times of rows into tape times, which never go back.
#[derive(Debug, Default)]
struct RowClock {
    first_s: Option<f64>,
    last_ns: u64,
    back: u64,
    without: u64,
}

impl RowClock {
    fn step(&mut self, time_s: Option<f64>) -> Option<u64> {
        let relative = time_s.map(|time_s| time_s - self.first_s.unwrap_or(time_s));
        let (Some(time_s), Some(relative)) = (time_s, relative.filter(|relative| relative.abs() < LONGEST_S)) else {
            self.without += 1;
            return None;
        };
        self.first_s.get_or_insert(time_s);
        let time_ns = ns(relative);
        self.back += u64::from(time_ns < self.last_ns);
        self.last_ns = self.last_ns.max(time_ns);
        Some(self.last_ns)
    }

    fn problems(&self) -> Vec<String> {
        let without = (self.without > 0)
            .then(|| format!("{} rows have no usable time: they are only in the stored text", self.without));
        let back = (self.back > 0)
            .then(|| format!("the time goes back in {} rows: they have the time of the row before them", self.back));
        without.into_iter().chain(back).collect()
    }
}

/// Makes the names of the columns unique: adds the source, or a number. Unusable names become `column N`.
fn unique_names(columns: &mut [ColumnHead]) {
    let mut counts = std::collections::BTreeMap::<String, usize>::new();
    for (column, number) in columns.iter_mut().zip(1..) {
        let plain: String =
            column.name.trim().chars().filter(|letter| !letter.is_control()).take(LONGEST_NAME).collect();
        column.name = if plain.is_empty() { format!("column {number}") } else { plain };
        column.unit = column.unit.trim().chars().filter(|letter| !letter.is_control()).take(16).collect();
        column.source = column.source.trim().chars().filter(|letter| !letter.is_control()).take(40).collect();
        *counts.entry(column.name.clone()).or_default() += 1;
    }
    let mut used = BTreeSet::new();
    for column in columns {
        if counts.get(&column.name).is_some_and(|count| *count > 1) && !column.source.is_empty() {
            column.name = format!("{} ({})", column.name, column.source);
        }
        let base = column.name.clone();
        let mut number = 2;
        while !used.insert(column.name.clone()) {
            column.name = format!("{base} {number}");
            number += 1;
        }
    }
}

/// What separates the cells of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Separator {
    Comma,
    Space,
}

/// Rows of a text.
pub(super) struct CellRows<'a> {
    lines: TextLines<'a>,
    separator: Separator,
    /// The offset of the row that was returned last.
    offset: u64,
    cells: Vec<f64>,
    columns: usize,
    incomplete: u64,
}

impl<'a> CellRows<'a> {
    /// Reads rows with this number of columns from an offset on.
    pub(super) fn new(source: &'a Source, offset: u64, separator: Separator, columns: usize) -> Self {
        Self { lines: TextLines::new(source, offset), separator, offset, cells: Vec::new(), columns, incomplete: 0 }
    }
}

impl TableRows for CellRows<'_> {
    fn next(&mut self) -> Result<Option<(u64, &[f64])>, ImportError> {
        loop {
            let Some(line) = self.lines.next()? else { return Ok(None) };
            if line.text.trim().is_empty() {
                continue;
            }
            self.cells.clear();
            match self.separator {
                Separator::Comma if line.text.contains('"') => {
                    self.cells.extend(csv_cells(&line.text).iter().map(|cell| number(cell)));
                }
                Separator::Comma => self.cells.extend(line.text.split(',').map(number)),
                Separator::Space => self.cells.extend(line.text.split_ascii_whitespace().map(number)),
            }
            // A frame has all columns: rows with hardly any cells would make a tape much larger than its file.
            if self.cells.len() <= self.columns / 2 {
                self.incomplete += 1;
                continue;
            }
            self.offset = line.offset;
            self.cells.resize(self.columns, f64::NAN);
            return Ok(Some((self.offset, &self.cells)));
        }
    }

    fn problems(&self) -> Vec<String> {
        let incomplete = (self.incomplete > 0)
            .then(|| format!("{} rows are incomplete: they are only in the stored text", self.incomplete));
        let cut =
            (self.lines.cut > 0).then(|| format!("{} lines are too long: their ends are not read", self.lines.cut));
        incomplete.into_iter().chain(cut).collect()
    }
}

/// Returns the number in a column, unless it is unknown.
pub(super) fn cell(cells: &[f64], column: Option<usize>) -> Option<f64> {
    cells.get(column?).copied().filter(|value| value.is_finite())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn column(name: &str, source: &str) -> ColumnHead {
        ColumnHead { name: name.into(), source: source.into(), unit: String::new() }
    }

    #[test]
    fn names_that_repeat_get_their_source_or_a_number() {
        let mut columns = vec![
            column("speed", "100: gps"),
            column("speed", "calc"),
            column("speed", "calc"),
            column("", ""),
            column("rpm", "obd"),
        ];
        unique_names(&mut columns);
        let names: Vec<_> = columns.iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["speed (100: gps)", "speed (calc)", "speed (calc) 2", "column 4", "rpm"]);
    }

    #[test]
    fn times_do_not_go_back_and_rows_without_a_time_are_counted() {
        let mut clock = RowClock::default();
        let times = [Some(5.0), Some(5.5), Some(5.25), None, Some(f64::NAN), Some(6.0), Some(1e300)];
        let found: Vec<_> = times.into_iter().map(|time| clock.step(time)).collect();
        let at = |ms: u64| Some(ms * 1_000_000);
        assert_eq!(found, [at(0), at(500), at(500), None, None, at(1_000), None]);
        assert_eq!((clock.back, clock.without, clock.problems().len()), (1, 3, 2));
    }
}
