//! The other cars: where each of them is at a time, as a pure function of the car's number and the time.
use crate::track::Track;

/// Parts of a lap for which the profile has a distance.
const PARTS: usize = 1024;
/// A rival stands in its box at this fraction of its lap time, for this long.
const BOX_SHARE: f64 = 0.985;
const STOP_MS: f64 = 9_000.0;
/// It is in the pit lane from this fraction of its lap time on, in a lap that ends with a stop.
const LANE_SHARE: f64 = 0.955;
/// Fractions of a lap time that the first two sectors take.
const SECTOR_SHARES: [f64; 2] = [0.31, 0.36];

/// Distances along the track of a car that is slow in corners.
#[derive(Debug)]
pub(crate) struct Rivals {
    /// Metres from the line, by fraction of the lap time.
    profile: Vec<f64>,
    length_m: f64,
}

/// A lap of a rival.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RivalLap {
    pub(crate) ms: u32,
    pub(crate) sectors_ms: [u32; 3],
    /// Ends with a stop.
    pub(crate) stops: bool,
    pub(crate) valid: bool,
}

/// A rival at a moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Rival {
    pub(crate) laps: u32,
    /// Negative before the start.
    pub(crate) distance_m: f64,
    pub(crate) speed_ms: f64,
    pub(crate) ahead_ms2: f64,
    pub(crate) lap_ms: u32,
    /// From 0.
    pub(crate) sector: u8,
    pub(crate) in_lane: bool,
    pub(crate) in_box: bool,
    /// Stops so far.
    pub(crate) stops: u32,
}

impl Rivals {
    pub(crate) fn new(track: &Track) -> Self {
        let length_m = track.length_m();
        let step_m = length_m / PARTS as f64;
        let speed_ms = |part: usize| {
            // The corners nearby count as well: a car brakes before and accelerates after them.
            let near = (-8..=8).map(|by| track.at((part as f64 + f64::from(by)) * step_m).curvature.abs());
            let bend = near.sum::<f64>() / 17.0;
            (18.0 / bend.max(1e-6)).sqrt().clamp(18.0, 78.0)
        };
        let mut times: Vec<f64> = Vec::with_capacity(PARTS + 1);
        let mut time = 0.0;
        for part in 0..=PARTS {
            times.push(time);
            time += step_m / speed_ms(part);
        }
        let whole = times.last().copied().unwrap_or(1.0);
        let mut part = 0;
        let profile = (0..=PARTS).map(|index| {
            let wanted = whole * index as f64 / PARTS as f64;
            while part + 2 < times.len() && times[part + 1] <= wanted {
                part += 1;
            }
            let share = ((wanted - times[part]) / (times[part + 1] - times[part])).clamp(0.0, 1.0);
            (part as f64 + share) * step_m
        });
        Self { profile: profile.collect(), length_m }
    }

    /// Returns a lap of a car; laps count from 1.
    pub(crate) fn lap(car: usize, lap: u32) -> RivalLap {
        let car_ms = 36_400 + 60 * car as u32;
        let sway_ms = scatter(car as u32, lap) % 500;
        let every = 6 + car as u32 % 5;
        let stops = lap.is_multiple_of(every);
        let driven_ms = car_ms + sway_ms;
        let ms = driven_ms + if stops { STOP_MS as u32 } else { 0 };
        let [first_ms, second_ms] = SECTOR_SHARES.map(|share| (f64::from(driven_ms) * share) as u32);
        let valid = !scatter(lap, car as u32).is_multiple_of(13);
        RivalLap { ms, sectors_ms: [first_ms, second_ms, ms - first_ms - second_ms], stops, valid }
    }

    /// Returns when a car starts.
    pub(crate) fn start_ms(car: usize) -> f64 {
        900.0 * (car as f64 + 1.0)
    }

    /// Returns a car at a time since the start of the session.
    pub(crate) fn at(&self, car: usize, session_ms: f64) -> Rival {
        let mut lap_ms = session_ms - Self::start_ms(car);
        let (mut laps, mut stops) = (0, 0);
        if lap_ms < 0.0 {
            let distance_m = -8.0 * (car as f64 + 1.0);
            let rest = Rival {
                laps,
                distance_m,
                speed_ms: 0.0,
                ahead_ms2: 0.0,
                lap_ms: 0,
                sector: 0,
                in_lane: false,
                in_box: false,
                stops,
            };
            return rest;
        }
        let mut lap = Self::lap(car, 1);
        while lap_ms >= f64::from(lap.ms) {
            lap_ms -= f64::from(lap.ms);
            laps += 1;
            stops += u32::from(lap.stops);
            lap = Self::lap(car, laps + 1);
        }
        let driven_ms = f64::from(lap.ms) - if lap.stops { STOP_MS } else { 0.0 };
        let box_ms = driven_ms * BOX_SHARE;
        let in_box = lap.stops && (box_ms..box_ms + STOP_MS).contains(&lap_ms);
        let moved_ms = if lap.stops && lap_ms > box_ms { (lap_ms - STOP_MS).max(box_ms) } else { lap_ms };
        let speed = |at_ms: f64| {
            let ahead = self.distance((at_ms + 10.0) / driven_ms) - self.distance((at_ms - 10.0) / driven_ms);
            ahead / 0.02
        };
        let [first_ms, second_ms, _] = lap.sectors_ms.map(f64::from);
        Rival {
            laps,
            distance_m: self.distance(moved_ms / driven_ms),
            speed_ms: if in_box { 0.0 } else { speed(moved_ms) },
            ahead_ms2: if in_box { 0.0 } else { (speed(moved_ms + 10.0) - speed(moved_ms - 10.0)) / 0.02 },
            lap_ms: lap_ms as u32,
            sector: u8::from(lap_ms >= first_ms) + u8::from(lap_ms >= first_ms + second_ms),
            in_lane: lap.stops && lap_ms >= driven_ms * LANE_SHARE,
            in_box,
            stops: stops + u32::from(in_box),
        }
    }

    fn distance(&self, share: f64) -> f64 {
        let whole = share.floor();
        let at = (share - whole) * PARTS as f64;
        let index = (at as usize).min(PARTS - 1);
        let (from, to) = (self.profile[index], self.profile[index + 1]);
        whole * self.length_m + from + (to - from) * (at - index as f64)
    }
}

/// Scatters two numbers.
fn scatter(one: u32, two: u32) -> u32 {
    let mixed = (one.wrapping_mul(0x9E37_79B9) ^ two.wrapping_add(0x7F4A_7C15)).wrapping_mul(0x85EB_CA6B);
    (mixed ^ (mixed >> 15)).wrapping_mul(0xC2B2_AE35) >> 8
}
