//! Detects file systems that do not report changes made by other machines.

use std::path::Path;

/// Returns the name of the file system if its folders must be polled.
#[cfg(target_os = "linux")]
pub(super) fn silent_file_system(folder: &Path) -> Option<&'static str> {
    let statistics = rustix::fs::statfs(folder).ok()?;
    // The constants of the kernel's `magic.h`. The type of the field differs between architectures.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::unnecessary_cast)]
    match statistics.f_type as u32 {
        0x6969 => Some("NFS"),
        0x517b | 0xff53_4d42 | 0xfe53_4d42 => Some("a Windows share"),
        0x0102_1997 => Some("a 9P share"),
        0x6573_5546 => Some("FUSE"),
        0x00c3_6400 => Some("Ceph"),
        0x5346_414f => Some("AFS"),
        _ => None,
    }
}

/// Not detected on other platforms; the periodic rescan finds unreported changes.
#[cfg(not(target_os = "linux"))]
pub(super) fn silent_file_system(_folder: &Path) -> Option<&'static str> {
    None
}
