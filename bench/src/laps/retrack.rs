//! Retracks a long tape: time, memory, and whether the laps found are those that were driven.
//!
//! The tape is the simulated car as recorded at 100 Hz. It is tracked in a separate process, with the file dropped from
//! the page cache, and then written to a store as by `gametape laps rebuild`.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use gametape::laps::{LapState, TRACKER_ID, TRACKER_VERSION, track_tape};
use gametape::store::{Origin, SqlStore, Store as _, TrackerVersion};
use gametape_format::read::Tape;
use gametape_simulator::{Script, Settings, Simulation};
use serde::{Deserialize, Serialize};
use zerocopy::IntoBytes as _;

use super::figures::Figure;
use super::{say, tracking};
use crate::memory::Memory;
use crate::peers::gametape::builder;
use crate::scale::drop_from_cache;

const PART: &str = "retrack";
const HZ: u32 = 100;

/// The tape to track.
#[derive(Debug, Args)]
pub(crate) struct TrackTapeArgs {
    /// The tape
    tape: PathBuf,
    /// The store for its laps
    store: PathBuf,
}

/// Output of the process.
#[derive(Debug, Serialize, Deserialize)]
struct Once {
    track_s: f64,
    store_s: f64,
    /// After tracking, before the store.
    peak_kib: u64,
    sessions: usize,
    damaged: u64,
    /// Times of the completed laps.
    laps_ms: Vec<u32>,
}

/// Tracks a tape in this process and prints the cost.
pub(crate) fn track_tape_once(args: &TrackTapeArgs) -> Result<()> {
    let start = Instant::now();
    let tape = Tape::open(&args.tape)?;
    let tracked = track_tape(&tape)?;
    let track_s = start.elapsed().as_secs_f64();
    let peak_kib = Memory::now()?.peak_kib;
    let store = SqlStore::sqlite(&args.store)?;
    let origin = Origin::new(
        tape.id().context("the tape has no id")?,
        TrackerVersion { id: TRACKER_ID.into(), version: TRACKER_VERSION },
    );
    let start = Instant::now();
    store.replace_tape(&origin, &tracked.sessions)?;
    let store_s = start.elapsed().as_secs_f64();
    let done = tracked.laps().filter(|lap| lap.state == LapState::Final);
    let once = Once {
        track_s,
        store_s,
        peak_kib,
        sessions: tracked.sessions.len(),
        damaged: tracked.damaged,
        laps_ms: done.filter_map(|lap| lap.time_ms).collect(),
    };
    println!("{}", serde_json::to_string(&once)?);
    Ok(())
}

/// Contents of the generated tape.
struct Made {
    frames: u64,
    /// As the game reported them when its lap count rose.
    laps_ms: Vec<u32>,
}

/// Writes physics at the recorder's rate, graphics as often as they change, and names once.
fn make(path: &Path, seconds: u64) -> Result<Made> {
    let mut builder = builder(path)?;
    let [physics, graphics, statics] = tracking::streams()?;
    let mut add = |spec| builder.add_stream(spec, 0);
    let (physics, graphics, statics) = (add(physics)?, add(graphics)?, add(statics)?);
    let mut made = Made { frames: 1, laps_ms: Vec::new() };
    let (mut last_graphics, mut laps) = (None, 0);
    let samples = Simulation::driving(Settings::default(), Script::new()).sample(HZ);
    for (time_ns, pages) in samples.take_while(|(time_ns, _)| *time_ns < seconds * 1_000_000_000) {
        if last_graphics.is_none() {
            builder.append(statics, time_ns, pages.static_page.as_bytes())?;
        }
        builder.append(physics, time_ns, pages.physics.as_bytes())?;
        made.frames += 1;
        if last_graphics != Some(pages.graphics.packet_id) {
            last_graphics = Some(pages.graphics.packet_id);
            builder.append(graphics, time_ns, pages.graphics.as_bytes())?;
            made.frames += 1;
            // A new session counts laps from the start.
            if pages.graphics.completed_laps > laps {
                made.laps_ms.push(u32::try_from(pages.graphics.i_last_time)?);
            }
            laps = pages.graphics.completed_laps;
        }
    }
    builder.finish()?;
    Ok(made)
}

/// Creates the tape and tracks it.
pub(super) fn measure(hours: f64) -> Result<Vec<Figure>> {
    let directory = tempfile::tempdir()?;
    let tape = directory.path().join("long.gtape");
    let seconds = (hours * 3600.0).ceil() as u64;
    say(&format!("creating a tape of {hours} h"));
    let made = make(&tape, seconds).context("creating the tape")?;
    drop_from_cache(&tape)?;
    say("tracking it");
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("laps-track-tape").arg(&tape).arg(directory.path().join("laps.sqlite"));
    let output = command.output()?;
    ensure!(output.status.success(), "laps-track-tape: {}", String::from_utf8_lossy(&output.stderr).trim());
    let once: Once = serde_json::from_slice(&output.stdout)?;
    Ok(figures(&made, &once, seconds, std::fs::metadata(&tape)?.len()))
}

/// Counts laps that differ between the two lists at the same index.
fn differences(driven: &[u32], found: &[u32]) -> usize {
    let same = driven.iter().zip(found).filter(|(driven, found)| driven == found).count();
    driven.len().max(found.len()) - same
}

fn figures(made: &Made, once: &Once, seconds: u64, bytes: u64) -> Vec<Figure> {
    let per_second = made.frames as f64 / once.track_s / 1e6;
    vec![
        Figure::new(PART, "length of the tape", seconds as f64 / 3600.0, "h").digits(2),
        Figure::new(PART, "its size", bytes as f64 / 1e6, "MB").digits(1),
        Figure::new(PART, "frames on it", made.frames as f64 / 1e6, "million").digits(2),
        Figure::new(PART, "opened and tracked in", once.track_s, "s").digits(2),
        Figure::new(PART, "  frames, read and tracked", per_second, "million/s").digits(2),
        Figure::new(PART, "  times real time", seconds as f64 / once.track_s, "x"),
        Figure::new(PART, "resident memory, the most", once.peak_kib as f64 / 1024.0, "MiB").digits(1),
        Figure::new(PART, "put into SQLite in", once.store_s, "s").digits(2),
        Figure::count(PART, "sessions found", once.sessions),
        Figure::count(PART, "laps driven", made.laps_ms.len()),
        Figure::count(PART, "laps found", once.laps_ms.len()).exactly(made.laps_ms.len() as f64),
        Figure::count(PART, "  not with the time that was driven", differences(&made.laps_ms, &once.laps_ms))
            .exactly(0.0),
        Figure::count(PART, "parts that could not be read", once.damaged).exactly(0.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lap_that_is_missing_or_another_is_a_difference() {
        assert_eq!(differences(&[1, 2, 3], &[1, 2, 3]), 0);
        assert_eq!(differences(&[1, 2, 3], &[1, 2]), 1);
        assert_eq!(differences(&[1, 2, 3], &[1, 4, 3]), 1);
        assert_eq!(differences(&[], &[1]), 1);
    }
}
