//! A channel over time, as the smallest and the largest value of each interval: an outlier of a single frame is one of the two.

/// The division of the tape into intervals.
#[derive(Debug, Clone, Copy)]
pub(super) struct Span {
    pub(super) from_ns: u64,
    pub(super) stretch_ns: u64,
    pub(super) stretches: usize,
}

impl Span {
    /// Divides the time so that an interval has two frames on average, into at most `most` intervals.
    pub(super) fn new(from_ns: u64, to_ns: u64, frames: u64, most: usize) -> Self {
        let wanted = usize::try_from(frames / 2).unwrap_or(most).clamp(1, most);
        let length_ns = to_ns.saturating_sub(from_ns).max(1);
        let stretch_ns = length_ns.div_ceil(wanted as u64).max(1);
        Self { from_ns, stretch_ns, stretches: (length_ns / stretch_ns) as usize + 1 }
    }

    /// Returns the interval of a time.
    pub(super) fn at(&self, time_ns: u64) -> usize {
        ((time_ns.saturating_sub(self.from_ns) / self.stretch_ns) as usize).min(self.stretches.saturating_sub(1))
    }
}

/// Collects the values of a channel. Times must increase from call to call.
pub(super) struct Line {
    /// Each of its intervals spans 2 to this power of those of the span.
    pub(super) shift: u32,
    pairs: Vec<[f32; 2]>,
    /// The open interval.
    at: Option<usize>,
    low: f32,
    high: f32,
    high_is_last: bool,
    newest: f32,
}

impl Line {
    /// Creates a line with at most `most` intervals.
    pub(super) fn new(span: &Span, most: usize) -> Self {
        let shift = (0..).find(|shift| span.stretches >> shift <= most.max(1)).unwrap_or_default();
        let nothing = f32::NAN;
        Self { shift, pairs: Vec::new(), at: None, low: nothing, high: nothing, high_is_last: false, newest: nothing }
    }

    /// Adds a value that occurred in an interval of the span.
    pub(super) fn put(&mut self, stretch: usize, value: f32) {
        let stretch = stretch >> self.shift;
        let value = if value.is_finite() { value } else { f32::NAN };
        if self.at != Some(stretch) {
            self.close(stretch);
            (self.at, self.low, self.high, self.high_is_last) = (Some(stretch), value, value, false);
        } else if value.is_finite() {
            if self.low.is_nan() || value < self.low {
                (self.low, self.high_is_last) = (value, false);
            }
            if self.high.is_nan() || value > self.high {
                (self.high, self.high_is_last) = (value, true);
            }
        }
        self.newest = value;
    }

    /// Ends the open interval. The intervals up to the next get the last value, because an unchanged frame is stored only once.
    fn close(&mut self, next: usize) {
        if self.at.is_some() {
            self.pairs.push(if self.high_is_last { [self.low, self.high] } else { [self.high, self.low] });
        }
        let held = [self.newest; 2];
        self.pairs.resize(next.max(self.pairs.len()), held);
    }

    /// Returns all pairs. Intervals in which no frame of the tape was recorded are unknown.
    pub(super) fn finish(mut self, span: &Span, unseen: &[(usize, usize)]) -> Vec<[f32; 2]> {
        let count = (span.stretches.saturating_sub(1) >> self.shift) + 1;
        self.close(count);
        let width = 1_usize << self.shift;
        for (first, end) in unseen {
            let (first, end) = (first.div_ceil(width), (end / width).min(self.pairs.len()));
            self.pairs.get_mut(first..end).unwrap_or_default().fill([f32::NAN; 2]);
        }
        self.pairs
    }
}
