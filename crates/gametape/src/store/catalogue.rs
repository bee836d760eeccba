//! Scans folders for tapes, and records new, changed, moved and missing tapes in the store.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use gametape_format::TapeId;
use gametape_format::read::Tape;

use super::contract::Store;
use super::error::StoreError;
use super::matches::StoredMatch;
use super::sql_store::now_us;
use super::tapes::CataloguedTape;
use crate::names::EXTENSION;

/// Maximum depth of the recursion into subfolders.
const DEPTH: u32 = 8;

/// Options of a scan.
#[derive(Debug, Clone)]
pub struct Look<'a> {
    /// The name of this machine. Tapes of other machines are not touched.
    pub place: &'a str,
    /// The folders to scan, including their subfolders.
    pub folders: &'a [PathBuf],
    /// Subfolders to skip, because their contents are temporary.
    pub except: &'a [PathBuf],
    /// Also check catalogued tapes outside `folders`, such as imported or added ones.
    pub elsewhere: bool,
    /// Compute checksums of closed tapes that are new or have changed. This reads each of them to its end.
    pub checksums: bool,
}

/// The result of a scan.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Found {
    /// Tapes that were not in the catalogue.
    pub new: Vec<PathBuf>,
    /// Tapes whose file has changed since the last scan.
    pub changed: Vec<PathBuf>,
    /// Tapes that have been moved: old path, new path.
    pub moved: Vec<(PathBuf, PathBuf)>,
    /// Tapes that were missing and are present again.
    pub back: Vec<PathBuf>,
    /// Tapes that are no longer present. Their laps are kept.
    pub missing: Vec<PathBuf>,
    /// Additional files that contain an already catalogued tape. The catalogue keeps the first file.
    pub copies: Vec<PathBuf>,
    /// Files that cannot be read as tapes, with the reason.
    pub unreadable: Vec<(PathBuf, String)>,
}

/// Scans all folders and updates the catalogue.
pub fn look(store: &dyn Store, look: &Look<'_>) -> Result<Found, StoreError> {
    let mut found = Found::default();
    let known = store.tapes_of(look.place)?;
    let by_path: BTreeMap<&str, &CataloguedTape> = known.iter().map(|tape| (tape.path.as_str(), tape)).collect();
    let mut seen = BTreeSet::new();
    let mut files = Vec::new();
    for folder in look.folders {
        collect(folder, DEPTH, look.except, &mut files, &mut found.unreadable);
    }
    if look.elsewhere {
        let catalogued = known.iter().map(|tape| PathBuf::from(&tape.path));
        files.extend(catalogued.filter(|path| path.is_file() && !look.except.iter().any(|not| path.starts_with(not))));
    }
    files.sort();
    files.dedup();
    for path in files {
        let Some(text) = path.to_str() else {
            found.unreadable.push((path, "its path is not valid Unicode".to_owned()));
            continue;
        };
        let entry = match unchanged(&path, by_path.get(text).copied()) {
            Some(entry) => Ok((entry, None)),
            None => read_entry(&path, text, look),
        };
        match entry {
            Ok((entry, played)) => note(store, &mut found, &mut seen, path, entry, played.as_ref())?,
            Err(reason) => found.unreadable.push((path, reason)),
        }
    }
    for tape in known {
        let path = PathBuf::from(&tape.path);
        let looked_for = look.elsewhere || look.folders.iter().any(|folder| path.starts_with(folder));
        if looked_for && !seen.contains(&tape.id.0) && tape.missing_us.is_none() && !path.is_file() {
            store.put_tape(&CataloguedTape { missing_us: Some(now_us()), ..tape })?;
            found.missing.push(path);
        }
    }
    Ok(found)
}

/// Adds or updates one tape in the catalogue. Returns what has changed, and the catalogue entry unless the tape cannot be read. The
/// checksum of a closed tape is computed.
///
/// # Errors
/// If the store fails. A file that is not a tape is reported in [`Found::unreadable`].
pub fn look_at(store: &dyn Store, place: &str, path: &Path) -> Result<(Found, Option<CataloguedTape>), StoreError> {
    let mut found = Found::default();
    let look = Look { place, folders: &[], except: &[], elsewhere: false, checksums: true };
    let entry = match path.to_str() {
        Some(text) => read_entry(path, text, &look),
        None => Err("its path is not valid Unicode".to_owned()),
    };
    match entry {
        Ok((entry, played)) => {
            note(store, &mut found, &mut BTreeSet::new(), path.to_owned(), entry.clone(), played.as_ref())?;
            Ok((found, Some(entry)))
        }
        Err(reason) => {
            found.unreadable.push((path.to_owned(), reason));
            Ok((found, None))
        }
    }
}

/// Returns the path of a tape if the catalogued file exists and still contains that tape. Returns `None` for tapes on other machines.
pub fn file_of(store: &dyn Store, tape: TapeId) -> Result<Option<PathBuf>, StoreError> {
    let Some(known) = store.tape(tape)? else { return Ok(None) };
    let path = PathBuf::from(known.path);
    // The path of a tape on another machine may also exist on this one, with a different tape.
    let is_it = path.is_file() && Tape::open(&path).is_ok_and(|found| found.id() == Some(tape));
    Ok(is_it.then_some(path))
}

/// Adds or updates a tape that is present, and the match that it holds.
fn note(
    store: &dyn Store,
    found: &mut Found,
    seen: &mut BTreeSet<[u8; 16]>,
    path: PathBuf,
    entry: CataloguedTape,
    played: Option<&StoredMatch>,
) -> Result<(), StoreError> {
    let before = store.tape(entry.id)?;
    let elsewhere = before.as_ref().filter(|before| (&before.place, &before.path) != (&entry.place, &entry.path));
    if !seen.insert(entry.id.0)
        || elsewhere.is_some_and(|before| before.place == entry.place && Path::new(&before.path).is_file())
    {
        found.copies.push(path);
        return Ok(());
    }
    if let Some(played) = played {
        store.put_match(played)?;
    }
    match &before {
        None => found.new.push(path),
        Some(before) if elsewhere.is_some() => found.moved.push((PathBuf::from(&before.path), path)),
        Some(before) if before.missing_us.is_some() => found.back.push(path),
        Some(before) if is_same(before, &entry) => return Ok(()),
        Some(_) => found.changed.push(path),
    }
    store.put_tape(&entry)?;
    Ok(())
}

/// Returns whether the entries are equal apart from the time of the scan.
fn is_same(before: &CataloguedTape, entry: &CataloguedTape) -> bool {
    *before == CataloguedTape { seen_us: before.seen_us, ..entry.clone() }
}

/// Returns the known entry if size and modification time are unchanged, so that the file need not be read.
fn unchanged(path: &Path, known: Option<&CataloguedTape>) -> Option<CataloguedTape> {
    let known = known.filter(|known| known.complete)?;
    let (bytes, modified_us) = size_and_time(path).ok()?;
    let entry = CataloguedTape { seen_us: now_us(), missing_us: None, ..known.clone() };
    (known.bytes == bytes && known.modified_us == modified_us).then_some(entry)
}

fn size_and_time(path: &Path) -> io::Result<(u64, i64)> {
    let metadata = path.metadata()?;
    let modified = metadata.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default();
    Ok((metadata.len(), i64::try_from(modified.as_micros()).unwrap_or(i64::MAX)))
}

/// Reads the entry of a tape, and the match that it holds.
fn read_entry(path: &Path, text: &str, look: &Look<'_>) -> Result<(CataloguedTape, Option<StoredMatch>), String> {
    let (bytes, modified_us) = size_and_time(path).map_err(|error| error.to_string())?;
    let tape = Tape::open(path).map_err(|error| error.to_string())?;
    let id: TapeId = tape.id().ok_or("it has no id: its header is damaged")?;
    let streams: Vec<_> = tape.streams().filter(|stream| !stream.spec().role.is_system()).collect();
    let metadata = tape.metadata();
    let text_of = |key: &str| metadata.get(key).filter(|text| !text.is_empty()).cloned();
    let complete = tape.is_complete();
    let checksum = match complete && look.checksums {
        true => Some(checksum_of(path).map_err(|error| error.to_string())?),
        false => None,
    };
    let played = StoredMatch::of_tape(id, &tape);
    let entry = CataloguedTape {
        id,
        place: look.place.to_owned(),
        path: text.to_owned(),
        bytes,
        modified_us,
        checksum,
        complete,
        game: streams.iter().map(|stream| stream.spec().game.clone()).find(|game| !game.is_empty()),
        track: text_of("track"),
        car: text_of("car"),
        created_us: tape.start_utc_ns().map(|ns| ns / 1000),
        duration_ns: streams
            .iter()
            .filter_map(|stream| stream.totals().last_ns.max(stream.status().seen_until_ns))
            .max(),
        frames: streams.iter().map(|stream| stream.totals().frames).sum(),
        replay_of: text_of("replay_of"),
        seen_us: now_us(),
        missing_us: None,
    };
    Ok((entry, played))
}

/// Returns the BLAKE3 hash of a file, in hex.
pub(super) fn checksum_of(path: &Path) -> io::Result<String> {
    let mut hasher = blake3::Hasher::new();
    io::copy(&mut std::fs::File::open(path)?, &mut hasher)?;
    Ok(hasher.finalize().to_hex().to_string())
}

/// Returns all tapes below a folder, sorted, and the folders that could not be listed, with the reason.
#[must_use]
pub fn tapes_below(folder: &Path) -> (Vec<PathBuf>, Vec<(PathBuf, String)>) {
    let (mut files, mut unreadable) = (Vec::new(), Vec::new());
    collect(folder, DEPTH, &[], &mut files, &mut unreadable);
    files.sort();
    (files, unreadable)
}

/// Collects all tapes below a folder. A folder that does not exist has none.
fn collect(
    folder: &Path,
    depth: u32,
    except: &[PathBuf],
    files: &mut Vec<PathBuf>,
    unreadable: &mut Vec<(PathBuf, String)>,
) {
    if except.iter().any(|except| except == folder) {
        return;
    }
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return,
        Err(error) => return unreadable.push((folder.to_owned(), error.to_string())),
    };
    for entry in entries.flatten() {
        let path = entry.path();
        // Symbolic links are not followed: they may form a cycle.
        match entry.file_type() {
            Ok(kind) if kind.is_dir() && depth > 0 => collect(&path, depth - 1, except, files, unreadable),
            Ok(kind) if kind.is_file() && path.extension().is_some_and(|extension| extension == EXTENSION) => {
                files.push(path);
            }
            _ => {}
        }
    }
}
