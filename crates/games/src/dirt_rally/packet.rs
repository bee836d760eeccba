//! A datagram, with its values by index.
use crate::bytes::f32_at;
use crate::sane::finite;

pub(super) const TOTAL_TIME: usize = 0;
pub(super) const LAP_TIME: usize = 1;
pub(super) const LAP_DISTANCE: usize = 2;
pub(super) const PROGRESS: usize = 3;
const POSITION: usize = 4;
pub(super) const SPEED: usize = 7;
const VELOCITY: usize = 8;
const SIDEWAYS: usize = 11;
const FORWARD: usize = 14;
pub(super) const SUSPENSION: usize = 17;
pub(super) const THROTTLE: usize = 29;
pub(super) const STEERING: usize = 30;
pub(super) const BRAKE: usize = 31;
pub(super) const CLUTCH: usize = 32;
pub(super) const GEAR: usize = 33;
pub(super) const G_LATERAL: usize = 34;
pub(super) const G_LONGITUDINAL: usize = 35;
const CURRENT_LAP: usize = 36;
const ENGINE_SPEED: usize = 37;
pub(super) const RACE_POSITION: usize = 39;
pub(super) const SECTOR: usize = 48;
pub(super) const SECTOR_1_TIME: usize = 49;
pub(super) const SECTOR_2_TIME: usize = 50;
pub(super) const BRAKE_TEMPERATURE: usize = 51;
const LAPS_COMPLETED: usize = 59;
const TOTAL_LAPS: usize = 60;
pub(super) const TRACK_LENGTH: usize = 61;
pub(super) const LAST_LAP_TIME: usize = 62;
const MAX_ENGINE_SPEED: usize = 63;
const IDLE_ENGINE_SPEED: usize = 64;
const GEARS: usize = 65;

/// The longest datagram, and the shortest one with a known layout.
const LONGEST: usize = 264;
const SHORTEST: usize = 152;

/// Returns the lengths that are decoded, in ascending order.
pub(super) fn lengths() -> impl DoubleEndedIterator<Item = usize> {
    (SHORTEST / 4..LONGEST / 4 + 1).map(|values| values * 4)
}

/// A datagram of a length that is decoded.
#[derive(Debug, Clone, Copy)]
pub(super) struct Packet<'a> {
    bytes: &'a [u8],
}

impl<'a> Packet<'a> {
    pub(super) fn of(bytes: &'a [u8]) -> Option<Self> {
        let known = (SHORTEST..=LONGEST).contains(&bytes.len()) && bytes.len().is_multiple_of(4);
        known.then_some(Self { bytes })
    }

    /// Returns the value at this index; `None` if it is missing, NaN or infinite.
    pub(super) fn get(self, number: usize) -> Option<f32> {
        f32_at(self.bytes, number * 4).and_then(finite)
    }

    /// Returns a value that is a count.
    fn count(self, number: usize) -> Option<u32> {
        self.get(number).filter(|value| (0.0..1e6).contains(value)).map(|value| value as u32)
    }

    /// Returns whether a stage or a race is loaded. After it is left, the games send packets of zeros, or nothing.
    pub(super) fn is_race(self) -> bool {
        let positive = |number| self.get(number).is_some_and(|value| value > 0.0);
        match self.bytes.len() {
            LONGEST => positive(MAX_ENGINE_SPEED) && positive(IDLE_ENGINE_SPEED),
            // Shorter packets do not have these values.
            _ => !self.is_cleared(),
        }
    }

    /// Returns everything but the total time, which also runs while the game is paused.
    pub(super) fn without_total_time(self) -> &'a [u8] {
        self.bytes.get(4..).unwrap_or_default()
    }

    fn is_cleared(self) -> bool {
        self.without_total_time().iter().all(|byte| *byte == 0)
    }

    /// Completed laps.
    pub(super) fn laps(self) -> Option<u32> {
        self.count(LAPS_COMPLETED).or_else(|| self.count(CURRENT_LAP))
    }

    /// Returns whether the event has more than one lap, as far as the packet says.
    pub(super) fn has_laps(self) -> bool {
        self.count(TOTAL_LAPS).is_some_and(|laps| laps > 1) || self.laps().is_some_and(|laps| laps > 0)
    }

    pub(super) fn vector(self, number: usize) -> Option<[f32; 3]> {
        let [x, y, z] = [0, 1, 2].map(|axis| self.get(number + axis));
        Some([x?, y?, z?])
    }

    pub(super) fn world_m(self) -> Option<[f32; 3]> {
        self.vector(POSITION).filter(|place| *place != [0.0; 3])
    }

    /// Engine speed. The games send radians per second: tools that take them for tenths of rpm are 4.7 % off.
    pub(super) fn rpm(self) -> Option<f32> {
        self.get(ENGINE_SPEED).map(rpm)
    }

    /// Highest engine speed, idle speed and number of gears. The games report no name of the car; a dozen pairs of cars share these.
    pub(super) fn car(self) -> Option<[f32; 3]> {
        let (highest, idle) = (rpm(self.get(MAX_ENGINE_SPEED)?), rpm(self.get(IDLE_ENGINE_SPEED)?));
        Some([highest.round(), idle.round(), self.get(GEARS)?]).filter(|[highest, ..]| *highest > 0.0)
    }

    /// Length of the stage or lap, which serves as the name of the track.
    pub(super) fn track_m(self) -> Option<f32> {
        self.get(TRACK_LENGTH).filter(|metres| *metres > 0.0)
    }

    /// Returns whether this is certainly a datagram of these games. There is no magic number, so many values are checked for plausibility.
    pub(super) fn is_certain(self) -> bool {
        if matches!(self.bytes.len(), LONGEST | SHORTEST) && self.is_cleared() {
            return self.get(TOTAL_TIME).is_some_and(|seconds| (0.0..1e7).contains(&seconds));
        }
        let within =
            |number: usize, from: f32, to: f32| self.get(number).is_some_and(|value| (from..=to).contains(&value));
        let all_numbers = (0..self.bytes.len() / 4).all(|number| self.get(number).is_some());
        all_numbers
            && within(TOTAL_TIME, 0.0, 1e7)
            && within(LAP_TIME, 0.0, 1e6)
            && within(SPEED, 0.0, 1_000.0)
            && [THROTTLE, BRAKE, CLUTCH].into_iter().all(|pedal| within(pedal, -0.01, 1.01))
            && within(STEERING, -1.01, 1.01)
            && within(GEAR, -1.0, 10.0)
            && within(ENGINE_SPEED, -10.0, 5_000.0)
            && self.has_right_vectors()
    }

    /// Forward and sideways are unit vectors at a right angle, and the length of the velocity equals the speed.
    fn has_right_vectors(self) -> bool {
        let vectors = [VELOCITY, SIDEWAYS, FORWARD].map(|number| self.vector(number).unwrap_or_default());
        let dot = |one: [f32; 3], other: [f32; 3]| one.iter().zip(other).map(|(one, other)| one * other).sum::<f32>();
        let [velocity, sideways, forward] = vectors;
        let speed = self.get(SPEED).unwrap_or_default();
        let is_unit = |vector| (dot(vector, vector) - 1.0).abs() < 0.02;
        is_unit(sideways)
            && is_unit(forward)
            && dot(sideways, forward).abs() < 0.02
            && (dot(velocity, velocity).sqrt() - speed).abs() < 0.5 + 0.01 * speed
    }
}

fn rpm(radians_per_s: f32) -> f32 {
    radians_per_s * 30.0 / std::f32::consts::PI
}
