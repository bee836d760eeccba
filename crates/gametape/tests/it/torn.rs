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

/// A page of a game whose writer follows the game's own protocol.
pub(crate) struct RacedPage {
    /// The game as it is recorded.
    pub(crate) games: &'static [games::Game],
    /// A page of the game while it drives.
    pub(crate) page: Vec<u8>,
    /// Offset of the number that changes with every page, and the step from one page to the next.
    pub(crate) number: (usize, u32),
    /// Marks the page as being written, or as complete, with the number; `None` if the game has no lock.
    pub(crate) lock: Option<fn(&SectionWriter, number: u32, is_writing: bool)>,
    /// Offsets at which the writer repeats the number, to tell torn pages from complete ones.
    pub(crate) stamps: Vec<usize>,
    /// The writer also pauses in the middle of a page.
    pub(crate) pauses_inside: bool,
}

/// What a race between a writer and a recorder gave.
#[derive(Debug, Default)]
pub(crate) struct Raced {
    pub(crate) writes: u64,
    pub(crate) reads: u64,
    /// Reads that gave a new frame.
    pub(crate) frames: u64,
    /// Torn frames, except for pages whose write the system interrupted.
    pub(crate) torn: u64,
    /// Torn frames of writes that the system interrupted: no rule without a lock covers them.
    pub(crate) interrupted: u64,
    pub(crate) refused: u64,
}

/// Number of writes: a million with `./scripts/test long`, fewer in an ordinary run.
pub(crate) fn writes() -> u64 {
    if std::env::var_os("GAMETAPE_LONG").is_some() { 1_000_000 } else { 10_000 }
}

/// Longest pause of a writer.
const LONGEST_PAUSE_NS: u64 = 200_000;

/// Writes pages with pauses of 0 to 200 µs, while a recorder reads them at 1000 Hz.
pub(crate) fn race(raced: &RacedPage, writes: u64) -> Raced {
    let prefix = prefix("raced");
    let stream = raced.games[0].streams.iter().find(|stream| stream.section().is_some()).unwrap();
    let bytes = u64::from(stream.section_bytes().unwrap());
    let section = SectionWriter::create(&prefix.section(stream.section().unwrap()), bytes).unwrap();
    let (at, step) = raced.number;
    let (mut number, mut random, mut page) = (0_u32, 0x9E37_79B9_7F4A_7C15_u64, raced.page.clone());
    let mut pause = move || {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let until = Instant::now() + Duration::from_nanos(random % LONGEST_PAUSE_NS);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
        random
    };
    let done = std::sync::atomic::AtomicU64::new(0);
    let interrupted = Mutex::new(BTreeSet::new());
    let mut write = || {
        number = number.wrapping_add(step);
        for place in raced.stamps.iter().chain([&at]) {
            page[*place..*place + 4].copy_from_slice(&number.to_le_bytes());
        }
        let mark = |is_writing: bool| raced.lock.iter().for_each(|lock| lock(&section, number, is_writing));
        let start = Instant::now();
        mark(true);
        // The number of a page with a lock is written with the lock.
        let pieces: Vec<&[u8]> = page.chunks(page.len().div_ceil(8)).collect();
        let pauses_before = if raced.pauses_inside { pause() % pieces.len() as u64 } else { u64::MAX };
        let mut offset = 0;
        for (index, piece) in (0_u64..).zip(&pieces) {
            if index == pauses_before {
                pause();
            }
            write_around(&section, offset, piece, raced.lock.map(|_| at));
            offset += piece.len();
        }
        mark(false);
        if !raced.pauses_inside && start.elapsed() > INTERRUPTED {
            interrupted.lock().unwrap().insert(number);
        }
        done.fetch_add(1, Ordering::Relaxed);
        pause();
    };
    write();
    let mut source = PageSource::new(raced.games, prefix.clone(), 1000);
    let (clock, mut batch, mut result, mut last) = (RealClock::start(), Batch::default(), Raced::default(), None);
    let mut torn = Vec::new();
    wake_exactly();
    against_a_writer(write, || {
        let mut next = Instant::now();
        while done.load(Ordering::Relaxed) < writes {
            source.read(&clock, &mut batch).unwrap();
            result.reads += 1;
            for frame in batch.frames() {
                let number = |at: usize| u32::from_le_bytes(frame.bytes[at..at + 4].try_into().unwrap());
                if last.replace(number(at)) == Some(number(at)) {
                    continue;
                }
                result.frames += 1;
                if raced.stamps.iter().any(|stamp| number(*stamp) != number(at)) {
                    torn.push(number(at));
                }
            }
            result.refused += batch.counters().first().map_or(0, |counters| counters.torn);
            batch.clear();
            next = (next + Duration::from_millis(1)).max(Instant::now());
            gametape::sys::sleep_until(next);
        }
    });
    result.writes = done.into_inner();
    let interrupted = interrupted.into_inner().unwrap();
    // The number is written first or last, so the page that was being written is this one or the next.
    let is_interrupted = |number: &u32| [*number, number.wrapping_add(step)].iter().any(|of| interrupted.contains(of));
    result.interrupted = torn.iter().filter(|number| is_interrupted(number)).count() as u64;
    result.torn = torn.len() as u64 - result.interrupted;
    section.remove().unwrap();
    eprintln!(
        "{}, pauses inside a page {}: {} pages written; {} reads gave {} frames, {} of them torn, {} more in writes that the system interrupted; {} copies refused",
        raced.games[0].id,
        raced.pauses_inside,
        result.writes,
        result.reads,
        result.frames,
        result.torn,
        result.interrupted,
        result.refused,
    );
    result
}

/// Writes a piece of a page, except for the four bytes of a lock.
fn write_around(section: &SectionWriter, offset: usize, piece: &[u8], lock_at: Option<usize>) {
    let inside = lock_at.and_then(|at| at.checked_sub(offset)).filter(|at| at + 4 <= piece.len());
    let Some(at) = inside else { return section.write(offset as u64, piece).unwrap() };
    section.write(offset as u64, &piece[..at]).unwrap();
    section.write((offset + at + 4) as u64, &piece[at + 4..]).unwrap();
}
