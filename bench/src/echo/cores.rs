//! Restricts the cores of a process.

use anyhow::Result;

/// Pins this process, and the threads it starts from now on, to the first cores available to it.
#[cfg(target_os = "linux")]
pub(super) fn use_cores(count: usize) -> Result<()> {
    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};
    let have = sched_getaffinity(None)?;
    let mut use_these = CpuSet::new();
    let own = (0..CpuSet::MAX_CPU).filter(|cpu| have.is_set(*cpu)).take(count);
    own.for_each(|cpu| use_these.set(cpu));
    anyhow::ensure!(use_these.count() as usize == count, "{count} cores are needed, there are {}", have.count());
    Ok(sched_setaffinity(None, &use_these)?)
}

/// Not supported on other systems.
#[cfg(not(target_os = "linux"))]
pub(super) fn use_cores(_: usize) -> Result<()> {
    anyhow::bail!("restricting the number of cores is only supported on Linux")
}
