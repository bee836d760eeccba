//! A ring buffer of preallocated slots that passes frames from the capturing thread to a consumer.
//!
//! One thread fills slots, one empties them. At any time a slot belongs to one of the two, as determined by two counters, so its mutex is
//! never contended. Slots keep their memory for the next frame, so the capturing thread does not allocate in steady state. It does not
//! block unless requested: a frame that finds no free slot is counted as skipped.
//!
//! A ring is bounded by slots and by bytes. The memory of all slots together stays within a budget, whatever the size of the frames. A slot
//! that is emptied while more than half of the budget is in use releases its memory.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Wake, Waker};
use std::thread::{Thread, ThreadId};
use std::time::Duration;

use crate::capture::StopFlag;

/// Interval at which a thread waiting for a free slot checks for a stop request.
const LOOK_UP: Duration = Duration::from_millis(20);

/// The content of a slot, with reusable memory.
pub(crate) trait Reuse {
    /// Returns the bytes that it holds on the heap.
    fn held_bytes(&self) -> usize;

    /// Releases that memory.
    fn release(&mut self);
}

/// Copies a frame into a reusable buffer, without allocating more than the frame needs.
pub(crate) fn copy_into(memory: &mut Vec<u8>, bytes: &[u8]) {
    memory.clear();
    memory.reserve_exact(bytes.len());
    memory.extend_from_slice(bytes);
}

/// A ring of slots between two threads.
pub(crate) struct Ring<T> {
    slots: Box<[Mutex<T>]>,
    /// Maximum heap memory of all slots.
    budget: u64,
    /// Current heap memory of all slots.
    held: AtomicU64,
    filled: AtomicU64,
    emptied: AtomicU64,
    skipped: AtomicU64,
    /// The writer is done.
    closed: AtomicBool,
    /// The reader is gone.
    abandoned: AtomicBool,
    reader: Sleeper,
    writer: Sleeper,
}

impl<T: Reuse> Ring<T> {
    /// Creates a ring with a number of slots, which together hold at most `budget` bytes.
    pub(crate) fn new(slots: usize, budget: usize, empty: impl FnMut() -> T) -> Self {
        let slots: Vec<T> = std::iter::repeat_with(empty).take(slots.max(1)).collect();
        let held = slots.iter().map(|slot| slot.held_bytes() as u64).sum();
        Self {
            slots: slots.into_iter().map(Mutex::new).collect(),
            budget: budget as u64,
            held: AtomicU64::new(held),
            filled: AtomicU64::new(0),
            emptied: AtomicU64::new(0),
            skipped: AtomicU64::new(0),
            closed: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
            reader: Sleeper::default(),
            writer: Sleeper::default(),
        }
    }

    /// Returns the number of frames that found no free slot or were discarded unread.
    pub(crate) fn skipped(&self) -> u64 {
        self.skipped.load(SeqCst)
    }

    /// Marks the end of the input.
    pub(crate) fn close(&self) {
        self.closed.store(true, SeqCst);
        self.reader.wake();
    }

    /// Stops the reader; unread frames count as skipped.
    pub(crate) fn abandon(&self) {
        let left = self.filled.load(SeqCst).saturating_sub(self.emptied.load(SeqCst));
        self.skipped.fetch_add(left, SeqCst);
        self.leave();
    }

    /// Marks the reader as gone; unread frames do not count as skipped.
    pub(crate) fn leave(&self) {
        self.abandoned.store(true, SeqCst);
        self.writer.wake();
        self.reader.wake();
    }

    /// Returns the heap memory of all slots in bytes.
    pub(crate) fn held_bytes(&self) -> u64 {
        self.held.load(SeqCst)
    }

    /// Fills a slot with a frame of `bytes` bytes if a slot is free and the budget allows it.
    fn try_fill(&self, bytes: usize, fill: &mut dyn FnMut(&mut T)) -> bool {
        let (filled, emptied) = (self.filled.load(SeqCst), self.emptied.load(SeqCst));
        if filled - emptied >= self.slots.len() as u64 {
            return false;
        }
        let mut fits = false;
        self.with_slot(filled, &mut |slot| {
            let grows = bytes.saturating_sub(slot.held_bytes()) as u64;
            // An empty ring accepts any frame: a frame of more than half the budget might never fit otherwise.
            fits = grows == 0 || filled == emptied || self.held_bytes() + grows <= self.budget;
            if fits {
                self.counting(slot, fill);
            }
        });
        if !fits {
            return false;
        }
        self.filled.store(filled + 1, SeqCst);
        self.reader.wake();
        true
    }

    /// Empties a slot if one is filled. The slot stays occupied while `empty` runs.
    pub(crate) fn try_empty(&self, empty: &mut dyn FnMut(&mut T)) -> bool {
        let emptied = self.emptied.load(SeqCst);
        if self.abandoned.load(SeqCst) || emptied == self.filled.load(SeqCst) {
            return false;
        }
        self.with_slot(emptied, &mut |slot| {
            self.counting(slot, empty);
            if self.held_bytes() > self.budget / 2 {
                self.counting(slot, &mut T::release);
            }
        });
        self.emptied.store(emptied + 1, SeqCst);
        self.writer.wake();
        true
    }

    /// Runs `act` on a slot and updates the memory count.
    fn counting(&self, slot: &mut T, act: &mut dyn FnMut(&mut T)) {
        let before = slot.held_bytes() as u64;
        act(slot);
        let now = slot.held_bytes() as u64;
        self.held.fetch_add(now.saturating_sub(before), SeqCst);
        self.held.fetch_sub(before.saturating_sub(now), SeqCst);
    }

    fn with_slot(&self, number: u64, act: &mut dyn FnMut(&mut T)) {
        if let Some(slot) = self.slots.get((number % self.slots.len() as u64) as usize) {
            act(&mut slot.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Returns whether the input has ended and everything was read.
    pub(crate) fn is_over(&self) -> bool {
        // The order matters: frames filled before the close must be observed.
        let closed = self.closed.load(SeqCst);
        self.abandoned.load(SeqCst) || (closed && self.emptied.load(SeqCst) == self.filled.load(SeqCst))
    }

    /// Empties a slot; blocks until one is filled. Returns `false` at the end.
    pub(crate) fn empty(&self, waiting: &mut ThreadWaker, empty: &mut dyn FnMut(&mut T)) -> bool {
        loop {
            if self.try_empty(empty) {
                return true;
            }
            if self.is_over() {
                return false;
            }
            self.reader.will_sleep(waiting.of_this_thread());
            if self.filled.load(SeqCst) == self.emptied.load(SeqCst) && !self.closed.load(SeqCst) && !self.is_over() {
                std::thread::park();
            }
        }
    }

    /// Registers a waker that is woken when there may be something new.
    pub(crate) fn wake_reader_with(&self, waker: &Waker) {
        self.reader.will_sleep(waker);
    }
}

/// The writing end of a ring. Dropping it closes the ring.
pub(crate) struct Inlet<T: Reuse> {
    ring: Arc<Ring<T>>,
    waiting: Option<(ThreadWaker, StopFlag)>,
}

impl<T: Reuse> Inlet<T> {
    /// Creates the writing end. With `patient`, it blocks until a slot is free or a stop is requested, instead of skipping frames.
    pub(crate) fn new(ring: Arc<Ring<T>>, patient: Option<StopFlag>) -> Self {
        Self { ring, waiting: patient.map(|stop| (ThreadWaker::default(), stop)) }
    }

    /// Fills a slot with a frame of `bytes` bytes. Returns `false` if there was no room, which is counted, or if the reader is gone.
    pub(crate) fn fill(&mut self, bytes: usize, fill: &mut dyn FnMut(&mut T)) -> bool {
        let ring = &self.ring;
        loop {
            if ring.abandoned.load(SeqCst) {
                return false;
            }
            if ring.try_fill(bytes, fill) {
                return true;
            }
            let Some((waker, _)) = self.waiting.as_mut().filter(|(_, stop)| !stop.wanted()) else {
                ring.skipped.fetch_add(1, SeqCst);
                return false;
            };
            ring.writer.will_sleep(waker.of_this_thread());
            // Try again: a slot emptied before the waker was registered woke nobody.
            if ring.try_fill(bytes, fill) {
                return true;
            }
            if !ring.abandoned.load(SeqCst) {
                std::thread::park_timeout(LOOK_UP);
            }
        }
    }
}

impl<T: Reuse> Drop for Inlet<T> {
    fn drop(&mut self) {
        self.ring.close();
    }
}

/// One side of the ring that may sleep until it is woken.
#[derive(Default)]
struct Sleeper {
    sleeps: AtomicBool,
    waker: Mutex<Option<Waker>>,
}

impl Sleeper {
    /// Registers a waker. Must be called before the last check for work.
    fn will_sleep(&self, waker: &Waker) {
        let mut kept = self.waker.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.as_ref().is_none_or(|kept| !kept.will_wake(waker)) {
            *kept = Some(waker.clone());
        }
        self.sleeps.store(true, SeqCst);
    }

    fn wake(&self) {
        if !self.sleeps.swap(false, SeqCst) {
            return;
        }
        // Do not wake under the lock: some executors poll immediately.
        let waker = self.waker.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(waker) = waker {
            // An executor's waker is foreign code, and this is the capturing thread.
            let _ = catch_unwind(AssertUnwindSafe(|| waker.wake()));
        }
    }
}

/// A cached waker for the calling thread.
#[derive(Default)]
pub(crate) struct ThreadWaker(Option<(ThreadId, Waker)>);

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

impl ThreadWaker {
    fn of_this_thread(&mut self) -> &Waker {
        let thread = std::thread::current();
        if self.0.as_ref().is_none_or(|(id, _)| *id != thread.id()) {
            self.0 = None;
        }
        &self.0.get_or_insert_with(|| (thread.id(), Waker::from(Arc::new(Unpark(thread))))).1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Reuse for u64 {
        fn held_bytes(&self) -> usize {
            0
        }

        fn release(&mut self) {}
    }

    impl Reuse for Vec<u8> {
        fn held_bytes(&self) -> usize {
            self.capacity()
        }

        fn release(&mut self) {
            *self = Self::new();
        }
    }

    fn ring(slots: usize) -> Arc<Ring<u64>> {
        Arc::new(Ring::new(slots, 0, || 0))
    }

    #[test]
    fn a_stalled_reader_holds_no_more_than_the_budget_and_what_does_not_fit_is_counted() {
        let (frame, budget) = (vec![7; 325_000], 4 << 20);
        let ring = Arc::new(Ring::new(2048, budget, Vec::new));
        let mut inlet = Inlet::new(Arc::clone(&ring), None);
        let mut put = || inlet.fill(frame.len(), &mut |slot| copy_into(slot, &frame));
        let taken = (0..100).filter(|_| put()).count();
        assert_eq!((taken, ring.skipped()), (budget / 325_000, 100 - taken as u64));
        assert!(ring.held_bytes() <= budget as u64);
        let mut read = 0;
        while ring.try_empty(&mut |slot| read += usize::from(*slot == frame)) {}
        assert_eq!(read, taken);
        assert!(ring.held_bytes() <= budget as u64 / 2, "emptied slots keep half of the budget: {}", ring.held_bytes());
        assert!(put(), "there is room again");
    }

    #[test]
    fn a_frame_that_is_larger_than_the_budget_passes_through_an_empty_ring_and_holds_nothing_afterwards() {
        let ring = Arc::new(Ring::new(4, 1000, Vec::new));
        let mut inlet = Inlet::new(Arc::clone(&ring), None);
        let mut put = |bytes: usize| inlet.fill(bytes, &mut |slot| copy_into(slot, &vec![7; bytes]));
        assert!(put(5000) && !put(5000), "one, and not a second one before it is read");
        assert!(ring.try_empty(&mut |slot| assert_eq!(slot.len(), 5000)));
        assert_eq!(ring.held_bytes(), 0);
    }

    fn drain(ring: &Ring<u64>) -> Vec<u64> {
        let (mut got, mut waker) = (Vec::new(), ThreadWaker::default());
        while ring.empty(&mut waker, &mut |number| got.push(*number)) {}
        got
    }

    #[test]
    fn what_finds_no_free_slot_is_skipped_and_counted() {
        let ring = ring(4);
        let mut inlet = Inlet::new(Arc::clone(&ring), None);
        let accepted = (0..10).filter(|number| inlet.fill(0, &mut |slot| *slot = *number)).count();
        assert_eq!((accepted, ring.skipped()), (4, 6));
        drop(inlet);
        assert_eq!(drain(&ring), [0, 1, 2, 3]);
    }

    #[test]
    fn a_patient_writer_loses_nothing_and_both_sides_wait_for_each_other() {
        for slots in [1, 3, 64] {
            let ring = ring(slots);
            let mut inlet = Inlet::new(Arc::clone(&ring), Some(StopFlag::default()));
            let writer = std::thread::spawn(move || {
                for number in 0..20_000 {
                    assert!(inlet.fill(0, &mut |slot| *slot = number));
                }
            });
            assert_eq!(drain(&ring), (0..20_000).collect::<Vec<_>>());
            writer.join().unwrap();
            assert_eq!(ring.skipped(), 0);
        }
    }

    #[test]
    fn a_patient_writer_gives_up_when_the_end_is_wanted_or_nobody_reads() {
        let (ring, stop) = (ring(1), StopFlag::default());
        let mut inlet = Inlet::new(Arc::clone(&ring), Some(stop.clone()));
        assert!(inlet.fill(0, &mut |slot| *slot = 1));
        let other = std::thread::spawn(move || stop.stop());
        assert!(!inlet.fill(0, &mut |slot| *slot = 2));
        other.join().unwrap();
        let mut inlet = Inlet::new(Arc::clone(&ring), Some(StopFlag::default()));
        ring.abandon();
        assert!(!inlet.fill(0, &mut |slot| *slot = 3));
        assert_eq!(ring.skipped(), 2, "one refused, one left unread");
        assert!(drain(&ring).is_empty());
    }

    #[test]
    fn a_waker_that_panics_does_not_reach_the_writer() {
        struct Bad;
        impl Wake for Bad {
            fn wake(self: Arc<Self>) {
                panic!("not here");
            }
        }
        let ring = ring(2);
        ring.wake_reader_with(&Waker::from(Arc::new(Bad)));
        assert!(Inlet::new(Arc::clone(&ring), None).fill(0, &mut |slot| *slot = 7));
        assert_eq!(drain(&ring), [7]);
    }
}
