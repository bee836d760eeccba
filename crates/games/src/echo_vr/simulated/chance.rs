//! A deterministic random source: a number depends on the seed and on its purpose, not on how many were drawn before.

/// A random source.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chance(u64);

impl Chance {
    pub(super) fn new(seed: u64) -> Self {
        Self(mix(seed ^ 0x9A3C_51D2_77E0_4B1F))
    }

    /// Derives an independent source for a purpose.
    pub(super) fn of(self, thing: u64) -> Self {
        Self(mix(self.0 ^ mix(thing)))
    }

    /// Uniformly distributed in [0, 1).
    pub(super) fn share(self, index: u64) -> f64 {
        (mix(self.0 ^ mix(index ^ 0x5851_F42D)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniformly distributed between two numbers.
    pub(super) fn between(self, index: u64, low: f64, high: f64) -> f64 {
        low + (high - low) * self.share(index)
    }

    /// Approximately normal with mean 0 and standard deviation 1.
    pub(super) fn noise(self, index: u64) -> f64 {
        let parts = self.of(index);
        (0..4).map(|part| parts.share(part) - 0.5).sum::<f64>() * 1.732
    }
}

fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}
