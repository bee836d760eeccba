#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape::store::fuzz_store_texts(data));
