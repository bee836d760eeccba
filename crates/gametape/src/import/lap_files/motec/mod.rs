//! Importer for MoTeC logs: `.ld`, with the `.ldx` beside it.
//!
//! ```text
//! .ld   header ── event ── venue ── vehicle      names of driver, car, track
//!         └─▶ channel record ⇄ channel record …  name, unit, rate, type, scaling
//!                  └─▶ samples                    one array for each channel
//! .ldx  markers of the lines crossed, in XML; written after the .ld, and not always there
//! ```
//! Channels of the same rate and length share a stream, `50hz`: row i is at i / rate. Integers that are scaled become numbers of 8 bytes with
//! the value that MoTeC shows; everything else keeps its type. `motec.rest` has all other bytes of the file, and the samples whose value does
//! not lead back to their bytes. `motec.ldx` is the other file.

mod beacons;
mod channel;
mod head;
mod ldx;
mod values;

use std::collections::BTreeMap;
use std::ops::Range;

use gametape_format::{Channel, StreamId, StreamSpec};
use gametape_games::lap_file::{GAME, LapFileAbout};

use super::plan::{LapPlan, LapRows, Line, write_about};
use super::travel::Travel;
use super::{LapFileError, OF_SOURCE, ns};
use crate::import::error::ImportError;
use crate::import::kind::Kind;
use crate::import::out::{Out, add_stream_or_plain};
use crate::import::problems::{Problems, tell_foreign, tell_source};
use crate::import::rest::Rest;
use crate::import::source::{CHUNK_BYTES, chunks};
use crate::import::{Found, Importer, Source};
use channel::{LdChannel, read_channels};
use head::LdHead;
use values::{Column, Values};

pub(in crate::import) use head::is_motec;
pub(in crate::import) use ldx::markers as markers_of_ldx;

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " motec 1");

/// Most streams of channels. Channels of further rates and lengths are kept as bytes.
const MOST_STREAMS: usize = 64;

/// Names of channels with the speed, best first.
const SPEEDS: [&str; 7] =
    ["ground speed", "speed", "corr speed", "vehicle speed", "speed over ground", "gps speed", "drive speed"];

/// Rate of the rows of the stream `laps` if no channel has the speed.
const ROWS_WITHOUT_SPEED_HZ: u64 = 10;

/// Largest `.ldx` that is read.
const LARGEST_LDX: u64 = 1 << 20;

/// Reads MoTeC logs.
pub(in crate::import) struct MotecImporter;

impl Importer for MotecImporter {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let mut problems = Problems::default();
        let head = LdHead::read(source)?;
        let channels = read_channels(source, &head, &mut problems)?;
        let (groups, left_out) = groups_of(source, &channels, &mut problems)?;
        let ldx = source.beside("ldx", LARGEST_LDX)?;
        let (plan, speed) = plan_of(source, &channels, ldx.as_deref(), &mut problems)?;
        let lead_ns = plan.lead_ns();
        let lead = i64::try_from(lead_ns).unwrap_or_default();
        out.begin(head.start_utc_ns.and_then(|utc_ns| utc_ns.checked_sub(lead)))?;
        let length_m = plan.length_m().map(|metres| metres as f32);
        write_about(out, &LapFileAbout { length_m, ..head.about.clone() })?;

        let covered = groups.iter().flat_map(|group| &group.channels).filter(|(_, column)| column.is_invertible);
        let covered: Vec<Range<u64>> = covered.map(|(channel, _)| channel.samples.clone()).collect();
        let mut rest = Rest::new("motec.rest");
        for range in uncovered(covered, source.bytes) {
            rest.keep_stretch(out, 0, source, range)?;
        }
        if let Some(ldx) = &ldx {
            Rest::new("motec.ldx").keep(out, 0, ldx, 0)?;
        }
        for channel in left_out {
            problems.add(format!("channel {:?} cannot be read as rows: its bytes are kept", channel.name));
        }
        let mut frames = 0;
        for group in &groups {
            frames += group.write(source, lead_ns, out, &mut problems, progress)?;
        }
        write_laps(source, plan, speed.as_ref(), &channels, out)?;
        tell_source(out, source, Kind::Motec, IMPORTER, OF_SOURCE, &problems)?;
        tell_foreign(out, source)?;
        for (key, value) in [("comment", &head.comment), ("device", &head.device), ("event", &head.event)] {
            value.iter().try_for_each(|value| out.metadata(key, value))?;
        }
        Ok(Found { frames, problems: problems.list() })
    }
}

/// Channels that share a stream.
struct Group {
    name: String,
    hz: u64,
    count: u64,
    channels: Vec<(LdChannel, Column)>,
}

/// Sorts channels into streams. Also returns the channels that cannot be rows.
fn groups_of<'a>(
    source: &Source,
    channels: &'a [LdChannel],
    problems: &mut Problems,
) -> Result<(Vec<Group>, Vec<&'a LdChannel>), ImportError> {
    let mut groups: BTreeMap<(u64, std::cmp::Reverse<u64>), Group> = BTreeMap::new();
    let mut left_out = Vec::new();
    for channel in channels {
        let Some(mut column) = Column::of(channel) else {
            left_out.push(channel);
            continue;
        };
        if channel.count == 0 {
            continue;
        }
        let key = (channel.hz, std::cmp::Reverse(channel.count));
        if !groups.contains_key(&key) && groups.len() >= MOST_STREAMS {
            left_out.push(channel);
            continue;
        }
        if !column.has_usable_scale {
            problems.add(format!("channel {:?} has an impossible scaling: its raw values are kept", channel.name));
        }
        column.check(source, channel)?;
        let same_rate = groups.keys().filter(|(hz, _)| *hz == channel.hz).count();
        let group = groups.entry(key).or_insert_with(|| Group {
            name: if same_rate == 0 {
                format!("{}hz", channel.hz)
            } else {
                format!("{}hz-{}", channel.hz, same_rate + 1)
            },
            hz: channel.hz,
            count: channel.count,
            channels: Vec::new(),
        });
        group.channels.push((channel.clone(), column));
    }
    Ok((groups.into_values().collect(), left_out))
}

impl Group {
    /// Writes the rows. Returns their number.
    fn write(
        &self,
        source: &Source,
        lead_ns: u64,
        out: &mut dyn Out,
        problems: &mut Problems,
        progress: &mut dyn FnMut(u64),
    ) -> Result<u64, ImportError> {
        let (mut table, mut row_bytes) = (Vec::new(), 0u32);
        for (channel, column) in &self.channels {
            table.push(Channel::new(channel.name.as_str(), column.kind, row_bytes, 1, channel.unit.as_str()));
            row_bytes += column.kind.width() as u32;
        }
        let spec = StreamSpec {
            game: GAME.id.into(),
            transport: "file".into(),
            layout: format!("motec-{}-{row_bytes}", self.name),
            ..StreamSpec::columns(self.name.as_str(), row_bytes, table)
        };
        let stream: StreamId = add_stream_or_plain(out, spec, &mut |problem| problems.add(problem))?;
        let width = row_bytes.max(1) as usize;
        let most = (CHUNK_BYTES / u64::from(row_bytes.max(1))).clamp(1, 4096);
        let mut rows = Vec::new();
        let mut from = 0;
        while from < self.count {
            let until = self.count.min(from + most);
            rows.clear();
            rows.resize((until - from) as usize * width, 0);
            let mut at = 0;
            for (channel, column) in &self.channels {
                let raw = source.read(&channel.range(from..until))?;
                column.fill(channel, &raw, &mut rows, at, width);
                at += column.kind.width();
            }
            let offset = self.channels.first().map_or(0, |(channel, _)| channel.range(from..until).start);
            for (row, number) in rows.chunks_exact(width).zip(from..) {
                out.append(stream, time_of(number, self.hz).saturating_add(lead_ns), row, offset)?;
            }
            progress(offset);
            from = until;
        }
        Ok(self.count)
    }
}

/// Returns the time of a sample.
fn time_of(number: u64, hz: u64) -> u64 {
    let ns = u128::from(number) * 1_000_000_000 / u128::from(hz.max(1));
    u64::try_from(ns).unwrap_or(u64::MAX)
}

/// Returns the ranges of the file that are not covered.
fn uncovered(mut covered: Vec<Range<u64>>, bytes: u64) -> Vec<Range<u64>> {
    covered.sort_by_key(|range| range.start);
    let (mut rest, mut at) = (Vec::new(), 0);
    for range in covered.into_iter().chain(std::iter::once(bytes..bytes)) {
        if at < range.start.min(bytes) {
            rest.push(at..range.start.min(bytes));
        }
        at = at.max(range.end);
    }
    rest
}

/// Finds the line crossings, and the channel with the speed.
fn plan_of(
    source: &Source,
    channels: &[LdChannel],
    ldx: Option<&[u8]>,
    problems: &mut Problems,
) -> Result<(LapPlan, Option<LdChannel>), ImportError> {
    let end_ns = channels.iter().map(|channel| time_of(channel.count, channel.hz)).max().unwrap_or_default();
    let mut lines = Vec::new();
    if let Some(ldx) = ldx {
        let found = ldx::markers(ldx);
        let within: Vec<u64> = found.iter().copied().filter(|at_ns| *at_ns <= end_ns).collect();
        match within.len() == found.len() {
            true if found.is_empty() => problems_of_ldx(ldx, problems),
            true => lines = within.into_iter().map(|at_ns| (at_ns, true)).collect(),
            false => problems.add("the .ldx has markers after the end of the .ld: it is of another log and is ignored"),
        }
    }
    if lines.is_empty() {
        lines = beacons::lines(source, channels)?;
    }
    let speed = speed_channel(channels).cloned();
    let mut plan = LapPlan::default();
    let mut lines = lines.into_iter().peekable();
    if let Some(speed) = &speed {
        // The distance at each line, interpolated between the samples around it.
        let mut travel = Travel::default();
        let mut before: Option<(u64, Option<f64>)> = None;
        let mut values = Values::new(source, speed);
        while let Some((number, metres_per_s)) = values.next()? {
            let time_ns = time_of(number, speed.hz);
            let distance_m =
                travel.step(time_ns as f64 / 1e9, metres_per_s.map(|value| value * speed_factor(speed)), None);
            while let Some((at_ns, is_exact)) = lines.next_if(|(at_ns, _)| *at_ns <= time_ns) {
                let (from_ns, from_m) = before.unwrap_or((time_ns, distance_m));
                let part = at_ns.saturating_sub(from_ns) as f64 / time_ns.saturating_sub(from_ns).max(1) as f64;
                let distance_m = from_m.zip(distance_m).map(|(from, to)| from + (to - from) * part.min(1.0));
                plan.line(Line { time_ns: at_ns, distance_m, is_exact });
            }
            before = Some((time_ns, distance_m));
        }
    }
    for (time_ns, is_exact) in lines {
        plan.line(Line { time_ns, distance_m: None, is_exact });
    }
    if plan.left_out > 0 {
        problems.add(format!("{} line crossings are not after the one before them: they are left out", plan.left_out));
    }
    Ok((plan, speed))
}

fn problems_of_ldx(ldx: &[u8], problems: &mut Problems) {
    if !ldx::is_ldx(ldx) {
        problems.add("the file beside it is not an .ldx file: it is kept as bytes");
    }
}

/// Returns the best channel with the speed.
fn speed_channel(channels: &[LdChannel]) -> Option<&LdChannel> {
    let usable = |channel: &&LdChannel| channel.hz > 0 && channel.count > 0 && Column::of(channel).is_some();
    let named = |name: &str| {
        let fits = |channel: &&LdChannel| channel.name.to_lowercase() == name && speed_factor(channel) > 0.0;
        channels.iter().filter(usable).find(fits)
    };
    SPEEDS.into_iter().find_map(named)
}

/// Returns the factor that converts values of a speed channel to m/s; 0 if its unit is unknown.
fn speed_factor(channel: &LdChannel) -> f64 {
    match channel.unit.to_lowercase().as_str() {
        "km/h" | "kmh" | "kph" => 1.0 / 3.6,
        "m/s" => 1.0,
        "mph" => 0.447_04,
        _ => 0.0,
    }
}

/// Writes the stream `laps`: a row for each sample of the speed.
fn write_laps(
    source: &Source,
    plan: LapPlan,
    speed: Option<&LdChannel>,
    channels: &[LdChannel],
    out: &mut dyn Out,
) -> Result<(), ImportError> {
    let mut laps = LapRows::begin(out, plan)?;
    match speed {
        Some(speed) => {
            let (mut travel, mut values) = (Travel::default(), Values::new(source, speed));
            while let Some((number, metres_per_s)) = values.next()? {
                let time_ns = time_of(number, speed.hz);
                let metres_per_s = metres_per_s.map(|value| value * speed_factor(speed));
                let distance_m = travel.step(time_ns as f64 / 1e9, metres_per_s, None);
                laps.row(out, time_ns, distance_m, None, speed.samples.start)?;
            }
        }
        None => {
            let end_ns = channels.iter().map(|channel| time_of(channel.count, channel.hz)).max().unwrap_or_default();
            let most = ns(86_400.0).min(end_ns);
            let rows = most / (1_000_000_000 / ROWS_WITHOUT_SPEED_HZ);
            for number in 0..rows.min(source.bytes) {
                laps.row(out, time_of(number, ROWS_WITHOUT_SPEED_HZ), None, None, 0)?;
            }
        }
    }
    laps.finish(out, source.bytes)
}

/// Returns the text up to the first NUL, without spaces around it; `None` if there is none.
fn text_of(bytes: &[u8]) -> Option<String> {
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
    let text = gametape_games::windows_1252_text(text);
    let text: String = text.chars().filter(|letter| !letter.is_control()).collect();
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// Reads a range that may lie outside of the file; `None` if it does.
fn read_within(source: &Source, range: Range<u64>) -> Result<Option<Vec<u8>>, ImportError> {
    match range.start <= range.end && range.end <= source.bytes {
        true => source.read(&range).map(Some),
        false => Ok(None),
    }
}

/// The error for a header that ends too soon.
fn incomplete() -> ImportError {
    LapFileError::Head { what: "the header of a MoTeC log has 1762 bytes" }.into()
}

/// Splits the samples of a channel into ranges that fit into memory.
fn pieces(samples: &Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
    // A piece ends between samples: all sizes divide its length.
    chunks(samples.clone())
}
