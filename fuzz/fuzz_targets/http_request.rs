#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape::play::fuzz_http_request(data));
