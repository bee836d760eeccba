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
#[path = "../../../format/tests/it/allocation/mod.rs"]
mod allocation;
mod cases;
#[path = "../../../format/tests/it/cpu_time.rs"]
mod cpu_time;
mod ctrl_c;
#[path = "support/datagrams.rs"]
mod datagrams;
mod echo_game;
mod echo_properties;
mod examples;
mod found_inputs;
mod game;
mod game_cases;
#[path = "support/gamesdat.rs"]
mod gamesdat;
mod import;
mod import_any_game;
mod import_captures;
mod import_echoreplay;
mod import_fifth;
mod import_gamesdat;
mod import_ksana;
mod import_lap_files;
mod import_matches;
mod import_memory;
mod import_pyirsdk;
mod import_replay;
#[path = "support/importing.rs"]
mod importing;
mod in_wine;
mod keep_last;
mod kill;
#[path = "support/ksana.rs"]
mod ksana;
mod laps_real_data;
mod library;
mod library_allocation;
mod library_async;
mod library_live;
mod library_tape;
mod live_laps;
#[path = "../../../telemetry-v2/tests/it/made_match.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests of telemetry-v2, which use more of it")]
mod made_match;
mod modules;
mod own_udp;
#[path = "../../examples/mutate/parsers.rs"]
mod parsers;
use parsers::replay_files;
mod play;
mod play_echo_vr;
mod play_evo_rally;
mod play_iracing;
mod play_pyirsdk;
mod playback;
mod record;
mod record_allocation;
mod record_echo_vr;
mod record_evo_rally;
mod record_iracing;
mod record_pages;
#[path = "support/replay.rs"]
mod replay;
mod replay_folder;
#[path = "../../../telemetry-v2/tests/it/scenario.rs"]
#[allow(dead_code, unreachable_pub, reason = "shared with the tests of telemetry-v2, which use more of it")]
mod scenario;
mod scripted;
mod shared_sections;
mod simulated_game;
#[path = "support/simulated_pages.rs"]
mod simulated_pages;
mod standings;
mod store;
mod store_incoming;
mod store_kill;
mod store_outbox;
mod support;
mod torn;
mod torn_pages;
mod torn_sections;
mod udp;
mod udp_clients;
mod udp_hostile;
mod udp_kinds;
mod udp_playback_clients;
mod udp_properties;
mod udp_requests;
#[path = "support/unsynced.rs"]
mod unsynced;
mod wine;
mod wrc_structures;
