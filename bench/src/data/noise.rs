//! Generated motion: numbers that vary like driven channels, determined by a seed. Uses only additions, multiplications
//! and shifts, so a seed gives the same bytes on every machine.

/// SplitMix64.
#[derive(Debug, Clone)]
pub(crate) struct Noise(u64);

impl Noise {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Returns a number in -1..1.
    pub(crate) fn signed(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
}

/// A value that drifts smoothly between two bounds.
#[derive(Debug, Clone)]
pub(crate) struct Walk {
    low: f64,
    high: f64,
    value: f64,
    slope: f64,
}

impl Walk {
    pub(crate) fn new(low: f64, high: f64, noise: &mut Noise) -> Self {
        let value = (low + high) / 2.0 + (high - low) * 0.4 * noise.signed();
        Self { low, high, value, slope: 0.0 }
    }

    /// Advances one step: the slope follows the noise slowly and is reversed at the bounds.
    pub(crate) fn step(&mut self, noise: &mut Noise) -> f64 {
        let range = self.high - self.low;
        self.slope = self.slope * 0.95 + range * 0.0008 * noise.signed();
        self.value += self.slope;
        if self.value < self.low || self.value > self.high {
            self.value = self.value.clamp(self.low, self.high);
            self.slope *= -0.5;
        }
        self.value
    }
}
