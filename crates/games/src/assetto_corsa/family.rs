//! Reads game state from the pages of Assetto Corsa and Assetto Corsa Competizione by offset. The two games share
//! section names and the first bytes of their pages, so the layout is not known yet at this point.
//!
//! [`which`] tells the games apart. Other games of the family use the same names but leave the graphics page zero:
//! [`physics_only`].
use crate::bytes::{array_at, i32_at};
use crate::capture::{About, Presence, Seen};
use crate::text::utf16le_text;

/// The game that writes the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Member {
    AssettoCorsa,
    Competizione,
}

/// Lengths of Assetto Corsa's pages. Competizione's pages are longer.
const AC_PHYSICS_BYTES: usize = 580;
const AC_GRAPHICS_BYTES: usize = 296;
const AC_STATIC_BYTES: usize = 684;

/// Text fields of the static page: offset and length in UTF-16 code units.
const AC_VERSION: (usize, usize) = (30, 15);
const CAR_MODEL: (usize, usize) = (68, 33);
const TRACK: (usize, usize) = (134, 33);
const TRACK_CONFIGURATION: (usize, usize) = (524, 33);

/// Determines the game from its pages; `None` while they are not conclusive.
///
/// The first criterion is the four bytes after the shared part of the graphics page: the number of cars in
/// Competizione, a world coordinate in Assetto Corsa. Both games write them continuously, so they are reliable even if
/// the end of a section still holds data of the other game. If they are 0, nonzero bytes past the end of Assetto
/// Corsa's pages mean Competizione, and a session without such bytes means Assetto Corsa.
pub(crate) fn which(seen: Seen<'_>) -> Option<Member> {
    let graphics = page(seen, "graphics");
    if is_blank(graphics) {
        return None;
    }
    let bits = array_at(graphics, 252)?;
    let (cars, metres) = (i32::from_le_bytes(bits), f32::from_le_bytes(bits));
    if (1..=MOST_CARS).contains(&cars) {
        return Some(Member::Competizione);
    }
    if metres.is_finite() && (1e-3..1e6).contains(&metres.abs()) {
        return Some(Member::AssettoCorsa);
    }
    let (physics, statics) = (page(seen, "physics"), page(seen, "static"));
    let beyond = |page: &[u8], from: usize| !is_zero(page.get(from..).unwrap_or_default());
    if beyond(physics, AC_PHYSICS_BYTES) || beyond(graphics, AC_GRAPHICS_BYTES) || beyond(statics, AC_STATIC_BYTES) {
        return Some(Member::Competizione);
    }
    let filled = [AC_VERSION, CAR_MODEL, TRACK].into_iter().all(|text| !units(statics, text).is_empty());
    (filled && presence(seen) != Presence::Off).then_some(Member::AssettoCorsa)
}

/// Returns whether the game writes its physics page but leaves the graphics page zero; `None` while neither is written.
pub(crate) fn physics_only(seen: Seen<'_>) -> Option<bool> {
    let graphics = page(seen, "graphics");
    if !is_blank(graphics) {
        return Some(false);
    }
    (!graphics.is_empty() && counter(seen).is_some_and(|step| step != 0)).then_some(true)
}

/// Returns whether the page is zero, `status` excepted: a bridge may set `status` for games that leave the page zero,
/// while a game that sets it itself also numbers its page.
fn is_blank(graphics: &[u8]) -> bool {
    let (number, rest) = graphics.split_at(graphics.len().min(4));
    is_zero(number) && is_zero(rest.get(4..).unwrap_or_default())
}

/// Upper bound for the number of cars: more than any server accepts, and its bits as a float are smaller than any
/// coordinate.
const MOST_CARS: i32 = 1000;

/// Decodes `status` of the graphics page.
pub(crate) fn presence(seen: Seen<'_>) -> Presence {
    match i32_at(page(seen, "graphics"), 4) {
        Some(1) => Presence::Replay,
        Some(2) => Presence::Live,
        Some(3) => Presence::Paused,
        _ => Presence::Off,
    }
}

/// Returns `packetId` of the physics page.
pub(crate) fn counter(seen: Seen<'_>) -> Option<i64> {
    i32_at(page(seen, "physics"), 0).map(i64::from)
}

/// Returns a key that differs if the session type, `index`, car or track differs. `None` while the game is off or has
/// not reported all of them.
pub(crate) fn session_key(seen: Seen<'_>, index: i32) -> Option<u64> {
    let session = i32_at(page(seen, "graphics"), 8).filter(|session| *session >= 0)?;
    let statics = page(seen, "static");
    let (car, track) = (units(statics, CAR_MODEL), units(statics, TRACK));
    if presence(seen) == Presence::Off || car.is_empty() || track.is_empty() {
        return None;
    }
    let layout = units(statics, TRACK_CONFIGURATION);
    Some(Fnv::of(&[&session.to_le_bytes(), &index.to_le_bytes(), car, track, layout]))
}

/// Returns a key that differs if the car or track differs, for games that report nothing else. `None` until both are
/// reported.
pub(crate) fn names_key(seen: Seen<'_>) -> Option<u64> {
    let statics = page(seen, "static");
    let names = [CAR_MODEL, TRACK, TRACK_CONFIGURATION].map(|text| units(statics, text));
    let [car, track, _layout] = names;
    (!car.is_empty() && !track.is_empty()).then(|| Fnv::of(&names))
}

pub(crate) fn about(seen: Seen<'_>) -> About {
    let statics = page(seen, "static");
    let text = |place| Some(utf16le_text(units(statics, place))).filter(|text| !text.trim().is_empty());
    let session = i32_at(page(seen, "graphics"), 8).filter(|_| presence(seen) != Presence::Off);
    About {
        game_version: text(AC_VERSION),
        car: text(CAR_MODEL),
        track: text(TRACK),
        track_layout: text(TRACK_CONFIGURATION),
        session: session.and_then(session_name).map(str::to_owned),
    }
}

/// Returns the name of a session type.
pub(crate) fn session_name(session: i32) -> Option<&'static str> {
    const NAMES: [&str; 9] =
        ["practice", "qualify", "race", "hotlap", "time-attack", "drift", "drag", "hotstint", "superpole"];
    NAMES.get(usize::try_from(session).ok()?).copied()
}

/// Returns the newest page of the stream; empty if there is none.
pub(crate) fn page<'a>(seen: Seen<'a>, stream: &str) -> &'a [u8] {
    seen.stream(stream).map_or(&[], |frame| frame.bytes)
}

pub(crate) fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| *byte == 0)
}

/// Returns the bytes of a text field up to its first NUL: the rest may be left over from a longer text.
fn units(page: &[u8], (offset, units): (usize, usize)) -> &[u8] {
    let array = page.get(offset..offset + units * 2).unwrap_or_default();
    let used = array.as_chunks::<2>().0.iter().take_while(|unit| **unit != [0, 0]).count();
    array.get(..used * 2).unwrap_or_default()
}

/// 64-bit FNV-1a, with a length after each part so that the concatenation is unambiguous.
pub(crate) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Fnv {
    /// Hashes all parts into one key.
    pub(crate) fn of(parts: &[&[u8]]) -> u64 {
        let mut key = Self::default();
        parts.iter().for_each(|part| key.add(part));
        key.0
    }

    fn add(&mut self, part: &[u8]) {
        let end = u32::try_from(part.len()).unwrap_or(u32::MAX).to_le_bytes();
        for byte in part.iter().chain(&end) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01B3);
        }
    }
}
