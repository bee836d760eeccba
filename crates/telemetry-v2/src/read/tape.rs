//! A capture file with random access: returns the frame of any number with the full state at it, and the frames with an event.

use std::io::{Read, Seek, SeekFrom};

use super::problem::Problem;
use super::reader::{Item, Placed, ReadError, Reader};
use super::tape_index::{self, TapeIndex, Unusable};
use crate::generation::{Evidence, Verdict};
use crate::limits::{Limits, ReadOptions};
use crate::meaning;
use crate::proto::telemetry::v2::{CaptureHeader, EchoArenaState, EventType, Frame};
use crate::record::{RecordError, RecordKind};
use crate::state::StateTracker;

/// The reason why a file cannot be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// It cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// It has no header and no readable frame.
    #[error("this is not a Telemetry V2 capture: it has no header and no frames")]
    NotACapture,
}

impl From<std::io::Error> for OpenError {
    fn from(error: std::io::Error) -> Self {
        Self::Read(error.into())
    }
}

/// The result of a frame lookup.
#[derive(Clone, Debug, PartialEq)]
pub struct FrameAt {
    /// Its record, byte for byte.
    pub record: Placed,
    /// The frame, with the meaning of the current generation.
    pub frame: Frame,
    /// The state accumulated from events up to and including this frame.
    pub state: EchoArenaState,
    /// The number of frames read for it, including itself.
    pub frames_read: u32,
}

/// An open file.
pub struct Tape<R> {
    source: R,
    options: ReadOptions,
    packed: bool,
    header: CaptureHeader,
    generation: Verdict,
    index: TapeIndex,
    problems: Vec<Problem>,
}

impl<R: Read + Seek> Tape<R> {
    /// Opens a file with the default limits.
    pub fn open(source: R) -> Result<Self, OpenError> {
        Self::open_with(source, &Limits::default())
    }

    /// Opens a file. If its footer and its table of blocks are usable, only a little of it is read; otherwise all of it, once.
    pub fn open_with(source: R, limits: &Limits) -> Result<Self, OpenError> {
        Self::open_with_options(source, &limits.into())
    }

    /// Like [`Tape::open_with`], with the dictionary of the file.
    pub fn open_with_options(mut source: R, options: &ReadOptions) -> Result<Self, OpenError> {
        let limits = &options.limits;
        source.seek(SeekFrom::Start(0))?;
        let mut reader = Reader::with_options(&mut source, options)?;
        let packed = reader.is_packed();
        let mut evidence = Evidence::default();
        let (mut header, mut problems) = (None, Vec::new());
        while let Some(item) = reader.next()? {
            match item {
                Item::Record(placed) => {
                    evidence.observe(&placed.record, Some(placed.place));
                    // Its problems were reported before it.
                    header = placed.record.header(limits).ok();
                    break;
                }
                Item::Problem(problem) if problems.len() < tape_index::MAX_PROBLEMS => problems.push(problem),
                Item::Problem(_) => {}
            }
        }
        let mut index = None;
        let mut unusable = None;
        if packed && header.is_some() {
            match tape_index::from_footer(&mut source, options, &mut evidence, &mut problems)? {
                // Slots of the seed generation can be misread unless the generation is certain. In that case the frames
                // are examined too.
                Ok(found) if evidence.is_decided() => index = Some(found),
                Ok(_) | Err(Unusable::NoTable) => {}
                Err(Unusable::Damaged(cause)) => unusable = Some(Problem::Index { cause }),
            }
        }
        let index = match index {
            Some(index) => index,
            None => {
                // The whole file is read, so all of its problems are found again.
                problems.clear();
                problems.extend(unusable);
                let (found, all) = tape_index::from_records(&mut source, options, &mut problems)?;
                evidence = all;
                found
            }
        };
        if header.is_none() && index.frame_count == 0 {
            return Err(OpenError::NotACapture);
        }
        let header = header.unwrap_or_default();
        let options = options.clone();
        Ok(Self { source, options, packed, header, generation: evidence.verdict(), index, problems })
    }

    /// The header as it is on the wire; empty if the file has lost it.
    pub fn header(&self) -> &CaptureHeader {
        &self.header
    }

    /// The generation that wrote the file.
    pub fn generation(&self) -> Verdict {
        self.generation
    }

    /// The index.
    pub fn index(&self) -> &TapeIndex {
        &self.index
    }

    /// The problems found in the parts of the file read so far.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the frames with an event of this type.
    pub fn frames_with(&self, event: EventType) -> &[u32] {
        self.index.events.get(&event).map_or(&[], Vec::as_slice)
    }

    /// Returns the source.
    pub fn into_inner(self) -> R {
        self.source
    }

    /// Returns the records from the keyframe at or before a frame.
    pub fn records_from(&mut self, frame_index: u32) -> Result<Reader<&mut R>, ReadError> {
        let place = self.index.keyframes.partition_point(|entry| entry.frame_index <= frame_index);
        let entry = place.checked_sub(1).and_then(|place| self.index.keyframes.get(place));
        let (first, offset) = entry.map_or((0, 0), |entry| (entry.frame_index, entry.byte_offset));
        self.source.seek(SeekFrom::Start(offset))?;
        if offset == 0 {
            return Reader::with_options(&mut self.source, &self.options);
        }
        Reader::resume(&mut self.source, &self.options, self.packed, offset, first)
    }

    /// Returns the frame with this number and the full state at it, or `None` if the file has no such frame.
    ///
    /// If the keyframe before it has the state, reading starts there. Files of other writers lack it: then the events
    /// of all frames before it are followed.
    pub fn frame_at(&mut self, frame_index: u32) -> Result<Option<FrameAt>, ReadError> {
        match self.follow(frame_index, false)? {
            Followed::NeedsAll => match self.follow(frame_index, true)? {
                Followed::Found(found) => Ok(Some(*found)),
                Followed::NeedsAll | Followed::Missing => Ok(None),
            },
            Followed::Found(found) => Ok(Some(*found)),
            Followed::Missing => Ok(None),
        }
    }

    fn follow(&mut self, frame_index: u32, from_start: bool) -> Result<Followed, ReadError> {
        let (limits, generation) = (self.options.limits, self.generation.generation);
        let mut tracker = StateTracker::new(&self.header);
        let mut reader = self.records_from(if from_start { 0 } else { frame_index })?;
        let mut frames_read = 0u32;
        while let Some(item) = reader.next()? {
            let Item::Record(placed) = item else { continue };
            if placed.record.kind() != RecordKind::Frame {
                continue;
            }
            let Ok(outline) = placed.record.outline() else { continue };
            let first = frames_read == 0;
            frames_read += 1;
            if first && !from_start && outline.frame_index != 0 && !outline.has_state && outline.payload == Some(10) {
                return Ok(Followed::NeedsAll);
            }
            if outline.frame_index > frame_index {
                return Ok(Followed::Missing);
            }
            let wanted = outline.frame_index == frame_index;
            if !wanted && !first && outline.events.is_empty() && !outline.has_state {
                continue;
            }
            let fault = |cause: RecordError| ReadError::Record { offset: placed.place.offset, cause };
            let mut frame = match placed.record.frame(&limits) {
                Ok(frame) => frame,
                Err(cause) if wanted => return Err(fault(cause)),
                // Its contribution to the state is lost; the requested frame is not.
                Err(_) => continue,
            };
            meaning::frame_to_current(&mut frame, generation);
            tracker.follow(&frame);
            if wanted {
                let state = tracker.state().clone();
                return Ok(Followed::Found(Box::new(FrameAt { record: placed, frame, state, frames_read })));
            }
        }
        Ok(Followed::Missing)
    }
}

enum Followed {
    Found(Box<FrameAt>),
    /// The keyframe does not have the state.
    NeedsAll,
    Missing,
}
