//! The size of an hour of F1 25 with 22 cars, stored with each method.

use std::path::Path;

use anyhow::{Context as _, Result};
use gametape::games::{Game, Kind, find_game};
use gametape_simulator::{Datagrams, Script, SessionKind, Settings, Simulation, datagram_encoder};

use super::PART_HOUR as PART;
use crate::data::noise::Noise;
use crate::data::{Channel, DataSet, Field, Shape, StreamFrames, StreamShape};
use crate::laps::figures::Figure;
use crate::peers;

const GAME: &str = "f1-25";
/// The methods, in table order. MCAP is left out of builds without the feature `peers`.
const METHODS: [&str; 3] = ["zstd3-stream", "mcap-zstd", "gametape"];
/// The least factor to MCAP with zstd.
const LEAST_FACTOR: f64 = 2.0;
/// Time from one datagram of a frame to the next, and the most by which each is late.
const STEP_NS: u64 = 20_000;
const JITTER_NS: u64 = 100_000;

/// What is generated, for people who read the table.
pub(super) const NOTES: &str = "\
The hour is generated: the simulated car (index 19, physics at 1 kHz) and 21 others that follow the same track, as F1 25 sends them (format 2025).
  rates      motion, lap data, telemetry, status, motion ex 60 Hz; session history and tyre sets 20 Hz, one car after the other; damage 10 Hz;
             session and setups 2 Hz; participants every 5 s; events when they happen
  moves      the own car: everything that the simulation has, with the noise of road and driver (seed 1); all others: position, velocity,
             direction, g forces, lap times and distances, gaps, speed, pedals, gear, revs, tyre wear, sectors, pit stops, as functions of the time
  random     lap times of the others (a hash of car and lap), arrival times (20 us apart, each up to 0.1 ms late)
  constant   setups, names, weather, temperatures and pressures of the others, fuel and energy of the others; fields that the simulation lacks are 0
A real game has noise in more of its fields and would be larger with every method.
";

/// Generates what the game sends.
fn generate(game: &'static Game, hours: f64) -> Result<DataSet> {
    let mut encoder = datagram_encoder(GAME).context("the simulator does not have the game")?;
    let settings = Settings { session: SessionKind::Race, session_ms: None, ..Settings::default() };
    let mut simulation = Simulation::driving(settings, Script::new());
    let (mut noise, mut sent, mut plain) = (Noise::new(1), Datagrams::default(), Vec::new());
    let mut frames: Vec<StreamFrames> = vec![StreamFrames::default(); game.streams.len()];
    let end_ms = (hours * 3_600_000.0) as u64;
    let mut last_ns = 0;
    while simulation.ms() < end_ms {
        simulation.step();
        let Some(driven) = simulation.game() else { continue };
        sent.clear();
        encoder.encode(simulation.ms(), driven, &mut sent);
        for (number, datagram) in (0..).zip(sent.iter()) {
            let name = game.rules.datagram(datagram, &mut plain).context("a datagram of another game")?;
            let stream = game.streams.iter().position(|stream| stream.name == name).context("no such stream")?;
            let time_ns = simulation.ms() * 1_000_000 + number * STEP_NS + noise.next_u64() % JITTER_NS;
            last_ns = time_ns.max(last_ns + 1);
            if let Some(frames) = frames.get_mut(stream) {
                frames.rows.extend_from_slice(datagram);
                frames.times_ns.push(last_ns);
            }
        }
    }
    let found = game.streams.iter().zip(frames).filter(|(_, frames)| !frames.times_ns.is_empty());
    let (streams, frames): (Vec<StreamShape>, _) =
        found.map(|(stream, frames)| (shape(stream, &frames), frames)).unzip();
    let channel = first_float(&streams).context("no stream has a channel of `f32`")?;
    Ok(DataSet::new(GAME, Shape { streams, channel }, frames))
}

/// Finds a channel for the one-channel test, which reads `f32`: the packets begin with a header of integers.
fn first_float(streams: &[StreamShape]) -> Option<Channel> {
    let offset_in = |shape: &StreamShape| {
        shape.fields.iter().find(|field| field.float && field.width == 4).map(|field| field.offset)
    };
    (0..).zip(streams).find_map(|(stream, shape)| Some(Channel { stream, offset: offset_in(shape)? }))
}

/// Describes a stream by the game's own table.
fn shape(stream: &gametape::games::Stream, frames: &StreamFrames) -> StreamShape {
    let row_bytes = frames.rows.len() / frames.times_ns.len().max(1);
    let layout = stream.layout_of(u32::try_from(row_bytes).unwrap_or_default());
    let field = |channel: &gametape::games::Channel| {
        let is_float = matches!(channel.kind, Kind::F32 | Kind::F64);
        let (offset, width) = (channel.offset as usize, channel.kind.bytes() as usize);
        Field::new(&*channel.name, offset, width, is_float, channel.count as usize)
    };
    let fields = layout.map(|layout| layout.channels().iter().map(field).collect()).unwrap_or_default();
    StreamShape { name: stream.name.to_owned(), row_bytes, fields }
}

/// Measures the sizes. Every method must give back what it was given.
pub(super) fn measure(hours: f64, files: &Path) -> Result<Vec<Figure>> {
    let set = generate(find_game(GAME).context("no such game")?, hours)?;
    let mb = |what: &str, bytes: u64| Figure::new(PART, what, bytes as f64 / 1e6, "MB").digits(1);
    let (raw, seconds) = (set.raw_bytes(), hours * 3600.0);
    let mut figures = vec![
        Figure::new(PART, "length", hours, "h").digits(3),
        Figure::count(PART, "datagrams", set.order.len()),
        Figure::new(PART, "  rate", set.order.len() as f64 / seconds, "1/s").digits(1),
        mb("raw", raw),
    ];
    let mut sizes = Vec::new();
    for name in METHODS {
        let Some(peer) = peers::ALL.iter().find(|peer| peer.name() == name) else {
            eprintln!("{name} is left out: built without the feature `peers`");
            continue;
        };
        let bytes = peers::stored_bytes(*peer, &set, files)?;
        figures.push(mb(name, bytes));
        figures.push(Figure::new(PART, "  raw / it", raw as f64 / bytes.max(1) as f64, "").digits(2));
        sizes.push((name, bytes as f64));
    }
    let size = |wanted: &str| sizes.iter().find(|(name, _)| *name == wanted).map(|(_, bytes)| *bytes);
    if let (Some(mcap), Some(own)) = (size("mcap-zstd"), size("gametape")) {
        figures.push(Figure::new(PART, "mcap-zstd / gametape", mcap / own, "").digits(2).at_least(LEAST_FACTOR));
    }
    if let (Some(zstd), Some(own)) = (size("zstd3-stream"), size("gametape")) {
        figures.push(Figure::new(PART, "zstd3-stream / gametape", zstd / own, "").digits(2));
    }
    Ok(figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_generated_has_all_frequent_streams_and_comes_back() {
        let set = generate(find_game(GAME).unwrap(), 0.002).unwrap();
        let count = |name: &str| {
            let index = set.shape.streams.iter().position(|stream| stream.name == name).unwrap();
            set.frames[index].times_ns.len()
        };
        // 7.2 seconds, with a packet at both ends.
        assert_eq!([count("motion"), count("car-telemetry"), count("lap-data")], [433; 3]);
        assert!((140..=145).contains(&count("session-history")));
        peers::assert_all_round_trip(&set);
    }
}
