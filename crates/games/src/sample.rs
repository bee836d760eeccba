//! Samples: a car's state, normalized to one vocabulary and one set of units for all games.
//!
//! A game's [`Decode`] turns raw frames into a [`Sample`]. A field is `None` if the game does not report it or reports
//! a sentinel value (−1, `i32::MAX`, NaN). Samples describe the car and are for display; laps are derived from the
//! frames themselves.
use crate::capture::{Presence, SeenFrame};

/// A car's state at one moment. Wheels are in the order front left, front right, rear left, rear right.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sample {
    /// The game's state.
    pub presence: Option<Presence>,

    /// Speed over ground.
    pub speed_kmh: Option<f32>,
    /// Engine speed.
    pub rpm: Option<f32>,
    /// -1 reverse, 0 neutral, 1 first gear.
    pub gear: Option<i8>,

    /// Throttle, 0 to 1.
    pub throttle: Option<f32>,
    /// Brake, 0 to 1.
    pub brake: Option<f32>,
    /// Clutch pedal, 0 (released) to 1 (pressed).
    pub clutch: Option<f32>,
    /// Steering wheel angle as a fraction of full lock, -1 (left) to 1, if the game reports it this way.
    pub steering: Option<f32>,
    /// Steering wheel angle, positive to the right, if the game reports it this way.
    pub steering_rad: Option<f32>,

    /// Track position, 0 to 1 along a lap. Near the line some games exceed the range slightly.
    pub track_position: Option<f32>,
    /// Distance from the line along the lap.
    pub lap_distance_m: Option<f32>,
    /// Distance driven since the car left the pit box.
    pub stint_distance_m: Option<f32>,
    /// World position: x, y up, z, in the game's axes.
    pub world_m: Option<[f32; 3]>,
    /// Geographic position.
    pub geo: Option<Geo>,

    /// Acceleration to the right.
    pub lateral_g: Option<f32>,
    /// Acceleration upwards, without gravity: 0 on a level road.
    pub vertical_g: Option<f32>,
    /// Acceleration forwards; negative under braking.
    pub longitudinal_g: Option<f32>,
    /// Heading. Zero point and direction are the game's.
    pub heading_rad: Option<f32>,
    /// Pitch, with the game's sign.
    pub pitch_rad: Option<f32>,
    /// Roll, with the game's sign.
    pub roll_rad: Option<f32>,

    /// Wheels and tyres.
    pub wheels: [Wheel; 4],
    /// Fuel in the tank.
    pub fuel_l: Option<f32>,
    /// The anti-lock brakes are intervening.
    pub abs_active: Option<bool>,
    /// The traction control is intervening.
    pub tc_active: Option<bool>,
    /// Anti-lock brake setting.
    pub abs_level: Option<i32>,
    /// Traction control setting.
    pub tc_level: Option<i32>,

    /// Current lap time.
    pub lap_time_ms: Option<u32>,
    /// Last lap time.
    pub last_lap_ms: Option<u32>,
    /// Best lap time of the session.
    pub best_lap_ms: Option<u32>,
    /// Time left in the session; `None` if it has no time limit.
    pub session_left_ms: Option<u32>,
    /// Completed laps.
    pub laps_completed: Option<u32>,
    /// Current sector, from 0.
    pub sector: Option<u8>,
    /// The current lap is valid, as far as the game reports it.
    pub lap_is_valid: Option<bool>,
    /// Race position, from 1.
    pub race_position: Option<u16>,
    /// Cars in the session or on the track, depending on the game.
    pub car_count: Option<u16>,
    /// The car is in its pit box.
    pub in_pit_box: Option<bool>,
    /// The car is in the pit lane.
    pub in_pit_lane: Option<bool>,
    /// Flags shown to the driver.
    pub flags: Option<Flags>,

    /// Air temperature.
    pub air_celsius: Option<f32>,
    /// Track temperature.
    pub track_celsius: Option<f32>,
}

/// A wheel with its tyre, brake and suspension.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wheel {
    /// Tyre core temperature.
    pub tyre_core_celsius: Option<f32>,
    /// Tread temperature, inner edge.
    pub tyre_inner_celsius: Option<f32>,
    /// Tread temperature, middle.
    pub tyre_middle_celsius: Option<f32>,
    /// Tread temperature, outer edge.
    pub tyre_outer_celsius: Option<f32>,
    /// Tyre pressure.
    pub pressure_kpa: Option<f32>,
    /// Remaining tread: 1 is new.
    pub tread_left: Option<f32>,
    /// Brake temperature.
    pub brake_celsius: Option<f32>,
    /// Suspension compression.
    pub suspension_m: Option<f32>,
    /// Slip, in the game's unit.
    pub slip: Option<f32>,
    /// Rotation speed.
    pub angular_speed_rad_s: Option<f32>,
}

/// A geographic position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geo {
    /// Latitude; north is positive.
    pub latitude_deg: f64,
    /// Longitude; east is positive.
    pub longitude_deg: f64,
    /// Altitude above sea level.
    pub altitude_m: Option<f32>,
}

/// Flags that are shown, possibly several at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// The track is clear.
    pub green: bool,
    /// Danger somewhere on the track.
    pub yellow: bool,
    /// The session is stopped.
    pub red: bool,
    /// Last lap, or a slow car ahead.
    pub white: bool,
    /// A faster car wants to pass.
    pub blue: bool,
    /// Return to the pits, or disqualified.
    pub black: bool,
    /// Damage: return to the pits.
    pub orange: bool,
    /// The session ends.
    pub chequered: bool,
    /// A penalty has to be served.
    pub penalty: bool,
}

/// Turns the frames of a game into samples. Frames of all streams must arrive in time order.
pub trait Decode: Send {
    /// Updates `sample` from a frame. Fields that the frame's stream does not carry keep their values.
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample);
}

/// The decoder of games without a car, and of those whose frames are not interpreted yet.
pub(crate) struct NoSamples;

impl Decode for NoSamples {
    fn frame(&mut self, _: SeenFrame<'_>, _: &mut Sample) {}
}
