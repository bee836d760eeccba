//! Decodes rows into samples. The signs were checked on a real recording: the game counts to the left, a sample to the
//! right.
use super::ground::Ground;
use super::row_vars::{RowVar, SampleVars, WheelVars};
use crate::capture::{Presence, SeenFrame};
use crate::sample::{Decode, Flags, Geo, Sample, Wheel};
use crate::sane::{count, ms, not_zero, share};

const G_IN_METRES_PER_S2: f32 = 9.806_65;

/// Time left that the game reports for sessions without a limit: a week.
const UNLIMITED_S: f64 = 604_800.0;

/// The game shows a replay if it is more than this many frames (one second) behind. It also reports "replay" when
/// nobody sits in the car, but then shows live images.
const LIVE_WITHIN_FRAMES: i64 = 60;

#[derive(Debug, Default)]
pub(super) struct IracingDecoder {
    /// Fingerprint of the layout that `vars` was built for.
    layout: Option<u64>,
    vars: SampleVars,
    ground: Ground,
}

impl Decode for IracingDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        if frame.stream != "telemetry" {
            return;
        }
        let layout = frame.layout.fingerprint();
        if self.layout != Some(layout) {
            self.vars = SampleVars::of(frame.layout);
            self.layout = Some(layout);
        }
        let (row, at) = (frame.bytes, &self.vars);
        let whole = |var: RowVar| var.whole(row).map(i64::from);
        let [replay, on_track, behind] = [at.is_replay, at.is_on_track, at.replay_frames_behind].map(whole);
        sample.presence = Some(presence(replay, on_track, behind));
        // While the car is not in the world, its variables hold leftovers and zeros.
        let known = [at.is_on_track.is(row), at.is_on_track_car.is(row)];
        let in_car = known == [None; 2] || known.contains(&Some(true));
        car(if in_car { row } else { &[] }, at, sample);
        sample.world_m = sample.geo.as_ref().and_then(|geo| self.ground.metres(geo));
        session(row, at, sample);
    }
}

/// Determines the state from `IsReplayPlaying`, `IsOnTrack` and `ReplayFrameNumEnd`. Live even if nobody drives,
/// because the session goes on.
pub(super) fn presence(is_replay: Option<i64>, is_on_track: Option<i64>, frames_behind: Option<i64>) -> Presence {
    let is = |flag: Option<i64>| flag.is_some_and(|flag| flag != 0);
    let behind = frames_behind.is_none_or(|frames| frames > LIVE_WITHIN_FRAMES);
    if is(is_replay) && !is(is_on_track) && behind { Presence::Replay } else { Presence::Live }
}

fn car(row: &[u8], at: &SampleVars, sample: &mut Sample) {
    sample.speed_kmh = at.speed.f32(row).map(|metres_per_s| metres_per_s * 3.6);
    sample.rpm = at.rpm.f32(row);
    sample.gear = at.gear.whole(row).and_then(count);
    let pedal = |var: RowVar| var.f32(row).and_then(share);
    sample.throttle = pedal(at.throttle);
    sample.brake = pedal(at.brake);
    sample.clutch = pedal(at.clutch).map(|engaged| 1.0 - engaged);
    sample.steering_rad = at.steering.f32(row).map(|left| -left);

    // In the first row of a file, and after a reset, the car has no position yet.
    let somewhere = at.track_surface.whole(row) != Some(-1);
    sample.track_position = at.lap_share.f32(row).filter(|share| somewhere && *share > -0.5);
    sample.lap_distance_m = at.lap_distance.f32(row).filter(|_| somewhere);
    let position = Option::zip(at.latitude.number(row), at.longitude.number(row));
    sample.geo = position.filter(|position| *position != (0.0, 0.0)).map(|(latitude_deg, longitude_deg)| Geo {
        latitude_deg,
        longitude_deg,
        altitude_m: at.altitude.f32(row),
    });
    let g = |var: RowVar| var.f32(row).map(|acceleration| acceleration / G_IN_METRES_PER_S2);
    sample.lateral_g = g(at.lateral).map(|left| -left);
    sample.vertical_g = g(at.vertical).map(|with_gravity| with_gravity - 1.0);
    sample.longitudinal_g = g(at.longitudinal);
    sample.heading_rad = at.heading.f32(row);
    sample.pitch_rad = at.pitch.f32(row);
    sample.roll_rad = at.roll.f32(row);

    sample.fuel_l = at.fuel.f32(row);
    sample.abs_active = at.abs_active.is(row);
    sample.abs_level = at.abs_level.whole(row);
    sample.tc_level = at.tc_level.whole(row);
    for (index, (wheel, at)) in sample.wheels.iter_mut().zip(&at.wheels).enumerate() {
        *wheel = one_wheel(row, at, index % 2 == 0);
    }
    sample.in_pit_box = at.in_pit_stall.is(row);
    sample.in_pit_lane = at.on_pit_road.is(row);
}

fn one_wheel(row: &[u8], at: &WheelVars, is_left: bool) -> Wheel {
    let celsius = |var: RowVar| var.f32(row).and_then(not_zero);
    let carcass = at.carcass.map(celsius);
    // Surface temperatures are only in files; the live memory holds carcass temperatures.
    let surface = at.surface.map(celsius);
    let [left, middle, right] = if surface == [None; 3] { carcass } else { surface };
    let (inner, outer) = if is_left { (right, left) } else { (left, right) };
    let tread = at.tread.map(|var| var.f32(row));
    let tread_left = match tread {
        [Some(left), Some(middle), Some(right)] => Some((left + middle + right) / 3.0),
        _ => None,
    };
    Wheel {
        tyre_core_celsius: carcass[1],
        tyre_inner_celsius: inner,
        tyre_middle_celsius: middle,
        tyre_outer_celsius: outer,
        pressure_kpa: at.pressure.f32(row),
        tread_left: tread_left.and_then(share),
        brake_celsius: celsius(at.brake),
        suspension_m: at.shock.f32(row),
        slip: None,
        angular_speed_rad_s: None,
    }
}

fn session(row: &[u8], at: &SampleVars, sample: &mut Sample) {
    let seconds = |var: RowVar| var.number(row).and_then(|seconds| ms(seconds * 1000.0));
    sample.lap_time_ms = seconds(at.lap_time);
    sample.last_lap_ms = seconds(at.last_lap).filter(|ms| *ms > 0);
    sample.best_lap_ms = seconds(at.best_lap).filter(|ms| *ms > 0);
    let left = at.time_left.number(row).filter(|seconds| *seconds < UNLIMITED_S);
    sample.session_left_ms = left.and_then(|seconds| ms(seconds * 1000.0));
    sample.laps_completed = at.laps_completed.whole(row).and_then(count);
    sample.race_position = at.race_position.whole(row).filter(|position| *position > 0).and_then(count);
    let cars = at.surfaces_of_cars.wholes(row).map(|cars| cars.filter(|surface| *surface >= 0).count());
    sample.car_count = cars.and_then(|cars| u16::try_from(cars).ok());
    sample.flags = at.flags.whole(row).map(|bits| flags(bits.cast_unsigned()));
    sample.air_celsius = at.air.f32(row).and_then(not_zero);
    sample.track_celsius = at.track.f32(row).and_then(not_zero);
}

/// Decodes the bits of `SessionFlags`.
fn flags(bits: u32) -> Flags {
    let any = |mask: u32| bits & mask != 0;
    Flags {
        chequered: any(0x1),
        white: any(0x2),
        // Shown, held out.
        green: any(0x4 | 0x400),
        // Still, waving, caution, caution waving.
        yellow: any(0x8 | 0x100 | 0x4000 | 0x8000),
        red: any(0x10),
        blue: any(0x20),
        // Black, disqualified.
        black: any(0x1_0000 | 0x2_0000),
        orange: any(0x10_0000),
        penalty: false,
    }
}
