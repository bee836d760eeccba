#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape::echo::fuzz_echo_mapping(data));
