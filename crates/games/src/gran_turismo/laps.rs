//! Decodes packets into lap frames.
//!
//! The game has no sectors, no track position and no lap validity. The lap number and the last lap time change in the same packet. Only packet C
//! has a lap clock, which restarts one packet later; for the other kinds the packet id is the clock.
use super::decode::fuel_l;
use super::packet::Packet;
use super::rules::car_name;
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::{Identity, LapFrame, ReadLaps};
use crate::sane::{lap_ms, running_ms};
use crate::session_kind::SessionKind;

/// Packets for each second: one for each rendered frame.
const PACKETS_PER_S: f64 = 60.0;
/// Packet ids that jump by more than this, in either direction, begin a new count: the game was restarted.
const MOST_LOST_PACKETS: i32 = 60;
const MOST_OVERTAKEN: i32 = -MOST_LOST_PACKETS;

#[derive(Debug, Default)]
pub(super) struct GranTurismoLaps {
    identity: Identity,
    car_code: Option<i32>,
    last_id: Option<i32>,
    /// Packets while the car was driven.
    driven_packets: i32,
    /// The previous packet was already of the lap after the race.
    is_cooling_down: bool,
}

impl ReadLaps for GranTurismoLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        let Some(packet) = Packet::of(frame) else { return false };
        let presence = packet.presence();
        self.advance(packet, presence);
        self.name_car(packet, presence);
        // The packet in which the race ends still completes its last lap.
        let was_cooling_down = std::mem::replace(&mut self.is_cooling_down, packet.is_cooling_down());
        let over = was_cooling_down && self.is_cooling_down;
        *laps = LapFrame {
            presence,
            counter: packet.id().map(i64::from),
            // A race has a number of laps; so have few other sessions, and an endurance race has none.
            kind: if packet.total_laps().is_some() { SessionKind::Race } else { SessionKind::Unknown },
            time_of_day_s: packet.i32(0x80).and_then(running_ms).map(|ms| ms as f32 / 1000.0),
            game_ms: Some(f64::from(self.driven_packets) * 1000.0 / PACKETS_PER_S),
            laps_completed: packet.lap().map(|lap| u32::from(lap.saturating_sub(1))),
            running_ms: packet.i32(0x15C).and_then(running_ms),
            last_ms: packet.i32(0x7C).and_then(lap_ms),
            world_m: packet.vector(0x04),
            on_lap: packet.lap().map(|_| !over),
            before_first_line: packet.lap() == Some(0),
            speed_kmh: packet.speed_kmh(),
            fuel_l: fuel_l(packet),
            ..LapFrame::default()
        };
        self.identity.stamp(laps);
        true
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

impl GranTurismoLaps {
    /// Advances the clock, which stands still unless the car is driven.
    fn advance(&mut self, packet: Packet<'_>, presence: Presence) {
        let Some(id) = packet.id() else { return };
        match self.last_id.map(|last| id.wrapping_sub(last)) {
            // A datagram that was overtaken by others.
            Some(MOST_OVERTAKEN..0) => return,
            Some(steps @ 0..=MOST_LOST_PACKETS) if presence == Presence::Live => {
                self.driven_packets = self.driven_packets.saturating_add(steps);
            }
            Some(i32::MIN..0) => self.driven_packets = 0,
            _ => {}
        }
        self.last_id = Some(id);
    }

    fn name_car(&mut self, packet: Packet<'_>, presence: Presence) {
        let code = packet.car_code().filter(|_| presence != Presence::Off);
        if code.is_some() && code != self.car_code {
            self.car_code = code;
            self.identity.replace_with(Identity { car: code.map(car_name), ..Identity::default() });
        }
    }
}
