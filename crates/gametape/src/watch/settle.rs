//! Debouncing: decides when a file is complete, from its observed states and the time.
//!
//! ```text
//!  new, changed ──▶ pending ── same length and time for the quiet period ──▶ complete
//!                     ▲  │
//!                     └──┘ changed: restart
//!  renamed into place: a short quiet period
//!  a writer still has it open (where the system reports it): a longer quiet period
//! ```
//! No clock and no I/O: the caller provides both.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::content::Stamp;

/// Maximum number of pending files. Further ones are found by a later scan.
pub(super) const MAX_WAITING: usize = 4096;
/// Factor of the quiet period for a file that its writer keeps open: some games pause for long, others never close the file.
const OPEN_PATIENCE: u32 = 5;

/// The files that are not complete yet.
#[derive(Debug, Default)]
pub(super) struct Settling {
    files: HashMap<PathBuf, Waiting>,
}

#[derive(Debug)]
struct Waiting {
    stamp: Stamp,
    since: Instant,
    settle: Duration,
    renamed: bool,
    open: bool,
}

impl Waiting {
    fn due_at(&self) -> Instant {
        let wait = match (self.renamed, self.open) {
            (_, true) => self.settle.saturating_mul(OPEN_PATIENCE),
            (true, false) => short_look(self.settle),
            (false, false) => self.settle,
        };
        self.since + wait
    }
}

/// Returns the quiet period of a file that was renamed into place.
fn short_look(settle: Duration) -> Duration {
    (settle / 4).clamp(Duration::from_millis(5), Duration::from_millis(250))
}

impl Settling {
    /// Records the current state of a file. A change restarts the quiet period. Returns `false` if the limit is reached.
    pub(super) fn seen(&mut self, path: &Path, stamp: Stamp, settle: Duration, now: Instant) -> bool {
        if let Some(waiting) = self.files.get_mut(path) {
            if waiting.stamp != stamp {
                *waiting = Waiting { stamp, since: now, renamed: false, ..*waiting };
            }
            return true;
        }
        let room = self.files.len() < MAX_WAITING;
        if room {
            let waiting = Waiting { stamp, since: now, settle, renamed: false, open: false };
            self.files.insert(path.to_owned(), waiting);
        }
        room
    }

    /// Records a write that the system reported: restarts the quiet period even if length and time are unchanged. `closes` means that the
    /// system will report when the writer closes the file.
    pub(super) fn written(&mut self, path: &Path, closes: bool, now: Instant) {
        if let Some(waiting) = self.files.get_mut(path) {
            *waiting = Waiting { since: now, renamed: false, open: closes, ..*waiting };
        }
    }

    /// Records that the writer closed the file.
    pub(super) fn closed(&mut self, path: &Path) {
        if let Some(waiting) = self.files.get_mut(path) {
            waiting.open = false;
        }
    }

    /// Records that the file was renamed into place, so it was complete before.
    pub(super) fn renamed_into_place(&mut self, path: &Path) {
        if let Some(waiting) = self.files.get_mut(path) {
            waiting.renamed = true;
            waiting.open = false;
        }
    }

    /// Records that the file had a matching name before, so the rename does not imply that it is complete.
    pub(super) fn renamed_only(&mut self, path: &Path) {
        if let Some(waiting) = self.files.get_mut(path) {
            waiting.renamed = false;
        }
    }

    /// Restarts the quiet period: the file cannot be read yet.
    pub(super) fn again(&mut self, path: &Path, now: Instant) {
        self.written(path, false, now);
    }

    /// Removes a file that is gone or processed.
    pub(super) fn forget(&mut self, path: &Path) {
        self.files.remove(path);
    }

    /// Removes all files below a folder that is gone.
    pub(super) fn forget_below(&mut self, folder: &Path) {
        self.files.retain(|path, _| !path.starts_with(folder));
    }

    /// Returns whether there is room for files that were skipped before.
    pub(super) fn has_much_room(&self) -> bool {
        self.files.len() < MAX_WAITING / 2
    }

    /// Returns the pending files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// Returns when the next file may be complete.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.files.values().map(Waiting::due_at).min()
    }

    /// Returns a file whose quiet period is over: the one modified first. Check [`Self::is_complete`] then.
    pub(super) fn due(&self, now: Instant) -> Option<PathBuf> {
        let due = self.files.iter().filter(|(_, waiting)| waiting.due_at() <= now);
        due.min_by_key(|(path, waiting)| (waiting.stamp.modified_ns, *path)).map(|(path, _)| path.clone())
    }

    /// Returns whether a file with this stamp is complete. Otherwise restarts its quiet period.
    pub(super) fn is_complete(&mut self, path: &Path, stamp: Stamp, now: Instant) -> bool {
        let Some(waiting) = self.files.get_mut(path) else { return false };
        // The writer of an empty file has not begun.
        if waiting.stamp != stamp || stamp.bytes == 0 {
            *waiting = Waiting { stamp, since: now, renamed: false, ..*waiting };
            return false;
        }
        waiting.due_at() <= now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SETTLE: Duration = Duration::from_secs(2);

    fn stamp(bytes: u64) -> Stamp {
        Stamp { bytes, modified_ns: Some(bytes as i64) }
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    struct Bench {
        settling: Settling,
        start: Instant,
        path: PathBuf,
    }

    impl Bench {
        fn new() -> Self {
            Self { settling: Settling::default(), start: Instant::now(), path: "a.rec".into() }
        }

        fn seen(&mut self, bytes: u64, at: Duration) {
            assert!(self.settling.seen(&self.path, stamp(bytes), SETTLE, self.start + at));
        }

        /// What the engine does with a file that is due.
        fn complete(&mut self, bytes: u64, at: Duration) -> bool {
            let now = self.start + at;
            self.settling.due(now).is_some_and(|path| self.settling.is_complete(&path, stamp(bytes), now))
        }
    }

    #[test]
    fn a_file_that_does_not_change_is_complete_after_the_settle_time() {
        let mut bench = Bench::new();
        bench.seen(10, ms(0));
        assert!(!bench.complete(10, ms(1999)));
        assert!(bench.complete(10, ms(2000)));
    }

    #[test]
    fn a_file_that_grows_is_not_complete_however_long_it_takes() {
        let mut bench = Bench::new();
        bench.seen(10, ms(0));
        for second in 1..1000 {
            // Observed by an event, by a scan, or not before it is due.
            if second % 3 == 0 {
                bench.seen(10 + second, ms(second * 1000));
            }
            assert!(!bench.complete(10 + second, ms(second * 1000)), "{second}");
        }
        assert!(!bench.complete(1009, ms(1_000_999)));
        assert!(bench.complete(1009, ms(1_001_000)));
    }

    #[test]
    fn a_file_that_keeps_its_length_but_is_written_to_is_not_complete() {
        let mut bench = Bench::new();
        bench.seen(10, ms(0));
        bench.settling.written(&bench.path, false, bench.start + ms(1500));
        assert!(!bench.complete(10, ms(3499)));
        assert!(bench.complete(10, ms(3500)));
    }

    #[test]
    fn a_writer_that_keeps_the_file_open_is_waited_for_but_not_for_ever() {
        let mut bench = Bench::new();
        bench.seen(10, ms(0));
        bench.settling.written(&bench.path, true, bench.start);
        assert!(!bench.complete(10, ms(9999)));
        assert!(bench.complete(10, ms(10_000)));
        bench.settling.closed(&bench.path);
        assert!(bench.complete(10, ms(2000)));
    }

    #[test]
    fn a_file_that_was_renamed_into_place_is_complete_after_one_short_look() {
        let mut bench = Bench::new();
        bench.seen(10, ms(0));
        bench.settling.renamed_into_place(&bench.path);
        assert!(!bench.complete(10, ms(249)));
        assert!(bench.complete(10, ms(250)));
    }

    #[test]
    fn a_file_that_changes_after_it_was_renamed_into_place_waits_like_any_other() {
        let mut bench = Bench::new();
        bench.seen(10, ms(0));
        bench.settling.renamed_into_place(&bench.path);
        assert!(!bench.complete(11, ms(250)));
        assert!(!bench.complete(11, ms(500)));
        assert!(bench.complete(11, ms(2250)));
    }

    #[test]
    fn an_empty_file_is_never_complete() {
        let mut bench = Bench::new();
        bench.seen(0, ms(0));
        assert!(!bench.complete(0, ms(2000)));
        assert!(!bench.complete(0, ms(100_000)));
    }

    #[test]
    fn files_come_in_the_order_in_which_they_were_changed() {
        let mut settling = Settling::default();
        let now = Instant::now();
        for (path, bytes) in [("c", 1), ("a", 2), ("b", 2)] {
            settling.seen(Path::new(path), stamp(bytes), SETTLE, now);
        }
        let mut order = Vec::new();
        while let Some(path) = settling.due(now + SETTLE) {
            settling.forget(&path);
            order.push(path);
        }
        assert_eq!(order, [Path::new("c"), Path::new("a"), Path::new("b")]);
    }

    #[test]
    fn there_is_room_for_so_many_and_no_more() {
        let mut settling = Settling::default();
        let now = Instant::now();
        for number in 0..MAX_WAITING {
            assert!(settling.seen(Path::new(&number.to_string()), stamp(1), SETTLE, now));
        }
        assert!(!settling.seen(Path::new("more"), stamp(1), SETTLE, now));
        assert!(settling.seen(Path::new("0"), stamp(2), SETTLE, now), "it has its place already");
        assert_eq!(settling.paths().count(), MAX_WAITING);
    }
}
