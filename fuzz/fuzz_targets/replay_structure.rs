#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape::watch::fuzz_replay_structure(data));
