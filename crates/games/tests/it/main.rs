//! All integration tests of this crate in one binary: linking one is much faster than linking one per file.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::disallowed_methods,
    missing_docs
)]

mod acc_broadcast;
mod assetto_corsa_family;
mod assetto_corsa_remote;
mod automobilista_2;
mod datagram_feed;
mod dirt_rally;
mod ea_wrc;
mod f1;
mod f1_cars;
mod f1_laps;
mod f1_vectors;
mod forza;
mod games;
mod gran_turismo;
mod ibt;
mod ibt_damage;
mod live_map;
mod memory_pages;
mod packed_tables;
mod project_cars;
mod real_data;
mod samples;
mod structs;
mod support;
mod udp_frames;
