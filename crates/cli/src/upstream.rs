//! Pushes sessions and tapes to another gametape server, on a background thread.
//!
//! ```text
//! store, catalogue ──▶ what the other server lacks (table `pushed`) ──▶ PUT /api/v1/push/sessions, /api/v1/push/tapes/ID?offset=… ──▶ recorded in `pushed`
//! ```
//! The store itself is the queue: after a failure or restart on either side, the push resumes from it. Ids are derived from
//! tapes and times, so a push is idempotent.

mod args;
mod client;
mod sending;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gametape::capture::StopFlag;
use gametape::store::Store;

pub(crate) use args::UpstreamArgs;
pub(crate) use client::Upstream;
use sending::{CarSending, Pass, Sending};

/// How often the store is polled for changes.
const POLL_INTERVAL: Duration = Duration::from_millis(500);
/// The shortest and the longest pause after a failure (exponential backoff).
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));
/// Old sessions rarely change, so a full pass runs only this often.
const ALL_AGAIN: Duration = Duration::from_secs(600);

/// A background thread that pushes to another server.
pub(crate) struct Pushing {
    stop: StopFlag,
    thread: JoinHandle<()>,
}

impl Pushing {
    /// Starts pushing and reports that. Errors are reported once per reason.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        upstream: Upstream,
        say: impl Fn(String) + Send + 'static,
    ) -> std::io::Result<Self> {
        let stop = StopFlag::default();
        let wanted = stop.clone();
        say(format!("sending laps and tapes to {}", upstream.name()));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let thread = std::thread::Builder::new().name("gametape-upstream".into()).spawn(move || {
            let sending = Sending {
                store: store.as_ref(),
                upstream: &upstream,
                runtime: &runtime,
                stop: &wanted,
                say: &say,
                cars: CarSending::default(),
            };
            if catch_unwind(AssertUnwindSafe(|| run(&sending, &say))).is_err() {
                say(format!(
                    "error: sending to {} failed, please report it; restart gametape to go on",
                    upstream.name()
                ));
            }
        })?;
        Ok(Self { stop, thread })
    }

    /// Stops after the upload that is in progress.
    pub(crate) fn stop(self) {
        self.stop.stop();
        let _ = self.thread.join();
    }
}

/// The progress of pushing.
#[derive(Debug, Clone, Copy)]
struct Done {
    /// The change counter of the store at the last pass.
    counter: i64,
    /// The change counter at the last full pass, and when that was.
    all: (i64, Instant),
}

/// Decides what to push next, if anything. A pass over the newest sessions may miss changes of old ones; these wait at most until the next
/// full pass.
fn next_pass(done: Option<&Done>, counter: i64, now: Instant) -> Option<Pass> {
    let Some(done) = done else { return Some(Pass::All) };
    let (all, at) = done.all;
    if counter != all && now.saturating_duration_since(at) >= ALL_AGAIN {
        return Some(Pass::All);
    }
    (counter != done.counter).then_some(Pass::Newest)
}

fn run(sending: &Sending<'_>, say: &dyn Fn(String)) {
    let mut pause = PAUSES.0;
    let mut done: Option<Done> = None;
    let mut said = String::new();
    while !sending.stop.wanted() {
        let counter = sending.store.changes().unwrap_or_default();
        let begun = Instant::now();
        let Some(pass) = next_pass(done.as_ref(), counter, begun) else {
            std::thread::sleep(POLL_INTERVAL);
            continue;
        };
        match sending.pass(pass) {
            Ok(()) => {
                let all = done.filter(|_| pass == Pass::Newest).map_or((counter, begun), |done| done.all);
                done = Some(Done { counter, all });
                pause = PAUSES.0;
                said.clear();
            }
            Err(reason) => {
                let reason = reason.to_string();
                if said != reason {
                    say(format!("note: cannot send everything to {}: {reason}", sending.upstream.name()));
                    said = reason;
                }
                let until = Instant::now() + pause;
                while Instant::now() < until && !sending.stop.wanted() {
                    std::thread::sleep(POLL_INTERVAL.min(pause));
                }
                pause = (pause * 2).min(PAUSES.1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn old_sessions_that_changed_are_not_left_behind() {
        let start = Instant::now();
        let later = start + ALL_AGAIN;
        assert_eq!(next_pass(None, 1, start), Some(Pass::All));
        let mut done = Done { counter: 1, all: (1, start) };
        assert_eq!(next_pass(Some(&done), 1, later), None, "nothing has changed");
        assert_eq!(next_pass(Some(&done), 2, start), Some(Pass::Newest));
        done.counter = 2;
        assert_eq!(next_pass(Some(&done), 2, start), None);
        assert_eq!(next_pass(Some(&done), 2, later), Some(Pass::All), "the change may have been of an old one");
        done.all = (2, later);
        assert_eq!(next_pass(Some(&done), 2, later + ALL_AGAIN), None);
    }
}
