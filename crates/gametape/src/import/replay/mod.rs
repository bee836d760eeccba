//! Rocket League replays (`.replay`): the file as one frame; teams, players and score as metadata, goals as events.
//!
//! The file's bytes are always kept. What cannot be read of them is a problem that names its place.

mod facts;
mod parse;

use boxcars::Replay;
use gametape_format::StreamSpec;
use gametape_format::limits::BLOCK_RAW_BYTES;

use super::kind::Kind;
use super::out::Out;
use super::problems::{Problems, tell_source};
use super::{Found, ImportError, Importer, Source};
use parse::{Parsed, parse};

/// What `importer` says in the tape's metadata: raise the number when the same file gives another tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " replay 1");

/// The game as recordings name it.
const GAME_ID: &str = "rocket-league";

/// Why a replay cannot be imported.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReplayError {
    /// Longer than a frame of a tape.
    #[error("the replay has {found} bytes, at most {most} can be imported; the game itself ends them at 10 MB")]
    TooLong {
        /// Length of the file.
        found: u64,
        /// The longest that can be.
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
        let time_source =
            if frame_times_s.as_ref().is_some_and(|times| !times.is_empty()) { "match" } else { "nominal" };
        tell_source(out, source, Kind::Replay, IMPORTER, time_source, &problems)?;
        if let Some(times_s) = &frame_times_s {
            out.metadata("network_frames", &times_s.len().to_string())?;
        }
        if let Some(replay) = &replay {
            facts::metadata(replay).iter().try_for_each(|(key, value)| out.metadata(key, value))?;
            add_goals(out, replay, frame_times_s.as_deref().unwrap_or_default())?;
        }
        progress(source.bytes);
        Ok(Found { frames: 1, problems: problems.list() })
    }
}

/// Each goal with the score after it.
fn add_goals(out: &mut dyn Out, replay: &Replay, frame_times_s: &[f32]) -> Result<(), ImportError> {
    let (mut zero, mut one, mut last_ns) = (0, 0, 0);
    for goal in facts::goals(replay) {
        match goal.team {
            0 => zero += 1,
            1 => one += 1,
            _ => {}
        }
        last_ns = time_ns(goal.frame, replay, frame_times_s).max(last_ns);
        out.event(last_ns, "goal", &format!("{zero}:{one} {}, team {}", goal.player, goal.team))?;
    }
    Ok(())
}

/// When a network frame was, since the first: by the frames themselves, else by their rate.
fn time_ns(frame: u32, replay: &Replay, frame_times_s: &[f32]) -> u64 {
    const USUAL_FPS: f64 = 30.0;
    let nominal_s = f64::from(frame) / facts::record_fps(replay).unwrap_or(USUAL_FPS);
    // The last goal can be at the frame behind the last.
    let at = frame_times_s.get(frame as usize).or(frame_times_s.last()).zip(frame_times_s.first());
    let seconds = at.map_or(nominal_s, |(at, first)| f64::from(*at) - f64::from(*first));
    // What is below 0 or no number becomes 0.
    (seconds.min(1e9) * 1e9).round() as u64
}
