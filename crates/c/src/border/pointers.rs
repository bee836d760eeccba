//! Pointers of a caller as checked values: texts, bytes, places for one result, room for many, and memory that the caller frees.
//!
//! Each type has the layout of a pointer, so that it can be an argument of an exported function. Only these functions touch what it points to: the
//! safe code behind them sees lengths and bounds. No references to memory of the caller are kept or made writable: results are written through
//! the pointer, value by value, so that it may be uninitialized, unaligned, or overlap with another one.

use std::alloc::Layout;
use std::ffi::{CStr, c_char, c_void};
use std::marker::PhantomData;

use crate::status::{Failure, Status};

/// A text that ends with a zero byte: `const char *`.
#[repr(transparent)]
pub(super) struct Text(*const c_char);

impl Text {
    /// Returns the text, or `None` for null.
    pub(super) fn optional(&self, name: &str) -> Result<Option<&str>, Failure> {
        if self.0.is_null() {
            return Ok(None);
        }
        // SAFETY: not null; the header demands a zero byte at its end and that it stays as it is during the call, which the borrow of `self` lasts for.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().map(Some).map_err(|error| Failure::invalid(format!("{name} is not UTF-8: {error}")))
    }

    /// Returns the text; null is an error.
    pub(super) fn required(&self, name: &str) -> Result<&str, Failure> {
        self.optional(name)?.ok_or_else(|| Failure::invalid(format!("{name} is null")))
    }
}

/// Values of the caller: `const T *`.
#[repr(transparent)]
pub(super) struct Values<T>(*const T);

impl<T: Copy> Values<T> {
    /// Copies one value; null is an error.
    pub(super) fn one(&self, name: &str) -> Result<T, Failure> {
        self.all(1, name)?.pop().ok_or_else(|| Failure::invalid(format!("{name} is null")))
    }

    /// Copies `count` values; null is an error unless there are none.
    pub(super) fn all(&self, count: usize, name: &str) -> Result<Vec<T>, Failure> {
        if count == 0 {
            return Ok(Vec::new());
        }
        if self.0.is_null() {
            return Err(Failure::invalid(format!("{name} is null")));
        }
        let bytes = count.checked_mul(size_of::<T>()).filter(|bytes| *bytes <= isize::MAX as usize);
        if bytes.is_none() {
            return Err(Failure::invalid(format!("{name} cannot have {count} values")));
        }
        let mut values: Vec<T> = Vec::new();
        let room = values.try_reserve_exact(count);
        room.map_err(|_| Failure::invalid(format!("no memory for {count} values of {name}")))?;
        // SAFETY: not null; the header demands `count` values there, which are copied, and a size beyond `isize` was refused. The vector has
        // room for them, and all of them are initialized when its length is set. `T` is `Copy`.
        unsafe {
            std::ptr::copy_nonoverlapping(
                self.0.cast::<u8>(),
                values.as_mut_ptr().cast::<u8>(),
                count * size_of::<T>(),
            );
            values.set_len(count);
        }
        Ok(values)
    }
}

/// Bytes of the caller that are used in place: `const void *`.
#[repr(transparent)]
pub(super) struct Bytes(*const c_void);

impl Bytes {
    /// Returns the bytes; null is an error unless there are none.
    pub(super) fn get(&self, length: usize, name: &str) -> Result<&[u8], Failure> {
        if length == 0 {
            return Ok(&[]);
        }
        if self.0.is_null() {
            return Err(Failure::invalid(format!("{name} is null")));
        }
        if length > isize::MAX as usize {
            return Err(Failure::invalid(format!("{name} cannot have {length} bytes")));
        }
        // SAFETY: not null, not longer than an object can be; the header demands that so many bytes are there and stay as they are during the call.
        Ok(unsafe { std::slice::from_raw_parts(self.0.cast(), length) })
    }
}

/// Where a result goes, or results: `T *`.
#[repr(transparent)]
pub(super) struct Out<T>(*mut T);

impl<T> Out<T> {
    /// Returns the place for one result; null is an error.
    pub(super) fn required(self, name: &str) -> Result<Room<T>, Failure> {
        let room = self.room(1);
        if room.is_wanted() { Ok(room) } else { Err(Failure::invalid(format!("{name} is null"))) }
    }

    /// Returns room for `length` results; null is no room.
    pub(super) fn room(self, length: usize) -> Room<T> {
        Room { at: self.0, length: if self.0.is_null() { 0 } else { length }, marker: PhantomData }
    }
}

impl Out<c_void> {
    /// Returns the room as bytes.
    pub(super) fn bytes(self, length: usize) -> Room<u8> {
        Out(self.0.cast()).room(length)
    }
}

/// Room for results in memory of the caller. What is outside of it is not written.
pub(crate) struct Room<T> {
    at: *mut T,
    length: usize,
    marker: PhantomData<*mut T>,
}

impl<T> Room<T> {
    /// Whether the caller wants results.
    pub(crate) fn is_wanted(&self) -> bool {
        !self.at.is_null()
    }

    /// Writes a result. Beyond the end of the room, nothing happens.
    pub(crate) fn put(&mut self, index: usize, value: T) {
        if index < self.length {
            // SAFETY: inside of what the header demands to be there; `write_unaligned` needs neither alignment nor an initialized value, and drops
            // nothing (results are plain data).
            unsafe { self.at.add(index).write_unaligned(value) }
        }
    }
}

impl Room<u8> {
    /// Writes bytes at an offset. Does nothing if they do not fit.
    pub(crate) fn put_all(&mut self, offset: usize, bytes: &[u8]) {
        if offset.checked_add(bytes.len()).is_some_and(|end| end <= self.length) && !bytes.is_empty() {
            // SAFETY: inside of what the header demands to be there. `copy` allows that the caller's memory is the source too.
            unsafe { std::ptr::copy(bytes.as_ptr(), self.at.add(offset), bytes.len()) }
        }
    }
}

/// Bytes before an allocation, which keep its size; also its alignment.
const BEFORE: usize = 16;

/// Returns memory for `bytes` bytes, or null.
pub(super) fn allocate(bytes: usize) -> *mut u8 {
    let layout = bytes.checked_add(BEFORE).and_then(|size| Layout::from_size_align(size, BEFORE).ok());
    let Some(layout) = layout.filter(|_| bytes > 0) else { return std::ptr::null_mut() };
    // SAFETY: the layout has a size; the size is written inside of what was allocated, which is aligned for it.
    unsafe {
        let start = std::alloc::alloc(layout);
        if start.is_null() {
            return start;
        }
        start.cast::<usize>().write(layout.size());
        start.add(BEFORE)
    }
}

/// Memory that is given back: `void *`.
#[repr(transparent)]
pub(super) struct Allocated(*mut c_void);

impl Allocated {
    /// Frees it; null is ignored.
    pub(super) fn free(self) {
        if self.0.is_null() {
            return;
        }
        // SAFETY: the header demands that it came from `allocate` and was not freed, so its layout is before it.
        unsafe {
            let start = self.0.cast::<u8>().sub(BEFORE);
            let size = start.cast::<usize>().read();
            std::alloc::dealloc(start, Layout::from_size_align_unchecked(size, BEFORE));
        }
    }
}

/// Where a document goes: the addresses of the text and of its length, which may be null.
pub(super) struct TextOut {
    text: Room<*mut c_char>,
    length: Room<usize>,
}

impl TextOut {
    pub(super) fn new(text: Out<*mut c_char>, length: Out<usize>) -> Result<Self, Failure> {
        Ok(Self { text: text.required("json")?, length: length.room(1) })
    }

    #[cfg(all(feature = "write", not(target_arch = "wasm32")))]
    /// As [`new`](Self::new), for a document that the caller may do without.
    pub(super) fn optional(text: Out<*mut c_char>, length: Out<usize>) -> Self {
        Self { text: text.room(1), length: length.room(1) }
    }

    /// Gives a text to the caller, who frees it. JSON has no zero bytes.
    pub(super) fn put(mut self, text: &str) -> Result<(), Failure> {
        if self.text.is_wanted() {
            let mut bytes = Room { at: allocate(text.len() + 1), length: text.len() + 1, marker: PhantomData };
            if !bytes.is_wanted() {
                let text = format!("no memory for a document of {} bytes", text.len());
                return Err(Failure::new(Status::Internal, text));
            }
            bytes.put_all(0, text.as_bytes());
            bytes.put(text.len(), 0);
            self.text.put(0, bytes.at.cast());
        }
        self.length.put(0, text.len());
        Ok(())
    }
}
