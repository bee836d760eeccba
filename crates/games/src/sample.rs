//! The neutral vocabulary: what all games mean, in one set of words and units.
//!
//! Takes frames through a game's [`Decode`], gives a [`Sample`]. What a game does not say is `None`, and so is a number
//! that a game uses to say "nothing" (−1, `i32::MAX`, NaN). A sample is about the car and for display; laps are made from
//! the frames themselves.
use crate::capture::{Presence, SeenFrame};

/// What a car does at one moment. Wheels are front left, front right, rear left, rear right.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Sample {
    /// What the game is doing.
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
    /// Clutch, 0 to 1 where the pedal is pressed.
    pub clutch: Option<f32>,
    /// Steering wheel as a share of its lock, -1 (left) to 1, where the game gives that.
    pub steering: Option<f32>,
    /// Steering wheel as an angle, positive to the right, where the game gives that.
    pub steering_rad: Option<f32>,

    /// Place on the track, 0 to 1 along a lap. Near the line some games go a little beyond.
    pub track_position: Option<f32>,
    /// Distance from the line along the lap.
    pub lap_distance_m: Option<f32>,
    /// Distance driven since the car left the box.
    pub stint_distance_m: Option<f32>,
    /// Place in the game's world: x, y up, z. Axes are the game's own.
    pub world_m: Option<[f32; 3]>,
    /// Place on the globe.
    pub geo: Option<Geo>,

    /// Acceleration to the right.
    pub lateral_g: Option<f32>,
    /// Acceleration upwards, without gravity: 0 on an even road.
    pub vertical_g: Option<f32>,
    /// Acceleration forwards; negative under braking.
    pub longitudinal_g: Option<f32>,
    /// Heading. Where 0 is and which way it goes is the game's own.
    pub heading_rad: Option<f32>,
    /// Pitch, in the game's own direction.
    pub pitch_rad: Option<f32>,
    /// Roll, in the game's own direction.
    pub roll_rad: Option<f32>,

    /// Wheels and tyres.
    pub wheels: [Wheel; 4],
    /// Fuel in the tank.
    pub fuel_l: Option<f32>,
    /// The anti-lock brakes act.
    pub abs_active: Option<bool>,
    /// The traction control acts.
    pub tc_active: Option<bool>,
    /// Setting of the anti-lock brakes.
    pub abs_level: Option<i32>,
    /// Setting of the traction control.
    pub tc_level: Option<i32>,

    /// Time of the running lap.
    pub lap_time_ms: Option<u32>,
    /// Time of the last lap.
    pub last_lap_ms: Option<u32>,
    /// Best time in the session.
    pub best_lap_ms: Option<u32>,
    /// Time left; `None` where there is no limit.
    pub session_left_ms: Option<u32>,
    /// Laps completed.
    pub laps_completed: Option<u32>,
    /// The sector the car is in, from 0.
    pub sector: Option<u8>,
    /// The running lap counts, as far as the game says.
    pub lap_is_valid: Option<bool>,
    /// Place in the field, from 1.
    pub race_position: Option<u16>,
    /// Cars in the session or on the track, as the game counts.
    pub car_count: Option<u16>,
    /// The car is in its box.
    pub in_pit_box: Option<bool>,
    /// The car is in the pit lane.
    pub in_pit_lane: Option<bool>,
    /// Flags shown.
    pub flags: Option<Flags>,

    /// Temperature of the air.
    pub air_celsius: Option<f32>,
    /// Temperature of the track.
    pub track_celsius: Option<f32>,
}

/// One wheel with tyre, brake and suspension.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wheel {
    /// Inside the tyre.
    pub tyre_core_celsius: Option<f32>,
    /// Tread towards the middle of the car.
    pub tyre_inner_celsius: Option<f32>,
    /// Middle of the tread.
    pub tyre_middle_celsius: Option<f32>,
    /// Tread away from the car.
    pub tyre_outer_celsius: Option<f32>,
    /// Pressure in the tyre.
    pub pressure_kpa: Option<f32>,
    /// What is left of the tread: 1 is new.
    pub tread_left: Option<f32>,
    /// Temperature of the brake.
    pub brake_celsius: Option<f32>,
    /// How far the suspension is pressed in.
    pub suspension_m: Option<f32>,
    /// Slip, in the game's own measure.
    pub slip: Option<f32>,
    /// How fast the wheel turns.
    pub angular_speed_rad_s: Option<f32>,
}

/// A place on the globe.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Geo {
    /// North is positive.
    pub latitude_deg: f64,
    /// East is positive.
    pub longitude_deg: f64,
    /// Above the sea.
    pub altitude_m: Option<f32>,
}

/// The flags that are shown; several may be at once.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flags {
    /// The track is clear.
    pub green: bool,
    /// Danger; in any part of the track.
    pub yellow: bool,
    /// The session is stopped.
    pub red: bool,
    /// Last lap, or a slow car ahead.
    pub white: bool,
    /// A faster car wants by.
    pub blue: bool,
    /// To the pits, or disqualified.
    pub black: bool,
    /// Damage: to the pits.
    pub orange: bool,
    /// The session ends.
    pub chequered: bool,
    /// A penalty is to be served.
    pub penalty: bool,
}

/// Turns the frames of a game into samples. Frames come in the order of their times, from any stream of the game.
pub trait Decode: Send {
    /// Takes over what a frame says; what its stream does not say stays as it was.
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample);
}
