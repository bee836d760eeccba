#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape::wine::fuzz_proc_texts(data));
