//! Importer for GPX 1.1: track points with times. GPX has no laps; the tape has the way of the car and its speed.

use gametape_games::lap_file::LapFileAbout;

use super::OF_SOURCE;
use super::table::{ColumnHead, Step, Table, TableLaps, TableRows, cell, read_table};
use super::travel::Travel;
use super::xml::{Part, attribute, parts, plain};
use crate::import::error::ImportError;
use crate::import::kind::Kind;
use crate::import::out::Out;
use crate::import::problems::Problems;
use crate::import::source::CHUNK_BYTES;
use crate::import::{Found, Importer, Source};

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " gpx 1");

/// Longest tag or text that is read. If there is a longer one, reading ends.
const LONGEST_PART: usize = 1 << 20;

/// Bytes that are examined for the name of the track.
const HEAD_BYTES: u64 = 64 << 10;

/// The columns: time, latitude, longitude, elevation, speed.
const COLUMNS: [(&str, &str); 5] =
    [("time", "s"), ("latitude", "deg"), ("longitude", "deg"), ("altitude", "m"), ("speed", "m/s")];

/// Returns whether a file begins like GPX.
pub(in crate::import) fn is_gpx(start: &[u8]) -> bool {
    let start = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    let is_tag = |window: &[u8]| matches!(window.strip_prefix(b"<gpx"), Some([b' ' | b'\t' | b'\r' | b'\n' | b'>']));
    start.trim_ascii_start().starts_with(b"<") && start.windows(5).any(is_tag)
}

/// Reads GPX files.
pub(in crate::import) struct GpxImporter;

impl Importer for GpxImporter {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let head = source.read(&(0..source.bytes.min(HEAD_BYTES)))?;
        let column = |(name, unit): (&str, &str)| ColumnHead {
            name: name.to_owned(),
            source: String::new(),
            unit: unit.to_owned(),
        };
        let about = LapFileAbout {
            format: Some("GPX".to_owned()),
            session: name_of(&String::from_utf8_lossy(&head)),
            ..LapFileAbout::default()
        };
        let table = Table {
            kind: Kind::Gpx,
            importer: IMPORTER,
            time_source: OF_SOURCE,
            stream: "gpx",
            text: "gpx.text",
            columns: COLUMNS.into_iter().map(column).collect(),
            about,
            utc_ns: &|first_s| ((first_s * 1e3).round() as i64).checked_mul(1_000_000),
            rows: &|| Box::new(Points::new(source)),
            laps: &|| Box::new(NoLines(Travel::default())),
            problems: Problems::default(),
        };
        read_table(source, table, out, progress)
    }
}

/// Returns the name of the first track.
fn name_of(text: &str) -> Option<String> {
    let (parts, _) = parts(text);
    let mut parts = parts.into_iter().skip_while(|part| !matches!(part, Part::Open { name: "trk", .. }));
    parts.find(|part| matches!(part, Part::Open { name: "name" | "trkpt", .. }))?;
    match parts.next()? {
        Part::Text(name) => Some(plain(name.trim())).filter(|name| !name.is_empty()),
        _ => None,
    }
}

/// Reads track points, in pieces.
struct Points<'a> {
    source: &'a Source,
    /// Offset of the text that is held.
    offset: u64,
    /// Offset of the next piece.
    next: u64,
    /// Bytes that are not parsed yet.
    rest: Vec<u8>,
    ready: std::collections::VecDeque<(u64, [f64; 5])>,
    point: Option<[f64; 5]>,
    element: Element,
    last: [f64; 5],
    without_place: u64,
    is_cut: bool,
}

/// The element of a track point whose text comes next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    Elevation,
    Time,
    Speed,
    Other,
}

impl<'a> Points<'a> {
    fn new(source: &'a Source) -> Self {
        Self {
            source,
            offset: 0,
            next: 0,
            rest: Vec::new(),
            ready: std::collections::VecDeque::new(),
            point: None,
            element: Element::Other,
            last: [f64::NAN; 5],
            without_place: 0,
            is_cut: false,
        }
    }

    /// Reads and parses the next piece. Returns `false` at the end.
    fn read_on(&mut self) -> Result<bool, ImportError> {
        let end = self.source.bytes.min(self.next.saturating_add(CHUNK_BYTES));
        if self.next >= end || self.is_cut {
            self.is_cut |= self.point.is_some();
            return Ok(false);
        }
        self.rest.extend(self.source.read(&(self.next..end))?);
        self.next = end;
        let text = String::from_utf8_lossy(&self.rest).into_owned();
        // If bytes were replaced, positions in the text are not those of the file: keep pieces whole then.
        let (found, mut length) = parts(&text);
        let offset = self.offset;
        for part in found {
            self.take(&part, offset);
        }
        if text.len() != self.rest.len() {
            length = self.rest.iter().rposition(|byte| *byte == b'<').unwrap_or(self.rest.len());
        }
        self.rest.drain(..length.min(self.rest.len()));
        self.offset = self.next.saturating_sub(self.rest.len() as u64);
        self.is_cut |= self.rest.len() > LONGEST_PART;
        Ok(true)
    }

    fn take(&mut self, part: &Part<'_>, offset: u64) {
        match part {
            Part::Open { name: "trkpt", attributes, is_empty } => {
                let number = |name: &str, most: f64| {
                    let value = attribute(attributes, name).and_then(|value| value.trim().parse::<f64>().ok());
                    value.filter(|value| value.abs() <= most).unwrap_or(f64::NAN)
                };
                let [lat, lon] = [number("lat", 90.0), number("lon", 180.0)];
                self.point = Some([f64::NAN, lat, lon, f64::NAN, f64::NAN]);
                if *is_empty {
                    self.end_point(offset);
                }
            }
            Part::Open { name, is_empty: false, .. } => {
                self.element = match *name {
                    "ele" => Element::Elevation,
                    "time" => Element::Time,
                    "speed" => Element::Speed,
                    _ => Element::Other,
                };
            }
            Part::Open { .. } => {}
            Part::Text(text) => {
                let at = match self.element {
                    Element::Elevation => 3,
                    Element::Time => 0,
                    Element::Speed => 4,
                    Element::Other => return,
                };
                let value = match at {
                    0 => text.trim().parse::<jiff::Timestamp>().ok().map(|time| time.as_millisecond() as f64 / 1e3),
                    _ => text.trim().parse::<f64>().ok().filter(|value| value.is_finite()),
                };
                if let (Some(value), Some(cell)) = (value, self.point.as_mut().and_then(|point| point.get_mut(at))) {
                    *cell = value;
                }
            }
            Part::Close { name: "trkpt" } => self.end_point(offset),
            Part::Close { .. } => self.element = Element::Other,
        }
    }

    fn end_point(&mut self, offset: u64) {
        self.element = Element::Other;
        match self.point.take() {
            Some(point) if point.iter().skip(1).take(2).all(|value| value.is_finite()) => {
                self.ready.push_back((offset, point));
            }
            Some(_) => self.without_place += 1,
            None => {}
        }
    }
}

impl TableRows for Points<'_> {
    fn next(&mut self) -> Result<Option<(u64, &[f64])>, ImportError> {
        loop {
            if let Some((offset, point)) = self.ready.pop_front() {
                self.last = point;
                return Ok(Some((offset, &self.last)));
            }
            if !self.read_on()? {
                return Ok(None);
            }
        }
    }

    fn problems(&self) -> Vec<String> {
        let without = (self.without_place > 0).then(|| {
            format!("{} track points have no usable position: they are only in the stored text", self.without_place)
        });
        let cut = self.is_cut.then(|| "the file ends within a track point, or has a tag that is too long".to_owned());
        without.into_iter().chain(cut).collect()
    }
}

struct NoLines(Travel);

impl TableLaps for NoLines {
    fn row(&mut self, cells: &[f64]) -> Step {
        let value = |at| cell(cells, Some(at));
        let time_s = value(0);
        let distance_m = time_s.and_then(|time_s| self.0.step(time_s, value(4), value(1).zip(value(2))));
        Step { time_s, distance_m, ..Step::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = r#"<?xml version="1.0"?><gpx version="1.1"><trk><name>A &amp; B</name><trkseg>
        <trkpt lat="50.5" lon="8.25"><ele>210.5</ele><time>2026-05-04T10:00:00Z</time></trkpt>
        <trkpt lat="50.6" lon="8.26"><time>2026-05-04T10:00:01.5Z</time><extensions><x:speed>12.5</x:speed></extensions></trkpt>
        <trkpt lat="x" lon="8.26"/></trkseg></trk></gpx>"#;

    #[test]
    fn points_have_place_time_height_and_speed() {
        assert!(is_gpx(FILE.as_bytes()) && !is_gpx(b"lat,lon <gpx>"));
        assert_eq!(name_of(FILE).as_deref(), Some("A & B"));
        let source = Source::of_bytes("a.gpx", FILE.as_bytes().to_vec());
        let mut points = Points::new(&source);
        let first = points.next().unwrap().unwrap().1.to_vec();
        assert_eq!(first[1..4], [50.5, 8.25, 210.5]);
        let second = points.next().unwrap().unwrap().1.to_vec();
        assert_eq!((second[0] - first[0], second[4]), (1.5, 12.5));
        assert!(points.next().unwrap().is_none());
        assert_eq!(points.problems().len(), 1);
    }
}
