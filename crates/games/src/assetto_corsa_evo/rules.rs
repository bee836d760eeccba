//! Game state from the pages.
use std::mem::offset_of;

use super::decode::EvoDecoder;
use super::laps::EvoLaps;
use super::{Graphics, Static};
use crate::ac::family::{self, Fnv, is_zero, page};
use crate::ac::unnamed;
use crate::bytes::{f32_at, i32_at};
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;
use crate::text::{char_text, chars};

/// Text fields: offset and length in bytes.
const SM_VERSION: (usize, usize) = (offset_of!(Static, sm_version), 15);
const VERSION: (usize, usize) = (offset_of!(Static, ac_evo_version), 15);
const TRACK: (usize, usize) = (offset_of!(Static, track), 33);
const TRACK_CONFIGURATION: (usize, usize) = (offset_of!(Static, track_configuration), 33);
const CAR_MODEL: (usize, usize) = (offset_of!(Graphics, car_model), 33);

#[derive(Debug)]
pub(crate) struct EvoRules;

impl Rules for EvoRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        match seen.stream("graphics") {
            Some(_) => family::presence(seen),
            // A tape of the game before 0.6 only holds physics.
            None if self.counter(seen).is_some_and(|step| step != 0) => Presence::Live,
            None => Presence::Off,
        }
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        // No other game uses these section names.
        (!is_zero(page(seen, "graphics"))).then_some(true)
    }

    fn stream_of(&self, section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        match section_bytes {
            // The other pages fit into one memory page.
            0..=4096 if unnamed::is_physics(front) => Some("physics"),
            0..=4096 => is_static(front).then_some("static"),
            _ => is_graphics(front).then_some("graphics"),
        }
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

/// Matches a graphics page: numbered, with plausible session values.
fn is_graphics(page: &[u8]) -> bool {
    let number =
        |at: usize| f32_at(page, at).is_some_and(|value| value == 0.0 || value.is_normal() && value.abs() < 10.0);
    let flags = page.get(offset_of!(Graphics, is_rpm_limiter_on)..offset_of!(Graphics, pad_57)).unwrap_or_default();
    i32_at(page, 0).is_some_and(|number| number > 0)
        && i32_at(page, 4).is_some_and(|status| (0..=3).contains(&status))
        && flags.iter().all(|flag| *flag <= 1)
        && number(offset_of!(Graphics, steering_percent))
        && number(offset_of!(Graphics, npos))
        && is_clean(page, CAR_MODEL)
        && (i32_at(page, 4) != Some(0) || !text(page, CAR_MODEL).is_empty())
        && is_zero(page.get(size_of::<Graphics>()..).unwrap_or_default())
}

/// Matches a static page: versions and names, zero-padded.
fn is_static(page: &[u8]) -> bool {
    let versions = [SM_VERSION, VERSION];
    let version = |byte: &u8| byte.is_ascii_alphanumeric() || b".-_ ".contains(byte);
    versions.iter().all(|place| is_clean(page, *place) && text(page, *place).iter().all(version))
        && versions.iter().any(|place| !text(page, *place).is_empty())
        && is_clean(page, TRACK)
        && i32_at(page, offset_of!(Static, session)).is_some_and(|session| (-1..=100).contains(&session))
        && is_zero(page.get(size_of::<Static>()..).unwrap_or_default())
}

/// Returns whether the text is printable and only zeros follow.
fn is_clean(page: &[u8], (offset, bytes): (usize, usize)) -> bool {
    let (text, all) = (text(page, (offset, bytes)), page.get(offset..offset + bytes).unwrap_or_default());
    !all.is_empty() && text.iter().all(|byte| *byte >= 0x20) && is_zero(all.get(text.len()..).unwrap_or_default())
}

/// Returns the bytes of a text field up to its first NUL.
fn text(page: &[u8], (offset, bytes): (usize, usize)) -> &[u8] {
    chars(page.get(offset..offset + bytes).unwrap_or_default())
}

fn session_name(session: i32) -> Option<&'static str> {
    ["time-attack", "race", "hotstint", "cruise"].get(usize::try_from(session).ok()?).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Chars;
    use zerocopy::IntoBytes as _;

    #[test]
    fn unnamed_sections_are_identified_by_length_and_contents() {
        let (mut physics, mut graphics, mut statics) =
            (super::super::Physics::default(), Graphics::default(), Static::default());
        (physics.packet_id, physics.fuel, physics.gear) = (7, 20.0, 1);
        (graphics.packet_id, graphics.status, graphics.car_model) = (3, 2, Chars::new("test_car"));
        (statics.session, statics.ac_evo_version, statics.track) = (1, Chars::new("0.9.1"), Chars::new("Ring"));
        let stream_of = |page: &[u8], section_bytes: usize| {
            let mut section = page.to_vec();
            section.resize(section_bytes, 0);
            EvoRules.stream_of(section_bytes as u64, &section)
        };
        assert_eq!(stream_of(physics.as_bytes(), 4096), Some("physics"));
        assert_eq!(stream_of(graphics.as_bytes(), 8192), Some("graphics"));
        assert_eq!(stream_of(statics.as_bytes(), 4096), Some("static"));
        assert_eq!(
            (stream_of(&[], 4096), stream_of(&[], 8192), stream_of(physics.as_bytes(), 8192)),
            (None, None, None)
        );
        statics.ac_evo_version = Chars(*b"\x019.1\0\0\0\0\0\0\0\0\0\0\0");
        assert_eq!(stream_of(statics.as_bytes(), 4096), None);
        graphics.status = 9;
        assert_eq!(stream_of(graphics.as_bytes(), 8192), None);
    }
}
