//! Exports a tape as a stream of envelopes: passes its frames and events in time order to the maker, and its output to a writer.

use std::io::{self, Write};
use std::ops::Range;

use gametape_format::read::{Problem, ReadError, Tape, TapeStream};
use gametape_format::{Event, StreamId, StreamSpec};

use super::echo::EchoMaker;
use super::raw::{CaptureHead, RawMaker, V2MakeError};
use crate::export::answers::{Answers, is_echo_vr};

/// Why a tape cannot be exported as a stream.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum V2StreamError {
    /// The tape cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// An envelope cannot be built.
    #[error(transparent)]
    Make(#[from] V2MakeError),
    /// The bytes cannot be written.
    #[error("cannot write: {0}")]
    Write(#[from] io::Error),
}

/// The result of an export.
#[derive(Debug, Default)]
pub struct V2Streamed {
    /// Frames written.
    pub frames: u64,
    /// Events written as marks.
    pub marks: u64,
    /// Parts of the tape that could not be read.
    pub damage: Vec<Problem>,
}

/// Returns the header fields of a tape.
pub(super) fn head_of(tape: &Tape) -> CaptureHead {
    CaptureHead {
        capture_id: tape.id().map(|id| id.to_string()).unwrap_or_default(),
        start_utc_ns: tape.start_utc_ns(),
        metadata: tape.metadata(),
    }
}

/// Writes the frames of all streams and the events of a tape within a time range.
///
/// # Errors
/// If the tape cannot be read at all, or the bytes cannot be written.
pub fn stream_tape(tape: &Tape, times: &Range<u64>, out: &mut dyn Write) -> Result<V2Streamed, V2StreamError> {
    if is_echo_vr(tape) {
        return stream_echo(tape, times, out);
    }
    let of_games = || tape.streams().filter(|stream| !stream.spec().role.is_system());
    let game = of_games().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty()).unwrap_or_default();
    // A stream refers to the stream it describes by its index in the header's list.
    let place =
        |id: StreamId| of_games().position(|stream| stream.id() == id).and_then(|place| u16::try_from(place).ok());
    let specs = of_games().map(|stream| {
        let describes = stream.spec().describes.and_then(place).map(StreamId);
        StreamSpec { describes, ..stream.spec().clone() }
    });
    let specs: Vec<_> = specs.collect();
    let mut maker = RawMaker::new(head_of(tape), game, &specs)?;
    let mut streamed = V2Streamed::default();
    let events = tape.events();
    let mut events = events.iter().filter(|event| times.contains(&event.at_ns)).peekable();
    let mut frames = tape.merged(of_games());
    match frames.seek_time(times.start) {
        Err(ReadError::Damaged(problem)) => streamed.damage.push(problem),
        sought => sought?,
    }
    loop {
        match frames.next() {
            Ok(Some(frame)) if frame.time_ns >= times.end => break,
            Ok(Some(frame)) if frame.time_ns < times.start => {}
            Ok(Some(frame)) => {
                while let Some(event) = events.next_if(|event| event.at_ns < frame.time_ns) {
                    send_mark(&mut maker, event, &mut streamed)?;
                }
                let name = tape.stream(frame.stream).map(TapeStream::name).unwrap_or_default();
                maker.frame(name, frame.time_ns, frame.seq, frame.data)?;
                streamed.frames += 1;
                out.write_all(&maker.take())?;
            }
            Ok(None) => break,
            Err(ReadError::Damaged(problem)) => streamed.damage.push(problem),
            Err(error) => return Err(error.into()),
        }
    }
    events.try_for_each(|event| send_mark(&mut maker, event, &mut streamed))?;
    out.write_all(&maker.finish()?)?;
    Ok(streamed)
}

/// Writes the Echo VR responses, each with its bones.
fn stream_echo(tape: &Tape, times: &Range<u64>, out: &mut dyn Write) -> Result<V2Streamed, V2StreamError> {
    let mut streamed = V2Streamed::default();
    let Some(mut answers) = Answers::of(tape) else { return Ok(streamed) };
    answers.seek(times.start)?;
    let mut maker = EchoMaker::new(head_of(tape));
    let events = tape.events();
    let mut events = events.iter().filter(|event| times.contains(&event.at_ns)).peekable();
    while let Some(moment) = answers.next()?.filter(|moment| moment.time_ns < times.end) {
        if moment.time_ns < times.start {
            continue;
        }
        while let Some(Event { at_ns, kind, text, .. }) = events.next_if(|event| event.at_ns < moment.time_ns) {
            maker.mark(*at_ns, kind, text)?;
            streamed.marks += 1;
        }
        maker.answers(moment.time_ns, &moment.session, moment.player_bones.as_deref())?;
        streamed.frames += 1;
        out.write_all(&maker.take())?;
    }
    for Event { at_ns, kind, text, .. } in events {
        maker.mark(*at_ns, kind, text)?;
        streamed.marks += 1;
    }
    out.write_all(&maker.finish()?)?;
    streamed.damage = answers.damage;
    Ok(streamed)
}

fn send_mark(maker: &mut RawMaker, event: &Event, streamed: &mut V2Streamed) -> Result<(), V2MakeError> {
    streamed.marks += 1;
    maker.mark(event.at_ns, &event.kind, &event.text)
}
