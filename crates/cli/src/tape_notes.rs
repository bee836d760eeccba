//! Notes each tape that begins or ends in the catalogue, and makes the laps of a tape again if some of them are lacking.
//!
//! Takes what the recorders and the trackers say, in any order: a tape is tracked again when its file is closed and its tracker is through.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, Sender};

use gametape::format::TapeId;
use gametape::paths::this_machine;
use gametape::store::catalogue::look_at;
use gametape::store::{CataloguedTape, Store, track_again};

use crate::human;

/// What is to be noted.
pub(crate) enum Note {
    /// A tape begins, or its file was closed.
    Tape(PathBuf),
    /// The tracker of a tape is through.
    LapsEnded {
        /// Which.
        tape: TapeId,
        /// All of its laps are in the store.
        whole: bool,
    },
}

/// What was heard of a tape.
#[derive(Default)]
struct Heard {
    closed: Option<CataloguedTape>,
    whole: Option<bool>,
}

/// Notes until nobody is left who has something to say.
pub(crate) fn note_tapes(store: &dyn Store, notes: &Receiver<Note>, say: &Sender<String>) {
    let place = this_machine();
    let say = |text: String| drop(say.send(text));
    let mut tapes: HashMap<TapeId, Heard> = HashMap::new();
    for note in notes {
        let id = match note {
            Note::LapsEnded { tape, whole } => {
                tapes.entry(tape).or_default().whole = Some(whole);
                tape
            }
            Note::Tape(path) => match look_at(store, &place, &path) {
                Ok((_, Some(tape))) if tape.complete => {
                    let id = tape.id;
                    tapes.entry(id).or_default().closed = Some(tape);
                    id
                }
                // A tape that begins has no frame yet, and what has no beginning is noted at its end.
                Ok(_) => continue,
                Err(error) => {
                    let text = human::safe(&error.to_string());
                    say(format!("note: {} is not in the catalogue yet: {text}", path.display()));
                    continue;
                }
            },
        };
        if let Some(Heard { closed: Some(tape), whole: Some(whole) }) = tapes.get(&id) {
            if !whole {
                bring_in(store, tape, &say);
            }
            tapes.remove(&id);
        }
    }
}

fn bring_in(store: &dyn Store, tape: &CataloguedTape, say: &dyn Fn(String)) {
    let path = human::safe(&tape.path);
    // The tracker may have failed on these frames before: what fails on one tape concerns no other.
    let tracked = catch_unwind(AssertUnwindSafe(|| track_again(store, tape, false)));
    let Ok(tracked) = tracked else {
        return say(format!(
            "error: laps of {path} cannot be made: the tracker failed, please report it with the tape"
        ));
    };
    match tracked {
        Ok(Ok(_)) => say(format!("laps of {path} were made again from the tape")),
        Ok(Err(reason)) => say(format!("note: laps of {path} cannot be made: {}", human::safe(&reason))),
        Err(error) => say(format!(
            "laps of {path} could not be stored ({}); the tape has them: `gametape laps rebuild` brings them in",
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

    /// What is said when these notes come. Nobody knows how to make laps of this game, so each attempt is told.
    fn said(notes: &dyn Fn(&Path, TapeId) -> Vec<Note>) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        let store = SqlStore::sqlite(folder.path().join("laps.sqlite")).unwrap();
        let (path, id) = (folder.path().join("a.gtape"), TapeId([7; 16]));
        write_tape(&path, id);
        let ((tell, hear), (say, lines)) = (channel(), channel());
        notes(&path, id).into_iter().for_each(|note| tell.send(note).unwrap());
        drop(tell);
        note_tapes(&store, &hear, &say);
        drop(say);
        assert_eq!(store.tape(id).unwrap().is_some(), !notes(&path, id).is_empty());
        lines.iter().collect()
    }

    #[test]
    fn a_tape_is_tracked_again_when_it_is_closed_and_its_laps_are_lacking() {
        let ended = |tape, whole| Note::LapsEnded { tape, whole };
        let closed = |path: &Path| Note::Tape(path.to_owned());
        let attempts = [
            said(&|path, id| vec![ended(id, false), closed(path)]),
            said(&|path, id| vec![closed(path), ended(id, false)]),
        ];
        for lines in attempts {
            assert!(lines.len() == 1 && lines[0].contains("cannot be made"), "{lines:?}");
        }
        assert_eq!(said(&|path, id| vec![ended(id, true), closed(path)]), Vec::<String>::new());
        assert_eq!(said(&|path, _| vec![closed(path)]), Vec::<String>::new());
    }
}
