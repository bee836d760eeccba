//! Echo VR's HTTP API: records the responses of `/session` and `/player_bones` unchanged, with the time at which they arrived.
//!
//! ```text
//! game ◀─ /session ────── [thread: poll::Sessions] ─┐  match, away, missed deadlines, events
//!      ◀─ /player_bones ─ [thread: poll::ask_for_bones] ─▶ HandOver ──▶ EchoVrSource::read ──▶ Batch
//! ```
//! Requests may wait for the game for several seconds; the capturing thread never does. Events of the match are detected on the
//! polling thread and stored in the tape next to the frames.
mod address;
mod client;
mod hand_over;
mod moments;
mod poll;
mod reply;
mod watch;

use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape_format::StreamSpec;
use gametape_games::About;
use gametape_games::echo_vr::{self, GameEvent, SessionFacts};

use crate::transport::{Away, Batch, Clock, Description, Pace, Source, SourceError, State};
pub use address::{EchoVrAddress, EchoVrAddressError};
pub(super) use client::TAPE_HEADER;
use hand_over::{HandOver, Item, MatchFacts, What};
use poll::{Manner, Sessions, ask_for_bones};
pub use reply::EchoVrFacts;

/// Indices of the streams.
const SESSION: usize = 0;
const BONES: usize = 1;

/// Default timeout of a response.
const TIME_OUT: Duration = Duration::from_secs(3);
/// Default interval of port scans while there is no match.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Maximum time that the capturing thread waits for an item.
const NAP: Duration = Duration::from_millis(100);

/// A source that polls Echo VR while it runs.
pub struct EchoVrSource {
    manner: Manner,
    hz: u32,
    /// Started by the first read.
    threads: Option<Threads>,
    /// The same moment on the capture's clock and on the system's monotonic clock.
    same_moment: Option<(u64, Instant)>,
    state: State,
    key: Option<u64>,
    told: Arc<MatchFacts>,
    changes: u64,
}

/// Stops the threads when dropped. Does not join them: one of them may be waiting for the game.
struct Threads(Arc<HandOver>);

impl Drop for Threads {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl EchoVrSource {
    /// Creates a source that polls this address `hz` times a second during a match.
    pub fn new(address: EchoVrAddress, hz: u32) -> Self {
        let hz = hz.clamp(1, 1000);
        let period = Duration::from_nanos(1_000_000_000 / u64::from(hz));
        Self {
            manner: Manner { address, period, time_out: TIME_OUT, look_every: LOOK_EVERY },
            hz,
            threads: None,
            same_moment: None,
            state: State::Away(Away::NotThere),
            key: None,
            told: Arc::default(),
            changes: 0,
        }
    }

    /// Sets how long the game may take to start a response, and then to finish it. Default: 3 s.
    pub fn time_out(mut self, time_out: Duration) -> Self {
        self.manner.time_out = time_out;
        self
    }

    /// Sets how often all ports are scanned while there is no match. Default: every 5 s.
    pub fn look_every(mut self, look_every: Duration) -> Self {
        self.manner.look_every = look_every;
        self
    }

    fn start(&mut self) -> Result<Arc<HandOver>, SourceError> {
        if let Some(threads) = &self.threads {
            return Ok(Arc::clone(&threads.0));
        }
        let hand_over = Arc::new(HandOver::default());
        // If anything fails from here on, dropping this stops the threads that were started.
        let threads = Threads(Arc::clone(&hand_over));
        let failed =
            |source| SourceError::Io { what: "Echo VR, because a polling thread failed to start".into(), source };
        let sessions = Sessions::new(Arc::clone(&hand_over), self.manner.clone());
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        thread("gametape-echo").spawn(move || sessions.run()).map_err(failed)?;
        let (bones, manner) = (Arc::clone(&hand_over), self.manner.clone());
        thread("gametape-bones").spawn(move || ask_for_bones(&bones, &manner)).map_err(failed)?;
        self.threads = Some(threads);
        Ok(hand_over)
    }

    /// Returns whether an item belongs to the same read as the items before it: a read has one state and one match.
    fn goes_on(&self, what: &What) -> bool {
        match what {
            What::Match { key, presence, .. } => self.state == State::Here(*presence) && self.key == Some(*key),
            What::Away(away) => matches!(&self.state, State::Away(now) if now == away),
            _ => true,
        }
    }

    fn take(&mut self, item: Item, hand_over: &HandOver, clock: &dyn Clock, batch: &mut Batch) {
        let time_ns = self.time_ns(item.at, clock);
        match item.what {
            What::Match { body, key, presence, told, events } => {
                self.state = State::Here(presence);
                if self.key != Some(key) || told != self.told {
                    (self.key, self.told) = (Some(key), told);
                    self.changes += 1;
                }
                batch.frame(SESSION, time_ns, &body);
                events.iter().for_each(|GameEvent { kind, text }| batch.event(time_ns, kind, text));
                hand_over.give_back(body);
            }
            What::Bones(body) => {
                // Bones without a match are discarded.
                if matches!(self.state, State::Here(_)) {
                    batch.frame(BONES, time_ns, &body);
                }
                hand_over.give_back(body);
            }
            What::Away(away) => self.state = State::Away(away),
            What::Counted(stream, counters) => batch.count(stream, &counters),
            What::Event(kind, text) => batch.event(time_ns, kind, &text),
        }
    }

    /// Converts an `Instant` to the time on the capture's clock.
    fn time_ns(&mut self, at: Instant, clock: &dyn Clock) -> u64 {
        let (ns, moment) = *self.same_moment.get_or_insert_with(|| same_moment(clock));
        let nanos = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        match at.checked_duration_since(moment) {
            Some(later) => ns.saturating_add(nanos(later)),
            None => ns.saturating_sub(nanos(moment.duration_since(at))),
        }
    }
}

/// Reads both clocks several times and takes the closest pair: the scheduler may preempt the thread between two readings.
fn same_moment(clock: &dyn Clock) -> (u64, Instant) {
    let look = |_| {
        let before = Instant::now();
        let ns = clock.now_ns();
        (before.elapsed(), (ns, before))
    };
    (0..5).map(look).min_by_key(|(took, _)| *took).map_or_else(|| (clock.now_ns(), Instant::now()), |(_, same)| same)
}

fn description() -> Description {
    let mut description = Description::of_game(echo_vr::ID);
    for stream in [echo_vr::SESSION, echo_vr::PLAYER_BONES] {
        let spec = StreamSpec::json(stream);
        let (game, transport) = (echo_vr::ID.into(), "http".into());
        description.streams.push(StreamSpec { game, transport, skip_unchanged: true, ..spec });
    }
    description
}

impl Source for EchoVrSource {
    fn pace(&self) -> Pace {
        Pace::Source
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        let hand_over = self.start()?;
        if batch.description().streams.is_empty() {
            batch.describe(description());
        }
        self.same_moment.get_or_insert_with(|| same_moment(clock));
        hand_over.wait(NAP);
        let mut first = true;
        while let Some(item) = hand_over.next_if(|what| std::mem::take(&mut first) || self.goes_on(what)) {
            self.take(item, &hand_over, clock, batch);
        }
        Ok(self.state.clone())
    }

    fn session_key(&self) -> Option<u64> {
        self.key
    }

    fn about(&self) -> About {
        self.told.about()
    }

    fn about_changes(&self) -> Option<u64> {
        Some(self.changes)
    }

    fn replay_of(&self) -> Option<String> {
        self.told.played.clone()
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        let SessionFacts { session_id, client_name, .. } = &self.told.facts;
        let known = [("session_id", session_id.clone()), ("client_name", client_name.clone())];
        let known = known.into_iter().filter_map(|(key, value)| Some((key, value?)));
        known.chain([("sampling_hz", self.hz.to_string())]).collect()
    }
}
