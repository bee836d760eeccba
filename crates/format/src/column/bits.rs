//! Bit streams. The first bit written is the lowest bit of the first byte.

/// The maximum number of bits per write or peek: a word, less the bits of a partially filled byte.
pub(crate) const WIDE: u32 = 56;

/// Appends bits to a byte vector.
#[cfg(feature = "write")]
pub(crate) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    /// The index of the next whole byte; the vector is longer while writing.
    at: usize,
    pending: u64,
    filled: u32,
}

#[cfg(feature = "write")]
impl<'a> BitWriter<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> Self {
        let at = out.len();
        let mut writer = Self { out, at, pending: 0, filled: 0 };
        writer.reserve(0);
        writer
    }

    /// Reserves room for this many bits. Every write must be covered by a reservation.
    pub(crate) fn reserve(&mut self, bits: usize) {
        const SLACK: usize = 64;
        let needed = self.at + bits / 8 + SLACK;
        if self.out.len() < needed {
            self.out.resize(needed, 0);
        }
    }

    /// Writes the low `count` (at most 32) bits of `value`, whose higher bits must be zero.
    #[inline(always)]
    pub(crate) fn write(&mut self, value: u32, count: u32) {
        self.write_wide(u64::from(value), count);
    }

    /// Writes the low `count` (at most [`WIDE`]) bits of `value`, whose higher bits must be zero.
    #[inline(always)]
    pub(crate) fn write_wide(&mut self, value: u64, count: u32) {
        // Does not branch on how full the word is: that branch would be unpredictable.
        self.pending |= value << self.filled;
        self.filled += count;
        if let Some(room) = self.out.get_mut(self.at..).and_then(|rest| rest.first_chunk_mut::<8>()) {
            *room = self.pending.to_le_bytes();
        }
        self.at += (self.filled >> 3) as usize;
        self.pending >>= self.filled & !7;
        self.filled &= 7;
    }

    /// Writes the low `count` (at most 64) bits of `value`, whose higher bits must be zero.
    #[inline(always)]
    pub(crate) fn write_long(&mut self, value: u64, count: u32) {
        self.write(value as u32, count.min(32));
        if count > 32 {
            self.write((value >> 32) as u32, count - 32);
        }
    }

    /// Pads the last byte with zero bits.
    pub(crate) fn finish(self) {
        self.out.truncate(self.at + usize::from(self.filled > 0));
    }
}

/// Reads bits. Reading past the end yields zeros; [`BitReader::in_bounds`] detects it afterwards.
#[derive(Clone, Copy)]
pub(crate) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Position in bits.
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// Returns at least [`WIDE`] bits from the current position, lowest first.
    #[inline(always)]
    pub(crate) fn peek(&self) -> u64 {
        let from = self.at >> 3;
        let word = match self.bytes.get(from..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(chunk) => u64::from_le_bytes(*chunk),
            None => self.peek_tail(from),
        };
        word >> (self.at & 7)
    }

    #[cold]
    fn peek_tail(&self, from: usize) -> u64 {
        let rest = self.bytes.get(from..).unwrap_or_default();
        rest.iter().take(8).rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
    }

    #[inline(always)]
    pub(crate) fn skip(&mut self, count: u32) {
        self.at += count as usize;
    }

    /// Reads `count` (at most [`WIDE`]) bits.
    #[inline(always)]
    pub(crate) fn read(&mut self, count: u32) -> u64 {
        let value = self.peek() & ((1 << count) - 1);
        self.skip(count);
        value
    }

    /// Reads `count` (at most 64) bits.
    #[inline(always)]
    pub(crate) fn read_long(&mut self, count: u32) -> u64 {
        if count <= WIDE {
            return self.read(count);
        }
        let low = self.read(32);
        low | self.read(count - 32) << 32
    }

    /// Whether no read went past the end.
    pub(crate) fn in_bounds(&self) -> bool {
        self.at <= self.bytes.len() * 8
    }

    /// Whether everything has been read: all bytes are used and the padding bits of the last one are zero.
    pub(crate) fn is_done(&self) -> bool {
        self.at.div_ceil(8) == self.bytes.len() && (self.at & 7 == 0 || self.peek() == 0)
    }
}
