//! osu! replays (`.osr`): who played what with which score, and the cursor as a stream.
//!
//! ```text
//! u8 mode, u32 version, texts: beatmap MD5, player, replay MD5; 6 × u16 counts, u32 score, u16 combo, u8 perfect, u32 mods,
//! text life bar, i64 .NET time (UTC), i32 length, LZMA of "dt|x|y|keys,…", i64 online id (4 bytes in some old files)
//! ```

use std::io::{self, Write};

use gametape_format::ChannelType::{F32, F64, U32};

use super::bytes::{Bytes, utf8};
use super::decoded::{Decoded, Field};
use super::reading::dotnet_utc_ns;
use super::{ONE_FRAME_BYTES, Reading, ReplayFile, whole};
use crate::import::kind::Kind;
use crate::import::{ImportError, Source};
use crate::matches::MatchPlayer;

pub(in crate::import) static OSU: ReplayFile =
    ReplayFile { kind: Kind::Osr, game: "osu", importer: "osu 1", one_frame_bytes: ONE_FRAME_BYTES, read };

/// Maximum length of the decompressed frames: an hour of play has 5 MB.
const MAX_FRAME_TEXT_BYTES: usize = 8 << 20;

/// Memory of the decompressor: the game compresses with a dictionary of 2 MiB or less.
const MAX_DICTIONARY_BYTES: usize = 16 << 20;

/// Maximum length of a text.
const MAX_TEXT_BYTES: usize = 1 << 20;

/// The `dt` of the frame that holds the random seed instead of a position.
const SEED: f64 = -12_345.0;

const CURSOR: &[Field] =
    &[("time_ms", F64, "ms"), ("delta_ms", F64, "ms"), ("x", F32, ""), ("y", F32, ""), ("keys", U32, "")];

const COUNTS: [&str; 6] = ["count_300", "count_100", "count_50", "count_geki", "count_katu", "count_miss"];

/// Checks for a mode, a date or a version of lazer, and the MD5 of a beatmap.
pub(in crate::import) fn is_osu(start: &[u8]) -> bool {
    let mut bytes = Bytes::new(start);
    let (Some(mode), Some(version)) = (bytes.u8(), bytes.u32()) else { return false };
    let known = (20_070_000..=20_991_231).contains(&version) || (30_000_000..40_000_000).contains(&version);
    let hash =
        bytes.take(2) == Some(&[0x0B, 32]) && bytes.take(32).is_some_and(|hash| hash.iter().all(u8::is_ascii_hexdigit));
    mode <= 3 && known && hash
}

fn read(source: &Source, reading: &mut Reading) -> Result<(), ImportError> {
    let Some(file) = whole(source, reading)? else { return Ok(()) };
    let mut bytes = Bytes::new(&file);
    if read_fields(&mut bytes, reading).is_none() {
        reading.stops(bytes.position() as u64, "the file ends inside its header");
    }
    Ok(())
}

/// A text: absent, or a length and UTF-8.
fn text(bytes: &mut Bytes<'_>) -> Option<Option<String>> {
    match bytes.u8()? {
        0 => Some(None),
        0x0B => {
            let length = usize::try_from(bytes.varint()?).ok().filter(|length| *length <= MAX_TEXT_BYTES)?;
            bytes.take(length).map(|text| Some(utf8(text)).filter(|text| !text.is_empty()))
        }
        _ => None,
    }
}

fn read_fields(bytes: &mut Bytes<'_>, reading: &mut Reading) -> Option<()> {
    let mode = bytes.u8()?;
    reading.facts.mode = ["osu", "taiko", "catch", "mania"].get(usize::from(mode)).map(|mode| (*mode).to_owned());
    reading.facts.version = Some(bytes.u32()?.to_string());
    reading.facts.map = text(bytes)?;
    let mut player = MatchPlayer { name: text(bytes)?, is_recorder: Some(true), ..MatchPlayer::default() };
    reading.tell("osu.replay_md5", text(bytes)?);
    for name in COUNTS {
        player.counters.insert(name.into(), bytes.u16()?.into());
    }
    let score = i64::from(bytes.u32()?);
    player.score = Some(score);
    player.counters.insert("max_combo".into(), bytes.u16()?.into());
    let perfect = bytes.u8()? != 0;
    let mods = bytes.u32()?;
    reading.facts.recorded_by = player.name.clone();
    reading.facts.result = Some(score.to_string());
    reading.facts.players = vec![player];
    reading.tell("osu.perfect", Some(perfect));
    reading.tell("osu.mods", Some(mods));
    text(bytes)?;
    reading.facts.dated_utc_ns = dotnet_utc_ns(bytes.i64()?);
    let length = bytes.i32()?;
    let at = bytes.position();
    let packed = usize::try_from(length).ok().and_then(|length| bytes.take(length))?;
    if !packed.is_empty() {
        read_frames(packed, at, reading);
    }
    // Decided by what is left: the version of old files does not tell.
    let id = match bytes.left() {
        0..4 => {
            reading.stops(bytes.position() as u64, "the file ends before its online id");
            0
        }
        4..8 => i64::from(bytes.i32()?),
        _ => bytes.i64()?,
    };
    reading.facts.match_id = (id > 0).then(|| id.to_string());
    Some(())
}

/// An output that refuses to grow beyond a limit.
struct Limited {
    bytes: Vec<u8>,
    most: usize,
}

impl Write for Limited {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.bytes.len() + data.len() > self.most {
            return Err(io::Error::other(format!("it decompresses to more than {} bytes", self.most)));
        }
        self.bytes.extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn read_frames(packed: &[u8], at: usize, reading: &mut Reading) {
    let mut text = Limited { bytes: Vec::new(), most: MAX_FRAME_TEXT_BYTES };
    let options = lzma_rs::decompress::Options {
        memlimit: Some(MAX_DICTIONARY_BYTES),
        ..lzma_rs::decompress::Options::default()
    };
    let mut input = packed;
    if let Err(error) = lzma_rs::lzma_decompress_with_options(&mut input, &mut text, &options) {
        reading.stops(at as u64, format!("the frames cannot be decompressed: {error}"));
    }
    read_text(&text.bytes, reading);
}

/// Reads the decompressed frames.
pub(super) fn read_text(text: &[u8], reading: &mut Reading) {
    let mut cursor = Decoded::new("cursor", "osu-cursor", CURSOR);
    let (mut time_ms, mut count, mut skipped, mut full) = (0.0f64, 0u64, 0u64, false);
    for part in text.split(|byte| *byte == b',').filter(|part| !part.is_empty()) {
        let Some((delta_ms, x, y, keys)) = frame(part) else {
            skipped += 1;
            continue;
        };
        count += 1;
        if delta_ms == SEED {
            reading.tell("osu.seed", Some(keys));
            continue;
        }
        time_ms += delta_ms;
        let row = [&time_ms.to_le_bytes()[..], &delta_ms.to_le_bytes(), &x.to_le_bytes(), &y.to_le_bytes()].concat();
        full |= !cursor.push(nanoseconds(time_ms), &[&row[..], &keys.to_le_bytes()].concat());
    }
    if skipped > 0 {
        reading.problems.add(format!("{skipped} of {} frames are not four numbers", skipped + count));
    }
    if full {
        reading.problems.add("the file has more frames than can be decoded: the others are left out");
    }
    reading.tell("osu.frames", Some(count));
    if cursor.len() > 0 {
        reading.facts.length_ns = Some(nanoseconds(time_ms));
    }
    reading.decoded.push(cursor);
}

/// Parses `dt|x|y|keys`. Lazer writes floats.
fn frame(part: &[u8]) -> Option<(f64, f32, f32, u32)> {
    let text = std::str::from_utf8(part).ok()?;
    let mut fields = text.trim().split('|');
    let mut number = || fields.next()?.parse::<f64>().ok().filter(|number| number.abs() < 1e10);
    let (delta_ms, x, y, keys) = (number()?, number()?, number()?, number()?);
    fields.next().is_none().then_some((delta_ms, x as f32, y as f32, keys as u32))
}

/// Converts milliseconds to nanoseconds. A time before the start becomes 0.
fn nanoseconds(ms: f64) -> u64 {
    (ms.clamp(0.0, 1e12) * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_four_numbers() {
        assert_eq!(frame(b"16|256.5|-500|5"), Some((16.0, 256.5, -500.0, 5)));
        for wrong in ["", "16", "16|1|2", "16|1|2|3|4", "a|1|2|3", "NaN|1|2|3", "inf|1|2|3", "1e300|1|2|3"] {
            assert_eq!(frame(wrong.as_bytes()), None, "{wrong}");
        }
        assert_eq!([nanoseconds(-5.0), nanoseconds(1.5), nanoseconds(f64::NAN)], [0, 1_500_000, 0]);
    }
}
