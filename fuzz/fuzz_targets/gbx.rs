#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape::import::fuzz_gbx(data));
