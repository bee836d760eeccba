//! Reads a tape as normalized samples: the same names and units for every game.

use std::time::Duration;

use super::{Tape, TapeError};
use crate::format::StreamId;
use crate::format::read::Merged;
use crate::games::Sample;
use gametape_analysis::Decoding;

impl Tape {
    /// Returns normalized samples, with the same names and units for every game: one after each frame of any stream, with the time
    /// since the start of the tape.
    ///
    /// Like [`frames`](Self::frames), this reads everything once beforehand, so that damage is reported and not skipped.
    pub fn samples(&self) -> Result<Samples<'_>, TapeError> {
        let raw = self.raw();
        let of_games = || raw.streams().filter(|stream| !stream.spec().role.is_system());
        let game = of_games().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty());
        let game = game.unwrap_or_default();
        let decoding = Decoding::new(game, of_games().map(|stream| stream.spec()))
            .ok_or_else(|| TapeError::UnknownGame { game: game.into() })?;
        let mut frames = raw.merged(of_games());
        while frames.next()?.is_some() {}
        if let Some(problem) = self.loss(None) {
            return Err(TapeError::Damaged(problem));
        }
        let streams = of_games().map(|stream| stream.id()).collect();
        Ok(Samples { frames: raw.merged(of_games()), streams, decoding, error: None })
    }
}

/// Samples of a tape. See [`Tape::samples`].
pub struct Samples<'a> {
    frames: Merged<'a>,
    streams: Vec<StreamId>,
    decoding: Decoding,
    error: Option<TapeError>,
}

impl Samples<'_> {
    /// Returns an error that occurred after verification: the file changed or the disk failed. The iterator ended there.
    pub fn error(&self) -> Option<&TapeError> {
        self.error.as_ref()
    }

    fn read_next(&mut self) -> Result<Option<(Duration, Sample)>, TapeError> {
        while let Some(frame) = self.frames.next()? {
            let stream = self.streams.iter().position(|stream| *stream == frame.stream);
            if let Some(sample) = stream.and_then(|stream| self.decoding.frame(stream, frame.data)) {
                return Ok(Some((Duration::from_nanos(frame.time_ns), *sample)));
            }
        }
        Ok(None)
    }
}

impl Iterator for Samples<'_> {
    type Item = (Duration, Sample);

    fn next(&mut self) -> Option<(Duration, Sample)> {
        if self.error.is_some() {
            return None;
        }
        self.read_next().unwrap_or_else(|error| {
            self.error = Some(error);
            None
        })
    }
}
