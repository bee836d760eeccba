//! Calls the caller: for bytes of a tape, and to tell how far a slow function is.

use std::ffi::c_void;
#[cfg(not(target_arch = "wasm32"))]
use std::io;

#[cfg(not(target_arch = "wasm32"))]
use gametape_format::ReadAt;

/// `gametape_progress`; `None` is null.
pub(super) type ProgressFn = Option<unsafe extern "C" fn(user: *mut c_void, done: f64) -> i32>;

/// Tells the caller how far a call is.
pub(crate) struct Reporter {
    #[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "the import is called instead"))]
    call: ProgressFn,
    #[cfg_attr(target_arch = "wasm32", allow(dead_code, reason = "the import is called instead"))]
    user: *mut c_void,
}

impl Reporter {
    pub(super) fn new(call: ProgressFn, user: *mut c_void) -> Self {
        Self { call, user }
    }

    /// Returns whether to go on.
    #[cfg(not(target_arch = "wasm32"))]
    pub(crate) fn goes_on(&self, done: f64) -> bool {
        // SAFETY: the header demands a function of this type that returns; it is called on the caller's thread, with the caller's `user`.
        self.call.is_none_or(|call| unsafe { call(self.user, done) } == 0)
    }

    /// Returns whether to go on.
    #[cfg(target_arch = "wasm32")]
    pub(crate) fn goes_on(&self, done: f64) -> bool {
        // SAFETY: the host's function takes and returns numbers.
        unsafe { imports::progress(done) == 0 }
    }
}

/// `gametape_source`.
#[cfg(not(target_arch = "wasm32"))]
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Source {
    user: *mut c_void,
    read_at: Option<unsafe extern "C" fn(user: *mut c_void, offset: u64, buffer: *mut c_void, length: usize) -> i64>,
    size: Option<unsafe extern "C" fn(user: *mut c_void) -> i64>,
    release: Option<unsafe extern "C" fn(user: *mut c_void)>,
}

/// A source whose functions are there.
#[cfg(not(target_arch = "wasm32"))]
pub(super) struct Called(Source);

// SAFETY: the header demands functions that can be called on any thread, several at the same time; `user` is only passed to them.
#[cfg(not(target_arch = "wasm32"))]
unsafe impl Send for Called {}
// SAFETY: as above.
#[cfg(not(target_arch = "wasm32"))]
unsafe impl Sync for Called {}

#[cfg(not(target_arch = "wasm32"))]
impl Source {
    /// Whether both functions that are needed are there.
    pub(super) fn is_whole(&self) -> bool {
        self.read_at.is_some() && self.size.is_some()
    }

    /// Takes the source over: it is released when the result is dropped.
    pub(super) fn take(self) -> Called {
        Called(self)
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl ReadAt for Called {
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let Some(read_at) = self.0.read_at else { return Err(io::ErrorKind::Unsupported.into()) };
        // SAFETY: the function writes at most `length` bytes to the buffer, as the header demands.
        let read = unsafe { read_at(self.0.user, offset, buffer.as_mut_ptr().cast(), buffer.len()) };
        checked(read, buffer.len())
    }

    fn size(&self) -> io::Result<u64> {
        let Some(size) = self.0.size else { return Err(io::ErrorKind::Unsupported.into()) };
        // SAFETY: a function of this type, as the header demands.
        let size = unsafe { size(self.0.user) };
        u64::try_from(size).map_err(|_| io::Error::other(format!("the caller's function for the size returned {size}")))
    }
}

#[cfg(not(target_arch = "wasm32"))]
impl Drop for Called {
    fn drop(&mut self) {
        if let Some(release) = self.0.release {
            // SAFETY: called once, since the source is owned here; no other call is running, since all borrows have ended.
            unsafe { release(self.0.user) }
        }
    }
}

/// More bytes than there is room for would be read from memory that nobody wrote.
#[cfg(not(target_arch = "wasm32"))]
fn checked(read: i64, length: usize) -> io::Result<usize> {
    usize::try_from(read).ok().filter(|read| *read <= length).ok_or_else(|| {
        io::Error::other(format!("the caller's function for reading returned {read} for {length} bytes"))
    })
}

#[cfg(target_arch = "wasm32")]
pub(super) use imports::Imported;

#[cfg(target_arch = "wasm32")]
mod imports {
    use std::io;

    use gametape_format::ReadAt;

    #[link(wasm_import_module = "gametape")]
    unsafe extern "C" {
        fn read_at(source: u32, offset: u64, buffer: *mut u8, length: usize) -> i32;
        fn size(source: u32) -> i64;
        pub(super) fn progress(done: f64) -> i32;
    }

    /// A source of the host, by its number.
    pub(in super::super) struct Imported(pub(in super::super) u32);

    impl ReadAt for Imported {
        fn read_at(&self, offset: u64, buffer: &mut [u8]) -> io::Result<usize> {
            let length = buffer.len().min(i32::MAX as usize);
            // SAFETY: the host writes at most `length` bytes to the buffer. It can write anywhere in this memory anyway: it is its own.
            let read = unsafe { read_at(self.0, offset, buffer.as_mut_ptr(), length) };
            usize::try_from(read)
                .ok()
                .filter(|read| *read <= length)
                .ok_or_else(|| io::Error::other(format!("the host's read_at returned {read} for {length} bytes")))
        }

        fn size(&self) -> io::Result<u64> {
            // SAFETY: the host's function takes and returns numbers.
            let size = unsafe { size(self.0) };
            u64::try_from(size).map_err(|_| io::Error::other(format!("the host's size returned {size}")))
        }
    }
}
