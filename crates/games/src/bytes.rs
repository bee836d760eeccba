//! Reads little-endian numbers from untrusted bytes. Returns `None` if the bytes end too soon; never panics.

/// Returns the `N` bytes at `offset`.
pub(crate) fn array_at<const N: usize>(bytes: &[u8], offset: usize) -> Option<[u8; N]> {
    let end = offset.checked_add(N)?;
    bytes.get(offset..end)?.try_into().ok()
}

/// Returns the `i32` at `offset`.
pub(crate) fn i32_at(bytes: &[u8], offset: usize) -> Option<i32> {
    array_at(bytes, offset).map(i32::from_le_bytes)
}

/// Returns the `i64` at `offset`.
pub(crate) fn i64_at(bytes: &[u8], offset: usize) -> Option<i64> {
    array_at(bytes, offset).map(i64::from_le_bytes)
}

/// Returns the `f64` at `offset`.
pub(crate) fn f64_at(bytes: &[u8], offset: usize) -> Option<f64> {
    array_at(bytes, offset).map(f64::from_le_bytes)
}

/// Returns the `f32` at `offset`.
pub(crate) fn f32_at(bytes: &[u8], offset: usize) -> Option<f32> {
    array_at(bytes, offset).map(f32::from_le_bytes)
}
