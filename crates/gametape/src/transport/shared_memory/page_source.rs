//! Records games that publish fixed pages in shared memory, such as the Assetto Corsa family.
//!
//! Several games use the same section names, so the pages are read first and then identified. Page sizes differ between games and
//! versions, and the sections are larger than the pages. The source copies the longest known page that fits and cuts each frame to
//! the length of the game's layout.

use std::time::Duration;

use gametape_format::Counters;
use gametape_games::{About, Game, Layout, NO_CHANNELS, Presence, Seen, SeenFrame, Stream};

use super::identify::{Belief, family_of, named_by_process};
use super::page::unknown_length;
use super::page::{CopyError, Page, look};
use super::player_marker;
use super::sections::{OpenSections, Sections};
use crate::sys::{SectionReader, running_processes};
use crate::transport::{Away, Batch, Clock, Description, Pace, Source, SourceError, State};

/// How often the names are looked up again. Bridges replace files.
const CHECK_NAMES_NS: u64 = 1_000_000_000;

/// How often empty sections are checked again. One of them may be a page that the game fills late.
const CHECK_BLANK_NS: u64 = 50_000_000;

/// A source for games with the same pages. Records whichever of them is running.
pub struct PageSource {
    games: &'static [Game],
    /// All games that have these pages.
    family: &'static [Game],
    belief: Belief,
    sections: Sections,
    period: Duration,
    open: Option<Open>,
    game: Option<&'static Game>,
    /// The last value of the counter that increases while the game runs, and the id of the game.
    counted: Option<(&'static str, i64)>,
    /// Key of the current session.
    session: Option<u64>,
    /// Number of changes of the session, or of the page with car and track.
    changes: u64,
}

struct Open {
    pages: Vec<Page<SectionReader>>,
    streams: Vec<&'static Stream>,
    /// Layouts of the pages as copied; those of the game once it is identified.
    layouts: Vec<&'static Layout>,
    /// Frame lengths, likewise.
    frame_bytes: Vec<usize>,
    /// Sizes of the sections when they were opened.
    section_bytes: Vec<u64>,
    /// Sections that are still empty and may be the right ones.
    blank: Vec<SectionReader>,
    counters: Vec<Counters>,
    /// Index of each page's stream in the description; `None` if the game has no such stream.
    places: Vec<Option<usize>>,
    checked_ns: u64,
    checked_blank_ns: u64,
}

impl PageSource {
    /// Creates a source that reads the pages of these games `hz` times a second.
    pub fn new(games: &'static [Game], sections: impl Into<Sections>, hz: u32) -> Self {
        let period = Duration::from_nanos(1_000_000_000 / u64::from(hz.clamp(1, 1000)));
        Self {
            games,
            family: family_of(games),
            belief: Belief::default(),
            sections: sections.into(),
            period,
            open: None,
            game: None,
            counted: None,
            session: None,
            changes: 0,
        }
    }

    /// Opens all sections, or returns why they cannot be read.
    fn open(&self, now_ns: u64) -> Result<Open, Away> {
        let streams = self.family.first().map(|game| game.streams.iter()).unwrap_or_default();
        let streams: Vec<&'static Stream> = streams.filter(|stream| stream.section().is_some()).collect();
        let OpenSections { readers, blank } = self.sections.open(self.family, &streams, now_ns)?;
        let mut open = Open {
            pages: Vec::new(),
            layouts: Vec::new(),
            frame_bytes: Vec::new(),
            section_bytes: Vec::new(),
            blank,
            counters: vec![Counters::default(); streams.len()],
            places: Vec::new(),
            checked_ns: now_ns,
            checked_blank_ns: now_ns,
            streams: Vec::new(),
        };
        for (stream, reader) in streams.into_iter().zip(readers) {
            let name = self.name(stream);
            let there = reader.len().map_err(|error| Away::Unreadable(format!("{name}: {error}")))?;
            // Pick the longest layout that fits: this version of the page may have it.
            let fits = |layout: &&&Layout| u64::from(layout.frame_bytes()) <= there;
            let layout = self.layouts(stream.name).filter(fits).max_by_key(|layout| layout.frame_bytes());
            let Some(layout) = layout else {
                let text = format!("{name} has {there} bytes, too few for any known version of the page");
                return Err(if there == 0 { Away::Empty } else { Away::Unreadable(text) });
            };
            let length = layout.frame_bytes() as usize;
            // If a single game is requested, its copy rule applies.
            let wanted = self.games.iter().find_map(|game| game.stream(stream.name)).unwrap_or(stream);
            open.pages.push(Page::new(reader, length, wanted.copy_rule));
            open.layouts.push(layout);
            open.frame_bytes.push(length);
            open.section_bytes.push(there);
            open.streams.push(stream);
        }
        Ok(open)
    }

    /// Returns the name of a stream's section.
    fn name(&self, stream: &Stream) -> String {
        self.sections.name(stream.section().unwrap_or_default())
    }

    /// Returns the layouts that any of the games has for a stream.
    fn layouts(&self, stream: &str) -> impl Iterator<Item = &'static &'static Layout> {
        self.family.iter().filter_map(move |game| game.stream(stream)).flat_map(|stream| stream.layouts())
    }

    /// Returns the counter that moves while the game runs; `None` before the first complete copy.
    pub(crate) fn counter(&self) -> Option<i64> {
        let game = self.game.or(self.games.first())?;
        self.open.as_ref()?.with_seen(|seen| game.rules.counter(seen))
    }

    /// Returns the open sections and their names.
    pub(crate) fn opened(&self) -> Vec<(String, &SectionReader)> {
        let named = |(stream, page)| (self.name(stream), Page::bytes(page));
        self.open.iter().flat_map(|open| open.streams.iter().copied().zip(&open.pages)).map(named).collect()
    }

    /// Returns the game that the pages belong to, if it can be identified and is accepted.
    fn identify(&mut self, now_ns: u64) -> Option<&'static Game> {
        let found = self.open.as_ref()?.with_seen(|seen| {
            let game = self.games.iter().find(|game| game.rules.is_it(seen) == Some(true))?;
            Some((game, game.rules.counter(seen)))
        });
        let Some((game, counter)) = found else {
            self.belief.forget();
            return None;
        };
        self.belief.look(game, counter, now_ns).then_some(game)
    }

    /// Switches to the layouts of the game and describes its streams.
    fn become_game(&mut self, game: &'static Game, batch: &mut Batch) {
        // If only one game is requested, the user has named it.
        let game =
            if self.games.len() > 1 { named_by_process(game, self.sections.prefix(), running_processes) } else { game };
        let mut description = Description::of_game(game.id);
        let Some(open) = &mut self.open else { return };
        open.places.clear();
        for ((stream, page_layout), bytes) in open.streams.iter().zip(&mut open.layouts).zip(&mut open.frame_bytes) {
            let Some(stream) = game.stream(stream.name) else {
                open.places.push(None);
                continue;
            };
            open.places.push(Some(description.streams.len()));
            let longest = stream.layouts().iter().filter(|layout| layout.frame_bytes() as usize <= *bytes);
            if let Some(layout) = longest.max_by_key(|layout| layout.frame_bytes()) {
                *page_layout = layout;
                *bytes = layout.frame_bytes() as usize;
            }
            description.known(stream, "shm", u32::try_from(*bytes).unwrap_or_default());
        }
        description.notes = self.unknown_lengths(game);
        batch.describe(description);
        self.game = Some(game);
    }

    /// Returns a note for every page whose length does not match any known version of the game.
    fn unknown_lengths(&self, game: &Game) -> Vec<(String, String)> {
        let Some(open) = &self.open else { return Vec::new() };
        let note = |(stream, (bytes, recorded)): (&&'static Stream, (&u64, &usize))| {
            let known: Vec<u64> = game.stream(stream.name)?.lengths().collect();
            let text = unknown_length(&self.name(stream), *bytes, &known, *recorded as u64)?;
            Some(("unknown_page_length".to_owned(), text))
        };
        open.streams.iter().zip(open.section_bytes.iter().zip(&open.frame_bytes)).filter_map(note).collect()
    }

    /// Records an event if the counter decreased: the game was restarted, or another program is writing.
    fn watch_counter(&mut self, now_ns: u64, batch: &mut Batch) {
        let (Some(game), Some(now)) = (self.game, self.counter()) else { return };
        if let Some((_, before)) = self.counted.filter(|(of, before)| *of == game.id && now < *before) {
            let text = format!("from {before} to {now}: the game, or its session, began anew");
            batch.event(now_ns, "counter_fell_back", &text);
        }
        self.counted = Some((game.id, now));
    }

    /// Counts the changes of the session and of the page with car and track.
    fn watch_session(&mut self) {
        let (Some(open), session) = (&self.open, self.session_key()) else { return };
        let told = |(stream, page): (&&Stream, &Page<SectionReader>)| stream.name == "static" && page.fresh();
        let changed = session != self.session || open.streams.iter().zip(&open.pages).any(told);
        self.changes += u64::from(changed);
        self.session = session;
    }

    fn read_open(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, CopyError> {
        let Some(open) = &mut self.open else { return Ok(State::Away(Away::NotThere)) };
        open.counters.fill(Counters::default());
        look(&mut open.pages, &mut open.counters, clock)?;
        if self.game.is_none() {
            match self.identify(clock.now_ns()) {
                Some(game) => self.become_game(game, batch),
                None => return Ok(State::Away(self.undecided())),
            }
        }
        let (Some(open), Some(game)) = (&self.open, self.game) else { return Ok(State::Away(Away::Undecided)) };
        let (is_it, presence) = open.with_seen(|seen| (game.rules.is_it(seen), game.rules.presence(seen)));
        if is_it == Some(false) || (is_it.is_none() && self.identify(clock.now_ns()).is_some()) {
            // Another game of the family took over the pages. Its page sizes differ.
            self.game = None;
            self.open = None;
            return Ok(State::Away(Away::Undecided));
        }
        if presence == Presence::Off {
            return Ok(State::Away(Away::Off));
        }
        let Some(open) = &self.open else { return Ok(State::Away(Away::NotThere)) };
        for ((page, bytes), (place, counters)) in
            open.pages.iter().zip(&open.frame_bytes).zip(open.places.iter().zip(&open.counters))
        {
            let Some(place) = *place else { continue };
            if page.done() {
                let time_ns = if page.fresh() { page.frame_ns() } else { clock.now_ns() };
                batch.frame(place, time_ns, page.frame().get(..*bytes).unwrap_or_default());
            }
            batch.count(place, counters);
        }
        self.watch_counter(clock.now_ns(), batch);
        self.watch_session();
        Ok(State::Here(presence))
    }

    fn undecided(&mut self) -> Away {
        let away = self.why_undecided();
        if away == Away::Empty && !self.sections.keeps_zeros() {
            self.open = None;
        }
        away
    }

    fn why_undecided(&self) -> Away {
        let zero = |page: &Page<SectionReader>| page.frame().iter().all(|byte| *byte == 0);
        let Some(open) = &self.open else { return Away::NotThere };
        if open.pages.iter().all(zero) {
            return Away::Empty;
        }
        let off = |game: &Game| open.with_seen(|seen| game.rules.presence(seen)) == Presence::Off;
        if self.games.iter().all(off) { Away::Off } else { Away::Undecided }
    }
}

impl Open {
    /// Returns whether these are still the right sections. Checks only as often as the intervals above allow.
    fn is_right(&mut self, now_ns: u64) -> bool {
        if !self.blank.is_empty() && now_ns >= self.checked_blank_ns + CHECK_BLANK_NS {
            self.checked_blank_ns = now_ns;
            if OpenSections::blank_was_written(&self.blank) {
                return false;
            }
        }
        if now_ns < self.checked_ns + CHECK_NAMES_NS {
            return true;
        }
        self.checked_ns = now_ns;
        let as_before = |(page, bytes): (&Page<SectionReader>, &u64)| {
            page.bytes().is_current() && page.bytes().len().is_ok_and(|now| now == *bytes)
        };
        self.pages.iter().zip(&self.section_bytes).all(as_before)
    }

    fn with_seen<T>(&self, ask: impl FnOnce(Seen<'_>) -> T) -> T {
        // An array, to avoid an allocation on every tick.
        let empty = SeenFrame { stream: "", layout: &NO_CHANNELS, bytes: &[] };
        let mut frames = [empty; MAX_PAGES];
        let mut count = 0;
        let known = self.streams.iter().zip(&self.layouts).zip(self.pages.iter().zip(&self.frame_bytes));
        for (frame, ((stream, layout), (page, _))) in frames.iter_mut().zip(known) {
            *frame = SeenFrame { stream: stream.name, layout, bytes: page.frame() };
            count += 1;
        }
        ask(Seen(frames.get(..count).unwrap_or_default()))
    }
}

/// An upper bound: no known game has more pages.
const MAX_PAGES: usize = 8;

impl Source for PageSource {
    fn pace(&self) -> Pace {
        Pace::Every(self.period)
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        let now_ns = clock.now_ns();
        if self.open.as_mut().is_some_and(|open| !open.is_right(now_ns)) {
            self.open = None;
            self.game = None;
        }
        if self.open.is_none() {
            match self.open(now_ns) {
                Ok(open) => self.open = Some(open),
                Err(away) => return Ok(State::Away(away)),
            }
        }
        self.read_open(clock, batch).or_else(|error| {
            let open = self.open.take();
            let stream = open.as_ref().and_then(|open| open.streams.get(error.page));
            let name = stream.map_or_else(|| "a page".into(), |stream| self.name(stream));
            // The section was truncated or removed: look it up again.
            self.game = None;
            Ok(State::Away(Away::Unreadable(format!("{name}: {error}"))))
        })
    }

    fn session_key(&self) -> Option<u64> {
        let (open, game) = (self.open.as_ref()?, self.game?);
        open.with_seen(|seen| game.rules.session_key(seen))
    }

    fn about(&self) -> About {
        match (&self.open, self.game) {
            (Some(open), Some(game)) => open.with_seen(|seen| game.rules.about(seen)),
            _ => About::default(),
        }
    }

    fn about_changes(&self) -> Option<u64> {
        // Until the game reports its session, it is unknown what else it will report.
        self.session.map(|_| self.changes)
    }

    fn replay_of(&self) -> Option<String> {
        player_marker::tape_being_played(self.sections.prefix(), self.games)
    }
}
