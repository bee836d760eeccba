//! The effect of each script step, without a car and over the driving one.
use super::*;

fn bare_at(script: Script, times_ms: &[u64]) -> Vec<Pages> {
    let last_ms = *times_ms.last().unwrap();
    at_ms(Simulation::bare(script.at(last_ms).end()), times_ms)
}

fn driving_at(script: Script, times_ms: &[u64]) -> Vec<Pages> {
    let settings = Settings { mistakes: false, ..Settings::default() };
    at_ms(Simulation::driving(settings, script).with_rates(Rates::EVERY_MS), times_ms)
}

#[test]
fn values_are_set_at_their_millisecond_and_not_before() {
    let script = Script::new()
        .at(1_000)
        .status(Status::Replay)
        .session(SessionKind::Superpole)
        .session_index(4)
        .completed_laps(7)
        .current_ms(48_000)
        .last_ms(Some(100_400))
        .best_ms(Some(99_000))
        .sector(2)
        .last_sector_ms(65_200)
        .cut()
        .in_box(true)
        .in_pit_lane(true)
        .time_left_ms(Some(600_000.0))
        .clock_s(3_600.0)
        .distance_m(1_234.0)
        .position(0.5)
        .flag(4)
        .penalty(6)
        .tyre_set(2)
        .setup_menu(true)
        .fuel_l(12.5)
        .car("car 2")
        .track("track 2")
        .driver_swap("Driver", "2", 1002)
        .sector_count(9)
        .online(true)
        .red(true)
        .rain(3, 5);
    let pages = bare_at(script, &[999, 1_000, 1_010]);
    let (g, later) = (&pages[1].graphics, &pages[2].graphics);
    assert_eq!((g.status, g.session, g.session_index, g.completed_laps, g.number_of_laps), (1, 8, 4, 7, 7));
    assert_eq!(
        (g.i_current_time, later.i_current_time, g.current_time.to_string()),
        (48_000, 48_010, "0:48:000".into())
    );
    assert_eq!((g.i_last_time, g.last_time.to_string()), (100_400, "1:40:400".into()));
    assert_eq!((g.i_best_time, g.best_time.to_string()), (99_000, "1:39:000".into()));
    assert_eq!((g.current_sector_index, g.last_sector_time, g.i_split, g.is_valid_lap), (2, 65_200, 65_200, 0));
    assert_eq!(
        (g.is_in_pit, g.is_in_pit_lane, g.session_time_left, later.session_time_left),
        (1, 1, 600_000.0, 599_990.0)
    );
    assert_eq!((g.clock, g.distance_traveled, g.normalized_car_position), (3_600.0, 1_234.0, 0.5));
    assert_eq!((g.flag, g.penalty, g.current_tyre_set, g.is_setup_menu_visible), (4, 6, 2, 1));
    assert_eq!((g.global_red, g.rain_intensity, g.track_grip_status), (1, 3, 5));
    assert_eq!((g.player_car_id, g.car_id[0], pages[1].physics.fuel), (1002, 1002, 12.5));
    let names = &pages[1].static_page;
    assert_eq!((names.car_model.to_string(), names.track.to_string()), ("car 2".into(), "track 2".into()));
    assert_eq!((names.player_surname.to_string(), names.sector_count, names.is_online), ("2".into(), 9, 1));
    let before = &pages[0];
    assert_eq!((before.graphics.status, before.graphics.completed_laps, before.graphics.penalty), (2, 0, 0));
    assert_eq!((before.graphics.i_last_time, before.static_page.sector_count), (NO_TIME_MS, 3));
}

#[test]
fn the_driving_car_goes_on_from_what_was_set() {
    let script =
        Script::new().at(10_000).completed_laps(5).current_ms(50_000).cut().fuel_l(9.0).penalty(2).last_ms(Some(1));
    let pages = driving_at(script, &[10_000, 12_000, 60_000]);
    let (g, later, next) = (&pages[0].graphics, &pages[1].graphics, &pages[2].graphics);
    assert_eq!((g.completed_laps, g.i_current_time, g.is_valid_lap, g.i_last_time, g.penalty), (5, 50_000, 0, 1, 2));
    assert!(pages[1].physics.fuel < 9.0 && pages[1].physics.fuel > 8.8);
    assert_eq!((later.i_current_time, later.penalty), (52_000, 2));
    assert_eq!((next.completed_laps, next.is_valid_lap), (6, 1));
    assert!(next.i_last_time > 70_000, "{}", next.i_last_time);
    assert_eq!(next.i_best_time, NO_TIME_MS, "the lap was cut");
}

#[test]
fn a_pause_stops_all_time_and_numbers_and_costs_the_lap_nothing() {
    for run in [bare_at, driving_at] {
        let script = Script::new().at(5_000).time_left_ms(Some(1e6)).pause(360_000).wait(1_000);
        let pages = run(script, &[4_999, 5_000, 5_001, 200_000, 364_999, 365_000, 365_001]);
        let statuses: Vec<i32> = pages.iter().map(|pages| pages.graphics.status).collect();
        assert_eq!(statuses, [2, 3, 3, 3, 3, 2, 2]);
        assert_eq!(pages[1], pages[4], "nothing moves");
        let left = |index: usize| pages[index].graphics.session_time_left;
        assert_eq!((left(1), left(5), left(6)), (1e6, 1e6, 1e6 - 1.0));
        assert_eq!(pages[6].graphics.i_current_time, pages[1].graphics.i_current_time + 1);
        assert_eq!(pages[6].physics.packet_id, pages[4].physics.packet_id + 2, "written again from 365 s on");
    }
}

#[test]
fn a_replay_stands_too_and_a_frozen_game_says_that_it_is_live() {
    for run in [bare_at, driving_at] {
        let pages = run(Script::new().at(3_000).replay(2_000), &[3_000, 4_999, 5_000]);
        assert_eq!(pages[0], pages[1]);
        assert_eq!((pages[1].graphics.status, pages[2].graphics.status), (1, 2));
        let pages = run(Script::new().at(3_000).freeze(2_000), &[2_999, 3_000, 4_999, 5_000, 5_001]);
        assert_eq!(pages[0], pages[2]);
        assert_eq!((pages[2].graphics.status, pages[2].graphics.packet_id), (2, pages[0].graphics.packet_id));
        assert_ne!(pages[2], pages[3]);
        assert_eq!(pages[4].graphics.i_current_time, pages[0].graphics.i_current_time + 2, "its time stood");
    }
}

#[test]
fn a_restart_begins_the_same_session_anew() {
    let script = Script::new().at(50_000).restart();
    let pages = driving_at(script, &[0, 49_999, 50_000, 50_010]);
    let (first, old, new) = (&pages[0].graphics, &pages[1].graphics, &pages[2].graphics);
    assert_eq!((old.completed_laps, new.completed_laps, new.i_last_time), (1, 0, NO_TIME_MS));
    assert_eq!((new.session, new.session_index), (old.session, old.session_index));
    assert!(new.session_time_left > old.session_time_left + 49_000.0 && new.clock < old.clock);
    assert!(new.distance_traveled < 10.0 && old.distance_traveled > 1_500.0);
    assert_eq!(first.car_coordinates[0], new.car_coordinates[0]);
    assert!(new.packet_id > old.packet_id);

    let script = Script::new().session_length_ms(Some(9e5)).completed_laps(5).at(41_000).restart();
    let pages = bare_at(script, &[40_999, 41_000, 41_200]);
    let (old, new) = (&pages[0].graphics, &pages[2].graphics);
    assert_eq!((old.completed_laps, old.i_current_time, old.session_time_left), (5, 40_999, 859_001.0));
    assert_eq!((new.completed_laps, new.i_current_time, new.session_time_left), (0, 200, 899_800.0));
    assert!(new.clock < old.clock);
}

#[test]
fn a_new_session_has_the_next_number_and_no_laps() {
    for run in [bare_at, driving_at] {
        let script = Script::new().at(45_000).completed_laps(3).at(45_100).new_session(SessionKind::Qualify);
        let pages = run(script, &[45_099, 45_100]);
        let shown = |index: usize| {
            let page = &pages[index].graphics;
            (page.session, page.session_index, page.completed_laps)
        };
        assert_eq!((shown(0), shown(1)), ((0, 0, 3), (1, 1, 0)));
    }
}

#[test]
fn a_return_to_the_garage_loses_the_lap_and_keeps_the_session() {
    for run in [bare_at, driving_at] {
        let script = Script::new()
            .time_left_ms(Some(1e6))
            .at(20_000)
            .completed_laps(3)
            .distance_m(900.0)
            .at(20_100)
            .return_to_garage();
        let pages = run(script, &[20_099, 20_100, 21_000]);
        let (old, new, later) = (&pages[0].graphics, &pages[1].graphics, &pages[2].graphics);
        assert!(old.i_current_time > 15_000 && old.distance_traveled >= 900.0);
        assert_eq!((new.is_in_pit, new.is_in_pit_lane, new.i_current_time, new.completed_laps), (1, 1, 0, 3));
        assert_eq!((new.distance_traveled, later.i_current_time, later.is_in_pit), (0.0, 0, 1));
        assert_eq!(new.session_time_left, old.session_time_left - 1.0);
    }
}

#[test]
fn a_teleport_moves_the_car_at_once() {
    for run in [bare_at, driving_at] {
        let pages = run(Script::new().at(8_000).teleport(0.75), &[7_999, 8_000]);
        let [old, new] = [0, 1].map(|index: usize| &pages[index].graphics);
        assert!((new.normalized_car_position - 0.75).abs() < 1e-4, "{}", new.normalized_car_position);
        assert!((old.car_coordinates[0][0] - new.car_coordinates[0][0]).abs() > 50.0);
        assert_eq!(new.i_current_time, old.i_current_time + 1);
    }
}

#[test]
fn the_driver_comes_in_and_runs_wide_when_told() {
    let pages = driving_at(Script::new().at(5_000).enter_pit(), &[60_000]);
    assert!(pages[0].graphics.completed_laps >= 1 && pages[0].physics.fuel > 55.0, "{}", pages[0].physics.fuel);
    let pages = driving_at(Script::new().at(20_000).run_wide(), &[20_000, 30_000]);
    assert_eq!((pages[0].graphics.is_valid_lap, pages[1].graphics.is_valid_lap), (1, 0));
    let pages = bare_at(Script::new().at(10).enter_pit().run_wide(), &[9, 10]);
    let shown = |index: usize| (pages[index].graphics.is_in_pit_lane, pages[index].graphics.is_valid_lap);
    assert_eq!((shown(0), shown(1)), ((0, 1), (1, 0)));
}

#[test]
fn a_poke_lasts_until_the_game_writes_and_a_hold_as_long_as_it_says() {
    let script = Script::new()
        .at(1_000)
        .poke(|pages, _| (pages.graphics.completed_laps, pages.graphics.rain_tyres) = (99, 1))
        .at(2_000)
        .hold(500, |pages, ms| pages.graphics.completed_laps = ms as i32)
        .at(3_000)
        .zeroed(16);
    let settings = Settings::default();
    let pages = at_ms(
        Simulation::driving(settings, script).with_rates(Rates { physics_hz: 333, graphics_hz: 50 }),
        &[999, 1_000, 1_019, 1_020, 1_999, 2_000, 2_499, 2_500, 2_999, 3_000, 3_015, 3_016],
    );
    let laps: Vec<i32> = pages.iter().map(|pages| pages.graphics.completed_laps).collect();
    assert_eq!(laps, [0, 99, 99, 0, 0, 2_000, 2_499, 0, 0, 0, 0, 0]);
    assert_eq!(pages[3].graphics.rain_tyres, 1, "the game does not write it");
    assert_eq!((pages[9].clone(), pages[10].clone()), (Pages::default(), Pages::default()));
    assert_eq!((pages[8].static_page, pages[8].graphics.status), (pages[11].static_page, 2));
}

#[test]
fn a_gap_has_no_samples_and_the_game_goes_on_meanwhile() {
    let script = Script::new().gap(0).at(1_000).gap(2_000).at(1_500).completed_laps(1).at(4_000);
    let samples: Vec<(u64, Pages)> = Simulation::bare(script).sample(100).collect();
    let times_ms: Vec<u64> = samples.iter().map(|(ns, _)| ns / 1_000_000).collect();
    assert_eq!(times_ms.len(), 100 + 101);
    assert!(
        times_ms.contains(&990)
            && times_ms.contains(&3_000)
            && !times_ms.contains(&1_000)
            && !times_ms.contains(&2_990)
    );
    assert_eq!((samples[99].1.graphics.completed_laps, samples[100].1.graphics.completed_laps), (0, 1));
    assert_eq!(samples[100].1.graphics.i_current_time, 3_000);
}

#[test]
fn a_crash_ends_the_samples_and_leaves_the_pages_as_they_were() {
    let mut samples = Simulation::driving(Settings::default(), Script::new().at(2_000).game_crash()).sample(100);
    assert_eq!(samples.by_ref().count(), 200);
    let simulation = samples.simulation();
    assert!(simulation.is_over() && simulation.is_crashed());
    assert_eq!(simulation.pages().graphics.status, 2);
}

#[test]
fn a_script_ends_where_its_cursor_is_or_where_it_says() {
    assert_eq!(Simulation::bare(Script::new().wait(1_000)).sample(10).count(), 11);
    assert_eq!(Simulation::bare(Script::new().wait(1_000).end().wait(500).cut()).sample(10).count(), 11);
    assert_eq!(Simulation::driving(Settings::default(), Script::new().wait(1_000).end()).sample(10).count(), 11);
    let endless = Simulation::driving(Settings::default(), Script::new().wait(1_000)).sample(10);
    assert_eq!(endless.take(50).count(), 50);
}

#[test]
fn a_scripted_lap_looks_like_one_of_the_game() {
    let script = Script::new().completed_laps(3).lap(&[30_500, 34_700, 35_200]).wait(10);
    let pages = bare_at(script, &[30_499, 30_500, 65_200, 100_399, 100_400]);
    let shown: Vec<_> = pages
        .iter()
        .map(|pages| &pages.graphics)
        .map(|g| (g.completed_laps, g.current_sector_index, g.last_sector_time, g.i_current_time, g.i_last_time))
        .collect();
    assert_eq!(shown[0], (3, 0, 0, 30_499, NO_TIME_MS));
    assert_eq!(shown[1], (3, 1, 30_500, 30_500, NO_TIME_MS));
    assert_eq!(shown[2], (3, 2, 65_200, 65_200, NO_TIME_MS));
    assert_eq!(shown[3], (3, 2, 65_200, 100_399, NO_TIME_MS));
    assert_eq!(shown[4], (4, 0, 65_200, 0, 100_400));
    let positions: Vec<f32> = pages.iter().map(|pages| pages.graphics.normalized_car_position).collect();
    assert!((positions[1] - 1.0 / 3.0).abs() < 1e-4 && positions[3] > 0.999 && positions[4] == 0.0, "{positions:?}");
}
