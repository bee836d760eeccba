//! Decodes updates into samples. Acceleration is left out: its axes are not documented.
use super::values::{f32_of, number, whole};
use super::{SESSION_END, SESSION_PAUSE, SESSION_RESUME, SESSION_UPDATE};
use crate::capture::{Presence, SeenFrame};
use crate::sample::{Decode, Sample, Wheel};
use crate::sane::{finite, ms, share};

#[derive(Debug)]
pub(super) struct WrcDecoder;

impl Decode for WrcDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        match frame.stream {
            stream if stream == SESSION_UPDATE.name => update(frame, sample),
            stream if stream == SESSION_PAUSE.name => sample.presence = Some(Presence::Paused),
            stream if stream == SESSION_RESUME.name => sample.presence = Some(Presence::Live),
            stream if stream == SESSION_END.name => {
                *sample = Sample { presence: Some(Presence::Off), ..Sample::default() };
            }
            _ => {}
        }
    }
}

fn update(frame: SeenFrame<'_>, sample: &mut Sample) {
    let value = |name| f32_of(frame, name);
    let pedal = |name| value(name).and_then(share);
    sample.presence = Some(Presence::Live);
    sample.speed_kmh = value("vehicle_speed").map(|speed| speed * 3.6).and_then(finite);
    sample.rpm = value("vehicle_engine_rpm_current");
    sample.gear = gear(frame);
    sample.throttle = pedal("vehicle_throttle");
    sample.brake = pedal("vehicle_brake");
    sample.clutch = pedal("vehicle_clutch");
    sample.steering = value("vehicle_steering").map(|share| share.clamp(-1.0, 1.0));
    sample.world_m = world_m(frame);
    sample.lap_time_ms = number(frame, "stage_current_time").and_then(|seconds| ms(seconds * 1000.0));
    sample.lap_distance_m = value("stage_current_distance");
    sample.track_position = progress(frame).map(|progress| progress as f32).filter(|share| (0.0..1.0).contains(share));
    let wheels = [
        ("vehicle_brake_temperature_fl", "vehicle_hub_position_fl"),
        ("vehicle_brake_temperature_fr", "vehicle_hub_position_fr"),
        ("vehicle_brake_temperature_bl", "vehicle_hub_position_bl"),
        ("vehicle_brake_temperature_br", "vehicle_hub_position_br"),
    ];
    for (wheel, (brake, hub)) in sample.wheels.iter_mut().zip(wheels) {
        *wheel = Wheel { brake_celsius: value(brake), suspension_m: value(hub), ..Wheel::default() };
    }
}

/// Returns the gear. The packet defines which numbers mean neutral and reverse.
fn gear(frame: SeenFrame<'_>) -> Option<i8> {
    let gear = whole(frame, "vehicle_gear_index")?;
    if Some(gear) == whole(frame, "vehicle_gear_index_neutral") {
        return Some(0);
    }
    if Some(gear) == whole(frame, "vehicle_gear_index_reverse") {
        return Some(-1);
    }
    i8::try_from(gear).ok()
}

/// Returns the world position.
pub(super) fn world_m(frame: SeenFrame<'_>) -> Option<[f32; 3]> {
    let [x, y, z] = ["vehicle_position_x", "vehicle_position_y", "vehicle_position_z"].map(|name| f32_of(frame, name));
    Some([x?, y?, z?]).filter(|place| *place != [0.0; 3])
}

/// Returns the fraction of the stage that the car has driven.
pub(super) fn progress(frame: SeenFrame<'_>) -> Option<f64> {
    let length_m = number(frame, "stage_length").filter(|metres| *metres > 0.0);
    let driven = Option::zip(number(frame, "stage_current_distance"), length_m);
    driven.map(|(metres, length_m)| metres / length_m).or_else(|| number(frame, "stage_progress"))
}
