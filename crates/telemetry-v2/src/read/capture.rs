//! A whole capture in memory: takes a reader, gives its messages.

use std::io::Read;

use super::problem::Problem;
use super::reader::{Item, ReadError, Reader};
use crate::fit::Fitted;
use crate::generation::Verdict;
use crate::meaning;
use crate::proto::telemetry::v2::{CaptureFooter, CaptureHeader, Frame};
use crate::record::RecordKind;

/// A whole capture.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Capture {
    /// The header.
    pub header: Option<CaptureHeader>,
    /// The frames, with the meaning of the current generation.
    pub frames: Vec<Frame>,
    /// The footer as it stands on the wire.
    pub footer: Option<CaptureFooter>,
    /// Records of kinds that this crate does not know.
    pub unknown: u64,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// Which generation wrote it.
    pub generation: Option<Verdict>,
}

impl<R: Read> Reader<R> {
    /// Everything at once, with the meaning of the current generation. For small captures: all of it is in memory.
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
                // What is wrong with a header or a footer was told before it.
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
        // Only now is it certain what the slots mean.
        let verdict = self.generation();
        capture.generation = Some(verdict);
        for frame in &mut capture.frames {
            meaning::frame_to_current(frame, verdict.generation);
        }
        Ok(capture)
    }
}
