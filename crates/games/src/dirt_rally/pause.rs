//! Detects pauses: the games repeat the packet, and only the total time advances.
use super::packet::{Packet, TOTAL_TIME};

/// A packet that repeats for this long is a pause. A shorter time may be a packet that was sent twice.
const PAUSED_S: f32 = 0.25;

/// Compares packets with the previous ones.
#[derive(Debug, Clone, Default)]
pub(super) struct PauseWatch {
    packet: Vec<u8>,
    /// Total time when this packet was first observed.
    since_s: f32,
}

impl PauseWatch {
    /// Returns whether the game is paused.
    pub(super) fn look(&mut self, packet: Packet<'_>) -> bool {
        let (now_s, rest) = (packet.get(TOTAL_TIME).unwrap_or(0.0), packet.without_total_time());
        if self.packet != rest {
            self.packet.clear();
            self.packet.extend_from_slice(rest);
            self.since_s = now_s;
        }
        now_s - self.since_s >= PAUSED_S
    }
}
