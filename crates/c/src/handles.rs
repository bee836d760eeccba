//! Numbers for open tapes, cursors and writers: a number that was closed is an error and not a dangling pointer.
//!
//! The table is locked only to look up; nothing is read, written or dropped meanwhile, so that a callback of the caller may use other handles.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};

use gametape_analysis::laps::Tracked;
use gametape_format::read::Tape;

use crate::border::Cursor;
use crate::status::{Failure, Status};
#[cfg(all(feature = "write", not(target_arch = "wasm32")))]
use crate::writing::OpenWriter;

/// A tape, and the laps that were found on it.
pub(crate) struct OpenTape {
    pub(crate) tape: Arc<Tape>,
    pub(crate) tracked: Mutex<Option<Arc<Tracked>>>,
}

/// The object behind a handle.
#[derive(Clone)]
pub(crate) enum Object {
    Tape(Arc<OpenTape>),
    Cursor(Arc<Mutex<Cursor>>),
    #[cfg(all(feature = "write", not(target_arch = "wasm32")))]
    Writer(Arc<OpenWriter>),
}

struct Table {
    objects: BTreeMap<u32, Object>,
    /// The number that was given last.
    last: u32,
}

static TABLE: RwLock<Table> = RwLock::new(Table { objects: BTreeMap::new(), last: 0 });

/// A lock whose holder panicked is taken over: what it guards is replaced as a whole, or checks itself.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Gives an object a number: never 0, never one that is in use, and one that was closed only after four thousand million others.
pub(crate) fn add(object: Object) -> u32 {
    let mut table = TABLE.write().unwrap_or_else(PoisonError::into_inner);
    loop {
        table.last = table.last.wrapping_add(1);
        let number = table.last;
        if number != 0 && !table.objects.contains_key(&number) {
            table.objects.insert(number, object);
            return number;
        }
    }
}

/// Adds a tape.
pub(crate) fn add_tape(tape: Tape) -> u32 {
    add(Object::Tape(Arc::new(OpenTape { tape: Arc::new(tape), tracked: Mutex::new(None) })))
}

fn find(handle: u32) -> Option<Object> {
    TABLE.read().unwrap_or_else(PoisonError::into_inner).objects.get(&handle).cloned()
}

fn wrong(handle: u32, wanted: &str, found: Option<Object>) -> Failure {
    let found = match found {
        None => "it was closed, or never opened",
        Some(Object::Tape(_)) => "it is a tape",
        Some(Object::Cursor(_)) => "it is a cursor",
        #[cfg(all(feature = "write", not(target_arch = "wasm32")))]
        Some(Object::Writer(_)) => "it is a writer",
    };
    Failure::new(Status::Handle, format!("handle {handle} is not {wanted}: {found}"))
}

/// Returns an open tape.
pub(crate) fn tape(handle: u32) -> Result<Arc<OpenTape>, Failure> {
    match find(handle) {
        Some(Object::Tape(tape)) => Ok(tape),
        other => Err(wrong(handle, "an open tape", other)),
    }
}

/// Returns an open cursor.
pub(crate) fn cursor(handle: u32) -> Result<Arc<Mutex<Cursor>>, Failure> {
    match find(handle) {
        Some(Object::Cursor(cursor)) => Ok(cursor),
        other => Err(wrong(handle, "an open cursor", other)),
    }
}

/// Returns an open writer.
#[cfg(all(feature = "write", not(target_arch = "wasm32")))]
pub(crate) fn writer(handle: u32) -> Result<Arc<OpenWriter>, Failure> {
    match find(handle) {
        Some(Object::Writer(writer)) => Ok(writer),
        other => Err(wrong(handle, "an open writer", other)),
    }
}

/// Closes an object. Its last user drops it.
pub(crate) fn close(handle: u32) -> Result<Status, Failure> {
    let removed = TABLE.write().unwrap_or_else(PoisonError::into_inner).objects.remove(&handle);
    match removed {
        Some(object) => {
            drop(object);
            Ok(Status::Ok)
        }
        None => Err(wrong(handle, "open", None)),
    }
}
