//! Decodes pages into lap frames: Competizione's additions to the part shared with Assetto Corsa.
//!
//! Pages of older versions are shorter; their missing fields become `None`.
use std::mem::offset_of;

use super::{Graphics, Static};
use crate::ac::laps::{Texts, car, pit, sector_ms, session};
use crate::bytes::{f32_at, i32_at};
use crate::capture::SeenFrame;
use crate::lap_frame::{Identity, LapFrame, ReadLaps, SectorValue, Validity};
use crate::sane::finite;

/// Length of the per-car arrays.
const CARS: usize = 60;
/// Penalties that delete the best lap: for cutting, and for speeding in the pit lane.
const BEST_REMOVED: [i32; 2] = [6, 12];
/// Value of `flag` while a yellow flag is shown to the driver.
const YELLOW: i32 = 2;

const GRIP: [&str; 7] = ["green", "fast", "optimum", "greasy", "damp", "wet", "flooded"];
const RAIN: [&str; 6] = ["none", "drizzle", "light", "medium", "heavy", "thunderstorm"];

#[derive(Debug, Default)]
pub(super) struct AccLaps {
    texts: Texts,
    /// Most recent entry of the player's car.
    entry: usize,
}

impl ReadLaps for AccLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        let page = frame.bytes;
        match frame.stream {
            "physics" => {
                car(page, laps);
                false
            }
            "static" => {
                let online = i32_at(page, offset_of!(Static, is_online)).map(|online| online != 0);
                self.texts.take(page, Identity { online, validity: Validity::Flag, ..Identity::default() });
                self.texts.identity.stamp(laps);
                false
            }
            "graphics" => {
                self.graphics(page, laps);
                true
            }
            _ => false,
        }
    }

    fn identity(&self) -> &Identity {
        &self.texts.identity
    }
}

impl AccLaps {
    fn graphics(&mut self, page: &[u8], laps: &mut LapFrame) {
        session(page, laps);
        let whole = |field| i32_at(page, field);
        let is = |field| whole(field).map(|flag| flag != 0);
        laps.sector_value = sector_ms(page).map_or(SectorValue::None, SectorValue::Cumulative);
        laps.session_index = whole(offset_of!(Graphics, session_index));
        laps.player_car = whole(offset_of!(Graphics, player_car_id));
        laps.valid = is(offset_of!(Graphics, is_valid_lap));
        laps.best_removed = whole(offset_of!(Graphics, penalty)).is_some_and(|kind| BEST_REMOVED.contains(&kind));
        laps.pit = pit(page, offset_of!(Graphics, is_in_pit_lane));
        laps.time_of_day_s = f32_at(page, offset_of!(Graphics, clock)).and_then(finite);
        laps.tyre_set = whole(offset_of!(Graphics, current_tyre_set));
        laps.grip = word(&GRIP, whole(offset_of!(Graphics, track_grip_status)));
        laps.rain = word(&RAIN, whole(offset_of!(Graphics, rain_intensity)));
        let lights = [
            offset_of!(Graphics, global_yellow),
            offset_of!(Graphics, global_yellow_1),
            offset_of!(Graphics, global_yellow_2),
            offset_of!(Graphics, global_yellow_3),
            offset_of!(Graphics, global_red),
        ];
        let shown = whole(offset_of!(Graphics, flag)).map(|flag| flag == YELLOW);
        laps.caution = shown.map(|shown| shown || lights.into_iter().any(|light| is(light) == Some(true)));
        laps.world_m = self.player_position(page, laps.player_car);
        self.texts.tyres(page);
        self.texts.identity.stamp(laps);
    }

    /// Returns the player's world position. The order of entries is not fixed but rarely changes.
    fn player_position(&mut self, page: &[u8], player: Option<i32>) -> Option<[f32; 3]> {
        let player = player?;
        let is_own = |entry: &usize| i32_at(page, offset_of!(Graphics, car_id) + entry * 4) == Some(player);
        if !is_own(&self.entry) {
            self.entry = (0..CARS).find(is_own)?;
        }
        let place = crate::ac::decode::vector(page, offset_of!(Graphics, car_coordinates) + self.entry * 12);
        place.filter(|place| *place != [0.0; 3])
    }
}

fn word(words: &[&'static str], number: Option<i32>) -> Option<&'static str> {
    words.get(usize::try_from(number?).ok()?).copied()
}
