//! The contents of the packets at a moment.
use super::PLAYER;
use super::packet::Packet;
use super::scene::{Motion, OneCar, Scene, session_type};
use crate::board::SessionKind;
use crate::car::Wheel;
use crate::car::vehicle::{GRAVITY, IDLE_RPM, MAX_RPM, WHEEL_RADIUS_M};
use crate::datagrams::rivals::{Rival, Rivals};

/// A kilogram of fuel for each litre.
const FUEL_KG_PER_L: f64 = 0.745;
/// An id that no track of the game has: the simulated track is none of them.
const TRACK_ID: f64 = 100.0;
/// Speed by which distances between cars become times.
const PACE_MS: f64 = 55.0;

impl Scene<'_> {
    /// Fills a packet; `nth` counts the packets of its type.
    pub(super) fn write(&self, packet_id: u8, nth: u64, packet: &mut Packet) {
        match packet_id {
            0 => self.motion(packet),
            1 => self.session(packet),
            2 => self.lap_data(packet),
            4 => self.participants(packet),
            5 => self.setups(packet),
            6 => self.telemetry(packet),
            7 => self.status(packet),
            10 => self.damage(packet),
            11 => self.history(packet, (nth % self.cars.len() as u64) as usize),
            12 => self.tyre_sets(packet, (nth % self.cars.len() as u64) as usize),
            13 => self.motion_ex(packet),
            16 => self
                .each()
                .for_each(|(car, _)| packet.element("carTelemetry2Data", car).put("regulations2026Applicable", 1.0)),
            _ => {}
        }
    }

    fn each(&self) -> impl Iterator<Item = (usize, &OneCar)> {
        self.cars.iter().enumerate()
    }

    /// Axes of the game: x to the right and z down, seen from above; those of the track have z up.
    fn motion(&self, packet: &mut Packet) {
        let (g, track) = (self.g_factor(), self.game.track());
        for (index, car) in self.each() {
            let at =
                if index == PLAYER { Motion::of_car(self.game.car()) } else { Motion::of_rival(&car.rival, track) };
            let mut element = packet.element("carMotionData", index);
            let mut put = |name: &str, value: f64| element.put(name, value);
            let (x, z) = (at.course.0, -at.course.1);
            put("worldPositionX", at.x);
            put("worldPositionY", at.y);
            put("worldPositionZ", -at.z);
            put("worldVelocityX", at.speed_ms * x);
            put("worldVelocityZ", at.speed_ms * z);
            put("worldForwardDirX", x * 32_767.0);
            put("worldForwardDirZ", z * 32_767.0);
            put("worldRightDirX", -z * 32_767.0);
            put("worldRightDirZ", x * 32_767.0);
            put("gForceLateral", at.left_ms2 / GRAVITY * g);
            put("gForceLongitudinal", at.ahead_ms2 / GRAVITY * g);
            put("gForceVertical", at.up_ms2 / GRAVITY * g);
            put("yaw", x.atan2(z));
        }
        let wheels = self.wheels();
        packet.whole().put_all("wheelSpeed", wheels.map(|wheel| wheel.angular_rad_s * WHEEL_RADIUS_M));
        packet.whole().put_all("wheelSlip", wheels.map(|wheel| wheel.slip_ratio));
    }

    fn g_factor(&self) -> f64 {
        if self.format < 2026 { 1.0 } else { 1000.0 }
    }

    fn motion_ex(&self, packet: &mut Packet) {
        let wheels = self.wheels();
        packet.whole().put_all("wheelSpeed", wheels.map(|wheel| wheel.angular_rad_s * WHEEL_RADIUS_M));
        packet.whole().put_all("wheelSlipRatio", wheels.map(|wheel| wheel.slip_ratio));
        packet.whole().put_all("wheelSlipAngle", wheels.map(|wheel| wheel.slip_angle_rad));
        packet.whole().put_all("wheelVertForce", wheels.map(|wheel| wheel.load_n));
        packet.whole().put("localVelocityZ", self.game.car().speed_ms);
    }

    /// The player's wheels in the game's order, from the rear left on.
    fn wheels(&self) -> [&Wheel; 4] {
        let [front_left, front_right, rear_left, rear_right] = &self.game.car().wheels;
        [rear_left, rear_right, front_left, front_right]
    }

    fn session(&self, packet: &mut Packet) {
        let (board, track) = (&self.game.board, self.game.track());
        let [second_m, third_m] = track.sector_starts_m();
        let left_s = board.time_left_ms.map_or(0.0, |ms| (ms / 1000.0).min(65_535.0));
        let values = [
            ("weather", 1.0),
            ("trackTemperature", 31.0),
            ("airTemperature", 23.0),
            ("totalLaps", 50.0),
            ("trackLength", track.length_m().round()),
            ("sessionType", session_type(self.format, board.session)),
            ("trackId", TRACK_ID),
            ("sessionTimeLeft", left_s),
            ("sessionDuration", (left_s + self.session_ms / 1000.0).min(65_535.0).round()),
            ("pitSpeedLimit", 80.0),
            ("spectatorCarIndex", 255.0),
            ("timeOfDay", (board.clock_s / 60.0).floor()),
            ("sector2LapDistanceStart", second_m),
            ("sector3LapDistanceStart", third_m),
        ];
        values.iter().for_each(|(name, value)| packet.whole().put(name, *value));
    }

    fn lap_data(&self, packet: &mut Packet) {
        let race = self.game.board.session == SessionKind::Race;
        for (index, car) in self.each() {
            let rival = &car.rival;
            let (last_ms, sectors_ms, invalid) = self.times(index, rival);
            for (sector, ms) in ["sector1Time", "sector2Time"].iter().zip(sectors_ms) {
                packet.element("lapData", index).put_duration(sector, ms);
            }
            packet.element("lapData", index).put_duration("deltaToCarInFront", (car.ahead_m / PACE_MS * 1000.0) as u32);
            packet
                .element("lapData", index)
                .put_duration("deltaToRaceLeader", (car.to_leader_m / PACE_MS * 1000.0) as u32);
            let mut element = packet.element("lapData", index);
            let mut put = |name: &str, value: f64| element.put(name, value);
            put("lastLapTimeInMS", last_ms.into());
            put("currentLapTimeInMS", rival.lap_ms.into());
            put("lapDistance", rival.distance_m);
            put("totalDistance", car.total_m);
            put("carPosition", car.position as f64);
            put("currentLapNum", f64::from(rival.laps) + 1.0);
            put("pitStatus", if rival.in_box { 2.0 } else { f64::from(u8::from(rival.in_lane)) });
            put("numPitStops", rival.stops.into());
            put("sector", rival.sector.into());
            put("currentLapInvalid", f64::from(u8::from(invalid)));
            put("gridPosition", index as f64 + 1.0);
            let in_garage = index == PLAYER && rival.in_box && !self.player.started;
            put(
                "driverStatus",
                if in_garage {
                    0.0
                } else if race {
                    4.0
                } else {
                    1.0
                },
            );
            put("resultStatus", 2.0);
        }
        packet.whole().put("timeTrialPBCarIdx", 255.0);
        packet.whole().put("timeTrialRivalCarIdx", 255.0);
    }

    /// Last lap, the sectors of the current lap, and whether that is invalid.
    fn times(&self, index: usize, rival: &Rival) -> (u32, [u32; 2], bool) {
        if index == PLAYER {
            let last_ms = self.player.laps.last().map_or(0, |lap| lap.ms);
            return (last_ms, self.player.sectors_ms, !self.game.board.valid);
        }
        let lap = Rivals::lap(index, rival.laps + 1);
        let ended = |sector: u8| if rival.sector > sector { lap.sectors_ms[usize::from(sector)] } else { 0 };
        let last_ms = if rival.laps > 0 { Rivals::lap(index, rival.laps).ms } else { 0 };
        (last_ms, [ended(0), ended(1)], !lap.valid && rival.sector == 2)
    }

    fn participants(&self, packet: &mut Packet) {
        packet.whole().put("numActiveCars", self.cars.len() as f64);
        for index in 0..self.cars.len() {
            let mut element = packet.element("participants", index);
            let mut put = |name: &str, value: f64| element.put(name, value);
            put("aiControlled", f64::from(u8::from(index != PLAYER)));
            put("driverId", 255.0);
            put("networkId", 255.0);
            let team = (index / 2 % 10) as f64;
            put("teamId", if self.format < 2026 { team } else { 476.0 + team });
            put("raceNumber", index as f64 + 2.0);
            put("yourTelemetry", 1.0);
            packet.element("participants", index).put_text("name", &format!("Driver {}", index + 1));
        }
    }

    fn setups(&self, packet: &mut Packet) {
        let group = if self.format < 2024 { "carSetups" } else { "carSetupData" };
        for index in 0..self.cars.len() {
            for (name, value) in [
                ("frontWing", 25.0),
                ("rearWing", 22.0),
                ("brakePressure", 98.0),
                ("brakeBias", 56.0),
                ("rearLeftTyrePressure", 21.5),
                ("rearRightTyrePressure", 21.5),
                ("frontLeftTyrePressure", 23.5),
                ("frontRightTyrePressure", 23.5),
                ("fuelLoad", 40.0),
            ] {
                packet.element(group, index).put(name, value);
            }
        }
    }

    fn telemetry(&self, packet: &mut Packet) {
        let own = self.game.car();
        for (index, car) in self.each() {
            let mut element = packet.element("carTelemetryData", index);
            let mut put = |name: &str, value: f64| element.put(name, value);
            put("engineTemperature", 105.0);
            if index == PLAYER {
                put("speed", (own.speed_over_road_ms() * 3.6).round());
                put("throttle", own.gas);
                put("steer", own.steering());
                put("brake", own.brake);
                put("clutch", (own.engine.clutch * 100.0).round());
                put("gear", own.engine.gear as f64);
                put("engineRPM", own.engine.rpm);
                continue;
            }
            let (speed_ms, ahead) = (car.rival.speed_ms, car.rival.ahead_ms2);
            put("speed", (speed_ms * 3.6).round());
            put("throttle", if ahead > -0.5 { (0.3 + ahead / 8.0).clamp(0.0, 1.0) } else { 0.0 });
            put("brake", if ahead < -2.0 { (-ahead / 25.0).clamp(0.0, 1.0) } else { 0.0 });
            put("gear", if speed_ms < 0.5 { 0.0 } else { (1.0 + speed_ms / 11.0).floor().min(8.0) });
            put("engineRPM", 4_000.0 + 7_500.0 * (speed_ms % 11.0) / 11.0);
            packet.element("carTelemetryData", index).put_all("brakesTemperature", [400.0, 400.0, 480.0, 480.0]);
            packet.element("carTelemetryData", index).put_all("tyresInnerTemperature", [92.0, 92.0, 95.0, 95.0]);
            packet.element("carTelemetryData", index).put_all("tyresPressure", [21.5, 21.5, 23.5, 23.5]);
        }
        let wheels = self.wheels();
        packet
            .element("carTelemetryData", PLAYER)
            .put_all("brakesTemperature", wheels.map(|wheel| wheel.brake_celsius.round()));
        packet
            .element("carTelemetryData", PLAYER)
            .put_all("tyresSurfaceTemperature", wheels.map(|wheel| wheel.tyre_celsius.round()));
        packet
            .element("carTelemetryData", PLAYER)
            .put_all("tyresInnerTemperature", wheels.map(|wheel| wheel.tyre_celsius.round()));
        packet.element("carTelemetryData", PLAYER).put_all("tyresPressure", wheels.map(Wheel::pressure_psi));
        packet.whole().put("mfdPanelIndex", 255.0);
        packet.whole().put("mfdPanelIndexSecondaryPlayer", 255.0);
    }

    fn status(&self, packet: &mut Packet) {
        for (index, car) in self.each() {
            let compound =
                if index == PLAYER { self.game.board.tyre_set } else { car.rival.stops as i32 + index as i32 };
            let mut element = packet.element("carStatusData", index);
            let mut put = |name: &str, value: f64| element.put(name, value);
            put("antiLockBrakes", 1.0);
            put("frontBrakeBias", 56.0);
            put("pitLimiterStatus", f64::from(u8::from(car.rival.in_lane)));
            let fuel_l = if index == PLAYER { self.game.car().fuel_l } else { 30.0 };
            put("fuelInTank", fuel_l * FUEL_KG_PER_L);
            put("fuelCapacity", 110.0);
            put("maxRPM", MAX_RPM);
            put("idleRPM", IDLE_RPM);
            put("maxGears", 9.0);
            put("actualTyreCompound", f64::from(16 + compound.rem_euclid(3)));
            put("visualTyreCompound", f64::from(16 + compound.rem_euclid(3)));
            put("ersStoreEnergy", 2_000_000.0);
        }
    }

    /// Tyres lose 2 % in a lap.
    fn damage(&self, packet: &mut Packet) {
        for (index, car) in self.each() {
            let worn = (car.rival.laps % 12) as f64 * 2.0 + car.rival.distance_m.max(0.0) / 1_000.0;
            packet.element("carDamageData", index).put_all("tyresWear", [worn; 4]);
        }
    }

    fn history(&self, packet: &mut Packet, index: usize) {
        let Some(car) = self.cars.get(index) else { return };
        let ended: Vec<_> = if index == PLAYER {
            self.player.laps.iter().map(|lap| (lap.ms, lap.sectors_ms, lap.valid)).collect()
        } else {
            let laps = (1..=car.rival.laps).map(|lap| Rivals::lap(index, lap));
            laps.map(|lap| (lap.ms, lap.sectors_ms, lap.valid)).collect()
        };
        let fastest = ended.iter().enumerate().filter(|(_, lap)| lap.2).min_by_key(|(_, lap)| lap.0);
        let (_, sectors_ms, invalid) = self.times(index, &car.rival);
        let running = (0, [sectors_ms[0], sectors_ms[1], 0], !invalid);
        packet.whole().put("carIdx", index as f64);
        packet.whole().put("numLaps", ended.len().min(99) as f64 + 1.0);
        packet.whole().put("bestLapTimeLapNum", fastest.map_or(0.0, |(lap, _)| lap as f64 + 1.0));
        let shown = ended.into_iter().take(99).chain([running]);
        for (lap, (ms, sectors_ms, valid)) in shown.chain(std::iter::repeat((0, [0; 3], false))).take(100).enumerate() {
            packet.element("lapHistoryData", lap).put("lapTimeInMS", ms.into());
            let mut element = packet.element("lapHistoryData", lap);
            let names = ["sector1Time", "sector2Time", "sector3Time"];
            names.iter().zip(sectors_ms).for_each(|(name, ms)| element.put_duration(name, ms));
            packet.element("lapHistoryData", lap).put("lapValidBitFlags", if valid { 15.0 } else { 6.0 });
        }
    }

    fn tyre_sets(&self, packet: &mut Packet, index: usize) {
        let fitted = match self.cars.get(index) {
            _ if index == PLAYER => self.game.board.tyre_set.clamp(0, 19) as usize,
            Some(car) => (car.rival.stops as usize).min(19),
            None => return,
        };
        packet.whole().put("carIdx", index as f64);
        packet.whole().put("fittedIdx", fitted as f64);
        for set in 0..20 {
            packet.element("tyreSetData", set).put("visualTyreCompound", 16.0 + (set % 3) as f64);
            packet.element("tyreSetData", set).put("available", f64::from(u8::from(set >= fitted)));
            packet.element("tyreSetData", set).put("fitted", f64::from(u8::from(set == fitted)));
        }
    }
}
