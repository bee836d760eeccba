//! Decodes the player's vehicle into samples: the car from its telemetry, its laps from the classification.
use super::interface::{Interface, Newest, TELEMETRY_CARS};
use super::vehicle::Vehicle;
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::Pit;
use crate::sample::{Decode, Flags, Sample};
use crate::sane::{finite, ms, share};
use crate::standings::CarResult;

const STANDARD_GRAVITY: f32 = 9.806_65;

#[derive(Debug)]
pub(crate) struct Decoder {
    interface: Interface,
    newest: Newest,
}

impl Decoder {
    pub(crate) fn new(interface: Interface) -> Self {
        Self { interface, newest: Newest::new(interface) }
    }

    fn scoring(&self, sample: &mut Sample) {
        let (info, player) = (self.newest.info(), self.newest.player());
        sample.air_celsius = info.and_then(|info| info.air_celsius());
        sample.track_celsius = info.and_then(|info| info.track_celsius());
        sample.session_left_ms = info.and_then(|info| info.left_ms()).and_then(ms);
        sample.car_count = info.and_then(|info| u16::try_from(info.vehicles()?).ok()).filter(|count| *count > 0);
        sample.laps_completed = player.and_then(|player| player.laps());
        sample.last_lap_ms = player.and_then(|player| player.last_ms());
        sample.best_lap_ms = player.and_then(|player| player.best_ms());
        sample.lap_is_valid = player.and_then(|player| player.lap_counts());
        sample.race_position = player.and_then(|player| player.position());
        let pit = player.and_then(|player| player.pit());
        sample.in_pit_box = pit.map(|pit| pit == Pit::Box);
        sample.in_pit_lane = pit.map(|pit| pit != Pit::Track);
        let length_m = info.and_then(|info| info.length_m());
        sample.lap_distance_m = player.and_then(|player| player.along_m()).and_then(|metres| finite(metres as f32));
        let position = Option::zip(sample.lap_distance_m, length_m).map(|(along_m, length_m)| along_m / length_m);
        sample.track_position = position.filter(|position| (0.0..=1.0).contains(position));
        sample.flags = Option::zip(info, player).map(|(info, player)| Flags {
            green: info.is_green(),
            yellow: info.is_yellow() || player.is_under_yellow(),
            red: info.is_red(),
            blue: player.is_shown_blue(),
            chequered: info.is_over() || player.result() == CarResult::Finished,
            black: player.result() == CarResult::Disqualified,
            ..Flags::default()
        });
    }

    fn car(&self, car: Vehicle<'_>, sample: &mut Sample) {
        sample.speed_kmh = car.speed_kmh();
        sample.rpm = car.f32(356);
        sample.gear = crate::bytes::i32_at(car.bytes(), 352).and_then(|gear| i8::try_from(gear).ok());
        sample.throttle = car.f32(388).and_then(share);
        sample.brake = car.f32(396).and_then(share);
        sample.clutch = car.f32(412).and_then(share);
        sample.steering = car.f32(404).map(|steering| steering.clamp(-1.0, 1.0));
        sample.world_m = car.vector(160);
        // The axes point to the left, up and back.
        let g = |at| car.f32(at).map(|metres_per_s2| metres_per_s2 / STANDARD_GRAVITY);
        sample.lateral_g = g(208).map(|left| -left);
        sample.vertical_g = g(216);
        sample.longitudinal_g = g(224).map(|back| -back);
        sample.fuel_l = car.fuel_l();
        sample.lap_time_ms = car.running_ms();
        sample.sector = car.sector();
        for (index, wheel) in sample.wheels.iter_mut().enumerate() {
            *wheel = car.wheel(index);
        }
        if self.interface.is_lmu {
            // Before version 1.3 these bytes were spare: a car without a highest setting does not report any.
            let known = |most: usize, at: usize| car.u8(at).filter(|_| car.u8(most).is_some_and(|most| most > 0));
            sample.abs_active = known(757, 746).map(|flag| flag != 0);
            sample.tc_active = known(751, 747).map(|flag| flag != 0);
            sample.abs_level = known(757, 756).map(i32::from);
            sample.tc_level = known(751, 750).map(i32::from);
        }
    }
}

impl Decode for Decoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        if self.newest.take(frame) {
            self.scoring(sample);
        } else if frame.stream.starts_with(TELEMETRY_CARS) {
            let id = self.newest.player().and_then(|player| player.id());
            let Some(car) = id.and_then(|id| Vehicle::with_id(frame.bytes, id)) else { return };
            self.car(car, sample);
        } else {
            return;
        }
        let presence = self.newest.presence();
        if presence == Presence::Off {
            *sample = Sample::default();
        }
        sample.presence = Some(presence);
    }
}
