//! Waits until a deadline, precisely enough for sampling.

use std::time::{Duration, Instant};

/// Windows cannot wake a thread within this time, so the rest is spent spinning.
#[cfg(windows)]
const TOO_SHORT_TO_SLEEP: Duration = Duration::from_micros(100);

/// Makes the scheduler wake this thread precisely. By default, systems coalesce timers to save power: by up to 50 µs on Linux, and
/// by about 15 ms on Windows once the window is hidden behind a game.
pub fn wake_exactly() {
    // Failure only makes wakeups a little later, so it is ignored.
    #[cfg(target_os = "linux")]
    {
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    }
    #[cfg(windows)]
    no_throttling();
}

#[cfg(windows)]
fn no_throttling() {
    use windows_sys::Win32::System::Threading::{
        GetCurrentProcess, PROCESS_POWER_THROTTLING_CURRENT_VERSION, PROCESS_POWER_THROTTLING_EXECUTION_SPEED,
        PROCESS_POWER_THROTTLING_IGNORE_TIMER_RESOLUTION, PROCESS_POWER_THROTTLING_STATE, ProcessPowerThrottling,
        SetProcessInformation,
    };
    let state = PROCESS_POWER_THROTTLING_STATE {
        Version: PROCESS_POWER_THROTTLING_CURRENT_VERSION,
        // In the control mask but not in the state mask: disabled.
        ControlMask: PROCESS_POWER_THROTTLING_EXECUTION_SPEED | PROCESS_POWER_THROTTLING_IGNORE_TIMER_RESOLUTION,
        StateMask: 0,
    };
    let size = size_of::<PROCESS_POWER_THROTTLING_STATE>() as u32;
    // SAFETY: the current process, and a structure of the requested kind and size.
    unsafe { SetProcessInformation(GetCurrentProcess(), ProcessPowerThrottling, (&raw const state).cast(), size) };
}

/// Sleeps until `moment`. Returns immediately if it has passed.
pub fn sleep_until(moment: Instant) {
    loop {
        let left = moment.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        #[cfg(windows)]
        if left <= TOO_SHORT_TO_SLEEP {
            std::hint::spin_loop();
            continue;
        }
        // On Windows this is a high-resolution waitable timer if available (since Windows 10, 1803).
        std::thread::sleep(left.min(Duration::from_secs(3600)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nobody_is_woken_before_the_moment() {
        wake_exactly();
        for wait_us in [0, 50, 99, 101, 1_500] {
            let moment = Instant::now() + Duration::from_micros(wait_us);
            sleep_until(moment);
            assert!(Instant::now() >= moment, "{wait_us}");
        }
    }
}
