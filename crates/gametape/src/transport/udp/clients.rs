//! The clients of a [`DatagramServer`](super::DatagramServer): their subscriptions, and when these expire.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use gametape_games::{RequestServer, Subscriber};

use crate::transport::Asked;

/// How many clients are served at the same time.
const MOST_CLIENTS: usize = 16;
/// Limit of the responses within a second; requests beyond it get none. A flood of forged requests must not become a flood of larger responses.
const MOST_ANSWER_BYTES: usize = 1 << 20;
/// How often to check whether clients whose subscriptions do not expire still exist.
const LOOK_EVERY: Duration = Duration::from_secs(5);

/// The clients, and the protocol that they use.
#[derive(Debug)]
pub(super) struct Clients {
    server: Box<dyn RequestServer>,
    clients: Vec<Client>,
    started: Instant,
    last_id: i32,
    requests: u64,
    /// The second of the newest response, and the bytes of all responses in it.
    answered: (u64, usize),
}

#[derive(Debug)]
struct Client {
    address: SocketAddr,
    subscriber: Subscriber,
    asked_ns: u64,
}

impl Clients {
    /// Creates an empty table.
    pub(super) fn new(server: Box<dyn RequestServer>) -> Self {
        Self { server, clients: Vec::new(), started: Instant::now(), last_id: 0, requests: 0, answered: (0, 0) }
    }

    fn ns(&self, at: Instant) -> u64 {
        u64::try_from(at.saturating_duration_since(self.started).as_nanos()).unwrap_or(u64::MAX)
    }

    /// Notes a frame for later responses.
    pub(super) fn note(&mut self, stream: &str, frame: &[u8]) {
        self.server.note(stream, frame);
    }

    /// Returns the numbers of clients and requests so far.
    pub(super) fn asked(&self) -> Asked {
        let clients = self.clients.iter().filter(|client| client.subscriber.wants != 0).count();
        Asked { clients, requests: self.requests }
    }

    /// Returns whether an address is that of a client with a subscription.
    pub(super) fn contains(&self, address: SocketAddr) -> bool {
        self.clients.iter().any(|client| client.address == address && client.subscriber.wants != 0)
    }

    /// Calls `send` for every client.
    pub(super) fn each(&mut self, mut send: impl FnMut(&dyn RequestServer, SocketAddr, &mut Subscriber)) {
        for client in &mut self.clients {
            send(&*self.server, client.address, &mut client.subscriber);
        }
    }

    /// Handles a datagram. If it is not a request, it changes nothing and gets no response.
    pub(super) fn request(&mut self, from: SocketAddr, request: &[u8], now: Instant, answers: &mut Vec<Vec<u8>>) {
        let now_ns = self.ns(now);
        let Some(place) = self.place(from) else { return };
        let known = self.clients.get(place).filter(|client| client.address == from).map(|client| client.subscriber);
        let mut subscriber = known.unwrap_or(Subscriber::new(self.last_id.wrapping_add(1).max(1)));
        if !self.server.request(now_ns, &mut subscriber, request, answers) {
            answers.clear();
            return;
        }
        self.requests += 1;
        self.limit(now_ns, answers);
        if known.is_none() && subscriber.until_ns <= now_ns {
            return;
        }
        self.last_id = self.last_id.max(subscriber.id);
        let client = Client { address: from, subscriber, asked_ns: now_ns };
        match self.clients.get_mut(place) {
            Some(before) => *before = client,
            None => self.clients.push(client),
        }
        self.clients.retain(|client| client.subscriber.until_ns > now_ns);
    }

    /// Returns the index for a client: its own, that of a new one, or, if there is no room, that of the oldest one on the same machine.
    fn place(&self, from: SocketAddr) -> Option<usize> {
        let known = self.clients.iter().position(|client| client.address == from);
        let new = Some(self.clients.len()).filter(|count| *count < MOST_CLIENTS);
        let same_host = self.clients.iter().enumerate().filter(|(_, client)| client.address.ip() == from.ip());
        known.or(new).or_else(|| same_host.min_by_key(|(_, client)| client.asked_ns).map(|(index, _)| index))
    }

    /// Drops responses beyond the limit.
    fn limit(&mut self, now_ns: u64, answers: &mut Vec<Vec<u8>>) {
        let second = now_ns / 1_000_000_000;
        if self.answered.0 != second {
            self.answered = (second, 0);
        }
        let bytes = answers.iter().map(Vec::len).sum::<usize>();
        if self.answered.1.saturating_add(bytes) > MOST_ANSWER_BYTES {
            answers.clear();
        } else {
            self.answered.1 += bytes;
        }
    }

    /// Removes clients whose subscription has expired. Every [`LOOK_EVERY`], returns local clients whose subscription does not expire, so that the
    /// caller can check whether they still exist.
    pub(super) fn forget(&mut self, now: Instant, looked: &mut Instant) -> Vec<SocketAddr> {
        let now_ns = self.ns(now);
        self.clients.retain(|client| client.subscriber.until_ns > now_ns);
        if now.saturating_duration_since(*looked) < LOOK_EVERY {
            return Vec::new();
        }
        *looked = now;
        let is_endless = |client: &&Client| client.subscriber.until_ns == u64::MAX && client.address.ip().is_loopback();
        self.clients.iter().filter(is_endless).map(|client| client.address).collect()
    }

    /// Removes clients.
    pub(super) fn remove(&mut self, gone: &[SocketAddr]) {
        self.clients.retain(|client| !gone.contains(&client.address));
    }
}

#[cfg(test)]
mod tests {
    use gametape_games::assetto_corsa_remote::handshake::{Operation, request};
    use gametape_games::{assetto_corsa_remote, gran_turismo};

    use super::*;

    fn clients(game: &'static gametape_games::Game) -> Clients {
        Clients::new(game.rules.requests().unwrap().server())
    }

    fn address(host: u8, port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, host], port))
    }

    #[test]
    fn the_number_of_clients_is_limited_and_those_that_stay_away_are_forgotten() {
        let mut clients = clients(&gran_turismo::GT7);
        let (now, mut answers) = (Instant::now(), Vec::new());
        for port in 1..=1000 {
            clients.request(address(1, port), b"A", now, &mut answers);
        }
        assert_eq!((clients.asked(), answers.len()), (Asked { clients: MOST_CLIENTS, requests: 1000 }, 0));
        clients.request(address(2, 1), b"A", now, &mut answers);
        assert!(!clients.contains(address(2, 1)), "one machine must not displace the clients of others");
        assert!(clients.contains(address(1, 1000)), "its newest client replaces one of its own");
        let mut looked = now;
        let later = now + Duration::from_secs(60);
        assert!(clients.forget(later, &mut looked).is_empty() && clients.asked().clients == 0);
    }

    #[test]
    fn what_is_not_a_request_makes_no_client_and_gets_no_answer() {
        let mut clients = clients(&assetto_corsa_remote::GAME);
        let mut answers = Vec::new();
        for noise in [&b""[..], b"A", &[0; 12][..11], &[9; 12], &[0; 2000]] {
            clients.request(address(1, 7), noise, Instant::now(), &mut answers);
        }
        assert!(answers.is_empty() && clients.clients.is_empty() && clients.last_id == 0);
    }

    #[test]
    fn answers_are_limited_in_bytes() {
        let mut clients = clients(&assetto_corsa_remote::GAME);
        let (now, mut bytes) = (Instant::now(), 0);
        for _ in 0..10_000 {
            let mut answers = Vec::new();
            clients.request(address(1, 7), &request(Operation::Handshake), now, &mut answers);
            bytes += answers.concat().len();
        }
        assert!(bytes > MOST_ANSWER_BYTES / 2 && bytes <= MOST_ANSWER_BYTES, "{bytes}");
        let mut answers = Vec::new();
        clients.request(address(1, 7), &request(Operation::Handshake), now + Duration::from_secs(2), &mut answers);
        assert_eq!(answers.len(), 1);
    }

    #[test]
    fn subscriptions_without_an_end_are_checked_and_end_with_a_dismissal() {
        let mut clients = clients(&assetto_corsa_remote::GAME);
        let (now, mut answers) = (Instant::now(), Vec::new());
        clients.request(address(1, 7), &request(Operation::SubscribeUpdate), now, &mut answers);
        let mut looked = now;
        assert_eq!(clients.forget(now + LOOK_EVERY, &mut looked), [address(1, 7)]);
        assert!(clients.forget(now + LOOK_EVERY, &mut looked).is_empty(), "not that often");
        assert!(clients.contains(address(1, 7)));
        clients.request(address(1, 7), &request(Operation::Dismiss), now, &mut answers);
        assert!(!clients.contains(address(1, 7)) && clients.clients.is_empty());
        clients.request(address(1, 8), &request(Operation::SubscribeUpdate), now, &mut answers);
        clients.remove(&[address(1, 8)]);
        assert!(clients.clients.is_empty());
    }
}
