//! Tracks tapes that have not been tracked yet, on a background thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::JoinHandle;

use gametape::capture::StopFlag;
use gametape::paths::this_machine;
use gametape::store::catalogue::Look;
use gametape::store::{CatchUp, CaughtUp, Store, catch_up};

use crate::human;

/// A background thread that tracks tapes.
pub(crate) struct CatchingUp {
    stop: StopFlag,
    thread: JoinHandle<()>,
}

impl CatchingUp {
    /// Starts tracking the tapes in the given folders, except the excluded ones. Reports a summary if there is something to report.
    pub(crate) fn start(
        store: Arc<dyn Store>,
        folders: Vec<PathBuf>,
        except: Vec<PathBuf>,
        say: impl Fn(String) + Send + 'static,
    ) -> std::io::Result<Self> {
        let stop = StopFlag::default();
        let wanted = stop.clone();
        let thread = std::thread::Builder::new().name("gametape-catch-up".into()).spawn(move || {
            let place = this_machine();
            let look = Look { place: &place, folders: &folders, except: &except, elsewhere: true, checksums: true };
            let wish = CatchUp { look, all: false, keep_replays: false };
            let looked = catch_unwind(AssertUnwindSafe(|| catch_up(&*store, &wish, &mut |_, _, _| !wanted.wanted())));
            match looked {
                Ok(Ok(done)) => drop(summary(&done).map(say)),
                Ok(Err(error)) => say(format!("note: cannot look for new tapes: {}", human::safe(&error.to_string()))),
                Err(_) => say(
                    "error: looking for laps on older tapes failed, please report it; `gametape laps rebuild` tries again"
                        .to_owned(),
                ),
            }
        })?;
        Ok(Self { stop, thread })
    }

    /// Stops after the tape that is being tracked.
    pub(crate) fn stop(self) {
        self.stop.stop();
        let _ = self.thread.join();
    }
}

/// Summarizes the result; `None` if nothing changed.
fn summary(done: &CaughtUp) -> Option<String> {
    let missing = done.found.missing.len();
    let mut parts = Vec::new();
    if done.tracked > 0 && done.replaced.new + done.replaced.changed + done.replaced.removed > 0 {
        let tapes = human::counted(done.tracked.into(), "tape");
        parts.push(format!("added the laps of {tapes} recorded earlier to the store"));
    }
    if missing > 0 {
        let tapes = human::counted(missing as u64, "tape");
        parts.push(format!(
            "{tapes} of the catalogue {} missing; the laps are kept",
            if missing == 1 { "is" } else { "are" }
        ));
    }
    (!parts.is_empty()).then(|| parts.join("; "))
}
