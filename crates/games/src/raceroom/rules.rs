//! Game state from the page.
use super::cars::RaceRoomCars;
use super::decode::RaceRoomDecoder;
use super::laps::RaceRoomLaps;
use super::page::{Page, RACE};
use super::structure::SelfDescription;
use crate::assetto_corsa::family::{Fnv, page};
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::ReadLaps;
use crate::sample::Decode;
use crate::session_kind::SessionKind;
use crate::standings::ReadStandings;
use crate::text::chars;

/// Game mode: against the clock, for a leaderboard.
const LEADERBOARD: i32 = 1;

#[derive(Debug)]
pub(crate) struct RaceRoomRules;

impl Rules for RaceRoomRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        let bytes = page(seen, super::PAGE.name);
        match (Page::of(bytes), SelfDescription::of(bytes)) {
            (Some(page), _) => page.presence(),
            // An unknown structure: what the game does is not known, so all of it is recorded.
            (None, Some(_)) => Presence::Live,
            (None, None) => Presence::Off,
        }
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        Page::of(page(seen, super::PAGE.name))?.tick().map(i64::from)
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        SelfDescription::of(page(seen, super::PAGE.name)).map(|_| true)
    }

    fn frame_bytes(&self, _: &str, page: &[u8]) -> Option<u32> {
        SelfDescription::of(page).map(SelfDescription::page_bytes)
    }

    fn stream_of(&self, section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        let said = SelfDescription::of(front)?;
        let is_page = u64::from(said.page_bytes()) <= section_bytes && said.structure().is_some();
        // Flags are -1, 0 or 1, and texts are printable.
        let page = Page::of(front).filter(|_| is_page)?;
        let flags = [20, 24, 28].iter().all(|at| page.raw(*at).is_some_and(|flag| (-1..=1).contains(&flag)));
        let texts = [600, 664].iter().all(|at| chars(page.text_bytes(*at)).iter().all(|byte| *byte >= 0x20));
        (flags && texts).then_some(super::PAGE.name)
    }

    /// There is no session id: sessions of an event differ in their type and number.
    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let page = Page::of(page(seen, super::PAGE.name)).filter(|page| page.presence() != Presence::Off)?;
        let track = chars(page.text_bytes(600));
        let numbers = [728, 732, 776, 780, 784].map(|at| page.raw(at).unwrap_or(-1).to_le_bytes());
        (!track.is_empty()).then(|| Fnv::of(&[track, chars(page.text_bytes(664)), numbers.as_flattened()]))
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let bytes = page(seen, super::PAGE.name);
        let Some(page) = Page::of(bytes).filter(|page| page.presence() != Presence::Off) else {
            return About { game_version: version(bytes), ..About::default() };
        };
        About {
            game_version: version(bytes),
            car: page.whole(1268).map(car_name),
            track: page.text(600),
            track_layout: page.text(664),
            session: page.session_type().and_then(session_name).map(str::to_owned),
        }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(RaceRoomDecoder)
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(RaceRoomLaps::default())
    }

    fn standings(&self) -> Option<Box<dyn ReadStandings>> {
        Some(Box::new(RaceRoomCars::default()))
    }
}

/// Returns the version of the page.
pub(super) fn version(bytes: &[u8]) -> Option<String> {
    SelfDescription::of(bytes).map(|said| format!("shared memory {}.{}", said.major, said.minor))
}

/// Returns a name for a car: the page only has the number of its model.
pub(super) fn car_name(model_id: i32) -> String {
    format!("model {model_id}")
}

fn session_name(session_type: i32) -> Option<&'static str> {
    ["practice", "qualify", "race", "warm-up"].get(usize::try_from(session_type).ok()?).copied()
}

pub(super) fn kind(page: Page<'_>) -> SessionKind {
    match page.session_type() {
        _ if page.whole(16) == Some(LEADERBOARD) => SessionKind::Hotlap,
        Some(0 | 3) => SessionKind::Practice,
        Some(1) => SessionKind::Qualifying,
        Some(RACE) => SessionKind::Race,
        _ => SessionKind::Unknown,
    }
}
