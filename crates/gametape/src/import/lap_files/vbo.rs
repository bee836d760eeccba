//! Importer for `.vbo` files of Racelogic loggers.
//!
//! ```text
//! File created on 31/07/2006 at 09:55:20
//! [laptiming]
//! Start  +05898.49 +03119.09 +05898.50 +03119.10     longitude and latitude of both ends of the line
//! [column names]
//! sats time lat long velocity heading height …
//! [data]
//! 137 162235.40 +3119.09973 +00058.49277 000.140 …
//! ```
//! `time` is HHMMSS.ss in UTC and passes midnight. Longitudes are positive to the west. Positions are packed degrees and minutes, or minutes
//! alone: that is decided for the whole file. A lap begins where the car crosses the start line of `[laptiming]`.

use gametape_games::lap_file::LapFileAbout;

use super::lines::TextLines;
use super::table::{
    CellRows, ColumnHead, LineStep, MOST_COLUMNS, Separator, Step, Table, TableLaps, TableRows, cell, read_table,
};
use super::travel::{Place, Travel, crossing};
use super::{LapFileError, OF_SOURCE};
use crate::import::error::ImportError;
use crate::import::kind::Kind;
use crate::import::out::Out;
use crate::import::problems::Problems;
use crate::import::{Found, Importer, Source};

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " vbo 1");

/// Most lines of the head.
const MOST_HEAD_LINES: usize = 10_000;
/// Rows that are examined to tell how positions are written.
const MOST_EXAMINED: usize = 5_000;
/// Shortest time between two line crossings.
const SHORTEST_LAP_S: f64 = 10.0;

/// Returns whether a file begins like one of these.
pub(in crate::import) fn is_vbo(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    start.starts_with(b"File created on ")
}

/// Reads `.vbo` files.
pub(in crate::import) struct VboImporter;

struct Head {
    /// UTC midnight before the first row, by the date of the file.
    midnight_s: Option<i64>,
    columns: Vec<ColumnHead>,
    /// The numbers of the start line: longitude, latitude, longitude, latitude, as the file writes them.
    start_line: Option<[f64; 4]>,
    data: u64,
}

impl Importer for VboImporter {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let Head { midnight_s, columns, start_line, data } = read_head(source)?;
        let count = columns.len();
        let at = Columns::of(&columns);
        let is_packed = is_packed(source, data, count, at)?;
        let line = start_line.map(|[a_long, a_lat, b_long, b_lat]| {
            let place = |lat: f64, long: f64| (degrees(lat, is_packed), -degrees(long, is_packed));
            (place(a_lat, a_long), place(b_lat, b_long))
        });
        let utc_ns = |first_s: f64| {
            let ns = (first_s * 1e3).round() as i64;
            midnight_s?.checked_mul(1_000)?.checked_add(ns)?.checked_mul(1_000_000)
        };
        let about = LapFileAbout { format: Some("Racelogic .vbo".to_owned()), ..LapFileAbout::default() };
        // Times and positions are converted; the text has what the file wrote.
        let rows = || -> Box<dyn TableRows + '_> {
            let rows = CellRows::new(source, data, Separator::Space, count);
            Box::new(Converted { rows, at, is_packed, cells: Vec::new(), day_s: 0.0, last_s: None })
        };
        let table = Table {
            kind: Kind::Vbo,
            importer: IMPORTER,
            time_source: OF_SOURCE,
            stream: "vbo",
            text: "vbo.text",
            columns,
            about,
            utc_ns: &utc_ns,
            rows: &rows,
            laps: &|| Box::new(Laps { at, line, travel: Travel::default(), last: None, last_line_s: None }),
            problems: Problems::default(),
        };
        read_table(source, table, out, progress)
    }
}

fn read_head(source: &Source) -> Result<Head, ImportError> {
    let mut lines = TextLines::new(source, 0);
    let mut head = Head { midnight_s: None, columns: Vec::new(), start_line: None, data: 0 };
    let (mut section, mut units, mut long_names) = (String::new(), Vec::new(), Vec::new());
    for number in 0..MOST_HEAD_LINES {
        let Some(line) = lines.next()? else { break };
        let text = line.text.trim();
        if number == 0 {
            head.midnight_s = midnight(text);
        }
        if let Some(name) = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')) {
            section = name.trim().to_lowercase();
            if section == "data" {
                name_columns(&mut head.columns, &long_names, &units);
                head.data = lines.offset();
                let is_usable = !head.columns.is_empty() && head.columns.len() <= MOST_COLUMNS;
                return match is_usable {
                    true => Ok(head),
                    false => Err(LapFileError::Head { what: "it has no columns, or more than 2000" }.into()),
                };
            }
            continue;
        }
        match section.as_str() {
            "header" if !text.is_empty() && long_names.len() < MOST_COLUMNS => long_names.push(text.to_owned()),
            "channel units" => {
                let room = MOST_COLUMNS.saturating_sub(units.len());
                units.extend(text.split_ascii_whitespace().take(room).map(str::to_owned));
            }
            "laptiming" => head.start_line = head.start_line.or_else(|| start_line(text)),
            "column names" => {
                let name =
                    |name: &str| ColumnHead { name: name.to_owned(), source: String::new(), unit: String::new() };
                let room = (MOST_COLUMNS + 1).saturating_sub(head.columns.len());
                head.columns.extend(text.split_ascii_whitespace().take(room).map(name));
            }
            _ => {}
        }
    }
    Err(LapFileError::Head { what: "there is no section [data]" }.into())
}

/// Parses `Start lon lat lon lat …`.
fn start_line(text: &str) -> Option<[f64; 4]> {
    let mut words = text.split_ascii_whitespace();
    if !words.next()?.eq_ignore_ascii_case("start") {
        return None;
    }
    let numbers: Vec<f64> = words.take(4).filter_map(|word| word.parse().ok()).collect();
    numbers.try_into().ok().filter(|numbers: &[f64; 4]| numbers.iter().all(|number| number.is_finite()))
}

/// Gives each column its unit. Short names of built-in columns have fixed units; the list of units covers the others, or all of them.
fn name_columns(columns: &mut [ColumnHead], long_names: &[String], units: &[String]) {
    let built_in = |name: &str| match name {
        "velocity" => Some("km/h"),
        "heading" => Some("deg"),
        "height" => Some("m"),
        "lat" | "long" => Some("deg"),
        "time" => Some("s"),
        "sats" => Some(""),
        _ => None,
    };
    let others = columns.iter().filter(|column| built_in(&column.name).is_none()).count();
    let covers_all = units.len() == columns.len();
    let mut units_of_others = units.iter().skip(units.len().saturating_sub(others));
    for (at, column) in columns.iter_mut().enumerate() {
        column.unit = match built_in(&column.name) {
            Some(unit) => unit.to_owned(),
            None if covers_all => units.get(at).cloned().unwrap_or_default(),
            None => units_of_others.next().cloned().unwrap_or_default(),
        };
        if column.name == "vertvel" && long_names.iter().any(|name| name.ends_with("kmh")) {
            column.unit = "km/h".to_owned();
        }
    }
}

/// Returns UTC midnight of `File created on dd/mm/yyyy at …`, in seconds since 1970.
fn midnight(text: &str) -> Option<i64> {
    let date = text.split_ascii_whitespace().nth(3)?;
    let mut parts = date.split('/').map(|part| part.parse::<i16>().ok());
    let (day, month, year) = (parts.next()??, parts.next()??, parts.next()??);
    let date = jiff::civil::Date::new(year, i8::try_from(month).ok()?, i8::try_from(day).ok()?).ok()?;
    Some(date.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp().as_second())
}

/// Converts a position to degrees: from DDDMM.MMMMM, or from minutes.
fn degrees(value: f64, is_packed: bool) -> f64 {
    match is_packed {
        true => {
            let whole = (value / 100.0).trunc();
            whole + (value - whole * 100.0) / 60.0
        }
        false => value / 60.0,
    }
}

/// Decides how positions are written: two digits of minutes that are 60 or more, or degrees out of range, are total minutes.
fn is_packed(source: &Source, data: u64, columns: usize, at: Columns) -> Result<bool, ImportError> {
    let mut rows = CellRows::new(source, data, Separator::Space, columns);
    let (mut packed, mut minutes) = (0u32, 0u32);
    for _ in 0..MOST_EXAMINED {
        let Some((_, cells)) = rows.next()? else { break };
        let Some((lat, long)) = cell(cells, at.latitude).zip(cell(cells, at.longitude)) else { continue };
        if (lat, long) == (0.0, 0.0) {
            continue;
        }
        let fits = |value: f64, most: f64| {
            let (value, most) = (value.abs(), most);
            value % 100.0 < 60.0 && value / 100.0 <= most
        };
        if fits(lat, 90.0) && fits(long, 180.0) { packed += 1 } else { minutes += 1 }
    }
    Ok(minutes <= packed)
}

/// Where the columns are that laps need.
#[derive(Debug, Clone, Copy)]
struct Columns {
    time: Option<usize>,
    latitude: Option<usize>,
    longitude: Option<usize>,
    velocity: Option<usize>,
}

impl Columns {
    fn of(columns: &[ColumnHead]) -> Self {
        let at = |name: &str| columns.iter().position(|column| column.name.eq_ignore_ascii_case(name));
        Self { time: at("time"), latitude: at("lat"), longitude: at("long"), velocity: at("velocity") }
    }
}

/// Rows with times in seconds and positions in degrees, north and east positive.
struct Converted<'a> {
    rows: CellRows<'a>,
    at: Columns,
    is_packed: bool,
    cells: Vec<f64>,
    day_s: f64,
    last_s: Option<f64>,
}

/// Converts HHMMSS.ss to seconds.
fn time_of_day(value: f64) -> f64 {
    let (hours, minutes) = ((value / 10_000.0).trunc(), (value / 100.0).trunc() % 100.0);
    // Loggers write hundredths or thousandths; the remainder of such a number is not exact.
    let seconds = (value % 100.0 * 1e6).round() / 1e6;
    hours * 3_600.0 + minutes * 60.0 + seconds
}

impl TableRows for Converted<'_> {
    fn next(&mut self) -> Result<Option<(u64, &[f64])>, ImportError> {
        const DAY_S: f64 = 86_400.0;
        let Some((offset, cells)) = self.rows.next()? else { return Ok(None) };
        self.cells.clear();
        self.cells.extend_from_slice(cells);
        let mut convert = |column: Option<usize>, by: &mut dyn FnMut(f64) -> f64| {
            if let Some(cell) = column.and_then(|column| self.cells.get_mut(column)) {
                *cell = by(*cell);
            }
        };
        let (day_s, last_s) = (&mut self.day_s, &mut self.last_s);
        convert(self.at.time, &mut |value| {
            let time_s = time_of_day(value);
            if last_s.is_some_and(|last| time_s < last - DAY_S / 2.0) {
                *day_s += DAY_S;
            }
            if time_s.is_finite() {
                *last_s = Some(time_s);
            }
            time_s + *day_s
        });
        let is_packed = self.is_packed;
        convert(self.at.latitude, &mut |value| degrees(value, is_packed));
        convert(self.at.longitude, &mut |value| -degrees(value, is_packed));
        Ok(Some((offset, &self.cells)))
    }

    fn problems(&self) -> Vec<String> {
        self.rows.problems()
    }
}

struct Laps {
    at: Columns,
    line: Option<(Place, Place)>,
    travel: Travel,
    /// Time, place and distance of the row before.
    last: Option<(f64, Place, f64)>,
    last_line_s: Option<f64>,
}

impl TableLaps for Laps {
    fn row(&mut self, cells: &[f64]) -> Step {
        let value = |column| cell(cells, column);
        let time_s = value(self.at.time);
        let place = value(self.at.latitude).zip(value(self.at.longitude)).filter(|place| *place != (0.0, 0.0));
        let speed = value(self.at.velocity).map(|kmh| kmh / 3.6);
        let distance_m = time_s.and_then(|time_s| self.travel.step(time_s, speed, place));
        let mut line = None;
        if let Some(((time_s, place), distance_m)) = time_s.zip(place).zip(distance_m) {
            if let Some(((from_s, from, from_m), ends)) = self.last.zip(self.line)
                && let Some(part) = crossing(from, place, ends)
            {
                let cross_s = from_s + (time_s - from_s) * part;
                if self.last_line_s.is_none_or(|last| cross_s - last >= SHORTEST_LAP_S) {
                    self.last_line_s = Some(cross_s);
                    let distance_m = Some(from_m + (distance_m - from_m) * part);
                    line = Some(LineStep { time_s: cross_s, distance_m, is_exact: true });
                }
            }
            self.last = Some((time_s, place, distance_m));
        }
        Step { time_s, distance_m, position: None, line }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_are_packed_or_minutes() {
        assert!((degrees(3_119.099_73, true) - 31.318_328_8).abs() < 1e-6);
        assert!((degrees(-3_119.099_73, true) + 31.318_328_8).abs() < 1e-6);
        assert!((degrees(1_879.099_73, false) - 31.318_328_8).abs() < 1e-6);
        let at = Columns { time: None, latitude: Some(0), longitude: Some(1), velocity: None };
        let packed = |text: &str| is_packed(&Source::of_bytes("v", text.as_bytes().to_vec()), 0, 2, at).unwrap();
        assert!(packed("+3119.09 +00058.49\n"));
        assert!(!packed("+3181.09 +00058.49\n+3182.09 +00058.49\n"), "81 minutes");
        assert!(!packed("+3119.09 +18958.49\n"), "189 degrees");
        assert!(packed("+0000.00 +00000.00\n"), "no fix");
    }

    #[test]
    fn times_pass_midnight_and_the_date_is_that_of_the_file() {
        assert_eq!(time_of_day(162_235.40), 16.0 * 3_600.0 + 22.0 * 60.0 + 35.4);
        assert_eq!(midnight("File created on 31/07/2006 at 09:55:20"), Some(1_154_304_000));
        assert_eq!(midnight("File created on 31/13/2006"), None);
        let source = Source::of_bytes("v", b"235959.90\n000000.10\n".to_vec());
        let at = Columns { time: Some(0), latitude: None, longitude: None, velocity: None };
        let rows = CellRows::new(&source, 0, Separator::Space, 1);
        let mut rows = Converted { rows, at, is_packed: true, cells: Vec::new(), day_s: 0.0, last_s: None };
        let first = rows.next().unwrap().unwrap().1[0];
        let second = rows.next().unwrap().unwrap().1[0];
        assert!((second - first - 0.2).abs() < 1e-6, "{first} {second}");
    }

    #[test]
    fn the_start_line_has_four_numbers() {
        assert_eq!(start_line("Start  +00058.4 +3119.0 +00058.5 +3119.1 ¬ name"), Some([58.4, 3119.0, 58.5, 3119.1]));
        assert_eq!(start_line("Split  +1 +2 +3 +4"), None);
        assert_eq!(start_line("Start +1 +2 x"), None);
    }
}
