//! Who else sees the frames while they are recorded.

use super::batch::Description;

/// Sees every frame that is recorded, on the capturing thread: it must neither wait nor fail.
pub trait Observer: Send {
    /// A tape begins: what its streams are.
    fn begin(&mut self, description: &Description);

    /// A frame, by the number of its stream in the description; the time is since the beginning of the tape.
    fn frame(&mut self, stream: usize, time_ns: u64, bytes: &[u8]);
}
