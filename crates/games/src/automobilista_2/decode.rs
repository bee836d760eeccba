//! Decodes packets into samples of the viewed car: telemetry for the car, timings and time stats for its laps.
use super::stats::TimeStats;
use super::telemetry::Telemetry;
use super::timings::{GameState, Timings, presence};
use super::{GAME_STATE, RACE_DEFINITION, TELEMETRY, TIME_STATS, TIMINGS};
use crate::bytes::{array_at, f32_at};
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::Pit;
use crate::project_cars::states::{self, celsius, gear, share, steering};
use crate::sample::{Decode, Flags, Sample, Wheel};
use crate::sane::{ms, not_zero};

const STANDARD_GRAVITY: f32 = 9.806_65;
/// Bits of the car flags.
const ABS: u8 = 16;
const TRACTION_CONTROL: u8 = 64;

#[derive(Debug, Default)]
pub(super) struct Automobilista2Decoder {
    game: Option<u8>,
    is_running: bool,
    viewed: Option<usize>,
    participant: Option<u16>,
    track_m: Option<f32>,
}

impl Decode for Automobilista2Decoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        let bytes = frame.bytes;
        match frame.stream {
            GAME_STATE => {
                self.game = GameState(bytes).game();
                sample.air_celsius = GameState(bytes).air_celsius();
                sample.track_celsius = GameState(bytes).track_celsius();
            }
            RACE_DEFINITION => self.track_m = f32_at(bytes, 44).filter(|metres| *metres > 0.0),
            TELEMETRY => {
                self.viewed = Telemetry(bytes).viewed();
                car(Telemetry(bytes), sample);
            }
            TIMINGS => self.timings(Timings(bytes), sample),
            TIME_STATS => {
                let stats = self.participant.and_then(|participant| TimeStats(bytes).of(participant));
                sample.last_lap_ms = stats.and_then(|stats| stats.last_ms());
                sample.best_lap_ms = stats.and_then(|stats| stats.best_ms());
            }
            _ => return,
        }
        let presence = match self.game {
            Some(game) => states::presence(game),
            None if self.is_running => Presence::Live,
            None => Presence::Off,
        };
        sample.presence = Some(presence);
        if presence == Presence::Off {
            *sample = Sample { presence: Some(presence), ..Sample::default() };
        }
    }
}

impl Automobilista2Decoder {
    fn timings(&mut self, timings: Timings<'_>, sample: &mut Sample) {
        self.is_running = presence(None, Some(timings)) == Presence::Live;
        sample.car_count = u16::try_from(timings.count()).ok().filter(|count| *count > 0);
        sample.session_left_ms = timings.left_s().and_then(|left_s| ms(f64::from(left_s) * 1000.0));
        let viewed = self.viewed.and_then(|place| timings.at(place));
        let car = viewed.or_else(|| timings.local(None).map(|(_, car)| car));
        let participant = car.and_then(|car| car.participant());
        if self.participant != participant {
            // Times of another car.
            self.participant = participant;
            (sample.last_lap_ms, sample.best_lap_ms) = (None, None);
        }
        sample.laps_completed = car.and_then(|car| car.lap()).map(|lap| lap - 1);
        sample.lap_time_ms = car.and_then(|car| car.lap_time_ms());
        sample.lap_is_valid = car.and_then(|car| car.is_lap_invalid()).map(|invalid| !invalid);
        sample.sector = car.and_then(|car| car.sector());
        sample.race_position = car.and_then(|car| car.race_position());
        sample.flags = car.and_then(|car| car.flag_colour()).and_then(flags);
        let pit = car.and_then(|car| car.pit());
        sample.in_pit_box = pit.map(|pit| pit == Pit::Box);
        sample.in_pit_lane = pit.map(|pit| pit != Pit::Track);
        sample.lap_distance_m = car.and_then(|car| car.lap_distance_m()).map(f32::from);
        let position = Option::zip(sample.lap_distance_m, self.track_m).map(|(along_m, track_m)| along_m / track_m);
        sample.track_position = position.filter(|position| (0.0..=1.0).contains(position));
    }
}

fn car(packet: Telemetry<'_>, sample: &mut Sample) {
    sample.speed_kmh = packet.speed_kmh();
    sample.rpm = packet.u16(40).map(f32::from);
    sample.gear = packet.u8(45).and_then(gear);
    sample.throttle = packet.u8(30).map(share);
    sample.brake = packet.u8(29).map(share);
    sample.clutch = packet.u8(31).map(share);
    sample.steering = packet.u8(44).map(steering);
    sample.fuel_l = packet.fuel_l();
    sample.world_m = packet.world_m();
    let flags = packet.u8(17);
    sample.abs_active = flags.map(|flags| flags & ABS != 0);
    sample.tc_active = flags.map(|flags| flags & TRACTION_CONTROL != 0);
    let g = |at| packet.f32(at).map(|metres_per_s2| metres_per_s2 / STANDARD_GRAVITY);
    sample.lateral_g = g(100).map(|left| -left);
    sample.vertical_g = g(104);
    sample.longitudinal_g = g(108).map(|back| -back);
    (sample.pitch_rad, sample.heading_rad, sample.roll_rad) = (packet.f32(52), packet.f32(56), packet.f32(60));
    for (index, wheel) in sample.wheels.iter_mut().enumerate() {
        let kelvins = |at| packet.u16(at + index * 2).and_then(celsius);
        let degrees = |at| packet.u16(at + index * 2).map(f32::from).and_then(not_zero);
        // The inner edge of a tyre is the one next to the car.
        let (inner, outer) = if index % 2 == 0 { (272, 256) } else { (256, 272) };
        let brake = array_at(packet.0, 208 + index * 2).map(i16::from_le_bytes);
        *wheel = Wheel {
            tyre_core_celsius: kelvins(232),
            tyre_inner_celsius: degrees(inner),
            tyre_middle_celsius: degrees(264),
            tyre_outer_celsius: degrees(outer),
            tread_left: packet.u8(196 + index).map(|wear| 1.0 - share(wear)),
            brake_celsius: brake.map(f32::from).and_then(not_zero),
            angular_speed_rad_s: packet.f32(160 + index * 4).map(f32::abs),
            ..Wheel::default()
        };
    }
}

/// Decodes the colour of the flag that a driver is shown; `None` if the number is unknown.
pub(super) fn flags(colour: u8) -> Option<Flags> {
    let none = Flags::default();
    Some(match colour {
        0 => none,
        1 => Flags { green: true, ..none },
        2 => Flags { blue: true, ..none },
        3 | 4 => Flags { white: true, ..none },
        5 => Flags { red: true, ..none },
        6 | 7 => Flags { yellow: true, ..none },
        8 => Flags { penalty: true, ..none },
        9 => Flags { orange: true, ..none },
        10 => Flags { black: true, ..none },
        11 => Flags { chequered: true, ..none },
        _ => return None,
    })
}
