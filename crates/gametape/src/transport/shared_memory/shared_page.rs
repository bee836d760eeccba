//! A section that several streams share, or that the game writes between two version words, as the player writes it.
//!
//! Takes the frames of its parts one after the other and keeps them in an image of the section. When all frames of a moment are there, writes what
//! has changed at once and in the order of the game, so that clients that follow the game's protocol never see a half of it.

use std::ops::Range;
use std::time::{Duration, Instant};

use gametape_games::{CopyRule, SectionPart};

use super::owned_section::OwnedSection;
use super::rising::Rising;
use crate::sys::SectionReader;
use crate::transport::StageError;

/// A section and an image of what is to be in it.
pub(super) struct SharedPage {
    section: OwnedSection,
    /// The lock that clients take before they read, if the game has one.
    lock: Option<Lock>,
    rule: CopyRule,
    parts: Vec<OfPart>,
    image: Vec<u8>,
    /// What differs from the section.
    dirty: Option<Range<usize>>,
    rising: Rising,
    shown_version: Option<i32>,
}

/// The lock of a section, in a section of its own.
pub(super) struct Lock {
    section: OwnedSection,
    busy_offset: u32,
    /// To see whether a client holds it; `None` if it cannot be read.
    reader: Option<SectionReader>,
}

/// A client that copies a section holds its lock for a fraction of this. One that holds it for longer has died while it did.
const MOST_WAIT: Duration = Duration::from_millis(5);

impl Lock {
    /// Creates the section with the lock.
    pub(super) fn claim(name: String, busy_offset: u32, patience: Duration) -> Result<Self, StageError> {
        let section = OwnedSection::claim(name.clone(), u64::from(busy_offset) + 4, patience)?;
        Ok(Self { section, busy_offset, reader: SectionReader::open(&name).ok().flatten() })
    }

    /// Writes while no client holds the lock, and holds it meanwhile. It is taken in two steps, so a client that takes it at the same instant may see a
    /// half of what is written.
    fn hold(&self, write: impl FnOnce() -> Result<(), StageError>) -> Result<(), StageError> {
        let start = Instant::now();
        while self.is_held() && start.elapsed() < MOST_WAIT {
            std::thread::yield_now();
        }
        self.section.write(self.busy_offset.into(), &1_i32.to_le_bytes())?;
        let written = write();
        written.and(self.section.write(self.busy_offset.into(), &[0; 4]))
    }

    fn is_held(&self) -> bool {
        let mut busy = [0; 4];
        let read = self.reader.as_ref().map(|reader| reader.copy(self.busy_offset.into(), &mut busy));
        matches!(read, Some(Ok(()))) && busy != [0; 4]
    }
}

/// A part: index of the playback's part whose frames it shows, if the tape has one.
struct OfPart {
    part: Option<usize>,
    range: Range<usize>,
}

impl SharedPage {
    pub(super) fn new(section: OwnedSection, lock: Option<Lock>, rule: CopyRule, page_bytes: u32) -> Self {
        Self {
            section,
            lock,
            rule,
            parts: Vec::new(),
            image: vec![0; page_bytes as usize],
            dirty: None,
            rising: Rising::default(),
            shown_version: None,
        }
    }

    /// Adds a stream, whose frames belong to this part of the playback, if any.
    pub(super) fn add(&mut self, part: Option<usize>, of: SectionPart) {
        self.parts.push(OfPart { part, range: of.offset..of.offset + of.bytes });
    }

    /// Returns whether frames of a part of the playback belong to this section.
    pub(super) fn has(&self, part: usize) -> bool {
        self.parts.iter().any(|of| of.part == Some(part))
    }

    /// Takes a frame. Returns whether it fits.
    pub(super) fn take(&mut self, part: usize, frame: &[u8]) -> bool {
        let Some(of) = self.parts.iter().find(|of| of.part == Some(part)) else { return false };
        let Some(place) = self.image.get_mut(of.range.clone()).filter(|place| place.len() == frame.len()) else {
            return false;
        };
        place.copy_from_slice(frame);
        self.dirty = Some(match self.dirty.take() {
            Some(dirty) => dirty.start.min(of.range.start)..dirty.end.max(of.range.end),
            None => of.range.clone(),
        });
        true
    }

    /// Marks a jump: the version words keep increasing.
    pub(super) fn jump(&mut self) {
        self.rising.jump();
    }

    /// Writes what has changed.
    pub(super) fn settle(&mut self) -> Result<(), StageError> {
        let Some(dirty) = self.dirty.take() else { return Ok(()) };
        match self.rule {
            CopyRule::EqualVersions { begin_offset, end_offset } => {
                self.write_versioned(&dirty, begin_offset, end_offset)
            }
            _ => match &self.lock {
                Some(lock) => lock.hold(|| self.write(&dirty)),
                None => self.write(&dirty),
            },
        }
    }

    fn write(&self, range: &Range<usize>) -> Result<(), StageError> {
        self.section.write(range.start as u64, self.image.get(range.clone()).unwrap_or_default())
    }

    /// Writes between the version words: the first one says that a write has begun, the last one that it has ended.
    fn write_versioned(&mut self, dirty: &Range<usize>, begin_at: u32, end_at: u32) -> Result<(), StageError> {
        let word = |at: u32| {
            let bytes = self.image.get(at as usize..).and_then(|rest| rest.first_chunk::<4>());
            bytes.map_or(0, |bytes| i32::from_le_bytes(*bytes))
        };
        let (begin, end) = (word(begin_at), word(end_at));
        let has_words = dirty.start == 0 && self.shown_version != Some(begin);
        // Without new words, as after a cut, they advance all the same.
        let shown = if has_words { self.rising.show(begin) } else { self.rising.step() };
        self.shown_version = Some(begin);
        let shown_end = shown.wrapping_add(end.wrapping_sub(begin));
        self.section.write(begin_at.into(), &shown.to_le_bytes())?;
        let after_words = (begin_at.max(end_at) + 4) as usize;
        self.write(&(dirty.start.max(after_words)..dirty.end.max(after_words)))?;
        self.section.write(end_at.into(), &shown_end.to_le_bytes())
    }

    /// Empties the section.
    pub(super) fn clear(&self) -> Result<(), StageError> {
        self.section.clear(0, self.section.len())?;
        self.lock.as_ref().map_or(Ok(()), |lock| lock.section.clear(0, lock.section.len()))
    }

    /// Returns the sections.
    pub(super) fn into_sections(self) -> impl Iterator<Item = OwnedSection> {
        std::iter::once(self.section).chain(self.lock.map(|lock| lock.section))
    }
}

#[cfg(test)]
#[cfg(target_os = "linux")]
mod tests {
    use super::*;

    const RULE: CopyRule = CopyRule::EqualVersions { begin_offset: 0, end_offset: 4 };

    fn page(name: &str, rule: CopyRule) -> (SharedPage, SectionReader) {
        let name = format!("gametape-test-{}-shared-{name}", std::process::id());
        let section = OwnedSection::claim(name.clone(), 16, Duration::ZERO).unwrap();
        let mut page = SharedPage::new(section, None, rule, 16);
        page.add(Some(3), SectionPart { offset: 0, bytes: 12, page_bytes: 16 });
        page.add(Some(5), SectionPart { offset: 12, bytes: 4, page_bytes: 16 });
        (page, SectionReader::open(&name).unwrap().unwrap())
    }

    fn shown(reader: &SectionReader) -> [u8; 16] {
        let mut bytes = [0; 16];
        reader.copy(0, &mut bytes).unwrap();
        bytes
    }

    fn head(version: u8, fill: u8) -> [u8; 12] {
        [version, 0, 0, 0, version, 0, 0, 0, fill, fill, fill, fill]
    }

    #[test]
    fn parts_of_a_moment_are_shown_together_and_byte_for_byte() {
        let (mut page, reader) = page("together", RULE);
        assert!(page.has(3) && page.has(5) && !page.has(4));
        assert!(page.take(5, b"abcd") && page.take(3, &head(7, 9)));
        assert_eq!(shown(&reader), [0; 16], "not before the moment is complete");
        page.settle().unwrap();
        assert_eq!(shown(&reader), [7, 0, 0, 0, 7, 0, 0, 0, 9, 9, 9, 9, b'a', b'b', b'c', b'd']);
        assert!(!page.take(5, b"abc") && !page.take(4, b"abcd"), "another length, another part");
    }

    #[test]
    fn version_words_rise_after_a_jump_back() {
        let (mut page, reader) = page("rise", RULE);
        for version in [7, 8] {
            assert!(page.take(3, &head(version, 0)));
            page.settle().unwrap();
        }
        page.jump();
        assert!(page.take(3, &head(7, 1)));
        page.settle().unwrap();
        assert_eq!(shown(&reader)[..8], [9, 0, 0, 0, 9, 0, 0, 0]);
    }

    #[test]
    fn a_part_without_new_version_words_advances_them() {
        let (mut page, reader) = page("advance", RULE);
        assert!(page.take(3, &head(7, 0)));
        page.settle().unwrap();
        assert!(page.take(5, b"abcd"));
        page.settle().unwrap();
        assert_eq!(shown(&reader)[..8], [8, 0, 0, 0, 8, 0, 0, 0]);
    }

    #[test]
    fn other_sections_are_written_as_they_are() {
        let (mut page, reader) = page("plain", CopyRule::TwoEqualCopies);
        assert!(page.take(5, b"abcd"));
        page.settle().unwrap();
        assert_eq!(shown(&reader), *b"\0\0\0\0\0\0\0\0\0\0\0\0abcd");
    }
}
