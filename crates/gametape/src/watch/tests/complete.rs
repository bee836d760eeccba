//! A file is reported once, and only when it is complete.

use super::*;

#[test]
fn a_file_that_is_written_slowly_is_reported_once_and_only_when_it_is_complete() {
    for told in [true, false] {
        let bench = Bench::new();
        let mut fake = Fake::new(bench.watch().polling(Duration::from_millis(700)));
        let path = bench.put("a.replay", b"begin");
        for chunk in 0..40 {
            assert!(fake.pass(Duration::from_millis(1900)).is_empty(), "chunk {chunk}");
            append(&path, &[chunk; 1000]);
            if told {
                fake.engine.handle(Signal::Written(path.clone()), fake.now);
            }
        }
        let found = fake.pass(3 * SETTLE);
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].path.as_path(), found[0].bytes), (path.as_path(), 40_005));
        assert_eq!(found[0].hash, ContentHash(*blake3::hash(&std::fs::read(&path).unwrap()).as_bytes()));
        assert!(fake.scan_and_pass(10 * SETTLE).is_empty());
    }
}

#[test]
fn a_slow_writer_and_real_events() {
    let bench = Bench::new();
    let live = Live::new(bench.watch().settle(Duration::from_secs(1))).until_watching();
    let path = bench.path("replays/a.replay");
    let mut file = File::create_new(path).unwrap();
    for chunk in 0..30 {
        file.write_all(&[chunk; 10_000]).unwrap();
        // Slow, but much faster than the quiet period. The file stays open, which makes the quiet period five times as long.
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(file);
    assert_eq!(live.found(), ("a.replay".into(), 300_000));
    assert!(live.end().is_empty());
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_its_writer_keeps_open_is_not_taken_in_a_pause() {
    let bench = Bench::new();
    let mut fake = Fake::new(bench.watch());
    let path = bench.path("replays/a.replay");
    let mut file = File::create_new(&path).unwrap();
    file.write_all(b"half").unwrap();
    fake.engine.handle(Signal::Written(path.clone()), fake.now);
    assert!(fake.pass(4 * SETTLE).is_empty());
    file.write_all(b" and half").unwrap();
    fake.engine.handle(Signal::Written(path), fake.now);
    assert!(fake.pass(4 * SETTLE).is_empty());
    drop(file);
    let found = fake.pass(20 * SETTLE);
    assert!(matches!(&found[..], [found] if found.bytes == 13), "{found:?}");
}

#[test]
fn a_file_that_is_renamed_into_place_needs_no_settle_time() {
    let bench = Bench::new();
    // If the quiet period applied, the test would hit its deadline.
    let live = Live::new(bench.watch().settle(LONG)).until_watching();
    let temporary = bench.put("a.replay.tmp", b"whole");
    std::fs::rename(&temporary, bench.path("replays/a.replay")).unwrap();
    assert_eq!(live.found(), ("a.replay".into(), 5));
    // On Windows, a file that is moved from an unwatched folder looks like a new file, so the quiet period applies.
    if cfg!(not(windows)) {
        let elsewhere = bench.path("b.replay");
        File::create_new(&elsewhere).unwrap().write_all(b"moved").unwrap();
        std::fs::rename(&elsewhere, bench.path("replays/b.replay")).unwrap();
        assert_eq!(live.found(), ("b.replay".into(), 5));
    }
    assert!(live.end().is_empty());
}

#[test]
fn a_file_that_is_renamed_before_it_is_complete_is_reported_under_its_last_name() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    let first = bench.put("a.replay", b"half");
    let second = bench.path("replays/b.replay");
    fake.engine.handle(Signal::Changed(first.clone()), fake.now);
    std::fs::rename(&first, &second).unwrap();
    for signal in [
        Signal::Gone(first.clone()),
        Signal::Arrived(second.clone()),
        Signal::Renamed { from: first, to: second.clone() },
    ] {
        fake.engine.handle(signal, fake.now);
    }
    assert!(fake.pass(SETTLE - Duration::from_millis(1)).is_empty(), "the new name does not make it complete");
    let found = fake.pass(SETTLE);
    assert_eq!((found.len(), &found[0].path), (1, &second));
}

#[test]
fn hundreds_of_files_at_once_are_each_reported_once() {
    let bench = Bench::new();
    let live = Live::new(bench.watch().settle(Duration::from_millis(200))).until_watching();
    let mut expected = Vec::new();
    for number in 0..600 {
        // Some in a new folder, some under a temporary name first.
        let name = format!("{number}.replay");
        match number % 3 {
            0 => drop(bench.put(&name, name.as_bytes())),
            1 => drop(bench.put(&format!("match-{}/{name}", number % 7), name.as_bytes())),
            _ => {
                let part = bench.put(&format!("{number}.part"), name.as_bytes());
                std::fs::rename(part, bench.path("replays").join(&name)).unwrap();
            }
        }
        expected.push(name);
    }
    let mut found: Vec<_> = expected.iter().map(|_| live.found().0).collect();
    found.sort_unstable();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert!(live.end().is_empty());
}

#[test]
fn more_files_than_are_waited_for_at_once_are_all_found() {
    let bench = Bench::new();
    let count = settle::MAX_WAITING + 500;
    for number in 0..count {
        bench.put(&format!("{number}.replay"), number.to_string().as_bytes());
    }
    let mut fake = Fake::deaf(bench.watch().existing());
    let mut found: Vec<_> = fake.pass(10 * SETTLE).into_iter().map(|found| found.path).collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), count);
}

#[test]
fn a_file_that_is_written_anew_is_a_new_find_and_one_that_is_touched_is_not() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    let path = bench.put("a.replay", b"one");
    assert_eq!(fake.scan_and_pass(SETTLE), ["a.replay"]);
    let touch = |seconds| {
        let time = std::time::SystemTime::now() + Duration::from_secs(seconds);
        OpenOptions::new().write(true).open(&path).unwrap().set_modified(time).unwrap();
    };
    touch(100);
    assert!(fake.scan_and_pass(2 * SETTLE).is_empty(), "touched");
    OpenOptions::new().write(true).open(&path).unwrap().write_all(b"one").unwrap();
    touch(200);
    assert!(fake.scan_and_pass(2 * SETTLE).is_empty(), "written again with the same content");
    OpenOptions::new().write(true).open(&path).unwrap().write_all(b"two").unwrap();
    touch(300);
    fake.engine.handle(Signal::Overflow, fake.now);
    let found = fake.pass(2 * SETTLE);
    assert!(matches!(&found[..], [found] if found.rewritten && found.bytes == 3));
    assert!(fake.scan_and_pass(2 * SETTLE).is_empty());
}

#[test]
fn a_file_that_was_reported_and_is_moved_is_no_find_and_a_copy_is() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    let path = bench.put("a.replay", b"one");
    assert_eq!(fake.scan_and_pass(SETTLE), ["a.replay"]);
    std::fs::create_dir(bench.path("replays/best")).unwrap();
    let moved = bench.path("replays/best/goal.replay");
    std::fs::rename(path, &moved).unwrap();
    assert!(fake.scan_and_pass(2 * SETTLE).is_empty());
    std::fs::copy(moved, bench.path("replays/copy.replay")).unwrap();
    assert_eq!(fake.scan_and_pass(2 * SETTLE), ["copy.replay"]);
}

#[test]
fn a_file_that_is_deleted_before_it_is_complete_is_not_reported() {
    let bench = Bench::new();
    let live = Live::new(bench.watch().settle(Duration::from_millis(300))).until_watching();
    let path = bench.put("a.replay", b"short life");
    std::fs::remove_file(path).unwrap();
    // It is written later, so it would be reported later.
    bench.put("b.replay", b"long life");
    assert_eq!(live.found().0, "b.replay");
    assert!(live.end().is_empty());
}

#[test]
fn a_file_that_changes_while_it_is_read_is_not_complete() {
    let bench = Bench::new();
    let path = bench.put("a.replay", b"now");
    let stamp = content::Stamp::of(&path.metadata().unwrap());
    append(&path, b" and more");
    let examined = content::examine(&path, stamp, &signals::Stopping::default());
    assert!(matches!(examined, content::Examined::NotYet), "{examined:?}");
}

#[test]
fn an_empty_file_is_reported_when_something_is_in_it() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    let path = bench.put("a.replay", b"");
    assert!(fake.scan_and_pass(10 * SETTLE).is_empty());
    append(&path, b"x");
    assert_eq!(fake.scan_and_pass(SETTLE), ["a.replay"]);
}
