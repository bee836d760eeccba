//! A tape as neutral samples: the same words and units for every game.

use std::time::Duration;

use super::{Tape, TapeError};
use crate::format::StreamId;
use crate::format::read::Merged;
use crate::games::Sample;
use gametape_analysis::Decoding;

impl Tape {
    /// What the car did, in the same words for every game: a sample after each frame, of any stream, with the time since the
    /// beginning.
    ///
    /// Like [`frames`](Self::frames), all is read once before, so that damage is told and not passed over.
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
    /// What was wrong although all was whole before: the file has changed or the disk has failed since. The iterator ended there.
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
