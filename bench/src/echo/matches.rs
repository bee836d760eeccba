//! Writes simulated matches as `.echoreplay` archives, with the sizes of their contents.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use gametape::export::export_echoreplay;
use gametape::games::echo_vr::simulated::{Answers, Match, Settings};
use gametape::games::echo_vr::{ID, PLAYER_BONES, SESSION};
use gametape_format::read::Tape;
use gametape_format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape_format::{StreamSpec, TapeId};

/// Maximum response rate of the game.
pub(super) const HZ: f64 = 60.0;

/// A match as files in a folder.
#[derive(Debug, Clone)]
pub(super) struct Replay {
    pub(super) path: std::path::PathBuf,
    pub(super) frames: u64,
    /// Length of the lines before compression.
    pub(super) text_bytes: u64,
}

/// Writes a match to a file.
#[derive(Debug, clap::Args)]
pub(crate) struct MatchArgs {
    /// Number of players, 2 to 10
    #[arg(long, value_name = "N", default_value_t = 2, value_parser = clap::value_parser!(u8).range(2..=10))]
    players: u8,
    /// Number of responses, 60 per second
    #[arg(long, value_name = "N", default_value_t = 3600, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    frames: u32,
    /// Random seed
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Without bones
    #[arg(long)]
    no_bones: bool,
    /// The `.echoreplay` file
    #[arg(value_name = "FILE")]
    out: std::path::PathBuf,
}

/// Writes the file.
pub(crate) fn write_match(args: &MatchArgs) -> Result<()> {
    let name = args.out.file_stem().context("the path has no file name")?.to_string_lossy().into_owned();
    let settings = settings(args.players.into(), !args.no_bones, args.frames as usize, args.seed);
    let folder = tempfile::tempdir()?;
    let replay = write_replay(folder.path(), &name, settings)?;
    File::create_new(&args.out)
        .with_context(|| format!("creating {}: choose another name if it exists", args.out.display()))?;
    std::fs::copy(replay.path, &args.out)?;
    println!("{} frames, {} bytes of text, {} bytes", replay.frames, replay.text_bytes, bytes(&args.out)?);
    Ok(())
}

/// Returns the parameters of a match.
pub(super) fn settings(players: usize, bones: bool, frames: usize, seed: u64) -> Settings {
    Settings { seed, players, bones, frames, rate_hz: HZ, ..Settings::default() }
}

/// Writes the responses of a match to a tape.
pub(super) fn write_tape(path: &Path, answers: impl Iterator<Item = Answers>) -> Result<()> {
    let of_game = |spec: StreamSpec| StreamSpec { game: ID.into(), transport: "http".into(), ..spec };
    let mut answers = answers.peekable();
    let start_ms = answers.peek().context("the match has no responses")?.utc_ms;
    let options = WriteOptions { start_utc_ns: Some(start_ms * 1_000_000), ..WriteOptions::new(TapeId([5; 16])) };
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), path, &options, false)?;
    let session = tape.add_stream(of_game(StreamSpec::json(SESSION)), 0)?;
    let bones = tape.add_stream(of_game(StreamSpec::json(PLAYER_BONES)), 0)?;
    for answer in answers {
        let time_ns = u64::try_from(answer.utc_ms - start_ms)? * 1_000_000;
        tape.append(session, time_ns, answer.session.as_bytes())?;
        tape.append(bones, time_ns, answer.player_bones.as_bytes())?;
    }
    tape.finish()?;
    Ok(())
}

/// Writes a match as an archive, like Echo VR's tools.
pub(super) fn write_replay(folder: &Path, name: &str, settings: Settings) -> Result<Replay> {
    let (tape_path, path) = (folder.join(format!("{name}.source.gtape")), folder.join(format!("{name}.echoreplay")));
    let mut text_bytes = 0;
    // Each line has a time, two tabs, a space and a line end.
    let counted = Match::new(settings.clone())
        .inspect(|answers| text_bytes += (answers.session.len() + answers.player_bones.len() + 28) as u64);
    write_tape(&tape_path, counted)?;
    let mut file = BufWriter::new(File::create_new(&path)?);
    let exported =
        export_echoreplay(&Tape::open(&tape_path)?, &format!("{name}.echoreplay"), &mut file, &mut |_| Ok(()))?;
    file.flush()?;
    std::fs::remove_file(tape_path)?;
    Ok(Replay { path, frames: exported.lines, text_bytes })
}

/// Returns the length of a file.
pub(super) fn bytes(path: &Path) -> io::Result<u64> {
    Ok(path.metadata()?.len())
}
