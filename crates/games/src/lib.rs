//! What games expose.
#![forbid(unsafe_code)]
