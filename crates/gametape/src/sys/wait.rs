//! Waiting until a moment, exactly enough for a sampling clock.

use std::time::{Duration, Instant};

/// Windows wakes nobody within this time; what is left of it is waited out.
#[cfg(windows)]
const TOO_SHORT_TO_SLEEP: Duration = Duration::from_micros(100);

/// Lets the system wake this thread exactly when asked, where it would otherwise join wake-ups to save power: within 50 µs on Linux; within
/// some 15 ms on Windows once the window is hidden behind a game.
pub fn wake_exactly() {
    // Without it we are only a little later: nothing to tell anybody.
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
        // Named here and not set below: switched off.
        ControlMask: PROCESS_POWER_THROTTLING_EXECUTION_SPEED | PROCESS_POWER_THROTTLING_IGNORE_TIMER_RESOLUTION,
        StateMask: 0,
    };
    let size = size_of::<PROCESS_POWER_THROTTLING_STATE>() as u32;
    // SAFETY: our own process, and a structure of the kind and size that the call is told.
    unsafe { SetProcessInformation(GetCurrentProcess(), ProcessPowerThrottling, (&raw const state).cast(), size) };
}

/// Sleeps until the moment; returns at once if it is past.
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
        // On Windows this is a high-resolution waitable timer where there is one (since Windows 10, 1803).
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
