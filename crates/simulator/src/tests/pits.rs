//! Pit stops and the kinds of session starts.
use super::*;

#[test]
fn a_stop_goes_through_the_lane_within_its_limit_and_gives_fuel_and_tyres() {
    let settings = Settings { pit_every_laps: Some(2), mistakes: false, ..Settings::default() };
    let mut story: Vec<(i32, i32)> = Vec::new();
    let mut stood_ms = 0;
    let (mut fuel, mut tyres, mut distance) = ((0f32, 0f32), (0, 0), (0f32, 0f32));
    let mut line_in_lane = false;
    let mut before: Option<Pages> = None;
    drive(settings, Script::new(), |simulation| {
        let pages = simulation.pages();
        let (car, page) = (&pages.physics, &pages.graphics);
        let state = (page.is_in_pit_lane, page.is_in_pit);
        if story.last() != Some(&state) {
            story.push(state);
            match state {
                (1, 1) => (fuel.0, tyres.0, distance.0) = (car.fuel, page.current_tyre_set, page.distance_traveled),
                (1, 0) if story.contains(&(1, 1)) => (fuel.1, tyres.1) = (car.fuel, page.current_tyre_set),
                _ => {}
            }
        }
        if page.is_in_pit_lane == 1 {
            assert!(car.speed_kmh < 80.0, "{} ms: {}", simulation.ms(), car.speed_kmh);
            assert_eq!(car.pit_limiter_on, 1);
            line_in_lane |= before.as_ref().is_some_and(|old| old.graphics.completed_laps < page.completed_laps);
        }
        if page.is_in_pit == 1 {
            assert!(car.speed_kmh < 2.0, "{} ms: {}", simulation.ms(), car.speed_kmh);
            stood_ms += 1;
            distance.1 = page.distance_traveled;
        }
        before = Some(pages.clone());
        page.completed_laps < 3
    });
    assert_eq!(story, [(0, 0), (1, 0), (1, 1), (1, 0), (0, 0)]);
    assert!((5_500..6_500).contains(&stood_ms), "{stood_ms}");
    assert!((14.0..16.0).contains(&(fuel.1 - fuel.0)), "{fuel:?}");
    assert_eq!(tyres, (1, 2));
    assert!(line_in_lane, "the line is crossed in the lane");
    assert!(distance.0 > 3_000.0);
    assert!(before.unwrap().graphics.distance_traveled < 1_700.0, "the stint begins anew");
}

#[test]
fn a_start_from_the_box_gives_an_out_lap() {
    let settings = Settings { start: Start::Box, mistakes: false, ..Settings::default() };
    let mut first = None;
    let mut out_ms = 0;
    drive(settings, Script::new(), |simulation| {
        let page = &simulation.pages().graphics;
        first.get_or_insert((page.is_in_pit, page.is_in_pit_lane, page.i_current_time));
        if page.is_in_pit == 1 {
            assert_eq!((page.i_current_time, page.completed_laps), (0, 0), "no time runs in the box");
        }
        out_ms = page.i_last_time;
        page.completed_laps < 1
    });
    assert_eq!(first, Some((1, 1, 0)));
    assert!((36_000..46_000).contains(&out_ms), "{out_ms}");
}

#[test]
fn a_start_from_the_grid_counts_from_the_lights_to_the_second_crossing() {
    let settings = Settings { start: Start::Grid, session: SessionKind::Race, mistakes: false, ..Settings::default() };
    let (mut started_ms, mut crossings, mut before) = (None, 0, 0.98);
    drive(settings, Script::new(), |simulation| {
        let page = &simulation.pages().graphics;
        if started_ms.is_none() && page.i_current_time > 0 {
            started_ms = Some(simulation.ms());
            assert!(page.normalized_car_position > 0.96, "{}", page.normalized_car_position);
        }
        crossings += i32::from(page.normalized_car_position < before - 0.5);
        before = page.normalized_car_position;
        if page.completed_laps == 1 {
            let ms = simulation.ms() - started_ms.unwrap();
            assert!((page.i_last_time - ms as i32).abs() <= 2, "{} and {ms}", page.i_last_time);
        }
        page.completed_laps < 1
    });
    assert_eq!(crossings, 2);
}
