//! Adds each opened or closed tape to the catalogue, and tracks a tape again if some of its laps are missing.
//!
//! Takes the notifications of recorders and trackers in any order: a tape is tracked again once its file is closed and its
//! tracker has ended.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender};

use gametape::format::TapeId;
use gametape::paths::this_machine;
use gametape::store::catalogue::look_at;
use gametape::store::{CataloguedTape, Store, track_again};

use crate::human;

/// A notification.
pub(crate) enum TapeNotice {
    /// A tape was opened, or its file was closed.
    Tape(PathBuf),
    /// The tracker of a tape has ended.
    LapsEnded {
        /// The tape.
        tape: TapeId,
        /// Whether all of its laps are in the store.
        whole: bool,
    },
}

/// The notifications received for a tape so far.
#[derive(Default)]
struct Received {
    closed: Option<CataloguedTape>,
    whole: Option<bool>,
}

/// Handles notifications until all senders are dropped.
pub(crate) fn update_catalogue(store: &dyn Store, notes: &Receiver<TapeNotice>, say: &Sender<String>) {
    let place = this_machine();
    let say = |text: String| drop(say.send(text));
    let mut tapes: HashMap<TapeId, Received> = HashMap::new();
    for note in notes {
        let id = match note {
            TapeNotice::LapsEnded { tape, whole } => {
                tapes.entry(tape).or_default().whole = Some(whole);
                tape
            }
            TapeNotice::Tape(path) => match look_at(store, &place, &path) {
                Ok((_, Some(tape))) if tape.complete => {
                    let id = tape.id;
                    tapes.entry(id).or_default().closed = Some(tape);
                    id
                }
                // A tape that was just opened has no frames yet; a tape that cannot be catalogued yet is added when it is closed.
                Ok(_) => continue,
                Err(error) => {
                    let text = human::safe(&error.to_string());
                    say(format!("note: {} is not in the catalogue yet: {text}", path.display()));
                    continue;
                }
            },
        };
        if let Some(Received { closed: Some(tape), whole: Some(whole) }) = tapes.get(&id) {
            if !whole {
                track_missing_laps(store, tape, &say);
            }
            tapes.remove(&id);
        }
    }
}

fn track_missing_laps(store: &dyn Store, tape: &CataloguedTape, say: &dyn Fn(String)) {
    let path = human::safe(&tape.path);
    // The tracker may have panicked on these frames before. A panic must not affect other tapes.
    let tracked = catch_unwind(AssertUnwindSafe(|| track_again(store, tape, false)));
    let Ok(tracked) = tracked else {
        return say(format!(
            "error: cannot track the laps of {path}: the tracker panicked, which is a bug; please report it with the tape"
        ));
    };
    match tracked {
        Ok(Ok(_)) => say(format!("tracked the laps of {path} again from the tape")),
        Ok(Err(reason)) => say(format!("note: cannot track the laps of {path}: {}", human::safe(&reason))),
        Err(error) => say(format!(
            "laps of {path} could not be stored ({}), but they are on the tape; run `gametape laps rebuild` to add them",
            human::safe(&error.to_string())
        )),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::mpsc::channel;

    use gametape::format::StreamSpec;
    use gametape::format::write::{StdFiles, WriteOptions, Writer};
    use gametape::store::SqlStore;

    use super::*;

    fn write_tape(path: &Path, id: TapeId) {
        let mut writer = Writer::create(Arc::new(StdFiles), path, &WriteOptions::new(id)).unwrap();
        let stream = writer.add_stream(StreamSpec { game: "chess".to_owned(), ..StreamSpec::rows("moves") }).unwrap();
        writer.append(stream, 0, b"e4").unwrap();
        writer.finish().unwrap();
    }

    /// Returns the lines printed for these notifications. The game has no tracker, so each attempt prints a line.
    fn said(notes: &dyn Fn(&Path, TapeId) -> Vec<TapeNotice>) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let store = SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap();
        let (path, id) = (folder.path().join("a.gtape"), TapeId([7; 16]));
        write_tape(&path, id);
        let ((tell, hear), (say, lines)) = (channel(), channel());
        notes(&path, id).into_iter().for_each(|note| tell.send(note).unwrap());
        drop(tell);
        update_catalogue(&store, &hear, &say);
        drop(say);
        assert_eq!(store.tape(id).unwrap().is_some(), !notes(&path, id).is_empty());
        lines.iter().collect()
    }

    #[test]
    fn a_tape_is_tracked_again_when_it_is_closed_and_its_laps_are_lacking() {
        let ended = |tape, whole| TapeNotice::LapsEnded { tape, whole };
        let closed = |path: &Path| TapeNotice::Tape(path.to_owned());
        let attempts = [
            said(&|path, id| vec![ended(id, false), closed(path)]),
            said(&|path, id| vec![closed(path), ended(id, false)]),
        ];
        for lines in attempts {
            assert!(lines.len() == 1 && lines[0].contains("cannot track"), "{lines:?}");
        }
        assert_eq!(said(&|path, id| vec![ended(id, true), closed(path)]), Vec::<String>::new());
        assert_eq!(said(&|path, _| vec![closed(path)]), Vec::<String>::new());
    }
}
