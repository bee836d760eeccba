//! Coding of residuals: non-negative numbers of up to 64 bits, most of them near zero.
//!
//! A symbol is either a class (the bit length of the number) or an entry of a small dictionary of frequent numbers.
//! Symbols are entropy-coded; the bits of a number below its highest one follow verbatim.
//!
//! ```text
//! fixed width: 4 bits 0 | 7 bits width | each number in `width` bits
//! entropy:     4 bits log | 7 bits lowest class | 7 bits classes | 5 bits entries | entries | counts
//!              | states and symbols | low bits of all numbers
//! an entry:    6 bits (length - 1) | its bits below the highest one
//! a count:     4 bits length | its bits below the highest one
//! ```

use super::ColumnError;
use super::ans::{DecodeTable, LOGS, SYMBOLS};
use super::bits::{BitReader, WIDE};
use super::word::Word;

/// The number of possible classes: lengths 0 to 64.
const CLASSES: u32 = 65;

/// Reusable buffers for decoding.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Created when the first table is read: short sequences often have none.
    table: Option<DecodeTable>,
    symbols: Vec<u8>,
}

/// Reads `out.len()` numbers.
pub(crate) fn decode<W: Word>(
    reader: &mut BitReader<'_>,
    scratch: &mut Scratch,
    out: &mut [W],
) -> Result<(), ColumnError> {
    let log = reader.read(4) as u32;
    if log == 0 {
        let width = reader.read(7) as u32;
        if width > W::BITS {
            return Err(ColumnError::Damaged { what: "width of numbers" });
        }
        if width == 0 {
            out.fill(W::default());
        } else {
            out.iter_mut().for_each(|number| *number = W::from_u64(reader.read_long(width)));
        }
    } else {
        decode_entropy(log, reader, scratch, out)?;
    }
    if reader.in_bounds() { Ok(()) } else { Err(ColumnError::Damaged { what: "bits of numbers" }) }
}

/// The numbers that the symbols of a table represent: a number is its symbol's base plus a value of that many bits.
struct Symbols<W> {
    bases: [W; SYMBOLS],
    bits: [u8; SYMBOLS],
}

impl<W: Word> Symbols<W> {
    /// Reads the low bits of all numbers, `N` numbers at a time.
    fn read_low_bits<const N: usize>(&self, symbols: &[u8], reader: &mut BitReader<'_>, out: &mut [W]) {
        let mut read = |symbols: &[u8], numbers: &mut [W]| {
            let mut ahead = reader.peek();
            let mut used = 0;
            for (number, &symbol) in numbers.iter_mut().zip(symbols) {
                let symbol = symbol as usize & (SYMBOLS - 1);
                let count = u32::from(self.bits[symbol]) & 63;
                *number = self.bases[symbol].add(W::from_u64(ahead & ((1 << count) - 1)));
                ahead >>= count;
                used += count;
            }
            reader.skip(used);
        };
        let ((groups, rest), (of_groups, of_rest)) = (symbols.as_chunks::<N>(), out.as_chunks_mut::<N>());
        groups.iter().zip(of_groups).for_each(|(symbols, numbers)| read(symbols, numbers));
        rest.iter().zip(of_rest).for_each(|(symbol, number)| read(&[*symbol], std::slice::from_mut(number)));
    }
}

fn decode_entropy<W: Word>(
    log: u32,
    reader: &mut BitReader<'_>,
    scratch: &mut Scratch,
    out: &mut [W],
) -> Result<(), ColumnError> {
    let lowest = reader.read(7) as u32;
    let classes = reader.read(7) as u32;
    let entries = reader.read(5) as u32;
    if !LOGS.contains(&log) || lowest + classes > W::BITS + 1 {
        return Err(ColumnError::Damaged { what: "table of symbols" });
    }
    let mut bases = [W::default(); SYMBOLS];
    let mut bits = [0u8; SYMBOLS];
    let (for_classes, rest) = bases.split_at_mut(classes as usize & (SYMBOLS - 1));
    for ((base, bits), class) in for_classes.iter_mut().zip(&mut bits).zip(lowest..CLASSES) {
        *bits = class.saturating_sub(1) as u8;
        *base = W::from_u64(if class == 0 { 0 } else { 1 << *bits });
    }
    for base in rest.iter_mut().take(entries as usize) {
        let below = reader.read(6) as u32;
        if below >= W::BITS {
            return Err(ColumnError::Damaged { what: "dictionary of numbers" });
        }
        *base = W::from_u64(1 << below | reader.read_long(below));
    }
    let mut counts = [0u16; SYMBOLS];
    let used = (classes + entries) as usize;
    let mut sum = 0;
    for count in counts.iter_mut().take(used) {
        let length = reader.read(4) as u32;
        *count = if length == 0 { 0 } else { (1 << (length - 1) | reader.read(length - 1)) as u16 };
        sum += u32::from(*count);
    }
    if sum != 1 << log || used > SYMBOLS {
        return Err(ColumnError::Damaged { what: "counts of symbols" });
    }
    let table = scratch.table.get_or_insert_default();
    table.build(counts.get(..used).unwrap_or_default(), log);
    scratch.symbols.clear();
    scratch.symbols.resize(out.len(), 0);
    table.decode(reader, &mut scratch.symbols);
    let widest = bits.iter().take(classes as usize).max().copied().unwrap_or(0);
    let symbols = Symbols { bases, bits };
    // As many numbers as one peek is guaranteed to cover.
    match WIDE / u32::from(widest).max(1) {
        0 => {
            for (number, &symbol) in out.iter_mut().zip(&scratch.symbols) {
                let symbol = symbol as usize & (SYMBOLS - 1);
                let low = reader.read_long(u32::from(symbols.bits[symbol]));
                *number = symbols.bases[symbol].add(W::from_u64(low));
            }
        }
        1 => symbols.read_low_bits::<1>(&scratch.symbols, reader, out),
        2 | 3 => symbols.read_low_bits::<2>(&scratch.symbols, reader, out),
        _ => symbols.read_low_bits::<4>(&scratch.symbols, reader, out),
    }
    Ok(())
}

#[cfg(feature = "write")]
pub(crate) use write::*;

#[cfg(feature = "write")]
mod write {
    use super::super::ans::{EncodeTable, normalize};
    use super::super::bits::BitWriter;
    use super::*;

    /// Below this many numbers, a table costs more than it saves.
    const FEWEST: usize = 12;
    const MAX_ENTRIES: usize = 31;
    const HASH: usize = 256;
    const NO_SYMBOL: u8 = u8::MAX;

    /// Reusable buffers for encoding.
    pub(crate) struct Encoder {
        table: EncodeTable,
        symbols: Vec<u8>,
        slots: Box<[(u64, u32, u8); HASH]>,
    }

    impl Default for Encoder {
        fn default() -> Self {
            Self { table: EncodeTable::default(), symbols: Vec::new(), slots: Box::new([(0, 0, NO_SYMBOL); HASH]) }
        }
    }

    /// The cost in bits of coding all `count` occurrences of a symbol among `total`.
    fn symbol_bits(count: u32, total: u32) -> f32 {
        if count == 0 { 0.0 } else { count as f32 * (total as f32 / count as f32).log2() }
    }

    /// Counts the numbers in each class. Uses four partial histograms: incrementing a counter that was just written would stall.
    fn histogram<W: Word>(numbers: &[W]) -> [u32; SYMBOLS] {
        let mut parts = [[0u32; SYMBOLS]; 4];
        let (fours, rest) = numbers.as_chunks::<4>();
        for four in fours {
            for (part, number) in parts.iter_mut().zip(four) {
                part[number.bit_length() as usize & (SYMBOLS - 1)] += 1;
            }
        }
        for number in rest {
            parts[0][number.bit_length() as usize & (SYMBOLS - 1)] += 1;
        }
        let [a, b, c, d] = parts;
        std::array::from_fn(|class| a[class] + b[class] + c[class] + d[class])
    }

    fn hash(value: u64) -> usize {
        (value.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize & (HASH - 1)
    }

    /// Writes the low bits of all numbers, `N` numbers at a time.
    fn write_low_bits<const N: usize, W: Word>(
        numbers: &[W],
        symbols: &[u8],
        low_bits: &[u8; SYMBOLS],
        writer: &mut BitWriter<'_>,
    ) {
        let mut write = |numbers: &[W], symbols: &[u8]| {
            let (mut all, mut filled) = (0, 0);
            for (number, &symbol) in numbers.iter().zip(symbols) {
                let count = u32::from(low_bits[symbol as usize & (SYMBOLS - 1)]);
                all |= (number.to_u64() & ((1 << count) - 1)) << filled;
                filled += count;
            }
            writer.write_wide(all, filled);
        };
        let ((groups, rest), (of_groups, of_rest)) = (numbers.as_chunks::<N>(), symbols.as_chunks::<N>());
        groups.iter().zip(of_groups).for_each(|(numbers, symbols)| write(numbers, symbols));
        rest.iter().zip(of_rest).for_each(|(number, symbol)| write(&[*number], &[*symbol]));
    }

    impl Encoder {
        /// Writes all `numbers`.
        pub(crate) fn encode<W: Word>(&mut self, numbers: &[W], writer: &mut BitWriter<'_>) {
            let total = numbers.len() as u32;
            let histogram = histogram(numbers);
            let widest = histogram.iter().rposition(|&count| count > 0).unwrap_or(0) as u32;
            let fixed = 11 + widest as usize * numbers.len();
            if numbers.len() < FEWEST || widest == 0 || !self.encode_entropy(numbers, total, histogram, fixed, writer) {
                writer.reserve(fixed);
                writer.write(0, 4);
                writer.write(widest, 7);
                if widest > 0 {
                    numbers.iter().for_each(|number| writer.write_long(number.to_u64(), widest));
                }
            }
        }

        /// Writes with a table, unless `fixed` bits are fewer.
        fn encode_entropy<W: Word>(
            &mut self,
            numbers: &[W],
            total: u32,
            histogram: [u32; SYMBOLS],
            fixed: usize,
            writer: &mut BitWriter<'_>,
        ) -> bool {
            let mut entries = [0u64; MAX_ENTRIES];
            let mut counts = histogram;
            let found = self.dictionary(numbers, total, &mut counts, &mut entries);
            let lowest = counts.iter().take(CLASSES as usize).position(|&count| count > 0).unwrap_or(0);
            let highest = counts.iter().take(CLASSES as usize).rposition(|&count| count > 0);
            let classes = highest.map_or(0, |highest| highest + 1 - lowest);
            counts.copy_within(lowest..lowest + classes, 0);
            counts[classes..].fill(0);
            let used = classes + found;
            for (at, &entry) in entries.iter().take(found).enumerate() {
                let (_, count, symbol) = &mut self.slots[hash(entry)];
                *symbol = (classes + at) as u8;
                counts[classes + at] = *count;
            }
            let log = (numbers.len().ilog2()).clamp(*LOGS.start(), 8);
            let mut scaled = [0u16; SYMBOLS];
            let Some((counts, scaled)) = counts.get(..used).zip(scaled.get_mut(..used)) else { return false };
            if !normalize(counts, log, scaled) {
                return false;
            }
            let mut price = 23.0;
            for (at, (&count, &share)) in counts.iter().zip(scaled.iter()).enumerate() {
                let low = if at < classes { (lowest + at).saturating_sub(1) as u32 * count } else { 40 };
                let header = if share == 0 { 4 } else { 4 + share.ilog2() };
                price += count as f32 * (log as f32 - f32::from(share.max(1)).log2()) + (low + header) as f32;
            }
            if price >= fixed as f32 {
                return false;
            }
            // Tables of at most 128 entries and counts, a state per lane, then at most `log` bits per symbol.
            writer.reserve(SYMBOLS * 96 + numbers.len() * (log as usize + W::BITS as usize));
            writer.write(log, 4);
            writer.write(lowest as u32, 7);
            writer.write(classes as u32, 7);
            writer.write(found as u32, 5);
            for &entry in entries.iter().take(found) {
                let below = entry.ilog2();
                writer.write(below, 6);
                writer.write_long(entry ^ 1 << below, below);
            }
            for &share in scaled.iter() {
                let length = u32::from(share).bit_length();
                writer.write(length, 4);
                if length > 1 {
                    writer.write(u32::from(share) ^ 1 << (length - 1), length - 1);
                }
            }
            self.symbols.clear();
            if found == 0 {
                self.symbols.extend(numbers.iter().map(|number| (number.bit_length() as usize - lowest) as u8));
            } else {
                let slots = &self.slots;
                self.symbols.extend(numbers.iter().map(|number| {
                    let value = number.to_u64();
                    let slot = &slots[hash(value)];
                    let entry = slot.0 == value && slot.2 != NO_SYMBOL;
                    if entry { slot.2 } else { (number.bit_length() as usize).wrapping_sub(lowest) as u8 }
                }));
            }
            self.table.build(scaled, log);
            self.table.encode(&self.symbols, writer);
            let mut low_bits = [0u8; SYMBOLS];
            for (at, low) in low_bits.iter_mut().take(classes).enumerate() {
                *low = (lowest + at).saturating_sub(1) as u8;
            }
            let widest = low_bits.iter().take(classes).max().copied().unwrap_or(0);
            // As many numbers as are guaranteed to fit into one write.
            match WIDE / u32::from(widest).max(1) {
                0 => {
                    for (number, &symbol) in numbers.iter().zip(&self.symbols) {
                        let count = u32::from(low_bits[symbol as usize & (SYMBOLS - 1)]);
                        writer.write_long(number.to_u64() & ((1 << count) - 1), count);
                    }
                }
                1 => write_low_bits::<1, W>(numbers, &self.symbols, &low_bits, writer),
                2 | 3 => write_low_bits::<2, W>(numbers, &self.symbols, &low_bits, writer),
                _ => write_low_bits::<4, W>(numbers, &self.symbols, &low_bits, writer),
            }
            true
        }

        /// Finds numbers frequent enough to justify their own symbol and removes them from their classes in `counts`.
        fn dictionary<W: Word>(
            &mut self,
            numbers: &[W],
            total: u32,
            counts: &mut [u32; SYMBOLS],
            entries: &mut [u64; MAX_ENTRIES],
        ) -> usize {
            self.slots.fill((0, 0, NO_SYMBOL));
            let sampled = if numbers.len() >= 512 { 8 } else { 32 };
            for number in numbers.chunks(32).flat_map(|chunk| chunk.iter().take(sampled)) {
                let value = number.to_u64();
                let slot = &mut self.slots[hash(value)];
                if slot.0 == value {
                    slot.1 += 1;
                } else if slot.1 <= 1 {
                    *slot = (value, 1, NO_SYMBOL);
                } else {
                    slot.1 -= 1;
                }
            }
            let mut any = false;
            for slot in self.slots.iter_mut() {
                let candidate = slot.0 > 1 && slot.1 >= 2;
                any |= candidate;
                *slot = if candidate { (slot.0, 0, NO_SYMBOL) } else { (u64::MAX, 0, NO_SYMBOL) };
            }
            if !any {
                return 0;
            }
            for number in numbers {
                let value = number.to_u64();
                let slot = &mut self.slots[hash(value)];
                slot.1 += u32::from(slot.0 == value);
            }
            let mut found = 0;
            for slot in self.slots.iter().filter(|slot| slot.1 > 0) {
                let (value, count, _) = *slot;
                let length = value.bit_length();
                let of_class = &mut counts[length as usize & (SYMBOLS - 1)];
                let rest = of_class.saturating_sub(count);
                let before = symbol_bits(*of_class, total) + (count * (length - 1)) as f32;
                let after = symbol_bits(count, total) + symbol_bits(rest, total) + (16 + length) as f32;
                if after < before && found < MAX_ENTRIES {
                    *of_class = rest;
                    entries[found] = value;
                    found += 1;
                }
            }
            found
        }
    }
}
