//! Fortnite replays (`.replay`): length, version and the timeline of eliminations. What was done by whom is encrypted in newer versions,
//! and positions are compressed with a proprietary algorithm: neither is read.
//!
//! ```text
//! u32 1CA2E27F, u32 file version, (7: i32 n, n × 20 bytes), u32 length ms, u32 network version, u32 changelist, string name, u32 live,
//! (3: i64 .NET time), (2: u32 compressed), (6: u32 encrypted, u32 length, key)
//! chunks: u32 kind (0 header, 1 data, 2 checkpoint, 3 event), u32 length, content
//! event: strings id, group, metadata; u32 start ms, u32 end ms, u32 length, bytes
//! ```

use super::bytes::Bytes;
use super::reading::ms;
use super::{ONE_FRAME_BYTES, Reading, ReplayFile};
use crate::import::kind::Kind;
use crate::import::{ImportError, Source};

pub(in crate::import) static FORTNITE: ReplayFile = ReplayFile {
    kind: Kind::FortniteReplay,
    game: "fortnite",
    importer: "fortnite 1",
    one_frame_bytes: ONE_FRAME_BYTES,
    read,
};

const MAGIC: u32 = 0x1CA2_E27F;
const HEADER_MAGIC: u32 = 0x2CF5_A13D;

/// Maximum bytes before the first chunk, and read of the start of a chunk. Names of the game have 256 characters.
const MAX_HEAD_BYTES: u64 = 64 << 10;
/// Maximum number of versions in the file.
const MAX_VERSIONS: u32 = 1000;
/// Maximum number of chunks.
const MAX_CHUNKS: u64 = 1 << 20;

/// Text before the version of the game.
const BRANCH: &str = "++Fortnite+Release-";

pub(in crate::import) fn is_fortnite(start: &[u8]) -> bool {
    Bytes::new(start).u32() == Some(MAGIC)
}

fn read(source: &Source, reading: &mut Reading) -> Result<(), ImportError> {
    let head = source.read(&(0..source.bytes.min(MAX_HEAD_BYTES)))?;
    let mut bytes = Bytes::new(&head);
    if read_head(&mut bytes, reading).is_none() {
        reading.stops(bytes.position() as u64, "the header cannot be read");
        return Ok(());
    }
    let mut chunks = Chunks { reading, counts: [0; 4], eliminations: 0 };
    chunks.all(source, bytes.position() as u64)
}

fn read_head(bytes: &mut Bytes<'_>, reading: &mut Reading) -> Option<()> {
    bytes.u32()?;
    let version = bytes.u32()?;
    reading.tell("fortnite.file_version", Some(version));
    if version >= 7 {
        let count = bytes.u32().filter(|count| *count <= MAX_VERSIONS)?;
        bytes.take_u32(count * 20)?;
    }
    reading.facts.length_ns = Some(ms(bytes.u32()?.into()));
    reading.tell("fortnite.network_version", bytes.u32());
    reading.tell("fortnite.changelist", bytes.u32());
    reading.tell("fortnite.name", bytes.fstring().filter(|name| !name.is_empty()));
    let live = bytes.u32()? != 0;
    if live {
        reading.problems.add("the game did not finish this replay: it crashed, or is still recording");
    }
    if version >= 3 {
        // The file does not say in which time zone.
        reading.facts.dated_local = dotnet_text(bytes.i64()?);
    }
    if version >= 2 {
        bytes.u32()?;
    }
    if version >= 6 {
        reading.tell("fortnite.encrypted", Some(bytes.u32()? != 0));
        let length = bytes.u32()?;
        bytes.take_u32(length)?;
    }
    Some(())
}

/// A .NET time as `2018-10-17 20:22:26`.
fn dotnet_text(ticks: i64) -> Option<String> {
    let utc_ns = super::reading::dotnet_utc_ns(ticks)?;
    let time = jiff::Timestamp::from_nanosecond(utc_ns.into()).ok()?;
    Some(time.strftime("%Y-%m-%d %H:%M:%S").to_string())
}

struct Chunks<'a> {
    reading: &'a mut Reading,
    counts: [u64; 4],
    eliminations: u64,
}

impl Chunks<'_> {
    /// Walks through the chunks, and reads only the start of each.
    fn all(&mut self, source: &Source, mut at: u64) -> Result<(), ImportError> {
        let mut count = 0;
        while at < source.bytes {
            let head = source.read(&(at..source.bytes.min(at + 8)))?;
            let mut bytes = Bytes::new(&head);
            let (Some(kind), Some(length)) = (bytes.u32(), bytes.u32()) else {
                self.reading.stops(at, "the file ends inside the head of a chunk");
                break;
            };
            let (start, end) = (at + 8, at + 8 + u64::from(length));
            if end > source.bytes {
                self.reading.stops(at, format!("a chunk of {length} bytes ends after the file"));
                break;
            }
            count += 1;
            if count > MAX_CHUNKS {
                self.reading.stops(at, format!("more than {MAX_CHUNKS} chunks are not read"));
                break;
            }
            if let Some(count) = self.counts.get_mut(kind as usize) {
                *count += 1;
            }
            if matches!(kind, 0 | 3) {
                let content = source.read(&(start..end.min(start + MAX_HEAD_BYTES)))?;
                self.chunk(kind, &content, start);
            }
            at = end;
        }
        for (key, count) in ["headers", "data", "checkpoints", "events"].iter().zip(self.counts) {
            self.reading.tell(&format!("fortnite.{key}"), Some(count));
        }
        self.reading.tell("fortnite.eliminations", Some(self.eliminations));
        Ok(())
    }

    fn chunk(&mut self, kind: u32, content: &[u8], at: u64) {
        let read = if kind == 0 { self.header(content) } else { self.event(content) };
        if read.is_none() {
            self.reading.stops(at, "a chunk cannot be read");
        }
    }

    /// Finds the version and the level in the header chunk, whose other fields move between versions.
    fn header(&mut self, content: &[u8]) -> Option<()> {
        let mut bytes = Bytes::new(content);
        bytes.u32().filter(|magic| *magic == HEADER_MAGIC)?;
        let at = content.windows(BRANCH.len()).position(|window| window == BRANCH.as_bytes())?;
        let mut bytes = Bytes::at(content, at.checked_sub(4)?);
        let branch = bytes.fstring()?;
        self.reading.facts.version = branch.strip_prefix(BRANCH).map(str::to_owned);
        // Levels: their number, then a name for each.
        let map = bytes.u32().filter(|count| *count > 0).and_then(|_| bytes.fstring());
        self.reading.facts.map = map.filter(|map| map.starts_with("/Game/"));
        Some(())
    }

    fn event(&mut self, content: &[u8]) -> Option<()> {
        let mut bytes = Bytes::new(content);
        bytes.fstring()?;
        let group = bytes.fstring()?;
        bytes.fstring()?;
        let at_ns = ms(bytes.u32()?.into());
        match group.as_str() {
            "playerElim" => {
                self.eliminations += 1;
                self.reading.event(at_ns, "elimination", "");
            }
            "ZoneUpdate" => self.reading.event(at_ns, "zone_update", ""),
            _ => {}
        }
        Some(())
    }
}
