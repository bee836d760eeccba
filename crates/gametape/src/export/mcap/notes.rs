//! What is not a frame: laps and events as JSON messages in time order, and the metadata of the file.

use std::collections::BTreeMap;
use std::ops::Range;

use gametape_analysis::documents::LapDocument;
use gametape_analysis::laps::{Lap, TrackedSession};
use gametape_analysis::recording::streams_of_games;
use serde_json::json;

use crate::export::Export;

/// Schema of [`Topic::Laps`] and [`Topic::Events`]: objects, whose fields are those of `laps --json` and of `cat --events`.
pub(super) const SCHEMA: &[u8] = br#"{"type":"object"}"#;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Topic {
    Laps,
    Events,
}

/// A message.
pub(super) struct Note {
    pub(super) at_ns: u64,
    pub(super) topic: Topic,
    pub(super) json: Vec<u8>,
}

/// Returns the laps that end, and the events, within these times; of the file of a lap, this lap alone. A lap that has no end is where it
/// begins.
pub(super) fn notes(what: &Export<'_>, times: &Range<u64>, lap: Option<u32>) -> Vec<Note> {
    let is_within = |at_ns: u64| (times.start..=times.end).contains(&at_ns);
    let sessions = what.tracked.into_iter().flat_map(|tracked| &tracked.sessions);
    let laps = sessions.flat_map(|of| {
        let best = of.session.best_lap.and_then(|best| of.laps.iter().find(|lap| lap.id == best));
        let best_ms = best.and_then(|lap| lap.time_ms);
        let is_wanted = move |of: &&Lap| lap.map_or(is_within(ends_at(of)), |lap| of.tape_lap == lap);
        of.laps.iter().filter(is_wanted).map(move |lap| Note {
            at_ns: ends_at(lap),
            topic: Topic::Laps,
            json: serde_json::to_vec(&LapDocument::of(lap, best_ms, of.session.foreign)).unwrap_or_default(),
        })
    });
    let events = what.tape.events().into_iter().filter(|event| is_within(event.at_ns)).map(|event| Note {
        at_ns: event.at_ns,
        topic: Topic::Events,
        json: json!({ "at_ns": event.at_ns, "kind": event.kind, "text": event.text, "length_ns": event.length_ns })
            .to_string()
            .into_bytes(),
    });
    let mut notes: Vec<Note> = laps.chain(events).collect();
    notes.sort_by_key(|note| note.at_ns);
    notes
}

fn ends_at(lap: &Lap) -> u64 {
    lap.end_ns.unwrap_or(lap.start_ns)
}

/// Returns the facts of the tape and of a session, as texts.
pub(super) fn metadata(what: &Export<'_>, session: Option<&TrackedSession>) -> BTreeMap<String, String> {
    let mut facts = what.tape.metadata();
    let mut tell = |key: &str, value: Option<String>| {
        if let Some(value) = value.filter(|value| !value.is_empty()) {
            facts.insert(key.to_owned(), value);
        }
    };
    let game = streams_of_games(what.tape).map(|stream| stream.spec().game.clone()).find(|game| !game.is_empty());
    tell("game", game);
    tell("tape", what.tape.id().map(|id| id.to_string()));
    tell("file", Some(what.file.to_owned()));
    if let Some(TrackedSession { session, .. }) = session {
        tell("session", Some(session.kind.as_str().to_owned()));
        tell("track", session.track.clone());
        tell("layout", session.layout.clone());
        tell("car", session.car.clone());
        tell("driver", session.driver.clone());
        tell("game_version", session.game_version.clone());
    }
    facts
}
