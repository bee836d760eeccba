//! Bits from bytes, from the highest to the lowest.

/// Reads bits; `None` at the end of the data.
#[derive(Debug)]
pub(super) struct BitsBe<'a> {
    data: &'a [u8],
    at: usize,
}

impl<'a> BitsBe<'a> {
    pub(super) fn new(data: &'a [u8]) -> Self {
        Self { data, at: 0 }
    }

    /// Reads at most 64 bits as a number.
    pub(super) fn get(&mut self, count: u32) -> Option<u64> {
        let mut value = 0;
        for _ in 0..count {
            let byte = *self.data.get(self.at / 8)?;
            value = value << 1 | u64::from(byte >> (7 - self.at % 8) & 1);
            self.at += 1;
        }
        Some(value)
    }
}
