//! Converts `.echoreplay` to `.gtape`: unzipping, event detection, encoding and the comparison of every frame with what
//! will be read, in frames per second. Each conversion is a separate process that is restricted to a number of cores.

use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use gametape::import::import;

use super::PART_CONVERT as PART;
use super::cores::use_cores;
use super::matches::{Replay, settings, write_replay};
use crate::laps::figures::Figure;

/// Required frames per second with 2 players.
const LEAST_ON_ONE_CORE: f64 = 12_000.0;
const LEAST_ON_TWO_CORES: f64 = 20_000.0;
/// The best of this many rounds counts: other load on the machine can only slow it down.
const ROUNDS: usize = 5;

/// A conversion, for `echo`.
#[derive(Debug, Args)]
pub(crate) struct ConvertArgs {
    /// Number of cores to use
    #[arg(long)]
    cores: usize,
    /// Directory for the tapes
    #[arg(long)]
    folder: PathBuf,
    /// Files, each converted by its own thread
    files: Vec<PathBuf>,
}

/// Converts the files and prints the elapsed seconds.
pub(crate) fn convert(args: &ConvertArgs) -> Result<()> {
    use_cores(args.cores)?;
    let start = Instant::now();
    let done: Vec<Result<()>> = std::thread::scope(|scope| {
        let one = |number: usize, file: &Path| -> Result<()> {
            let imported = import(file, &args.folder.join(format!("{number}.gtape")), &mut |_| {})?;
            ensure!(imported.problems.is_empty(), "{}: {:?}", file.display(), imported.problems);
            Ok(())
        };
        let threads: Vec<_> =
            args.files.iter().enumerate().map(|(number, file)| scope.spawn(move || one(number, file))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err(anyhow::anyhow!("a panic")))).collect()
    });
    let seconds = start.elapsed().as_secs_f64();
    done.into_iter().collect::<Result<Vec<()>>>()?;
    println!("{seconds}");
    Ok(())
}

/// Measures the conversion rates.
pub(super) fn measure(folder: &Path, frames: usize) -> Result<Vec<Figure>> {
    let mut figures = Vec::new();
    for players in [2, 10] {
        let replays = [1, 2].map(|seed| {
            write_replay(folder, &format!("convert-{players}-{seed}"), settings(players, true, frames, seed))
        });
        let [first, second] = replays;
        let (first, second) = (first?, second?);
        let rate = |what: &str, cores, files: &[&Replay]| -> Result<Figure> {
            let what = format!("{players} players with bones, {what}");
            Ok(Figure::new(PART, what, best_rate(folder, cores, files)?, "frames/s"))
        };
        let one = rate("one core", 1, &[&first])?;
        let two = rate("two cores, one file", 2, &[&first])?;
        let both = rate("two cores, two files", 2, &[&first, &second])?;
        figures.push(Figure::new(
            PART,
            format!("{players} players with bones, text of a frame"),
            first.text_bytes as f64 / first.frames as f64,
            "bytes",
        ));
        figures.extend(match players {
            2 => [one.at_least(LEAST_ON_ONE_CORE), two, both.at_least(LEAST_ON_TWO_CORES)],
            _ => [one, two, both],
        });
        for replay in [first, second] {
            std::fs::remove_file(replay.path)?;
        }
    }
    Ok(figures)
}

fn best_rate(folder: &Path, cores: usize, files: &[&Replay]) -> Result<f64> {
    let frames: u64 = files.iter().map(|replay| replay.frames).sum();
    let mut best = 0f64;
    for _ in 0..ROUNDS {
        let place = tempfile::tempdir_in(folder)?;
        let mut command = std::process::Command::new(std::env::current_exe()?);
        command.args(["echo-convert", "--cores", &cores.to_string(), "--folder"]).arg(place.path());
        let output = command.args(files.iter().map(|replay| &replay.path)).output()?;
        ensure!(output.status.success(), "a conversion failed: {}", String::from_utf8_lossy(&output.stderr));
        let seconds: f64 =
            std::str::from_utf8(&output.stdout)?.trim().parse().context("parsing the seconds of a conversion")?;
        best = best.max(frames as f64 / seconds);
    }
    Ok(best)
}
