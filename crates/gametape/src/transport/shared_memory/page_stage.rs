//! Plays games with fixed pages. Each page is a section, written from the first byte to the last. Sections that streams share are written by
//! [`SharedPage`].

use gametape_format::read::{Tape, TapeStream};
use gametape_games::{Channel, CopyRule, Game, Kind, Layout, Stream};

use super::owned_section::OwnedSection;
use super::rising::Rising;
use super::shared_page::{Lock, SharedPage};
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
        Some(Part { stream: stream.id(), name: known.name, rank: known.play_rank, moves: true, is_message: false })
    }

    fn open(&self, tape: &Tape, parts: &[Part], options: &StageOptions) -> Result<OpenStage, StageError> {
        Ok(OpenStage::new(PageStage::open(self.game, tape, parts, options)?))
    }
}

/// A counter in a page.
#[derive(Debug, Clone, Copy)]
struct Counter {
    offset: usize,
    /// It is odd while the page is being written.
    is_sequence: bool,
}

impl Counter {
    /// Returns the number that follows one of the tape after jumps. Sequence numbers stay even.
    fn rise(self, rising: &mut Rising, value: i32) -> i32 {
        match self.is_sequence {
            true => rising.show(value.cast_unsigned().wrapping_shr(1).cast_signed()).wrapping_shl(1),
            false => rising.show(value),
        }
    }

    /// Returns the number after the last one that was shown.
    fn next(self, rising: &Rising) -> Option<i32> {
        let next = rising.last()?.wrapping_add(1);
        Some(if self.is_sequence { next.wrapping_shl(1) } else { next })
    }
}

/// Returns the counter of a stream whose frames have this length. Not all versions of a page have it at the same offset: it has to be in the
/// layout.
fn counter_of(stream: &Stream, frame_bytes: u32) -> Option<Counter> {
    let (offset, is_sequence) = match stream.copy_rule {
        CopyRule::CounterAndSecondCopy { counter_offset } => (counter_offset, false),
        CopyRule::EvenSequence { sequence_offset } => (sequence_offset, true),
        _ => return None,
    };
    let is_counter = |channel: &Channel| channel.offset == offset && matches!(channel.kind, Kind::I32 | Kind::U32);
    let has_it = |layout: &Layout| layout.channels().iter().any(is_counter);
    let is_there = match stream.layout_of(frame_bytes) {
        Some(layout) => has_it(layout),
        None => stream.layouts().iter().all(|layout| has_it(layout)),
    };
    is_there.then_some(Counter { offset: offset as usize, is_sequence })
}

/// All pages of a game.
struct PageStage {
    pages: Vec<Page>,
    shared: Vec<(&'static str, SharedPage)>,
    companions: Vec<OwnedSection>,
    left: bool,
}

struct Page {
    /// Index of the part that its frames belong to; `None` if the tape has no frames for it.
    part: Option<usize>,
    section: OwnedSection,
    /// Offset of the running flag, if this page has it.
    flag: Option<usize>,
    counter: Option<Counter>,
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
        let mut shared: Vec<(&'static str, SharedPage)> = Vec::new();
        for stream in game.streams {
            let (Some(section), Some(section_bytes)) = (stream.section(), stream.section_bytes()) else { continue };
            let part = parts.iter().position(|part| part.name == stream.name);
            if let Some(of) = stream.part() {
                let page = match shared.iter_mut().find(|(name, _)| *name == section) {
                    Some((_, page)) => page,
                    None => {
                        let bytes = u64::from(section_bytes.max(of.page_bytes));
                        let owned = OwnedSection::claim(prefix.section(section), bytes, *patience)?;
                        let lock = match stream.copy_rule {
                            CopyRule::TwoEqualCopiesUnlocked { lock_section, busy_offset } => {
                                Some(Lock::claim(prefix.section(lock_section), busy_offset, *patience)?)
                            }
                            _ => None,
                        };
                        shared.push((section, SharedPage::new(owned, lock, stream.copy_rule, of.page_bytes)));
                        let Some((_, page)) = shared.last_mut() else { continue };
                        page
                    }
                };
                page.add(part, of);
                continue;
            }
            let on_tape = part.and_then(|part| parts.get(part)).and_then(|part| tape.stream(part.stream));
            let frame_bytes = on_tape.map_or(0, |stream| stream.spec().frame_bytes);
            let bytes = u64::from(section_bytes.max(frame_bytes.next_multiple_of(4096)));
            let counter = counter_of(stream, frame_bytes);
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
        let mut stage = Self { pages, shared, companions: Vec::new(), left: false };
        for (name, bytes) in game.shared_memory.companions.iter().filter(|_| cfg!(target_os = "linux")) {
            stage.companions.push(OwnedSection::claim(prefix.section(name), *bytes, *patience)?);
        }
        // Clear what a crashed game left behind: set the flag to off first, then clear everything.
        stage.say_off()?;
        for page in &stage.pages {
            page.section.clear(0, page.section.len())?;
        }
        stage.shared.iter().try_for_each(|(_, page)| page.clear())?;
        Ok(stage)
    }

    fn say_off(&mut self) -> Result<(), StageError> {
        for page in &self.pages {
            let Some(offset) = page.flag else { continue };
            page.section.write(offset as u64, &[0; 4])?;
            // Increment the counter for clients that read only when it moves.
            if let (true, Some(counter)) = (page.on, page.counter)
                && let Some(next) = counter.next(&page.rising)
            {
                page.section.write(counter.offset as u64, &next.to_le_bytes())?;
            }
        }
        Ok(())
    }
}

impl Page {
    fn show(&mut self, frame: &[u8]) -> Result<(), StageError> {
        let flag = self.flag.and_then(|offset| frame.get(offset..)?.first_chunk::<4>());
        self.on = flag.is_some_and(|flag| *flag != [0; 4]);
        let value = self.counter.and_then(|counter| {
            let value = frame.get(counter.offset..)?.first_chunk::<4>()?;
            Some((counter, i32::from_le_bytes(*value)))
        });
        let Some((counter, value)) = value else { return self.section.write(0, frame) };
        let shown = counter.rise(&mut self.rising, value);
        if shown == value && !counter.is_sequence {
            return self.section.write(0, frame);
        }
        // Clients do not use a page with an odd sequence number.
        let meanwhile = if counter.is_sequence { shown.wrapping_sub(1) } else { shown };
        self.changed.clear();
        self.changed.extend_from_slice(frame);
        if let Some(place) = self.changed.get_mut(counter.offset..counter.offset + 4) {
            place.copy_from_slice(&meanwhile.to_le_bytes());
        }
        let at = counter.offset as u64;
        if counter.is_sequence {
            self.section.write(at, &meanwhile.to_le_bytes())?;
        }
        self.section.write(0, &self.changed)?;
        if counter.is_sequence { self.section.write(at, &shown.to_le_bytes()) } else { Ok(()) }
    }
}

impl Stage for PageStage {
    fn show(&mut self, entry: &Entry, frame: &[u8]) -> Result<Shown, StageError> {
        if let Some((_, page)) = self.shared.iter_mut().find(|(_, page)| page.has(entry.part)) {
            return Ok(if page.take(entry.part, frame) { Shown::Step } else { Shown::Unfit });
        }
        let Some(page) = self.pages.iter_mut().find(|page| page.part == Some(entry.part)) else {
            return Ok(Shown::Noted);
        };
        if frame.len() as u64 > page.section.len() {
            return Ok(Shown::Unfit);
        }
        page.show(frame).map(|()| Shown::Step)
    }

    fn shows_moments(&self) -> bool {
        !self.shared.is_empty()
    }

    fn settle(&mut self) -> Result<(), StageError> {
        self.shared.iter_mut().try_for_each(|(_, page)| page.settle())
    }

    fn jump(&mut self) {
        self.pages.iter_mut().for_each(|page| page.rising.jump());
        self.shared.iter_mut().for_each(|(_, page)| page.jump());
    }

    fn leave(&mut self) -> Result<(), StageError> {
        if std::mem::replace(&mut self.left, true) { Ok(()) } else { self.say_off() }
    }

    fn remove(mut self: Box<Self>) -> Result<(), StageError> {
        let pages: Vec<Page> = self.pages.drain(..).collect();
        let shared: Vec<_> = self.shared.drain(..).flat_map(|(_, page)| page.into_sections()).collect();
        let sections = pages.into_iter().map(|page| page.section).chain(shared).chain(self.companions.drain(..));
        sections.map(OwnedSection::remove).fold(Ok(()), Result::and)
    }
}
