//! What laps teach about a track: its length, where its sectors end, its outline, and the way through the pits.

use gametape_games::{Identity, Pit};

use super::model::{Lap, TrackFacts};
use super::running::Moment;
use super::way::{PARTS, part};
use super::words::Phase;

/// What was learned in a session.
#[derive(Debug, Default)]
pub(super) struct Learning {
    before: Option<Moment>,
    outline: Vec<Option<[f32; 3]>>,
    sector_ends: Vec<f32>,
    pit_entry: Option<f32>,
    pit_exit: Option<f32>,
    ways_m: Vec<f32>,
    told: bool,
}

impl Learning {
    /// Takes over a frame.
    pub(super) fn look(&mut self, now: &Moment) {
        let frame = &now.frame;
        if let (Some(place), Some(world), Some(Pit::Track) | None) = (frame.position, frame.world_m, frame.pit) {
            if self.outline.is_empty() {
                self.outline = vec![None; PARTS];
            }
            if let Some(point) = self.outline.get_mut(part(place)) {
                point.get_or_insert(world);
            }
        }
        if let Some(before) = &self.before
            && let (Some(from), Some(to)) = (before.frame.pit, frame.pit)
        {
            match (from, to) {
                (Pit::Track, Pit::Lane) => self.pit_entry = frame.position.or(self.pit_entry),
                (Pit::Lane, Pit::Track) => self.pit_exit = frame.position.or(self.pit_exit),
                _ => {}
            }
        }
        self.before = Some(*now);
    }

    /// A sector ended between the frame before and this one: it ends at the first place at which that was ever seen.
    pub(super) fn sector_end(&mut self, index: usize, now: &Moment) {
        let Some(place) = now.frame.position else { return };
        if self.sector_ends.len() <= index {
            self.sector_ends.resize(index + 1, 1.0);
        }
        if let Some(end) = self.sector_ends.get_mut(index) {
            *end = end.min(place);
        }
    }

    /// A lap was driven whole.
    pub(super) fn lap(&mut self, lap: Option<&Lap>, driven_m: Option<f32>) {
        if lap.is_some_and(|lap| lap.phase == Phase::Flying) {
            self.ways_m.extend(driven_m);
        }
    }

    /// Whether the first whole lap has just been driven: whoever wants to compare laps needs not wait for the end of the session.
    pub(super) fn is_news(&mut self) -> bool {
        let news = !self.told && !self.ways_m.is_empty();
        self.told |= news;
        news
    }

    /// All that is known; `None` without a track's name.
    pub(super) fn facts(&self, game: &str, identity: &Identity) -> Option<TrackFacts> {
        let mut ways = self.ways_m.clone();
        ways.sort_by(f32::total_cmp);
        let driven_m = ways.get(ways.len() / 2).copied().filter(|metres| *metres > 0.0);
        let said = identity.sector_starts.iter().skip(1).copied();
        let sector_ends: Vec<f32> =
            if identity.sector_starts.is_empty() { self.sector_ends.clone() } else { said.collect() };
        Some(TrackFacts {
            game: game.to_owned(),
            track: identity.track.clone()?,
            layout: identity.layout.clone(),
            length_m: identity.length_m.or(driven_m),
            sector_ends,
            outline_m: self.outline.iter().flatten().copied().collect(),
            pit_entry: self.pit_entry,
            pit_exit: self.pit_exit,
        })
    }
}
