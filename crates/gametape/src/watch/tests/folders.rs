//! Folders that come and go, lost events, unreadable files.

use super::*;

#[test]
fn lost_events_lead_to_a_scan() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    bench.put("a.replay", b"one");
    assert!(fake.pass(100 * SETTLE).is_empty(), "nobody told");
    fake.engine.handle(Signal::Overflow, fake.now);
    assert_eq!(fake.pass(SETTLE).len(), 1);
    assert!(fake.notices.contains(&Notice::Overflow));
}

#[test]
fn a_slow_scan_finds_what_the_system_did_not_tell() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    bench.put("a.replay", b"one");
    assert!(fake.pass(LONG - SETTLE).is_empty());
    assert_eq!(fake.pass(3 * SETTLE).len(), 1);
}

#[test]
fn without_events_folders_are_looked_at() {
    let bench = Bench::new();
    let looking = Duration::from_millis(20);
    let live = Live::new(bench.watch().settle(looking).polling(looking));
    live.until(|notice| matches!(notice, Notice::Watching { looking_because: Some(_), .. }));
    bench.put("a.replay", b"one");
    assert_eq!(live.found().0, "a.replay");
    bench.put("new/b.replay", b"two");
    assert_eq!(live.found().0, "b.replay");
    assert!(live.end().is_empty());
}

#[test]
fn a_folder_that_appears_later_is_waited_for_and_its_files_are_found() {
    let bench = Bench::new();
    let short = Duration::from_millis(20);
    let watch = Watch::new()
        .folder(Folder::new(bench.path("later/and/deeper")).pattern("*.replay").unwrap())
        .settle(short)
        .look_every(short, LONG);
    let live = Live::new(watch);
    live.until(|notice| matches!(notice, Notice::WaitingFor { .. }));
    std::fs::create_dir_all(bench.path("later/and/deeper")).unwrap();
    File::create_new(bench.path("later/and/deeper/a.replay")).unwrap().write_all(b"one").unwrap();
    assert_eq!(live.found().0, "a.replay");
    let live = live.until_watching();
    File::create_new(bench.path("later/and/deeper/b.replay")).unwrap().write_all(b"two").unwrap();
    assert_eq!(live.found().0, "b.replay");
    assert!(live.end().is_empty());
}

#[test]
fn a_folder_that_goes_and_comes_back_is_watched_again() {
    let bench = Bench::new();
    let short = Duration::from_millis(20);
    let live = Live::new(bench.watch().settle(short).look_every(short, LONG)).until_watching();
    for round in 0..3 {
        // Under Wine, a removed folder remains while another handle to it is open.
        if round == 1 || cfg!(windows) {
            std::fs::rename(bench.path("replays"), bench.path(&format!("away-{round}"))).unwrap();
        } else {
            std::fs::remove_dir_all(bench.path("replays")).unwrap();
        }
        live.until(|notice| matches!(notice, Notice::FolderGone { .. }));
        std::fs::create_dir(bench.path("replays")).unwrap();
        live.until(|notice| matches!(notice, Notice::Watching { .. }));
        bench.put(&format!("{round}.replay"), &[round]);
        assert_eq!(live.found().0, format!("{round}.replay"));
    }
    assert!(live.end().is_empty());
}

#[test]
fn files_in_new_folders_are_found_however_deep_and_fast() {
    let bench = Bench::new();
    let live = Live::new(bench.watch().settle(Duration::from_millis(50))).until_watching();
    for round in 0..20 {
        let name = format!("{round}.replay");
        bench.put(&format!("m{round}/a/b/c/{name}"), name.as_bytes());
        assert_eq!(live.found().0, name);
        // And after the folder is known.
        let name = format!("{round}-second.replay");
        bench.put(&format!("m{round}/a/b/c/{name}"), name.as_bytes());
        assert_eq!(live.found().0, name);
    }
    // A folder that is moved in with its contents.
    std::fs::create_dir_all(bench.path("outside/deep")).unwrap();
    File::create_new(bench.path("outside/deep/moved.replay")).unwrap().write_all(b"x").unwrap();
    std::fs::rename(bench.path("outside"), bench.path("replays/inside")).unwrap();
    assert_eq!(live.found().0, "moved.replay");
    assert!(live.end().is_empty());
}

#[test]
fn folders_below_do_not_count_unless_asked_for() {
    let bench = Bench::new();
    let flat = Folder::new(bench.path("replays")).pattern("*.replay").unwrap();
    let live = Live::new(Watch::new().folder(flat).settle(Duration::from_millis(50))).until_watching();
    bench.put("below/a.replay", b"one");
    bench.put("b.replay", b"two");
    assert_eq!(live.found().0, "b.replay");
    assert!(live.end().is_empty());
}

#[cfg(unix)]
#[test]
fn what_is_no_file_does_not_hang_the_watch() {
    let bench = Bench::new();
    let pipe = bench.path("replays/pipe.replay");
    assert!(std::process::Command::new("mkfifo").arg(pipe).status().unwrap().success());
    std::os::unix::fs::symlink("nowhere", bench.path("replays/broken.replay")).unwrap();
    std::os::unix::fs::symlink(".", bench.path("replays/loop")).unwrap();
    std::fs::create_dir(bench.path("replays/folder.replay")).unwrap();
    bench.put("a.replay", b"one");
    let mut fake = Fake::deaf(bench.watch().existing());
    assert_eq!(fake.scan_and_pass(10 * SETTLE), ["a.replay"]);
    let links = fake.notices.iter().filter(|notice| matches!(notice, Notice::LinkNotFollowed { .. })).count();
    assert_eq!(links, 1, "told once: {:?}", fake.notices);
}

/// Root can read every file except this one, which looks regular until it is read.
#[cfg(target_os = "linux")]
const UNREADABLE: &str = "/sys/class/net/lo/speed";

#[cfg(target_os = "linux")]
#[test]
fn a_file_that_cannot_be_read_is_told_once_and_found_when_it_can() {
    let bench = Bench::new();
    let path = bench.path("replays/a.replay");
    assert!(std::fs::read(UNREADABLE).is_err() && Path::new(UNREADABLE).metadata().unwrap().len() > 0);
    std::os::unix::fs::symlink(UNREADABLE, &path).unwrap();
    bench.put("b.replay", b"open");
    let mut fake = Fake::deaf(bench.watch().existing());
    assert_eq!(fake.scan_and_pass(10 * SETTLE), ["b.replay"]);
    fake.scan_and_pass(10 * SETTLE);
    let told: Vec<_> = fake.notices.iter().filter(|notice| matches!(notice, Notice::Unreadable { .. })).collect();
    assert_eq!(told.len(), 1, "{told:?}");
    std::fs::remove_file(&path).unwrap();
    bench.put("a.replay", b"can be read");
    assert_eq!(fake.scan_and_pass(SETTLE), ["a.replay"]);
}
