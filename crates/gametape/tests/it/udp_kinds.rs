//! Every kind of datagram of every game: recorded, played, and recorded again.
use crate::datagrams::{Traffic, all_kinds, lengths, recorded, udp_games};
use crate::game;
use crate::udp::{Recording, frames, here};

use std::collections::BTreeSet;
use std::net::UdpSocket;
use std::path::{Path, PathBuf};
use std::time::Duration;

use gametape::Tape;
use gametape::play::Player;

/// Stream, time and bytes of each frame.
type Frames = Vec<(String, u64, Vec<u8>)>;

/// Waits for the tapes of a game that ended, until they have this many frames. There is more than one if the first datagram of a kind has
/// another length than the newest version of it, and came too late to be expected: then it begins another tape.
fn tapes_of(recording: Recording, game: &str, count: usize) -> Vec<PathBuf> {
    let (mut tapes, mut found) = (Vec::new(), 0);
    while found < count as u64 {
        let tape = recording.wait_until_closed();
        assert_eq!((tape.game.as_str(), tape.loss.dropped, tape.loss.missed), (game, 0, 0));
        found += tape.frames;
        tapes.push(tape.path);
    }
    assert!(recording.end().is_empty(), "{game}: more than was sent");
    tapes
}

/// Returns the frames of some tapes, one after the other.
fn frames_of(tapes: &[PathBuf]) -> Frames {
    tapes.iter().flat_map(|path| frames(path)).collect()
}

/// Records what a game sends, plays it, and records that. Returns both.
fn there_and_back(traffic: &Traffic, folder: &Path) -> (Frames, Frames) {
    let recording = Recording::start(folder, here(), 1);
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    let kinds = traffic.game.streams.len();
    for (number, datagram) in traffic.datagrams.iter().enumerate() {
        sender.send_to(datagram, recording.address).unwrap();
        // What says which session it is comes at once, the rest about as fast as games send.
        if number > kinds {
            std::thread::sleep(Duration::from_micros(500));
        }
    }
    drop(sender);
    let recorded = tapes_of(recording, traffic.game.id, traffic.datagrams.len());
    let (mut first, mut second) = (Frames::new(), Frames::new());
    for path in &recorded {
        let on_tape = frames(path);
        let again = Recording::start(folder, here(), 1);
        let player = Player::new(&Tape::open(path).unwrap()).names(game::prefix("udp-kinds")).send_to(&[again.address]);
        let mut playing = player.start().unwrap();
        playing.run().unwrap();
        playing.stop().unwrap();
        second.extend(frames_of(&tapes_of(again, traffic.game.id, on_tape.len())));
        first.extend(on_tape);
    }
    (first, second)
}

#[test]
fn every_kind_of_every_game_is_recorded_played_and_recorded_again() {
    let all = all_kinds();
    let folder = tempfile::tempdir().unwrap();
    // All of them at once: they mostly wait until it is certain that the game has ended.
    let results: Vec<(Frames, Frames)> = std::thread::scope(|scope| {
        let start = all.iter().enumerate().map(|(number, traffic)| {
            let folder = folder.path().join(format!("{number}"));
            std::fs::create_dir(&folder).unwrap();
            let thread = std::thread::Builder::new().name(traffic.game.id.into());
            thread.spawn_scoped(scope, move || there_and_back(traffic, &folder)).unwrap()
        });
        let threads: Vec<_> = start.collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let (mut seen, mut errors_ns) = (BTreeSet::new(), Vec::new());
    for (traffic, (first, second)) in all.iter().zip(&results) {
        let game = traffic.game;
        let sent: Vec<_> = traffic.datagrams.iter().map(|datagram| recorded(game, datagram).unwrap()).collect();
        let without_times = |frames: &Frames| -> Vec<(String, Vec<u8>)> {
            frames.iter().map(|(stream, _, bytes)| (stream.clone(), bytes.clone())).collect()
        };
        let (first_frames, second_frames) = (without_times(first), without_times(second));
        let is_same = |frames: &[(String, Vec<u8>)]| {
            frames
                .iter()
                .map(|(stream, bytes)| (stream.as_str(), bytes))
                .eq(sent.iter().map(|(name, bytes)| (*name, bytes)))
        };
        let counts = (sent.len(), first.len(), second.len());
        assert!(is_same(&first_frames), "{}: what was sent is not what was recorded: {counts:?}", game.id);
        assert!(is_same(&second_frames), "{}: what was played is not what was recorded: {counts:?}", game.id);
        // From a tape to the next, times begin again.
        let rises = |frames: &Frames| frames.is_sorted_by(|(_, one, _), (_, two, _)| one < two);
        let since_start = |frames: &Frames| -> Vec<u64> { frames.iter().map(|(_, ns, _)| ns - frames[0].1).collect() };
        if rises(first) && rises(second) {
            let pairs = since_start(first).into_iter().zip(since_start(second));
            errors_ns.extend(pairs.map(|(one, other)| one.abs_diff(other)));
        }
        seen.extend(sent.iter().map(|(stream, bytes)| (game.id, *stream, Some(bytes.len()))));
    }
    errors_ns.sort_unstable();
    let quantile_us = |share: usize| errors_ns[errors_ns.len() * share / 100] / 1000;
    println!(
        "{} datagrams of {} games: error of the times p50 {} us, p99 {} us",
        errors_ns.len(),
        udp_games().count(),
        quantile_us(50),
        quantile_us(99)
    );
    // A game that is added to the registry is in this list, too.
    for game in udp_games() {
        for stream in game.streams.iter().filter(|stream| stream.udp_port().is_some()) {
            for length in lengths(stream) {
                let is_it = |(id, name, bytes): &(&str, &str, Option<usize>)| {
                    *id == game.id && *name == stream.name && (length.is_none() || *bytes == length)
                };
                assert!(seen.iter().any(is_it), "{}: {} with {length:?} bytes was not sent", game.id, stream.name);
            }
        }
    }
}
