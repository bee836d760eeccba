//! Common parts of named Windows objects: names and owned handles.

use std::io;
use std::os::windows::io::{FromRawHandle, OwnedHandle};

use windows_sys::Win32::Foundation::HANDLE;

/// Maximum length of a name: that of a path, minus space for what the system prepends.
const NAME_UNITS: usize = 240;

/// Returns the null-terminated name of an object in the session namespace, which games use.
pub(super) fn local_name(name: &str) -> io::Result<Vec<u16>> {
    // A backslash separates object directories, and a NUL ends the name.
    let plain = !name.is_empty() && !name.contains(['\\', '\0']) && name.encode_utf16().count() <= NAME_UNITS;
    match plain {
        true => Ok(wide(&format!(r"Local\{name}"))),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name:?} is not a valid section name"))),
    }
}

/// Encodes a text as null-terminated UTF-16.
pub(super) fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

/// Takes ownership of a handle that a call has just returned. Returns the last error if it is null.
///
/// # Safety
/// The handle has no other owner.
pub(super) unsafe fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is a valid handle, and the caller guarantees that it has no other owner.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}
