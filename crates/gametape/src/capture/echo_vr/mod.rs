//! Echo VR's HTTP service: answers to `/session` and `/player_bones`, as the game gave them, at the times at which they had come.
//!
//! ```text
//! game ◀─ /session ────── [thread: poll::Sessions] ─┐  match, away, missed moments, events
//!      ◀─ /player_bones ─ [thread: poll::ask_for_bones] ─▶ HandOver ──▶ EchoVrSource::read ──▶ Batch
//! ```
//! Requests wait for the game, up to some seconds; the capturing thread never does. What happens in the match is found on the asking thread, and goes onto
//! the tape as events beside the frames.
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

use super::batch::{Batch, Description};
use super::clock::Clock;
use super::source::{Away, Pace, Source, SourceError, State};
pub use address::{EchoVrAddress, EchoVrAddressError};
pub(crate) use client::TAPE_HEADER;
use hand_over::{HandOver, Item, Told, What};
use poll::{Manner, Sessions, ask_for_bones};
pub(crate) use reply::look_at_echo_vr;

/// Numbers of the streams.
const SESSION: usize = 0;
const BONES: usize = 1;

/// How long the game may take for an answer.
const TIME_OUT: Duration = Duration::from_secs(3);
/// While there is no match, all ports are looked at this often.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// The capturing thread looks around this often.
const NAP: Duration = Duration::from_millis(100);

/// Asks Echo VR while it runs.
pub struct EchoVrSource {
    manner: Manner,
    hz: u32,
    /// Begins with the first look.
    threads: Option<Threads>,
    /// A moment of the capture's clock, and the same moment of the machine's.
    same_moment: Option<(u64, Instant)>,
    state: State,
    key: Option<u64>,
    told: Arc<Told>,
    changes: u64,
}

/// Ends the threads with the source. Nobody waits for them: one of them may be waiting for the game.
struct Threads(Arc<HandOver>);

impl Drop for Threads {
    fn drop(&mut self) {
        self.0.stop();
    }
}

impl EchoVrSource {
    /// Asks there, `hz` times a second while a match is on.
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

    /// How long the game may take to begin an answer, and then to end it: 3 s if nothing is said.
    pub fn time_out(mut self, time_out: Duration) -> Self {
        self.manner.time_out = time_out;
        self
    }

    /// How often all ports are looked at while there is no match: every 5 s if nothing is said.
    pub fn look_every(mut self, look_every: Duration) -> Self {
        self.manner.look_every = look_every;
        self
    }

    fn start(&mut self) -> Result<Arc<HandOver>, SourceError> {
        if let Some(threads) = &self.threads {
            return Ok(Arc::clone(&threads.0));
        }
        let hand_over = Arc::new(HandOver::default());
        // From here on, whatever fails ends what was begun.
        let threads = Threads(Arc::clone(&hand_over));
        let failed = |source| SourceError::Io { what: "Echo VR: a thread that asks it".into(), source };
        let sessions = Sessions::new(Arc::clone(&hand_over), self.manner.clone());
        let thread = |name: &str| std::thread::Builder::new().name(name.into());
        thread("gametape-echo").spawn(move || sessions.run()).map_err(failed)?;
        let (bones, manner) = (Arc::clone(&hand_over), self.manner.clone());
        thread("gametape-bones").spawn(move || ask_for_bones(&bones, &manner)).map_err(failed)?;
        self.threads = Some(threads);
        Ok(hand_over)
    }

    /// Whether a thing belongs to the same look as what came before it: a look has one state, and one match.
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
                // Without a match they are nobody's.
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

    /// The time of a moment on the capture's clock.
    fn time_ns(&mut self, at: Instant, clock: &dyn Clock) -> u64 {
        let (ns, moment) = *self.same_moment.get_or_insert_with(|| same_moment(clock));
        let nanos = |duration: Duration| u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        match at.checked_duration_since(moment) {
            Some(later) => ns.saturating_add(nanos(later)),
            None => ns.saturating_sub(nanos(moment.duration_since(at))),
        }
    }
}

/// Looks at both clocks some times: a thread that is put aside between the two makes them differ.
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
