//! Records Assetto Corsa EVO and Rally from real shared memory with the real recorder, and tells them from Competizione.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]
use crate::game;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use game::{Recording, prefix, wait_until};
use gametape::capture::{Destination, EndReason, PageSource, RecordOptions, RecorderEvent, TapeSummary, game_sources};
use gametape::format::read::Tape;
use gametape::games::{ASSETTO_CORSA_FAMILY, Chars, Game, Utf16, acc, ace};
use gametape::sys::{Prefix, SectionWriter};
use zerocopy::IntoBytes as _;

/// Pages under the family's names, as created by a bridge: 2048 zeros each.
struct Pages {
    physics: acc::Physics,
    sections: Vec<SectionWriter>,
}

impl Pages {
    fn empty(prefix: &Prefix) -> Self {
        let create = |name: &str| SectionWriter::create(&prefix.section(name), 2048).unwrap();
        let sections = ["acpmf_physics", "acpmf_graphics", "acpmf_static"].map(create).into();
        Self { physics: acc::Physics::default(), sections }
    }

    fn step(&mut self) {
        self.physics.packet_id += 1;
        self.physics.speed_kmh = self.physics.packet_id as f32;
        self.sections[0].write(0, self.physics.as_bytes()).unwrap();
    }

    fn graphics(&self, page: &acc::Graphics) {
        self.sections[1].write(0, page.as_bytes()).unwrap();
    }

    fn statics(&self, page: &acc::Static) {
        self.sections[2].write(0, page.as_bytes()).unwrap();
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        for section in self.sections.drain(..) {
            section.remove().unwrap();
        }
    }
}

/// Returns Competizione's graphics page in a session.
fn competizione() -> acc::Graphics {
    let mut page = acc::Graphics::default();
    (page.packet_id, page.status, page.active_cars) = (1, 2, 5);
    page
}

fn record(games: &'static [Game], prefix: &Prefix, folder: &Path) -> Recording {
    let source = PageSource::new(games, prefix.clone(), 200);
    Recording::start(RecordOptions::new(Some(Destination::Folder(folder.into()))), source)
}

/// Drives until there is a notification.
#[track_caller]
fn next(recording: &Recording, mut step: impl FnMut()) -> RecorderEvent {
    let mut told = None;
    wait_until("something to be told", || {
        step();
        told = recording.told.try_recv().ok();
        told.is_some()
    });
    told.unwrap()
}

#[track_caller]
fn opened(told: RecorderEvent) -> (PathBuf, String) {
    let RecorderEvent::Opened { path, game, .. } = told else { panic!("{told:?}") };
    (path, game)
}

#[track_caller]
fn closed(told: RecorderEvent) -> (PathBuf, EndReason) {
    let RecorderEvent::Closed(TapeSummary { path, end: reason, .. }) = told else { panic!("{told:?}") };
    (path, reason)
}

/// Returns the end of a tape and the start of the next one. A tape is closed concurrently with the creation of the next one, so
/// either notification may come first.
#[track_caller]
fn end_and_begin(recording: &Recording, mut step: impl FnMut()) -> ((PathBuf, EndReason), (PathBuf, String)) {
    let mut told = [next(recording, &mut step), next(recording, &mut step)];
    told.sort_by_key(|told| matches!(told, RecorderEvent::Opened { .. }));
    let [end, begin] = told;
    (closed(end), opened(begin))
}

fn frames(tape: &Tape, stream: &str) -> Vec<Vec<u8>> {
    let mut frames = tape.frames(tape.stream_named(stream).unwrap());
    let mut found = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        found.push(frame.data.to_vec());
    }
    found
}

/// Asserts that the frame numbers increase, and that each frame has the speed that belongs to its number.
fn assert_steps(frames: &[Vec<u8>]) {
    let number = |frame: &[u8]| i32::from_le_bytes(*frame.first_chunk().unwrap());
    assert!(frames.len() > 20 && frames.windows(2).all(|pair| number(&pair[0]) < number(&pair[1])));
    let speed = |frame: &[u8]| f32::from_le_bytes(frame[28..32].try_into().unwrap());
    assert!(frames.iter().all(|frame| frame.len() == 800 && speed(frame) == number(frame) as f32));
}

#[test]
fn evo_is_recorded_from_names_of_its_own() {
    let (folder, prefix) = (tempfile::tempdir().unwrap(), prefix("evo"));
    let create = |(name, bytes)| SectionWriter::create(&prefix.section(name), bytes).unwrap();
    let sections = [("acevo_pmf_physics", 4096), ("acevo_pmf_graphics", 8192), ("acevo_pmf_static", 4096)].map(create);
    let mut statics = ace::Static::default();
    (statics.session, statics.ac_evo_version) = (1, Chars::new("0.9.1"));
    (statics.track, statics.track_configuration) = (Chars::new("Test Ring"), Chars::new("GP"));
    sections[2].write(0, statics.as_bytes()).unwrap();
    let mut graphics = ace::Graphics::default();
    (graphics.packet_id, graphics.status, graphics.car_model) = (1, 0, Chars::new("test_car"));
    graphics.car_ids[59][1] = u64::MAX.into();
    sections[1].write(0, graphics.as_bytes()).unwrap();

    let recording = record(&[ace::GAME], &prefix, folder.path());
    let mut physics = ace::Physics::default();
    let mut step = || {
        physics.packet_id += 1;
        physics.speed_kmh = physics.packet_id as f32;
        sections[0].write(0, physics.as_bytes()).unwrap();
    };
    let until = Instant::now() + Duration::from_millis(300);
    wait_until("a while in the menus", || {
        step();
        Instant::now() > until
    });
    assert!(recording.told.try_recv().is_err(), "the game is in its menus");
    (graphics.packet_id, graphics.status) = (2, 2);
    sections[1].write(0, graphics.as_bytes()).unwrap();
    let (path, game) = opened(next(&recording, &mut step));
    assert_eq!(game, "assetto-corsa-evo");
    wait_until("50 frames", || {
        step();
        recording.rows.load(std::sync::atomic::Ordering::Relaxed) > 50
    });
    let session_2 = ace::Static { session_id: 1, ..statics };
    sections[2].write(0, session_2.as_bytes()).unwrap();
    let (end, _) = end_and_begin(&recording, &mut step);
    assert_eq!(end, (path.clone(), EndReason::NewSession));
    recording.end();

    let tape = Tape::open(&path).unwrap();
    assert_steps(&frames(&tape, "physics"));
    assert_eq!(frames(&tape, "graphics"), [graphics.as_bytes()]);
    assert_eq!(frames(&tape, "static")[0], statics.as_bytes());
    let layouts: Vec<&str> = tape.streams().map(|stream| stream.spec().layout.as_str()).collect();
    for layout in ["ace-physics-800", "ace-graphics-4900", "ace-static-208"] {
        assert!(layouts.contains(&layout), "{layouts:?}");
    }
    let said = |key: &str| tape.metadata().get(key).cloned().unwrap_or_default();
    assert_eq!([said("car"), said("track"), said("session")], ["test_car", "Test Ring", "race"]);
    sections.into_iter().for_each(|section| section.remove().unwrap());
}

#[test]
fn physics_alone_is_rally_after_two_seconds_and_until_it_is_cleared() {
    let (folder, prefix) = (tempfile::tempdir().unwrap(), prefix("rally"));
    let mut pages = Pages::empty(&prefix);
    let recording = record(ASSETTO_CORSA_FAMILY, &prefix, folder.path());
    let began = Instant::now();
    let (path, game) = opened(next(&recording, || pages.step()));
    assert!(began.elapsed() >= Duration::from_millis(1_900), "{:?}", began.elapsed());
    assert_eq!(game, "assetto-corsa-rally");
    wait_until("50 frames", || {
        pages.step();
        recording.rows.load(std::sync::atomic::Ordering::Relaxed) > 50
    });
    pages.sections[0].write(0, acc::Physics::default().as_bytes()).unwrap();
    assert_eq!(closed(recording.next()), (path.clone(), EndReason::GameEnded));
    assert!(recording.end().is_empty());
    let tape = Tape::open(&path).unwrap();
    assert_steps(&frames(&tape, "physics"));
    assert_eq!(frames(&tape, "graphics"), [vec![0; 1588]]);
    assert_eq!(tape.stream_named("physics").unwrap().spec().layout, "acr-physics-800");
}

#[test]
fn a_status_that_a_bridge_sets_does_not_make_it_competizione() {
    let (folder, prefix) = (tempfile::tempdir().unwrap(), prefix("status"));
    let mut pages = Pages::empty(&prefix);
    // Bytes that only Competizione sets, in a page that both games fill.
    pages.physics.current_max_rpm = 8000;
    let mut graphics = competizione();
    (graphics.packet_id, graphics.active_cars) = (0, 0);
    pages.graphics(&graphics);
    let recording = record(ASSETTO_CORSA_FAMILY, &prefix, folder.path());
    let (_, game) = opened(next(&recording, || pages.step()));
    assert_eq!(game, "assetto-corsa-rally");
    recording.end();
}

#[test]
fn what_looks_like_rally_becomes_competizione_when_its_graphics_page_fills() {
    let (folder, prefix) = (tempfile::tempdir().unwrap(), prefix("takeover"));
    let mut pages = Pages::empty(&prefix);
    let recording = record(ASSETTO_CORSA_FAMILY, &prefix, folder.path());
    let (first, game) = opened(next(&recording, || pages.step()));
    assert_eq!(game, "assetto-corsa-rally");
    let mut statics = acc::Static::default();
    (statics.car_model, statics.track) = (Utf16::new("test_car"), Utf16::new("test track"));
    pages.statics(&statics);
    pages.graphics(&competizione());
    let (end, (second, game)) = end_and_begin(&recording, || pages.step());
    assert_eq!(end, (first, EndReason::NewLayout));
    assert_eq!(game, "assetto-corsa-competizione");
    let rows = || recording.rows.load(std::sync::atomic::Ordering::Relaxed);
    let before = rows();
    wait_until("steps of the second", || {
        pages.step();
        rows() > before + 50
    });
    recording.end();
    assert_steps(&frames(&Tape::open(&second).unwrap(), "physics"));

    // And back: Rally in the sections that Competizione used.
    let recording = record(ASSETTO_CORSA_FAMILY, &prefix, folder.path());
    let (_, game) = opened(next(&recording, || pages.step()));
    assert_eq!(game, "assetto-corsa-competizione");
    pages.graphics(&acc::Graphics::default());
    pages.statics(&acc::Static::default());
    assert_eq!(closed(next(&recording, || pages.step())).1, EndReason::GameEnded);
    assert_eq!(opened(next(&recording, || pages.step())).1, "assetto-corsa-rally");
    recording.end();
}

#[test]
fn competizione_that_loads_for_a_second_is_never_rally() {
    let (folder, prefix) = (tempfile::tempdir().unwrap(), prefix("loads"));
    let mut pages = Pages::empty(&prefix);
    let recording = record(ASSETTO_CORSA_FAMILY, &prefix, folder.path());
    let until = Instant::now() + Duration::from_secs(1);
    wait_until("a second", || {
        pages.step();
        Instant::now() > until
    });
    pages.graphics(&competizione());
    assert_eq!(opened(next(&recording, || pages.step())).1, "assetto-corsa-competizione");
    recording.end();
}

#[test]
fn evo_before_0_6_is_recorded_when_it_is_asked_for() {
    let (folder, prefix) = (tempfile::tempdir().unwrap(), prefix("old-evo"));
    let mut pages = Pages::empty(&prefix);
    let mut sources = game_sources(Some(&ace::GAME), &prefix, Some(200));
    assert_eq!(sources.len(), 2, "the names of both versions");
    let options = RecordOptions::new(Some(Destination::Folder(folder.path().into())));
    let recording = Recording::start(options, sources.remove(1));
    let (path, game) = opened(next(&recording, || pages.step()));
    assert_eq!(game, "assetto-corsa-evo");
    wait_until("50 frames", || {
        pages.step();
        recording.rows.load(std::sync::atomic::Ordering::Relaxed) > 50
    });
    recording.end();
    let tape = Tape::open(&path).unwrap();
    assert_steps(&frames(&tape, "physics"));
    let games: Vec<&str> =
        tape.streams().filter(|stream| !stream.spec().game.is_empty()).map(|stream| stream.name()).collect();
    assert_eq!(games, ["physics"]);
}
