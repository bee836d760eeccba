//! Decodes pages into samples: the code shared by Assetto Corsa and Competizione, and Assetto Corsa's additions.
//!
//! Fields are read one by one at the offsets of the structs: a page of an older version is shorter, and its missing
//! fields become `None`. The sign of lateral g, the direction of the clutch and the steering unit (a fraction of full
//! lock) follow the family's documentation. They were not checked against a recording.
use std::mem::offset_of;

use super::{Graphics, GraphicsHead, Physics, Static, family};
use crate::bytes::{array_at, f32_at, i32_at};
use crate::capture::{Presence, Seen, SeenFrame};
use crate::sample::{Decode, Flags, Sample, Wheel};
use crate::sane::{count, finite, lap_ms, ms, not_zero, running_ms, share};

const KPA_PER_PSI: f32 = 6.894_757;

#[derive(Debug, Default)]
pub(super) struct AcDecoder {
    track_m: Option<f32>,
}

impl Decode for AcDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        let page = frame.bytes;
        match frame.stream {
            "physics" => {
                car(page, sample);
                tread_temperatures(page, sample);
            }
            "graphics" => {
                session(frame, sample);
                self.track(page, sample);
            }
            "static" => {
                self.track_m = f32_at(page, offset_of!(Static, track_spline_length)).filter(|metres| *metres > 0.0);
                sample.car_count = i32_at(page, offset_of!(Static, num_cars)).filter(|cars| *cars > 0).and_then(count);
            }
            _ => {}
        }
    }
}

impl AcDecoder {
    fn track(&self, page: &[u8], sample: &mut Sample) {
        let on = sample.presence != Some(Presence::Off);
        let world = vector(page, offset_of!(Graphics, car_coordinates));
        sample.world_m = world.filter(|place| on && *place != [0.0; 3]);
        sample.lap_distance_m = Option::zip(sample.track_position, self.track_m).map(|(share, metres)| share * metres);
        sample.in_pit_lane = i32_at(page, offset_of!(Graphics, is_in_pit_lane)).filter(|_| on).map(|flag| flag != 0);
        sample.flags = i32_at(page, offset_of!(Graphics, flag)).filter(|_| on).and_then(flags);
    }
}

/// Decodes tread temperatures, which Competizione does not fill.
pub(crate) fn tread_temperatures(page: &[u8], sample: &mut Sample) {
    let page = if is_written(page) { page } else { &[] };
    for (index, wheel) in sample.wheels.iter_mut().enumerate() {
        let celsius = |field| f32_at(page, field + index * 4).and_then(not_zero);
        wheel.tyre_inner_celsius = celsius(offset_of!(Physics, tyre_temp_i));
        wheel.tyre_middle_celsius = celsius(offset_of!(Physics, tyre_temp_m));
        wheel.tyre_outer_celsius = celsius(offset_of!(Physics, tyre_temp_o));
    }
}

/// Clears the pressures if all four are 0: games that fill only part of the page leave them zero.
pub(crate) fn clear_missing_pressures(sample: &mut Sample) {
    if sample.wheels.iter().all(|wheel| wheel.pressure_kpa == Some(0.0)) {
        sample.wheels.iter_mut().for_each(|wheel| wheel.pressure_kpa = None);
    }
}

/// Returns whether the game has written the page. Physics steps count from 1; an unwritten page is all zero.
fn is_written(page: &[u8]) -> bool {
    i32_at(page, offset_of!(Physics, packet_id)).is_some_and(|step| step != 0)
}

/// Decodes the part of the physics page that both games share.
pub(crate) fn car(page: &[u8], sample: &mut Sample) {
    // Gear 0 is reverse: an unwritten page must not decode as a reversing car.
    let page = if is_written(page) { page } else { &[] };
    let number = |field| f32_at(page, field).and_then(finite);
    let pedal = |field| f32_at(page, field).and_then(share);
    sample.throttle = pedal(offset_of!(Physics, gas));
    sample.brake = pedal(offset_of!(Physics, brake));
    sample.clutch = pedal(offset_of!(Physics, clutch));
    sample.fuel_l = number(offset_of!(Physics, fuel));
    sample.gear = i32_at(page, offset_of!(Physics, gear)).and_then(|gear| count(gear.checked_sub(1)?));
    sample.rpm = i32_at(page, offset_of!(Physics, rpms)).map(|rpm| rpm as f32);
    sample.steering = number(offset_of!(Physics, steer_angle)).map(|share| share.clamp(-1.0, 1.0));
    sample.speed_kmh = number(offset_of!(Physics, speed_kmh));
    let [lateral, vertical, longitudinal] = [0, 4, 8].map(|axis| number(offset_of!(Physics, acc_g) + axis));
    (sample.lateral_g, sample.vertical_g, sample.longitudinal_g) = (lateral, vertical, longitudinal);
    sample.heading_rad = number(offset_of!(Physics, heading));
    sample.pitch_rad = number(offset_of!(Physics, pitch));
    sample.roll_rad = number(offset_of!(Physics, roll));
    let celsius = |field| f32_at(page, field).and_then(not_zero);
    sample.air_celsius = celsius(offset_of!(Physics, air_temp));
    sample.track_celsius = celsius(offset_of!(Physics, road_temp));
    for (index, wheel) in sample.wheels.iter_mut().enumerate() {
        let at = index * 4;
        *wheel = Wheel {
            tyre_core_celsius: celsius(offset_of!(Physics, tyre_core_temperature) + at),
            pressure_kpa: number(offset_of!(Physics, wheels_pressure) + at).map(|psi| psi * KPA_PER_PSI),
            brake_celsius: celsius(offset_of!(Physics, brake_temp) + at),
            suspension_m: number(offset_of!(Physics, suspension_travel) + at),
            slip: number(offset_of!(Physics, wheel_slip) + at),
            angular_speed_rad_s: number(offset_of!(Physics, wheel_angular_speed) + at),
            ..Wheel::default()
        };
    }
}

/// Decodes the part of the graphics page that both games share. If the status is "off", all other fields are ignored.
pub(crate) fn session(frame: SeenFrame<'_>, sample: &mut Sample) {
    let presence = family::presence(Seen(&[frame]));
    sample.presence = Some(presence);
    let page = if presence == Presence::Off { &[] } else { frame.bytes };
    let whole = |field| i32_at(page, field);
    sample.laps_completed = whole(offset_of!(GraphicsHead, completed_laps)).and_then(count);
    sample.race_position = whole(offset_of!(GraphicsHead, position)).filter(|place| *place > 0).and_then(count);
    sample.lap_time_ms = whole(offset_of!(GraphicsHead, i_current_time)).and_then(running_ms);
    sample.last_lap_ms = whole(offset_of!(GraphicsHead, i_last_time)).and_then(lap_ms);
    sample.best_lap_ms = whole(offset_of!(GraphicsHead, i_best_time)).and_then(lap_ms);
    let left = f32_at(page, offset_of!(GraphicsHead, session_time_left));
    sample.session_left_ms = left.and_then(|left| ms(left.into()));
    sample.stint_distance_m = f32_at(page, offset_of!(GraphicsHead, distance_traveled)).and_then(finite);
    sample.in_pit_box = whole(offset_of!(GraphicsHead, is_in_pit)).map(|flag| flag != 0);
    sample.sector = whole(offset_of!(GraphicsHead, current_sector_index)).and_then(count);
    sample.track_position = f32_at(page, offset_of!(GraphicsHead, normalized_car_position)).and_then(finite);
}

/// Reads three finite numbers.
pub(crate) fn vector(page: &[u8], field: usize) -> Option<[f32; 3]> {
    let bytes: [u8; 12] = array_at(page, field)?;
    let mut place = [0.0; 3];
    for (number, bytes) in place.iter_mut().zip(bytes.as_chunks::<4>().0) {
        *number = finite(f32::from_le_bytes(*bytes))?;
    }
    Some(place)
}

/// Decodes the flag that the game shows; `None` if the number is unknown. Competizione has two more than Assetto Corsa.
pub(crate) fn flags(shown: i32) -> Option<Flags> {
    let none = Flags::default();
    Some(match shown {
        0 => none,
        1 => Flags { blue: true, ..none },
        2 => Flags { yellow: true, ..none },
        3 => Flags { black: true, ..none },
        4 => Flags { white: true, ..none },
        5 => Flags { chequered: true, ..none },
        6 => Flags { penalty: true, ..none },
        7 => Flags { green: true, ..none },
        8 => Flags { orange: true, ..none },
        _ => return None,
    })
}
