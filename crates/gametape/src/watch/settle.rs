//! When a file is complete. Takes what was seen of files and when; gives which file to look at next, and whether it is complete.
//!
//! ```text
//!  new, changed ──▶ waiting ── same length and time for the settle time ──▶ complete
//!                     ▲  │
//!                     └──┘ changed: from the beginning
//!  renamed into place: the settle time is one short look
//!  a writer still has it open (where the system says so): the settle time is longer
//! ```
//! No clock and no file in here: the caller brings both.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::stamp::Stamp;

/// Files that are waited for at the same time. More are found by a later scan.
pub(super) const MAX_WAITING: usize = 4096;
/// A file that its writer keeps open is waited for this many settle times: some games pause longer than others, some never close.
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

/// How long a file that was renamed into place is looked at.
fn short_look(settle: Duration) -> Duration {
    (settle / 4).clamp(Duration::from_millis(5), Duration::from_millis(250))
}

impl Settling {
    /// The file looks like this now. A change begins the wait again. `false` if there is no room for another file.
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

    /// The system says that the file was written to: the wait begins again, whatever length and time say. `closes` says that the
    /// system will tell when its writer closes it.
    pub(super) fn written(&mut self, path: &Path, closes: bool, now: Instant) {
        if let Some(waiting) = self.files.get_mut(path) {
            *waiting = Waiting { since: now, renamed: false, open: closes, ..*waiting };
        }
    }

    /// The writer closed the file.
    pub(super) fn closed(&mut self, path: &Path) {
        if let Some(waiting) = self.files.get_mut(path) {
            waiting.open = false;
        }
    }

    /// The file came under its name in one step, so it was complete before.
    pub(super) fn renamed_into_place(&mut self, path: &Path) {
        if let Some(waiting) = self.files.get_mut(path) {
            waiting.renamed = true;
            waiting.open = false;
        }
    }

    /// The file was known under a name that counts, so its new name says nothing.
    pub(super) fn renamed_only(&mut self, path: &Path) {
        if let Some(waiting) = self.files.get_mut(path) {
            waiting.renamed = false;
        }
    }

    /// The wait begins again: the file cannot be looked at yet.
    pub(super) fn again(&mut self, path: &Path, now: Instant) {
        self.written(path, false, now);
    }

    /// The file is gone, or done.
    pub(super) fn forget(&mut self, path: &Path) {
        self.files.remove(path);
    }

    /// Everything below a folder is gone.
    pub(super) fn forget_below(&mut self, folder: &Path) {
        self.files.retain(|path, _| !path.starts_with(folder));
    }

    /// Whether files that were left out before find room now.
    pub(super) fn has_much_room(&self) -> bool {
        self.files.len() < MAX_WAITING / 2
    }

    /// The files that are waited for.
    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.keys().map(PathBuf::as_path)
    }

    /// When the next file may be complete.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.files.values().map(Waiting::due_at).min()
    }

    /// A file whose wait is over: the one that was changed first. Whether it is complete, [`Self::is_complete`] says.
    pub(super) fn due(&self, now: Instant) -> Option<PathBuf> {
        let due = self.files.iter().filter(|(_, waiting)| waiting.due_at() <= now);
        due.min_by_key(|(path, waiting)| (waiting.stamp.modified_ns, *path)).map(|(path, _)| path.clone())
    }

    /// Whether a file that looks like this now is complete. If it is not, its wait begins again.
    pub(super) fn is_complete(&mut self, path: &Path, stamp: Stamp, now: Instant) -> bool {
        let Some(waiting) = self.files.get_mut(path) else { return false };
        // An empty file is one that its writer has not begun.
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

        /// What the engine does when it looks at a file that is due.
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
            // Seen by event, by scan, or not before it is due.
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
