//! Importer for CSV files of RaceChrono, formats 2 and 3.
//!
//! ```text
//! This file is created using RaceChrono …
//! Format,3
//! Session title,"…"                     the head: a key and a value in each line
//! Track name,"…"
//!                                       an empty line
//! timestamp,lap_number,speed,…          names
//! unix time,,m/s,…                      units         format 3 only
//! ,,100: gps,…                          sources       format 3 only
//! 1767150797.44,8,33.453,…              rows
//! ```
//! At each line crossing the program inserts a row at the exact time: lap n + 1 begins in its first row. Format 2 has units and sources in
//! its names: `Speed (m/s) *calc`.

use gametape_games::lap_file::LapFileAbout;

use super::lines::{TextLines, csv_cells};
use super::table::{CellRows, ColumnHead, LineStep, MOST_COLUMNS, Separator, Step, Table, TableLaps, cell, read_table};
use super::travel::Travel;
use super::{LapFileError, OF_SOURCE};
use crate::import::error::ImportError;
use crate::import::kind::Kind;
use crate::import::out::Out;
use crate::import::problems::Problems;
use crate::import::{Found, Importer, Source};

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " racechrono 1");

/// Most lines of the head.
const MOST_HEAD_LINES: usize = 64;

/// Times of day in seconds since 1970 that a row can have.
const BELIEVABLE_S: std::ops::Range<f64> = 946_684_800.0..4_102_444_800.0;

/// Returns whether a file begins like one of these.
pub(in crate::import) fn is_racechrono(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    let first = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    first.starts_with(b"This file is created using RaceChrono")
}

/// Reads files of RaceChrono.
pub(in crate::import) struct RaceChronoImporter;

struct Head {
    about: LapFileAbout,
    columns: Vec<ColumnHead>,
    data: u64,
}

impl Importer for RaceChronoImporter {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let Head { about, columns, data } = read_head(source)?;
        let at = Columns::of(&columns);
        let count = columns.len();
        let has_utc = at.timestamp.is_some();
        let utc_ns = |_: f64| first_timestamp(source, data, count, at.timestamp).filter(|_| has_utc);
        let table = Table {
            kind: Kind::RaceChrono,
            importer: IMPORTER,
            time_source: OF_SOURCE,
            stream: "racechrono",
            text: "racechrono.text",
            columns,
            about,
            utc_ns: &utc_ns,
            rows: &|| Box::new(CellRows::new(source, data, Separator::Comma, count)),
            laps: &|| Box::new(Laps { at, travel: Travel::default(), lap: None, seen: false }),
            problems: Problems::default(),
        };
        read_table(source, table, out, progress)
    }
}

fn read_head(source: &Source) -> Result<Head, ImportError> {
    let mut lines = TextLines::new(source, 0);
    let mut about = LapFileAbout::default();
    let (mut program, mut format) = (None, None);
    for number in 0..MOST_HEAD_LINES {
        let Some(line) = lines.next()? else { break };
        let cells = csv_cells(&line.text);
        let value = cells.get(1).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
        match cells.first().map(|key| key.trim()) {
            Some(first) if number == 0 => {
                let words = first.split("using ").nth(1).unwrap_or_default();
                program = words.split(" (").next().map(|name| name.trim().to_owned());
            }
            Some("Format") => format = value.and_then(|value| value.parse::<u32>().ok()),
            Some("Track name") => about.track = value,
            Some("Driver name") => about.driver = value,
            Some("Vehicle" | "Vehicle name") => about.car = value,
            Some("Session type") => about.session = value,
            Some("") if cells.len() == 1 => {
                let columns = read_columns(&mut lines, format)?;
                about.format = program.map(|program| format!("{program} format {}", format.unwrap_or_default()));
                return Ok(Head { about, columns, data: lines.offset() });
            }
            _ => {}
        }
    }
    Err(LapFileError::Head { what: "there is no row of names after an empty line" }.into())
}

fn read_columns(lines: &mut TextLines<'_>, format: Option<u32>) -> Result<Vec<ColumnHead>, ImportError> {
    let mut row = || -> Result<Vec<String>, ImportError> {
        let line = lines.next()?.ok_or(LapFileError::Head { what: "the row of names is missing" })?;
        Ok(csv_cells(&line.text))
    };
    let names = row()?;
    if names.len() > MOST_COLUMNS {
        return Err(LapFileError::Head { what: "it has more than 2000 columns" }.into());
    }
    if format == Some(2) {
        return Ok(names.iter().map(|name| in_name(name)).collect());
    }
    let (units, sources) = (row()?, row()?);
    let text = |cells: &[String], at: usize| cells.get(at).map(|cell| cell.trim().to_owned()).unwrap_or_default();
    let column = |(at, name): (usize, &String)| ColumnHead {
        name: name.trim().to_owned(),
        source: text(&sources, at),
        unit: text(&units, at),
    };
    Ok(names.iter().enumerate().map(column).collect())
}

/// Splits `Speed (m/s) *calc`, and names it as format 3 does.
fn in_name(text: &str) -> ColumnHead {
    let (name, source) = text.split_once('*').unwrap_or((text, ""));
    let (name, unit) = name.split_once('(').unwrap_or((name, ""));
    let name = match name.trim() {
        "Lap #" => "lap_number".to_owned(),
        "Time" => "elapsed_time".to_owned(),
        "Distance" => "distance_traveled".to_owned(),
        name => name.to_owned(),
    };
    ColumnHead { name, source: source.to_owned(), unit: unit.trim().trim_end_matches(')').to_owned() }
}

/// Where the columns are that laps need.
#[derive(Debug, Clone, Copy)]
struct Columns {
    timestamp: Option<usize>,
    elapsed: Option<usize>,
    lap: Option<usize>,
    distance: Option<usize>,
    speed: Option<usize>,
    latitude: Option<usize>,
    longitude: Option<usize>,
}

impl Columns {
    fn of(columns: &[ColumnHead]) -> Self {
        let at = |name: &str| columns.iter().position(|column| column.name.eq_ignore_ascii_case(name));
        Self {
            timestamp: at("timestamp"),
            elapsed: at("elapsed_time"),
            lap: at("lap_number"),
            distance: at("distance_traveled"),
            speed: at("speed").filter(|at| columns.get(*at).is_some_and(|column| column.unit == "m/s")),
            latitude: at("latitude"),
            longitude: at("longitude"),
        }
    }
}

struct Laps {
    at: Columns,
    travel: Travel,
    lap: Option<i64>,
    /// A row was read.
    seen: bool,
}

impl TableLaps for Laps {
    fn row(&mut self, cells: &[f64]) -> Step {
        let value = |column| cell(cells, column);
        let time_s = value(self.at.elapsed).or_else(|| value(self.at.timestamp));
        let place = value(self.at.latitude).zip(value(self.at.longitude));
        let travelled = time_s.and_then(|time_s| self.travel.step(time_s, value(self.at.speed), place));
        let distance_m = if self.at.distance.is_some() { value(self.at.distance) } else { travelled };
        let lap = value(self.at.lap).map(|lap| lap as i64);
        // The lap count of the first row began before the file.
        let is_line = self.seen && lap.is_some() && lap != self.lap;
        if let Some(time_s) = time_s.filter(|_| lap.is_some() || !self.seen) {
            let line = is_line.then_some(LineStep { time_s, distance_m, is_exact: true });
            (self.lap, self.seen) = (lap, true);
            return Step { time_s: Some(time_s), distance_m, position: None, line };
        }
        Step { time_s, distance_m, ..Step::default() }
    }
}

/// Returns the time stamp of the first row that has one.
fn first_timestamp(source: &Source, data: u64, columns: usize, at: Option<usize>) -> Option<i64> {
    use super::table::TableRows as _;
    let mut rows = CellRows::new(source, data, Separator::Comma, columns);
    let (_, cells) = rows.next().ok()??;
    let seconds = cell(cells, at).filter(|seconds| BELIEVABLE_S.contains(seconds))?;
    Some((seconds * 1e6).round() as i64 * 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_format_2_have_units_and_sources() {
        let found = in_name("Speed (m/s) *calc");
        assert_eq!((found.name.as_str(), found.unit.as_str(), found.source.as_str()), ("Speed", "m/s", "calc"));
        assert_eq!((in_name("Lap #").name.as_str(), in_name("Time (s)").unit.as_str()), ("lap_number", "s"));
    }

    #[test]
    fn a_lap_begins_in_the_first_row_with_its_number() {
        let columns = ["elapsed_time", "lap_number"].map(|name| ColumnHead {
            name: name.into(),
            source: String::new(),
            unit: String::new(),
        });
        let mut laps = Laps { at: Columns::of(&columns), travel: Travel::default(), lap: None, seen: false };
        let mut line = |time: f64, lap: f64| laps.row(&[time, lap]).line.map(|line| line.time_s);
        let unknown = f64::NAN;
        assert_eq!(line(1.0, unknown), None);
        assert_eq!(line(2.0, 1.0), Some(2.0), "the first line");
        assert_eq!((line(3.0, 1.0), line(4.0, unknown), line(5.0, 1.0)), (None, None, None));
        assert_eq!(line(6.5, 2.0), Some(6.5));
        let mut inside = Laps { at: Columns::of(&columns), travel: Travel::default(), lap: None, seen: false };
        assert!(inside.row(&[1.0, 8.0]).line.is_none(), "the file begins within lap 8");
        assert!(inside.row(&[2.0, 9.0]).line.is_some());
    }
}
