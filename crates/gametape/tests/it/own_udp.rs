//! A game of a developer's own that sends structs over UDP: recorded through the library, played to any address.
#![allow(clippy::unwrap_used)]
use std::mem::offset_of;
use std::net::{SocketAddr, UdpSocket};
use std::path::Path;
use std::time::{Duration, Instant};

use gametape::capture::UdpSettings;
use gametape::games::Kind;
use gametape::play::{PlayError, Player, StageError};
use gametape::{Capture, RunningCapture, Tape};
use zerocopy::{FromBytes, Immutable, IntoBytes};

#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Car {
    magic: [u8; 4],
    tick: u32,
    speed: f32,
}

#[derive(Debug, Clone, Copy, FromBytes, IntoBytes, Immutable)]
#[repr(C)]
struct Lap {
    magic: [u8; 4],
    number: u32,
}

/// Starts a capture of the game on a free port.
fn start(path: &Path) -> (RunningCapture, SocketAddr) {
    // The port is free for a moment only, so another test may get it.
    for _ in 0..100 {
        let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let source = gametape::udp(&address.to_string())
            .game("my-game")
            .packet::<Car>(|bytes| bytes.starts_with(b"CAR1"))
            .stream("car")
            .channel("speed", offset_of!(Car, speed), Kind::F32, 1, "m/s")
            .packet::<Lap>(|bytes| bytes.starts_with(b"LAP1"))
            .stream("lap");
        if let Ok(capture) = Capture::new().source(source).to(path).start() {
            return (capture, address);
        }
    }
    panic!("no free port");
}

/// What the game sends: two kinds of packets, and something that the program did not describe.
fn sent() -> Vec<Vec<u8>> {
    let car = |tick: u32| Car { magic: *b"CAR1", tick, speed: tick as f32 / 2.0 }.as_bytes().to_vec();
    let lap = |number: u32| Lap { magic: *b"LAP1", number }.as_bytes().to_vec();
    let of_tick = |tick: u32| match tick % 10 {
        9 => vec![car(tick), lap(tick / 10), b"not described".to_vec()],
        _ => vec![car(tick)],
    };
    (0..100).flat_map(of_tick).collect()
}

fn record(path: &Path) -> Vec<Vec<u8>> {
    let (capture, address) = start(path);
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sent = sent();
    let deadline = Instant::now() + Duration::from_secs(60);
    for (index, datagram) in sent.iter().enumerate() {
        game.send_to(datagram, address).unwrap();
        while capture.frames_seen() <= index as u64 {
            assert!(Instant::now() < deadline, "{} of {}", capture.frames_seen(), sent.len());
            std::thread::sleep(Duration::from_micros(200));
        }
    }
    let summary = capture.stop().unwrap();
    assert_eq!((summary.frames, summary.tapes.len()), (sent.len() as u64, 1));
    sent
}

#[test]
fn a_game_of_ones_own_is_played_to_any_address_as_it_was_sent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.gtape");
    let sent = record(&path);
    let tape = Tape::open(&path).unwrap();
    let client = UdpSocket::bind("127.0.0.1:0").unwrap();
    client.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut playing = Player::new(&tape).send_to(&[client.local_addr().unwrap()]).start().unwrap();
    assert_eq!((playing.game_id(), playing.game().id), ("my-game", "udp-game"));
    assert!(playing.notes().iter().all(|note| !note.contains("not played")), "{:?}", playing.notes());
    for datagram in &sent {
        assert!(playing.step().unwrap().is_some());
        let mut buffer = [0; 100];
        let length = client.recv(&mut buffer).unwrap();
        assert_eq!(buffer[..length], datagram[..]);
    }
    assert!(playing.step().unwrap().is_none());
    assert_eq!(playing.stop().unwrap().frames, sent.len() as u64);

    // The same capture records the playback as it recorded the game.
    let again = folder.path().join("again.gtape");
    let (capture, address) = start(&again);
    let mut playing = Player::new(&tape).send_to(&[address]).start().unwrap();
    playing.run().unwrap();
    playing.stop().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while capture.frames_seen() < sent.len() as u64 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(5));
    }
    capture.stop().unwrap();
    let cars = |path: &Path| -> Vec<u32> {
        Tape::open(path).unwrap().frames_of::<Car>("car").unwrap().map(|(_, car)| car.tick).collect()
    };
    assert_eq!(cars(&again), (0..100).collect::<Vec<_>>());
    assert_eq!(cars(&again), cars(&path));
}

#[test]
fn without_an_address_nobody_would_get_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.gtape");
    record(&path);
    let error = Player::new(&Tape::open(&path).unwrap()).start().err().unwrap();
    assert!(matches!(error, PlayError::Stage(StageError::NoReceiver { .. })), "{error}");
}

#[test]
fn any_supported_game_is_captured_at_an_address() {
    let packets = crate::udp::session(7, 0..20);
    // The port is free for a moment only, so another test may get it.
    let found = (0..20).any(|_| {
        let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let settings = UdpSettings { usual_ports: false, listen: vec![address], ..UdpSettings::default() };
        let (tell, told) = std::sync::mpsc::channel();
        let capture = Capture::new()
            .source(settings)
            .realtime_only()
            .on_bytes("car-telemetry", move |_, bytes| drop(tell.send(bytes.to_vec())))
            .start()
            .unwrap();
        let game = UdpSocket::bind("127.0.0.1:0").unwrap();
        let until = Instant::now() + Duration::from_secs(5);
        let mut got = None;
        while got.is_none() && Instant::now() < until {
            packets.iter().for_each(|packet| drop(game.send_to(packet, address)));
            got = told.recv_timeout(Duration::from_millis(50)).ok();
        }
        capture.stop().unwrap();
        got.is_some_and(|got| packets.contains(&got))
    });
    assert!(found, "nothing was captured");
}

#[test]
fn only_supported_games_on_the_network_have_ports() {
    let settings = UdpSettings { usual_ports: false, ..UdpSettings::default() };
    let wrong = |capture: Capture| capture.udp(settings.clone()).realtime_only().start().err().unwrap().to_string();
    for text in [
        wrong(Capture::new().source(&gametape::iracing::GAME)),
        wrong(Capture::new().source(gametape::udp("127.0.0.1:0"))),
        wrong(Capture::new().source(settings.clone())),
    ] {
        assert!(text.starts_with(".udp(…) does not apply to this source"), "{text}");
    }
}
