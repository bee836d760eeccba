//! More than ten laps, checked every millisecond for physical plausibility.
use super::*;

fn settings() -> Settings {
    Settings { pit_every_laps: Some(4), ..Settings::default() }
}

#[test]
fn ten_laps_stay_within_what_a_car_can_do() {
    let mut most = [0f32; 3];
    let mut seen = (false, false);
    drive(settings(), Script::new(), |simulation| {
        let (ms, page) = (simulation.ms(), &simulation.pages().physics);
        assert!((0.0..300.0).contains(&page.speed_kmh), "{ms}: {}", page.speed_kmh);
        let g = (page.acc_g[0].powi(2) + page.acc_g[2].powi(2)).sqrt();
        assert!(g < 3.0 && page.acc_g[1].abs() < 1.0, "{ms}: {:?}", page.acc_g);
        assert!(
            (1_000..=9_250).contains(&page.rpms) && (1..=7).contains(&page.gear),
            "{ms}: {} {}",
            page.rpms,
            page.gear
        );
        for share in [page.gas, page.brake, page.clutch, page.tc, page.abs] {
            assert!((0.0..=1.0).contains(&share), "{ms}: {share}");
        }
        assert!(page.steer_angle.abs() < 0.8, "{ms}: {}", page.steer_angle);
        for wheel in 0..4 {
            assert!(
                (45.0..125.0).contains(&page.tyre_core_temperature[wheel]),
                "{ms}: {:?}",
                page.tyre_core_temperature
            );
            assert!((24.0..33.0).contains(&page.wheels_pressure[wheel]), "{ms}: {:?}", page.wheels_pressure);
            assert!((60.0..750.0).contains(&page.brake_temp[wheel]), "{ms}: {:?}", page.brake_temp);
            assert!((0.0..0.12).contains(&page.suspension_travel[wheel]), "{ms}: {:?}", page.suspension_travel);
            let road = page.speed_kmh / 3.6 / 0.345;
            assert!((page.wheel_angular_speed[wheel] - road).abs() <= 0.3 * road + 1e-3, "{ms}");
        }
        most = [most[0].max(page.speed_kmh), most[1].max(page.acc_g[0].abs()), most[2].max(-page.acc_g[2])];
        seen = (seen.0 | (page.gear == 7), seen.1 | (page.gear == 2));
        !laps_done(simulation, 10)
    });
    assert!(most[0] > 240.0 && most[1] > 1.8 && most[2] > 1.8, "{most:?}");
    assert_eq!(seen, (true, true), "all gears are used");
}

#[test]
fn the_place_follows_the_speed_and_the_speed_the_acceleration() {
    let mut last: Option<Pages> = None;
    let (mut place, mut speed_ms) = ([0.0; 3], 0.0);
    drive(settings(), Script::new(), |simulation| {
        let pages = simulation.pages();
        let at = pages.graphics.car_coordinates[0].map(f64::from);
        let velocity = pages.physics.velocity.map(f64::from);
        if let Some(before) = last.take() {
            let jump = (0..3).map(|axis| (at[axis] - f64::from(before.graphics.car_coordinates[0][axis])).powi(2));
            let most = f64::from(pages.physics.speed_kmh.max(before.physics.speed_kmh)) / 3.6 * 0.001;
            assert!(jump.sum::<f64>().sqrt() <= most + 2e-4, "{} ms", simulation.ms());
            for axis in 0..3 {
                place[axis] += (velocity[axis] + f64::from(before.physics.velocity[axis])) / 2.0 * 0.001;
            }
            speed_ms += f64::from(pages.physics.acc_g[2]) * 9.81 * 0.001;
        } else {
            place = at;
            speed_ms = velocity[0].hypot(velocity[2]);
        }
        let off = (0..3).map(|axis| (at[axis] - place[axis]).powi(2)).sum::<f64>().sqrt();
        assert!(off < 0.1, "{} ms: {off} m beside the sum of the speeds", simulation.ms());
        let real_ms = velocity[0].hypot(velocity[2]);
        assert!((real_ms - speed_ms).abs() < 0.15, "{} ms: {real_ms} and {speed_ms}", simulation.ms());
        last = Some(pages.clone());
        !laps_done(simulation, 5)
    });
}

#[test]
fn sideways_acceleration_is_speed_times_turning() {
    let mut last: Option<(f64, f64)> = None;
    drive(settings(), Script::new(), |simulation| {
        let page = &simulation.pages().physics;
        let (x, z) = (f64::from(page.velocity[0]), f64::from(page.velocity[2]));
        let (speed, course) = (x.hypot(z), x.atan2(z));
        if let Some((before, was)) = last.filter(|_| speed > 5.0) {
            let turned =
                (course - before + std::f64::consts::PI).rem_euclid(std::f64::consts::TAU) - std::f64::consts::PI;
            let right_g = turned * 1000.0 * (speed + was) / 2.0 / 9.81;
            assert!((right_g - f64::from(page.acc_g[0])).abs() < 0.05, "{} ms: {right_g}", simulation.ms());
        }
        last = Some((course, speed));
        !laps_done(simulation, 2)
    });
}

#[test]
fn no_energy_comes_from_nowhere() {
    let mut before: Option<f64> = None;
    drive(Settings::default(), Script::new(), |simulation| {
        let car = simulation.game().unwrap().car();
        let mass_kg = 1_265.0 + 0.745 * car.fuel_l;
        let energy_j = mass_kg * (car.speed_ms * car.speed_ms / 2.0 + 9.81 * car.height.y);
        if let Some(before) = before {
            // Fuel that is burnt leaves with its share of the energy.
            assert!(energy_j - before < 530.0 + 1.0, "{} ms: {} J", simulation.ms(), energy_j - before);
        }
        before = Some(energy_j);
        !laps_done(simulation, 3)
    });
}

#[test]
fn fuel_only_burns_on_the_track() {
    let mut before = f32::MAX;
    let mut refuelled = 0;
    drive(settings(), Script::new(), |simulation| {
        let pages = simulation.pages();
        let fuel = pages.physics.fuel;
        if pages.graphics.is_in_pit == 1 {
            refuelled += i32::from(fuel > before);
        } else {
            assert!(fuel <= before && before - fuel < 0.001 || before == f32::MAX, "{} ms", simulation.ms());
        }
        before = fuel;
        !laps_done(simulation, 6)
    });
    assert!(refuelled > 1_000, "{refuelled}");
}

#[test]
fn brakes_are_heated_by_braking_and_cooled_by_the_air() {
    let (mut heated, mut cooled) = (0u32, 0u32);
    let mut before = f32::MAX;
    drive(Settings::default(), Script::new(), |simulation| {
        let page = &simulation.pages().physics;
        let change = page.brake_temp[0] - before;
        if before != f32::MAX && page.speed_kmh > 60.0 {
            if page.brake > 0.3 {
                assert!(change > 0.0, "{} ms", simulation.ms());
                heated += 1;
            } else if page.brake == 0.0 {
                assert!(change < 0.0, "{} ms", simulation.ms());
                cooled += 1;
            }
        }
        before = page.brake_temp[0];
        !laps_done(simulation, 2)
    });
    assert!(heated > 4_000 && cooled > 20_000, "{heated} {cooled}");
}
