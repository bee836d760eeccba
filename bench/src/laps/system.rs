//! System calls on child processes. Linux only; an error elsewhere.

use anyhow::{Context as _, Result};

/// A signal to a server.
#[derive(Debug, Clone, Copy)]
pub(super) enum Signal {
    /// SIGINT, as sent by Ctrl+C.
    Interrupt,
    /// SIGKILL.
    Kill,
}

/// Returns the load average of one, five and fifteen minutes.
pub(crate) fn load_average() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let numbers: Vec<&str> = text.split_whitespace().take(3).collect();
    if numbers.is_empty() { "unknown".to_owned() } else { numbers.join(" ") }
}

/// Returns the CPU time of a process so far, of all its threads, in seconds.
pub(super) fn processor_s(process: u32) -> Result<f64> {
    let stat = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    Ok(ticks_of(&stat).context("/proc/PID/stat has no times")? as f64 / ticks_per_second()? as f64)
}

/// Parses the CPU ticks. The program name is in brackets and may itself contain brackets and spaces, so parsing starts
/// after the last one.
fn ticks_of(stat: &str) -> Option<u64> {
    let mut behind = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let user: u64 = behind.next()?.parse().ok()?;
    Some(user + behind.next()?.parse::<u64>().ok()?)
}

#[cfg(target_os = "linux")]
mod here {
    use anyhow::{Context as _, Result, ensure};
    use rustix::process::{Pid, Resource, Rlimit, getrlimit, kill_process, setrlimit};

    use super::Signal;

    pub(in crate::laps) fn ticks_per_second() -> Result<u64> {
        Ok(rustix::param::clock_ticks_per_second())
    }

    /// Returns the CPU time of this thread so far, in seconds.
    pub(in crate::laps) fn own_processor_s() -> Result<f64> {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        Ok(time.tv_sec as f64 + time.tv_nsec as f64 / 1e9)
    }

    /// Sends a signal to a child process that has not been waited for.
    pub(in crate::laps) fn send(process: u32, signal: Signal) -> Result<()> {
        let process = i32::try_from(process).ok().and_then(Pid::from_raw).context("not a process id")?;
        let signal = match signal {
            Signal::Interrupt => rustix::process::Signal::INT,
            Signal::Kill => rustix::process::Signal::KILL,
        };
        Ok(kill_process(process, signal)?)
    }

    /// Raises the limit of open files and sockets for this process and its children.
    pub(in crate::laps) fn raise_open_file_limit(count: u64) -> Result<()> {
        let limit = getrlimit(Resource::Nofile);
        if limit.current.is_none_or(|current| current >= count) {
            return Ok(());
        }
        let room = limit.maximum.is_none_or(|most| most >= count);
        ensure!(
            room,
            "{count} files and sockets are needed, but the hard limit is {:?}: see `ulimit -n`",
            limit.maximum
        );
        setrlimit(Resource::Nofile, Rlimit { current: Some(count), maximum: limit.maximum })?;
        eprintln!("raised the limit of open files from {:?} to {count} for this run", limit.current);
        Ok(())
    }
}

#[cfg(not(target_os = "linux"))]
mod here {
    use anyhow::{Result, bail};

    use super::Signal;

    pub(in crate::laps) fn ticks_per_second() -> Result<u64> {
        bail!("`laps` can only measure servers on Linux")
    }

    pub(in crate::laps) fn own_processor_s() -> Result<f64> {
        bail!("`laps` can only measure CPU time on Linux")
    }

    pub(in crate::laps) fn send(_process: u32, _signal: Signal) -> Result<()> {
        bail!("`laps` can only measure servers on Linux")
    }

    pub(in crate::laps) fn raise_open_file_limit(_count: u64) -> Result<()> {
        Ok(())
    }
}

use here::ticks_per_second;
pub(super) use here::{own_processor_s, raise_open_file_limit, send};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_found_behind_a_name_with_brackets() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194304 5 0 0 0 30 12 0 0 20 0 1 0 100 1 1";
        assert_eq!(ticks_of(stat), Some(42));
        assert_eq!(ticks_of("7 (a) S 1"), None);
    }
}
