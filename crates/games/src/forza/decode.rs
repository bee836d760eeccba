//! Decodes datagrams into samples. A pause frame only changes the presence: its zeros do not mean that the car has stopped.
use super::packet::{
    ACCEL, ACCELERATION, BEST_LAP, BRAKE, CLUTCH, COMBINED_SLIP, CURRENT_LAP, DISTANCE, GEAR, LAST_LAP, PITCH, Packet,
    RACE_POSITION, ROLL, RPM, SPEED, STEER, SUSPENSION, TIRE_TEMP, TIRE_WEAR, WHEEL_ROTATION, YAW,
};
use super::{DATA_OUT, Series};
use crate::capture::{Presence, SeenFrame};
use crate::sample::{Decode, Sample, Wheel};
use crate::sane::{finite, ms, not_zero, share};

const STANDARD_GRAVITY: f32 = 9.806_65;
/// Value of `Gear` while the gearbox shifts, or in neutral: the last real gear is kept.
const SHIFTING: u8 = 11;

#[derive(Debug)]
pub(super) struct ForzaDecoder {
    series: Series,
    /// `LapNumber` of the previous frame, and `DistanceTraveled` at the line where that lap began, if that was observed.
    lap: Option<(u16, Option<f32>)>,
}

impl ForzaDecoder {
    pub(super) fn new(series: Series) -> Self {
        Self { series, lap: None }
    }
}

impl Decode for ForzaDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        let Some(packet) = Packet::of(self.series, frame.bytes).filter(|_| frame.stream == DATA_OUT) else { return };
        if !packet.is_race_on() {
            sample.presence = Some(Presence::Paused);
            return;
        }
        sample.presence = Some(Presence::Live);
        car(packet, sample);
        controls(packet, sample);
        session(packet, sample);
        sample.lap_distance_m = self.lap_distance_m(packet);
        for (index, wheel) in sample.wheels.iter_mut().enumerate() {
            *wheel = wheel_of(packet, frame.bytes.len() == 331, index * 4);
        }
    }
}

impl ForzaDecoder {
    /// Returns the distance since the line. Motorsport counts metres from the start of the race. Horizon uses another
    /// unit on circuits, so it has none.
    fn lap_distance_m(&mut self, packet: Packet<'_>) -> Option<f32> {
        let (lap, distance) = (packet.lap_number()?, packet.dash(DISTANCE)?);
        let line = match self.lap {
            _ if lap == 0 => Some(0.0),
            Some((before, line)) if before == lap => line,
            Some((before, _)) if before.checked_add(1) == Some(lap) => {
                let since_line_m = packet.dash(SPEED)? * packet.dash(CURRENT_LAP)?;
                Some(distance - since_line_m)
            }
            _ => None,
        };
        self.lap = Some((lap, line));
        line.filter(|_| self.series == Series::Motorsport).and_then(|line| finite(distance - line))
    }
}

fn car(packet: Packet<'_>, sample: &mut Sample) {
    sample.rpm = packet.sled(RPM);
    let [right, up, forward] =
        [0, 4, 8].map(|axis| packet.sled(ACCELERATION + axis).map(|acceleration| acceleration / STANDARD_GRAVITY));
    (sample.lateral_g, sample.vertical_g, sample.longitudinal_g) = (right, up, forward);
    sample.heading_rad = packet.sled(YAW);
    sample.pitch_rad = packet.sled(PITCH);
    sample.roll_rad = packet.sled(ROLL);
    sample.speed_kmh = packet.dash(SPEED).map(|speed| speed * 3.6).and_then(finite);
    sample.world_m = packet.world_m();
}

fn controls(packet: Packet<'_>, sample: &mut Sample) {
    let pedal = |at: usize| packet.dash_byte(at).map(|byte| f32::from(byte) / 255.0);
    sample.throttle = pedal(ACCEL);
    sample.brake = pedal(BRAKE);
    sample.clutch = pedal(CLUTCH);
    sample.steering = packet.dash_byte(STEER).map(|byte| (f32::from(byte.cast_signed()) / 127.0).max(-1.0));
    match packet.dash_byte(GEAR) {
        Some(0) => sample.gear = Some(-1),
        Some(gear) if gear < SHIFTING => sample.gear = i8::try_from(gear).ok(),
        Some(SHIFTING) => {}
        _ => sample.gear = None,
    }
}

fn session(packet: Packet<'_>, sample: &mut Sample) {
    let seconds = |at: usize| packet.dash(at).filter(|_| packet.is_event()).and_then(|s| ms(f64::from(s) * 1000.0));
    let lap_ms = |at: usize| seconds(at).filter(|ms| *ms > 0);
    sample.lap_time_ms = seconds(CURRENT_LAP);
    sample.last_lap_ms = lap_ms(LAST_LAP);
    sample.best_lap_ms = lap_ms(BEST_LAP);
    sample.laps_completed = packet.lap_number().filter(|_| packet.is_event()).map(u32::from);
    sample.race_position = packet.dash_byte(RACE_POSITION).filter(|position| *position > 0).map(u16::from);
}

fn wheel_of(packet: Packet<'_>, has_wear: bool, at: usize) -> Wheel {
    let fahrenheit = packet.dash(TIRE_TEMP + at).and_then(not_zero);
    let wear = packet.sled(TIRE_WEAR + at).filter(|_| has_wear).and_then(share);
    Wheel {
        tyre_core_celsius: fahrenheit.map(|fahrenheit| (fahrenheit - 32.0) / 1.8),
        tread_left: wear.map(|wear| 1.0 - wear),
        suspension_m: packet.sled(SUSPENSION + at),
        slip: packet.sled(COMBINED_SLIP + at),
        angular_speed_rad_s: packet.sled(WHEEL_ROTATION + at),
        ..Wheel::default()
    }
}
