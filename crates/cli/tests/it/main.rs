//! All integration tests of this crate in one binary: linking one is much faster than linking one per file.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    missing_docs
)]

mod captures;
mod demo;
mod doctor;
mod echo_vr;
mod export;
mod export_columnar;
#[path = "../../../gametape/tests/it/game/mod.rs"]
mod game;
#[path = "../../../gametape/tests/it/support/gamesdat.rs"]
mod gamesdat;
mod import;
#[path = "../../../gametape/tests/it/in_wine/mod.rs"]
mod in_wine;
mod laps;
mod main_job;
mod output;
mod play;
mod play_keys;
mod reading;
mod readme;
mod recording;
#[path = "../../../gametape/tests/it/support/replay.rs"]
mod replay;
mod rewriting;
mod serve;
mod stopping;
mod support;
mod top;
mod upstream;
mod usage;
mod watch;
mod windows;
mod wine;
