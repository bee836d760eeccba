//! Reads the frames of a tape as structs.

use std::any::type_name;
use std::marker::PhantomData;
use std::time::Duration;

use super::wanted::{FrameStruct, Wanted};
use super::{Tape, TapeError};
use crate::format::read::{self, TapeStream};
use crate::games::Frame;

impl Tape {
    /// Returns the frames of a type, with the time since the start of the tape.
    ///
    /// A plain loop cannot report missing frames. The stream is therefore read once beforehand and returned only if it is intact and
    /// its frames have the size of the type. That costs a second pass. [`try_frames`](Self::try_frames) needs one pass, and reports for
    /// each frame whether it could be read.
    pub fn frames<F: Frame + Send>(&self) -> Result<TapeFrames<'_, F>, TapeError> {
        self.try_frames()?.checked()
    }

    /// Like [`frames`](Self::frames), for a stream by name and a custom struct.
    pub fn frames_of<F: FrameStruct>(&self, stream: &str) -> Result<TapeFrames<'_, F>, TapeError> {
        self.try_frames_of(stream)?.checked()
    }

    /// Returns the frames of a type, each with the time since the start of the tape, or an error for damage. Iteration continues after
    /// the damage.
    pub fn try_frames<F: Frame + Send>(&self) -> Result<TryTapeFrames<'_, F>, TapeError> {
        let of = F::stream();
        self.typed(vec![(Some(of.game.id.into()), of.stream.name.into())])
    }

    /// Like [`try_frames`](Self::try_frames), for a stream by name and a custom struct.
    pub fn try_frames_of<F: FrameStruct>(&self, stream: &str) -> Result<TryTapeFrames<'_, F>, TapeError> {
        self.typed(vec![(None, stream.into())])
    }

    fn typed<F: FrameStruct>(&self, streams: Vec<(Option<String>, String)>) -> Result<TryTapeFrames<'_, F>, TapeError> {
        let wanted = Wanted { type_name: type_name::<F>(), type_bytes: size_of::<F>(), streams };
        let raw = self.raw();
        let found = raw.streams().find(|stream| wanted.means(&stream.spec().game, &stream.spec().name));
        let Some(stream) = found else {
            let of_games = raw.streams().filter(|stream| !stream.spec().role.is_system());
            let offered = of_games.map(|stream| format!("{} of {}", stream.spec().name, stream.spec().game));
            let offered = offered.collect::<Vec<_>>().join(", ");
            return Err(TapeError::NoSuchStream { wanted: wanted.text(), offered });
        };
        wanted.check(stream.spec()).map_err(TapeError::WrongType)?;
        Ok(TryTapeFrames { tape: self, frames: raw.frames(stream), stream, wanted, frame: PhantomData })
    }
}

/// An iterator over frames of one type and the errors between them. See [`Tape::try_frames`].
pub struct TryTapeFrames<'a, F> {
    tape: &'a Tape,
    stream: &'a TapeStream,
    frames: read::Frames<'a>,
    wanted: Wanted,
    frame: PhantomData<fn() -> F>,
}

impl<'a, F: FrameStruct> TryTapeFrames<'a, F> {
    /// Seeks to the first frame at or after a time.
    pub fn seek(&mut self, t: Duration) -> Result<(), TapeError> {
        Ok(self.frames.seek_time(u64::try_from(t.as_nanos()).unwrap_or(u64::MAX))?)
    }

    /// Reads everything; returns an iterator over the same frames if there was no error.
    fn checked(mut self) -> Result<TapeFrames<'a, F>, TapeError> {
        while let Some(frame) = self.frames.next()? {
            if frame.data.len() != size_of::<F>() {
                return Err(TapeError::WrongType(self.wanted.mismatch(self.stream.spec(), frame.data.len())));
            }
        }
        if let Some(problem) = self.tape.loss(Some(self.stream.id())) {
            return Err(TapeError::Damaged(problem));
        }
        let frames = self.tape.raw().frames(self.stream);
        Ok(TapeFrames { frames: Self { frames, ..self }, error: None })
    }

    fn read_next(&mut self) -> Result<Option<(Duration, F)>, TapeError> {
        let Some(frame) = self.frames.next()? else { return Ok(None) };
        match F::read_from_bytes(frame.data) {
            Ok(read) => Ok(Some((Duration::from_nanos(frame.time_ns), read))),
            Err(_) => Err(TapeError::WrongType(self.wanted.mismatch(self.stream.spec(), frame.data.len()))),
        }
    }
}

impl<F: FrameStruct> Iterator for TryTapeFrames<'_, F> {
    type Item = Result<(Duration, F), TapeError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.read_next().transpose()
    }
}

/// An iterator over frames of one type in an intact stream. See [`Tape::frames`].
pub struct TapeFrames<'a, F> {
    frames: TryTapeFrames<'a, F>,
    error: Option<TapeError>,
}

impl<F: FrameStruct> TapeFrames<'_, F> {
    /// Seeks to the first frame at or after a time.
    pub fn seek(&mut self, t: Duration) -> Result<(), TapeError> {
        self.frames.seek(t)
    }

    /// Returns an error that occurred after verification: the file changed or the disk failed. The iterator ended there.
    pub fn error(&self) -> Option<&TapeError> {
        self.error.as_ref()
    }
}

impl<F: FrameStruct> Iterator for TapeFrames<'_, F> {
    type Item = (Duration, F);

    fn next(&mut self) -> Option<(Duration, F)> {
        if self.error.is_some() {
            return None;
        }
        self.frames.read_next().unwrap_or_else(|error| {
            self.error = Some(error);
            None
        })
    }
}
