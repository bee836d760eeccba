//! What all named objects of Windows have in common: their names, and handles that close themselves.

use std::io;
use std::os::windows::io::{FromRawHandle, OwnedHandle};

use windows_sys::Win32::Foundation::HANDLE;

/// Longest name; that of a path, with room for what the system puts before it.
const NAME_UNITS: usize = 240;

/// The name of an object of this session, as games name theirs, ended by a zero.
pub(super) fn local_name(name: &str) -> io::Result<Vec<u16>> {
    // A backslash would be a folder of objects, a zero the end of the name.
    let plain = !name.is_empty() && !name.contains(['\\', '\0']) && name.encode_utf16().count() <= NAME_UNITS;
    match plain {
        true => Ok(wide(&format!(r"Local\{name}"))),
        false => Err(io::Error::new(io::ErrorKind::InvalidInput, format!("{name:?} is no name of a section"))),
    }
}

/// A text ended by a zero.
pub(super) fn wide(text: &str) -> Vec<u16> {
    text.encode_utf16().chain([0]).collect()
}

/// Takes over a handle that a call has just given; the last error if it gave none.
///
/// # Safety
/// The handle is nobody else's.
pub(super) unsafe fn owned(handle: HANDLE) -> io::Result<OwnedHandle> {
    if handle.is_null() {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is a handle, and the caller says that nobody else owns it.
    Ok(unsafe { OwnedHandle::from_raw_handle(handle) })
}
