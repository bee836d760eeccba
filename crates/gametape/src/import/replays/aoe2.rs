//! Recorded games of Age of Empires II (`.aoe2record`, `.mgz`, `.mgx`): The Conquerors, UserPatch, HD and Definitive Edition.
//!
//! ```text
//! 0  u32 length H of the header, u32 0, deflated header up to H: 7 characters `VER 9.x`, NUL, f32 save version …
//! H  u32 log version, 6 or 7 more u32, then operations: u32 code, content
//! ```
//! Length, resignations, chat and camera come from the operations, which have no names: players are numbers.

use std::io::Read;

use flate2::read::DeflateDecoder;
use gametape_format::ChannelType::{F32, U32};

use super::bytes::{Bytes, utf8};
use super::decoded::{Decoded, Field};
use super::reading::ms;
use super::{ONE_FRAME_BYTES, Reading, ReplayFile, whole};
use crate::import::kind::Kind;
use crate::import::{ImportError, Source};
use crate::matches::{MatchPlayer, Outcome};

pub(in crate::import) static AOE2: ReplayFile = ReplayFile {
    kind: Kind::Aoe2Record,
    game: "age-of-empires-2",
    importer: "aoe2 1",
    one_frame_bytes: ONE_FRAME_BYTES,
    read,
};

/// Bytes of the header that are decompressed.
const START_BYTES: usize = 32;

/// Most players of a match, and the number of nature.
const MAX_PLAYER: u8 = 8;

const ACTION: u32 = 1;
const SYNC: u32 = 2;
const VIEW: u32 = 3;
const CHAT: u32 = 4;
const POST_GAME: u32 = 6;
/// Id of the action of a player who resigns.
const RESIGN: u8 = 11;

const CAMERA: &[Field] = &[("x", F32, "tile"), ("y", F32, "tile"), ("player", U32, "")];

/// The first bytes of the header, decompressed.
fn start_of_header(packed: &[u8]) -> Vec<u8> {
    let mut start = vec![0; START_BYTES];
    let mut decoder = DeflateDecoder::new(packed);
    let mut done = 0;
    while let Some(room) = start.get_mut(done..).filter(|room| !room.is_empty()) {
        match decoder.read(room) {
            Ok(count) if count > 0 => done += count,
            // A cut stream has given all that it can.
            _ => break,
        }
    }
    start.truncate(done);
    start
}

fn is_version(start: &[u8]) -> bool {
    start.starts_with(b"VER 9.") && start.get(7) == Some(&0)
}

/// Checks that the header decompresses to a version.
pub(in crate::import) fn is_aoe2(start: &[u8]) -> bool {
    let mut bytes = Bytes::new(start);
    let (Some(length), Some(0)) = (bytes.u32(), bytes.u32()) else { return false };
    (100..=1 << 26).contains(&length) && is_version(&start_of_header(start.get(8..).unwrap_or_default()))
}

fn read(source: &Source, reading: &mut Reading) -> Result<(), ImportError> {
    let Some(file) = whole(source, reading)? else { return Ok(()) };
    let header_end = Bytes::new(&file).u32().unwrap_or_default() as usize;
    let start = start_of_header(file.get(8..header_end.min(file.len())).unwrap_or_default());
    if !is_version(&start) {
        reading.stops(8, "the header cannot be decompressed");
        return Ok(());
    }
    let edition = utf8(start.get(..7).unwrap_or_default());
    let save = save_version(&start);
    reading.facts.version = Some(match save {
        Some(save) => format!("{edition}, save {save:.2}"),
        None => edition,
    });
    if header_end >= file.len() {
        reading.stops(file.len() as u64, "the file ends inside its header");
        return Ok(());
    }
    Walk::default().all(&file, header_end, reading);
    Ok(())
}

/// The save version: a float, or in newer files a fixed-point number after -1.
fn save_version(start: &[u8]) -> Option<f64> {
    let mut bytes = Bytes::at(start, 8);
    let save = f64::from(bytes.f32()?);
    if save != -1.0 {
        return Some(save).filter(|save| (0.0..1000.0).contains(save));
    }
    let number = bytes.u32()?;
    Some(if number == 37 { 37.0 } else { f64::from(number) / 65_536.0 })
}

/// Walks through the operations.
#[derive(Default)]
struct Walk {
    time_ms: u64,
    actions: u64,
    chats: u64,
    post_game: bool,
    resigned: Vec<i64>,
}

impl Walk {
    fn all(mut self, file: &[u8], header_end: usize, reading: &mut Reading) {
        let mut bytes = Bytes::at(file, header_end);
        let mut camera = Decoded::new("camera", "aoe2-camera", CAMERA);
        let log = bytes.u32();
        reading.tell("aoe2.log_version", log);
        let begun = match log {
            Some(3 | 4) => bytes.skip(24),
            Some(5) => bytes.skip(28),
            _ => None,
        };
        if begun.is_none() {
            return reading
                .stops(header_end as u64, format!("log version {log:?} is not known: operations are not read"));
        }
        while bytes.left() > 0 && !self.post_game {
            let at = bytes.position();
            match self.operation(&mut bytes, &mut camera, reading) {
                Ok(()) => {}
                Err(why) => {
                    reading.stops(at as u64, why);
                    break;
                }
            }
        }
        reading.facts.length_ns = Some(ms(self.time_ms));
        reading.tell("aoe2.actions", Some(self.actions));
        reading.tell("aoe2.chats", Some(self.chats));
        reading.tell("aoe2.post_game", Some(self.post_game));
        reading.facts.players = self
            .resigned
            .iter()
            .map(|number| MatchPlayer { number: Some(*number), result: Some(Outcome::Loss), ..MatchPlayer::default() })
            .collect();
        reading.decoded.push(camera);
    }

    fn operation(&mut self, bytes: &mut Bytes<'_>, camera: &mut Decoded, reading: &mut Reading) -> Result<(), String> {
        let cut = || "the file ends inside an operation: the game did not end".to_owned();
        match bytes.u32().ok_or_else(cut)? {
            ACTION => {
                let length = bytes.u32().ok_or_else(cut)?;
                let action = bytes.take_u32(length).ok_or_else(cut)?;
                bytes.u32().ok_or_else(cut)?;
                self.actions += 1;
                if let [RESIGN, player, ..] = action {
                    self.resign(*player, reading);
                }
            }
            SYNC => self.sync(bytes).ok_or_else(cut)?,
            VIEW => {
                let row = bytes.take(12).ok_or_else(cut)?;
                camera.push_changed(ms(self.time_ms), row);
            }
            CHAT => {
                bytes.u32().ok_or_else(cut)?;
                let length = bytes.u32().ok_or_else(cut)?;
                bytes.take_u32(length).ok_or_else(cut)?;
                self.chats += 1;
            }
            POST_GAME => self.post_game = true,
            code => return Err(format!("operation {code} is not known: the rest is not read")),
        }
        Ok(())
    }

    fn resign(&mut self, player: u8, reading: &mut Reading) {
        let number = i64::from(player);
        if (1..=MAX_PLAYER).contains(&player) && !self.resigned.contains(&number) {
            self.resigned.push(number);
            reading.event(ms(self.time_ms), "resigned", format!("player {player}"));
        }
    }

    /// A step of time. If the number after the increment is not 0, it belongs to the next operation; else a checksum follows, which is
    /// longer in the Definitive Edition.
    fn sync(&mut self, bytes: &mut Bytes<'_>) -> Option<()> {
        let at = bytes.position();
        self.time_ms = self.time_ms.saturating_add(bytes.u32()?.into());
        // At the end of the file there may be no next operation.
        let Some(0) = bytes.u32() else {
            bytes.seek(at + 4);
            return Some(());
        };
        bytes.seek(at + 20);
        let length = if bytes.u32()? == 0 { 32 } else { 8 + 352 + 4 };
        bytes.seek(at);
        bytes.skip(length)
    }
}
