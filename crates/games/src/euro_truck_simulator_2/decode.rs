//! Decodes the page into samples of the truck. Speed is negative in reverse, and steering is positive to the left.
use std::f64::consts::TAU;

use super::page::Page;
use crate::capture::{Presence, SeenFrame};
use crate::sample::{Decode, Sample, Wheel};
use crate::sane::{finite, share};

const STANDARD_GRAVITY: f32 = 9.806_65;
/// Trucks have more axles; a sample has room for four wheels.
const WHEELS: usize = 4;

#[derive(Debug)]
pub(super) struct TruckDecoder;

impl Decode for TruckDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        let page = Page(frame.bytes);
        let presence = page.presence();
        *sample = match presence {
            Presence::Off => Sample { presence: Some(presence), ..Sample::default() },
            _ if !page.is_known() => Sample { presence: Some(presence), ..Sample::default() },
            _ => read(page, presence),
        };
    }
}

fn read(page: Page<'_>, presence: Presence) -> Sample {
    let pedal = |at| page.f32(at, 0).and_then(share);
    let g = |index| page.f32(1892, index).map(|metres_per_s2| metres_per_s2 / STANDARD_GRAVITY);
    let turn = |index| page.f64(2224, index).and_then(|turns| finite((turns * TAU) as f32));
    let metres = |index| page.f64(2200, index).and_then(|metres| finite(metres as f32));
    let world = [metres(0), metres(1), metres(2)];
    Sample {
        presence: Some(presence),
        speed_kmh: page.f32(948, 0).and_then(|metres_per_s| finite(metres_per_s.abs() * 3.6)),
        rpm: page.f32(952, 0).filter(|rpm| *rpm >= 0.0),
        gear: page.i32(504).and_then(|gear| i8::try_from(gear).ok()),
        throttle: pedal(960),
        brake: pedal(964),
        clutch: pedal(968),
        steering: page.f32(956, 0).map(|left| (-left).clamp(-1.0, 1.0)),
        world_m: match world {
            [Some(x), Some(y), Some(z)] => Some([x, y, z]),
            _ => None,
        },
        lateral_g: g(0),
        vertical_g: g(1),
        longitudinal_g: g(2).map(|back| -back),
        heading_rad: turn(0),
        pitch_rad: turn(1),
        roll_rad: turn(2),
        wheels: wheels(page),
        fuel_l: page.f32(1000, 0).filter(|litres| *litres >= 0.0),
        ..Sample::default()
    }
}

/// Returns the first four wheels.
fn wheels(page: Page<'_>) -> [Wheel; WHEELS] {
    let count = page.u32(80).map_or(0, |count| count as usize);
    std::array::from_fn(|index| {
        if index >= count {
            return Wheel::default();
        }
        Wheel {
            suspension_m: page.f32(1072, index),
            angular_speed_rad_s: page.f32(1136, index).and_then(|turns| finite((f64::from(turns) * TAU).abs() as f32)),
            ..Wheel::default()
        }
    })
}
