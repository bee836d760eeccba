//! Uploads of tapes: unfinished uploads and their limits.
use std::fs::OpenOptions;
use std::path::Path;
use std::time::{Duration, SystemTime};

use gametape::format::TapeId;
use gametape::store::incoming::{Arrived, Declared, Incoming, IncomingError};
use gametape::store::{SessionUpload, SqlStore};

const HOUR: Duration = Duration::from_secs(60 * 60);

fn declared(number: u8) -> Declared {
    Declared { id: TapeId([number; 16]), bytes: 100, checksum: SessionUpload::content(&number.to_string()), file: None }
}

/// Returns the file names of unfinished uploads.
fn parts(folder: &Path) -> Vec<String> {
    let all = std::fs::read_dir(folder.join("incoming")).unwrap();
    all.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

/// Sets the modification time of an upload back, as if it had been idle.
fn age(folder: &Path, number: u8, age: Duration) {
    let name = format!("{}-{}.part", declared(number).id, declared(number).checksum);
    let file = OpenOptions::new().append(true).open(folder.join("incoming").join(name)).unwrap();
    file.set_modified(SystemTime::now() - age).unwrap();
}

#[test]
fn uploads_that_nobody_ends_give_way_and_no_piece_gets_past_the_limit() {
    let folder = tempfile::tempdir().unwrap();
    let store = SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap();
    let incoming = Incoming::new(folder.path().to_owned(), "here".to_owned());
    let first_piece = |number: u8| incoming.append(&store, &declared(number), 0, b"0123456789");
    for number in 0..32 {
        assert_eq!(incoming.begin(&store, &declared(number)).unwrap(), Arrived { offset: 0, complete: false });
        first_piece(number).unwrap();
    }
    // A chunk without a preceding `begin` also counts against the limit.
    assert!(matches!(first_piece(32), Err(IncomingError::TooMany)));
    assert!(matches!(incoming.begin(&store, &declared(32)), Err(IncomingError::TooMany)));
    assert_eq!(parts(folder.path()).len(), 32);
    // Existing uploads continue.
    assert_eq!(incoming.append(&store, &declared(5), 10, b"more").unwrap().offset, 14);
    // The upload that has been idle longest is removed.
    age(folder.path(), 7, 2 * HOUR);
    age(folder.path(), 9, 3 * HOUR);
    first_piece(32).unwrap();
    assert_eq!(incoming.begin(&store, &declared(7)).unwrap().offset, 10);
    assert!(!parts(folder.path()).iter().any(|name| name.starts_with(&declared(9).id.to_string())));
    // After a week, unfinished uploads are removed, however few there are.
    for number in [1, 2, 3] {
        age(folder.path(), number, 8 * 24 * HOUR);
    }
    first_piece(33).unwrap();
    assert_eq!(parts(folder.path()).len(), 30);
}
