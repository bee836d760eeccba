//! The results for a tape, collected from events: in the same way for a file and for a running game.

use super::event::Event;
use super::model::{Id, Lap, Session, Stint, TrackFacts};
use gametape_games::CarStanding;

/// Sessions with their stints and laps, and the track facts learned from them.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Tracked {
    /// Sessions in the order in which they began.
    pub sessions: Vec<TrackedSession>,
    /// Track facts, one entry for each session.
    pub tracks: Vec<TrackFacts>,
    /// Number of implausible track positions.
    pub bad_positions: u64,
    /// Number of parts of the tape that could not be read.
    pub damaged: u64,
    /// The session of the last entry of `tracks`. The facts that it reports at its end replace those that it reported before.
    teaches: Option<Id>,
}

/// A session with its stints and laps.
#[derive(Debug, Clone, PartialEq)]
pub struct TrackedSession {
    /// The session.
    pub session: Session,
    /// Its stints.
    pub stints: Vec<Stint>,
    /// Its laps, by their number on the tape.
    pub laps: Vec<Lap>,
    /// All its cars, by their number in the game; empty if the game only reports the player's.
    pub cars: Vec<CarStanding>,
}

impl Tracked {
    /// Returns all laps, by their number on the tape.
    pub fn laps(&self) -> impl Iterator<Item = &Lap> {
        self.sessions.iter().flat_map(|session| &session.laps)
    }

    /// Returns the lap with this number on the tape.
    #[must_use]
    pub fn lap(&self, tape_lap: u32) -> Option<&Lap> {
        self.laps().find(|lap| lap.tape_lap == tape_lap)
    }

    /// Applies an event.
    pub fn take(&mut self, event: Event) {
        match event {
            Event::SessionOpened(session) => {
                self.sessions.push(TrackedSession { session, stints: Vec::new(), laps: Vec::new(), cars: Vec::new() });
            }
            Event::SessionChanged(new) | Event::SessionClosed(new) => {
                if let Some(known) = self.of(new.id) {
                    known.session = new;
                }
            }
            Event::StintOpened { session, stint } | Event::StintClosed { session, stint } => {
                if let Some(known) = self.of(session) {
                    match known.stints.iter_mut().find(|known| known.n == stint.n) {
                        Some(known) => *known = stint,
                        None => known.stints.push(stint),
                    }
                }
            }
            Event::LapOpened(lap)
            | Event::LapProvisional(lap)
            | Event::LapFinal(lap)
            | Event::LapAborted(lap)
            | Event::LapAmended(lap) => {
                if let Some(known) = self.of(lap.session) {
                    // The event is nearly always about the newest lap.
                    match known.laps.iter().rposition(|known| known.tape_lap <= lap.tape_lap) {
                        Some(place) if known.laps.get(place).is_some_and(|known| known.id == lap.id) => {
                            if let Some(room) = known.laps.get_mut(place) {
                                *room = lap;
                            }
                        }
                        Some(place) => known.laps.insert(place + 1, lap),
                        None => known.laps.insert(0, lap),
                    }
                }
            }
            Event::BestChanged { session, driver, best_lap, theoretical_best_ms, .. } => {
                if let Some(known) = self.of(session).filter(|known| known.session.driver == driver) {
                    known.session.best_lap = best_lap;
                    known.session.theoretical_best_ms = theoretical_best_ms;
                }
            }
            Event::TrackLearned(facts) => {
                let session = self.sessions.last().map(|known| known.session.id);
                match self.tracks.last_mut().filter(|_| session.is_some() && self.teaches == session) {
                    Some(known) => *known = facts,
                    None => self.tracks.push(facts),
                }
                self.teaches = session;
            }
            Event::Standings { session, cars } => {
                if let Some(known) = self.of(session) {
                    cars.into_iter().for_each(|change| change.apply(&mut known.cars));
                }
            }
            Event::SectorClosed { .. } | Event::ConditionsChanged { .. } => {}
        }
    }

    fn of(&mut self, session: Id) -> Option<&mut TrackedSession> {
        self.sessions.iter_mut().rev().find(|known| known.session.id == session)
    }
}
