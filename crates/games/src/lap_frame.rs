//! Lap frames: a game's session and lap state at one moment, normalized to one vocabulary and one set of units.
//!
//! A game's [`ReadLaps`] turns raw frames into a [`LapFrame`], plus the names that go with it as an [`Identity`]. A
//! field is `None` if the game does not report it or reports a sentinel value. Nothing here keeps state beyond the
//! newest page; the lap tracker of `gametape` builds laps from lap frames.
use crate::capture::{Presence, SeenFrame};
use crate::session_kind::SessionKind;

/// A game's session and lap state at one moment. Small and `Copy`, because one is made for every frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LapFrame {
    /// What the game is doing.
    pub presence: Presence,
    /// A number that changes with every new page. If it equals the previous one, the page holds nothing new.
    pub counter: Option<i64>,
    /// The [`Identity::revision`] in effect.
    pub identity: u32,
    /// The [`Identity::names`] in effect.
    pub names: u32,

    /// Kind of session.
    pub kind: SessionKind,
    /// Index of the session within the race weekend.
    pub session_index: Option<i32>,
    /// The game's session id.
    pub session_id: Option<u64>,
    /// Number of the car that the frame describes.
    pub player_car: Option<i32>,
    /// Time left in the session; `None` if it has no time limit.
    pub left_ms: Option<f32>,
    /// Time of day in the game world.
    pub time_of_day_s: Option<f32>,
    /// A game clock that stops while paused, for games without a reliable lap timer.
    pub game_ms: Option<f64>,

    /// Completed laps.
    pub laps_completed: Option<u32>,
    /// Current lap time, for games whose timer restarts at the line.
    pub running_ms: Option<u32>,
    /// Last lap time.
    pub last_ms: Option<u32>,
    /// The last lap time in the game's own resolution, if finer than a millisecond. Distinguishes a new time from an
    /// old one that rounds to the same millisecond.
    pub last_exact: Option<u32>,
    /// Current sector, from 0.
    pub sector: Option<u8>,
    /// The game's time for the sector that ended last.
    pub sector_value: SectorValue,
    /// Whether the current lap is valid.
    pub valid: Option<bool>,
    /// The car is off the track. Set for games that report no lap validity.
    pub off_track: Option<bool>,
    /// Incident count so far. Set for games that report no lap validity.
    pub incidents: Option<i32>,
    /// A penalty is shown that deletes the best lap.
    pub best_removed: bool,
    /// The game's record of a completed lap. A lap frame has room for one: several are passed on one after another.
    pub record: Option<LapRecord>,
    /// How often the player has gone back in time in this session. When it rises, lap count, lap timer and position
    /// may be those of an earlier moment. `None` if the game cannot go back.
    pub back_in_time: Option<BackInTime>,

    /// Whether the car is on the track, in the pit lane or in its box.
    pub pit: Option<Pit>,
    /// Track position, 0 to 1.
    pub position: Option<f32>,
    /// The game reported an implausible track position.
    pub bad_position: bool,
    /// Distance driven since a point that the game chooses.
    pub distance_m: Option<f32>,
    /// World position: x, y up, z. Seen from above with x to the right, z points down.
    pub world_m: Option<[f32; 3]>,
    /// Course over ground, clockwise from north, for games that report no world position.
    pub course_rad: Option<f32>,
    /// A yellow or red flag is out, or a safety car.
    pub caution: Option<bool>,
    /// `Some(false)` while the car is not on a lap: before a start, or without a driver.
    pub on_lap: Option<bool>,
    /// The car is on a formation lap.
    pub formation: Option<bool>,
    /// The car has not crossed the line since it joined. The game counts the first lap from there.
    pub before_first_line: bool,

    /// Speed over ground.
    pub speed_kmh: Option<f32>,
    /// Fuel in the tank.
    pub fuel_l: Option<f32>,
    /// Tyre set, in the game's numbering.
    pub tyre_set: Option<i32>,
    /// Air temperature.
    pub air_celsius: Option<f32>,
    /// Track temperature.
    pub track_celsius: Option<f32>,
    /// Track grip, in the game's words.
    pub grip: Option<&'static str>,
    /// Rain intensity, in the game's words.
    pub rain: Option<&'static str>,
}

impl Default for LapFrame {
    fn default() -> Self {
        Self {
            presence: Presence::Off,
            counter: None,
            identity: 0,
            names: 0,
            kind: SessionKind::Unknown,
            session_index: None,
            session_id: None,
            player_car: None,
            left_ms: None,
            time_of_day_s: None,
            game_ms: None,
            laps_completed: None,
            running_ms: None,
            last_ms: None,
            last_exact: None,
            sector: None,
            sector_value: SectorValue::None,
            valid: None,
            off_track: None,
            incidents: None,
            best_removed: false,
            record: None,
            back_in_time: None,
            pit: None,
            position: None,
            bad_position: false,
            distance_m: None,
            world_m: None,
            course_rad: None,
            caution: None,
            on_lap: None,
            formation: None,
            before_first_line: false,
            speed_kmh: None,
            fuel_l: None,
            tyre_set: None,
            air_celsius: None,
            track_celsius: None,
            grip: None,
            rain: None,
        }
    }
}

/// The time of the sector that ended last. Games use the same field for different times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SectorValue {
    /// Not reported.
    #[default]
    None,
    /// Time from the line to the end of the sector, in ms.
    Cumulative(u32),
    /// Time of the sector alone, in ms.
    Own(u32),
}

/// A car's location with respect to the pits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pit {
    /// On the track.
    Track,
    /// In the pit lane.
    Lane,
    /// In its pit box or in the garage.
    Box,
}

impl Pit {
    /// Combines the two flags that games report.
    pub(crate) fn of(in_box: Option<bool>, in_lane: Option<bool>) -> Option<Self> {
        match (in_box, in_lane) {
            (Some(true), _) => Some(Self::Box),
            (_, Some(true)) => Some(Self::Lane),
            (None, None) => None,
            _ => Some(Self::Track),
        }
    }
}

/// The game's own record of a completed lap, apart from the fields of the current one. It may arrive before the lap is
/// counted, or long after it, and again with other values: the newest one applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LapRecord {
    /// Lap number, from 1.
    pub lap: u32,
    /// Lap time.
    pub time_ms: Option<u32>,
    /// Times of the sectors, each alone, for games with three sectors.
    pub sectors_ms: [Option<u32>; 3],
    /// Whether the game counts the lap as invalid.
    pub invalid: Option<bool>,
    /// Whether the lap may become a best lap.
    pub counts_for_best: Option<bool>,
    /// Whether `invalid` overrules [`LapFrame::valid`]. If not, the lap is invalid if either of them says so.
    pub overrules: bool,
}

/// How often the player has gone back in time, and by what.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackInTime {
    /// Number of flashbacks. What was driven after the moment to which they lead no longer counts for the game.
    Flashbacks(u32),
    /// Number of steps back of a rewind.
    Rewinds(u32),
}

/// Names and other values that rarely change.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Identity {
    /// Incremented whenever any field below changes.
    pub revision: u32,
    /// Incremented whenever track, layout, car or driver changes.
    pub names: u32,
    /// Version of the game or of its telemetry.
    pub game_version: Option<String>,
    /// Track, in the game's words.
    pub track: Option<String>,
    /// Track layout.
    pub layout: Option<String>,
    /// Car, in the game's words.
    pub car: Option<String>,
    /// Driver.
    pub driver: Option<String>,
    /// Tyre compound, in the game's words.
    pub tyre: Option<String>,
    /// Whether the session is online.
    pub online: Option<bool>,
    /// Number of sectors, if the game times them.
    pub sector_count: Option<u8>,
    /// Sector starts, 0 to 1, the first at 0. Filled if the game reports them but does not time sectors.
    pub sector_starts: Vec<f32>,
    /// Lap length.
    pub length_m: Option<f32>,
    /// How lap validity is determined.
    pub validity: Validity,
    /// A note for the reader of the session, for example that the game reports no laps.
    pub remark: Option<&'static str>,
}

/// How lap validity is determined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Validity {
    /// Validity is not known.
    #[default]
    Unknown,
    /// By [`LapFrame::valid`], which is updated for as long as the lap runs.
    Flag,
    /// A lap with an official time is valid; a lap without one is not.
    OfficialTime,
}

/// The remark on sessions of games that report no laps.
pub const NO_LAPS: &str = "the game gives no laps: its pages about session and laps stay empty";

/// Turns the frames of a game into lap frames. Frames of all streams must arrive in time order.
pub trait ReadLaps: Send {
    /// Updates `laps` from a frame. Fields that the frame's stream does not carry keep their values. Returns whether
    /// `laps` should be evaluated now: pages that only describe the car return `false` and complete the next lap frame.
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool;

    /// Returns the names in effect.
    fn identity(&self) -> &Identity;
}

/// The lap reader of games without laps.
#[derive(Default)]
pub(crate) struct NoLaps(Identity);

impl ReadLaps for NoLaps {
    fn frame(&mut self, _: SeenFrame<'_>, _: &mut LapFrame) -> bool {
        false
    }

    fn identity(&self) -> &Identity {
        &self.0
    }
}

impl Identity {
    /// Replaces the identity. Increments the revision if anything differs.
    pub(crate) fn replace_with(&mut self, other: Self) {
        let other = Self { revision: self.revision, names: self.names, ..other };
        if *self != other {
            let same = (&self.track, &self.layout, &self.car, &self.driver)
                == (&other.track, &other.layout, &other.car, &other.driver);
            let names = self.names.wrapping_add(u32::from(!same));
            *self = Self { revision: self.revision.wrapping_add(1), names, ..other };
        }
    }

    /// Writes the revisions in effect into a lap frame.
    pub(crate) fn stamp(&self, laps: &mut LapFrame) {
        (laps.identity, laps.names) = (self.revision, self.names);
    }
}
