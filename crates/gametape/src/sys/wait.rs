//! Waiting until a moment, exactly enough for a sampling clock.

use std::time::{Duration, Instant};

/// Lets the system wake this thread exactly when asked, where it would otherwise join wake-ups within 50 µs to save power.
pub fn wake_exactly() {
    #[cfg(target_os = "linux")]
    {
        // Without it we are only a little later: nothing to tell anybody.
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
    }
}

/// Sleeps until the moment; returns at once if it is past.
pub fn sleep_until(moment: Instant) {
    loop {
        let left = moment.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        std::thread::sleep(left.min(Duration::from_secs(3600)));
    }
}
