//! CPU time of a thread. A limit on it detects a parser that hangs or is quadratic, however busy the machine is.
#![allow(dead_code, unreachable_pub, reason = "shared with the tests of another crate")]

use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// Returns the CPU time that this thread has used so far, or the wall-clock time if the system does not report it.
pub fn thread_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let start = *START;
    // The first number is the CPU time in nanoseconds.
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let ns = told.and_then(|text| text.split(' ').next()?.parse().ok());
    ns.map_or_else(|| start.elapsed(), Duration::from_nanos)
}
