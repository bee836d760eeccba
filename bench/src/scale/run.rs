//! `scale`: measures tapes of growing length. Every figure comes from a new process, with the file dropped from the
//! page cache; process startup is not counted.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use clap::{Args, ValueEnum};
use serde::{Deserialize, Serialize};

use super::pages::{LongPages, PAGE_NS};
use super::{cold, open_and_seek, read_one_channel, write_tape};
use crate::data::{REAL_DATA, acc_pages, generated, hash_values, load_real};
use crate::machine;
use crate::memory::Memory;
use crate::report::json;
use crate::table::aligned;

const CHANNEL: &str = "speedKmh";
/// One channel is read over this duration, whatever the length of the tape.
const WINDOW_NS: u64 = 60_000_000_000;
const SECOND_NS: u64 = 1_000_000_000;

/// Lengths, and where the tapes go.
#[derive(Debug, Args)]
pub(crate) struct ScaleArgs {
    /// Lengths of the tapes, in seconds
    #[arg(long, value_name = "SECONDS", value_delimiter = ',', default_values_t = [600, 3600, 86_400])]
    lengths: Vec<u64>,
    /// Print JSON instead of a table
    #[arg(long)]
    json: bool,
    /// Seeks per tape, each in a new process
    #[arg(long, value_name = "N", default_value_t = 9)]
    repetitions: u64,
    /// Directory for the tapes (24 hours take about 1 GB)
    #[arg(long, value_name = "DIRECTORY")]
    directory: Option<PathBuf>,
}

/// What a process measures.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum What {
    /// Open the tape and find one frame.
    Seek,
    /// Open the tape and read one channel of a minute.
    Channel,
}

/// One measurement in a separate process.
#[derive(Debug, Args)]
pub(crate) struct SeekOnceArgs {
    /// The tape
    file: PathBuf,
    /// Nanoseconds since the start of the tape
    time_ns: u64,
    /// What to measure
    #[arg(long, value_enum, default_value_t = What::Seek)]
    what: What,
}

/// Output of a process.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Once {
    nanoseconds: u64,
    peak_kib: u64,
    /// Hash of what was read, for the parent to compare.
    hash: u64,
}

/// One line of the result.
#[derive(Debug, Clone, Serialize)]
struct ScaleRow {
    seconds: u64,
    raw_bytes: u64,
    stored_bytes: u64,
    write_s: f64,
    open_seek_ms: f64,
    one_channel_minute_ms: f64,
    peak_kib: u64,
}

fn hash_row(time_ns: u64, row: &[u8]) -> u64 {
    let frames = vec![crate::data::StreamFrames { rows: row.to_vec(), times_ns: vec![time_ns] }];
    crate::data::hash_frames(&frames, Some(1))
}

/// Measures once in this process and prints the result.
pub(crate) fn seek_once(args: &SeekOnceArgs) -> Result<()> {
    let start = Instant::now();
    let (elapsed, hash) = match args.what {
        What::Seek => {
            let found = open_and_seek(&args.file, args.time_ns)?;
            (start.elapsed(), hash_row(found.time_ns, &found.row))
        }
        What::Channel => {
            let values = read_one_channel(&args.file, CHANNEL, args.time_ns..args.time_ns.saturating_add(WINDOW_NS))?;
            (start.elapsed(), hash_values(&values))
        }
    };
    let once = Once { nanoseconds: u64::try_from(elapsed.as_nanos())?, peak_kib: Memory::now()?.peak_kib, hash };
    println!("{}", serde_json::to_string(&once)?);
    Ok(())
}

/// Runs this program again, with the file dropped from the page cache.
fn in_new_process(tape: &Path, time_ns: u64, what: What) -> Result<Once> {
    cold::drop_from_cache(tape)?;
    let what = if matches!(what, What::Seek) { "seek" } else { "channel" };
    let mut command = Command::new(std::env::current_exe()?);
    command.arg("seek-once").arg(tape).arg(time_ns.to_string()).args(["--what", what]);
    let output = command.output()?;
    ensure!(output.status.success(), "seek-once: {}", String::from_utf8_lossy(&output.stderr).trim());
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn median_ms(list: &[Once]) -> f64 {
    let mut nanoseconds: Vec<u64> = list.iter().map(|once| once.nanoseconds).collect();
    nanoseconds.sort_unstable();
    nanoseconds.get(nanoseconds.len() / 2).map_or(f64::NAN, |&ns| ns as f64 / 1e6)
}

/// Writes a tape of a length and measures it at times spread over it.
fn measure(base: &[u8], seconds: u64, repetitions: u64, directory: &Path) -> Result<ScaleRow> {
    ensure!(
        seconds.saturating_mul(SECOND_NS) > WINDOW_NS,
        "a tape of {seconds} s is shorter than the minute that is read from it"
    );
    let directory = tempfile::tempdir_in(directory)?;
    let tape = directory.path().join("scale.gtape");
    let mut pages = LongPages::new(base.to_vec(), seconds)?;
    let start = Instant::now();
    write_tape(&tape, &acc_pages::stream(), &mut pages).context("writing the tape")?;
    let write_s = start.elapsed().as_secs_f64();

    let (mut seeks, mut channels) = (Vec::new(), Vec::new());
    let starts = (seconds * SECOND_NS - WINDOW_NS) / PAGE_NS;
    for i in 0..repetitions.max(1) {
        let number = starts * i / (repetitions.max(2) - 1);
        let time_ns = number * PAGE_NS;
        let seek = in_new_process(&tape, time_ns + PAGE_NS / 2, What::Seek)?;
        ensure!(seek.hash == hash_row(time_ns, &pages.page(number)), "seeking to {time_ns} ns found the wrong frame");
        seeks.push(seek);
        let channel = in_new_process(&tape, time_ns, What::Channel)?;
        let expected = pages.channel(acc_pages::SPEED_OFFSET, number..number + WINDOW_NS / PAGE_NS);
        ensure!(channel.hash == hash_values(&expected), "the channel at {time_ns} ns differs");
        channels.push(channel);
    }
    Ok(ScaleRow {
        seconds,
        raw_bytes: pages.count() * acc_pages::PAGE_BYTES as u64,
        stored_bytes: std::fs::metadata(&tape)?.len(),
        write_s,
        open_seek_ms: median_ms(&seeks),
        one_channel_minute_ms: median_ms(&channels),
        peak_kib: seeks.iter().chain(&channels).map(|once| once.peak_kib).max().unwrap_or_default(),
    })
}

/// Returns a few minutes of pages: real driving if available.
fn base_pages() -> Result<Vec<u8>> {
    let sets = load_real(std::env::var_os(REAL_DATA).map(PathBuf::from), |word| eprintln!("{word}"));
    let acc = sets.into_iter().find(|set| set.shape.streams.first() == Some(&acc_pages::stream()));
    match acc.and_then(|set| set.frames.into_iter().next()) {
        Some(frames) => Ok(frames.rows),
        None => acc_pages::build(&generated::made_up_log(300, 1)),
    }
}

/// Measures all lengths and prints.
pub(crate) fn run(args: &ScaleArgs) -> Result<()> {
    let base = base_pages()?;
    let directory = args.directory.clone().unwrap_or_else(std::env::temp_dir);
    let mut rows = Vec::new();
    for &seconds in &args.lengths {
        rows.push(measure(&base, seconds, args.repetitions, &directory)?);
    }
    if args.json {
        println!("{}", json(&rows)?);
        return Ok(());
    }
    let header =
        ["length s", "raw bytes", "stored bytes", "write s", "open+seek ms", "a minute of one channel ms", "peak KiB"];
    let line = |row: &ScaleRow| {
        vec![
            row.seconds.to_string(),
            row.raw_bytes.to_string(),
            row.stored_bytes.to_string(),
            format!("{:.1}", row.write_s),
            format!("{:.2}", row.open_seek_ms),
            format!("{:.2}", row.one_channel_minute_ms),
            row.peak_kib.to_string(),
        ]
    };
    print!("{}\n\n{}", machine::line(), aligned(&header, &rows.iter().map(line).collect::<Vec<_>>(), 0));
    Ok(())
}
