//! What differs between the two games, and the newest frames of the streams whose values are joined with others.
use super::scoring::{Entry, Info, presence};
use crate::capture::{Presence, Seen, SeenFrame};

/// Names of streams, the same in both games.
pub(crate) const SCORING: &str = "scoring";
pub(crate) const SCORING_CARS: &str = "scoring_cars";
pub(crate) const TELEMETRY: &str = "telemetry";
/// Streams with the telemetry of vehicles begin with this; their names end with the places that they hold.
pub(crate) const TELEMETRY_CARS: &str = "telemetry_cars_";

/// Where a game has what both have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Interface {
    /// Offset of the session in frames of [`SCORING`].
    pub(crate) info_at: usize,
    /// Whether the game writes the fields that rFactor 2 does not have.
    pub(crate) is_lmu: bool,
}

pub(crate) const RFACTOR_2: Interface = Interface { info_at: 12, is_lmu: false };
pub(crate) const LE_MANS_ULTIMATE: Interface = Interface { info_at: 0, is_lmu: true };

impl Interface {
    /// Returns the session in the newest frames.
    pub(crate) fn info(self, seen: Seen<'_>) -> Option<Info<'_>> {
        Info::at(seen.stream(SCORING)?.bytes, self.info_at)
    }

    /// Returns what the game does.
    pub(crate) fn presence(self, seen: Seen<'_>) -> Presence {
        presence(self.info(seen), self.player(seen))
    }

    /// Returns the player's vehicle in the newest classification.
    pub(crate) fn player(self, seen: Seen<'_>) -> Option<Entry<'_>> {
        Entry::player(seen.stream(SCORING_CARS)?.bytes, self.info(seen)?.vehicles()?)
    }
}

/// The newest classification.
#[derive(Debug, Clone)]
pub(crate) struct Newest {
    interface: Interface,
    scoring: Vec<u8>,
    cars: Vec<u8>,
}

impl Newest {
    pub(crate) fn new(interface: Interface) -> Self {
        Self { interface, scoring: Vec::new(), cars: Vec::new() }
    }

    /// Takes a frame. Returns whether it belongs to the classification.
    pub(crate) fn take(&mut self, frame: SeenFrame<'_>) -> bool {
        match frame.stream {
            SCORING => frame.bytes.clone_into(&mut self.scoring),
            SCORING_CARS => frame.bytes.clone_into(&mut self.cars),
            _ => return false,
        }
        true
    }

    /// Returns the frame with the session.
    pub(crate) fn scoring(&self) -> &[u8] {
        &self.scoring
    }

    pub(crate) fn info(&self) -> Option<Info<'_>> {
        Info::at(&self.scoring, self.interface.info_at)
    }

    pub(crate) fn presence(&self) -> Presence {
        presence(self.info(), self.player())
    }

    /// Returns the vehicles that are in use; none without a session.
    pub(crate) fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        let count = self.info().filter(|info| info.is_session()).and_then(Info::vehicles);
        Entry::all(&self.cars, count.unwrap_or(0))
    }

    pub(crate) fn player(&self) -> Option<Entry<'_>> {
        self.entries().find(|entry| entry.is_player())
    }
}
