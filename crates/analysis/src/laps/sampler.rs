//! Resamples the moments of a lap to a grid of track positions or of times.
//!
//! Takes moments in order and returns columns. The values of a row are interpolated between the two moments around it. If these are
//! too far apart, the row is unknown.

use gametape_games::Sample;

use super::columns::{Column, ColumnsError, LapColumns, MOST_ROWS};
use super::lap_channels::{RequestedChannel, available, steering_unit};
use super::line_to_line::{Moment, Sink, WIDEST_SHARE};
use crate::recording::Recording;

/// Frames further apart than this are not interpolated.
const WIDEST_MS: f64 = 500.0;

/// Where the grid has its rows.
pub(super) enum Rows {
    /// At each frame.
    Recorded,
    /// At these lap fractions.
    Places(Vec<f64>),
    /// At regular times.
    Times { step_ms: f64 },
}

/// All channel values at one moment. NaN is unknown.
#[derive(Clone)]
struct Point {
    time_ms: f64,
    share: f64,
    /// When the car was at `share`.
    there_ms: f64,
    values: Vec<f64>,
}

/// Turns moments into rows.
pub(super) struct Sampler {
    taps: Vec<RequestedChannel>,
    rows: Rows,
    share: Vec<f64>,
    time_ms: Vec<f64>,
    values: Vec<Vec<f64>>,
    /// The previous moment.
    before: Option<Point>,
    /// The last moment at which the car made progress along the lap.
    furthest: Option<Point>,
    /// Number of rows whose position is settled: known, or never to be known.
    placed: usize,
    newest: Sample,
}

impl Sink for Sampler {
    type Error = ColumnsError;

    fn frame(&mut self, stream: usize, bytes: &[u8]) {
        self.taps.iter_mut().for_each(|tap| tap.frame(stream, bytes));
    }

    fn moment(&mut self, moment: &Moment<'_>) -> Result<(), ColumnsError> {
        self.newest = *moment.sample;
        let values = self.taps.iter().map(|tap| tap.value(moment.sample)).collect();
        let (share, there_ms) = moment.place.map_or((f64::NAN, f64::NAN), |place| (place.share, place.time_ms));
        let point = Point { time_ms: moment.time_ms, share, there_ms, values };
        match self.rows {
            Rows::Places(_) => self.row_at_places(&point),
            Rows::Times { step_ms } => self.row_at_times(&point, step_ms)?,
            Rows::Recorded => self.row_as_recorded(&point)?,
        }
        if moment.place.is_some() {
            self.place_rows(&point);
            self.furthest = Some(point.clone());
        }
        self.before = Some(point);
        Ok(())
    }
}

impl Sampler {
    pub(super) fn new(taps: Vec<RequestedChannel>, rows: Rows) -> Self {
        Self {
            values: vec![Vec::new(); taps.len()],
            taps,
            rows,
            share: Vec::new(),
            time_ms: Vec::new(),
            before: None,
            furthest: None,
            placed: 0,
            newest: Sample::default(),
        }
    }

    /// Adds the grid rows up to the position of this moment.
    fn row_at_places(&mut self, now: &Point) {
        let Rows::Places(grid) = &self.rows else { return };
        let due: Vec<f64> =
            grid.iter().skip(self.share.len()).copied().take_while(|share| *share <= now.share).collect();
        let from = self.furthest.clone();
        for share in due {
            let from = from.as_ref().filter(|from| share >= from.share && now.share - from.share <= WIDEST_SHARE);
            match from {
                Some(from) => {
                    let part = (share - from.share) / (now.share - from.share);
                    self.push_between(from, now, part, share);
                    if let Some(last) = self.time_ms.last_mut() {
                        *last = from.there_ms + (now.there_ms - from.there_ms) * part;
                    }
                }
                None => self.push_unknown(share, f64::NAN),
            }
        }
    }

    /// Adds the grid rows up to the time of this moment, but not past the next line.
    fn row_at_times(&mut self, now: &Point, step_ms: f64) -> Result<(), ColumnsError> {
        let end_ms = match &self.furthest {
            Some(from) if now.share > 1.0 => {
                from.time_ms + (now.time_ms - from.time_ms) * (1.0 - from.share) / (now.share - from.share)
            }
            _ => now.time_ms,
        };
        let before = self.before.clone();
        loop {
            let time_ms = self.time_ms.len() as f64 * step_ms;
            if time_ms > end_ms {
                return Ok(());
            }
            self.check_room()?;
            let from =
                before.as_ref().filter(|from| time_ms >= from.time_ms && now.time_ms - from.time_ms <= WIDEST_MS);
            match from {
                Some(from) if now.time_ms > from.time_ms => {
                    let part = (time_ms - from.time_ms) / (now.time_ms - from.time_ms);
                    self.push_between(from, now, part, f64::NAN);
                    if let Some(last) = self.time_ms.last_mut() {
                        *last = time_ms;
                    }
                }
                _ if time_ms == now.time_ms => self.push_between(now, now, 0.0, f64::NAN),
                _ => self.push_unknown(f64::NAN, time_ms),
            }
        }
    }

    /// Adds a row for this moment.
    fn row_as_recorded(&mut self, now: &Point) -> Result<(), ColumnsError> {
        if now.time_ms < 0.0 || now.share > 1.0 {
            return Ok(());
        }
        if self.time_ms.last() == Some(&now.time_ms) {
            // A frame of another stream at the same moment.
            self.values.iter_mut().zip(&now.values).for_each(|(column, value)| {
                if let Some(last) = column.last_mut() {
                    *last = *value;
                }
            });
            return Ok(());
        }
        self.check_room()?;
        self.push_between(now, now, 0.0, f64::NAN);
        Ok(())
    }

    fn check_room(&self) -> Result<(), ColumnsError> {
        if self.time_ms.len() < MOST_ROWS { Ok(()) } else { Err(ColumnsError::TooManyRows) }
    }

    /// Interpolates the positions of the rows between the last known position and this one.
    fn place_rows(&mut self, now: &Point) {
        if matches!(self.rows, Rows::Places(_)) {
            return;
        }
        let until = self.time_ms.partition_point(|time_ms| *time_ms <= now.time_ms);
        let times = self.time_ms.iter().zip(&mut self.share).take(until).skip(self.placed);
        for (time_ms, share) in times {
            *share = match &self.furthest {
                Some(from) if now.share - from.share <= WIDEST_SHARE && *time_ms >= from.time_ms => {
                    let part = (time_ms - from.time_ms) / (now.time_ms - from.time_ms);
                    from.share + (now.share - from.share) * part
                }
                _ if *time_ms == now.time_ms => now.share,
                _ => f64::NAN,
            };
        }
        self.placed = until.max(self.placed);
    }

    fn push_between(&mut self, from: &Point, to: &Point, part: f64, share: f64) {
        let part = if part.is_finite() { part.clamp(0.0, 1.0) } else { 0.0 };
        let mix = |from: f64, to: f64| if from == to { from } else { from + (to - from) * part };
        self.share.push(share);
        self.time_ms.push(mix(from.time_ms, to.time_ms));
        let pairs = from.values.iter().zip(&to.values).zip(&self.taps);
        for (column, ((from, to), tap)) in self.values.iter_mut().zip(pairs) {
            let value = if tap.is_smooth { mix(*from, *to) } else { *from };
            column.push(if tap.is_single { f64::from(value as f32) } else { value });
        }
    }

    fn push_unknown(&mut self, share: f64, time_ms: f64) {
        self.share.push(share);
        self.time_ms.push(time_ms);
        self.values.iter_mut().for_each(|column| column.push(f64::NAN));
    }

    /// Returns the columns.
    pub(super) fn finish(mut self, tape: &dyn Recording) -> LapColumns {
        if let Rows::Places(grid) = &self.rows {
            let rest: Vec<f64> = grid.iter().skip(self.share.len()).copied().collect();
            rest.into_iter().for_each(|share| self.push_unknown(share, f64::NAN));
        }
        let known = |values: Vec<f64>| values.into_iter().map(|value| Some(value).filter(|v| v.is_finite())).collect();
        let share = self.share.into_iter().map(|share| Some(share).filter(|share| (0.0..=1.0).contains(share)));
        let available = available(tape, &self.newest);
        let steering = steering_unit(&self.newest);
        let columns = self.taps.into_iter().zip(self.values).map(|(tap, values)| Column {
            unit: if tap.name == "steering" { steering.to_owned() } else { tap.unit },
            name: tap.name,
            values: known(values),
        });
        LapColumns { share: share.collect(), columns: columns.collect(), time_ms: known(self.time_ms), available }
    }
}
