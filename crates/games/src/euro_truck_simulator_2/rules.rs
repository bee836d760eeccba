//! Game state from the page.
use super::PAGE;
use super::decode::TruckDecoder;
use super::page::{Page, REVISIONS};
use super::tables::{REVISION_10_BYTES, REVISION_12_BYTES};
use crate::assetto_corsa::family::{Fnv, page};
use crate::capture::{About, Presence, Rules, Seen};
use crate::lap_frame::{NoLaps, ReadLaps};
use crate::sample::Decode;
use crate::text::chars;

/// Texts that name a job: cargo, destination and origin.
const JOB: [usize; 5] = [2556, 2684, 2812, 2940, 3068];
/// Lengths of the section.
const SECTION_BYTES: std::ops::RangeInclusive<u64> = 21_520..=65_536;

/// The rules of one of the two games.
#[derive(Debug)]
pub(crate) struct TruckRules {
    /// The game's number in the page.
    pub(crate) game: u32,
}

fn newest(seen: Seen<'_>) -> Page<'_> {
    Page(page(seen, PAGE.name))
}

impl Rules for TruckRules {
    fn presence(&self, seen: Seen<'_>) -> Presence {
        newest(seen).presence()
    }

    fn counter(&self, seen: Seen<'_>) -> Option<i64> {
        newest(seen).time_us().and_then(|us| i64::try_from(us).ok())
    }

    fn is_it(&self, seen: Seen<'_>) -> Option<bool> {
        let page = newest(seen);
        page.revision()?;
        page.game().map(|game| game == self.game)
    }

    fn frame_bytes(&self, _: &str, page: &[u8]) -> Option<u32> {
        let revision = Page(page).revision()?;
        Some(match revision {
            10 | 11 => REVISION_10_BYTES,
            12 => REVISION_12_BYTES,
            // The whole section: which part of it is used is not known.
            _ => 32_768,
        })
    }

    fn stream_of(&self, section_bytes: u64, front: &[u8]) -> Option<&'static str> {
        let page = Page(front);
        let flags = [0, 4].iter().all(|at| page.0.get(*at).is_some_and(|flag| *flag <= 1));
        let spare =
            [1..4, 5..8].into_iter().all(|at| page.0.get(at).is_some_and(|pad| pad.iter().all(|byte| *byte == 0)));
        let is_page = page.is_known() && matches!(page.game(), Some(1 | 2)) && flags && spare;
        (is_page && SECTION_BYTES.contains(&section_bytes)).then_some(PAGE.name)
    }

    /// Each job is a session of its own, and so is driving without one.
    fn session_key(&self, seen: Seen<'_>) -> Option<u64> {
        let page = newest(seen);
        if page.presence() == Presence::Off || !page.is_known() {
            return None;
        }
        let on_job = page.is_on_job();
        let [cargo, to, to_company, from, from_company] =
            JOB.map(|at| if on_job { chars(page.text_bytes(at)) } else { &[] });
        Some(Fnv::of(&[&[on_job.into()], cargo, to, to_company, from, from_company]))
    }

    fn about(&self, seen: Seen<'_>) -> About {
        let page = newest(seen);
        let known = page.is_known().then_some(page).filter(|page| page.presence() != Presence::Off);
        let version = Option::zip(page.u32(44), page.u32(48)).zip(page.revision());
        About {
            game_version: version
                .map(|((major, minor), revision)| format!("game {major}.{minor}, plugin revision {revision}")),
            car: known.and_then(truck),
            track: None,
            track_layout: None,
            session: known.map(|page| if page.is_on_job() { "job" } else { "free-drive" }.to_owned()),
        }
    }

    fn decoder(&self) -> Box<dyn Decode> {
        Box::new(TruckDecoder)
    }

    fn has_laps(&self) -> bool {
        false
    }

    fn laps(&self) -> Box<dyn ReadLaps> {
        Box::new(NoLaps::default())
    }
}

/// Returns brand and name of the truck.
fn truck(page: Page<'_>) -> Option<String> {
    match (page.text(2364), page.text(2492)) {
        (Some(brand), Some(name)) => Some(format!("{brand} {name}")),
        (brand, name) => name.or(brand),
    }
}

const _: () = assert!(*REVISIONS.end() == 12);
