//! Decodes packets into samples.
//!
//! Axes and signs were derived from a recording with positions and velocities: x points east, y up and z south; an unrotated car points north.
//! Sway is the acceleration to the right, surge the one ahead, and heave does not include gravity. The steering angle is positive to the left.
use super::packet::{Packet, TRACTION_CONTROL};
use crate::capture::{Presence, SeenFrame};
use crate::sample::{Decode, Sample, Wheel};
use crate::sane::{lap_ms, not_zero, running_ms};

const STANDARD_GRAVITY: f32 = 9.806_65;
/// Gear of a car in neutral. Reverse is 0.
const NEUTRAL: u8 = 15;

#[derive(Debug)]
pub(super) struct GranTurismoDecoder;

impl Decode for GranTurismoDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        let Some(packet) = Packet::of(frame) else { return };
        let presence = packet.presence();
        *sample = Sample { presence: Some(presence), ..Sample::default() };
        // An idle packet is zero, which would be a car in reverse gear.
        if presence != Presence::Off {
            car(packet, sample);
            motion(packet, sample);
            session(packet, sample);
        }
    }
}

fn car(packet: Packet<'_>, sample: &mut Sample) {
    let pedal = |at| packet.u8(at).map(|pressed| f32::from(pressed) / 255.0);
    sample.speed_kmh = packet.speed_kmh();
    sample.rpm = packet.f32(0x3C);
    sample.gear = packet.u8(0x90).and_then(|gears| match gears & 0xF {
        0 => Some(-1),
        NEUTRAL => Some(0),
        gear => i8::try_from(gear).ok(),
    });
    sample.throttle = pedal(0x91);
    sample.brake = pedal(0x92);
    sample.clutch = packet.f32(0xF4).map(|pressed| pressed.clamp(0.0, 1.0));
    sample.steering_rad = packet.f32(0x128).map(|left_rad| -left_rad);
    sample.tc_active = Some(packet.flags() & TRACTION_CONTROL != 0);
    sample.fuel_l = fuel_l(packet);
    for (index, wheel) in sample.wheels.iter_mut().enumerate() {
        let at = index * 4;
        *wheel = Wheel {
            tyre_middle_celsius: packet.f32(0x60 + at).and_then(not_zero),
            // Forward is positive in some versions of the game, and negative in others.
            angular_speed_rad_s: packet.f32(0xA4 + at).map(f32::abs),
            ..Wheel::default()
        };
    }
}

/// Returns the fuel in the tank; `None` for electric cars.
pub(super) fn fuel_l(packet: Packet<'_>) -> Option<f32> {
    let has_tank = packet.f32(0x48).is_some_and(|capacity_l| capacity_l > 0.0);
    packet.f32(0x44).filter(|_| has_tank)
}

fn motion(packet: Packet<'_>, sample: &mut Sample) {
    sample.world_m = packet.vector(0x04);
    let g = |at| packet.f32(at).map(|metres_per_s2| metres_per_s2 / STANDARD_GRAVITY);
    (sample.lateral_g, sample.vertical_g, sample.longitudinal_g) = (g(0x130), g(0x134), g(0x138));
    if let (Some([x, y, z]), Some(w)) = (packet.vector(0x1C), packet.f32(0x28)) {
        // Clockwise from north.
        sample.heading_rad = Some((-2.0 * (x * z + w * y)).atan2(1.0 - 2.0 * (x * x + y * y)));
        // Positive with the nose up, and with the right side up.
        sample.pitch_rad = Some((2.0 * (w * x - y * z)).clamp(-1.0, 1.0).asin());
        sample.roll_rad = Some((2.0 * (x * y + w * z)).clamp(-1.0, 1.0).asin());
    }
}

fn session(packet: Packet<'_>, sample: &mut Sample) {
    sample.lap_time_ms = packet.i32(0x15C).and_then(running_ms);
    sample.last_lap_ms = packet.i32(0x7C).and_then(lap_ms);
    sample.best_lap_ms = packet.i32(0x78).and_then(lap_ms);
    sample.laps_completed = packet.lap().map(|lap| u32::from(lap.saturating_sub(1)));
    let positive = |at| packet.i16(at).and_then(|number| u16::try_from(number).ok()).filter(|number| *number > 0);
    sample.race_position = positive(0x84);
    sample.car_count = positive(0x86);
}
