//! What the pages say about the game itself.
use std::mem::offset_of;

use super::decode::EvoDecoder;
use super::laps::EvoLaps;
use super::{Graphics, Static};
use crate::ac::family::{self, Fnv, is_zero, page};
use crate::bytes::i32_at;
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;
use crate::text::{char_text, chars};

/// Texts: offset and bytes.
const VERSION: (usize, usize) = (offset_of!(Static, ac_evo_version), 15);
const TRACK: (usize, usize) = (offset_of!(Static, track), 33);
const TRACK_CONFIGURATION: (usize, usize) = (offset_of!(Static, track_configuration), 33);
const CAR_MODEL: (usize, usize) = (offset_of!(Graphics, car_model), 33);

#[derive(Debug)]
pub(super) struct EvoRules;

impl Rules for EvoRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        match seen.stream("graphics") {
            Some(_) => family::presence(seen),
            // A tape of the game before 0.6 has physics alone.
            None if self.counter(seen).is_some_and(|step| step != 0) => Presence::Live,
            None => Presence::Off,
        }
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        // No other game has these names.
        (!is_zero(page(seen, "graphics"))).then_some(true)
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        family::counter(seen)
    }

    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let (statics, car) = (page(seen, "static"), text(page(seen, "graphics"), CAR_MODEL));
        let session = i32_at(statics, offset_of!(Static, session)).filter(|session| *session >= 0)?;
        let track = text(statics, TRACK);
        if family::presence(seen) == Presence::Off || car.is_empty() || track.is_empty() {
            return None;
        }
        let ids = statics.get(offset_of!(Static, event_id)..=offset_of!(Static, session_id))?;
        Some(Fnv::of(&[&session.to_le_bytes(), ids, car, track, text(statics, TRACK_CONFIGURATION)]))
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let statics = page(seen, "static");
        let said = |page, place| Some(char_text(text(page, place))).filter(|text| !text.trim().is_empty());
        let session = i32_at(statics, offset_of!(Static, session)).filter(|_| self.presence(seen) != Presence::Off);
        About {
            game_version: said(statics, VERSION),
            car: said(page(seen, "graphics"), CAR_MODEL),
            track: said(statics, TRACK),
            track_layout: said(statics, TRACK_CONFIGURATION),
            session: session.and_then(session_name).map(str::to_owned),
        }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(EvoDecoder::default())
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(EvoLaps::default())
    }
}

/// The bytes of a text, without what stands behind its first NUL.
fn text(page: &[u8], (offset, bytes): (usize, usize)) -> &[u8] {
    chars(page.get(offset..offset + bytes).unwrap_or_default())
}

fn session_name(session: i32) -> Option<&'static str> {
    ["time-attack", "race", "hotstint", "cruise"].get(usize::try_from(session).ok()?).copied()
}
