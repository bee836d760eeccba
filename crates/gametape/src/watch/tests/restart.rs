//! What is reported after a restart, and what is not.

use super::*;

#[test]
fn a_restart_reports_nothing_twice() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    bench.put("a.replay", b"one");
    assert_eq!(fake.scan_and_pass(SETTLE), ["a.replay"]);
    fake.end();
    for watch in [bench.watch(), bench.watch().existing()] {
        let mut again = Fake::deaf(watch);
        assert!(again.scan_and_pass(10 * SETTLE).is_empty());
        again.end();
    }
}

#[test]
fn a_restart_with_real_events_reports_nothing_twice() {
    let bench = Bench::new();
    let watch = || bench.watch().settle(Duration::from_millis(100)).existing();
    let live = Live::new(watch()).until_watching();
    bench.put("a.replay", b"one");
    assert_eq!(live.found().0, "a.replay");
    assert!(live.end().is_empty());
    bench.put("b.replay", b"in between");
    let live = Live::new(watch()).until_watching();
    assert_eq!(live.found().0, "b.replay");
    bench.put("c.replay", b"after");
    assert_eq!(live.found().0, "c.replay");
    assert!(live.end().is_empty());
}

#[test]
fn files_that_were_there_before_are_reported_on_request_only() {
    let bench = Bench::new();
    bench.put("old.replay", b"before");
    bench.put("deep/down/older.replay", b"before, too");
    bench.put("other.txt", b"not a replay");
    let mut fake = Fake::deaf(bench.watch());
    assert!(fake.scan_and_pass(10 * SETTLE).is_empty());
    bench.put("new.replay", b"after");
    assert_eq!(fake.scan_and_pass(10 * SETTLE), ["new.replay"]);
    fake.end();
    let mut fake = Fake::deaf(bench.watch().existing());
    let mut found = fake.scan_and_pass(10 * SETTLE);
    found.sort_unstable();
    assert_eq!(found, ["old.replay", "older.replay"]);
}

#[test]
fn a_file_that_was_rewritten_in_between_is_reported_on_request_only() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    let path = bench.put("a.replay", b"one");
    assert_eq!(fake.scan_and_pass(SETTLE), ["a.replay"]);
    fake.end();
    append(&path, b" and two");
    let mut fake = Fake::deaf(bench.watch());
    assert!(fake.scan_and_pass(10 * SETTLE).is_empty());
    fake.end();
    let mut fake = Fake::deaf(bench.watch().existing());
    let found = fake.pass(10 * SETTLE);
    assert!(matches!(&found[..], [found] if found.rewritten));
}

#[test]
fn a_file_that_was_not_complete_at_the_end_is_reported_by_the_next_watch() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    bench.put("a.replay", b"half");
    assert!(fake.scan_and_pass(SETTLE / 2).is_empty());
    fake.end();
    let mut fake = Fake::deaf(bench.watch());
    assert_eq!(fake.scan_and_pass(SETTLE), ["a.replay"]);
    fake.end();
    let mut fake = Fake::deaf(bench.watch());
    assert!(fake.scan_and_pass(10 * SETTLE).is_empty());
}

#[test]
fn a_reported_file_that_was_only_touched_before_the_end_is_not_reported_again() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    let path = bench.put("a.replay", b"one");
    assert_eq!(fake.scan_and_pass(SETTLE), ["a.replay"]);
    let later = std::time::SystemTime::now() + Duration::from_secs(100);
    OpenOptions::new().write(true).open(&path).unwrap().set_modified(later).unwrap();
    assert!(fake.scan_and_pass(SETTLE / 2).is_empty());
    fake.end();
    let mut fake = Fake::deaf(bench.watch().existing());
    assert!(fake.scan_and_pass(10 * SETTLE).is_empty());
}

#[test]
fn a_find_that_nobody_was_done_with_is_reported_again() {
    let bench = Bench::new();
    bench.put("a.replay", b"one");
    let watch = || bench.watch().existing().settle(Duration::from_millis(20));
    let next = |events: &mut Events| loop {
        if let Some(WatchEvent::Found(found)) = events.next() {
            return name(&found.path);
        }
    };
    let mut events = watch().events().unwrap();
    assert_eq!(next(&mut events), "a.replay");
    events.give_back();
    drop(events);
    let mut events = watch().events().unwrap();
    assert_eq!(next(&mut events), "a.replay");
    // Dropping the iterator confirms the find.
    drop(events);
    bench.put("b.replay", b"two");
    let mut events = watch().events().unwrap();
    assert_eq!(next(&mut events), "b.replay");
}

#[test]
fn a_state_file_that_cannot_be_written_is_told_and_the_watch_goes_on() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    std::fs::remove_file(bench.path("state")).unwrap();
    std::fs::create_dir(bench.path("state")).unwrap();
    bench.put("a.replay", b"one");
    bench.put("b.replay", b"two");
    assert_eq!(fake.scan_and_pass(2 * SETTLE).len(), 2);
    let told = fake.notices.iter().filter(|notice| matches!(notice, Notice::NotRemembered { .. })).count();
    assert_eq!(told, 1, "{:?}", fake.notices);
    // Unsaved records are written once that is possible again.
    std::fs::remove_dir(bench.path("state")).unwrap();
    fake.pass(Duration::ZERO);
    fake.end();
    assert!(Fake::deaf(bench.watch().existing()).scan_and_pass(10 * SETTLE).is_empty());
}

#[test]
fn damaged_lines_are_told() {
    let bench = Bench::new();
    File::create_new(bench.path("state")).unwrap().write_all(b"gametape-watch 1\nnonsense\n").unwrap();
    let fake = Fake::deaf(bench.watch());
    assert!(fake.notices.contains(&Notice::MemoryDamaged { lines: 1 }), "{:?}", fake.notices);
}
