//! Puts the parts of a section together again: what was recorded as several streams is the page that the game wrote, byte for byte.

use gametape_games::{Stream, find_game};

use crate::format::StreamId;
use crate::format::read::{self, Merged, ReadError, TapeStream};

/// The pages of a section that several streams of a tape share, such as `LMU_Data` of Le Mans Ultimate, in order of time. A page is there for each
/// moment at which any of its parts changed, from the first moment at which all parts were known.
///
/// ```no_run
/// use gametape::Tape;
/// use gametape::tape::SectionPages;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let tape = Tape::open("race.gtape")?;
/// let mut pages = SectionPages::open(tape.raw(), "LMU_Data").ok_or("not of Le Mans Ultimate")?;
/// while let Some((time_ns, page)) = pages.next()? {
///     println!("{time_ns}: {} bytes", page.len());
/// }
/// # Ok(()) }
/// ```
pub struct SectionPages<'a> {
    frames: Merged<'a>,
    parts: Vec<Part>,
    page: Vec<u8>,
    /// A frame of the moment after the one that is collected.
    ahead: Option<(usize, u64, Vec<u8>)>,
}

struct Part {
    stream: StreamId,
    offset: usize,
    bytes: usize,
    is_known: bool,
}

impl<'a> SectionPages<'a> {
    /// Returns the pages of the section with this name; `None` if the tape has no streams that are parts of it.
    pub fn open(tape: &'a read::Tape, section: &str) -> Option<Self> {
        let mut parts = Vec::new();
        let mut streams: Vec<&TapeStream> = Vec::new();
        let mut page_bytes = 0;
        for stream in tape.streams() {
            let Some((known, part)) = part_of(stream) else { continue };
            if known.section() == Some(section) {
                let (offset, bytes) = (part.offset, part.bytes);
                parts.push(Part { stream: stream.id(), offset, bytes, is_known: false });
                streams.push(stream);
                page_bytes = part.page_bytes as usize;
            }
        }
        let frames = tape.merged(streams.iter().copied());
        (!parts.is_empty()).then(|| Self { frames, parts, page: vec![0; page_bytes], ahead: None })
    }

    /// Returns the next page and its time; `None` at the end.
    ///
    /// # Errors
    /// If frames are damaged; the next call continues after them. There are no pages until the part that they belong to is known again.
    #[allow(
        clippy::should_implement_trait,
        reason = "a page borrows from the reader, which an Iterator cannot express"
    )]
    pub fn next(&mut self) -> Result<Option<(u64, &[u8])>, ReadError> {
        loop {
            let mut moment = None;
            if let Some((part, time_ns, bytes)) = self.ahead.take() {
                put(&mut self.page, self.parts.get_mut(part), &bytes);
                moment = Some(time_ns);
            }
            loop {
                let frame = match self.frames.next() {
                    Ok(Some(frame)) => frame,
                    Ok(None) => break,
                    Err(error) => {
                        // What the part was meanwhile is not known.
                        let stream = if let ReadError::Damaged(problem) = &error { problem.stream } else { None };
                        let lost =
                            self.parts.iter_mut().filter(|part| stream.is_none_or(|stream| stream == part.stream));
                        lost.for_each(|part| part.is_known = false);
                        return Err(error);
                    }
                };
                let Some(index) = self.parts.iter().position(|part| part.stream == frame.stream) else { continue };
                if moment.is_some_and(|moment| moment != frame.time_ns) {
                    self.ahead = Some((index, frame.time_ns, frame.data.to_vec()));
                    break;
                }
                put(&mut self.page, self.parts.get_mut(index), frame.data);
                moment = Some(frame.time_ns);
            }
            let Some(time_ns) = moment else { return Ok(None) };
            if self.parts.iter().all(|part| part.is_known) {
                return Ok(Some((time_ns, &self.page)));
            }
        }
    }
}

fn put(page: &mut [u8], part: Option<&mut Part>, frame: &[u8]) {
    let Some(part) = part else { return };
    if let Some(place) = page.get_mut(part.offset..part.offset + part.bytes).filter(|place| place.len() == frame.len())
    {
        place.copy_from_slice(frame);
        part.is_known = true;
    }
}

fn part_of(stream: &TapeStream) -> Option<(&'static Stream, gametape_games::SectionPart)> {
    let known = find_game(&stream.spec().game)?.stream(stream.name())?;
    Some((known, known.part()?))
}

/// Returns the names of the sections of which a tape has several parts.
#[must_use]
pub fn shared_sections(tape: &read::Tape) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for section in tape.streams().filter_map(|stream| part_of(stream)?.0.section()) {
        if !names.contains(&section) {
            names.push(section);
        }
    }
    names
}
