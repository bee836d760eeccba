#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_games::fuzz_user_settings(data));
