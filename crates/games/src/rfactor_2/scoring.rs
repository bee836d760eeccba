//! The session and the classification, as both games write them.
use super::records::SCORING_BYTES;
use super::vehicle::text_at;
use crate::bytes::{array_at, f32_at, f64_at, i32_at};
use crate::capture::Presence;
use crate::lap_frame::Pit;
use crate::sane::ms;
use crate::session_kind::SessionKind;
use crate::standings::CarResult;

/// Length of the session.
pub(crate) const INFO_BYTES: usize = 548;
/// Game phases.
const GREEN: u8 = 5;
const FULL_COURSE_YELLOW: u8 = 6;
const STOPPED: u8 = 7;
const OVER: u8 = 8;
const PAUSED: u8 = 9;
const RECON_LAPS: u8 = 1;
const FORMATION: u8 = 3;
/// A session of at least this length has no time limit.
const UNLIMITED_S: f64 = 604_800.0;
/// No game has more vehicles.
const MOST_VEHICLES: i32 = 128;

/// The session.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Info<'a>(&'a [u8]);

impl<'a> Info<'a> {
    /// Returns the session that begins at this offset of a frame.
    pub(crate) fn at(frame: &'a [u8], at: usize) -> Option<Self> {
        frame.get(at..at.checked_add(INFO_BYTES)?).map(Self)
    }

    fn f64(self, at: usize) -> Option<f64> {
        f64_at(self.0, at).filter(|value| value.is_finite())
    }

    fn f32(self, at: usize) -> Option<f32> {
        self.f64(at).map(|value| value as f32)
    }

    pub(crate) fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    /// Returns a text; `None` if it is empty.
    pub(crate) fn text(self, at: usize, bytes: usize) -> Option<String> {
        text_at(self.0, at, bytes)
    }

    /// Returns the bytes that tell one session from another: track, kind, and end.
    pub(crate) fn key(self) -> [&'a [u8]; 3] {
        let track = crate::text::chars(self.0.get(..64).unwrap_or_default());
        [track, self.0.get(64..68).unwrap_or_default(), self.0.get(76..84).unwrap_or_default()]
    }

    pub(crate) fn session(self) -> Option<i32> {
        i32_at(self.0, 64)
    }

    pub(crate) fn kind(self) -> SessionKind {
        match self.session() {
            Some(0) => SessionKind::Test,
            Some(1..=4 | 9) => SessionKind::Practice,
            Some(5..=8) => SessionKind::Qualifying,
            Some(10..=13) => SessionKind::Race,
            _ => SessionKind::Unknown,
        }
    }

    /// Returns the session type in words.
    pub(crate) fn name(self) -> Option<&'static str> {
        Some(match self.session()? {
            0 => "test-day",
            1..=4 => "practice",
            5..=8 => "qualify",
            9 => "warm-up",
            10..=13 => "race",
            _ => return None,
        })
    }

    pub(crate) fn clock_s(self) -> Option<f64> {
        self.f64(68)
    }

    pub(crate) fn left_ms(self) -> Option<f64> {
        let end_s = self.f64(76).filter(|end_s| *end_s > 0.0 && *end_s < UNLIMITED_S)?;
        Some((end_s - self.clock_s()?) * 1000.0).filter(|left_ms| *left_ms >= 0.0)
    }

    pub(crate) fn length_m(self) -> Option<f32> {
        self.f32(88).filter(|metres| *metres > 0.0)
    }

    /// Returns the number of vehicles that are in use.
    pub(crate) fn vehicles(self) -> Option<usize> {
        let count = i32_at(self.0, 104).filter(|count| (0..=MOST_VEHICLES).contains(count))?;
        usize::try_from(count).ok()
    }

    fn phase(self) -> Option<u8> {
        self.u8(108)
    }

    pub(crate) fn is_in_realtime(self) -> Option<bool> {
        self.u8(115).map(|flag| flag != 0)
    }

    pub(crate) fn air_celsius(self) -> Option<f32> {
        self.f32(228)
    }

    pub(crate) fn track_celsius(self) -> Option<f32> {
        self.f32(236)
    }

    pub(crate) fn is_green(self) -> bool {
        self.phase() == Some(GREEN)
    }

    pub(crate) fn is_yellow(self) -> bool {
        self.phase() == Some(FULL_COURSE_YELLOW)
    }

    pub(crate) fn is_red(self) -> bool {
        self.phase() == Some(STOPPED)
    }

    pub(crate) fn is_over(self) -> bool {
        self.phase() == Some(OVER)
    }

    pub(crate) fn is_formation(self) -> bool {
        matches!(self.phase(), Some(RECON_LAPS | FORMATION))
    }

    /// Returns whether the race has not started.
    pub(crate) fn is_before_start(self) -> bool {
        self.kind() == SessionKind::Race && self.phase().is_some_and(|phase| phase < GREEN)
    }

    /// Returns whether there is a session: a track with a length, and vehicles.
    pub(crate) fn is_session(self) -> bool {
        self.length_m().is_some()
            && self.0.first().is_some_and(|first| *first != 0)
            && self.vehicles().is_some_and(|vehicles| vehicles > 0)
    }

    /// Returns whether the values are possible, for games whose sections do not say what they are.
    pub(crate) fn is_plausible(self) -> bool {
        let track = self.0.get(..64).unwrap_or_default();
        let text = crate::text::chars(track);
        !text.is_empty()
            && text.len() < track.len()
            && text.iter().all(|byte| *byte >= 0x20)
            && self.session().is_some_and(|session| (0..=13).contains(&session))
            && self.vehicles().is_some()
            && self.phase().is_some_and(|phase| phase <= PAUSED)
            && self.u8(115).is_some_and(|flag| flag <= 1)
            && self.f64(88).is_some_and(|metres| (0.0..1e6).contains(&metres))
    }
}

/// A vehicle in the classification.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry<'a>(&'a [u8]);

impl<'a> Entry<'a> {
    /// Returns the first `count` vehicles of a frame; later ones are stale.
    pub(crate) fn all(frame: &'a [u8], count: usize) -> impl Iterator<Item = Self> {
        frame.chunks_exact(SCORING_BYTES as usize).take(count).map(Self)
    }

    /// Returns the player's vehicle.
    pub(crate) fn player(frame: &'a [u8], count: usize) -> Option<Self> {
        Self::all(frame, count).find(|entry| entry.is_player())
    }

    fn f64(self, at: usize) -> Option<f64> {
        f64_at(self.0, at).filter(|value| value.is_finite())
    }

    fn i16(self, at: usize) -> Option<i16> {
        array_at(self.0, at).map(i16::from_le_bytes)
    }

    fn i8(self, at: usize) -> Option<i8> {
        self.u8(at).map(u8::cast_signed)
    }

    pub(crate) fn u8(self, at: usize) -> Option<u8> {
        self.0.get(at).copied()
    }

    /// Returns a text; `None` if it is empty.
    pub(crate) fn text(self, at: usize, bytes: usize) -> Option<String> {
        text_at(self.0, at, bytes)
    }

    /// Returns a lap or sector time; 0 and less mean that there is none.
    fn time_ms(self, at: usize) -> Option<u32> {
        self.f64(at).and_then(|seconds| ms(seconds * 1000.0)).filter(|ms| *ms > 0)
    }

    pub(crate) fn id(self) -> Option<i32> {
        i32_at(self.0, 0)
    }

    pub(crate) fn driver(self) -> Option<String> {
        self.text(4, 32)
    }

    pub(crate) fn vehicle(self) -> Option<String> {
        self.text(36, 64)
    }

    pub(crate) fn class(self) -> Option<String> {
        self.text(200, 32)
    }

    pub(crate) fn laps(self) -> Option<u32> {
        self.i16(100).and_then(|laps| u32::try_from(laps).ok())
    }

    /// Returns the sector, from 0. The game counts the last one as 0.
    pub(crate) fn sector(self) -> Option<u8> {
        match self.i8(102)? {
            0 => Some(2),
            1 => Some(0),
            2 => Some(1),
            _ => None,
        }
    }

    pub(crate) fn result(self) -> CarResult {
        match self.i8(103) {
            Some(0) => CarResult::Active,
            Some(1) => CarResult::Finished,
            Some(2) => CarResult::DidNotFinish,
            Some(3) => CarResult::Disqualified,
            _ => CarResult::Unknown,
        }
    }

    pub(crate) fn along_m(self) -> Option<f64> {
        self.f64(104)
    }

    pub(crate) fn best_ms(self) -> Option<u32> {
        self.time_ms(144)
    }

    pub(crate) fn last_ms(self) -> Option<u32> {
        self.time_ms(168)
    }

    /// Returns the last lap time in the game's own resolution.
    pub(crate) fn last_exact(self) -> Option<u32> {
        self.f64(168).filter(|seconds| *seconds > 0.0).map(|seconds| (seconds as f32).to_bits())
    }

    /// Returns the sectors of the last lap, each alone.
    pub(crate) fn last_sectors_ms(self) -> [Option<u32>; 3] {
        let [first, both] = [152, 160].map(|at| self.time_ms(at));
        let rest = |whole: Option<u32>, part: Option<u32>| whole?.checked_sub(part?).filter(|ms| *ms > 0);
        [first, rest(both, first), rest(self.last_ms(), both)]
    }

    /// Returns the times of the current lap from the line to the end of the first sector, and to that of the second.
    pub(crate) fn splits_ms(self) -> [Option<u32>; 2] {
        [176, 184].map(|at| self.time_ms(at))
    }

    pub(crate) fn pit_stops(self) -> Option<u16> {
        self.i16(192).and_then(|stops| u16::try_from(stops).ok())
    }

    pub(crate) fn is_player(self) -> bool {
        self.u8(196).is_some_and(|flag| flag != 0)
    }

    /// Returns whether the player drives it, not the computer, another player, or nobody.
    pub(crate) fn is_driven_here(self) -> bool {
        self.i8(197) == Some(0)
    }

    pub(crate) fn is_replay(self) -> bool {
        self.i8(197) == Some(3)
    }

    pub(crate) fn pit(self) -> Option<Pit> {
        let in_box = self.u8(507)? != 0 || self.u8(457) == Some(3);
        Pit::of(Some(in_box), self.u8(198).map(|flag| flag != 0))
    }

    pub(crate) fn position(self) -> Option<u16> {
        self.u8(199).map(u16::from).filter(|place| *place > 0)
    }

    /// Returns the time behind the car in front.
    pub(crate) fn gap_ahead_ms(self) -> Option<u32> {
        self.gap_ms(232, 240)
    }

    pub(crate) fn gap_to_leader_ms(self) -> Option<u32> {
        self.gap_ms(244, 252)
    }

    /// Returns a gap; whole laps have no time.
    fn gap_ms(self, at: usize, laps_at: usize) -> Option<u32> {
        let is_in_lap = i32_at(self.0, laps_at) == Some(0) && self.position() != Some(1);
        self.time_ms(at).filter(|_| is_in_lap)
    }

    /// Returns when the car crossed the line, on the session clock.
    pub(crate) fn lap_start_s(self) -> Option<f64> {
        self.f64(256)
    }

    /// Returns whether the lap and its time count so far.
    pub(crate) fn lap_counts(self) -> Option<bool> {
        self.u8(506).filter(|flag| *flag <= 2).map(|flag| flag == 2)
    }

    pub(crate) fn is_shown_blue(self) -> bool {
        self.u8(504) == Some(6)
    }

    pub(crate) fn is_under_yellow(self) -> bool {
        self.u8(505).is_some_and(|flag| flag != 0)
    }
}

/// Returns what the game does.
pub(crate) fn presence(info: Option<Info<'_>>, player: Option<Entry<'_>>) -> Presence {
    match info.filter(|info| info.is_session()) {
        None => Presence::Off,
        Some(_) if player.is_some_and(Entry::is_replay) => Presence::Replay,
        Some(info) if info.phase() == Some(PAUSED) => Presence::Paused,
        Some(_) => Presence::Live,
    }
}

/// Returns a time of day that Le Mans Ultimate reports since version 1.3.
pub(crate) fn time_of_day_s(frame: &[u8], info_at: usize) -> Option<f32> {
    f32_at(frame, info_at + 344).filter(|seconds| seconds.is_finite() && *seconds > 0.0)
}
