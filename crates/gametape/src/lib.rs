//! Record, keep, replay and read game telemetry.
#![deny(unsafe_code)]

#[allow(unsafe_code, reason = "the one place for it")]
pub mod sys;
