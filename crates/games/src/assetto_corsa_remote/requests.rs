//! Shakes hands with the game, and does so in its place.
//!
//! ```text
//! client   handshake ──▶           subscribe to laps, to updates ──▶           ...           dismiss ──▶
//! game                  ──▶ names                                    car, lap, car, car ──▶
//! ```
//! The game forgets its clients when a session ends, and there is no keep-alive. A client that gets nothing for some seconds therefore dismisses
//! itself and begins again.
use super::handshake::{GAME_PORT, Operation, request};
use super::rules::GAME_IDENTIFIER;
use super::{CAR, HANDSHAKE, LAP};
use crate::requests::{Delivery, RequestClient, RequestProtocol, RequestServer, RequestSettings, Subscriber};

const NS_PER_S: u64 = 1_000_000_000;
/// A game that sends nothing for this long is asked again.
const SILENT_NS: u64 = 3 * NS_PER_S;
/// A client that shook hands has this long to subscribe.
const SUBSCRIBES_WITHIN_NS: u64 = 10 * NS_PER_S;
/// Length of the answer to a handshake.
const ANSWER_BYTES: usize = 408;

/// Bits of [`Subscriber::wants`].
const WANTS_CAR: u32 = 1 << 0;
const WANTS_LAP: u32 = 1 << 1;

/// The requests of the game.
#[derive(Debug)]
pub(super) struct HandshakeProtocol;

impl RequestProtocol for HandshakeProtocol {
    fn game_port(&self) -> u16 {
        GAME_PORT
    }

    fn is_in_shared_memory(&self) -> bool {
        true
    }

    fn is_answer(&self, stream: &str) -> bool {
        stream == HANDSHAKE
    }

    fn client(&self, _: &RequestSettings) -> Option<Box<dyn RequestClient>> {
        Some(Box::<HandshakeClient>::default())
    }

    fn server(&self) -> Box<dyn RequestServer> {
        Box::<HandshakeServer>::default()
    }
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing was sent yet.
    #[default]
    New,
    /// The answer to a handshake is awaited.
    Asked,
    /// The answer has come; the subscriptions are due.
    Answered,
    Subscribed,
}

/// Subscribes to one game.
#[derive(Debug, Default)]
struct HandshakeClient {
    state: State,
    /// When to ask again.
    next_ns: u64,
}

impl RequestClient for HandshakeClient {
    fn requests(&mut self, now_ns: u64, out: &mut Vec<Vec<u8>>) -> u64 {
        let mut send = |operation| out.push(request(operation).to_vec());
        match self.state {
            State::Answered => {
                // Updates come last: when the car arrives, laps do too.
                send(Operation::SubscribeSpot);
                send(Operation::SubscribeUpdate);
                (self.state, self.next_ns) = (State::Subscribed, now_ns.saturating_add(SILENT_NS));
            }
            _ if now_ns < self.next_ns => {}
            state => {
                // If it was only silent, it would send everything twice.
                if state == State::Subscribed {
                    send(Operation::Dismiss);
                }
                send(Operation::Handshake);
                (self.state, self.next_ns) = (State::Asked, now_ns.saturating_add(SILENT_NS));
            }
        }
        self.next_ns
    }

    fn received(&mut self, now_ns: u64, stream: &str, _: &[u8]) -> bool {
        match self.state {
            State::Asked if stream == HANDSHAKE => self.state = State::Answered,
            State::Subscribed if stream != HANDSHAKE => self.next_ns = now_ns.saturating_add(SILENT_NS),
            _ => {}
        }
        self.state == State::Answered
    }

    fn end(&mut self, out: &mut Vec<Vec<u8>>) {
        if self.state != State::New {
            out.push(request(Operation::Dismiss).to_vec());
        }
        self.state = State::New;
    }
}

/// A game that sends recorded messages.
#[derive(Debug, Default)]
struct HandshakeServer {
    /// The newest recorded answer to a handshake.
    answer: Option<Vec<u8>>,
    /// How often it changed.
    changes: u32,
}

impl RequestServer for HandshakeServer {
    fn note(&mut self, stream: &str, frame: &[u8]) {
        let is_new = stream == HANDSHAKE && frame.len() == ANSWER_BYTES && self.answer.as_deref() != Some(frame);
        if is_new {
            self.answer = Some(frame.to_vec());
            self.changes = self.changes.wrapping_add(1);
        }
    }

    fn request(&mut self, now_ns: u64, client: &mut Subscriber, request: &[u8], answers: &mut Vec<Vec<u8>>) -> bool {
        let Some(operation) = Operation::of_request(request) else { return false };
        match operation {
            Operation::Handshake => {
                answers.push(self.answer.clone().unwrap_or_else(no_names));
                client.note = self.changes;
                client.until_ns = client.until_ns.max(now_ns.saturating_add(SUBSCRIBES_WITHIN_NS));
            }
            Operation::SubscribeUpdate => (client.wants, client.until_ns) = (client.wants | WANTS_CAR, u64::MAX),
            Operation::SubscribeSpot => (client.wants, client.until_ns) = (client.wants | WANTS_LAP, u64::MAX),
            Operation::Dismiss => *client = Subscriber::new(client.id),
        }
        true
    }

    fn delivery(&self, client: &mut Subscriber, stream: &str, _: &[u8], _: &mut Vec<u8>) -> Delivery {
        let is_wanted = match stream {
            CAR => client.wants & WANTS_CAR != 0,
            LAP => client.wants & WANTS_LAP != 0,
            // Only names that the client does not have: when the game answered them, this client may have asked a moment too early.
            HANDSHAKE => std::mem::replace(&mut client.note, self.changes) != self.changes,
            _ => client.wants != 0,
        };
        if is_wanted && client.wants != 0 { Delivery::Recorded } else { Delivery::None }
    }
}

/// Returns the answer of a tape that has none: clients wait for one before they subscribe.
fn no_names() -> Vec<u8> {
    let mut answer = vec![0; ANSWER_BYTES];
    for (at, number) in [(200, GAME_IDENTIFIER), (204, 1)] {
        if let Some(field) = answer.get_mut(at..at + 4) {
            field.copy_from_slice(&number.to_le_bytes());
        }
    }
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assetto_corsa_remote::GAME;

    fn operations(datagrams: &[Vec<u8>]) -> Vec<Operation> {
        datagrams.iter().map(|datagram| Operation::of_request(datagram).unwrap()).collect()
    }

    #[test]
    fn the_client_shakes_hands_subscribes_and_begins_again_when_nothing_comes() {
        use Operation::{Dismiss, Handshake, SubscribeSpot, SubscribeUpdate};
        let mut client = HandshakeClient::default();
        let mut out = Vec::new();
        assert!(!client.received(0, CAR, &[]), "nothing was asked");
        let next_ns = client.requests(7, &mut out);
        assert_eq!((operations(&out), next_ns), (vec![Handshake], 7 + SILENT_NS));
        client.requests(8, &mut out);
        assert_eq!(out.len(), 1, "not due");
        client.requests(next_ns, &mut out);
        assert_eq!(operations(&out), [Handshake, Handshake]);
        out.clear();
        assert!(client.received(next_ns, HANDSHAKE, &[]));
        client.requests(next_ns, &mut out);
        assert_eq!(operations(&out), [SubscribeSpot, SubscribeUpdate]);
        out.clear();
        let mut now_ns = next_ns;
        for _ in 0..1000 {
            now_ns += NS_PER_S / 60;
            assert!(!client.received(now_ns, CAR, &[]));
            client.requests(now_ns, &mut out);
        }
        assert!(out.is_empty());
        // Late answers are not a sign of life.
        assert!(!client.received(now_ns + SILENT_NS - 1, HANDSHAKE, &[]));
        client.requests(now_ns + SILENT_NS, &mut out);
        assert_eq!(operations(&out), [Dismiss, Handshake]);
        assert!(client.received(now_ns + SILENT_NS, HANDSHAKE, &[]));
        out.clear();
        client.end(&mut out);
        assert_eq!(operations(&out), [Dismiss]);
        HandshakeClient::default().end(&mut out);
        assert_eq!(out.len(), 1, "a client that never asked has nothing to end");
    }

    #[test]
    fn the_server_answers_with_recorded_names_and_sends_what_was_subscribed() {
        let mut server = GAME.rules.requests().unwrap().server();
        let names = |letter: u8| [vec![letter; 100], vec![0; 308]].concat();
        server.note(HANDSHAKE, &names(b'x'));
        server.note(HANDSHAKE, b"too short");
        let (mut client, mut answers) = (Subscriber::new(1), Vec::new());
        let mut ask = |server: &mut dyn RequestServer, client: &mut Subscriber, operation, now_ns| {
            answers.clear();
            assert!(server.request(now_ns, client, &request(operation), &mut answers));
            answers.clone()
        };
        let gets = |server: &dyn RequestServer, client: &mut Subscriber| {
            [CAR, LAP, HANDSHAKE].map(|stream| server.delivery(client, stream, &[], &mut Vec::new()) != Delivery::None)
        };
        assert_eq!(ask(&mut *server, &mut client, Operation::Handshake, 5), [names(b'x')]);
        assert_eq!(client.until_ns, 5 + SUBSCRIBES_WITHIN_NS);
        assert_eq!(gets(&*server, &mut client), [false, false, false]);
        assert!(ask(&mut *server, &mut client, Operation::SubscribeSpot, 6).is_empty());
        assert_eq!(gets(&*server, &mut client), [false, true, false]);
        ask(&mut *server, &mut client, Operation::SubscribeUpdate, 7);
        assert_eq!((client.until_ns, gets(&*server, &mut client)), (u64::MAX, [true, true, false]));
        // The names of the next session come by themselves, once.
        server.note(HANDSHAKE, &names(b'y'));
        assert_eq!(gets(&*server, &mut client), [true, true, true]);
        assert_eq!(gets(&*server, &mut client), [true, true, false]);
        ask(&mut *server, &mut client, Operation::Dismiss, 8);
        assert_eq!(client, Subscriber::new(1));
        let before = client;
        assert!(!server.request(9, &mut client, b"nonsense", &mut Vec::new()));
        assert_eq!(client, before);
    }

    #[test]
    fn a_tape_without_names_is_answered_with_empty_ones() {
        let (mut server, mut answers) = (HandshakeServer::default(), Vec::new());
        assert!(server.request(0, &mut Subscriber::new(1), &request(Operation::Handshake), &mut answers));
        assert_eq!(GAME.rules.datagram(&answers[0], &mut Vec::new()), Some(HANDSHAKE));
    }
}
