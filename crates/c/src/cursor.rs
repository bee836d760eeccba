//! Single frames by time. `border::Cursor` reads many.

use gametape_format::read::Tape;

use crate::status::Failure;

/// Returns the frame of a stream that was current at a time, with its own time, or `None` if there was none.
pub(crate) fn frame_at(tape: &Tape, stream: &str, time_ns: u64) -> Result<Option<(u64, Vec<u8>)>, Failure> {
    Ok(tape.frame_at(tape.stream_named(stream)?, time_ns)?)
}
