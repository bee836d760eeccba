#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape::watch::fuzz_watch_state(data));
