//! Checks a finished recording: reads it back, compares it with what the game wrote, and stores it with the peers.

use std::path::Path;

use anyhow::{Context, Result, ensure};
use gametape_format::read::Tape;
use serde::Serialize;
use zerocopy::IntoBytes as _;

use super::game::drive;
use crate::data::{Channel, DataSet, Shape, StreamFrames, StreamShape};
use crate::peers;

/// The peers that games are recorded with today.
const PEERS: [&str; 2] = ["gamesdat-lz4", "ksana-zlib"];
/// A page whose number lies further than this after the end of the recording was never written.
const LONGEST_LEAD_MS: u64 = 600_000;

/// Storage needed by a method for the frames of the recording.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Stored {
    pub(crate) method: &'static str,
    pub(crate) bytes: u64,
    /// Extrapolated to an hour of such frames.
    pub(crate) hour_bytes: u64,
}

/// Loads a complete tape as frames, its streams in tape order.
pub(super) fn load(path: &Path) -> Result<DataSet> {
    let tape = Tape::open(path)?;
    ensure!(tape.is_complete() && tape.problems().is_empty(), "the tape is not complete: {:?}", tape.problems());
    let (mut streams, mut frames) = (Vec::new(), Vec::new());
    for stream in tape.streams().filter(|stream| !stream.name().starts_with('.')) {
        let mut found = StreamFrames::default();
        let mut row_bytes = 0;
        let mut rows = tape.frames(stream);
        while let Some(frame) = rows.next()? {
            ensure!(row_bytes == 0 || frame.data.len() == row_bytes, "{}: frames of different sizes", stream.name());
            row_bytes = frame.data.len();
            found.rows.extend_from_slice(frame.data);
            found.times_ns.push(frame.time_ns);
        }
        ensure!(row_bytes > 0, "{} has no frames", stream.name());
        streams.push(StreamShape { name: stream.name().to_owned(), row_bytes, fields: Vec::new() });
        frames.push(found);
    }
    Ok(DataSet::new("live", Shape { streams, channel: Channel { stream: 0, offset: 0 } }, frames))
}

/// Counts frames of the tape that the game never wrote: torn copies that were accepted as consistent.
pub(super) fn never_written(set: &DataSet, seconds: u64) -> Result<u64> {
    let mut strange = 0;
    for (shape, frames) in set.shape.streams.iter().zip(&set.frames) {
        let mut game = drive();
        let end_ms = seconds.saturating_mul(1000).saturating_add(LONGEST_LEAD_MS);
        for row in frames.rows.chunks_exact(shape.row_bytes) {
            let wanted =
                row.first_chunk().map(|number| i32::from_le_bytes(*number)).context("a frame without a number")?;
            let number = |game: &gametape_simulator::Simulation| match shape.name.as_str() {
                "physics" => game.pages().physics.packet_id,
                "graphics" => game.pages().graphics.packet_id,
                _ => wanted,
            };
            while number(&game) < wanted && game.ms() < end_ms {
                game.step();
            }
            let pages = game.pages();
            let page = match shape.name.as_str() {
                "physics" => pages.physics.as_bytes(),
                "graphics" => pages.graphics.as_bytes(),
                _ => pages.static_page.as_bytes(),
            };
            strange += u64::from(page != row);
        }
    }
    Ok(strange)
}

/// Stores the frames with each peer and reads them back; the tape itself comes first.
pub(super) fn stored(set: &DataSet, tape_bytes: u64, directory: &Path) -> Result<Vec<Stored>> {
    let last_ns = set.frames.iter().filter_map(|frames| frames.times_ns.last()).max().copied().unwrap_or_default();
    let hour = |bytes: u64| (bytes as f64 * 3600e9 / last_ns.max(1) as f64) as u64;
    let mut list = vec![Stored { method: "gametape", bytes: tape_bytes, hour_bytes: hour(tape_bytes) }];
    for name in PEERS {
        let peer =
            peers::ALL.iter().find(|peer| peer.name() == name).with_context(|| format!("unknown method {name}"))?;
        let bytes = peers::stored_bytes(*peer, set, directory)?;
        list.push(Stored { method: peer.name(), bytes, hour_bytes: hour(bytes) });
    }
    Ok(list)
}
