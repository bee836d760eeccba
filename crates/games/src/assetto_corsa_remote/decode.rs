//! Decodes updates of the car into samples.
//!
//! The signs of the lateral acceleration and of the steering were derived from positions in a capture.
use super::CAR;
use super::rules::is_car;
use crate::bytes::{f32_at, i32_at};
use crate::capture::{Presence, SeenFrame};
use crate::sample::{Decode, Sample, Wheel};
use crate::sane::{count, finite, lap_ms, running_ms, share};

#[derive(Debug)]
pub(super) struct RemoteDecoder;

impl Decode for RemoteDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        if frame.stream != CAR {
            return;
        }
        let presence = if is_car(frame.bytes) { Presence::Live } else { Presence::Off };
        *sample = Sample { presence: Some(presence), ..Sample::default() };
        if presence == Presence::Live {
            car(frame.bytes, sample);
        }
    }
}

fn car(bytes: &[u8], sample: &mut Sample) {
    let number = |at| f32_at(bytes, at).and_then(finite);
    let pedal = |at| f32_at(bytes, at).and_then(share);
    let flag = |at: usize| bytes.get(at).map(|flag| *flag != 0);
    sample.speed_kmh = number(8);
    sample.abs_active = flag(21);
    sample.tc_active = flag(22);
    sample.in_pit_box = flag(24);
    sample.lateral_g = number(28).map(|left| -left);
    sample.vertical_g = number(32);
    sample.longitudinal_g = number(36);
    sample.lap_time_ms = i32_at(bytes, 40).and_then(running_ms);
    sample.last_lap_ms = i32_at(bytes, 44).and_then(lap_ms);
    sample.best_lap_ms = i32_at(bytes, 48).and_then(lap_ms);
    sample.laps_completed = i32_at(bytes, 52).and_then(count);
    sample.throttle = pedal(56);
    sample.brake = pedal(60);
    // 1 is released.
    sample.clutch = pedal(64).map(|released| 1.0 - released);
    sample.rpm = number(68);
    sample.steering_rad = number(72).map(f32::to_radians);
    sample.gear = i32_at(bytes, 76).and_then(|gear| count(gear.checked_sub(1)?));
    sample.track_position = position(bytes);
    sample.world_m = world_m(bytes);
    for (index, wheel) in sample.wheels.iter_mut().enumerate() {
        *wheel = Wheel {
            // More under load.
            suspension_m: number(292 + index * 4),
            slip: number(164 + index * 4),
            angular_speed_rad_s: number(84 + index * 4),
            ..Wheel::default()
        };
    }
}

pub(super) fn position(bytes: &[u8]) -> Option<f32> {
    f32_at(bytes, 308).filter(|position| (0.0..1.0).contains(position))
}

pub(super) fn world_m(bytes: &[u8]) -> Option<[f32; 3]> {
    let [x, y, z] = [316, 320, 324].map(|at| f32_at(bytes, at).and_then(finite));
    Some([x?, y?, z?])
}
