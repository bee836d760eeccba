//! The parts of a tape that become files: a range of times, laps, and the session that a part is of.

use std::ops::Range;

use gametape_analysis::Decoding;
use gametape_analysis::laps::{Lap, Tracked, TrackedSession};
use gametape_analysis::recording::streams_of_games;
use gametape_format::read::Tape;

use super::{Export, ExportError, LapFiles};

/// Returns the times of the tape that are exported, from the first frame to the last one, which is included.
pub(super) fn times_of(what: &Export<'_>) -> Result<Range<u64>, ExportError> {
    let found = times_within(what.tape, &what.times);
    found.ok_or_else(|| {
        ExportError::Nothing("the tape has no frames in this range; `gametape info` shows its duration".to_owned())
    })
}

fn times_within(tape: &Tape, wanted: &Range<u64>) -> Option<Range<u64>> {
    let first_ns = streams_of_games(tape).filter_map(|stream| stream.totals().first_ns).min()?;
    let last_ns = streams_of_games(tape).filter_map(|stream| stream.totals().last_ns).max()?;
    let times = first_ns.max(wanted.start)..last_ns.min(wanted.end.saturating_sub(1));
    (times.start <= times.end).then_some(times)
}

/// Returns the laps that become files of their own: of those that begin within these times.
pub(super) fn lap_files<'a>(
    what: &Export<'a>,
    times: &Range<u64>,
) -> impl Iterator<Item = (&'a TrackedSession, &'a Lap)> {
    let (wanted, times) = (what.laps, times.clone());
    let sessions = what.tracked.into_iter().flat_map(|tracked| &tracked.sessions);
    let laps = sessions.flat_map(|session| session.laps.iter().map(move |lap| (session, lap)));
    laps.filter(move |(_, lap)| {
        let is_wanted = wanted == LapFiles::Each || wanted == LapFiles::Only(lap.tape_lap);
        is_wanted && (times.start..=times.end).contains(&lap.start_ns)
    })
}

/// Returns the session with the most laps within these times.
pub(super) fn main_session<'a>(tracked: Option<&'a Tracked>, times: &Range<u64>) -> Option<&'a TrackedSession> {
    let overlaps = |session: &&TrackedSession| {
        session.session.start_ns <= times.end && session.session.end_ns.is_none_or(|end_ns| end_ns >= times.start)
    };
    let count = |session: &&TrackedSession| {
        session.laps.iter().filter(|lap| (times.start..=times.end).contains(&lap.start_ns)).count()
    };
    // The first one, if several have as many.
    tracked?.sessions.iter().filter(overlaps).rev().max_by_key(count)
}

/// Creates the decoder of a tape's game.
pub(super) fn decoding_of(tape: &Tape) -> Option<Decoding> {
    let streams = || streams_of_games(tape);
    let game = streams().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty())?;
    Decoding::new(game, streams().map(|stream| stream.spec()))
}
