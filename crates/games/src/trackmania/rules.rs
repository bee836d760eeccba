//! Game state from the page.
use super::body::Body;
use super::decode::TrackmaniaDecoder;
use super::laps::TrackmaniaLaps;
use super::{HEADER_BYTES, PAGE, TELEMETRY_BYTES};
use crate::assetto_corsa::family::{Fnv, is_zero, page};
use crate::bytes::i32_at;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;
use crate::text::chars;

/// The version whose fields are known.
const VERSION: i32 = 3;

#[derive(Debug)]
pub(crate) struct TrackmaniaRules;

impl Rules for TrackmaniaRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        Body::newest(seen).map_or(Presence::Off, Body::presence)
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        // Frames without a header have the time of the race only.
        i32_at(page(seen, PAGE.name), 40).map(|number| i64::from(number.cast_unsigned()))
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        match seen.stream(PAGE.name) {
            Some(page) => has_header(page.bytes).then_some(true),
            None => Body::newest(seen).map(|_| true),
        }
    }

    fn stream_of(&self, _section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        let bytes = HEADER_BYTES + TELEMETRY_BYTES;
        let says_size = i32_at(front, 36).and_then(|size| u32::try_from(size).ok()) == Some(bytes);
        let body = Body::of_page(front);
        let states = body.u32(0).is_some_and(|state| state <= 3) && body.race_state().is_some();
        (has_header(front) && says_size && states).then_some(PAGE.name)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let body = Body::newest(seen).filter(|body| body.presence() != Presence::Off)?;
        (!body.map_id().is_empty()).then(|| Fnv::of(&[body.map_id()]))
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let Some(body) = Body::newest(seen).filter(|body| body.presence() != Presence::Off) else {
            return About::default();
        };
        About {
            game_version: body.variant(),
            car: None,
            track: body.map_name(),
            track_layout: None,
            session: Some("race".to_owned()),
        }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(TrackmaniaDecoder)
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(TrackmaniaLaps::default())
    }
}

/// Returns whether a page begins with a printable magic and the known version.
fn has_header(page: &[u8]) -> bool {
    let magic = page.get(..32).unwrap_or_default();
    let text = chars(magic);
    !text.is_empty()
        && text.iter().all(u8::is_ascii_graphic)
        && is_zero(magic.get(text.len()..).unwrap_or_default())
        && i32_at(page, 32) == Some(VERSION)
}
