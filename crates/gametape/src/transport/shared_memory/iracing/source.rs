//! iRacing's live shared memory. Captures every tick, including those in older buffers of the ring.
//!
//! ```text
//! telemetry              rows
//! telemetry.header       the 112-byte header as it was after the newest row was copied, with all tick counts
//! telemetry.variables    the variable headers, once for each connection
//! session-text           the text, as bytes, whenever it changes
//! ```
//! `games::iracing` documents the layout and when a row is complete. This module copies: `connection` the rows, `text` the session
//! text.
use std::io;
use std::time::Duration;

use gametape_format::{Role, StreamId, StreamSpec};
use gametape_games::iracing::{GAME, HEADER_112, HEADER_BYTES, LiveMap, SECTION, TELEMETRY, read_var_headers};
use gametape_games::{About, Layout, NO_CHANNELS, Presence, Seen, SeenFrame};

use super::super::player_marker;
use super::super::sections::Sections;
use super::connection::Connection;
use crate::sys::SectionReader;
use crate::transport::{Away, Batch, Clock, Description, Pace, Source, SourceError, State};

/// How often the section name is looked up again.
const CHECK_NAME_NS: u64 = 1_000_000_000;
/// Tick rate if the game does not report one.
pub(super) const USUAL_HZ: u32 = 60;

pub(super) const ROWS: usize = 0;
pub(super) const HEADER: usize = 1;
const VARIABLES: usize = 2;
pub(super) const TEXT: usize = 3;

/// A source for iRacing's shared memory.
pub struct IracingSource {
    sections: Sections,
    hz: Option<u32>,
    section: Option<Section>,
    connection: Option<Connection>,
    was_away: bool,
    /// Time of the newest row. Outlives a connection, because the tape may continue.
    last_row_ns: u64,
    /// Number of session texts so far.
    texts: u64,
}

/// The section as it was when its name was looked up. If it was truncated since then, copying fails.
pub(super) struct Section {
    pub(super) reader: SectionReader,
    pub(super) bytes: u64,
    checked_ns: u64,
}

impl IracingSource {
    /// Creates a source that captures every tick. If `hz` is set, it samples the newest row at that rate instead.
    pub fn new(sections: impl Into<Sections>, hz: Option<u32>) -> Self {
        let sections = sections.into();
        Self { sections, hz, section: None, connection: None, was_away: false, last_row_ns: 0, texts: 0 }
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
            let opened = self.sections.open(&[GAME], &[&TELEMETRY], now_ns)?;
            let reader = opened.readers.into_iter().next().ok_or(Away::NotThere)?;
            let unreadable = |error: io::Error| Away::Unreadable(format!("{}: {error}", self.sections.name(SECTION)));
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
                // An empty section is looked up again: the section of the game may be elsewhere.
                if !self.sections.keeps_zeros() && self.connection.is_none() {
                    self.section = None;
                }
                return Ok(State::Away(away));
            }
        };
        let goes_on = self.connection.as_ref().is_some_and(|connection| connection.is_continued_by(&map));
        if !goes_on || self.was_away {
            let before = self.connection.take();
            let fell_back = before.as_ref().and_then(|before| before.last_tick).filter(|tick| map.is_reconnect(*tick));
            let now_ns = clock.now_ns();
            match connect(section, &map, now_ns, batch)? {
                Ok(connection) => self.connection = Some(connection.after(before.filter(|_| goes_on))),
                Err(away) => return Ok(State::Away(away)),
            }
            if let Some(tick) = fell_back {
                batch.event(now_ns, "counter_fell_back", &format!("tick {tick} was the last: the game began anew"));
            }
            self.was_away = false;
        }
        let Some(connection) = &mut self.connection else { return Ok(State::Away(Away::Off)) };
        self.texts += u64::from(connection.text.take(section, &map, clock, batch)?);
        connection.take_rows(section, map, self.hz.is_some(), (clock, &mut self.last_row_ns), batch)?;
        if connection.row.is_empty() {
            return Ok(State::Away(Away::Empty));
        }
        Ok(State::Here(self.with_seen(|seen| GAME.rules.presence(seen)).unwrap_or(Presence::Live)))
    }

    /// Returns the counter that moves while the game runs: the one that the rules define, or the tick of the newest row.
    pub(crate) fn counter(&self) -> Option<i64> {
        let tick = self.connection.as_ref()?.last_tick.map(i64::from);
        self.with_seen(|seen| GAME.rules.counter(seen)).flatten().or(tick)
    }

    /// Returns the open section and its name.
    pub(crate) fn opened(&self) -> Vec<(String, &SectionReader)> {
        self.section.iter().map(|section| (self.sections.name(SECTION), &section.reader)).collect()
    }

    fn with_seen<T>(&self, ask: impl FnOnce(Seen<'_>) -> T) -> Option<T> {
        let connection = self.connection.as_ref()?;
        let row = SeenFrame { stream: "telemetry", layout: &connection.layout, bytes: &connection.row };
        let text = SeenFrame { stream: "session-text", layout: &NO_CHANNELS, bytes: connection.text.bytes() };
        Some(ask(Seen(&[row, text])))
    }
}

/// Reads and checks the header. The inner error is the reason if there is nothing to read.
pub(super) fn front(section: &Section) -> io::Result<Result<(LiveMap, [u8; HEADER_BYTES]), Away>> {
    let mut bytes = [0; HEADER_BYTES];
    section.reader.copy(0, &mut bytes)?;
    Ok(match LiveMap::read(&bytes, section.bytes) {
        Ok(Some(map)) => Ok((map, bytes)),
        Ok(None) => Err(Away::Off),
        Err(error) => Err(Away::Unreadable(error.to_string())),
    })
}

/// Reads the variable headers and describes the streams.
fn connect(section: &Section, map: &LiveMap, now_ns: u64, batch: &mut Batch) -> io::Result<Result<Connection, Away>> {
    let length = usize::try_from(map.var_headers.end - map.var_headers.start).map_err(io::Error::other)?;
    let (mut variables, mut again) = (vec![0; length], vec![0; length]);
    section.reader.copy(map.var_headers.start, &mut variables)?;
    section.reader.copy(map.var_headers.start, &mut again)?;
    let same_place = front(section)?.is_ok_and(|(after, _)| after.is_placed_like(map));
    if !same_place || variables != again {
        // The game is just starting. The next read will find it ready.
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
    Ok(Ok(Connection::new(map, variables, table.layout)))
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

impl Source for IracingSource {
    fn pace(&self) -> Pace {
        if let Some(hz) = self.hz {
            return Pace::Every(Duration::from_nanos(1_000_000_000 / u64::from(hz.max(1))));
        }
        // Poll twice per tick. The buffers hold two or three ticks, so there is time to spare.
        let tick_ns = self.connection.as_ref().map_or(1_000_000_000 / u64::from(USUAL_HZ), Connection::tick_ns);
        Pace::About(Duration::from_nanos(tick_ns / 2))
    }

    fn read(&mut self, clock: &dyn Clock, batch: &mut Batch) -> Result<State, SourceError> {
        if let Err(away) = self.open(clock.now_ns()) {
            return Ok(State::Away(away));
        }
        self.look(clock, batch).or_else(|error| {
            // The section was truncated or removed: look it up again.
            self.forget();
            Ok(State::Away(Away::Unreadable(format!("{}: {error}", self.sections.name(SECTION)))))
        })
    }

    fn session_key(&self) -> Option<u64> {
        self.with_seen(|seen| GAME.rules.session_key(seen)).flatten()
    }

    fn about(&self) -> About {
        self.with_seen(|seen| GAME.rules.about(seen)).unwrap_or_default()
    }

    fn about_changes(&self) -> Option<u64> {
        // The text describes all sessions; the row tells which one is current.
        Some(self.texts << 48 ^ self.session_key()?)
    }

    fn replay_of(&self) -> Option<String> {
        player_marker::tape_being_played(self.sections.prefix(), &[GAME])
    }
}
