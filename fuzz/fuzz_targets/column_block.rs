#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_format::column::fuzz_block(data));
