//! The tracker: lap frames in, events out. It has no I/O and no clock; the same frames give the same laps at any replay speed.
//!
//! ```text
//!  frame ─▶ off, pause, replay? ─▶ debounced? ─▶ same session? ─▶ OpenSession: laps, stints, bests
//! ```
//!
//! This module decides which session a frame belongs to. `OpenSession` handles what happens within a session.

use gametape_format::TapeId;
use gametape_games::{Identity, LapFrame, Presence};

use super::closing::Closing;
use super::debounce::{Debounce, Debounced, in_pits};
use super::event::Event;
use super::game_clock::{clock_ms, is_whole, silent_pause_ns};
use super::model::{Id, Session, TrackFacts};
use super::open_session::{OpenSession, Shared, Step};
use super::running::Moment;
use super::thresholds::{OFF_NS, STALE_NS, STREAM_END_NS, is_watching_another};
use super::words::{ReasonCode, SessionEnd, SessionKind};

/// Name of this tracker, stored with its results.
pub const TRACKER_ID: &str = "gametape";
/// Version of this tracker. Incremented whenever its results for the same tape may change.
pub const TRACKER_VERSION: u32 = 4;

/// Turns lap frames into sessions, stints and laps.
#[derive(Debug)]
pub struct Tracker {
    game: String,
    shared: Shared,
    debounce: Debounce,
    open: Option<OpenSession>,
    identity: Identity,
    /// Time of the newest frame.
    last_ns: u64,
    /// Time that has passed, including that of other streams. Never used as the time of a frame.
    passed_ns: u64,
    presence: Presence,
    off_since_ns: Option<u64>,
    stands_since_ns: Option<u64>,
    /// Total time during which the game stood still.
    stood_ns: u64,
    /// The counter of the newest page, and when it was first observed.
    page: Option<(i64, u64)>,
    /// How long there were no frames at all since the newest lap frame.
    unseen_ns: u64,
    bad_positions: u64,
}

impl Tracker {
    /// Creates a tracker for the frames of a game in a tape.
    #[must_use]
    pub fn new(game: &str, tape: TapeId) -> Self {
        Self {
            game: game.to_owned(),
            shared: Shared::new(tape),
            debounce: Debounce::default(),
            open: None,
            identity: Identity::default(),
            last_ns: 0,
            passed_ns: 0,
            presence: Presence::Off,
            off_since_ns: None,
            stands_since_ns: None,
            stood_ns: 0,
            page: None,
            unseen_ns: 0,
            bad_positions: 0,
        }
    }

    /// Maps tape time to UTC: `time_ns` on the tape is `utc_ns`, in nanoseconds since 1970. Used for points in time, never for durations.
    pub fn clock(&mut self, time_ns: u64, utc_ns: i64) {
        self.shared.utc.read(time_ns, utc_ns);
    }

    /// Returns the number of implausible track positions so far.
    #[must_use]
    pub fn bad_positions(&self) -> u64 {
        self.bad_positions
    }

    /// Returns the current session.
    #[must_use]
    pub fn session(&self) -> Option<&Session> {
        self.open.as_ref().map(|open| &open.model)
    }

    /// Returns the track facts learned in the current session so far.
    #[must_use]
    pub fn learned(&self) -> Option<TrackFacts> {
        self.open.as_ref().and_then(|open| open.learning.facts(&self.game, &open.identity))
    }

    /// Returns whether the game reports driving but its page has not changed for two seconds or more.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        let since_ns = self.shown_since_ns();
        let now_ns = self.last_ns.max(self.passed_ns);
        self.presence == Presence::Live && now_ns.saturating_sub(since_ns) >= STALE_NS
    }

    /// Adds a frame. Events are appended to `out`.
    pub fn frame(&mut self, time_ns: u64, frame: &LapFrame, identity: &Identity, out: &mut Vec<Event>) {
        // Streams are merged by time. If a caller passes frames out of order, time still never runs backwards.
        let time_ns = time_ns.max(self.last_ns);
        self.last_ns = time_ns;
        self.unseen_ns = 0;
        if identity.revision != self.identity.revision {
            self.identity = identity.clone();
        }
        self.presence = frame.presence;
        // A tape does not store unchanged pages again: the last page was current until this one.
        if let Some(since_ns) = self.off_since_ns
            && time_ns.saturating_sub(since_ns) >= OFF_NS
        {
            self.close(SessionEnd::Game, since_ns, out);
        }
        match frame.presence {
            Presence::Off => {
                self.stands_since_ns.get_or_insert(time_ns);
                self.off_since_ns.get_or_insert(time_ns);
            }
            Presence::Paused | Presence::Replay => {
                self.off_since_ns = None;
                self.stands_since_ns.get_or_insert(time_ns);
            }
            Presence::Live => self.live(time_ns, frame, out),
        }
        if let Some(open) = &mut self.open
            && open.learning.is_news()
        {
            out.extend(open.learning.facts(&self.game, &open.identity).map(Event::TrackLearned));
        }
    }

    fn live(&mut self, time_ns: u64, frame: &LapFrame, out: &mut Vec<Event>) {
        self.off_since_ns = None;
        if let Some(counter) = frame.counter {
            if self.page.is_some_and(|(page, _)| page == counter) {
                // The same page again: nothing happened, however much time has passed.
                return;
            }
            self.page = Some((counter, time_ns));
        }
        self.stood_ns += match self.stands_since_ns.take() {
            Some(since_ns) => time_ns - since_ns,
            None => self.open.as_ref().map_or(0, |open| silent_pause_ns(open, time_ns, frame)),
        };
        self.bad_positions += u64::from(frame.bad_position);
        let since_ns = match self.debounce.look(time_ns, frame) {
            Debounced::Held => return,
            Debounced::Unchanged => time_ns,
            Debounced::Changed(since_ns) => {
                if !self.same_session(since_ns, frame, out) {
                    return;
                }
                since_ns
            }
        };
        if self.open.is_none() {
            self.open(since_ns, frame, out);
        }
        self.refresh_identity(frame, out);
        if self.watches_another(time_ns, frame, out) {
            return;
        }
        let Some(open) = &mut self.open else { return };
        let now = Moment { time_ns, clock_ms: clock_ms(open, time_ns, self.stood_ns, frame), frame: *frame };
        let whole = open.before.as_ref().is_none_or(|before| is_whole(before, &now));
        match open.frame(&mut self.shared, &now, since_ns, whole, out) {
            Step::Same => {}
            Step::Restarted(at_ns) => {
                self.close(SessionEnd::Restart, at_ns, out);
                self.open(at_ns, frame, out);
                self.first_frame(time_ns, frame);
            }
        }
    }

    /// Returns whether the frame belongs to the current session. If not, closes that session and opens the next one.
    fn same_session(&mut self, since_ns: u64, frame: &LapFrame, out: &mut Vec<Event>) -> bool {
        let other = self.open.as_ref().and_then(|open| other_session(open, frame, &self.identity));
        if let Some(end) = other {
            self.close(end, since_ns, out);
            self.open(since_ns, frame, out);
            self.first_frame(self.last_ns, frame);
            return false;
        }
        true
    }

    /// Sets the first frame of a session that follows another one. Laps are detected by differences from it.
    fn first_frame(&mut self, time_ns: u64, frame: &LapFrame) {
        if let Some(open) = &mut self.open {
            let clock_ms = clock_ms(open, time_ns, self.stood_ns, frame);
            open.before = Some(Moment { time_ns, clock_ms, frame: *frame });
        }
    }

    fn open(&mut self, since_ns: u64, frame: &LapFrame, out: &mut Vec<Event>) {
        let identity = &self.identity;
        let starts = u8::try_from(identity.sector_starts.len()).ok().filter(|count| *count > 0);
        let model = Session {
            id: Id::of_session(self.shared.tape, since_ns),
            tape: self.shared.tape,
            game: self.game.clone(),
            game_version: identity.game_version.clone(),
            kind: frame.kind,
            index: frame.session_index.map(i64::from),
            track: identity.track.clone(),
            layout: identity.layout.clone(),
            car: identity.car.clone(),
            driver: identity.driver.clone(),
            online: identity.online,
            start_ns: since_ns,
            end_ns: None,
            started_utc_us: self.shared.utc.at_us(since_ns),
            ended_utc_us: None,
            end: None,
            sector_count: starts.or(identity.sector_count),
            best_lap: None,
            theoretical_best_ms: None,
            remark: identity.remark.map(str::to_owned),
            foreign: false,
        };
        out.push(Event::SessionOpened(model.clone()));
        self.open = Some(OpenSession::new(model, identity, frame));
    }

    /// Fills in texts that appeared later. Another driver begins a stint.
    fn refresh_identity(&mut self, frame: &LapFrame, out: &mut Vec<Event>) {
        let (identity, last_ns) = (&self.identity, self.last_ns);
        let Some(open) = self.open.as_mut().filter(|open| open.identity.revision != identity.revision) else { return };
        if Option::zip(open.identity.driver.as_ref(), identity.driver.as_ref()).is_some_and(|(old, new)| old != new) {
            let turn = open.stints.swap(last_ns, frame);
            open.turn(turn, out);
            if let Some(lap) = open.running.as_mut().filter(|lap| lap.began_in_pits && in_pits(frame)) {
                lap.driver.clone_from(&identity.driver);
            }
        }
        open.identity = identity.clone();
        let model = &mut open.model;
        let before = model.clone();
        fill(&mut model.game_version, &identity.game_version);
        fill(&mut model.track, &identity.track);
        fill(&mut model.layout, &identity.layout);
        fill(&mut model.car, &identity.car);
        fill(&mut model.driver, &identity.driver);
        model.online = model.online.or(identity.online);
        let starts = u8::try_from(identity.sector_starts.len()).ok().filter(|count| *count > 0);
        model.sector_count = model.sector_count.or(starts).or(identity.sector_count);
        if model.kind == SessionKind::Unknown {
            model.kind = frame.kind;
        }
        model.remark = identity.remark.map(str::to_owned);
        if *model != before {
            out.push(Event::SessionChanged(model.clone()));
        }
    }

    /// Returns whether the frame describes a car that is only being watched.
    fn watches_another(&mut self, time_ns: u64, frame: &LapFrame, out: &mut Vec<Event>) -> bool {
        let Some(open) = &mut self.open else { return false };
        if open.own_car == frame.player_car {
            open.watching = false;
            return false;
        }
        if open.watching || is_watching_another(open.own_car, frame) {
            if !open.watching {
                open.watching = true;
                if let Some(now) = open.before {
                    open.settle(&mut self.shared, &now, out);
                    if let Some(lap) = open.running.take() {
                        open.abort(&mut self.shared, lap, ReasonCode::Spectating, time_ns, &now, out);
                    }
                }
                open.before = None;
            }
            open.counted = None;
            return true;
        }
        // In the pits: another driver has taken over, with another car number.
        if open.own_car.is_some() && frame.player_car.is_some() {
            let turn = open.stints.swap(time_ns, frame);
            open.turn(turn, out);
        }
        open.own_car = frame.player_car.or(open.own_car);
        false
    }

    /// Records that the game was unavailable between two times. If that was long enough, it has left its session.
    pub fn away(&mut self, from_ns: u64, to_ns: u64, out: &mut Vec<Event>) {
        if to_ns.saturating_sub(from_ns) >= OFF_NS {
            self.close(SessionEnd::Game, from_ns.max(self.last_ns), out);
        }
    }

    /// Records that there were no frames for `length_ns` until now. That time does not count as time in which a page was unchanged.
    pub(super) fn unseen(&mut self, length_ns: u64) {
        self.unseen_ns = self.unseen_ns.saturating_add(length_ns);
        if let Some((_, since_ns)) = &mut self.page {
            *since_ns = since_ns.saturating_add(length_ns);
        }
    }

    /// Returns since when the newest page has been shown, without time in which there were no frames.
    fn shown_since_ns(&self) -> u64 {
        self.page.map_or(self.last_ns.saturating_add(self.unseen_ns), |(_, since_ns)| since_ns)
    }

    /// Advances the time without frames, or with unchanged ones.
    pub fn time_passes(&mut self, now_ns: u64, out: &mut Vec<Event>) {
        if let Some(since_ns) = self.off_since_ns
            && now_ns.saturating_sub(since_ns) >= OFF_NS
        {
            self.close(SessionEnd::Game, since_ns, out);
        }
        let seen_ns = self.shown_since_ns();
        if self.presence == Presence::Live && now_ns.saturating_sub(seen_ns) >= STREAM_END_NS {
            self.close(SessionEnd::StreamEnd, seen_ns, out);
        }
        self.passed_ns = self.passed_ns.max(now_ns);
    }

    /// Closes everything that is open, at this time on the tape. There are no more frames.
    pub fn finish(&mut self, end: SessionEnd, at_ns: u64, out: &mut Vec<Event>) {
        self.close(end, at_ns.max(self.last_ns), out);
    }

    fn close(&mut self, end: SessionEnd, at_ns: u64, out: &mut Vec<Event>) {
        self.debounce.forget();
        let Some(mut open) = self.open.take() else { return };
        let at_ns = at_ns.max(open.model.start_ns);
        let code = if end == SessionEnd::Restart { ReasonCode::AbortedRestart } else { ReasonCode::PartialEnd };
        if let Some(now) = open.before {
            // The timer fell, but no lap was counted and no time reported: the timer fell because the session ended.
            let no_line = |closing: &mut Closing| {
                closing.done.is_none() && closing.laps.is_none() && !closing.has_time(&now.frame)
            };
            if let Some(closing) = open.closing.take_if(no_line) {
                open.abort(&mut self.shared, closing.lap, code, closing.cross_ns, &now, out);
                open.running = None;
            }
            open.settle(&mut self.shared, &now, out);
            if let Some(lap) = open.running.take() {
                open.abort(&mut self.shared, lap, code, at_ns, &now, out);
            }
        }
        let stint = open.stints.end(at_ns, open.before.and_then(|now| now.frame.fuel_l));
        let session = open.model.id;
        out.extend(stint.map(|stint| Event::StintClosed { session, stint }));
        out.extend(open.learning.facts(&self.game, &open.identity).map(Event::TrackLearned));
        let ended_utc_us = self.shared.utc.at_us(at_ns);
        out.push(Event::SessionClosed(Session { end: Some(end), end_ns: Some(at_ns), ended_utc_us, ..open.model }));
    }
}

fn fill(known: &mut Option<String>, said: &Option<String>) {
    if known.is_none() {
        known.clone_from(said);
    }
}

/// Returns why the frame belongs to another session, if it does. A value that is missing on one side is not a difference.
fn other_session(open: &OpenSession, frame: &LapFrame, identity: &Identity) -> Option<SessionEnd> {
    let model = &open.model;
    let differs = |known: &Option<String>, said: &Option<String>| {
        Option::zip(known.as_ref(), said.as_ref()).is_some_and(|(a, b)| a != b)
    };
    let kinds = [model.kind, frame.kind];
    let index = frame.session_index.map(i64::from);
    if differs(&model.track, &identity.track) || differs(&model.layout, &identity.layout) {
        Some(SessionEnd::TrackChange)
    } else if differs(&model.car, &identity.car) {
        Some(SessionEnd::CarChange)
    } else if model.kind != frame.kind && !kinds.contains(&SessionKind::Unknown) {
        Some(SessionEnd::TypeChange)
    } else if Option::zip(model.index, index).is_some_and(|(a, b)| a != b)
        || Option::zip(open.native_id, frame.session_id).is_some_and(|(a, b)| a != b)
    {
        Some(SessionEnd::IndexChange)
    } else {
        None
    }
}
