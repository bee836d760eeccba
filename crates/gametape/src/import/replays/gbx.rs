//! Trackmania replays and ghosts (`.Gbx`): the chunks of the header. Checkpoint times are in the packed body, which is not read.
//! Written after public descriptions, not tested on real files.
//!
//! ```text
//! `GBX`, u16 version (6), 4 characters, u32 class, u32 header size, u32 chunks, per chunk: u32 id, u32 size (bit 31: heavy); their data
//! chunk …001: u32 length, XML: header, map or challenge, times
//! ```

use super::bytes::{Bytes, utf8};
use super::reading::ms;
use super::{ONE_FRAME_BYTES, Reading, ReplayFile};
use crate::import::kind::Kind;
use crate::import::{ImportError, Source};
use crate::matches::MatchPlayer;

pub(in crate::import) static GBX: ReplayFile =
    ReplayFile { kind: Kind::Gbx, game: "trackmania", importer: "gbx 1", one_frame_bytes: ONE_FRAME_BYTES, read };

/// First bytes of a file.
pub(in crate::import) const MAGIC: &[u8] = b"GBX";

/// Bytes from the start that are read. Headers have a few kilobytes.
const MAX_HEAD_BYTES: u64 = 256 << 10;
const MAX_CHUNKS: u32 = 64;

const REPLAYS: [u32; 3] = [0x0309_3000, 0x2403_F000, 0x2407_E000];
const GHOST: u32 = 0x0309_2000;

fn read(source: &Source, reading: &mut Reading) -> Result<(), ImportError> {
    let head = source.read(&(0..source.bytes.min(MAX_HEAD_BYTES)))?;
    let mut bytes = Bytes::at(&head, MAGIC.len());
    if read_header(&mut bytes, reading).is_none() {
        reading.stops(bytes.position() as u64, "the header cannot be read");
    }
    Ok(())
}

fn read_header(bytes: &mut Bytes<'_>, reading: &mut Reading) -> Option<()> {
    let version = bytes.u16()?;
    reading.tell("gbx.version", Some(version));
    if version < 6 {
        // Older files have no header chunks.
        return Some(());
    }
    bytes.skip(4)?;
    let class = bytes.u32()?;
    let kind = if REPLAYS.contains(&class) {
        "replay"
    } else if class == GHOST {
        "ghost"
    } else {
        "other"
    };
    reading.tell("gbx.class", Some(format!("{class:08X} ({kind})")));
    if bytes.u32()? == 0 {
        return Some(());
    }
    let count = bytes.u32().filter(|count| *count <= MAX_CHUNKS)?;
    let mut chunks = Vec::new();
    for _ in 0..count {
        chunks.push((bytes.u32()?, bytes.u32()? & 0x7FFF_FFFF));
    }
    for (id, size) in chunks {
        let data = bytes.take_u32(size)?;
        if id & 0xFFF == 1 {
            let mut text = Bytes::new(data);
            let length = text.u32()?;
            xml(&utf8(text.take_u32(length)?), reading);
        }
        if id & 0xFFF == 2 {
            author(&mut Bytes::new(data), reading);
        }
    }
    Some(())
}

/// The attribute of the first element of this name.
fn attribute(xml: &str, element: &str, name: &str) -> Option<String> {
    let rest = xml.split(&format!("<{element} ")).nth(1)?;
    let tag = rest.split('>').next()?;
    let value = tag.split(&format!("{name}=\"")).nth(1).filter(|_| tag.contains(&format!("{name}=\"")))?;
    let value = value.split('"').next()?;
    let plain = value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&apos;", "'");
    Some(plain.replace("&amp;", "&")).filter(|value| !value.is_empty())
}

/// Removes `$` colour codes and a byte order mark: `$f00Red$z` is `Red`.
fn plain_name(name: &str) -> String {
    let mut plain = String::new();
    let mut rest = name.trim_start_matches('\u{FEFF}').chars().peekable();
    while let Some(c) = rest.next() {
        if c != '$' {
            plain.push(c);
            continue;
        }
        match rest.next() {
            Some('$') => plain.push('$'),
            // A colour has three digits, other codes one letter.
            Some(digit) if digit.is_ascii_hexdigit() => {
                for _ in 0..2 {
                    rest.next_if(char::is_ascii_hexdigit);
                }
            }
            _ => {}
        }
    }
    plain
}

fn xml(xml: &str, reading: &mut Reading) {
    let map = if xml.contains("<challenge ") { "challenge" } else { "map" };
    reading.facts.map = attribute(xml, map, "name").map(|name| plain_name(&name));
    reading.tell("gbx.map_uid", attribute(xml, map, "uid"));
    reading.tell("gbx.map_author", attribute(xml, map, "author"));
    reading.facts.version = attribute(xml, "header", "exever");
    reading.facts.mode = attribute(xml, "header", "title");
    reading.tell("gbx.environment", attribute(xml, "desc", "envir"));
    reading.tell("gbx.car", attribute(xml, "playermodel", "id"));
    // -1: the run was not finished.
    let best = attribute(xml, "times", "best").and_then(|best| best.parse::<i64>().ok()).filter(|best| *best >= 0);
    reading.facts.length_ns = best.and_then(|best| u64::try_from(best).ok()).map(ms);
    reading.facts.result = best.map(|best| format!("{}:{:02}.{:03}", best / 60_000, best / 1000 % 60, best % 1000));
    reading.tell("gbx.best_ms", best);
    for key in ["respawns", "stuntscore"] {
        let count =
            attribute(xml, "times", key).and_then(|count| count.parse::<i64>().ok()).filter(|count| *count >= 0);
        reading.tell(&format!("gbx.{key}"), count);
    }
    let checkpoints = attribute(xml, "checkpoints", "cur").and_then(|count| count.parse::<i64>().ok());
    reading.tell("gbx.checkpoints", checkpoints);
}

/// Who recorded it: u32 version, u32 author version, strings login, nickname, zone.
fn author(bytes: &mut Bytes<'_>, reading: &mut Reading) -> Option<()> {
    let text = |bytes: &mut Bytes<'_>| {
        let length = bytes.u32()?;
        bytes.take_u32(length).map(utf8)
    };
    bytes.skip(8)?;
    let login = text(bytes)?;
    let name = plain_name(&text(bytes)?);
    reading.tell("gbx.author_login", Some(login).filter(|login| !login.is_empty()));
    reading.facts.recorded_by = Some(name.clone()).filter(|name| !name.is_empty());
    if let Some(name) = reading.facts.recorded_by.clone() {
        reading.facts.players =
            vec![MatchPlayer { name: Some(name), is_recorder: Some(true), ..MatchPlayer::default() }];
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lose_their_colours() {
        for (name, plain) in [("$f00Red$z one", "Red one"), ("a$$b", "a$b"), ("$", ""), ("\u{FEFF}$oÜ$f", "Ü")] {
            assert_eq!(plain_name(name), plain, "{name}");
        }
        assert_eq!(attribute("<a b=\"1\"/><map name=\"A &amp; B\" x=\"2\">", "map", "name").unwrap(), "A & B");
        assert_eq!(attribute("<map x=\"2\"><b name=\"n\">", "map", "name"), None);
    }
}
