//! The entropy coder: tabled asymmetric numeral systems (tANS) over a small alphabet.
//!
//! A table has 2^log slots; a symbol of count c owns c of them. The decoder's state is a slot index: the slot gives the
//! symbol, the number of bits to read and the base of the next state. Symbols are coded with several interleaved states
//! ("lanes"), so that a processor can follow several dependency chains at once.

use super::bits::BitReader;

/// The smallest and largest table sizes, as powers of two.
pub(crate) const LOGS: std::ops::RangeInclusive<u32> = 5..=10;
const MAX_SLOTS: usize = 1 << 10;
/// The capacity for symbols: 65 classes and 31 dictionary entries fit.
pub(crate) const SYMBOLS: usize = 128;
const LANES: usize = 4;
/// From this many symbols on, four lanes are used, below it one: each state costs `log` bits.
const LANES_FROM: usize = 256;

pub(crate) fn lanes(symbols: usize) -> usize {
    if symbols >= LANES_FROM { LANES } else { 1 }
}

/// Assigns a symbol to every slot: the slots of each symbol are spread over the table with a fixed odd step.
fn spread(counts: &[u16], log: u32, slots: &mut [u8; MAX_SLOTS]) {
    let size = 1usize << log;
    let step = (size >> 1) + (size >> 3) + 3;
    let mut at = 0;
    for (symbol, &count) in counts.iter().enumerate() {
        for _ in 0..count {
            slots[at & (MAX_SLOTS - 1)] = symbol as u8;
            at = (at + step) & (size - 1);
        }
    }
}

/// One slot, packed: symbol in bits 0-7, number of bits to read in 8-15, base of the next state from bit 16 on.
type Slot = u32;

/// Decodes symbols.
pub(crate) struct DecodeTable {
    slots: Box<[Slot; MAX_SLOTS]>,
    log: u32,
}

impl Default for DecodeTable {
    fn default() -> Self {
        Self { slots: Box::new([0; MAX_SLOTS]), log: *LOGS.start() }
    }
}

impl DecodeTable {
    /// Builds the table from at most [`SYMBOLS`] counts that sum to `1 << log`.
    pub(crate) fn build(&mut self, counts: &[u16], log: u32) {
        let mut symbols = [0u8; MAX_SLOTS];
        spread(counts, log, &mut symbols);
        let mut next = [0u16; SYMBOLS];
        next.iter_mut().zip(counts).for_each(|(next, &count)| *next = count);
        self.log = log;
        for (slot, &symbol) in self.slots.iter_mut().zip(&symbols).take(1 << log) {
            let number = &mut next[symbol as usize & (SYMBOLS - 1)];
            let value = u32::from(*number).max(1);
            *number += 1;
            let bits = log.saturating_sub(31 - value.leading_zeros());
            *slot = u32::from(symbol) | bits << 8 | ((value << bits) - (1 << log)) << 16;
        }
    }

    #[inline(always)]
    fn slot(&self, state: u32) -> Slot {
        self.slots[state as usize & (MAX_SLOTS - 1)]
    }

    /// Decodes symbols until `out` is full.
    pub(crate) fn decode(&self, reader: &mut BitReader<'_>, out: &mut [u8]) {
        let lanes = lanes(out.len());
        let mut states = [0u32; LANES];
        for state in states.iter_mut().take(lanes) {
            *state = reader.read(self.log) as u32;
        }
        let mut at = 0;
        if lanes == LANES {
            let whole = (out.len() - LANES) / LANES;
            let (head, _) = out.as_chunks_mut::<LANES>();
            for symbols in head.iter_mut().take(whole) {
                let mut bits = reader.peek();
                let mut used = 0;
                for (state, symbol) in states.iter_mut().zip(symbols) {
                    let slot = self.slot(*state);
                    let count = slot >> 8 & 0xff;
                    *symbol = slot as u8;
                    *state = (slot >> 16) + (bits as u32 & ((1 << (count & 31)) - 1));
                    bits >>= count & 63;
                    used += count;
                }
                reader.skip(used);
            }
            at = whole * LANES;
        }
        let total = out.len();
        for (index, symbol) in out.iter_mut().enumerate().skip(at) {
            let state = &mut states[index & (lanes - 1) & (LANES - 1)];
            let slot = self.slot(*state);
            *symbol = slot as u8;
            if index + lanes < total {
                *state = (slot >> 16) + reader.read(slot >> 8 & 0x1f) as u32;
            }
        }
    }
}

#[cfg(feature = "write")]
pub(crate) use write::*;

#[cfg(feature = "write")]
mod write {
    use super::super::bits::BitWriter;
    use super::*;

    /// The coding step of one symbol: `(state + delta) >> 16` is the number of bits, `start + (state >> bits)` the next slot.
    #[derive(Clone, Copy, Default)]
    struct Step {
        delta: u32,
        start: u32,
        first: u16,
    }

    /// Encodes symbols.
    pub(crate) struct EncodeTable {
        steps: [Step; SYMBOLS],
        /// Slots ordered by symbol, then by position.
        states: Box<[u16; MAX_SLOTS]>,
        log: u32,
        /// The bits that the decoder will read after each symbol, with their count from bit 16 on.
        moves: Vec<u32>,
    }

    impl Default for EncodeTable {
        fn default() -> Self {
            let states = Box::new([0; MAX_SLOTS]);
            Self { steps: [Step::default(); SYMBOLS], states, log: *LOGS.start(), moves: Vec::new() }
        }
    }

    impl EncodeTable {
        /// Builds the table from counts that sum to `1 << log`.
        pub(crate) fn build(&mut self, counts: &[u16], log: u32) {
            let size = 1u32 << log;
            let mut symbols = [0u8; MAX_SLOTS];
            spread(counts, log, &mut symbols);
            self.log = log;
            let mut next = [0u16; SYMBOLS];
            let mut total = 0u32;
            for ((step, next), &count) in self.steps.iter_mut().zip(&mut next).zip(counts).filter(|(_, c)| **c > 0) {
                let count = u32::from(count);
                let bits = log - (31 - count.leading_zeros());
                *next = total as u16;
                *step = Step {
                    delta: (bits << 16).wrapping_sub(count << bits),
                    start: total.wrapping_sub(count),
                    first: 0,
                };
                total += count;
            }
            for (slot, &symbol) in symbols.iter().take(size as usize).enumerate() {
                let next = &mut next[symbol as usize & (SYMBOLS - 1)];
                self.states[*next as usize & (MAX_SLOTS - 1)] = slot as u16;
                *next += 1;
            }
            for (step, &count) in self.steps.iter_mut().zip(counts) {
                let first = step.start.wrapping_add(u32::from(count));
                step.first = self.states[first as usize & (MAX_SLOTS - 1)];
            }
        }

        /// Encodes `symbols` from last to first, then writes the bits in the order in which the decoder reads them.
        pub(crate) fn encode(&mut self, symbols: &[u8], writer: &mut BitWriter<'_>) {
            let lanes = lanes(symbols.len());
            let size = 1u32 << self.log;
            let last = symbols.len().saturating_sub(lanes);
            let mut states = [size; LANES];
            for (index, &symbol) in symbols.iter().enumerate().skip(last) {
                let first = self.steps[symbol as usize & (SYMBOLS - 1)].first;
                states[index & (lanes - 1) & (LANES - 1)] = size + u32::from(first);
            }
            self.moves.clear();
            self.moves.resize(last, 0);
            let (steps, slots) = (&self.steps, &self.states);
            let step_back = |symbol: u8, state: &mut u32| {
                let step = steps[symbol as usize & (SYMBOLS - 1)];
                let bits = state.wrapping_add(step.delta) >> 16 & 31;
                let moved = *state & ((1 << bits) - 1) | bits << 16;
                let next = step.start.wrapping_add(*state >> bits);
                *state = size + u32::from(slots[next as usize & (MAX_SLOTS - 1)]);
                moved
            };
            // Groups of four with a fixed lane each keep the states in registers.
            let (groups, _) = symbols.get(..last).unwrap_or_default().as_chunks::<LANES>();
            let grouped = if lanes == LANES { groups.len() * LANES } else { 0 };
            for (index, (&symbol, moved)) in symbols.iter().zip(&mut self.moves).enumerate().skip(grouped).rev() {
                *moved = step_back(symbol, &mut states[index & (lanes - 1) & (LANES - 1)]);
            }
            if grouped > 0 {
                let (moves, _) = self.moves.as_chunks_mut::<LANES>();
                for (group, moves) in groups.iter().zip(moves).rev() {
                    for lane in 0..LANES {
                        moves[lane] = step_back(group[lane], &mut states[lane]);
                    }
                }
            }
            for state in states.iter().take(lanes) {
                writer.write(state - size, self.log);
            }
            // Five at a time: at most 50 bits.
            let (fives, rest) = self.moves.as_chunks::<5>();
            for five in fives {
                let (mut all, mut filled) = (0, 0);
                for &moved in five {
                    all |= u64::from(moved & 0xffff) << filled;
                    filled += moved >> 16;
                }
                writer.write_wide(all, filled);
            }
            for &moved in rest {
                writer.write(moved & 0xffff, moved >> 16);
            }
        }
    }

    /// Scales `counts` so that they sum to `1 << log` and no non-zero count becomes zero. Returns false if that is impossible.
    pub(crate) fn normalize(counts: &[u32], log: u32, out: &mut [u16]) -> bool {
        let size = 1u32 << log;
        let total: u32 = counts.iter().sum();
        let present = counts.iter().filter(|&&count| count > 0).count() as u32;
        if total == 0 || present > size {
            return false;
        }
        let mut left = i64::from(size);
        for (scaled, &count) in out.iter_mut().zip(counts) {
            let exact = u64::from(count) * u64::from(size);
            let share = (exact + u64::from(total) / 2) / u64::from(total);
            *scaled = if count == 0 { 0 } else { share.max(1) as u16 };
            left -= i64::from(*scaled);
        }
        while left != 0 {
            // The slot that is cheapest to take away, or most valuable to add.
            let step: i64 = if left > 0 { 1 } else { -1 };
            let best = out.iter_mut().zip(counts).filter(|(scaled, _)| step > 0 && **scaled > 0 || **scaled > 1);
            let change = |scaled: u16, count: u32| {
                let now = f32::from(scaled);
                count as f32 * ((now + step as f32) / now).log2()
            };
            let Some((scaled, _)) = best.max_by(|a, b| change(*a.0, *a.1).total_cmp(&change(*b.0, *b.1))) else {
                return false;
            };
            *scaled = (i64::from(*scaled) + step) as u16;
            left -= step;
        }
        true
    }
}
