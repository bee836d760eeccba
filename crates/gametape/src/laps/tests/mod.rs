//! Scenarios: what a game shows, scripted to the millisecond, and the expected results at every sampling rate.
//!
//! The letters and numbers in the test names refer to the list of scenarios that the tracker must handle.
mod a_plain;
mod b_validity;
mod c_pits;
mod columns;
mod d_sessions;
mod e_pauses;
mod f1_game;
mod f_faults;
mod g_f1;
mod g_flashbacks;
mod g_iracing;
mod g_iracing_lines;
mod g_others;
mod live;
mod other_games;
mod properties;
mod sent;
mod sequences;
pub(crate) mod tapes;

use gametape_format::TapeId;
use gametape_games::{Game, LapFrame, Layout, ReadLaps, SeenFrame, find_game};
use zerocopy::IntoBytes as _;

use super::event::Event;
use super::model::{Lap, Session};
use super::tracker::Tracker;
use super::words::{LapState, ReasonCode, SessionEnd, TimeSource};
use super::{Tracked, TrackedSession};
use gametape_simulator::{Pages, Script, Simulation};

/// Sampling rates, in Hz.
pub(super) const RATES: [u32; 4] = [10, 20, 60, 100];
/// Duration of one rendered frame of the game.
pub(super) const FRAME_MS: u64 = 16;
/// Sector times of the lap in most scenarios.
pub(super) const LAP: [u32; 3] = [30_500, 34_700, 35_200];

/// The results of a script.
pub(super) struct Run {
    pub(super) hz: u32,
    pub(super) tracked: Tracked,
    pub(super) events: Vec<Event>,
    pub(super) tracker: Tracker,
}

/// Feeds the frames of a game through its adapter into the tracker.
pub(super) struct Feed {
    adapter: Box<dyn ReadLaps>,
    frame: LapFrame,
    pub(super) tracker: Tracker,
    pub(super) events: Vec<Event>,
    pub(super) last_ns: u64,
    acc: bool,
}

impl Feed {
    pub(super) fn new(game: &str) -> Self {
        let game: &Game = find_game(game).unwrap();
        let mut tracker = Tracker::new(game.id, TapeId([7; 16]));
        tracker.clock(0, 1_700_000_000_000_000_000);
        Self {
            adapter: game.rules.laps(),
            frame: LapFrame::default(),
            tracker,
            events: Vec::new(),
            last_ns: 0,
            acc: game.id.ends_with("competizione"),
        }
    }

    pub(super) fn bytes(&mut self, time_ns: u64, stream: &str, layout: &Layout, bytes: &[u8]) {
        self.last_ns = time_ns;
        if self.adapter.frame(SeenFrame { stream, layout, bytes }, &mut self.frame) {
            self.tracker.frame(time_ns, &self.frame, self.adapter.identity(), &mut self.events);
        }
    }

    pub(super) fn pages(&mut self, time_ns: u64, pages: &Pages) {
        let layout = &gametape_games::NO_CHANNELS;
        if self.acc {
            self.bytes(time_ns, "physics", layout, pages.physics.as_bytes());
            self.bytes(time_ns, "graphics", layout, pages.graphics.as_bytes());
            self.bytes(time_ns, "static", layout, pages.static_page.as_bytes());
        } else {
            let pages = pages.assetto_corsa();
            self.bytes(time_ns, "physics", layout, pages.physics.as_bytes());
            self.bytes(time_ns, "graphics", layout, pages.graphics.as_bytes());
            self.bytes(time_ns, "static", layout, pages.static_page.as_bytes());
        }
    }

    pub(super) fn end(mut self, hz: u32, end: Option<SessionEnd>) -> Run {
        if let Some(end) = end {
            self.tracker.finish(end, self.last_ns, &mut self.events);
        }
        let mut tracked = Tracked::default();
        self.events.iter().cloned().for_each(|event| tracked.take(event));
        check(&tracked, &self.events);
        Run { hz, tracked, events: self.events, tracker: self.tracker }
    }
}

/// Runs a script of Competizione at one sampling rate.
pub(super) fn run_at(hz: u32, script: Script) -> Run {
    let mut feed = Feed::new("acc");
    Simulation::bare(script).sample(hz).for_each(|(time_ns, pages)| feed.pages(time_ns, &pages));
    feed.end(hz, Some(SessionEnd::ToolStop))
}

/// Runs a script at every sampling rate.
pub(super) fn each_rate(script: impl Fn() -> Script, check: impl Fn(&Run)) {
    for hz in RATES {
        check(&run_at(hz, script()));
    }
}

impl Run {
    pub(super) fn sessions(&self) -> Vec<&Session> {
        self.tracked.sessions.iter().map(|session| &session.session).collect()
    }

    pub(super) fn session(&self, place: usize) -> &TrackedSession {
        &self.tracked.sessions[place]
    }

    /// Returns the final laps.
    pub(super) fn finals(&self) -> Vec<&Lap> {
        self.tracked.laps().filter(|lap| lap.state == LapState::Final).collect()
    }

    pub(super) fn aborted(&self) -> Vec<&Lap> {
        self.tracked.laps().filter(|lap| lap.state == LapState::Aborted).collect()
    }

    pub(super) fn ends(&self) -> Vec<SessionEnd> {
        self.sessions().iter().map(|session| session.end.unwrap()).collect()
    }

    /// Returns the times of the final laps.
    pub(super) fn times(&self) -> Vec<Option<u32>> {
        self.finals().iter().map(|lap| lap.time_ms).collect()
    }

    pub(super) fn sample_ms(&self) -> f64 {
        1000.0 / f64::from(self.hz)
    }

    pub(super) fn best_ms(&self, session: usize) -> Option<u32> {
        let session = self.session(session);
        let best = session.session.best_lap?;
        session.laps.iter().find(|lap| lap.id == best).unwrap().time_ms
    }
}

/// Returns a flying lap, from a script of two laps.
pub(super) fn sectors(lap: &Lap) -> Vec<Option<u32>> {
    lap.sectors.iter().map(|sector| sector.time_ms).collect()
}

pub(super) fn codes(lap: &Lap) -> Vec<&'static str> {
    lap.reasons.iter().map(|reason| reason.code.as_str()).collect()
}

/// Checks the invariants that hold for any sequence of frames.
pub(super) fn check(tracked: &Tracked, events: &[Event]) {
    let mut end_ns = 0;
    for (number, lap) in tracked.laps().enumerate() {
        assert_eq!(lap.tape_lap as usize, number + 1, "laps are numbered without gaps");
        assert!(lap.end_ns.is_none_or(|end_ns| end_ns >= lap.start_ns), "time runs backwards in lap {}", lap.tape_lap);
        // A lap that was undone lies within the lap that the player went back into.
        let undone = [ReasonCode::Flashback, ReasonCode::Rewind].into_iter().any(|code| lap.has(code));
        if !(undone && lap.state == LapState::Aborted) {
            assert!(lap.start_ns >= end_ns, "lap {} begins before the previous one has ended", lap.tape_lap);
            end_ns = lap.end_ns.unwrap_or(lap.start_ns);
        }
        assert_eq!(lap.time_ms.is_some(), lap.time_source.is_some());
        assert!(
            lap.time_ms != Some(0) && lap.sectors.iter().all(|sector| sector.time_ms != Some(0)),
            "unknown is never 0"
        );
        let known: Option<Vec<u32>> = lap.sectors.iter().map(|sector| sector.time_ms).collect();
        if let (Some(known), Some(time)) = (known.filter(|known| !known.is_empty()), lap.time_ms) {
            assert_eq!(known.iter().sum::<u32>(), time, "sectors add up to the lap");
        }
        if lap.eligible {
            assert!(lap.state == LapState::Final && !lap.has(ReasonCode::CoverageLow) && lap.valid != Some(false));
            assert_eq!(lap.time_source, Some(TimeSource::Official));
        }
        assert!(lap.state != LapState::Aborted || lap.time_ms.is_none());
        assert!(lap.has(ReasonCode::SectorMissing) <= lap.sectors.iter().any(|sector| sector.time_ms.is_none()));
    }
    let mut ids: Vec<_> = tracked.laps().map(|lap| lap.id).collect();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), tracked.laps().count(), "lap ids are unique");
    let mut done = Vec::new();
    for event in events {
        if let Event::LapFinal(lap) | Event::LapAborted(lap) = event {
            assert!(!done.contains(&lap.id), "a lap ends only once: {lap:?}");
            done.push(lap.id);
        }
    }
}
