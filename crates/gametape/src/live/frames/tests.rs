use std::path::Path;
use std::sync::{Arc, Mutex};

use gametape_format::{StreamSpec, TapeId};

use super::{FrameSink, LiveFrame};
use crate::capture::{Description, EndReason, ObservedFrame, Observer, TapeBegins};
use crate::live::tap::SLOTS;
use crate::live::{Live, LiveTape};

/// Records the calls as text. While `held` is locked, calls block.
#[derive(Default)]
struct Heard {
    said: Mutex<Vec<String>>,
    held: Mutex<()>,
}

impl Heard {
    fn say(&self, text: String) {
        let _held = self.held.lock().unwrap();
        self.said.lock().unwrap().push(text);
    }
}

impl FrameSink for Heard {
    fn begins(&self, tape: &LiveTape, streams: &[StreamSpec], utc_ns: i64) {
        self.say(format!("{} begins at {utc_ns} with {} streams", tape.id.0[0], streams.len()));
    }

    fn frame(&self, tape: &LiveTape, frame: &LiveFrame<'_>) {
        let LiveFrame { stream, time_ns, sequence, bytes } = frame;
        self.say(format!("{} stream {stream} at {time_ns} number {sequence}: {bytes:?}", tape.id.0[0]));
    }

    fn mark(&self, tape: &LiveTape, time_ns: u64, text: &str) {
        self.say(format!("{} mark at {time_ns}: {text}", tape.id.0[0]));
    }

    fn lost(&self, tape: &LiveTape, frames: u64, _: u64) {
        self.say(format!("{} lost {frames}", tape.id.0[0]));
    }

    fn ended(&self, tape: &LiveTape) {
        self.say(format!("{} ended", tape.id.0[0]));
    }
}

fn begin(observer: &mut dyn Observer, id: u8) {
    begin_game(observer, id, "some-game");
}

fn begin_game(observer: &mut dyn Observer, id: u8, game: &str) {
    let mut description = Description::of_game(game);
    description.streams.push(StreamSpec { skip_unchanged: true, ..StreamSpec::rows("pages") });
    description.streams.push(StreamSpec { skip_unchanged: false, ..StreamSpec::rows("packets") });
    let file = Some((TapeId([id; 16]), Path::new("some.gtape")));
    observer.begin(&TapeBegins { description: &description, file, utc_ns: 7, replay_of: None });
}

#[test]
fn frames_come_as_the_tape_keeps_them_and_each_recording_has_a_beginning_and_an_end() {
    let heard = Arc::new(Heard::default());
    let mut frames = Live::new().frames(heard.clone());
    let mut observer = frames.observer().unwrap();
    begin(&mut *observer, 1);
    for (time_ns, byte) in [(0, 1), (10, 1), (20, 2)] {
        observer.frame(&ObservedFrame { unchanged: time_ns == 10, ..ObservedFrame::new(0, time_ns, &[byte]) });
        observer.frame(&ObservedFrame::new(1, time_ns, &[byte]));
    }
    observer.end(30, EndReason::GameEnded);
    begin(&mut *observer, 2);
    observer.frame(&ObservedFrame::new(1, 5, &[9]));
    drop(observer);
    frames.wait().unwrap();
    let heard = heard.said.lock().unwrap();
    assert_eq!(
        *heard,
        [
            "1 begins at 7 with 2 streams",
            "1 stream 0 at 0 number 0: [1]",
            "1 stream 1 at 0 number 0: [1]",
            "1 stream 1 at 10 number 1: [1]",
            "1 stream 0 at 20 number 1: [2]",
            "1 stream 1 at 20 number 2: [2]",
            "1 ended",
            "2 begins at 7 with 2 streams",
            "2 stream 1 at 5 number 0: [9]",
            "2 ended",
        ]
    );
}

#[test]
fn frames_of_a_game_without_laps_come_too_and_marks_between_them() {
    let heard = Arc::new(Heard::default());
    let mut frames = Live::new().frames(heard.clone());
    let mut observer = frames.observer().unwrap();
    begin_game(&mut *observer, 1, gametape_games::echo_vr::ID);
    observer.frame(&ObservedFrame::new(1, 0, &[1]));
    observer.mark(5, "here");
    observer.frame(&ObservedFrame::new(1, 10, &[2]));
    observer.end(30, EndReason::GameEnded);
    drop(observer);
    frames.wait().unwrap();
    let heard = heard.said.lock().unwrap();
    assert_eq!(
        *heard,
        [
            "1 begins at 7 with 2 streams",
            "1 stream 1 at 0 number 0: [1]",
            "1 mark at 5: here",
            "1 stream 1 at 10 number 1: [2]",
            "1 ended",
        ]
    );
}

#[test]
fn frames_that_found_no_place_are_told_as_lost() {
    let heard = Arc::new(Heard::default());
    let mut frames = Live::new().frames(heard.clone());
    let mut observer = frames.observer().unwrap();
    let held = heard.held.lock().unwrap();
    begin(&mut *observer, 1);
    // The thread holds at most one frame.
    let given = SLOTS as u64 + 11;
    (0..given).for_each(|time_ns| observer.frame(&ObservedFrame::new(1, time_ns, &[0])));
    drop(held);
    // The count is reported with the next frame, which needs a slot.
    while heard.said.lock().unwrap().len() < 10 {
        std::thread::yield_now();
    }
    observer.frame(&ObservedFrame::new(1, given, &[1]));
    observer.end(given, EndReason::GameEnded);
    drop(observer);
    frames.wait().unwrap();
    let said = heard.said.lock().unwrap();
    let handed = said.iter().filter(|text| text.contains("stream")).count() as u64 - 1;
    let lost: u64 = said.iter().filter_map(|text| text.strip_prefix("1 lost ")?.parse::<u64>().ok()).sum();
    assert!(lost >= 10, "{lost}");
    assert_eq!(handed + lost, given + 1);
}
