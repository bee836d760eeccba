//! Line crossings of a file, and the rows of the stream `laps` that follow from them.

use gametape_format::{StreamId, StreamSpec};
use gametape_games::lap_file::{GAME, LAPS, LAPS_36, LapFileAbout, LapFileRow};

use crate::import::error::ImportError;
use crate::import::out::Out;
use crate::layout::stream_of_layout;

/// Most line crossings of a file.
const MOST_LINES: usize = 20_000;

/// If the first line is crossed earlier than this, all times are moved by as much: the lap tracker needs frames before a line to know
/// that the lap begins there.
const LEAD_NS: u64 = 250_000_000;

/// Times of the frames that are put before such a line.
const LEAD_ROWS_NS: [u64; 4] = [0, 100_000_000, 150_000_000, 200_000_000];

/// The largest track position before the line.
const BEFORE_LINE: f32 = 0.999_9;

/// A line crossing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Line {
    /// Time in the file.
    pub(super) time_ns: u64,
    /// Distance driven until then, from any zero point.
    pub(super) distance_m: Option<f64>,
    /// Whether the file gives the time itself, and not only the rows around it.
    pub(super) is_exact: bool,
}

/// The line crossings of a file, in order.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LapPlan {
    lines: Vec<Line>,
    /// Number of crossings that were left out.
    pub(super) left_out: u64,
}

impl LapPlan {
    /// Adds a line crossing. It is ignored if it is not later than the one before.
    pub(super) fn line(&mut self, line: Line) {
        let is_later = self.lines.last().is_none_or(|last| last.time_ns < line.time_ns);
        match is_later && self.lines.len() < MOST_LINES {
            true => self.lines.push(line),
            false => self.left_out += 1,
        }
    }

    /// Returns by how much all times of the file are moved.
    pub(super) fn lead_ns(&self) -> u64 {
        if self.lines.first().is_some_and(|line| line.time_ns < LEAD_NS) { LEAD_NS } else { 0 }
    }

    /// Returns the length of a lap: the median distance between two line crossings.
    pub(super) fn length_m(&self) -> Option<f64> {
        let laps = self.lines.windows(2).filter_map(|two| match two {
            [from, to] => Some(to.distance_m? - from.distance_m?),
            _ => None,
        });
        let mut laps: Vec<f64> = laps.filter(|metres| *metres > 0.0 && metres.is_finite()).collect();
        laps.sort_by(f64::total_cmp);
        laps.get(laps.len() / 2).copied()
    }

    /// Returns the lap times that the file gives, in nanoseconds.
    #[cfg(test)]
    pub(super) fn lap_times_ns(&self) -> Vec<u64> {
        self.lines.windows(2).filter_map(|two| two.get(1)?.time_ns.checked_sub(two.first()?.time_ns)).collect()
    }
}

/// Writes the stream `laps`.
pub(super) struct LapRows {
    plan: LapPlan,
    stream: StreamId,
    length_m: Option<f64>,
    /// Index of the next line crossing.
    next: usize,
    lead_ns: u64,
}

impl LapRows {
    /// Adds the stream, and writes the frames before a line at the start of the file. Add it after the streams of channels: at equal
    /// times, positions then follow the values that belong to them.
    pub(super) fn begin(out: &mut dyn Out, plan: LapPlan) -> Result<Self, ImportError> {
        let stream = out.add_stream(stream_of_layout(GAME.id, LAPS.name, "file", &LAPS_36))?;
        let (length_m, lead_ns) = (plan.length_m(), plan.lead_ns());
        if lead_ns > 0 {
            let row = LapFileRow { position: Some(BEFORE_LINE), before_first_line: true, ..LapFileRow::default() };
            LEAD_ROWS_NS.into_iter().try_for_each(|at_ns| out.append(stream, at_ns, &row.to_bytes(), 0))?;
        }
        Ok(Self { plan, stream, length_m, next: 0, lead_ns })
    }

    /// Writes a row for a time of the file, after those of all lines that were crossed until then. `position` is the track position if the
    /// file gives it; otherwise it follows from the distance driven.
    pub(super) fn row(
        &mut self,
        out: &mut dyn Out,
        time_ns: u64,
        distance_m: Option<f64>,
        position: Option<f32>,
        offset: u64,
    ) -> Result<(), ImportError> {
        self.lines_until(out, time_ns, offset)?;
        let is_line = self.next.checked_sub(1).and_then(|last| self.plan.lines.get(last));
        if is_line.is_some_and(|line| line.time_ns == time_ns) {
            return Ok(());
        }
        let row = self.row_at(time_ns, distance_m, position);
        out.append(self.stream, time_ns.saturating_add(self.lead_ns), &row.to_bytes(), offset)
    }

    /// Writes the lines that are crossed after the last row.
    pub(super) fn finish(&mut self, out: &mut dyn Out, offset: u64) -> Result<(), ImportError> {
        self.lines_until(out, u64::MAX, offset)
    }

    fn lines_until(&mut self, out: &mut dyn Out, time_ns: u64, offset: u64) -> Result<(), ImportError> {
        while let Some(line) = self.plan.lines.get(self.next).copied().filter(|line| line.time_ns <= time_ns) {
            self.next += 1;
            let row = LapFileRow {
                lap_distance_m: line.distance_m.map(|_| 0.0),
                lap_time_s: Some(0.0),
                position: line.distance_m.map(|_| 0.0),
                ..self.after_line()
            };
            out.append(self.stream, line.time_ns.saturating_add(self.lead_ns), &row.to_bytes(), offset)?;
        }
        Ok(())
    }

    /// Returns the values that stay the same until the next line.
    fn after_line(&self) -> LapFileRow {
        let line = |back: usize| self.next.checked_sub(back).and_then(|at| self.plan.lines.get(at));
        let lap = line(1).zip(line(2)).filter(|(to, from)| to.is_exact && from.is_exact);
        LapFileRow {
            last_lap_time_s: lap.map(|(to, from)| to.time_ns.saturating_sub(from.time_ns) as f64 / 1e9),
            laps_completed: u32::try_from(self.next.saturating_sub(1)).unwrap_or(u32::MAX),
            before_first_line: self.next == 0,
            ..LapFileRow::default()
        }
    }

    fn row_at(&self, time_ns: u64, distance_m: Option<f64>, position: Option<f32>) -> LapFileRow {
        let from = self.next.checked_sub(1).and_then(|last| self.plan.lines.get(last));
        let to = self.plan.lines.get(self.next);
        let driven = |from: &Line| Some(distance_m? - from.distance_m?);
        let lap_m = match (from, to) {
            (Some(from), Some(to)) => to.distance_m.zip(from.distance_m).map(|(to, from)| to - from),
            _ => self.length_m,
        };
        let lap_m = lap_m.filter(|metres| *metres > 0.0);
        let lap_distance_m = match (from, to) {
            (Some(from), _) => driven(from),
            // Before the first line: as far as it is from there, if that is less than a lap.
            (None, Some(to)) => driven(to).zip(lap_m).map(|(driven, lap)| lap + driven).filter(|metres| *metres >= 0.0),
            (None, None) => None,
        };
        let share = lap_distance_m.zip(lap_m).map(|(driven, lap)| (driven / lap) as f32);
        let position = position.or(share).filter(|share| share.is_finite());
        LapFileRow {
            lap_distance_m,
            lap_time_s: from.map(|from| time_ns.saturating_sub(from.time_ns) as f64 / 1e9),
            position: position.map(|share| share.clamp(0.0, BEFORE_LINE)),
            ..self.after_line()
        }
    }
}

/// Adds the stream with what the file says about itself.
pub(super) fn write_about(out: &mut dyn Out, about: &LapFileAbout) -> Result<(), ImportError> {
    let spec = StreamSpec {
        game: GAME.id.into(),
        transport: "file".into(),
        role: gametape_format::Role::Describe,
        ..StreamSpec::rows(gametape_games::lap_file::ABOUT.name)
    };
    let stream = out.add_stream(spec)?;
    let text = about.to_text();
    if !text.is_empty() {
        out.append(stream, 0, text.as_bytes(), 0)?;
    }
    for (key, value) in [
        ("game_version", &about.format),
        ("car", &about.car),
        ("track", &about.track),
        ("driver", &about.driver),
        ("session", &about.session),
    ] {
        value.iter().try_for_each(|value| out.metadata(key, value))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(seconds: u64, distance_m: f64) -> Line {
        Line { time_ns: seconds * 1_000_000_000, distance_m: Some(distance_m), is_exact: true }
    }

    #[test]
    fn the_length_is_the_median_and_lines_that_go_back_are_left_out() {
        let mut plan = LapPlan::default();
        assert_eq!((plan.length_m(), plan.lead_ns()), (None, 0));
        [line(10, 0.0), line(70, 2_000.0), line(60, 2_100.0), line(130, 4_020.0), line(190, 6_000.0)]
            .into_iter()
            .for_each(|line| plan.line(line));
        assert_eq!((plan.length_m(), plan.left_out, plan.lead_ns()), (Some(2_000.0), 1, 0));
        assert_eq!(plan.lap_times_ns(), [60_000_000_000; 3]);
        let mut early = LapPlan::default();
        early.line(line(0, 0.0));
        assert_eq!(early.lead_ns(), LEAD_NS);
    }
}
