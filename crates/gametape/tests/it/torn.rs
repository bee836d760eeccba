//! Copies memory that is being written: with the copy rules only complete frames are accepted, without them torn ones are found.
#![cfg(any(target_os = "linux", windows))]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]
use crate::game;

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use game::iracing::{Memory, is_whole};
use game::{Game, prefix};
use gametape::capture::{Batch, IracingSource, PageSource, RealClock, Source as _};
use gametape::games::iracing::{HEADER_BYTES, LiveMap, SECTION};
use gametape::games::{self, ASSETTO_CORSA_FAMILY, CopyRule, Frame as _, Stream, acc};
use gametape::sys::{Prefix, SectionReader, SectionWriter, wake_exactly};

/// Number of copies of each kind: a million in total with `./scripts/test long`, fewer in an ordinary run.
fn copies() -> u64 {
    if std::env::var_os("GAMETAPE_LONG").is_some() { 500_000 } else { 40_000 }
}

/// Runs one test at a time: two racing threads need the machine for themselves.
static ALONE: Mutex<()> = Mutex::new(());

/// Runs `read` while `write` is called continuously.
fn against_a_writer<T>(mut write: impl FnMut() + Send, read: impl FnOnce() -> T) -> T {
    let _alone = ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !done.load(Ordering::Relaxed) {
                write();
            }
        });
        let result = read();
        done.store(true, Ordering::Relaxed);
        result
    })
}

fn million_copies(begin_counts: bool) {
    let prefix = prefix("million");
    let mut memory = Memory::start(&prefix, 3, begin_counts);
    memory.step();
    memory.connected(true);
    let mut source = IracingSource::new(prefix.clone(), None);
    let (clock, mut batch) = (RealClock::start(), Batch::default());
    let (copies, mut accepted, mut refused, mut last) = (copies(), 0_u64, 0_u64, 0);
    against_a_writer(
        || memory.step(),
        || {
            while accepted + refused < copies {
                source.read(&clock, &mut batch).unwrap();
                for frame in batch.frames().filter(|frame| frame.stream == 0) {
                    assert!(is_whole(frame.bytes), "torn after {accepted} whole ones");
                    let tick = i32::from_le_bytes(*frame.bytes.first_chunk().unwrap());
                    assert!(tick > last, "{tick} after {last}");
                    last = tick;
                    accepted += 1;
                }
                refused += batch.counters().first().unwrap().torn;
                batch.clear();
            }
        },
    );
    eprintln!("iRacing, begin counts {begin_counts}: {accepted} rows accepted, {refused} copies refused, none torn");
    assert!(accepted > 1000, "{accepted} rows are too few to say anything");
}

#[test]
fn iracing_rows_with_begin_counts_are_never_torn() {
    million_copies(true);
}

#[test]
fn iracing_rows_without_begin_counts_are_never_torn() {
    million_copies(false);
}

#[test]
fn control_iracing_rows_are_torn_when_nobody_asks() {
    let prefix = prefix("control");
    let mut memory = Memory::start(&prefix, 3, true);
    memory.step();
    memory.connected(true);
    let section = SectionReader::open(&prefix.section(SECTION)).unwrap().unwrap();
    let torn = against_a_writer(
        || memory.step(),
        || {
            let (mut front, mut row, mut torn) = ([0; HEADER_BYTES], vec![0; game::iracing::ROW_BYTES], 0);
            for _ in 0..copies() {
                section.copy(0, &mut front).unwrap();
                let map = LiveMap::read(&front, section.len().unwrap()).unwrap().unwrap();
                let newest = map.buffers().iter().max_by_key(|buffer| buffer.tick).unwrap();
                section.copy(newest.offset, &mut row).unwrap();
                torn += u64::from(!is_whole(&row));
                if torn > 10 {
                    break;
                }
            }
            torn
        },
    );
    assert!(torn > 0, "the test cannot tell");
}

/// Number of bytes of the physics page that are written at once.
const PIECE: usize = 40;
/// Time that writing a page takes.
const PAGE_TIME: Duration = Duration::from_micros(20);
/// A write that took longer was preempted by the scheduler; the copy rule does not cover such a writer.
const INTERRUPTED: Duration = Duration::from_micros(45);

/// A game that writes its physics page from the first byte to the last, at a fixed rate.
struct SlowWriter {
    section: SectionWriter,
    period: Duration,
    next: Instant,
    packet: i32,
    interrupted: Mutex<BTreeSet<i32>>,
}

impl SlowWriter {
    fn new(prefix: &Prefix, hz: u32) -> Self {
        let section = SectionWriter::create(&prefix.section("acpmf_physics"), 2048).unwrap();
        let period = Duration::from_secs(1) / hz;
        Self { section, period, next: Instant::now(), packet: 0, interrupted: Mutex::default() }
    }

    fn step(&mut self) {
        gametape::sys::sleep_until(self.next);
        self.next = (self.next + self.period).max(Instant::now());
        self.packet += 1;
        let mut page = vec![self.packet as u8; acc_physics_bytes()];
        page[..4].copy_from_slice(&self.packet.to_le_bytes());
        let pieces = u32::try_from(page.len().div_ceil(PIECE)).unwrap();
        let start = Instant::now();
        for (number, piece) in (0_u32..).zip(page.chunks(PIECE)) {
            while start.elapsed() < PAGE_TIME * number / pieces {
                std::hint::spin_loop();
            }
            self.section.write(u64::from(number) * PIECE as u64, piece).unwrap();
        }
        if start.elapsed() > INTERRUPTED {
            self.interrupted.lock().unwrap().insert(self.packet);
        }
    }
}

fn acc_physics_bytes() -> usize {
    size_of::<gametape::games::acc::Physics>()
}

fn whole_page(page: &[u8]) -> bool {
    page.iter().skip(4).all(|byte| Some(byte) == page.first())
}

/// The game without its copy rule: every read is accepted as complete.
static WITHOUT_RULE: [games::Game; 1] = [games::Game {
    streams: &[
        Stream { copy_rule: CopyRule::Whole, ..acc::PHYSICS },
        Stream { copy_rule: CopyRule::Whole, ..acc::GRAPHICS },
        Stream { copy_rule: CopyRule::Whole, ..acc::STATIC },
    ],
    ..acc::GAME
}];

/// Reads frames for a while. Returns the number of accepted frames, the packets of torn ones except for preempted writes, and the
/// number of rejected copies.
fn take_frames(games: &'static [games::Game], hz: u32, frames: u64) -> (u64, Vec<i32>, u64) {
    let prefix = prefix("pages");
    let mut game = Game::start(&prefix);
    game.status(2);
    let mut writer = SlowWriter::new(&prefix, hz);
    let mut source = PageSource::new(games, prefix, 1000);
    let (clock, mut batch) = (RealClock::start(), Batch::default());
    let (mut accepted, mut torn, mut last, mut refused) = (0, Vec::new(), 0, 0);
    wake_exactly();
    let start = Instant::now();
    against_a_writer(
        || writer.step(),
        || {
            while accepted < frames && start.elapsed() < Duration::from_secs(1200) {
                source.read(&clock, &mut batch).unwrap();
                for frame in batch.frames().filter(|frame| frame.stream == 0) {
                    let packet = i32::from_le_bytes(*frame.bytes.first_chunk().unwrap());
                    if packet != last {
                        accepted += 1;
                        if !whole_page(frame.bytes) {
                            torn.push(packet);
                        }
                    }
                    last = packet;
                }
                refused += batch.counters().first().map_or(0, |counters| counters.torn);
                batch.clear();
                std::thread::sleep(Duration::from_micros(100));
            }
        },
    );
    let interrupted = writer.interrupted.into_inner().unwrap();
    let by_rule = torn.iter().filter(|packet| !interrupted.contains(packet)).copied().collect();
    eprintln!(
        "AC family, writer at {hz} Hz: {accepted} frames accepted, {refused} copies refused, {} torn; {} writes were interrupted by the system, {} torn frames are theirs",
        torn.len(),
        interrupted.len(),
        torn.iter().filter(|packet| interrupted.contains(packet)).count(),
    );
    (accepted, by_rule, refused)
}

#[test]
fn pages_without_a_lock_are_torn_at_most_once_in_ten_thousand() {
    assert_eq!(gametape::games::acc::Physics::stream().stream.name, "physics");
    let (mut accepted, mut torn, mut refused) = (0, Vec::new(), 0);
    for (hz, frames) in [(333, 2000), (1000, 8000)] {
        let taken = take_frames(ASSETTO_CORSA_FAMILY, hz, frames);
        accepted += taken.0;
        torn.extend(taken.1);
        refused += taken.2;
    }
    assert!(accepted >= 10_000, "{accepted} frames are too few to say anything");
    assert!(refused > 0, "the reader never met the writer: the test says nothing");
    assert!(torn.len() as u64 <= accepted / 10_000, "{torn:?} of {accepted}");
}

#[test]
fn control_pages_are_torn_when_the_rule_is_switched_off() {
    let (accepted, torn, _) = take_frames(&WITHOUT_RULE, 1000, 8000);
    assert!(torn.len() as u64 > accepted / 10_000, "{} torn of {accepted}: the test above cannot tell", torn.len());
}
