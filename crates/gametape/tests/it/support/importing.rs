//! Bytes of another program to a tape that was checked, for tests of imports.
#![allow(dead_code, unreachable_pub, clippy::unwrap_used)]
use std::path::Path;
use std::sync::Arc;

use gametape::format::read::Tape;
use gametape::import::{ImportError, Imported, compare_with_source, import_through};
use tempfile::TempDir;

use crate::support::put;
use crate::unsynced::Unsynced;

/// Imports bytes from a file of this name, checks that the tape holds them, and gives the tape.
pub fn import_as(name: &str, bytes: &[u8]) -> Result<(Imported, Tape, TempDir), ImportError> {
    let folder = tempfile::tempdir().unwrap();
    let source = put(&folder.path().join(name), bytes);
    let out = folder.path().join("a.gtape");
    match import_through(Arc::new(Unsynced), &source, &out, &mut |_| {}) {
        Err(error) => {
            assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
            Err(error)
        }
        Ok(imported) => {
            let tape = Tape::open(&out).unwrap();
            assert!(tape.verify(&mut |_| {}).unwrap().is_ok());
            assert_eq!(differences(&tape, &source), Vec::<String>::new());
            Ok((imported, tape, folder))
        }
    }
}

/// What the tape has otherwise than the file.
pub fn differences(tape: &Tape, source: &Path) -> Vec<String> {
    let comparison = compare_with_source(tape, source, &mut |_| {}).unwrap();
    comparison.differences.iter().map(|difference| format!("{}: {}", difference.stream, difference.text)).collect()
}

/// Times and bytes of a stream; nothing if there is no such stream.
pub fn frames(tape: &Tape, stream: &str) -> Vec<(u64, Vec<u8>)> {
    let Ok(stream) = tape.stream_named(stream) else { return Vec::new() };
    let mut frames = tape.frames(stream);
    let mut all = Vec::new();
    while let Some(frame) = frames.next().unwrap() {
        all.push((frame.time_ns, frame.data.to_vec()));
    }
    all
}
