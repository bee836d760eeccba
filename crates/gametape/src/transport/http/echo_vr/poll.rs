//! Polls the game: `/session` all the time, and `/player_bones` during a match. Each has its own thread and connection.
//!
//! ```text
//!            no response: scan all ports, every 5 s
//!   scan ◀──────────────────────────────────────┐
//!    │ a port responds                          │ no match for 2 s
//!    ▼                              a match     │
//!   idle: once a second ──────────────────▶ active: both endpoints, at the same deadlines
//! ```

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gametape_format::Counters;
use gametape_games::Stream;
use gametape_games::echo_vr::{PLAYER_BONES_STREAM, SESSION_STREAM, is_object};

use super::address::EchoVrAddress;
use super::client::{Client, Failure, Reply};
use super::hand_over::{Active, HandOver, Item, What};
use super::moments::Moments;
use super::reply::{judge, path, worth};
use super::watch::MatchWatch;
use super::{BONES, SESSION};
use crate::sys::{sleep_until, wake_exactly};
use crate::transport::{AWAY_GRACE_NS, Away};

/// Polling interval of the port that responds, while there is no match.
const IDLE: Duration = Duration::from_secs(1);
/// A match that is absent this long is over. Until then it is polled at the same rate.
const OVER_AFTER: Duration = Duration::from_secs(2);
/// A response that takes this long is recorded as a stall.
const STALL: Duration = Duration::from_secs(1);

/// How to poll.
#[derive(Debug, Clone)]
pub(super) struct Manner {
    pub(super) address: EchoVrAddress,
    pub(super) period: Duration,
    pub(super) time_out: Duration,
    /// Interval of port scans while there is no match.
    pub(super) look_every: Duration,
}

/// Polls `/session` until a stop is requested.
pub(super) struct Sessions {
    hand_over: Arc<HandOver>,
    manner: Manner,
    client: Client,
    scout: Client,
    watch: MatchWatch,
    hint: usize,
    place: Option<SocketAddr>,
    scanned: Option<Instant>,
    moments: Option<Moments>,
    /// Time of the last response of a match.
    last_match: Option<Instant>,
    /// Time since which there is no match, if that is known.
    away_since: Option<Instant>,
    said: Option<Away>,
}

impl Sessions {
    pub(super) fn new(hand_over: Arc<HandOver>, manner: Manner) -> Self {
        Self {
            client: Client::new(manner.time_out),
            scout: Client::scout(&manner.address, manner.time_out),
            hand_over,
            manner,
            watch: MatchWatch::default(),
            hint: 0,
            place: None,
            scanned: None,
            moments: None,
            last_match: None,
            away_since: None,
            said: None,
        }
    }

    pub(super) fn run(mut self) {
        wake_exactly();
        while !self.hand_over.stops() {
            let now = Instant::now();
            let scan_at = self.scanned.map_or(now, |scanned| scanned + self.manner.look_every);
            if self.moments.is_none() && now >= scan_at {
                self.scan();
                continue;
            }
            let Some(place) = self.place else {
                self.hand_over.rest_until(scan_at);
                continue;
            };
            if let Some(moments) = &mut self.moments {
                sleep_until(moments.next());
                let counted = moments.ask(Instant::now());
                self.count(counted);
                self.ask(place);
            } else {
                self.ask(place);
                // If a match was found, its first deadline is now.
                if self.moments.is_none() {
                    self.hand_over.rest_until(Instant::now() + IDLE.min(self.manner.look_every));
                }
            }
        }
    }

    /// Scans all ports and selects the best one for polling. If a match is found, the response is its first one.
    fn scan(&mut self) {
        let mut best: Option<(u8, SocketAddr)> = None;
        for place in self.manner.address.places() {
            if self.hand_over.stops() {
                return;
            }
            let mut body = self.hand_over.spare();
            let reply = self.scout.get(place, path(&SESSION_STREAM), &mut body);
            let worth = worth(&reply, &body);
            if let Ok(reply) = judge(place, reply, &body, &mut self.hint) {
                (self.place, self.scanned) = (Some(place), Some(Instant::now()));
                return self.take_match(place, body, reply.played, Instant::now());
            }
            self.hand_over.give_back(body);
            best = better(best, worth.map(|worth| (worth, place)));
        }
        self.scanned = Some(Instant::now());
        self.place = best.map(|(_, place)| place);
        if self.place.is_none() {
            self.away(Away::NotThere);
        }
    }

    fn ask(&mut self, place: SocketAddr) {
        let mut body = self.hand_over.spare();
        let asked = Instant::now();
        let reply = self.client.get(place, path(&SESSION_STREAM), &mut body);
        let at = Instant::now();
        if self.moments.is_some() {
            tell_stall(&self.hand_over, SESSION, &SESSION_STREAM, &reply, at.saturating_duration_since(asked));
        }
        match judge(place, reply, &body, &mut self.hint) {
            Ok(reply) => self.take_match(place, body, reply.played, at),
            Err(away) => {
                self.hand_over.give_back(body);
                self.no_match(away, at);
            }
        }
    }

    fn take_match(&mut self, place: SocketAddr, body: Vec<u8>, played: Option<String>, at: Instant) {
        let away = self.away_since.take().map(|since| at.saturating_duration_since(since));
        // Such a long absence has ended the tape.
        if away.is_some_and(|away| away.as_nanos() >= u128::from(AWAY_GRACE_NS)) {
            self.watch.begin_anew();
        }
        self.last_match = Some(at);
        self.said = None;
        let what = self.watch.see(body, played, at);
        self.hand_over.put(SESSION, Item { at, what });
        if self.moments.is_none() {
            self.moments = Some(Moments::new(at + self.manner.period, self.manner.period, at));
            self.hand_over.set_active(Some(Active { place, since: at }));
        }
    }

    fn no_match(&mut self, away: Away, at: Instant) {
        self.away_since.get_or_insert(at);
        if self.moments.is_some() {
            self.count(Counters { missed: 1, ..Counters::default() });
        }
        self.away(away);
        if self.last_match.is_none_or(|last| at.saturating_duration_since(last) >= OVER_AFTER) {
            self.moments = None;
            self.hand_over.set_active(None);
        }
    }

    fn away(&mut self, away: Away) {
        if self.said.as_ref() != Some(&away) {
            self.said = Some(away.clone());
            self.hand_over.put(SESSION, Item { at: Instant::now(), what: What::Away(away) });
        }
    }

    fn count(&self, counters: Counters) {
        count(&self.hand_over, SESSION, counters);
    }
}

/// Returns the better of two addresses, or the first one if they are equally good.
fn better(first: Option<(u8, SocketAddr)>, second: Option<(u8, SocketAddr)>) -> Option<(u8, SocketAddr)> {
    let worth = |found: Option<(u8, SocketAddr)>| found.map(|(worth, _)| worth);
    if worth(second) > worth(first) { second } else { first }
}

fn count(hand_over: &HandOver, stream: usize, counters: Counters) {
    if counters != Counters::default() {
        hand_over.put(stream, Item { at: Instant::now(), what: What::Counted(stream, counters) });
    }
}

/// Records an event if the game took long to respond, or timed out.
fn tell_stall(hand_over: &HandOver, number: usize, stream: &Stream, reply: &Result<Reply, Failure>, took: Duration) {
    let (path, ms) = (path(stream), took.as_millis());
    let text = match reply {
        Err(Failure::TimedOut) => format!("no answer to {path} within {ms} ms"),
        _ if took >= STALL => format!("the answer to {path} took {ms} ms"),
        _ => return,
    };
    hand_over.put(number, Item { at: Instant::now(), what: What::Event("stall", text) });
}

/// Polls `/player_bones` during a match, until a stop is requested.
pub(super) fn ask_for_bones(hand_over: &HandOver, manner: &Manner) {
    wake_exactly();
    let mut client = Client::new(manner.time_out);
    while let Some(active) = hand_over.wait_for_match() {
        let mut moments = Moments::new(active.since, manner.period, active.since);
        while hand_over.active() == Some(active) && !hand_over.stops() {
            sleep_until(moments.next());
            let mut counted = moments.ask(Instant::now());
            let mut body = hand_over.spare();
            let asked = Instant::now();
            let reply = client.get(active.place, path(&PLAYER_BONES_STREAM), &mut body);
            let at = Instant::now();
            tell_stall(hand_over, BONES, &PLAYER_BONES_STREAM, &reply, at.saturating_duration_since(asked));
            let good = reply.is_ok_and(|reply| reply.status == 200) && is_object(&body);
            counted.missed += u64::from(!good);
            count(hand_over, BONES, counted);
            match good {
                true => hand_over.put(BONES, Item { at, what: What::Bones(body) }),
                false => hand_over.give_back(body),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_places_that_are_alike_the_first_port_is_asked() {
        let place = |worth: u8, port: u16| Some((worth, SocketAddr::from(([127, 0, 0, 1], port))));
        assert_eq!(better(None, None), None);
        assert_eq!(better(None, place(0, 1)), place(0, 1));
        assert_eq!(better(place(0, 1), None), place(0, 1));
        assert_eq!(better(place(1, 1), place(1, 2)), place(1, 1));
        assert_eq!(better(place(1, 1), place(2, 2)), place(2, 2));
        assert_eq!(better(place(2, 1), place(1, 2)), place(2, 1));
    }

    #[test]
    fn a_question_without_an_answer_of_the_match_counts_as_missed_while_it_is_on() {
        let manner = Manner {
            address: EchoVrAddress::default(),
            period: Duration::from_millis(5),
            time_out: Duration::from_secs(1),
            look_every: Duration::from_secs(1),
        };
        let hand_over = Arc::new(HandOver::default());
        let mut sessions = Sessions::new(Arc::clone(&hand_over), manner);
        let at = Instant::now();
        let missed = || {
            let items = std::iter::from_fn(|| hand_over.next_if(|_| true));
            let counted = items.filter_map(|item| match item.what {
                What::Counted(SESSION, counters) => Some(counters.missed),
                _ => None,
            });
            counted.sum::<u64>()
        };
        sessions.no_match(Away::Off, at);
        assert_eq!(missed(), 0, "there is no match that could be missed");
        let place = SocketAddr::from(([127, 0, 0, 1], 1));
        sessions.take_match(place, b"{\"sessionid\":\"A\"}".to_vec(), None, at);
        sessions.no_match(Away::Off, at);
        sessions.no_match(Away::NotThere, at);
        assert_eq!(missed(), 2);
    }
}
