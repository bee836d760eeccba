//! Records and plays games whose streams share a section: Le Mans Ultimate and rFactor 2, with real shared memory and the real recorder and player.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]
use crate::game;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use game::{Recording, prefix, wait_until};
use gametape::Tape;
use gametape::capture::{Destination, PageSource, RecordOptions, RecorderEvent, TapeSummary};
use gametape::format::read;
use gametape::games::{Game, find_game};
use gametape::play::Player;
use gametape::sys::{Prefix, SectionReader, SectionWriter};
use gametape::tape::{SectionPages, shared_sections};
use gametape_simulator::{RFactor2Pages, Race, RaceSettings};

pub(crate) const TELEMETRY: &str = "$rFactor2SMMP_Telemetry$";
pub(crate) const SCORING: &str = "$rFactor2SMMP_Scoring$";
pub(crate) const EXTENDED: &str = "$rFactor2SMMP_Extended$";
pub(crate) const LMU: &str = "LMU_Data";
pub(crate) const LOCK: &str = "LMU_SharedMemoryLockData";

/// A game that is raced, its sections, and everything that it wrote: a hash of each section after each step.
struct Raced {
    race: Race,
    sections: Vec<(&'static str, SectionWriter)>,
    lmu: Vec<u8>,
    rfactor_2: RFactor2Pages,
    written: Vec<Vec<(&'static str, u64)>>,
}

fn hash(page: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    page.hash(&mut hasher);
    hasher.finish()
}

impl Raced {
    fn start(prefix: &Prefix, sections: &[(&'static str, u64)]) -> Self {
        let create = |(name, bytes): &(&'static str, u64)| {
            (*name, SectionWriter::create(&prefix.section(name), *bytes).unwrap())
        };
        let race = Race::new(RaceSettings { cars: 30, ..RaceSettings::default() });
        let (lmu, rfactor_2) = (vec![0; 324_820], RFactor2Pages::default());
        Self { race, sections: sections.iter().map(create).collect(), lmu, rfactor_2, written: Vec::new() }
    }

    fn le_mans_ultimate(prefix: &Prefix) -> Self {
        // As a bridge makes it, and with the lock.
        Self::start(prefix, &[(LMU, 505_000), (LOCK, 8)])
    }

    fn rfactor_2(prefix: &Prefix) -> Self {
        Self::start(prefix, &[(TELEMETRY, 241_680), (SCORING, 75_312), (EXTENDED, 10_152)])
    }

    /// Writes the next step as the game does.
    fn step(&mut self) {
        self.race.step();
        self.race.write_lmu(&mut self.lmu);
        self.race.write_rfactor_2(&mut self.rfactor_2);
        let mut written = Vec::new();
        for (name, section) in &self.sections {
            let page = match *name {
                LMU => &self.lmu,
                TELEMETRY => &self.rfactor_2.telemetry,
                SCORING => &self.rfactor_2.scoring,
                EXTENDED => &self.rfactor_2.extended,
                _ => continue,
            };
            written.push((*name, hash(page)));
            if *name == LMU {
                self.busy(1);
                section.write(0, page).unwrap();
                self.busy(0);
            } else {
                section.write(0, &page[..4]).unwrap();
                section.write(8, &page[8..]).unwrap();
                section.write(4, &page[4..8]).unwrap();
            }
        }
        self.written.push(written);
    }

    fn busy(&self, busy: i32) {
        if let Some((_, lock)) = self.sections.iter().find(|(name, _)| *name == LOCK) {
            lock.write(4, &busy.to_le_bytes()).unwrap();
        }
    }

    /// Returns what was written to a section, without repetitions.
    fn written_to(&self, name: &str) -> Vec<u64> {
        let of = self.written.iter().flatten().filter(|(section, _)| *section == name).map(|(_, hash)| *hash);
        let mut hashes: Vec<u64> = of.collect();
        hashes.dedup();
        hashes
    }
}

impl Drop for Raced {
    fn drop(&mut self) {
        self.sections.drain(..).for_each(|(_, section)| section.remove().unwrap());
    }
}

fn record(game: &'static Game, prefix: &Prefix, folder: &Path) -> Recording {
    let source = PageSource::new(std::slice::from_ref(game), prefix.clone(), 1000);
    Recording::start(RecordOptions::new(Some(Destination::Folder(folder.into()))), source)
}

fn closed(told: &[RecorderEvent]) -> PathBuf {
    match told.last() {
        Some(RecorderEvent::Closed(TapeSummary { path, .. })) => path.clone(),
        other => panic!("{other:?}"),
    }
}

/// Waits until the recorder has read everything once more. Every read gives a frame of the first stream, changed or not; the next one may have begun
/// already, but not the one after it.
fn wait_for_a_read(recording: &Recording) {
    let reads = || recording.rows.load(Ordering::Relaxed);
    let before = reads();
    wait_until("the recorder reads", || reads() >= before + 2);
}

/// Races against a recorder: each step is written when the one before was taken.
fn race(raced: &mut Raced, game: &'static Game, prefix: &Prefix, folder: &Path, steps: usize) -> PathBuf {
    let recording = record(game, prefix, folder);
    wait_until("the tape begins", || {
        raced.step();
        std::thread::sleep(Duration::from_millis(3));
        recording.progress.is_recording() && recording.progress.numbers().frames > 0
    });
    for _ in 0..steps {
        raced.step();
        wait_for_a_read(&recording);
    }
    closed(&recording.end())
}

fn pages(tape: &read::Tape, section: &str) -> Vec<(u64, Vec<u8>)> {
    let mut pages = SectionPages::open(tape, section).unwrap();
    let mut found = Vec::new();
    while let Some((time_ns, page)) = pages.next().unwrap() {
        found.push((time_ns, page.to_vec()));
    }
    found
}

fn hashes(tape: &read::Tape, section: &str) -> Vec<u64> {
    pages(tape, section).iter().map(|(_, page)| hash(page)).collect()
}

/// The pages of a playback. Its sections are there, and empty, before their first frames.
fn copied_hashes(tape: &read::Tape, section: &str) -> Vec<u64> {
    let pages = pages(tape, section);
    let written = pages.iter().filter(|(_, page)| page.iter().any(|byte| *byte != 0));
    written.map(|(_, page)| hash(page)).collect()
}

/// Asserts that all pages are some that were written, in order, and that the last ones are all of those. Until the recorder has begun, it may miss some;
/// later ones only if it counts them.
#[track_caller]
fn assert_end_of(tape: &read::Tape, found: &[u64], all: &[u64], last: usize) {
    let mut rest = all.iter();
    let counted: Vec<String> = tape
        .streams()
        .map(|stream| format!("{} {} frames, {:?}", stream.name(), stream.totals().frames, stream.status().counters))
        .collect();
    for (number, page) in found.iter().enumerate() {
        let place = all.iter().position(|written| written == page);
        let before = number.checked_sub(1).map(|before| all.iter().position(|written| *written == found[before]));
        assert!(
            rest.any(|written| written == page),
            "page {number} of {}: written as {place:?}, after {before:?}; {counted:#?}",
            found.len()
        );
    }
    // A playback of a tape that lacks some has no more than the tape.
    let last = last.min(all.len() / 2);
    let dropped: u64 = tape.streams().map(|stream| stream.status().counters.dropped).sum();
    assert!(dropped > 0 || found.len() >= last, "{} of {last}", found.len());
    let end = found.len().checked_sub(last).map_or(found, |from| &found[from..]);
    assert!(dropped > 0 || all.ends_with(end), "not the last ones of {}", all.len());
}

/// Plays a tape and records the playback, step by step.
fn play_and_record(tape: &Path, game: &'static Game, folder: &Path) -> PathBuf {
    let prefix = prefix("replayed");
    let tape = Tape::open(tape).unwrap();
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    playing.step().unwrap();
    let recording = record(game, &prefix, folder);
    let seen = || recording.progress.numbers().frames;
    wait_until("the game is seen", || recording.progress.situation().state.is_some_and(|state| state.text() == "live"));
    playing.step().unwrap();
    wait_until("the tape begins", || recording.progress.is_recording() && seen() > 0);
    while playing.step().unwrap().is_some() {
        wait_for_a_read(&recording);
    }
    let told = recording.end();
    playing.stop().unwrap();
    closed(&told)
}

#[test]
fn le_mans_ultimate_is_recorded_in_parts_and_played_byte_for_byte() {
    let (prefix, folder, second) = (prefix("lmu"), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let game = find_game("lmu").unwrap();
    let mut raced = Raced::le_mans_ultimate(&prefix);
    let path = race(&mut raced, game, &prefix, folder.path(), 120);
    let tape = read::Tape::open(&path).unwrap();
    assert_eq!(shared_sections(&tape), [LMU]);
    let first = hashes(&tape, LMU);
    assert_end_of(&tape, &first, &raced.written_to(LMU), 100);

    // Parts that do not change are stored once, those of the classification five times a second of the race.
    let frames = |name: &str| tape.stream_named(name).unwrap().totals().frames;
    assert_eq!(["results", "telemetry", "telemetry_cars_52_77", "telemetry_cars_78_103"].map(frames), [1; 4]);
    let moving = frames("telemetry_cars_0_25");
    assert!(moving > 10 && moving == frames("telemetry_cars_26_51") && frames("scoring_cars") * 5 < moving);
    let layout = &tape.stream_named("telemetry_cars_26_51").unwrap().spec().channels;
    assert!(layout.iter().any(|channel| channel.name == "cars[29].mLocalVel"));

    let copy = play_and_record(&path, game, second.path());
    let copy = read::Tape::open(&copy).unwrap();
    assert_end_of(&copy, &copied_hashes(&copy, LMU), &first, 90);
}

#[test]
fn rfactor_2_is_recorded_in_parts_and_played_byte_for_byte() {
    let (prefix, folder, second) = (prefix("rf2"), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let game = find_game("rf2").unwrap();
    let mut raced = Raced::rfactor_2(&prefix);
    let path = race(&mut raced, game, &prefix, folder.path(), 120);
    let tape = read::Tape::open(&path).unwrap();
    for (section, at_least) in [(TELEMETRY, 100), (SCORING, 4), (EXTENDED, 4)] {
        assert_end_of(&tape, &hashes(&tape, section), &raced.written_to(section), at_least);
    }
    let copy = play_and_record(&path, game, second.path());
    let copy = read::Tape::open(&copy).unwrap();
    for (section, at_least) in [(TELEMETRY, 100), (SCORING, 4), (EXTENDED, 4)] {
        assert_end_of(&copy, &copied_hashes(&copy, section), &hashes(&tape, section), at_least);
    }
}

#[test]
fn in_real_time_nobody_sees_a_half_of_a_moment() {
    for (alias, section) in [("lmu", LMU), ("rf2", TELEMETRY)] {
        let (source, folder, second) =
            (prefix("real-source"), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let game = find_game(alias).unwrap();
        let mut raced = if alias == "lmu" { Raced::le_mans_ultimate(&source) } else { Raced::rfactor_2(&source) };
        let path = race(&mut raced, game, &source, folder.path(), 150);
        let tape = Tape::open(&path).unwrap();
        let prefix = prefix("real");
        let recording = record(game, &prefix, second.path());
        let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
        playing.run().unwrap();
        playing.stop().unwrap();
        wait_until("it is closed", || !recording.progress.is_recording());
        let copy = read::Tape::open(closed(&recording.end())).unwrap();
        let (played, found) = (hashes(tape.raw(), section), copied_hashes(&copy, section));
        let mut rest = played.iter();
        assert!(
            found.len() > 10 && found.iter().all(|page| rest.any(|played| played == page)),
            "{alias}: {}",
            found.len()
        );
    }
}

#[test]
fn rfactor_2_is_recorded_without_the_optional_section() {
    let (prefix, folder) = (prefix("bridge"), tempfile::tempdir().unwrap());
    // As large as a bridge makes them.
    let mut raced = Raced::start(&prefix, &[(TELEMETRY, 250_000), (SCORING, 250_000)]);
    let path = race(&mut raced, find_game("rf2").unwrap(), &prefix, folder.path(), 30);
    let tape = read::Tape::open(&path).unwrap();
    assert_eq!(shared_sections(&tape), [SCORING, TELEMETRY]);
    assert!(tape.stream_named("extended").is_err());
    assert_end_of(&tape, &hashes(&tape, TELEMETRY), &raced.written_to(TELEMETRY), 15);
}

#[test]
fn a_section_that_only_some_tool_made_and_one_that_outlived_its_game_begin_no_tape() {
    let (prefix, folder) = (prefix("stale"), tempfile::tempdir().unwrap());
    let game = find_game("lmu").unwrap();
    let mut raced = Raced::le_mans_ultimate(&prefix);
    let recording = record(game, &prefix, folder.path());
    let looked = |text: &'static str| {
        let state = || recording.progress.situation().state;
        wait_until(text, || state().is_some_and(|state| state.text() == text));
    };
    // All zero: a tool was started.
    wait_until("it is seen to be empty", || recording.progress.situation().state.is_some());
    assert!(!recording.progress.is_recording());
    // A whole session that nobody writes any more.
    raced.step();
    looked("live");
    let until = Instant::now() + Duration::from_millis(300);
    wait_until("a while", || Instant::now() > until);
    assert!(!recording.progress.is_recording() && recording.told.try_recv().is_err());
    assert!(recording.end().is_empty());
}

#[test]
fn a_plugin_that_died_while_it_wrote_is_recorded_and_the_tape_says_so() {
    let (prefix, folder) = (prefix("died"), tempfile::tempdir().unwrap());
    let game = find_game("rf2").unwrap();
    let mut raced = Raced::rfactor_2(&prefix);
    let path = {
        let recording = record(game, &prefix, folder.path());
        wait_until("the tape begins", || {
            raced.step();
            std::thread::sleep(Duration::from_millis(3));
            recording.progress.is_recording() && recording.progress.numbers().frames > 0
        });
        // The scoring section stays half written; the telemetry goes on.
        let (_, scoring) = raced.sections.iter().find(|(name, _)| *name == SCORING).unwrap();
        scoring.write(0, &9_999_u32.to_le_bytes()).unwrap();
        let until = Instant::now() + Duration::from_millis(1500);
        let mut version = 1_000_000_u32;
        wait_until("more than a second", || {
            version += 1;
            let (_, telemetry) = raced.sections.iter().find(|(name, _)| *name == TELEMETRY).unwrap();
            telemetry.write(0, &version.to_le_bytes()).unwrap();
            telemetry.write(4, &version.to_le_bytes()).unwrap();
            std::thread::sleep(Duration::from_millis(2));
            Instant::now() > until
        });
        closed(&recording.end())
    };
    let tape = read::Tape::open(&path).unwrap();
    let said = tape.events().into_iter().find(|event| event.kind == "writer_stuck").unwrap();
    assert!(said.text.starts_with("scoring, scoring_cars:"), "{}", said.text);
    let (_, last) = pages(&tape, SCORING).pop().unwrap();
    assert_eq!(&last[..4], 9_999_u32.to_le_bytes());
}

#[test]
fn the_player_takes_the_lock_of_the_game_and_leaves_nothing_behind() {
    let (source, folder) = (prefix("lock-source"), tempfile::tempdir().unwrap());
    let game = find_game("lmu").unwrap();
    let mut raced = Raced::le_mans_ultimate(&source);
    let path = race(&mut raced, game, &source, folder.path(), 10);
    let prefix = prefix("lock");
    let tape = Tape::open(&path).unwrap();
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    let open = |name: &str| SectionReader::open(&prefix.section(name)).unwrap();
    let lock = open(LOCK).unwrap();
    assert!(lock.len().unwrap() >= 8 && open(LMU).unwrap().len().unwrap() >= 324_824);
    while playing.step().unwrap().is_some() {
        let mut words = [1; 8];
        lock.copy(0, &mut words).unwrap();
        assert_eq!(words, [0; 8], "held between two moments");
    }
    playing.stop().unwrap();
    assert!(open(LOCK).is_none() && open(LMU).is_none());
}
