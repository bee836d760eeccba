//! Copies sections of rFactor 2 and Le Mans Ultimate while a writer follows the protocol of the game, with pauses in the middle: with the copy rules no
//! frame is torn, without them torn ones are found.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr)]
use crate::game::prefix;
use crate::shared_sections::{EXTENDED, LMU, LOCK, SCORING, TELEMETRY};

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use gametape::capture::{Batch, PageSource, RealClock, Source as _};
use gametape::games::{CopyRule, Game, Stream, le_mans_ultimate, rfactor_2};
use gametape::sys::{Prefix, SectionWriter, wake_exactly};
use gametape_simulator::{RFactor2Pages, Race, RaceSettings};

/// Number of writes: those of a race of hours with `./scripts/test long`.
fn writes(long: u64) -> u64 {
    if std::env::var_os("GAMETAPE_LONG").is_some() { long } else { long / 250 }
}

/// How the writer guards its page.
enum Guard {
    Versions,
    Lock(SectionWriter),
    None,
}

/// Writes pages whose words after `from` are all the number of the write, in pieces, with pauses of up to 200 µs in the middle and in between.
struct Writer {
    section: SectionWriter,
    guard: Guard,
    page: Vec<u8>,
    from: usize,
    number: u32,
    noise: u64,
}

impl Writer {
    fn pause(&mut self) {
        self.noise ^= self.noise << 13;
        self.noise ^= self.noise >> 7;
        self.noise ^= self.noise << 17;
        let until = Instant::now() + Duration::from_micros(self.noise % 201);
        while Instant::now() < until {
            std::hint::spin_loop();
        }
    }

    fn step(&mut self) {
        self.number += 1;
        let number = self.number.to_le_bytes();
        self.page[self.from..].chunks_exact_mut(4).for_each(|word| word.copy_from_slice(&number));
        match &self.guard {
            Guard::Versions => self.section.write(0, &number).unwrap(),
            Guard::Lock(lock) => lock.write(4, &1_u32.to_le_bytes()).unwrap(),
            Guard::None => {}
        }
        let half = (self.from + (self.page.len() - self.from) / 2).next_multiple_of(4);
        self.section.write(self.from as u64, &self.page[self.from..half]).unwrap();
        self.pause();
        self.section.write(half as u64, &self.page[half..]).unwrap();
        match &self.guard {
            Guard::Versions => self.section.write(4, &number).unwrap(),
            Guard::Lock(lock) => lock.write(4, &0_u32.to_le_bytes()).unwrap(),
            Guard::None => {}
        }
        self.pause();
    }
}

/// What was read while the writer wrote.
#[derive(Debug, Default)]
struct Found {
    reads: u64,
    /// Reads that gave a new frame.
    frames: u64,
    torn: u64,
}

/// Reads at 1000 Hz while the writer writes so many times, and compares the words of all telemetry of vehicles.
fn read_against(game: &'static [Game], prefix: Prefix, mut writer: Writer, writes: u64) -> Found {
    let mut source = PageSource::new(game, prefix, 1000);
    let (clock, mut batch, mut found) = (RealClock::start(), Batch::default(), Found::default());
    let (done, written) = (AtomicBool::new(false), AtomicU64::new(0));
    wake_exactly();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..writes {
                writer.step();
                written.fetch_add(1, Ordering::Relaxed);
            }
            done.store(true, Ordering::Relaxed);
        });
        let mut next = Instant::now();
        let mut last = 0;
        while !done.load(Ordering::Relaxed) {
            next = (next + Duration::from_millis(1)).max(Instant::now());
            gametape::sys::sleep_until(next);
            batch.clear();
            source.read(&clock, &mut batch).unwrap();
            found.reads += 1;
            let streams = &batch.description().streams;
            let is_written = |at: usize| streams.get(at).is_some_and(|spec| spec.name.starts_with("telemetry_cars"));
            let words = batch
                .frames()
                .filter(|frame| is_written(frame.stream))
                .flat_map(|frame| frame.bytes.chunks_exact(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())));
            let words: Vec<u32> = words.collect();
            let Some(first) = words.first().copied().filter(|number| *number > 0 && *number != last) else { continue };
            last = first;
            found.frames += 1;
            found.torn += u64::from(words.iter().any(|word| *word != first));
        }
    });
    found
}

/// A race in the sections of the game, of which the telemetry is overwritten by the writer.
fn rfactor_2_sections(prefix: &Prefix) -> (RFactor2Pages, Vec<SectionWriter>) {
    let mut race = Race::new(RaceSettings { cars: 2, ..RaceSettings::default() });
    let mut pages = RFactor2Pages::default();
    race.step();
    race.write_rfactor_2(&mut pages);
    let create = |(name, page): (&str, &Vec<u8>)| {
        let section = SectionWriter::create(&prefix.section(name), page.len() as u64).unwrap();
        section.write(0, page).unwrap();
        section
    };
    let named = [(SCORING, &pages.scoring), (EXTENDED, &pages.extended), (TELEMETRY, &pages.telemetry)];
    let sections = named.map(create).into();
    (pages, sections)
}

fn rfactor_2_telemetry(game: &'static [Game], writes: u64) -> Found {
    let prefix = prefix("torn-rf2");
    let (pages, mut sections) = rfactor_2_sections(&prefix);
    let section = sections.pop().unwrap();
    let writer = Writer { section, guard: Guard::Versions, page: pages.telemetry, from: 8, number: 10, noise: 77 };
    let found = read_against(game, prefix.clone(), writer, writes);
    sections.into_iter().for_each(|section| section.remove().unwrap());
    remove(&prefix, TELEMETRY);
    found
}

fn remove(prefix: &Prefix, name: &str) {
    let _ = std::fs::remove_file(std::path::Path::new("/dev/shm").join(prefix.section(name)));
}

/// The telemetry of Le Mans Ultimate is overwritten from its first vehicle on, with or without the lock.
fn le_mans_ultimate_page(game: &'static [Game], writes: u64, has_lock: bool) -> Found {
    let prefix = prefix("torn-lmu");
    let mut race = Race::new(RaceSettings { cars: 2, ..RaceSettings::default() });
    let mut page = vec![0; 324_820];
    race.step();
    race.write_lmu(&mut page);
    let section = SectionWriter::create(&prefix.section(LMU), 505_000).unwrap();
    section.write(0, &page).unwrap();
    let lock = has_lock.then(|| SectionWriter::create(&prefix.section(LOCK), 8).unwrap());
    let guard = lock.map_or(Guard::None, Guard::Lock);
    let writer = Writer { section, guard, page, from: 128_468, number: 10, noise: 99 };
    let found = read_against(game, prefix.clone(), writer, writes);
    [LMU, LOCK].into_iter().for_each(|name| remove(&prefix, name));
    found
}

fn say(what: &str, found: &Found) {
    let Found { reads, frames, torn } = found;
    eprintln!("{what}: {reads} reads, {frames} frames, {torn} torn");
}

const WHOLE: CopyRule = CopyRule::Whole;

static RFACTOR_2: [Game; 1] = [rfactor_2::GAME];
static RFACTOR_2_WITHOUT_RULE: [Game; 1] = [Game {
    streams: &[
        Stream { copy_rule: WHOLE, ..rfactor_2::EXTENDED },
        Stream { copy_rule: WHOLE, ..rfactor_2::SCORING_STREAM },
        Stream { copy_rule: WHOLE, ..rfactor_2::SCORING_CARS_STREAM },
        Stream { copy_rule: WHOLE, ..rfactor_2::TELEMETRY_STREAM },
        Stream { copy_rule: WHOLE, ..rfactor_2::TELEMETRY_CARS[0] },
        Stream { copy_rule: WHOLE, ..rfactor_2::TELEMETRY_CARS[1] },
        Stream { copy_rule: WHOLE, ..rfactor_2::TELEMETRY_CARS[2] },
        Stream { copy_rule: WHOLE, ..rfactor_2::TELEMETRY_CARS[3] },
    ],
    ..rfactor_2::GAME
}];
static LE_MANS_ULTIMATE: [Game; 1] = [le_mans_ultimate::GAME];
static LE_MANS_ULTIMATE_WITHOUT_RULE: [Game; 1] = [Game {
    streams: &[
        Stream { copy_rule: WHOLE, ..le_mans_ultimate::HEADER },
        Stream { copy_rule: WHOLE, ..le_mans_ultimate::SCORING_STREAM },
        Stream { copy_rule: WHOLE, ..le_mans_ultimate::SCORING_CARS_STREAM },
        Stream { copy_rule: WHOLE, ..le_mans_ultimate::TELEMETRY_CARS[0] },
        Stream { copy_rule: WHOLE, ..le_mans_ultimate::TELEMETRY_CARS[1] },
        Stream { copy_rule: WHOLE, ..le_mans_ultimate::TELEMETRY_CARS[2] },
        Stream { copy_rule: WHOLE, ..le_mans_ultimate::TELEMETRY_CARS[3] },
    ],
    ..le_mans_ultimate::GAME
}];

#[test]
fn sections_with_version_words_and_sections_with_a_lock_are_never_torn() {
    let rfactor_2 = rfactor_2_telemetry(&RFACTOR_2, writes(1_000_000));
    say("rFactor 2, version words", &rfactor_2);
    let lmu = le_mans_ultimate_page(&LE_MANS_ULTIMATE, writes(200_000), true);
    say("Le Mans Ultimate, lock", &lmu);
    for found in [rfactor_2, lmu] {
        assert_eq!(found.torn, 0, "{found:?}");
        assert!(found.frames * 10 >= found.reads && found.frames > 20, "too few frames: {found:?}");
    }
}

#[test]
fn without_the_lock_of_le_mans_ultimate_the_share_of_torn_frames_is_told() {
    let found = le_mans_ultimate_page(&LE_MANS_ULTIMATE, writes(200_000), false);
    say("Le Mans Ultimate, two equal copies without the lock", &found);
    assert!(found.frames > 0, "{found:?}");
}

#[test]
fn control_sections_are_torn_when_the_rules_are_switched_off() {
    for found in [
        rfactor_2_telemetry(&RFACTOR_2_WITHOUT_RULE, writes(200_000)),
        le_mans_ultimate_page(&LE_MANS_ULTIMATE_WITHOUT_RULE, writes(200_000), true),
    ] {
        say("rule off", &found);
        assert!(found.torn > 0, "the test above cannot tell: {found:?}");
    }
}
