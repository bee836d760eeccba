//! What a network does to a recorder: floods, foreign packets, senders that restart or are forged, interfaces that go away, clocks that are set,
//! and a recorder that stalls. It never crashes, never mixes up streams, and counts what is lost.
use crate::datagrams::traffic;
#[cfg(target_os = "linux")]
use crate::support::skip;
#[cfg(target_os = "linux")]
use crate::udp::packet;
use crate::udp::{Recording, frames, here, send_all, session};

use std::collections::BTreeSet;
#[cfg(target_os = "linux")]
use std::net::SocketAddr;
use std::net::UdpSocket;
use std::path::Path;
#[cfg(target_os = "linux")]
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::{Duration, Instant};

use gametape::Prefix;
use gametape::capture::{
    Batch, Clock, Destination, RealClock, RecordOptions, Source as _, TapeSummary, UdpSettings, UdpSource,
};
use gametape::games::find_game;

/// The most that is kept on a tape of what is not the game's.
const MOST_OTHER_BYTES: usize = 16 << 20;
/// The longest datagram that there is.
const LONGEST: usize = 65_507;

/// Returns bytes that no game sends.
fn noise(length: usize, seed: usize) -> Vec<u8> {
    let mut state = seed as u64 ^ 0x9E37_79B9_7F4A_7C15;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u8
    };
    (0..length).map(|_| next()).collect()
}

/// Asserts that the frames of a tape are datagrams that were sent, in that order, and that no more are missing than were counted.
fn assert_is_what_was_sent(tape: &TapeSummary, sent: &[Vec<u8>]) {
    let found = frames(&tape.path);
    let mut rest = sent.iter();
    for (stream, _, bytes) in found.iter().filter(|(stream, ..)| stream != "other") {
        assert!(rest.any(|datagram| datagram == bytes), "{stream}: a frame that was not sent, or not then");
    }
    let kept = found.iter().filter(|(stream, ..)| stream != "other").count();
    let missing = (sent.len() - kept) as u64;
    // Other systems do not say what they drop.
    assert!(
        !cfg!(target_os = "linux") || missing <= tape.loss.missed + tape.loss.dropped,
        "{missing} are missing, counted were {:?}",
        tape.loss
    );
    assert!(found.is_sorted_by(|(_, one, _), (_, two, _)| one < two));
}

#[test]
fn a_flood_of_random_datagrams_of_all_lengths_harms_no_recording() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::on_a_free_port(folder.path());
    let address = recording.address;
    let (game, flood) = (UdpSocket::bind("127.0.0.1:0").unwrap(), UdpSocket::bind("127.0.0.1:0").unwrap());
    let sent = session(7, 0..100);
    // Each length below that of the longest packets, and some of all others.
    let lengths = (0..=1_500).chain((1_500..=LONGEST).step_by(997)).chain([LONGEST]);
    let over = Arc::new(AtomicBool::new(false));
    let done = Arc::clone(&over);
    let flooding = std::thread::spawn(move || {
        for length in lengths {
            flood.send_to(&noise(length, length), address).unwrap();
        }
        done.store(true, Ordering::Relaxed);
    });
    let mut rounds = 0;
    while rounds == 0 || !over.load(Ordering::Relaxed) {
        send_all(&sent, &game, address);
        rounds += 1;
    }
    flooding.join().unwrap();
    drop(game);
    let tape = recording.wait_until_closed();
    assert!(recording.end().is_empty(), "noise is on a tape of its own");
    let all: Vec<Vec<u8>> = std::iter::repeat_n(sent, rounds).flatten().collect();
    assert_is_what_was_sent(&tape, &all);
    assert!(frames(&tape.path).iter().all(|(stream, ..)| stream != "other"), "noise of another sender is on the tape");
}

#[test]
fn what_a_sender_sends_besides_fills_no_disk() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::on_a_free_port(folder.path());
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sent = session(7, 0..40);
    send_all(&sent, &game, recording.address);
    recording.wait_until_it_records();
    // It cannot be compressed, and is more than is kept.
    let noise: Vec<Vec<u8>> = (0..MOST_OTHER_BYTES / LONGEST + 60).map(|number| noise(LONGEST, number)).collect();
    for datagram in &noise {
        game.send_to(datagram, recording.address).unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    let more = session(7, 40..60);
    send_all(&more, &game, recording.address);
    drop(game);
    let tape = recording.wait_until_closed();
    recording.end();
    assert_is_what_was_sent(&tape, &[sent, more].concat());
    let other: Vec<Vec<u8>> =
        frames(&tape.path).into_iter().filter(|(stream, ..)| stream == "other").map(|(_, _, bytes)| bytes).collect();
    let kept_bytes: usize = other.iter().map(Vec::len).sum();
    assert!((1..=MOST_OTHER_BYTES).contains(&kept_bytes), "{kept_bytes}");
    assert!(tape.bytes < (MOST_OTHER_BYTES + (4 << 20)) as u64, "{} bytes", tape.bytes);
    if cfg!(target_os = "linux") {
        assert!(other.len() as u64 + tape.loss.missed >= noise.len() as u64, "{} kept, {:?}", other.len(), tape.loss);
    }
    let mut rest = noise.iter();
    assert!(other.iter().all(|kept| rest.any(|datagram| datagram == kept)));
}

#[test]
fn packets_of_two_games_from_one_sender_are_two_tapes() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::on_a_free_port(folder.path());
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    let kinds = ["f1-25", "forza-motorsport"].map(|id| traffic(find_game(id).unwrap(), 0));
    // What says which session it is comes first.
    let first = kinds[0].game.streams.len();
    for datagram in &kinds[0].datagrams[..first] {
        sender.send_to(datagram, recording.address).unwrap();
    }
    let mut rest = kinds[0].datagrams[first..].iter();
    for datagram in &kinds[1].datagrams {
        sender.send_to(datagram, recording.address).unwrap();
        if let Some(other) = rest.next() {
            sender.send_to(other, recording.address).unwrap();
        }
        std::thread::sleep(Duration::from_micros(500));
    }
    send_all(rest.as_slice(), &sender, recording.address);
    drop(sender);
    let mut tapes = [recording.wait_until_closed(), recording.wait_until_closed()];
    assert!(recording.end().is_empty());
    tapes.sort_by(|one, two| one.game.cmp(&two.game));
    for (tape, kind) in tapes.iter().zip(&kinds) {
        assert_eq!(tape.game, kind.game.id);
        let found = frames(&tape.path);
        let differ = found.iter().zip(&kind.datagrams).position(|((_, _, bytes), sent)| bytes != sent);
        assert_eq!((differ, found.len()), (None, kind.datagrams.len()), "{}", tape.game);
    }
}

#[test]
fn a_sender_that_changes_the_length_of_its_packets_all_the_time_fills_no_folder() {
    const ROUNDS: usize = 60;
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::start(folder.path(), here(), 1);
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    let forza = find_game("forza-motorsport").unwrap();
    let lengths = [0, 1].map(|variant| traffic(forza, variant).datagrams);
    assert_ne!(lengths[0][0].len(), lengths[1][0].len());
    let [first, second] = lengths;
    // Each differs, so that a tape is known by its first one.
    let mut known = BTreeSet::new();
    let pairs = first.into_iter().zip(second).filter(|(one, _)| known.insert(one.clone()));
    let sent: Vec<Vec<u8>> = pairs.take(ROUNDS).flat_map(|(one, other)| [one, other]).collect();
    send_all(&sent, &sender, recording.address);
    recording.wait_until_recorded(sent.len());
    drop(sender);
    let mut tapes = recording.end();
    // A tape may be closed after the next one.
    tapes.sort_by_key(|tape| sent.iter().position(|datagram| *datagram == frames(&tape.path)[0].2));
    let found: Vec<Vec<u8>> = tapes.iter().flat_map(|tape| frames(&tape.path)).map(|(_, _, bytes)| bytes).collect();
    let differ = found.iter().zip(&sent).position(|(found, sent)| found != sent);
    assert_eq!((differ, found.len()), (None, sent.len()));
    assert!((2..=6).contains(&tapes.len()), "{} tapes", tapes.len());
}

#[test]
fn a_port_that_forwards_to_itself_is_reported_and_no_datagram_circulates() {
    // The port is free for a moment only, so another test may get it.
    let (mut source, address, text) = (0..100)
        .find_map(|_| {
            let address = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
            let settings = UdpSettings { listen: vec![address], forward: vec![address], ..here() };
            let mut source = UdpSource::of_senders(&settings, None, &Prefix::default(), 1).remove(0);
            source.listen().ok().filter(|bound| bound == &[address])?;
            let text = source.take_notice()?;
            Some((source, address, text))
        })
        .expect("a free port");
    assert!(text.contains(&address.to_string()) && text.contains("name another port"), "{text}");
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sent = session(7, 0..20);
    send_all(&sent, &game, address);
    let (clock, mut batch, mut count) = (RealClock::start(), Batch::default(), 0);
    let until = Instant::now() + Duration::from_secs(60);
    while count < sent.len() {
        assert!(Instant::now() < until, "{count} of {}", sent.len());
        source.read(&clock, &mut batch).unwrap();
        count += batch.frames().count();
        batch.clear();
    }
    // Nothing has to arrive in this time.
    for _ in 0..3 {
        source.read(&clock, &mut batch).unwrap();
    }
    assert_eq!((count, batch.frames().count()), (sent.len(), 0), "datagrams came back");
}

#[test]
fn a_sender_that_restarts_with_another_port_and_counters_from_the_start_loses_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::on_a_free_port(folder.path());
    // The game crashed in the middle of a session. It has a new session afterwards, and again the first one.
    let parts = [session(7, 0..60), session(8, 0..60), session(8, 0..60)];
    let mut count = 0;
    for part in &parts {
        let game = UdpSocket::bind("127.0.0.1:0").unwrap();
        send_all(part, &game, recording.address);
        // No game restarts before what it sent is taken.
        count += part.len();
        recording.wait_until_recorded(count);
    }
    let all = parts.concat();
    let mut tapes: Vec<TapeSummary> = Vec::new();
    while tapes.iter().map(|tape| tape.frames).sum::<u64>() < all.len() as u64 {
        tapes.push(recording.wait_until_closed());
    }
    recording.end();
    let found: Vec<Vec<u8>> = tapes.iter().flat_map(|tape| frames(&tape.path)).map(|(_, _, bytes)| bytes).collect();
    let differ = found.iter().zip(&all).position(|(found, sent)| found != sent);
    assert_eq!((differ, found.len()), (None, all.len()));
    assert!(tapes.len() >= 2, "two sessions are on one tape");
}

#[test]
fn forged_senders_neither_mix_with_a_recording_nor_take_its_place() {
    const FORGED: u32 = 60;
    let folder = tempfile::tempdir().unwrap();
    let recording = Recording::on_a_free_port(folder.path());
    let address = recording.address;
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sent = session(7, 0..200);
    let (begin, rest) = sent.split_at(100);
    send_all(begin, &game, address);
    recording.wait_until_it_records();
    // Valid packets of the very same session, from other addresses; the first of them gets the other place.
    let forged = |number: u32| session(7, 1_000 * number..1_000 * number + 3);
    let sockets: Vec<UdpSocket> =
        (1..=FORGED).map(|number| UdpSocket::bind(format!("127.0.0.{}:0", 1 + number)).unwrap()).collect();
    let forging = std::thread::spawn(move || {
        for (number, socket) in (1..).zip(&sockets) {
            send_all(&forged(number), socket, address);
        }
        sockets
    });
    send_all(rest, &game, address);
    drop(forging.join().unwrap());
    drop(game);
    let mut tapes = vec![recording.wait_until_closed()];
    while tapes.iter().all(|tape| frames(&tape.path)[0].2 != sent[0]) {
        tapes.push(recording.wait_until_closed());
    }
    tapes.extend(recording.end());
    let of_game = tapes.iter().position(|tape| frames(&tape.path)[0].2 == sent[0]).unwrap();
    assert_is_what_was_sent(&tapes.remove(of_game), &sent);
    assert!(!tapes.is_empty(), "no forged sender was recorded: the test proves nothing");
    for tape in &tapes {
        let found = frames(&tape.path);
        let sender = (1..=FORGED)
            .find(|number| forged(*number)[0] == found[0].2)
            .expect("a tape that begins with another packet");
        assert_is_what_was_sent(tape, &forged(sender));
    }
}

/// A clock whose UTC is set by hours, forwards and back, whenever it is read.
struct SetClock {
    real: RealClock,
    reads: AtomicI64,
}

impl Clock for SetClock {
    fn now_ns(&self) -> u64 {
        self.real.now_ns()
    }

    fn utc_ns(&self) -> i64 {
        const HOUR_NS: i64 = 3_600_000_000_000;
        let reads = self.reads.fetch_add(1, Ordering::Relaxed);
        self.real.utc_ns() + if reads % 2 == 0 { 5 * HOUR_NS } else { -7 * HOUR_NS }
    }

    fn time_of(&self, moment: Instant) -> u64 {
        self.real.time_of(moment)
    }

    fn sleep_until_ns(&self, moment_ns: u64) {
        self.real.sleep_until_ns(moment_ns);
    }
}

#[test]
fn a_wall_clock_that_is_set_moves_no_datagram() {
    let folder = tempfile::tempdir().unwrap();
    let clock = Arc::new(SetClock { real: RealClock::start(), reads: AtomicI64::new(0) });
    let recording = Recording::with_clock(folder.path(), here(), 1, clock);
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sent = session(7, 0..100);
    let start = Instant::now();
    send_all(&sent, &game, recording.address);
    let longest = start.elapsed();
    drop(game);
    let tape = recording.wait_until_closed();
    recording.end();
    let found = frames(&tape.path);
    assert!(found.iter().map(|(_, _, bytes)| bytes).eq(&sent));
    assert!(found.is_sorted_by(|(_, one, _), (_, two, _)| one < two));
    let span_ns = found[found.len() - 1].1 - found[0].1;
    assert!(u128::from(span_ns) <= longest.as_nanos() + 1_000_000_000, "{span_ns} ns of {longest:?}");
}

/// Other systems do not say what they drop.
#[test]
#[cfg(target_os = "linux")]
fn a_recorder_that_stalls_counts_what_it_loses_and_keeps_the_order() {
    let settings = here();
    let mut source = UdpSource::of_senders(&settings, None, &Prefix::default(), 1).remove(0);
    let address = source.listen().unwrap()[0];
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    // More than the queue holds, while nobody reads it.
    const SENT: u32 = 28_000;
    game.send_to(&packet(1, 7, 0), address).unwrap();
    for number in 1..SENT {
        game.send_to(&packet(6, 7, number), address).unwrap();
    }
    let clock = RealClock::start();
    let (mut batch, mut numbers, mut lost) = (Batch::default(), Vec::new(), 0);
    let mut extra = 0_u64;
    let until = Instant::now() + Duration::from_secs(60);
    while numbers.len() as u64 + lost < u64::from(SENT) + extra {
        assert!(Instant::now() < until, "{} taken, {lost} lost, of {}", numbers.len(), u64::from(SENT) + extra);
        source.read(&clock, &mut batch).unwrap();
        for frame in batch.frames() {
            assert!(matches!(frame.bytes.len(), 753 | 1352));
            numbers.push(u32::from_le_bytes(*frame.bytes[19..].first_chunk().unwrap()));
        }
        lost += batch.counters().iter().map(|counters| counters.missed + counters.dropped).sum::<u64>();
        // The system tells what it dropped only with a later datagram.
        if batch.is_empty() {
            extra += 1;
            game.send_to(&packet(6, 7, SENT + extra as u32), address).unwrap();
        }
        batch.clear();
    }
    assert!(numbers.is_sorted_by(|one, two| one < two), "out of order, or twice");
    assert!(lost > 0, "everything found room: the test proves nothing");
    println!("{} taken, {lost} lost and counted", numbers.len());
}

#[test]
fn a_burst_that_is_larger_than_the_journals_is_recorded_whole() {
    let folder = tempfile::tempdir().unwrap();
    let place = Some(Destination::Folder(folder.path().to_owned()));
    // Two journals of this size are prepared: they hold a tenth of this. Larger ones take the encoder a moment.
    let options = RecordOptions { journal_bytes: 32 << 10, ..RecordOptions::new(place) };
    let recording = Recording::with_options(options, here(), 1, Arc::new(RealClock::start()));
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    let some = traffic(find_game("forza-horizon").unwrap(), 0).datagrams;
    let sent: Vec<Vec<u8>> = std::iter::repeat_n(some, 10).flatten().collect();
    for some in sent.chunks(50) {
        for datagram in some {
            game.send_to(datagram, recording.address).unwrap();
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(game);
    let tape = recording.wait_until_closed();
    assert!(recording.end().is_empty());
    assert_eq!(tape.loss.dropped, 0);
    assert_is_what_was_sent(&tape, &sent);
}

/// Set for the process that has a network of its own.
#[cfg(target_os = "linux")]
const IN_NAMESPACE: &str = "GAMETAPE_TEST_NETWORK_NAMESPACE";
#[cfg(target_os = "linux")]
const INTERFACE_TEST: &str = "an_interface_that_goes_away_and_comes_back_ends_nothing";

#[test]
#[cfg(target_os = "linux")]
fn an_interface_that_goes_away_and_comes_back_ends_nothing() {
    if std::env::var_os(IN_NAMESPACE).is_some() {
        return with_an_interface_that_goes_away();
    }
    let ip = "ip address add 10.213.7.1/32 dev lo && ip link set lo up";
    // Root needs no user namespace, and is not always allowed to make one.
    let namespace = |user: &[&str], script: &str| {
        let mut command = Command::new("unshare");
        command.args(user).args(["--net", "sh", "-c", script]);
        command
    };
    let works = |user: &&[&str]| namespace(user, ip).output().is_ok_and(|output| output.status.success());
    let ways: [&[&str]; 2] = [&["--user", "--map-root-user"], &[]];
    let Some(user) = ways.into_iter().find(works) else {
        return skip(INTERFACE_TEST, "no network namespaces, or no `ip`");
    };
    let program = std::env::current_exe().unwrap();
    let mut command = namespace(user, &format!("{ip} && exec \"$0\" --exact \"$1\" --nocapture"));
    let output =
        command.arg(program).arg(format!("udp_hostile::{INTERFACE_TEST}")).env(IN_NAMESPACE, "1").output().unwrap();
    let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
}

/// The test itself, in a network namespace with the interface.
#[cfg(target_os = "linux")]
fn with_an_interface_that_goes_away() {
    let folder = tempfile::tempdir().unwrap();
    let listen: Vec<SocketAddr> = vec!["10.213.7.1:0".parse().unwrap()];
    let recording = Recording::start(folder.path(), UdpSettings { listen, ..here() }, 1);
    let game = UdpSocket::bind("0.0.0.0:0").unwrap();
    let sent = session(7, 0..60);
    let ip = |arguments: &[&str]| assert!(Command::new("ip").args(arguments).status().unwrap().success());
    let (begin, rest) = sent.split_at(150);
    send_all(begin, &game, recording.address);
    recording.wait_until_it_records();
    ip(&["address", "delete", "10.213.7.1/32", "dev", "lo"]);
    ip(&["link", "set", "lo", "down"]);
    assert!(game.send_to(b"nobody", recording.address).is_err(), "the interface is still there");
    ip(&["link", "set", "lo", "up"]);
    ip(&["address", "add", "10.213.7.1/32", "dev", "lo"]);
    send_all(rest, &game, recording.address);
    drop(game);
    let tape = recording.wait_until_closed();
    assert!(recording.end().is_empty());
    assert_is_what_was_sent(&tape, &sent);
    assert_eq!(frames(&tape.path).len(), sent.len(), "the socket is deaf");
}

#[test]
fn a_port_that_forwards_to_nobody_goes_on_receiving() {
    let folder = tempfile::tempdir().unwrap();
    // Some systems report at the next call that nobody listened there.
    let closed = UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = UdpSettings { forward: vec![closed], ..here() };
    let recording = Recording::start(folder.path(), settings, 1);
    let game = UdpSocket::bind("127.0.0.1:0").unwrap();
    let sent = session(7, 0..40);
    send_all(&sent, &game, recording.address);
    drop(game);
    let tape = recording.wait_until_closed();
    assert!(recording.end().is_empty());
    assert!(frames(&tape.path).iter().map(|(_, _, bytes)| bytes).eq(&sent));
    assert!(Path::new(&tape.path).exists());
}
