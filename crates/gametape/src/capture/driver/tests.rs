//! Tests of each rule for when a tape begins and ends, with a clock that the tests advance and a scripted source.
mod bench;
// Windows does not allow deleting open files, and failing disks have not been tested there.
#[cfg(unix)]
mod disks;

use std::time::Duration;

use bench::{Bench, Ended, MENU, PAUSED, description};
use gametape_games::About;

use super::super::options::{EndReason, Split};
use crate::transport::State;

fn reasons(tapes: &[Ended]) -> Vec<EndReason> {
    tapes.iter().map(|tape| tape.reason).collect()
}

fn numbers(tapes: &[Ended]) -> Vec<Vec<u32>> {
    tapes.iter().map(|tape| tape.numbers.clone()).collect()
}

fn range(from: u32, to: u32) -> Vec<u32> {
    (from..=to).collect()
}

#[test]
fn a_tape_begins_with_the_first_movement_and_the_frame_before_it() {
    let mut bench = Bench::new();
    bench.still(500);
    assert_eq!(bench.tapes(), 0);
    bench.drive(3);
    let tapes = bench.end();
    assert_eq!((reasons(&tapes), numbers(&tapes)), (vec![EndReason::Stopped], vec![range(0, 3)]));
    let times: Vec<u64> = tapes[0].frames("numbers").iter().map(|(time_ns, _)| *time_ns / 1_000_000).collect();
    assert_eq!(times, [0, 10, 20, 30]);
}

#[test]
fn what_a_dead_game_left_behind_makes_no_tape() {
    let mut bench = Bench::new();
    bench.still(60_000);
    bench.leave(3_000);
    bench.still(60_000);
    assert_eq!(bench.tapes(), 0);
    assert!(bench.end().is_empty());
}

#[test]
fn what_is_noticed_before_a_tape_begins_is_no_loss_of_it() {
    let mut bench = Bench::new();
    bench.still(10);
    let missed = gametape_format::Counters { missed: 7, ..Default::default() };
    bench.driver.look(&mut bench.source, &missed).unwrap();
    bench.drive(2);
    assert_eq!(bench.end()[0].counters("numbers").missed, 0);
}

#[test]
fn a_pause_stays_on_the_tape() {
    let mut bench = Bench::new();
    bench.drive(5);
    bench.source.state = PAUSED;
    bench.still(300_000);
    bench.source.state = bench::LIVE;
    bench.drive(5);
    let tapes = bench.end();
    assert_eq!((reasons(&tapes), numbers(&tapes)), (vec![EndReason::Stopped], vec![range(1, 10)]));
    assert_eq!(tapes[0].events("presence"), ["live", "paused", "live"]);
}

#[test]
fn a_pause_without_end_is_a_crash_unless_nothing_may_split_the_tape() {
    for (split, expected) in
        [(Split::Session, vec![EndReason::Frozen, EndReason::Stopped]), (Split::None, vec![EndReason::Stopped])]
    {
        let mut bench = Bench::with(|options| options.split = split);
        bench.drive(5);
        bench.source.state = PAUSED;
        (0..601).for_each(|_| bench.look_after(1000));
        bench.source.state = bench::LIVE;
        bench.drive(5);
        assert_eq!(reasons(&bench.end()), expected);
    }
}

#[test]
fn a_game_that_is_live_and_does_not_move_for_30_seconds_is_frozen() {
    let mut bench = Bench::new();
    bench.drive(5);
    bench.still(29_990);
    assert!(bench.progress.is_recording());
    bench.still(10);
    assert!(!bench.progress.is_recording() && bench.driver.tapes().game_ended());
    bench.still(60_000);
    // The game was only slow: the tape has the last frame before the movement, and the new ones.
    bench.drive(2);
    let tapes = bench.end();
    assert_eq!(reasons(&tapes), [EndReason::Frozen, EndReason::Stopped]);
    assert_eq!(numbers(&tapes), [range(1, 5), range(5, 7)]);
}

#[test]
fn a_short_absence_is_one_gap_and_the_tape_says_so() {
    let mut bench = Bench::new();
    bench.drive(5);
    bench.leave(1_490);
    bench.drive(5);
    let seen = bench.progress.numbers().counters;
    let gaps = bench.heard.lock().unwrap().gaps.clone();
    let tapes = bench.end();
    assert_eq!((reasons(&tapes), numbers(&tapes)), (vec![EndReason::Stopped], vec![range(1, 10)]));
    assert_eq!(tapes[0].events("gap"), ["away for 1490 ms"]);
    let lengths: Vec<_> = tapes[0].tape.events_of("gap").iter().map(|event| event.length_ns).collect();
    assert_eq!(lengths, [Some(1_490_000_000)], "as a number, whatever the text says");
    assert_eq!(gaps, [(5, 1_490_000_000)], "observers are notified before the frames after the gap");
    assert_eq!((tapes[0].counters("numbers").gaps, tapes[0].counters("others").gaps, seen.gaps), (1, 1, 1));
}

#[test]
fn a_frame_that_the_tape_refuses_is_not_shown_to_observers() {
    let mut bench = Bench::new();
    bench.drive(5);
    let shown = bench.heard.lock().unwrap().frames;
    // One accepted frame, one older than its predecessor, one larger than the limit of a tape.
    bench.source.also = vec![(1, 0, b"b".to_vec()), (1, 5_000_000, b"a".to_vec()), (1, 0, vec![0; (16 << 20) + 1])];
    bench.drive(1);
    assert_eq!(bench.heard.lock().unwrap().frames - shown, 2, "the number and the first of the three");
    let tapes = bench.end();
    assert_eq!((tapes[0].frames("others").len(), tapes[0].counters("others").dropped), (1, 2));
}

#[test]
fn a_long_absence_ends_the_tape_and_the_game_that_comes_back_gets_another() {
    let mut bench = Bench::new();
    bench.drive(5);
    bench.leave(1_500);
    assert!(bench.progress.is_recording());
    bench.leave(10);
    assert!(!bench.progress.is_recording() && bench.driver.tapes().game_ended());
    bench.drive(5);
    let tapes = bench.end();
    assert_eq!(reasons(&tapes), [EndReason::GameEnded, EndReason::Stopped]);
    assert_eq!(numbers(&tapes), [range(1, 5), range(6, 10)]);
    assert_eq!(tapes[1].counters("numbers").gaps, 0);
}

#[test]
fn without_splitting_an_absence_of_any_length_is_a_gap() {
    let mut bench = Bench::with(|options| options.split = Split::None);
    bench.drive(5);
    bench.leave(60_000);
    bench.drive(5);
    let tapes = bench.end();
    assert_eq!(numbers(&tapes), [range(1, 10)]);
    assert_eq!(tapes[0].counters("numbers").gaps, 1);
}

#[test]
fn a_new_session_has_all_its_frames_on_a_tape_of_its_own() {
    let mut bench = Bench::new();
    // A session key that appears later is not a new session.
    bench.drive(5);
    bench.source.session = Some(1);
    bench.drive(5);
    bench.source.session = Some(2);
    // 500 ms pass between the first read with the new session and the one that confirms it.
    bench.drive(50);
    assert_eq!(bench.tapes(), 1);
    bench.drive(10);
    let tapes = bench.end();
    assert_eq!(reasons(&tapes), [EndReason::NewSession, EndReason::Stopped]);
    assert_eq!(numbers(&tapes), [range(1, 10), range(11, 70)]);
}

#[test]
fn the_tape_says_what_is_different_in_the_next_session() {
    let about = |track: &str, car: &str, session: &str| About {
        track: Some(track.to_owned()),
        car: Some(car.to_owned()),
        session: Some(session.to_owned()),
        ..About::default()
    };
    let mut bench = Bench::new();
    let sessions = [
        about("ring", "one", "practice"),
        about("ring", "one", "practice"),
        about("ring", "one", "race"),
        about("ring", "two", "practice"),
        about("coast", "one", "practice"),
        // A value that the game does not report is not a difference.
        About::default(),
    ];
    for (number, about) in (1..).zip(sessions) {
        (bench.source.session, bench.source.about) = (Some(number), about);
        bench.drive(100);
    }
    let tapes = bench.end();
    use EndReason::{NewCar, NewSession, NewSessionType, NewTrack, Stopped};
    assert_eq!(reasons(&tapes), [NewSession, NewSessionType, NewCar, NewTrack, NewSession, Stopped]);
}

#[test]
fn without_splitting_sessions_share_a_tape() {
    let mut bench = Bench::with(|options| options.split = Split::None);
    for session in 1..4 {
        bench.source.session = Some(session);
        bench.drive(100);
    }
    assert_eq!(numbers(&bench.end()), [range(1, 300)]);
}

#[test]
fn a_session_that_shows_for_a_moment_only_changes_nothing() {
    let mut bench = Bench::new();
    bench.source.session = Some(1);
    bench.drive(5);
    bench.source.session = Some(2);
    bench.drive(30);
    bench.source.session = Some(1);
    bench.drive(30);
    bench.source.session = Some(2);
    bench.drive(30);
    bench.source.session = Some(1);
    bench.drive(1);
    assert_eq!(numbers(&bench.end()), [range(1, 96)]);
}

#[test]
fn a_session_that_goes_away_before_it_is_certain_stays_on_the_old_tape_which_says_so() {
    let mut bench = Bench::new();
    bench.source.session = Some(1);
    bench.drive(5);
    bench.source.session = Some(2);
    bench.drive(20);
    bench.leave(5_000);
    let tapes = bench.end();
    assert_eq!((reasons(&tapes), numbers(&tapes)), (vec![EndReason::GameEnded], vec![range(1, 25)]));
    let event = tapes[0].tape.events().into_iter().find(|event| event.kind == "session_unclear").unwrap();
    assert_eq!(event.at_ns, 50_000_000, "the sixth frame is the first of it");
}

#[test]
fn a_session_that_is_away_for_a_moment_before_it_is_certain_has_all_its_frames() {
    let mut bench = Bench::new();
    bench.source.session = Some(1);
    bench.drive(5);
    bench.source.session = Some(2);
    bench.drive(20);
    bench.leave(1_000);
    bench.drive(20);
    let tapes = bench.end();
    assert_eq!(reasons(&tapes), [EndReason::NewSession, EndReason::Stopped]);
    assert_eq!(numbers(&tapes), [range(1, 5), range(6, 45)]);
}

#[test]
fn an_absence_in_doubt_is_still_a_gap_if_the_old_session_comes_back() {
    let mut bench = Bench::new();
    bench.source.session = Some(1);
    bench.drive(5);
    bench.source.session = Some(2);
    bench.drive(5);
    bench.leave(300);
    bench.drive(5);
    bench.source.session = Some(1);
    bench.drive(5);
    let tapes = bench.end();
    assert_eq!((numbers(&tapes), tapes[0].counters("numbers").gaps), (vec![range(1, 20)], 1));
}

#[test]
fn other_streams_are_another_tape() {
    let mut bench = Bench::new();
    bench.drive(5);
    bench.source.description.rows("more", "test");
    bench.drive(5);
    let tapes = bench.end();
    assert_eq!(reasons(&tapes), [EndReason::NewLayout, EndReason::Stopped]);
    // The first frame may be stale, as at any other beginning: it is written together with the movement after it.
    assert_eq!(numbers(&tapes), [range(1, 5), range(6, 10)]);
    assert!(tapes[0].tape.stream_named("more").is_err() && tapes[1].tape.stream_named("more").is_ok());
}

#[test]
fn a_game_that_takes_over_the_pages_of_another_gets_its_own_tape() {
    let mut bench = Bench::new();
    bench.source.description = description("assetto-corsa");
    bench.drive(5);
    bench.leave(100);
    bench.source.description = description("assetto-corsa-competizione");
    bench.drive(5);
    let tapes = bench.end();
    assert_eq!(reasons(&tapes), [EndReason::NewLayout, EndReason::Stopped]);
    let games = tapes.iter().map(|tape| tape.tape.stream_named("numbers").unwrap().spec().game.clone());
    assert_eq!(games.collect::<Vec<_>>(), ["assetto-corsa", "assetto-corsa-competizione"]);
    assert_eq!(numbers(&tapes), [range(1, 5), range(6, 10)]);
}

#[test]
fn while_the_file_is_made_frames_wait_and_none_is_lost() {
    let mut bench = Bench::new();
    bench.disk_hangs(true);
    bench.drive(500);
    assert!(!bench.progress.is_recording());
    bench.disk_hangs(false);
    bench.drive(500);
    assert!(bench.progress.is_recording());
    let tapes = bench.end();
    assert_eq!(numbers(&tapes), [range(1, 1000)]);
    assert_eq!(tapes[0].counters("numbers").dropped, 0);
}

#[test]
fn a_session_that_begins_while_the_file_is_made_still_gets_its_own_frames() {
    let mut bench = Bench::new();
    bench.disk_hangs(true);
    bench.source.session = Some(1);
    bench.drive(50);
    bench.source.session = Some(2);
    bench.drive(100);
    bench.disk_hangs(false);
    bench.drive(50);
    let tapes = bench.end();
    assert_eq!(reasons(&tapes), [EndReason::NewSession, EndReason::Stopped]);
    assert_eq!(numbers(&tapes), [range(1, 50), range(51, 200)]);
}

#[test]
fn when_frames_wait_too_long_the_newest_are_lost_and_counted() {
    let mut bench = Bench::with(|options| options.journal_bytes = 160 << 20);
    bench.disk_hangs(true);
    bench.source.more_bytes = (1 << 20) - 4;
    bench.drive(70);
    bench.disk_hangs(false);
    bench.source.more_bytes = 0;
    bench.drive(2);
    let tapes = bench.end();
    assert_eq!(tapes[0].counters("numbers").dropped, 6);
    assert_eq!(numbers(&tapes), [[range(1, 64), range(71, 72)].concat()]);
}

#[test]
fn the_end_has_everything_also_what_waited_for_the_file() {
    let mut bench = Bench::new();
    bench.disk_hangs(true);
    bench.drive(30);
    bench.disk_hangs(false);
    let tapes = bench.end();
    assert_eq!((reasons(&tapes), numbers(&tapes)), (vec![EndReason::Stopped], vec![range(1, 30)]));
}

#[test]
fn a_source_that_ends_at_once_has_its_tape() {
    let mut bench = Bench::new();
    bench.drive(10);
    bench.source.state = State::Ended;
    bench.look_after(10);
    let tapes = bench.end();
    assert_eq!((reasons(&tapes), numbers(&tapes)), (vec![EndReason::SourceEnded], vec![range(1, 10)]));
}

#[test]
fn a_tape_is_long_enough_when_its_time_is_over() {
    let mut bench = Bench::with(|options| options.max_duration = Some(Duration::from_millis(500)));
    bench.still(5_000);
    // The tape began with the last of those reads.
    bench.drive(49);
    assert!(!bench.driver.tapes().long_enough(), "time in which no tape was there does not count");
    bench.drive(1);
    assert!(bench.driver.tapes().long_enough());
}

#[test]
fn a_file_that_cannot_be_made_is_told_once() {
    let mut bench = Bench::new();
    bench.break_disk();
    bench.drive(5);
    assert!(bench.driver.tapes().failed());
    bench.drive(5);
    let failures = bench.failures();
    assert!(failures.len() == 1 && failures[0].contains("no room"), "{failures:?}");
}

#[test]
fn every_tape_begins_with_the_description_that_holds_for_its_first_frame() {
    let mut bench = Bench::new();
    let say = |bench: &mut Bench, text: &str| bench.source.also.push((2, 0, text.into()));
    bench.source.session = Some(1);
    say(&mut bench, "first");
    bench.drive(5);
    bench.source.session = Some(2);
    bench.drive(20);
    // The next description arrives while it is not yet certain that this is another session.
    say(&mut bench, "second");
    bench.drive(40);
    bench.leave(2_000);
    bench.drive(5);
    let tapes = bench.end();
    let texts = |tape: &Ended| -> Vec<(u64, String)> {
        let frames = tape.frames("text").into_iter();
        frames.map(|(time_ns, bytes)| (time_ns / 1_000_000, String::from_utf8(bytes).unwrap())).collect()
    };
    assert_eq!(texts(&tapes[0]), [(0, "first".to_owned())]);
    assert_eq!(texts(&tapes[1]), [(0, "first".to_owned()), (200, "second".to_owned())]);
    assert_eq!(texts(&tapes[2]), [(0, "second".to_owned())]);
}

#[test]
fn every_tape_says_what_its_description_notes() {
    let mut bench = Bench::new();
    bench.source.description.notes.push(("variable_left_out".into(), "Speed".into()));
    bench.drive(5);
    bench.leave(2_000);
    bench.drive(5);
    let tapes = bench.end();
    assert_eq!(tapes.len(), 2);
    assert!(tapes.iter().all(|tape| tape.events("variable_left_out") == ["Speed"]));
}

#[test]
fn a_tape_begins_with_its_earliest_frame_in_whatever_order_they_came() {
    let mut bench = Bench::new();
    bench.still(100);
    bench.source.also.push((1, 30_000_000, b"older".to_vec()));
    bench.drive(1);
    let tapes = bench.end();
    assert_eq!(tapes[0].frames("others")[0].0, 0);
    let times: Vec<u64> = tapes[0].frames("numbers").iter().map(|(time_ns, _)| *time_ns / 1_000_000).collect();
    assert_eq!(times, [20, 30]);
}

#[test]
fn what_the_game_says_later_is_on_the_tape_and_seen_by_others() {
    let car = |bench: &Bench| bench.progress.situation().about.car;
    // A source that reports changes is asked immediately.
    let mut bench = Bench::new();
    bench.source.about_changes = Some(0);
    bench.drive(5);
    bench.source.about.car = Some("car".into());
    bench.drive(100);
    assert_eq!(car(&bench), None);
    bench.source.about_changes = Some(1);
    bench.drive(1);
    assert_eq!(car(&bench).as_deref(), Some("car"));
    assert_eq!(bench.end()[0].tape.metadata().get("car").map(String::as_str), Some("car"));

    // Other sources are asked soon after the beginning. Values that are no longer reported stay.
    let mut bench = Bench::new();
    bench.drive(5);
    bench.source.about.car = Some("car".into());
    bench.drive(100);
    assert_eq!(car(&bench).as_deref(), Some("car"));
    bench.source.about.car = None;
    bench.source.about.track = Some("track".into());
    bench.drive(300);
    assert_eq!(bench.progress.situation().about.track.as_deref(), Some("track"));
    assert_eq!(car(&bench).as_deref(), Some("car"));
    bench.source.about.track = Some("other track".into());
    bench.drive(20);
    // And once more at the end.
    let tape = &bench.end()[0].tape;
    let said = |key: &str| tape.metadata().get(key).cloned();
    assert_eq!((said("car").as_deref(), said("track").as_deref()), (Some("car"), Some("other track")));
}

#[test]
fn what_the_next_session_says_of_itself_is_not_on_the_old_tape() {
    let mut bench = Bench::new();
    for (session, name) in [(1, "practice"), (2, "race")] {
        (bench.source.session, bench.source.about.session) = (Some(session), Some(name.into()));
        bench.source.about_changes = Some(session);
        bench.drive(200);
    }
    bench.source.state = MENU;
    bench.source.about.session = Some("nonsense".into());
    bench.look_after(10);
    let tapes = bench.end();
    let said: Vec<_> = tapes.iter().map(|tape| tape.tape.metadata().get("session").cloned().unwrap()).collect();
    assert_eq!(said, ["practice", "race"]);
}
