//! Importer for Rocket League replays (`.replay`): the file as one frame; the ball and the cars as streams; goals, saves and demolitions as
//! events; players, teams and result as facts of the match.
//!
//! ```text
//! replay                 the file
//! replay.network-frames  time and delta of each network frame, so that the tape is as long as the match
//! ball, ball-2 …         position, rotation and velocities of each ball
//! car-1, car-2 …         the same for the car of each player, and its boost and inputs
//! match                  clock, overtime and score
//! ```
//! The file's bytes are always stored. Parts that cannot be parsed are reported as problems with their offset.
//!
//! ```text
//! parse: boxcars ─▶ objects: what is of use ─▶ game: actors, frame by frame ─▶ streams, events ─▶ goals, facts: with the header
//! ```

mod body;
mod facts;
mod game;
mod goals;
mod objects;
mod parse;
mod people;

use boxcars::Replay;
use gametape_format::ChannelType::F32;
use gametape_format::limits::BLOCK_RAW_BYTES;

use super::decoded::{Decoded, Field};
use super::{Reading, ReplayFile};
use crate::import::kind::Kind;
use crate::import::{ImportError, Source};
use game::Game;
use parse::{Parsed, parse};

/// Id of the game, as in recordings.
const GAME_ID: &str = "rocket-league";

pub(in crate::import) static ROCKET_LEAGUE: ReplayFile = ReplayFile {
    kind: Kind::Replay,
    game: GAME_ID,
    importer: "replay 2",
    one_frame_bytes: BLOCK_RAW_BYTES as u64,
    read,
};

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

const NETWORK_FRAMES: &[Field] = &[("time", F32, "s"), ("delta", F32, "s")];

fn read(source: &Source, reading: &mut Reading) -> Result<(), ImportError> {
    let most = BLOCK_RAW_BYTES as u64;
    if source.bytes > most {
        return Err(ReplayError::TooLong { found: source.bytes, most }.into());
    }
    let file = source.read(&(0..source.bytes))?;
    let Parsed { replay, problems } = parse(&file);
    problems.into_iter().for_each(|problem| reading.problems.add(problem));
    reading.time_source = "nominal";
    let Some(replay) = replay else { return Ok(()) };
    let times_ns = network_frames(&replay, reading);
    reading.metadata.extend(facts::metadata(&replay));
    facts::of_header(&replay, &mut reading.facts);
    let played = Game::play(&replay, &times_ns, reading);
    goals::add(&replay, &times_ns, &played, reading);
    people::add(played, &mut reading.facts);
    Ok(())
}

/// Adds the stream of network frames. Returns their times in nanoseconds since the first, non-decreasing.
fn network_frames(replay: &Replay, reading: &mut Reading) -> Vec<u64> {
    let Some(network) = &replay.network_frames else { return Vec::new() };
    let mut stream = Decoded::new("replay.network-frames", "rocket-league-network-frame", NETWORK_FRAMES).describing();
    let first_s = network.frames.first().map_or(0.0, |frame| f64::from(frame.time));
    let mut last_ns = 0;
    let mut times_ns = Vec::with_capacity(network.frames.len());
    for frame in &network.frames {
        last_ns = nanoseconds(f64::from(frame.time) - first_s).max(last_ns);
        times_ns.push(last_ns);
        stream.push(last_ns, &[frame.time.to_le_bytes(), frame.delta.to_le_bytes()].concat());
    }
    reading.decoded.push(stream);
    reading.tell("network_frames", Some(times_ns.len()));
    if !times_ns.is_empty() {
        reading.time_source = "match";
        reading.facts.length_ns = Some(last_ns);
    }
    times_ns
}

/// Converts seconds to nanoseconds. Negative values and NaN become 0.
fn nanoseconds(seconds: f64) -> u64 {
    (seconds.min(1e9) * 1e9).round() as u64
}
