//! The identity of a folder, independent of its name.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::windows::fs::OpenOptionsExt as _;
use std::os::windows::io::AsRawHandle as _;
use std::path::Path;

use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_FLAG_BACKUP_SEMANTICS, GetFileInformationByHandle,
};

/// Identifies a folder on this machine, whatever its name. Timestamps are not sufficient: a recreated folder gets those of its
/// predecessor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FolderIdentity {
    volume: u32,
    number: u64,
}

impl FolderIdentity {
    /// Returns the identity of the folder that has this name now.
    pub fn of(path: &Path) -> io::Result<Self> {
        // No access rights are requested, so others can still remove it. The flag allows opening a folder.
        let folder: File = OpenOptions::new().access_mode(0).custom_flags(FILE_FLAG_BACKUP_SEMANTICS).open(path)?;
        // SAFETY: a structure of integers, all of which may be zero.
        let mut found: BY_HANDLE_FILE_INFORMATION = unsafe { std::mem::zeroed() };
        // SAFETY: the handle is open, and the structure outlives the call.
        if unsafe { GetFileInformationByHandle(folder.as_raw_handle(), &raw mut found) } == 0 {
            return Err(io::Error::last_os_error());
        }
        let number = u64::from(found.nFileIndexHigh) << 32 | u64::from(found.nFileIndexLow);
        Ok(Self { volume: found.dwVolumeSerialNumber, number })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_keeps_it_under_another_name_and_another_folder_has_another() {
        let root = tempfile::tempdir().unwrap();
        let (first, second) = (root.path().join("first"), root.path().join("second"));
        std::fs::create_dir(&first).unwrap();
        let before = FolderIdentity::of(&first).unwrap();
        std::fs::rename(&first, &second).unwrap();
        assert_eq!(FolderIdentity::of(&first).unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(FolderIdentity::of(&second).unwrap(), before);
        std::fs::create_dir(&first).unwrap();
        assert_ne!(FolderIdentity::of(&first).unwrap(), before);
    }
}
