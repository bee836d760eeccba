//! Coverage of one lap: which bins of the track were observed, how far the car drove, and whether it was teleported.

use gametape_games::LapFrame;

use super::thresholds::{FASTEST_M_PER_S, SHAKE_M, TELEPORT_SHARE, TELEPORT_SHARE_PER_S};

/// Number of bins that a lap is divided into.
pub(super) const PARTS: usize = 256;

/// A set of bins.
#[derive(Debug, Clone, Copy, Default)]
struct Parts([u64; PARTS / 64]);

impl Parts {
    /// Marks the bins from one to another, forwards, across the line if necessary.
    fn mark(&mut self, from: usize, to: usize) {
        let mut at = from;
        for _ in 0..PARTS {
            if let Some(bits) = self.0.get_mut(at / 64) {
                *bits |= 1 << (at % 64);
            }
            if at == to {
                return;
            }
            at = (at + 1) % PARTS;
        }
    }

    fn merge(&mut self, other: Self) {
        self.0.iter_mut().zip(other.0).for_each(|(bits, more)| *bits |= more);
    }

    fn share(self) -> f32 {
        self.0.iter().map(|bits| bits.count_ones()).sum::<u32>() as f32 / PARTS as f32
    }
}

/// The coverage of a lap.
#[derive(Debug, Clone, Default)]
pub(super) struct Coverage {
    seen: Parts,
    /// Bins that were observed, and bins that were driven through while frames were missing.
    driven: Parts,
    last: Option<f32>,
    driven_m: Option<f32>,
}

impl Coverage {
    /// Adds the step from one frame of the lap to the next, `seconds` apart. `whole`: no frames are missing between them. Returns whether
    /// the car was teleported.
    pub(super) fn step(&mut self, before: &LapFrame, now: &LapFrame, seconds: f32, whole: bool) -> bool {
        if let (Some(from), Some(to)) = (before.distance_m, now.distance_m)
            && (from..=from + FASTEST_M_PER_S * seconds + SHAKE_M).contains(&to)
        {
            self.driven_m = Some(self.driven_m.unwrap_or(0.0) + (to - from));
        }
        let Some(to) = now.position else { return false };
        let Some(from) = before.position.filter(|_| whole) else {
            // Assume that the car drove on from its last observed position.
            self.seen.mark(part(to), part(to));
            self.driven.mark(part(self.last.unwrap_or(to)), part(to));
            self.last = Some(to);
            return false;
        };
        self.last = Some(to);
        let step = forward(from, to);
        let far = TELEPORT_SHARE + TELEPORT_SHARE_PER_S * seconds.clamp(0.0, 1.0);
        let (from, to) = if step >= 0.0 { (part(from), part(to)) } else { (part(to), part(from)) };
        let jumped = step.abs() > far;
        for parts in [&mut self.seen, &mut self.driven] {
            if !jumped {
                parts.mark(from, to);
            }
        }
        jumped
    }

    /// Adds the first frame of the lap.
    pub(super) fn begin(&mut self, now: &LapFrame) {
        if let Some(place) = now.position {
            self.last = Some(place);
            self.seen.mark(part(place), part(place));
            self.driven.mark(part(place), part(place));
        }
    }

    pub(super) fn merge(&mut self, later: &Self) {
        self.seen.merge(later.seen);
        self.driven.merge(later.driven);
        self.last = later.last.or(self.last);
        self.driven_m = match (self.driven_m, later.driven_m) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
    }

    /// Returns the distance driven.
    pub(super) fn driven_m(&self) -> Option<f32> {
        self.driven_m
    }

    /// Returns the share of the track that was observed, or `None` if the game reports no track position.
    pub(super) fn coverage(&self) -> Option<f32> {
        self.last.map(|_| self.seen.share())
    }

    /// Returns the share of the track that was driven, observed or not.
    pub(super) fn driven(&self) -> Option<f32> {
        self.last.map(|_| self.driven.share())
    }
}

/// Returns the bin of a track position.
pub(super) fn part(place: f32) -> usize {
    ((place * PARTS as f32) as usize).min(PARTS - 1)
}

/// Returns the signed lap fraction from one track position to another, the short way round: -0.5 to 0.5.
pub(super) fn forward(from: f32, to: f32) -> f32 {
    let step = (to - from).rem_euclid(1.0);
    if step > 0.5 { step - 1.0 } else { step }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(position: f32) -> LapFrame {
        LapFrame { position: Some(position), ..LapFrame::default() }
    }

    #[test]
    fn a_lap_is_covered_over_the_line_and_a_jump_is_noticed() {
        let mut way = Coverage::default();
        let places: Vec<f32> = (0..=100).map(|step| (0.97 + step as f32 / 100.0) % 1.0).collect();
        for pair in places.windows(2) {
            assert!(!way.step(&at(pair[0]), &at(pair[1]), 0.1, true), "{pair:?}");
        }
        assert_eq!(way.coverage(), Some(1.0));
        assert!(way.step(&at(0.2), &at(0.7), 0.1, true) && way.step(&at(0.7), &at(0.2), 0.1, true));
        assert!(!way.step(&at(0.2), &at(0.7), 30.0, false), "a gap is not a teleport");
    }
}
