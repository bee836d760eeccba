//! Lap timing: the values of the pages against the movement of the car.
use super::*;

/// A lap as the pages tell it, and as the car drove it.
#[derive(Debug)]
struct Lap {
    number: i32,
    last_ms: i32,
    sectors_ms: [i32; 3],
    line_to_line_ms: f64,
    valid: bool,
    best_ms: i32,
}

/// Drives with the game's own pages read every millisecond.
fn laps(settings: Settings, count: i32) -> Vec<Lap> {
    let mut laps = Vec::new();
    let mut before: Option<(Pages, f64)> = None;
    let (mut began_ms, mut valid, mut cumulative_ms) = (None, true, [0; 2]);
    drive(settings, Script::new(), |simulation| {
        let (pages, along_m) = (simulation.pages().clone(), simulation.game().unwrap().car().along_m);
        let now = &pages.graphics;
        if let Some((old, old_m)) = &before {
            let old = &old.graphics;
            if now.current_sector_index == old.current_sector_index + 1 {
                cumulative_ms[old.current_sector_index as usize] = now.last_sector_time;
            }
            if along_m < old_m - 500.0 {
                let length_m = simulation.game().unwrap().track().length_m();
                let crossed_ms = simulation.ms() as f64 - along_m / (along_m + length_m - old_m);
                if now.completed_laps == old.completed_laps + 1 {
                    let [first_ms, second_ms] = cumulative_ms;
                    laps.push(Lap {
                        number: now.completed_laps,
                        last_ms: now.i_last_time,
                        sectors_ms: [first_ms, second_ms - first_ms, now.i_last_time - second_ms],
                        line_to_line_ms: crossed_ms - began_ms.unwrap_or(f64::NAN),
                        valid,
                        best_ms: now.i_best_time,
                    });
                    assert_eq!(now.last_sector_time, second_ms, "the line does not touch the time of the last sector");
                }
                began_ms = Some(crossed_ms);
                valid = true;
            }
        }
        valid &= now.is_valid_lap == 1;
        before = Some((pages, along_m));
        !laps_done(simulation, count)
    });
    laps
}

#[test]
fn official_times_are_those_from_line_to_line_and_sectors_add_up() {
    let laps = laps(Settings { pit_every_laps: Some(5), ..Settings::default() }, 12);
    assert_eq!(laps.iter().map(|lap| lap.number).collect::<Vec<_>>(), (1..=12).collect::<Vec<_>>());
    for lap in &laps {
        assert!((f64::from(lap.last_ms) - lap.line_to_line_ms).abs() <= 0.5 + 1e-3, "{lap:?}");
        assert_eq!(lap.sectors_ms.iter().sum::<i32>(), lap.last_ms);
        assert!(lap.sectors_ms.iter().all(|ms| *ms > 8_000), "{lap:?}");
    }
}

#[test]
fn laps_differ_by_tenths_and_stay_below_forty_seconds() {
    let laps = laps(Settings { pit_every_laps: None, mistakes: false, ..Settings::default() }, 15);
    let times: Vec<i32> = laps.iter().map(|lap| lap.last_ms).collect();
    let (least, most) = (*times.iter().min().unwrap(), *times.iter().max().unwrap());
    assert!(least > 35_000 && most < 40_000, "{times:?}");
    assert!((100..1_500).contains(&(most - least)), "{times:?}");
    assert!(times.windows(2).all(|pair| pair[0] != pair[1]), "{times:?}");
}

#[test]
fn the_best_is_the_least_of_the_valid_ones() {
    let laps = laps(Settings { seed: 5, ..Settings::default() }, 30);
    let invalid = laps.iter().filter(|lap| !lap.valid).count();
    assert!((1..=12).contains(&invalid), "{invalid} of 30 laps are invalid");
    let mut best_ms = NO_TIME_MS;
    for lap in &laps {
        if lap.valid {
            best_ms = best_ms.min(lap.last_ms);
        }
        assert_eq!(lap.best_ms, best_ms, "{lap:?}");
    }
}

#[test]
fn an_invalid_lap_was_off_the_track_and_the_next_one_is_valid_again() {
    let mut off_m = 0f64;
    let mut invalid = 0;
    let mut before = 1;
    drive(Settings { seed: 5, pit_every_laps: None, ..Settings::default() }, Script::new(), |simulation| {
        let page = &simulation.pages().graphics;
        if before == 1 && page.is_valid_lap == 0 {
            invalid += 1;
            off_m = simulation.game().unwrap().car().offset_m.abs();
            assert!((7.0..7.2).contains(&off_m), "{off_m}");
        }
        assert!(page.is_valid_lap == 1 || page.i_current_time > 1_000, "back at the line");
        before = page.is_valid_lap;
        !laps_done(simulation, 30)
    });
    assert!(invalid > 0);
}

#[test]
fn the_difference_to_the_best_lap_becomes_the_difference_of_the_times() {
    let mut before: Option<Pages> = None;
    let mut compared = 0;
    drive(Settings { pit_every_laps: None, mistakes: false, ..Settings::default() }, Script::new(), |simulation| {
        let pages = simulation.pages();
        let page = &pages.graphics;
        if page.completed_laps == 0 {
            assert_eq!((page.i_delta_lap_time, page.i_estimated_lap_time), (0, NO_TIME_MS));
            assert_eq!(page.delta_lap_time.to_string(), "-:--:---");
        }
        let ended = |old: &&Pages| page.completed_laps > 1 && old.graphics.completed_laps + 1 == page.completed_laps;
        if let Some(old) = before.as_ref().filter(ended) {
            let really = page.i_last_time - old.graphics.i_best_time;
            assert!((old.graphics.i_delta_lap_time - really).abs() <= 60, "{really}");
            assert_eq!(old.graphics.is_delta_positive == 1, old.graphics.i_delta_lap_time > 0);
            compared += 1;
        }
        before = Some(pages.clone());
        !laps_done(simulation, 4)
    });
    assert_eq!(compared, 3);
}

#[test]
fn before_the_first_lap_there_are_no_times() {
    let pages = Simulation::driving(Settings::default(), Script::new()).pages().clone();
    let page = &pages.graphics;
    assert_eq!((page.i_last_time, page.i_best_time, page.completed_laps), (NO_TIME_MS, NO_TIME_MS, 0));
    assert_eq!((page.last_time.to_string(), page.current_time.to_string()), ("35791:23:647".into(), "0:00:000".into()));
    assert_eq!((page.status, page.session, page.is_valid_lap), (2, 0, 1));
    assert_eq!((page.car_id[0], page.player_car_id, page.active_cars), (PLAYER_CAR_ID, PLAYER_CAR_ID, 1));
    let names = &pages.static_page;
    assert_eq!((names.car_model.to_string(), names.track.to_string()), ("gametape_gt".into(), "gametape ring".into()));
    assert_eq!((names.player_name.to_string(), names.player_surname.to_string()), ("Driver".into(), "1".into()));
    assert_eq!((names.sector_count, names.max_rpm), (3, 9_250));
}

#[test]
fn a_session_that_runs_out_is_followed_by_the_next() {
    let settings = Settings { session_ms: Some(60_000), ..Settings::default() };
    let pages =
        at_ms(Simulation::driving(settings, Script::new()).with_rates(Rates::EVERY_MS), &[59_999, 60_000, 60_001]);
    let shown: Vec<_> =
        pages.iter().map(|pages| &pages.graphics).map(|g| (g.session_index, g.completed_laps)).collect();
    assert_eq!(shown, [(0, 1), (1, 0), (1, 0)]);
    assert_eq!(pages[0].graphics.session_time_left, 1.0);
    assert_eq!(pages[1].graphics.session_time_left, 60_000.0);
}
