//! iRacing frames: rows with the layout given by the frame's own variable headers.
//!
//! ```text
//! telemetry              rows; telemetry-2 and so on if the variables change during the recording
//! telemetry.header       the 112 bytes that precede each row, with all tick counts
//! telemetry.variables    the variable headers
//! session-text           the text, as bytes, each time it changes
//! ```

use gametape_format::{Role, StreamId, StreamSpec};
use gametape_games::iracing::{GAME, HEADER_112, IrsdkHeader, MAX_BUFFERS, read_var_headers};

use super::head::Head;
use super::payload::{IRacingFrame, PayloadProblem};
use super::{Moment, Payloads};
use crate::import::ImportError;
use crate::import::ibt::build_version;
use crate::import::out::{Out, add_stream_or_plain};
use crate::import::problems::Problems;
use crate::import::rest::Rest;
use crate::layout::stream_of_layout;

/// Maximum number of layouts with separate streams. A game has one, a broken file can have one per frame.
const MAX_LAYOUTS: usize = 16;

/// Stream of the rows of further layouts.
const OTHER: &str = "telemetry-other";

/// A layout and its streams.
struct RowLayout {
    /// The variable headers; `None` for rows that precede any.
    variables: Option<Vec<u8>>,
    row_bytes: i32,
    streams: Streams,
}

/// The streams for rows of one layout.
#[derive(Clone, Copy)]
struct Streams {
    rows: StreamId,
    headers: StreamId,
    variables: StreamId,
}

/// State of an import.
#[derive(Default)]
pub(super) struct IRacing {
    layouts: Vec<RowLayout>,
    other: Option<Streams>,
    variables: Option<Vec<u8>>,
    session_text: Option<StreamId>,
    version: Option<String>,
    told_buffers: bool,
}

impl Payloads for IRacing {
    fn take(
        &mut self,
        raw: &[u8],
        head: &Head,
        moment: &Moment,
        out: &mut dyn Out,
        problems: &mut Problems,
        rest: &mut Rest,
    ) -> Result<Result<(), PayloadProblem>, ImportError> {
        let frame = match IRacingFrame::parse(raw, head) {
            Ok(frame) => frame,
            Err(problem) => return Ok(Err(problem)),
        };
        let changed = frame.variables.is_some_and(|new| self.variables.as_deref() != Some(new));
        if changed {
            self.variables = frame.variables.map(Into::into);
        }
        let (mut row_bytes, mut buffers) = (0, 0);
        if let Some(header) = IrsdkHeader::read(frame.header) {
            (row_bytes, buffers) = (header.row_bytes, header.buffer_count);
        }
        self.check(&frame, row_bytes, buffers, moment, problems);
        let Moment { time_ns, offset, .. } = *moment;
        let streams = self.streams(row_bytes, changed, moment, out, problems)?;
        out.append(streams.headers, time_ns, frame.header, offset)?;
        out.append(streams.rows, time_ns, frame.row, offset)?;
        if !frame.session_text.is_empty() {
            self.version = self.version.take().or_else(|| build_version(frame.session_text));
            let stream = match self.session_text {
                Some(stream) => stream,
                None => *self.session_text.insert(out.add_stream(describing(streams.rows, "session-text"))?),
            };
            out.append(stream, time_ns, frame.session_text, offset)?;
        }
        for unknown in frame.unknown {
            rest.keep(out, time_ns, unknown, offset)?;
        }
        Ok(Ok(()))
    }

    fn end(&mut self, out: &mut dyn Out) -> Result<(), ImportError> {
        self.version.iter().try_for_each(|version| out.metadata("game_version", version))
    }
}

impl IRacing {
    /// Reports anomalies that lose no data.
    fn check(&mut self, frame: &IRacingFrame<'_>, row_bytes: i32, buffers: i32, at: &Moment, problems: &mut Problems) {
        if !(1..=MAX_BUFFERS as i32).contains(&buffers) && !self.told_buffers {
            self.told_buffers = true;
            problems.add(format!("{at}: the header says it has {buffers} row buffers, 1 to {MAX_BUFFERS} can be"));
        }
        if usize::try_from(row_bytes) != Ok(frame.row.len()) {
            problems.add(format!("{at}: the row has {} bytes, its header says {row_bytes}", frame.row.len()));
        }
        if self.variables.is_none() {
            problems.add(format!("{at}: no variable headers came before it: its row has no channels"));
        }
    }

    /// Returns the streams of the current layout.
    fn streams(
        &mut self,
        row_bytes: i32,
        changed: bool,
        at: &Moment,
        out: &mut dyn Out,
        problems: &mut Problems,
    ) -> Result<Streams, ImportError> {
        let variables = &self.variables;
        let same = |layout: &&RowLayout| layout.row_bytes == row_bytes && layout.variables == *variables;
        if let Some(known) = self.layouts.iter().find(same) {
            return Ok(known.streams);
        }
        if self.layouts.len() < MAX_LAYOUTS {
            let number = self.layouts.len() + 1;
            let name = if number == 1 { "telemetry".to_owned() } else { format!("telemetry-{number}") };
            let streams = add_layout(&name, variables.as_deref(), row_bytes, at, out, problems)?;
            self.layouts.push(RowLayout { variables: variables.clone(), row_bytes, streams });
            return Ok(streams);
        }
        let streams = match self.other {
            Some(streams) => streams,
            None => {
                let text = "the variables changed too often: its row has no channels";
                problems.add(format!("{at}: {text}"));
                *self.other.insert(add_layout(OTHER, None, row_bytes, at, out, problems)?)
            }
        };
        if let Some(variables) = variables.as_ref().filter(|_| changed) {
            out.append(streams.variables, at.time_ns, variables, at.offset)?;
        }
        Ok(streams)
    }
}

fn add_layout(
    name: &str,
    variables: Option<&[u8]>,
    row_bytes: i32,
    at: &Moment,
    out: &mut dyn Out,
    problems: &mut Problems,
) -> Result<Streams, ImportError> {
    let plain = StreamSpec { game: GAME.id.into(), transport: "file".into(), ..StreamSpec::rows(name) };
    let table = variables.map(|variables| read_var_headers(variables, u32::try_from(row_bytes).unwrap_or_default()));
    let spec = match table {
        None => plain,
        Some(Err(problem)) => {
            problems.add(format!("{at}: {problem}: its row has no channels"));
            plain
        }
        Some(Ok(table)) => {
            table.problems.iter().for_each(|problem| problems.add(format!("{at}: {problem}")));
            stream_of_layout(GAME.id, name, "file", &table.layout)
        }
    };
    let rows = add_stream_or_plain(out, spec, &mut |problem| problems.add(format!("{at}: {problem}")))?;
    let name_of_headers = format!("{name}.header");
    let header = StreamSpec {
        role: Role::Describe,
        describes: Some(rows),
        ..stream_of_layout(GAME.id, &name_of_headers, "file", &HEADER_112)
    };
    let headers = out.add_stream(header)?;
    let streams = Streams { rows, headers, variables: out.add_stream(describing(rows, &format!("{name}.variables")))? };
    if let Some(variables) = variables {
        out.append(streams.variables, at.time_ns, variables, at.offset)?;
    }
    Ok(streams)
}

fn describing(stream: StreamId, name: &str) -> StreamSpec {
    let game = GAME.id.into();
    StreamSpec {
        game,
        transport: "file".into(),
        role: Role::Describe,
        describes: Some(stream),
        ..StreamSpec::rows(name)
    }
}
