//! Assetto Corsa Competizione's broadcasting: a simulated game that answers requests, beside shared memory and without it.
#![cfg(any(target_os = "linux", windows))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods)]
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::game::{Game, Recording, prefix, wait_until};
use gametape::capture::{
    AskedGame, Destination, GamePlaces, RecordOptions, RecorderEvent, Sections, Source, TapeSummary, UdpSettings,
    UdpSource, game_sources,
};
use gametape::format::read::Tape;
use gametape::games::acc::broadcast::Request;
use gametape::games::{RequestServer, RequestSettings, Subscriber, acc};
use gametape::play::Player;
use gametape::sys::Prefix;
use gametape_simulator::{Datagrams, Script, Settings, Simulation, datagram_encoder};

/// The messages of a simulated session, in the order in which the game sends them.
struct Messages {
    simulation: Simulation,
    encoder: Box<dyn gametape_simulator::DatagramEncoder>,
    due: Vec<Vec<u8>>,
}

impl Messages {
    fn new() -> Self {
        let simulation = Simulation::driving(Settings::default(), Script::new());
        Self { simulation, encoder: datagram_encoder(acc::GAME.id).unwrap(), due: Vec::new() }
    }

    fn next(&mut self) -> (&'static str, Vec<u8>) {
        while self.due.is_empty() {
            self.simulation.step();
            let mut sent = Datagrams::default();
            self.encoder.encode(self.simulation.ms(), self.simulation.game().unwrap(), &mut sent);
            self.due.extend(sent.iter().map(<[u8]>::to_vec));
        }
        let message = self.due.remove(0);
        (acc::GAME.rules.datagram(&message, &mut Vec::new()).unwrap(), message)
    }
}

fn is_answer(stream: &str) -> bool {
    acc::GAME.rules.requests().unwrap().is_answer(stream)
}

/// A game that listens for clients and sends what the simulation does.
struct Broadcaster {
    socket: UdpSocket,
    server: Box<dyn RequestServer>,
    messages: Messages,
    client: Option<(SocketAddr, Subscriber)>,
    /// What clients sent.
    requests: Vec<Vec<u8>>,
    sent: Vec<(&'static str, Vec<u8>)>,
}

impl Broadcaster {
    fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_nonblocking(true).unwrap();
        let server = acc::GAME.rules.requests().unwrap().server();
        Self { socket, server, messages: Messages::new(), client: None, requests: Vec::new(), sent: Vec::new() }
    }

    fn asked(&self) -> AskedGame {
        let settings = RequestSettings { password: Some("secret".into()), interval_ms: Some(100) };
        AskedGame { game: acc::GAME.id, address: self.socket.local_addr().unwrap(), settings }
    }

    fn answer(&mut self) {
        let mut buffer = [0; 2000];
        while let Ok((length, from)) = self.socket.recv_from(&mut buffer) {
            let request = buffer[..length].to_vec();
            let (_, client) = self.client.get_or_insert((from, Subscriber::new(1)));
            let mut answers = Vec::new();
            assert!(self.server.request(0, client, &request, &mut answers), "{request:?}");
            answers.iter().for_each(|answer| drop(self.socket.send_to(answer, from)));
            self.requests.push(request);
        }
    }

    fn wait_for_client(&mut self) {
        wait_until("a client registers", || {
            self.answer();
            self.client.is_some()
        });
    }

    /// Sends messages until the requests so far are `enough`, and at least `least`.
    fn send(&mut self, least: usize, mut enough: impl FnMut(&[Vec<u8>]) -> bool) {
        let mut count = 0;
        while !enough(&self.requests) || count < least {
            let (stream, message) = self.messages.next();
            if is_answer(stream) {
                self.server.note(stream, &message);
                continue;
            }
            self.answer();
            let (to, _) = self.client.unwrap();
            self.socket.send_to(&message, to).unwrap();
            self.sent.push((stream, message));
            count += 1;
            std::thread::sleep(Duration::from_millis(2));
        }
    }
}

fn asking(asked: AskedGame) -> UdpSettings {
    UdpSettings { usual_ports: false, ask: vec![asked], ..UdpSettings::default() }
}

fn options(folder: &Path) -> RecordOptions {
    RecordOptions::new(Some(Destination::Folder(folder.to_owned())))
}

/// The source that records the game on this machine.
fn beside_pages(prefix: &Prefix, asked: AskedGame) -> Box<dyn Source> {
    let mut places = GamePlaces::from(Sections::from(prefix.clone()));
    places.udp = Some(asking(asked));
    let mut sources = game_sources(Some(&acc::GAME), places, Some(100));
    assert_eq!(sources.len(), 1, "the datagrams of this machine have no source of their own");
    sources.remove(0)
}

fn closed(told: &[RecorderEvent]) -> Vec<TapeSummary> {
    let tape = |event: &RecorderEvent| match event {
        RecorderEvent::Closed(tape) => Some(tape.clone()),
        RecorderEvent::Failed(text) | RecorderEvent::Lost(text) => panic!("{text}"),
        _ => None,
    };
    told.iter().filter_map(tape).collect()
}

/// Streams and messages.
type Recorded = Vec<(String, Vec<u8>)>;

/// The broadcast messages on a tape: those that the game sends by itself, and its answers.
fn messages(path: &Path) -> (Recorded, Recorded) {
    let tape = Tape::open(path).unwrap();
    let mut merged = tape.merged(tape.streams().filter(|stream| stream.name().starts_with("broadcast-")));
    let mut all = Vec::new();
    while let Some(frame) = merged.next().unwrap() {
        all.push((tape.stream(frame.stream).unwrap().name().to_owned(), frame.data.to_vec()));
    }
    all.into_iter().partition(|(stream, _)| !is_answer(stream))
}

fn assert_sent(found: &[(String, Vec<u8>)], sent: &[(&str, Vec<u8>)]) {
    let differ = found.iter().zip(sent).position(|((_, one), (_, other))| one != other);
    assert_eq!((differ, found.len()), (None, sent.len()));
    assert!(found.iter().zip(sent).all(|((one, _), (other, _))| one == other));
}

/// Waits until a tape was begun.
fn begun(recording: &Recording) -> PathBuf {
    let mut path = None;
    wait_until("a tape is begun", || {
        let opened = |event| match event {
            RecorderEvent::Opened { path, .. } => Some(path),
            _ => None,
        };
        path = recording.told.try_iter().find_map(opened);
        path.is_some()
    });
    path.unwrap()
}

/// Waits until all messages are on the tape that is being written.
fn wait_for(count: usize, path: &Path, mut meanwhile: impl FnMut()) {
    wait_until("all messages are on the tape", || {
        meanwhile();
        messages(path).0.len() >= count
    });
}

/// Messages without their repetitions, sorted.
fn kinds(answers: &[(String, Vec<u8>)]) -> Vec<(String, Vec<u8>)> {
    let mut kinds = answers.to_vec();
    kinds.sort();
    kinds.dedup();
    kinds
}

#[test]
fn broadcasting_is_recorded_played_and_recorded_again() {
    let (prefix, folder) = (prefix("acc-udp"), tempfile::tempdir().unwrap());
    let mut game = Broadcaster::start();
    let record = |asked| {
        let source = UdpSource::of_senders(&asking(asked), Some(&acc::GAME), &prefix, 1).remove(0);
        Recording::start(options(folder.path()), source)
    };
    let recording = record(game.asked());
    game.wait_for_client();
    game.send(100, |_| recording.progress.is_recording());
    // The client knows no car yet, and asks again.
    let is_list = |request: &Vec<u8>| Request::parse(request) == Some(Request::EntryList);
    game.send(1, |requests| requests.iter().filter(|request| is_list(request)).count() >= 2);
    let path = begun(&recording);
    wait_for(game.sent.len(), &path, || game.answer());
    wait_until("the answers are on the tape", || {
        game.answer();
        kinds(&messages(&path).1).len() >= 9
    });
    let tapes = closed(&recording.end());
    wait_until("the client leaves", || {
        game.answer();
        game.requests.last().and_then(|request| Request::parse(request)) == Some(Request::Unregister)
    });
    let register = Request::Register { display_name: "gametape", password: "secret", interval_ms: 100 };
    assert_eq!(Request::parse(&game.requests[0]), Some(register));
    assert!(game.requests.iter().all(|request| !matches!(Request::parse(request), None | Some(Request::Command))));
    assert_eq!((tapes.len(), tapes[0].game.as_str(), tapes[0].loss.dropped), (1, acc::GAME.id, 0));
    let (first, answers) = messages(&tapes[0].path);
    assert_sent(&first, &game.sent);
    let has_password = |bytes: &[u8]| bytes.windows(6).any(|part| part == b"secret");
    assert!(!first.iter().chain(&answers).any(|(_, message)| has_password(message)));
    let metadata = format!("{:?}", Tape::open(&tapes[0].path).unwrap().metadata());
    assert!(metadata.contains("udp_sender") && !has_password(metadata.as_bytes()), "{metadata}");
    // Registration, list, track and six cars.
    assert_eq!(kinds(&answers).len(), 9, "{:?}", kinds(&answers));

    let tape = gametape::Tape::open(&tapes[0].path).unwrap();
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    let address = playing.request_address().unwrap();
    let again = record(AskedGame { address, ..game.asked() });
    wait_until("the recorder is a client", || playing.asked().clients == 1);
    playing.run().unwrap();
    let path = begun(&again);
    wait_for(first.len(), &path, || {});
    wait_until("the answers are on the tape", || kinds(&messages(&path).1).len() >= 9);
    playing.stop().unwrap();
    let copies = closed(&again.end());
    assert_eq!(copies.len(), 1);
    let (second, answers_again) = messages(&copies[0].path);
    assert_eq!((second.len(), second == first), (first.len(), true));
    assert_eq!(kinds(&answers_again), kinds(&answers));
}

#[test]
fn pages_and_datagrams_are_on_one_tape_and_are_played_together() {
    let (prefix, folder) = (prefix("acc-both"), tempfile::tempdir().unwrap());
    let mut broadcaster = Broadcaster::start();
    let mut pages = Game::start(&prefix);
    let recording = Recording::start(options(folder.path()), beside_pages(&prefix, broadcaster.asked()));
    broadcaster.wait_for_client();
    pages.status(2);
    wait_until("the pages are recorded", || {
        pages.step();
        recording.progress.is_recording()
    });
    let path = begun(&recording);
    // The game begins to send while the tape is written.
    broadcaster.send(200, |_| {
        pages.step();
        true
    });
    wait_for(broadcaster.sent.len(), &path, || {
        pages.step();
        broadcaster.answer();
    });
    let tapes = closed(&recording.end());
    drop(pages);
    assert_eq!((tapes.len(), tapes[0].game.as_str(), tapes[0].loss.dropped), (1, acc::GAME.id, 0));
    assert_sent(&messages(&tapes[0].path).0, &broadcaster.sent);
    let tape = gametape::Tape::open(&tapes[0].path).unwrap();
    let frames_of = |tape: &Tape, name: &str| {
        tape.streams().find(|stream| stream.name() == name).map_or(0, |stream| stream.totals().frames)
    };
    assert!(frames_of(tape.raw(), "physics") > 10 && frames_of(tape.raw(), "static") == 1);

    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    let address = playing.request_address().unwrap();
    let asked = AskedGame { address, ..broadcaster.asked() };
    let again = Recording::start(options(folder.path()), beside_pages(&prefix, asked));
    wait_until("the recorder is a client", || playing.asked().clients == 1);
    playing.run().unwrap();
    wait_for(broadcaster.sent.len(), &begun(&again), || {});
    playing.stop().unwrap();
    let copies = closed(&again.end());
    assert_eq!(copies.len(), 1);
    assert!(frames_of(&Tape::open(&copies[0].path).unwrap(), "physics") > 1);
    assert_sent(&messages(&copies[0].path).0, &broadcaster.sent);
}

#[test]
fn a_game_without_pages_is_recorded_by_its_datagrams() {
    let (prefix, folder) = (prefix("acc-no-pages"), tempfile::tempdir().unwrap());
    let mut game = Broadcaster::start();
    let recording = Recording::start(options(folder.path()), beside_pages(&prefix, game.asked()));
    game.wait_for_client();
    game.send(100, |_| recording.progress.is_recording());
    let path = begun(&recording);
    wait_for(game.sent.len(), &path, || game.answer());
    let sent = std::mem::take(&mut game.sent);
    drop(game);
    wait_until("the game is gone", || !recording.progress.is_recording());
    let tapes = closed(&recording.end());
    assert_eq!(tapes.len(), 1);
    assert_sent(&messages(&tapes[0].path).0, &sent);
    let tape = Tape::open(&tapes[0].path).unwrap();
    assert!(tape.streams().all(|stream| stream.name() != "physics"));
    assert_eq!(tape.metadata().get("session").map(String::as_str), Some("practice"));
}
