//! Decodes frames into samples.
use super::body::{Body, RUNNING};
use crate::capture::{Presence, SeenFrame};
use crate::sample::{Decode, Sample, Wheel};
use crate::sane::share;

#[derive(Debug)]
pub(super) struct TrackmaniaDecoder;

impl Decode for TrackmaniaDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        let Some(body) = Body::of(frame) else { return };
        let presence = body.presence();
        *sample = match presence {
            Presence::Off => Sample { presence: Some(presence), ..Sample::default() },
            _ => read(body, presence),
        };
    }
}

fn read(body: Body<'_>, presence: Presence) -> Sample {
    Sample {
        presence: Some(presence),
        speed_kmh: body.speed_kmh(),
        rpm: body.f32(1168, 0).filter(|rpm| *rpm >= 0.0),
        gear: body.i32(1172).and_then(|gear| i8::try_from(gear).ok()).filter(|gear| (-1..=20).contains(gear)),
        throttle: body.f32(1156, 0).and_then(share),
        brake: body.u32(1160).map(|braking| if braking == 0 { 0.0 } else { 1.0 }),
        steering: body.f32(1152, 0).map(|steering| steering.clamp(-1.0, 1.0)),
        world_m: body.world_m(),
        wheels: [0, 1, 2, 3].map(|index| Wheel {
            slip: body.u32(1200 + index * 4).map(|slipping| if slipping == 0 { 0.0 } else { 1.0 }),
            ..Wheel::default()
        }),
        lap_time_ms: body.race_ms().filter(|_| body.race_state() == Some(RUNNING)),
        ..Sample::default()
    }
}
