//! The size of pages of the race, stored as they are by the peers, and as streams by part in a tape.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use gametape::games::{Stream, le_mans_ultimate};
use gametape::layout::stream_of_layout;
use gametape::tape::SectionPages;
use gametape_format::StreamSpec;
use gametape_format::read::Tape;
use gametape_simulator::{Race, RaceSettings, STEP_MS};

use super::{PAGE_BYTES, PART_SIZE as PART};
use crate::data::{DataSet, StreamShape};
use crate::laps::figures::Figure;
use crate::peers;

/// The least factor to MCAP with zstd.
const LEAST_FACTOR: f64 = 2.5;
/// The cars have spread over the track by then.
const STEPS_BEFORE: u64 = 3000;
/// The methods that store pages as they are.
const PAGE_METHODS: [&str; 2] = ["zstd3-stream", "mcap-zstd"];
/// Offset of an `f32` in the page, for the one-channel test of the peers, which is not run here.
const SOME_FLOAT: usize = 68;

/// Generates pages, one for each step.
fn generate(cars: usize, seconds: u64, is_double: bool) -> DataSet {
    let mut race = Race::new(RaceSettings { cars, is_double, ..RaceSettings::default() });
    let mut page = vec![0; PAGE_BYTES];
    let steps = seconds * 1000 / STEP_MS;
    let mut rows = Vec::with_capacity(PAGE_BYTES * steps as usize);
    for step in 0..STEPS_BEFORE + steps {
        race.step();
        race.write_lmu(&mut page);
        if step >= STEPS_BEFORE {
            rows.extend_from_slice(&page);
        }
    }
    let stream = StreamShape { name: "page".into(), row_bytes: PAGE_BYTES, fields: Vec::new() };
    DataSet::of_one_stream("lmu", stream, SOME_FLOAT, rows, 1000 / STEP_MS)
}

/// Describes the stream of a part, as a recorder does.
fn spec(stream: &Stream, bytes: usize) -> Result<StreamSpec> {
    let id = le_mans_ultimate::GAME.id;
    let spec = match stream.layout_of(u32::try_from(bytes)?) {
        Some(layout) => stream_of_layout(id, stream.name, "shm", layout),
        None => StreamSpec { game: id.into(), transport: "shm".into(), ..StreamSpec::rows(stream.name) },
    };
    Ok(StreamSpec { skip_unchanged: true, ..spec })
}

/// Stores the pages as streams by part, puts them together again, and returns the size of the tape.
fn tape_bytes(set: &DataSet, files: &Path) -> Result<u64> {
    let directory = tempfile::tempdir_in(files)?;
    let path = directory.path().join("lmu.gtape");
    let mut builder = peers::gametape::builder(&path)?;
    let mut streams = Vec::new();
    for stream in le_mans_ultimate::GAME.streams {
        let part = stream.part().context("a stream that is not a part")?;
        streams.push((builder.add_stream(spec(stream, part.bytes)?, 0)?, part, Vec::new()));
    }
    for place in &set.order {
        let (time_ns, page) = set.frame(*place).context("no such page")?;
        for (id, part, last) in &mut streams {
            let frame = page.get(part.offset..part.offset + part.bytes).context("a short page")?;
            if last != frame {
                builder.append(*id, time_ns, frame)?;
                frame.clone_into(last);
            }
        }
    }
    builder.finish()?;
    let tape = Tape::open(&path)?;
    let mut pages = SectionPages::open(&tape, le_mans_ultimate::SECTION).context("no parts")?;
    for place in &set.order {
        let (time_ns, page) = pages.next()?.context("too few pages")?;
        ensure!(set.frame(*place) == Some((time_ns, page)), "the tape gives other pages back");
    }
    ensure!(pages.next()?.is_none(), "too many pages");
    Ok(std::fs::metadata(&path)?.len())
}

/// Measures the sizes. Every method must give back what it was given.
pub(super) fn measure(cars: usize, seconds: u64, is_double: bool, files: &Path) -> Result<Vec<Figure>> {
    let set = generate(cars, seconds, is_double);
    let raw = set.raw_bytes() as f64;
    let what = if is_double { ", all doubles" } else { "" };
    let mb = |name: &str, bytes: f64| Figure::new(PART, format!("{name}{what}"), bytes / 1e6, "MB").digits(2);
    let mut figures = vec![Figure::count(PART, format!("pages of {cars} cars{what}"), set.order.len()), mb("raw", raw)];
    let own = tape_bytes(&set, files)? as f64;
    for name in PAGE_METHODS {
        let Some(peer) = peers::ALL.iter().find(|peer| peer.name() == name) else {
            eprintln!("{name} is left out: built without the feature `peers`");
            continue;
        };
        let bytes = peers::stored_bytes(*peer, &set, files)? as f64;
        figures.push(mb(name, bytes));
        figures.push(Figure::new(PART, "  raw / it", raw / bytes, "").digits(2));
        let factor = Figure::new(PART, format!("  {name} / gametape{what}"), bytes / own, "").digits(2);
        let is_promised = name == "mcap-zstd" && !is_double;
        figures.push(if is_promised { factor.at_least(LEAST_FACTOR) } else { factor });
    }
    figures.push(mb("gametape", own));
    figures.push(Figure::new(PART, "  raw / it", raw / own, "").digits(2));
    Ok(figures)
}
