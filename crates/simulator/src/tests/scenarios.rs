//! Scripts can express every irregularity that lap tracking has to handle: one example each.
use super::*;

type Shown = (i32, i32, i32, i32);

/// Laps, sector, time of the running lap and time of the last one, at some milliseconds.
fn shown(script: Script, times_ms: &[u64]) -> Vec<Shown> {
    let last_ms = *times_ms.last().unwrap();
    let pages = at_ms(Simulation::bare(script.at(last_ms).end()), times_ms);
    let graphics = pages.iter().map(|pages| &pages.graphics);
    graphics.map(|g| (g.completed_laps, g.current_sector_index, g.i_current_time, g.i_last_time)).collect()
}

#[test]
fn the_timer_falls_a_frame_before_the_lap_counts() {
    let script =
        Script::new().sectors(&[300, 300, 300]).current_ms(0).sector(0).wait(16).completed_laps(1).last_ms(Some(900));
    let seen = shown(script, &[899, 900, 915, 916]);
    assert_eq!(seen, [(0, 2, 899, NO_TIME_MS), (0, 0, 0, NO_TIME_MS), (0, 0, 15, NO_TIME_MS), (1, 0, 16, 900)]);
}

#[test]
fn the_lap_counts_a_frame_before_its_time_is_there() {
    let script = Script::new().last_ms(Some(777)).sectors(&[300, 300, 300]).completed_laps(1).current_ms(0).sector(0);
    let seen = shown(script.wait(16).last_ms(Some(900)), &[899, 900, 916]);
    assert_eq!(seen, [(0, 2, 899, 777), (1, 0, 0, 777), (1, 0, 16, 900)]);
}

#[test]
fn the_time_of_a_lap_never_comes() {
    let script = Script::new().sectors(&[300, 300, 300]).completed_laps(1).current_ms(0).sector(0).wait(3_000);
    assert_eq!(shown(script, &[3_900]), [(1, 0, 3_000, NO_TIME_MS)]);
}

#[test]
fn a_sector_is_missed_in_a_gap() {
    let script = Script::new().lap(&[300, 300, 300]).wait(100).at(250).gap(200).at(900).wait(100);
    let sectors: Vec<i32> = Simulation::bare(script)
        .sample(100)
        .map(|(_, pages)| pages.graphics.current_sector_index)
        .fold(Vec::new(), |mut seen, sector| {
            if seen.last() != Some(&sector) {
                seen.push(sector);
            }
            seen
        });
    assert_eq!(sectors, [0, 1, 2, 0]);
    let script = Script::new().lap(&[300, 300, 300]).at(250).gap(400).at(1_000);
    let first_after_gap = Simulation::bare(script).sample(100).find(|(ns, _)| *ns >= 650_000_000).unwrap().1;
    assert_eq!((first_after_gap.graphics.current_sector_index, first_after_gap.graphics.last_sector_time), (2, 600));
}

#[test]
fn a_cut_in_the_last_moments_is_gone_with_the_line() {
    let pages = at_ms(
        Simulation::bare(Script::new().at(99_600).cut().at(0).lap(&[30_000, 35_000, 35_000]).wait(10)),
        &[99_599, 99_600, 99_999, 100_000],
    );
    let valid: Vec<i32> = pages.iter().map(|pages| pages.graphics.is_valid_lap).collect();
    assert_eq!(valid, [1, 0, 0, 1]);
    assert_eq!(pages[3].graphics.i_best_time, NO_TIME_MS);
}

#[test]
fn a_stop_over_two_laps_with_fuel_and_tyres() {
    let script = Script::new()
        .fuel_l(20.0)
        .sectors(&[300, 300, 300])
        .at(800)
        .in_pit_lane(true)
        .at(900)
        .set(|board| board.finish_lap(900))
        .wait(100)
        .in_box(true)
        .fuel_l(60.0)
        .tyre_set(2)
        .wait(5_000)
        .in_box(false)
        .wait(100)
        .in_pit_lane(false);
    let pages = at_ms(Simulation::bare(script.wait(10)), &[799, 900, 1_000, 6_000, 6_100]);
    let states: Vec<_> = pages
        .iter()
        .map(|p| (p.graphics.is_in_pit_lane, p.graphics.is_in_pit, p.graphics.completed_laps, p.physics.fuel))
        .collect();
    assert_eq!(states, [(0, 0, 0, 20.0), (1, 0, 1, 20.0), (1, 1, 1, 60.0), (1, 0, 1, 60.0), (0, 0, 1, 60.0)]);
}

#[test]
fn a_server_corrects_the_time_left_and_a_game_joins_in_the_middle() {
    let script = Script::new().completed_laps(7).current_ms(48_000).time_left_ms(Some(600_000.0));
    let pages = at_ms(Simulation::bare(script.at(1_000).time_left_ms(Some(602_000.0)).wait(10)), &[0, 999, 1_000]);
    assert_eq!((pages[0].graphics.i_current_time, pages[0].graphics.completed_laps), (48_000, 7));
    assert_eq!((pages[1].graphics.session_time_left, pages[2].graphics.session_time_left), (599_001.0, 602_000.0));
}

#[test]
fn a_session_rolls_over_while_a_replay_is_watched() {
    let script = Script::new()
        .at(1_000)
        .status(Status::Replay)
        .time_runs(false)
        .wait(60_000)
        .new_session(SessionKind::Race)
        .time_runs(true)
        .status(Status::Live);
    let pages = at_ms(Simulation::bare(script.wait(10)), &[60_999, 61_000]);
    let states: Vec<_> =
        pages.iter().map(|p| (p.graphics.status, p.graphics.session, p.graphics.session_index)).collect();
    assert_eq!(states, [(1, 0, 0), (2, 2, 1)]);
}

#[test]
fn a_lap_ends_just_before_the_game_goes_to_its_menu() {
    let script = Script::new().lap(&[300, 300, 300]).wait(50).status(Status::Off).wait(1_000);
    let pages = at_ms(Simulation::bare(script), &[900, 949, 950]);
    let states: Vec<_> = pages.iter().map(|p| (p.graphics.status, p.graphics.i_last_time)).collect();
    assert_eq!(states, [(2, 900), (2, 900), (0, 900)]);
}

#[test]
fn a_race_ends_with_a_flag_a_lap_and_a_slow_one() {
    let script = Script::new()
        .session(SessionKind::Race)
        .chequered(true)
        .lap(&[300, 300, 300])
        .sectors(&[400, 400])
        .status(Status::Off)
        .wait(10);
    let pages = at_ms(Simulation::bare(script), &[100, 901, 1_700]);
    let states: Vec<_> = pages
        .iter()
        .map(|p| (p.graphics.status, p.graphics.global_chequered, p.graphics.flag, p.graphics.completed_laps))
        .collect();
    assert_eq!(states, [(2, 1, 5, 0), (2, 1, 5, 1), (0, 1, 5, 1)]);
}

#[test]
fn a_place_that_is_no_number_and_one_beyond_the_lap() {
    let script = Script::new().position(f64::NAN).wait(10).position(-0.2).wait(10).position(1.7).wait(10);
    let pages = at_ms(Simulation::bare(script), &[5, 15, 25]);
    let places: Vec<f32> = pages.iter().map(|p| p.graphics.normalized_car_position).collect();
    assert!(places[0].is_nan() && places[1] == -0.2 && places[2] == 1.7, "{places:?}");
}

#[test]
fn a_replay_from_the_menu_and_somebody_elses_car() {
    let script = Script::new().status(Status::Replay).lap(&[300, 300, 300]).poke(|pages, _| {
        (pages.graphics.active_cars, pages.graphics.car_id[1], pages.graphics.player_car_id) = (2, 1002, 1002);
    });
    let pages = at_ms(Simulation::bare(script.wait(10)), &[899, 905]);
    assert_eq!((pages[0].graphics.status, pages[1].graphics.completed_laps), (1, 1));
    assert_eq!((pages[1].graphics.player_car_id, pages[1].graphics.car_id[0]), (1002, PLAYER_CAR_ID));
    assert_ne!(pages[1].graphics.car_coordinates[1], [0.0; 3], "the place is that of the car which is followed");
}

#[test]
fn assetto_corsa_shows_the_time_of_each_sector_alone() {
    let script = Script::new().sectors_alone().lap(&[30_500, 34_700, 35_200]).restart().lap(&[100, 200, 300]).wait(10);
    let pages = at_ms(Simulation::bare(script), &[30_500, 65_200, 100_401, 100_700]);
    let times: Vec<i32> = pages.iter().map(|pages| pages.assetto_corsa().graphics.last_sector_time).collect();
    assert_eq!(times, [30_500, 34_700, 0, 200]);
    let (acc, ac) = (&pages[0], pages[0].assetto_corsa());
    assert_eq!((ac.graphics.i_current_time, ac.static_page.car_model), (30_500, acc.static_page.car_model));
    assert_eq!(ac.graphics.car_coordinates, acc.graphics.car_coordinates[0]);
    assert_eq!(ac.physics.fuel, acc.physics.fuel);
}
