//! The pages of the Assetto Corsa family. Each is a section, written from the first byte to the last.

use std::time::Duration;

use super::chunk::Entry;
use super::error::PlayError;
use super::parts::{Part, PartKind, Parts};
use super::rising::Rising;
use super::section::Section;
use super::stage::{Shown, Stage};
use crate::format::read::Tape;
use crate::games::{CopyRule, Game, Transport};
use crate::sys::Prefix;

/// Additional sections that clients on Linux open next to the pages. The clients crash if these are empty.
const BESIDE: [(&str, u64); 1] = [("acpmf_crewchief", 16_000)];
const BESIDE_PREFIX: &str = "acpmf_";

/// Offset of `status` in the graphics page. 0 means off.
const STATUS: (&str, u64) = ("graphics", 4);

/// All pages of a game.
pub(super) struct PageStage {
    pages: Vec<Page>,
    beside: Vec<Section>,
    left: bool,
}

struct Page {
    name: &'static str,
    /// Index of the part that its frames belong to; `None` if the tape has no frames for it.
    part: Option<usize>,
    section: Section,
    counter: Option<usize>,
    rising: Rising,
    /// Whether `status`, if the page has it, says that the game is running. Some games of the family leave it 0.
    on: bool,
    changed: Vec<u8>,
}

impl PageStage {
    /// Creates all sections of the game, filled with zeros.
    pub(super) fn open(parts: &Parts, tape: &Tape, prefix: &Prefix, patience: Duration) -> Result<Self, PlayError> {
        let mut pages = Vec::new();
        for stream in parts.game.streams {
            let Transport::SharedMemory { section, section_bytes } = stream.transport else { continue };
            let is_it = |part: &Part| part.kind == PartKind::Page(stream.name);
            let part = parts.list.iter().position(is_it);
            let on_tape = part.and_then(|part| parts.list.get(part)).and_then(|part| tape.stream(part.stream));
            let frame_bytes = on_tape.map_or(0, |stream| stream.spec().frame_bytes);
            let bytes = u64::from(section_bytes.max(frame_bytes.next_multiple_of(4096)));
            let counter = match stream.copy_rule {
                CopyRule::CounterAndSecondCopy { counter_offset } => Some(counter_offset as usize),
                _ => None,
            };
            let section = Section::claim(prefix.section(section), bytes, patience)?;
            let rising = Rising::default();
            pages.push(Page { name: stream.name, part, section, counter, rising, on: false, changed: Vec::new() });
        }
        let mut stage = Self { pages, beside: Vec::new(), left: false };
        for (name, bytes) in BESIDE.iter().filter(|_| cfg!(target_os = "linux") && has_beside(parts.game)) {
            stage.beside.push(Section::claim(prefix.section(name), *bytes, patience)?);
        }
        // Clear what a crashed game left behind: set the status to off first, then clear everything.
        stage.say_off()?;
        for page in &stage.pages {
            page.section.clear(0, page.section.len())?;
        }
        Ok(stage)
    }

    fn say_off(&mut self) -> Result<(), PlayError> {
        let (name, offset) = STATUS;
        let Some(page) = self.pages.iter_mut().find(|page| page.name == name) else { return Ok(()) };
        page.section.write(offset, &[0; 4])?;
        // Increment the counter for clients that read only when it moves.
        if let (true, Some(counter), Some(last)) = (page.on, page.counter, page.rising.last()) {
            page.section.write(counter as u64, &last.wrapping_add(1).to_le_bytes())?;
        }
        Ok(())
    }
}

/// Returns whether the game has the additional sections, which belong to pages with the same name prefix.
fn has_beside(game: &Game) -> bool {
    let named = |transport: &Transport| matches!(transport, Transport::SharedMemory { section, .. } if section.starts_with(BESIDE_PREFIX));
    game.streams.iter().any(|stream| named(&stream.transport))
}

impl Page {
    fn show(&mut self, frame: &[u8]) -> Result<(), PlayError> {
        let (name, offset) = STATUS;
        let status = || frame.get(offset as usize..)?.first_chunk::<4>();
        self.on = self.name == name && status().is_some_and(|status| *status != [0; 4]);
        let value = self.counter.and_then(|at| frame.get(at..)?.first_chunk::<4>().map(|bytes| (at, *bytes)));
        let Some((at, value)) = value else { return self.section.write(0, frame) };
        let shown = self.rising.show(i32::from_le_bytes(value)).to_le_bytes();
        if shown == value {
            return self.section.write(0, frame);
        }
        self.changed.clear();
        self.changed.extend_from_slice(frame);
        if let Some(place) = self.changed.get_mut(at..at + 4) {
            place.copy_from_slice(&shown);
        }
        self.section.write(0, &self.changed)
    }
}

impl Stage for PageStage {
    fn show(&mut self, entry: &Entry, frame: &[u8]) -> Result<Shown, PlayError> {
        let Some(page) = self.pages.iter_mut().find(|page| page.part == Some(entry.part)) else {
            return Ok(Shown::Noted);
        };
        if frame.len() as u64 > page.section.len() {
            return Ok(Shown::Unfit);
        }
        page.show(frame).map(|()| Shown::Step)
    }

    fn jump(&mut self) {
        self.pages.iter_mut().for_each(|page| page.rising.jump());
    }

    fn leave(&mut self) -> Result<(), PlayError> {
        if std::mem::replace(&mut self.left, true) { Ok(()) } else { self.say_off() }
    }

    fn remove(mut self: Box<Self>) -> Result<(), PlayError> {
        let pages: Vec<Page> = self.pages.drain(..).collect();
        let sections = pages.into_iter().map(|page| page.section).chain(self.beside.drain(..));
        sections.map(Section::remove).fold(Ok(()), Result::and)
    }
}
