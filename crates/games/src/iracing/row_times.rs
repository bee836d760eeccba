//! Row timestamps in nanoseconds since the first row.
//!
//! Takes the rows in order and returns times that never decrease, each with its source. `SessionTime` (seconds, `f64`)
//! is the game's own clock and reveals dropped ticks, so it is used whenever possible. If it is not a number, goes back
//! (a new session starts at 0) or jumps, the row is placed one nominal tick after the previous row, and subsequent rows
//! continue from there.
use super::ibt::Ibt;
use crate::bytes::f64_at;
use crate::layout::{Kind, Layout};

/// Rows per second if the header has no plausible rate.
const USUAL_RATE_HZ: u32 = 60;

/// Maximum plausible rate.
const MAX_RATE_HZ: u32 = 1000;

/// Maximum step of `SessionTime` between two rows, in seconds: a day. A larger step means damage.
const MAX_STEP_S: f64 = 86_400.0;

/// Source of a row's time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowClock {
    /// The row's `SessionTime`.
    SessionTime,
    /// The nominal interval between rows.
    TickRate,
}

/// A row's time and its source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowTime {
    /// Nanoseconds since the first row; never less than in the previous row.
    pub ns: u64,
    /// Source of the time.
    pub clock: RowClock,
}

/// Assigns times to the rows of one file, first to last.
#[derive(Debug, Clone)]
pub struct RowTimes {
    session_time_offset: Option<usize>,
    rate_hz: u32,
    last_ns: Option<u64>,
    anchor: Option<Anchor>,
    nominal_run: NominalRun,
    by_session_time: u64,
    by_tick_rate: u64,
}

/// A `SessionTime` and the corresponding row time. Times are computed as differences to it, so that rounding errors do
/// not accumulate.
#[derive(Debug, Clone, Copy)]
struct Anchor {
    session_time_s: f64,
    ns: u64,
}

/// Rows since the last one with a `SessionTime`, counted so that rounding errors do not accumulate.
#[derive(Debug, Clone, Copy, Default)]
struct NominalRun {
    start_ns: u64,
    rows: u64,
}

impl RowTimes {
    /// Creates a clock for the rows of this file.
    #[must_use]
    pub fn new(ibt: &Ibt) -> Self {
        Self::with(&ibt.layout, ibt.header.tick_rate_hz)
    }

    /// Creates a clock for rows of this layout. A rate outside 1 to 1000 is replaced by 60.
    #[must_use]
    pub fn with(layout: &Layout, tick_rate_hz: i32) -> Self {
        let channel = layout.channel("SessionTime").filter(|channel| channel.kind == Kind::F64 && channel.count == 1);
        Self {
            session_time_offset: channel.and_then(|channel| usize::try_from(channel.offset).ok()),
            rate_hz: plausible_rate_hz(tick_rate_hz).unwrap_or(USUAL_RATE_HZ),
            last_ns: None,
            anchor: None,
            nominal_run: NominalRun::default(),
            by_session_time: 0,
            by_tick_rate: 0,
        }
    }

    /// Returns the time of the next row.
    pub fn step(&mut self, row: &[u8]) -> RowTime {
        let session_time_s =
            self.session_time_offset.and_then(|offset| f64_at(row, offset)).filter(|seconds| seconds.is_finite());
        let time = match session_time_s.and_then(|seconds| self.by_session_time(seconds)) {
            Some(ns) => RowTime { ns, clock: RowClock::SessionTime },
            None => RowTime { ns: self.by_tick_rate(), clock: RowClock::TickRate },
        };
        match (time.clock, session_time_s) {
            (RowClock::SessionTime, seconds) => {
                self.by_session_time += 1;
                self.nominal_run = NominalRun { start_ns: time.ns, rows: 0 };
                self.anchor = self.anchor.or(seconds.map(|session_time_s| Anchor { session_time_s, ns: time.ns }));
            }
            (RowClock::TickRate, seconds) => {
                self.by_tick_rate += 1;
                self.anchor = seconds.map(|session_time_s| Anchor { session_time_s, ns: time.ns }).or(self.anchor);
            }
        }
        self.last_ns = Some(time.ns);
        time
    }

    /// Returns the number of rows timed by `SessionTime` so far.
    #[must_use]
    pub fn rows_by_session_time(&self) -> u64 {
        self.by_session_time
    }

    /// Returns the number of rows with a nominal time so far.
    #[must_use]
    pub fn rows_by_tick_rate(&self) -> u64 {
        self.by_tick_rate
    }

    /// Returns the row time for a `SessionTime`; `None` if it cannot follow the previous one.
    fn by_session_time(&self, seconds: f64) -> Option<u64> {
        let Some(last_ns) = self.last_ns else { return Some(0) };
        let anchor = self.anchor?;
        let since_anchor_s = seconds - anchor.session_time_s;
        let longest_s = (last_ns - anchor.ns.min(last_ns)) as f64 / 1e9 + MAX_STEP_S;
        if !(0.0..=longest_s).contains(&since_anchor_s) {
            return None;
        }
        // Does not overflow in practice: the sum of all steps would have to exceed 500 years to saturate.
        let ns = anchor.ns.saturating_add((since_anchor_s * 1e9).round() as u64);
        (ns >= last_ns).then_some(ns)
    }

    fn by_tick_rate(&mut self) -> u64 {
        let Some(last_ns) = self.last_ns else { return 0 };
        self.nominal_run.rows += 1;
        let run_ns = nominal_ns(self.nominal_run.rows, self.rate_hz);
        self.nominal_run.start_ns.saturating_add(run_ns).max(last_ns)
    }
}

/// Returns the rate if it is plausible.
pub(super) fn plausible_rate_hz(tick_rate_hz: i32) -> Option<u32> {
    u32::try_from(tick_rate_hz).ok().filter(|rate| (1..=MAX_RATE_HZ).contains(rate))
}

/// Returns the duration of `rows` rows, to the nearest nanosecond.
fn nominal_ns(rows: u64, rate_hz: u32) -> u64 {
    let rate = u128::from(rate_hz.max(1));
    u64::try_from((u128::from(rows) * 1_000_000_000 + rate / 2) / rate).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::Channel;

    fn times(rate_hz: i32, seconds: &[f64]) -> Vec<(u64, bool)> {
        let layout = Layout::new("test", 8, vec![Channel::fixed("SessionTime", 0, Kind::F64, 1, "s")]).unwrap();
        let mut times = RowTimes::with(&layout, rate_hz);
        let step = |seconds: &f64| {
            let time = times.step(&seconds.to_le_bytes());
            (time.ns, time.clock == RowClock::SessionTime)
        };
        seconds.iter().map(step).collect()
    }

    #[test]
    fn session_time_gives_times_since_the_first_row() {
        let got = times(60, &[1000.0, 1000.0 + 1.0 / 64.0, 1000.0 + 1.0 / 64.0, 1000.5]);
        assert_eq!(got, [(0, true), (15_625_000, true), (15_625_000, true), (500_000_000, true)]);
    }

    #[test]
    fn without_session_time_rows_are_nominal_and_do_not_drift() {
        let layout = Layout::new("test", 8, vec![Channel::fixed("SessionTime", 0, Kind::F32, 1, "s")]).unwrap();
        let mut times = RowTimes::with(&layout, 60);
        let all: Vec<u64> = (0..=3600).map(|_| times.step(&[0; 8]).ns).collect();
        assert_eq!(all[..4], [0, 16_666_667, 33_333_333, 50_000_000]);
        assert_eq!(all[3600], 60_000_000_000);
        assert_eq!((times.rows_by_session_time(), times.rows_by_tick_rate()), (0, 3601));
    }

    #[test]
    fn a_value_that_is_no_number_costs_only_its_row() {
        let got = times(100, &[5.0, f64::NAN, 5.25, f64::INFINITY, 5.5]);
        assert_eq!(
            got,
            [(0, true), (10_000_000, false), (250_000_000, true), (260_000_000, false), (500_000_000, true)]
        );
    }

    #[test]
    fn a_first_row_without_a_number_is_still_row_zero() {
        assert_eq!(times(100, &[f64::NAN, 7.0, 7.5]), [(0, false), (10_000_000, false), (510_000_000, true)]);
    }

    #[test]
    fn a_session_that_starts_at_zero_goes_on_one_tick_later() {
        let got = times(100, &[900.0, 900.5, 0.25, 0.5]);
        assert_eq!(got, [(0, true), (500_000_000, true), (510_000_000, false), (760_000_000, true)]);
    }

    #[test]
    fn jumps_are_rejected() {
        let got = times(100, &[1.0, 1e300, 1.25, 1.5]);
        assert_eq!(got, [(0, true), (10_000_000, false), (20_000_000, false), (270_000_000, true)]);
    }

    #[test]
    fn an_implausible_rate_is_replaced_by_sixty() {
        for rate in [0, -1, 1001, i32::MAX, i32::MIN] {
            assert_eq!(times(rate, &[f64::NAN, f64::NAN])[1], (16_666_667, false));
        }
    }

    #[test]
    fn a_row_that_is_too_short_is_nominal() {
        let layout = Layout::new("test", 8, vec![Channel::fixed("SessionTime", 0, Kind::F64, 1, "s")]).unwrap();
        let mut times = RowTimes::with(&layout, 60);
        assert_eq!(times.step(&[]), RowTime { ns: 0, clock: RowClock::TickRate });
    }
}
