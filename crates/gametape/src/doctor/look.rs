//! Reads a game's shared memory twice, through the source that would record it.

use gametape_games::{ASSETTO_CORSA_EVO_FAMILY, ASSETTO_CORSA_FAMILY, About, GAMES, Game, iracing};

use super::sections::Section;
use crate::capture::{Away, Batch, Clock, FamilySource, IracingSource, Sections, Source, State};

/// Groups of games that share their memory.
pub(super) const GROUPS: [&[Game]; 3] = [ASSETTO_CORSA_FAMILY, ASSETTO_CORSA_EVO_FAMILY, &[iracing::GAME]];

/// What the source of a group of games finds.
#[derive(Debug, Clone)]
pub struct Look {
    /// Whether the game is present, and if not, why.
    pub state: State,
    /// The game, if it could be identified.
    pub game: Option<&'static Game>,
    /// What it reports about itself.
    pub about: About,
    /// Whether its counter moved between the two reads; `None` if it could not be read.
    pub moved: Option<bool>,
}

/// A source that is read twice.
pub(super) struct Eye {
    source: Watched,
    batch: Batch,
    state: State,
    counter: Option<i64>,
}

enum Watched {
    Family(Box<FamilySource>),
    Iracing(Box<IracingSource>),
}

impl Eye {
    /// Creates the source for a group of games.
    pub(super) fn new(games: &'static [Game], sections: &Sections) -> Self {
        let source = match games.iter().any(|game| game.id == iracing::GAME.id) {
            true => Watched::Iracing(Box::new(IracingSource::new(sections.clone(), None))),
            false => Watched::Family(Box::new(FamilySource::new(games, sections.clone(), 100))),
        };
        Self { source, batch: Batch::default(), state: State::Ended, counter: None }
    }

    /// Makes the first read.
    pub(super) fn first(&mut self, clock: &dyn Clock) {
        self.look(clock);
    }

    /// Makes the second read. Returns the combined result, and the sections if they belong to a process in Wine.
    pub(super) fn second(mut self, clock: &dyn Clock) -> (Look, Vec<Section>) {
        let before = self.counter;
        self.look(clock);
        let id = self.batch.description().game.clone();
        // The batch keeps the name of an earlier game.
        let told = matches!(self.state, State::Here(_) | State::Away(Away::Off));
        let look = Look {
            moved: before.zip(self.counter).map(|(before, now)| before != now),
            game: GAMES.iter().find(|game| game.id == id && told),
            about: self.source.as_source().about(),
            state: self.state,
        };
        (look, self.source.held())
    }

    fn look(&mut self, clock: &dyn Clock) {
        self.batch.clear();
        let state = self.source.as_source().read(clock, &mut self.batch);
        self.state = state.unwrap_or_else(|error| State::Away(Away::Unreadable(error.to_string())));
        self.counter = self.source.counter();
    }
}

impl Watched {
    fn as_source(&mut self) -> &mut dyn Source {
        match self {
            Self::Family(source) => source.as_mut(),
            Self::Iracing(source) => source.as_mut(),
        }
    }

    /// Returns its sections, if they have no names.
    fn held(&self) -> Vec<Section> {
        let opened = match self {
            Self::Family(source) => source.opened(),
            Self::Iracing(source) => source.opened(),
        };
        opened.into_iter().filter_map(|(name, reader)| Section::held(name, reader)).collect()
    }

    fn counter(&self) -> Option<i64> {
        match self {
            Self::Family(source) => source.counter(),
            Self::Iracing(source) => source.counter(),
        }
    }
}
