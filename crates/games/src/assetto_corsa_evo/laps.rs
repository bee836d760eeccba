//! Decodes pages into lap frames. Lap number and lap times are read. The fields for sectors and lap validity have not
//! been confirmed, so they are not read.
use std::mem::offset_of;

use super::{Graphics, Static};
use crate::ac::decode::vector;
use crate::ac::laps::car;
use crate::bytes::{array_at, f32_at, i32_at};
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::{Identity, LapFrame, NO_LAPS, Pit, ReadLaps};
use crate::sane::{count, finite, lap_ms, running_ms};
use crate::session_kind::SessionKind;
use crate::text::char_text;

/// Length of the per-car arrays.
const CARS: usize = 60;
/// Length of a car id: two 8-byte halves.
const CAR_ID_BYTES: usize = 16;

#[derive(Debug, Default)]
pub(super) struct EvoLaps {
    identity: Identity,
    statics: Option<StaticTexts>,
    name_bytes: Vec<u8>,
    kind: Option<SessionKind>,
    index: Option<i32>,
    /// Whether a graphics page has arrived: the game before 0.6 has none.
    has_graphics: bool,
    /// Most recent entry of the player's car.
    entry: usize,
}

#[derive(Debug, Clone, Default)]
struct StaticTexts {
    version: Option<String>,
    track: Option<String>,
    layout: Option<String>,
    online: Option<bool>,
    length_m: Option<f32>,
}

impl ReadLaps for EvoLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        let page = frame.bytes;
        match frame.stream {
            "physics" => {
                car(page, laps);
                if self.has_graphics {
                    return false;
                }
                self.identity.replace_with(Identity { remark: Some(NO_LAPS), ..self.identity.clone() });
                physics_only(page, laps);
            }
            "static" => {
                self.take_static(page);
                return false;
            }
            "graphics" => {
                self.has_graphics = true;
                self.graphics(page, laps);
            }
            _ => return false,
        }
        self.identity.stamp(laps);
        true
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

/// Fills the lap frame of a game that only writes physics: nothing is known except that it runs.
pub(crate) fn physics_only(page: &[u8], laps: &mut LapFrame) {
    let step = i32_at(page, 0);
    laps.presence = if step.is_some_and(|step| step != 0) { Presence::Live } else { Presence::Off };
    laps.counter = step.map(i64::from);
}

impl EvoLaps {
    fn take_static(&mut self, page: &[u8]) {
        let said = |at: usize, bytes: usize| text(page, at, bytes);
        self.kind = i32_at(page, offset_of!(Static, session)).map(kind);
        self.index = page.get(offset_of!(Static, session_id)).map(|id| i32::from(*id));
        self.statics = Some(StaticTexts {
            version: said(offset_of!(Static, ac_evo_version), 15),
            track: said(offset_of!(Static, track), 33),
            layout: said(offset_of!(Static, track_configuration), 33),
            online: page.get(offset_of!(Static, is_online)).map(|online| *online != 0),
            length_m: f32_at(page, offset_of!(Static, track_length_m)).filter(|metres| *metres > 0.0),
        });
        self.name_bytes.clear();
    }

    fn graphics(&mut self, page: &[u8], laps: &mut LapFrame) {
        let whole = |field| i32_at(page, field);
        let is = |field: usize| page.get(field).map(|flag| *flag != 0);
        laps.presence = match whole(offset_of!(Graphics, status)) {
            Some(1) => Presence::Replay,
            Some(2) => Presence::Live,
            Some(3) => Presence::Paused,
            _ => Presence::Off,
        };
        laps.counter = whole(offset_of!(Graphics, packet_id)).map(i64::from);
        laps.kind = self.kind.unwrap_or(SessionKind::Unknown);
        laps.session_index = self.index;
        laps.laps_completed = whole(offset_of!(Graphics, total_lap_count)).and_then(count);
        laps.running_ms = whole(offset_of!(Graphics, current_lap_time_ms)).and_then(running_ms);
        laps.last_ms = whole(offset_of!(Graphics, last_laptime_ms)).and_then(lap_ms);
        // It is not known whether 0 means "over" or "no limit".
        laps.left_ms = whole(offset_of!(Graphics, session_state.time_left_ms)).and_then(lap_ms).map(|left| left as f32);
        laps.pit = Pit::of(is(offset_of!(Graphics, is_in_pit_box)), is(offset_of!(Graphics, is_in_pit_lane)));
        let place = f32_at(page, offset_of!(Graphics, npos));
        laps.position = place.filter(|place| (0.0..=1.0).contains(place));
        laps.bad_position = place.is_some() && laps.position.is_none();
        laps.distance_m = f32_at(page, offset_of!(Graphics, current_km)).and_then(finite).map(|km| km * 1000.0);
        let [own, global] = [offset_of!(Graphics, flag), offset_of!(Graphics, global_flag)].map(whole);
        // 3 is red, 5 yellow.
        laps.caution = own.map(|own| [Some(own), global].into_iter().flatten().any(|flag| flag == 3 || flag == 5));
        laps.world_m = self.player_position(page);
        self.names(page);
    }

    /// Updates the identity from car and driver in the graphics page, when their bytes change.
    fn names(&mut self, page: &[u8]) {
        let from = offset_of!(Graphics, driver_name);
        let Some(bytes) = page.get(from..from + 99) else { return };
        if self.name_bytes == bytes {
            return;
        }
        self.name_bytes.clear();
        self.name_bytes.extend_from_slice(bytes);
        let said = |at: usize| text(page, at, 33);
        let Some(car) = said(offset_of!(Graphics, car_model)) else { return };
        let names = [offset_of!(Graphics, driver_name), offset_of!(Graphics, driver_surname)].map(said);
        let driver = names.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ");
        let statics = self.statics.clone().unwrap_or_default();
        self.identity.replace_with(Identity {
            game_version: statics.version,
            track: statics.track,
            layout: statics.layout,
            online: statics.online,
            length_m: statics.length_m,
            car: Some(car),
            driver: Some(driver).filter(|driver| !driver.is_empty()),
            ..Identity::default()
        });
    }

    fn player_position(&mut self, page: &[u8]) -> Option<[f32; 3]> {
        let id = |at: usize| array_at::<CAR_ID_BYTES>(page, at);
        let player = id(offset_of!(Graphics, player_car_id_a)).filter(|id| *id != [0; CAR_ID_BYTES])?;
        let is_own = |entry: &usize| id(offset_of!(Graphics, car_ids) + entry * CAR_ID_BYTES) == Some(player);
        if !is_own(&self.entry) {
            self.entry = (0..CARS).find(is_own)?;
        }
        vector(page, offset_of!(Graphics, car_coordinates) + self.entry * 12).filter(|place| *place != [0.0; 3])
    }
}

fn text(page: &[u8], at: usize, bytes: usize) -> Option<String> {
    let text = char_text(page.get(at..at + bytes).unwrap_or_default());
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

fn kind(session: i32) -> SessionKind {
    match session {
        0 => SessionKind::TimeTrial,
        1 => SessionKind::Race,
        2 => SessionKind::Hotstint,
        3 => SessionKind::Practice,
        _ => SessionKind::Unknown,
    }
}
