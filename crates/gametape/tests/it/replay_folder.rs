//! Replay folders as sources of a capture: callbacks, tapes, beside other sources.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs)]
use crate::scripted;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use gametape::capture::EndReason;
use gametape::library::Fault;
use gametape::watch::{Folder, Watch};
use gametape::{Capture, StartError, Tape};
use scripted::{Sent, Tick, Ticks, ticks_description};
use zerocopy::IntoBytes as _;

/// Guards against a hang; no test waits for it.
const DEADLINE: Duration = Duration::from_secs(60);

/// A folder for tapes and one for replays.
struct Bench {
    root: tempfile::TempDir,
}

impl Bench {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("replays")).unwrap();
        Self { root }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn put(&self, name: &str) {
        let mut file = std::fs::File::create_new(self.path("replays").join(name)).unwrap();
        file.write_all(name.as_bytes()).unwrap();
    }

    /// Watches the folder, including files that are there already.
    fn replays(&self) -> Watch {
        let game = gametape::watch::find_replay_game("rocket-league").unwrap();
        let folder = Folder::of_game(self.path("replays"), game).unwrap();
        Watch::new().folder(folder).settle(Duration::from_millis(50)).existing().remember_in(self.path("state"))
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_string_lossy().into_owned()
}

fn next(found: &Receiver<String>) -> String {
    found.recv_timeout(DEADLINE).unwrap()
}

#[test]
fn files_come_to_the_callback_without_a_tape_beside_another_source() {
    let bench = Bench::new();
    let (sender, found) = channel();
    bench.put("a.replay");
    let capture = Capture::new()
        .source(Ticks::new(50))
        .to(bench.path("ticks.gtape"))
        .source(bench.replays())
        .realtime_only()
        .on_file(move |found| sender.send(name(&found.path)).unwrap())
        .start()
        .unwrap();
    assert_eq!(next(&found), "a.replay");
    bench.put("b.replay");
    assert_eq!(next(&found), "b.replay");
    while !capture.any_ended() {
        std::thread::sleep(Duration::from_millis(5));
    }
    let summary = capture.stop().unwrap();
    let [tape] = &summary.tapes[..] else { panic!("{summary:?}") };
    assert_eq!((tape.path.as_path(), summary.end), (bench.path("ticks.gtape").as_path(), EndReason::Stopped));
    assert_eq!(Tape::open(&tape.path).unwrap().frames_of::<Tick>("ticks").unwrap().count(), 50);
    // Reported once, across captures.
    let (sender, again) = channel();
    let capture = Capture::new()
        .source(bench.replays())
        .realtime_only()
        .on_file(move |found| sender.send(name(&found.path)).unwrap())
        .start()
        .unwrap();
    bench.put("c.replay");
    assert_eq!(next(&again), "c.replay");
    capture.stop().unwrap();
    assert_eq!(again.try_iter().count(), 0);
}

#[test]
fn a_tape_of_a_replay_folder_has_a_frame_and_an_event_for_each_file() {
    let bench = Bench::new();
    let (sender, found) = channel();
    let (frame, frames) = channel();
    let capture = Capture::new()
        .source(bench.replays())
        .folder(bench.path("tapes"))
        .on_file(move |found| sender.send(name(&found.path)).unwrap())
        .on_bytes("files", move |_, bytes| frame.send(bytes.to_vec()).unwrap())
        .start()
        .unwrap();
    for file in ["a.replay", "b.replay"] {
        bench.put(file);
        assert_eq!(next(&found), file);
        let json: serde_json::Value = serde_json::from_slice(&frames.recv_timeout(DEADLINE).unwrap()).unwrap();
        assert_eq!(json["path"], bench.path("replays").join(file).display().to_string());
        assert_eq!((&json["bytes"], &json["game"]), (&file.len().into(), &"rocket-league".into()));
        assert!(json["missing"].is_null() && json["kind"].is_null() && json["blake3"].as_str().unwrap().len() == 64);
    }
    let summary = capture.stop().unwrap();
    let [tape] = &summary.tapes[..] else { panic!("{summary:?}") };
    assert!(name(&tape.path).starts_with("rocket-league_files_20"), "{}", tape.path.display());
    let tape = Tape::open(&tape.path).unwrap();
    assert_eq!(tape.stream_named("files").unwrap().totals().frames, 2);
    let events: Vec<_> = tape.events().into_iter().filter(|event| event.kind == "replay-file").collect();
    assert_eq!(
        events.iter().map(|event| event.text.as_str()).collect::<Vec<_>>(),
        ["a.replay, 8 bytes", "b.replay, 8 bytes"]
    );
}

#[test]
fn a_replay_folder_on_the_tape_of_a_game_does_not_keep_it_open() {
    let bench = Bench::new();
    bench.put("a.replay");
    let (sender, found) = channel();
    let (ticks, frames) = channel();
    let capture = Capture::new()
        .source(Sent { description: ticks_description(), frames })
        .and(bench.replays())
        .to(bench.path("both.gtape"))
        .on_file(move |found| sender.send(name(&found.path)).unwrap())
        .start()
        .unwrap();
    ticks.send((0, Tick::new(1).as_bytes().to_vec())).unwrap();
    assert_eq!(next(&found), "a.replay");
    while capture.frames_seen() < 2 {
        std::thread::sleep(Duration::from_millis(5));
    }
    // Ends with the game, although the watch has no end.
    drop(ticks);
    let summary = capture.wait_for_end().unwrap();
    assert_eq!(summary.end, EndReason::SourceEnded);
    let tape = Tape::open(bench.path("both.gtape")).unwrap();
    assert_eq!(tape.frames_of::<Tick>("ticks").unwrap().count(), 1);
    assert_eq!(tape.stream_named("files").unwrap().totals().frames, 1);
}

#[test]
fn a_callback_that_panics_is_called_for_the_next_file_and_reported_at_the_end() {
    let bench = Bench::new();
    let (sender, found) = channel();
    let capture = Capture::new()
        .source(bench.replays())
        .realtime_only()
        .on_file(|found| assert!(name(&found.path) != "bad.replay", "a panic on purpose"))
        .on_file(move |found| sender.send(name(&found.path)).unwrap())
        .start()
        .unwrap();
    for file in ["bad.replay", "good.replay"] {
        bench.put(file);
        assert_eq!(next(&found), file, "other callbacks are called all the same");
    }
    let error = capture.stop().unwrap_err();
    assert!(matches!(&error.faults[..], [Fault::Panicked { times: 1, .. }]), "{error:?}");
}

#[test]
fn what_cannot_be_watched_is_refused_at_the_start() {
    let bench = Bench::new();
    let error = Capture::new().source(Ticks::new(1)).realtime_only().on_file(|_| {}).start().err().unwrap();
    assert!(matches!(error, StartError::NobodyGives { .. }), "{error}");
    bench.put("file");
    let watch = Watch::new().folder(Folder::new(bench.path("replays/file")));
    let error = Capture::new().source(watch).realtime_only().start().err().unwrap();
    assert!(matches!(&error, StartError::Watch(_)) && error.to_string().contains("not a folder"), "{error}");
    let error = Capture::new().source(bench.replays()).hz(60).realtime_only().start().err().unwrap();
    assert!(matches!(error, StartError::NotForThisSource { .. }), "{error}");
}
