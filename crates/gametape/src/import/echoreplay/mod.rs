//! Importer for `.echoreplay` files: lines of a time, a `/session` response and usually a `/player_bones` response, plain or zipped.
//!
//! ```text
//! file ─▶ archive: which bytes ─▶ unpack: pieces of text ─▶ lines ─▶ line: session, bones, rest ─▶ three streams
//! ```
//! The streams are `session`, `player-bones` and `echoreplay.lines`. The last holds the remainder of each line without its responses, so
//! that the lines can be rebuilt byte for byte. A line that cannot be parsed is stored there whole.

mod archive;
mod line;
mod unpack;

use gametape_format::limits::BLOCK_RAW_BYTES;
use gametape_format::{Role, StreamId, StreamSpec};
use gametape_games::echo_vr::{self, EventDetector, GameEvent, SessionFacts, State, session_id};

use super::kind::Kind;
use super::out::Out;
use super::problems::{Problems, tell_source_at};
use super::{Found, ImportError, Importer, Source};
use archive::Archive;
use line::Line;
use unpack::Unpack;

pub use archive::EchoReplayError;
pub(crate) use line::{PLAYER_BONES_MARK, SESSION_MARK, WHOLE_MARK, time_text};

/// Value of the metadata key `importer`. Raise the number when the same file produces a different tape.
const IMPORTER: &str = concat!("gametape ", env!("CARGO_PKG_VERSION"), " echoreplay 1");
/// Stream of the remainders of the lines.
pub(crate) const LINES: &str = "echoreplay.lines";
/// Metadata: name of the member in the archive; absent if the file is plain text.
pub(crate) const MEMBER: &str = "echoreplay_member";
/// Longest piece of a line stored in one frame; longer lines are stored in several pieces.
const PIECE_BYTES: usize = BLOCK_RAW_BYTES / 2;

/// Reads `.echoreplay` files.
pub(super) struct EchoReplayImporter;

impl Importer for EchoReplayImporter {
    fn read(&self, source: &Source, out: &mut dyn Out, progress: &mut dyn FnMut(u64)) -> Result<Found, ImportError> {
        let mut problems = Problems::default();
        let archive = Archive::open(source, &mut problems)?;
        let mut unpack = Unpack::new(source, &archive);
        let mut reading = Reading { problems, ..Reading::default() };
        let mut waiting: Vec<u8> = Vec::new();
        while let Some(piece) = unpack.next(&mut reading.problems)? {
            progress(piece.offset);
            let mut rest = piece.bytes;
            while let Some(end) = memchr::memchr(b'\n', rest) {
                let (line, after) = rest.split_at(end + 1);
                rest = after;
                if waiting.is_empty() {
                    reading.take(line, piece.offset, out)?;
                } else {
                    waiting.extend_from_slice(line);
                    reading.take(&waiting, piece.offset, out)?;
                    waiting.clear();
                }
            }
            waiting.extend_from_slice(rest);
            if waiting.len() > PIECE_BYTES {
                reading.keep_piece(&waiting, piece.offset, out)?;
                waiting.clear();
            }
        }
        if !waiting.is_empty() {
            reading.take(&waiting, source.bytes, out)?;
        }
        reading.finish(source, &archive, out)
    }
}

/// The three streams.
#[derive(Clone, Copy)]
struct Streams {
    session: StreamId,
    player_bones: StreamId,
    lines: StreamId,
}

/// State of an import.
#[derive(Default)]
struct Reading {
    streams: Option<Streams>,
    problems: Problems,
    lines: u64,
    frames: u64,
    /// The first time, in milliseconds since 1970.
    first_ms: Option<i64>,
    time_ns: u64,
    went_back: u64,
    facts: Option<SessionFacts>,
    session: Vec<u8>,
    session_hint: usize,
    rest: Vec<u8>,
    state: State,
    detector: EventDetector,
    events: Vec<GameEvent>,
}

impl Reading {
    /// Begins the tape on the first call.
    fn begin(&mut self, first_ms: Option<i64>, out: &mut dyn Out) -> Result<Streams, ImportError> {
        if let Some(streams) = self.streams {
            return Ok(streams);
        }
        out.begin(first_ms.map(|ms| ms.saturating_mul(1_000_000)))?;
        let of_game = |spec: StreamSpec| StreamSpec { game: echo_vr::ID.into(), transport: "file".into(), ..spec };
        let session = out.add_stream(of_game(StreamSpec::json(echo_vr::SESSION)))?;
        let player_bones = out.add_stream(of_game(StreamSpec::json(echo_vr::PLAYER_BONES)))?;
        let lines = StreamSpec { role: Role::Describe, describes: Some(session), ..of_game(StreamSpec::text(LINES)) };
        let lines = out.add_stream(lines)?;
        Ok(*self.streams.insert(Streams { session, player_bones, lines }))
    }

    fn take(&mut self, text: &[u8], offset: u64, out: &mut dyn Out) -> Result<(), ImportError> {
        self.lines += 1;
        let mut rest = std::mem::take(&mut self.rest);
        let line = Line::read(text, &mut rest);
        if let Some(ms) = line.utc_ms {
            let first_ms = *self.first_ms.get_or_insert(ms);
            let ns = u64::try_from(ms.saturating_sub(first_ms)).unwrap_or(0).saturating_mul(1_000_000);
            self.went_back += u64::from(ns < self.time_ns || ms < first_ms);
            self.time_ns = ns.max(self.time_ns);
        }
        let streams = self.begin(line.utc_ms, out)?;
        match line.session {
            Some(session) => {
                self.frames += 1;
                self.see(session, out)?;
                out.append(streams.session, self.time_ns, session, offset)?;
            }
            None if text.iter().all(u8::is_ascii_whitespace) => {}
            None => self
                .problems
                .add(format!("line {}: no time and answer can be made out, it is kept as it is", self.lines)),
        }
        if let Some(bones) = line.player_bones {
            out.append(streams.player_bones, self.time_ns, bones, offset)?;
        }
        out.append(streams.lines, self.time_ns, &rest, offset)?;
        self.rest = rest;
        Ok(())
    }

    /// Stores a piece of an overlong line.
    fn keep_piece(&mut self, text: &[u8], offset: u64, out: &mut dyn Out) -> Result<(), ImportError> {
        let streams = self.begin(None, out)?;
        self.problems.add(format!(
            "line {} goes on for more than {} bytes, it is kept as it is",
            self.lines + 1,
            text.len()
        ));
        let piece = [&[WHOLE_MARK], text].concat();
        out.append(streams.lines, self.time_ns, &piece, offset)
    }

    /// Emits `session_start` when the match changes, and the events detected in the response.
    fn see(&mut self, session: &[u8], out: &mut dyn Out) -> Result<(), ImportError> {
        let id = session_id(session, &mut self.session_hint).unwrap_or_default();
        if id != self.session && !id.is_empty() {
            self.session = id.to_vec();
            out.event(self.time_ns, "session_start", &String::from_utf8_lossy(id))?;
            self.facts.get_or_insert_with(|| SessionFacts::read(session));
            self.detector = EventDetector::default();
        }
        if self.state.read(session) {
            self.detector.see(&mut self.state, &mut self.events);
        }
        self.events.drain(..).try_for_each(|GameEvent { kind, text }| out.event(self.time_ns, kind, &text))
    }

    fn finish(mut self, source: &Source, archive: &Archive, out: &mut dyn Out) -> Result<Found, ImportError> {
        if self.frames == 0 {
            return Err(EchoReplayError::NoLines { lines: self.lines }.into());
        }
        if self.went_back > 0 {
            self.problems
                .add(format!("the time goes back in {} lines: they stand at the time before it", self.went_back));
        }
        let facts = self.facts.unwrap_or_default();
        for (key, value) in [
            ("session_id", facts.session_id),
            ("track", facts.map_name),
            ("session", facts.match_type),
            ("client_name", facts.client_name),
            (MEMBER, archive.member_name().map(str::to_owned)),
        ] {
            value.iter().try_for_each(|value| out.metadata(key, value))?;
        }
        // Problem events are written at the end, because times must not go back behind events already written.
        let found = Found { frames: self.frames, problems: self.problems.list() };
        tell_source_at(out, source, Kind::EchoReplay, IMPORTER, "source", &self.problems, self.time_ns)?;
        Ok(found)
    }
}
