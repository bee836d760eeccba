use std::path::{Path, PathBuf};
use std::sync::Arc;

use gametape::format::write::{StdFiles, WriteOptions, Writer};
use gametape::format::{StreamSpec, TapeId};
use gametape::store::catalogue::{Found, Look, look};
use gametape::store::{Added, Store, add_tape};

use super::place::Place;

fn write_tape(path: &Path, id: u8, frames: u64) {
    let mut writer = Writer::create(Arc::new(StdFiles), path, &WriteOptions::new(TapeId([id; 16]))).unwrap();
    let stream = writer.add_stream(StreamSpec { game: "iracing".to_owned(), ..StreamSpec::rows("text") }).unwrap();
    for frame in 0..frames {
        writer.append(stream, frame * 1000, &frame.to_le_bytes()).unwrap();
    }
    writer.metadata(0, "track", "Spa").unwrap();
    writer.metadata(0, "replay_of", "replay of 0909").unwrap();
    writer.finish().unwrap();
}

pub fn tapes_that_are_new_moved_changed_or_gone_are_noticed(place: &Place) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("old")).unwrap();
    write_tape(&at("a.gtape"), 1, 10);
    write_tape(&at("old/b.gtape"), 2, 20);
    std::fs::File::create_new(at("notes.txt")).unwrap();
    std::fs::File::create_new(at("empty.gtape")).unwrap();
    let store = place.open();
    let folders = [folder.path().to_owned(), at("not there")];
    let scan = |checksums: bool| {
        let found =
            look(&store, &Look { place: "rig", folders: &folders, except: &[], elsewhere: false, checksums }).unwrap();
        let names = |paths: &[PathBuf]| -> Vec<String> {
            paths.iter().map(|path| path.strip_prefix(folder.path()).unwrap().display().to_string()).collect()
        };
        assert_eq!(found.unreadable.len(), 1, "{:?}", found.unreadable);
        let Found { new, changed, moved, back, missing, copies, .. } = found;
        let moved: Vec<_> = moved.iter().flat_map(|(from, to)| names(&[from.clone(), to.clone()])).collect();
        [names(&new), names(&changed), moved, names(&back), names(&missing), names(&copies)]
            .map(|names| names.join(" "))
    };
    let nothing = ["", "", "", "", "", ""];
    assert_eq!(scan(true), ["a.gtape old/b.gtape", "", "", "", "", ""]);
    assert_eq!(scan(true), nothing);
    let entry = store.tape(TapeId([2; 16])).unwrap().unwrap();
    assert_eq!((entry.frames, entry.game.as_deref(), entry.track.as_deref()), (20, Some("iracing"), Some("Spa")));
    assert_eq!((entry.complete, entry.replay_of.as_deref()), (true, Some("replay of 0909")));
    let hash = blake3_of(&at("old/b.gtape"));
    assert_eq!(entry.checksum, Some(hash));

    std::fs::rename(at("old/b.gtape"), at("c.gtape")).unwrap();
    assert_eq!(scan(true), ["", "", "old/b.gtape c.gtape", "", "", ""]);
    std::fs::copy(at("a.gtape"), at("copy.gtape")).unwrap();
    assert_eq!(scan(true), ["", "", "", "", "", "copy.gtape"]);
    std::fs::remove_file(at("copy.gtape")).unwrap();
    std::fs::rename(at("a.gtape"), at("a.away")).unwrap();
    assert_eq!(scan(true), ["", "", "", "", "a.gtape", ""]);
    assert_eq!(scan(true), nothing, "it is reported once");
    assert!(store.tape(TapeId([1; 16])).unwrap().unwrap().missing_us.is_some());
    std::fs::rename(at("a.away"), at("a.gtape")).unwrap();
    assert_eq!(scan(true), ["", "", "", "a.gtape", "", ""]);
    std::fs::remove_file(at("a.gtape")).unwrap();
    write_tape(&at("a.gtape"), 1, 11);
    assert_eq!(scan(true), ["", "a.gtape", "", "", "", ""]);
    // Tapes of other machines are not touched.
    let elsewhere =
        look(&store, &Look { place: "laptop", folders: &[], except: &[], elsewhere: false, checksums: false }).unwrap();
    assert_eq!(elsewhere, Found::default());
}

fn blake3_of(path: &Path) -> String {
    let mut id = Vec::new();
    std::io::Read::read_to_end(&mut std::fs::File::open(path).unwrap(), &mut id).unwrap();
    blake3::hash(&id).to_hex().to_string()
}

pub fn a_tape_is_added_from_anywhere_and_looked_at_there_again(place: &Place) {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let path = other.path().join("a.gtape");
    write_tape(&path, 1, 10);
    let store = place.open();
    for copy_of in [None, Some(path.clone())] {
        let file = if copy_of.is_none() { path.clone() } else { folder.path().join("copy.gtape") };
        if copy_of.is_some() {
            std::fs::copy(&path, &file).unwrap();
        }
        let added = add_tape(&store, "rig", &file, false).unwrap();
        assert!(matches!(&added, Added::Tape { copy_of: found, .. } if *found == copy_of), "{added:?}");
    }
    assert_eq!(store.tape(TapeId([1; 16])).unwrap().unwrap().path, path.to_str().unwrap());
    let notes = folder.path().join("notes.txt");
    std::fs::File::create_new(&notes).unwrap();
    assert!(matches!(add_tape(&store, "rig", &notes, false).unwrap(), Added::Unreadable(_)));
    let folders = [folder.path().join("none")];
    let gone = |elsewhere: bool| {
        let look_for = Look { place: "rig", folders: &folders, except: &[], elsewhere, checksums: false };
        look(&store, &look_for).unwrap().missing
    };
    assert_eq!(gone(true), Vec::<PathBuf>::new());
    std::fs::remove_file(&path).unwrap();
    assert_eq!(gone(false), Vec::<PathBuf>::new());
    assert_eq!(gone(true), [path]);
}
