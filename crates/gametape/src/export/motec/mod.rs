//! Exports MoTeC logs: `.ld`, with the laps in a `.ldx` beside it.
//!
//! ```text
//! tape ──▶ probe: rates, streams of the shared channels ──▶ channels ──▶ file: everything before the samples ──▶ ExportSink
//!   └────▶ frames ──▶ values ──▶ resample: one whole rate for each channel ──▶ spool, a temporary file ─────────────▲
//! laps ──▶ lines ──▶ ldx
//! ```
//! A log has the samples of one channel after those of the other, a tape has them all at a time: the samples go through a temporary file
//! that has the order of the log. Their number follows from the length of the tape, so the file is written from its beginning to its end.
//! The layout of both files is in [`crate::motec`]. Nobody tried them in MoTeC's own programs yet.

mod channels;
mod collecting;
mod file;
mod ldx;
mod lines;
mod probe;
mod resample;
mod shared;
mod spool;
#[cfg(test)]
mod tests;

use std::ops::Range;

use gametape_analysis::Recording;
use gametape_analysis::laps::TrackedSession;
use gametape_analysis::recording::streams_of_games;
use gametape_format::read::{Problem, ReadError, TapeStream};
use gametape_games::find_game;

use super::moments::utc_at;
use super::part::{decoding_of, lap_files, main_session, times_of};
use super::{Content, Export, ExportError, ExportSink, Exported, Exporter, LapFiles};
use channels::{LogChannel, log_channels};
use collecting::Collecting;
use file::{About, LONGEST_FILE, before_samples, places};
use lines::Lines;
use probe::probe;
use resample::samples;
use spool::Spool;

/// What the log of a lap has before and after the lap, so that both crossings of the line are in it.
const AROUND_LAP_NS: u64 = 1_000_000_000;

/// Exports MoTeC logs.
#[derive(Debug, Clone, Copy)]
pub struct MotecExporter;

impl Exporter for MotecExporter {
    fn name(&self) -> &'static str {
        "motec"
    }

    fn extension(&self) -> &'static str {
        "ld"
    }

    fn beside(&self) -> &'static [&'static str] {
        &["ldx"]
    }

    fn media_type(&self) -> &'static str {
        "application/octet-stream"
    }

    fn content(&self) -> Content {
        Content::Rows
    }

    fn export(&self, what: &Export<'_>, sink: &mut dyn ExportSink) -> Result<Exported, ExportError> {
        let tape = what.tape;
        let times = times_of(what)?;
        let lines = what.tracked.map(Lines::of).unwrap_or_default();
        let shared = shared::shared();
        let found = probe(tape, &shared)?;
        let (channels, left_out) = log_channels(tape, what.columns, (shared, &found), !lines.at_ns.is_empty(), what.hz);
        if channels.is_empty() {
            return Err(ExportError::Nothing(
                "the tape has no channel with numbers, which a MoTeC log consists of".to_owned(),
            ));
        }
        let mut exported = Exported { channels: channels.len(), ..Exported::default() };
        exported.leave_out(
            left_out,
            "channel was left out: a log has at most 4096",
            "channels were left out: a log has at most 4096",
        );
        let mut log = Log { what, lines: &lines, channels, damage: Vec::new(), misses_laps: false };
        if what.laps == LapFiles::Together {
            log.write(&times, None, main_session(what.tracked, &times), sink)?;
        } else {
            for (session, lap) in lap_files(what, &times) {
                let end_ns = lap.end_ns.unwrap_or(times.end).min(times.end);
                let from_ns = lap.start_ns.saturating_sub(AROUND_LAP_NS).max(times.start);
                let around = from_ns..end_ns.saturating_add(AROUND_LAP_NS).min(times.end);
                log.write(&around, Some(lap.tape_lap), Some(session), sink)?;
            }
        }
        let misses_laps = u64::from(log.misses_laps);
        exported.leave_out(
            misses_laps,
            "file was left out: the .ldx with the laps, since only one file can be written here",
            "",
        );
        exported.damage = log.damage;
        Ok(exported)
    }
}

/// Logs of one tape.
struct Log<'a> {
    what: &'a Export<'a>,
    lines: &'a Lines,
    channels: Vec<LogChannel>,
    damage: Vec<Problem>,
    misses_laps: bool,
}

impl Log<'_> {
    /// Writes a log and the file beside it.
    fn write(
        &mut self,
        times: &Range<u64>,
        lap: Option<u32>,
        session: Option<&TrackedSession>,
        sink: &mut dyn ExportSink,
    ) -> Result<(), ExportError> {
        let counts = self.channels.iter().map(|channel| samples(times.end - times.start, channel.hz));
        let counts: Vec<u64> = counts.collect();
        let (starts, file_bytes) = places(counts.iter().copied());
        if file_bytes > LONGEST_FILE {
            return Err(ExportError::Format(Box::new(TooLong { file_bytes })));
        }
        let starts: Vec<(u64, u64)> = starts.into_iter().zip(counts).collect();
        let head = before_samples(&self.about(times, session), &self.channels, &starts);
        sink.part(lap, &head)?;
        let lines = self.lines.within(times);
        let spool = Spool::new(starts.iter().map(|(start, _)| start - head.len() as u64).collect());
        let spool = self.samples(times, &lines, spool, sink)?;
        spool.copy(file_bytes - head.len() as u64, &mut |bytes| {
            sink.goes_on()?;
            sink.write(bytes)
        })?;
        self.misses_laps |= !sink.beside("ldx", ldx::ldx(&lines).as_bytes())?;
        Ok(())
    }

    /// Collects the samples of all channels.
    fn samples(
        &mut self,
        times: &Range<u64>,
        lines: &Lines,
        spool: Spool,
        sink: &mut dyn ExportSink,
    ) -> Result<Spool, ExportError> {
        let tape = self.what.tape;
        let streams: Vec<&TapeStream> = streams_of_games(tape).collect();
        let mut collected = Collecting::new(&mut self.channels, decoding_of(tape), times, spool);
        // Slow streams have their state from before.
        for (place, stream) in streams.iter().enumerate().filter(|_| times.start > 0) {
            if let Ok(Some((time_ns, frame))) = tape.frame_at(stream, times.start) {
                collected.frame(place, time_ns.min(times.start), &frame, sink)?;
            }
        }
        let mut frames = tape.merged(streams.iter().copied());
        match frames.seek_time(times.start) {
            Err(ReadError::Damaged(problem)) => self.damage.push(problem),
            sought => sought?,
        }
        let mut count = 0_u64;
        loop {
            match frames.next() {
                Ok(Some(frame)) if frame.time_ns > times.end => break,
                Ok(Some(frame)) => {
                    count += 1;
                    if count.is_multiple_of(4096) {
                        sink.at(frame.time_ns, times.end);
                        sink.goes_on()?;
                    }
                    if let Some(place) = streams.iter().position(|stream| stream.id() == frame.stream) {
                        collected.frame(place, frame.time_ns, frame.data, sink)?;
                    }
                }
                Ok(None) => break,
                Err(ReadError::Damaged(problem)) => self.damage.push(problem),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(collected.finish(lines, sink)?)
    }

    fn about(&self, times: &Range<u64>, session: Option<&TrackedSession>) -> About {
        let tape = self.what.tape;
        let game = streams_of_games(tape).map(|stream| stream.spec().game.as_str()).find(|game| !game.is_empty());
        let game = game.map(|id| find_game(id).map_or(id, |game| game.name).to_owned());
        let session = session.map(|session| &session.session);
        let text = |text: Option<&String>| text.cloned().unwrap_or_default();
        let layout = session.and_then(|session| session.layout.as_ref()).filter(|layout| !layout.is_empty());
        let track = text(session.and_then(|session| session.track.as_ref()));
        About {
            driver: text(session.and_then(|session| session.driver.as_ref())),
            car: text(session.and_then(|session| session.car.as_ref())),
            track: layout.map_or(track.clone(), |layout| format!("{track} {layout}")),
            session: session.map(|session| session.kind.as_str().replace('_', " ")).unwrap_or_default(),
            game: game.unwrap_or_default(),
            comment: self.what.file.to_owned(),
            start_utc_ns: utc_at(&Recording::clock_readings(tape), times.start),
        }
    }
}

/// A log that its pointers cannot address.
#[derive(Debug, thiserror::Error)]
#[error(
    "the log would have {:.1} GB, but the format ends at 4.3 GB; export fewer channels (--channels), a lower rate (--hz), a part of the tape \
     (--from, --until) or one file per lap (--per-lap)",
    *file_bytes as f64 / 1e9
)]
struct TooLong {
    file_bytes: u64,
}
