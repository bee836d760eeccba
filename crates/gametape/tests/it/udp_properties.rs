//! Any sequence of datagrams: each one that is known is in the stream of its kind, in order, and to the byte.
use crate::datagrams::{all_kinds, recorded, udp_games};
use crate::udp::here;

use std::collections::BTreeMap;
use std::net::{SocketAddr, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::{Duration, Instant};

use gametape::Prefix;
use gametape::capture::{Batch, RealClock, Source as _, UdpSource};
use gametape::games::{Game, find_game};
use proptest::prelude::*;

/// Frames by game and stream, in the order in which they were taken.
type Taken = BTreeMap<(String, String), Vec<Vec<u8>>>;

/// Datagrams of all kinds, each with its game.
static POOL: LazyLock<Vec<(&'static Game, Vec<u8>)>> = LazyLock::new(|| {
    let some = |traffic: crate::datagrams::Traffic| {
        let game = traffic.game;
        // One of each kind comes first; the others differ in their values.
        traffic.datagrams.into_iter().take(40).map(move |datagram| (game, datagram))
    };
    all_kinds().into_iter().flat_map(some).collect()
});

/// What is sent next.
#[derive(Debug, Clone)]
enum Next {
    /// A datagram of the pool.
    Known(usize),
    /// A part of one, or one with more bytes.
    Cut(usize, usize),
    /// Any bytes.
    Any(Vec<u8>),
}

impl Next {
    fn datagram(&self) -> Vec<u8> {
        let known = |index: &usize| POOL[index % POOL.len()].1.clone();
        match self {
            Self::Known(index) => known(index),
            Self::Cut(index, length) => {
                let mut bytes = known(index);
                bytes.resize(length % 1500, 0);
                bytes
            }
            Self::Any(bytes) => bytes.clone(),
        }
    }
}

fn next() -> impl Strategy<Value = Next> {
    prop_oneof![
        6 => any::<usize>().prop_map(Next::Known),
        1 => (any::<usize>(), any::<usize>()).prop_map(|(index, length)| Next::Cut(index, length)),
        1 => proptest::collection::vec(any::<u8>(), 0..1500).prop_map(Next::Any),
    ]
}

/// Returns whether a stream is expected: not that of other datagrams, nor answers to requests, which wait until a car is driven.
fn is_expected(game: &str, stream: &str) -> bool {
    let protocol = find_game(game).and_then(|game| game.rules.requests());
    stream != "other" && !protocol.is_some_and(|protocol| protocol.is_answer(stream))
}

/// Takes what arrives, for as long as the tests run.
struct Taking {
    address: SocketAddr,
    taken: Arc<Mutex<Taken>>,
    stop: Arc<AtomicBool>,
    threads: Vec<std::thread::JoinHandle<()>>,
}

impl Taking {
    /// With a place for every game.
    fn start() -> Self {
        let mut sources = UdpSource::of_senders(&here(), None, &Prefix::default(), udp_games().count());
        let address = sources[0].listen().unwrap()[0];
        let (taken, stop) = (Arc::<Mutex<Taken>>::default(), Arc::<AtomicBool>::default());
        let take = |mut source: UdpSource| {
            let (taken, stop) = (Arc::clone(&taken), Arc::clone(&stop));
            std::thread::spawn(move || {
                let (clock, mut batch) = (RealClock::start(), Batch::default());
                while !stop.load(Ordering::Relaxed) {
                    source.read(&clock, &mut batch).unwrap();
                    let mut taken = taken.lock().unwrap();
                    for frame in batch.frames() {
                        let description = batch.description();
                        let key = (description.game.clone(), description.streams[frame.stream].name.clone());
                        taken.entry(key).or_default().push(frame.bytes.to_vec());
                    }
                    batch.clear();
                }
            })
        };
        let threads = sources.into_iter().map(take).collect();
        Self { address, taken, stop, threads }
    }

    /// Waits until this many known datagrams were taken, and returns them.
    fn wait_for(&self, count: usize) -> Taken {
        let until = Instant::now() + Duration::from_secs(60);
        loop {
            let mut taken = self.taken.lock().unwrap();
            let known = taken.iter().filter(|((game, stream), _)| is_expected(game, stream));
            let found = known.map(|(_, frames)| frames.len()).sum::<usize>();
            if found >= count {
                taken.retain(|(game, stream), _| is_expected(game, stream));
                return std::mem::take(&mut *taken);
            }
            assert!(Instant::now() < until, "{found} of {count} were taken");
            drop(taken);
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Taking {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.drain(..).for_each(|thread| thread.join().unwrap());
    }
}

#[test]
fn every_known_datagram_is_in_the_stream_of_its_kind_in_order_and_to_the_byte() {
    // Not within the property: what cannot be made fails once.
    assert!(!POOL.is_empty());
    let taking = Taking::start();
    let sender = UdpSocket::bind("127.0.0.1:0").unwrap();
    let cases = if std::env::var_os("GAMETAPE_LONG").is_some() { 2_000 } else { 60 };
    let config =
        ProptestConfig { cases, failure_persistence: None, max_shrink_iters: 200, ..ProptestConfig::default() };
    proptest!(config, |(sequence in proptest::collection::vec(next(), 1..60))| {
        let mut expected = Taken::new();
        for datagram in sequence.iter().map(Next::datagram) {
            let known = udp_games().find_map(|game| Some((game, recorded(game, &datagram)?)));
            if let Some((game, (stream, frame))) = known.filter(|(game, (stream, _))| is_expected(game.id, stream)) {
                expected.entry((game.id.to_owned(), stream.to_owned())).or_default().push(frame);
            }
            sender.send_to(&datagram, taking.address).unwrap();
        }
        let taken = taking.wait_for(expected.values().map(Vec::len).sum());
        for (key, frames) in &expected {
            let found = taken.get(key).map(Vec::as_slice).unwrap_or_default();
            prop_assert!(found == frames, "{key:?}: {} sent, {} taken", frames.len(), found.len());
        }
        prop_assert_eq!(taken.len(), expected.len());
    });
}
