//! A complete capture in memory.

use std::io::Read;

use super::problem::Problem;
use super::reader::{Item, ReadError, Reader};
use crate::fit::Fitted;
use crate::generation::Verdict;
use crate::meaning;
use crate::proto::telemetry::v2::{CaptureFooter, CaptureHeader, Frame};
use crate::record::RecordKind;

/// A complete capture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capture {
    /// The header.
    pub header: Option<CaptureHeader>,
    /// The frames, with the meaning of the current generation.
    pub frames: Vec<Frame>,
    /// The footer as it is on the wire.
    pub footer: Option<CaptureFooter>,
    /// Number of records of unknown kinds.
    pub unknown: u64,
    /// The problems found.
    pub problems: Vec<Problem>,
    /// The generation that wrote it.
    pub generation: Option<Verdict>,
}

impl<R: Read> Reader<R> {
    /// Reads everything, with the meaning of the current generation. For small captures: all of it is held in memory.
    pub fn read_all(mut self) -> Result<Capture, ReadError> {
        let mut capture = Capture::default();
        while let Some(item) = self.next()? {
            let placed = match item {
                Item::Problem(problem) => {
                    capture.problems.push(problem);
                    continue;
                }
                Item::Record(placed) => placed,
            };
            let offset = placed.place.offset;
            match placed.record.kind() {
                // Problems of a header or a footer were reported before it.
                RecordKind::Header => capture.header = placed.record.header(&self.limits).ok().or(capture.header),
                RecordKind::Footer => capture.footer = placed.record.footer(&self.limits).ok().or(capture.footer),
                RecordKind::Frame => match placed.record.fitted_frame(&self.limits) {
                    Ok(Fitted { message, misfits }) => {
                        capture.frames.push(message);
                        if !misfits.is_empty() {
                            capture.problems.push(Problem::Misfits { offset, misfits });
                        }
                    }
                    Err(cause) => capture.problems.push(Problem::BrokenFrame { offset, cause: cause.to_string() }),
                },
                RecordKind::Unknown(_) | RecordKind::Empty => capture.unknown += 1,
            }
        }
        // Only now is the meaning of slots certain.
        let verdict = self.generation();
        capture.generation = Some(verdict);
        for frame in &mut capture.frames {
            meaning::frame_to_current(frame, verdict.generation);
        }
        Ok(capture)
    }
}
