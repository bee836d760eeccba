//! Games on the network: what a sender sends is on the tape, and a player sends it again.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]
use std::net::{SocketAddr, UdpSocket};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gametape::Prefix;
use gametape::capture::{
    Clock, Destination, ObservedFrame, Observer, Progress, RealClock, RecordOptions, Recorder, RecorderEvent, StopFlag,
    TapeBegins, TapeSummary, UdpSettings, UdpSource,
};
use gametape::format::read::Tape;
use gametape::games::f1;
use gametape::play::Player;

/// A recorder of games on the network, on a port of its own.
pub(crate) struct Recording {
    pub(crate) address: SocketAddr,
    stop: StopFlag,
    threads: Vec<JoinHandle<bool>>,
    told: Receiver<RecorderEvent>,
    /// Frames on all tapes so far.
    recorded: Arc<AtomicUsize>,
}

/// Counts the frames that tapes have accepted.
struct Count(Arc<AtomicUsize>);

impl Observer for Count {
    fn begin(&mut self, _tape: &TapeBegins<'_>) {}

    fn frame(&mut self, _frame: &ObservedFrame<'_>) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }
}

impl Recording {
    pub(crate) fn start(folder: &Path, settings: UdpSettings, senders: usize) -> Self {
        Self::with_clock(folder, settings, senders, Arc::new(RealClock::start()))
    }

    /// Records by a clock.
    pub(crate) fn with_clock(folder: &Path, settings: UdpSettings, senders: usize, clock: Arc<dyn Clock>) -> Self {
        let options = RecordOptions::new(Some(Destination::Folder(folder.to_owned())));
        Self::with_options(options, settings, senders, clock)
    }

    /// Records with other options than the usual ones.
    pub(crate) fn with_options(
        options: RecordOptions,
        settings: UdpSettings,
        senders: usize,
        clock: Arc<dyn Clock>,
    ) -> Self {
        let mut sources = UdpSource::of_senders(&settings, None, &Prefix::default(), senders);
        let address = sources[0].listen().unwrap()[0];
        let (tell, told) = channel();
        let (stop, recorded) = (StopFlag::default(), Arc::<AtomicUsize>::default());
        let options = Arc::new(options);
        let start = |mut source: UdpSource| {
            let recorder = Recorder {
                options: Arc::clone(&options),
                clock: Arc::clone(&clock),
                progress: Arc::new(Progress::default()),
                told: tell.clone(),
                observers: vec![Box::new(Count(Arc::clone(&recorded)))],
                stop: stop.clone(),
                once: false,
            };
            std::thread::spawn(move || recorder.run(&mut source))
        };
        let threads = sources.into_iter().map(start).collect();
        Self { address, stop, threads, told, recorded }
    }

    pub(crate) fn on_a_free_port(folder: &Path) -> Self {
        Self::start(folder, here(), 2)
    }

    /// Waits until tapes have accepted this many frames.
    pub(crate) fn wait_until_recorded(&self, frames: usize) {
        let until = Instant::now() + Duration::from_secs(60);
        while self.recorded.load(Ordering::Relaxed) < frames {
            assert!(Instant::now() < until, "{} of {frames} were recorded", self.recorded.load(Ordering::Relaxed));
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits for the next event.
    pub(crate) fn next_event(&self) -> RecorderEvent {
        self.told.recv_timeout(Duration::from_secs(60)).unwrap()
    }

    /// Waits until a tape was begun.
    pub(crate) fn wait_until_it_records(&self) -> PathBuf {
        loop {
            if let RecorderEvent::Opened { path, .. } = self.next_event() {
                return path;
            }
        }
    }

    /// Waits until a tape was closed.
    pub(crate) fn wait_until_closed(&self) -> TapeSummary {
        loop {
            if let RecorderEvent::Closed(tape) = self.next_event() {
                return tape;
            }
        }
    }

    /// Ends the recording, and gives the tapes that were not asked for before.
    pub(crate) fn end(self) -> Vec<TapeSummary> {
        self.stop.stop();
        assert!(self.threads.into_iter().all(|thread| thread.join().unwrap()));
        let closed = |event| match event {
            RecorderEvent::Closed(tape) => Some(tape),
            RecorderEvent::Failed(text) | RecorderEvent::Lost(text) => panic!("{text}"),
            _ => None,
        };
        self.told.try_iter().filter_map(closed).collect()
    }
}

pub(crate) fn here() -> UdpSettings {
    UdpSettings { usual_ports: false, listen: vec!["127.0.0.1:0".parse().unwrap()], ..UdpSettings::default() }
}

/// A packet of F1 25 with a session and a number in it.
pub(crate) fn packet(id: u8, session: u64, number: u32) -> Vec<u8> {
    let layout = f1::packet_layout(2025, id).unwrap();
    let mut bytes: Vec<u8> = (0..layout.frame_bytes()).map(|index| (index.wrapping_mul(number) >> 3) as u8).collect();
    let mut put = |name: &str, value: &[u8]| {
        let at = layout.channel(name).unwrap().offset as usize;
        bytes[at..at + value.len()].copy_from_slice(value);
    };
    put("packetFormat", &2025_u16.to_le_bytes());
    put("gameYear", &[25]);
    put("packetId", &[id]);
    put("sessionUID", &session.to_le_bytes());
    put("frameIdentifier", &number.to_le_bytes());
    if id == 1 {
        put("gamePaused", &[0]);
        put("isSpectating", &[0]);
    }
    bytes
}

/// All frames of a tape in their order: stream, time, bytes.
pub(crate) fn frames(path: &Path) -> Vec<(String, u64, Vec<u8>)> {
    let tape = Tape::open(path).unwrap();
    let mut merged = tape.merged(tape.streams().filter(|stream| !stream.spec().game.is_empty()));
    let mut frames = Vec::new();
    while let Some(frame) = merged.next().unwrap() {
        let name = tape.stream(frame.stream).unwrap().name().to_owned();
        frames.push((name, frame.time_ns, frame.data.to_vec()));
    }
    frames
}

/// What an F1 game sends in some frames: every packet kind, in turn.
pub(crate) fn session(number: u64, frames: std::ops::Range<u32>) -> Vec<Vec<u8>> {
    frames
        .flat_map(|frame| {
            [1, 0, 2, 6, 7]
                .into_iter()
                .chain((8..=15).filter(move |id| frame % 10 == u32::from(*id) % 10))
                .map(move |id| packet(id, number, frame))
        })
        .collect()
}

pub(crate) fn send_all(datagrams: &[Vec<u8>], from: &UdpSocket, to: SocketAddr) {
    for datagram in datagrams {
        from.send_to(datagram, to).unwrap();
        std::thread::sleep(Duration::from_micros(500));
    }
}

#[test]
fn what_a_game_sends_is_recorded_played_and_recorded_again() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::on_a_free_port(folder.path());
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    // Two equal datagrams in a row are two datagrams, and what the game sends besides is kept. All of them fit into the smallest receive buffer
    // that systems grant: a recorder that is not scheduled meanwhile loses none, and not every system counts what it drops.
    let mut sent = session(7, 0..24);
    sent.insert(100, sent[99].clone());
    sent.insert(50, b"nothing that we know".to_vec());
    send_all(&sent, &game, recording.address);
    drop(game);
    let tape = recording.wait_until_closed();
    assert!(recording.end().is_empty());
    assert_eq!(
        (tape.game.as_str(), tape.end.as_str(), tape.loss.dropped, tape.loss.missed),
        ("f1-25", "game_ended", 0, 0)
    );
    let first = frames(&tape.path);
    assert!(first.iter().map(|(_, _, bytes)| bytes).eq(&sent), "{} of {}", first.len(), sent.len());
    assert!(first.is_sorted_by(|(_, a, _), (_, b, _)| a < b));
    assert_eq!(first[50].0, "other");
    assert_eq!(first[0].0, "session");

    let again = Recording::on_a_free_port(folder.path());
    let mut playing =
        Player::new(&gametape::Tape::open(&tape.path).unwrap()).send_to(&[again.address]).start().unwrap();
    playing.run().unwrap();
    playing.stop().unwrap();
    let copy = again.wait_until_closed();
    assert!(again.end().is_empty());
    let second = frames(&copy.path);
    let without_times = |frames: &[(String, u64, Vec<u8>)]| -> Vec<(String, Vec<u8>)> {
        frames.iter().map(|(name, _, bytes)| (name.clone(), bytes.clone())).collect()
    };
    let differ = without_times(&first).iter().zip(&without_times(&second)).position(|(one, other)| one != other);
    let names = |frames: &[(String, u64, Vec<u8>)]| -> Vec<(String, u64)> {
        frames.iter().take(12).map(|(name, time, _)| (name.clone(), *time)).collect()
    };
    assert_eq!((differ, first.len()), (None, second.len()), "{:?} {:?}", names(&first), names(&second));
    let start = |frames: &[(String, u64, Vec<u8>)]| frames[0].1;
    let mut errors: Vec<u64> = first
        .iter()
        .zip(&second)
        .map(|((_, a, _), (_, b, _))| (a - start(&first)).abs_diff(b - start(&second)))
        .collect();
    errors.sort_unstable();
    println!(
        "error of the times: p50 {} us, p99 {} us",
        errors[errors.len() / 2] / 1000,
        errors[errors.len() * 99 / 100] / 1000
    );
    assert_eq!(
        Tape::open(&copy.path).unwrap().metadata().contains_key("replay_of"),
        cfg!(any(target_os = "linux", windows))
    );
}

#[test]
fn each_session_has_its_own_tape_and_no_frame_is_on_the_wrong_one() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::on_a_free_port(folder.path());
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sessions = [session(1, 0..300), session(2, 300..600)];
    sessions.iter().for_each(|session| send_all(session, &game, recording.address));
    drop(game);
    let tapes = [recording.wait_until_closed(), recording.wait_until_closed()];
    recording.end();
    for (tape, session) in tapes.iter().zip(&sessions) {
        let found = frames(&tape.path);
        let differ = found.iter().zip(session).position(|((_, _, bytes), sent)| bytes != sent);
        assert_eq!((differ, found.len()), (None, session.len()), "{}", tape.path.display());
    }
}

#[test]
fn two_senders_are_two_tapes() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::on_a_free_port(folder.path());
    let games = [UdpSocket::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap()];
    let sessions = [session(1, 0..100), session(2, 0..100)];
    for (one, other) in sessions[0].iter().zip(&sessions[1]) {
        games[0].send_to(one, recording.address).unwrap();
        games[1].send_to(other, recording.address).unwrap();
        std::thread::sleep(Duration::from_micros(300));
    }
    drop(games);
    let mut tapes = [recording.wait_until_closed(), recording.wait_until_closed()];
    recording.end();
    tapes.sort_by_key(|tape| frames(&tape.path)[0].2 != sessions[0][0]);
    for (tape, session) in tapes.iter().zip(&sessions) {
        assert!(frames(&tape.path).iter().map(|(_, _, bytes)| bytes).eq(session));
    }
}

#[test]
fn what_no_game_sends_starts_no_tape() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::on_a_free_port(folder.path());
    let noise = UdpSocket::bind("127.0.0.1:0").unwrap();
    let mut state = 1_u64;
    let until = Instant::now() + Duration::from_millis(1500);
    let mut sent = 0;
    while Instant::now() < until {
        let length = (state % 1500) as usize;
        let bytes: Vec<u8> = (0..length)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as u8
            })
            .collect();
        state = state.wrapping_add(length as u64 | 1);
        noise.send_to(&bytes, recording.address).unwrap();
        sent += 1;
    }
    assert!(sent > 100);
    // Known packets of a wrong length are not known.
    noise.send_to(&packet(0, 1, 1)[1..], recording.address).unwrap();
    assert!(recording.end().is_empty() && folder.path().read_dir().unwrap().next().is_none());
}

#[test]
fn datagrams_are_relayed_untouched() {
    let folder = tempfile::tempdir().unwrap();
    let other = UdpSocket::bind("127.0.0.1:0").unwrap();
    other.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
    // One that nobody listens on costs nothing.
    let forward = vec!["127.0.0.1:9".parse().unwrap(), other.local_addr().unwrap()];
    let recording = Recording::start(folder.path(), UdpSettings { forward, ..here() }, 1);
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    for datagram in [packet(0, 1, 1), b"unknown".to_vec(), Vec::new()] {
        game.send_to(&datagram, recording.address).unwrap();
        let mut buffer = [1; 2000];
        let (length, _) = other.recv_from(&mut buffer).unwrap();
        assert_eq!(buffer[..length], datagram);
    }
    recording.end();
}

#[test]
fn a_taken_port_is_told_and_the_others_work() {
    let folder = tempfile::tempdir().unwrap();
    let taken = UdpSocket::bind("127.0.0.1:0").unwrap();
    let listen = vec![taken.local_addr().unwrap(), "127.0.0.1:0".parse().unwrap()];
    let recording = Recording::start(folder.path(), UdpSettings { listen, ..here() }, 1);
    assert_ne!(recording.address, taken.local_addr().unwrap());
    let RecorderEvent::Warned(text) = recording.told.recv_timeout(Duration::from_secs(10)).unwrap() else { panic!() };
    assert!(text.contains(&taken.local_addr().unwrap().port().to_string()) && text.contains("--listen"), "{text}");
    if cfg!(target_os = "linux") {
        assert!(text.contains(&format!("process {}", std::process::id())), "{text}");
    }
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    send_all(&session(1, 0..20), &game, recording.address);
    recording.wait_until_it_records();
    recording.end();
}
