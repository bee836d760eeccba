//! How long the channels take that a page shows initially for a long tape: the simulated car at 100 Hz as a tape, then
//! minima and maxima over all of it, over a tenth, and over a minute.

use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context as _, Result};
use gametape::games::acc;
use gametape::layout::stream_of_layout;
use gametape_format::TapeId;
use gametape_format::read::Tape;
use gametape_format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape_simulator::{Script, Settings, Simulation};
use zerocopy::IntoBytes as _;

use crate::laps::figures::Figure;

const PART: &str = "overview";
const HZ: u32 = 100;
/// The channels that the page of a tape shows initially, and their resolution.
const SHOWN: [&str; 7] = ["speedKmh", "rpms", "gear", "gas", "brake", "steerAngle", "fuel"];
const POINTS: usize = 1200;
/// The limit for an interactive response.
const AT_ONCE_MS: f64 = 200.0;

/// Creates the tape and measures it.
pub(super) fn measure(hours: f64) -> Result<Vec<Figure>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("hours.gtape");
    let frames = make(&path, hours)?;
    let bytes = path.metadata()?.len();
    let length_ns = (hours * 3.6e12) as u64;
    let minute = length_ns / 2..length_ns / 2 + 60_000_000_000;
    let mut figures = vec![
        Figure::new(PART, "tape", hours, "h").digits(2),
        Figure::count(PART, "  frames of the stream", frames),
        Figure::new(PART, "  size", bytes as f64 / 1e6, "MB").digits(1),
        Figure::count(PART, "channels", SHOWN.len()),
    ];
    for (what, times) in [
        ("all of it", 0..u64::MAX),
        ("a tenth of it", length_ns / 2..length_ns / 2 + length_ns / 10),
        ("a minute", minute),
    ] {
        // Includes opening the file: a server does that for each request.
        let start = Instant::now();
        let tape = Tape::open(&path)?;
        let stream = tape.stream_named("physics")?;
        let mut values = 0;
        for channel in SHOWN {
            let found = tape.overview(stream, channel, 0, times.clone(), POINTS).context(channel)?;
            values += found.iter().filter(|bucket| bucket.max.is_some()).count();
        }
        let took_ms = start.elapsed().as_secs_f64() * 1e3;
        figures
            .push(Figure::new(PART, format!("{what}: {values} ranges"), took_ms, "ms").digits(1).at_most(AT_ONCE_MS));
    }
    Ok(figures)
}

fn make(path: &std::path::Path, hours: f64) -> Result<u64> {
    let options = WriteOptions::new(TapeId([3; 16]));
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), path, &options, false)?;
    let layout = acc::PHYSICS.layouts().first().context("no layout")?;
    let physics = tape.add_stream(stream_of_layout(acc::GAME.id, "physics", "shm", layout), 0)?;
    let end_ns = (hours * 3.6e12) as u64;
    let samples = Simulation::driving(Settings::default(), Script::new()).sample(HZ);
    let mut frames = 0;
    for (time_ns, pages) in samples.take_while(|(time_ns, _)| *time_ns < end_ns) {
        tape.append(physics, time_ns, pages.physics.as_bytes())?;
        frames += 1;
    }
    tape.finish()?;
    Ok(frames)
}
