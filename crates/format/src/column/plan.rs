//! Chooses how to predict a column, using a sample of its rows, and writes the body.

use super::bits::BitWriter;
use super::body::{Prefix, residuals};
use super::residuals::Encoder;
use super::transform::{Line, Transform, find_grid};
use super::word::Word;

/// A sample consists of segments of this many consecutive rows …
const SEGMENT: usize = LEAD + PRICED;
/// … and this many segments; shorter columns are sampled completely.
const SEGMENTS: usize = 32;
/// The step from one sampled segment to the next, about the golden ratio of their number. It is odd, so that each
/// segment is visited.
const SPREAD: usize = 13;
/// The number of segments used for a first estimate.
const FIRST_SEGMENTS: usize = 16;
/// Rows before the priced ones, on which third differences depend.
pub(crate) const LEAD: usize = 3;
/// Rows of a segment that are priced.
const PRICED: usize = 8;
const CLASSES: usize = 128;

/// How to predict a column.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) transform: Transform,
    pub(crate) order: u8,
    pub(crate) line: Option<Line>,
    /// Estimated size of the residuals, in bits per row.
    pub(crate) price: f32,
    /// The [`scores`] of the column without a reference.
    pub(crate) scores: [u64; 4],
}

/// A representative subset of the rows: whole segments, back to back.
pub(crate) struct Sample {
    pub(crate) segment: usize,
    pub(crate) segments: usize,
    rows: usize,
}

impl Sample {
    pub(crate) fn of(rows: usize) -> Self {
        if rows < SEGMENT * SEGMENTS {
            return Self { segment: rows, segments: 1, rows };
        }
        Self { segment: SEGMENT, segments: SEGMENTS, rows }
    }

    pub(crate) fn len(&self) -> usize {
        self.segment * self.segments
    }

    /// The number of sampled rows used for a first estimate.
    pub(crate) fn first_look(&self) -> usize {
        self.segment * self.segments.min(FIRST_SEGMENTS)
    }

    pub(crate) fn take<W: Copy>(&self, values: &[W], out: &mut Vec<W>) {
        out.clear();
        for index in 0..self.segments {
            // The order does not matter to code that reads the whole sample, and it spreads the first few segments over all rows too.
            let place = index * SPREAD % self.segments;
            let start = place * (self.rows - self.segment) / (self.segments - 1).max(1);
            out.extend_from_slice(values.get(start..start + self.segment).unwrap_or_default());
        }
    }
}

/// Buffers for one word size.
#[derive(Default)]
pub(crate) struct Buffers<W> {
    pub(crate) sample: Vec<W>,
    pub(crate) integers: Vec<W>,
    pub(crate) guesses: Vec<W>,
    numbers: Vec<W>,
}

/// Chooses plans and writes bodies; keeps its buffers between calls.
pub(crate) struct Planner {
    encoder: Encoder,
    /// n · log2 n.
    logs: Vec<f32>,
}

impl Default for Planner {
    fn default() -> Self {
        let logs = (0..=2 * SEGMENT * SEGMENTS).map(|n| n as f32 * (n.max(1) as f32).log2()).collect();
        Self { encoder: Encoder::default(), logs }
    }
}

/// Returns a value near the middle, which is the base for order 0.
fn middle<W: Word>(integers: &[W], unused: u32) -> W {
    let first = integers.first().copied().unwrap_or_default();
    // Halved often enough that the sum cannot overflow. The middle need not be exact.
    let halvings = if W::BITS == 32 { 0 } else { 64 - integers.len().leading_zeros() };
    let sum: i64 = integers.iter().map(|v| v.sub(first).sign_extend(unused).to_signed() >> halvings).sum();
    let mean = (sum / integers.len().max(1) as i64) << halvings;
    first.add(W::from_u64(mean as u64)).sign_extend(unused)
}

/// How much one more bit in every residual adds to a score, per row.
pub(crate) const SCORE_OF_A_BIT: f32 = 256.0;

/// A fast estimate of the size of the residuals of orders 0 to 3: roughly the sum of their logarithms.
pub(crate) fn scores<W: Word>(integers: &[W], sample: &Sample, unused: u32) -> [u64; 4] {
    let base = middle(integers, unused);
    let mut sums = [[0u32; PRICED]; 4];
    for segment in integers.chunks(sample.segment.max(1)) {
        // Whole groups of eight rows at a time, so that the compiler can vectorize.
        let mut rest = segment;
        while let Some(window) = rest.first_chunk::<SEGMENT>() {
            for at in 0..PRICED {
                let (a, b, c, d) = (window[at + 3], window[at + 2], window[at + 1], window[at]);
                let (d1, d2, d3) = (a.sub(b), b.sub(c), c.sub(d));
                let second = d1.sub(d2);
                sums[0][at] += a.sub(base).sign_extend(unused).rough_log();
                sums[1][at] += d1.sign_extend(unused).rough_log();
                sums[2][at] += second.sign_extend(unused).rough_log();
                sums[3][at] += second.sub(d2.sub(d3)).sign_extend(unused).rough_log();
            }
            rest = rest.get(PRICED..).unwrap_or_default();
        }
    }
    sums.map(|sums| sums.iter().map(|&sum| u64::from(sum)).sum())
}

/// Returns the orders with their scores, best first.
pub(crate) fn ranked(scores: [u64; 4]) -> [(u64, u8); 4] {
    let mut ranked = [0, 1, 2, 3u8].map(|order| (scores.get(usize::from(order)).copied().unwrap_or(0), order));
    ranked.sort_unstable();
    ranked
}

impl Planner {
    /// Estimates the bits per row for one order: the entropy of the classes plus the low bits.
    pub(crate) fn price<W: Word>(&self, sample: &Sample, integers: &[W], order: u8, unused: u32) -> f32 {
        let base = if order == 0 { middle(integers, unused) } else { W::default() };
        let mut classes = [0u16; CLASSES];
        let mut low_bits = 0;
        let mut priced = 0;
        for segment in integers.chunks(sample.segment.max(1)) {
            for window in segment.windows(LEAD + 1) {
                let &[d, c, b, a] = window else { continue };
                let value = match order {
                    0 => a.sub(base),
                    1 => a.sub(b),
                    2 => a.sub(b).sub(b.sub(c)),
                    _ => a.sub(b).sub(b.sub(c)).sub(b.sub(c).sub(c.sub(d))),
                };
                let length = value.sign_extend(unused).zigzag().bit_length();
                classes[length as usize & (CLASSES - 1)] += 1;
                low_bits += length.saturating_sub(1);
                priced += 1;
            }
        }
        let total = self.logs.get(priced).copied().unwrap_or(0.0);
        let classes = classes.iter().take(W::BITS as usize + 1);
        let inside: f32 = classes.map(|&n| self.logs.get(n as usize).copied().unwrap_or(0.0)).sum();
        (total - inside + low_bits as f32) / priced.max(1) as f32
    }

    /// Returns the best plan without a reference. `buffers.sample` holds the sampled values.
    pub(crate) fn plan<W: Word>(
        &self,
        sample: &Sample,
        values: &[W],
        float: bool,
        unused: u32,
        buffers: &mut Buffers<W>,
    ) -> Plan {
        let mut best: Option<Plan> = None;
        let grid = if float { find_grid(&buffers.sample).and_then(|_| find_grid(values)) } else { None };
        let first = if float { Transform::Ordered } else { Transform::Plain };
        let mut lowest = u64::MAX;
        // A grid is usually better, so it goes first; an order with a clearly worse score is not priced.
        for transform in [grid.map(Transform::Grid), Some(first)].into_iter().flatten() {
            transform.apply(&buffers.sample, &mut buffers.integers);
            let scores = scores(&buffers.integers, sample, unused);
            let [first, second, ..] = ranked(scores);
            lowest = lowest.min(first.0);
            // The score is rough, so a close second is priced too.
            for (_, order) in [first, second].into_iter().filter(|(score, _)| *score <= lowest + lowest / 8) {
                let price = self.price(sample, &buffers.integers, order, unused);
                if best.is_none_or(|best| price < best.price) {
                    best = Some(Plan { transform, order, line: None, price, scores });
                }
            }
        }
        best.unwrap_or(Plan { transform: first, order: 1, line: None, price: 0.0, scores: [0; 4] })
    }

    /// Appends the body of a column to `out`.
    pub(crate) fn write<W: Word>(
        &mut self,
        plan: Plan,
        values: &[W],
        reference: impl Iterator<Item = f64>,
        unused: u32,
        buffers: &mut Buffers<W>,
        out: &mut Vec<u8>,
    ) {
        let Buffers { integers, guesses, numbers, .. } = buffers;
        plan.transform.apply(values, integers);
        if let Some(line) = plan.line {
            guesses.clear();
            guesses.resize(integers.len(), W::default());
            line.predict(reference, plan.transform, guesses);
            integers.iter_mut().zip(guesses.iter()).for_each(|(v, guess)| *v = v.sub(*guess));
        }
        let base = match plan.order {
            0 => middle(integers, unused),
            _ => integers.first().copied().unwrap_or_default().sign_extend(unused),
        };
        Prefix { transform: plan.transform, order: plan.order, line: plan.line, base }.write(out);
        residuals(plan.order, base, unused, integers, numbers);
        let mut writer = BitWriter::new(out);
        self.encoder.encode(numbers, &mut writer);
        writer.finish();
    }

    /// Appends a sequence of integers to `out`.
    pub(crate) fn encode_integers(&mut self, values: &[u64], out: &mut Vec<u8>) {
        self.encode_integers_with(values, &mut Buffers::default(), out);
    }

    pub(crate) fn encode_integers_with(&mut self, values: &[u64], buffers: &mut Buffers<u64>, out: &mut Vec<u8>) {
        let sample = Sample::of(values.len());
        sample.take(values, &mut buffers.sample);
        let plan = self.plan(&sample, values, false, 0, buffers);
        self.write(plan, values, std::iter::empty(), 0, buffers, out);
    }
}
