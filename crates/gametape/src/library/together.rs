//! Combines several sources into one tape: polls them in turn on one thread, each at its own rate.
//!
//! The tape has the streams of the first source, then those of the second, and so on. It begins when all sources have described their
//! streams, and continues while any of them is available. Frames that arrive while the state of another source is still undecided are
//! queued. A source that only follows, such as a replay folder, does not keep the tape open. Frames that arrive while another source is known to be away are not part of any tape.

use std::time::Duration;

use super::queued::{POLL, WAITING_BYTES};
use crate::capture::{Away, Batch, Clock, Description, Pace, Source, SourceError, State};
use crate::games::{About, Presence};

/// Polling interval for a source that is away.
const LOOK_FOR_GAME_NS: u64 = 50_000_000;

/// Sources that share a tape.
pub(crate) struct Together {
    parts: Vec<Part>,
}

struct Part {
    source: Box<dyn Source>,
    batch: Batch,
    described: u64,
    /// Index of its first stream in the tape.
    first_stream: usize,
    next_ns: u64,
    state: State,
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX).max(1)
}

impl Part {
    fn period(&self) -> Duration {
        match self.source.pace() {
            Pace::Every(period) | Pace::About(period) => period,
            Pace::Source => POLL,
        }
    }

    fn read(&mut self, clock: &dyn Clock, slack_ns: u64) -> Result<(), SourceError> {
        let now_ns = clock.now_ns();
        if self.state == State::Ended || now_ns.saturating_add(slack_ns) < self.next_ns {
            return Ok(());
        }
        self.state = self.source.read(clock, &mut self.batch)?;
        let period_ns = nanos(self.period());
        self.next_ns = match self.state {
            State::Away(_) => now_ns + LOOK_FOR_GAME_NS,
            // Missed samples are not made up for; the tape counts them.
            _ if self.next_ns + period_ns <= now_ns => now_ns + period_ns,
            _ => self.next_ns + period_ns,
        };
        Ok(())
    }
}

impl Together {
    pub(crate) fn new(sources: Vec<Box<dyn Source>>) -> Self {
        let part = |source| Part {
            source,
            batch: Batch::default(),
            described: 0,
            first_stream: 0,
            next_ns: 0,
            state: State::Away(Away::NotThere),
        };
        Self { parts: sources.into_iter().map(part).collect() }
    }

    fn describe(&mut self, out: &mut Batch) {
        let mut all = Description::default();
        for part in &mut self.parts {
            let own = part.batch.description();
            if all.game.is_empty() {
                all.game.clone_from(&own.game);
            }
            part.described = part.batch.described();
            part.first_stream = all.streams.len();
            for stream in &own.streams {
                let mut stream = stream.clone();
                let taken = |name: &str| all.streams.iter().any(|other| other.name == name);
                // Names are unique in a tape.
                let plain = stream.name.clone();
                let mut number = 2;
                while taken(&stream.name) {
                    stream.name = format!("{plain}-{number}");
                    number += 1;
                }
                let first = part.first_stream as u16;
                stream.describes = stream.describes.map(|id| crate::format::StreamId(id.0.saturating_add(first)));
                all.streams.push(stream);
            }
        }
        out.describe(all);
    }

    /// Returns why the tape cannot begin yet: a source that has not described its streams but still may.
    fn missing(&self) -> Option<Away> {
        let mut silent = self.parts.iter().filter(|part| part.batch.described() == 0 && part.state != State::Ended);
        silent.next().map(|part| match &part.state {
            State::Away(away) => away.clone(),
            _ => Away::Undecided,
        })
    }

    /// Keeps the frames of the other sources if the missing one may have been available all the time.
    fn wait_for(&mut self, missing: &Away) {
        for part in &mut self.parts {
            match missing {
                Away::Undecided => part.batch.drop_newest(WAITING_BYTES),
                _ => part.batch.clear(),
            }
        }
    }

    /// Returns the sources that decide when the tape ends: all, or those that do not only follow.
    fn leading(&self) -> impl Iterator<Item = &Part> {
        let any = self.parts.iter().any(|part| !part.source.follows());
        self.parts.iter().filter(move |part| !any || !part.source.follows())
    }

    fn state(&self) -> State {
        let here = self.leading().filter_map(|part| match part.state {
            State::Here(presence) => Some(presence),
            _ => None,
        });
        let rank = |presence: &Presence| u8::from(*presence == Presence::Live);
        if let Some(presence) = here.max_by_key(rank) {
            return State::Here(presence);
        }
        let away = self.leading().find(|part| matches!(part.state, State::Away(_)));
        away.map_or(State::Ended, |part| part.state.clone())
    }
}

impl Source for Together {
    fn pace(&self) -> Pace {
        let period = self.parts.iter().map(Part::period).min().unwrap_or(POLL);
        // A late sample is counted for all streams, including those of slower sources: overcounting is preferred to undercounting.
        let sampled = self.parts.iter().any(|part| matches!(part.source.pace(), Pace::Every(_)));
        if sampled { Pace::Every(period) } else { Pace::About(period) }
    }

    fn read(&mut self, clock: &dyn Clock, out: &mut Batch) -> Result<State, SourceError> {
        let slack_ns = nanos(self.parts.iter().map(Part::period).min().unwrap_or(POLL)) / 2;
        for part in &mut self.parts {
            part.read(clock, slack_ns)?;
        }
        if let Some(missing) = self.missing() {
            self.wait_for(&missing);
            return Ok(State::Away(missing));
        }
        if self.parts.iter().any(|part| part.batch.described() != part.described) {
            self.describe(out);
        }
        let is_led = self.parts.iter().any(|part| !part.source.follows());
        for part in &mut self.parts {
            if is_led && part.source.follows() {
                part.batch.take_game_moves();
            }
            out.take_over(&mut part.batch, part.first_stream);
        }
        Ok(self.state())
    }

    fn session_key(&self) -> Option<u64> {
        self.parts.iter().find_map(|part| part.source.session_key())
    }

    fn about(&self) -> About {
        let all = self.parts.iter().map(|part| part.source.about());
        all.into_iter().find(|about| *about != About::default()).unwrap_or_default()
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        self.parts.iter().flat_map(|part| part.source.metadata()).collect()
    }

    fn replay_of(&self) -> Option<String> {
        self.parts.iter().find_map(|part| part.source.replay_of())
    }

    fn follows(&self) -> bool {
        self.parts.iter().all(|part| part.source.follows())
    }

    fn take_notice(&mut self) -> Option<String> {
        self.parts.iter_mut().find_map(|part| part.source.take_notice())
    }
}
