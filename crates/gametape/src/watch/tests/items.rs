//! Replays that are not one plain file: folders of matches, files beside others, unfinished files, names that are written again.

use std::time::SystemTime;

use super::structure::tests::seeds;
use super::*;

/// A watch on the folder as if it was that of a game.
fn of_game(bench: &Bench, id: &str) -> Watch {
    let folder = Folder::of_game(bench.path("replays"), find_replay_game(id).unwrap()).unwrap();
    Watch::new().folder(folder).remember_in(bench.path("state")).settle(SETTLE).look_every(LONG, LONG)
}

/// Sets the modification time of a file to long ago.
fn age(path: &Path) {
    let long_ago = SystemTime::now() - Duration::from_secs(3600);
    OpenOptions::new().write(true).open(path).unwrap().set_modified(long_ago).unwrap();
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| name(&entry.unwrap().path())).collect();
    names.sort_unstable();
    names
}

const MATCH: &str = "Match-2026-01-02_03-04-05-123";

fn round(number: u32) -> String {
    format!("{MATCH}/{MATCH}-R{number:02}.rec")
}

#[test]
fn a_match_of_rounds_is_one_find_when_no_round_was_added_for_minutes() {
    let bench = Bench::new();
    let archive = bench.path("archive");
    let mut fake = Fake::deaf(of_game(&bench, "r6").archive_to(&archive));
    for number in 1..=4 {
        bench.put(&round(number), &seeds::round());
        assert!(fake.scan_and_pass(UNFINISHED - SETTLE).is_empty(), "round {number}");
    }
    fake.engine.handle(Signal::Overflow, fake.now);
    let found = fake.pass(2 * SETTLE);
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!((found.path.as_path(), found.files.len()), (bench.path("replays").join(MATCH).as_path(), 4));
    assert!(found.is_folder && found.completeness == Completeness::Whole && !found.has_problems(), "{found:?}");
    assert_eq!(found.bytes, 4 * seeds::round().len() as u64);
    assert_eq!(found.archived(), Some(archive.join(MATCH).as_path()));
    assert_eq!(names(&archive), [MATCH]);
    assert_eq!(names(&archive.join(MATCH)).len(), 4);
    fake.end();
    let mut again = Fake::deaf(of_game(&bench, "r6").archive_to(&archive).existing());
    assert!(again.scan_and_pass(2 * UNFINISHED).is_empty(), "also across a restart");
    // Another round: the match is another one.
    bench.put(&round(5), &seeds::round());
    assert!(again.scan_and_pass(UNFINISHED - SETTLE).is_empty());
    again.engine.handle(Signal::Overflow, again.now);
    let found = again.pass(2 * SETTLE);
    assert!(matches!(&found[..], [found] if found.rewritten && found.files.len() == 5), "{found:?}");
    assert_eq!(names(&archive), [MATCH.to_owned(), format!("{MATCH}-2")]);
}

#[test]
fn a_match_that_ended_long_ago_needs_no_wait() {
    let bench = Bench::new();
    for number in 1..=2 {
        age(&bench.put(&round(number), &seeds::round()));
    }
    let found = Fake::deaf(of_game(&bench, "r6").existing()).pass(SETTLE);
    assert!(matches!(&found[..], [found] if found.files.len() == 2), "{found:?}");
}

#[test]
fn a_match_with_a_round_that_is_cut_off_is_incomplete() {
    let bench = Bench::new();
    let whole = seeds::round();
    bench.put(&round(1), &whole);
    age(&bench.put(&round(2), &whole[..whole.len() - 20]));
    let mut fake = Fake::deaf(of_game(&bench, "r6").existing());
    assert!(fake.pass(UNFINISHED - SETTLE).is_empty());
    let found = fake.pass(2 * SETTLE);
    assert!(matches!(&found[..], [found] if found.missing().is_some() && found.has_problems()), "{found:?}");
}

#[test]
fn a_game_that_keeps_twelve_matches_loses_none_that_was_complete() {
    let bench = Bench::new();
    let archive = bench.path("archive");
    let mut fake = Fake::deaf(of_game(&bench, "r6").archive_to(&archive));
    let folder = |number: u32| format!("Match-2026-01-{number:02}");
    let mut found = Vec::new();
    for number in 1..=30 {
        bench.put(&format!("{}/a-R01.rec", folder(number)), &[seeds::round(), vec![number as u8]].concat());
        if let Some(oldest) = number.checked_sub(12).filter(|oldest| *oldest > 0) {
            std::fs::remove_dir_all(bench.path("replays").join(folder(oldest))).unwrap();
        }
        found.extend(fake.scan_and_pass(UNFINISHED + SETTLE));
    }
    assert_eq!(found, (1..=30).map(folder).collect::<Vec<_>>());
    assert_eq!(names(&archive), found, "all are in the archive, twelve are left in the folder");
    assert_eq!(names(&bench.path("replays")).len(), 12);
}

#[test]
fn a_match_that_is_deleted_before_it_is_complete_is_told() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(of_game(&bench, "r6"));
    bench.put(&round(1), &seeds::round());
    assert!(fake.scan_and_pass(SETTLE).is_empty());
    let path = bench.path("replays").join(MATCH);
    std::fs::remove_dir_all(&path).unwrap();
    fake.engine.handle(Signal::Gone(path.clone()), fake.now);
    assert!(fake.pass(UNFINISHED).is_empty());
    assert!(fake.notices.contains(&Notice::Lost { path }), "{:?}", fake.notices);
}

#[test]
fn a_folder_that_the_game_marks_as_live_or_incomplete_is_not_complete() {
    for (live, incomplete) in [(true, false), (false, true)] {
        let bench = Bench::new();
        let mut fake = Fake::deaf(of_game(&bench, "pubg"));
        let info = bench.put("match.bro.official.x/PUBG.replayinfo", &seeds::pubg(live, incomplete));
        bench.put("match.bro.official.x/data/1", b"some data");
        assert!(fake.scan_and_pass(UNFINISHED - 2 * SETTLE).is_empty());
        std::fs::remove_file(&info).unwrap();
        bench.put("match.bro.official.x/PUBG.replayinfo", &seeds::pubg(false, false));
        fake.engine.handle(Signal::Overflow, fake.now);
        let found = fake.pass(2 * SETTLE);
        let [found] = &found[..] else { panic!("{found:?}") };
        assert!(found.is_folder && found.files.len() == 2 && found.completeness == Completeness::Whole, "{found:?}");
    }
}

#[test]
fn a_match_folder_is_found_by_real_events_in_any_folder() {
    let bench = Bench::new();
    let watch = Watch::new().folder(Folder::of_any_game(bench.path("replays"))).settle(Duration::from_millis(50));
    let live = Live::new(watch).until_watching();
    // Beside the folder, and moved in, as a program that unpacks would.
    let folder = "match.bro.official.2026";
    std::fs::create_dir_all(bench.path(folder).join("data")).unwrap();
    File::create_new(bench.path(folder).join("data/1")).unwrap().write_all(b"data").unwrap();
    let info = bench.path(folder).join("PUBG.replayinfo");
    File::create_new(info).unwrap().write_all(&seeds::pubg(false, false)).unwrap();
    std::fs::rename(bench.path(folder), bench.path("replays").join(folder)).unwrap();
    assert_eq!(live.found(), (folder.into(), 4 + seeds::pubg(false, false).len() as u64));
    bench.put("A1.replay", &seeds::rocket_league());
    assert_eq!(live.found().0, "A1.replay");
    assert!(live.end().is_empty());
}

#[test]
fn an_unfinished_file_is_reported_when_it_is_whole_or_abandoned() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    let whole = seeds::rocket_league();
    let (first, rest) = whole.split_at(70);
    let path = bench.put("a.replay", first);
    assert!(fake.scan_and_pass(UNFINISHED - SETTLE).is_empty(), "the writer pauses");
    append(&path, rest);
    fake.engine.handle(Signal::Overflow, fake.now);
    let found = fake.pass(SETTLE);
    assert!(matches!(&found[..], [found] if found.completeness == Completeness::Whole), "{found:?}");
    bench.put("b.replay", first);
    assert!(fake.scan_and_pass(UNFINISHED - SETTLE).is_empty());
    fake.engine.handle(Signal::Overflow, fake.now);
    let found = fake.pass(2 * SETTLE);
    assert!(matches!(&found[..], [found] if found.missing().is_some() && found.bytes == 70), "{found:?}");
    assert!(fake.scan_and_pass(2 * UNFINISHED).is_empty(), "once");
    append(&bench.path("replays/b.replay"), rest);
    fake.engine.handle(Signal::Overflow, fake.now);
    let found = fake.pass(SETTLE);
    assert!(matches!(&found[..], [found] if found.rewritten && found.missing().is_none()), "{found:?}");
}

#[test]
fn an_unfinished_file_that_was_pending_is_reported_by_the_next_watch() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(bench.watch());
    let whole = seeds::rocket_league();
    let path = bench.put("a.replay", &whole[..70]);
    assert!(fake.scan_and_pass(2 * SETTLE).is_empty());
    fake.end();
    append(&path, &whole[70..]);
    let mut fake = Fake::deaf(bench.watch());
    assert_eq!(fake.scan_and_pass(SETTLE), ["a.replay"]);
}

#[test]
fn a_log_waits_for_the_laps_beside_it_and_takes_them_along() {
    let bench = Bench::new();
    let archive = bench.path("archive");
    let mut fake = Fake::deaf(of_game(&bench, "acc").archive_to(&archive));
    bench.put("stint.ld", &seeds::motec());
    assert!(fake.scan_and_pass(10 * SETTLE).is_empty());
    bench.put("stint.ldx", b"<LDXFile/>");
    fake.engine.handle(Signal::Overflow, fake.now);
    let found = fake.pass(SETTLE);
    let [found] = &found[..] else { panic!("{found:?}") };
    assert_eq!(found.files.iter().map(|file| name(file)).collect::<Vec<_>>(), ["stint.ld", "stint.ldx"]);
    assert_eq!(found.bytes, seeds::motec().len() as u64);
    assert_eq!(
        found.hash,
        ContentHash(*blake3::hash(&seeds::motec()).as_bytes()),
        "the id of the tape is that of the log"
    );
    assert_eq!(names(&archive), ["stint.ld", "stint.ldx"]);
    // Another log of that name, whose laps never come, or come late.
    std::fs::remove_file(bench.path("replays/stint.ld")).unwrap();
    std::fs::remove_file(bench.path("replays/stint.ldx")).unwrap();
    bench.put("stint.ld", &[seeds::motec(), vec![1]].concat());
    assert!(fake.scan_and_pass(Duration::from_secs(58)).is_empty());
    fake.engine.handle(Signal::Overflow, fake.now);
    assert!(matches!(&fake.pass(2 * SETTLE)[..], [found] if found.files.len() == 1));
    bench.put("stint.ldx", b"<LDXFile>late</LDXFile>");
    assert!(fake.scan_and_pass(100 * SETTLE).is_empty(), "the log was reported");
    assert_eq!(names(&archive), ["stint-2.ld", "stint-2.ldx", "stint.ld", "stint.ldx"]);
}

#[test]
fn a_demo_takes_its_facts_along_under_its_number() {
    let bench = Bench::new();
    let archive = bench.path("archive");
    std::fs::create_dir(&archive).unwrap();
    File::create_new(archive.join("match730.dem")).unwrap().write_all(b"another").unwrap();
    let demo = seeds::replays().into_iter().find(|(name, _)| *name == "match.dem").unwrap().1;
    bench.put("match730.dem", &demo);
    bench.put("match730.dem.info", b"facts");
    bench.put("own.dem", &[&demo[..], &[0]].concat());
    let mut found = Fake::deaf(of_game(&bench, "cs2").archive_to(&archive).existing()).pass(SETTLE);
    found.sort_by_key(|found| found.path.clone());
    assert_eq!(found.iter().map(|found| found.files.len()).collect::<Vec<_>>(), [2, 1]);
    assert_eq!(names(&archive), ["match730-2.dem", "match730-2.dem.info", "match730.dem", "own.dem"]);
}

#[test]
fn a_name_that_is_written_again_is_reported_again_and_never_twice_for_the_same_state() {
    let bench = Bench::new();
    let mut fake = Fake::deaf(of_game(&bench, "w3"));
    let path = bench.path("replays/LastReplay.w3g");
    for game in 0..3_u8 {
        let mut replay = seeds::warcraft_3();
        replay[100] = game;
        let _ = std::fs::remove_file(&path);
        File::create_new(&path).unwrap().write_all(&replay).unwrap();
        let at = SystemTime::now() + Duration::from_secs(u64::from(game));
        OpenOptions::new().write(true).open(&path).unwrap().set_modified(at).unwrap();
        fake.engine.handle(Signal::Overflow, fake.now);
        let found = fake.pass(SETTLE);
        assert!(matches!(&found[..], [found] if found.rewritten == (game > 0)), "{game}: {found:?}");
        // Any number of events and scans.
        for _ in 0..3 {
            fake.engine.handle(Signal::Written(path.clone()), fake.now);
            assert!(fake.scan_and_pass(10 * SETTLE).is_empty());
        }
    }
}

#[test]
fn ten_thousand_files_at_once_are_each_reported_once() {
    let bench = Bench::new();
    for number in 0..10_000 {
        bench.put(&format!("{number}.replay"), number.to_string().as_bytes());
    }
    let mut fake = Fake::deaf(bench.watch().existing());
    let mut found: Vec<_> = fake.pass(10 * SETTLE).into_iter().map(|found| found.path).collect();
    found.sort_unstable();
    found.dedup();
    assert_eq!(found.len(), 10_000);
    fake.end();
    assert!(Fake::deaf(bench.watch().existing()).scan_and_pass(10 * SETTLE).is_empty(), "also across a restart");
}

#[cfg(unix)]
#[test]
fn one_folder_under_two_names_is_watched_once() {
    let bench = Bench::new();
    let link = bench.path("My Documents");
    std::os::unix::fs::symlink(bench.path("replays"), &link).unwrap();
    let watch = bench.watch().folder(Folder::new(&link).pattern("*.replay").unwrap()).existing();
    bench.put("a.replay", b"one");
    let mut fake = Fake::deaf(watch);
    assert_eq!(fake.scan_and_pass(10 * SETTLE), ["a.replay"]);
}
