//! Copies pages of shared memory and detects torn reads.
//!
//! Pages are read in rounds, so that all pages of a game share one wait (a double read):
//!
//! ```text
//! first copy of each ──▶ equal to the last accepted frame? done, nothing new
//!        │
//!   50 µs later
//!        ▼
//! second copy of each ──▶ equal to the first? accepted
//!        │ no: the game was writing. Torn read; the second copy becomes the first copy of the next round
//! ```

use std::fmt::Write;
use std::io;
use std::mem::swap;

use gametape_format::Counters;
use gametape_games::{CopyRule, SECOND_COPY_AFTER_NS, STUCK_AFTER_NS};

use crate::sys::SectionReader;
use crate::transport::Clock;

/// Rounds before a tick is given up. A game writes a page within microseconds, a few hundred times a second.
const ROUNDS: usize = 12;

/// The source of a page's bytes.
pub(crate) trait PageBytes: Send {
    /// Copies bytes while the game may be writing them.
    fn copy(&self, offset: u64, out: &mut [u8]) -> io::Result<()>;
}

impl PageBytes for SectionReader {
    fn copy(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
        Self::copy(self, offset, out)
    }
}

/// A page, its copy rule, and the copies that are compared.
#[derive(Debug)]
pub(crate) struct Page<B> {
    bytes: B,
    rule: CopyRule,
    /// The section with the lock, if the rule has one and it exists.
    lock: Option<B>,
    /// Since when the game has seemed to be writing, without an accepted frame in between.
    busy_since_ns: Option<u64>,
    first: Vec<u8>,
    second: Vec<u8>,
    accepted: Vec<u8>,
    accepted_ns: u64,
    stage: Stage,
}

/// Progress of the current read of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    /// No usable copy yet.
    Nothing,
    /// `first` holds a copy during which the counter did not move; the value is its time.
    Copied(u64),
    /// Complete: `accepted` holds the newest frame.
    Done { fresh: bool },
}

impl<B: PageBytes> Page<B> {
    pub(crate) fn new(bytes: B, length: usize, rule: CopyRule) -> Self {
        let buffer = || vec![0; length];
        let (first, second) = (buffer(), buffer());
        Self {
            bytes,
            rule,
            lock: None,
            busy_since_ns: None,
            first,
            second,
            accepted: Vec::with_capacity(length),
            accepted_ns: 0,
            stage: Stage::Nothing,
        }
    }

    /// Sets the section with the lock of the rule. It is only looked at.
    pub(crate) fn with_lock(self, lock: Option<B>) -> Self {
        Self { lock, ..self }
    }

    /// Returns whether the game has seemed to be writing for so long that it must have ended while it did. Copies are compared instead.
    pub(crate) fn is_stuck(&self, now_ns: u64) -> bool {
        self.busy_since_ns.is_some_and(|since_ns| now_ns.saturating_sub(since_ns) >= STUCK_AFTER_NS)
    }

    /// Returns the source of the bytes.
    pub(crate) fn bytes(&self) -> &B {
        &self.bytes
    }

    /// Returns the newest complete frame; empty before the first one.
    pub(crate) fn frame(&self) -> &[u8] {
        &self.accepted
    }

    /// Returns the time at which the newest complete frame was copied.
    pub(crate) fn frame_ns(&self) -> u64 {
        self.accepted_ns
    }

    /// Returns whether this read ended with a complete frame, new or unchanged.
    pub(crate) fn done(&self) -> bool {
        matches!(self.stage, Stage::Done { .. })
    }

    /// Returns whether this read ended with a new frame.
    pub(crate) fn fresh(&self) -> bool {
        self.stage == Stage::Done { fresh: true }
    }

    /// Copies the page into `second`. Returns whether the rule's counter stayed the same during the copy.
    fn copy(&mut self) -> io::Result<bool> {
        match self.rule {
            CopyRule::CounterAndSecondCopy { counter_offset: at } | CopyRule::EvenSequence { sequence_offset: at } => {
                let (mut before, mut after) = ([0; 4], [0; 4]);
                self.bytes.copy(at.into(), &mut before)?;
                self.bytes.copy(0, &mut self.second)?;
                self.bytes.copy(at.into(), &mut after)?;
                let writing = matches!(self.rule, CopyRule::EvenSequence { .. }) && before[0] & 1 == 1;
                let inside = self.second.get(at as usize..).and_then(|rest| rest.get(..4)) == Some(&before);
                Ok(before == after && inside && !writing)
            }
            CopyRule::EqualVersions { begin_offset, end_offset } => {
                // The word that is written last is read first, and the other way round afterwards: then no write fits in between.
                let (end, begin) = (self.word(end_offset)?, self.word(begin_offset)?);
                self.bytes.copy(0, &mut self.second)?;
                let (begin_after, end_after) = (self.word(begin_offset)?, self.word(end_offset)?);
                Ok([begin, begin_after, end_after] == [end; 3])
            }
            CopyRule::TwoEqualCopiesUnlocked { busy_offset, .. } => {
                let was_busy = self.is_busy(busy_offset)?;
                self.bytes.copy(0, &mut self.second)?;
                Ok(!was_busy && !self.is_busy(busy_offset)?)
            }
            CopyRule::TwoEqualCopies | CopyRule::RotatingBuffers | CopyRule::Whole => {
                self.bytes.copy(0, &mut self.second)?;
                Ok(true)
            }
        }
    }

    fn word(&self, at: u32) -> io::Result<[u8; 4]> {
        let mut word = [0; 4];
        self.bytes.copy(at.into(), &mut word)?;
        Ok(word)
    }

    /// Returns whether somebody holds the lock. Without a lock, nobody does.
    fn is_busy(&self, at: u32) -> io::Result<bool> {
        let Some(lock) = &self.lock else { return Ok(false) };
        let mut word = [0; 4];
        lock.copy(at.into(), &mut word)?;
        Ok(word != [0; 4])
    }

    /// Returns the minimum time between two copies that have to be equal; `None` if one copy is enough.
    fn compares(&self) -> Option<u64> {
        match self.rule {
            CopyRule::EvenSequence { .. } | CopyRule::Whole | CopyRule::EqualVersions { .. } => None,
            // What was written between the copies was written under the lock, and the lock was free.
            CopyRule::TwoEqualCopiesUnlocked { .. } if self.lock.is_some() => Some(0),
            _ => Some(SECOND_COPY_AFTER_NS),
        }
    }

    /// Returns whether a copy is usable, and what it has to be compared with. After a writer that died while it wrote, copies are compared.
    fn judge(&mut self, still: bool, now_ns: u64) -> (bool, Option<u64>) {
        let has_end = matches!(self.rule, CopyRule::EqualVersions { .. } | CopyRule::TwoEqualCopiesUnlocked { .. });
        if still || !has_end {
            self.busy_since_ns = None;
            return (still, self.compares());
        }
        self.busy_since_ns.get_or_insert(now_ns);
        (self.is_stuck(now_ns), Some(SECOND_COPY_AFTER_NS))
    }

    /// Makes one copy and compares it with the previous one. Counts torn reads.
    fn step(&mut self, clock: &dyn Clock, counters: &mut Counters) -> io::Result<()> {
        if self.done() {
            return Ok(());
        }
        self.step_once(clock, counters)?;
        // Two copies that need no time between them are made one right after the other.
        let again =
            matches!(self.stage, Stage::Copied(_)) && self.busy_since_ns.is_none() && self.compares() == Some(0);
        if again { self.step_once(clock, counters) } else { Ok(()) }
    }

    fn step_once(&mut self, clock: &dyn Clock, counters: &mut Counters) -> io::Result<()> {
        let now_ns = clock.now_ns();
        let still = self.copy()?;
        let (still, after_ns) = self.judge(still, now_ns);
        match self.stage {
            _ if still && self.second == self.accepted => self.stage = Stage::Done { fresh: false },
            _ if still && after_ns.is_none() => self.accept(now_ns),
            // Do not assume that the wait before this copy was long enough: check it.
            Stage::Copied(first_ns)
                if still
                    && self.second == self.first
                    && after_ns.is_some_and(|after_ns| now_ns.saturating_sub(first_ns) >= after_ns) =>
            {
                self.accept(first_ns);
            }
            Stage::Copied(first_ns) if still && self.second == self.first => self.stage = Stage::Copied(first_ns),
            stage => {
                counters.torn += u64::from(stage != Stage::Nothing || !still);
                swap(&mut self.first, &mut self.second);
                self.stage = if still { Stage::Copied(now_ns) } else { Stage::Nothing };
            }
        }
        Ok(())
    }

    fn accept(&mut self, time_ns: u64) {
        let before_first = self.accepted.is_empty();
        if before_first {
            self.accepted.resize(self.second.len(), 0);
        }
        swap(&mut self.accepted, &mut self.second);
        self.accepted_ns = time_ns;
        self.stage = Stage::Done { fresh: true };
    }
}

/// An error while copying a page.
#[derive(Debug, thiserror::Error)]
#[error("{source}")]
pub(crate) struct CopyError {
    /// Index of the page.
    pub(crate) page: usize,
    /// The error of the operating system.
    pub(crate) source: io::Error,
}

/// Reads all pages once. A page without a complete copy is not [`done`](Page::done) afterwards. `counters` has one entry for each
/// page.
pub(crate) fn look<B: PageBytes>(
    pages: &mut [Page<B>],
    counters: &mut [Counters],
    clock: &dyn Clock,
) -> Result<(), CopyError> {
    pages.iter_mut().for_each(|page| page.stage = Stage::Nothing);
    for round in 0..ROUNDS {
        if round > 0 {
            clock.sleep_until_ns(clock.now_ns() + SECOND_COPY_AFTER_NS);
        }
        for (index, (page, counters)) in pages.iter_mut().zip(counters.iter_mut()).enumerate() {
            page.step(clock, counters).map_err(|source| CopyError { page: index, source })?;
        }
        if pages.iter().all(Page::done) {
            return Ok(());
        }
    }
    for (_, counters) in pages.iter().zip(counters).filter(|(page, _)| !page.done()) {
        counters.missed += 1;
    }
    Ok(())
}

/// Sections consist of whole memory pages, and bridges round up too. A multiple of this length says nothing about the contents.
const ROUND_BYTES: u64 = 1024;

/// Returns a note if no known version of a page has `bytes` bytes. `recorded` is the length that is recorded.
pub(crate) fn unknown_length(name: &str, bytes: u64, known: &[u64], recorded: u64) -> Option<String> {
    if bytes.is_multiple_of(ROUND_BYTES) || known.contains(&bytes) {
        return None;
    }
    let mut text = format!("{name} has {bytes} bytes; the known versions of the page have");
    let mut lengths = known.to_vec();
    lengths.sort_unstable();
    lengths.dedup();
    for (index, length) in lengths.iter().enumerate() {
        let _ = write!(text, "{} {length}", if index == 0 { "" } else { "," });
    }
    let _ =
        write!(text, ". The first {recorded} are recorded, and may mean something else in this version of the game");
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Mutex;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[derive(Default)]
    struct StepClock(AtomicU64);

    impl Clock for StepClock {
        fn now_ns(&self) -> u64 {
            self.0.load(Ordering::Relaxed)
        }
        fn utc_ns(&self) -> i64 {
            0
        }
        fn sleep_until_ns(&self, moment_ns: u64) {
            self.0.fetch_max(moment_ns, Ordering::Relaxed);
        }
    }

    /// A page with predefined contents for each copy.
    struct Scripted(Mutex<Vec<[u8; 8]>>);

    impl PageBytes for Scripted {
        fn copy(&self, offset: u64, out: &mut [u8]) -> io::Result<()> {
            let mut told = self.0.lock().unwrap();
            let now = if told.len() > 1 { told.remove(0) } else { told[0] };
            let from = usize::try_from(offset).unwrap();
            out.copy_from_slice(&now[from..from + out.len()]);
            Ok(())
        }
    }

    fn page(rule: CopyRule, told: &[[u8; 8]]) -> [Page<Scripted>; 1] {
        [Page::new(Scripted(Mutex::new(told.to_vec())), 8, rule)]
    }

    const COUNTER: CopyRule = CopyRule::CounterAndSecondCopy { counter_offset: 0 };
    const OLD: [u8; 8] = [1, 0, 0, 0, 1, 1, 1, 1];
    const NEW: [u8; 8] = [2, 0, 0, 0, 2, 2, 2, 2];
    const TORN: [u8; 8] = [2, 0, 0, 0, 2, 1, 1, 1];

    #[test]
    fn a_page_at_rest_is_accepted_once_and_then_unchanged() {
        let (mut pages, mut counters, clock) = (page(COUNTER, &[OLD]), [Counters::default()], StepClock::default());
        look(&mut pages, &mut counters, &clock).unwrap();
        assert!(pages[0].fresh() && pages[0].frame() == OLD && counters[0] == Counters::default());
        look(&mut pages, &mut counters, &clock).unwrap();
        assert!(pages[0].done() && !pages[0].fresh());
        assert_eq!(clock.now_ns(), SECOND_COPY_AFTER_NS, "an unchanged page needs no second copy");
    }

    #[test]
    fn a_copy_whose_counter_moved_is_torn() {
        // Reads are: counter before, page, counter after, and so on. The page changes during the first copy.
        let told = [OLD, TORN, NEW, NEW];
        let (mut pages, mut counters) = (page(COUNTER, &told), [Counters::default()]);
        look(&mut pages, &mut counters, &StepClock::default()).unwrap();
        assert!(pages[0].fresh() && pages[0].frame() == NEW);
        assert_eq!(counters[0].torn, 1);
    }

    #[test]
    fn a_half_written_page_with_a_counter_at_rest_is_found_by_the_second_copy() {
        let told = [TORN, TORN, TORN, NEW];
        let (mut pages, mut counters) = (page(COUNTER, &told), [Counters::default()]);
        look(&mut pages, &mut counters, &StepClock::default()).unwrap();
        assert!(pages[0].frame() == NEW);
        assert_eq!(counters[0].torn, 1);
        // Without the rule, the torn copy is accepted as a frame.
        let mut pages = page(CopyRule::Whole, &told);
        look(&mut pages, &mut counters, &StepClock::default()).unwrap();
        assert!(pages[0].frame() == TORN);
    }

    #[test]
    fn a_page_that_never_rests_is_a_missed_tick() {
        let told: Vec<[u8; 8]> = (0..200u8).map(|i| [i, 0, 0, 0, i, i, i, i]).collect();
        let (mut pages, mut counters) = (page(CopyRule::TwoEqualCopies, &told), [Counters::default()]);
        look(&mut pages, &mut counters, &StepClock::default()).unwrap();
        assert!(!pages[0].done() && pages[0].frame().is_empty());
        assert_eq!((counters[0].missed, counters[0].torn), (1, ROUNDS as u64 - 1));
    }

    #[test]
    fn an_odd_sequence_means_that_the_game_writes() {
        let even = |n: u8, fill: u8| [n, 0, 0, 0, fill, fill, fill, fill];
        let told = [even(3, 1), even(3, 2), even(3, 2), even(4, 2)];
        let rule = CopyRule::EvenSequence { sequence_offset: 0 };
        let (mut pages, mut counters) = (page(rule, &told), [Counters::default()]);
        look(&mut pages, &mut counters, &StepClock::default()).unwrap();
        assert!(pages[0].frame() == even(4, 2));
        assert_eq!(counters[0].torn, 1);
    }

    #[test]
    fn different_version_words_mean_that_the_game_writes() {
        // Words at 0 and 4.
        let rule = CopyRule::EqualVersions { begin_offset: 0, end_offset: 4 };
        let page_of = |begin: u8, end: u8| [begin, 0, 0, 0, end, 0, 0, 0];
        // Reads are: end, begin, page, begin, end.
        let told = [page_of(2, 1); 5].into_iter().chain([page_of(2, 2); 5]).collect::<Vec<_>>();
        let (mut pages, mut counters) = (page(rule, &told), [Counters::default()]);
        look(&mut pages, &mut counters, &StepClock::default()).unwrap();
        assert!(pages[0].fresh() && pages[0].frame() == page_of(2, 2) && counters[0].torn == 1);
        // It began to write during the copy.
        let told = [page_of(1, 1), page_of(1, 1), page_of(1, 1), page_of(2, 1), page_of(2, 1), page_of(3, 3)];
        let (mut pages, mut counters) = (page(rule, &told), [Counters::default()]);
        look(&mut pages, &mut counters, &StepClock::default()).unwrap();
        assert!(pages[0].frame() == page_of(3, 3) && counters[0].torn == 1);
    }

    #[test]
    fn a_writer_that_died_while_it_wrote_is_read_after_a_second() {
        let dead = [2, 0, 0, 0, 1, 0, 0, 0];
        let rule = CopyRule::EqualVersions { begin_offset: 0, end_offset: 4 };
        let (mut pages, mut counters, clock) = (page(rule, &[dead]), [Counters::default()], StepClock::default());
        look(&mut pages, &mut counters, &clock).unwrap();
        assert!(!pages[0].done() && !pages[0].is_stuck(clock.now_ns()));
        clock.sleep_until_ns(STUCK_AFTER_NS);
        look(&mut pages, &mut counters, &clock).unwrap();
        assert!(pages[0].fresh() && pages[0].is_stuck(clock.now_ns()) && pages[0].frame() == dead);
        look(&mut pages, &mut counters, &clock).unwrap();
        assert!(pages[0].done() && !pages[0].fresh());
    }

    /// A page and a lock with predefined contents for each copy.
    fn locked(told: &[[u8; 8]], lock: &[[u8; 8]]) -> [Page<Scripted>; 1] {
        let rule = CopyRule::TwoEqualCopiesUnlocked { lock_section: "lock", busy_offset: 4 };
        page(rule, told).map(|page| page.with_lock(Some(Scripted(Mutex::new(lock.to_vec())))))
    }

    const FREE: [u8; 8] = [9, 0, 0, 0, 0, 0, 0, 0];
    const HELD: [u8; 8] = [9, 0, 0, 0, 1, 0, 0, 0];

    #[test]
    fn copies_while_somebody_holds_the_lock_do_not_count() {
        // The lock is looked at before and after each copy.
        let (mut pages, mut counters, clock) =
            (locked(&[TORN, TORN, NEW], &[FREE, HELD, HELD, HELD, FREE]), [Counters::default()], StepClock::default());
        look(&mut pages, &mut counters, &clock).unwrap();
        assert!(pages[0].fresh() && pages[0].frame() == NEW && counters[0].torn == 3);
        let (mut pages, clock) = (locked(&[OLD], &[FREE]), StepClock::default());
        look(&mut pages, &mut counters, &clock).unwrap();
        assert!(pages[0].fresh() && clock.now_ns() == 0, "under a free lock, copies need no time between them");
        // Without a lock they do.
        let rule = CopyRule::TwoEqualCopiesUnlocked { lock_section: "lock", busy_offset: 4 };
        let (mut pages, clock) = (page(rule, &[OLD]), StepClock::default());
        look(&mut pages, &mut counters, &clock).unwrap();
        assert!(pages[0].fresh() && clock.now_ns() == SECOND_COPY_AFTER_NS);
    }

    #[test]
    fn only_a_length_that_says_something_and_is_not_known_is_told() {
        let told = |bytes| unknown_length("graphics", bytes, &[1588, 1580, 1588], 1588);
        assert!([1580, 1588, 2048, 4096, 65_536].into_iter().all(|bytes| told(bytes).is_none()));
        assert_eq!(
            told(1700).unwrap(),
            "graphics has 1700 bytes; the known versions of the page have 1580, 1588. The first 1588 are recorded, and may mean \
             something else in this version of the game"
        );
    }
}
