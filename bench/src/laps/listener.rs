//! Counts the messages that a listener of the live stream receives.

use std::time::Instant;

use serde::Deserialize;

/// The part of a message that counting needs.
#[derive(Debug, Deserialize)]
struct Head<'a> {
    seq: Option<u64>,
    kind: &'a str,
}

/// What a listener received.
#[derive(Debug)]
pub(crate) struct Heard {
    /// Sequence number of the last event.
    pub(crate) last: u64,
    /// Events in sequence.
    pub(crate) events: u64,
    /// Events that were skipped; a stream that reports a gap counts as one.
    pub(crate) missed: u64,
    /// Duplicate events.
    pub(crate) twice: u64,
    /// Malformed messages.
    pub(crate) nonsense: u64,
    /// Car states during the measured time.
    pub(crate) cars: u64,
    /// Gaps between car states, in microseconds.
    pub(crate) gaps_us: Vec<u32>,
    last_car: Option<Instant>,
}

impl Heard {
    /// Creates a listener for events after this sequence number.
    pub(crate) fn since(seq: u64) -> Self {
        Self { last: seq, events: 0, missed: 0, twice: 0, nonsense: 0, cars: 0, gaps_us: Vec::new(), last_car: None }
    }

    /// Handles a message received at this time; car states are only counted if `counts` is set.
    pub(crate) fn hear(&mut self, text: &str, at: Instant, counts: bool) {
        let Ok(head) = serde_json::from_str::<Head<'_>>(text) else {
            self.nonsense += 1;
            return;
        };
        match head.seq {
            Some(seq) if head.kind == "reset" => (self.last, self.missed) = (seq, self.missed + 1),
            Some(seq) if seq <= self.last => self.twice += 1,
            Some(seq) => {
                self.missed += seq - self.last - 1;
                self.events += 1;
                self.last = seq;
            }
            None if head.kind == "car" => {
                let before = self.last_car.replace(at);
                if counts {
                    self.cars += 1;
                    let gap = before.map(|before| at.duration_since(before).as_micros());
                    self.gaps_us.extend(gap.map(|us| u32::try_from(us).unwrap_or(u32::MAX)));
                }
            }
            None => self.nonsense += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_is_left_out_and_what_comes_twice_is_counted() {
        let mut heard = Heard::since(10);
        let now = Instant::now();
        for text in [
            r#"{"data":{},"kind":"lap_final","seq":11}"#,
            r#"{"data":{},"kind":"lap_opened","seq":11}"#,
            r#"{"data":{},"kind":"lap_opened","seq":14}"#,
            "nothing",
        ] {
            heard.hear(text, now, true);
        }
        assert_eq!((heard.last, heard.events, heard.missed, heard.twice, heard.nonsense), (14, 2, 2, 1, 1));
        heard.hear(r#"{"kind":"reset","seq":20,"data":{"from":20}}"#, now, true);
        assert_eq!((heard.last, heard.missed), (20, 3));
    }

    #[test]
    fn gaps_are_between_states_of_the_car_alone() {
        let mut heard = Heard::since(1);
        let (start, car) = (Instant::now(), r#"{"data":{"speed_kmh":1.5},"kind":"car"}"#);
        heard.hear(car, start, false);
        heard.hear(r#"{"data":{},"kind":"stint","seq":2}"#, start + Duration::from_millis(20), true);
        heard.hear(car, start + Duration::from_millis(50), true);
        assert_eq!((heard.cars, heard.gaps_us.as_slice(), heard.missed), (1, [50_000].as_slice(), 0));
    }
}
