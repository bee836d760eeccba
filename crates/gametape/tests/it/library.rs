//! The library API: callbacks, iterators, writers, custom sources.
#![allow(clippy::unwrap_used, clippy::panic, clippy::expect_used, missing_docs)]
use crate::scripted;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gametape::capture::{Batch, Clock, Description, EndReason, Pace, Source, SourceError, State};
use gametape::format::StreamSpec;
use gametape::games::CopyRule;
use gametape::library::Fault;
use gametape::{Capture, StartError, Tape};
use scripted::{LongTick, Nothing, Sent, Tick, Ticks, ticks_description};
use zerocopy::IntoBytes as _;

fn numbers(tape: &Tape) -> Vec<u64> {
    tape.frames_of::<Tick>("ticks").unwrap().map(|(_, tick)| tick.number).collect()
}

#[test]
fn a_slow_callback_misses_frames_and_the_recording_does_not() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let (slow, quick) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (slow_calls, quick_calls) = (Arc::clone(&slow), Arc::clone(&quick));
    // The first frame is held until the recording is over: then there is room for 512 frames, but not for the rest.
    let (go_on, may_go_on) = sync_channel::<()>(0);
    let capture = Capture::new()
        .source(Ticks { at_once: 1, ..Ticks::new(3000) })
        .to(&path)
        .on_stream("ticks", move |_, tick: &Tick| {
            assert_eq!(tick.inverse, !tick.number);
            if slow_calls.fetch_add(1, Ordering::Relaxed) == 0 {
                may_go_on.recv().unwrap();
            }
        })
        .on_stream("ticks", move |_, _: &Tick| {
            quick_calls.fetch_add(1, Ordering::Relaxed);
        })
        .start()
        .unwrap();
    while !capture.is_over() {
        std::thread::sleep(Duration::from_millis(1));
    }
    go_on.send(()).unwrap();
    let summary = capture.wait_for_end().unwrap();
    assert_eq!(numbers(&Tape::open(&path).unwrap()), (0..3000).collect::<Vec<_>>());
    let (slow, quick) = (slow.load(Ordering::Relaxed), quick.load(Ordering::Relaxed));
    assert_eq!(slow, 512, "one in hand, 511 behind it");
    assert_eq!(slow + quick + summary.skipped, 6000, "each frame was given or counted");
    assert_eq!((summary.frames, summary.tapes[0].frames, summary.end), (3000, 3000, EndReason::SourceEnded));
    assert!(!summary.tapes[0].loss.is_loss());
}

#[test]
fn a_callback_that_panics_is_told_of_and_harms_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let called = Arc::new(AtomicU64::new(0));
    let calls = Arc::clone(&called);
    let capture = Capture::new()
        .source(Ticks::new(300))
        .to(&path)
        .on_stream("ticks", |_, tick: &Tick| assert!(tick.number % 100 != 7, "number {}", tick.number))
        .on_stream("ticks", move |_, _: &Tick| {
            calls.fetch_add(1, Ordering::Relaxed);
        })
        .start()
        .unwrap();
    let error = capture.wait_for_end().unwrap_err();
    let [Fault::Panicked { times: 3, message, .. }] = error.faults.as_slice() else { panic!("{error:?}") };
    assert_eq!(message, "number 7");
    assert!(error.to_string().contains("panicked 3 times"), "{error}");
    assert_eq!((called.load(Ordering::Relaxed), error.summary.skipped), (300, 0));
    assert_eq!(numbers(&Tape::open(&error.summary.tapes[0].path).unwrap()).len(), 300);
}

#[test]
fn a_source_that_panics_leaves_a_whole_tape() {
    struct Bad(Ticks);
    impl Source for Bad {
        fn pace(&self) -> Pace {
            Pace::Source
        }
        fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
            assert!(self.0.next < 100, "enough");
            self.0.read(clock, batch)
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let error = Capture::new().source(Bad(Ticks::new(500))).to(&path).start().unwrap().wait_for_end().unwrap_err();
    assert_eq!(error.failures, ["the source panicked: enough"]);
    let tape = Tape::open(&path).unwrap();
    assert!(tape.is_complete());
    assert_eq!(numbers(&tape).len(), 100);
}

#[test]
fn frames_of_another_length_are_an_error_that_names_both_and_are_never_read() {
    let run = |description: Description, frames: Vec<Vec<u8>>| {
        let (send, receive) = channel();
        frames.into_iter().for_each(|bytes| send.send((0, bytes)).unwrap());
        drop(send);
        let capture = Capture::new()
            .source(Sent { description, frames: receive })
            .realtime_only()
            .on_stream("ticks", |_, _: &LongTick| panic!("a frame was misread"))
            .start()
            .unwrap();
        capture.wait_for_end().unwrap_err()
    };
    // The length is in the description, or only known from the frame.
    let mut rows = Description::of_game("scripted");
    rows.rows("ticks", "test");
    for description in [ticks_description(), rows] {
        let error = run(description, vec![Tick::new(1).as_bytes().to_vec(), vec![1; 23], vec![1; 25], vec![]]);
        let [Fault::WrongType { stream, frame_bytes: 16, type_bytes: 24, type_name, .. }, ..] = error.faults.as_slice()
        else {
            panic!("{error:?}")
        };
        assert_eq!((stream.as_str(), type_name.contains("LongTick")), ("ticks", true));
        let text = error.to_string();
        assert!(text.contains("16 bytes") && text.contains("24 bytes") && !text.contains("panicked"), "{text}");
    }
}

#[test]
fn a_stream_that_nobody_gives_is_told_of() {
    let error = Capture::new()
        .source(Ticks::new(10))
        .realtime_only()
        .on_stream("tocks", |_, _: &Tick| {})
        .start()
        .unwrap()
        .wait_for_end()
        .unwrap_err();
    assert_eq!(error.to_string(), "no source had a stream tocks for it::scripted::Tick; available: ticks of scripted");
}

#[test]
fn what_is_wrong_with_a_plan_is_said_before_anything_runs() {
    use gametape::acc;
    let error = |capture: Capture| capture.start().map(drop).unwrap_err();
    assert!(matches!(error(Capture::new()), StartError::NoSource));
    assert!(matches!(error(Capture::new().to("x.gtape")), StartError::NoSourceYet { option: "to" }));
    assert!(matches!(error(Capture::new().source(acc::physics()).hz(0)), StartError::Rate { hz: 0 }));
    assert!(matches!(error(Capture::new().source(acc::physics()).names("a/b")), StartError::Names { .. }));
    assert!(matches!(
        error(Capture::new().source(Nothing).names("x")),
        StartError::NotForThisSource { option: "names" }
    ));
    assert!(matches!(error(Capture::new().source(Nothing).hz(9)), StartError::NotForThisSource { option: "hz" }));
    let unasked = error(Capture::new().source(acc::physics()).on(|_, _: &acc::Graphics| {}));
    assert!(matches!(&unasked, StartError::NobodyGives { offered, .. } if offered.starts_with("physics of assetto")));
    let own = gametape::shared_memory::<Tick>("x").channel("far", 12, gametape::games::Kind::U64, 1, "");
    assert!(matches!(error(Capture::new().source(own)), StartError::Channels { .. }));
    let outside = CopyRule::EvenSequence { sequence_offset: 13 };
    let outside = Capture::new().source(gametape::shared_memory::<Tick>("x").copy_rule(outside));
    assert!(matches!(error(outside), StartError::OutsideStruct { offset: 13, bytes: 16, .. }));
    let other = Capture::new().source(gametape::shared_memory::<Tick>("x")).on_stream("memory", |_, _: &LongTick| {});
    assert!(matches!(error(other), StartError::WrongType(Fault::WrongType { frame_bytes: 16, type_bytes: 24, .. })));
}

#[test]
fn the_iterator_ends_when_the_capture_stops() {
    let (send, receive) = channel();
    let source = Sent { description: ticks_description(), frames: receive };
    let capture = Capture::new().source(source).realtime_only().start().unwrap();
    let mut frames = capture.frames_of::<Tick>("ticks").unwrap();
    assert!(frames.try_next().is_none());
    // The iterator has joined when it gets its first frame; it misses earlier frames.
    let first = loop {
        send.send((0, Tick::new(capture.frames_seen()).as_bytes().to_vec())).unwrap();
        std::thread::sleep(Duration::from_millis(1));
        if let Some((_, tick)) = frames.try_next() {
            break tick;
        }
    };
    let last = first.number + 1000;
    send.send((0, Tick::new(last).as_bytes().to_vec())).unwrap();
    let reader = std::thread::spawn(move || frames.map(|(t, tick)| (t, tick.number)).collect::<Vec<_>>());
    while !capture.is_over() && capture.frames_seen() < first.number + 2 {
        std::thread::sleep(Duration::from_millis(1));
    }
    capture.stop().unwrap();
    let rest = reader.join().unwrap();
    assert_eq!(rest.last().unwrap().1, last);
    assert!(rest.is_sorted_by_key(|(t, _)| *t));
}

#[test]
fn a_dropped_capture_leaves_a_whole_tape() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("deep/er/a.gtape");
    let (send, receive) = channel();
    let source = Sent { description: ticks_description(), frames: receive };
    let capture = Capture::new().source(source).to(&path).note("why", "a test").start().unwrap();
    for number in 0..100 {
        send.send((0, Tick::new(number).as_bytes().to_vec())).unwrap();
    }
    while capture.frames_seen() < 100 {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(capture);
    let tape = Tape::open(&path).unwrap();
    assert!(tape.is_complete());
    assert_eq!(numbers(&tape), (0..100).collect::<Vec<_>>());
    assert_eq!(tape.metadata().get("end_reason").map(String::as_str), Some("stopped"));
    assert_eq!(tape.metadata().get("why").map(String::as_str), Some("a test"));
}

#[test]
fn callbacks_see_what_the_tape_keeps() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let (send, receive) = channel();
    for number in [1, 1, 2, 2, 2, 1, 3] {
        send.send((0, Tick::new(number).as_bytes().to_vec())).unwrap();
    }
    drop(send);
    let seen = Arc::new(Mutex::new(Vec::new()));
    let calls = Arc::clone(&seen);
    Capture::new()
        .source(Sent { description: ticks_description(), frames: receive })
        .to(&path)
        .on_stream("ticks", move |t, tick: &Tick| calls.lock().unwrap().push((t, tick.number)))
        .start()
        .unwrap()
        .wait_for_end()
        .unwrap();
    let tape = Tape::open(&path).unwrap();
    let kept: Vec<_> = tape.frames_of::<Tick>("ticks").unwrap().map(|(t, tick)| (t, tick.number)).collect();
    assert_eq!(*seen.lock().unwrap(), kept);
    assert_eq!(kept.iter().map(|(_, number)| *number).collect::<Vec<_>>(), [1, 2, 1, 3]);
}

#[test]
fn a_writer_of_ones_own_gets_all_frames_instead_of_a_tape() {
    #[derive(Default)]
    struct Log(Arc<Mutex<Vec<String>>>);
    impl gametape::FrameWriter for Log {
        fn begin(&mut self, description: &Description) -> std::io::Result<()> {
            self.0.lock().unwrap().push(format!("begin {}", description.game));
            Ok(())
        }
        fn frame(&mut self, stream: &StreamSpec, _: Duration, bytes: &[u8]) -> std::io::Result<()> {
            self.0.lock().unwrap().push(format!("{} {}", stream.name, bytes[0]));
            Ok(())
        }
        fn end(&mut self) -> std::io::Result<()> {
            self.0.lock().unwrap().push("end".into());
            Ok(())
        }
    }
    let log = Log::default();
    let lines = Arc::clone(&log.0);
    let summary = Capture::new().source(Ticks::new(3)).to_writer(log).start().unwrap().wait_for_end().unwrap();
    assert_eq!(*lines.lock().unwrap(), ["begin scripted", "ticks 0", "ticks 1", "ticks 2", "end"]);
    assert_eq!((summary.tapes.len(), summary.frames), (0, 3));

    let full = |_: &StreamSpec, _: Duration, _: &[u8]| Err(std::io::Error::other("the disk is full"));
    let error = Capture::new().source(Ticks::new(3)).to_writer(full).start().unwrap().wait_for_end().unwrap_err();
    assert_eq!(error.to_string(), "the writer failed: the disk is full");
}

#[test]
fn a_callback_that_hangs_does_not_keep_the_tape_from_being_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let (send, receive) = channel();
    let (_never, hang) = channel::<()>();
    let capture = Capture::new()
        .source(Sent { description: ticks_description(), frames: receive })
        .to(&path)
        .on_stream("ticks", move |_, _: &Tick| {
            let _ = hang.recv_timeout(Duration::from_secs(20));
        })
        .start()
        .unwrap();
    (0..10).for_each(|number| send.send((0, Tick::new(number).as_bytes().to_vec())).unwrap());
    while capture.frames_seen() < 10 {
        std::thread::sleep(Duration::from_millis(1));
    }
    let error = capture.stop().unwrap_err();
    assert!(matches!(error.faults.as_slice(), [Fault::Stuck { .. }]), "{error:?}");
    assert_eq!(error.summary.skipped, 10, "the one it hangs in is not finished either");
    assert_eq!(numbers(&Tape::open(&path).unwrap()).len(), 10);
}

#[test]
fn several_sources_share_a_tape_or_have_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let (both, own) = (folder.path().join("both.gtape"), folder.path().join("own.gtape"));
    let other = |game: &str, stream: &str| {
        let mut description = Description::of_game(game);
        description.rows(stream, "test");
        let (send, receive) = channel();
        (send, Sent { description, frames: receive })
    };
    let (first, second) = (other("one", "ticks"), other("two", "ticks"));
    let summary = {
        let capture =
            Capture::new().source(first.1).and(second.1).to(&both).source(Ticks::new(70)).to(&own).start().unwrap();
        for number in 0..50 {
            first.0.send((0, vec![1, number])).unwrap();
            second.0.send((0, vec![2, number])).unwrap();
        }
        drop((first.0, second.0));
        capture.wait_for_end().unwrap()
    };
    assert_eq!(summary.tapes.len(), 2);
    assert_eq!(numbers(&Tape::open(&own).unwrap()).len(), 70);
    let tape = Tape::open(&both).unwrap();
    for (stream, game, mark) in [("ticks", "one", 1), ("ticks-2", "two", 2)] {
        let stream = tape.stream_named(stream).unwrap();
        assert_eq!(stream.spec().game, game);
        let mut frames = tape.raw().frames(stream);
        for number in 0..50 {
            assert_eq!(frames.next().unwrap().unwrap().data, [mark, number]);
        }
        assert!(frames.next().unwrap().is_none());
    }
    assert!(summary.tapes.iter().all(|tape| !tape.loss.is_loss()));
}

#[test]
fn frames_wait_for_a_source_that_has_not_said_yet_what_it_offers() {
    /// Describes its streams only when triggered.
    struct Late(Ticks, std::sync::mpsc::Receiver<()>);
    impl Source for Late {
        fn pace(&self) -> Pace {
            Pace::Source
        }
        fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
            let _ = self.1.recv();
            self.0.read(clock, batch)
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    let (speak, told) = channel();
    let (send, frames) = channel();
    let mut description = Description::of_game("early");
    description.rows("early", "test");
    let sources = Capture::new().source(Sent { description, frames }).and(Late(Ticks::new(3), told)).to(&path);
    let capture = sources.start().unwrap();
    (0..50).for_each(|number| send.send((0, vec![number])).unwrap());
    // Long enough for a few polls; however long it takes, none of the early frames may be missing.
    std::thread::sleep(Duration::from_millis(700));
    drop((speak, send));
    let summary = capture.wait_for_end().unwrap();
    assert_eq!((summary.tapes[0].frames, summary.tapes[0].loss.is_loss()), (53, false));
}

#[test]
fn nothing_that_is_there_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.gtape");
    for _ in 0..2 {
        let source: Box<dyn Source> = Box::new(Ticks::new(3));
        Capture::new().source(source).to(&path).start().unwrap().wait_for_end().unwrap();
    }
    assert!(path.exists() && folder.path().join("a-2.gtape").exists());
}

#[test]
fn a_game_that_is_not_there_is_waited_for() {
    let folder = tempfile::tempdir().unwrap();
    let capture = Capture::new().source(Nothing).folder(folder.path()).start().unwrap();
    let stopper = capture.stopper();
    let stopping = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(100));
        stopper.stop();
    });
    let summary = capture.wait_for_end().unwrap();
    stopping.join().unwrap();
    assert_eq!((summary.frames, summary.tapes.len(), summary.end), (0, 0, EndReason::Stopped));
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}
