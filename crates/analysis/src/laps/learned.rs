//! Track facts learned from laps: length, sector ends, outline, pit entry and exit.
//!
//! The outline consists of world positions, those of a single flying lap as soon as there is one: an out lap begins beside the track,
//! and positions of different laps do not line up. If a game reports no world position but a course over ground, the outline is dead
//! reckoned: steps of equal length, each in its direction, lead round the track.

use gametape_games::{Identity, Pit};

use super::closing::is_over_line;
use super::coverage::{PARTS, part};
use super::model::{Lap, TrackFacts};
use super::running::Moment;
use super::words::Phase;

/// What the laps of a session have shown about its track.
#[derive(Debug, Default)]
pub(super) struct Learning {
    before: Option<Moment>,
    /// The first position observed in each bin, of any lap.
    first_seen: Outline,
    /// The current lap, from the line on.
    driving: Outline,
    /// The previous lap, and the first position past the line at its end.
    driven: Option<(Outline, [f32; 3])>,
    /// A flying lap.
    lap: Option<Outline>,
    /// The course in each bin, if the game reports no world positions.
    courses: Vec<Option<f32>>,
    sector_ends: Vec<f32>,
    pit_entry: Option<f32>,
    pit_exit: Option<f32>,
    lap_lengths_m: Vec<f32>,
    announced: bool,
}

/// A world position for each bin of the track.
type Outline = Vec<Option<[f32; 3]>>;

impl Learning {
    /// Adds a frame.
    pub(super) fn look(&mut self, now: &Moment) {
        let frame = &now.frame;
        if let (Some(place), Some(world), Some(Pit::Track) | None) = (frame.position, frame.world_m, frame.pit) {
            if self.first_seen.is_empty() {
                self.first_seen = vec![None; PARTS];
            }
            let over_line = self.before.is_some_and(|before| is_over_line(&before.frame, frame));
            if over_line || self.driving.is_empty() {
                let lap = std::mem::replace(&mut self.driving, vec![None; PARTS]);
                self.driven = over_line.then_some((lap, world));
            }
            for outline in [&mut self.first_seen, &mut self.driving] {
                if let Some(point) = outline.get_mut(part(place)) {
                    point.get_or_insert(world);
                }
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

    /// Records that a sector ended between the previous frame and this one. Its end is the earliest position at which it was ever
    /// observed to have ended.
    pub(super) fn sector_end(&mut self, index: usize, now: &Moment) {
        let Some(place) = now.frame.position else { return };
        if self.sector_ends.len() <= index {
            self.sector_ends.resize(index + 1, 1.0);
        }
        if let Some(end) = self.sector_ends.get_mut(index) {
            *end = end.min(place);
        }
    }

    /// Adds a lap that was driven in full. Only flying laps count.
    pub(super) fn lap(&mut self, lap: Option<&Lap>, driven_m: Option<f32>) {
        if lap.is_some_and(|lap| lap.phase == Phase::Flying) {
            self.lap_lengths_m.extend(driven_m);
            if self.lap.is_none() {
                self.lap = self.driven.take().and_then(|(lap, end)| closed_loop(lap, end));
            }
        }
    }

    /// Returns `true` once, after the first full lap, so that clients can compare laps before the session ends.
    pub(super) fn is_news(&mut self) -> bool {
        let news = !self.announced && !self.lap_lengths_m.is_empty();
        self.announced |= news;
        news
    }

    /// Returns the facts learned so far, or `None` if the name of the track is unknown.
    pub(super) fn facts(&self, game: &str, identity: &Identity) -> Option<TrackFacts> {
        let mut lengths = self.lap_lengths_m.clone();
        lengths.sort_by(f32::total_cmp);
        let driven_m = lengths.get(lengths.len() / 2).copied().filter(|metres| *metres > 0.0);
        let said = identity.sector_starts.iter().skip(1).copied();
        let sector_ends: Vec<f32> =
            if identity.sector_starts.is_empty() { self.sector_ends.clone() } else { said.collect() };
        let length_m = identity.length_m.or(driven_m);
        let places: Vec<_> = self.lap.as_ref().unwrap_or(&self.first_seen).iter().flatten().copied().collect();
        let reckoned = || length_m.and_then(|length_m| dead_reckoned(&self.courses, length_m)).unwrap_or_default();
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

/// Minimum number of known bins. An unknown bin takes the course of the one before it.
const LEAST_KNOWN: usize = PARTS - PARTS / 20;
/// Maximum distance between the end and the start of an outline, as a fraction of its length. Beyond that it is not a closed loop.
const MOST_OPEN: f64 = 0.1;

/// Closes the outline of a lap that ends at `end`, just past the line. The car crosses the line at one point at the start of the lap
/// and at another at its end; the offset is distributed evenly over the lap.
fn closed_loop(mut lap: Outline, end: [f32; 3]) -> Option<Outline> {
    if lap.iter().flatten().count() < LEAST_KNOWN {
        return None;
    }
    let begin = lap.first().copied().flatten()?;
    let count = lap.len() as f32;
    for (number, point) in lap.iter_mut().enumerate() {
        let share = number as f32 / count;
        if let Some(point) = point {
            let apart = begin.iter().zip(end).map(|(begin, end)| (end - begin) * share);
            point.iter_mut().zip(apart).for_each(|(metres, apart)| *metres -= apart);
        }
    }
    Some(lap)
}

/// Returns the outline by dead reckoning from the course in each bin, in metres east and south of the line. The closing error is
/// distributed evenly over the lap.
fn dead_reckoned(courses: &[Option<f32>], length_m: f32) -> Option<Vec<[f32; 3]>> {
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
        // Some bins are unknown.
        courses[100..104].fill(None);
        let way = dead_reckoned(&courses, 3_141.6).unwrap();
        let middle = [500.0, 0.0];
        for [x, _, z] in &way {
            let radius = (x - middle[0]).hypot(z - middle[1]);
            assert!((485.0..515.0).contains(&radius), "{x} {z}: {radius}");
        }
        let north = way[PARTS / 4];
        assert!((north[2] + 500.0).abs() < 20.0, "a quarter of the lap is the northernmost point: {north:?}");
    }

    /// A lap of a test case, taken for a flying lap.
    fn a_flying_lap() -> Lap {
        let case = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../games/src/assetto_corsa_competizione/testcases/lap-and-pits/frames.gtape"
        );
        let tracked = crate::laps::track_tape(&gametape_format::read::Tape::open(case).unwrap()).unwrap();
        let lap = tracked.laps().next().unwrap().clone();
        Lap { phase: Phase::Flying, complete: true, reasons: Vec::new(), ..lap }
    }

    #[test]
    fn an_outline_is_that_of_one_flying_lap_and_closes_at_the_line() {
        let identity = Identity { track: Some("oval".into()), ..Identity::default() };
        let mut learning = Learning::default();
        // An oval of 1,600 m: an out lap on the apron, 15 m inside, then two laps that drift 12 m outwards each, from one lane to another.
        let at = |learning: &mut Learning, lap: f32, share: f32, inside_m: f32| {
            let radius = 255.0 - inside_m + 12.0 * (lap + share);
            let (sin, cos) = (share * std::f32::consts::TAU).sin_cos();
            let frame = gametape_games::LapFrame {
                position: Some(share),
                world_m: Some([radius * sin, 0.0, -radius * cos]),
                pit: Some(Pit::Track),
                ..gametape_games::LapFrame::default()
            };
            let time_ns = ((lap + share) * 3e10) as u64;
            learning.look(&Moment { time_ns, clock_ms: time_ns as f64 / 1e6, frame });
        };
        let step = |points: &[[f32; 3]]| {
            let ([x, _, z], [from_x, _, from_z]) = (points[points.len() - 1], points[0]);
            (x - from_x).hypot(z - from_z)
        };
        for lap in 0..3_u8 {
            for number in 0..1_000_u16 {
                let share = f32::from(number) / 1_000.0;
                let inside_m = if lap == 0 { 15.0 * (1.0 - share) } else { 0.0 };
                at(&mut learning, lap.into(), share, inside_m);
            }
        }
        let part_m = 2.0 * std::f32::consts::PI * 255.0 / PARTS as f32;
        let first_seen = learning.facts("iracing", &identity).unwrap().outline_m;
        assert!(step(&first_seen) > 2.0 * part_m, "the out lap ends beside where it began");
        at(&mut learning, 3.0, 0.0, 0.0);
        let lap = a_flying_lap();
        learning.lap(Some(&lap), None);
        let outline = learning.facts("iracing", &identity).unwrap().outline_m;
        assert_eq!(outline.len(), PARTS);
        assert!(step(&outline) < 1.2 * part_m, "{} m at the line, {part_m} m elsewhere", step(&outline));
    }

    #[test]
    fn what_leads_nearly_back_is_closed() {
        let mut courses = circle();
        for course in courses.iter_mut().take(8).flatten() {
            *course += 1.0;
        }
        let way = dead_reckoned(&courses, 3_141.6).unwrap();
        let ([x, _, z], [from_x, _, from_z]) = (way[PARTS - 1], way[0]);
        let step_m = 3_141.6 / PARTS as f32;
        assert!((x - from_x).hypot(z - from_z) < 2.0 * step_m, "{x} {z}");
    }

    #[test]
    fn what_does_not_lead_back_or_is_hardly_known_is_no_outline() {
        assert_eq!(dead_reckoned(&vec![Some(0.5); PARTS], 4_000.0), None, "a straight road");
        let half: Vec<_> =
            circle().into_iter().enumerate().map(|(part, course)| course.filter(|_| part % 2 == 0)).collect();
        assert_eq!(dead_reckoned(&half, 4_000.0), None);
        assert_eq!(dead_reckoned(&[], 4_000.0), None);
    }
}
