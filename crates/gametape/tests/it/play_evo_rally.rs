//! Tapes of Assetto Corsa EVO and Rally: played into real shared memory, recorded again, and told from the rest of the family.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]
use crate::game;
use crate::playback;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use game::{Recording, prefix, wait_until};
use gametape::Tape;
use gametape::capture::{Destination, PageSource, RecordOptions, RecorderEvent, TapeSummary};
use gametape::format::write::{StdFiles, WriteOptions, Writer};
use gametape::format::{TapeId, read};
use gametape::games::{ASSETTO_CORSA_FAMILY, Chars, Game, ace, acr};
use gametape::layout::stream_of_layout;
use gametape::play::Player;
use playback::{PERIOD_NS, frames};
use zerocopy::IntoBytes as _;

/// Creates a tape of a game with all its streams. `page` returns the frame of a stream with a number, if there is one.
fn tape_of(game: &Game, folder: &Path, steps: u32, page: impl Fn(&str, u32) -> Option<Vec<u8>>) -> (PathBuf, Tape) {
    let path = folder.join(format!("{}.gtape", game.id));
    let mut writer = Writer::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([3; 16]))).unwrap();
    let streams: Vec<_> = game
        .streams
        .iter()
        .map(|stream| {
            let spec = stream_of_layout(game.id, stream.name, "shm", stream.layouts()[0]);
            (stream.name, writer.add_stream(spec).unwrap())
        })
        .collect();
    for number in 0..steps {
        for (place, (name, stream)) in streams.iter().enumerate() {
            if let Some(bytes) = page(name, number) {
                writer.append(*stream, u64::from(number) * PERIOD_NS + place as u64 * 20_000, &bytes).unwrap();
            }
        }
    }
    writer.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    (path, tape)
}

fn evo(stream: &str, number: u32) -> Option<Vec<u8>> {
    match stream {
        "physics" => {
            let mut page = ace::Physics::default();
            (page.packet_id, page.speed_kmh) = (100 + number as i32 * 3, number as f32);
            Some(page.as_bytes().to_vec())
        }
        "graphics" if number.is_multiple_of(3) => {
            let mut page = ace::Graphics::default();
            (page.packet_id, page.status, page.car_model) = (7 + number as i32, 2, Chars::new("test_car"));
            page.car_ids[59][1] = u64::MAX.into();
            Some(page.as_bytes().to_vec())
        }
        "static" if number == 0 => {
            let mut page = ace::Static::default();
            (page.session, page.ac_evo_version, page.track) = (1, Chars::new("0.9.1"), Chars::new("Test Ring"));
            Some(page.as_bytes().to_vec())
        }
        _ => None,
    }
}

fn rally(stream: &str, number: u32) -> Option<Vec<u8>> {
    match (stream, number) {
        ("physics", _) => {
            let mut page = acr::Physics::default();
            (page.packet_id, page.speed_kmh) = (100 + number as i32 * 3, number as f32);
            Some(page.as_bytes().to_vec())
        }
        ("graphics", 0) => Some(vec![0; size_of::<acr::Graphics>()]),
        ("static", 0) => Some(vec![0; size_of::<acr::Static>()]),
        _ => None,
    }
}

fn record(games: &'static [Game], prefix: &gametape::sys::Prefix, folder: &Path) -> Recording {
    let source = PageSource::new(games, prefix.clone(), 1000);
    Recording::start(RecordOptions::new(Some(Destination::Folder(folder.into()))), source)
}

fn recorded(told: &[RecorderEvent]) -> (read::Tape, String) {
    match told.last() {
        Some(RecorderEvent::Closed(TapeSummary { path, game, .. })) => (read::Tape::open(path).unwrap(), game.clone()),
        other => panic!("{other:?}"),
    }
}

fn bytes(tape: &read::Tape, stream: &str) -> Vec<Vec<u8>> {
    frames(tape, stream).into_iter().map(|(_, bytes)| bytes).collect()
}

#[test]
fn evo_is_played_and_recorded_again_frame_by_frame() {
    let (prefix, folder, recordings) = (prefix("evo"), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let (_, tape) = tape_of(&ace::GAME, folder.path(), 200, evo);
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    playing.step().unwrap();
    let recording = record(&[ace::GAME], &prefix, recordings.path());
    wait_until("the game is seen", || recording.progress.situation().state.is_some_and(|state| state.text() == "live"));
    let mut seen = 3;
    playing.step().unwrap();
    wait_until("the tape begins", || recording.progress.is_recording() && recording.progress.numbers().frames > seen);
    loop {
        seen = recording.progress.numbers().frames;
        if playing.step().unwrap().is_none() {
            break;
        }
        wait_until("the frame is taken", || recording.progress.numbers().frames > seen);
    }
    let (copy, game) = recorded(&recording.end());
    playing.stop().unwrap();
    assert_eq!(game, ace::GAME.id);
    for stream in ace::GAME.streams {
        assert!(bytes(&copy, stream.name) == bytes(tape.raw(), stream.name), "{}", stream.name);
    }
    assert_eq!(copy.metadata().get("track").map(String::as_str), Some("Test Ring"));
}

#[test]
fn rally_is_played_in_real_time_and_recorded_again_as_rally() {
    let (prefix, folder, recordings) = (prefix("rally"), tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    // The game is accepted as Rally after two seconds.
    let (_, tape) = tape_of(&acr::GAME, folder.path(), 500, rally);
    let recording = record(ASSETTO_CORSA_FAMILY, &prefix, recordings.path());
    let mut playing = Player::new(&tape).names(prefix.clone()).start().unwrap();
    playing.run().unwrap();
    assert_eq!(playing.stop().unwrap().lost, 0);
    wait_until("it is closed", || !recording.progress.is_recording());
    let (copy, game) = recorded(&recording.end());
    assert_eq!(game, acr::GAME.id);
    let (all, got) = (bytes(tape.raw(), "physics"), bytes(&copy, "physics"));
    let mut rest = all.iter();
    assert!(got.iter().all(|frame| rest.any(|played| played == frame)), "a frame that was not played, or twice");
    let place = |frame: &Vec<u8>| all.iter().position(|played| played == frame).unwrap();
    let lost = place(got.last().unwrap()) + 1 - place(&got[0]) - got.len();
    let missed = copy.stream_named("physics").unwrap().status().counters.missed;
    assert!(
        got.len() > 50 && (lost == 0 || missed >= lost as u64),
        "{} frames, {lost} lost, {missed} counted",
        got.len()
    );
}
