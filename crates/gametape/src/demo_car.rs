//! A generator of car-like frames: not a game and not a simulation, but plausible numbers that are the same for the same seed.
//!
//! Gives physics pages of Assetto Corsa Competizione (`acc-physics-800`) at 100 Hz. The car follows a fixed profile of corners
//! around a lap of 36 s; the seed changes how well it brakes and how worn it is.

use gametape_games::acc::PHYSICS_800;

/// Frames in a second.
pub const RATE_HZ: u64 = 100;
/// Frames of one lap.
pub const LAP_FRAMES: u64 = 36 * RATE_HZ;

/// Corners of the lap: where the apex is (share of the lap), speed there, direction.
const CORNERS: [(f32, f32, f32); 7] = [
    (0.08, 92.0, 1.0),
    (0.19, 148.0, -1.0),
    (0.31, 74.0, 1.0),
    (0.46, 176.0, 1.0),
    (0.58, 110.0, -1.0),
    (0.72, 63.0, -1.0),
    (0.88, 131.0, 1.0),
];
const TOP_SPEED_KMH: f32 = 262.0;
/// Top speed of each gear from the first on.
const GEAR_TOP_KMH: [f32; 6] = [82.0, 118.0, 155.0, 194.0, 232.0, 275.0];
const MAX_RPM: f32 = 9250.0;

/// What a frame says, for a status line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dials {
    /// Laps completed.
    pub laps: u64,
    /// Speed.
    pub speed_kmh: f32,
    /// Gear, 1 is the first.
    pub gear: i32,
    /// Engine speed.
    pub rpm: i32,
}

/// Makes frames, one after the other.
#[derive(Debug, Clone)]
pub struct DemoCar {
    frame: u64,
    random: u64,
    page: Vec<u8>,
    speed_kmh: f32,
    wobble: f32,
    fuel_l: f32,
    tyre_celsius: [f32; 4],
    brake_celsius: [f32; 4],
    dials: Dials,
}

impl DemoCar {
    /// A car at the line.
    pub fn new(seed: u64) -> Self {
        let mut car = Self {
            frame: 0,
            random: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1,
            page: vec![0; PHYSICS_800.frame_bytes() as usize],
            speed_kmh: 180.0,
            wobble: 0.0,
            fuel_l: 62.0,
            tyre_celsius: [78.0; 4],
            brake_celsius: [310.0; 4],
            dials: Dials { laps: 0, speed_kmh: 180.0, gear: 4, rpm: 7000 },
        };
        // The first numbers of neighbouring seeds are alike.
        for _ in 0..8 {
            car.noise();
        }
        car
    }

    /// Frames made so far.
    pub fn frames(&self) -> u64 {
        self.frame
    }

    /// What the last frame says.
    pub fn dials(&self) -> Dials {
        self.dials
    }

    /// The next frame; valid until the next call.
    pub fn next_frame(&mut self) -> &[u8] {
        let lap_share = (self.frame % LAP_FRAMES) as f32 / LAP_FRAMES as f32;
        self.wobble = self.wobble * 0.97 + self.noise() * 0.03;
        let (target_kmh, turn) = profile(lap_share);
        let target_kmh = target_kmh * (1.0 + 0.04 * self.wobble);
        let step = (target_kmh - self.speed_kmh).clamp(-1.05, 0.34);
        self.speed_kmh = (self.speed_kmh + step).max(20.0);
        let gas = (step / 0.34).clamp(0.0, 1.0);
        let brake = (-step / 1.05).clamp(0.0, 1.0);
        let gear = GEAR_TOP_KMH.iter().position(|top| self.speed_kmh < *top).unwrap_or(5);
        let rpm = MAX_RPM * self.speed_kmh / GEAR_TOP_KMH.get(gear).copied().unwrap_or(TOP_SPEED_KMH);
        self.fuel_l = (self.fuel_l - gas * 0.000_55).max(0.0);
        self.write_controls(gas, brake, gear as i32 + 2, rpm as i32, turn);
        self.write_wheels(gas, brake, turn);
        self.frame += 1;
        self.dials =
            Dials { laps: self.frame / LAP_FRAMES, speed_kmh: self.speed_kmh, gear: gear as i32 + 1, rpm: rpm as i32 };
        &self.page
    }

    fn write_controls(&mut self, gas: f32, brake: f32, gear: i32, rpm: i32, turn: f32) {
        let speed_ms = self.speed_kmh / 3.6;
        let lateral_g = turn * (speed_ms / 45.0).min(1.6);
        let forward_g = gas * 0.35 - brake * 1.4;
        self.put_i32("packetId", self.frame as i32 + 1);
        self.put("gas", &[gas]);
        self.put("brake", &[brake]);
        self.put("fuel", &[self.fuel_l]);
        self.put_i32("gear", gear);
        self.put_i32("rpms", rpm);
        self.put_i32("currentMaxRpm", MAX_RPM as i32);
        self.put("steerAngle", &[turn * 0.22 + 0.004 * self.wobble]);
        self.put("speedKmh", &[self.speed_kmh]);
        self.put("localVelocity", &[lateral_g * 0.4, 0.0, speed_ms]);
        self.put("accG", &[lateral_g, 0.02 * self.wobble, forward_g]);
        self.put("pitch", &[-0.01 * forward_g]);
        self.put("roll", &[0.015 * lateral_g]);
        self.put("brakeBias", &[0.56]);
        self.put("airTemp", &[24.0]);
        self.put("roadTemp", &[31.0]);
        self.put("waterTemp", &[88.0 + (self.frame as f32 * 0.000_3).sin()]);
        self.put_i32("ignitionOn", 1);
        self.put_i32("isEngineRunning", 1);
    }

    fn write_wheels(&mut self, gas: f32, brake: f32, turn: f32) {
        let wear = self.frame as f32 * 1e-7;
        let angular = self.speed_kmh / 3.6 / 0.33;
        let (mut pressure, mut slip, mut turning) = ([0.0; 4], [0.0; 4], [0.0; 4]);
        for (wheel, celsius) in self.tyre_celsius.iter_mut().enumerate() {
            let side = if wheel % 2 == 0 { turn } else { -turn };
            *celsius += (78.0 + 9.0 * side.max(0.0) + 4.0 * gas - *celsius) * 0.002;
            let values = (pressure.get_mut(wheel), slip.get_mut(wheel), turning.get_mut(wheel));
            if let (Some(pressure), Some(slip), Some(turning)) = values {
                *pressure = 27.3 + (*celsius - 78.0) * 0.06;
                *slip = 0.02 + 0.06 * side.abs() + 0.08 * brake;
                *turning = angular * (1.0 - 0.02 * brake + 0.004 * side);
            }
        }
        for (wheel, celsius) in self.brake_celsius.iter_mut().enumerate() {
            let front = if wheel < 2 { 1.0 } else { 0.7 };
            *celsius += brake * 3.2 * front - (*celsius - 180.0) * 0.003;
        }
        let (tyres, brakes) = (self.tyre_celsius, self.brake_celsius);
        self.put("wheelsPressure", &pressure);
        self.put("wheelSlip", &slip);
        self.put("wheelAngularSpeed", &turning);
        self.put("tyreCoreTemperature", &tyres);
        self.put("tyreTemp", &tyres);
        self.put("brakeTemp", &brakes);
        self.put("brakePressure", &[brake * 0.56, brake * 0.56, brake * 0.44, brake * 0.44]);
        self.put("tyreWear", &[1.0 - wear, 1.0 - wear * 1.1, 1.0 - wear * 0.8, 1.0 - wear * 0.9]);
        self.put("padLife", &[28.9 - wear, 28.9 - wear, 28.9 - wear, 28.9 - wear]);
        self.put("discLife", &[31.9, 31.9, 31.9, 31.9]);
    }

    fn put(&mut self, channel: &str, values: &[f32]) {
        let Some(offset) = PHYSICS_800.channel(channel).map(|channel| channel.offset as usize) else { return };
        for (place, value) in
            self.page.get_mut(offset..).into_iter().flat_map(|rest| rest.chunks_exact_mut(4)).zip(values)
        {
            place.copy_from_slice(&value.to_le_bytes());
        }
    }

    fn put_i32(&mut self, channel: &str, value: i32) {
        self.put(channel, &[f32::from_bits(value as u32)]);
    }

    /// From -1 to 1 (xorshift64*).
    fn noise(&mut self) -> f32 {
        self.random ^= self.random >> 12;
        self.random ^= self.random << 25;
        self.random ^= self.random >> 27;
        let bits = self.random.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 40;
        bits as f32 / (1u32 << 23) as f32 - 1.0
    }
}

/// Speed that the lap allows at a place, and how hard it turns there.
fn profile(lap_share: f32) -> (f32, f32) {
    let mut speed = TOP_SPEED_KMH;
    let mut turn = 0.0;
    for (apex, apex_kmh, direction) in CORNERS {
        // The lap is a ring: the first corner is also behind the last one.
        let distance = (lap_share - apex).abs().min(1.0 - (lap_share - apex).abs());
        let near = 1.0 - (distance / 0.06).min(1.0);
        speed = speed.min(apex_kmh + (TOP_SPEED_KMH - apex_kmh) * (distance / 0.06).min(1.0));
        turn += direction * near * near;
    }
    (speed, turn)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(page: &[u8], channel: &str) -> [u8; 4] {
        let offset = PHYSICS_800.channel(channel).unwrap().offset as usize;
        page[offset..offset + 4].try_into().unwrap()
    }

    #[test]
    fn the_same_seed_gives_the_same_frames_and_another_does_not() {
        let lap = |seed| {
            let mut car = DemoCar::new(seed);
            (0..LAP_FRAMES).map(|_| car.next_frame().to_vec()).collect::<Vec<_>>()
        };
        assert_eq!(lap(1), lap(1));
        assert_ne!(lap(1), lap(2));
    }

    #[test]
    fn two_laps_look_like_driving() {
        let mut car = DemoCar::new(7);
        let (mut slowest, mut fastest) = (f32::MAX, 0f32);
        for _ in 0..2 * LAP_FRAMES {
            let page = car.next_frame().to_vec();
            let speed = f32::from_le_bytes(value(&page, "speedKmh"));
            let (gas, brake) = (f32::from_le_bytes(value(&page, "gas")), f32::from_le_bytes(value(&page, "brake")));
            (slowest, fastest) = (slowest.min(speed), fastest.max(speed));
            assert!((0.0..=1.0).contains(&gas) && (0.0..=1.0).contains(&brake) && gas * brake == 0.0);
            assert!(
                (1..=6).contains(&car.dials().gear) && (1000..=9500).contains(&car.dials().rpm),
                "{:?}",
                car.dials()
            );
        }
        assert_eq!(car.dials().laps, 2);
        assert!((50.0..120.0).contains(&slowest) && (180.0..280.0).contains(&fastest), "{slowest} to {fastest}");
    }
}
