//! Copies and tapes of finds.

use super::*;
use gametape_format::read::Tape;

#[path = "../../../tests/it/support/mod.rs"]
pub(in crate::watch) mod support;

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| name(&entry.unwrap().path())).collect();
    names.sort_unstable();
    names
}

fn everything(bench: &Bench) -> Watch {
    let folder = Folder::new(bench.path("replays")).recursive();
    Watch::new().folder(folder).settle(SETTLE).existing().look_every(LONG, LONG)
}

#[test]
fn what_can_be_read_becomes_a_tape_and_the_rest_has_name_length_time_and_hash() {
    let bench = Bench::new();
    bench.put("race.ibt", &support::ibt(50));
    bench.put("match.rec", b"unknown");
    let mut fake = Fake::deaf(everything(&bench).import_to(bench.path("tapes")));
    let mut found = fake.pass(SETTLE);
    found.sort_by_key(|found| found.path.clone());
    let [rec, ibt] = &found[..] else { panic!("{found:?}") };
    assert!(rec.tape().is_none() && matches!(rec.import, Import::NotReadable(_)) && !rec.has_problems());
    assert!(rec.kind.is_none() && rec.bytes == 7 && rec.modified_utc_ns.is_some());
    assert_eq!(ibt.tape(), Some(bench.path("tapes/race.gtape").as_path()));
    let Import::Made { imported, .. } = &ibt.import else { panic!("{:?}", ibt.import) };
    assert_eq!((imported.frames, imported.tape_id, Some(imported.kind)), (50, ibt.hash.tape_id(), ibt.kind));
    assert_eq!(Tape::open(ibt.tape().unwrap()).unwrap().id(), Some(ibt.hash.tape_id()));
}

#[test]
fn the_same_source_gives_one_tape_and_another_of_its_name_gets_a_number() {
    let bench = Bench::new();
    bench.put("race.ibt", &support::ibt(50));
    let watch = || everything(&bench).import_to(bench.path("tapes"));
    assert_eq!(Fake::deaf(watch()).pass(SETTLE).len(), 1);
    // Nothing was recorded, so it is reported again.
    let found = Fake::deaf(watch()).pass(SETTLE);
    assert!(matches!(&found[0].import, Import::AlreadyThere { tape, .. } if *tape == bench.path("tapes/race.gtape")));
    bench.put("more/race.ibt", &support::ibt(60));
    bench.put("more/copy.ibt", &support::ibt(60));
    assert_eq!(Fake::deaf(watch()).pass(SETTLE).len(), 3);
    assert_eq!(names(&bench.path("tapes")).len(), 2, "{:?}", names(&bench.path("tapes")));
}

#[test]
fn a_damaged_source_is_a_find_with_problems() {
    let bench = Bench::new();
    let file = support::ibt(50);
    bench.put("cut.ibt", &file[..file.len() - 10]);
    let mut broken = file.clone();
    broken[24..28].copy_from_slice(&(-1i32).to_le_bytes());
    bench.put("broken.ibt", &broken);
    let mut fake = Fake::deaf(everything(&bench).import_to(bench.path("tapes")));
    let mut found = fake.pass(UNFINISHED + SETTLE);
    found.sort_by_key(|found| found.path.clone());
    assert!(found.iter().all(Found::has_problems), "{found:?}");
    assert!(matches!(found[0].import, Import::Failed(_)) && found[1].tape().is_some());
    assert_eq!(names(&bench.path("tapes")), ["cut.gtape"]);
}

#[test]
fn finds_are_copied_and_copies_are_no_finds() {
    let bench = Bench::new();
    bench.put("one/a.rec", b"first");
    bench.put("two/a.rec", b"second");
    bench.put("three/a.rec", b"first");
    let archive = bench.path("replays/archive");
    let mut fake = Fake::new(everything(&bench).archive_to(&archive));
    let found = fake.pass(SETTLE);
    assert_eq!(found.len(), 3);
    assert_eq!(names(&archive), ["a-2.rec", "a.rec"], "the same content is there once");
    let copied = found.iter().filter(|found| matches!(found.archive, Archive::Copied(_))).count();
    assert_eq!(copied, 2);
    for found in found {
        assert_eq!(std::fs::read(found.archived().unwrap()).unwrap(), std::fs::read(&found.path).unwrap());
    }
    assert!(fake.scan_and_pass(100 * SETTLE).is_empty());
    assert!(matches!(
        everything(&bench).archive_to(bench.path("replays")).events(),
        Err(WatchError::ArchiveIsWatched { .. })
    ));
}

#[test]
fn an_archive_that_fails_is_told_with_the_find() {
    let bench = Bench::new();
    bench.put("a.rec", b"first");
    File::create_new(bench.path("archive")).unwrap();
    let found = Fake::deaf(everything(&bench).archive_to(bench.path("archive"))).pass(SETTLE);
    assert!(matches!(&found[..], [found] if found.archived().is_none() && found.has_problems()));
}

#[test]
fn a_stop_during_the_work_leaves_nothing_half_and_the_find_to_the_next_watch() {
    let bench = Bench::new();
    bench.put("race.ibt", &support::ibt(50));
    let hash = ContentHash(*blake3::hash(&support::ibt(50)).as_bytes());
    let setup = everything(&bench).import_to(bench.path("tapes")).archive_to(bench.path("archive")).setup();
    let engine = Engine::new(setup.clone(), Instant::now()).unwrap();
    engine.stop_handle().stop();
    let source = item::Item::look(&setup.folders[0], &bench.path("replays/race.ibt")).unwrap().unwrap();
    assert!(tapes::keep(&source, hash, &setup, engine.stopping()).is_none());
    let only_tapes = setup::Setup { archive: None, ..setup };
    assert!(tapes::keep(&source, hash, &only_tapes, engine.stopping()).is_none());
    assert_eq!((names(&bench.path("archive")), names(&bench.path("tapes"))), (vec![], vec![]));
}
