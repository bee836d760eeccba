//! Decodes the page into samples of the viewed car.
use super::page::{Page, time_ms};
use crate::capture::{Presence, SeenFrame};
use crate::lap_frame::Pit;
use crate::sample::{Decode, Flags, Sample, Wheel};
use crate::sane::{finite, share};

const STANDARD_GRAVITY: f32 = 9.806_65;
/// Value of a driving aid that is intervening.
const ACTING: i32 = 5;

#[derive(Debug)]
pub(super) struct RaceRoomDecoder;

impl Decode for RaceRoomDecoder {
    fn frame(&mut self, frame: SeenFrame<'_>, sample: &mut Sample) {
        let page = Page::of(frame.bytes).filter(|page| page.presence() != Presence::Off);
        *sample = match page {
            Some(page) => read(page),
            None => Sample { presence: Some(Presence::Off), ..Sample::default() },
        };
    }
}

fn read(page: Page<'_>) -> Sample {
    let time = |at| page.number(at).and_then(time_ms);
    let lap_time = |at| time(at).filter(|ms| *ms > 0);
    let g = |index| page.signed(1440, index).map(|metres_per_s2| metres_per_s2 / STANDARD_GRAVITY);
    let acting = |at| page.whole(at).map(|level| level == ACTING);
    let count = |at| page.whole(at).and_then(|count| u16::try_from(count).ok()).filter(|count| *count > 0);
    let pit = page.pit();
    Sample {
        presence: Some(page.presence()),
        speed_kmh: page.speed_kmh(),
        rpm: page.number(1396).and_then(|rad_s| finite(rad_s * (30.0 / std::f32::consts::PI))),
        gear: page.raw(1408).filter(|gear| *gear >= -1).and_then(|gear| i8::try_from(gear).ok()),
        throttle: page.number(1504).or(page.number(1500)).and_then(share),
        brake: page.number(1512).or(page.number(1508)).and_then(share),
        clutch: page.number(1520).or(page.number(1516)).and_then(share),
        steering: page.signed(1524, 0).map(|steering| steering.clamp(-1.0, 1.0)),
        track_position: page.number(1044).filter(|position| *position <= 1.0),
        lap_distance_m: page.number(1040),
        world_m: page.world_m(),
        lateral_g: g(0).map(|left| -left),
        vertical_g: g(1),
        longitudinal_g: g(2).map(|back| -back),
        pitch_rad: page.signed(1428, 0),
        heading_rad: page.signed(1428, 1),
        roll_rad: page.signed(1428, 2),
        wheels: [0, 1, 2, 3].map(|index| wheel(page, index)),
        fuel_l: page.number(1456),
        abs_active: acting(1536),
        tc_active: acting(1540),
        abs_level: page.whole(1616),
        tc_level: page.whole(1936),
        lap_time_ms: time(1100),
        last_lap_ms: lap_time(1084),
        best_lap_ms: lap_time(1068),
        session_left_ms: time(820),
        laps_completed: page.whole(1028).map(i32::cast_unsigned),
        sector: sector(page),
        lap_is_valid: page.flag(1032),
        race_position: count(988),
        car_count: count(super::structure::NUM_CARS),
        in_pit_box: pit.map(|pit| pit == Pit::Box),
        in_pit_lane: pit.map(|pit| pit != Pit::Track),
        flags: flags(page),
        ..Sample::default()
    }
}

/// Returns the sector, from 0. The game counts from 1, with 0 before the first line.
pub(super) fn sector(page: Page<'_>) -> Option<u8> {
    page.whole(1036).and_then(|sector| u8::try_from(sector - 1).ok()).filter(|sector| *sector < 3)
}

fn wheel(page: Page<'_>, index: usize) -> Wheel {
    // The inner edge of a tyre is the one next to the car.
    let (inner, outer) = if index.is_multiple_of(2) { (2, 0) } else { (0, 2) };
    let tread = |place| page.number_of(1744, index * 6 + place);
    Wheel {
        tyre_inner_celsius: tread(inner),
        tyre_middle_celsius: tread(1),
        tyre_outer_celsius: tread(outer),
        pressure_kpa: page.number_of(1712, index),
        tread_left: page.number_of(1680, index).and_then(share),
        brake_celsius: page.number_of(1856, index * 4),
        suspension_m: page.double(392, index).and_then(|metres| finite(metres as f32)),
        // Forward rotation is negative; -1 is also a rotation.
        angular_speed_rad_s: page.signed(1632, index).map(f32::abs),
        ..Wheel::default()
    }
}

fn flags(page: Page<'_>) -> Option<Flags> {
    let [yellow, blue, black, green, chequered, white] = [932, 964, 968, 972, 976, 980].map(|at| page.whole(at));
    if [yellow, blue, black, green, chequered, white].iter().all(Option::is_none) {
        return None;
    }
    let is = |flag: Option<i32>| flag == Some(1);
    Some(Flags {
        green: is(green),
        yellow: is(yellow),
        white: is(white),
        blue: is(blue),
        black: is(black),
        chequered: is(chequered),
        penalty: page.whole(1024).is_some_and(|penalties| penalties > 0),
        ..Flags::default()
    })
}
