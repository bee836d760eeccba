//! Decodes messages into lap frames. Lap count, last lap time and lap timer change in the same message. There are no sectors, no validity and no
//! kind of session.
use super::decode::{position, world_m};
use super::rules::{CAR_NAME, DRIVER_NAME, TRACK_CONFIG, TRACK_NAME, is_car, text};
use super::{CAR, HANDSHAKE};
use crate::bytes::{f32_at, i32_at};
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::{Identity, LapFrame, Pit, ReadLaps};
use crate::sane::{count, finite, lap_ms, running_ms};

#[derive(Debug, Default)]
pub(super) struct RemoteLaps {
    identity: Identity,
}

impl ReadLaps for RemoteLaps {
    fn frame(&mut self, frame: SeenFrame<'_>, laps: &mut LapFrame) -> bool {
        let bytes = frame.bytes;
        match frame.stream {
            CAR => car(bytes, laps),
            HANDSHAKE => self.identity.replace_with(Identity {
                car: text(bytes, CAR_NAME),
                driver: text(bytes, DRIVER_NAME),
                track: text(bytes, TRACK_NAME),
                layout: text(bytes, TRACK_CONFIG),
                ..Identity::default()
            }),
            _ => return false,
        }
        self.identity.stamp(laps);
        frame.stream == CAR
    }

    fn identity(&self) -> &Identity {
        &self.identity
    }
}

fn car(bytes: &[u8], laps: &mut LapFrame) {
    if !is_car(bytes) {
        *laps = LapFrame::default();
        return;
    }
    let said = f32_at(bytes, 308);
    *laps = LapFrame {
        presence: Presence::Live,
        laps_completed: i32_at(bytes, 52).and_then(count),
        running_ms: i32_at(bytes, 40).and_then(running_ms),
        last_ms: i32_at(bytes, 44).and_then(lap_ms),
        pit: Pit::of(bytes.get(24).map(|in_box| *in_box != 0), None),
        position: position(bytes),
        bad_position: said.is_some() && position(bytes).is_none(),
        world_m: world_m(bytes),
        speed_kmh: f32_at(bytes, 8).and_then(finite),
        ..LapFrame::default()
    };
}
