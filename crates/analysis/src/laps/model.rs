//! The data model: sessions, their stints and their laps. The store keeps exactly this, and every API response is made from it.
//!
//! Four properties of a lap are independent: whether the game counts it ([`Lap::valid`]), whether all of it was observed
//! ([`Lap::complete`]), what kind of lap it is ([`Lap::phase`]) and whether it may be a best lap ([`Lap::eligible`]). Results that mix
//! them cannot be trusted. Unknown is `None`, never 0.

use std::fmt::{self, Display};

use gametape_format::TapeId;

use super::words::{
    LapState, Phase, ReasonCode, ReasonSource, SectorSource, SessionEnd, SessionKind, StintEnd, StintStart, TimeSource,
};

/// Id of a session or a lap. Derived from the tape and the start time, so that tracking a tape again gives the same ids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub [u8; 16]);

impl Id {
    /// Returns the id of the session of a tape that began at `start_ns`.
    #[must_use]
    pub fn of_session(tape: TapeId, start_ns: u64) -> Self {
        Self::derived(tape, "session", start_ns)
    }

    /// Returns the id of the lap of a tape that began at `start_ns`. Laps inferred over a gap begin at the same moment: `nth` distinguishes
    /// them, and is 0 for all others.
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

    /// Parses the text that [`Display`] writes.
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

/// Metadata key of a tape whose laps are someone else's: `true`. They are never a personal best.
pub const FOREIGN: &str = "foreign";

/// A session of a game, from when it began, or was joined, to its end.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// Session id.
    pub id: Id,
    /// The tape that it was recorded to.
    pub tape: TapeId,
    /// Game id.
    pub game: String,
    /// Version of the game or of its telemetry.
    pub game_version: Option<String>,
    /// Kind of session.
    pub kind: SessionKind,
    /// Index in the race weekend, in the game's numbering.
    pub index: Option<i64>,
    /// Track, in the game's words.
    pub track: Option<String>,
    /// Track layout.
    pub layout: Option<String>,
    /// Car, in the game's words.
    pub car: Option<String>,
    /// Driver.
    pub driver: Option<String>,
    /// Whether it is an online session.
    pub online: Option<bool>,
    /// Start time since the start of the tape.
    pub start_ns: u64,
    /// End time since the start of the tape; `None` while it runs.
    pub end_ns: Option<u64>,
    /// Start time in UTC, in microseconds since 1970.
    pub started_utc_us: Option<i64>,
    /// End time in UTC, in microseconds since 1970.
    pub ended_utc_us: Option<i64>,
    /// Why it ended; `None` while it runs.
    pub end: Option<SessionEnd>,
    /// Number of sectors of a lap.
    pub sector_count: Option<u8>,
    /// The best eligible lap. Revocable.
    pub best_lap: Option<Id>,
    /// The theoretical best: the sum of the best sectors of eligible laps.
    pub theoretical_best_ms: Option<u32>,
    /// A note for the reader, for example that the game reports no laps.
    pub remark: Option<String>,
    /// Its laps are someone else's: they come from a file of another logger ([`FOREIGN`]).
    pub foreign: bool,
}

/// A run between two pit stops, or by one driver.
#[derive(Debug, Clone, PartialEq)]
pub struct Stint {
    /// Number in the session, from 1.
    pub n: u32,
    /// Why it began.
    pub start: StintStart,
    /// Why it ended; `None` while it runs.
    pub end: Option<StintEnd>,
    /// Start time since the start of the tape.
    pub start_ns: u64,
    /// End time since the start of the tape.
    pub end_ns: Option<u64>,
    /// Tape number of its first lap.
    pub first_lap: Option<u32>,
    /// Tape number of its last lap.
    pub last_lap: Option<u32>,
    /// Driver.
    pub driver: Option<String>,
    /// Fuel at its start.
    pub fuel_start_l: Option<f32>,
    /// Fuel at its end.
    pub fuel_end_l: Option<f32>,
    /// Tyre set, in the game's numbering.
    pub tyre_set: Option<i32>,
}

/// A lap, complete or not.
#[derive(Debug, Clone, PartialEq)]
pub struct Lap {
    /// Lap id.
    pub id: Id,
    /// The session it belongs to.
    pub session: Id,
    /// Number in the session, from 1, by the game's lap count.
    pub number: Option<u32>,
    /// Number on the tape, from 1, including aborted laps: the N of `--lap N`.
    pub tape_lap: u32,
    /// The stint it belongs to.
    pub stint: Option<u32>,
    /// Driver.
    pub driver: Option<String>,
    /// Start time since the start of the tape.
    pub start_ns: u64,
    /// End time since the start of the tape; `None` while it runs.
    pub end_ns: Option<u64>,
    /// Start time in UTC, in microseconds since 1970.
    pub started_utc_us: Option<i64>,
    /// Lap time.
    pub time_ms: Option<u32>,
    /// Source of the lap time; `None` without a time.
    pub time_source: Option<TimeSource>,
    /// State of the lap.
    pub state: LapState,
    /// Kind of lap.
    pub phase: Phase,
    /// Whether all of it was observed.
    pub complete: bool,
    /// Whether the game counts it; `None` if the game does not say.
    pub valid: Option<bool>,
    /// Everything that counts against it.
    pub reasons: Vec<Reason>,
    /// Whether it may be a best lap.
    pub eligible: bool,
    /// Its sectors: as many as the track has, or none.
    pub sectors: Vec<Sector>,
    /// Fuel used; `None` if unknown or if the car was refuelled.
    pub fuel_used_l: Option<f32>,
    /// Conditions that it was driven in.
    pub conditions: Conditions,
    /// Share of the track that was observed, 0 to 1; `None` if the game reports no track position.
    pub coverage: Option<f32>,
    /// Top speed.
    pub top_speed_kmh: Option<f32>,
    /// The user excluded it from bests and statistics. Never set by a tracker.
    pub excluded: bool,
}

/// One sector of a lap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sector {
    /// Time of the sector alone, not cumulative; `None` if unknown.
    pub time_ms: Option<u32>,
    /// Source of the time.
    pub source: SectorSource,
}

/// Something that counts against a lap.
#[derive(Debug, Clone, PartialEq)]
pub struct Reason {
    /// What counts against it.
    pub code: ReasonCode,
    /// Who reports it.
    pub source: ReasonSource,
    /// Sector, from 1.
    pub at_sector: Option<u8>,
    /// Lap distance fraction, 0 to 1.
    pub at_fraction: Option<f32>,
    /// Time since the start of the tape.
    pub at_ns: Option<u64>,
}

/// The conditions of a lap.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conditions {
    /// Air temperature.
    pub air_celsius: Option<f32>,
    /// Track temperature.
    pub track_celsius: Option<f32>,
    /// Track grip, in the game's words.
    pub grip: Option<String>,
    /// Rain intensity, in the game's words.
    pub rain: Option<String>,
    /// Whether a yellow or red flag or a safety car was out.
    pub caution: Option<bool>,
    /// Time of day in the game at the start of the lap.
    pub time_of_day_s: Option<f32>,
    /// Tyre compound, in the game's words.
    pub tyre: Option<String>,
}

/// Track facts learned from laps.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackFacts {
    /// Game id.
    pub game: String,
    /// Track, in the game's words.
    pub track: String,
    /// Track layout.
    pub layout: Option<String>,
    /// Lap length: as the game reports it, or the median distance driven.
    pub length_m: Option<f32>,
    /// End of each sector but the last, 0 to 1.
    pub sector_ends: Vec<f32>,
    /// World positions along a lap, in order. Parts that were never driven are left out.
    pub outline_m: Vec<[f32; 3]>,
    /// Start of the pit lane, 0 to 1.
    pub pit_entry: Option<f32>,
    /// End of the pit lane, 0 to 1.
    pub pit_exit: Option<f32>,
}

impl Lap {
    /// Returns whether one of its reasons has this code.
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
