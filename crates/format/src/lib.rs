//! The tape file.
#![forbid(unsafe_code)]

pub mod column;
pub mod pack;
