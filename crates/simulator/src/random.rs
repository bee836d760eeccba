//! Counter-based random numbers: each number is a hash of seed, purpose and index.
//!
//! The index is a lap, a corner or a millisecond. Because a number does not depend on earlier draws, a restart or a script does not change the others.

/// The purpose of a number. Each purpose has its own sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// How quick the driver is in a lap.
    LapPace = 1,
    /// How quick the driver is in a part of a lap.
    PartPace,
    /// Where the driver puts the car in a part of a lap.
    Line,
    /// Whether a lap has a mistake.
    Mistake,
    /// In which corner.
    MistakeCorner,
    /// The surface, by millisecond.
    Bumps,
    /// The weather, by session.
    Weather,
}

/// A source of such numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Chance {
    seed: u64,
}

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self { seed: mix(seed ^ 0x6A09_E667_F3BC_C908) }
    }

    /// Evenly spread, from 0 up to but not including 1.
    pub(super) fn share(self, purpose: Purpose, index: u64) -> f64 {
        let bits = mix(self.seed ^ mix(index.wrapping_mul(8) ^ purpose as u64)) >> 11;
        bits as f64 / (1u64 << 53) as f64
    }

    /// Evenly spread, from -1 to 1.
    pub(super) fn sway(self, purpose: Purpose, index: u64) -> f64 {
        2.0 * self.share(purpose, index) - 1.0
    }
}

/// The finaliser of SplitMix64: every bit of the input changes about half of the output.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_depend_on_seed_purpose_and_index_and_fill_their_range() {
        let chance = Chance::new(1);
        assert_eq!(chance.share(Purpose::Line, 7), Chance::new(1).share(Purpose::Line, 7));
        assert_ne!(chance.share(Purpose::Line, 7), Chance::new(2).share(Purpose::Line, 7));
        assert_ne!(chance.share(Purpose::Line, 7), chance.share(Purpose::Line, 8));
        assert_ne!(chance.share(Purpose::Line, 7), chance.share(Purpose::Bumps, 7));
        let all: Vec<f64> = (0..10_000).map(|index| chance.sway(Purpose::Bumps, index)).collect();
        assert!(all.iter().all(|sway| (-1.0..1.0).contains(sway)));
        let mean = all.iter().sum::<f64>() / all.len() as f64;
        assert!(mean.abs() < 0.03, "{mean}");
        assert!(all.iter().any(|sway| *sway > 0.95) && all.iter().any(|sway| *sway < -0.95));
    }
}
