//! Moves columns into and out of rows, a tile of rows at a time.

/// The approximate size of a tile of rows, small enough to stay in the L1 cache.
const TILE_BYTES: usize = 32 << 10;

/// The number of rows in a tile.
pub(crate) fn tile_rows(row_bytes: usize) -> usize {
    (TILE_BYTES / row_bytes.max(1)).clamp(8, 256)
}

/// Writes one column into a tile of rows.
#[inline(always)]
pub(crate) fn scatter<W: Copy, const N: usize>(
    tile: &mut [u8],
    row_bytes: usize,
    offset: usize,
    values: &[W],
    bytes: impl Fn(W) -> [u8; N],
) {
    for (row, &value) in tile.chunks_exact_mut(row_bytes).zip(values) {
        if let Some(room) = row.get_mut(offset..).and_then(|rest| rest.first_chunk_mut::<N>()) {
            *room = bytes(value);
        }
    }
}

/// Copies one column out of a tile of rows.
#[cfg(feature = "write")]
#[inline(always)]
pub(crate) fn collect<W, const N: usize>(
    tile: &[u8],
    row_bytes: usize,
    offset: usize,
    values: &mut [W],
    value: impl Fn([u8; N]) -> W,
) {
    for (row, out) in tile.chunks_exact(row_bytes).zip(values) {
        if let Some(bytes) = row.get(offset..).and_then(|rest| rest.first_chunk::<N>()) {
            *out = value(*bytes);
        }
    }
}

/// Computes, for each byte of a row, the bits that differ from the first row in at least one row.
#[cfg(feature = "write")]
pub(crate) fn changed_bytes(rows: &[u8], row_bytes: usize, changed: &mut Vec<u8>) {
    let first = rows.get(..row_bytes).unwrap_or_default();
    changed.clear();
    changed.resize(row_bytes, 0);
    for row in rows.chunks_exact(row_bytes).skip(1) {
        for ((changed, a), b) in changed.iter_mut().zip(row).zip(first) {
            *changed |= a ^ b;
        }
    }
}
