//! Opens the source of an export as a tape, and tracks its laps.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use gametape::format::read::{ReadError, Tape};
use gametape::format::write::StdFiles;
use gametape::import::{Dictionary, ImportOptions, import_with};
use gametape::laps::{TrackError, Tracked, track_tape};
use gametape::names::EXTENSION;

use super::export_files::Scratch;
use crate::open;

/// A source as a tape: the tape itself, or a temporary import of the source.
pub(super) struct Opened {
    pub(super) tape: Tape,
    _scratch: Option<Scratch>,
}

impl Opened {
    pub(super) fn open(source: &Path, dictionary: Option<&Dictionary>) -> anyhow::Result<Self> {
        match Tape::open(source) {
            Err(ReadError::NotATape { .. }) => {
                let scratch = Scratch::new()?;
                let tape = scratch.path().join(format!("source.{EXTENSION}"));
                let options = ImportOptions { dictionary: dictionary.cloned(), ..ImportOptions::default() };
                import_with(Arc::new(StdFiles), source, &tape, &options, &mut |_| {})
                    .with_context(|| format!("cannot read {}", source.display()))?;
                Ok(Self { tape: open::tape(&tape)?, _scratch: Some(scratch) })
            }
            // For its error messages.
            _ => Ok(Self { tape: open::tape(source)?, _scratch: None }),
        }
    }
}

/// Tracks the laps of a tape; `None` for a game without laps, which can be exported all the same.
pub(super) fn laps_of(tape: &Tape) -> Result<Option<Tracked>, TrackError> {
    match track_tape(tape) {
        Ok(tracked) => Ok(Some(tracked)),
        Err(TrackError::UnknownGame { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::atomic::{AtomicBool, Ordering};

    use gametape::format::ReadAt;

    use super::*;

    /// A disk that fails on demand.
    struct Failing(Vec<u8>, Arc<AtomicBool>);

    impl ReadAt for Failing {
        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            if self.1.load(Ordering::Relaxed) {
                Err(io::Error::other("bad sector"))
            } else {
                self.0.read_at(offset, buffer)
            }
        }

        fn size(&self) -> io::Result<u64> {
            Ok(self.0.len() as u64)
        }
    }

    #[test]
    fn a_tape_that_cannot_be_read_is_not_a_tape_without_laps() {
        use gametape::format::write::{StdFiles, TapeBuilder, WriteOptions};
        use gametape::games::acc;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.gtape");
        let options = WriteOptions::new(gametape::identity::new_id());
        let mut tape = TapeBuilder::create(Arc::new(StdFiles), &path, &options, false).unwrap();
        let spec = gametape::layout::stream_of_layout(acc::GAME.id, "physics", "shm", &acc::PHYSICS_800);
        let stream = tape.add_stream(spec, 0).unwrap();
        for frame in 0..10 {
            tape.append(stream, frame, &[0; 800]).unwrap();
        }
        tape.finish().unwrap();
        let fails = Arc::new(AtomicBool::new(false));
        let source = Failing(std::fs::read(&path).unwrap(), fails.clone());
        let tape = Tape::from_sources(Box::new(source), Vec::new()).unwrap();
        assert!(laps_of(&tape).is_ok_and(|tracked| tracked.is_some()), "the control: it can be read");
        fails.store(true, Ordering::Relaxed);
        let error = laps_of(&tape).unwrap_err().to_string();
        assert!(error.contains("bad sector"), "{error}");
    }
}
