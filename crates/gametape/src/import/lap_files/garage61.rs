//! Importer for CSV files of Garage 61: one lap of iRacing, 60 rows per second, without a column of times.
//!
//! ```text
//! Speed,LapDistPct,Lat,Lon,Brake,Throttle,RPM,SteeringWheelAngle,Gear,…
//! 52.1,0.0003,…
//! ```
//! The lap time is in the file name only (`Garage 61 - DRIVER - CAR - TRACK - 01.25.914 - ID.csv`). It is used if it agrees with the rows.

use gametape_games::lap_file::LapFileAbout;

use super::lines::{TextLines, csv_cells};
use super::table::{
    CellRows, ColumnHead, LineStep, MOST_COLUMNS, Separator, Step, Table, TableLaps, TableRows, cell, read_table,
};
use super::travel::Travel;
use super::{LapFileError, NOMINAL};
use crate::import::error::ImportError;
use crate::import::kind::Kind;
use crate::import::out::Out;
use crate::import::problems::Problems;
use crate::import::{Found, Importer, Source};

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " garage61 1");

/// Rows per second.
const HZ: f64 = 60.0;

/// A lap time of the name that differs from the rows by more than this many rows is of another lap.
const WITHIN_ROWS: f64 = 3.0;

/// Rows at a position above this at the start, or below the rest at the end, belong to the laps before and after.
const BEFORE_LINE: f64 = 0.9;

/// Returns whether a file begins like one of these.
pub(in crate::import) fn is_garage61(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    let first = start.split(|byte| *byte == b'\n').next().unwrap_or_default();
    let first = String::from_utf8_lossy(first);
    let mut cells = first.split(',').map(str::trim);
    cells.next() == Some("Speed") && cells.any(|cell| cell == "LapDistPct")
}

/// Reads files of Garage 61.
pub(in crate::import) struct Garage61Importer;

impl Importer for Garage61Importer {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let mut lines = TextLines::new(source, 0);
        let head = lines.next()?.map(|line| csv_cells(line.text.trim_start_matches('\u{feff}')));
        let names = head.ok_or(LapFileError::Head { what: "the row of names is missing" })?;
        if names.len() > MOST_COLUMNS {
            return Err(LapFileError::Head { what: "it has more than 2000 columns" }.into());
        }
        let data = lines.offset();
        let columns: Vec<ColumnHead> = names.iter().map(|name| head_of(name.trim())).collect();
        let at = |name: &str| names.iter().position(|known| known.trim() == name);
        let (count, speed, position) = (columns.len(), at("Speed"), at("LapDistPct"));
        let (named, mut about) = of_name(&source.name());
        about.format = Some("Garage 61".to_owned());
        let lap_time_s = lap_time(source, data, count, position, named)?;
        let table = Table {
            kind: Kind::Garage61,
            importer: IMPORTER,
            time_source: NOMINAL,
            stream: "garage61",
            text: "garage61.text",
            columns,
            about,
            utc_ns: &|_| None,
            rows: &|| Box::new(CellRows::new(source, data, Separator::Comma, count)),
            laps: &|| Box::new(Laps { speed, position, lap_time_s, ..Laps::default() }),
            problems: Problems::default(),
        };
        read_table(source, table, out, progress)
    }
}

fn head_of(name: &str) -> ColumnHead {
    let unit = match name {
        "Speed" => "m/s",
        "Lat" | "Lon" => "deg",
        "RPM" => "rpm",
        "SteeringWheelAngle" | "Yaw" => "rad",
        "YawRate" => "rad/s",
        "LatAccel" | "LongAccel" | "VertAccel" => "m/s2",
        _ => "",
    };
    ColumnHead { name: name.to_owned(), source: String::new(), unit: unit.to_owned() }
}

/// Returns the lap time, and car, track and driver, from a file name.
fn of_name(name: &str) -> (Option<f64>, LapFileAbout) {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let parts: Vec<&str> = stem.split(" - ").map(str::trim).collect();
    let text = |part: &&str| Some((*part).to_owned()).filter(|text| !text.is_empty());
    match parts.as_slice() {
        ["Garage 61", driver, car, track, time, _] => {
            let about = LapFileAbout { driver: text(driver), car: text(car), track: text(track), ..Default::default() };
            (time_of(time), about)
        }
        _ => (None, LapFileAbout::default()),
    }
}

/// Parses `01.25.914`: minutes, seconds, milliseconds.
fn time_of(text: &str) -> Option<f64> {
    let parts: Vec<u32> = text.split('.').map(|part| part.parse().ok()).collect::<Option<_>>()?;
    match parts.as_slice() {
        [minutes @ 0..=99, seconds @ 0..=59, ms @ 0..=999] => {
            Some(f64::from(*minutes) * 60.0 + f64::from(*seconds) + f64::from(*ms) / 1000.0)
        }
        _ => None,
    }
}

/// Returns the lap time of the name, if it agrees with the rows.
fn lap_time(
    source: &Source,
    data: u64,
    columns: usize,
    position: Option<usize>,
    named: Option<f64>,
) -> Result<Option<f64>, ImportError> {
    let Some(named) = named else { return Ok(None) };
    let mut rows = CellRows::new(source, data, Separator::Comma, columns);
    let mut laps = Laps { position, ..Laps::default() };
    let mut lines = Vec::new();
    while let Some((_, cells)) = rows.next()? {
        lines.extend(laps.row(cells).line.map(|line| line.time_s).filter(|_| lines.len() < 2));
    }
    lines.extend(laps.end().map(|line| line.time_s).filter(|_| lines.len() < 2));
    Ok(match lines.as_slice() {
        [from, to] if (to - from - named).abs() <= WITHIN_ROWS / HZ => Some(named),
        _ => None,
    })
}

#[derive(Debug, Default)]
struct Laps {
    speed: Option<usize>,
    position: Option<usize>,
    /// Lap time of the file name.
    lap_time_s: Option<f64>,
    rows: u32,
    travel: Travel,
    last: Option<f64>,
    from_s: Option<f64>,
    is_over: bool,
}

impl Laps {
    fn line(&mut self, time_s: f64, distance_m: Option<f64>) -> Option<LineStep> {
        let is_exact = self.lap_time_s.is_some();
        match self.from_s {
            None => {
                self.from_s = Some(time_s);
                Some(LineStep { time_s, distance_m, is_exact })
            }
            Some(from_s) => {
                self.is_over = true;
                let time_s = self.lap_time_s.map_or(time_s, |lap_s| from_s + lap_s);
                Some(LineStep { time_s, distance_m, is_exact })
            }
        }
    }
}

impl TableLaps for Laps {
    fn row(&mut self, cells: &[f64]) -> Step {
        let time_s = f64::from(self.rows) / HZ;
        self.rows = self.rows.saturating_add(1);
        let position = cell(cells, self.position).filter(|share| (0.0..=1.0).contains(share));
        let distance_m = self.travel.step(time_s, cell(cells, self.speed), None);
        let wrapped = position.zip(self.last).is_some_and(|(now, last)| last > BEFORE_LINE && now < 1.0 - BEFORE_LINE);
        let begins = self.last.is_none() && position.is_some_and(|now| now < BEFORE_LINE);
        let line = if (wrapped || begins) && !self.is_over { self.line(time_s, distance_m) } else { None };
        self.last = position.or(self.last);
        Step { time_s: Some(time_s), distance_m, position: position.map(|share| share as f32), line }
    }

    fn end(&mut self) -> Option<LineStep> {
        let time_s = f64::from(self.rows) / HZ;
        let is_whole = self.last.is_some_and(|last| last > BEFORE_LINE) && self.from_s.is_some() && !self.is_over;
        let distance_m = self.travel.step(time_s, None, None);
        if is_whole { self.line(time_s, distance_m) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_who_drove_where_and_how_fast() {
        let (time, about) = of_name("Garage 61 - Driver 1 - Car A - Track B - 01.25.914 - ABC.csv");
        assert_eq!(time, Some(85.914));
        assert_eq!((about.driver.as_deref(), about.track.as_deref()), (Some("Driver 1"), Some("Track B")));
        assert_eq!(of_name("Garage_61_ABC.csv"), (None, LapFileAbout::default()));
        assert_eq!(["1.2", "01.60.000", "01.59.1000", "a.b.c"].map(time_of), [None; 4]);
    }

    #[test]
    fn rows_of_the_laps_before_and_after_are_not_part_of_the_lap() {
        let lines = |positions: &[f64]| {
            let mut laps = Laps { position: Some(0), ..Laps::default() };
            let mut lines: Vec<f64> =
                positions.iter().filter_map(|share| laps.row(&[*share]).line).map(|line| line.time_s * HZ).collect();
            lines.extend(laps.end().map(|line| line.time_s * HZ));
            lines.iter().map(|row| row.round() as u32).collect::<Vec<_>>()
        };
        assert_eq!(lines(&[0.0, 0.5, 0.99]), [0, 3]);
        assert_eq!(lines(&[0.999, 0.001, 0.5, 0.99, 0.002]), [1, 4]);
        assert_eq!(lines(&[0.1, 0.5]), [0], "the lap is not complete");
        assert_eq!(lines(&[]), [] as [u32; 0]);
    }
}
