//! Plays games with fixed pages. Each page is a section, written from the first byte to the last.

use gametape_format::read::{Tape, TapeStream};
use gametape_games::{CopyRule, Game};

use super::owned_section::OwnedSection;
use super::rising::Rising;
use crate::transport::{Entry, OpenStage, Part, Playback, Shown, Stage, StageError, StageOptions};

/// The pages of a game on a tape.
pub(super) struct PagePlayback {
    game: &'static Game,
}

impl PagePlayback {
    /// Plays the streams of this game.
    pub(super) fn new(game: &'static Game) -> Self {
        Self { game }
    }
}

impl Playback for PagePlayback {
    fn part(&self, stream: &TapeStream) -> Option<Part> {
        let known = self.game.stream(stream.name()).filter(|known| known.section().is_some())?;
        Some(Part { stream: stream.id(), name: known.name, rank: known.play_rank, moves: true })
    }

    fn open(&self, tape: &Tape, parts: &[Part], options: &StageOptions) -> Result<OpenStage, StageError> {
        Ok(OpenStage::new(PageStage::open(self.game, tape, parts, options)?))
    }
}

/// All pages of a game.
struct PageStage {
    pages: Vec<Page>,
    companions: Vec<OwnedSection>,
    left: bool,
}

struct Page {
    /// Index of the part that its frames belong to; `None` if the tape has no frames for it.
    part: Option<usize>,
    section: OwnedSection,
    /// Offset of the running flag, if this page has it.
    flag: Option<usize>,
    counter: Option<usize>,
    rising: Rising,
    /// Whether the flag says that the game is running. Some games leave it 0.
    on: bool,
    changed: Vec<u8>,
}

impl PageStage {
    /// Creates all sections of the game, filled with zeros.
    fn open(game: &Game, tape: &Tape, parts: &[Part], options: &StageOptions) -> Result<Self, StageError> {
        let StageOptions { prefix, patience, .. } = options;
        let running_flag = game.shared_memory.running_flag;
        let mut pages = Vec::new();
        for stream in game.streams {
            let (Some(section), Some(section_bytes)) = (stream.section(), stream.section_bytes()) else { continue };
            let part = parts.iter().position(|part| part.name == stream.name);
            let on_tape = part.and_then(|part| parts.get(part)).and_then(|part| tape.stream(part.stream));
            let frame_bytes = on_tape.map_or(0, |stream| stream.spec().frame_bytes);
            let bytes = u64::from(section_bytes.max(frame_bytes.next_multiple_of(4096)));
            let counter = match stream.copy_rule {
                CopyRule::CounterAndSecondCopy { counter_offset } => Some(counter_offset as usize),
                _ => None,
            };
            pages.push(Page {
                part,
                section: OwnedSection::claim(prefix.section(section), bytes, *patience)?,
                flag: running_flag.filter(|(name, _)| *name == stream.name).map(|(_, offset)| offset as usize),
                counter,
                rising: Rising::default(),
                on: false,
                changed: Vec::new(),
            });
        }
        let mut stage = Self { pages, companions: Vec::new(), left: false };
        for (name, bytes) in game.shared_memory.companions.iter().filter(|_| cfg!(target_os = "linux")) {
            stage.companions.push(OwnedSection::claim(prefix.section(name), *bytes, *patience)?);
        }
        // Clear what a crashed game left behind: set the flag to off first, then clear everything.
        stage.say_off()?;
        for page in &stage.pages {
            page.section.clear(0, page.section.len())?;
        }
        Ok(stage)
    }

    fn say_off(&mut self) -> Result<(), StageError> {
        for page in &self.pages {
            let Some(offset) = page.flag else { continue };
            page.section.write(offset as u64, &[0; 4])?;
            // Increment the counter for clients that read only when it moves.
            if let (true, Some(counter), Some(last)) = (page.on, page.counter, page.rising.last()) {
                page.section.write(counter as u64, &last.wrapping_add(1).to_le_bytes())?;
            }
        }
        Ok(())
    }
}

impl Page {
    fn show(&mut self, frame: &[u8]) -> Result<(), StageError> {
        let flag = self.flag.and_then(|offset| frame.get(offset..)?.first_chunk::<4>());
        self.on = flag.is_some_and(|flag| *flag != [0; 4]);
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
    fn show(&mut self, entry: &Entry, frame: &[u8]) -> Result<Shown, StageError> {
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

    fn leave(&mut self) -> Result<(), StageError> {
        if std::mem::replace(&mut self.left, true) { Ok(()) } else { self.say_off() }
    }

    fn remove(mut self: Box<Self>) -> Result<(), StageError> {
        let pages: Vec<Page> = self.pages.drain(..).collect();
        let sections = pages.into_iter().map(|page| page.section).chain(self.companions.drain(..));
        sections.map(OwnedSection::remove).fold(Ok(()), Result::and)
    }
}
