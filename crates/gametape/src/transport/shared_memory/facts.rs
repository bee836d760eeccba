//! Reads a game's shared memory until its counter moves, through the source that would record it.

use gametape_games::{About, GAMES, Game};

use super::section_facts::Section;
use super::{IracingSource, PageSource, Sections, groups, has_rotating_buffers};
use crate::transport::{Away, Batch, Clock, Source, State};

/// A running game moves its counter between two reads: it counts a few hundred steps a second, or 60 ticks.
const BETWEEN_LOOKS_NS: u64 = 200_000_000;

/// A game on a busy machine may stand still for longer; only then is it taken for one that ended.
const MOST_LOOKS_NS: u64 = 1_000_000_000;

/// Shared memory that a group of games uses.
#[derive(Debug, Clone)]
pub struct Memory {
    /// The games.
    pub games: &'static [Game],
    /// Its sections.
    pub sections: Vec<Section>,
    /// What is in the sections.
    pub look: Look,
}

impl Memory {
    /// Examines the shared memory of one game or, if `game` is `None`, of all games. Takes 200 ms, or a second if a
    /// counter does not move.
    pub(crate) fn of_games(game: Option<&'static Game>, sections: &Sections, clock: &dyn Clock) -> Vec<Self> {
        let wanted = |games: &&'static [Game]| game.is_none_or(|game| games.iter().any(|member| member.id == game.id));
        // All groups are read in turn, so that they share the waits.
        let groups = groups().into_iter().filter(wanted);
        let mut eyes: Vec<_> = groups.map(|games| (games, Eye::new(games, sections))).collect();
        eyes.iter_mut().for_each(|(_, eye)| eye.look(clock));
        let give_up_ns = clock.now_ns() + MOST_LOOKS_NS;
        loop {
            clock.sleep_until_ns(clock.now_ns() + BETWEEN_LOOKS_NS);
            eyes.iter_mut().filter(|(_, eye)| eye.moved != Some(true)).for_each(|(_, eye)| eye.look(clock));
            if clock.now_ns() >= give_up_ns || eyes.iter().all(|(_, eye)| eye.moved != Some(false)) {
                break;
            }
        }
        let memory = |(games, eye): (&'static [Game], Eye)| {
            let (look, held) = eye.found();
            // Sections in Wine take precedence over named ones.
            let named = || Section::of_games(games, sections.prefix());
            Self { games, sections: if held.is_empty() { named() } else { held }, look }
        };
        eyes.into_iter().map(memory).collect()
    }
}

/// What the source of a group of games finds.
#[derive(Debug, Clone)]
pub struct Look {
    /// Whether the game is present, and if not, why.
    pub state: State,
    /// The game, if it could be identified.
    pub game: Option<&'static Game>,
    /// What it reports about itself.
    pub about: About,
    /// Whether its counter moved between two reads; `None` if it could not be read.
    pub moved: Option<bool>,
}

/// A source that is read several times.
struct Eye {
    source: Watched,
    batch: Batch,
    state: State,
    counter: Option<i64>,
    moved: Option<bool>,
}

enum Watched {
    Pages(Box<PageSource>),
    Iracing(Box<IracingSource>),
}

impl Eye {
    /// Creates the source for a group of games.
    fn new(games: &'static [Game], sections: &Sections) -> Self {
        let source = match games.first().is_some_and(has_rotating_buffers) {
            true => Watched::Iracing(Box::new(IracingSource::new(sections.clone(), None))),
            false => Watched::Pages(Box::new(PageSource::new(games, sections.clone(), 100))),
        };
        Self { source, batch: Batch::default(), state: State::Ended, counter: None, moved: None }
    }

    /// Returns the result of the last read, and the sections if they belong to a process in Wine.
    fn found(self) -> (Look, Vec<Section>) {
        let id = self.batch.description().game.clone();
        // The batch keeps the name of an earlier game.
        let told = matches!(self.state, State::Here(_) | State::Away(Away::Off));
        let held = self.source.held();
        let mut source = self.source;
        let look = Look {
            moved: self.moved,
            game: GAMES.iter().find(|game| game.id == id && told),
            about: source.as_source().about(),
            state: self.state,
        };
        (look, held)
    }

    /// Reads the source and compares its counter with that of the read before.
    fn look(&mut self, clock: &dyn Clock) {
        self.batch.clear();
        let state = self.source.as_source().read(clock, &mut self.batch);
        self.state = state.unwrap_or_else(|error| State::Away(Away::Unreadable(error.to_string())));
        let before = std::mem::replace(&mut self.counter, self.source.counter());
        self.moved = before.zip(self.counter).map(|(before, now)| before != now);
    }
}

impl Watched {
    fn as_source(&mut self) -> &mut dyn Source {
        match self {
            Self::Pages(source) => source.as_mut(),
            Self::Iracing(source) => source.as_mut(),
        }
    }

    /// Returns its sections, if they have no names.
    fn held(&self) -> Vec<Section> {
        let opened = match self {
            Self::Pages(source) => source.opened(),
            Self::Iracing(source) => source.opened(),
        };
        opened.into_iter().filter_map(|(name, reader)| Section::held(name, reader)).collect()
    }

    fn counter(&self) -> Option<i64> {
        match self {
            Self::Pages(source) => source.counter(),
            Self::Iracing(source) => source.counter(),
        }
    }
}
