//! The C interface, used as others use it: `tests/c/client.c` is compiled and run.
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stderr, clippy::disallowed_methods)]

mod client;
mod documents;
mod header;
mod hostile;
mod values;
mod writing;
