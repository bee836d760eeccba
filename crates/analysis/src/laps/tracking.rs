//! From the frames of a game to events: the adapter of the game's folder and the tracker, one behind the other. A tape and a running game both go through
//! here.

use gametape_format::read::ReadError;
use gametape_format::{Role, StreamSpec, TapeId};
use gametape_games::{LapFrame, Layout, ReadLaps, SeenFrame, find_game};

use super::choices::STREAM_END_NS;
use super::cut_lap::keep_cut_lap;
use super::event::Event;
use super::tracked::Tracked;
use super::tracker::Tracker;
use super::words::SessionEnd;
use crate::layout::layout_of_stream;
use crate::recording::{Ending, Gap, Recording};

/// Why a tape cannot be tracked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrackError {
    /// Nobody knows the game.
    #[error("{game:?} is no game that has laps; `gametape games` lists those that have")]
    UnknownGame {
        /// What stands on the tape.
        game: String,
    },
    /// The tape cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Frames of a game in, events out.
pub struct Tracking {
    adapter: Box<dyn ReadLaps>,
    /// Name and layout of each stream; streams that say nothing about laps have none.
    streams: Vec<Option<(String, Layout)>>,
    frame: LapFrame,
    tracker: Tracker,
    /// Time of the newest frame of any stream.
    seen_ns: u64,
}

impl Tracking {
    /// For these streams of a game, which are told apart by their place.
    ///
    /// # Errors
    /// If nobody knows the game.
    pub fn new<'a>(
        game: &str,
        tape: TapeId,
        streams: impl IntoIterator<Item = &'a StreamSpec>,
    ) -> Result<Self, TrackError> {
        let known = find_game(game).ok_or_else(|| TrackError::UnknownGame { game: game.to_owned() })?;
        let of_game = |spec: &StreamSpec| spec.game.is_empty() || spec.game == game;
        // A stream whose layout makes no sense says nothing.
        let named = |spec: &StreamSpec| Some((spec.name.clone(), layout_of_stream(spec).ok()?));
        let streams = streams.into_iter().map(|spec| named(spec).filter(|_| of_game(spec))).collect();
        let tracker = Tracker::new(known.id, tape);
        Ok(Self { adapter: known.rules.laps(), streams, frame: LapFrame::default(), tracker, seen_ns: 0 })
    }

    /// Takes over a frame of the stream at this place. Events are added to `out`.
    pub fn frame(&mut self, stream: usize, time_ns: u64, bytes: &[u8], out: &mut Vec<Event>) {
        let Some(Some((name, layout))) = self.streams.get(stream) else { return };
        if time_ns.saturating_sub(self.seen_ns) >= STREAM_END_NS {
            self.tracker.unseen(time_ns - self.seen_ns);
        }
        self.seen_ns = self.seen_ns.max(time_ns);
        if self.adapter.frame(SeenFrame { stream: name, layout, bytes }, &mut self.frame) {
            self.tracker.frame(time_ns, &self.frame, self.adapter.identity(), out);
        }
        // A page that stands is seen beside others that move.
        self.tracker.time_passes(time_ns, out);
    }

    /// The tracker: for its clock, for time that passes and for the end.
    pub fn tracker(&mut self) -> &mut Tracker {
        &mut self.tracker
    }
}

/// Sessions, stints and laps of a tape, in one pass. On a tape that is being recorded, the last ones are still running. Damage is passed over like a gap, and counted.
///
/// # Errors
/// If the game is not known, or the tape cannot be read at all.
pub fn track_tape(tape: &dyn Recording) -> Result<Tracked, TrackError> {
    let game = tape.game();
    if find_game(&game).is_some_and(|game| !game.rules.has_laps()) {
        return Ok(Tracked::default());
    }
    let streams = tape.streams();
    let id = tape.id().unwrap_or(TapeId([0; 16]));
    let mut tracking = Tracking::new(&game, id, streams.iter().copied())?;
    let mut tracked = Tracked::default();
    let mut events = Vec::new();
    let mut notes = Notes::of(tape);
    // A recorder tells of descriptions before the frames of the same time; by their numbers, streams come the other way round.
    let first_ns = (0..streams.len()).filter_map(|stream| Some(tape.span_ns(stream)?.0)).min().unwrap_or_default();
    for (stream, _) in streams.iter().enumerate().filter(|(_, spec)| spec.role == Role::Describe) {
        if let Some((described_ns, _)) = tape.span_ns(stream).filter(|(described_ns, _)| *described_ns <= first_ns)
            && let Some(bytes) = tape.frame_at(stream, described_ns)
        {
            tracking.frame(stream, described_ns, &bytes, &mut events);
        }
    }
    let mut frames = tape.frames_from(0)?;
    loop {
        let frame = match frames.next() {
            Ok(Some(frame)) => frame,
            Ok(None) => break,
            Err(ReadError::Damaged(_)) => {
                tracked.damaged += 1;
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        notes.until(frame.time_ns, tracking.tracker(), &mut events);
        tracking.frame(frame.stream, frame.time_ns, frame.bytes, &mut events);
        events.drain(..).for_each(|event| tracked.take(event));
    }
    // The last frame may have been shown for longer than it was stored.
    let end_ns = tape.end_ns();
    notes.until(end_ns, tracking.tracker(), &mut events);
    tracking.tracker().time_passes(end_ns, &mut events);
    if let Some(end) = end_of(tape) {
        tracking.tracker().finish(end, end_ns, &mut events);
    }
    events.drain(..).for_each(|event| tracked.take(event));
    tracked.bad_positions = tracking.tracker().bad_positions();
    keep_cut_lap(tape, &mut tracked);
    Ok(tracked)
}

/// Readings of the wall clock and gaps, in the order of time.
struct Notes {
    clocks: std::iter::Peekable<std::vec::IntoIter<(u64, i64)>>,
    gaps: std::iter::Peekable<std::vec::IntoIter<Gap>>,
}

impl Notes {
    fn of(tape: &dyn Recording) -> Self {
        Self { clocks: tape.clock_readings().into_iter().peekable(), gaps: tape.gaps().into_iter().peekable() }
    }

    fn until(&mut self, time_ns: u64, tracker: &mut Tracker, out: &mut Vec<Event>) {
        while let Some((read_ns, utc_ns)) = self.clocks.next_if(|(read_ns, _)| *read_ns <= time_ns) {
            tracker.clock(read_ns, utc_ns);
        }
        // Frames that came with the event belong behind the gap: they may be a little older than it.
        let begins_ns = |gap: &Gap| gap.end_ns.saturating_sub(gap.length_ns);
        while let Some(gap) = self.gaps.next_if(|gap| begins_ns(gap) < time_ns) {
            tracker.away(begins_ns(&gap), gap.end_ns, out);
        }
    }
}

/// Why the last session of a recording ended; `None` while it is being recorded.
fn end_of(tape: &dyn Recording) -> Option<SessionEnd> {
    match tape.ending() {
        Ending::Closed => Some(end_of_reason(tape.metadata().get("end_reason").map_or("", String::as_str))),
        Ending::Broken => Some(SessionEnd::CrashRecovered),
        Ending::Running => None,
    }
}

/// Why the last session of a recording ended, by why the recording did.
#[must_use]
pub fn end_of_reason(reason: &str) -> SessionEnd {
    match reason {
        "game_ended" => SessionEnd::Game,
        "new_session" => SessionEnd::IndexChange,
        "new_session_type" => SessionEnd::TypeChange,
        "new_car" => SessionEnd::CarChange,
        "new_track" => SessionEnd::TrackChange,
        "stopped" | "max_duration" | "next_piece" | "new_layout" => SessionEnd::ToolStop,
        _ => SessionEnd::StreamEnd,
    }
}
