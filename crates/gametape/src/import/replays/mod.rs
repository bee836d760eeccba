//! Importers for the replay files that games save: the file's own bytes, what can be decoded of them as streams, moments of the match as
//! events, and its facts ([`MatchFacts`]) as metadata.
//!
//! ```text
//! source ─▶ reader of the title ─▶ Reading: facts, events, decoded streams, problems ─▶ Out
//!      └──────────────── bytes ───────────────▶ stream "replay" ──────────────────────▶
//! ```
//! A reader fills a [`Reading`] and knows no tape. It never fails on the content of a file: what cannot be read is a problem of the
//! reading, and everything else is kept. Lengths are checked against limits before memory is taken.

mod aoe2;
mod bits;
mod bytes;
mod bzip2;
mod decoded;
mod fortnite;
mod gbx;
mod lol;
mod mpq;
mod osu;
mod protobuf;
mod pubg;
mod r6;
mod reading;
#[cfg(feature = "rocket-league")]
pub(super) mod rocket_league;
mod sc2;
mod sc2_values;
mod snappy;
mod source2;
mod warcraft3;

use gametape_format::limits::BLOCK_RAW_BYTES;
use gametape_format::{Role, StreamId, StreamSpec};

use super::kind::Kind;
use super::out::Out;
use super::problems::tell_source;
use super::source::chunks;
use super::{Found, ImportError, Importer, Source};
use crate::matches::METADATA_KEY;
use reading::Reading;

pub(super) use aoe2::{AOE2, is_aoe2};
pub(super) use fortnite::{FORTNITE, is_fortnite};
pub(super) use gbx::{GBX, MAGIC as GBX_MAGIC};
pub(super) use lol::{LOL, MAGIC as LOL_MAGIC};
pub(super) use osu::{OSU, is_osu};
pub(super) use pubg::{PUBG, is_pubg};
pub(super) use r6::{PACKED_BYTES as PACKED_R6_BYTES, R6, is_r6, may_be_packed as may_be_packed_r6};
pub(super) use sc2::{MAGIC as SC2_MAGIC, SC2};
pub(super) use source2::{MAGIC as SOURCE2_MAGIC, SOURCE2};
pub(super) use warcraft3::{MAGIC as WARCRAFT3_MAGIC, WARCRAFT3};

/// Name of the stream with the bytes of the file.
const STREAM: &str = "replay";

/// Maximum length of a file that is kept as one frame. Longer ones are kept in pieces, so that memory does not grow with the file.
const ONE_FRAME_BYTES: u64 = 4 << 20;

/// Maximum length of a file that is read into memory to decode it. The largest real ones have a few megabytes.
const MAX_DECODED_FILE_BYTES: u64 = BLOCK_RAW_BYTES as u64;

/// A title: how its replay files are read.
pub(super) struct ReplayFile {
    /// Kind of its files.
    pub(super) kind: Kind,
    /// Id of the game, unless the file names another.
    pub(super) game: &'static str,
    /// Name and version of the reader. Raise the number when the same file produces a different tape.
    pub(super) importer: &'static str,
    /// Maximum length of a file that is kept as one frame.
    pub(super) one_frame_bytes: u64,
    /// Reads a file.
    pub(super) read: fn(&Source, &mut Reading) -> Result<(), ImportError>,
}

impl Importer for ReplayFile {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let mut reading = Reading::new(self.game);
        (self.read)(source, &mut reading)?;
        let Reading { mut facts, mut events, decoded, metadata, problems, time_source } = reading;
        // No format says which time of day the first moment of its decoded streams has.
        out.begin(None)?;
        let replay = self.keep_file(source, &facts.game, out)?;
        for stream in decoded {
            stream.write(&facts.game, replay, out)?;
        }
        let importer = format!("gametape {} {}", env!("CARGO_PKG_VERSION"), self.importer);
        tell_source(out, source, self.kind, &importer, time_source, &problems)?;
        for (key, value) in &metadata {
            out.metadata(key, value)?;
        }
        facts = facts.bounded();
        out.metadata(METADATA_KEY, &facts.to_text())?;
        events.sort_by_key(|event| event.at_ns);
        for event in &events {
            out.event(event.at_ns, event.kind, &event.text)?;
        }
        progress(source.bytes);
        Ok(Found { frames: 1, problems: problems.list() })
    }
}

impl ReplayFile {
    /// Keeps the file's bytes: as one frame, or in pieces that follow one another.
    fn keep_file(&self, source: &Source, game: &str, out: &mut dyn Out) -> Result<StreamId, ImportError> {
        let spec = StreamSpec { game: game.into(), transport: "file".into(), ..StreamSpec::rows(STREAM) };
        let stream = out.add_stream(spec)?;
        if source.bytes <= self.one_frame_bytes {
            out.append(stream, 0, &source.read(&(0..source.bytes))?, 0)?;
            return Ok(stream);
        }
        for piece in chunks(0..source.bytes) {
            out.append(stream, 0, &source.read(&piece)?, piece.start)?;
        }
        Ok(stream)
    }
}

/// Returns the whole file, or `None` with a problem if it is too long to be decoded.
fn whole(source: &Source, reading: &mut Reading) -> Result<Option<Vec<u8>>, ImportError> {
    if source.bytes > MAX_DECODED_FILE_BYTES {
        let bytes = source.bytes;
        reading.problems.add(format!("the file has {bytes} bytes, at most {MAX_DECODED_FILE_BYTES} are decoded"));
        return Ok(None);
    }
    source.read(&(0..source.bytes)).map(Some)
}

/// The description of a stream of decoded values beside the file.
fn decoded_role(describes_file: bool, replay: StreamId) -> (Role, Option<StreamId>) {
    if describes_file { (Role::Describe, Some(replay)) } else { (Role::default(), None) }
}

/// Reads the parts that stand behind a checksum or a compression.
pub(super) fn fuzz_parts(data: &[u8]) {
    let Some((part, data)) = data.split_first() else { return };
    let mut reading = Reading::new("fuzz");
    match part % 5 {
        0 => drop(sc2::read_parts(data, &mut reading)),
        1 => osu::read_text(data, &mut reading),
        2 => drop(warcraft3::read_names(&mut bytes::Bytes::new(data), &mut reading)),
        3 => drop(bzip2::decompress(data, 1 << 20)),
        _ => drop(snappy::decompress(data, 1 << 20)),
    }
    assert!(reading.facts.bounded().to_text().len() <= crate::matches::MAX_JSON_BYTES);
}
