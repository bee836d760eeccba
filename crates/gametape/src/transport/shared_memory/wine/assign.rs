//! Assigns the sections of a process to the pages of a game, by size and contents.

use gametape_games::{FRONT_BYTES, GAMES, Game, Stream};

use super::memory::Held;
use crate::sys::SectionReader;

/// Sections consist of whole memory pages.
const MEMORY_PAGE: u64 = 4096;
/// An upper bound: sections of known games are much shorter.
const MOST_BYTES: u64 = 64 << 20;

/// What the size and the first bytes of a section tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Looked {
    pub(super) bytes: u64,
    /// The stream that it holds, if it was recognized.
    pub(super) stream: Option<&'static str>,
    /// Whether it is still empty.
    pub(super) zero: bool,
}

/// Examines a section as a page of this family of games.
pub(super) fn look(games: &[Game], held: &Held) -> Looked {
    let length = usize::try_from(held.bytes).unwrap_or(FRONT_BYTES).min(FRONT_BYTES);
    let mut front = vec![0; length];
    // The open descriptor outlives the game and still shows its last contents.
    let read = held.reader.is_current() && held.reader.copy(0, &mut front).is_ok();
    let stream = games.first().filter(|_| read).and_then(|game| game.rules.stream_of(held.bytes, &front));
    Looked { bytes: held.bytes, stream, zero: read && front.iter().all(|byte| *byte == 0) }
}

/// Returns the section of each stream. The first stream, which shows that a game is running, must be recognized by its contents.
/// For the others, empty sections are accepted: which of them it is makes no difference until one is written to. Returns `None` if
/// sections are missing or ambiguous.
pub(super) fn assign(games: &[Game], streams: &[&'static Stream], sections: &[Looked]) -> Option<Vec<usize>> {
    let fits = |stream: &Stream, section: &Looked| fits(games, stream.name, section.bytes);
    let mut places = Vec::new();
    for stream in streams {
        let is_it = |section: &Looked| section.stream == Some(stream.name) && fits(stream, section);
        let mut found = sections.iter().enumerate().filter(|(_, section)| is_it(section)).map(|(index, _)| index);
        match (found.next(), found.next()) {
            (_, Some(_)) => return None,
            (place, None) => places.push(place),
        }
    }
    places.first().copied().flatten()?;
    let mut blank = sections.iter().enumerate().filter(|(_, section)| section.zero).collect::<Vec<_>>();
    let mut all = Vec::new();
    for (stream, place) in streams.iter().zip(places) {
        all.push(match place {
            Some(place) => place,
            None => {
                let next = blank.iter().position(|(_, section)| fits(stream, section))?;
                blank.remove(next).0
            }
        });
    }
    Some(all)
}

fn fits(games: &[Game], stream: &str, bytes: u64) -> bool {
    games.iter().filter_map(|game| game.stream(stream)).any(|stream| fits_stream(stream, bytes))
}

fn fits_stream(stream: &Stream, bytes: u64) -> bool {
    if let Some(part) = stream.part() {
        return u64::from(part.page_bytes).next_multiple_of(MEMORY_PAGE) == bytes;
    }
    match (stream.layouts(), stream.section_bytes()) {
        (_, None) => false,
        // The layout is defined by the game itself.
        ([], Some(section_bytes)) => (u64::from(section_bytes)..=MOST_BYTES).contains(&bytes),
        (layouts, Some(section_bytes)) => {
            let lengths = layouts.iter().map(|layout| layout.frame_bytes());
            // Some sections are longer than their pages.
            lengths.chain([section_bytes]).any(|length| u64::from(length).next_multiple_of(MEMORY_PAGE) == bytes)
        }
    }
}

/// Returns whether a section of this size may belong to any game.
pub(super) fn fits_some_game(bytes: u64) -> bool {
    GAMES.iter().flat_map(|game| game.streams).any(|stream| fits_stream(stream, bytes))
}

/// Returns whether the first memory page of a section is all zero.
pub(crate) fn is_zero(reader: &SectionReader) -> bool {
    let mut front = [0; MEMORY_PAGE as usize];
    let length = reader.len().unwrap_or_default().min(MEMORY_PAGE) as usize;
    let front = front.get_mut(..length).unwrap_or_default();
    reader.copy(0, front).is_ok() && front.iter().all(|byte| *byte == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gametape_games::{ASSETTO_CORSA_FAMILY, acc, ace, iracing};

    const PAGES: [&Stream; 3] = [&acc::PHYSICS, &acc::GRAPHICS, &acc::STATIC];
    const EVO_PAGES: [&Stream; 3] = [&ace::PHYSICS, &ace::GRAPHICS, &ace::STATIC];

    fn told(stream: &'static str) -> Looked {
        Looked { bytes: 4096, stream: Some(stream), zero: false }
    }

    fn zero(bytes: u64) -> Looked {
        Looked { bytes, stream: None, zero: true }
    }

    const STRANGE: Looked = Looked { bytes: 4096, stream: None, zero: false };

    #[test]
    fn pages_are_taken_by_what_they_say_and_zeros_stand_for_those_that_say_nothing() {
        let family = |sections: &[Looked]| assign(ASSETTO_CORSA_FAMILY, &PAGES, sections);
        let all = [STRANGE, told("static"), zero(4096), told("physics"), told("graphics")];
        assert_eq!(family(&all), Some(vec![3, 4, 1]));
        assert_eq!(family(&[zero(4096), zero(8192), told("physics"), zero(4096)]), Some(vec![2, 0, 3]));
        assert_eq!(family(&[told("physics"), zero(4096), STRANGE]), None, "one is missing");
        assert_eq!(family(&[told("physics"), zero(4096), told("physics"), zero(4096)]), None, "two look alike");
        assert_eq!(family(&[zero(4096), zero(4096), zero(4096)]), None, "nothing says whose they are");
        assert_eq!(family(&[told("static"), told("graphics"), zero(4096)]), None, "a car is not there yet");
        assert_eq!(family(&[Looked { bytes: 8192, ..told("physics") }, zero(4096), zero(4096)]), None);
    }

    #[test]
    fn evo_has_a_longer_page() {
        let graphics = Looked { bytes: 8192, ..told("graphics") };
        let evo = |sections: &[Looked]| assign(&[ace::GAME], &EVO_PAGES, sections);
        assert_eq!(evo(&[told("physics"), zero(4096), graphics]), Some(vec![0, 2, 1]));
        assert_eq!(evo(&[told("physics"), zero(4096), zero(4096)]), None);
    }

    #[test]
    fn lengths_are_those_of_whole_pages_of_memory() {
        assert!([4096, 8192, u64::from(iracing::SECTION_BYTES), 2 << 20].into_iter().all(fits_some_game));
        assert!(![0, 800, 2048, 65536, 1 << 20, 1 << 40].into_iter().any(fits_some_game));
    }
}
