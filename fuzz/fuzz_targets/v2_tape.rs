#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| telemetry_v2::fuzz_tape(data));
