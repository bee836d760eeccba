//! Tests of complete streams and files, in one binary, so that it is linked once.
#![allow(
    missing_docs,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    clippy::indexing_slicing
)]
#![cfg(feature = "zstd")]

mod damage;
mod fifth;
mod files;
mod generated;
mod generations;
mod hostile;
mod independent;
mod made_match;
mod nevrcap;
mod properties;
mod scenario;
mod sizes;
mod unknown;
