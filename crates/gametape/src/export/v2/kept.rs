//! Reads the records that an import stored besides the responses, in their original order among the responses.

use gametape_format::read::{Frames, Problem, ReadError, Tape};

use crate::export::answers::next_frame;
use crate::import::captures::ANSWERS;
use crate::import::echo_streams::Kept;

/// The records that an import stored, in order.
pub(super) struct KeptRecords<'a> {
    /// Bytes of the header.
    pub(super) header: Vec<u8>,
    frames: Frames<'a>,
    next: Option<(Kept, u64, Vec<u8>)>,
    /// Parts of the tape that could not be read.
    pub(super) damage: Vec<Problem>,
}

impl<'a> KeptRecords<'a> {
    /// Opens the records of a tape that has all responses of its capture. In a cut tape, their order among the responses is lost.
    pub(super) fn of(tape: &'a Tape, stream: &str) -> Result<Option<Self>, ReadError> {
        let Ok(stream) = tape.stream_named(stream) else { return Ok(None) };
        let answers = tape.stream_named(gametape_games::echo_vr::SESSION)?.totals().frames;
        if tape.metadata().get(ANSWERS).is_none_or(|stated| *stated != answers.to_string()) {
            return Ok(None);
        }
        let mut kept = Self { header: Vec::new(), frames: tape.frames(stream), next: None, damage: Vec::new() };
        kept.advance()?;
        match kept.next.take_if(|(kind, ..)| *kind == Kept::Header) {
            Some((_, _, header)) => kept.header = header,
            None => return Ok(None),
        }
        kept.advance()?;
        Ok(Some(kept))
    }

    fn advance(&mut self) -> Result<(), ReadError> {
        self.next = None;
        while let Some((_, frame)) = next_frame(&mut self.frames, &mut self.damage)? {
            if let Some((kind, number, bytes)) = Kept::parse(&frame) {
                self.next = Some((kind, number, bytes.to_vec()));
                break;
            }
        }
        Ok(())
    }

    /// Returns the next record without a response that precedes the response with this number.
    pub(super) fn extra_before(&mut self, number: u64) -> Result<Option<Vec<u8>>, ReadError> {
        let fits = |(kind, at, _): &mut (Kept, u64, Vec<u8>)| *kind != Kept::Instead && *at <= number;
        let Some((.., bytes)) = self.next.take_if(fits) else { return Ok(None) };
        self.advance()?;
        Ok(Some(bytes))
    }

    /// Returns the record of the response with this number, if it was stored.
    pub(super) fn instead_of(&mut self, number: u64) -> Result<Option<Vec<u8>>, ReadError> {
        let Some((.., bytes)) = self.next.take_if(|(kind, at, _)| *kind == Kept::Instead && *at == number) else {
            return Ok(None);
        };
        self.advance()?;
        Ok(Some(bytes))
    }
}
