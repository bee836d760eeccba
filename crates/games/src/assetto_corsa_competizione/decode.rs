//! Decodes pages into samples: Competizione's additions to the part shared with Assetto Corsa.
//!
//! Fields that the game's documentation calls unused (tread temperatures, wear, load) are not read.
use std::mem::offset_of;

use super::{Graphics, Physics};
use crate::ac::decode::{car, flags, session, vector};
use crate::bytes::{f32_at, i32_at};
use crate::capture::{Presence, SeenFrame};
use crate::sample::{Decode, Flags, Sample};
use crate::sane::count;

/// Length of the per-car arrays.
const CARS: usize = 60;

#[derive(Debug)]
pub(super) struct AccDecoder;

impl Decode for AccDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        match frame.stream {
            "physics" => {
                car(frame.bytes, sample);
                let acts = |field| f32_at(frame.bytes, field).map(|level| level > 0.0);
                // An unwritten page has no speed.
                let known = sample.speed_kmh.is_some();
                sample.abs_active = acts(offset_of!(Physics, head.abs)).filter(|_| known);
                sample.tc_active = acts(offset_of!(Physics, head.tc)).filter(|_| known);
            }
            "graphics" => {
                session(frame, sample);
                let off = sample.presence == Some(Presence::Off);
                field(if off { &[] } else { frame.bytes }, sample);
            }
            _ => {}
        }
    }
}

fn field(page: &[u8], sample: &mut Sample) {
    let whole = |field| i32_at(page, field);
    let is = |field| whole(field).map(|flag| flag != 0);
    sample.car_count = whole(offset_of!(Graphics, active_cars)).filter(|cars| *cars > 0).and_then(count);
    sample.world_m = player_position(page);
    sample.in_pit_lane = is(offset_of!(Graphics, is_in_pit_lane));
    sample.lap_is_valid = is(offset_of!(Graphics, is_valid_lap));
    sample.tc_level = whole(offset_of!(Graphics, tc)).filter(|level| *level >= 0);
    sample.abs_level = whole(offset_of!(Graphics, abs)).filter(|level| *level >= 0);
    sample.flags = whole(offset_of!(Graphics, flag)).and_then(flags).map(|shown| {
        let out = |field| is(field).unwrap_or_default();
        Flags {
            yellow: shown.yellow || out(offset_of!(Graphics, global_yellow)),
            white: shown.white || out(offset_of!(Graphics, global_white)),
            green: shown.green || out(offset_of!(Graphics, global_green)),
            chequered: shown.chequered || out(offset_of!(Graphics, global_chequered)),
            red: out(offset_of!(Graphics, global_red)),
            ..shown
        }
    });
}

/// Returns the player's world position. The order of entries is not fixed, so the entry is found by car id.
fn player_position(page: &[u8]) -> Option<[f32; 3]> {
    let player = i32_at(page, offset_of!(Graphics, player_car_id))?;
    let entry = (0..CARS).find(|entry| i32_at(page, offset_of!(Graphics, car_id) + entry * 4) == Some(player))?;
    vector(page, offset_of!(Graphics, car_coordinates) + entry * 12).filter(|place| *place != [0.0; 3])
}
