//! What laps teach about a track: its length, where its sectors end, its outline, and the way through the pits.
//!
//! The outline is made of places in the world. A game that says none but the direction in which the car goes gives it, too: steps of equal length, each in its
//! direction, lead round the track.

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
    /// The direction at each part, where there are no places.
    courses: Vec<Option<f32>>,
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
        if let (Some(place), None, Some(course), Some(Pit::Track) | None) =
            (frame.position, frame.world_m, frame.course_rad, frame.pit)
        {
            if self.courses.is_empty() {
                self.courses = vec![None; PARTS];
            }
            if let Some(known) = self.courses.get_mut(part(place)) {
                known.get_or_insert(course);
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
        let length_m = identity.length_m.or(driven_m);
        let places: Vec<_> = self.outline.iter().flatten().copied().collect();
        let reckoned = || length_m.and_then(|length_m| reckoned(&self.courses, length_m)).unwrap_or_default();
        Some(TrackFacts {
            game: game.to_owned(),
            track: identity.track.clone()?,
            layout: identity.layout.clone(),
            length_m,
            sector_ends,
            outline_m: if places.is_empty() { reckoned() } else { places },
            pit_entry: self.pit_entry,
            pit_exit: self.pit_exit,
        })
    }
}

/// How much of a track may be missing: a part that nobody drove goes as the one before it.
const LEAST_KNOWN: usize = PARTS - PARTS / 20;
/// How far the end may lie from the beginning, as a share of the way: beyond that it is no way round.
const MOST_OPEN: f64 = 0.1;

/// The way round by the direction at each of its parts, east and south of the line. What the end is off the beginning is taken back in equal steps.
fn reckoned(courses: &[Option<f32>], length_m: f32) -> Option<Vec<[f32; 3]>> {
    if courses.iter().flatten().count() < LEAST_KNOWN {
        return None;
    }
    let step_m = f64::from(length_m) / courses.len() as f64;
    let mut course = courses.iter().flatten().next_back().copied()?;
    let mut at = [0.0, 0.0];
    let mut way = Vec::with_capacity(courses.len());
    for known in courses {
        way.push(at);
        course = known.unwrap_or(course);
        let (east, north) = f64::from(course).sin_cos();
        at = [at[0] + step_m * east, at[1] - step_m * north];
    }
    if at[0].hypot(at[1]) > MOST_OPEN * f64::from(length_m) {
        return None;
    }
    let closed = way.iter().enumerate().map(|(step, [x, z])| {
        let share = step as f64 / way.len() as f64;
        [(x - share * at[0]) as f32, 0.0, (z - share * at[1]) as f32]
    });
    Some(closed.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Directions of a circle, clockwise from its westernmost point.
    fn circle() -> Vec<Option<f32>> {
        (0..PARTS).map(|part| Some((part as f32 + 0.5) / PARTS as f32 * std::f32::consts::TAU)).collect()
    }

    #[test]
    fn directions_round_a_circle_are_a_circle() {
        let mut courses = circle();
        // Nobody looked for a moment.
        courses[100..104].fill(None);
        let way = reckoned(&courses, 3_141.6).unwrap();
        let middle = [500.0, 0.0];
        for [x, _, z] in &way {
            let radius = (x - middle[0]).hypot(z - middle[1]);
            assert!((485.0..515.0).contains(&radius), "{x} {z}: {radius}");
        }
        let north = way[PARTS / 4];
        assert!((north[2] + 500.0).abs() < 20.0, "a quarter round it is in the north: {north:?}");
    }

    #[test]
    fn what_leads_nearly_back_is_closed() {
        let mut courses = circle();
        for course in courses.iter_mut().take(8).flatten() {
            *course += 1.0;
        }
        let way = reckoned(&courses, 3_141.6).unwrap();
        let ([x, _, z], [from_x, _, from_z]) = (way[PARTS - 1], way[0]);
        let step_m = 3_141.6 / PARTS as f32;
        assert!((x - from_x).hypot(z - from_z) < 2.0 * step_m, "{x} {z}");
    }

    #[test]
    fn what_does_not_lead_back_or_is_hardly_known_is_no_outline() {
        assert_eq!(reckoned(&vec![Some(0.5); PARTS], 4_000.0), None, "a straight road");
        let half: Vec<_> =
            circle().into_iter().enumerate().map(|(part, course)| course.filter(|_| part % 2 == 0)).collect();
        assert_eq!(reckoned(&half, 4_000.0), None);
        assert_eq!(reckoned(&[], 4_000.0), None);
    }
}
