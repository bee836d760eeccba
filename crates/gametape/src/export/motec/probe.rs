//! A look at a tape before it is exported: the rate of each stream, and which stream has which of the shared channels. Reads a few frames
//! at many places instead of the whole tape.

use gametape_analysis::recording::streams_of_games;
use gametape_format::read::{ReadError, Tape, TapeStream};
use gametape_games::Sample;

use super::shared::Shared;
use crate::export::part::decoding_of;

/// Places of a stream that are looked at.
const LOOKS: u64 = 48;
/// Frames that are read at each place.
const FRAMES: usize = 24;
/// Rates that are meant if one is measured that is slightly off.
const USUAL_HZ: [u16; 20] = [1, 2, 5, 10, 15, 20, 25, 30, 40, 50, 60, 75, 90, 100, 120, 144, 200, 250, 333, 500];
/// Highest rate of a channel: the highest that loggers record.
const MOST_HZ: u16 = 1000;

/// What was found.
pub(super) struct Probe {
    /// Rate of each stream; streams in the order of [`streams_of_games`].
    pub(super) hz: Vec<u16>,
    /// The stream that each shared channel is read from; `None` if the tape does not have it.
    pub(super) owners: Vec<Option<usize>>,
}

/// Looks at a tape.
pub(super) fn probe(tape: &Tape, shared: &[Shared]) -> Result<Probe, ReadError> {
    let streams: Vec<&TapeStream> = streams_of_games(tape).collect();
    let mut all = decoding_of(tape);
    let mut found = Probe { hz: Vec::new(), owners: vec![None; shared.len()] };
    let mut together = vec![false; shared.len()];
    for (place, stream) in streams.iter().enumerate() {
        // A decoder of its own, which knows of no other stream.
        let mut own = decoding_of(tape);
        let mut intervals = Vec::new();
        let mut seen = vec![false; shared.len()];
        look(tape, stream, &mut |since_ns, frame| {
            intervals.extend(since_ns);
            for (decoding, seen) in [(&mut own, &mut seen), (&mut all, &mut together)] {
                if let Some(sample) = decoding.as_mut().and_then(|decoding| decoding.frame(place, frame)) {
                    mark(sample, shared, seen);
                }
            }
        })?;
        intervals.sort_unstable();
        found.hz.push(intervals.get(intervals.len() / 2).map_or(1, |interval_ns| whole_rate(*interval_ns)));
        for (owner, seen) in found.owners.iter_mut().zip(seen) {
            let is_faster = owner.is_none_or(|known: usize| found.hz.get(known) < found.hz.get(place));
            if seen && is_faster {
                *owner = Some(place);
            }
        }
    }
    // What follows from several streams together is read at the highest rate.
    let fastest = (0..streams.len()).max_by_key(|place| found.hz.get(*place));
    for (owner, together) in found.owners.iter_mut().zip(together) {
        *owner = owner.or(fastest.filter(|_| together));
    }
    Ok(found)
}

fn mark(sample: &Sample, shared: &[Shared], seen: &mut [bool]) {
    for (seen, shared) in seen.iter_mut().zip(shared) {
        *seen |= shared.value(sample).is_some();
    }
}

/// Passes on frames of a stream, each with the time since the frame before it.
fn look(tape: &Tape, stream: &TapeStream, take: &mut dyn FnMut(Option<u64>, &[u8])) -> Result<(), ReadError> {
    let totals = stream.totals();
    let (Some(first_ns), Some(last_ns)) = (totals.first_ns, totals.last_ns) else { return Ok(()) };
    let mut frames = tape.frames(stream);
    for number in 0..LOOKS {
        let into = u128::from(last_ns.saturating_sub(first_ns)) * u128::from(number) / u128::from(LOOKS);
        match frames.seek_time(first_ns.saturating_add(u64::try_from(into).unwrap_or_default())) {
            Err(ReadError::Damaged(_)) => continue,
            sought => sought?,
        }
        let mut before_ns = None;
        for _ in 0..FRAMES {
            match frames.next() {
                Ok(Some(frame)) => {
                    let since_ns = before_ns.replace(frame.time_ns).map(|before_ns| frame.time_ns - before_ns);
                    take(since_ns, frame.data);
                }
                Ok(None) | Err(ReadError::Damaged(_)) => break,
                Err(error) => return Err(error),
            }
        }
    }
    Ok(())
}

/// Returns the whole rate of frames at this interval.
fn whole_rate(interval_ns: u64) -> u16 {
    let hz = 1e9 / interval_ns.max(1) as f64;
    let is_meant = |usual: &u16| (hz / f64::from(*usual) - 1.0).abs() < 0.04;
    let nearest = |usual: &u16| (hz - f64::from(*usual)).abs();
    let usual = USUAL_HZ.into_iter().filter(is_meant).min_by(|one, other| nearest(one).total_cmp(&nearest(other)));
    usual.unwrap_or_else(|| hz.round().clamp(1.0, f64::from(MOST_HZ)) as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_whole_and_usual_ones_are_recognised() {
        let rates =
            [10_000_000, 10_080_000, 16_666_667, 16_700_000, 3_003_003, 2_777_778, 14_000_000, 1, 0, 5_000_000_000];
        assert_eq!(rates.map(whole_rate), [100, 100, 60, 60, 333, 360, 71, 1000, 1000, 1]);
    }
}
