//! Decodes datagrams into samples.
use super::TELEMETRY;
use super::packet::{
    BRAKE, BRAKE_TEMPERATURE, CLUTCH, G_LATERAL, G_LONGITUDINAL, GEAR, LAP_DISTANCE, LAP_TIME, LAST_LAP_TIME, PROGRESS,
    Packet, RACE_POSITION, SECTOR, SPEED, STEERING, SUSPENSION, THROTTLE,
};
use super::pause::PauseWatch;
use crate::capture::{Presence, SeenFrame};
use crate::sample::{Decode, Sample, Wheel};
use crate::sane::{finite, ms, share};

#[derive(Debug, Default)]
pub(super) struct DirtDecoder {
    pause: PauseWatch,
}

impl Decode for DirtDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        let Some(packet) = Packet::of(frame.bytes).filter(|_| frame.stream == TELEMETRY.name) else { return };
        if !packet.is_race() {
            *sample = Sample { presence: Some(Presence::Off), ..Sample::default() };
            return;
        }
        let paused = self.pause.look(packet);
        sample.presence = Some(if paused { Presence::Paused } else { Presence::Live });
        car(packet, sample);
        stage(packet, sample);
        // The games list the rear wheels first.
        for (wheel, index) in sample.wheels.iter_mut().zip([2, 3, 0, 1]) {
            *wheel = Wheel {
                brake_celsius: packet.get(BRAKE_TEMPERATURE + index),
                suspension_m: packet.get(SUSPENSION + index).map(|millimetres| millimetres / 1000.0),
                ..Wheel::default()
            };
        }
    }
}

fn car(packet: Packet<'_>, sample: &mut Sample) {
    let pedal = |number| packet.get(number).and_then(share);
    sample.speed_kmh = packet.get(SPEED).map(|speed| speed * 3.6).and_then(finite);
    sample.rpm = packet.rpm().and_then(finite);
    sample.gear = packet.get(GEAR).and_then(gear);
    sample.throttle = pedal(THROTTLE);
    sample.brake = pedal(BRAKE);
    sample.clutch = pedal(CLUTCH);
    sample.steering = packet.get(STEERING).map(|share| share.clamp(-1.0, 1.0));
    sample.world_m = packet.world_m();
    // Negative while the steering is positive (measured on a recording), which is taken to be to the right.
    sample.lateral_g = packet.get(G_LATERAL).map(|g| -g);
    sample.longitudinal_g = packet.get(G_LONGITUDINAL);
}

/// Reverse is -1 in DiRT Rally 2.0 and 10 in older games.
fn gear(value: f32) -> Option<i8> {
    match value.round() {
        value if value == -1.0 || value == 10.0 => Some(-1),
        value if (0.0..10.0).contains(&value) => Some(value as i8),
        _ => None,
    }
}

fn stage(packet: Packet<'_>, sample: &mut Sample) {
    let seconds = |number| packet.get(number).and_then(|seconds| ms(f64::from(seconds) * 1000.0));
    sample.lap_time_ms = seconds(LAP_TIME);
    sample.last_lap_ms = seconds(LAST_LAP_TIME).filter(|ms| *ms > 0);
    sample.laps_completed = packet.laps().filter(|_| packet.has_laps());
    sample.lap_distance_m = packet.get(LAP_DISTANCE);
    sample.track_position = position(packet);
    let whole = |number| packet.get(number).filter(|value| (0.0..256.0).contains(value)).map(|value| value as u8);
    sample.sector = whole(SECTOR);
    sample.race_position = whole(RACE_POSITION).filter(|position| *position > 0).map(u16::from);
}

/// Returns the position along the stage or lap. In events with several laps the progress keeps rising.
pub(super) fn position(packet: Packet<'_>) -> Option<f32> {
    let progress = packet.get(PROGRESS).filter(|progress| *progress >= 0.0)?;
    let progress = if packet.has_laps() { progress.fract() } else { progress };
    Some(progress).filter(|progress| *progress < 1.0)
}
