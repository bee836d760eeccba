//! A race of many cars, as Le Mans Ultimate and rFactor 2 write it into shared memory: one section, or three.
//!
//! The race runs in steps of 10 ms. All cars drive around the drawn track, each at its own pace, and the telemetry of each is complete, as in a
//! race against the computer:
//!
//! | what | how it moves |
//! |---|---|
//! | clocks, position, velocity, acceleration, orientation, rotation | with each step, in double precision |
//! | engine, pedals, steering, gear, torque | with each step; drivers correct their pedals and the steering all the time |
//! | suspension, ride height, forces, loads, patch velocities of four wheels | with each step, on a rough road: half of the movement is noise |
//! | temperatures of brakes, tread (3), carcass and inner layer (3), pressure, wear, fuel | slowly, with each step |
//! | session and classification | every 200 ms |
//! | text of results | when a car exceeds the track limits |
//! | names, limits, settings, and places without a car | never |
//!
//! What a game computes in single precision is widened to the doubles of the interface (temperatures, pressures, forces, pedals, engine, wheels);
//! clocks, positions and motion of the car are doubles. No dump of a real game says whether this is so: [`RaceSettings::is_double`] makes all of them
//! doubles, which no method can store well.
mod car;
mod pages;
mod records;

pub use pages::RFactor2Pages;

use crate::track::Track;
use car::RaceCar;

/// Time of a step.
pub const STEP_MS: u64 = 10;
/// The classification is written every so many steps.
const STEPS_PER_SCORING: u64 = 20;

/// What is raced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RaceSettings {
    /// Number of cars, at most 104.
    pub cars: usize,
    /// Determines everything.
    pub seed: u64,
    /// All numbers have the precision of a double.
    pub is_double: bool,
}

impl Default for RaceSettings {
    fn default() -> Self {
        Self { cars: 40, seed: 1, is_double: false }
    }
}

/// A race.
#[derive(Debug, Clone)]
pub struct Race {
    settings: RaceSettings,
    track: Track,
    cars: Vec<RaceCar>,
    /// Steps so far.
    steps: u64,
    /// What the game wrote about incidents.
    results: String,
    /// The newest classification: as the game wrote it, in the order of the places.
    scoring: Scored,
}

/// What is written every 200 ms.
#[derive(Debug, Clone, Default)]
struct Scored {
    clock_s: f64,
    cars: Vec<ScoredCar>,
    count: u32,
}

/// A car in the classification.
#[derive(Debug, Clone, Copy)]
struct ScoredCar {
    car: usize,
    gap_ahead_s: f64,
    gap_to_leader_s: f64,
}

/// The car of the player, and its place in the telemetry.
const PLAYER: usize = 3;
/// A session of an hour.
const END_S: f64 = 3600.0;

impl Race {
    /// Places the cars on the grid. The first step starts the race.
    #[must_use]
    pub fn new(settings: RaceSettings) -> Self {
        let settings = RaceSettings { cars: settings.cars.clamp(1, 104), ..settings };
        let cars = (0..settings.cars).map(|number| RaceCar::on_grid(number, settings.seed)).collect();
        let (track, scoring) = (Track::ring(), Scored::default());
        let mut race = Self { settings, track, cars, steps: 0, results: String::new(), scoring };
        race.score();
        race
    }

    /// Drives for 10 ms.
    pub fn step(&mut self) {
        self.steps += 1;
        let clock_s = self.clock_s();
        for (number, car) in self.cars.iter_mut().enumerate() {
            car.step(&self.track, clock_s);
            if std::mem::take(&mut car.exceeded_limits) && self.results.len() < 60_000 {
                let line = format!("<TrackLimits et=\"{clock_s:.1}\">Driver {} warning</TrackLimits>\n", number + 1);
                self.results.push_str(&line);
            }
        }
        if self.is_scored() {
            self.score();
        }
    }

    /// Returns the session clock.
    #[must_use]
    pub fn clock_s(&self) -> f64 {
        // The game adds up its steps.
        self.steps as f64 * 0.01
    }

    /// Returns whether the newest step wrote the classification.
    #[must_use]
    pub fn is_scored(&self) -> bool {
        self.steps.is_multiple_of(STEPS_PER_SCORING)
    }

    /// Returns the laps of the player so far, in ms: those that a recording of the whole race has to show.
    #[must_use]
    pub fn player_laps_ms(&self) -> &[u32] {
        self.cars.get(self.player()).map_or(&[], |car| &car.laps_ms)
    }

    fn player(&self) -> usize {
        PLAYER.min(self.cars.len().saturating_sub(1))
    }

    fn score(&mut self) {
        let mut places: Vec<usize> = (0..self.cars.len()).collect();
        let distance = |car: &usize| self.cars.get(*car).map_or(0.0, |car| car.distance_m);
        places.sort_by(|a, b| distance(b).total_cmp(&distance(a)));
        let leader_m = places.first().map_or(0.0, distance);
        let mut ahead_m = leader_m;
        let cars = places.iter().map(|car| {
            let own_m = distance(car);
            let speed = self.cars.get(*car).map_or(1.0, |car| car.speed.max(10.0));
            let scored = ScoredCar {
                car: *car,
                gap_ahead_s: (ahead_m - own_m) / speed,
                gap_to_leader_s: (leader_m - own_m) / speed,
            };
            ahead_m = own_m;
            scored
        });
        self.scoring = Scored { cars: cars.collect(), clock_s: self.clock_s(), count: self.scoring.count + 1 };
    }
}

#[cfg(test)]
mod tests;
