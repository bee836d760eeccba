//! Debouncing: decides when a file is complete, from its observed states and the time.
//!
//! ```text
//!  new, changed ──▶ pending ── same length and time for the quiet period ──▶ complete
//!                     ▲  │
//!                     └──┘ changed: restart
//!  renamed into place: a quiet period of at most two seconds
//!  a writer still has it open (where the system reports it): a longer quiet period
//!  not whole by its structure: held until minutes have passed without a change
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
/// Quiet period of a file that was renamed into place. Some games rename a file before they have finished it.
const RENAMED: Duration = Duration::from_secs(2);

/// The files that are not complete yet.
#[derive(Debug, Default)]
pub(super) struct Settling {
    files: HashMap<PathBuf, Waiting>,
    /// Files that were due, the one modified first at the end.
    ready: Vec<PathBuf>,
    /// No file is due before this time.
    earliest: Option<Instant>,
}

#[derive(Debug)]
struct Waiting {
    stamp: Stamp,
    since: Instant,
    settle: Duration,
    renamed: bool,
    open: bool,
    /// Not complete before this time, unless it changes.
    held_until: Option<Instant>,
}

impl Waiting {
    fn due_at(&self) -> Instant {
        let wait = match (self.renamed, self.open) {
            (_, true) => self.settle.saturating_mul(OPEN_PATIENCE),
            (true, false) => self.settle.min(RENAMED),
            (false, false) => self.settle,
        };
        let due = self.since + wait;
        self.held_until.map_or(due, |held_until| due.max(held_until))
    }

    /// Restarts the quiet period.
    fn restart(&mut self, now: Instant) {
        (self.since, self.renamed, self.held_until) = (now, false, None);
    }
}

impl Settling {
    /// Records the current state of a file. A change restarts the quiet period. Returns `false` if the limit is reached.
    pub(super) fn seen(&mut self, path: &Path, stamp: Stamp, settle: Duration, now: Instant) -> bool {
        if let Some(waiting) = self.files.get_mut(path) {
            if waiting.stamp != stamp {
                waiting.stamp = stamp;
                waiting.restart(now);
                self.note(path);
            }
            return true;
        }
        let room = self.files.len() < MAX_WAITING;
        if room {
            let waiting = Waiting { stamp, since: now, settle, renamed: false, open: false, held_until: None };
            self.files.insert(path.to_owned(), waiting);
            self.note(path);
        }
        room
    }

    /// Updates the time before which nothing is due.
    fn note(&mut self, path: &Path) {
        let due = self.files.get(path).map(Waiting::due_at);
        self.earliest = self.earliest.into_iter().chain(due).min();
    }

    /// Records a write that the system reported: restarts the quiet period even if length and time are unchanged. `closes` means that the
    /// system will report when the writer closes the file.
    pub(super) fn written(&mut self, path: &Path, closes: bool, now: Instant) {
        if let Some(waiting) = self.files.get_mut(path) {
            waiting.restart(now);
            waiting.open = closes;
            self.note(path);
        }
    }

    /// Holds a file back until this time, unless it changes before.
    pub(super) fn hold(&mut self, path: &Path, until: Instant) {
        if let Some(waiting) = self.files.get_mut(path) {
            waiting.held_until = Some(until);
            self.note(path);
        }
    }

    /// Returns how long a file has been unchanged.
    pub(super) fn quiet_for(&self, path: &Path, now: Instant) -> Duration {
        self.files.get(path).map_or(Duration::ZERO, |waiting| now.saturating_duration_since(waiting.since))
    }

    /// Records that the writer closed the file.
    pub(super) fn closed(&mut self, path: &Path) {
        if let Some(waiting) = self.files.get_mut(path) {
            waiting.open = false;
            self.note(path);
        }
    }

    /// Records that the file was renamed into place, so it was complete before.
    pub(super) fn renamed_into_place(&mut self, path: &Path) {
        if let Some(waiting) = self.files.get_mut(path) {
            waiting.renamed = true;
            waiting.open = false;
            self.note(path);
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

    /// Returns whether a file is pending.
    pub(super) fn is_pending(&self, path: &Path) -> bool {
        self.files.contains_key(path)
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
        self.earliest
    }

    /// Returns a file whose quiet period is over: the one modified first. Check [`Self::is_complete`] then.
    pub(super) fn due(&mut self, now: Instant) -> Option<PathBuf> {
        let is_due = |files: &HashMap<PathBuf, Waiting>, path: &PathBuf| {
            files.get(path).is_some_and(|waiting| waiting.due_at() <= now)
        };
        while let Some(path) = self.ready.pop() {
            if is_due(&self.files, &path) {
                return Some(path);
            }
        }
        // Thousands of files may be due at once: they are sorted once, not searched for each.
        if self.earliest.is_none_or(|earliest| earliest > now) {
            return None;
        }
        let due = self.files.iter().filter(|(_, waiting)| waiting.due_at() <= now);
        let mut due: Vec<_> = due.map(|(path, waiting)| (waiting.stamp.modified_ns, path.clone())).collect();
        due.sort_unstable_by(|one, other| other.cmp(one));
        self.ready.extend(due.into_iter().map(|(_, path)| path));
        if self.ready.is_empty() {
            self.earliest = self.files.values().map(Waiting::due_at).min();
        }
        self.ready.pop()
    }

    /// Returns whether a file with this stamp is complete. Otherwise restarts its quiet period.
    pub(super) fn is_complete(&mut self, path: &Path, stamp: Stamp, now: Instant) -> bool {
        let Some(waiting) = self.files.get_mut(path) else { return false };
        // The writer of an empty file has not begun.
        if waiting.stamp != stamp || stamp.bytes == 0 {
            waiting.stamp = stamp;
            waiting.restart(now);
            self.note(path);
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
    fn a_file_that_was_renamed_into_place_is_complete_after_two_seconds() {
        let mut bench = Bench::new();
        let now = bench.start;
        assert!(bench.settling.seen(&bench.path, stamp(10), 10 * SETTLE, now));
        bench.settling.renamed_into_place(&bench.path);
        assert!(!bench.complete(10, ms(1999)));
        assert!(bench.complete(10, ms(2000)));
    }

    #[test]
    fn a_file_that_is_held_back_is_complete_later_or_after_a_change() {
        let mut bench = Bench::new();
        bench.seen(10, ms(0));
        bench.settling.hold(&bench.path, bench.start + ms(60_000));
        assert!(!bench.complete(10, ms(59_999)));
        assert_eq!(bench.settling.next_due(), Some(bench.start + ms(60_000)));
        assert_eq!(bench.settling.quiet_for(&bench.path, bench.start + ms(60_000)), ms(60_000));
        assert!(bench.complete(10, ms(60_000)));
        bench.seen(11, ms(61_000));
        assert!(!bench.complete(11, ms(62_999)));
        assert!(bench.complete(11, ms(63_000)));
    }

    #[test]
    fn a_file_that_changes_after_it_was_renamed_into_place_waits_like_any_other() {
        let mut bench = Bench::new();
        bench.seen(10, ms(0));
        bench.settling.renamed_into_place(&bench.path);
        assert!(!bench.complete(11, ms(2000)));
        assert!(!bench.complete(11, ms(3999)));
        assert!(bench.complete(11, ms(4000)));
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
