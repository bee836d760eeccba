//! Broken inputs. Takes seeds, a run's seed and an iteration, gives bytes. The same three always give the same bytes, so an
//! iteration number is all it takes to see an input again, even after the process died with it.

/// Lengths, counts and offsets on the edges where arithmetic goes wrong.
const BOUNDARIES: [u64; 25] = [
    0,
    1,
    2,
    7,
    0x7f,
    0x80,
    0xff,
    0x100,
    0x3ff,
    0x400,
    0x401,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x00ff_ffff,
    0x0100_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fff8,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0xffff_ffff_ffff_fff8,
];

/// Bytes that mean something to binary formats or to text.
const BYTES: [u8; 16] = [0, 1, 2, 0x7f, 0x80, 0xfe, 0xff, b'\n', b' ', b'"', b'-', b'0', b'9', b'[', b'{', b'\\'];

/// Inputs stay below this, or below twice the longest seed.
const MIN_LIMIT: usize = 64 * 1024;

/// The input of one iteration: first every seed as it is, then mutations of seeds.
pub(crate) fn input(seeds: &[Vec<u8>], run_seed: u64, iteration: u64) -> Vec<u8> {
    if let Some(seed) = usize::try_from(iteration).ok().and_then(|index| seeds.get(index)) {
        return seed.clone();
    }
    let mut rng = SplitMix64::new(run_seed, iteration);
    let limit = seeds.iter().map(Vec::len).max().unwrap_or(0).saturating_mul(2).max(MIN_LIMIT);
    let mut bytes = rng.pick(seeds).cloned().unwrap_or_default();
    // One change half of the time, two a quarter of the time, and so on.
    let changes = 1 + rng.next().trailing_zeros().min(7);
    for _ in 0..changes {
        mutate(&mut bytes, seeds, &mut rng);
        bytes.truncate(limit);
    }
    bytes
}

fn mutate(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut SplitMix64) {
    match rng.below(10) {
        0 | 1 => flip_bit(bytes, rng),
        2 => set_byte(bytes, rng),
        3..=5 => overwrite_number(bytes, rng),
        6 => {
            let keep = rng.position(bytes.len());
            bytes.truncate(keep);
        }
        7 => extend(bytes, rng),
        8 => splice(bytes, seeds, rng),
        _ => duplicate_block(bytes, rng),
    }
}

fn flip_bit(bytes: &mut [u8], rng: &mut SplitMix64) {
    let at = rng.position(bytes.len());
    let bit = 1 << rng.below(8);
    if let Some(byte) = bytes.get_mut(at) {
        *byte ^= bit;
    }
}

fn set_byte(bytes: &mut [u8], rng: &mut SplitMix64) {
    let at = rng.position(bytes.len());
    let value = rng.pick(&BYTES).copied().unwrap_or(0);
    if let Some(byte) = bytes.get_mut(at) {
        *byte = value;
    }
}

/// Overwrites a little-endian number of 16, 32 or 64 bits with a boundary, the input's length, or itself plus a little.
fn overwrite_number(bytes: &mut [u8], rng: &mut SplitMix64) {
    let width = [2, 4, 4, 8][rng.below(4)];
    let length = bytes.len() as u64;
    let at = rng.position(bytes.len());
    let Some(field) = bytes.get_mut(at..at.saturating_add(width)) else { return };
    let mut old = [0; 8];
    old[..width].copy_from_slice(field);
    let little = (rng.below(33) as u64).wrapping_sub(16);
    let value = match rng.below(4) {
        0 => u64::from_le_bytes(old).wrapping_add(little),
        1 => length.wrapping_add(little),
        _ => rng.pick(&BOUNDARIES).copied().unwrap_or(0),
    };
    field.copy_from_slice(&value.to_le_bytes()[..width]);
}

fn extend(bytes: &mut Vec<u8>, rng: &mut SplitMix64) {
    let count = 1 + rng.below(64);
    let fill = rng.pick(&BYTES).copied();
    let random = rng.below(2) == 0;
    for _ in 0..count {
        let byte = rng.next().to_le_bytes()[0];
        bytes.push(if random { byte } else { fill.unwrap_or(byte) });
    }
}

/// The start of this input, then the end of another seed.
fn splice(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], rng: &mut SplitMix64) {
    let keep = rng.position(bytes.len());
    let Some(other) = rng.pick(seeds) else { return };
    let from = if rng.below(2) == 0 { keep.min(other.len()) } else { rng.position(other.len()) };
    bytes.truncate(keep);
    bytes.extend_from_slice(&other[from..]);
}

/// Copies a block of up to 256 bytes to another place: put in between, or over what is there.
fn duplicate_block(bytes: &mut Vec<u8>, rng: &mut SplitMix64) {
    let from = rng.position(bytes.len());
    let length = (1 + rng.below(256)).min(bytes.len() - from);
    let block = bytes[from..from + length].to_vec();
    let to = rng.position(bytes.len());
    let replaced = if rng.below(2) == 0 { 0 } else { length.min(bytes.len() - to) };
    bytes.splice(to..to + replaced, block);
}

/// SplitMix64 (Steele, Lea, Flood 2014): small, and good from any seed.
struct SplitMix64(u64);

impl SplitMix64 {
    fn new(run_seed: u64, iteration: u64) -> Self {
        // Two steps apart, so that seed 1 iteration 2 has nothing to do with seed 2 iteration 1.
        let mixed = SplitMix64(run_seed).next();
        SplitMix64(SplitMix64(mixed ^ iteration).next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, 0 if `end` is 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % (end as u64).max(1)) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        let at = self.below(from.len());
        from.get(at)
    }

    /// A position below `length` (0 if that is 0); headers and trailers, where formats keep their lengths, come up more often.
    fn position(&mut self, length: usize) -> usize {
        let near = length.min(64);
        match self.below(8) {
            0 | 1 => self.below(near),
            2 => length - near + self.below(near),
            _ => self.below(length),
        }
    }
}
