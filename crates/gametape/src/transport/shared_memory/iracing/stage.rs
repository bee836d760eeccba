//! Writes iRacing's shared memory.
//!
//! ```text
//! connect:  status 0, header with no row written, variable headers, session text, status 1
//! a row:    begin count, row, tick count, which row is the newest, event; then the next buffer
//! a text:   text, terminated by NULs, then its update counter
//! leave:    status 0
//! ```
use std::net::SocketAddr;

use gametape_format::read::Tape;
use gametape_games::Kind as ValueKind;
use gametape_games::iracing::{HEADER_BYTES, SECTION, read_var_headers};

use super::super::owned_section::OwnedSection;
use super::super::rising::Rising;
use super::connection::DataValidEvent;
use super::memory_plan::{Places, section_bytes};
use super::playback::Kind;
use super::status_service::{STATUS_PORT, StatusService};
use crate::transport::{Entry, Part, Shown, Stage, StageError, StageOptions};

/// The variable that counts the ticks of the session.
const SESSION_TICK: &str = "SessionTick";

/// The shared memory and its current contents.
pub(super) struct IracingStage {
    /// What each part is.
    kinds: Vec<Kind>,
    section: OwnedSection,
    event: DataValidEvent,
    /// `None` after the game has left, or if the port is taken.
    service: Option<StatusService>,
    row_bytes: u32,
    text_bytes: u64,
    /// Whether the tape has the headers of a live recording.
    live: bool,
    /// The last header of the tape.
    header: Option<Vec<u8>>,
    variables: Vec<u8>,
    text: Vec<u8>,
    text_number: Option<i32>,
    connection: Option<Connection>,
    ticks: Rising,
    session_ticks: Rising,
    text_updates: Rising,
    changed: Vec<u8>,
}

/// The layout of a connected memory.
struct Connection {
    places: Places,
    session_tick_at: Option<usize>,
    buffer: Option<usize>,
    /// Length of the current text.
    text_bytes: usize,
}

impl IracingStage {
    /// Creates the section, in the disconnected state.
    pub(super) fn open(
        tape: &Tape,
        parts: &[Part],
        options: &StageOptions,
        notes: &mut Vec<String>,
    ) -> Result<Self, StageError> {
        let kinds = Kind::of_parts(parts);
        let stream = |kind: Kind| {
            let index = kinds.iter().position(|known| *known == kind)?;
            tape.stream(parts.get(index)?.stream)
        };
        let row_bytes = stream(Kind::Row).map_or(0, |stream| stream.spec().frame_bytes);
        // All texts of a live tape share one area, whose size is in its headers.
        let live = stream(Kind::Header).is_some();
        let text_bytes = stream(Kind::Text).filter(|_| !live).map_or(0, |stream| stream.totals().raw_bytes);
        let name = options.prefix.section(SECTION);
        let section = OwnedSection::claim(name.clone(), section_bytes(row_bytes, text_bytes), options.patience)?;
        let event = DataValidEvent::create(&options.prefix).map_err(|source| StageError::Memory { name, source })?;
        section.clear(0, HEADER_BYTES as u64)?;
        Ok(Self {
            kinds,
            section,
            event,
            service: start_service(options, notes),
            row_bytes,
            text_bytes,
            live,
            header: None,
            variables: Vec::new(),
            text: Vec::new(),
            text_number: None,
            connection: None,
            ticks: Rising::default(),
            session_ticks: Rising::default(),
            text_updates: Rising::default(),
            changed: Vec::new(),
        })
    }

    fn number(&self, at: u64, number: i32) -> Result<(), StageError> {
        self.section.write(at, &number.to_le_bytes())
    }

    /// Lays out the memory and sets it to connected, without a row.
    fn connect(&mut self, row_bytes: u32) -> Result<(), StageError> {
        let (header, variables) = (self.header.as_deref(), self.variables.len());
        let of_tape = header.and_then(|header| Places::of_tape(header, row_bytes, variables, self.section.len()));
        let places = of_tape.unwrap_or_else(|| Places::usual(header, row_bytes, variables, self.text_bytes));
        let table = read_var_headers(&self.variables, row_bytes).ok();
        let channel = table.as_ref().and_then(|table| table.layout.channel(SESSION_TICK));
        let session_tick_at =
            channel.filter(|channel| channel.kind == ValueKind::I32).map(|channel| channel.offset as usize);
        self.number(4, 0)?;
        self.section.clear(places.text_at, places.text_at + places.text_room)?;
        self.section.write(places.variables_at, &self.variables)?;
        self.section.write(0, &places.header)?;
        let connection = self.connection.insert(Connection { places, session_tick_at, buffer: None, text_bytes: 0 });
        let text = std::mem::take(&mut self.text);
        if !text.is_empty() {
            write_text(&self.section, connection, &text)?;
        }
        self.text = text;
        // Clients read the text only if its update counter is greater than 0.
        let update = match self.text_number {
            Some(number) if number > 0 => self.text_updates.show(number),
            _ => self.text_updates.step(),
        };
        self.number(12, update)?;
        self.number(4, 1)
    }

    fn show_text(&mut self, text: &[u8], number: Option<i32>) -> Result<Shown, StageError> {
        if self.connection.is_some() && self.text == text {
            return Ok(Shown::Noted);
        }
        self.text.clear();
        self.text.extend_from_slice(text);
        self.text_number = number;
        let Some(connection) = &mut self.connection else { return Ok(Shown::Noted) };
        write_text(&self.section, connection, text)?;
        let update = match number {
            Some(number) => self.text_updates.show(number),
            None => self.text_updates.step(),
        };
        self.number(12, update)?;
        Ok(Shown::Step)
    }

    fn show_row(&mut self, entry: &Entry, row: &[u8]) -> Result<Shown, StageError> {
        let Ok(row_bytes) = u32::try_from(row.len()) else { return Ok(Shown::Unfit) };
        if self.variables.is_empty() || row.is_empty() || (self.row_bytes != 0 && row_bytes != self.row_bytes) {
            return Ok(Shown::Unfit);
        }
        if self.connection.is_none() {
            if section_bytes(row_bytes, self.text_bytes) > self.section.len() {
                return Ok(Shown::Unfit);
            }
            self.row_bytes = row_bytes;
            self.connect(row_bytes)?;
        }
        let tick = self.tick(entry, row);
        let Some(connection) = &mut self.connection else { return Ok(Shown::Noted) };
        let count = connection.places.rows_at.len().max(1);
        let next = connection.buffer.map_or(0, |last| (last + 1) % count);
        // Use the buffer from the tape, but never the same one twice in a row: clients read the second newest.
        let on_tape = entry.link.buffer.filter(|buffer| *buffer < count && Some(*buffer) != connection.buffer);
        let buffer = on_tape.unwrap_or(next);
        connection.buffer = Some(buffer);
        let (session_tick_at, new_fields) = (connection.session_tick_at, connection.places.new_fields);
        let Some(row_at) = connection.places.rows_at.get(buffer).copied() else { return Ok(Shown::Unfit) };
        let front = 48 + 16 * buffer as u64;
        if new_fields.begin_counts {
            self.number(front + 8, tick)?;
        }
        let row = with_rising(row, session_tick_at, &mut self.session_ticks, &mut self.changed);
        self.section.write(row_at, row)?;
        self.number(front, tick)?;
        if new_fields.newest {
            self.number(40, tick)?;
            self.section.write(44, &[u8::try_from(buffer).unwrap_or_default()])?;
        }
        self.event.signal();
        Ok(Shown::Step)
    }

    /// Returns the tick of a row: from its header, otherwise from the row itself, otherwise the next tick.
    fn tick(&mut self, entry: &Entry, row: &[u8]) -> i32 {
        let at = self.connection.as_ref().and_then(|connection| connection.session_tick_at);
        let in_row = || at.and_then(|at| row.get(at..)?.first_chunk::<4>()).map(|bytes| i32::from_le_bytes(*bytes));
        match entry.link.tick {
            Some(tick) => self.ticks.show_about(tick),
            None if self.live && self.ticks.last().is_some() => self.ticks.step(),
            None => match in_row().filter(|tick| *tick > 0) {
                // A row that repeats a tick still counts as a new tick.
                Some(tick) => {
                    self.ticks.jump();
                    self.ticks.show(tick)
                }
                None => self.ticks.step(),
            },
        }
    }
}

/// Starts the service that clients query. Under a prefix there is none unless a port was chosen: its port has no prefix.
fn start_service(options: &StageOptions, notes: &mut Vec<String>) -> Option<StatusService> {
    let usual = options.prefix.as_str().is_empty().then_some(STATUS_PORT);
    let port = options.status_port.unwrap_or(usual)?;
    match StatusService::start(port) {
        Ok(service) => Some(service),
        Err(error) => {
            notes.push(format!(
                "port {port} is not available ({error}): clients that query it for whether iRacing is running get the \
                 response of another program, and may not start"
            ));
            None
        }
    }
}

/// Writes the text, followed by NULs over the rest of the previous one.
fn write_text(section: &OwnedSection, connection: &mut Connection, text: &[u8]) -> Result<(), StageError> {
    // Always leave space for a terminating NUL.
    let room = usize::try_from(connection.places.text_room).unwrap_or(usize::MAX).saturating_sub(1);
    let text = text.get(..room).unwrap_or(text);
    let at = connection.places.text_at;
    section.write(at, text)?;
    section.clear(at + text.len() as u64, at + (connection.text_bytes.max(text.len()) as u64 + 1))?;
    connection.text_bytes = text.len();
    Ok(())
}

/// Returns the row with the counter in it adjusted.
fn with_rising<'a>(row: &'a [u8], at: Option<usize>, counter: &mut Rising, changed: &'a mut Vec<u8>) -> &'a [u8] {
    let value = at.and_then(|at| row.get(at..)?.first_chunk::<4>().map(|bytes| (at, *bytes)));
    let Some((at, value)) = value else { return row };
    let shown = counter.show(i32::from_le_bytes(value)).to_le_bytes();
    if shown == value {
        return row;
    }
    changed.clear();
    changed.extend_from_slice(row);
    if let Some(place) = changed.get_mut(at..at + 4) {
        place.copy_from_slice(&shown);
    }
    changed
}

impl Stage for IracingStage {
    fn show(&mut self, entry: &Entry, frame: &[u8]) -> Result<Shown, StageError> {
        let Some(kind) = self.kinds.get(entry.part) else { return Ok(Shown::Noted) };
        match kind {
            Kind::Row => return self.show_row(entry, frame),
            Kind::Text => {
                let end = frame.iter().position(|byte| *byte == 0).unwrap_or(frame.len());
                return self.show_text(frame.get(..end).unwrap_or_default(), entry.link.text_update);
            }
            Kind::Variables if self.variables != frame => {
                // A new connection of the game: clients observe a disconnect and a connect.
                self.variables = frame.to_vec();
                if self.connection.take().is_some() {
                    self.number(4, 0)?;
                }
            }
            Kind::Header => {
                let header = self.header.get_or_insert_default();
                header.clear();
                header.extend_from_slice(frame);
            }
            Kind::FileHeader if self.header.is_none() => self.header = Some(frame.to_vec()),
            _ => {}
        }
        Ok(Shown::Noted)
    }

    fn jump(&mut self) {
        for counter in [&mut self.ticks, &mut self.session_ticks, &mut self.text_updates] {
            counter.jump();
        }
    }

    fn pulse_every_ns(&self) -> Option<u64> {
        DataValidEvent::EVERY_NS
    }

    fn pulse(&self) {
        self.event.signal();
    }

    fn status_address(&self) -> Option<SocketAddr> {
        self.service.as_ref().map(StatusService::address)
    }

    fn leave(&mut self) -> Result<(), StageError> {
        let left = self.number(4, 0);
        self.service = None;
        left
    }

    fn remove(self: Box<Self>) -> Result<(), StageError> {
        self.section.remove()
    }
}
