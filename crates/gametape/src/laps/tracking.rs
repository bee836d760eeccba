//! From the frames of a game to events: the adapter of the game's folder and the tracker, one behind the other. A tape and a running game both go through
//! here.

use gametape_format::read::{ReadError, Tape};
use gametape_format::write::is_being_written;
use gametape_format::{Role, StreamSpec, TapeId};
use gametape_games::{LapFrame, Layout, ReadLaps, SeenFrame, find_game};

use super::choices::STREAM_END_NS;
use super::cut_lap::keep_cut_lap;
use super::event::Event;
use super::tracked::Tracked;
use super::tracker::Tracker;
use super::words::SessionEnd;
use crate::capture::{GAP, gap_length_ns};
use crate::layout::layout_of_stream;

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
pub fn track_tape(tape: &Tape) -> Result<Tracked, TrackError> {
    let of_game = || tape.streams().filter(|stream| !stream.spec().role.is_system());
    let game = of_game().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty()).unwrap_or_default();
    if find_game(game).is_some_and(|game| !game.rules.has_laps()) {
        return Ok(Tracked::default());
    }
    let id = tape.id().unwrap_or(TapeId([0; 16]));
    let mut tracking = Tracking::new(game, id, of_game().map(|stream| stream.spec()))?;
    let places: Vec<_> = of_game().map(|stream| stream.id()).collect();
    let mut tracked = Tracked::default();
    let mut events = Vec::new();
    let mut notes = Notes::of(tape);
    // A recorder tells of descriptions before the frames of the same time; by their numbers, streams come the other way round.
    let first_ns = of_game().filter_map(|stream| stream.totals().first_ns).min().unwrap_or_default();
    for (place, stream) in of_game().enumerate().filter(|(_, stream)| stream.spec().role == Role::Describe) {
        if let Ok(Some(frame)) = tape.frames(stream).next()
            && frame.time_ns <= first_ns
        {
            tracking.frame(place, frame.time_ns, frame.data, &mut events);
        }
    }
    let mut frames = tape.merged(of_game());
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
        if let Some(place) = places.iter().position(|place| *place == frame.stream) {
            tracking.frame(place, frame.time_ns, frame.data, &mut events);
        }
        events.drain(..).for_each(|event| tracked.take(event));
    }
    // The last frame may have been shown for longer than it was stored.
    let until = |stream: &gametape_format::read::TapeStream| stream.totals().last_ns.max(stream.status().seen_until_ns);
    let end_ns = of_game().filter_map(until).max().unwrap_or_default();
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

/// What stands beside the frames: readings of the wall clock, and when the game was away.
struct Notes {
    clocks: std::iter::Peekable<std::vec::IntoIter<(u64, i64)>>,
    gaps: std::iter::Peekable<std::vec::IntoIter<(u64, u64)>>,
}

impl Notes {
    fn of(tape: &Tape) -> Self {
        let mut clocks = tape.clock_readings();
        if let (true, Some(utc_ns)) = (clocks.is_empty(), tape.start_utc_ns()) {
            clocks.push((0, utc_ns));
        }
        clocks.sort_by_key(|(time_ns, _)| *time_ns);
        let gaps = tape.events().into_iter().filter(|event| event.kind == GAP);
        // The event stands at the end of the gap and says its length.
        let lengths = gaps.filter_map(|event| Some((event.at_ns, gap_length_ns(&event)?)));
        Self { clocks: clocks.into_iter().peekable(), gaps: lengths.collect::<Vec<_>>().into_iter().peekable() }
    }

    fn until(&mut self, time_ns: u64, tracker: &mut Tracker, out: &mut Vec<Event>) {
        while let Some((read_ns, utc_ns)) = self.clocks.next_if(|(read_ns, _)| *read_ns <= time_ns) {
            tracker.clock(read_ns, utc_ns);
        }
        // Frames that came with the event belong behind the gap: they may be a little older than it.
        while let Some((end_ns, length_ns)) =
            self.gaps.next_if(|(end_ns, length_ns)| end_ns.saturating_sub(*length_ns) < time_ns)
        {
            tracker.away(end_ns.saturating_sub(length_ns), end_ns, out);
        }
    }
}

/// Why the last session of a tape ended, by what stands on the tape; `None` while the tape is being recorded.
fn end_of(tape: &Tape) -> Option<SessionEnd> {
    if tape.is_complete() {
        return Some(end_of_reason(tape.metadata().get("end_reason").map_or("", String::as_str)));
    }
    let goes_on = tape.path().is_some_and(is_being_written);
    (!goes_on).then_some(SessionEnd::CrashRecovered)
}

/// Why the last session of a recording ended, by why the recording did.
pub(super) fn end_of_reason(reason: &str) -> SessionEnd {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::capture::EndReason;

    #[test]
    fn d1_d2_d10_a_session_that_has_a_tape_of_its_own_ends_for_the_reason_that_the_next_tape_began() {
        for (tape, session) in [
            (EndReason::GameEnded, SessionEnd::Game),
            (EndReason::NewSession, SessionEnd::IndexChange),
            (EndReason::NewSessionType, SessionEnd::TypeChange),
            (EndReason::NewCar, SessionEnd::CarChange),
            (EndReason::NewTrack, SessionEnd::TrackChange),
            (EndReason::Stopped, SessionEnd::ToolStop),
            (EndReason::Frozen, SessionEnd::StreamEnd),
            (EndReason::SourceFailed, SessionEnd::StreamEnd),
        ] {
            assert_eq!(end_of_reason(tape.as_str()), session, "{tape:?}");
        }
    }
}
