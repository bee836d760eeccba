//! Registers with the game and requests what it does not send by itself.
//!
//! ```text
//! silent ──register, every 5 s──▶ registered ──entry list, track data──▶ updates
//!    ▲                                                                      │ another session, or 30 s: both again
//!    └───────────────── 5 s without a message ◀─────────────────────────────┘ an unknown car: entry list again, at most once a second
//! ```
//! The game needs no keep-alive. It sends nothing outside sessions, and it forgets its clients when it is restarted, so a silent game is asked again.
use std::collections::BTreeMap;

use super::messages::{CarUpdate, Message, Registration, Update};
use super::requests::{register, request_entry_list, request_track_data, unregister};
use super::{CAR_UPDATE, ENTRY_LIST_CAR, REGISTRATION, UPDATE};
use crate::requests::{RequestClient, RequestSettings};

const SECOND_NS: u64 = 1_000_000_000;
/// How often to register while nothing arrives, and the silence after which a registration is considered lost.
const SILENT_NS: u64 = 5 * SECOND_NS;
/// How often to register after the game refused: the password has to be changed first, and the game restarted.
const REFUSED_NS: u64 = 30 * SECOND_NS;
/// Minimum time between two requests for the entry list.
const ENTRY_LIST_NS: u64 = SECOND_NS;
/// How often entry list and track are requested without a reason, so that each part of a recording has the names of the cars.
const AGAIN_NS: u64 = 30 * SECOND_NS;
/// Most cars that are remembered.
const MOST_CARS: usize = 512;

/// Milliseconds between updates, if the user does not choose: enough for positions and splits.
const INTERVAL_MS: u32 = 250;
/// What the game accepts and what is useful.
const INTERVALS_MS: std::ops::RangeInclusive<u32> = 50..=10_000;

const DISPLAY_NAME: &str = "gametape";

/// A client of the game.
#[derive(Debug)]
pub(super) struct BroadcastClient {
    settings: RequestSettings,
    connection: Option<i32>,
    /// When the last message came.
    heard_ns: Option<u64>,
    register_ns: u64,
    /// When the entry list was requested last.
    listed_ns: Option<u64>,
    wants_entry_list: bool,
    wants_track: bool,
    again_ns: u64,
    /// Event, session and kind of session.
    session: Option<(u16, u16, u8)>,
    /// Number of drivers of each car that the game has described in this session.
    cars: BTreeMap<u16, u8>,
}

impl BroadcastClient {
    pub(super) fn new(settings: &RequestSettings) -> Self {
        Self {
            settings: settings.clone(),
            connection: None,
            heard_ns: None,
            register_ns: 0,
            listed_ns: None,
            wants_entry_list: false,
            wants_track: false,
            again_ns: u64::MAX,
            session: None,
            cars: BTreeMap::new(),
        }
    }

    fn registration(&self) -> Vec<u8> {
        let interval_ms = self.settings.interval_ms.unwrap_or(INTERVAL_MS);
        let interval_ms = interval_ms.clamp(*INTERVALS_MS.start(), *INTERVALS_MS.end());
        let password = self.settings.password.as_deref().unwrap_or_default();
        register(DISPLAY_NAME, password, interval_ms.cast_signed())
    }

    fn registered(&mut self, now_ns: u64, result: Registration<'_>) -> bool {
        if !result.success {
            self.connection = None;
            self.register_ns = now_ns.saturating_add(REFUSED_NS);
            return false;
        }
        self.connection = Some(result.connection);
        self.want_all(now_ns);
        true
    }

    /// Requests everything that the game sends on request only.
    fn want_all(&mut self, now_ns: u64) {
        self.cars.clear();
        (self.wants_entry_list, self.wants_track) = (true, true);
        self.again_ns = now_ns.saturating_add(AGAIN_NS);
    }

    fn updated(&mut self, now_ns: u64, update: &Update<'_>) -> bool {
        let session = Some((update.event_index, update.session_index, update.session_type));
        // Also the first one: what the game answered in its menus is older than the session.
        let is_next = self.session != session;
        self.session = session;
        if is_next {
            self.want_all(now_ns);
        }
        is_next
    }

    fn car_updated(&mut self, car: &CarUpdate) -> bool {
        let is_known = self.cars.get(&car.car) == Some(&car.drivers) || self.cars.len() >= MOST_CARS;
        self.wants_entry_list |= !is_known;
        !is_known
    }

    /// Returns when the entry list may be requested.
    fn next_list_ns(&self) -> u64 {
        self.listed_ns.map_or(0, |listed_ns| listed_ns.saturating_add(ENTRY_LIST_NS))
    }

    /// Returns when the game is considered silent, or was.
    fn silent_from_ns(&self) -> u64 {
        match (self.connection, self.heard_ns) {
            (Some(_), Some(heard_ns)) => heard_ns.saturating_add(SILENT_NS),
            _ => 0,
        }
    }
}

impl RequestClient for BroadcastClient {
    fn requests(&mut self, now_ns: u64, out: &mut Vec<Vec<u8>>) -> u64 {
        let register_ns = self.register_ns.max(self.silent_from_ns());
        if now_ns >= register_ns {
            out.push(self.registration());
            self.register_ns = now_ns.saturating_add(SILENT_NS);
            return self.register_ns;
        }
        let Some(connection) = self.connection else { return register_ns };
        if now_ns >= self.again_ns {
            self.again_ns = now_ns.saturating_add(AGAIN_NS);
            (self.wants_entry_list, self.wants_track) = (true, true);
        }
        let mut next_ns = register_ns.min(self.again_ns);
        if self.wants_entry_list && now_ns >= self.next_list_ns() {
            self.wants_entry_list = false;
            self.listed_ns = Some(now_ns);
            out.push(request_entry_list(connection));
        } else if self.wants_entry_list {
            next_ns = next_ns.min(self.next_list_ns());
        }
        if std::mem::take(&mut self.wants_track) {
            out.push(request_track_data(connection));
        }
        next_ns
    }

    fn received(&mut self, now_ns: u64, stream: &str, frame: &[u8]) -> bool {
        self.heard_ns = Some(now_ns);
        let wants = match stream {
            REGISTRATION => Registration::begins(frame).is_some_and(|result| self.registered(now_ns, result)),
            UPDATE | CAR_UPDATE | ENTRY_LIST_CAR => match Message::parse(frame) {
                Some(Message::Update(update)) => self.updated(now_ns, &update),
                Some(Message::CarUpdate(car)) => self.car_updated(&car),
                Some(Message::EntryListCar(car)) => {
                    if self.cars.len() < MOST_CARS {
                        self.cars.insert(car.car, car.driver_count());
                    }
                    false
                }
                _ => false,
            },
            _ => false,
        };
        // An unknown car is reported with each of its updates; the list is requested once a second.
        wants && self.connection.is_some() && (self.wants_track || now_ns >= self.next_list_ns())
    }

    fn end(&mut self, out: &mut Vec<Vec<u8>>) {
        if let Some(connection) = self.connection.take() {
            out.push(unregister(connection));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::vectors::{CAR, ENTRY, REGISTERED, TRACK, UPDATE_10};
    use super::*;

    const REFUSED: &[u8] = &[1, 0, 0, 0, 0, 0, 0, 2, 0, b'n', b'o'];

    fn client(settings: &RequestSettings) -> BroadcastClient {
        BroadcastClient::new(settings)
    }

    fn at(client: &mut BroadcastClient, seconds: f64) -> (Vec<Vec<u8>>, f64) {
        let mut out = Vec::new();
        let next_ns = client.requests((seconds * 1e9) as u64, &mut out);
        (out, next_ns as f64 / 1e9)
    }

    fn hears(client: &mut BroadcastClient, seconds: f64, stream: &str, frame: &[u8]) -> bool {
        client.received((seconds * 1e9) as u64, stream, frame)
    }

    fn registration() -> Vec<u8> {
        register("gametape", "", 250)
    }

    #[test]
    fn a_silent_game_is_asked_every_five_seconds() {
        let mut client = client(&RequestSettings::default());
        assert_eq!(at(&mut client, 0.0), (vec![registration()], 5.0));
        assert_eq!(at(&mut client, 4.9), (vec![], 5.0));
        assert_eq!(at(&mut client, 5.0), (vec![registration()], 10.0));
    }

    #[test]
    fn the_password_and_the_interval_are_those_of_the_settings() {
        let with = |interval_ms| RequestSettings { password: Some("asd".into()), interval_ms };
        assert_eq!(at(&mut client(&with(Some(1000))), 0.0).0, [register("gametape", "asd", 1000)]);
        assert_eq!(at(&mut client(&with(None)), 0.0).0, [register("gametape", "asd", 250)]);
        for (wanted, sent) in [(0, 50), (u32::MAX, 10_000)] {
            assert_eq!(at(&mut client(&with(Some(wanted))), 0.0).0, [register("gametape", "asd", sent)]);
        }
    }

    #[test]
    fn after_the_registration_and_with_the_first_update_the_entry_list_and_the_track_are_requested() {
        let mut client = client(&RequestSettings::default());
        at(&mut client, 0.0);
        assert!(hears(&mut client, 0.1, REGISTRATION, REGISTERED));
        let (sent, next) = at(&mut client, 0.1);
        assert_eq!(sent, [vec![10, 4, 0, 0, 0], vec![11, 4, 0, 0, 0]]);
        assert!((next - 5.1).abs() < 1e-6, "{next}: until the game is silent");
        assert!(!hears(&mut client, 0.2, ENTRY_LIST_CAR, ENTRY));
        assert_eq!(at(&mut client, 0.2).0, Vec::<Vec<u8>>::new());
        assert!(hears(&mut client, 1.3, UPDATE, UPDATE_10));
        assert_eq!(at(&mut client, 1.3).0, [vec![10, 4, 0, 0, 0], vec![11, 4, 0, 0, 0]]);
        assert!(!hears(&mut client, 1.4, UPDATE, UPDATE_10));
        assert_eq!(at(&mut client, 2.5).0, Vec::<Vec<u8>>::new());
    }

    #[test]
    fn an_unknown_car_is_requested_once_a_second() {
        let mut client = client(&RequestSettings::default());
        at(&mut client, 0.0);
        hears(&mut client, 0.1, REGISTRATION, REGISTERED);
        at(&mut client, 0.1);
        // The vector's entry has two drivers, and its update one.
        assert!(!hears(&mut client, 0.5, CAR_UPDATE, CAR), "asked less than a second ago");
        let (sent, next) = at(&mut client, 0.5);
        assert!(sent.is_empty() && (next - 1.1).abs() < 1e-6, "{sent:?} {next}");
        assert_eq!(at(&mut client, 1.1).0, [vec![10, 4, 0, 0, 0]]);
        assert!(!hears(&mut client, 1.2, ENTRY_LIST_CAR, ENTRY));
        assert!(hears(&mut client, 2.2, CAR_UPDATE, CAR), "another number of drivers");
        assert_eq!(at(&mut client, 2.2).0, [vec![10, 4, 0, 0, 0]]);
        let mut one_driver = ENTRY.to_vec();
        // Without the second driver.
        one_driver.truncate(ENTRY.len() - 19);
        one_driver[20] = 1;
        assert!(!hears(&mut client, 2.3, ENTRY_LIST_CAR, &one_driver));
        assert!(!hears(&mut client, 9.0, CAR_UPDATE, CAR), "known");
    }

    #[test]
    fn everything_is_requested_again_for_another_session_and_every_half_minute() {
        let mut client = client(&RequestSettings::default());
        at(&mut client, 0.0);
        hears(&mut client, 0.1, REGISTRATION, REGISTERED);
        at(&mut client, 0.1);
        hears(&mut client, 1.5, UPDATE, UPDATE_10);
        at(&mut client, 1.5);
        let mut next_session = UPDATE_10.to_vec();
        next_session[3] = 2;
        assert!(hears(&mut client, 3.0, UPDATE, &next_session));
        assert_eq!(at(&mut client, 3.0).0.len(), 2);
        let mut times = Vec::new();
        for tenth in 31..1000 {
            let now = f64::from(tenth) / 10.0;
            hears(&mut client, now, UPDATE, &next_session);
            times.extend(at(&mut client, now).0.into_iter().map(|request| (tenth, request[0])));
        }
        assert_eq!(times, [(330, 10), (330, 11), (630, 10), (630, 11), (930, 10), (930, 11)]);
    }

    #[test]
    fn a_game_that_falls_silent_is_registered_with_again() {
        let mut client = client(&RequestSettings::default());
        at(&mut client, 0.0);
        hears(&mut client, 1.0, REGISTRATION, REGISTERED);
        at(&mut client, 1.0);
        hears(&mut client, 20.0, UPDATE, UPDATE_10);
        at(&mut client, 20.0);
        assert_eq!(at(&mut client, 24.9).0, Vec::<Vec<u8>>::new());
        assert_eq!(at(&mut client, 25.0).0, [registration()]);
        assert_eq!(at(&mut client, 30.0).0, [registration()]);
        // It was restarted, and counts its clients from the beginning.
        let mut first = REGISTERED.to_vec();
        first[1] = 1;
        assert!(hears(&mut client, 30.1, REGISTRATION, &first));
        assert_eq!(at(&mut client, 30.1).0, [vec![10, 1, 0, 0, 0], vec![11, 1, 0, 0, 0]]);
    }

    #[test]
    fn a_game_that_refuses_is_asked_seldom() {
        let mut client = client(&RequestSettings::default());
        at(&mut client, 0.0);
        assert!(!hears(&mut client, 1.0, REGISTRATION, REFUSED));
        assert_eq!(at(&mut client, 30.9), (vec![], 31.0));
        assert_eq!(at(&mut client, 31.0).0, [registration()]);
        let mut out = Vec::new();
        client.end(&mut out);
        assert!(out.is_empty(), "not registered");
    }

    #[test]
    fn the_registration_ends_once() {
        let mut client = client(&RequestSettings::default());
        at(&mut client, 0.0);
        // The only public sample of this message has zeros behind it.
        hears(&mut client, 1.0, REGISTRATION, &[REGISTERED, &[0, 0]].concat());
        let mut out = Vec::new();
        client.end(&mut out);
        client.end(&mut out);
        assert_eq!(out, [[9, 4, 0, 0, 0]]);
    }

    #[test]
    fn any_bytes_in_any_stream_are_survived() {
        let mut client = client(&RequestSettings::default());
        for stream in [REGISTRATION, UPDATE, CAR_UPDATE, ENTRY_LIST_CAR, "physics"] {
            for frame in [&[][..], &[1], TRACK, CAR, &[0xFF; 40]] {
                hears(&mut client, 1.0, stream, frame);
            }
        }
        at(&mut client, 2.0);
    }
}
