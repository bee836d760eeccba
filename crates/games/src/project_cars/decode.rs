//! Decodes telemetry packets into samples.
//!
//! The axes are left-handed: an unrotated car points to negative z, and x points to its left. This was derived from the wheel speeds in a
//! capture. The unit of the tyre pressures is not known, so they are left out.
use super::TELEMETRY;
use super::states::{celsius, gear, pit, share, steering, time_ms};
use super::telemetry::Telemetry;
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::Pit;
use crate::sample::{Decode, Sample, Wheel};
use crate::sane::not_zero;

const STANDARD_GRAVITY: f32 = 9.806_65;
/// Bits of the race state flags.
const INVALID_LAP: u8 = 1 << 3;
const ANTI_LOCK_ACTIVE: u8 = 1 << 4;

#[derive(Debug)]
pub(super) struct ProjectCarsDecoder;

impl Decode for ProjectCarsDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        if frame.stream != TELEMETRY {
            return;
        }
        let packet = Telemetry(frame.bytes);
        let presence = packet.presence();
        *sample = Sample { presence: Some(presence), ..Sample::default() };
        if presence != Presence::Off {
            car(packet, sample);
            session(packet, sample);
        }
    }
}

fn car(packet: Telemetry<'_>, sample: &mut Sample) {
    sample.speed_kmh = packet.speed_kmh();
    sample.rpm = packet.u16(124).map(f32::from);
    sample.gear = packet.u8(128).and_then(gear);
    sample.throttle = packet.u8(113).map(share);
    sample.brake = packet.u8(112).map(share);
    sample.clutch = packet.u8(114).map(share);
    sample.steering = packet.u8(115).map(steering);
    sample.fuel_l = packet.fuel_l();
    sample.abs_active = packet.u8(10).map(|flags| flags & ANTI_LOCK_ACTIVE != 0);
    let g = |at| packet.f32(at).map(|metres_per_s2| metres_per_s2 / STANDARD_GRAVITY);
    sample.lateral_g = g(184).map(|left| -left);
    sample.vertical_g = g(188);
    sample.longitudinal_g = g(192).map(|back| -back);
    (sample.pitch_rad, sample.heading_rad, sample.roll_rad) = (packet.f32(136), packet.f32(140), packet.f32(144));
    for (index, wheel) in sample.wheels.iter_mut().enumerate() {
        let kelvins = |at| packet.u16(at + index * 2).and_then(celsius);
        *wheel = Wheel {
            tyre_core_celsius: kelvins(352),
            tyre_middle_celsius: kelvins(336),
            tread_left: packet.u8(316 + index).map(|wear| 1.0 - share(wear)),
            brake_celsius: packet.i16(328 + index * 2).map(f32::from).and_then(not_zero),
            slip: packet.f32(260 + index * 4),
            // Negative when driving forwards.
            angular_speed_rad_s: packet.f32(244 + index * 4).map(f32::abs),
            ..Wheel::default()
        };
    }
    let temperature = |at| packet.u8(at).map(|celsius| f32::from(celsius.cast_signed()));
    (sample.air_celsius, sample.track_celsius) = (temperature(458), temperature(459));
}

fn session(packet: Telemetry<'_>, sample: &mut Sample) {
    sample.lap_time_ms = packet.f32(20).and_then(time_ms);
    sample.last_lap_ms = packet.lap_ms(16);
    sample.best_lap_ms = packet.lap_ms(12);
    sample.session_left_ms = packet.f32(36).and_then(time_ms);
    sample.lap_is_valid = is_lap_valid(packet);
    sample.car_count = u16::try_from(packet.count()).ok().filter(|count| *count > 0);
    let place = packet.u8(99).and_then(|pit_mode| pit(pit_mode & 0xF));
    sample.in_pit_box = place.map(|place| place == Pit::Box);
    sample.in_pit_lane = place.map(|place| place != Pit::Track);
    let Some(car) = packet.viewed() else { return };
    sample.world_m = car.world_m();
    sample.laps_completed = car.laps_completed();
    sample.race_position = car.race_position();
    sample.sector = car.sector();
    sample.track_position = track_position(packet);
    sample.lap_distance_m = car.lap_distance_m().filter(|_| !packet.is_before_line()).map(f32::from);
}

/// Returns whether the lap is valid; `None` on the way from the grid to the line, where every lap is reported as invalid.
pub(super) fn is_lap_valid(packet: Telemetry<'_>) -> Option<bool> {
    packet.u8(10).filter(|_| !packet.is_before_line()).map(|flags| flags & INVALID_LAP == 0)
}

/// Returns the position of the viewed car along the lap; `None` on the way from the grid to the line, where its distance is 0.
pub(super) fn track_position(packet: Telemetry<'_>) -> Option<f32> {
    let distance_m = packet.viewed()?.lap_distance_m().filter(|_| !packet.is_before_line())?;
    let position = f32::from(distance_m) / packet.track_m()?;
    (0.0..=1.0).contains(&position).then_some(position)
}
