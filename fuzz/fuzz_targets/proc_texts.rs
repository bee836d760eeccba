#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape::transport::fuzz_proc_texts(data));
