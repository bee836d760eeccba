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
    /// One for each section.
    pages: Vec<Page<SectionReader>>,
    /// Sizes of the sections when they were opened.
    section_bytes: Vec<u64>,
    /// Whether it was noted that the writer of a section has ended while it wrote.
    noted_stuck: Vec<bool>,
    counters: Vec<Counters>,
    streams: Vec<StreamOfPage>,
    /// Sections that are still empty and may be the right ones.
    blank: Vec<SectionReader>,
    checked_ns: u64,
    checked_blank_ns: u64,
}

/// A stream: a whole page, or a part of one that several streams share.
struct StreamOfPage {
    stream: &'static Stream,
    /// Index of its page.
    page: usize,
    /// Offset in the page.
    at: usize,
    /// The layout of its frames as copied; that of the game once it is identified.
    layout: &'static Layout,
    /// Frame length, likewise.
    bytes: usize,
    /// Its index in the description; `None` if the game has no such stream.
    place: Option<usize>,
}

impl StreamOfPage {
    /// Returns the newest frame of the stream; empty if there is none.
    fn frame<'a>(&self, pages: &'a [Page<SectionReader>]) -> &'a [u8] {
        let page = pages.get(self.page).map_or(&[][..], Page::frame);
        page.get(self.at..self.at + self.bytes).unwrap_or_default()
    }

    /// Returns what the rules of a game see. Pages are not cut before it is known whose they are.
    fn seen<'a>(&'a self, pages: &'a [Page<SectionReader>]) -> SeenFrame<'a> {
        let bytes = match self.stream.part() {
            Some(_) => self.frame(pages),
            None => pages.get(self.page).map_or(&[][..], Page::frame),
        };
        SeenFrame { stream: self.stream.name, layout: self.layout, bytes }
    }
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
        // Streams that share a section stand next to each other; the first of them stands for all.
        let firsts = streams.iter().enumerate().filter(|(index, stream)| {
            let before = index.checked_sub(1).and_then(|before| streams.get(before));
            before.is_none_or(|before| before.section() != stream.section())
        });
        let firsts: Vec<&'static Stream> = firsts.map(|(_, stream)| *stream).collect();
        let needed: Vec<&'static Stream> = firsts.iter().copied().filter(|stream| !stream.is_optional()).collect();
        let OpenSections { readers, blank } = self.sections.open(self.family, &needed, now_ns)?;
        let mut open = Open {
            pages: Vec::new(),
            section_bytes: Vec::new(),
            noted_stuck: Vec::new(),
            counters: Vec::new(),
            streams: Vec::new(),
            blank,
            checked_ns: now_ns,
            checked_blank_ns: now_ns,
        };
        let mut readers = readers.into_iter();
        for first in firsts {
            let reader = match first.is_optional() {
                true => self.sections.open_optional(first, first.part().map_or(0, |part| part.page_bytes.into())),
                false => readers.next(),
            };
            let Some(reader) = reader else { continue };
            let sharing = streams.iter().copied().filter(|stream| stream.section() == first.section());
            self.add_page(&mut open, first, sharing, reader)?;
        }
        Ok(open)
    }

    /// Adds a section and its streams.
    fn add_page(
        &self,
        open: &mut Open,
        first: &'static Stream,
        streams: impl Iterator<Item = &'static Stream>,
        reader: SectionReader,
    ) -> Result<(), Away> {
        let name = self.name(first);
        let there = reader.len().map_err(|error| Away::Unreadable(format!("{name}: {error}")))?;
        let too_short = || {
            let text = format!("{name} has {there} bytes, too few for any known version of the page");
            if there == 0 { Away::Empty } else { Away::Unreadable(text) }
        };
        let page = open.pages.len();
        let length = match first.part() {
            Some(part) => {
                let length = part.page_bytes as usize;
                if there < u64::from(part.page_bytes) {
                    return Err(too_short());
                }
                for stream in streams {
                    let Some(part) = stream.part() else { continue };
                    // A part of text has no layout.
                    let layout = u32::try_from(part.bytes).ok().and_then(|bytes| stream.layout_of(bytes));
                    let layout = layout.unwrap_or(&NO_CHANNELS);
                    let (at, bytes) = (part.offset, part.bytes);
                    open.streams.push(StreamOfPage { stream, page, at, layout, bytes, place: None });
                }
                length
            }
            None => {
                // Pick the longest layout that fits: this version of the page may have it.
                let fits = |layout: &&&Layout| u64::from(layout.frame_bytes()) <= there;
                let layout = self.layouts(first.name).filter(fits).max_by_key(|layout| layout.frame_bytes());
                let Some(layout) = layout else { return Err(too_short()) };
                let bytes = layout.frame_bytes() as usize;
                open.streams.push(StreamOfPage { stream: first, page, at: 0, layout, bytes, place: None });
                bytes
            }
        };
        // If a single game is requested, its copy rule applies.
        let wanted = self.games.iter().find_map(|game| game.stream(first.name)).unwrap_or(first);
        let lock = self.sections.open_lock(wanted.copy_rule);
        open.pages.push(Page::new(reader, length, wanted.copy_rule).with_lock(lock));
        open.section_bytes.push(there);
        open.noted_stuck.push(false);
        open.counters.push(Counters::default());
        Ok(())
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
        let named = |open: &Open, index: usize, page| {
            let stream = open.streams.iter().find(|stream| stream.page == index)?;
            Some((self.name(stream.stream), Page::bytes(page)))
        };
        let Some(open) = &self.open else { return Vec::new() };
        open.pages.iter().enumerate().filter_map(|(index, page)| named(open, index, page)).collect()
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
        let Open { streams, pages, .. } = open;
        for open in streams {
            let Some(stream) = game.stream(open.stream.name) else {
                open.place = None;
                continue;
            };
            open.place = Some(description.streams.len());
            let page = pages.get(open.page).map_or(&[][..], Page::frame);
            match game.rules.frame_bytes(stream.name, page).filter(|_| stream.part().is_none()) {
                Some(said) => {
                    open.bytes = page.len().min(said as usize);
                    open.layout = stream.layout_of(said).unwrap_or(&NO_CHANNELS);
                }
                None => {
                    let longest = stream.layouts().iter().filter(|layout| layout.frame_bytes() as usize <= open.bytes);
                    if let Some(layout) = longest.max_by_key(|layout| layout.frame_bytes()) {
                        open.layout = layout;
                        open.bytes = layout.frame_bytes() as usize;
                    }
                }
            }
            description.known(stream, "shm", u32::try_from(open.bytes).unwrap_or_default());
        }
        description.notes = self.unknown_lengths(game);
        batch.describe(description);
        self.game = Some(game);
    }

    /// Returns a note for every page whose length does not match any known version of the game.
    fn unknown_lengths(&self, game: &Game) -> Vec<(String, String)> {
        let Some(open) = &self.open else { return Vec::new() };
        let note = |open_stream: &StreamOfPage| {
            // Sections with parts are larger than what is used of them, and by how much differs.
            if open_stream.stream.part().is_some() {
                return None;
            }
            let bytes = *open.section_bytes.get(open_stream.page)?;
            let known: Vec<u64> = game.stream(open_stream.stream.name)?.lengths().collect();
            let page = open.pages.get(open_stream.page).map_or(&[][..], Page::frame);
            let said = game.rules.frame_bytes(open_stream.stream.name, page).map_or(bytes, u64::from);
            let text = unknown_length(&self.name(open_stream.stream), said, &known, open_stream.bytes as u64)?;
            Some(("unknown_page_length".to_owned(), text))
        };
        open.streams.iter().filter_map(note).collect()
    }

    /// Returns whether a page says that it has another length than the one that is recorded: another version of the game is running.
    fn is_other_version(&self, game: &Game) -> bool {
        let Some(open) = &self.open else { return false };
        open.streams.iter().filter(|stream| stream.stream.part().is_none()).any(|stream| {
            let page = open.pages.get(stream.page).map_or(&[][..], Page::frame);
            let said = game.rules.frame_bytes(stream.stream.name, page);
            said.is_some_and(|said| page.len().min(said as usize) != stream.bytes)
        })
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
        let told = |stream: &StreamOfPage| {
            stream.stream.name == "static" && open.pages.get(stream.page).is_some_and(Page::fresh)
        };
        let changed = session != self.session || open.streams.iter().any(told);
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
        let is_other = is_it == Some(false) || self.is_other_version(game);
        if is_other || (is_it.is_none() && self.identify(clock.now_ns()).is_some()) {
            // Another game of the family took over the pages, or another version of this one. Its page sizes differ.
            self.game = None;
            self.open = None;
            return Ok(State::Away(Away::Undecided));
        }
        if presence == Presence::Off {
            return Ok(State::Away(Away::Off));
        }
        let Some(open) = &mut self.open else { return Ok(State::Away(Away::NotThere)) };
        open.note_stuck(clock.now_ns(), batch);
        let mut now_ns = clock.now_ns();
        for stream in &open.streams {
            let Some((place, page)) = Option::zip(stream.place, open.pages.get(stream.page)) else { continue };
            if page.done() {
                // Parts of one copy have one time: they are recorded together or not at all.
                if stream.at == 0 {
                    now_ns = clock.now_ns();
                }
                let time_ns = if page.fresh() { page.frame_ns() } else { now_ns };
                batch.frame(place, time_ns, stream.frame(&open.pages));
            }
            // A copy of a section with several streams is counted once.
            if stream.at == 0
                && let Some(counters) = open.counters.get(stream.page)
            {
                batch.count(place, counters);
            }
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

    /// Adds an event for each section whose writer has ended while it wrote: its copies are only compared.
    fn note_stuck(&mut self, now_ns: u64, batch: &mut Batch) {
        for (index, (page, noted)) in self.pages.iter().zip(&mut self.noted_stuck).enumerate() {
            let is_stuck = page.is_stuck(now_ns);
            if is_stuck && !*noted {
                let streams = self.streams.iter().filter(|stream| stream.page == index);
                let names: Vec<&str> = streams.map(|stream| stream.stream.name).collect();
                let text = format!("{}: the writer seems to have ended while it was writing", names.join(", "));
                batch.event(now_ns, "writer_stuck", &text);
            }
            *noted = is_stuck;
        }
    }

    fn with_seen<T>(&self, ask: impl FnOnce(Seen<'_>) -> T) -> T {
        // An array, to avoid an allocation on every tick.
        let empty = SeenFrame { stream: "", layout: &NO_CHANNELS, bytes: &[] };
        let mut frames = [empty; MAX_STREAMS];
        let mut count = 0;
        for (frame, stream) in frames.iter_mut().zip(&self.streams) {
            *frame = stream.seen(&self.pages);
            count += 1;
        }
        ask(Seen(frames.get(..count).unwrap_or_default()))
    }
}

/// An upper bound: no known game has more streams in memory.
const MAX_STREAMS: usize = 16;

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
            let of_page =
                |open: &Open| open.streams.iter().find(|stream| stream.page == error.page).map(|stream| stream.stream);
            let stream = open.as_ref().and_then(of_page);
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
