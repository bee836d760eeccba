//! The border to C: all unsafe code of this crate.
//!
//! Takes what a caller in another language passes, gives checked Rust values, and the other way round. What cannot be checked is stated in the
//! header: that a pointer which is not null points to as much as its description says, for as long as the call lasts.

mod borrowed;
mod exports;
mod exports_reading;
#[cfg(all(feature = "write", not(target_arch = "wasm32")))]
mod exports_writing;
mod pointers;
mod sources;

pub(crate) use borrowed::Cursor;
pub(crate) use pointers::Room;
pub(crate) use sources::Reporter;
