//! Record, keep, replay and read game telemetry.
