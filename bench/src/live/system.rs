//! Processor time and SIGINT. Linux only; elsewhere everything says that it cannot.

use anyhow::Result;

/// Processor time of this process so far, of all its threads, in the program and in the system.
#[cfg(target_os = "linux")]
pub(super) fn processor_ns() -> Result<u64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Ok(u64::try_from(time.tv_sec)? * 1_000_000_000 + u64::try_from(time.tv_nsec)?)
}

/// Sends SIGINT to a process that we started, and have not waited for.
#[cfg(target_os = "linux")]
pub(super) fn interrupt(process: &std::process::Child) -> Result<()> {
    Ok(rustix::process::kill_process(rustix::process::Pid::from_child(process), rustix::process::Signal::INT)?)
}

/// The flag that SIGINT sets from now on.
#[cfg(target_os = "linux")]
pub(super) fn interrupt_flag() -> Result<std::sync::Arc<std::sync::atomic::AtomicBool>> {
    let flag = std::sync::Arc::default();
    signal_hook::flag::register(signal_hook::consts::SIGINT, std::sync::Arc::clone(&flag))?;
    Ok(flag)
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use anyhow::{Result, bail};

    pub(in crate::live) fn processor_ns() -> Result<u64> {
        bail!("`live` runs only on Linux")
    }

    pub(in crate::live) fn interrupt(_process: &std::process::Child) -> Result<()> {
        bail!("`live` runs only on Linux")
    }

    pub(in crate::live) fn interrupt_flag() -> Result<std::sync::Arc<std::sync::atomic::AtomicBool>> {
        bail!("`live` runs only on Linux")
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{interrupt, interrupt_flag, processor_ns};
