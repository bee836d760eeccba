//! Decodes pages into lap frames: the code shared by Assetto Corsa and Competizione, and Assetto Corsa's own part.
//!
//! The two games use the same field for the last sector time, but it holds the sector alone in Assetto Corsa and the
//! time since the line in Competizione. Assetto Corsa does not report lap validity.
use std::mem::offset_of;

use super::decode::{flags, vector};
use super::{Graphics, GraphicsHead, Physics, Static};
use crate::bytes::{f32_at, i32_at};
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::{Identity, LapFrame, Pit, ReadLaps, SectorValue};
use crate::sane::{count, finite, lap_ms, not_zero, running_ms};
use crate::session_kind::SessionKind;
use crate::text::utf16le_text;

#[derive(Debug, Default)]
pub(super) struct AcLaps {
    texts: Texts,
}

impl ReadLaps for AcLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        let page = frame.bytes;
        match frame.stream {
            "physics" => {
                car(page, laps);
                return false;
            }
            "static" => {
                let online = None;
                let length_m = f32_at(page, offset_of!(Static, track_spline_length)).filter(|metres| *metres > 0.0);
                self.texts.take(page, Identity { online, length_m, ..Identity::default() });
                self.texts.identity.stamp(laps);
                return false;
            }
            "graphics" => {}
            _ => return false,
        }
        session(page, laps);
        laps.sector_value = sector_ms(page).map_or(SectorValue::None, SectorValue::Own);
        laps.pit = pit(page, offset_of!(Graphics, is_in_pit_lane));
        laps.world_m = vector(page, offset_of!(Graphics, car_coordinates)).filter(|place| *place != [0.0; 3]);
        let shown = i32_at(page, offset_of!(Graphics, flag)).and_then(flags);
        laps.caution = shown.map(|shown| shown.yellow);
        self.texts.tyres(page);
        self.texts.identity.stamp(laps);
        true
    }

    fn identity(&self) -> &Identity {
        &self.texts.identity
    }
}

/// Text fields of the static page and the tyre compound, decoded again only when their bytes change.
#[derive(Debug, Default)]
pub(crate) struct Texts {
    pub(crate) identity: Identity,
    tyre_bytes: Vec<u8>,
}

impl Texts {
    /// Updates the identity from a static page; `rest` holds the values that the caller provides. Ignores a page
    /// without track and car: it has not been written yet, or is being cleared.
    pub(crate) fn take(&mut self, page: &[u8], rest: Identity) {
        let text = |offset: usize, units: usize| {
            let text = utf16le_text(page.get(offset..offset + units * 2).unwrap_or_default());
            Some(text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let track = text(offset_of!(Static, track), 33);
        let car = text(offset_of!(Static, car_model), 33);
        if track.is_none() && car.is_none() {
            return;
        }
        let names = [offset_of!(Static, player_name), offset_of!(Static, player_surname)].map(|at| text(at, 33));
        let name = names.iter().flatten().map(String::as_str).collect::<Vec<_>>().join(" ");
        let driver = Some(name).filter(|name| !name.is_empty()).or_else(|| text(offset_of!(Static, player_nick), 33));
        self.identity.replace_with(Identity {
            game_version: text(offset_of!(Static, ac_version), 15),
            track,
            layout: text(offset_of!(Static, track_configuration), 33),
            car,
            driver,
            tyre: self.identity.tyre.clone(),
            sector_count: i32_at(page, offset_of!(Static, sector_count)).and_then(count),
            ..rest
        });
    }

    /// Updates the tyre compound from a graphics page.
    pub(crate) fn tyres(&mut self, page: &[u8]) {
        let at = offset_of!(GraphicsHead, tyre_compound);
        let Some(bytes) = page.get(at..at + 66) else { return };
        if self.tyre_bytes != bytes {
            self.tyre_bytes.clear();
            self.tyre_bytes.extend_from_slice(bytes);
            let tyre = Some(utf16le_text(bytes)).filter(|text| !text.trim().is_empty());
            self.identity.replace_with(Identity { tyre, ..self.identity.clone() });
        }
    }
}

/// Decodes the physics page into values that complete the next lap frame.
pub(crate) fn car(page: &[u8], laps: &mut LapFrame) {
    // An unwritten page is all zero.
    if i32_at(page, offset_of!(Physics, packet_id)).is_none_or(|step| step == 0) {
        return;
    }
    let number = |field| f32_at(page, field).and_then(finite);
    laps.fuel_l = number(offset_of!(Physics, fuel));
    laps.speed_kmh = number(offset_of!(Physics, speed_kmh));
    laps.air_celsius = number(offset_of!(Physics, air_temp)).and_then(not_zero);
    laps.track_celsius = number(offset_of!(Physics, road_temp)).and_then(not_zero);
}

/// Decodes the part of the graphics page that both games share.
pub(crate) fn session(page: &[u8], laps: &mut LapFrame) {
    let whole = |field| i32_at(page, field);
    laps.presence = match whole(offset_of!(GraphicsHead, status)) {
        Some(1) => Presence::Replay,
        Some(2) => Presence::Live,
        Some(3) => Presence::Paused,
        _ => Presence::Off,
    };
    laps.counter = whole(offset_of!(GraphicsHead, packet_id)).map(i64::from);
    laps.kind = whole(offset_of!(GraphicsHead, session)).map_or(SessionKind::Unknown, kind);
    laps.laps_completed = whole(offset_of!(GraphicsHead, completed_laps)).and_then(count);
    laps.running_ms = whole(offset_of!(GraphicsHead, i_current_time)).and_then(running_ms);
    laps.last_ms = whole(offset_of!(GraphicsHead, i_last_time)).and_then(lap_ms);
    let left = f32_at(page, offset_of!(GraphicsHead, session_time_left));
    laps.left_ms = left.and_then(finite).filter(|left| *left >= 0.0);
    laps.distance_m = f32_at(page, offset_of!(GraphicsHead, distance_traveled)).and_then(finite);
    laps.sector = whole(offset_of!(GraphicsHead, current_sector_index)).and_then(count);
    let place = f32_at(page, offset_of!(GraphicsHead, normalized_car_position));
    // The line is at 0, so exactly 1 is invalid.
    laps.position = place.filter(|place| (0.0..1.0).contains(place));
    laps.bad_position = place.is_some() && laps.position.is_none();
}

/// Returns the last sector time.
pub(crate) fn sector_ms(page: &[u8]) -> Option<u32> {
    i32_at(page, offset_of!(GraphicsHead, last_sector_time)).and_then(lap_ms)
}

/// Returns whether the car is in its box, in the pit lane or on the track.
pub(crate) fn pit(page: &[u8], lane: usize) -> Option<Pit> {
    let is = |field| i32_at(page, field).map(|flag| flag != 0);
    Pit::of(is(offset_of!(GraphicsHead, is_in_pit)), is(lane))
}

fn kind(session: i32) -> SessionKind {
    match session {
        0 => SessionKind::Practice,
        1 => SessionKind::Qualifying,
        2 => SessionKind::Race,
        3 => SessionKind::Hotlap,
        4 => SessionKind::TimeTrial,
        5 => SessionKind::Drift,
        6 => SessionKind::Drag,
        7 => SessionKind::Hotstint,
        8 => SessionKind::Superpole,
        _ => SessionKind::Unknown,
    }
}
