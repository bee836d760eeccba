//! The game's side, for a player: answers clients with the messages of the tape.
//!
//! A client gets the connection id of the tape, because recorded messages contain it. Messages are therefore sent byte for byte as they were
//! recorded. Any password is accepted: a tape does not contain one. Commands are ignored.
use std::collections::BTreeMap;

use super::messages::{EntryList, Message, Registration};
use super::requests::Request;
use super::{ENTRY_LIST, ENTRY_LIST_CAR, REGISTRATION, TRACK_DATA, is_answer};
use crate::requests::{Delivery, RequestServer, Subscriber};

/// Most cars that are kept, and the longest message. A game has fewer and shorter ones.
const MOST_CARS: usize = 512;
const MOST_BYTES: usize = 16 << 10;
/// [`Subscriber::wants`] of a client that has registered.
const REGISTERED: u32 = 1;

/// Answers with the newest messages that were played.
#[derive(Debug, Default)]
pub(super) struct BroadcastServer {
    connection: Option<i32>,
    registration: Vec<u8>,
    track: Vec<u8>,
    entry_list: Vec<u8>,
    cars: BTreeMap<u16, Vec<u8>>,
}

impl BroadcastServer {
    /// Returns the result of a registration: that of the tape, if it has one.
    fn registration(&self, client: &Subscriber) -> Vec<u8> {
        if !self.registration.is_empty() {
            return self.registration.clone();
        }
        let mut message = vec![1];
        message.extend_from_slice(&self.connection.unwrap_or(client.id).to_le_bytes());
        // Success, read only, no error text.
        message.extend_from_slice(&[1, 0, 0, 0]);
        message
    }

    fn entries(&self, client: &Subscriber, answers: &mut Vec<Vec<u8>>) {
        if self.entry_list.is_empty() && !self.cars.is_empty() {
            // A tape that begins between the list and the cars.
            let mut list = vec![4];
            list.extend_from_slice(&self.connection.unwrap_or(client.id).to_le_bytes());
            list.extend_from_slice(&u16::try_from(self.cars.len()).unwrap_or_default().to_le_bytes());
            self.cars.keys().for_each(|car| list.extend_from_slice(&car.to_le_bytes()));
            answers.push(list);
        } else if !self.entry_list.is_empty() {
            answers.push(self.entry_list.clone());
        }
        match Message::parse(&self.entry_list) {
            Some(Message::EntryList(list)) => {
                answers.extend(list.cars().take(MOST_CARS).filter_map(|car| self.cars.get(&car)).cloned());
            }
            _ => answers.extend(self.cars.values().cloned()),
        }
    }

    fn note_list(&mut self, list: EntryList<'_>, frame: &[u8]) {
        self.connection = Some(list.connection);
        self.cars.retain(|car, _| list.cars().any(|listed| listed == *car));
        frame.clone_into(&mut self.entry_list);
    }
}

impl RequestServer for BroadcastServer {
    fn note(&mut self, stream: &str, frame: &[u8]) {
        if frame.len() > MOST_BYTES {
            return;
        }
        if stream == REGISTRATION {
            if let Some(result) = Registration::begins(frame).filter(|result| result.success) {
                self.connection = Some(result.connection);
                frame.clone_into(&mut self.registration);
            }
            return;
        }
        if ![ENTRY_LIST, ENTRY_LIST_CAR, TRACK_DATA].contains(&stream) {
            return;
        }
        match Message::parse(frame) {
            Some(Message::EntryList(list)) => self.note_list(list, frame),
            Some(Message::TrackData(track)) => {
                self.connection = Some(track.connection);
                frame.clone_into(&mut self.track);
            }
            Some(Message::EntryListCar(car)) if self.cars.len() < MOST_CARS || self.cars.contains_key(&car.car) => {
                frame.clone_into(self.cars.entry(car.car).or_default());
            }
            _ => {}
        }
    }

    fn request(&mut self, _now_ns: u64, client: &mut Subscriber, request: &[u8], answers: &mut Vec<Vec<u8>>) -> bool {
        let Some(request) = Request::parse(request) else { return false };
        match request {
            Request::Register { .. } => {
                // The protocol has no keep-alive.
                (client.wants, client.until_ns) = (REGISTERED, u64::MAX);
                answers.push(self.registration(client));
            }
            Request::Unregister => (client.wants, client.until_ns) = (0, 0),
            Request::EntryList if client.wants == REGISTERED => self.entries(client, answers),
            Request::TrackData if client.wants == REGISTERED && !self.track.is_empty() => {
                answers.push(self.track.clone());
            }
            Request::EntryList | Request::TrackData | Request::Command => {}
        }
        true
    }

    fn delivery(&self, client: &mut Subscriber, stream: &str, _frame: &[u8], _datagram: &mut Vec<u8>) -> Delivery {
        // Answers are sent when a client asks for them.
        if client.wants == REGISTERED && !is_answer(stream) { Delivery::Recorded } else { Delivery::None }
    }
}

#[cfg(test)]
mod tests {
    use super::super::requests::{register, request_entry_list, request_track_data, unregister};
    use super::super::vectors::{CAR, ENTRY, LIST, REGISTERED as REGISTERED_4, TRACK};
    use super::super::{CAR_UPDATE, UPDATE};
    use super::*;

    fn asks(server: &mut BroadcastServer, client: &mut Subscriber, request: &[u8]) -> Option<Vec<Vec<u8>>> {
        let mut answers = Vec::new();
        server.request(7, client, request, &mut answers).then_some(answers)
    }

    #[test]
    fn a_client_gets_what_was_recorded_byte_for_byte() {
        let mut server = BroadcastServer::default();
        for (stream, frame) in [
            (REGISTRATION, REGISTERED_4),
            (ENTRY_LIST, LIST),
            (ENTRY_LIST_CAR, ENTRY),
            (TRACK_DATA, TRACK),
            (CAR_UPDATE, CAR),
        ] {
            server.note(stream, frame);
        }
        let mut client = Subscriber::new(9);
        let before = server.delivery(&mut client, CAR_UPDATE, CAR, &mut Vec::new());
        assert_eq!(before, Delivery::None, "nothing without a registration");
        assert_eq!(asks(&mut server, &mut client, &request_entry_list(4)), Some(vec![]));
        assert_eq!(asks(&mut server, &mut client, &register("x", "any", 100)), Some(vec![REGISTERED_4.to_vec()]));
        assert_eq!(asks(&mut server, &mut client, &request_entry_list(4)), Some(vec![LIST.to_vec(), ENTRY.to_vec()]));
        assert_eq!(asks(&mut server, &mut client, &request_track_data(4)), Some(vec![TRACK.to_vec()]));
        assert_eq!(server.delivery(&mut client, UPDATE, &[], &mut Vec::new()), Delivery::Recorded);
        assert_eq!(server.delivery(&mut client, TRACK_DATA, TRACK, &mut Vec::new()), Delivery::None, "not asked for");
        assert_eq!(client.until_ns, u64::MAX);
        assert_eq!(asks(&mut server, &mut client, &unregister(4)), Some(vec![]));
        assert_eq!((client.wants, client.until_ns), (0, 0));
        assert_eq!(server.delivery(&mut client, CAR_UPDATE, CAR, &mut Vec::new()), Delivery::None);
    }

    #[test]
    fn a_tape_without_answers_still_accepts_clients() {
        let mut server = BroadcastServer::default();
        let mut client = Subscriber::new(9);
        assert_eq!(
            asks(&mut server, &mut client, &register("x", "", 100)),
            Some(vec![vec![1, 9, 0, 0, 0, 1, 0, 0, 0]])
        );
        assert_eq!(asks(&mut server, &mut client, &request_entry_list(9)), Some(vec![]));
        assert_eq!(asks(&mut server, &mut client, &request_track_data(9)), Some(vec![]));
        server.note(ENTRY_LIST_CAR, ENTRY);
        let answers = asks(&mut server, &mut client, &request_entry_list(9)).unwrap();
        assert_eq!(answers, [vec![4, 9, 0, 0, 0, 1, 0, 4, 0], ENTRY.to_vec()]);
    }

    #[test]
    fn cars_that_left_are_not_answered_and_commands_change_nothing() {
        let mut server = BroadcastServer::default();
        server.note(ENTRY_LIST_CAR, ENTRY);
        server.note(ENTRY_LIST, &[4, 4, 0, 0, 0, 1, 0, 9, 0]);
        let mut client = Subscriber::new(1);
        asks(&mut server, &mut client, &register("x", "", 100));
        assert_eq!(asks(&mut server, &mut client, &request_entry_list(4)).unwrap().len(), 1);
        let before = client;
        assert_eq!(asks(&mut server, &mut client, &[49, 4, 0, 0, 0, 0, 0]), Some(vec![]));
        assert_eq!(asks(&mut server, &mut client, b"hello"), None);
        assert_eq!(client, before);
    }
}
