//! Reads a tape once, all channels at a time.

use gametape_format::read::{Problem, ReadError, Tape};
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

pub(super) fn time_lines(tape: &Tape, chosen: Vec<Chosen>, progress: Progress<'_>) -> Result<TimeLines, ReportError> {
    let streams = || streams_of_games(tape);
    let from_ns = streams().filter_map(|stream| stream.totals().first_ns).min().unwrap_or_default();
    let last_ns = streams().filter_map(|stream| stream.totals().last_ns.max(stream.status().seen_until_ns)).max();
    let last_ns = last_ns.unwrap_or_default().max(from_ns);
    let frames = streams().map(|stream| stream.totals().frames).max().unwrap_or_default();
    let span = Span::new(from_ns, last_ns, frames, CORE_STRETCHES);

    let game = streams().map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty());
    let mut decoding = game.and_then(|game| Decoding::new(game, streams().map(|stream| stream.spec())));
    let places: Vec<_> = streams().map(|stream| stream.id()).collect();
    let mut lines: Vec<(Chosen, Line)> = chosen
        .into_iter()
        .map(|chosen| (Line::new(&span, chosen.most), chosen))
        .map(|(line, one)| (one, line))
        .collect();
    let of = |wanted: Option<usize>| {
        let lines = lines.iter().enumerate();
        lines.filter(|(_, (one, _))| one.tap.stream() == wanted).map(|(number, _)| number).collect::<Vec<_>>()
    };
    let neutral = of(None);
    let of_stream: Vec<Vec<usize>> = (0..places.len()).map(|place| of(Some(place))).collect();

    let silence_ns = SILENCE_NS.max(4 * span.stretch_ns);
    let (mut seen_ns, mut count, mut newest) = (from_ns, 0_u64, Sample::default());
    let (mut unseen, mut damage) = (Vec::new(), Vec::new());
    let mut merged = tape.merged(streams());
    loop {
        let frame = match merged.next() {
            Ok(Some(frame)) => frame,
            Ok(None) => break,
            Err(ReadError::Damaged(problem)) => {
                damage.push(problem);
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        let Some(place) = places.iter().position(|place| *place == frame.stream) else { continue };
        count += 1;
        if count.is_multiple_of(4096) {
            progress(frame.time_ns.saturating_sub(from_ns), 2 * last_ns.saturating_sub(from_ns))?;
        }
        let stretch = span.at(frame.time_ns);
        if frame.time_ns.saturating_sub(seen_ns) > silence_ns {
            unseen.push((span.at(seen_ns) + 1, stretch));
        }
        seen_ns = seen_ns.max(frame.time_ns);
        for number in of_stream.get(place).into_iter().flatten() {
            if let Some((one, line)) = lines.get_mut(*number) {
                one.tap.frame(place, frame.data);
                line.put(stretch, one.tap.value(&newest) as f32);
            }
        }
        if let Some(sample) = decoding.as_mut().and_then(|decoding| decoding.frame(place, frame.data)) {
            newest = *sample;
            for number in &neutral {
                if let Some((one, line)) = lines.get_mut(*number) {
                    line.put(stretch, one.tap.value(sample) as f32);
                }
            }
        }
    }
    let known = lines.into_iter().filter_map(|(one, line)| known(one, line, &span, &unseen, &newest)).collect();
    Ok(TimeLines { span, known, damage })
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
