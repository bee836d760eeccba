//! Full or failing disks, files removed by others, and panicking threads: what the user is notified of, and what is on the tapes.

use super::super::super::options::{EndReason, RecorderEvent};
use super::bench::{Bench, Ended};
use super::range;

fn going_on() -> Bench {
    Bench::with(|options| options.go_on = true)
}

fn failed(told: &[RecorderEvent]) -> Vec<&str> {
    told.iter()
        .filter_map(|told| if let RecorderEvent::Failed(text) = told { Some(text.as_str()) } else { None })
        .collect()
}

fn lost(told: &[RecorderEvent]) -> Vec<&str> {
    told.iter()
        .filter_map(|told| if let RecorderEvent::Lost(text) = told { Some(text.as_str()) } else { None })
        .collect()
}

fn warned(told: &[RecorderEvent]) -> Vec<&str> {
    told.iter()
        .filter_map(|told| if let RecorderEvent::Warned(text) = told { Some(text.as_str()) } else { None })
        .collect()
}

#[test]
fn while_no_tape_can_be_made_frames_wait_and_the_first_one_has_them_all() {
    let mut bench = going_on();
    bench.break_disk();
    bench.drive(500);
    assert!(!bench.driver.tapes().failed() && !bench.progress.is_recording());
    bench.mend_disk();
    bench.drive(500);
    assert!(bench.progress.is_recording());
    let (tapes, told, well) = bench.end_whatever();
    assert!(well && failed(&told).is_empty() && lost(&told).is_empty());
    assert!(warned(&told).len() == 1 && warned(&told)[0].contains("retrying"), "{:?}", warned(&told));
    let numbers: Vec<_> = tapes.into_iter().map(|tape| tape.unwrap().numbers).collect();
    assert_eq!(numbers, [range(1, 1000)]);
}

#[test]
fn a_tape_that_can_never_be_made_is_told_with_the_frames_that_it_cost() {
    let mut bench = going_on();
    bench.break_disk();
    bench.drive(200);
    bench.leave(2_000);
    bench.mend_disk();
    bench.drive(50);
    let (tapes, told, _) = bench.end_whatever();
    assert!(lost(&told).len() == 1 && lost(&told)[0].starts_with("200 frames were lost"), "{:?}", lost(&told));
    let numbers: Vec<_> = tapes.into_iter().map(|tape| tape.unwrap().numbers).collect();
    assert_eq!(numbers, [range(201, 250)], "the next session is recorded");
}

#[test]
fn a_tape_that_cannot_be_written_any_more_is_followed_by_another_and_no_frame_is_missing() {
    let mut bench = going_on();
    bench.drive(100);
    bench.break_tapes();
    // A block is full after 1024 frames. The encoder meets the error when it writes one.
    bench.drive(1_500);
    bench.drive_until_tapes(2);
    bench.drive(100);
    let driven = bench.source.number;
    let (tapes, told, _) = bench.end_whatever();
    let tapes: Vec<Ended> = tapes.into_iter().map(Result::unwrap).collect();
    assert_eq!(failed(&told).len(), 1, "{told:?}");
    assert!(failed(&told)[0].contains("gametape recover"), "{told:?}");
    let all: Vec<u32> = tapes.iter().flat_map(|tape| tape.numbers.clone()).collect();
    assert_eq!(all, range(1, driven));
    assert!(!tapes[0].tape.is_complete() && tapes[1].tape.is_complete());
}

#[test]
fn a_tape_that_is_deleted_is_noticed_told_and_followed_by_another() {
    let mut bench = going_on();
    bench.drive(100);
    bench.remove_files();
    bench.drive_until_tapes(2);
    bench.drive(100);
    let driven = bench.source.number;
    let (tapes, told, _) = bench.end_whatever();
    let gone = tapes[0].as_ref().err().unwrap().display().to_string();
    assert!(lost(&told).len() == 1 && lost(&told)[0].starts_with(&gone), "{told:?}");
    assert!(warned(&told).iter().any(|text| text.contains(&gone) && text.contains("deleted or moved")), "{told:?}");
    let second = tapes[1].as_ref().ok().unwrap();
    let first = *second.numbers.first().unwrap();
    assert!(first > 100, "{first}");
    assert_eq!(second.numbers, range(first, driven), "nothing is missing from then on");
    let closed = told.iter().filter(|told| matches!(told, RecorderEvent::Closed(_))).count();
    assert_eq!(closed, 1, "a file that is not there is not called whole");
}

#[test]
fn a_thread_that_dies_while_it_closes_a_tape_is_an_error() {
    for goes_on in [false, true] {
        let mut bench = Bench::with(|options| options.go_on = goes_on);
        bench.drive(10);
        bench.panic_on_write();
        let (tapes, told, well) = bench.end_whatever();
        // If the encoder thread panics first, the tape breaks off before it is closed, and a recorder with `go_on` can still
        // succeed.
        assert!(!well || goes_on, "it is not called a success");
        assert_eq!(failed(&told).len(), 1, "{told:?}");
        assert!(
            ["was not closed", "gametape recover"].iter().any(|words| failed(&told)[0].contains(words)),
            "{told:?}"
        );
        assert_eq!(tapes[0].as_ref().ok().unwrap().numbers, range(1, 10), "the journal has it");
    }
}

#[test]
fn without_going_on_a_deleted_tape_ends_the_recording() {
    let mut bench = Bench::new();
    bench.drive(100);
    bench.remove_files();
    let start = std::time::Instant::now();
    while !bench.driver.tapes().failed() {
        bench.drive(1);
        assert!(start.elapsed().as_secs() < 600);
    }
    let reasons = [EndReason::FileGone.as_str(), EndReason::DiskFailed.as_str()];
    assert_eq!(reasons, ["file_gone", "disk_failed"]);
    let (_, told, well) = bench.end_whatever();
    assert!(!well && lost(&told).len() == 1, "{told:?}");
}
