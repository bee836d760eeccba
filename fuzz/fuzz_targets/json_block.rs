#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape_format::fuzz_json_block(data));
