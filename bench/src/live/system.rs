//! CPU time and SIGINT. Linux only; an error elsewhere.

use anyhow::Result;
use serde::{Deserialize, Serialize};

/// Scheduler statistics of the threads of one name.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Scheduled {
    pub(crate) name: String,
    /// Time on a CPU.
    pub(crate) processor_ns: u64,
    /// Time spent runnable, waiting for a CPU.
    pub(crate) waited_ns: u64,
}

/// Returns the threads of this process, grouped by name. Empty if the system does not report them.
pub(crate) fn threads() -> Vec<Scheduled> {
    let mut threads: Vec<Scheduled> = Vec::new();
    for task in std::fs::read_dir("/proc/self/task").into_iter().flatten().flatten() {
        let text = |file: &str| std::fs::read_to_string(task.path().join(file)).unwrap_or_default();
        let (name, times) = (text("comm").trim().to_owned(), text("schedstat"));
        let mut times = times.split_whitespace().filter_map(|time| time.parse::<u64>().ok());
        let (Some(processor_ns), Some(waited_ns)) = (times.next(), times.next()) else { continue };
        match threads.iter_mut().find(|thread| thread.name == name) {
            Some(same) => {
                (same.processor_ns, same.waited_ns) = (same.processor_ns + processor_ns, same.waited_ns + waited_ns)
            }
            None => threads.push(Scheduled { name, processor_ns, waited_ns }),
        }
    }
    threads
}

/// Returns the time since boot that the hypervisor has stolen from all CPUs together; from ticks of 10 ms.
pub(super) fn stolen_ms() -> Option<u64> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let steal = stat.lines().next()?.split_whitespace().nth(8)?;
    Some(steal.parse::<u64>().ok()? * 10)
}

/// Returns the CPU time of this process so far, of all its threads, in user and kernel mode.
#[cfg(target_os = "linux")]
pub(crate) fn processor_ns() -> Result<u64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    Ok(u64::try_from(time.tv_sec)? * 1_000_000_000 + u64::try_from(time.tv_nsec)?)
}

/// Sends SIGINT to a child process that has not been waited for.
#[cfg(target_os = "linux")]
pub(super) fn interrupt(process: &std::process::Child) -> Result<()> {
    Ok(rustix::process::kill_process(rustix::process::Pid::from_child(process), rustix::process::Signal::INT)?)
}

/// Returns a flag that SIGINT sets from now on.
#[cfg(target_os = "linux")]
pub(super) fn interrupt_flag() -> Result<std::sync::Arc<std::sync::atomic::AtomicBool>> {
    let flag = std::sync::Arc::default();
    signal_hook::flag::register(signal_hook::consts::SIGINT, std::sync::Arc::clone(&flag))?;
    Ok(flag)
}

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    use anyhow::{Result, bail};

    pub(crate) fn processor_ns() -> Result<u64> {
        bail!("`live` is only supported on Linux")
    }

    pub(in crate::live) fn interrupt(_process: &std::process::Child) -> Result<()> {
        bail!("`live` is only supported on Linux")
    }

    pub(in crate::live) fn interrupt_flag() -> Result<std::sync::Arc<std::sync::atomic::AtomicBool>> {
        bail!("`live` is only supported on Linux")
    }
}

#[cfg(not(target_os = "linux"))]
pub(crate) use elsewhere::processor_ns;
#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::{interrupt, interrupt_flag};
