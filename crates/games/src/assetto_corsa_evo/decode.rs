//! Decodes pages into samples.
//!
//! Sources disagree on which of the last two components of `accG` points up, so only the lateral one is read. It is
//! also unclear which edge of the tread `tyre_temperature_left` means on a right wheel, so tread temperatures come from
//! the physics page.
use std::mem::offset_of;

use super::{Graphics, Static};
use crate::ac::decode::{car, clear_missing_pressures, tread_temperatures, vector};
use crate::ac::family;
use crate::bytes::{array_at, f32_at, i32_at};
use crate::capture::{Presence, Seen, SeenFrame};
use crate::sample::{Decode, Flags, Sample};
use crate::sane::{count, finite, lap_ms, running_ms};

/// Length of the per-car arrays.
const CARS: usize = 60;
/// Length of a car id: two 8-byte halves.
const CAR_ID_BYTES: usize = 16;

#[derive(Debug, Default)]
pub(super) struct EvoDecoder {
    track_m: Option<f32>,
}

impl Decode for EvoDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        match frame.stream {
            "physics" => {
                car(frame.bytes, sample);
                tread_temperatures(frame.bytes, sample);
                clear_missing_pressures(sample);
                (sample.vertical_g, sample.longitudinal_g) = (None, None);
            }
            "graphics" => {
                let presence = family::presence(Seen(&[frame]));
                sample.presence = Some(presence);
                // If the status is "off", all other fields are ignored.
                let page = if presence == Presence::Off { &[] } else { frame.bytes };
                laps(page, sample);
                self.track(page, sample);
            }
            "static" => {
                self.track_m = f32_at(frame.bytes, offset_of!(Static, track_length_m)).filter(|metres| *metres > 0.0);
            }
            _ => {}
        }
    }
}

impl EvoDecoder {
    fn track(&self, page: &[u8], sample: &mut Sample) {
        let is = |field: usize| page.get(field).map(|flag| *flag != 0);
        sample.track_position = f32_at(page, offset_of!(Graphics, npos)).and_then(finite);
        sample.lap_distance_m =
            Option::zip(sample.track_position, self.track_m).map(|(share, metres)| share * metres).and_then(finite);
        sample.world_m = player_position(page);
        sample.in_pit_box = is(offset_of!(Graphics, is_in_pit_box));
        sample.in_pit_lane = is(offset_of!(Graphics, is_in_pit_lane));
        sample.abs_active = is(offset_of!(Graphics, abs_active));
        sample.tc_active = is(offset_of!(Graphics, tc_active));
        let level =
            |field: usize| page.get(field).map(|level| i32::from(level.cast_signed())).filter(|level| *level >= 0);
        sample.abs_level = level(offset_of!(Graphics, electronics.abs_level));
        sample.tc_level = level(offset_of!(Graphics, electronics.tc_level));
        let [own, global] = [offset_of!(Graphics, flag), offset_of!(Graphics, global_flag)]
            .map(|field| i32_at(page, field).and_then(flags));
        sample.flags = match (own, global) {
            (Some(own), Some(global)) => Some(both(own, global)),
            (own, global) => own.or(global),
        };
    }
}

fn laps(page: &[u8], sample: &mut Sample) {
    let whole = |field| i32_at(page, field);
    sample.laps_completed = whole(offset_of!(Graphics, total_lap_count)).and_then(count);
    sample.race_position = whole(offset_of!(Graphics, current_pos)).filter(|place| *place > 0).and_then(count);
    sample.lap_time_ms = whole(offset_of!(Graphics, current_lap_time_ms)).and_then(running_ms);
    sample.last_lap_ms = whole(offset_of!(Graphics, last_laptime_ms)).and_then(lap_ms);
    sample.best_lap_ms = whole(offset_of!(Graphics, best_laptime_ms)).and_then(lap_ms);
    // It is not known whether 0 means "over" or "no limit".
    sample.session_left_ms = whole(offset_of!(Graphics, session_state.time_left_ms)).and_then(lap_ms);
    sample.lap_is_valid = page.get(offset_of!(Graphics, is_valid_lap)).map(|flag| *flag != 0);
    let cars = page.get(offset_of!(Graphics, active_cars)).copied();
    sample.car_count = cars.filter(|cars| *cars > 0).map(u16::from);
}

/// Returns the player's world position. The order of entries is not fixed, so the entry is found by car id.
fn player_position(page: &[u8]) -> Option<[f32; 3]> {
    let id = |at: usize| array_at::<CAR_ID_BYTES>(page, at);
    let player = id(offset_of!(Graphics, player_car_id_a)).filter(|id| *id != [0; CAR_ID_BYTES])?;
    let entry = (0..CARS).find(|entry| id(offset_of!(Graphics, car_ids) + entry * CAR_ID_BYTES) == Some(player))?;
    vector(page, offset_of!(Graphics, car_coordinates) + entry * 12).filter(|place| *place != [0.0; 3])
}

/// Decodes a flag number; `None` if it is unknown. Black and white (7) is a warning before a penalty and has no
/// counterpart; red and yellow stripes (10), a slippery track, count as yellow.
fn flags(shown: i32) -> Option<Flags> {
    let none = Flags::default();
    Some(match shown {
        0 | 7 => none,
        1 => Flags { white: true, ..none },
        2 => Flags { green: true, ..none },
        3 => Flags { red: true, ..none },
        4 => Flags { blue: true, ..none },
        5 | 10 => Flags { yellow: true, ..none },
        6 => Flags { black: true, ..none },
        8 => Flags { chequered: true, ..none },
        9 => Flags { orange: true, ..none },
        _ => return None,
    })
}

fn both(one: Flags, other: Flags) -> Flags {
    Flags {
        green: one.green || other.green,
        yellow: one.yellow || other.yellow,
        red: one.red || other.red,
        white: one.white || other.white,
        blue: one.blue || other.blue,
        black: one.black || other.black,
        orange: one.orange || other.orange,
        chequered: one.chequered || other.chequered,
        penalty: one.penalty || other.penalty,
    }
}
