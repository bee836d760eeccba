#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| gametape::doctor::fuzz_processes(data));
