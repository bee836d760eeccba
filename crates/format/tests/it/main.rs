//! All integration tests of this crate in one binary: linking one is much faster than linking one per file.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    missing_docs
)]

mod allocation;
mod bytes;
mod cpu_time;
mod damage;
mod follow;
mod golden;
mod hostile;
mod independent_reader;
mod one_row;
mod rewrite;
mod round_trip;
mod samples;
mod stall;
mod steady_state;
