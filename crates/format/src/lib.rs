//! The tape file.
#![forbid(unsafe_code)]
