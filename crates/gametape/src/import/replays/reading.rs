//! What a reader of a title finds in a file.

use crate::import::problems::Problems;
use crate::matches::MatchFacts;

use super::decoded::Decoded;

/// Maximum number of events of a match. Real ones have a few hundred.
const MAX_EVENTS: usize = 20_000;

/// Maximum length of the text of an event or a metadata entry, in characters.
const MAX_TEXT_CHARACTERS: usize = 1000;

/// Maximum number of metadata entries of a title.
const MAX_ENTRIES: usize = 1000;

/// A moment of the match.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::import) struct MatchEvent {
    pub(super) at_ns: u64,
    pub(super) kind: &'static str,
    pub(super) text: String,
}

/// What was found in a file.
#[derive(Debug)]
pub(in crate::import) struct Reading {
    pub(super) facts: MatchFacts,
    pub(super) events: Vec<MatchEvent>,
    pub(super) decoded: Vec<Decoded>,
    pub(super) metadata: Vec<(String, String)>,
    pub(super) problems: Problems,
    /// Where the times of events and decoded streams come from.
    pub(super) time_source: &'static str,
}

impl Reading {
    pub(super) fn new(game: &str) -> Self {
        Self {
            facts: MatchFacts { game: game.to_owned(), ..MatchFacts::default() },
            events: Vec::new(),
            decoded: Vec::new(),
            metadata: Vec::new(),
            problems: Problems::default(),
            time_source: "match",
        }
    }

    /// Adds an event. Further events of a file with more than [`MAX_EVENTS`] are reported once, as a problem.
    pub(super) fn event(&mut self, at_ns: u64, kind: &'static str, text: impl Into<String>) {
        match self.events.len() {
            count if count < MAX_EVENTS => {
                self.events.push(MatchEvent { at_ns, kind, text: short(text.into()) });
            }
            MAX_EVENTS => {
                self.problems.add(format!("the file has more than {MAX_EVENTS} events: the others are left out"));
                self.events.push(MatchEvent { at_ns, kind, text: short(text.into()) });
            }
            _ => {}
        }
    }

    /// Adds a metadata entry, if its value is known.
    pub(super) fn tell(&mut self, key: &str, value: Option<impl ToString>) {
        if let Some(value) = value.filter(|_| self.metadata.len() < MAX_ENTRIES && !key.is_empty()) {
            self.metadata.push((short(key.to_owned()), short(value.to_string())));
        }
    }

    /// Reports that the file cannot be read from a byte on.
    pub(super) fn stops(&mut self, at: u64, why: impl std::fmt::Display) {
        self.problems.add(format!("byte {at}: {why}"));
    }
}

/// Cuts a text to [`MAX_TEXT_CHARACTERS`].
pub(super) fn short(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(MAX_TEXT_CHARACTERS) {
        text.truncate(end);
    }
    text
}

/// Converts milliseconds to nanoseconds.
pub(super) fn ms(milliseconds: u64) -> u64 {
    milliseconds.saturating_mul(1_000_000)
}

/// UTC in nanoseconds since 1970 of a .NET time: 100 ns since year 1. `None` if it is not in this calendar's range, or 0.
pub(super) fn dotnet_utc_ns(ticks: i64) -> Option<i64> {
    /// 1970-01-01 in such ticks.
    const EPOCH: i64 = 621_355_968_000_000_000;
    (ticks > 0).then(|| ticks.checked_sub(EPOCH)?.checked_mul(100)).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn endless_events_are_left_out_and_reported_once() {
        let mut reading = Reading::new("x");
        (0..MAX_EVENTS as u64 + 500).for_each(|at| reading.event(at, "goal", "x".repeat(5000)));
        assert_eq!((reading.events.len(), reading.problems.list().len()), (MAX_EVENTS + 1, 1));
        assert_eq!(reading.events[7].text.len(), MAX_TEXT_CHARACTERS);
        assert_eq!(dotnet_utc_ns(621_355_968_000_000_001), Some(100));
        assert_eq!([dotnet_utc_ns(0), dotnet_utc_ns(i64::MIN), dotnet_utc_ns(i64::MAX)], [None; 3]);
    }
}
