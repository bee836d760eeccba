//! What every table says about the time of a row: UTC, the session, the lap, and the position in the lap.
//!
//! Takes frames in time order and the tracked laps. Returns a [`Moment`] for a time; times must increase from call to call.

use gametape_format::StreamId;
use gametape_format::read::Tape;
use gametape_games::Sample;

use crate::laps::{Lap, LapState, Session, TrackFacts, Tracked, TrackedSession};
use gametape_analysis::recording::streams_of_games;
use gametape_analysis::{Decoding, Recording};

/// The time of a row.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moment<'a> {
    /// Wall clock, in nanoseconds since 1970; `None` if the tape has no clock reading.
    pub(super) utc_ns: Option<i64>,
    /// The session.
    #[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "text tables do not have it"))]
    pub(super) session: Option<&'a Session>,
    /// The lap.
    pub(super) lap: Option<&'a Lap>,
    /// Distance from the line.
    pub(super) distance_m: Option<f32>,
}

/// Follows the frames of a tape and knows the lap at each time.
pub(super) struct Moments<'a> {
    clocks: Vec<(u64, i64)>,
    sessions: Vec<&'a Session>,
    laps: Vec<TableLap<'a>>,
    /// Indices at which the searches for session and lap begin: times increase.
    next_session: usize,
    next_lap: usize,
    lap: Option<u32>,
    /// The position may still be that of the previous lap.
    stale: bool,
    places: Vec<StreamId>,
    decoding: Option<Decoding>,
    share: Option<f32>,
    distance_m: Option<f32>,
}

impl<'a> Moments<'a> {
    pub(super) fn new(tape: &Tape, tracked: Option<&'a Tracked>) -> Self {
        let recording: &dyn Recording = tape;
        let streams = || streams_of_games(tape);
        let game = streams().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty());
        let sessions = tracked.iter().flat_map(|tracked| &tracked.sessions);
        Self {
            clocks: recording.clock_readings(),
            sessions: sessions.map(|session| &session.session).collect(),
            laps: tracked.map(laps_with_lengths).unwrap_or_default(),
            next_session: 0,
            next_lap: 0,
            lap: None,
            stale: false,
            places: streams().map(|stream| stream.id()).collect(),
            decoding: game.and_then(|game| Decoding::new(game, streams().map(|stream| stream.spec()))),
            share: None,
            distance_m: None,
        }
    }

    /// Updates the position from a frame of any stream.
    pub(super) fn take(&mut self, stream: StreamId, frame: &[u8]) {
        let place = self.places.iter().position(|place| *place == stream);
        let sample = place.and_then(|place| self.decoding.as_mut()?.frame(place, frame));
        if let Some(sample) = sample {
            (self.share, self.distance_m) = (sample.track_position, sample.lap_distance_m);
        }
    }

    /// Returns the neutral values after the last frame; `None` for an unknown game.
    #[cfg_attr(not(feature = "arrow"), allow(dead_code, reason = "text tables do not have them"))]
    pub(super) fn sample(&self) -> Option<&Sample> {
        self.decoding.as_ref().map(Decoding::sample)
    }

    /// Returns what is known about a time. Times must increase from call to call.
    pub(super) fn at(&mut self, time_ns: u64) -> Moment<'a> {
        let found = self.lap_at(time_ns);
        let lap = found.map(|found| found.lap.tape_lap);
        if self.lap != lap {
            self.lap = lap;
            self.stale = found.is_some_and(|found| found.from_line);
        }
        Moment {
            utc_ns: utc_at(&self.clocks, time_ns),
            session: self.session_at(time_ns),
            lap: found.map(|found| found.lap),
            distance_m: found.and_then(|found| self.distance_in(found.length_m)),
        }
    }

    /// Returns the number of the lap at a time.
    #[cfg(feature = "arrow")]
    pub(super) fn tape_lap_at(&mut self, time_ns: u64) -> Option<u32> {
        self.lap_at(time_ns).map(|found| found.lap.tape_lap)
    }

    /// Returns the session at a time.
    pub(super) fn session_at(&mut self, time_ns: u64) -> Option<&'a Session> {
        let is_over = |session: &Session| session.end_ns.is_some_and(|end_ns| end_ns <= time_ns);
        while self.sessions.get(self.next_session).is_some_and(|session| is_over(session)) {
            self.next_session += 1;
        }
        self.sessions.get(self.next_session).filter(|session| session.start_ns <= time_ns).copied()
    }

    fn lap_at(&mut self, time_ns: u64) -> Option<TableLap<'a>> {
        let is_over = |lap: &Lap| lap.end_ns.is_some_and(|end_ns| end_ns <= time_ns);
        while self.laps.get(self.next_lap).is_some_and(|of| is_over(of.lap)) {
            self.next_lap += 1;
        }
        self.laps.get(self.next_lap).filter(|of| of.lap.start_ns <= time_ns).copied()
    }

    /// Returns the distance from the line. Games count the lap slightly before or after they reset the position. A lap that begins at the
    /// line starts in the first half of the track, so until then a position in the second half belongs to the previous lap.
    fn distance_in(&mut self, length_m: Option<f32>) -> Option<f32> {
        let share =
            self.share.or_else(|| Option::zip(self.distance_m, length_m).map(|(metres, length)| metres / length));
        self.stale &= share.is_some_and(|share| share > 0.5);
        if self.stale {
            return None;
        }
        self.distance_m.or_else(|| Option::zip(self.share, length_m).map(|(share, length)| share * length))
    }
}

/// A lap of the table.
#[derive(Clone, Copy)]
struct TableLap<'a> {
    lap: &'a Lap,
    /// Length of the track.
    length_m: Option<f32>,
    /// Whether it begins at the line, where the previous lap was completed.
    from_line: bool,
}

/// Returns all laps with their track lengths; the sessions of a tape may be on different tracks.
fn laps_with_lengths(tracked: &Tracked) -> Vec<TableLap<'_>> {
    let of_session = |session: &TrackedSession| {
        let (track, layout) = (session.session.track.as_ref(), session.session.layout.as_ref());
        let is_there = |facts: &&TrackFacts| Some(&facts.track) == track && facts.layout.as_ref() == layout;
        tracked.tracks.iter().find(is_there).and_then(|facts| facts.length_m)
    };
    tracked.sessions.iter().flat_map(|session| laps_of(session, of_session(session))).collect()
}

fn laps_of(session: &TrackedSession, length_m: Option<f32>) -> Vec<TableLap<'_>> {
    let before = std::iter::once(None).chain(session.laps.iter().map(Some));
    let of = |(lap, before): (_, Option<&Lap>)| {
        let from_line = before.is_some_and(|before| completed_at(before, lap));
        TableLap { lap, length_m, from_line }
    };
    session.laps.iter().zip(before).map(of).collect()
}

/// Returns whether the previous lap ended at the line, and this one began there.
fn completed_at(before: &Lap, lap: &Lap) -> bool {
    before.end_ns == Some(lap.start_ns) && matches!(before.state, LapState::Final | LapState::Provisional)
}

/// Maps a tape time to UTC, by the latest clock reading before it.
pub(super) fn utc_at(clocks: &[(u64, i64)], time_ns: u64) -> Option<i64> {
    let after = clocks.partition_point(|(read_ns, _)| *read_ns <= time_ns);
    let (read_ns, utc_ns) = clocks.get(after.saturating_sub(1))?;
    let since = i128::from(time_ns) - i128::from(*read_ns);
    i64::try_from(i128::from(*utc_ns) + since).ok()
}
