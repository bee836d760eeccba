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
use gametape_games::{CopyRule, SECOND_COPY_AFTER_NS};

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
        Self { bytes, rule, first, second, accepted: Vec::with_capacity(length), accepted_ns: 0, stage: Stage::Nothing }
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
            CopyRule::TwoEqualCopies | CopyRule::RotatingBuffers | CopyRule::Whole => {
                self.bytes.copy(0, &mut self.second)?;
                Ok(true)
            }
        }
    }

    /// Makes one copy and compares it with the previous one. Counts torn reads.
    fn step(&mut self, clock: &dyn Clock, counters: &mut Counters) -> io::Result<()> {
        if self.done() {
            return Ok(());
        }
        let now_ns = clock.now_ns();
        let still = self.copy()?;
        let one_is_enough = matches!(self.rule, CopyRule::EvenSequence { .. } | CopyRule::Whole);
        match self.stage {
            _ if still && self.second == self.accepted => self.stage = Stage::Done { fresh: false },
            _ if still && one_is_enough => self.accept(now_ns),
            // Do not assume that the wait before this copy was long enough: check it.
            Stage::Copied(first_ns)
                if still && self.second == self.first && now_ns.saturating_sub(first_ns) >= SECOND_COPY_AFTER_NS =>
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
