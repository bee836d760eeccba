//! Decompresses bzip2 streams of a bounded size, as they are in archives of StarCraft II.
//!
//! ```text
//! "BZh", '1'..'9' (block size), blocks: magic, CRC, …, end magic, CRC of all. Bits from the highest to the lowest.
//! block: origin, used bytes, Huffman tables, selectors, symbols ─▶ run lengths + move to front ─▶ Burrows-Wheeler ─▶ run lengths
//! ```
//! Checksums are verified, so a damaged stream is an error.

use super::bits::BitsBe;

const BLOCK: u64 = 0x3141_5926_5359;
const END: u64 = 0x1772_4538_5090;
/// Symbols of a Huffman table: two for runs, up to 255 positions, one for the end.
const MAX_SYMBOLS: usize = 258;
const MAX_CODE_BITS: u32 = 20;
const GROUP: usize = 50;

/// Decompresses a stream to at most `most` bytes. Returns `None` if it is damaged or longer.
pub(super) fn decompress(data: &[u8], most: usize) -> Option<Vec<u8>> {
    let mut bits = BitsBe::new(data);
    if bits.get(24)? != u64::from(u32::from_be_bytes([0, b'B', b'Z', b'h'])) {
        return None;
    }
    let level = u8::try_from(bits.get(8)?).ok()?.checked_sub(b'0').filter(|level| (1..=9).contains(level))?;
    let block_bytes = usize::from(level) * 100_000;
    let (mut out, mut all) = (Vec::new(), 0u32);
    loop {
        match bits.get(48)? {
            BLOCK => {
                let expected = bits.get(32)? as u32;
                let start = out.len();
                block(&mut bits, block_bytes, most, &mut out)?;
                let found = crc(out.get(start..)?);
                if found != expected {
                    return None;
                }
                all = all.rotate_left(1) ^ found;
            }
            END => return (bits.get(32)? as u32 == all).then_some(out),
            _ => return None,
        }
    }
}

fn crc(data: &[u8]) -> u32 {
    let step = |mut crc: u32, byte: &u8| {
        crc ^= u32::from(*byte) << 24;
        (0..8).fold(crc, |crc, _| crc << 1 ^ if crc >> 31 == 1 { 0x04C1_1DB7 } else { 0 })
    };
    !data.iter().fold(!0, step)
}

/// A Huffman table: for each length the first code, the number of codes, and the symbols in the order of their codes.
struct Table {
    counts: [u32; MAX_CODE_BITS as usize + 1],
    symbols: Vec<u16>,
}

impl Table {
    fn read(bits: &mut BitsBe<'_>, symbols: usize) -> Option<Self> {
        let mut length = bits.get(5)? as i32;
        let mut lengths = Vec::with_capacity(symbols);
        for _ in 0..symbols {
            while bits.get(1)? == 1 {
                length += if bits.get(1)? == 0 { 1 } else { -1 };
                if !(1..=MAX_CODE_BITS as i32).contains(&length) {
                    return None;
                }
            }
            lengths.push(usize::try_from(length).ok().filter(|length| (1..=MAX_CODE_BITS as usize).contains(length))?);
        }
        let mut counts = [0; MAX_CODE_BITS as usize + 1];
        for length in &lengths {
            *counts.get_mut(*length)? += 1;
        }
        let mut order: Vec<u16> = (0..u16::try_from(symbols).ok()?).collect();
        order.sort_by_key(|symbol| lengths.get(usize::from(*symbol)).copied());
        Some(Self { counts, symbols: order })
    }

    fn symbol(&self, bits: &mut BitsBe<'_>) -> Option<u16> {
        let (mut code, mut first, mut before) = (0u32, 0u32, 0u32);
        for count in self.counts.iter().skip(1) {
            code = code << 1 | bits.get(1)? as u32;
            if let Some(place) = code.checked_sub(first).filter(|place| place < count) {
                return self.symbols.get((before + place) as usize).copied();
            }
            before += count;
            first = (first + count) << 1;
        }
        None
    }
}

fn block(bits: &mut BitsBe<'_>, block_bytes: usize, most: usize, out: &mut Vec<u8>) -> Option<()> {
    // Randomised blocks have not been written since 1997.
    if bits.get(1)? == 1 {
        return None;
    }
    let origin = bits.get(24)? as usize;
    let mut used = Vec::new();
    let rows = bits.get(16)?;
    for row in (0..16u8).filter(|row| rows >> (15 - row) & 1 == 1) {
        let columns = bits.get(16)?;
        used.extend((0..16u8).filter(|column| columns >> (15 - column) & 1 == 1).map(|column| row * 16 + column));
    }
    let symbols = used.len() + 2;
    let tables = bits.get(3)? as usize;
    let selector_count = bits.get(15)? as usize;
    if used.is_empty() || symbols > MAX_SYMBOLS || !(2..=6).contains(&tables) || selector_count == 0 {
        return None;
    }
    let mut front: Vec<usize> = (0..tables).collect();
    let mut selectors = Vec::with_capacity(selector_count);
    for _ in 0..selector_count {
        let mut place = 0;
        while bits.get(1)? == 1 {
            place += 1;
        }
        if place >= tables {
            return None;
        }
        let table = front.remove(place);
        front.insert(0, table);
        selectors.push(table);
    }
    let tables: Vec<Table> = (0..tables).map(|_| Table::read(bits, symbols)).collect::<Option<_>>()?;
    let mixed = mixed_bytes(bits, &tables, &selectors, &mut used, block_bytes)?;
    if origin >= mixed.len() {
        return None;
    }
    unmix(&mixed, origin, most, out)
}

/// Decodes the symbols of a block: run lengths of the most recent byte, and positions in the list of recent bytes.
fn mixed_bytes(
    bits: &mut BitsBe<'_>,
    tables: &[Table],
    selectors: &[usize],
    recent: &mut Vec<u8>,
    block_bytes: usize,
) -> Option<Vec<u8>> {
    let end = recent.len() + 1;
    let mut mixed: Vec<u8> = Vec::new();
    let (mut run, mut weight) = (0usize, 1usize);
    let mut decoded = 0usize;
    loop {
        let table = tables.get(*selectors.get(decoded / GROUP)?)?;
        decoded += 1;
        let symbol = usize::from(table.symbol(bits)?);
        if symbol <= 1 {
            run = run.checked_add(weight.checked_mul(symbol + 1)?)?;
            weight = weight.checked_mul(2)?;
            if run > block_bytes {
                return None;
            }
            continue;
        }
        if run > 0 {
            if mixed.len() + run > block_bytes {
                return None;
            }
            mixed.resize(mixed.len() + run, *recent.first()?);
            (run, weight) = (0, 1);
        }
        if symbol == end {
            return Some(mixed);
        }
        if symbol > recent.len() || mixed.len() >= block_bytes {
            return None;
        }
        let byte = recent.remove(symbol - 1);
        recent.insert(0, byte);
        mixed.push(byte);
    }
}

/// Reverses the Burrows-Wheeler transform and the run lengths before it: after four equal bytes, the next is a count.
fn unmix(mixed: &[u8], origin: usize, most: usize, out: &mut Vec<u8>) -> Option<()> {
    let mut starts = [0u32; 256];
    for byte in mixed {
        *starts.get_mut(usize::from(*byte))? += 1;
    }
    let mut sum = 0;
    for start in &mut starts {
        (sum, *start) = (sum + *start, sum);
    }
    let mut next = vec![0u32; mixed.len()];
    for (place, byte) in (0u32..).zip(mixed) {
        let start = starts.get_mut(usize::from(*byte))?;
        *next.get_mut(*start as usize)? = place;
        *start += 1;
    }
    let mut at = *next.get(origin)? as usize;
    let (mut last, mut equal) = (None, 0u8);
    for _ in 0..mixed.len() {
        let byte = *mixed.get(at)?;
        at = *next.get(at)? as usize;
        if equal == 4 {
            let count = usize::from(byte);
            if out.len() + count > most {
                return None;
            }
            out.resize(out.len() + count, last.unwrap_or_default());
            (last, equal) = (None, 0);
            continue;
        }
        equal = if last == Some(byte) { equal + 1 } else { 1 };
        last = Some(byte);
        if out.len() >= most {
            return None;
        }
        out.push(byte);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `"one two three, "` six times and then 24 times `z`, as the reference program compresses it.
    const PACKED: &str = "425a6831314159265359b6f5100700001eb9800400400400080241949020005440d0340452340c9724bd1d8e607a303e1a1d0d\
                          8fa92c601d0db8f177245385090b6f510070";

    fn packed() -> Vec<u8> {
        (0..PACKED.len()).step_by(2).map(|at| u8::from_str_radix(&PACKED[at..at + 2], 16).unwrap()).collect()
    }

    fn expected() -> Vec<u8> {
        [b"one two three, one two three; ".repeat(3), vec![b'z'; 24]].concat()
    }

    #[test]
    fn a_stream_of_the_reference_program_is_decompressed_up_to_the_limit() {
        let expected = expected();
        assert_eq!(decompress(&packed(), expected.len()), Some(expected.clone()));
        assert_eq!(decompress(&packed(), expected.len() - 1), None);
        let empty = [b"BZh1".as_slice(), &END.to_be_bytes()[2..], &[0; 4]].concat();
        assert_eq!(decompress(&empty, 0), Some(Vec::new()));
    }

    #[test]
    fn damage_is_noticed_and_never_a_panic() {
        let whole = packed();
        for at in 0..whole.len() {
            assert_eq!(decompress(&whole[..at], 1000), None, "{at}");
            for bit in 0..8 {
                let mut flipped = whole.clone();
                flipped[at] ^= 1 << bit;
                let found = decompress(&flipped, 1000);
                // Bits after the end are padding, and the block size is only an upper bound.
                assert!(found.is_none() || found == Some(expected()), "{at}");
            }
        }
    }
}
