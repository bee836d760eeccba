//! Games that send nothing unasked: they are asked and recorded, and a player answers in their place.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gametape::Tape;
use gametape::capture::{AskedGame, UdpSettings};
use gametape::games::assetto_corsa_remote::handshake::{Operation, request};
use gametape::games::{Game, find_game};
use gametape::play::{Player, Playing};
use gametape_simulator::{Script, Settings, Simulation, datagram_encoder};

use crate::game;
use crate::udp::{Recording, frames, here, send_all};

/// A frame and the name of its stream.
type NamedFrame = (String, Vec<u8>);

/// Guards against a hang; nothing waits for it to be right.
const PATIENCE: Duration = Duration::from_secs(60);
/// Old consoles go silent this long after a heartbeat.
const HEARTBEAT_LASTS: Duration = Duration::from_millis(1600);

/// What the simulated car sends in this many milliseconds.
pub(crate) fn simulated(game: &str, ms: u64) -> Vec<Vec<u8>> {
    let mut encoder = datagram_encoder(game).unwrap();
    let mut simulation = Simulation::driving(Settings::default(), Script::new());
    let mut due = gametape_simulator::Datagrams::default();
    while simulation.ms() < ms {
        simulation.step();
        if let Some(game) = simulation.game() {
            encoder.encode(simulation.ms(), game, &mut due);
        }
    }
    due.iter().map(<[u8]>::to_vec).collect()
}

/// Some messages of Assetto Corsa, among them a lap. The names are only sent as an answer.
pub(crate) fn remote_messages() -> (Vec<u8>, Vec<Vec<u8>>) {
    let all = simulated("assetto-corsa-remote", 60_000);
    let names = all.iter().find(|message| message.len() == 408).unwrap().clone();
    let lap = all.iter().position(|message| message.len() == 212).unwrap();
    let is_some = |index: usize| index.abs_diff(lap) < 60 || index.is_multiple_of(12);
    let some = all.into_iter().enumerate().filter(|(index, message)| message.len() != 408 && is_some(*index));
    (names, some.map(|(_, message)| message).collect())
}

/// Records what is sent to a recorder, without requests.
pub(crate) fn recorded(folder: &Path, datagrams: &[Vec<u8>]) -> PathBuf {
    let recording = Recording::on_a_free_port(folder);
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    send_all(datagrams, &game, recording.address);
    drop(game);
    let tape = recording.wait_until_closed();
    recording.end();
    tape.path
}

/// A recorder that asks a game at an address.
fn asking(folder: &Path, game: &'static str, address: SocketAddr) -> Recording {
    let ask = vec![AskedGame::new(find_game(game).unwrap().id, address)];
    Recording::start(folder, UdpSettings { ask, ..here() }, 1)
}

/// A player on a port of its own.
pub(crate) fn playing(tape: &Path, prefix: &str) -> (Playing, SocketAddr) {
    let playing = Player::new(&Tape::open(tape).unwrap()).names(game::prefix(prefix)).start().unwrap();
    let address = playing.request_address().unwrap();
    (playing, address)
}

pub(crate) fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < until, "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What was recorded of each datagram.
fn plain(game: &Game, datagrams: &[Vec<u8>]) -> Vec<NamedFrame> {
    let plain = |datagram: &Vec<u8>| {
        let mut plain = Vec::new();
        let stream = game.rules.datagram(datagram, &mut plain).unwrap().to_owned();
        (stream, if plain.is_empty() { datagram.clone() } else { plain })
    };
    datagrams.iter().map(plain).collect()
}

fn without_times(tape: &Path) -> Vec<NamedFrame> {
    frames(tape).into_iter().map(|(name, _, bytes)| (name, bytes)).collect()
}

/// A console that sends its packets in order, for as long as it gets heartbeats. It ends after the last one. Returns the letters it got.
fn console(packets: Vec<Vec<u8>>) -> (SocketAddr, JoinHandle<Vec<u8>>) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    let address = socket.local_addr().unwrap();
    let run = move || {
        let (mut letters, mut client) = (Vec::new(), None);
        let (mut packets, mut buffer) = (packets.iter(), [0; 100]);
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Ok((length, from)) = socket.recv_from(&mut buffer) {
                letters.extend_from_slice(&buffer[..length]);
                client = Some((from, Instant::now()));
            }
            let Some((client, _)) = client.filter(|(_, at)| at.elapsed() < HEARTBEAT_LASTS) else { continue };
            let Some(packet) = packets.next() else { return letters };
            socket.send_to(packet, client).unwrap();
            std::thread::sleep(Duration::from_millis(2));
        }
        panic!("the console was not asked any more; {} packets are left", packets.len());
    };
    (address, std::thread::spawn(run))
}

#[test]
fn gran_turismo_is_recorded_through_heartbeats_and_so_is_a_player() {
    let folder = tempfile::tempdir().unwrap();
    let gt7 = find_game("gran-turismo-7").unwrap();
    // Longer than a heartbeat lasts.
    let packets = simulated(gt7.id, 17_000);
    assert!(packets.len() > 1000);
    let (address, thread) = console(packets.clone());
    let recording = asking(folder.path(), gt7.id, address);
    let tape = recording.wait_until_closed();
    recording.end();
    let letters = thread.join().unwrap();
    assert!(letters.len() >= 2 && letters.iter().all(|letter| *letter == b'C'), "{letters:?}");
    assert_eq!((tape.game.as_str(), tape.end.as_str()), ("gran-turismo-7", "game_ended"));
    let first = without_times(&tape.path);
    assert!(first == plain(gt7, &packets), "{} of {}", first.len(), packets.len());

    let (mut playing, address) = playing(&tape.path, "gt7-asked");
    let again = asking(folder.path(), gt7.id, address);
    wait_until("nobody asked", || playing.asked().clients == 1);
    playing.run().unwrap();
    playing.stop().unwrap();
    let copy = again.wait_until_closed();
    again.end();
    let second = without_times(&copy.path);
    assert!(first == second, "{} of {}", second.len(), first.len());
}

/// Assetto Corsa: answers handshakes and sends to those who subscribed. Halfway it forgets its clients, as at the end of a session. Returns the
/// requests it got.
fn remote_game(names: Vec<u8>, messages: Vec<Vec<u8>>) -> (SocketAddr, JoinHandle<Vec<Operation>>) {
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    socket.set_read_timeout(Some(Duration::from_millis(1))).unwrap();
    let address = socket.local_addr().unwrap();
    let run = move || {
        let (mut requests, mut cars_to, mut laps_to) = (Vec::new(), None, None);
        let (mut sent, mut buffer) = (0, [0; 100]);
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            if let Ok((length, from)) = socket.recv_from(&mut buffer) {
                let operation = Operation::of_request(&buffer[..length]).unwrap();
                requests.push(operation);
                match operation {
                    // Nothing more to send, so that the next request is the last.
                    Operation::Handshake if sent == messages.len() => {}
                    Operation::Handshake => assert_eq!(socket.send_to(&names, from).unwrap(), names.len()),
                    Operation::SubscribeUpdate => cars_to = Some(from),
                    Operation::SubscribeSpot => laps_to = Some(from),
                    Operation::Dismiss => (cars_to, laps_to) = (None, None),
                }
                if sent == messages.len() && operation == Operation::Dismiss {
                    return requests;
                }
            }
            let Some(message) = messages.get(sent) else { continue };
            let to = if message.len() == 212 { laps_to } else { cars_to };
            // A lap that nobody wants is lost.
            if cars_to.is_some() {
                if let Some(to) = to {
                    socket.send_to(message, to).unwrap();
                }
                sent += 1;
                if sent == messages.len() / 2 {
                    (cars_to, laps_to) = (None, None);
                }
            }
        }
        panic!("{sent} of {} sent, requests: {requests:?}", messages.len());
    };
    (address, std::thread::spawn(run))
}

#[test]
fn assetto_corsa_is_recorded_through_its_handshake_and_so_is_a_player() {
    use Operation::{Dismiss, Handshake, SubscribeSpot, SubscribeUpdate};
    let folder = tempfile::tempdir().unwrap();
    let remote = find_game("assetto-corsa-remote").unwrap();
    let (names, messages) = remote_messages();
    let (address, thread) = remote_game(names.clone(), messages.clone());
    let recording = asking(folder.path(), remote.id, address);
    let path = recording.wait_until_it_records();
    wait_until("not everything was recorded", || frames(&path).len() >= messages.len() + 2);
    let tape = recording.end().remove(0);
    let requests = thread.join().unwrap();
    let subscribed = [Handshake, SubscribeSpot, SubscribeUpdate];
    assert_eq!(requests[..3], subscribed);
    assert_eq!(requests[3..7], [&[Dismiss][..], &subscribed].concat(), "the game forgot its client");
    assert_eq!(requests.last(), Some(&Dismiss), "{requests:?}");
    let is_answer = |frame: &&NamedFrame| frame.0 == "handshake";
    let of_tape = |tape: &Path| -> (Vec<Vec<u8>>, Vec<NamedFrame>) {
        let all = without_times(tape);
        let answers = all.iter().filter(is_answer).map(|(_, bytes)| bytes.clone()).collect();
        (answers, all.iter().filter(|frame| !is_answer(frame)).cloned().collect())
    };
    let (answers, first) = of_tape(&tape.path);
    assert_eq!(without_times(&tape.path)[0].0, "handshake", "the names come first");
    assert!(answers.len() >= 2 && answers.iter().all(|answer| *answer == names));
    assert!(first == plain(remote, &messages), "{} of {}", first.len(), messages.len());
    assert_eq!(first.iter().filter(|(name, _)| name == "lap").count(), 1);

    let (mut playing, address) = playing(&tape.path, "ac-asked");
    let again = asking(folder.path(), remote.id, address);
    // The handshake and both subscriptions.
    wait_until("nobody asked", || playing.asked().requests >= 3 && playing.asked().clients == 1);
    // The names are on the tape also if nobody drives for a while. Nothing has to happen in this time.
    std::thread::sleep(Duration::from_millis(500));
    playing.run().unwrap();
    playing.stop().unwrap();
    let copy = again.wait_until_closed();
    again.end();
    let (answers, second) = of_tape(&copy.path);
    assert_eq!(without_times(&copy.path)[0].0, "handshake", "the names come first");
    assert!(!answers.is_empty() && answers.iter().all(|answer| *answer == names));
    assert!(first == second, "{} of {}", second.len(), first.len());
}

/// Sends requests, and counts what comes.
struct Client {
    socket: UdpSocket,
    to: SocketAddr,
}

impl Client {
    fn of(to: SocketAddr) -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(PATIENCE)).unwrap();
        Self { socket, to }
    }

    fn ask(&self, datagram: &[u8]) {
        self.socket.send_to(datagram, self.to).unwrap();
    }

    fn get(&self) -> Vec<u8> {
        let mut buffer = [0; 2000];
        let length = self.socket.recv(&mut buffer).unwrap();
        buffer[..length].to_vec()
    }

    /// Returns what has arrived already.
    fn get_waiting(&self) -> Vec<Vec<u8>> {
        self.socket.set_nonblocking(true).unwrap();
        let mut got = Vec::new();
        let mut buffer = [0; 2000];
        while let Ok(length) = self.socket.recv(&mut buffer) {
            got.push(buffer[..length].to_vec());
        }
        self.socket.set_nonblocking(false).unwrap();
        got
    }

    /// Waits until the player has handled all that was sent to it: it answers in order.
    fn is_heard(&self) {
        self.ask(&request(Operation::Handshake));
        assert_eq!(self.get().len(), 408);
    }
}

#[test]
fn each_client_of_a_player_gets_what_it_asked_for_and_noise_gets_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (names, messages) = remote_messages();
    let cars = messages.iter().filter(|message| message.len() == 328).count();
    let tape = recorded(folder.path(), &[&[names.clone()][..], &messages].concat());
    let (mut playing, address) = playing(&tape, "ac-clients");
    let [both, laps, dismissed, noisy] = [(); 4].map(|()| Client::of(address));
    both.ask(&request(Operation::Handshake));
    assert_eq!(both.get(), names, "the names are known before they are played");
    both.ask(&request(Operation::SubscribeUpdate));
    both.ask(&request(Operation::SubscribeSpot));
    laps.ask(&request(Operation::SubscribeSpot));
    dismissed.ask(&request(Operation::SubscribeUpdate));
    dismissed.ask(&request(Operation::Dismiss));
    // Also longer than any request: on some systems what does not fit is an error.
    for length in (0..2000).step_by(8).chain([2_049, 60_000]) {
        noisy.ask(&vec![0x5A; length]);
        // One at a time: the system holds only some.
        both.is_heard();
    }
    [&both, &laps, &dismissed].into_iter().for_each(Client::is_heard);
    wait_until("the subscriptions are wrong", || playing.asked().clients == 2);
    let mut got = Vec::new();
    while playing.step().unwrap().is_some() {
        // At once: the system holds only some for a client that does not read.
        got.extend(both.get_waiting());
    }
    while got.len() < messages.len() {
        got.push(both.get());
    }
    assert!(got == messages, "each message once, in order");
    assert_eq!(laps.get().len(), 212);
    assert!(cars > 100);
    for client in [both, laps, dismissed, noisy] {
        assert_eq!(client.get_waiting(), Vec::<Vec<u8>>::new());
    }
    playing.stop().unwrap();
}

#[test]
fn a_client_is_not_sent_the_same_packet_twice() {
    let folder = tempfile::tempdir().unwrap();
    let packets = simulated("gran-turismo-7", 500);
    let tape = recorded(folder.path(), &packets);
    // The address that gets everything unasked also asks.
    let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
    let receiver = socket.local_addr().unwrap();
    let player = Player::new(&Tape::open(&tape).unwrap()).names(game::prefix("gt7-twice")).send_to(&[receiver]);
    let mut playing = player.start().unwrap();
    let client = Client { socket, to: playing.request_address().unwrap() };
    client.socket.set_read_timeout(Some(PATIENCE)).unwrap();
    let unasked = playing.step().unwrap();
    assert!(unasked.is_some());
    client.ask(b"A");
    wait_until("nobody asked", || playing.asked().clients == 1);
    while playing.step().unwrap().is_some() {}
    let lengths: Vec<usize> = packets.iter().map(|_| client.get().len()).collect();
    assert!(lengths[0] == 368 && lengths[1..].iter().all(|length| *length == 296), "{lengths:?}");
    assert!(client.get_waiting().is_empty());
}

#[test]
fn a_player_whose_port_is_taken_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (names, messages) = remote_messages();
    let tape = recorded(folder.path(), &[&[names][..], &messages[..50]].concat());
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let player = || Player::new(&Tape::open(&tape).unwrap()).names(game::prefix("ac-taken")).request_port(port);
    let error = player().start().err().unwrap().to_string();
    assert!(error.contains(&port.to_string()), "{error}");
    // Those who get everything unasked get it all the same.
    let playing = player().send_to(&[taken.local_addr().unwrap()]).start().unwrap();
    assert!(playing.request_address().is_none());
    assert!(playing.notes().iter().any(|note| note.contains(&port.to_string())), "{:?}", playing.notes());
}
