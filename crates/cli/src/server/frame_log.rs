//! A broadcast log of the latest frames, bounded in bytes, for clients that follow a recording.
//!
//! All followers read the same log, each at its own position. A follower that is too slow misses the oldest entries and learns how many;
//! it costs no memory and does not affect the others.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

/// The largest number of entries kept.
const MOST_ENTRIES: usize = 1024;
/// The largest total size of the entries.
const BUDGET_BYTES: usize = 32 << 20;

/// An entry of the log.
pub(super) trait Entry: Clone {
    /// Returns its size in bytes.
    fn held_bytes(&self) -> usize;
}

/// The result of a read.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Read<T> {
    Next(T),
    /// This many entries were discarded before they were read.
    Missed(u64),
}

struct Kept<T> {
    entries: VecDeque<T>,
    /// Sequence number of the first entry.
    first: u64,
    bytes: usize,
}

impl<T> Kept<T> {
    fn end(&self) -> u64 {
        self.first + self.entries.len() as u64
    }
}

/// The log.
pub(super) struct FrameLog<T> {
    kept: Arc<Mutex<Kept<T>>>,
    changed: watch::Sender<()>,
}

impl<T> Default for FrameLog<T> {
    fn default() -> Self {
        let kept = Kept { entries: VecDeque::new(), first: 0, bytes: 0 };
        Self { kept: Arc::new(Mutex::new(kept)), changed: watch::Sender::new(()) }
    }
}

fn lock<T>(kept: &Mutex<Kept<T>>) -> MutexGuard<'_, Kept<T>> {
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<T: Entry> FrameLog<T> {
    /// Adds an entry. Without followers, nothing is kept.
    pub(super) fn push(&self, entry: T) {
        let mut kept = lock(&self.kept);
        kept.bytes += entry.held_bytes();
        kept.entries.push_back(entry);
        let most = if self.changed.receiver_count() == 0 { 0 } else { MOST_ENTRIES };
        while kept.entries.len() > most || (kept.bytes > BUDGET_BYTES && kept.entries.len() > 1) {
            let Some(oldest) = kept.entries.pop_front() else { break };
            kept.bytes -= oldest.held_bytes();
            kept.first += 1;
        }
        drop(kept);
        self.changed.send_replace(());
    }

    /// Follows the log from now on.
    pub(super) fn follow(&self) -> Follower<T> {
        // In this order: entries added from here on are kept.
        let changed = self.changed.subscribe();
        let next = lock(&self.kept).end();
        Follower { kept: Arc::clone(&self.kept), next, changed }
    }
}

/// A position in the log.
pub(super) struct Follower<T> {
    kept: Arc<Mutex<Kept<T>>>,
    next: u64,
    changed: watch::Receiver<()>,
}

impl<T: Entry> Follower<T> {
    /// Waits for the next entry. `None` when the log is gone.
    pub(super) async fn next(&mut self) -> Option<Read<T>> {
        loop {
            if let Some(read) = self.try_next() {
                return Some(read);
            }
            self.changed.changed().await.ok()?;
        }
    }

    /// Returns the next entry if there is one.
    pub(super) fn try_next(&mut self) -> Option<Read<T>> {
        let kept = lock(&self.kept);
        if self.next < kept.first {
            let missed = kept.first - self.next;
            self.next = kept.first;
            return Some(Read::Missed(missed));
        }
        let entry = kept.entries.get((self.next - kept.first) as usize)?.clone();
        self.next += 1;
        Some(Read::Next(entry))
    }

    /// Whether all entries were read.
    pub(super) fn is_empty(&self) -> bool {
        self.next == lock(&self.kept).end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A number, and the size it reports.
    #[derive(Debug, Clone, PartialEq, Eq)]
    struct Numbered(u64, usize);

    impl Entry for Numbered {
        fn held_bytes(&self) -> usize {
            self.1
        }
    }

    #[test]
    fn a_follower_that_reads_nothing_costs_no_more_than_the_budget_and_learns_what_it_missed() {
        let log = FrameLog::default();
        log.push(Numbered(0, 325_000));
        assert_eq!(lock(&log.kept).bytes, 0, "nobody follows");
        let mut follower = log.follow();
        (1..=1000).for_each(|number| log.push(Numbered(number, 325_000)));
        let kept = || {
            let kept = lock(&log.kept);
            (kept.bytes, kept.entries.len())
        };
        let (held, entries) = kept();
        assert!(held <= BUDGET_BYTES && entries == BUDGET_BYTES / 325_000, "{held} bytes, {entries} entries");
        let missed = 1000 - entries as u64;
        assert_eq!(follower.try_next(), Some(Read::Missed(missed)));
        assert_eq!(follower.try_next(), Some(Read::Next(Numbered(missed + 1, 325_000))));
        while follower.try_next().is_some() {}
        assert!(follower.is_empty());
        (0..2 * MOST_ENTRIES as u64).for_each(|number| log.push(Numbered(number, 1)));
        assert_eq!(kept().1, MOST_ENTRIES);
    }

    #[tokio::test]
    async fn a_follower_waits_for_what_comes_and_ends_with_the_log() {
        let log = FrameLog::default();
        let mut follower = log.follow();
        let waits = tokio::spawn(async move { (follower.next().await, follower.next().await, follower.next().await) });
        log.push(Numbered(1, 1));
        tokio::task::yield_now().await;
        log.push(Numbered(2, 1));
        drop(log);
        let read = |number| Some(Read::Next(Numbered(number, 1)));
        assert_eq!(waits.await.unwrap(), (read(1), read(2), None));
    }
}
