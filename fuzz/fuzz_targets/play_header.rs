#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape::play::fuzz_tape_header(data));
