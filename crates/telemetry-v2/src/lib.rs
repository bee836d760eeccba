//! Telemetry V2: the layered capture envelope used by Echo VR tools, its `.tape` files and the older `.nevrcap` streams.
//!
//! This crate is a reserved place: the messages and streams are not written yet.
#![forbid(unsafe_code)]
