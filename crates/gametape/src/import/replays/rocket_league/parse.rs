//! Parses as much of a Rocket League replay as is intact: header, body, network data. Uses `boxcars`.
//!
//! ```text
//! u32 length, u32 CRC, header: versions, type, properties
//! u32 length, u32 CRC, body: levels, keyframes, network data, lists that the network data needs
//! ```
//! boxcars parses all or nothing, so a file that is cut in its body is passed to it with an empty body instead. It recurses into
//! nested properties and allocates a list before reading it; both are bounded here.

use boxcars::{ParserBuilder, Replay};

/// Maximum header length that is parsed. Real headers have a few thousand bytes.
const MAX_HEADER_BYTES: usize = 512 << 10;

/// Maximum number of lists in a header: boxcars allocates up to 600 kB for each.
const MAX_LISTS: usize = 64;

/// Maximum number of structures in a header: each nesting level is one more call on the stack.
const MAX_STRUCTS: usize = 4096;

/// Stack size for that many calls, with room to spare.
const STACK_BYTES: usize = 64 << 20;

/// Maximum number of network frames: more than two hours at 30 per second. Each is allocated before it is read.
const MAX_FRAMES: i32 = 250_000;

/// Maximum length of the network data. The game ends a replay at 10 MB.
const MAX_NETWORK_BYTES: usize = 12 << 20;

/// A parsed replay.
#[derive(Debug, Default)]
pub(super) struct Parsed {
    /// Header, body and network frames; without the frames if they cannot be parsed; the header with an empty body if that cannot;
    /// `None` if not even the header can.
    pub(super) replay: Option<Replay>,
    /// Problems in the file.
    pub(super) problems: Vec<String>,
}

/// Parses as much of a replay as possible.
pub(super) fn parse(file: &[u8]) -> Parsed {
    // A separate thread: for the stack size, and because a panic in boxcars ends only that thread.
    let parsed = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("replay".into()).stack_size(STACK_BYTES);
        thread.spawn_scoped(scope, || parse_here(file)).map(|thread| thread.join())
    });
    match parsed {
        Ok(Ok(parsed)) => parsed,
        Ok(Err(_)) => broken("the replay cannot be read: its reader gave up on it".into()),
        Err(error) => broken(format!("the replay cannot be read: there is no thread for its reader ({error})")),
    }
}

fn broken(problem: String) -> Parsed {
    Parsed { problems: vec![problem], ..Parsed::default() }
}

fn parse_here(file: &[u8]) -> Parsed {
    let Some(header) = section(file, 0) else {
        return broken("byte 0: the file ends inside its header".into());
    };
    if let Some(problem) = beyond_limits(header.data) {
        return broken(format!("byte 8: the header {problem}: it is not read"));
    }
    let mut problems = Vec::new();
    problems.extend(header.checksum_problem(0, "header"));
    let body_at = 8 + header.data.len();
    match section(file, body_at) {
        None => problems.push(format!("byte {body_at}: the file ends inside its body")),
        Some(body) => {
            problems.extend(body.checksum_problem(body_at, "body"));
            match ParserBuilder::new(file).never_check_crc().never_parse_network_data().parse() {
                Ok(replay) => return with_frames(file, body.data.len(), replay, problems),
                Err(error) => problems.push(format!("the replay cannot be read whole: {error}")),
            }
        }
    }
    // Ten empty lists form an empty body.
    let empty_body = [&40u32.to_le_bytes()[..], &[0; 44]].concat();
    let header_only = [file.get(..body_at).unwrap_or_default(), &empty_body].concat();
    let replay = match ParserBuilder::new(&header_only).never_check_crc().never_parse_network_data().parse() {
        Ok(replay) => Some(replay),
        Err(error) => {
            problems.push(format!("the header cannot be read: {error}"));
            None
        }
    };
    Parsed { replay, problems }
}

/// Adds the network frames to a replay whose header and body are intact.
fn with_frames(file: &[u8], body_bytes: usize, replay: Replay, mut problems: Vec<String>) -> Parsed {
    let count = replay.properties.iter().find(|(key, _)| key == "NumFrames").and_then(|(_, value)| value.as_i32());
    let too_many = count.filter(|count| !(0..=MAX_FRAMES).contains(count));
    let network = if let Some(count) = too_many {
        Err(format!("the header says {count} frames, at most {MAX_FRAMES} are read"))
    } else if body_bytes > MAX_NETWORK_BYTES {
        Err(format!("it is in a body of {body_bytes} bytes, at most {MAX_NETWORK_BYTES} are read"))
    } else {
        let parsed = ParserBuilder::new(file).never_check_crc().must_parse_network_data().parse();
        parsed.map_err(|error| error.to_string())
    };
    match network {
        Ok(whole) => Parsed { replay: Some(whole), problems },
        Err(error) => {
            problems.push(format!("the network data cannot be read: {error}"));
            Parsed { replay: Some(replay), problems }
        }
    }
}

/// Returns why this header must not be passed to boxcars, or `None`.
fn beyond_limits(header: &[u8]) -> Option<String> {
    let count = |name: &[u8]| header.windows(name.len()).filter(|window| *window == name).count();
    if header.len() > MAX_HEADER_BYTES {
        return Some(format!("has {} bytes, at most {MAX_HEADER_BYTES} can be", header.len()));
    }
    let (lists, structs) = (count(b"ArrayProperty"), count(b"StructProperty"));
    if lists > MAX_LISTS || structs > MAX_STRUCTS {
        return Some(format!(
            "has {lists} lists and {structs} structures, at most {MAX_LISTS} and {MAX_STRUCTS} can be"
        ));
    }
    None
}

/// A part of the file that is preceded by its length and checksum.
struct Section<'a> {
    data: &'a [u8],
    crc: u32,
}

fn section(file: &[u8], at: usize) -> Option<Section<'_>> {
    let (length, rest) = file.get(at..)?.split_first_chunk()?;
    let (crc, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(i32::from_le_bytes(*length)).ok()?;
    Some(Section { data: rest.get(..length)?, crc: u32::from_le_bytes(*crc) })
}

impl Section<'_> {
    fn checksum_problem(&self, at: usize, name: &str) -> Option<String> {
        let found = boxcars::crc::calc_crc(self.data);
        let text = || format!("byte {}: the checksum of the {name} does not fit: it is damaged or was changed", at + 4);
        (found != self.crc).then(text)
    }
}
