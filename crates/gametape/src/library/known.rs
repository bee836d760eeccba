//! Sources for supported games. Always reads all streams of a game, because only together they show whether it runs; passes on the
//! requested streams.

use super::start_error::StartError;
use crate::capture::{
    Batch, Clock, Description, GamePlaces, Pace, Source, SourceError, State, UdpSettings, game_sources,
};
use crate::games::{About, Game};
use crate::sys::Prefix;

/// Some streams of a game.
pub(crate) struct KnownGame {
    pub(crate) game: &'static Game,
    pub(crate) streams: Vec<&'static str>,
    pub(crate) prefix: Prefix,
    pub(crate) hz: Option<u32>,
    /// Where datagrams are received; `None` for the default.
    pub(crate) udp: Option<UdpSettings>,
}

impl KnownGame {
    pub(crate) fn new(game: &'static Game, streams: Vec<&'static str>) -> Self {
        Self { game, streams, prefix: Prefix::default(), hz: None, udp: None }
    }

    /// Merges the streams of another one, if one reader serves both. Returns whether it did.
    pub(crate) fn take_over(&mut self, other: &Self) -> bool {
        let same = self.game.id == other.game.id
            && self.prefix == other.prefix
            && self.hz == other.hz
            && self.udp == other.udp;
        if same {
            self.streams
                .extend(other.streams.iter().filter(|stream| !self.streams.contains(stream)).collect::<Vec<_>>());
        }
        same
    }

    pub(crate) fn open(self) -> Result<Box<dyn Source>, StartError> {
        let mut places = GamePlaces::from(&self.prefix);
        places.udp = self.udp.or(places.udp);
        let whole = game_sources(Some(self.game), places, self.hz).into_iter().next();
        let whole = whole.ok_or(StartError::NotLive { game: self.game.id })?;
        let all = self.game.streams.iter().all(|stream| self.streams.contains(&stream.name));
        Ok(if all { whole } else { Box::new(Part::new(whole, self.streams)) })
    }
}

/// A source restricted to some of its streams.
pub(crate) struct Part {
    whole: Box<dyn Source>,
    streams: Vec<&'static str>,
    batch: Batch,
    described: u64,
    /// For each stream of the source: its index here, or its latest frame, which shows whether the game is active.
    places: Vec<Result<usize, Vec<u8>>>,
}

impl Part {
    pub(crate) fn new(whole: Box<dyn Source>, streams: Vec<&'static str>) -> Self {
        Self { whole, streams, batch: Batch::default(), described: 0, places: Vec::new() }
    }

    fn describe(&mut self, batch: &mut Batch) {
        let whole = self.batch.description();
        let mut part = Description::of_game(&whole.game);
        self.places.clear();
        for stream in &whole.streams {
            if self.streams.contains(&stream.name.as_str()) {
                self.places.push(Ok(part.streams.len()));
                part.streams.push(stream.clone());
            } else {
                self.places.push(Err(Vec::new()));
            }
        }
        batch.describe(part);
    }
}

impl Source for Part {
    fn pace(&self) -> Pace {
        self.whole.pace()
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        self.batch.clear();
        let state = self.whole.read(clock, &mut self.batch)?;
        if self.batch.described() != self.described {
            self.described = self.batch.described();
            self.describe(batch);
        }
        for frame in self.batch.frames() {
            match self.places.get_mut(frame.stream) {
                Some(Ok(stream)) => batch.frame(*stream, frame.time_ns, frame.bytes),
                Some(Err(newest)) if newest != frame.bytes => {
                    // The first frame may be hours old.
                    if !newest.is_empty() {
                        batch.game_moves();
                    }
                    newest.clear();
                    newest.extend_from_slice(frame.bytes);
                }
                _ => {}
            }
        }
        for (place, counters) in self.places.iter().zip(self.batch.counters()) {
            if let Ok(stream) = place {
                batch.count(*stream, counters);
            }
        }
        for event in self.batch.events() {
            batch.copy_event(event);
        }
        Ok(state)
    }

    fn session_key(&self) -> Option<u64> {
        self.whole.session_key()
    }

    fn about(&self) -> About {
        self.whole.about()
    }

    fn about_changes(&self) -> Option<u64> {
        self.whole.about_changes()
    }

    fn metadata(&self) -> Vec<(&'static str, String)> {
        self.whole.metadata()
    }

    fn replay_of(&self) -> Option<String> {
        self.whole.replay_of()
    }

    fn take_notice(&mut self) -> Option<String> {
        self.whole.take_notice()
    }
}
