//! A match of several hours: the full state at any time, and all goals, in a `.gtape` and in a V2 `.tape`.

use std::fs::File;
use std::io::{BufReader, BufWriter, Write as _};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use gametape::export::v2::{CaptureOptions, export_v2_tape};
use gametape::games::echo_vr::simulated::{Answers, Match};
use gametape::games::echo_vr::{PLAYER_BONES, SESSION};
use gametape::import::import;
use gametape_format::read::Tape;

use super::PART_SEEK as PART;
use super::matches::{HZ, bytes, settings, write_replay};
use crate::laps::figures::{Figure, quantile};

const SEEKS: usize = 200;
const MOST_MS: f64 = 20.0;
const MOST_V2_MS: f64 = 2.0;
const MOST_GOALS_MS: f64 = 2.0;

/// Creates a match of this length and measures it.
pub(super) fn measure(folder: &Path, hours: f64) -> Result<Vec<Figure>> {
    let frames = (hours * 3600.0 * HZ) as usize;
    let of_match = || settings(2, true, frames, 3);
    let replay = write_replay(folder, "hours", of_match())?;
    let path = folder.join("hours.gtape");
    import(&replay.path, &path, &mut |_| {})?;
    let mut figures = vec![
        Figure::new(PART, "match of 2 players with bones", hours, "h").digits(2),
        Figure::count(PART, "  frames", replay.frames),
        Figure::new(PART, "  .gtape", bytes(&path)? as f64 / 1e6, "MB").digits(1),
    ];
    // Positions spread over the match, in random order.
    let positions: Vec<usize> = (0..SEEKS).map(|number| (number * 7919 + 13) % SEEKS * (frames / SEEKS)).collect();
    let expected = answers_at(Match::new(of_match()), &positions);
    let start = Instant::now();
    let tape = Tape::open(&path)?;
    figures.push(Figure::new(PART, ".gtape, opened in", start.elapsed().as_secs_f64() * 1e3, "ms").digits(2));
    let (session, bones) = (tape.stream_named(SESSION)?, tape.stream_named(PLAYER_BONES)?);
    let first_ms = expected.first().context("no frames")?.utc_ms;
    let mut took_ms = Vec::new();
    for answers in &expected {
        let time_ns = (answers.utc_ms - first_ms) as u64 * 1_000_000;
        let start = Instant::now();
        let found = (tape.frame_at(session, time_ns)?, tape.frame_at(bones, time_ns)?);
        took_ms.push(start.elapsed().as_secs_f64() * 1e3);
        let same =
            |found: Option<(u64, Vec<u8>)>, wanted: &str| found.is_some_and(|(_, found)| found == wanted.as_bytes());
        ensure!(
            same(found.0, &answers.session) && same(found.1, &answers.player_bones),
            "the response at {time_ns} differs"
        );
    }
    figures.extend(times(".gtape, seek with full state", took_ms, MOST_MS));
    figures.extend(in_v2_tape(folder, &tape, &positions)?);
    let start = Instant::now();
    let tape = Tape::open(&path)?;
    let goals = tape.events_of("goal").len();
    let goals_ms = start.elapsed().as_secs_f64() * 1e3;
    figures.push(Figure::count(PART, "events of the match", tape.events().len()));
    figures.push(Figure::count(PART, "  of them goals", goals).at_least(1.0));
    figures
        .push(Figure::new(PART, ".gtape, opened and all goals found", goals_ms, "ms").digits(2).at_most(MOST_GOALS_MS));
    Ok(figures)
}

/// Measures the same in a V2 `.tape` made from it.
fn in_v2_tape(folder: &Path, tape: &Tape, positions: &[usize]) -> Result<Vec<Figure>> {
    let path = folder.join("hours.tape");
    let mut out = BufWriter::new(File::create_new(&path)?);
    export_v2_tape(tape, CaptureOptions::default(), &mut out, &mut |_| Ok(()))?;
    out.flush()?;
    let start = Instant::now();
    let mut capture = telemetry_v2::read::Tape::open(BufReader::new(File::open(&path)?))?;
    let opened_ms = start.elapsed().as_secs_f64() * 1e3;
    let mut figures = vec![
        Figure::new(PART, "  V2 .tape", bytes(&path)? as f64 / 1e6, "MB").digits(1),
        Figure::new(PART, "V2 .tape, opened in", opened_ms, "ms").digits(2),
    ];
    let mut took_ms = Vec::new();
    for position in positions {
        let start = Instant::now();
        let found = capture.frame_at(u32::try_from(*position)?)?;
        took_ms.push(start.elapsed().as_secs_f64() * 1e3);
        ensure!(found.is_some_and(|found| !found.state.players.is_empty()), "no state at frame {position}");
    }
    figures.extend(times("V2 .tape, seek with full state", took_ms, MOST_V2_MS));
    Ok(figures)
}

/// Returns the median and the maximum of some times; the maximum must be within the limit.
pub(super) fn times(what: &str, mut took_ms: Vec<f64>, most_ms: f64) -> [Figure; 2] {
    took_ms.sort_by(f64::total_cmp);
    [
        Figure::new(PART, format!("{what}, median"), quantile(&took_ms, 0.5), "ms").digits(2),
        Figure::new(PART, "  the most", quantile(&took_ms, 1.0), "ms").digits(2).at_most(most_ms),
    ]
}

/// Returns the responses with these numbers and number 0, in ascending order.
fn answers_at(of_match: Match, positions: &[usize]) -> Vec<Answers> {
    let mut wanted = positions.to_vec();
    wanted.push(0);
    wanted.sort_unstable();
    wanted.dedup();
    let mut next = wanted.into_iter().peekable();
    let found = of_match.enumerate().filter(|(number, _)| next.next_if_eq(number).is_some()).map(|(_, found)| found);
    found.collect()
}
