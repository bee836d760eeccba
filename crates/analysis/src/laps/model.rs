//! What a tracker finds: sessions, their stints and their laps. The store keeps exactly this, and every answer is made from it.
//!
//! Four things about a lap are kept apart, since tools that mix them cannot be trusted: whether the game counts it
//! ([`Lap::valid`]), whether it was seen whole ([`Lap::complete`]), what kind of lap it was ([`Lap::phase`]) and whether it may be a
//! best ([`Lap::eligible`]). What is not known is `None`, never 0.

use std::fmt::{self, Display};

use gametape_format::TapeId;

use super::words::{
    LapState, Phase, ReasonCode, ReasonSource, SectorSource, SessionEnd, SessionKind, StintEnd, StintStart, TimeSource,
};

/// Id of a session or a lap: derived from the tape and the moment at which it began, so tracking again gives it again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub [u8; 16]);

impl Id {
    /// The id of the session of a tape that began at this time.
    #[must_use]
    pub fn of_session(tape: TapeId, start_ns: u64) -> Self {
        Self::derived(tape, "session", start_ns)
    }

    /// The id of the lap of a tape that began at this time. Laps that were inferred over a gap begin at the same moment: `nth` tells
    /// them apart, and is 0 for all others.
    #[must_use]
    pub fn of_lap(tape: TapeId, start_ns: u64, nth: u32) -> Self {
        match nth {
            0 => Self::derived(tape, "lap", start_ns),
            nth => Self::derived(tape, &format!("lap {nth}"), start_ns),
        }
    }

    fn derived(tape: TapeId, what: &str, start_ns: u64) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&tape.0);
        hasher.update(what.as_bytes());
        hasher.update(&start_ns.to_le_bytes());
        let mut id = [0; 16];
        hasher.finalize_xof().fill(&mut id);
        Self(id)
    }

    /// Reads the text that [`Display`] writes.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let mut id = [0; 16];
        if text.len() != 32 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        for (at, byte) in id.iter_mut().enumerate() {
            *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
        }
        Some(Self(id))
    }
}

impl Display for Id {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(out, "{byte:02x}"))
    }
}

/// A session of a game: from where it began, or was joined, to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// Id of the session.
    pub id: Id,
    /// The tape it is on.
    pub tape: TapeId,
    /// Id of the game.
    pub game: String,
    /// Version of the game or of its telemetry.
    pub game_version: Option<String>,
    /// What kind of session.
    pub kind: SessionKind,
    /// Its number in the weekend, as the game counts.
    pub index: Option<i64>,
    /// The track, in the game's words.
    pub track: Option<String>,
    /// The track's layout.
    pub layout: Option<String>,
    /// The car, in the game's words.
    pub car: Option<String>,
    /// Who drives.
    pub driver: Option<String>,
    /// Whether others were there over the network.
    pub online: Option<bool>,
    /// When it began, since the beginning of the tape.
    pub start_ns: u64,
    /// When it ended; `None` while it runs.
    pub end_ns: Option<u64>,
    /// When it began, in UTC; microseconds since 1970.
    pub started_utc_us: Option<i64>,
    /// When it ended, in UTC.
    pub ended_utc_us: Option<i64>,
    /// Why it ended; `None` while it runs.
    pub end: Option<SessionEnd>,
    /// Sectors of a lap.
    pub sector_count: Option<u8>,
    /// The best lap that may count. Revocable.
    pub best_lap: Option<Id>,
    /// The sum of the best sectors that may count.
    pub theoretical_best_ms: Option<u32>,
    /// What the reader must know, in words: that the game gives no laps, for example.
    pub remark: Option<String>,
}

/// A run between two stops in the pits, or of one driver.
#[derive(Debug, Clone, PartialEq)]
pub struct Stint {
    /// From 1, within the session.
    pub n: u32,
    /// Why it began.
    pub start: StintStart,
    /// Why it ended; `None` while it runs.
    pub end: Option<StintEnd>,
    /// When it began, since the beginning of the tape.
    pub start_ns: u64,
    /// When it ended.
    pub end_ns: Option<u64>,
    /// Number on the tape of its first lap.
    pub first_lap: Option<u32>,
    /// Number on the tape of its last lap.
    pub last_lap: Option<u32>,
    /// Who drives.
    pub driver: Option<String>,
    /// Fuel at its beginning.
    pub fuel_start_l: Option<f32>,
    /// Fuel at its end.
    pub fuel_end_l: Option<f32>,
    /// The set of tyres, as the game counts them.
    pub tyre_set: Option<i32>,
}

/// A lap, whole or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Lap {
    /// Id of the lap.
    pub id: Id,
    /// The session it belongs to.
    pub session: Id,
    /// Number in the session, from 1, as the game counts.
    pub number: Option<u32>,
    /// Number on the tape, from 1, aborted ones too: what `--lap N` means.
    pub tape_lap: u32,
    /// The stint it belongs to.
    pub stint: Option<u32>,
    /// Who drove it.
    pub driver: Option<String>,
    /// When it began, since the beginning of the tape.
    pub start_ns: u64,
    /// When it ended; `None` while it runs.
    pub end_ns: Option<u64>,
    /// When it began, in UTC; microseconds since 1970.
    pub started_utc_us: Option<i64>,
    /// Its time.
    pub time_ms: Option<u32>,
    /// Where the time is from; `None` without a time.
    pub time_source: Option<TimeSource>,
    /// How far it is.
    pub state: LapState,
    /// What kind of lap.
    pub phase: Phase,
    /// Whether all of it was seen.
    pub complete: bool,
    /// Whether the game counts it; `None` where the game does not say.
    pub valid: Option<bool>,
    /// What speaks against it, and why.
    pub reasons: Vec<Reason>,
    /// Whether it may be a best.
    pub eligible: bool,
    /// Its sectors, as many as the track has, or none.
    pub sectors: Vec<Sector>,
    /// Fuel used; `None` if it is not known or fuel was added.
    pub fuel_used_l: Option<f32>,
    /// What it was driven in.
    pub conditions: Conditions,
    /// How much of the track was seen, 0 to 1; `None` where the game gives no place.
    pub coverage: Option<f32>,
    /// Highest speed.
    pub top_speed_kmh: Option<f32>,
    /// The user took it out of bests and statistics. Never set by a tracker.
    pub excluded: bool,
}

/// One sector of a lap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sector {
    /// Its own time, not summed up; `None` if it is not known.
    pub time_ms: Option<u32>,
    /// Where the time is from.
    pub source: SectorSource,
}

/// Why a lap is not what it could be.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// What it is.
    pub code: ReasonCode,
    /// Who says so.
    pub source: ReasonSource,
    /// In which sector, from 1.
    pub at_sector: Option<u8>,
    /// Where on the track, 0 to 1.
    pub at_fraction: Option<f32>,
    /// When, since the beginning of the tape.
    pub at_ns: Option<u64>,
}

/// What a lap was driven in.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conditions {
    /// Temperature of the air.
    pub air_celsius: Option<f32>,
    /// Temperature of the track.
    pub track_celsius: Option<f32>,
    /// The track's grip, in the game's words.
    pub grip: Option<String>,
    /// Rain, in the game's words.
    pub rain: Option<String>,
    /// A yellow or red flag, or a safety car, was out.
    pub caution: Option<bool>,
    /// Time of day in the game, at the lap's beginning.
    pub time_of_day_s: Option<f32>,
    /// Kind of tyre, in the game's words.
    pub tyre: Option<String>,
}

/// What laps have taught about a track.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackFacts {
    /// Id of the game.
    pub game: String,
    /// The track, in the game's words.
    pub track: String,
    /// The track's layout.
    pub layout: Option<String>,
    /// Length of a lap: what the game says, or what cars drove.
    pub length_m: Option<f32>,
    /// Where each sector but the last ends, 0 to 1.
    pub sector_ends: Vec<f32>,
    /// Places along a lap, in the game's world, in order; parts that were never driven are left out.
    pub outline_m: Vec<[f32; 3]>,
    /// Where the pit lane begins, 0 to 1.
    pub pit_entry: Option<f32>,
    /// Where it ends.
    pub pit_exit: Option<f32>,
}

impl Lap {
    /// Whether one of its reasons has this code.
    #[must_use]
    pub fn has(&self, code: ReasonCode) -> bool {
        self.reasons.iter().any(|reason| reason.code == code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_the_same_again_and_differ_by_tape_kind_and_time() {
        let (tape, other) = (TapeId([1; 16]), TapeId([2; 16]));
        let id = Id::of_lap(tape, 5, 0);
        assert_eq!(id, Id::of_lap(tape, 5, 0));
        for different in
            [Id::of_lap(other, 5, 0), Id::of_lap(tape, 6, 0), Id::of_lap(tape, 5, 1), Id::of_session(tape, 5)]
        {
            assert_ne!(id, different);
        }
        assert_eq!(Id::parse(&id.to_string()), Some(id));
        assert_eq!(Id::parse(&"é".repeat(16)), None);
    }
}
