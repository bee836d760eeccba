//! iRacing's live memory: every tick, also those that sit in older buffers.
//!
//! ```text
//! telemetry              rows
//! telemetry.header       the 112 bytes at the front as they were after the newest row was copied, with all tick counts
//! telemetry.variables    the variable headers, once for each connection
//! session-text           the text, as bytes, whenever it changed
//! ```
//! What the bytes mean and when a row is whole is in `games::iracing`; here they are copied.

use std::io;
use std::time::Duration;

use gametape_format::{Counters, Role, StreamId, StreamSpec};
use gametape_games::iracing::{GAME, HEADER_112, HEADER_BYTES, LiveMap, SECTION, read_var_headers};
use gametape_games::{About, Layout, NO_CHANNELS, Presence, Seen, SeenFrame};

use super::batch::{Batch, Description};
use super::clock::Clock;
use super::playback;
use super::source::{Away, Pace, Source, SourceError, State};
use crate::sys::{Prefix, SectionReader};

/// How often the name is looked up again.
const CHECK_NAME_NS: u64 = 1_000_000_000;
/// Rows are fetched in rounds while new ones keep coming; a writer that never rests must not hold us.
const ROUNDS: usize = 4;
/// Ticks a second when the game does not say.
const USUAL_HZ: u32 = 60;
/// The session text is copied in pieces until its end is found.
const TEXT_PIECE: usize = 64 << 10;

const ROWS: usize = 0;
const HEADER: usize = 1;
const VARIABLES: usize = 2;
const TEXT: usize = 3;

/// Reads iRacing's memory.
pub struct IracingSource {
    prefix: Prefix,
    hz: Option<u32>,
    section: Option<Section>,
    connection: Option<Connection>,
    was_away: bool,
}

/// The memory as it was when its name was looked up. That it was cut short since then shows when it is copied.
struct Section {
    reader: SectionReader,
    bytes: u64,
    checked_ns: u64,
}

/// What is known while the game is connected.
struct Connection {
    map: LiveMap,
    variables: Vec<u8>,
    layout: Layout,
    last_tick: Option<i32>,
    last_ns: u64,
    text_update: Option<i32>,
    text: Vec<u8>,
    row: Vec<u8>,
    copied: Vec<u8>,
}

impl IracingSource {
    /// Reads every tick; with a rate, the newest row that often.
    pub fn new(prefix: Prefix, hz: Option<u32>) -> Self {
        Self { prefix, hz, section: None, connection: None, was_away: false }
    }

    fn open(&mut self, now_ns: u64) -> Result<(), Away> {
        if let Some(section) = &mut self.section
            && now_ns >= section.checked_ns + CHECK_NAME_NS
        {
            section.checked_ns = now_ns;
            let bytes = section.reader.len().ok();
            if !section.reader.is_current() || bytes != Some(section.bytes) {
                self.forget();
            }
        }
        if self.section.is_none() {
            let name = self.prefix.section(SECTION);
            let unreadable = |error: io::Error| Away::Unreadable(format!("{name}: {error}"));
            let reader = SectionReader::open(&name).map_err(unreadable)?.ok_or(Away::NotThere)?;
            let bytes = reader.len().map_err(unreadable)?;
            if bytes == 0 {
                return Err(Away::Empty);
            }
            self.section = Some(Section { reader, bytes, checked_ns: now_ns });
        }
        Ok(())
    }

    fn forget(&mut self) {
        self.section = None;
        self.connection = None;
    }

    fn look(&mut self, clock: &dyn Clock, batch: &mut Batch) -> io::Result<State> {
        let Some(section) = &self.section else { return Ok(State::Away(Away::NotThere)) };
        let map = match front(section)? {
            Ok((map, _)) => map,
            Err(away) => {
                self.was_away = true;
                return Ok(State::Away(away));
            }
        };
        let goes_on = self.connection.as_ref().is_some_and(|connection| connection.is_continued_by(&map));
        if !goes_on || self.was_away {
            let before = self.connection.take().filter(|_| goes_on);
            match connect(section, &map, clock.now_ns(), batch)? {
                Ok(connection) => self.connection = Some(connection.after(before)),
                Err(away) => return Ok(State::Away(away)),
            }
            self.was_away = false;
        }
        let Some(connection) = &mut self.connection else { return Ok(State::Away(Away::Off)) };
        connection.take_text(section, &map, clock, batch)?;
        connection.take_rows(section, map, self.hz.is_some(), clock, batch)?;
        if connection.row.is_empty() {
            return Ok(State::Away(Away::Empty));
        }
        Ok(State::Here(self.with_seen(|seen| GAME.rules.presence(seen)).unwrap_or(Presence::Live)))
    }

    /// The number that moves while the game works: what its rules say, or the tick of the newest row.
    pub(crate) fn counter(&self) -> Option<i64> {
        let tick = self.connection.as_ref()?.last_tick.map(i64::from);
        self.with_seen(|seen| GAME.rules.counter(seen)).flatten().or(tick)
    }

    fn with_seen<T>(&self, ask: impl FnOnce(Seen<'_>) -> T) -> Option<T> {
        let connection = self.connection.as_ref()?;
        let row = SeenFrame { stream: "telemetry", layout: &connection.layout, bytes: &connection.row };
        let text = SeenFrame { stream: "session-text", layout: &NO_CHANNELS, bytes: &connection.text };
        Some(ask(Seen(&[row, text])))
    }
}

/// The front, read and checked; why there is nothing to read if it says so.
fn front(section: &Section) -> io::Result<Result<(LiveMap, [u8; HEADER_BYTES]), Away>> {
    let mut bytes = [0; HEADER_BYTES];
    section.reader.copy(0, &mut bytes)?;
    Ok(match LiveMap::read(&bytes, section.bytes) {
        Ok(Some(map)) => Ok((map, bytes)),
        Ok(None) => Err(Away::Off),
        Err(error) => Err(Away::Unreadable(error.to_string())),
    })
}

/// Reads the variable headers and says what the game offers.
fn connect(section: &Section, map: &LiveMap, now_ns: u64, batch: &mut Batch) -> io::Result<Result<Connection, Away>> {
    let length = usize::try_from(map.var_headers.end - map.var_headers.start).map_err(io::Error::other)?;
    let (mut variables, mut again) = (vec![0; length], vec![0; length]);
    section.reader.copy(map.var_headers.start, &mut variables)?;
    section.reader.copy(map.var_headers.start, &mut again)?;
    let same_place = front(section)?.is_ok_and(|(after, _)| after.is_placed_like(map));
    if !same_place || variables != again {
        // The game is just starting: the next look sees it finished.
        return Ok(Err(Away::Undecided));
    }
    let table = match read_var_headers(&variables, map.row_bytes) {
        Ok(table) => table,
        Err(error) => return Ok(Err(Away::Unreadable(error.to_string()))),
    };
    let mut description = description(&table.layout);
    let note = |problem: &dyn ToString| ("variable_left_out".to_owned(), problem.to_string());
    description.notes.extend(table.problems.iter().map(|problem| note(problem)));
    batch.describe(description);
    batch.frame(VARIABLES, now_ns, &variables);
    Ok(Ok(Connection {
        map: map.clone(),
        variables,
        layout: table.layout,
        last_tick: None,
        last_ns: now_ns,
        text_update: None,
        text: Vec::new(),
        row: Vec::new(),
        copied: vec![0; map.row_bytes as usize],
    }))
}

fn description(layout: &Layout) -> Description {
    let mut description = Description::of_game(GAME.id);
    description.layout("telemetry", "shm", layout);
    description.layout("telemetry.header", "shm", &HEADER_112);
    description.rows("telemetry.variables", "shm");
    description.rows("session-text", "shm");
    for stream in description.streams.iter_mut().skip(1) {
        *stream = StreamSpec { role: Role::Describe, describes: Some(StreamId(0)), ..stream.clone() };
    }
    description
}

impl Connection {
    fn is_continued_by(&self, map: &LiveMap) -> bool {
        self.map.is_placed_like(map) && !self.last_tick.is_some_and(|tick| map.is_reconnect(tick))
    }

    /// With what was known before a short absence, if the variables are still the same: no tick is taken twice.
    fn after(self, before: Option<Self>) -> Self {
        match before.filter(|before| before.variables == self.variables) {
            Some(before) => Self { last_ns: self.last_ns.max(before.last_ns), ..before },
            None => self,
        }
    }

    /// Copies the session text if there is another one: whole if its number is the same before and after.
    fn take_text(&mut self, section: &Section, map: &LiveMap, clock: &dyn Clock, batch: &mut Batch) -> io::Result<()> {
        let room = map.session_text.clone();
        if self.text_update == Some(map.session_text_update) || room.is_empty() {
            return Ok(());
        }
        let (first, second) = (copy_text(section, &room)?, copy_text(section, &room)?);
        let still = front(section)?.is_ok_and(|(after, _)| after.session_text_update == map.session_text_update);
        if !still || first != second {
            // The game is writing it: the next look tries again.
            batch.count(TEXT, &Counters { torn: 1, ..Counters::default() });
            return Ok(());
        }
        self.text_update = Some(map.session_text_update);
        if !first.is_empty() {
            batch.frame(TEXT, self.moment(clock.now_ns()), &first);
            self.text = first;
        }
        Ok(())
    }

    /// Copies the rows that are new, oldest first, until there is no newer one.
    fn take_rows(
        &mut self,
        section: &Section,
        mut map: LiveMap,
        only_newest: bool,
        clock: &dyn Clock,
        batch: &mut Batch,
    ) -> io::Result<()> {
        let before = self.last_tick;
        let (mut counters, mut newest_header) = (Counters::default(), None);
        for _ in 0..ROUNDS {
            let newer = map.newer_than(self.last_tick);
            let skip = if only_newest { newer.as_slice().len().saturating_sub(1) } else { 0 };
            if newer.as_slice().is_empty() {
                break;
            }
            for buffer in newer.as_slice().iter().skip(skip) {
                section.reader.copy(buffer.offset, &mut self.copied)?;
                let now_ns = clock.now_ns();
                let Ok((after, header)) = front(section)? else { break };
                if !after.is_whole(buffer) {
                    counters.torn += 1;
                    map = after;
                    continue;
                }
                let behind = after.newest_tick().unwrap_or(buffer.tick).saturating_sub(buffer.tick);
                let time_ns = self.moment(now_ns.saturating_sub(self.tick_ns() * u64::from(behind.unsigned_abs())));
                batch.frame(ROWS, time_ns, &self.copied);
                std::mem::swap(&mut self.row, &mut self.copied);
                self.copied.resize(self.row.len(), 0);
                if let (Some(last), false) = (self.last_tick, only_newest) {
                    counters.missed += u64::from(buffer.tick.saturating_sub(last).unsigned_abs()).saturating_sub(1);
                }
                self.last_tick = Some(buffer.tick);
                newest_header = Some(header);
                map = after;
            }
        }
        if self.last_tick != before
            && let Some(header) = newest_header
        {
            batch.frame(HEADER, self.last_ns, &header);
        }
        batch.count(ROWS, &counters);
        Ok(())
    }

    /// A time that is not before the one given last.
    fn moment(&mut self, time_ns: u64) -> u64 {
        self.last_ns = self.last_ns.max(time_ns);
        self.last_ns
    }

    fn tick_ns(&self) -> u64 {
        1_000_000_000 / u64::from(self.map.tick_rate_hz.unwrap_or(USUAL_HZ).max(1))
    }
}

/// The text up to the first NUL.
fn copy_text(section: &Section, room: &std::ops::Range<u64>) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    let mut piece = vec![0; TEXT_PIECE];
    let mut at = room.start;
    while at < room.end {
        let length = usize::try_from(room.end - at).unwrap_or(TEXT_PIECE).min(TEXT_PIECE);
        let piece = piece.get_mut(..length).unwrap_or_default();
        section.reader.copy(at, piece)?;
        let end = piece.iter().position(|byte| *byte == 0);
        text.extend_from_slice(piece.get(..end.unwrap_or(length)).unwrap_or_default());
        if end.is_some() {
            break;
        }
        at += length as u64;
    }
    Ok(text)
}

impl Source for IracingSource {
    fn pace(&self) -> Pace {
        if let Some(hz) = self.hz {
            return Pace::Every(Duration::from_nanos(1_000_000_000 / u64::from(hz.max(1))));
        }
        // Twice a tick: the buffers hold two or three ticks, so there is time to spare.
        let tick_ns = self.connection.as_ref().map_or(1_000_000_000 / u64::from(USUAL_HZ), Connection::tick_ns);
        Pace::About(Duration::from_nanos(tick_ns / 2))
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        if let Err(away) = self.open(clock.now_ns()) {
            return Ok(State::Away(away));
        }
        self.look(clock, batch).or_else(|error| {
            // Cut short or taken away under us: look it up again.
            self.forget();
            Ok(State::Away(Away::Unreadable(error.to_string())))
        })
    }

    fn session_key(&self) -> Option<u64> {
        self.with_seen(|seen| GAME.rules.session_key(seen)).flatten()
    }

    fn about(&self) -> About {
        self.with_seen(|seen| GAME.rules.about(seen)).unwrap_or_default()
    }

    fn replay_of(&self) -> Option<String> {
        playback::tape_being_played(&self.prefix)
    }
}
