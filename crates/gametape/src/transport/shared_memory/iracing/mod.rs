//! iRacing's shared memory: rotating row buffers with tick counts, variable headers and session text.
//!
//! ```text
//! record   source ──▶ connection: each row once · text: the session text
//! play     playback: which stream is what · lookahead: the tick of each row · stage ──▶ memory_plan: where everything is
//!          data_valid_event, status_service: what clients wait for and ask
//! ```
mod connection;
mod lookahead;
mod memory_plan;
mod playback;
mod source;
mod stage;
mod status_service;
mod text;

#[doc(hidden)]
pub use memory_plan::fuzz_tape_header;
pub(super) use playback::IracingPlayback;
pub use source::IracingSource;
pub use status_service::STATUS_PORT;
#[doc(hidden)]
pub use status_service::fuzz_status_request;
