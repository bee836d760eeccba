//! Information about running processes on Windows.

use std::io;
use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

use windows_sys::Win32::Foundation::{ERROR_ACCESS_DENIED, ERROR_NO_MORE_FILES, INVALID_HANDLE_VALUE, WAIT_TIMEOUT};
use windows_sys::Win32::System::Diagnostics::ToolHelp::{
    CreateToolhelp32Snapshot, PROCESSENTRY32W, Process32FirstW, Process32NextW, TH32CS_SNAPPROCESS,
};
use windows_sys::Win32::System::Threading::{OpenProcess, PROCESS_SYNCHRONIZE, WaitForSingleObject};

use crate::sys::windows_object::owned;

/// Returns whether a process with this id is running.
pub fn process_runs(id: u32) -> bool {
    // SAFETY: any id is allowed.
    match unsafe { owned(OpenProcess(PROCESS_SYNCHRONIZE, 0, id)) } {
        // An exited process can be opened as long as another process has a handle to it.
        // SAFETY: the handle can be waited for.
        Ok(process) => unsafe { WaitForSingleObject(process.as_raw_handle(), 0) == WAIT_TIMEOUT },
        // A process of another user exists, too.
        Err(error) => code(&error) == Some(ERROR_ACCESS_DENIED),
    }
}

fn code(error: &io::Error) -> Option<u32> {
    error.raw_os_error().map(i32::cast_unsigned)
}

/// Returns id and file name of each running program.
pub fn running_programs() -> io::Result<Vec<(u32, String)>> {
    // SAFETY: the call takes two integers.
    let snapshot = unsafe { CreateToolhelp32Snapshot(TH32CS_SNAPPROCESS, 0) };
    if snapshot == INVALID_HANDLE_VALUE {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: it is a valid handle with no other owner.
    let snapshot = unsafe { OwnedHandle::from_raw_handle(snapshot) };
    // SAFETY: a structure of integers, all of which may be zero.
    let mut entry: PROCESSENTRY32W = unsafe { std::mem::zeroed() };
    entry.dwSize = size_of::<PROCESSENTRY32W>() as u32;
    let mut found = Vec::new();
    // SAFETY: the handle is that of a snapshot, and `dwSize` is the size of the entry.
    let mut more = unsafe { Process32FirstW(snapshot.as_raw_handle(), &raw mut entry) };
    while more != 0 {
        let end = entry.szExeFile.iter().position(|unit| *unit == 0).unwrap_or(entry.szExeFile.len());
        let name = String::from_utf16_lossy(entry.szExeFile.get(..end).unwrap_or_default());
        found.push((entry.th32ProcessID, name));
        // SAFETY: as above.
        more = unsafe { Process32NextW(snapshot.as_raw_handle(), &raw mut entry) };
    }
    let error = io::Error::last_os_error();
    if code(&error) == Some(ERROR_NO_MORE_FILES) { Ok(found) } else { Err(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn we_run_and_are_listed_by_our_name() {
        let own = std::process::id();
        assert!(process_runs(own) && !process_runs(u32::MAX));
        let name = std::env::current_exe().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        assert!(running_programs().unwrap().contains(&(own, name)));
    }

    #[test]
    fn a_process_that_ended_does_not_run_although_we_hold_it() {
        let mut child = std::process::Command::new("cmd").args(["/c", "exit"]).spawn().unwrap();
        child.wait().unwrap();
        assert!(!process_runs(child.id()));
    }
}
