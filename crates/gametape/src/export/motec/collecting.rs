//! Frames to samples: takes frames in time order, gives the samples of all channels of a log in a [`Spool`].

use std::io;
use std::ops::Range;

use gametape_analysis::Decoding;
use gametape_games::Sample;

use super::channels::{LogChannel, Source};
use super::lines::Lines;
use super::resample::{Resampler, time_of};
use super::spool::Spool;
use crate::export::ExportSink;

pub(super) struct Collecting<'a> {
    channels: &'a mut [LogChannel],
    resamplers: Vec<Resampler>,
    /// The channels that each stream changes.
    of_stream: Vec<Vec<usize>>,
    decoding: Option<Decoding>,
    newest: Sample,
    spool: Spool,
}

impl<'a> Collecting<'a> {
    /// Begins a log of these times, the last one included.
    pub(super) fn new(
        channels: &'a mut [LogChannel],
        decoding: Option<Decoding>,
        times: &Range<u64>,
        spool: Spool,
    ) -> Self {
        let resampler = |of: &LogChannel| Resampler::new(of.hz, times, of.is_smooth, of.is_integer);
        let resamplers = channels.iter().map(resampler).collect();
        let mut of_stream: Vec<Vec<usize>> = Vec::new();
        for (number, channel) in channels.iter().enumerate() {
            if let Some(stream) = channel.stream() {
                of_stream.resize_with(of_stream.len().max(stream + 1), Vec::new);
                of_stream[stream].push(number);
            }
        }
        Self { channels, resamplers, of_stream, decoding, newest: Sample::default(), spool }
    }

    /// Takes a frame of the stream at this place.
    pub(super) fn frame(&mut self, place: usize, time_ns: u64, frame: &[u8], sink: &dyn ExportSink) -> io::Result<()> {
        let Self { channels, resamplers, of_stream, decoding, newest, spool } = self;
        if let Some(sample) = decoding.as_mut().and_then(|decoding| decoding.frame(place, frame)) {
            *newest = *sample;
        }
        let mut done = Ok(());
        for number in of_stream.get(place).into_iter().flatten().copied() {
            if let (Some(channel), Some(resampler)) = (channels.get_mut(number), resamplers.get_mut(number)) {
                let value = channel.value(place, frame, newest);
                let put = |value| spool.put((number, channel.sample(value)), &|| sink.goes_on(), &mut done);
                resampler.knot(time_ns, value, put);
            }
        }
        done
    }

    /// Completes all channels. Those of laps follow from the crossings of the line.
    pub(super) fn finish(mut self, lines: &Lines, sink: &dyn ExportSink) -> io::Result<Spool> {
        let mut done = Ok(());
        for (number, (channel, resampler)) in self.channels.iter().zip(&mut self.resamplers).enumerate() {
            let mut put = |value| self.spool.put((number, channel.sample(value)), &|| sink.goes_on(), &mut done);
            match channel.source {
                Source::LapNumber | Source::LapTime => {
                    for at in 0..resampler.count {
                        put(lap_value(&channel.source, lines, time_of(at, channel.hz)));
                    }
                }
                _ => resampler.finish(put),
            }
        }
        done.map(|()| self.spool)
    }
}

/// Returns the value of a channel that follows from the crossings.
fn lap_value(source: &Source, lines: &Lines, time_ns: u64) -> f64 {
    let crossed = lines.at_ns.partition_point(|at_ns| *at_ns <= time_ns);
    match source {
        Source::LapTime => {
            let since_ns = crossed.checked_sub(1).and_then(|last| lines.at_ns.get(last)).copied().unwrap_or(0);
            (time_ns - since_ns) as f64 / 1e9
        }
        _ => crossed as f64,
    }
}
