//! The physics page, filled from the state of the car.
use crate::car::vehicle::{BRAKE_BIAS, GRAVITY, TRACK_WIDTH_M, WHEELBASE_M};
use crate::car::{Car, Wheel};
use crate::track::HALF_WIDTH_M;
use crate::weather::Weather;
use gametape_games::acc;

/// What the page shows.
pub(crate) struct CarShown<'a> {
    pub(crate) car: &'a Car,
    pub(crate) weather: &'a Weather,
    pub(crate) pit_limiter: bool,
    pub(crate) water_celsius: f64,
}

/// What never changes.
pub(crate) fn begin_physics(page: &mut acc::Physics) {
    page.brake_bias = BRAKE_BIAS as f32;
    page.tyre_contact_normal = [[0.0, 1.0, 0.0]; 4];
    page.front_brake_compound = 1;
    page.rear_brake_compound = 1;
    page.ignition_on = 1;
    page.is_engine_running = 1;
    page.gear = 1;
}

/// Writes all but the number of the page.
pub(crate) fn write_physics(shown: &CarShown<'_>, page: &mut acc::Physics) {
    write_controls(shown, page);
    write_motion(shown.car, page);
    write_wheels(shown.car, page);
}

fn write_controls(shown: &CarShown<'_>, page: &mut acc::Physics) {
    let car = shown.car;
    page.gas = car.gas as f32;
    page.brake = car.brake as f32;
    page.fuel = car.fuel_l as f32;
    // 0 is reverse, 1 neutral.
    page.gear = car.engine.gear as i32 + 1;
    page.rpms = car.engine.rpm as i32;
    page.clutch = car.engine.clutch as f32;
    page.steer_angle = car.steering() as f32;
    page.tc = car.traction_control as f32;
    page.abs = car.abs as f32;
    page.pit_limiter_on = i32::from(shown.pit_limiter);
    page.air_temp = shown.weather.air_celsius as f32;
    page.road_temp = shown.weather.road_celsius as f32;
    page.water_temp = shown.water_celsius as f32;
    page.final_ff = (car.steering() * -0.8 * (car.left_ms2.abs() / 15.0).min(1.2)) as f32;
    page.kerb_vibration = if car.offset_m.abs() > HALF_WIDTH_M - 0.8 && car.speed_ms > 1.0 { 0.6 } else { 0.0 };
    page.slip_vibrations = car.wheels.iter().map(Wheel::slip).fold(0.0, f64::max).min(1.0) as f32;
    page.g_vibrations = (car.up_ms2.abs() / GRAVITY).min(1.0) as f32;
    page.abs_vibrations = car.abs.min(1.0) as f32;
}

fn write_motion(car: &Car, page: &mut acc::Physics) {
    let speed = car.speed_ms;
    // The car points a little into the corner: it slides.
    let slide_rad = car.wheels[2].slip_angle_rad * 0.35;
    page.speed_kmh = (car.speed_over_road_ms() * 3.6) as f32;
    page.velocity = [(speed * car.course.0) as f32, car.climb_ms as f32, (speed * car.course.1) as f32];
    // To the right is positive.
    page.acc_g = [-car.left_ms2, car.up_ms2, car.ahead_ms2].map(|ms2| (ms2 / GRAVITY) as f32);
    page.local_velocity = [(speed * slide_rad.sin()) as f32, car.climb_ms as f32, (speed * slide_rad.cos()) as f32];
    page.local_angular_vel = [0.0, (-car.curvature * speed) as f32, 0.0];
    let heading_rad = car.course.0.atan2(car.course.1) - slide_rad;
    page.heading = heading_rad as f32;
    page.pitch = (car.height.slope.atan() - 0.0012 * car.ahead_ms2) as f32;
    page.roll = (0.0016 * car.left_ms2) as f32;
    let (ahead_x, ahead_z) = (heading_rad.sin(), heading_rad.cos());
    for (index, point) in page.tyre_contact_point.iter_mut().enumerate() {
        let ahead = if index < 2 { WHEELBASE_M / 2.0 } else { -WHEELBASE_M / 2.0 };
        let left = if index % 2 == 0 { TRACK_WIDTH_M / 2.0 } else { -TRACK_WIDTH_M / 2.0 };
        *point = [
            (car.x + ahead * ahead_x - left * ahead_z) as f32,
            (car.height.y + ahead * car.height.slope) as f32,
            (car.z + ahead * ahead_z + left * ahead_x) as f32,
        ];
    }
    page.tyre_contact_heading = [[ahead_x as f32, 0.0, ahead_z as f32]; 4];
}

fn write_wheels(car: &Car, page: &mut acc::Physics) {
    let each = |value: &dyn Fn(&Wheel) -> f64| car.wheels.each_ref().map(|wheel| value(wheel) as f32);
    page.wheel_slip = each(&Wheel::slip);
    page.wheels_pressure = each(&Wheel::pressure_psi);
    page.wheel_angular_speed = each(&|wheel| wheel.angular_rad_s);
    page.tyre_core_temperature = each(&|wheel| wheel.tyre_celsius);
    page.suspension_travel = each(&|wheel| wheel.travel_m);
    page.brake_temp = each(&|wheel| wheel.brake_celsius);
    page.slip_ratio = each(&|wheel| wheel.slip_ratio);
    page.slip_angle = each(&|wheel| wheel.slip_angle_rad);
    page.pad_life = each(&|wheel| wheel.pad_mm);
    page.disc_life = each(&|wheel| wheel.disc_mm);
    let (front, rear) = ((car.brake * BRAKE_BIAS) as f32, (car.brake * (1.0 - BRAKE_BIAS)) as f32);
    page.brake_pressure = [front, front, rear, rear];
}
