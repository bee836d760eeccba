//! The neutral frame of laps: what a game says about session and lap at one moment, in one set of words and units.
//!
//! Takes frames through a game's [`ReadLaps`], gives a [`LapFrame`] and the texts beside it as an [`Identity`]. What a game does not say, or says by a number
//! that means "nothing", is `None`. What laps are made of them is for the tracker of `gametape` to say: here nothing is remembered beyond the newest page.
use crate::capture::{Presence, SeenFrame};
use crate::session_kind::SessionKind;

/// What a game says about session and lap at one moment. Small and `Copy`: one is made for every frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LapFrame {
    /// What the game is doing.
    pub presence: Presence,
    /// A number that moves with every new page. Equal to the last one: nothing is new.
    pub counter: Option<i64>,
    /// [`Identity::revision`] that holds.
    pub identity: u32,
    /// [`Identity::names`] that holds.
    pub names: u32,

    /// Kind of session.
    pub kind: SessionKind,
    /// Its number in the weekend.
    pub session_index: Option<i32>,
    /// The game's own id of the session.
    pub session_id: Option<u64>,
    /// Number of the car that the frame is about.
    pub player_car: Option<i32>,
    /// Time left in the session; `None` without a limit.
    pub left_ms: Option<f32>,
    /// Time of day in the game.
    pub time_of_day_s: Option<f32>,
    /// A clock of the game that stands in a pause, for games without a timer that can be trusted.
    pub game_ms: Option<f64>,

    /// Laps completed.
    pub laps_completed: Option<u32>,
    /// Time of the running lap, where the timer starts anew at the line.
    pub running_ms: Option<u32>,
    /// Time of the last lap.
    pub last_ms: Option<u32>,
    /// The same time as the game writes it, where that is finer than a millisecond: tells a new time from an old one that rounds to the same.
    pub last_exact: Option<u32>,
    /// The sector the car is in, from 0.
    pub sector: Option<u8>,
    /// What the game says about the last sector.
    pub sector_value: SectorValue,
    /// Whether the running lap counts.
    pub valid: Option<bool>,
    /// The car is off the track, for games that say no more about validity.
    pub off_track: Option<bool>,
    /// Incidents so far, for the same games.
    pub incidents: Option<i32>,
    /// A penalty is shown that takes the best lap away.
    pub best_removed: bool,
    /// What a second source of the game says about a lap that is over.
    pub verdict: Option<Verdict>,

    /// Where the car is, as to the pits.
    pub pit: Option<Pit>,
    /// Place on the track, 0 to 1.
    pub position: Option<f32>,
    /// The game gave a place that cannot be.
    pub bad_position: bool,
    /// Distance driven, from some moment on.
    pub distance_m: Option<f32>,
    /// Place in the world: x, y up, z; seen from above, with x to the right, z goes down.
    pub world_m: Option<[f32; 3]>,
    /// The direction in which the car moves, clockwise from north, for games that say no place.
    pub course_rad: Option<f32>,
    /// A yellow or red flag, or a safety car.
    pub caution: Option<bool>,
    /// `Some(false)` while the car is on no lap: before a start, or without a driver.
    pub on_lap: Option<bool>,
    /// The laps before a start.
    pub formation: Option<bool>,
    /// The car has not crossed the line yet since it joined: the game counts the first lap from there.
    pub before_first_line: bool,

    /// Speed over ground.
    pub speed_kmh: Option<f32>,
    /// Fuel in the tank.
    pub fuel_l: Option<f32>,
    /// The set of tyres, as the game counts them.
    pub tyre_set: Option<i32>,
    /// Temperature of the air.
    pub air_celsius: Option<f32>,
    /// Temperature of the track.
    pub track_celsius: Option<f32>,
    /// The track's grip, in the game's words.
    pub grip: Option<&'static str>,
    /// Rain, in the game's words.
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
            verdict: None,
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

/// What a game says about the sector that ended last. Games use the same member for different things.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SectorValue {
    /// Nothing.
    #[default]
    None,
    /// The time from the line to its end, ms.
    Cumulative(u32),
    /// Its own time, ms.
    Own(u32),
}

/// Where a car is, as to the pits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pit {
    /// On the track.
    Track,
    /// In the pit lane.
    Lane,
    /// In its box, or in the garage.
    Box,
}

impl Pit {
    /// By the two flags that games have.
    pub(crate) fn of(in_box: Option<bool>, in_lane: Option<bool>) -> Option<Self> {
        match (in_box, in_lane) {
            (Some(true), _) => Some(Self::Box),
            (_, Some(true)) => Some(Self::Lane),
            (None, None) => None,
            _ => Some(Self::Track),
        }
    }
}

/// What a second source of the game says about a lap that is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Number of the lap, from 1.
    pub lap: u32,
    /// The game does not count it.
    pub invalid: Option<bool>,
    /// It may be a best.
    pub counts_for_best: Option<bool>,
}

/// The texts beside the frames, and what seldom changes.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Identity {
    /// Rises whenever anything below changes.
    pub revision: u32,
    /// Rises whenever track, layout, car or driver change.
    pub names: u32,
    /// Version of the game or of its telemetry.
    pub game_version: Option<String>,
    /// The track, in the game's words.
    pub track: Option<String>,
    /// The track's layout.
    pub layout: Option<String>,
    /// The car, in the game's words.
    pub car: Option<String>,
    /// Who drives.
    pub driver: Option<String>,
    /// Kind of tyre, in the game's words.
    pub tyre: Option<String>,
    /// Whether others are there over the network.
    pub online: Option<bool>,
    /// Sectors of a lap, where the game times them.
    pub sector_count: Option<u8>,
    /// Where sectors begin, 0 to 1, the first at 0: where the game says that and times none itself.
    pub sector_starts: Vec<f32>,
    /// Length of a lap.
    pub length_m: Option<f32>,
    /// How it is known whether a lap counts.
    pub validity: Validity,
    /// What the reader of a session must know: that the game gives no laps, for example.
    pub remark: Option<&'static str>,
}

/// How it is known whether a lap counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Validity {
    /// It is not known.
    #[default]
    Unknown,
    /// By [`LapFrame::valid`], which stands as long as the lap runs.
    Flag,
    /// A lap that gets a time counts; one that gets none does not.
    OfficialTime,
}

/// What is said of a session of a game that gives no laps.
pub const NO_LAPS: &str = "the game gives no laps: its pages about session and laps stay empty";

/// Turns the frames of a game into neutral ones. Frames come in the order of their times, from any stream of the game.
pub trait ReadLaps: Send {
    /// Takes over what a frame says; what its stream does not say stays as it was. Gives whether there is a new neutral frame to look at: pages about
    /// the car alone complete the next one.
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool;

    /// The texts that hold now.
    fn identity(&self) -> &Identity;
}

impl Identity {
    /// Takes over another state; the revision rises if it differs.
    pub(crate) fn become_identity(&mut self, other: Self) {
        let other = Self { revision: self.revision, names: self.names, ..other };
        if *self != other {
            let same = (&self.track, &self.layout, &self.car, &self.driver)
                == (&other.track, &other.layout, &other.car, &other.driver);
            let names = self.names.wrapping_add(u32::from(!same));
            *self = Self { revision: self.revision.wrapping_add(1), names, ..other };
        }
    }

    /// Says in a frame which texts hold.
    pub(crate) fn stamp(&self, laps: &mut LapFrame) {
        (laps.identity, laps.names) = (self.revision, self.names);
    }
}
