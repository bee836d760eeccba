//! Windows processes in Wine, recorded from Linux without a bridge: the tape must have exactly what they wrote.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::panic)]
use crate::game;
use crate::in_wine;

use std::path::Path;

use game::iracing::Memory;
use game::{Recording, prefix, wait_until};
use gametape::capture::{
    Away, Batch, Destination, EndReason, InWine, IracingSource, PageSource, RealClock, RecordOptions, RecorderEvent,
    Sections, Source, State, TapeSummary,
};
use gametape::format::read::Tape;
use gametape::games::iracing::{SECTION, SECTION_BYTES};
use gametape::games::{ASSETTO_CORSA_FAMILY, acr};
use gametape::sys::{Prefix, SectionReader};
use gametape_simulator::{Settings, Simulation};
use in_wine::{Running, Script, wine};
use zerocopy::IntoBytes as _;

/// What was written to each page, in order, without repetitions.
type Written = [Vec<Vec<u8>>; 3];

fn total(written: &Written) -> usize {
    written.iter().map(Vec::len).sum()
}

/// Creates a script of the simulated car, with physics only if requested. Each step has a physics frame. Unrelated sections are
/// created between those of the game, as in any Windows program.
fn car(prefix: &Prefix, frames: usize, physics_alone: bool, close_handles: bool) -> (Script, Written, Vec<usize>) {
    let (mut script, mut written, mut totals) = (Script::default(), Written::default(), Vec::new());
    for (name, bytes) in [("nobody-1", 4096), ("acpmf_physics", 800), ("nobody-2", 100), ("acpmf_graphics", 1588)] {
        script.section(&prefix.section(name), bytes);
    }
    script.section(&prefix.section("acpmf_static"), 820);
    script.write(2, 0, &[0xA5; 100]);
    if close_handles {
        script.close_handles();
    }
    let drive = Simulation::driving(Settings::default(), gametape_simulator::Script::new());
    for (_, pages) in drive.sample(100).skip(500).take(frames) {
        let pages = [(1, pages.physics.as_bytes()), (3, pages.graphics.as_bytes()), (4, pages.static_page.as_bytes())];
        for ((section, page), written) in pages.into_iter().zip(&mut written).rev() {
            if (physics_alone && section != 1) || written.last().is_some_and(|last| last == page) {
                continue;
            }
            script.write(section, 0, page);
            written.push(page.to_vec());
        }
        totals.push(total(&written));
        script.step();
    }
    (script, written, totals)
}

fn sections(prefix: &Prefix, program: &str) -> Sections {
    Sections::new(prefix.clone(), InWine::Process(program.into()))
}

fn record(source: impl Source + 'static, folder: &Path) -> Recording {
    Recording::start(RecordOptions::new(Some(Destination::Folder(folder.into()))), source)
}

/// Steps through a script, waiting for the recorder to have all frames of the previous step. `totals` holds the number of frames
/// after each step.
fn drive(game: &mut Running, recording: &Recording, totals: &[usize]) {
    let here = || recording.progress.situation().state.is_some_and(|state| matches!(state, State::Here(_)));
    wait_until("the game is seen", here);
    let taken = || recording.progress.numbers().frames as usize;
    for total in &totals[1..] {
        game.step();
        wait_until("the step is taken", || recording.progress.is_recording() && taken() >= *total);
    }
}

fn frames(tape: &Tape, stream: &str) -> Vec<Vec<u8>> {
    let mut frames = tape.frames(tape.stream_named(stream).unwrap());
    let mut found = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        found.push(frame.data.to_vec());
    }
    found
}

/// Returns the tape that was closed last.
fn closed(recording: &Recording) -> (Tape, EndReason) {
    loop {
        if let RecorderEvent::Closed(TapeSummary { path, end: reason, .. }) = recording.next() {
            return (Tape::open(path).unwrap(), reason);
        }
    }
}

fn assert_equal(tape: &Tape, written: &Written) {
    for (stream, written) in ["physics", "graphics", "static"].into_iter().zip(written) {
        let got = frames(tape, stream);
        let lost: Vec<usize> = (0..written.len()).filter(|index| !got.contains(&written[*index])).collect();
        assert!(got == *written, "{stream}: {} of {}, without {lost:?}", got.len(), written.len());
    }
    let lost = |stream: &str| tape.stream_named(stream).unwrap().status().counters.dropped;
    assert_eq!((lost("physics"), lost("graphics")), (0, 0));
}

#[test]
fn a_windows_process_is_recorded_to_the_byte_and_followed_when_it_is_started_again() {
    let Some(wine) = wine("a_windows_process_is_recorded_to_the_byte") else { return };
    let (folder, prefix, program) = (tempfile::tempdir().unwrap(), prefix("wine"), wine.program());
    let source = PageSource::new(ASSETTO_CORSA_FAMILY, sections(&prefix, &program), 1000);
    let recording = record(source, folder.path());
    let (script, written, totals) = car(&prefix, 300, false, false);
    let mut game = wine.start(&program, &script, None);
    let first = game.id();
    drive(&mut game, &recording, &totals);
    game.end();
    let (tape, reason) = closed(&recording);
    assert_equal(&tape, &written);
    assert_eq!(reason, EndReason::GameEnded);
    // Another process and other files. It closes its handles, so that only its wineserver has the files open.
    let (script, written, totals) = car(&prefix, 120, false, true);
    let mut game = wine.start(&program, &script, None);
    assert_ne!(game.id(), first);
    drive(&mut game, &recording, &totals);
    game.end();
    assert_equal(&closed(&recording).0, &written);
    recording.end();
}

#[test]
fn physics_alone_is_rally_and_without_looking_into_processes_nothing_is_found() {
    let Some(wine) = wine("physics_alone_is_rally_in_wine") else { return };
    let (folder, prefix, program) = (tempfile::tempdir().unwrap(), prefix("wine-rally"), wine.program());
    let (script, written, _) = car(&prefix, 1500, true, false);
    let game = wine.start(&program, &script, Some(10));
    let source = PageSource::new(ASSETTO_CORSA_FAMILY, sections(&prefix, &program), 1000);
    let recording = record(source, folder.path());
    wait_until("a tape", || recording.progress.is_recording());
    assert_eq!(recording.progress.situation().game, acr::GAME.id);
    for (off, why) in [(InWine::Off, "switched off"), (InWine::Games, "a prefix keeps games out")] {
        let mut blind = PageSource::new(ASSETTO_CORSA_FAMILY, Sections::new(prefix.clone(), off), 1000);
        let state = blind.read(&RealClock::start(), &mut Batch::default()).unwrap();
        assert_eq!(state, State::Away(Away::NotThere), "{why}");
    }
    assert!(SectionReader::open(&prefix.section("acpmf_physics")).unwrap().is_none(), "no bridge");
    let (tape, _) = closed(&recording);
    drop(game);
    recording.end();
    let (got, [all, ..]) = (frames(&tape, "physics"), written);
    let mut rest = all.iter();
    assert!(got.iter().all(|frame| rest.any(|written| written == frame)), "a frame that was not written, or twice");
    let place = |frame: &Vec<u8>| all.iter().position(|written| written == frame).unwrap();
    let lost = place(got.last().unwrap()) + 1 - place(&got[0]) - got.len();
    let missed = tape.stream_named("physics").unwrap().status().counters.missed;
    assert!(
        got.len() > 50 && (lost == 0 || missed >= lost as u64),
        "{} frames, {lost} lost, {missed} counted",
        got.len()
    );
}

/// Creates a script of iRacing's memory: the changes of each tick, rows before the header.
fn iracing_script(prefix: &Prefix, ticks: usize) -> (Script, Vec<Vec<u8>>) {
    // The memory is created on Linux under other names, and copied.
    let names = Prefix::new(&format!("{}copy-", prefix.as_str())).unwrap();
    let mut memory = Memory::start(&names, 3, false);
    let reader = SectionReader::open(&names.section(SECTION)).unwrap().unwrap();
    let (mut script, mut rows) = (Script::default(), Vec::new());
    script.section(&prefix.section(SECTION), SECTION_BYTES as usize);
    let mut shown = vec![0; SECTION_BYTES as usize];
    memory.text("---\nWeekendInfo:\n TrackDisplayName: Test Ring\n\n...\n");
    memory.connected(true);
    for _ in 0..ticks {
        memory.step();
        rows.push(memory.row());
        let mut now = vec![0; SECTION_BYTES as usize];
        reader.copy(0, &mut now).unwrap();
        for start in (0..now.len()).step_by(4096).rev() {
            let end = (start + 4096).min(now.len());
            if now[start..end] != shown[start..end] {
                script.write(0, start, &now[start..end]);
            }
        }
        shown = now;
        script.step();
    }
    (script, rows)
}

#[test]
fn iracing_in_wine_is_recorded_tick_by_tick() {
    let Some(wine) = wine("iracing_in_wine_is_recorded_tick_by_tick") else { return };
    let (folder, prefix, program) = (tempfile::tempdir().unwrap(), prefix("wine-ir"), wine.program());
    let recording = record(IracingSource::new(sections(&prefix, &program), None), folder.path());
    let (script, rows) = iracing_script(&prefix, 150);
    let mut game = wine.start(&program, &script, None);
    // Variables and text arrive with the first row, a header with each row.
    let totals: Vec<usize> = (1..=150).map(|ticks| 2 + 2 * ticks).collect();
    drive(&mut game, &recording, &totals);
    game.end();
    let (tape, reason) = closed(&recording);
    recording.end();
    assert!(frames(&tape, "telemetry") == rows && reason == EndReason::GameEnded);
    assert_eq!(tape.stream_named("telemetry").unwrap().status().counters.missed, 0);
}
