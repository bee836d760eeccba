//! Which processes run.

#[cfg(windows)]
mod windows;

#[cfg(windows)]
pub use windows::{process_runs, running_programs};

/// Whether a process of this number runs. On systems where that cannot be asked: yes.
#[cfg(not(windows))]
pub fn process_runs(id: u32) -> bool {
    if cfg!(target_os = "linux") { std::path::Path::new("/proc").join(id.to_string()).exists() } else { true }
}
