//! Status codes, the error of a call, and the error text of each thread.
//!
//! Takes what a function of this crate returns, gives the number that C sees. Never prints.

use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use gametape_analysis::channels::ChannelNameError;
use gametape_analysis::laps::TrackError;
use gametape_analysis::report::ReportError;
use gametape_format::read::ReadError;

/// What a function returns. The numbers are those of the header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(i32)]
#[allow(dead_code, reason = "some are returned only in WebAssembly, or only with writing")]
pub(crate) enum Status {
    Ok = 0,
    End = 1,
    Damaged = 2,
    Short = -1,
    Invalid = -2,
    Handle = -3,
    NotFound = -4,
    Io = -5,
    Format = -6,
    Exists = -7,
    Rejected = -8,
    Stopped = -9,
    UnknownGame = -10,
    Unsupported = -11,
    Internal = -12,
}

/// Why a call failed, or what is damaged.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) status: Status,
    text: String,
}

impl Failure {
    pub(crate) fn new(status: Status, text: impl Into<String>) -> Self {
        Self { status, text: text.into() }
    }

    pub(crate) fn invalid(text: impl Into<String>) -> Self {
        Self::new(Status::Invalid, text)
    }

    /// Names the file concerned.
    pub(crate) fn of(self, path: &str) -> Self {
        Self { text: format!("{path}: {}", self.text), ..self }
    }

    /// `needed` and `given` are in the unit of the buffer.
    pub(crate) fn short(what: &str, needed: impl std::fmt::Display, given: usize) -> Self {
        Self::new(Status::Short, format!("the buffer has room for {given} {what}, but {needed} are needed"))
    }
}

impl From<ReadError> for Failure {
    fn from(error: ReadError) -> Self {
        let status = match &error {
            ReadError::Io { source, .. } if crate::progress::is_stop(source) => Status::Stopped,
            ReadError::Io { .. } => Status::Io,
            ReadError::NotATape { .. } | ReadError::UnknownVersion { .. } => Status::Format,
            ReadError::NoSuchStream { .. } | ReadError::NoSuchChannel { .. } => Status::NotFound,
            ReadError::Damaged(_) => Status::Damaged,
        };
        Self::new(status, error.to_string())
    }
}

impl From<ChannelNameError> for Failure {
    fn from(error: ChannelNameError) -> Self {
        Self::new(Status::NotFound, error.to_string())
    }
}

impl From<TrackError> for Failure {
    fn from(error: TrackError) -> Self {
        match error {
            TrackError::Read(error) => error.into(),
            other => Self::new(Status::UnknownGame, other.to_string()),
        }
    }
}

impl From<ReportError> for Failure {
    fn from(error: ReportError) -> Self {
        match error {
            ReportError::Read(error) => error.into(),
            other => Self::new(Status::Stopped, other.to_string()),
        }
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::invalid(format!("not the JSON that is described: {error}"))
    }
}

thread_local! {
    static LAST: RefCell<CString> = RefCell::new(CString::default());
}

/// Keeps the text for `gametape_last_error`.
pub(crate) fn remember(text: &str) {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    // While a thread ends, its variables are gone: nobody can ask for the text any more.
    let _ = LAST.try_with(|last| *last.borrow_mut() = text);
}

/// Returns the address of the text, which is valid until the next call of [`remember`] on this thread.
pub(crate) fn last_error() -> *const c_char {
    LAST.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}

/// Runs a function of the interface: its failure becomes a number and a text, and a panic ends here.
pub(crate) fn guard(call: impl FnOnce() -> Result<Status, Failure>) -> Status {
    // Handles are locked per object, and a lock whose holder panicked is taken over: see `handles`.
    let result = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<&str>().copied().or(panic.downcast_ref::<String>().map(String::as_str));
        let text = format!("internal error, please report it: {}", said.unwrap_or("no message"));
        Err(Failure::new(Status::Internal, text))
    });
    result.unwrap_or_else(|failure| {
        remember(&failure.text);
        failure.status
    })
}

/// The status of a call that gives all that can be read of a tape: says what is damaged, if anything is.
pub(crate) fn damaged_if(damage: Option<String>) -> Status {
    match damage {
        None => Status::Ok,
        Some(text) => {
            remember(&text);
            Status::Damaged
        }
    }
}
