//! Writes the records that both games have: telemetry of a car, its entry in the classification, and the session.
use super::car::RaceCar;
use super::{END_S, Race, STEP_MS, ScoredCar};

/// A record, and whether numbers of single precision are widened.
pub(super) struct Record<'a> {
    pub(super) bytes: &'a mut [u8],
    pub(super) is_double: bool,
}

impl Record<'_> {
    pub(super) fn put<const N: usize>(&mut self, at: usize, value: [u8; N]) {
        if let Some(field) = self.bytes.get_mut(at..at + N) {
            field.copy_from_slice(&value);
        }
    }

    fn u8(&mut self, at: usize, value: u8) {
        self.put(at, [value]);
    }

    pub(super) fn i32(&mut self, at: usize, value: i32) {
        self.put(at, value.to_le_bytes());
    }

    /// Puts doubles.
    fn f64s(&mut self, at: usize, values: &[f64]) {
        for (index, value) in values.iter().enumerate() {
            self.put(at + index * 8, value.to_le_bytes());
        }
    }

    /// Puts what the game computes in single precision.
    fn singles(&mut self, at: usize, values: &[f64]) {
        for (index, value) in values.iter().enumerate() {
            let value = if self.is_double { *value } else { f64::from(*value as f32) };
            self.put(at + index * 8, value.to_le_bytes());
        }
    }

    pub(super) fn text(&mut self, at: usize, bytes: usize, text: &str) {
        if let Some(field) = self.bytes.get_mut(at..at + bytes) {
            field.fill(0);
            let length = text.len().min(bytes.saturating_sub(1));
            field.iter_mut().zip(text.as_bytes().iter().take(length)).for_each(|(to, from)| *to = *from);
        }
    }
}

const KELVIN: f64 = 273.15;
const TRACK: &str = "gametape ring";

fn vehicle_name(car: usize) -> String {
    format!("Prototype {} #{}", car % 7 + 1, car + 1)
}

fn rotation(car: &RaceCar) -> [f64; 9] {
    let ((sin, cos), (pitch, roll)) = (car.heading.sin_cos(), (car.pitch, car.roll));
    [cos, roll, -sin, -roll * cos, 1.0, pitch, sin, -pitch, cos]
}

impl Race {
    /// Writes the telemetry of a car.
    pub(super) fn telemetry(&self, number: usize, record: &mut Record<'_>) {
        let Some(car) = self.cars.get(number) else { return };
        record.i32(0, number as i32);
        record.f64s(4, &[STEP_MS as f64 / 1000.0, self.clock_s()]);
        record.i32(20, car.laps as i32 + 1);
        record.f64s(24, &[car.lap_start_s]);
        record.text(32, 64, &vehicle_name(number));
        record.text(96, 64, TRACK);
        record.f64s(160, &car.position);
        record.f64s(184, &[car.yaw_rate * 0.1, car.vertical * 0.01, -car.speed]);
        record.f64s(208, &[car.lateral, car.vertical, -car.ahead]);
        record.f64s(232, &rotation(car));
        record.f64s(304, &[car.pitch * 0.1, car.yaw_rate, car.roll * 0.1]);
        record.f64s(328, &[car.pitch, car.yaw_accel, car.roll]);
        record.i32(352, car.gear);
        record.singles(356, &[car.rpm, car.water, car.oil, car.rpm]);
        record.singles(388, &[car.throttle, car.brake, car.steering, 0.0]);
        record.singles(420, &[car.throttle, car.brake, car.steering, 0.0]);
        record.singles(452, &[car.steering * 9.0 + car.lateral * 0.2]);
        let [front, rear] = [0, 2].map(|axle| {
            let height = |index: usize| car.wheels.get(index).map_or(0.0, |wheel| wheel.ride_height);
            (height(axle) + height(axle + 1)) / 2.0
        });
        record.singles(460, &[front * 0.4, rear * 0.4, front + 0.02, front, rear]);
        let aero = car.speed * car.speed;
        record.singles(500, &[aero * 0.6, aero * 0.8, aero * 1.1, car.fuel_l, 8200.0]);
        record.u8(543, 1);
        record.singles(592, &[car.torque]);
        record.i32(600, car.sector.into());
        record.put(605, [7, 1, 1]);
        record.singles(608, &[90.0]);
        record.u8(619, 1);
        record.text(620, 18, "Medium");
        record.text(638, 18, "Medium");
        record.u8(656, 1);
        record.put(660, 540_f32.to_le_bytes());
        record.singles(664, &[0.46]);
        record.put(692, 540_f32.to_le_bytes());
        for (index, wheel) in car.wheels.iter().enumerate() {
            let at = 848 + 260 * index;
            record.singles(at, &[wheel.deflection, wheel.ride_height, wheel.load * 0.9]);
            record.singles(at + 24, &[wheel.brake_celsius + KELVIN, car.brake, wheel.rotation]);
            let (side, ahead) = (wheel.slip * 0.4 * wheel.lateral_force.signum(), wheel.slip * 0.2);
            record.singles(at + 48, &[side, ahead, side * 1.1, -car.speed]);
            record.singles(at + 80, &[car.roll * 0.4 - 0.05, wheel.lateral_force, wheel.ahead_force, wheel.load]);
            record.singles(at + 112, &[wheel.slip, wheel.pressure_kpa]);
            record.singles(at + 128, &wheel.tread_celsius.map(|celsius| celsius + KELVIN));
            record.singles(at + 152, &[wheel.wear]);
            record.text(at + 160, 16, "road");
            record.put(at + 176, [0, 0, 0, 33]);
            record.singles(at + 180, &[wheel.load / 250_000.0, 0.35 - wheel.deflection, 0.002 * car.steering]);
            record.singles(at + 204, &[wheel.carcass_celsius + KELVIN]);
            record.singles(at + 212, &wheel.inner_celsius.map(|celsius| celsius + KELVIN));
        }
    }

    /// Adds what only Le Mans Ultimate writes.
    pub(super) fn telemetry_lmu(&self, number: usize, record: &mut Record<'_>) {
        let Some(car) = self.cars.get(number) else { return };
        let flags = [u8::from(!car.lap_counts), u8::from(car.brake > 0.9), u8::from(car.throttle > 0.95)];
        record.put(745, flags);
        record.put(750, [4, 12, 3, 12, 2, 12, 6, 12, 1, 8]);
        record.put(768, ((car.brake * 180.0) as f32).to_le_bytes());
        record.put(776, ((car.fuel_l / 90.0) as f32).to_le_bytes());
        record.text(796, 30, "Maker Prototype");
        record.put(826, [0, 3]);
        for wheel in 0..4 {
            record.put(848 + 260 * wheel + 236, 90_f32.to_le_bytes());
            record.put(848 + 260 * wheel + 240, [1, 1]);
        }
    }

    /// Writes an entry of the classification.
    pub(super) fn entry(&self, place: usize, scored: &ScoredCar, record: &mut Record<'_>) {
        let Some(car) = self.cars.get(scored.car) else { return };
        let length_m = self.track.length_m();
        record.i32(0, scored.car as i32);
        record.text(4, 32, &format!("Driver {}", scored.car + 1));
        record.text(36, 64, &vehicle_name(scored.car));
        record.put(100, (car.laps as i16).to_le_bytes());
        record.u8(102, [1, 2, 0].get(usize::from(car.sector)).copied().unwrap_or(0));
        let along_m = if car.distance_m < 0.0 { car.distance_m } else { car.distance_m.rem_euclid(length_m) };
        record.f64s(104, &[along_m, car.position[0] * 0.001, 6.0]);
        record.f64s(128, &[car.best_splits_s[0], car.best_splits_s[1], car.best_s]);
        record.f64s(152, &[car.last_splits_s[0], car.last_splits_s[1], car.last_s]);
        record.f64s(176, &car.splits_s);
        record.u8(196, u8::from(scored.car == self.player()));
        record.u8(197, u8::from(scored.car != self.player()));
        record.u8(199, place as u8 + 1);
        record.text(200, 32, "Hypercar");
        record.f64s(232, &[scored.gap_ahead_s]);
        record.f64s(244, &[scored.gap_to_leader_s]);
        record.f64s(256, &[car.lap_start_s]);
        record.f64s(264, &car.position);
        record.f64s(288, &[0.0, 0.0, -car.speed]);
        record.f64s(312, &[car.lateral, car.vertical, -car.ahead]);
        record.f64s(336, &rotation(car));
        record.f64s(408, &[0.0, car.yaw_rate, 0.0, 0.0, car.yaw_accel, 0.0]);
        record.u8(456, 1);
        record.u8(459, 5);
        record.i32(460, scored.car as i32 + 1);
        record.f64s(464, &[self.clock_s() - car.lap_start_s, 36.5]);
        record.text(480, 24, &format!("Group {}", scored.car / 2 + 1));
        record.u8(506, if car.lap_counts { 2 } else { 1 });
    }

    /// Writes the session.
    pub(super) fn session(&self, record: &mut Record<'_>) {
        record.text(0, 64, TRACK);
        record.i32(64, 10);
        record.f64s(68, &[self.scoring.clock_s, END_S]);
        record.i32(84, i32::MAX);
        record.f64s(88, &[self.track.length_m()]);
        record.put(96, 0x0000_01D3_7A40_1000_u64.to_le_bytes());
        record.i32(104, self.cars.len() as i32);
        record.put(108, [5, 0]);
        record.u8(115, 1);
        record.text(116, 32, &format!("Driver {}", self.player() + 1));
        record.text(148, 64, "player.plr");
        record.f64s(212, &[0.1, 0.0, 22.0, 31.0, 1.5, 0.0, -0.5]);
        record.u8(284, 3);
        record.i32(292, 64);
        record.put(328, 50_400_f32.to_le_bytes());
        record.put(540, 0x0000_01D3_7A40_2000_u64.to_le_bytes());
    }
}
