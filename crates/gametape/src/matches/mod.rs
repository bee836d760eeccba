//! Facts about a match: players, teams, map, mode, result and length, in the same form for every game.
//!
//! The importers of replay files write them into a tape as one metadata entry ([`METADATA_KEY`]); [`MatchFacts::of_tape`] reads them
//! back. Goals, eliminations and other moments of a match are events of the tape. Whatever a file does not contain is `None`, never a
//! guess. This module is pure data; `gametape::import` fills it, and the store, the server and the command line show it.

mod bounds;
mod facts;

pub use bounds::{MAX_COUNTERS, MAX_JSON_BYTES, MAX_PLAYERS, MAX_TEAMS, MAX_TEXT_CHARACTERS};
pub use facts::{MatchEvent, MatchFacts, MatchPlayer, MatchTeam, Outcome};

/// Key of the metadata entry that holds the facts as JSON.
pub const METADATA_KEY: &str = "match";
