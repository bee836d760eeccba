//! Tapes: the same laps as live, plus what a tape stores in addition to frames.
use std::sync::Arc;

use gametape_format::write::{StdFiles, TapeBuilder, WriteOptions};
use gametape_games::{Game, acc};

use super::*;
use crate::format::read::Tape;
use crate::laps::track_tape;
use crate::layout::stream_of_layout;

/// Records a script to a tape. Like a recorder, it does not store unchanged pages again.
fn record(script: Script, hz: u32, end_reason: &str) -> (tempfile::TempDir, Tape) {
    record_simulation(Simulation::bare(script), hz, end_reason)
}

/// Records a simulation of any kind to a tape.
pub(crate) fn record_simulation(simulation: Simulation, hz: u32, end_reason: &str) -> (tempfile::TempDir, Tape) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("laps.gtape");
    let options = WriteOptions { start_utc_ns: Some(1_700_000_000_000_000_000), ..WriteOptions::new(TapeId([7; 16])) };
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &options, false).unwrap();
    let game: &Game = &acc::GAME;
    let streams = [&acc::PHYSICS_800, &acc::GRAPHICS_1588, &acc::STATIC_820];
    let names = ["physics", "graphics", "static"];
    let ids: Vec<_> = names
        .iter()
        .zip(streams)
        .map(|(name, layout)| tape.add_stream(stream_of_layout(game.id, name, "shm", layout), 0).unwrap())
        .collect();
    let mut newest: [Vec<u8>; 3] = Default::default();
    for (time_ns, pages) in simulation.sample(hz) {
        let frames = [pages.physics.as_bytes(), pages.graphics.as_bytes(), pages.static_page.as_bytes()];
        for ((frame, newest), id) in frames.into_iter().zip(&mut newest).zip(&ids) {
            if newest != frame {
                tape.append(*id, time_ns, frame).unwrap();
                *newest = frame.to_vec();
            }
        }
    }
    tape.metadata(0, "end_reason", end_reason).unwrap();
    tape.finish().unwrap();
    let tape = Tape::open(&path).unwrap();
    (folder, tape)
}

#[test]
fn a_tape_gives_what_the_frames_gave() {
    let script = || Script::new().lap(&LAP).pause(60_000).lap(&LAP).wait(20_000).restart().lap(&LAP).wait(5_000);
    let (_folder, tape) = record(script(), 60, "stopped");
    let (tracked, again) = (track_tape(&tape).unwrap(), track_tape(&tape).unwrap());
    assert_eq!(tracked, again, "tracking twice gives the same results and ids");
    let live = run_at(60, script());
    assert_eq!(tracked.sessions, live.tracked.sessions);
    assert_eq!((tracked.laps().count(), tracked.damaged), (5, 0));
    assert_eq!(tracked.sessions[0].session.started_utc_us, Some(1_700_000_000_000_000));
}

#[test]
fn why_the_last_session_ended_stands_on_the_tape() {
    for (reason, end) in [
        ("stopped", SessionEnd::ToolStop),
        ("game_ended", SessionEnd::Game),
        ("game_frozen", SessionEnd::StreamEnd),
        ("", SessionEnd::StreamEnd),
    ] {
        let (_folder, tape) = record(Script::new().wait(3_000), 20, reason);
        assert_eq!(track_tape(&tape).unwrap().sessions[0].session.end, Some(end), "{reason}");
    }
}

#[test]
fn a_tape_of_no_known_game_is_refused_with_its_name() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("other.gtape");
    let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &WriteOptions::new(TapeId([1; 16])), false).unwrap();
    let stream = tape
        .add_stream(
            gametape_format::StreamSpec { game: "chess".into(), ..gametape_format::StreamSpec::rows("moves") },
            0,
        )
        .unwrap();
    tape.append(stream, 0, b"e4").unwrap();
    tape.finish().unwrap();
    let error = track_tape(&Tape::open(&path).unwrap()).unwrap_err();
    assert!(error.to_string().contains("chess"), "{error}");
}

#[test]
fn a_tape_that_is_being_recorded_has_a_session_that_runs_and_one_whose_recorder_is_gone_has_not() {
    use gametape_format::write::Writer;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("running.gtape");
    let options = WriteOptions { journal_bytes: 32 << 20, ..WriteOptions::new(TapeId([8; 16])) };
    let mut writer = Writer::create(Arc::new(StdFiles), &path, &options).unwrap();
    let pages = [("physics", &acc::PHYSICS_800), ("graphics", &acc::GRAPHICS_1588), ("static", &acc::STATIC_820)];
    let ids =
        pages.map(|(name, layout)| writer.add_stream(stream_of_layout(acc::GAME.id, name, "shm", layout)).unwrap());
    for (time_ns, pages) in Simulation::bare(Script::new().lap(&LAP).wait(5_000)).sample(10) {
        let frames = [pages.physics.as_bytes(), pages.graphics.as_bytes(), pages.static_page.as_bytes()];
        for (id, frame) in ids.iter().zip(frames) {
            writer.append(*id, time_ns, frame).unwrap();
        }
    }
    let of = || {
        let tracked = track_tape(&Tape::open(&path).unwrap()).unwrap();
        let session = &tracked.sessions[0];
        (session.session.end, session.laps.iter().map(|lap| lap.state).collect::<Vec<_>>())
    };
    assert_eq!(of(), (None, vec![LapState::Final, LapState::Running]));
    // As if the process had been killed.
    drop(writer);
    assert_eq!(of(), (Some(SessionEnd::CrashRecovered), vec![LapState::Final, LapState::Aborted]));
}
