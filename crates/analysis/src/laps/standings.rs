//! Standings of a session: all cars and their laps, beside the tracker of the player's car.
//!
//! ```text
//! frames ──ReadStandings of the game──▶ CarStanding ──▶ SessionStandings ──▶ Event::Standings ──▶ Tracked, store
//! ```
//!
//! An event carries only what has changed, at most once in [`STANDINGS_EVERY_NS`]. Gaps change with every frame, so they alone are reported
//! less often ([`GAPS_EVERY_NS`]) and at the end of the session. Where a car is (track, pit lane, box) is not reported at all. All of it is the
//! game's own; nothing is computed from it. What changes within the last [`STANDINGS_EVERY_NS`] before the next session begins is not reported.

use gametape_games::{CarLap, CarStanding, ReadStandings, SeenFrame};

use super::event::Event;
use super::model::Id;
use super::thresholds::{GAPS_EVERY_NS, MOST_CAR_LAPS, MOST_CARS, STANDINGS_EVERY_NS};

/// A car whose standing or laps have changed.
#[derive(Debug, Clone, PartialEq)]
pub struct CarChange {
    /// The car, with only those laps that have changed.
    pub car: CarStanding,
    /// Number of its newest lap. Laps with a higher number no longer exist: the game took them back.
    pub newest_lap: Option<u32>,
}

impl CarChange {
    /// Returns a change that describes the whole car.
    #[must_use]
    pub fn whole(car: CarStanding) -> Self {
        let newest_lap = car.laps.last().map(|lap| lap.number);
        Self { car, newest_lap }
    }

    /// Applies the change to the cars of a session, which are sorted by their number.
    pub fn apply(self, cars: &mut Vec<CarStanding>) {
        let CarChange { car, newest_lap } = self;
        let at = cars.partition_point(|known| known.car < car.car);
        let Some(known) = cars.get_mut(at).filter(|known| known.car == car.car) else {
            cars.insert(at, car);
            return;
        };
        let mut laps = std::mem::take(&mut known.laps);
        laps.retain(|lap| newest_lap.is_some_and(|newest| lap.number <= newest));
        car.laps.iter().for_each(|lap| put_lap(&mut laps, lap.clone()));
        laps.drain(..laps.len().saturating_sub(MOST_CAR_LAPS));
        *known = CarStanding { laps, ..car };
    }
}

/// Inserts or replaces a lap by its number.
fn put_lap(laps: &mut Vec<CarLap>, lap: CarLap) {
    let at = laps.partition_point(|known| known.number < lap.number);
    match laps.get_mut(at).filter(|known| known.number == lap.number) {
        Some(known) => *known = lap,
        None => laps.insert(at, lap),
    }
}

/// The standings of the current session.
pub(super) struct SessionStandings {
    reader: Box<dyn ReadStandings>,
    /// The session that the cars belong to, and the reader's number of it. After its end it stays until another one begins: results may follow.
    session: Option<(Id, u64)>,
    /// Whether the session has not ended yet.
    is_open: bool,
    /// What the events have reported of this session so far.
    reported: Vec<CarStanding>,
    has_changed: bool,
    reported_ns: u64,
    /// When gaps were reported.
    gaps_ns: u64,
}

impl SessionStandings {
    pub(super) fn new(reader: Box<dyn ReadStandings>) -> Self {
        let reported = Vec::new();
        Self { reader, session: None, is_open: false, reported, has_changed: false, reported_ns: 0, gaps_ns: 0 }
    }

    /// Adds a frame. Must precede the frame in the tracker, which waits longer before it believes in another session.
    pub(super) fn frame(&mut self, time_ns: u64, frame: SeenFrame<'_>, out: &mut Vec<Event>) {
        // Before the frame: it may begin another session.
        if time_ns.saturating_sub(self.reported_ns) >= STANDINGS_EVERY_NS {
            let with_gaps = time_ns.saturating_sub(self.gaps_ns) >= GAPS_EVERY_NS;
            self.report(time_ns, with_gaps, out);
        }
        self.has_changed |= self.reader.frame(frame);
    }

    /// Notes the current session of the tracker.
    pub(super) fn session_is(&mut self, session: Option<Id>, time_ns: u64, out: &mut Vec<Event>) {
        let is_same = self.session.map(|(known, _)| known) == session;
        if is_same || (session.is_none() && !self.is_open) {
            return;
        }
        self.report(time_ns, true, out);
        self.is_open = session.is_some();
        if let Some(session) = session {
            self.session = Some((session, self.reader.session()));
            self.reported.clear();
            self.has_changed = true;
            (self.reported_ns, self.gaps_ns) = (time_ns, time_ns);
        }
    }

    /// Reports everything that has not been reported yet.
    pub(super) fn finish(&mut self, time_ns: u64, out: &mut Vec<Event>) {
        self.report(time_ns, true, out);
    }

    fn present(&self) -> Vec<&CarStanding> {
        let mut cars = self.reader.cars();
        cars.truncate(MOST_CARS);
        cars
    }

    /// Reports what has changed, with or without cars of which only the gaps have changed.
    fn report(&mut self, time_ns: u64, with_gaps: bool, out: &mut Vec<Event>) {
        let Some((session, of_reader)) = self.session else { return };
        if !self.has_changed || of_reader != self.reader.session() {
            return;
        }
        (self.has_changed, self.reported_ns) = (!with_gaps, time_ns);
        if with_gaps {
            self.gaps_ns = time_ns;
        }
        let present = self.present();
        let mut changes: Vec<CarChange> = Vec::new();
        for car in &present {
            let known = self.reported.binary_search_by_key(&car.car, |known| known.car);
            let known = known.ok().and_then(|at| self.reported.get(at));
            changes.extend(change_of(known, car, with_gaps));
        }
        for gone in self.reported.iter().filter(|known| present.iter().all(|car| car.car != known.car)) {
            // A car that left keeps its position, unless another car has taken it.
            if gone.position.is_some() && present.iter().any(|car| car.position == gone.position) {
                let mut change = CarChange::whole(gone.clone());
                change.car.laps.clear();
                (change.car.position, change.car.gap_to_leader_ms, change.car.gap_ahead_ms) = (None, None, None);
                changes.push(change);
            }
        }
        if changes.is_empty() {
            return;
        }
        changes.iter().for_each(|change| change.clone().apply(&mut self.reported));
        out.push(Event::Standings { session, cars: changes });
    }
}

/// Returns how a car differs from what was reported; `None` if nothing that causes an event does.
fn change_of(known: Option<&CarStanding>, car: &CarStanding, with_gaps: bool) -> Option<CarChange> {
    let skipped = car.laps.len().saturating_sub(MOST_CAR_LAPS);
    let laps = car.laps.get(skipped..).unwrap_or_default();
    let newest_lap = laps.last().map(|lap| lap.number);
    let stored = |laps| CarStanding { pit: None, laps, ..without_laps(car) };
    let Some(known) = known else { return Some(CarChange { car: stored(laps.to_vec()), newest_lap }) };
    let of_known = |lap: &&CarLap| {
        let at = known.laps.binary_search_by_key(&lap.number, |known| known.number);
        at.ok().and_then(|at| known.laps.get(at)) != Some(lap)
    };
    let changed: Vec<CarLap> = laps.iter().filter(of_known).cloned().collect();
    let fewer = known.laps.last().map(|lap| lap.number) > newest_lap;
    let now = stored(changed);
    let old = without_laps(known);
    let compared = CarStanding { laps: Vec::new(), ..now.clone() };
    let is_same = match with_gaps {
        true => compared == old,
        false => {
            let (gap_to_leader_ms, gap_ahead_ms) = (old.gap_to_leader_ms, old.gap_ahead_ms);
            CarStanding { gap_to_leader_ms, gap_ahead_ms, ..compared } == old
        }
    };
    (!is_same || fewer || !now.laps.is_empty()).then_some(CarChange { car: now, newest_lap })
}

/// Copies a car without its laps.
fn without_laps(car: &CarStanding) -> CarStanding {
    CarStanding {
        car: car.car,
        is_player: car.is_player,
        name: car.name.clone(),
        team: car.team.clone(),
        car_model: car.car_model.clone(),
        class: car.class.clone(),
        race_number: car.race_number,
        position: car.position,
        result: car.result,
        current_lap: car.current_lap,
        last_ms: car.last_ms,
        best_ms: car.best_ms,
        last_sectors_ms: car.last_sectors_ms.clone(),
        gap_to_leader_ms: car.gap_to_leader_ms,
        gap_ahead_ms: car.gap_ahead_ms,
        pit_stops: car.pit_stops,
        pit: car.pit,
        tyre: car.tyre.clone(),
        laps: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use gametape_format::TapeId;
    use gametape_games::{NO_CHANNELS, Pit};

    use super::*;

    /// What the reader returns, set by the test.
    #[derive(Default, Clone)]
    struct Scene(Arc<Mutex<(u64, Vec<CarStanding>)>>);

    struct Reader {
        scene: Scene,
        now: (u64, Vec<CarStanding>),
    }

    impl ReadStandings for Reader {
        fn frame(&mut self, _: SeenFrame<'_>) -> bool {
            self.now = self.scene.0.lock().unwrap().clone();
            true
        }

        fn cars(&self) -> Vec<&CarStanding> {
            self.now.1.iter().collect()
        }

        fn session(&self) -> u64 {
            self.now.0
        }
    }

    struct Feed {
        scene: Scene,
        standings: SessionStandings,
        cars: Vec<CarStanding>,
    }

    const SECOND: u64 = 1_000_000_000;

    impl Feed {
        fn new() -> Self {
            let scene = Scene::default();
            let reader = Reader { scene: scene.clone(), now: Default::default() };
            Self { scene, standings: SessionStandings::new(Box::new(reader)), cars: Vec::new() }
        }

        /// Shows these cars at a time. Returns the numbers of the cars that were reported, with the numbers of their laps.
        fn at(&mut self, second: u64, session: u64, cars: &[CarStanding]) -> Vec<(u32, Vec<u32>)> {
            *self.scene.0.lock().unwrap() = (session, cars.to_vec());
            let mut out = Vec::new();
            let frame = SeenFrame { stream: "", layout: &NO_CHANNELS, bytes: &[] };
            self.standings.frame(second * SECOND, frame, &mut out);
            self.take(out)
        }

        fn open(&mut self, second: u64, session: Option<u64>) -> Vec<(u32, Vec<u32>)> {
            let mut out = Vec::new();
            let id = session.map(|session| Id::of_session(TapeId([1; 16]), session));
            self.standings.session_is(id, second * SECOND, &mut out);
            self.take(out)
        }

        fn take(&mut self, events: Vec<Event>) -> Vec<(u32, Vec<u32>)> {
            let mut reported = Vec::new();
            for event in events {
                let Event::Standings { cars, .. } = event else { unreachable!() };
                for change in cars {
                    reported.push((change.car.car, change.car.laps.iter().map(|lap| lap.number).collect()));
                    change.apply(&mut self.cars);
                }
            }
            reported
        }
    }

    fn car(number: u32, position: u16, gap_ms: u32, laps: &[(u32, Option<u32>)]) -> CarStanding {
        let laps =
            laps.iter().map(|(number, time_ms)| CarLap { number: *number, time_ms: *time_ms, ..CarLap::default() });
        CarStanding {
            car: number,
            position: Some(position),
            gap_to_leader_ms: Some(gap_ms),
            pit: Some(Pit::Track),
            laps: laps.collect(),
            ..CarStanding::default()
        }
    }

    #[test]
    fn only_what_has_changed_is_reported_and_at_most_once_a_second() {
        let mut feed = Feed::new();
        let first = [car(1, 1, 0, &[(1, None)]), car(2, 2, 500, &[(1, None)])];
        assert_eq!(feed.at(0, 7, &first), []);
        assert_eq!(feed.open(0, Some(0)), [], "after the debounce time");
        assert_eq!(feed.at(1, 7, &first), [(1, vec![1]), (2, vec![1])]);
        // Only gaps have changed.
        assert_eq!(feed.at(2, 7, &[car(1, 1, 0, &[(1, None)]), car(2, 2, 700, &[(1, None)])]), []);
        assert_eq!(feed.at(3, 7, &first), []);
        let lap = [car(1, 1, 0, &[(1, Some(90_000)), (2, None)]), car(2, 2, 800, &[(1, None)])];
        assert_eq!(feed.at(3, 7, &lap), []);
        assert_eq!(feed.at(4, 7, &lap), [(1, vec![1, 2])]);
        assert_eq!(feed.at(4, 7, &first), [], "not again in the same second");
        feed.at(4, 7, &lap);
        assert_eq!(feed.at(5, 7, &lap), [(2, vec![])], "the gap, after some seconds");
        let lap = [lap[0].clone(), car(2, 2, 900, &[(1, None)])];
        feed.at(5, 7, &lap);
        // The end of the session reports the last gap.
        assert_eq!(feed.open(6, None), [(2, vec![])]);
        let stored: Vec<_> = lap.iter().map(|car| CarStanding { pit: None, ..car.clone() }).collect();
        assert_eq!(feed.cars, stored);
    }

    #[test]
    fn results_that_follow_the_end_belong_to_the_session_and_those_of_the_next_one_do_not() {
        let mut feed = Feed::new();
        let first = [car(1, 1, 0, &[(1, None)])];
        feed.at(0, 7, &first);
        feed.open(0, Some(0));
        feed.at(1, 7, &first);
        feed.open(2, None);
        let last = [car(1, 1, 0, &[(1, Some(90_000))])];
        assert_eq!(feed.at(3, 7, &last), []);
        assert_eq!(feed.at(4, 8, &[car(1, 5, 0, &[])]), [(1, vec![1])]);
        // The tracker has not opened the next session yet.
        assert_eq!(feed.at(6, 8, &[car(1, 5, 0, &[])]), []);
        assert_eq!(feed.cars[0].position, Some(1));
        assert_eq!(feed.open(7, Some(7)), []);
        assert_eq!(feed.at(8, 8, &[car(1, 5, 0, &[])]), [(1, vec![])]);
    }

    #[test]
    fn laps_that_the_game_takes_back_are_removed() {
        let mut feed = Feed::new();
        feed.at(0, 7, &[]);
        feed.open(0, Some(0));
        feed.at(0, 7, &[car(1, 1, 0, &[(1, Some(90_000)), (2, Some(91_000)), (3, None)])]);
        feed.at(2, 7, &[car(1, 1, 0, &[(1, Some(90_000)), (2, None)])]);
        feed.at(4, 7, &[]);
        let laps: Vec<_> = feed.cars[0].laps.iter().map(|lap| (lap.number, lap.time_ms)).collect();
        assert_eq!(laps, [(1, Some(90_000)), (2, None)]);
    }

    #[test]
    fn a_car_that_left_keeps_its_position_until_another_one_takes_it() {
        let mut feed = Feed::new();
        feed.at(0, 7, &[car(1, 1, 0, &[(1, None)]), car(2, 2, 0, &[])]);
        feed.open(0, Some(0));
        feed.at(1, 7, &[car(2, 2, 0, &[])]);
        feed.at(2, 7, &[car(2, 1, 0, &[])]);
        assert_eq!((feed.cars[0].position, feed.cars[1].position), (Some(1), Some(2)));
        feed.at(3, 7, &[]);
        assert_eq!((feed.cars[0].position, feed.cars[0].laps.len()), (None, 1));
        feed.at(4, 7, &[]);
        assert_eq!(feed.cars[1].position, Some(1), "an empty list changes nothing");
    }

    #[test]
    fn cars_and_laps_are_bounded() {
        let mut feed = Feed::new();
        let laps: Vec<_> = (1..=5_000).map(|number| (number, None)).collect();
        let cars: Vec<_> = (0..500).map(|number| car(number, 1, 0, if number == 0 { &laps } else { &[] })).collect();
        feed.at(0, 7, &cars);
        feed.open(0, Some(0));
        feed.at(1, 7, &cars);
        assert_eq!((feed.cars.len(), feed.cars[0].laps.len()), (MOST_CARS, MOST_CAR_LAPS));
        assert_eq!(feed.cars[0].laps.last().unwrap().number, 5_000);
    }
}
