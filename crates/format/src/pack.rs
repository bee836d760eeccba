//! Short packed byte strings: a method byte, the raw length, the data.
//!
//! ```text
//! u8 method (0 stored, 1 zstd) | u32 raw length, little endian | bytes to the end
//! ```
//!
//! The reader checks the raw length against its own limit before it allocates memory. With the `write` feature, zstd
//! does the work; without it, a decoder in pure Rust, so that a reader builds without a C compiler.

/// An error in a packed byte string.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// Shorter than the five-byte prefix of every packed string.
    #[error("packed data is {actual} bytes long, shorter than its prefix of {PREFIX} bytes")]
    Short {
        /// Number of bytes available.
        actual: usize,
    },
    /// A method that this version does not support.
    #[error("unknown packing method {method}")]
    UnknownMethod {
        /// The method byte.
        method: u8,
    },
    /// The declared raw length exceeds the limit set by the caller.
    #[error("packed data declares {actual} raw bytes, but at most {limit} are allowed")]
    TooLong {
        /// Declared length.
        actual: usize,
        /// Maximum length.
        limit: usize,
    },
    /// The data does not decompress to its declared length.
    #[error("packed data does not decompress to its declared length of {expected} bytes")]
    Damaged {
        /// Declared length.
        expected: usize,
    },
}

pub(crate) const PREFIX: usize = 5;
const STORED: u8 = 0;
const ZSTD: u8 = 1;
/// For frames, which are most of a tape: optimized for size.
#[cfg(feature = "write")]
const FRAMES_LEVEL: i32 = 3;
/// Packing must save at least one part in this many.
#[cfg(feature = "write")]
const FRAMES_SAVING: usize = 16;
/// For heads, index pages and descriptors: optimized for decoding time, because they are unpacked even if only one
/// channel is read. At negative levels zstd stores literals uncompressed, which halves that time and makes a tape at
/// most 0.2 % larger.
#[cfg(feature = "write")]
const TABLES_LEVEL: i32 = -1;
/// Block heads hardly compress, and reading a single channel unpacks all of them. Storing them as they are makes a tape 0.2 % larger.
#[cfg(feature = "write")]
const TABLES_SAVING: usize = 4;
/// Below this length a zstd frame costs more than it saves.
#[cfg(feature = "write")]
const SHORTEST: usize = 64;

/// Packs tables for fast unpacking; keeps its compression context between calls.
#[cfg(feature = "write")]
pub struct Packer {
    level: i32,
    /// Packing must save at least one part in this many.
    least_saving: usize,
    compressor: Option<zstd::bulk::Compressor<'static>>,
    buffer: Vec<u8>,
}

#[cfg(feature = "write")]
impl std::fmt::Debug for Packer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Packer").finish_non_exhaustive()
    }
}

#[cfg(feature = "write")]
impl Default for Packer {
    fn default() -> Self {
        Self::of_level(TABLES_LEVEL, TABLES_SAVING)
    }
}

#[cfg(feature = "write")]
impl Packer {
    fn of_level(level: i32, least_saving: usize) -> Self {
        Self { level, least_saving, compressor: None, buffer: Vec::new() }
    }

    /// Creates a packer without allocating anything.
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends `raw` to `out`, compressed with zstd if that saves enough, otherwise stored.
    pub fn pack(&mut self, raw: &[u8], out: &mut Vec<u8>) {
        let packed = if raw.len() < SHORTEST { None } else { self.compress(raw) };
        let useful = packed.filter(|&length| length < raw.len() - raw.len() / self.least_saving);
        out.push(if useful.is_some() { ZSTD } else { STORED });
        out.extend_from_slice(&u32::try_from(raw.len()).unwrap_or(u32::MAX).to_le_bytes());
        match useful {
            Some(length) => out.extend_from_slice(self.buffer.get(..length).unwrap_or_default()),
            None => out.extend_from_slice(raw),
        }
    }

    fn compress(&mut self, raw: &[u8]) -> Option<usize> {
        if self.compressor.is_none() {
            self.compressor = zstd::bulk::Compressor::new(self.level).ok();
        }
        let bound = raw.len() + raw.len() / 128 + 128;
        if self.buffer.len() < bound {
            self.buffer.resize(bound, 0);
        }
        self.compressor.as_mut()?.compress_to_buffer(raw, self.buffer.as_mut_slice()).ok()
    }
}

/// Appends a packed table to `out`. To pack many tables, keep a [`Packer`].
#[cfg(feature = "write")]
pub fn pack_table(raw: &[u8], out: &mut Vec<u8>) {
    Packer::new().pack(raw, out);
}

/// Appends packed frames to `out`.
#[cfg(feature = "write")]
pub fn pack_frames(raw: &[u8], out: &mut Vec<u8>) {
    Packer::of_level(FRAMES_LEVEL, FRAMES_SAVING).pack(raw, out);
}

/// Unpacks a packed byte string; `limit` bounds the raw length and thereby the memory allocated.
pub fn unpack(packed: &[u8], limit: usize) -> Result<Vec<u8>, PackError> {
    let short = PackError::Short { actual: packed.len() };
    let (&[method, a, b, c, d], bytes) = packed.split_first_chunk::<PREFIX>().ok_or(short)?;
    let length = usize::try_from(u32::from_le_bytes([a, b, c, d])).unwrap_or(usize::MAX);
    if length > limit {
        return Err(PackError::TooLong { actual: length, limit });
    }
    let damaged = PackError::Damaged { expected: length };
    match method {
        STORED if bytes.len() == length => Ok(bytes.to_vec()),
        STORED => Err(damaged),
        ZSTD if bytes.is_empty() => Err(damaged),
        ZSTD => decompress(bytes, length).filter(|raw| raw.len() == length).ok_or(damaged),
        method => Err(PackError::UnknownMethod { method }),
    }
}

#[cfg(feature = "write")]
fn decompress(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    // Creating a context takes longer than unpacking a head with it, so every thread keeps one.
    thread_local! {
        static CONTEXT: std::cell::RefCell<Option<zstd::bulk::Decompressor<'static>>> =
            const { std::cell::RefCell::new(None) };
    }
    CONTEXT.with_borrow_mut(|context| {
        if context.is_none() {
            *context = zstd::bulk::Decompressor::new().ok();
        }
        context.as_mut()?.decompress(bytes, length).ok()
    })
}

#[cfg(not(feature = "write"))]
fn decompress(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    decompress_pure(bytes, length)
}

/// Decompresses one zstd frame in pure Rust. The declared length bounds the window, so a malformed frame cannot exhaust memory.
#[cfg(any(not(feature = "write"), test))]
fn decompress_pure(bytes: &[u8], length: usize) -> Option<Vec<u8>> {
    use std::io::Read;
    const SMALLEST_WINDOW: u64 = 1024;
    let window = u64::try_from(length).ok()?.max(SMALLEST_WINDOW);
    let decoder = ruzstd::decoding::StreamingDecoder::new_with_max_window_size(bytes, window).ok()?;
    let mut raw = Vec::with_capacity(length);
    decoder.take(u64::try_from(length).ok()?.saturating_add(1)).read_to_end(&mut raw).ok()?;
    Some(raw)
}

#[cfg(all(test, feature = "write"))]
mod tests {
    use super::*;

    fn packed(raw: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        pack_table(raw, &mut out);
        out
    }

    #[test]
    fn both_methods_come_back_from_both_decoders() {
        let noise: Vec<u8> = (0..500u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        let text = "a text that a game repeats with numbers: ".repeat(3);
        let texts = (0..200).flat_map(|i| format!("{text}{}", i * i).into_bytes()).collect();
        for raw in [vec![], vec![7; 10], vec![0; 81_000], noise, texts] {
            let mut frames = Vec::new();
            pack_frames(&raw, &mut frames);
            for bytes in [packed(&raw), frames] {
                assert_eq!(unpack(&bytes, raw.len()).unwrap(), raw);
                if bytes[0] == ZSTD {
                    assert_eq!(decompress_pure(&bytes[PREFIX..], raw.len()).unwrap(), raw);
                }
            }
        }
    }

    #[test]
    fn a_length_above_the_limit_is_refused_before_unpacking() {
        let bytes = packed(&[0; 1000]);
        assert_eq!(unpack(&bytes, 999), Err(PackError::TooLong { actual: 1000, limit: 999 }));
    }

    #[test]
    fn damage_is_an_error_and_never_a_panic() {
        let bytes = packed(&[3; 1000]);
        for cut in 0..bytes.len() {
            assert!(unpack(&bytes[..cut], 4096).is_err());
            let _ = bytes.get(PREFIX..cut).map(|frame| decompress_pure(frame, 1000));
        }
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut bad = bytes.clone();
                bad[at] ^= 1 << bit;
                let _ = unpack(&bad, 4096);
                let _ = decompress_pure(&bad[PREFIX..], 1000);
            }
        }
        assert_eq!(unpack(&[9, 0, 0, 0, 0], 10), Err(PackError::UnknownMethod { method: 9 }));
    }
}
