//! Games that send datagrams: their own rules and lap readers find the laps of the board in what the encoders send.
use gametape_games::{Decode, LapFrame, NO_CHANNELS, Presence, ReadLaps, Sample, SectorValue, SeenFrame, find_game};

use super::*;

/// A lap that a reader found.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Lap {
    number: u32,
    last_ms: Option<u32>,
    measured_ms: f64,
}

/// What a game's code makes of its datagrams.
struct Receiver {
    game: &'static gametape_games::Game,
    decoder: Box<dyn Decode>,
    reader: Box<dyn ReadLaps>,
    sample: Sample,
    frame: LapFrame,
    before: Option<LapFrame>,
    began_ms: Option<f64>,
    laps: Vec<Lap>,
    sectors_ms: Vec<u32>,
}

impl Receiver {
    fn new(id: &str) -> Self {
        let game = find_game(id).unwrap();
        let (decoder, reader) = (game.rules.decoder(), game.rules.laps());
        let (sample, frame) = (Sample::default(), LapFrame::default());
        Self {
            game,
            decoder,
            reader,
            sample,
            frame,
            before: None,
            began_ms: None,
            laps: Vec::new(),
            sectors_ms: Vec::new(),
        }
    }

    fn take(&mut self, ms: u64, datagram: &[u8]) {
        let mut plain = Vec::new();
        let stream = self.game.rules.datagram(datagram, &mut plain).expect("a datagram of the game");
        let bytes = if plain.is_empty() { datagram } else { &plain };
        let layout = self.game.stream(stream).unwrap().layout_of(bytes.len() as u32).unwrap_or(&NO_CHANNELS);
        let seen = SeenFrame { stream, layout, bytes };
        self.decoder.frame(seen, &mut self.sample);
        if !self.reader.frame(seen, &mut self.frame) {
            // A time that follows the line.
            if let Some(lap) = self.laps.last_mut().filter(|lap| lap.last_ms.is_none()) {
                lap.last_ms = self.frame.last_ms;
            }
            return;
        }
        if let SectorValue::Own(ms) = self.frame.sector_value
            && self.sectors_ms.last() != Some(&ms)
        {
            self.sectors_ms.push(ms);
        }
        assert_eq!(self.frame.presence, Presence::Live);
        let now = self.frame;
        let old = self.before.replace(now);
        // Before the first line, games show a timer that stands, a car that has not started, or a lap 0.
        let begun =
            |frame: &LapFrame| !frame.before_first_line && frame.on_lap != Some(false) && frame.running_ms != Some(0);
        let done = |frame: &LapFrame| frame.laps_completed.filter(|_| begun(frame));
        match (old.as_ref().and_then(done), done(&now)) {
            (None, Some(_)) => self.began_ms = Some(ms as f64),
            (Some(from), Some(to)) if to > from => {
                let measured_ms = ms as f64 - self.began_ms.replace(ms as f64).unwrap_or(f64::NAN);
                let last_ms = now.last_ms.filter(|_| old.is_some_and(|old| old.last_ms != now.last_ms));
                self.laps.push(Lap { number: to, last_ms, measured_ms });
            }
            _ => {}
        }
    }
}

/// Drives until the board has this many laps. Returns what the receiver found, and the board's times.
fn drive_and_receive(id: &str, laps: i32, mut check: impl FnMut(&Game, &Sample)) -> (Receiver, Vec<u32>) {
    let (mut encoder, mut sent) = (datagram_encoder(id).expect("an encoder"), Datagrams::default());
    let mut receiver = Receiver::new(id);
    let mut times: Vec<u32> = Vec::new();
    drive(Settings { pit_every_laps: None, ..Settings::default() }, Script::new(), |simulation| {
        let game = simulation.game().unwrap();
        if game.board.completed_laps as usize > times.len() {
            times.push(game.board.last_ms.unwrap() as u32);
        }
        sent.clear();
        encoder.encode(simulation.ms(), game, &mut sent);
        for datagram in sent.iter() {
            receiver.take(simulation.ms(), datagram);
            check(game, &receiver.sample);
        }
        // A second longer, for times that follow.
        !(laps_done(simulation, laps) && game.board.current_ms > 1_000.0)
    });
    (receiver, times)
}

/// Asserts that a game's reader finds the laps of the board, and its decoder the car.
fn assert_sends_laps(id: &str) -> Receiver {
    let mut moved = 0;
    let (receiver, times) = drive_and_receive(id, 5, |game, sample| {
        let car = game.car();
        if let Some(kmh) = sample.speed_kmh {
            assert!((f64::from(kmh) / 3.6 - car.speed_ms).abs() < 3.0, "{id}: {kmh} km/h, {} m/s", car.speed_ms);
            moved += 1;
        }
        assert!(sample.gear.is_none_or(|gear| (0..=6).contains(&gear)), "{id}: {:?}", sample.gear);
    });
    assert!(moved > 5 * 35 * 20, "{id}: {moved} samples of a moving car");
    assert_eq!(receiver.laps.iter().map(|lap| lap.number).collect::<Vec<_>>(), [1, 2, 3, 4, 5], "{id}");
    for (lap, time_ms) in receiver.laps.iter().zip(times) {
        assert_eq!(lap.last_ms, Some(time_ms), "{id}: {lap:?}");
        assert!((lap.measured_ms - f64::from(time_ms)).abs() < 40.0, "{id}: {lap:?}");
    }
    receiver
}

#[test]
fn gran_turismo_7_sends_the_laps_of_the_board() {
    let receiver = assert_sends_laps("gran-turismo-7");
    assert_eq!(receiver.reader.identity().car.as_deref(), Some("car 3311"));
    let sample = receiver.sample;
    assert!(sample.lateral_g.is_some() && sample.steering_rad.is_some() && sample.lap_time_ms.is_some());
}

#[test]
fn gran_turismo_sport_sends_the_laps_of_the_board() {
    let receiver = assert_sends_laps("gran-turismo-sport");
    assert_eq!(receiver.sample.lap_time_ms, None, "packet A has no lap clock");
}

#[test]
fn assetto_corsa_remote_sends_the_laps_of_the_board() {
    let receiver = assert_sends_laps("assetto-corsa-remote");
    let identity = receiver.reader.identity();
    assert_eq!((identity.car.as_deref(), identity.track.as_deref()), (Some("gametape_gt"), Some("gametape ring")));
}

#[test]
fn project_cars_sends_the_laps_of_the_board() {
    let receiver = assert_sends_laps("project-cars");
    let identity = receiver.reader.identity();
    assert_eq!((identity.car.as_deref(), identity.track.as_deref()), (Some("gametape GT"), Some("gametape ring")));
    assert_sectors_add_up(&receiver);
}

#[test]
fn automobilista_2_sends_the_laps_of_the_board() {
    let receiver = assert_sends_laps("automobilista-2");
    let identity = receiver.reader.identity();
    assert_eq!((identity.car.as_deref(), identity.track.as_deref()), (Some("gametape GT"), Some("gametape ring")));
    assert_eq!(identity.driver.as_deref(), Some("Driver 1"));
    assert_sectors_add_up(&receiver);
}

/// Asserts that the sector times are those of the laps.
fn assert_sectors_add_up(receiver: &Receiver) {
    assert!(receiver.sectors_ms.len() >= 15, "{:?}", receiver.sectors_ms);
    for (lap, sectors_ms) in receiver.laps.iter().zip(receiver.sectors_ms.chunks(3)) {
        assert_eq!(Some(sectors_ms.iter().sum()), lap.last_ms, "{lap:?} {sectors_ms:?}");
    }
}

#[test]
fn competizione_broadcasts_the_laps_of_the_board_and_of_five_others() {
    let game = find_game("acc").unwrap();
    let (mut encoder, mut sent) = (datagram_encoder(game.id).expect("an encoder"), Datagrams::default());
    let (mut standings, mut times, mut streams) = (game.rules.standings().unwrap(), Vec::new(), Vec::new());
    drive(Settings { pit_every_laps: None, ..Settings::default() }, Script::new(), |simulation| {
        let driven = simulation.game().unwrap();
        if driven.board.completed_laps as usize > times.len() {
            times.push(driven.board.last_ms.unwrap() as u32);
        }
        sent.clear();
        encoder.encode(simulation.ms(), driven, &mut sent);
        for bytes in sent.iter() {
            let stream = game.rules.datagram(bytes, &mut Vec::new()).expect("a message of the game");
            if !streams.contains(&stream) {
                streams.push(stream);
            }
            standings.frame(SeenFrame { stream, layout: &NO_CHANNELS, bytes });
        }
        !(laps_done(simulation, 3) && driven.board.current_ms > 1_000.0)
    });
    assert_eq!(streams.len(), 7, "{streams:?}");
    let cars = standings.cars();
    assert_eq!(cars.iter().map(|car| car.car).collect::<Vec<_>>(), (1001..1007).collect::<Vec<_>>());
    let laps: Vec<u32> = cars[0].laps.iter().filter_map(|lap| lap.time_ms).collect();
    assert_eq!(laps, times);
    assert_eq!((cars[0].last_ms, cars[0].name.as_deref()), (times.last().copied(), Some("Driver 1")));
    assert_eq!(cars[0].last_sectors_ms.iter().flatten().sum::<u32>(), *times.last().unwrap());
    let mut positions: Vec<u16> = cars.iter().filter_map(|car| car.position).collect();
    positions.sort_unstable();
    assert_eq!(positions, [1, 2, 3, 4, 5, 6]);
    assert!(cars.iter().all(|car| car.laps.iter().filter(|lap| lap.time_ms.is_some()).count() >= 2));
}
