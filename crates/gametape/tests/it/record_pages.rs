//! Games with one page of shared memory: recorded from real sections with the real recorder, played, and recorded again.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use gametape::Tape;
use gametape::capture::{Destination, EndReason, PageSource, RecordOptions, RecorderEvent, TapeSummary, game_sources};
use gametape::format::write::{StdFiles, WriteOptions, Writer};
use gametape::format::{TapeId, read};
use gametape::games::{
    FAMILIES, Game, american_truck_simulator, automobilista_2, euro_truck_simulator_2, project_cars, raceroom,
    trackmania,
};
use gametape::layout::stream_of_layout;
use gametape::play::Player;
use gametape::sys::{Prefix, SectionReader, SectionWriter};

use crate::game::{Recording, prefix, wait_until};
use crate::playback::{PERIOD_NS, frames};
use crate::simulated_pages::{page_stream, pages_between, put};

/// A section of a bridge, which may be longer than the page.
struct Bridge(Option<SectionWriter>);

impl Bridge {
    fn new(prefix: &Prefix, section: &str, bytes: u64) -> Self {
        Self(Some(SectionWriter::create(&prefix.section(section), bytes).unwrap()))
    }

    fn write(&self, page: &[u8]) {
        self.0.as_ref().unwrap().write(0, page).unwrap();
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        self.0.take().unwrap().remove().unwrap();
    }
}

fn record(games: &'static [Game], prefix: &Prefix, folder: &Path) -> Recording {
    let source = PageSource::new(games, prefix.clone(), 1000);
    Recording::start(RecordOptions::new(Some(Destination::Folder(folder.into()))), source)
}

fn bytes(tape: &read::Tape, stream: &str) -> Vec<Vec<u8>> {
    frames(tape, stream).into_iter().map(|(_, bytes)| bytes).collect()
}

fn closed(told: &[RecorderEvent]) -> (read::Tape, TapeSummary) {
    match told.last() {
        Some(RecorderEvent::Closed(summary)) => (read::Tape::open(&summary.path).unwrap(), summary.clone()),
        other => panic!("{other:?}"),
    }
}

/// Records pages of a game that stays in one session, and checks that the tape has them.
fn assert_recorded(
    games: &'static [Game],
    game: &Game,
    section: &str,
    section_bytes: u64,
    pages: &[Vec<u8>],
) -> read::Tape {
    let (prefix, folder) = (prefix("bridge"), tempfile::tempdir().unwrap());
    let bridge = Bridge::new(&prefix, section, section_bytes);
    let recording = record(games, &prefix, folder.path());
    let (_, id) = drive(&recording, &bridge, pages);
    assert_eq!(id, game.id);
    let (tape, _) = closed(&recording.end());
    let (got, written) = (bytes(&tape, page_stream(game).name), pages);
    let mut rest = written.iter();
    // How many copies are in time is up to the machine; those that are must be pages of the game, in their order.
    assert!(got.len() * 2 >= written.len(), "{} of {}", got.len(), written.len());
    assert!(got.iter().all(|frame| rest.any(|page| page == frame)), "{}: a frame that was not written", game.id);
    tape
}

/// Writes pages at the speed of the recorder.
fn drive(recording: &Recording, bridge: &Bridge, pages: &[Vec<u8>]) -> (PathBuf, String) {
    let mut opened = None;
    for (index, page) in pages.iter().enumerate() {
        let before = recording.rows.load(Ordering::Relaxed);
        bridge.write(page);
        let is_live = || recording.progress.situation().state.is_some_and(|state| state.text() == "live");
        wait_until("the page is recorded", || {
            while let Ok(told) = recording.told.try_recv() {
                match told {
                    RecorderEvent::Opened { path, game, .. } => opened = Some((path, game)),
                    other => panic!("{other:?} at page {index}"),
                }
            }
            // Nothing is recorded before a page changes.
            recording.rows.load(Ordering::Relaxed) > before || (index == 0 && is_live())
        });
    }
    opened.expect("a tape")
}

#[test]
fn raceroom_is_recorded_from_the_longer_file_of_a_bridge() {
    let pages = pages_between(&raceroom::GAME, 38_000, 41_000, 20);
    let tape = assert_recorded(&[raceroom::GAME], &raceroom::GAME, "$R3E", 64_000, &pages);
    assert_eq!(tape.stream_named("page").unwrap().spec().layout, "raceroom-43996");
    let said = |key: &str| tape.metadata().get(key).cloned().unwrap_or_default();
    assert_eq!([said("track"), said("track_layout"), said("session")], ["gametape ring", "Full", "practice"]);
    let channels = &tape.stream_named("page").unwrap().spec().channels;
    assert!(channels.iter().any(|channel| channel.name == "all_drivers_data_1[12].car_speed"));
}

#[test]
fn automobilista_is_recorded_from_the_longer_file_of_a_bridge() {
    let pages = pages_between(&automobilista_2::GAME, 38_000, 41_000, 20);
    let tape = assert_recorded(&[automobilista_2::GAME], &automobilista_2::GAME, "$pcars2$", 102_288, &pages);
    assert_eq!(tape.stream_named("shared-memory").unwrap().spec().layout, "automobilista-2-memory-20700");
}

#[test]
fn project_cars_is_recorded_from_its_own_section() {
    let pages = pages_between(&project_cars::GAME, 38_000, 40_000, 20);
    let tape = assert_recorded(&[project_cars::GAME], &project_cars::GAME, "$pcars$", 8_192, &pages);
    assert_eq!(tape.stream_named("shared-memory").unwrap().spec().layout, "project-cars-memory-7320");
}

#[test]
fn trackmania_is_recorded() {
    let pages = pages_between(&trackmania::GAME, 38_000, 41_000, 20);
    assert_recorded(&[trackmania::GAME], &trackmania::GAME, "ManiaPlanet_Telemetry", 4_096, &pages);
}

#[test]
fn the_truck_simulators_are_told_apart_under_both_names() {
    let [_, named, in_folder] = FAMILIES else { panic!("{} families", FAMILIES.len()) };
    for game in [&euro_truck_simulator_2::GAME, &american_truck_simulator::GAME] {
        let pages = pages_between(game, 7_000, 8_000, 20);
        assert_recorded(named, game, "SCSTelemetry", 32_768, &pages);
        assert_recorded(in_folder, game, "SCS/SCSTelemetry", 32_768, &pages);
    }
    assert_eq!(game_sources(Some(&euro_truck_simulator_2::GAME), prefix("trucks"), None).len(), 2);
}

#[test]
fn a_page_of_an_older_version_has_its_own_length_in_a_file_of_any_size() {
    // Version 2.15 of RaceRoom in the file of a bridge: the page says so itself.
    let pages = pages_between(&raceroom::GAME, 38_000, 39_000, 20);
    let older: Vec<Vec<u8>> = pages
        .iter()
        .map(|page| {
            let mut older = vec![0; 39_320];
            for (at, number) in [(0, 2), (4, 15), (8, 1940), (12, 292)] {
                put(&mut older, at, &i32::to_le_bytes(number));
            }
            put(&mut older, 36, &page[44..48]);
            put(&mut older, 576, &page[600..664]);
            put(&mut older, 1332, &page[1388..1396]);
            older
        })
        .collect();
    let tape = assert_recorded(&[raceroom::GAME], &raceroom::GAME, "$R3E", 64_000, &older);
    assert_eq!(tape.stream_named("page").unwrap().spec().layout, "raceroom-39320");

    let pages = pages_between(&automobilista_2::GAME, 38_000, 39_000, 20);
    let older: Vec<Vec<u8>> = pages
        .iter()
        .map(|page| {
            let mut older = page[..20_660].to_vec();
            put(&mut older, 0, &10_u32.to_le_bytes());
            older
        })
        .collect();
    let tape = assert_recorded(&[automobilista_2::GAME], &automobilista_2::GAME, "$pcars2$", 24_576, &older);
    assert_eq!(tape.stream_named("shared-memory").unwrap().spec().layout, "automobilista-2-memory-20660");
}

#[test]
fn a_page_of_an_unknown_structure_is_recorded_as_bytes_and_named() {
    let pages = pages_between(&raceroom::GAME, 38_000, 39_000, 20);
    let unknown: Vec<Vec<u8>> = pages
        .iter()
        .map(|page| {
            let mut unknown = page[..43_988].to_vec();
            put(&mut unknown, 4, &3_i32.to_le_bytes());
            put(&mut unknown, 8, &2000_i32.to_le_bytes());
            unknown
        })
        .collect();
    let tape = assert_recorded(&[raceroom::GAME], &raceroom::GAME, "$R3E", 64_000, &unknown);
    let spec = tape.stream_named("page").unwrap().spec().clone();
    assert!(spec.channels.is_empty(), "{:?}", spec.layout);
    assert!(tape.events().iter().any(|event| event.kind == "unknown_page_length"), "{:?}", tape.events());
}

/// Pages of a game that went off: its section is still there.
fn off(game: &Game, page: &[u8]) -> Vec<u8> {
    let mut off = page.to_vec();
    match game.id {
        // In the menus, there is no session.
        "raceroom" => {
            put(&mut off, 24, &1_i32.to_le_bytes());
            put(&mut off, 780, &(-1_i32).to_le_bytes());
        }
        "automobilista-2" => put(&mut off, 8, &[0; 4]),
        "trackmania" => put(&mut off, 44, &1_u32.to_le_bytes()),
        _ => put(&mut off, 0, &[0]),
    }
    off
}

#[test]
fn a_section_that_outlives_its_game_ends_the_tape_and_begins_no_other() {
    for games in [&[raceroom::GAME], &[automobilista_2::GAME], &[trackmania::GAME], &[euro_truck_simulator_2::GAME]] {
        let games: &'static [Game] = games;
        let (prefix, folder) = (prefix("outlives"), tempfile::tempdir().unwrap());
        let stream = page_stream(&games[0]);
        let bridge = Bridge::new(&prefix, stream.section().unwrap(), stream.section_bytes().unwrap().into());
        let pages = pages_between(&games[0], 7_000, 8_000, 20);
        let recording = record(games, &prefix, folder.path());
        drive(&recording, &bridge, &pages);
        bridge.write(&off(&games[0], pages.last().unwrap()));
        match recording.next() {
            RecorderEvent::Closed(TapeSummary { end, .. }) => assert_eq!(end, EndReason::GameEnded, "{}", games[0].id),
            other => panic!("{other:?}"),
        }
        assert!(recording.end().is_empty(), "{}: another tape", games[0].id);

        // A section with the last page of a game that was killed: nothing moves, so no tape begins.
        bridge.write(pages.last().unwrap());
        let recording = record(games, &prefix, folder.path());
        wait_until("it is read", || recording.progress.situation().state.is_some());
        for _ in 0..50 {
            gametape::sys::sleep_until(std::time::Instant::now() + std::time::Duration::from_millis(2));
        }
        assert!(recording.end().is_empty(), "{}: a tape of a game that is gone", games[0].id);
    }
}

/// Creates a tape of pages.
fn tape_of(game: &Game, folder: &Path, pages: &[Vec<u8>]) -> Tape {
    let path = folder.join(format!("{}.gtape", game.id));
    let mut writer = Writer::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([3; 16]))).unwrap();
    let stream = page_stream(game);
    let layout = stream.layout_of(pages[0].len() as u32).unwrap();
    let id = writer.add_stream(stream_of_layout(game.id, stream.name, "shm", layout)).unwrap();
    for (index, page) in pages.iter().enumerate() {
        writer.append(id, index as u64 * PERIOD_NS, page).unwrap();
    }
    writer.finish().unwrap();
    Tape::open(&path).unwrap()
}

#[test]
fn pages_are_played_and_recorded_again_frame_by_frame() {
    for games in [
        &[raceroom::GAME],
        &[automobilista_2::GAME],
        &[project_cars::GAME],
        &[trackmania::GAME],
        &[euro_truck_simulator_2::GAME],
        &[american_truck_simulator::GAME],
    ] {
        let games: &'static [Game] = games;
        let game = &games[0];
        let (prefix, folder, recordings) =
            (prefix("again"), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let pages = pages_between(game, 7_000, 10_000, 20);
        let tape = tape_of(game, folder.path(), &pages);
        let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
        playing.step().unwrap();
        let recording = record(games, &prefix, recordings.path());
        let is_live = || recording.progress.situation().state.is_some_and(|state| state.text() == "live");
        wait_until("the game is seen", is_live);
        let mut seen = 1;
        playing.step().unwrap();
        wait_until("the tape begins", || {
            recording.progress.is_recording() && recording.progress.numbers().frames > seen
        });
        loop {
            seen = recording.progress.numbers().frames;
            if playing.step().unwrap().is_none() {
                break;
            }
            wait_until("the frame is taken", || recording.progress.numbers().frames > seen);
        }
        let (copy, summary) = closed(&recording.end());
        playing.stop().unwrap();
        assert_eq!(summary.game, game.id);
        let name = page_stream(game).name;
        assert!(bytes(&copy, name) == bytes(tape.raw(), name), "{}", game.id);
    }
}

#[test]
fn sequence_numbers_stay_even_and_rise_after_a_seek() {
    let (prefix, folder) = (prefix("seek"), tempfile::tempdir().unwrap());
    let pages = pages_between(&automobilista_2::GAME, 7_000, 8_000, 20);
    let tape = tape_of(&automobilista_2::GAME, folder.path(), &pages);
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    let mut last = 0;
    for round in 0..3 {
        for _ in 0..10 {
            playing.step().unwrap();
            let section = SectionReader::open(&prefix.section("$pcars2$")).unwrap().unwrap();
            let mut number = [0; 4];
            section.copy(7320, &mut number).unwrap();
            let number = u32::from_le_bytes(number);
            assert!(number.is_multiple_of(2) && number > last, "round {round}: {number} after {last}");
            last = number;
        }
        playing.seek(std::time::Duration::ZERO);
    }
    playing.stop().unwrap();
}
