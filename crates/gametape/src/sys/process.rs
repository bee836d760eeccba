//! Information about running processes, and about threads that panicked.

#[cfg(windows)]
mod windows;

#[cfg(windows)]
pub use windows::{process_runs, running_programs};

/// Returns whether a process with this id is running. Returns `true` on systems where this cannot be determined.
#[cfg(not(windows))]
pub fn process_runs(id: u32) -> bool {
    if cfg!(target_os = "linux") { std::path::Path::new("/proc").join(id.to_string()).exists() } else { true }
}

/// Returns the start time of a process, in clock ticks since boot; `None` if it is not running, or on systems other than Linux.
pub fn process_start(id: u32) -> Option<u64> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let stat = std::fs::read(std::path::Path::new("/proc").join(id.to_string()).join("stat")).ok()?;
    // The name of the program is in parentheses and may contain anything; field 22 is the 20th after it.
    let behind = stat.iter().rposition(|byte| *byte == b')')? + 1;
    let text = std::str::from_utf8(stat.get(behind..)?).ok()?;
    text.split_ascii_whitespace().nth(19)?.parse().ok()
}

/// Returns the message of a panic.
pub(crate) fn panic_message(payload: &(dyn std::any::Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "no message".into())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_one_start_time_and_a_later_one_does_not_begin_earlier() {
        let own = process_start(std::process::id()).unwrap();
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let later = process_start(child.id()).unwrap();
        assert!(own > 0 && later >= own && process_start(std::process::id()) == Some(own));
        child.kill().unwrap();
        child.wait().unwrap();
        assert_eq!(process_start(u32::MAX), None);
    }
}
