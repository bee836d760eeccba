//! Reads a tape, or a part of it, once, all channels at a time.

use std::ops::Range;

use gametape_format::StreamId;
use gametape_format::read::{Problem, ReadError, Tape, TapeStream};
use gametape_games::Sample;

use super::ReportError;
use super::choice::Chosen;
use super::line::{Line, Span};
use super::pack::Packed;
use super::{CORE_STRETCHES, Progress, TimeChannel, Weight};
use crate::Decoding;
use crate::laps::{RequestedChannel, steering_unit};
use crate::recording::streams_of_games;

/// Shorter silence of all streams is ignored: a paused game produces nothing new for a while.
const SILENCE_NS: u64 = 2_000_000_000;

/// A channel with values.
pub(super) struct Known {
    pub(super) tap: RequestedChannel,
    pub(super) channel: TimeChannel,
}

/// The result of the pass.
pub(super) struct TimeLines {
    pub(super) span: Span,
    pub(super) known: Vec<Known>,
    pub(super) damage: Vec<Problem>,
}

/// Reads the frames in a range of time; `0..u64::MAX` is the whole tape.
pub(super) fn time_lines(
    tape: &Tape,
    chosen: Vec<Chosen>,
    times: &Range<u64>,
    progress: Progress<'_>,
) -> Result<TimeLines, ReportError> {
    let streams = || streams_of_games(tape);
    let first_ns = streams().filter_map(|stream| stream.totals().first_ns).min().unwrap_or_default();
    let from_ns = first_ns.max(times.start);
    let last_ns = streams().filter_map(|stream| stream.totals().last_ns.max(stream.status().seen_until_ns)).max();
    let last_ns = last_ns.unwrap_or_default().min(times.end.saturating_sub(1)).max(from_ns);
    let frames = streams().map(|stream| frames_between(stream, from_ns, last_ns)).max().unwrap_or_default();
    let span = Span::new(from_ns, last_ns, frames, CORE_STRETCHES);

    let mut pass = Pass::new(tape, chosen, &span);
    let silence_ns = SILENCE_NS.max(4 * span.stretch_ns);
    let (mut seen_ns, mut count) = (from_ns, 0_u64);
    let (mut unseen, mut damage) = (Vec::new(), Vec::new());
    let mut merged = tape.merged(streams());
    if from_ns > first_ns {
        // An unchanged frame is stored only once: what was current at the beginning may be much older.
        for (place, stream) in streams().enumerate() {
            if let Ok(Some((_, data))) = tape.frame_at(stream, from_ns) {
                pass.frame(place, 0, &data);
            }
        }
        match merged.seek_time(from_ns) {
            Ok(()) => {}
            Err(ReadError::Damaged(problem)) => damage.push(problem),
            Err(error) => return Err(error.into()),
        }
    }
    loop {
        let frame = match merged.next() {
            Ok(Some(frame)) if frame.time_ns < times.end => frame,
            Ok(_) => break,
            Err(ReadError::Damaged(problem)) => {
                damage.push(problem);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let Some(place) = pass.places.iter().position(|place| *place == frame.stream) else { continue };
        count += 1;
        if count.is_multiple_of(4096) {
            progress(frame.time_ns.saturating_sub(from_ns), 2 * last_ns.saturating_sub(from_ns))?;
        }
        let stretch = span.at(frame.time_ns);
        if frame.time_ns.saturating_sub(seen_ns) > silence_ns {
            unseen.push((span.at(seen_ns) + 1, stretch));
        }
        seen_ns = seen_ns.max(frame.time_ns);
        pass.frame(place, stretch, frame.data);
    }
    let Pass { lines, newest, .. } = pass;
    let known = lines.into_iter().filter_map(|(one, line)| known(one, line, &span, &unseen, &newest)).collect();
    Ok(TimeLines { span, known, damage })
}

/// Returns about how many frames a stream has between two times: all of them, or a part as large as that of its time.
fn frames_between(stream: &TapeStream, from_ns: u64, last_ns: u64) -> u64 {
    let totals = stream.totals();
    let Some((first, last)) = Option::zip(totals.first_ns, totals.last_ns) else { return 0 };
    let (whole, part) = (last.saturating_sub(first), last.min(last_ns).saturating_sub(first.max(from_ns)));
    match whole == part {
        true => totals.frames,
        false => (totals.frames as f64 * (part as f64 / whole.max(1) as f64)).ceil() as u64,
    }
}

/// The lines of all channels while frames go by.
struct Pass {
    /// The ids of the streams, by their index.
    places: Vec<StreamId>,
    lines: Vec<(Chosen, Line)>,
    /// The lines that all games share.
    neutral: Vec<usize>,
    of_stream: Vec<Vec<usize>>,
    decoding: Option<Decoding>,
    newest: Sample,
}

impl Pass {
    fn new(tape: &Tape, chosen: Vec<Chosen>, span: &Span) -> Self {
        let streams = || streams_of_games(tape);
        let game = streams().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty());
        let decoding = game.and_then(|game| Decoding::new(game, streams().map(|stream| stream.spec())));
        let places: Vec<_> = streams().map(|stream| stream.id()).collect();
        let lines: Vec<(Chosen, Line)> = chosen
            .into_iter()
            .map(|chosen| (Line::new(span, chosen.most), chosen))
            .map(|(line, one)| (one, line))
            .collect();
        let of = |wanted: Option<usize>| {
            let lines = lines.iter().enumerate();
            lines.filter(|(_, (one, _))| one.tap.stream() == wanted).map(|(number, _)| number).collect::<Vec<_>>()
        };
        let neutral = of(None);
        let of_stream: Vec<Vec<usize>> = (0..places.len()).map(|place| of(Some(place))).collect();
        Self { places, lines, neutral, of_stream, decoding, newest: Sample::default() }
    }

    /// Adds a frame of the stream with this index to an interval.
    fn frame(&mut self, place: usize, stretch: usize, data: &[u8]) {
        for number in self.of_stream.get(place).into_iter().flatten() {
            if let Some((one, line)) = self.lines.get_mut(*number) {
                one.tap.frame(place, data);
                line.put(stretch, one.tap.value(&self.newest) as f32);
            }
        }
        if let Some(sample) = self.decoding.as_mut().and_then(|decoding| decoding.frame(place, data)) {
            self.newest = *sample;
            for number in &self.neutral {
                if let Some((one, line)) = self.lines.get_mut(*number) {
                    line.put(stretch, one.tap.value(sample) as f32);
                }
            }
        }
    }
}

/// Packs a channel, unless it has nothing to show.
fn known(chosen: Chosen, line: Line, span: &Span, unseen: &[(usize, usize)], newest: &Sample) -> Option<Known> {
    let Chosen { mut tap, weight, asked_for, .. } = chosen;
    let shift = line.shift;
    let pairs = line.finish(span, unseen);
    let mut values = pairs.iter().flatten().copied().filter(|value| value.is_finite());
    let first = values.next()?;
    // Omit constant channels, unless they are shown by default or were requested.
    if weight != Weight::Core && !asked_for && values.all(|value| value == first) {
        return None;
    }
    if tap.name == "steering" {
        tap.unit = steering_unit(newest).to_owned();
    }
    let channel = TimeChannel {
        name: tap.name.clone(),
        unit: tap.unit.clone(),
        is_smooth: tap.is_smooth,
        weight,
        shift,
        values: Packed::coarse(pairs.as_flattened()),
    };
    Some(Known { tap, channel })
}
