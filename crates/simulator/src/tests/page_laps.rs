//! Games with one page of shared memory: their own rules and lap readers find the laps of the board in what the encoders write.
use gametape_games::{CarStanding, LapFrame, LapRecord, Presence, Sample, SectorValue, Seen, SeenFrame, find_game};

use super::*;

/// What a game's code makes of its pages.
struct Found {
    /// Lap number, last lap time, and when the lap was counted.
    laps: Vec<(u32, Option<u32>, u64)>,
    records: Vec<LapRecord>,
    sectors: Vec<SectorValue>,
    valid: Vec<Option<bool>>,
    cars: Vec<CarStanding>,
    sample: Sample,
    about: gametape_games::About,
}

/// A lap of the board: its time, whether it counts, and when it ended.
type BoardLap = (u32, bool, u64);

/// Drives until the board has this many laps.
fn drive_and_read(id: &str, laps: i32) -> (Found, Vec<BoardLap>) {
    let game = find_game(id).unwrap();
    let stream = game.streams.iter().find(|stream| stream.section().is_some()).unwrap();
    let (mut encoder, mut page) = (page_encoder(id).expect("an encoder"), Vec::new());
    let (mut decoder, mut reader, mut standings) = (game.rules.decoder(), game.rules.laps(), game.rules.standings());
    let (mut sample, mut frame, mut before) = (Sample::default(), LapFrame::default(), None::<LapFrame>);
    let (mut board_laps, mut was_valid): (Vec<BoardLap>, bool) = (Vec::new(), true);
    let mut found = Found {
        laps: Vec::new(),
        records: Vec::new(),
        sectors: Vec::new(),
        valid: Vec::new(),
        cars: Vec::new(),
        sample,
        about: gametape_games::About::default(),
    };
    drive(Settings { pit_every_laps: None, ..Settings::default() }, Script::new(), |simulation| {
        let driven = simulation.game().unwrap();
        if driven.board.completed_laps as usize > board_laps.len() {
            board_laps.push((driven.board.last_ms.unwrap() as u32, was_valid, simulation.ms()));
        }
        was_valid = driven.board.valid;
        if encoder.encode(simulation.ms(), driven, &mut page) {
            let layout = stream.layout_of(page.len() as u32).expect("a layout of this length");
            let said = game.rules.frame_bytes(stream.name, &page);
            assert!(said.is_none_or(|said| said as usize == page.len()), "{id}: {said:?}");
            let seen = SeenFrame { stream: stream.name, layout, bytes: &page };
            assert_eq!(
                (game.rules.is_it(Seen(&[seen])), game.rules.presence(Seen(&[seen]))),
                (Some(true), Presence::Live)
            );
            let mut section = page.clone();
            section.resize(stream.section_bytes().unwrap() as usize, 0);
            let front = &section[..section.len().min(gametape_games::FRONT_BYTES)];
            assert_eq!(game.rules.stream_of(section.len() as u64, front), Some(stream.name), "{id}");
            decoder.frame(seen, &mut sample);
            let kmh = f64::from(sample.speed_kmh.unwrap());
            assert!((kmh / 3.6 - driven.car().speed_ms).abs() < 3.0, "{id}: {kmh} km/h");
            if let Some(standings) = &mut standings {
                assert!(standings.frame(seen));
            }
            if reader.frame(seen, &mut frame) {
                let done = |frame: &LapFrame| frame.laps_completed.unwrap();
                if before.as_ref().is_some_and(|before| done(before) < done(&frame)) {
                    found.laps.push((done(&frame), frame.last_ms, simulation.ms()));
                    found.valid.push(before.and_then(|before| before.valid));
                }
                if let Some(record) = frame.record.filter(|record| found.records.last() != Some(record)) {
                    found.records.push(record);
                }
                if frame.sector_value != SectorValue::None && found.sectors.last() != Some(&frame.sector_value) {
                    found.sectors.push(frame.sector_value);
                }
                before = Some(frame);
            }
            found.about = game.rules.about(Seen(&[seen]));
        }
        // A second longer, for times that follow.
        !(laps_done(simulation, laps) && driven.board.current_ms > 1_000.0)
    });
    found.sample = sample;
    found.cars = standings.iter().flat_map(|standings| standings.cars()).cloned().collect();
    (found, board_laps)
}

/// Asserts that every lap is found when it ends, and that the record of a lap is that of the board.
fn assert_laps(id: &str, found: &Found, board: &[BoardLap]) {
    assert_eq!(found.laps.len(), board.len(), "{id}");
    for ((number, _, at_ms), (index, (_, _, ended_ms))) in found.laps.iter().zip(board.iter().enumerate()) {
        assert_eq!(*number as usize, index + 1, "{id}");
        assert!(at_ms - ended_ms < 40, "{id}: lap {number} at {at_ms}, {ended_ms} on the board");
    }
    for record in &found.records {
        let (time_ms, ..) = board[record.lap as usize - 1];
        assert_eq!(record.time_ms, Some(time_ms), "{id}: {record:?}");
        let sum: Option<u32> = record.sectors_ms.iter().copied().sum();
        assert!(sum.is_some_and(|sum| sum.abs_diff(time_ms) <= 2), "{id}: {record:?}");
    }
}

#[test]
fn raceroom_has_the_laps_and_sectors_of_the_board() {
    let (found, board) = drive_and_read("raceroom", 14);
    assert_laps("raceroom", &found, &board);
    // The first lap may begin before the recording; laps that do not count have no time.
    let counted = board.iter().filter(|(_, valid, _)| *valid).count();
    assert!(board.len() > counted, "no lap of this drive is invalid");
    assert_eq!(found.records.len(), counted);
    let valid: Vec<Option<bool>> = board.iter().map(|(_, valid, _)| Some(*valid)).collect();
    assert_eq!(found.valid, valid);
    assert!(found.sectors.iter().all(|value| matches!(value, SectorValue::Cumulative(_))));
    assert_eq!((found.about.track.as_deref(), found.about.car.as_deref()), (Some("gametape ring"), Some("model 4587")));
    assert_eq!(found.about.session.as_deref(), Some("practice"));
    assert_standings("raceroom", &found, &board, true);
}

#[test]
fn automobilista_2_has_the_laps_and_sectors_of_the_board() {
    let (found, board) = drive_and_read("automobilista-2", 14);
    assert_laps("automobilista-2", &found, &board);
    assert_eq!(found.records.len(), board.len());
    let last: Vec<Option<u32>> = board.iter().map(|(time_ms, ..)| Some(*time_ms)).collect();
    assert_eq!(found.laps.iter().map(|(_, last_ms, _)| *last_ms).collect::<Vec<_>>(), last);
    let valid: Vec<Option<bool>> = board.iter().map(|(_, valid, _)| Some(*valid)).collect();
    assert_eq!(found.valid, valid);
    assert!(found.sectors.iter().all(|value| matches!(value, SectorValue::Own(_))));
    assert_standings("automobilista-2", &found, &board, false);
    assert_eq!(found.sample.abs_level, Some(4));
}

#[test]
fn the_page_of_project_cars_has_laps_without_other_cars_times() {
    let (found, board) = drive_and_read("project-cars", 3);
    assert_laps("project-cars", &found, &board);
    assert_eq!(found.records.len(), board.len());
    assert_eq!(found.cars.len(), 10);
    assert!(found.cars.iter().all(|car| car.position.is_some() && car.last_ms.is_none()));
}

/// Asserts that the standings have all cars, the laps of the board, and those of the rivals.
fn assert_standings(id: &str, found: &Found, board: &[BoardLap], only_valid: bool) {
    assert_eq!(found.cars.len(), 10, "{id}");
    let mut positions: Vec<u16> = found.cars.iter().filter_map(|car| car.position).collect();
    positions.sort_unstable();
    assert_eq!(positions, (1..=10).collect::<Vec<_>>(), "{id}");
    let own = found.cars.iter().find(|car| car.is_player).unwrap();
    assert_eq!(own.name.as_deref(), Some("Driver 1"));
    for (lap, (time_ms, valid, _)) in own.laps.iter().zip(board).skip(1) {
        let known = *valid || !only_valid;
        assert_eq!(lap.time_ms, known.then_some(*time_ms), "{id}: {lap:?}");
        let sum: Option<u32> = lap.sectors_ms.iter().copied().sum();
        assert!(!known || sum.is_some_and(|sum| sum.abs_diff(*time_ms) <= 2), "{id}: {lap:?}");
    }
    for car in found.cars.iter().filter(|car| !car.is_player) {
        let timed = car.laps.iter().filter(|lap| lap.time_ms.is_some()).count();
        assert!(timed >= 10 && car.best_ms.is_some(), "{id}: {car:?}");
    }
}

#[test]
fn trackmania_has_a_lap_for_each_lap_of_a_race() {
    let (found, board) = drive_and_read("trackmania", 32);
    assert_laps("trackmania", &found, &board);
    assert_eq!(found.records.len(), board.len());
    assert_eq!(found.about.track.as_deref(), Some("gametape ring"), "without codes for colours");
    assert!(found.sectors.iter().all(|value| matches!(value, SectorValue::Cumulative(_))));
}

#[test]
fn trucks_have_a_session_for_each_job() {
    for (id, car) in [("euro-truck-simulator-2", 1), ("american-truck-simulator", 2)] {
        let game = find_game(id).unwrap();
        let (mut encoder, mut page) = (page_encoder(id).expect("an encoder"), Vec::new());
        let (mut sessions, mut names) = (Vec::new(), Vec::new());
        drive(Settings::default(), Script::new(), |simulation| {
            if encoder.encode(simulation.ms(), simulation.game().unwrap(), &mut page) {
                let layout = game.streams[0].layouts()[0];
                let frame = [SeenFrame { stream: game.streams[0].name, layout, bytes: &page }];
                let key = game.rules.session_key(Seen(&frame)).unwrap();
                if sessions.last() != Some(&key) {
                    sessions.push(key);
                    names.push(game.rules.about(Seen(&frame)).session.unwrap());
                }
                assert_eq!(game.rules.is_it(Seen(&frame)), Some(true), "game {car}");
            }
            simulation.ms() < 150_000
        });
        assert_eq!(names, ["free-drive", "job", "free-drive", "job", "free-drive"], "{id}");
        assert!(sessions[0] == sessions[2] && sessions[1] != sessions[3]);
    }
}
