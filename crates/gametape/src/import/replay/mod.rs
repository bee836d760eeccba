//! Importer for Rocket League replays (`.replay`): the file as one frame; teams, players and score as metadata, goals as events.
//!
//! ```text
//! replay                 the file
//! replay.network-frames  time and delta of each network frame, so that the tape is as long as the match
//! ```
//! The file's bytes are always stored. Parts that cannot be parsed are reported as problems with their offset.

mod facts;
mod parse;

use boxcars::Replay;
use gametape_format::limits::BLOCK_RAW_BYTES;
use gametape_format::{Channel, ChannelType, Role, StreamId, StreamSpec};

use super::kind::Kind;
use super::out::Out;
use super::problems::{Problems, tell_source};
use super::{Found, ImportError, Importer, Source};
use parse::{Parsed, parse};

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " replay 1");

/// Id of the game, as in recordings.
const GAME_ID: &str = "rocket-league";

/// Why a replay cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// The file is longer than a frame of a tape can be.
    #[error("the replay has {found} bytes, the maximum is {most}; the game itself ends replays at 10 MB")]
    TooLong {
        /// Length of the file.
        found: u64,
        /// Maximum length.
        most: u64,
    },
}

/// Reads Rocket League replays.
pub(super) struct ReplayImporter;

impl Importer for ReplayImporter {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let most = BLOCK_RAW_BYTES as u64;
        if source.bytes > most {
            return Err(ReplayError::TooLong { found: source.bytes, most }.into());
        }
        let file = source.read(&(0..source.bytes))?;
        let Parsed { replay, frame_times_s, problems: found } = parse(&file);
        let mut problems = Problems::default();
        found.into_iter().for_each(|problem| problems.add(problem));

        out.begin(None)?;
        let spec = StreamSpec { game: GAME_ID.into(), transport: "file".into(), ..StreamSpec::rows("replay") };
        let stream = out.add_stream(spec)?;
        out.append(stream, 0, &file, 0)?;
        let times_ns = match &frame_times_s {
            Some(times_s) if !times_s.is_empty() => add_frames(out, stream, times_s)?,
            _ => Vec::new(),
        };
        let time_source = if times_ns.is_empty() { "nominal" } else { "match" };
        tell_source(out, source, Kind::Replay, IMPORTER, time_source, &problems)?;
        if let Some(times_s) = &frame_times_s {
            out.metadata("network_frames", &times_s.len().to_string())?;
        }
        if let Some(replay) = &replay {
            facts::metadata(replay).iter().try_for_each(|(key, value)| out.metadata(key, value))?;
            add_goals(out, replay, &times_ns)?;
        }
        progress(source.bytes);
        Ok(Found { frames: 1, problems: problems.list() })
    }
}

/// Adds the times of the network frames. Returns them in nanoseconds since the first, non-decreasing.
fn add_frames(out: &mut dyn Out, replay: StreamId, times_s: &[(f32, f32)]) -> Result<Vec<u64>, ImportError> {
    let channels =
        vec![Channel::new("time", ChannelType::F32, 0, 1, "s"), Channel::new("delta", ChannelType::F32, 4, 1, "s")];
    let spec = StreamSpec {
        game: GAME_ID.into(),
        transport: "file".into(),
        layout: "rocket-league-network-frame".into(),
        role: Role::Describe,
        describes: Some(replay),
        ..StreamSpec::columns("replay.network-frames", 8, channels)
    };
    let stream = out.add_stream(spec)?;
    let first_s = times_s.first().map_or(0.0, |(time_s, _)| f64::from(*time_s));
    let mut last_ns = 0;
    let mut all_ns = Vec::with_capacity(times_s.len());
    for (time_s, delta_s) in times_s {
        last_ns = nanoseconds(f64::from(*time_s) - first_s).max(last_ns);
        all_ns.push(last_ns);
        let row = [time_s.to_le_bytes(), delta_s.to_le_bytes()].concat();
        out.append(stream, last_ns, &row, 0)?;
    }
    Ok(all_ns)
}

/// Adds an event for each goal, with the score after it.
fn add_goals(out: &mut dyn Out, replay: &Replay, frame_times_ns: &[u64]) -> Result<(), ImportError> {
    let (mut zero, mut one, mut last_ns) = (0, 0, 0);
    for goal in facts::goals(replay) {
        match goal.team {
            0 => zero += 1,
            1 => one += 1,
            _ => {}
        }
        last_ns = time_ns(goal.frame, replay, frame_times_ns).max(last_ns);
        out.event(last_ns, "goal", &format!("{zero}:{one} {}, team {}", goal.player, goal.team))?;
    }
    Ok(())
}

/// Returns the time of a network frame since the first: from the frames' own times, else from their nominal rate.
fn time_ns(frame: u32, replay: &Replay, frame_times_ns: &[u64]) -> u64 {
    const USUAL_FPS: f64 = 30.0;
    let nominal = || nanoseconds(f64::from(frame) / facts::record_fps(replay).unwrap_or(USUAL_FPS));
    // The last goal can be at the frame after the last one.
    frame_times_ns.get(frame as usize).or(frame_times_ns.last()).copied().unwrap_or_else(nominal)
}

/// Converts seconds to nanoseconds. Negative values and NaN become 0.
fn nanoseconds(seconds: f64) -> u64 {
    (seconds.min(1e9) * 1e9).round() as u64
}
