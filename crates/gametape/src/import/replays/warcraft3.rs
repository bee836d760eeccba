//! Warcraft III replays (`.w3g`): classic, Reforged and 2.0.
//!
//! ```text
//! 0   `Warcraft III recorded game` 1A 00, u32 header size (68), u32 file size, u32 header version, u32 decoded size, u32 blocks
//! 48  `PX3W` or `3RAW`, u32 version, u16 build, u16 flags, u32 length in ms, u32 CRC
//! 68  blocks: packed length, plain length, checksum; zlib that may lack its end
//! decoded: 10 01 00 00 00, record of the host, name of the game, settings with the map, records of the other players
//! ```

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::bytes::{Bytes, utf8};
use super::reading::ms;
use super::{ONE_FRAME_BYTES, Reading, ReplayFile, whole};
use crate::import::kind::Kind;
use crate::import::{ImportError, Source};
use crate::matches::MatchPlayer;

pub(in crate::import) static WARCRAFT3: ReplayFile =
    ReplayFile { kind: Kind::W3g, game: "warcraft-3", importer: "warcraft3 1", one_frame_bytes: ONE_FRAME_BYTES, read };

/// First bytes of a replay.
pub(in crate::import) const MAGIC: &[u8] = b"Warcraft III recorded game\x1A\0";

/// Builds before this one have block headers of 8 bytes.
const LONG_BLOCKS_SINCE: u16 = 6089;

/// Maximum length of a decompressed block. The game writes 8192 bytes.
const MAX_BLOCK_BYTES: usize = 1 << 20;

/// Maximum length of all blocks together.
const MAX_DECODED_BYTES: usize = 64 << 20;

/// Decoded bytes that are kept to read names from: they are at the start.
const START_BYTES: usize = 64 << 10;

const MAX_PLAYERS: usize = 24;

fn read(source: &Source, reading: &mut Reading) -> Result<(), ImportError> {
    let Some(file) = whole(source, reading)? else { return Ok(()) };
    let Some(header) = Header::read(&file) else {
        reading.stops(0, "the file ends inside its header");
        return Ok(());
    };
    reading.facts.version = Some(format!("{}, build {}", header.version, header.build));
    reading.facts.length_ns = Some(ms(header.length_ms.into()));
    reading.tell("warcraft3.edition", Some(utf8(&header.edition)));
    reading.tell("warcraft3.multiplayer", Some(header.flags & 0x8000 != 0));
    if u64::from(header.file_bytes) != source.bytes {
        let said = header.file_bytes;
        reading.problems.add(format!("byte 32: the header says {said} bytes, the file has {}", source.bytes));
    }
    let start = blocks(&file, &header, reading);
    if read_names(&mut Bytes::new(&start), reading).is_none() {
        reading.problems.add("the names of the match cannot be read");
    }
    Ok(())
}

struct Header {
    header_bytes: u32,
    file_bytes: u32,
    decoded_bytes: u32,
    blocks: u32,
    edition: [u8; 4],
    version: u32,
    build: u16,
    flags: u16,
    length_ms: u32,
}

impl Header {
    fn read(file: &[u8]) -> Option<Self> {
        let mut bytes = Bytes::at(file, MAGIC.len());
        let (header_bytes, file_bytes) = (bytes.u32()?, bytes.u32()?);
        bytes.u32()?;
        let (decoded_bytes, blocks) = (bytes.u32()?, bytes.u32()?);
        let edition = bytes.take(4)?.try_into().ok()?;
        let (version, build, flags, length_ms) = (bytes.u32()?, bytes.u16()?, bytes.u16()?, bytes.u32()?);
        Some(Self { header_bytes, file_bytes, decoded_bytes, blocks, edition, version, build, flags, length_ms })
    }
}

/// Decompresses all blocks, to check that they are there. Returns the start of the decoded data.
fn blocks(file: &[u8], header: &Header, reading: &mut Reading) -> Vec<u8> {
    let mut bytes = Bytes::at(file, header.header_bytes as usize);
    let (mut start, mut buffer, mut decoded, mut count) = (Vec::new(), Vec::new(), 0, 0u32);
    while count < header.blocks && decoded < MAX_DECODED_BYTES {
        let at = bytes.position() as u64;
        let Some((packed, plain)) = block(&mut bytes, header.build) else {
            reading.stops(at, "the file ends inside a block");
            break;
        };
        if plain > MAX_BLOCK_BYTES {
            reading.stops(at, format!("the block has {plain} bytes, at most {MAX_BLOCK_BYTES} are read"));
            break;
        }
        // The end marker of zlib is missing: stop at the length that the block states.
        buffer.resize(plain, 0);
        let mut decoder = ZlibDecoder::new(packed);
        if let Err(error) = decoder.read_exact(&mut buffer) {
            reading.stops(at, format!("the block cannot be decompressed: {error}"));
            break;
        }
        // The last block is padded.
        let used = plain.min((header.decoded_bytes as usize).saturating_sub(decoded));
        (decoded, count) = (decoded + used, count + 1);
        let room = START_BYTES.saturating_sub(start.len()).min(used);
        start.extend_from_slice(buffer.get(..room).unwrap_or_default());
    }
    reading.tell("warcraft3.blocks", Some(count));
    reading.tell("warcraft3.decoded_bytes", Some(decoded));
    if decoded != header.decoded_bytes as usize {
        let said = header.decoded_bytes;
        reading.problems.add(format!("the header says {said} decoded bytes, {decoded} were found"));
    }
    start
}

fn block<'a>(bytes: &mut Bytes<'a>, build: u16) -> Option<(&'a [u8], usize)> {
    let (packed, plain) = match build < LONG_BLOCKS_SINCE {
        true => (bytes.u16()?.into(), bytes.u16()?.into()),
        false => (bytes.u32()?, bytes.u32()?),
    };
    bytes.u32()?;
    Some((bytes.take_u32(packed)?, plain as usize))
}

/// A text that ends with NUL.
fn text<'a>(bytes: &mut Bytes<'a>) -> Option<&'a [u8]> {
    let mut ahead = *bytes;
    let mut length = 0;
    while ahead.u8()? != 0 {
        length += 1;
    }
    let text = bytes.take(length)?;
    bytes.skip(1)?;
    Some(text)
}

/// The record of a player after its kind.
fn player(bytes: &mut Bytes<'_>) -> Option<MatchPlayer> {
    let number = Some(bytes.u8()?.into());
    let name = Some(utf8(text(bytes)?)).filter(|name| !name.is_empty());
    let more = bytes.u8()?;
    bytes.skip(more.into())?;
    Some(MatchPlayer { number, name, ..MatchPlayer::default() })
}

/// Reads names and map from the start of the decoded data.
pub(super) fn read_names(bytes: &mut Bytes<'_>, reading: &mut Reading) -> Option<()> {
    bytes.skip(4)?;
    bytes.u8().filter(|kind| *kind == 0)?;
    let host = player(bytes)?;
    reading.tell("warcraft3.host", host.name.clone());
    reading.facts.players.push(host);
    reading.tell("warcraft3.game_name", Some(utf8(text(bytes)?)));
    text(bytes)?;
    let settings = plain_settings(text(bytes)?);
    // Speed, visibility and sizes; then the map.
    reading.facts.map = text(&mut Bytes::at(&settings, 13)).map(utf8).filter(|map| !map.is_empty());
    bytes.skip(12)?;
    while reading.facts.players.len() < MAX_PLAYERS && bytes.u8()? == 0x16 {
        let next = player(bytes)?;
        bytes.skip(4)?;
        reading.facts.players.push(next);
    }
    Some(())
}

/// Every eighth byte says which of the next seven were made odd, so that there is no NUL among them.
fn plain_settings(coded: &[u8]) -> Vec<u8> {
    let mut plain = Vec::with_capacity(coded.len());
    for group in coded.chunks(8) {
        let Some((mask, bytes)) = group.split_first() else { continue };
        let fix = |(bit, byte): (u32, &u8)| if mask >> bit & 1 == 1 { *byte } else { byte.wrapping_sub(1) };
        plain.extend((1u32..).zip(bytes).map(fix));
    }
    plain.push(0);
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_get_their_even_bytes_back() {
        // Bits 1 and 3 of the mask: these bytes were odd before.
        assert_eq!(plain_settings(&[0b1010, b'a', b'c', b'c']), [b'a', b'b', b'c', 0]);
        assert_eq!(plain_settings(&[]), [0]);
        assert_eq!(text(&mut Bytes::new(b"ab\0c")), Some(&b"ab"[..]));
        assert_eq!(text(&mut Bytes::new(b"ab")), None);
    }
}
