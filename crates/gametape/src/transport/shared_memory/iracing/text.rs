//! iRacing's session text. It is copied when its update counter changes, with a double read because no seqlock protects it.

use std::io;
use std::ops::Range;

use gametape_format::Counters;
use gametape_games::SECOND_COPY_AFTER_NS;
use gametape_games::iracing::LiveMap;

use super::source::{Section, TEXT, front};
use crate::transport::{Batch, Clock};

/// The text is copied in chunks of this size until its end is found.
const PIECE: usize = 64 << 10;

/// The newest complete text, and buffers for the next one.
#[derive(Default)]
pub(super) struct SessionText {
    /// The game's update counter of that text.
    update: Option<i32>,
    newest: Vec<u8>,
    first: Vec<u8>,
    second: Vec<u8>,
}

impl SessionText {
    pub(super) fn bytes(&self) -> &[u8] {
        &self.newest
    }

    /// Copies the text if it was updated. A copy is complete if the update counter is the same before and after, and a second,
    /// later copy equals the first. Returns whether there is a new text.
    pub(super) fn take(
        &mut self,
        section: &Section,
        map: &LiveMap,
        clock: &dyn Clock,
        batch: &mut Batch,
    ) -> io::Result<bool> {
        let room = &map.session_text;
        if self.update == Some(map.session_text_update) || room.is_empty() {
            return Ok(false);
        }
        let copied_ns = clock.now_ns();
        copy(section, room, &mut self.first)?;
        clock.sleep_until_ns(clock.now_ns() + SECOND_COPY_AFTER_NS);
        copy(section, room, &mut self.second)?;
        let still = front(section)?.is_ok_and(|(after, _)| after.session_text_update == map.session_text_update);
        if !still || self.first != self.second {
            // The game is writing the text. The next read tries again.
            batch.count(TEXT, &Counters { torn: 1, ..Counters::default() });
            return Ok(false);
        }
        self.update = Some(map.session_text_update);
        if self.first.is_empty() {
            return Ok(false);
        }
        batch.frame(TEXT, copied_ns, &self.first);
        std::mem::swap(&mut self.newest, &mut self.first);
        Ok(true)
    }
}

/// Copies the text up to the first NUL.
fn copy(section: &Section, room: &Range<u64>, text: &mut Vec<u8>) -> io::Result<()> {
    text.clear();
    let mut at = room.start;
    while at < room.end {
        let length = usize::try_from(room.end - at).unwrap_or(PIECE).min(PIECE);
        let before = text.len();
        text.resize(before + length, 0);
        let piece = text.get_mut(before..).unwrap_or_default();
        section.reader.copy(at, piece)?;
        if let Some(end) = piece.iter().position(|byte| *byte == 0) {
            text.truncate(before + end);
            break;
        }
        at += length as u64;
    }
    Ok(())
}
