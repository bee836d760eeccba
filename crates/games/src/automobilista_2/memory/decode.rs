//! Decodes the page into samples of the viewed car.
use super::super::decode::flags;
use super::page::Page;
use super::state::presence_of;
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::Pit;
use crate::project_cars::states::lap_ms;
use crate::sample::{Decode, Sample, Wheel};
use crate::sane::{ms, share};

const STANDARD_GRAVITY: f32 = 9.806_65;
const ABSOLUTE_ZERO_CELSIUS: f32 = -273.15;
/// Bits of the car flags.
const ABS: u32 = 16;
const TRACTION_CONTROL: u32 = 64;

/// Decodes the page of both games.
#[derive(Debug, Default)]
pub(crate) struct MemoryDecoder;

impl Decode for MemoryDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        let page = Page(frame.bytes);
        let presence = presence_of(page);
        *sample = match presence {
            Presence::Off => Sample { presence: Some(presence), ..Sample::default() },
            _ => read(page, presence),
        };
    }
}

fn read(page: Page<'_>, presence: Presence) -> Sample {
    let own = page.own().map(|(_, own)| own);
    let pedal = |raw, used| page.f32(raw, 0).or_else(|| page.f32(used, 0)).and_then(share);
    let acceleration = |index| page.f32(6956, index).map(|metres_per_s2| metres_per_s2 / STANDARD_GRAVITY);
    let car_flags = page.u32(6816);
    let setting = |at| page.i32(at).filter(|level| *level >= 0);
    let pit = page.pit();
    let along_m = along_m(page);
    Sample {
        presence: Some(presence),
        speed_kmh: page.speed_kmh(),
        rpm: page.f32(6852, 0).filter(|rpm| *rpm >= 0.0),
        gear: page.i32(6876).and_then(|gear| i8::try_from(gear).ok()).filter(|gear| (-1..=30).contains(gear)),
        throttle: pedal(6428, 6864),
        brake: pedal(6432, 6860),
        clutch: pedal(6440, 6868),
        steering: page.f32(6436, 0).map(|steering| steering.clamp(-1.0, 1.0)),
        track_position: position(page, along_m),
        lap_distance_m: along_m,
        world_m: own.and_then(|own| own.world_m()),
        lateral_g: acceleration(0).map(|left| -left),
        vertical_g: acceleration(1),
        longitudinal_g: acceleration(2).map(|back| -back),
        pitch_rad: page.f32(6908, 0),
        heading_rad: page.f32(6908, 1),
        roll_rad: page.f32(6908, 2),
        wheels: [0, 1, 2, 3].map(|index| wheel(page, index)),
        fuel_l: page.fuel_l(),
        abs_active: car_flags.map(|flags| flags & ABS != 0),
        tc_active: car_flags.map(|flags| flags & TRACTION_CONTROL != 0),
        abs_level: setting(20_660),
        tc_level: setting(20_664),
        lap_time_ms: page.current_ms(),
        last_lap_ms: page.f32(6720, 0).and_then(lap_ms),
        best_lap_ms: page.f32(6716, 0).and_then(lap_ms),
        session_left_ms: page.left_s().and_then(|seconds| ms(f64::from(seconds) * 1000.0)),
        laps_completed: own.and_then(|own| own.laps_completed()),
        sector: own.and_then(|own| own.sector()),
        lap_is_valid: page.is_lap_invalid().map(|invalid| !invalid),
        race_position: own.and_then(|own| own.position()),
        car_count: u16::try_from(page.count()).ok().filter(|count| *count > 0),
        in_pit_box: pit.map(|pit| pit == Pit::Box),
        in_pit_lane: pit.map(|pit| pit != Pit::Track),
        flags: page.state(6800).and_then(flags),
        air_celsius: page.celsius(7292),
        track_celsius: page.celsius(7296),
        ..Sample::default()
    }
}

/// Returns the distance along the lap. In the pit lane it stays 0 behind the line.
pub(super) fn along_m(page: Page<'_>) -> Option<f32> {
    let (_, own) = page.own()?;
    own.along_m().filter(|metres| *metres > 0.0 || page.pit() == Some(Pit::Track))
}

/// Returns the position on the track, 0 to 1.
fn position(page: Page<'_>, along_m: Option<f32>) -> Option<f32> {
    let position = along_m? / page.length_m()?;
    (0.0..=1.0).contains(&position).then_some(position)
}

fn wheel(page: Page<'_>, index: usize) -> Wheel {
    let degrees = |at| page.f32(at, index).filter(|celsius| *celsius != 0.0);
    let kelvins = |at| page.f32(at, index).filter(|kelvins| *kelvins > 0.0);
    // The inner edge of a tyre is the one next to the car.
    let (inner, outer) = if index.is_multiple_of(2) { (20_616, 20_584) } else { (20_584, 20_616) };
    Wheel {
        tyre_core_celsius: kelvins(7232).map(|kelvins| kelvins + ABSOLUTE_ZERO_CELSIUS),
        tyre_inner_celsius: degrees(inner),
        tyre_middle_celsius: degrees(20_600),
        tyre_outer_celsius: degrees(outer),
        pressure_kpa: page.f32(7372, index).filter(|kpa| *kpa > 0.0),
        tread_left: page.f32(7136, index).and_then(share).map(|wear| 1.0 - wear),
        brake_celsius: degrees(7184),
        suspension_m: page.f32(7340, index),
        // Forward rotation is negative.
        angular_speed_rad_s: page.f32(7040, index).map(f32::abs),
        ..Wheel::default()
    }
}
