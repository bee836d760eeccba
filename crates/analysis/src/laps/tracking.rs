//! Turns the frames of a game into events: the game's adapter, followed by the tracker. Used for tapes and for running games.

use gametape_format::read::ReadError;
use gametape_format::{Role, StreamSpec, TapeId};
use gametape_games::{LapFrame, Layout, ReadLaps, SeenFrame, find_reader};

use super::cut_lap::keep_cut_lap;
use super::event::Event;
use super::model::FOREIGN;
use super::standings::SessionStandings;
use super::thresholds::STREAM_END_NS;
use super::tracked::Tracked;
use super::tracker::Tracker;
use super::words::{LapState, SessionEnd};
use crate::layout::layout_of_stream;
use crate::recording::{Ending, Gap, Recording};

/// Why a tape cannot be tracked.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrackError {
    /// The game is unknown.
    #[error("unknown game {game:?}: cannot detect laps; `gametape games` lists the supported games")]
    UnknownGame {
        /// The game id stored in the tape.
        game: String,
    },
    /// The tape cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
}

/// Turns the frames of a game into events.
pub struct Tracking {
    adapter: Box<dyn ReadLaps>,
    /// Name and layout of each stream; `None` for ignored streams.
    streams: Vec<Option<(String, Layout)>>,
    frame: LapFrame,
    tracker: Tracker,
    /// `None` if the game only reports the player's car.
    standings: Option<SessionStandings>,
    /// Time of the newest frame of all streams.
    seen_ns: u64,
}

impl Tracking {
    /// Creates a tracker for these streams of a game, which are identified by their index.
    ///
    /// # Errors
    /// If the game is unknown.
    pub fn new<'a>(
        game: &str,
        tape: TapeId,
        streams: impl IntoIterator<Item = &'a StreamSpec>,
    ) -> Result<Self, TrackError> {
        let known = find_reader(game).ok_or_else(|| TrackError::UnknownGame { game: game.to_owned() })?;
        let of_game = |spec: &StreamSpec| spec.game.is_empty() || spec.game == game;
        // Streams with an invalid layout are ignored.
        let named = |spec: &StreamSpec| Some((spec.name.clone(), layout_of_stream(spec).ok()?));
        let streams = streams.into_iter().map(|spec| named(spec).filter(|_| of_game(spec))).collect();
        let tracker = Tracker::new(game, tape);
        let standings = known.standings().map(SessionStandings::new);
        Ok(Self { adapter: known.laps(), streams, frame: LapFrame::default(), tracker, standings, seen_ns: 0 })
    }

    /// Adds a frame of the stream with this index. Events are appended to `out`.
    pub fn frame(&mut self, stream: usize, time_ns: u64, bytes: &[u8], out: &mut Vec<Event>) {
        let Some(Some((name, layout))) = self.streams.get(stream) else { return };
        if time_ns.saturating_sub(self.seen_ns) >= STREAM_END_NS {
            self.tracker.unseen(time_ns - self.seen_ns);
        }
        self.seen_ns = self.seen_ns.max(time_ns);
        let seen = SeenFrame { stream: name, layout, bytes };
        if let Some(standings) = &mut self.standings {
            standings.frame(self.seen_ns, seen, out);
        }
        if self.adapter.frame(seen, &mut self.frame) {
            self.tracker.frame(time_ns, &self.frame, self.adapter.identity(), out);
        }
        // Frames of other streams show how long a page has been unchanged.
        self.tracker.time_passes(time_ns, out);
        if let Some(standings) = &mut self.standings {
            standings.session_is(self.tracker.session().map(|session| session.id), self.seen_ns, out);
        }
    }

    /// Ends the current session, and reports everything that has not been reported yet.
    pub fn finish(&mut self, end: SessionEnd, at_ns: u64, out: &mut Vec<Event>) {
        if let Some(standings) = &mut self.standings {
            standings.finish(at_ns, out);
        }
        self.tracker.finish(end, at_ns, out);
    }

    /// Returns the tracker, to set its clock and to advance its time.
    pub fn tracker(&mut self) -> &mut Tracker {
        &mut self.tracker
    }
}

/// Returns the sessions, stints and laps of a tape, in one pass over its frames. If the tape is still being recorded, the last ones are
/// still running. Damaged parts are skipped like gaps, and counted.
///
/// # Errors
/// If the game is unknown, or if the tape cannot be read at all.
pub fn track_tape(tape: &dyn Recording) -> Result<Tracked, TrackError> {
    let game = tape.game();
    if find_reader(&game).is_some_and(|game| !game.has_laps()) {
        return Ok(Tracked::default());
    }
    let streams = tape.streams();
    let id = tape.id().unwrap_or(TapeId([0; 16]));
    let mut tracking = Tracking::new(&game, id, streams.iter().copied())?;
    let mut tracked = Tracked::default();
    let mut events = Vec::new();
    let mut notes = Notes::of(tape);
    // A recorder reports descriptions before other frames of the same time. In a tape, frames of the same time are in the order of
    // their stream ids.
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
    // The last frame may have been current until after its capture time.
    let end_ns = tape.end_ns();
    notes.until(end_ns, tracking.tracker(), &mut events);
    tracking.tracker().time_passes(end_ns, &mut events);
    if let Some(end) = end_of(tape) {
        tracking.finish(end, end_ns, &mut events);
    }
    events.drain(..).for_each(|event| tracked.take(event));
    tracked.bad_positions = tracking.tracker().bad_positions();
    keep_cut_lap(tape, &mut tracked);
    let foreign = tape.metadata().get(FOREIGN).is_some_and(|value| value == "true");
    tracked.sessions.iter_mut().for_each(|known| known.session.foreign = foreign);
    if foreign {
        drop_lap_at_end(&mut tracked, end_ns);
    }
    Ok(tracked)
}

/// Removes the lap that begins with the last frame. A file that ends at the line has nothing of the next lap.
fn drop_lap_at_end(tracked: &mut Tracked, end_ns: u64) {
    for known in &mut tracked.sessions {
        if known.laps.pop_if(|lap| lap.state == LapState::Aborted && lap.start_ns >= end_ns).is_some() {
            let last = known.laps.last().map(|lap| lap.tape_lap);
            known.stints.iter_mut().for_each(|stint| stint.last_lap = stint.last_lap.min(last));
        }
    }
}

/// Wall clock readings and gaps, in time order.
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
        // Frames that arrived with the event belong after the gap, although they may be slightly older than the event.
        let begins_ns = |gap: &Gap| gap.end_ns.saturating_sub(gap.length_ns);
        while let Some(gap) = self.gaps.next_if(|gap| begins_ns(gap) < time_ns) {
            tracker.away(begins_ns(&gap), gap.end_ns, out);
        }
    }
}

/// Returns why the last session of a recording ended, or `None` while it is being recorded.
fn end_of(tape: &dyn Recording) -> Option<SessionEnd> {
    match tape.ending() {
        Ending::Closed => Some(end_of_reason(tape.metadata().get("end_reason").map_or("", String::as_str))),
        Ending::Broken => Some(SessionEnd::CrashRecovered),
        Ending::Running => None,
    }
}

/// Returns why the last session of a recording ended, given the reason for which the recording ended.
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
