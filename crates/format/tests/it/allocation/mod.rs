//! Counts the allocations of each thread. A test binary that declares this module uses the counting allocator.
#![allow(dead_code, reason = "each test binary uses a part")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
    static LIVE: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
}

fn took(bytes: usize) {
    COUNT.set(COUNT.get() + 1);
    LIVE.set(LIVE.get() + bytes as i64);
    PEAK.set(PEAK.get().max(LIVE.get()));
}

fn gave_back(bytes: usize) {
    LIVE.set(LIVE.get() - bytes as i64);
}

// SAFETY: every call is forwarded unchanged to the system allocator; counting touches only thread-local cells, which
// have no destructor and allocate nothing.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller upholds the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller upholds the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        gave_back(layout.size());
        // SAFETY: the caller upholds the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // While bytes are moved, both allocations exist.
        took(size);
        gave_back(layout.size());
        // SAFETY: the caller upholds the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// The number of allocations of this thread so far.
pub(crate) fn count() -> u64 {
    COUNT.get()
}

/// The number of allocations of this thread while `act` ran.
pub(crate) fn allocations(act: impl FnOnce()) -> u64 {
    let before = COUNT.get();
    act();
    COUNT.get() - before
}

/// The peak number of bytes this thread held while `act` ran, beyond what it held before.
pub(crate) fn peak_bytes(act: impl FnOnce()) -> u64 {
    let before = LIVE.get();
    PEAK.set(before);
    act();
    (PEAK.get() - before).max(0) as u64
}
