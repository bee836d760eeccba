//! Decodes packets into samples of the player's car.
//!
//! Signs were checked on real packets: lateral g is positive in left turns, where the steering is negative; vertical g is without gravity.
//! Fuel is in kilograms and the suspension in a unit that is not documented, so neither is decoded. Arrays of wheels list the rear wheels first.
use crate::capture::{Presence, SeenFrame};
use crate::sample::{Decode, Flags, Sample};
use crate::sane::{finite, not_zero, share};

use super::fields::{Field, Table};
use super::newest::{Kept, Newest};
use super::packets::{HistoryTable, LapDataTable, ParticipantsTable, SessionTable};

const KPA_PER_PSI: f32 = 6.894_757;
/// Index in the game's arrays, by our order: the game has rear left, rear right, front left, front right.
const WHEELS: [usize; 4] = [2, 3, 0, 1];

#[derive(Debug)]
pub(super) struct F1Decoder {
    format: u16,
    newest: Newest,
    kept: Kept,
    /// The session that the sample belongs to.
    entered: Option<u64>,
    length_m: Option<f32>,
    lap_data: LapDataTable,
    session: SessionTable,
    history: HistoryTable,
    participants: ParticipantsTable,
    motion: Motion,
    telemetry: Telemetry,
    status: Status,
    wear: (Table, Field),
    slip: (Table, Field),
}

impl F1Decoder {
    pub(super) fn new(format: u16) -> Self {
        let (damage, motion_ex) = (Table::of(format, 10), Table::of(format, 13));
        Self {
            format,
            newest: Newest::new(format),
            kept: Kept::default(),
            entered: None,
            length_m: None,
            lap_data: LapDataTable::of(format),
            session: SessionTable::of(format),
            history: HistoryTable::of(format),
            participants: ParticipantsTable::of(format),
            motion: Motion::of(format),
            telemetry: Telemetry::of(format),
            status: Status::of(format),
            wear: (damage, damage.each("carDamageData", &["tyresWear"])),
            slip: (motion_ex, motion_ex.field(&["wheelSlipRatio"])),
        }
    }
}

impl Decode for F1Decoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        self.newest.take(frame.stream, frame.bytes);
        self.kept.take(frame.stream, frame.bytes);
        let (presence, uid) = (self.newest.presence(), self.newest.session_uid());
        let entered = std::mem::replace(&mut self.entered, uid) != uid;
        if entered || presence == Presence::Off {
            self.length_m = None;
            *sample = Sample::default();
        }
        sample.presence = Some(presence);
        let Some(player) = self.newest.player().filter(|_| presence != Presence::Off) else { return };
        if entered {
            let kept = std::mem::take(&mut self.kept);
            kept.of_session(self.format, uid).for_each(|(stream, packet)| self.read(stream, packet, player, sample));
            self.kept = kept;
        }
        self.read(frame.stream, frame.bytes, player, sample);
    }
}

impl F1Decoder {
    fn read(&mut self, stream: &str, packet: &[u8], player: usize, sample: &mut Sample) {
        match stream {
            "motion" => self.motion.read(packet, player, sample),
            "session" => self.read_session(packet, sample),
            "lap-data" => self.read_lap(packet, player, sample),
            "participants" if self.participants.fits(packet) => sample.car_count = self.participants.active(packet),
            "car-telemetry" => self.telemetry.read(packet, player, sample),
            "car-status" => self.status.read(packet, player, sample),
            "car-damage" if self.wear.0.fits(packet) => {
                for (wheel, at) in sample.wheels.iter_mut().zip(WHEELS) {
                    let worn = self.wear.1.nth(at).number(packet, player);
                    wheel.tread_left = worn.and_then(|percent| share(1.0 - percent / 100.0));
                }
            }
            "session-history" if self.history.car(packet) == Some(player) => {
                sample.best_lap_ms = self.history.best_ms(packet);
            }
            "motion-ex" if self.slip.0.fits(packet) => {
                for (wheel, at) in sample.wheels.iter_mut().zip(WHEELS) {
                    wheel.slip = self.slip.1.nth(at).number(packet, 0);
                }
            }
            _ => {}
        }
    }

    fn read_session(&mut self, packet: &[u8], sample: &mut Sample) {
        let Some(session) = self.session.read(packet) else { return };
        self.length_m = session.length_m;
        sample.air_celsius = session.air_celsius;
        sample.track_celsius = session.track_celsius;
        sample.session_left_ms = session.left_s.map(|seconds| u32::from(seconds) * 1000);
    }

    fn read_lap(&self, packet: &[u8], player: usize, sample: &mut Sample) {
        let Some(lap) = self.lap_data.read(packet, player) else { return };
        sample.lap_time_ms = Some(lap.current_ms);
        sample.last_lap_ms = lap.last_ms;
        sample.lap_distance_m = lap.distance_m;
        sample.track_position = lap.track_position(self.length_m);
        sample.laps_completed = lap.lap.checked_sub(1).map(u32::from);
        sample.sector = Some(lap.sector);
        sample.lap_is_valid = Some(!lap.invalid);
        sample.race_position = Some(u16::from(lap.position)).filter(|position| *position > 0);
        sample.in_pit_box = Some(lap.driver_status == 0);
        sample.in_pit_lane = Some(lap.pit_status != 0);
    }
}

/// Fields of the motion packet.
#[derive(Debug)]
struct Motion {
    table: Table,
    world: [Field; 3],
    /// Lateral, longitudinal, vertical.
    g: [Field; 3],
    /// Since format 2026 in thousandths.
    g_divisor: f32,
    attitude: [Field; 3],
    slip: Field,
}

impl Motion {
    fn of(format: u16) -> Self {
        let table = Table::of(format, 0);
        let field = |name: &str| table.each("carMotionData", &[name]);
        Self {
            table,
            world: ["worldPositionX", "worldPositionY", "worldPositionZ"].map(field),
            g: ["gForceLateral", "gForceLongitudinal", "gForceVertical"].map(field),
            g_divisor: if format < 2026 { 1.0 } else { 1000.0 },
            attitude: ["yaw", "pitch", "roll"].map(field),
            slip: table.field(&["wheelSlip"]),
        }
    }

    fn read(&self, packet: &[u8], player: usize, sample: &mut Sample) {
        if !self.table.fits(packet) {
            return;
        }
        let number = |field: Field| field.number(packet, player);
        sample.world_m = match self.world.map(number) {
            [Some(x), Some(y), Some(z)] if [x, y, z] != [0.0; 3] => Some([x, y, z]),
            _ => None,
        };
        let [left, ahead, up] = self.g.map(|field| number(field).map(|g| g / self.g_divisor));
        sample.lateral_g = left.map(|left| -left);
        (sample.longitudinal_g, sample.vertical_g) = (ahead, up);
        [sample.heading_rad, sample.pitch_rad, sample.roll_rad] = self.attitude.map(number);
        for (wheel, at) in sample.wheels.iter_mut().zip(WHEELS) {
            wheel.slip = self.slip.nth(at).number(packet, 0).or(wheel.slip);
        }
    }
}

/// Fields of the car telemetry packet.
#[derive(Debug)]
struct Telemetry {
    table: Table,
    speed: Field,
    throttle: Field,
    steer: Field,
    brake: Field,
    clutch: Field,
    gear: Field,
    rpm: Field,
    brakes: Field,
    surface: Field,
    inner: Field,
    pressure: Field,
}

impl Telemetry {
    fn of(format: u16) -> Self {
        let table = Table::of(format, 6);
        let field = |name: &str| table.each("carTelemetryData", &[name]);
        Self {
            table,
            speed: field("speed"),
            throttle: field("throttle"),
            steer: field("steer"),
            brake: field("brake"),
            clutch: field("clutch"),
            gear: field("gear"),
            rpm: field("engineRPM"),
            brakes: field("brakesTemperature"),
            surface: field("tyresSurfaceTemperature"),
            inner: field("tyresInnerTemperature"),
            pressure: field("tyresPressure"),
        }
    }

    fn read(&self, packet: &[u8], player: usize, sample: &mut Sample) {
        if !self.table.fits(packet) {
            return;
        }
        let number = |field: Field| field.number(packet, player);
        sample.speed_kmh = number(self.speed);
        sample.rpm = number(self.rpm);
        sample.gear = self.gear.count(packet, player);
        sample.throttle = number(self.throttle).and_then(share);
        sample.brake = number(self.brake).and_then(share);
        sample.clutch = number(self.clutch).and_then(|percent| share(percent / 100.0));
        sample.steering = number(self.steer).map(|steer| steer.clamp(-1.0, 1.0));
        for (wheel, at) in sample.wheels.iter_mut().zip(WHEELS) {
            let number = |field: Field| field.nth(at).number(packet, player);
            // The inner temperature is that of the carcass. There is one surface temperature for the whole width.
            wheel.tyre_core_celsius = number(self.inner).and_then(not_zero);
            wheel.tyre_middle_celsius = number(self.surface).and_then(not_zero);
            wheel.pressure_kpa = number(self.pressure).and_then(not_zero).map(|psi| psi * KPA_PER_PSI).and_then(finite);
            wheel.brake_celsius = number(self.brakes).and_then(not_zero);
        }
    }
}

/// Fields of the car status packet.
#[derive(Debug)]
struct Status {
    table: Table,
    traction_control: Field,
    anti_lock_brakes: Field,
    flags: Field,
}

impl Status {
    fn of(format: u16) -> Self {
        let table = Table::of(format, 7);
        let field = |name: &str| table.each("carStatusData", &[name]);
        Self {
            table,
            traction_control: field("tractionControl"),
            anti_lock_brakes: field("antiLockBrakes"),
            flags: field("vehicleFiaFlags"),
        }
    }

    fn read(&self, packet: &[u8], player: usize, sample: &mut Sample) {
        if !self.table.fits(packet) {
            return;
        }
        sample.tc_level = self.traction_control.count(packet, player);
        sample.abs_level = self.anti_lock_brakes.count(packet, player);
        sample.flags = self.flags.whole(packet, player).and_then(flags);
    }
}

/// Decodes the flag that is shown to a driver; `None` if it is unknown.
fn flags(shown: i64) -> Option<Flags> {
    let none = Flags::default();
    match shown {
        0 => Some(none),
        1 => Some(Flags { green: true, ..none }),
        2 => Some(Flags { blue: true, ..none }),
        3 => Some(Flags { yellow: true, ..none }),
        _ => None,
    }
}
