//! Finds a column that predicts another one: `a ≈ b · factor + offset`, or at least their changes are correlated.
//!
//! Every float column has fingerprints: its values, first and second differences at the same few rows, normalized to
//! length 1. The dot product of two fingerprints is the correlation of their changes. Only the best matches are then
//! fitted and priced.

use super::plan::{Buffers, LEAD, Plan, Planner, SCORE_OF_A_BIT, Sample, ranked, scores};
use super::transform::{Line, is_tame};
use super::word::Word;

const POINTS: usize = 64;
/// The squared correlation below which fitting is not worth the time.
const WORTH: f32 = 0.3;
/// By how many bits an estimate may miss the plan without a reference and still be tried: it is based on few points.
const DOUBT: f32 = 1.5;
/// The minimum number of rows for a fingerprint.
const FEWEST_ROWS: usize = 12;
/// The minimum gain in bits per row: a column with a reference cannot be a reference itself.
const LEAST_GAIN: f32 = 0.3;
/// A column is compared with one candidate per this many rows, the nearest preceding ones: the search must not cost
/// more than coding.
const ROWS_PER_CANDIDATE: usize = 4;

type Fingerprint = [f32; POINTS];
/// Fingerprints of a column's values, first and second differences.
type Fingerprints = [Fingerprint; 3];

/// A column that others may refer to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Candidate {
    /// Number of the column.
    pub(crate) column: usize,
    /// The start of its values in the arena of its word size.
    pub(crate) start: usize,
    pub(crate) wide: bool,
}

/// A candidate with the estimated cost of a row in bits.
#[derive(Debug, Clone, Copy)]
struct Match {
    at: usize,
    slope: bool,
    cost: f32,
}

/// The columns of this block that may serve as references.
#[derive(Default)]
pub(crate) struct References {
    candidates: Vec<Candidate>,
    fingerprints: Vec<Fingerprints>,
    /// Sampled values of all candidates, followed by those of the current column.
    floats: Vec<f64>,
    slopes: Vec<f64>,
}

fn fingerprints(sample: &Sample, floats: &[f64]) -> Option<Fingerprints> {
    let mut prints = [[0f32; POINTS]; 3];
    let inside = sample.segment.checked_sub(LEAD)?;
    let per_segment = POINTS / sample.segments;
    if per_segment == 0 || inside * sample.segments < FEWEST_ROWS {
        return None;
    }
    let middle = floats.iter().sum::<f64>() / floats.len() as f64;
    let [levels, firsts, seconds] = &mut prints;
    for (point, ((level, first), second)) in levels.iter_mut().zip(firsts).zip(seconds).enumerate() {
        let (segment, part) = (point / per_segment, point % per_segment);
        let at = segment * sample.segment + part * inside / per_segment;
        let Some(&[c, b, a]) = floats.get(at..at + 3) else { continue };
        *level = (a - middle) as f32;
        *first = (a - b) as f32;
        *second = ((a - b) - (b - c)) as f32;
    }
    for print in &mut prints {
        let length = print.iter().map(|v| v * v).sum::<f32>().sqrt();
        let scale = if length.is_normal() { length.recip() } else { 0.0 };
        print.iter_mut().for_each(|v| *v = if scale.is_normal() { *v * scale } else { 0.0 });
    }
    Some(prints)
}

#[inline(always)]
fn product(a: &Fingerprint, b: &Fingerprint) -> f32 {
    let mut sums = [0f32; 8];
    for (a, b) in a.as_chunks::<8>().0.iter().zip(b.as_chunks::<8>().0) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a * b;
        }
    }
    sums.iter().sum()
}

/// Fits lines through the points (b, a): by change, by level and through zero.
fn lines(a: &[f64], b: &[f64], segment: usize, slope: bool) -> [Line; 3] {
    let n = a.len().max(1) as f64;
    let (mut sa, mut sb, mut sab, mut sbb) = (0.0, 0.0, 0.0, 0.0);
    let (mut dab, mut dbb) = (0.0, 0.0);
    let segment = segment.max(1);
    for (a, b) in a.chunks(segment).zip(b.chunks(segment)) {
        let (mut last_a, mut last_b) = (a.first().copied().unwrap_or(0.0), b.first().copied().unwrap_or(0.0));
        for (&a, &b) in a.iter().zip(b) {
            sa += a;
            sb += b;
            sab += a * b;
            sbb += b * b;
            dab += (a - last_a) * (b - last_b);
            dbb += (b - last_b) * (b - last_b);
            (last_a, last_b) = (a, b);
        }
    }
    let level = (sab - sa * sb / n) / (sbb - sb * sb / n);
    let change = dab / dbb;
    let zero = sab / sbb;
    let offset = |factor: f64| (sa - factor * sb) / n;
    [
        Line { factor: change, offset: offset(change), slope },
        Line { factor: level, offset: offset(level), slope },
        Line { factor: zero, offset: 0.0, slope },
    ]
}

impl References {
    pub(crate) fn clear(&mut self) {
        self.candidates.clear();
        self.fingerprints.clear();
        self.floats.clear();
    }

    /// Searches for a better plan than `own` and returns it with the column it refers to. If there is none, the column
    /// becomes a candidate.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn improve<W: Word>(
        &mut self,
        planner: &Planner,
        sample: &Sample,
        own: Plan,
        me: Candidate,
        rows: usize,
        buffers: &mut Buffers<W>,
    ) -> Option<(Plan, Candidate)> {
        let length = sample.len();
        let known = self.candidates.len() * length;
        self.floats.truncate(known);
        self.floats.extend(buffers.sample.iter().map(|v| v.to_reference()));
        let (others, mine) = self.floats.split_at(known);
        let finite = mine.iter().all(|v| v.is_finite());
        let prints = if finite { fingerprints(sample, mine) } else { None }?;
        own.transform.apply(&buffers.sample, &mut buffers.integers);
        let mut best: Option<(u64, Line, usize)> = None;
        let first_look = sample.first_look().min(length);
        // A column that costs next to nothing cannot gain, but it may help others.
        let matches = if own.price > LEAST_GAIN { self.matches(&prints, own.scores, sample, rows) } else { [None; 2] };
        for Match { at, slope, .. } in matches.into_iter().flatten() {
            let theirs = others.get(at * length..(at + 1) * length).unwrap_or_default();
            let inputs = if slope { slopes(theirs, sample.segment, &mut self.slopes) } else { theirs };
            let mut consider = |line: Line| {
                if line.factor == 0.0 || !is_tame(line.factor) || !is_tame(line.offset) {
                    return false;
                }
                predict(own, line, inputs.get(..first_look).unwrap_or_default(), buffers);
                let [(score, _), ..] = ranked(scores(&buffers.guesses, sample, 0));
                let better = best.is_none_or(|best| score < best.0);
                if better {
                    best = Some((score, line, at));
                }
                better
            };
            let [by_change, by_level, through_zero] = lines(mine, inputs, sample.segment, slope);
            consider(by_change);
            consider(by_level);
            if consider(through_zero) {
                // Games scale by single-precision constants, so the nearest one may be exact.
                consider(Line { factor: f64::from(through_zero.factor as f32), ..through_zero });
            }
        }
        let found = best.and_then(|(_, line, at)| {
            let theirs = others.get(at * length..(at + 1) * length)?;
            let inputs = if line.slope { slopes(theirs, sample.segment, &mut self.slopes) } else { theirs };
            predict(own, line, inputs, buffers);
            let [(_, order), ..] = ranked(scores(&buffers.guesses, sample, 0));
            let header = if line.offset == 0.0 { 100.0 } else { 160.0 } / rows as f32;
            let price = planner.price(sample, &buffers.guesses, order, 0) + header;
            let plan = Plan { order, line: Some(line), price, ..own };
            Some((plan, *self.candidates.get(at)?)).filter(|_| price + LEAST_GAIN < own.price)
        });
        if found.is_none() {
            self.candidates.push(me);
            self.fingerprints.push(prints);
        }
        found
    }

    /// Returns the two most promising candidates, if any.
    fn matches(&self, prints: &Fingerprints, own_scores: [u64; 4], sample: &Sample, rows: usize) -> [Option<Match>; 2] {
        // The cost of a row at each order, in bits; a correlation r reduces it by -log2(1 - r²) / 2.
        let priced = (sample.segments * (sample.segment - LEAD)).max(1) as f32 * SCORE_OF_A_BIT;
        let costs = own_scores.map(|score| score as f32 / priced);
        let own = costs.iter().copied().fold(f32::INFINITY, f32::min);
        let mut best: [Option<Match>; 2] = [None; 2];
        let skip = self.fingerprints.len().saturating_sub(rows / ROWS_PER_CANDIDATE);
        for (at, theirs) in self.fingerprints.iter().enumerate().skip(skip) {
            for (mine, other, slope) in [(1, 1, false), (2, 2, false), (0, 1, true), (1, 2, true)] {
                let left = 1.0 - product(&prints[mine], &theirs[other]).powi(2);
                if left > 1.0 - WORTH {
                    continue;
                }
                let cost = costs[mine] + 0.5 * left.max(1e-6).log2();
                let this = Some(Match { at, slope, cost });
                if cost > own + DOUBT {
                    continue;
                }
                if best[0].is_none_or(|best| cost < best.cost) {
                    if best[0].is_none_or(|best| (best.at, best.slope) != (at, slope)) {
                        best[1] = best[0];
                    }
                    best[0] = this;
                } else if best[0].is_none_or(|best| (best.at, best.slope) != (at, slope))
                    && best[1].is_none_or(|best| cost < best.cost)
                {
                    best[1] = this;
                }
            }
        }
        best
    }
}

/// Returns the changes of sampled values. For the first row of a segment, the change of the next row is used.
fn slopes<'a>(values: &[f64], segment: usize, out: &'a mut Vec<f64>) -> &'a [f64] {
    out.clear();
    for segment in values.chunks(segment.max(1)) {
        let first = segment.first().zip(segment.get(1)).map_or(0.0, |(a, b)| b - a);
        out.push(first);
        out.extend(segment.windows(2).map(|pair| pair[1] - pair[0]));
    }
    out
}

/// Subtracts the predictions of `line` from the sampled integers; leaves the result in `buffers.guesses`.
fn predict<W: Word>(own: Plan, line: Line, theirs: &[f64], buffers: &mut Buffers<W>) {
    let Buffers { integers, guesses, .. } = buffers;
    guesses.clear();
    guesses.resize(integers.len().min(theirs.len()), W::default());
    // The inputs already are slopes if the line uses them.
    let line = Line { slope: false, ..line };
    line.predict(theirs.iter().copied(), own.transform, guesses);
    guesses.iter_mut().zip(integers.iter()).for_each(|(guess, v)| *guess = v.sub(*guess));
}
