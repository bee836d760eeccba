//! The datagrams of Forza and the rally games, read back by the code of these games.
use super::*;
use gametape_games::{Game, LapFrame, Presence, Sample, SeenFrame, find_game};

/// Lap times of the board, and those that the game's code finds in the datagrams.
struct Drive {
    board_ms: Vec<i32>,
    found_ms: Vec<u32>,
    datagrams: usize,
}

/// Drives some laps and reads the datagrams of every millisecond. `each` compares the car with what was read.
fn laps_of(game_id: &str, settings: Settings, laps: i32, mut each: impl FnMut(&Simulation, &Sample)) -> Drive {
    let game: &'static Game = find_game(game_id).unwrap();
    let mut encoder = datagram_encoder(game_id).unwrap();
    let (mut decoder, mut reader) = (game.rules.decoder(), game.rules.laps());
    let (mut sample, mut lap, mut out) = (Sample::default(), LapFrame::default(), Datagrams::default());
    let (mut completed, mut counted) = (0, None);
    let mut found = Drive { board_ms: Vec::new(), found_ms: Vec::new(), datagrams: 0 };
    drive(settings, Script::new(), |simulation| {
        let board = simulation.board();
        if board.completed_laps > completed {
            completed = board.completed_laps;
            found.board_ms.extend(board.last_ms);
        }
        out.clear();
        encoder.encode(simulation.ms(), simulation.game().unwrap(), &mut out);
        for bytes in out.iter() {
            found.datagrams += 1;
            let stream = game.rules.datagram(bytes, &mut Vec::new()).expect("not one of this game's");
            let layout = game.stream(stream).unwrap().layout_of(bytes.len() as u32).unwrap();
            let frame = SeenFrame { stream, layout, bytes };
            decoder.frame(frame, &mut sample);
            assert!(reader.frame(frame, &mut lap));
            assert_eq!((lap.presence, sample.presence), (Presence::Live, Some(Presence::Live)));
            each(simulation, &sample);
            if counted.is_some_and(|counted| Some(counted) < lap.laps_completed) {
                found.found_ms.extend(lap.last_ms);
            }
            counted = lap.laps_completed;
        }
        !laps_done(simulation, laps) || found.found_ms.len() < laps as usize
    });
    found
}

fn settings() -> Settings {
    Settings { pit_every_laps: None, ..Settings::default() }
}

/// What the car does is what its datagrams say.
fn assert_same(simulation: &Simulation, sample: &Sample) {
    let car = simulation.game().unwrap().car();
    let near = |read: Option<f32>, real: f64, by: f64| (f64::from(read.unwrap()) - real).abs() <= by;
    assert!(near(sample.speed_kmh, car.speed_over_road_ms() * 3.6, 0.01));
    assert!(near(sample.rpm, car.engine.rpm, 0.01));
    assert!(near(sample.throttle, car.gas, 0.003) && near(sample.brake, car.brake, 0.003));
    assert!(near(sample.steering, car.steering(), 0.005));
    let [x, _, z] = sample.world_m.unwrap();
    assert!(near(Some(x), car.x, 0.01) && near(Some(z), car.z, 0.01));
    if car.engine.gear > 0 {
        assert_eq!(sample.gear, Some(car.engine.gear as i8));
    }
}

#[test]
fn both_series_of_forza_have_the_laps_of_the_board() {
    for game_id in ["forza-motorsport", "forza-horizon"] {
        let drive = laps_of(game_id, settings(), 4, |simulation, sample| {
            assert_same(simulation, sample);
            let (car, board) = (simulation.game().unwrap().car(), simulation.board());
            assert!((f64::from(sample.lateral_g.unwrap()) * 9.806_65 + car.left_ms2).abs() < 0.01);
            if game_id == "forza-motorsport" && board.timer_runs {
                let lap_m = f64::from(sample.lap_distance_m.unwrap());
                assert!((lap_m - car.along_m).abs() < 2.0, "{lap_m} and {}", car.along_m);
            }
        });
        let found: Vec<i32> = drive.found_ms.iter().map(|ms| *ms as i32).collect();
        assert_eq!((found, drive.board_ms.len()), (drive.board_ms.clone(), 4), "{game_id}");
        assert!(drive.datagrams > 8_000, "{}", drive.datagrams);
    }
}

#[test]
fn the_extradata_format_has_the_laps_and_sectors_of_the_board() {
    let drive = laps_of("dirt-rally", settings(), 4, |simulation, sample| {
        assert_same(simulation, sample);
        let board = simulation.board();
        assert_eq!(sample.sector.map(i32::from), Some(board.sector));
        assert!((0.0..1.0).contains(&sample.track_position.unwrap()));
    });
    let found: Vec<i32> = drive.found_ms.iter().map(|ms| *ms as i32).collect();
    assert_eq!((found, drive.board_ms.len()), (drive.board_ms.clone(), 4));
}

/// The game reports no lap time: it is interpolated between updates, which are 17 ms apart.
#[test]
fn runs_of_wrc_have_the_times_of_the_board_to_a_few_milliseconds() {
    let drive = laps_of("ea-wrc", settings(), 4, |simulation, sample| {
        assert_same(simulation, sample);
    });
    assert_eq!((drive.found_ms.len(), drive.board_ms.len()), (4, 4));
    for (found, board) in drive.found_ms.iter().zip(&drive.board_ms) {
        assert!((*found as i32 - board).abs() <= 3, "{found} and {board}");
    }
}
